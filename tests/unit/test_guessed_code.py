"""Codes of countries: the question explains them by the country's name, in a column of any name."""

from __future__ import annotations

import pytest

from agent.checks.rules.base import RuleContext
from agent.checks.rules.guessed_code import RULE
from executors.base import Column, Schema, Table
from executors.sql.tree import tree_to_change

SITES = Table(
    name="sites",
    columns=(
        Column(name="ctry", type="VARCHAR", samples=("AT", "CZ", "DE")),
        Column(name="kind", type="VARCHAR", samples=("DE", "OP", "XX")),
        Column(name="st", type="VARCHAR", samples=("CA", "DE", "IN")),
    ),
)


@pytest.mark.parametrize(
    "condition, question, doubted, why",
    [
        ("ctry = 'DE'", "How many sites are in Germany?", False, "its country"),
        ("ctry = 'DE'", "Wie viele Standorte gibt es in Deutschland?", False, "in another language"),
        (
            "ctry IN ('PL', 'CZ')",
            "How many sites are in Poland and the Czech Republic?",
            False,
            "also one of no sample",
        ),
        ("ctry = 'DE'", "How many sites are closed?", True, "no country is named"),
        ("ctry = 'PL'", "How many sites are in Germany?", True, "another country"),
        ("ctry = 'QX'", "How many sites are in Germany?", True, "no country"),
        ("kind = 'DE'", "How many sites are in Germany?", True, "other values are none"),
        ("st = 'CA'", "How many sites did Kanada open?", True, "a state's codes look the same"),
    ],
)
def test_the_name_of_a_country_explains_its_code(condition: str, question: str, doubted: bool, why: str) -> None:
    sql = f"SELECT COUNT(*) FROM sites WHERE {condition}"
    schema = Schema(database="d", dialect="duckdb", tables=(SITES,))
    found = RULE.find(RuleContext(sql, schema, tree_to_change(sql, "duckdb"), question))
    assert (found is not None) is doubted, why
