"""What the stored values say about a sum of texts and a difference of dates, in SQLite."""

from __future__ import annotations

import sqlite3

import pytest

from agent.checks.rules.base import RuleContext
from agent.checks.rules.registry import rules
from agent.checks.rules.review import confirm
from executors.base import Column, QueryResult, Schema, Table
from executors.sql.tree import tree_to_change

TRIP = Table(
    name="trips",
    columns=(
        Column(name="ship", type="TEXT", samples=("Ada", "Bo")),
        Column(name="berth", type="TEXT", samples=("0", "12")),
        Column(name="left_on", type="TEXT", samples=("2024-03-01",)),
        Column(name="back_on", type="TEXT", samples=("2024-03-05",)),
        Column(name="paid_on", type="TEXT", samples=("2024-03-03",)),
    ),
)
ROWS = (
    ("Ada", "0", "2024-03-01", "2024-03-05", "2024-03-03"),
    ("Bo", None, "2024-03-02", "2024-03-02", "2024-02-01"),
    ("Cy 2", "12", "2024-03-09", None, None),
)


@pytest.mark.parametrize(
    "rule, expression, rows, detail, why",
    [
        ("averaged_text", "AVG(ship)", ROWS, "None of the 3 texts in AVG(ship)", "none begins with a number"),
        ("averaged_text", "SUM(berth)", ROWS, "", "numbers"),
        ("averaged_text", "SUM(berth)", ROWS[:2], "", "0 is one"),
        ("averaged_text", "AVG(left_on)", ROWS, "", "days begin with their year"),
        ("averaged_text", "AVG(ship)", (), "", "no texts"),
        (
            "negative_days",
            "AVG(JULIANDAY(left_on) - JULIANDAY(back_on))",
            ROWS,
            "The two dates may be swapped: the difference is negative for 1 records",
            "back before it left",
        ),
        ("negative_days", "AVG(JULIANDAY(back_on) - JULIANDAY(left_on))", ROWS, "", "the right way"),
        ("negative_days", "AVG(JULIANDAY(paid_on) - JULIANDAY(left_on))", ROWS, "", "paid before or after"),
        ("negative_days", "AVG(JULIANDAY(left_on) - JULIANDAY(back_on))", ROWS[1:], "", "no days between"),
        ("negative_days", "AVG(JULIANDAY(left_on) - JULIANDAY(back_on))", (), "", "no trips"),
    ],
)
async def test_the_data_confirms_or_refutes(
    rule: str, expression: str, rows: tuple[tuple[str | None, ...], ...], detail: str, why: str
) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE trips ({', '.join(f'{it.name} TEXT' for it in TRIP.columns)})")
    connection.executemany("INSERT INTO trips VALUES (?, ?, ?, ?, ?)", rows)

    async def run(sql: str) -> QueryResult:
        return QueryResult(columns=("n",), rows=tuple(connection.execute(sql).fetchall()))

    sql = f"SELECT {expression} FROM trips"
    schema = Schema(database="d", dialect="sqlite", tables=(TRIP,))
    every = {it.id: it for action in ("alternative", "doubt") for it in rules(action)}
    found = every[rule].find(RuleContext(sql, schema, tree_to_change(sql, "sqlite")))
    assert found is not None
    confirmed = await confirm(found, run)
    connection.close()
    assert (confirmed is not None) is bool(detail), why
    assert confirmed is None or confirmed.detail.startswith(detail)
