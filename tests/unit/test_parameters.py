"""A value that is put where a placeholder was is that value, in every dialect, whatever it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from executors.base import Column, Parameters, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import SqlRefused
from executors.guard import guard
from executors.sql import grammar

ODD_TEXTS = (
    "it's",
    "''",
    "\\",
    "\\'",
    "'; DROP TABLE t; --",
    "/*",
    "--",
    "?",
    ":x",
    "%s",
    "{}",
    "\n\t\r",
    '"',
    "`]",
    "😀",
)


def bound(dialect: str, sql: str, parameters: Parameters) -> str:
    table = Table(name="T", columns=(Column(name="A", type="text"),))
    schema = Schema(database="x", dialect=dialect, tables=(table,))
    return guard.check(sql, schema, row_limit=10, parameters=parameters, check_names=False).executable


def literals(dialect: str, sql: str) -> list[str]:
    name = DIALECTS[dialect].sqlglot
    (tree,) = grammar.parse(grammar.tokenize(sql, name), sql, name)
    return [node.name for node in tree.find_all(exp.Literal, exp.National) if not node.is_int]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", ODD_TEXTS)
def test_a_text_stays_one_text(dialect: str, text: str) -> None:
    assert literals(dialect, bound(dialect, "SELECT A FROM T WHERE A = ?", [text])) == [text]


@pytest.mark.parametrize("dialect", DIALECTS)
@given(text=st.text(alphabet=st.sampled_from("'\\\"`a;-/*% \n?:@😀"), max_size=12))
def test_no_text_gets_out_of_its_quotes(dialect: str, text: str) -> None:
    assert literals(dialect, bound(dialect, "SELECT A FROM T WHERE A = :x AND A <> :y", {"x": text, "y": "end"})) == [
        text,
        "end",
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_values_go_in_the_order_of_the_text(dialect: str) -> None:
    sql = "WITH c AS (SELECT A FROM T WHERE A = ?) SELECT ?, A FROM c WHERE A IN (SELECT A FROM T WHERE A = ?) OR A = ?"

    placed = bound(dialect, sql, ["one", "two", "three", "four"])

    assert sorted(["one", "two", "three", "four"], key=placed.index) == ["one", "two", "three", "four"]


@pytest.mark.parametrize("value, written", [
    (None, "NULL"),
    (5, "5"),
    (-5, "(-5)"),
    (1.5, "1.5"),
    (-0.0, "(-0.0)"),
    (2**70, str(2**70)),
    (1e300, "1e+300"),
])  # fmt: skip
def test_a_number_is_written_as_it_is(value: float | None, written: str) -> None:
    assert bound("duckdb", "SELECT A - ? FROM T", [value]) == f'SELECT "A" - {written} FROM "T" LIMIT 11'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "a\x00b"])
def test_what_no_database_takes_is_refused(value: float | str) -> None:
    with pytest.raises(SqlRefused):
        bound("duckdb", "SELECT ?", [value])


def test_a_value_is_never_a_name() -> None:
    with pytest.raises(SqlRefused):
        bound("postgresql", "SELECT A FROM ?", ["T"])


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("selected", [":x AS A", "(:x) AS A", "CONCAT(:x, A) AS A"])
def test_a_value_may_be_selected(dialect: str, selected: str) -> None:
    assert "end" in literals(dialect, bound(dialect, f"SELECT {selected} FROM T WHERE NOT A = :x", {"x": "end"}))


def test_an_alias_may_come_first_in_duckdb() -> None:
    assert literals("duckdb", bound("duckdb", "SELECT a: 'x', \"b\": :y, (A) FROM T", {"y": "end"})) == ["x", "end"]
