"""DuckDB: each layer under the guard with all the others off, on a file of its own.

The statements are sent over the executor's own connection; what `run` does before it sends one is a layer by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import pytest
from alone import got_through, held
from unguarded import unguarded

from executors.engines.duckdb import engine as duckdb_engine
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.engines.files.executor import FilesExecutor

READ_ONLY, CLOSED, NO_EXTENSIONS, LOCKED = "read-only", "no external access", "no extensions", "configuration locked"
LAYERS = (READ_ONLY, CLOSED, NO_EXTENSIONS, LOCKED)
# What each layer is, where the executor opens its database.
_STATEMENTS = {
    READ_ONLY: (", READ_ONLY", ""),
    CLOSED: ("SET GLOBAL enable_external_access = false", "SELECT 1"),
    LOCKED: ("SET GLOBAL lock_configuration = true", "SELECT 1"),
}
_EXTENSIONS = ("autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions")

WRITES = (
    "INSERT INTO orders VALUES (9)",
    "UPDATE orders SET id = 7",
    "DELETE FROM orders",
    "WITH gone AS (SELECT 1) DELETE FROM orders",
    "DROP TABLE orders",
    "CREATE TABLE loot AS SELECT * FROM orders",
    "ALTER TABLE orders ADD COLUMN loot INTEGER",
    "CREATE SEQUENCE numbers",
)
OUTSIDE = (
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM glob('{folder}/*')",
    "COPY (SELECT 1) TO '{loot}'",
    "EXPORT DATABASE '{loot}'",
    "ATTACH '{loot}' AS other",
    "INSTALL httpfs",
    "LOAD '{loot}'",
)
SETTINGS = (
    "SET memory_limit = '9GB'",
    "SET GLOBAL threads = 3",
    "RESET memory_limit",
    "PRAGMA memory_limit = '9GB'",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "SET GLOBAL allowed_configs = ['threads']",
)

Only = Callable[..., DuckdbExecutor]


class Loosened:
    """A connection that leaves out the statements of some layers."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, layers: tuple[str, ...]) -> None:
        self._connection, self._layers = connection, layers

    def execute(self, sql: str) -> duckdb.DuckDBPyConnection:
        for layer, (written, instead) in _STATEMENTS.items():
            sql = sql if layer in self._layers else sql.replace(written, instead)
        return self._connection.execute(sql)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "shop.duckdb"
    path.parent.mkdir()
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE orders AS SELECT range AS id FROM range(5)")
    return path


@pytest.fixture
def only(file: Path, monkeypatch: pytest.MonkeyPatch) -> Only:
    """The executor with none but the layers that are named."""

    def only(*layers: str) -> DuckdbExecutor:
        connect = duckdb.connect

        def loosened(database: str, config: dict[str, Any]) -> Any:
            switches = {} if NO_EXTENSIONS in layers else dict.fromkeys(_EXTENSIONS, "true")
            return Loosened(connect(database, config={**config, **switches}), layers)

        monkeypatch.setattr(duckdb, "connect", loosened)
        return DuckdbExecutor("shop", file, memory="1GB", threads=1, sample_values=0)

    return only


def attempt(executor: DuckdbExecutor, statements: tuple[str, ...], **holes: Path) -> list[str]:
    def run(sql: str) -> None:
        executor.schema()
        assert executor._opened is not None
        with duckdb_engine.new_cursor(executor._opened.connection) as cursor:
            cursor.execute(sql.format(**holes)).fetchall()

    return got_through(run, statements, duckdb.Error)


@pytest.fixture
def outside(tmp_path: Path) -> dict[str, Path]:
    """A file that nobody may read, its folder, and a place that nobody may write to."""
    secret = tmp_path / "secret.csv"
    secret.write_text("password\nhunter2\n", encoding="utf-8")
    return {"secret": secret, "folder": tmp_path, "loot": tmp_path / "loot"}


def test_without_any_layer_they_get_through(only: Only, file: Path, outside: dict[str, Path]) -> None:
    executor, before = only(), digest(file)

    assert attempt(executor, WRITES[:3]) == list(WRITES[:3])
    assert attempt(executor, OUTSIDE[1:5], **outside) == list(OUTSIDE[1:5])
    assert attempt(executor, SETTINGS[:4]) == list(SETTINGS[:4])
    assert held(executor) == set()
    executor.close()
    assert digest(file) != before


def test_a_read_only_database_alone_is_not_written(only: Only, file: Path) -> None:
    executor, before = only(READ_ONLY), digest(file)

    assert attempt(executor, WRITES) == []
    assert held(executor) == {READ_ONLY}
    executor.close()
    assert digest(file) == before


def test_without_external_access_alone_nothing_else_is_read_or_written(only: Only, outside: dict[str, Path]) -> None:
    executor = only(CLOSED)

    assert attempt(executor, OUTSIDE, **outside) == []
    assert attempt(executor, ("SET enable_external_access = true",)) == [], "it cannot be had back"
    assert not outside["loot"].exists()
    assert held(executor) == {CLOSED}


def test_a_locked_configuration_alone_stays_as_it_is(only: Only) -> None:
    executor = only(LOCKED)

    assert attempt(executor, SETTINGS) == []
    assert held(executor) == {LOCKED}


def test_no_extension_alone_is_loaded_for_a_query_that_would_need_it(only: Only) -> None:
    executor = only(NO_EXTENSIONS)
    executor.schema()
    assert executor._opened is not None

    with pytest.raises(duckdb.CatalogException, match=r"sqlite_scan|extension"):
        executor._opened.connection.execute("SELECT * FROM sqlite_scan('a', 'b')")
    loaded = "SELECT extension_name FROM duckdb_extensions() WHERE loaded AND extension_name = 'sqlite_scanner'"
    assert executor._opened.connection.execute(loaded).fetchall() == []
    assert held(executor) == {NO_EXTENSIONS}


def test_the_look_at_the_plan_alone_lets_nothing_but_queries_through(
    only: Only, file: Path, outside: dict[str, Path]
) -> None:
    executor, before = only(), digest(file)
    statements = [
        *WRITES,
        *SETTINGS,
        *(sql.format(**outside) for sql in OUTSIDE[4:]),
        "SELECT 1; DELETE FROM orders",
        f"WITH copied AS (COPY orders TO '{outside['loot']}') SELECT * FROM copied",
    ]

    assert got_through(lambda sql: executor.run(unguarded(sql), timeout_s=10), statements) == []
    executor.close()
    assert digest(file) == before
    assert not outside["loot"].exists()


def test_all_of_them_let_a_query_through(only: Only) -> None:
    executor = only(*LAYERS)

    assert executor.run(unguarded("SELECT count(*) FROM orders"), timeout_s=10).rows == ((5,),)
    assert held(executor) == set(LAYERS)


def test_files_are_read_through_the_same_layers(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("id\n1\n", encoding="utf-8")
    executor = FilesExecutor("files", tmp_path / "orders.csv", memory="1GB", threads=1, sample_values=0)

    assert held(executor) == set(LAYERS)
    executor.close()


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
