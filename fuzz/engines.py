"""Unprotected real databases: any effect of a statement on them is detected.

Each is a small shop in its own engine, on a connection that may write, protected only by the guard: no read-only mode,
no authorizer, no locked configuration, and on PostgreSQL a superuser. Next to it is a
folder with canary files: their content must not appear in any row, and they must not change.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import duckdb

from executors.engines.common.stopping import Watch
from fuzz.shop import SHOP, TABLES
from testbed.postgres import PostgresServer

POSTGRES_ADDRESS = "PLUMBLINE_FUZZ_POSTGRES"  # in the environment
TIMEOUT_S = 1.0
MAX_ROWS = 100
CANARY = "/canary/"  # in a statement: the folder with the canary
SECRET = "the canary sings at dawn"

State = dict[str, str]  # a watched part -> its hash


class OpenEngine(ABC):
    """One engine, open inside the block, and recreated after each statement that changed something."""

    dialect: ClassVar[str]

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-fuzz-"))
        self.canary = self._folder / "canary"
        self._state: State = {}

    def __enter__(self) -> Self:
        self.renew()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
        shutil.rmtree(self._folder)

    def renew(self) -> None:
        """The shop and the canary as they were at first."""
        self.close()
        shutil.rmtree(self._folder)
        for folder in (self._folder, self.canary):
            folder.mkdir()
            folder.chmod(0o777)  # a server under another user may write here
        for name, content in (("secret.csv", f"id,said\n1,{SECRET}\n"), ("secret.txt", SECRET), ("loot", SECRET)):
            (self.canary / name).write_text(content, encoding="utf-8")
            (self.canary / name).chmod(0o666)
        self.open()
        self._state = self.state()

    def harm(self, *statements: str) -> str:
        """The effects of statements besides reading the shop, in words; empty if there are none.

        Args:
            statements: as they run, one after the other; one that fails, or is stopped after a second, did nothing if
                nothing is seen.
        """
        said = [sql for sql in statements if SECRET in self.run(sql) and SECRET not in sql]
        changed = [part for part, before in self._state.items() if self.state_of(part) != before]
        if changed:
            self.renew()
            return f"it changed: {', '.join(changed)}"
        return "it read a file" if said else ""

    def state(self) -> State:
        """Hashes of everything that a statement must not change."""
        return {part: self.state_of(part) for part in (*self.parts, "files")}

    def state_of(self, part: str) -> str:
        """The hash of one part."""
        if part != "files":
            return self.part(part)
        files = sorted(self._folder.rglob("*"))
        return _hash([(str(file), file.read_bytes()) for file in files if file.is_file() and not self.is_own(file)])

    def is_own(self, file: Path) -> bool:
        """Whether the engine keeps its own data in a file of the folder."""
        return file.name.startswith("shop.")

    parts: ClassVar[tuple[str, ...]]

    @abstractmethod
    def open(self) -> None:
        """Make the shop, and connect to it."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it, if it is open."""

    @abstractmethod
    def run(self, sql: str) -> str:
        """Run a statement to its end, or for a second. Returns its first rows as text, or nothing where it fails."""

    @abstractmethod
    def rows(self, sql: str) -> list[Any]:
        """All rows of a query of the fuzzer's own."""

    @abstractmethod
    def part(self, name: str) -> str:
        """The hash of one of `parts`."""


