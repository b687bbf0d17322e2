"""The functions of a database's own: the registry lists them, and queries may call those and no others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from guard_shop import schema

from agent.core.callers import LOCAL
from agent.pipeline.service import Service
from executors.errors import ErrorKind, RegistryInvalid, SqlFailed, SqlRefused
from executors.guard import guard
from executors.guard import write as guard_write
from executors.guard.row_security.held_rows import RowRules
from executors.guard.row_security.row_filter import read_row_filter
from executors.registry.registry import load_registry


@pytest.mark.parametrize(
    "dialect, listed, sql, shown",
    [
        ("postgresql", "my_func", "SELECT my_func(id) FROM orders", "SELECT MY_FUNC(id) FROM orders LIMIT 9"),
        ("postgresql", "s.f", "SELECT s.f(id) FROM orders", "SELECT s.f(id) FROM orders LIMIT 9"),
        ("postgresql", "s.f", "SELECT * FROM s.f(3) AS r", "SELECT * FROM s.F(3) AS r LIMIT 9"),
        (
            "sqlserver",
            "dbo.getreports",
            "SELECT r.x FROM customers c CROSS APPLY dbo.GetReports(c.id) AS r",
            "SELECT TOP 9 r.x FROM customers AS c CROSS APPLY dbo.[GetReports](c.id) AS r",
        ),
        ("oracle", "pkg.f", "SELECT pkg.f(1) FROM dual", "SELECT pkg.f(1) FROM dual FETCH FIRST 9 ROWS ONLY"),
        ("clickhouse", "myudf", "SELECT myUdf(id) FROM orders", "SELECT myUdf(id) FROM orders LIMIT 9"),
        ("databricks", "c.s.f", "SELECT c.s.f(id) FROM orders", "SELECT c.s.f(id) FROM orders LIMIT 9"),
    ],
)
def test_a_listed_function_may_be_called(dialect: str, listed: str, sql: str, shown: str) -> None:
    assert guard.check(sql, schema(dialect), row_limit=9, functions=frozenset({listed})).sql == shown
    with pytest.raises(SqlRefused):
        guard.check(sql, schema(dialect), row_limit=9)


@pytest.mark.parametrize(
    "sql, why",
    [
        ("SELECT other.f(id) FROM orders", "of another schema"),
        ("SELECT f(id) FROM orders", "without its schema it may be another"),
        ("SELECT s.g(id) FROM orders", "another function"),
        ("SELECT s.f(pg_sleep(9)) FROM orders", "with an argument that does harm"),
        ("SELECT * FROM other.f(3) AS r", "of another schema, as a table"),
    ],
)
def test_a_listed_function_lets_no_other_through(sql: str, why: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        guard.check(sql, schema("postgresql"), row_limit=9, functions=frozenset({"s.f"}))
    assert caught.value.kind in {ErrorKind.FUNCTION_NOT_FOUND, ErrorKind.PERMISSION}, why


def test_who_sees_some_of_the_rows_may_call_none() -> None:
    fields = {"row_filter": "id > :least", "principals": {"anna": {"least": 1}}, "unfiltered": ["order_items"]}
    row_filter = read_row_filter(fields, lambda text: text).filter
    assert row_filter is not None
    values = row_filter.values_of("anna")
    assert values is not None
    rows = RowRules(row_filter, schema("postgresql")).of(values)

    with pytest.raises(SqlRefused, match="my_func is not available"):
        guard.check(
            "SELECT my_func(id) FROM orders",
            schema("postgresql"),
            row_limit=9,
            rows=rows,
            functions=frozenset({"my_func"}),
        )


def test_a_change_may_call_them_too() -> None:
    sql = "UPDATE orders SET status = my_func(status) WHERE id = 1"
    allowed = guard_write.check_write(sql, schema("postgresql"), row_limit=9, functions=frozenset({"my_func"}))
    assert "MY_FUNC(status)" in allowed.sql
    with pytest.raises(SqlRefused):
        guard_write.check_write(sql, schema("postgresql"), row_limit=9)


def test_the_registry_lists_them(tmp_path: Path) -> None:
    (tmp_path / "shop.sqlite").touch()
    path = tmp_path / "databases.yaml"
    path.write_text("shop:\n  url: shop.sqlite\n  functions: [my_func, dbo.GetReports]\n", encoding="utf-8")

    assert load_registry(path, {}).entries[0].functions == ("my_func", "dbo.GetReports")


@pytest.mark.parametrize("name", ["f(1)", "a b", "1f", "a.b.c.d", "f; DROP TABLE x", "a..b"])
def test_what_is_no_functions_name_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "shop.sqlite").touch()
    path = tmp_path / "databases.yaml"
    path.write_text(f"shop:\n  url: shop.sqlite\n  functions: ['{name}']\n", encoding="utf-8")

    with pytest.raises(RegistryInvalid, match=re.escape(f"{name!r} is not the name of a function")):
        load_registry(path, {})


async def test_queries_of_the_service_may_call_what_its_registry_lists(
    registry: Path, make_service: Callable[..., Service]
) -> None:
    registry.write_text("shop:\n  url: shop.sqlite\n  functions: [fiscal_year]\n", encoding="utf-8")
    service = make_service()
    try:
        with pytest.raises(SqlFailed, match="no such function: FISCAL_YEAR"):  # so says SQLite, and not the guard
            await service.databases.execute("shop", "SELECT fiscal_year(ordered_at) FROM orders", principal=LOCAL)
        with pytest.raises(SqlRefused, match="The function other is not available"):
            await service.databases.execute("shop", "SELECT other(ordered_at) FROM orders", principal=LOCAL)
    finally:
        await service.close()
