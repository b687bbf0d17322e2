"""The benchmark of the guard: hostile statements, SELECTs, and the classification of refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.guard import Statement, main, measured
from executors.errors import Because


@pytest.mark.parametrize(
    "kind, contains, hostile, select",
    [
        ("select_statement", [], False, True),
        ("set_expression", [], False, True),
        ("with_compound_statement", ["insert_statement"], True, False),
        ("select_statement", ["into_clause"], True, False),
        ("set_statement", [], True, False),
        ("create_table_as_statement", [], True, False),
        ("call_statement", [], True, False),
        ("access_statement", ["grant_statement"], True, False),
        ("lock_table_statement", [], True, False),
        ("drop_MODELstatement", [], True, False),
        ("explain_statement", [], False, False),
        ("describe_statement", [], False, False),
    ],
)
def test_tells_hostile_statements_and_selects_apart(
    kind: str, contains: list[str], hostile: bool, select: bool
) -> None:
    statement = Statement(dialect="postgres", type=kind, contains=tuple(contains), sql="")

    assert (statement.is_hostile, statement.is_select) == (hostile, select)


def test_counts_by_dialect_and_reason() -> None:
    selects = ["SELECT a FROM t", "SELECT a FROM", "SELECT nextval('s')", "SELECT mine(a) FROM t", "SELECT $1"]
    statements = [
        *(Statement(dialect="postgres", type="select_statement", sql=sql) for sql in selects),
        Statement(dialect="postgres", type="delete_statement", contains=("delete_statement",), sql="DELETE FROM t"),
        Statement(dialect="snowflake", type="select_statement", sql="SELECT 1"),
    ]
    found = measured(statements)

    assert list(found) == ["postgres"]
    figures = found["postgres"]
    assert (figures.statements, figures.hostile, figures.selects) == (6, 1, 5)
    assert {because: len(cases) for because, cases in figures.refused.items()} == {
        Because.SYNTAX: 1,
        Because.DANGEROUS: 1,
        Because.FUNCTION: 1,
    }
    assert (figures.wrongly, figures.share, figures.share_with_unknown) == (1, 0.2, 0.4)
    assert not figures.is_good


def test_what_the_engine_cannot_parse_either_is_rightly_refused() -> None:
    invalid = "SELECT a FROM 'x' -> 'y'"
    found = measured([Statement(dialect=it, type="select_statement", sql=invalid) for it in ("sqlite", "duckdb")])

    assert [(it.wrongly, it.no_sql) for it in found.values()] == [(0, 1), (0, 1)]


def test_what_is_hostile_and_let_through_makes_it_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "statements.jsonl"
    good = {"dialect": "sqlite", "type": "select_statement", "contains": [], "sql": "SELECT 1"}
    path.write_text(json.dumps(good), encoding="utf-8")
    assert main([str(path)]) == 0

    said_to_be_a_write = good | {"contains": ["insert_statement"]}
    path.write_text("\n".join(map(json.dumps, (good, said_to_be_a_write))), encoding="utf-8")
    assert main([str(path)]) == 1
    assert "sqlite: let through (select_statement): SELECT 1" in capsys.readouterr().out