class OpenSqlite(OpenEngine):
    """SQLite, on a file."""

    dialect = "sqlite"
    parts = ("database", "temporary tables", "attached files", "settings")
    _PRAGMAS = (
        *("foreign_keys", "journal_mode", "writable_schema", "recursive_triggers", "user_version", "application_id"),
        *("query_only", "trusted_schema", "cell_size_check", "synchronous", "locking_mode", "auto_vacuum"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._connection: sqlite3.Connection | None = None

    def open(self) -> None:
        connection = self._connection = sqlite3.connect(self._folder / "shop.sqlite", isolation_level=None)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 16 * 1024 * 1024)
        for statement in SHOP:
            connection.execute(statement)
        connection.execute("CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT)")
        connection.execute("INSERT INTO counted VALUES (7)")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def run(self, sql: str) -> str:
        connection, deadline = self._open, time.monotonic() + TIMEOUT_S
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 5_000)
        try:
            return repr(connection.execute(sql).fetchmany(MAX_ROWS))
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, UnicodeEncodeError):
            return ""
        finally:
            connection.set_progress_handler(None, 0)

    def rows(self, sql: str) -> list[Any]:
        return self._open.execute(sql).fetchall()

    def part(self, name: str) -> str:
        connection = self._open
        if name == "database":
            return hashlib.sha256(connection.serialize()).hexdigest()
        if name == "temporary tables":
            return _hash(connection.execute("SELECT * FROM sqlite_temp_master").fetchall())
        if name == "attached files":
            return _hash(connection.execute("PRAGMA database_list").fetchall())
        return _hash([connection.execute(f"PRAGMA {pragma}").fetchall() for pragma in self._PRAGMAS])

    @property
    def _open(self) -> sqlite3.Connection:
        assert self._connection is not None, "used outside of its block"
        return self._connection


class OpenDuckdb(OpenEngine):
    """DuckDB, on a file, with access to all files and every setting."""

    dialect = "duckdb"
    _QUERIES: ClassVar[dict[str, str]] = {
        **{f"table {name}": f"SELECT rowid, * FROM {name} ORDER BY rowid" for name in TABLES},
        "sequences": "SELECT sequence_name, last_value FROM duckdb_sequences()",
        "tables": "SELECT schema_name, table_name, sql FROM duckdb_tables() ORDER BY ALL",
        "views": "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
        "types": "SELECT type_name FROM duckdb_types() WHERE NOT internal ORDER BY ALL",
        "schemas": "SELECT database_name, schema_name FROM duckdb_schemas() ORDER BY ALL",
        "databases": "SELECT database_name, path FROM duckdb_databases() ORDER BY ALL",
        "settings": "SELECT name, value FROM duckdb_settings() ORDER BY ALL",
        "variables": "SELECT name, value FROM duckdb_variables() ORDER BY ALL",
        "secrets": "SELECT name FROM duckdb_secrets()",
    }
    parts = (*_QUERIES, "its own files")

    def __init__(self) -> None:
        super().__init__()
        self._connection: duckdb.DuckDBPyConnection | None = None

    def open(self) -> None:
        # Without the net an extension can only come from this machine, and there is none.
        config: dict[str, Any] = {
            "memory_limit": "300MB",
            "threads": "1",
            "extension_directory": str(self._folder / "shop.extensions"),
        }
        connection = self._connection = duckdb.connect(self._folder / "shop.duckdb", config=config)
        for statement in (*SHOP, "CREATE SEQUENCE counted", "SELECT nextval('counted')", "SELECT setseed(0.5)"):
            connection.execute(statement)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def run(self, sql: str) -> str:
        connection = self._open
        try:
            with Watch(connection.interrupt, TIMEOUT_S):
                return repr(connection.execute(sql).fetchmany(MAX_ROWS))
        except (duckdb.Error, OverflowError, ValueError, RuntimeError):  # the last three: values that Python lacks
            return ""

    def rows(self, sql: str) -> list[Any]:
        return self._open.execute(sql).fetchall()

    def part(self, name: str) -> str:
        if name == "its own files":  # a definition shows in the write-ahead log
            states = [(file.name, file.stat()) for file in sorted(self._folder.glob("shop.*"))]
            return _hash([(name, state.st_size, state.st_mtime_ns) for name, state in states])
        return _hash(self.rows(self._QUERIES[name]))

    @property
    def _open(self) -> duckdb.DuckDBPyConnection:
        assert self._connection is not None, "used outside of its block"
        return self._connection


