"""The sample shop on every server is the shop of the DuckDB file."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from executors.base import Executor, Schema
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, RegistryInvalid
from executors.guard import guard
from executors.registry.registry import load_registry
from executors.router import Router
from samples.load_shop import WORDS, definition, insertion, load_shop
from samples.make_shop import TABLES, make_shop
from samples.shop_tables import shop_rows, shop_tables
from testbed import mariadb, sqlserver
from testbed.clickhouse import ClickHouseServer
from testbed.mariadb import MariadbServer
from testbed.postgres import PostgresServer
from testbed.shop import sqlserver_shop

NUMBERS = {
    "categories": ("category_id",),
    "products": ("product_id", "category_id", "unit_price"),
    "customers": ("customer_id",),
    "orders": ("order_id", "customer_id", "amount", "tax", "shipping"),
    "order_items": ("order_id", "line_number", "product_id", "quantity", "unit_price"),
    "payments": ("payment_id", "order_id", "amount"),
    "returns": ("return_id", "order_id", "line_number", "quantity", "reason", "refund"),
}
TIMES = (
    "products.launched_on",
    "customers.signed_up_on",
    "orders.ordered_at",
    "payments.paid_at",
    "returns.returned_on",
)
GERMANS = "SELECT COUNT(*) FROM customers WHERE last_name = 'Müller' AND city <> 'Köln'"
GUESTS = "SELECT COUNT(*), MIN(status) FROM orders WHERE customer_id IS NULL"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    make_shop(folder)
    return folder


def opened(folder: Path, url: str) -> Router:
    """A registry of one database, `shop`."""
    names = folder / "databases.yaml"
    names.write_text("shop: ${URL}", encoding="utf-8")
    return Router(load_registry(names, {"URL": url}), sample_values=3, duckdb_memory="1GB", duckdb_threads=1)


def comparable(value: Any) -> Any:
    """Without the offset that some servers put after a time, and what a sum of floats has too much."""
    if isinstance(value, str):
        return value.removesuffix("+00:00").removesuffix("T00:00:00")
    return round(value, 2) if isinstance(value, float) else value


def answers(executor: Executor) -> dict[str, Any]:
    """What is asked of every shop, and the rows."""
    queries = [
        f"SELECT COUNT(*), {', '.join(f'SUM({name})' for name in names)} FROM {table}"
        for table, names in NUMBERS.items()
    ]
    queries += [f"SELECT MIN({place}), MAX({place}) FROM {place.partition('.')[0]}" for place in TIMES]
    schema = executor.schema()
    return {
        query: [
            [comparable(value) for value in row]
            for row in executor.run(guard.check(query, schema, row_limit=5), timeout_s=30).rows
        ]
        for query in (*queries, GERMANS, GUESTS)
    }


def keys(schema: Schema) -> dict[str, Any]:
    return {table.name: (table.primary_key, frozenset(key for key in table.foreign_keys)) for table in schema.tables}


def comments(schema: Schema) -> dict[str, Any]:
    return {table.name: (table.comment, [(one.name, one.comment) for one in table.columns]) for table in schema.tables}


@pytest.fixture(scope="module")
def original(folder: Path) -> Iterator[Executor]:
    with closing(opened(folder, str(folder / "shop.duckdb"))) as router:
        yield router.get("shop")


def compare(executor: Executor, original: Executor, *, with_keys: bool = True) -> None:
    assert answers(executor) == answers(original)
    assert comments(executor.schema()) == comments(original.schema())
    if with_keys:
        assert keys(executor.schema()) == keys(original.schema())


@pytest.mark.parametrize("start, with_keys", [
    (PostgresServer, True),
    (MariadbServer, True),
    (ClickHouseServer, False),
], ids=["PostgreSQL", "MariaDB", "ClickHouse"])  # fmt: skip
def test_the_shop_is_the_same_everywhere(
    folder: Path, original: Executor, start: Callable[[], AbstractContextManager[Any]], with_keys: bool
) -> None:
    if start is MariadbServer and (reason := mariadb.missing()):
        pytest.skip(f"MariaDB: {reason}")
    told: dict[str, int] = {}
    with start() as server:
        counts = load_shop(server.url(), folder=folder / "shop", done=told.__setitem__)

        with closing(opened(folder, server.url())) as router:
            compare(router.get("shop"), original, with_keys=with_keys)
            with pytest.raises(DatabaseUnavailable, match="refuses the shop"):
                load_shop(server.url(), folder=folder / "shop")
            assert load_shop(server.url(), folder=folder / "shop", replace=True) == counts
            compare(router.get("shop"), original, with_keys=with_keys)

    assert list(counts) == list(TABLES)
    assert told == counts


def test_the_stand_in_for_sql_server_serves_the_same_shop(folder: Path, original: Executor) -> None:
    if not sqlserver.drivers():
        pytest.skip("SQL Server: there is no ODBC driver for it")
    with sqlserver_shop(folder / "shop") as server:
        url = server.url(driver=next(iter(sqlserver.drivers().values())), trustservercertificate="yes")
        with closing(opened(folder, url)) as router:
            compare(router.get("shop"), original)


@pytest.mark.parametrize("dialect", WORDS)
def test_every_statement_is_read_by_a_parser_of_its_dialect(folder: Path, dialect: str) -> None:
    row, words = DIALECTS[dialect], WORDS[dialect]
    for table in shop_tables():
        made, *comments = [
            sqlglot.parse_one(one, read=row.sqlglot) for one in definition(table, row, words) if "@" not in one
        ]
        filled = sqlglot.parse_one(
            insertion(table, list(shop_rows(table, folder / "shop"))[:5], row, words), read=row.sqlglot
        )

        assert isinstance(made, exp.Create)
        assert [column.name for column in made.find_all(exp.ColumnDef)] == [column.name for column in table.columns]
        assert all(isinstance(comment, exp.Comment) for comment in comments)
        assert isinstance(filled, exp.Insert)
        assert len(filled.expression.expressions) == 5


@pytest.mark.parametrize("address, said", [
    ("oracle://u:p@host.example/shop", "can be loaded into postgresql, mysql"),
    ("shop.duckdb", "its address begins with none of"),
])  # fmt: skip
def test_other_addresses_are_told(address: str, said: str) -> None:
    with pytest.raises(RegistryInvalid, match=said):
        load_shop(address)


def test_half_a_load_is_none_where_the_server_can_undo_it(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "shop", tmp_path / "shop")
    with (tmp_path / "shop" / "returns.csv").open("a", encoding="utf-8") as returns:
        returns.write("9999,1,1,no day,1,1,1\n")
    with PostgresServer() as server:
        with pytest.raises(DatabaseUnavailable, match="no day"):
            load_shop(server.url(), folder=tmp_path / "shop")

        with server.admin() as admin:
            assert admin.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
