"""A dialect's row lists what an older server lacks, and the replacement."""

from __future__ import annotations

import pytest

from executors.base import Column, Schema, Table, dialect_row
from executors.dialects.table import DIALECTS
from executors.errors import SqlRefused
from executors.guard import guard

ORDERS = Table(name="orders", columns=(Column(name="id", type="int"), Column(name="at", type="date")))


def schema(*version: int) -> Schema:
    return Schema(database="shop", dialect="sqlserver", tables=(ORDERS,), version=version)


@pytest.mark.parametrize(("version", "month"), [
    ((), "DATETRUNC(month, {column})"),
    ((160, 160), "DATETRUNC(month, {column})"),
    ((150, 150), "DATEFROMPARTS(YEAR({column}), MONTH({column}), 1)"),
    ((120, 120), "DATEFROMPARTS(YEAR({column}), MONTH({column}), 1)"),
    ((999, 130), "DATETRUNC(month, {column})"),
])  # fmt: skip
def test_template_hints_and_advice_are_those_of_the_version(version: tuple[int, ...], month: str) -> None:
    row = dialect_row(schema(*version))
    written = month.format(column="col")

    assert row.truncate_month == month
    assert any(written in hint for hint in row.hints)
    assert row.instead["date_trunc"] == written
    assert "DATETRUNC" in written or "DATETRUNC" not in " ".join([*row.hints, *row.instead.values()])


def test_a_function_that_the_server_lacks_is_refused_with_what_it_has() -> None:
    with pytest.raises(SqlRefused) as refused:
        guard.check("SELECT STRING_AGG(id, ',') FROM orders", schema(130, 130), row_limit=5)

    assert "FOR XML PATH" in refused.value.hint


@pytest.mark.parametrize("name", sorted(DIALECTS["sqlserver"].without))
def test_what_stands_in_may_be_called_there(name: str) -> None:
    oldest = dialect_row(schema(130, 130))
    text = DIALECTS["sqlserver"].without[name].format(column="id")
    if text.startswith("WITH"):
        sql = f"{text} SELECT i FROM n"
    else:
        sql = f"SELECT {text} AS v FROM (SELECT id, id AS a, id AS b FROM orders) AS t"
        sql = sql.replace("FROM t FOR", "FROM orders FOR")

    assert name in oldest.instead
    guard.check(sql, schema(130, 130), row_limit=5)


def test_every_need_is_of_a_function_that_is_listed() -> None:
    row = DIALECTS["sqlserver"]
    listed = row.functions | row.aggregates | row.table_functions

    assert set(row.needs) <= listed
    assert set(row.without) <= set(row.needs)


def test_the_same_row_is_made_once() -> None:
    assert dialect_row(schema(130, 130)) is dialect_row(schema(130, 130))
    assert dialect_row(schema(170, 170)) is DIALECTS["sqlserver"]
