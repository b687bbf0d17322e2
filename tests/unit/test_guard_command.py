"""`python -m agent guard`: SQL or lines of JSON in, one verdict a statement out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guard_shop import schema
from typer.testing import CliRunner

from agent.cli.guarding import GuardRunner, verdicts
from agent.cli.main import app
from executors.dialects.table import ALIASES, DIALECTS, dialect_named

FIELDS = ["allowed", "reason", "kind", "hint", "sql", "dialect"]


def run(text: str, *options: str, code: int = 0) -> list[dict[str, Any]]:
    result = CliRunner().invoke(app, ["guard", *options], input=text)
    assert result.exit_code == code, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_each_statement_gets_a_verdict() -> None:
    found = run("SELECT 1;\nDROP TABLE x; SELECT ';' AS a", "--dialect", "postgresql", "--no-schema")

    assert [list(verdict) for verdict in found] == [FIELDS] * 3
    assert [verdict["allowed"] for verdict in found] == [True, False, True]
    assert found[0] == dict.fromkeys(FIELDS) | {"allowed": True, "sql": "SELECT 1", "dialect": "postgresql"}
    assert found[1]["reason"] == "Only reading is allowed; DROP would change the database and was refused."
    assert (found[1]["kind"], found[1]["sql"]) == ("NOT_READ_ONLY", None)
    assert found[1]["hint"]


def test_lines_of_json_may_say_their_dialect_and_anything_else() -> None:
    lines = [
        {"sql": "SELECT TOP 3 a FROM t", "dialect": "tsql", "type": "select_statement"},
        {"sql": "SELECT a FROM t"},
        {"sql": "SELECT 1; DROP TABLE t"},
    ]
    found = run("\n\n".join(map(json.dumps, lines)), "--dialect", "mysql", "--no-schema")

    assert [(verdict["allowed"], verdict["dialect"]) for verdict in found] == [
        (True, "sqlserver"),
        (True, "mysql"),
        (False, "mysql"),
    ]


@pytest.mark.parametrize(
    "line", ['{"sql": 1}', '{"query": "SELECT 1"}', '{"sql": "SELECT 1"', '{"sql": "SELECT 1", "dialect": 5}', "[]"]
)
def test_a_line_that_is_none_is_refused_and_the_next_is_read(line: str) -> None:
    found = run('{"sql": "SELECT 1"}\n' + line + '\n{"sql": "SELECT 2"}', "--dialect", "sqlite", "--no-schema")

    assert [verdict["allowed"] for verdict in found] == [True, False, True]
    assert found[1]["hint"] == "Write one object a line."


def test_a_dialect_that_is_not_spoken_is_a_refusal_with_those_that_are() -> None:
    (verdict,) = run('{"sql": "SELECT 1", "dialect": "snowflake"}')

    assert (verdict["allowed"], verdict["dialect"]) == (False, "snowflake")
    assert verdict["reason"] == "There is no dialect 'snowflake' here."
    assert verdict["hint"].startswith("Known: sqlite, duckdb, postgresql, ")


@pytest.mark.parametrize("text", ["", "  \n", "-- nothing", "SELECT 'abc", "SELECT 1 /*! 2 */"])
def test_what_holds_no_statement_is_one_refusal(text: str) -> None:
    assert [verdict["allowed"] for verdict in run(text, "--dialect", "mysql", "--no-schema")] == [False]


def test_strict_ends_with_one_where_anything_was_refused() -> None:
    run("SELECT 1", "--dialect", "sqlite", "--strict")
    run("SELECT 1; DELETE FROM t", "--dialect", "sqlite", "--strict", code=1)


def test_without_a_schema_every_table_is_unknown() -> None:
    (verdict,) = run("SELECT a FROM t", "--dialect", "sqlite")

    assert (verdict["kind"], verdict["hint"]) == ("TABLE_NOT_FOUND", "No tables are known here.")


def test_a_parameter_may_stay_open_but_not_with_values() -> None:
    (found,) = run("SELECT a FROM t WHERE a = :x", "--dialect", "sqlite", "--no-schema")
    (refused,) = run("SELECT a FROM t WHERE a = :x", "--dialect", "sqlite", "--no-schema", "--values")

    assert found["sql"] == "SELECT a FROM t WHERE a = :x LIMIT 500"
    assert refused["reason"] == ":x has no value."
    assert "`parameters`" in refused["hint"]


def test_a_database_has_the_schema_and_the_dialect(shop_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop_file.parent)
    text = "SELECT name FROM customers; SELECT nothing FROM customers; SELECT 1 FROM nowhere"
    found = run(text, "--database", str(shop_file))

    assert [verdict["kind"] for verdict in found] == [None, "COLUMN_NOT_FOUND", "TABLE_NOT_FOUND"]
    assert {verdict["dialect"] for verdict in found} == {"sqlite"}


def test_a_line_in_another_dialect_than_the_databases_is_refused() -> None:
    verdict = GuardRunner(schema("sqlite")).verdict("SELECT 1", "tsql")

    assert verdict.reason == "shop speaks sqlite, not sqlserver."


def test_lines_are_answered_before_the_next_is_read() -> None:
    read: list[int] = []

    def lines() -> Iterator[str]:
        for number in range(3):
            read.append(number)
            yield json.dumps({"sql": f"SELECT {number}"})

    answers = verdicts(lines(), "sqlite", GuardRunner())
    assert next(answers).sql == "SELECT 0"
    assert read == [0]


@pytest.mark.parametrize("alias, name", ALIASES.items())
def test_other_names_of_a_dialect_are_understood(alias: str, name: str) -> None:
    found = dialect_named(alias.upper())

    assert found is not None
    assert found is DIALECTS[name]
