"""SQLite: each layer under the guard with all the others off, on a file of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from alone import got_through, held
from unguarded import unguarded

from executors.engines.sqlite.executor import SqliteExecutor

LAYERS = ("mode=ro", "query_only", "authorizer")
WRITES = (
    "INSERT INTO orders VALUES (9, 9, '', '', 9) RETURNING order_id",
    "UPDATE orders SET amount = 0 RETURNING order_id",
    "DELETE FROM customers RETURNING customer_id",
    "WITH gone AS (SELECT 1) DELETE FROM orders RETURNING order_id",
    "REPLACE INTO customers VALUES (1, 'Eve', 'XX') RETURNING customer_id",
    "DROP TABLE orders",
    "CREATE TABLE loot (a)",
    "ALTER TABLE orders RENAME TO lost",
    "CREATE INDEX i ON orders (status)",
    "PRAGMA user_version = 7",
)
# What leaves the database as it is, and does harm all the same.
BEYOND = (
    "ATTACH DATABASE '{elsewhere}' AS other",
    "VACUUM INTO '{elsewhere}'",
    "PRAGMA writable_schema = ON",
    "SELECT fts3_tokenizer('simple')",
    "SELECT load_extension('evil')",
    "CREATE TEMP TABLE loot AS SELECT * FROM customers",
    "BEGIN EXCLUSIVE",
    "PRAGMA table_list",
)

Only = Callable[..., SqliteExecutor]


@pytest.fixture
def only(shop_file: Path, monkeypatch: pytest.MonkeyPatch) -> Only:
    """The executor with none but the layers that are named."""

    def only(*layers: str) -> SqliteExecutor:
        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
                ours = sql == "PRAGMA query_only = ON" and "query_only" not in layers
                return super().execute("PRAGMA query_only = OFF" if ours else sql, *values)

            def set_authorizer(self, authorizer: Callable[..., int] | None) -> None:
                if "authorizer" in layers:
                    super().set_authorizer(authorizer)

        connect = sqlite3.connect

        def loosened(place: str, **options: Any) -> sqlite3.Connection:
            if "mode=ro" not in layers:
                place = place.replace("mode=ro", "mode=rw")
            return connect(place, factory=Connection, **options)

        monkeypatch.setattr(sqlite3, "connect", loosened)
        return SqliteExecutor("shop", shop_file, sample_values=0)

    return only


def attempt(executor: SqliteExecutor, statements: tuple[str, ...], **holes: Path) -> list[str]:
    return got_through(
        lambda sql: executor.run(unguarded(sql.format(**holes)), timeout_s=10), statements, sqlite3.Error
    )


def test_without_any_layer_they_get_through(only: Only, shop_file: Path) -> None:
    executor, before = only(), digest(shop_file)

    through = attempt(executor, WRITES[:5])

    assert through == list(WRITES[:5])
    assert digest(shop_file) != before
    assert held(executor) == set()


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_alone_lets_no_write_through(only: Only, shop_file: Path, layer: str) -> None:
    executor, before = only(layer), digest(shop_file)

    attempt(executor, WRITES)

    assert digest(shop_file) == before
    assert held(executor) == {layer}


def test_the_authorizer_alone_lets_nothing_else_through_either(only: Only, shop_file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.sqlite"

    assert attempt(only("authorizer"), (*WRITES, *BEYOND), elsewhere=elsewhere) == []
    assert not elsewhere.exists()


def test_all_of_them_let_a_query_through(only: Only) -> None:
    executor = only(*LAYERS)

    assert executor.run(unguarded("SELECT count(*) FROM orders"), timeout_s=10).rows == ((5,),)
    assert held(executor) == set(LAYERS)


def test_the_probes_leave_no_trace(only: Only, shop_file: Path) -> None:
    before = digest(shop_file)

    held(only())

    assert digest(shop_file) == before


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