class OpenPostgres(OpenEngine):
    """PostgreSQL, as a superuser. Args: address: of a server's database, beside which it makes one of its own."""

    dialect = "postgresql"
    _QUERIES: ClassVar[dict[str, str]] = {
        **{f"table {name}": f"SELECT {name}.xmin, {name}.xmax, * FROM {name} ORDER BY ctid" for name in TABLES},
        "sequences": "SELECT sequencename, last_value FROM pg_sequences ORDER BY 1",
        "definitions": "SELECT oid, relname, relfilenode FROM pg_class WHERE oid >= 16384 ORDER BY 1",
        "functions": "SELECT oid FROM pg_proc WHERE oid >= 16384 ORDER BY 1",
        "types": "SELECT oid FROM pg_type WHERE oid >= 16384 ORDER BY 1",
        "schemas": "SELECT oid, nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_t%' ORDER BY 1",
        "extensions": "SELECT oid FROM pg_extension ORDER BY 1",
        "roles": "SELECT oid, pg_authid FROM pg_authid ORDER BY 1",
        "databases": "SELECT oid FROM pg_database ORDER BY 1",
        "large objects": "SELECT oid FROM pg_largeobject_metadata ORDER BY 1",
        "settings": "SELECT name, setting FROM pg_settings ORDER BY 1",
        "locks": "SELECT locktype, objid FROM pg_locks WHERE locktype = 'advisory' ORDER BY 2",
        "prepared statements": "SELECT name FROM pg_prepared_statements",
        "cursors": "SELECT name FROM pg_cursors WHERE name <> ''",
        "channels": "SELECT pg_listening_channels()",
        "sessions": "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' ORDER BY 1",
        "the server": "SELECT pg_conf_load_time(), pg_postmaster_start_time(), count(*) FROM pg_replication_slots",
    }
    parts = tuple(_QUERIES)

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address
        self._connections: list[Any] = []

    def open(self) -> None:
        self._connections = [self._connect()]
        self.rows("DROP DATABASE IF EXISTS fuzzed WITH (FORCE)")
        self.rows("CREATE DATABASE fuzzed")
        self._connections.pop().close()
        self._connections = [
            self._connect(dbname="fuzzed"),
            self._connect(dbname="fuzzed"),
        ]  # the second is one that a statement could end
        for statement in (*SHOP, "CREATE SEQUENCE counted", "SELECT nextval('counted')", _DRAIN):
            self.rows(statement)
        self.rows(f"SET statement_timeout = {round(TIMEOUT_S * 1000)}")

    def close(self) -> None:
        for connection in self._connections:
            connection.close()
        self._connections = []

    def run(self, sql: str) -> str:
        import psycopg2

        with suppress(psycopg2.Error, OverflowError, ValueError):
            return repr(self.rows(sql)[:MAX_ROWS])
        if self._connections[0].closed:  # it ended its own session; the state tells
            self._connections[0] = self._connect(dbname="fuzzed")
        return ""

    def part(self, name: str) -> str:
        return _hash(self.rows(self._QUERIES[name]))

    def _connect(self, **changes: str) -> Any:
        import psycopg2

        connection = psycopg2.connect(self._address, **changes)
        connection.autocommit = True
        return connection

    def rows(self, sql: str) -> list[Any]:
        with self._connections[0].cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []


# A user-defined function whose name does not show its effect.
_DRAIN = "CREATE FUNCTION total(n int) RETURNS int LANGUAGE sql AS 'DELETE FROM order_items RETURNING n'"


@contextmanager
def open_engines() -> Iterator[dict[str, OpenEngine]]:
    """All three, by dialect; PostgreSQL on the server that `POSTGRES_ADDRESS` names, or on a new one."""
    with ExitStack() as stack:
        address = os.environ.get(POSTGRES_ADDRESS) or stack.enter_context(PostgresServer()).url()
        engines = (OpenSqlite(), OpenDuckdb(), OpenPostgres(address))
        yield {engine.dialect: stack.enter_context(engine) for engine in engines}


def _hash(found: object) -> str:
    return hashlib.sha256(repr(found).encode()).hexdigest()
