"""Texts of a query, and the stored values that they mean."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from small_tables import table
from sqlglot import exp

from executors.base import Schema
from executors.dialects.table import DIALECTS
from executors.sql.literals import are_one_word, same_text, spell_texts, text_filters
from executors.sql.tree import tree_to_change
from fuzz.shop import shop_schema


@pytest.mark.parametrize(
    "said, stored, same, why",
    [
        ("berlin", "Berlin", True, "another case"),
        ("Malaga", "Málaga", True, "an accent"),
        ("T-shirt", "T Shirt", True, "punctuation"),
        ("Ice cream", "Icecream", True, "a space"),
        ("МОСКВА", "Москва", True, "other letters than Latin ones"),
        ("Laptops", "Laptop", False, "a plural is another word"),
        ("women", "Female", False, "so is a word of the same meaning"),
        ("Niger", "Nigeria", False, "and a part of one"),
        ("--", "..", False, "no letters at all"),
    ],
)
def test_texts_that_are_the_same_but_for_their_form(said: str, stored: str, same: bool, why: str) -> None:
    assert same_text(said, stored) is same, why


SCHEMA = Schema(database="s", dialect="sqlite", tables=(table("people", "city", "sex"), table("jobs", "title")))


def test_only_texts_of_real_tables_are_filters() -> None:
    tree = tree_to_change("SELECT * FROM (SELECT 'x' AS city) AS t WHERE t.city = 'y' AND 3 = 4", "sqlite")
    assert tree is not None
    assert text_filters(tree, SCHEMA) == []


@pytest.mark.parametrize(
    "dialect, sql, filters, why",
    [
        ("sqlite", 'SELECT city FROM people WHERE sex = "F"', ["F"], "no column is called so"),
        ("sqlite", "SELECT city FROM people WHERE sex IN (\"F\", 'M')", ["F", "M"], "in a list"),
        ("sqlite", 'SELECT city FROM people WHERE sex = "City"', [], "a column is"),
        ("sqlite", 'SELECT sex AS "F" FROM people WHERE sex = "F"', [], "an alias is"),
        ("sqlite", 'WITH p (f) AS (SELECT 1) SELECT sex FROM people, p WHERE sex = "F"', [], "a CTE names one"),
        ("sqlite", "SELECT city FROM people WHERE sex = `F`", [], "these are for names alone"),
        ("sqlite", 'SELECT city FROM people AS p WHERE sex = p."F"', [], "a column of p"),
        ("postgresql", 'SELECT city FROM people WHERE sex = "F"', [], "elsewhere it is a name"),
        ("sqlite", "SELECT city FROM people WHERE sex = '' OR sex IN (' ', 'F')", ["F"], "a blank text is no value"),
        ("sqlserver", "SELECT city FROM people WHERE sex IN (N'F', 'M')", ["F", "M"], "N begins a text of any letters"),
    ],
)
def test_a_text_is_read_as_the_dialect_reads_it(dialect: str, sql: str, filters: list[str], why: str) -> None:
    schema = SCHEMA.model_copy(update={"dialect": dialect})
    tree = tree_to_change(sql, DIALECTS[dialect].sqlglot)
    assert tree is not None
    assert [it.value for it in text_filters(spell_texts(tree, sql, schema), schema)] == filters, why


def test_many_filters_are_found_in_work_that_grows_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = [0]
    each = exp.Expression.iter_expressions

    def counted(self: exp.Expr, reverse: bool = False) -> Iterator[exp.Expr]:
        looked[0] += 1
        return each(self, reverse)

    monkeypatch.setattr(exp.Expression, "iter_expressions", counted)
    work = []
    for many in (50, 400):
        conditions = " OR ".join(f"status = 's{n}'" for n in range(many))
        tree = tree_to_change(f"SELECT id FROM orders WHERE {conditions}", "duckdb")
        assert tree is not None
        looked[0] = 0
        assert len(text_filters(tree, shop_schema("duckdb"))) == many
        work.append(looked[0])
    assert work[1] < 10 * work[0]


@pytest.mark.parametrize(
    "texts, same, why",
    [
        (("ja", "Ja", "JA "), True, "yes in two letters"),
        (("no", "No"), True, "and no"),
        (("Oui", "oui"), True, "three letters may be any word"),
        (("mw", "Mw"), False, "a unit"),
        (("de", "De"), False, "a code, or a name's part"),
        (("jA", "ja"), False, "no way to write a word"),
        (("no", "on"), False, "other letters"),
    ],
)
def test_texts_that_are_one_word(texts: tuple[str, ...], same: bool, why: str) -> None:
    assert are_one_word(texts) is same, why
