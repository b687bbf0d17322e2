"""Databases of numbers, on real servers and in real files, that can be made to fail."""

from __future__ import annotations

import resource
import shutil
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import psycopg2
import pymysql
from until import until

from agent.platform.config.settings import Settings
from executors.workers.pool import get_shared_pool
from testbed import mariadb
from testbed.mariadb import MariadbServer
from testbed.postgres import PostgresServer

NUMBERS = 2000
HUGE = 50 * 1024 * 1024
ONE = "SELECT n FROM numbers WHERE n = 7"
# Eight billion rows, none of which can be left out.
CROSS_JOIN = "SELECT SUM(a.n * b.n + c.n) AS total FROM numbers a CROSS JOIN numbers b CROSS JOIN numbers c"
READER, PASSWORD = "reader", "only reads"


class Engine(ABC):
    """A database of numbers and of one huge cell, which can be made to fail."""

    url: str

    @abstractmethod
    def stop(self) -> None: ...

    @abstractmethod
    def start(self) -> None: ...

    def no_room(self) -> AbstractContextManager[None]:
        """No file of this machine's own processes may grow any more; a server has its limit from its start."""
        return nullcontext()


class Server(Engine):
    """A server, and its list of sessions."""

    sessions: ClassVar[str]
    open_transactions: ClassVar[str]
    kill: ClassVar[str]
    server: Any

    def busy(self) -> list[int]:
        """The reader's sessions that run a caller's query, without the statements before and after it."""
        with self.server.admin() as admin:
            return [int(row[0]) for row in admin.rows(self.sessions)]

    def unclean(self) -> int:
        """How many of the reader's sessions are in a transaction, though nothing runs in them."""
        with self.server.admin() as admin:
            return int(admin.value(self.open_transactions))

    def kill_busy(self) -> None:
        with self.server.admin() as admin:
            for session in self.busy():
                admin(self.kill.format(session))

    def stop(self) -> None:
        self.server.stop()

    def start(self) -> None:
        self.server.start()

    @contextmanager
    def exhausted(self) -> Iterator[None]:
        """All the connections that the server has are taken."""
        with ExitStack() as held:
            for _ in range(1000):
                try:
                    held.callback(self.connection().close)
                except self.refusal:
                    break
            else:
                raise AssertionError("the server never runs out of them")
            yield
        until(self._lets_in)  # it gives a place back when it has noticed that the connection was closed

    def _lets_in(self) -> bool:
        try:
            self.connection().close()
        except self.refusal:
            return False
        return True

    refusal: ClassVar[type[Exception]]

    @abstractmethod
    def connection(self) -> Any:
        """A connection of the reader."""


class Postgres(Server):
    sessions = (
        f"SELECT pid FROM pg_stat_activity WHERE usename = '{READER}' AND state = 'active' AND query LIKE 'FETCH%'"
    )
    open_transactions = f"SELECT COUNT(*) FROM pg_stat_activity WHERE usename = '{READER}' AND state LIKE 'idle in%'"
    kill = "SELECT pg_terminate_backend({})"
    refusal = psycopg2.OperationalError

    def __init__(self, servers: ExitStack, *, cramped: bool = False) -> None:
        small, most = {"max_connections": "12", "shared_buffers": "16MB"}, 17_000_000 if cramped else None
        self.server = servers.enter_context(PostgresServer(settings=small, largest_file=most))
        with self.server.admin() as admin:
            admin(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}'")
            admin(f"CREATE TABLE numbers AS SELECT n::int AS n FROM generate_series(1, {NUMBERS}) n")
            admin(f"CREATE TABLE wide AS SELECT repeat('x', {HUGE}) AS body")
            admin(f"GRANT SELECT ON numbers, wide TO {READER}")
        self.url = self.server.url("postgres", READER, PASSWORD)

    def connection(self) -> Any:
        return psycopg2.connect(self.url)


class Mariadb(Server):
    sessions = (
        f"SELECT id FROM information_schema.processlist WHERE user = '{READER}' AND info LIKE '%FROM %numbers%'"
        " AND command = 'Query'"
    )
    open_transactions = (
        "SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p "
        f"ON p.id = t.trx_mysql_thread_id WHERE p.user = '{READER}' AND p.command <> 'Query'"
    )
    kill = "KILL CONNECTION {}"
    refusal = pymysql.err.OperationalError

    def __init__(self, servers: ExitStack) -> None:
        small = {"max-connections": "12", "max-allowed-packet": "128M"}
        self.server = servers.enter_context(MariadbServer(settings=small))
        with self.server.admin() as admin:
            admin(f"CREATE USER '{READER}'@'%' IDENTIFIED BY '{PASSWORD}'")
            admin(f"CREATE TABLE numbers AS SELECT seq AS n FROM seq_1_to_{NUMBERS}")
            admin("CREATE TABLE wide (body LONGTEXT)")
            admin(f"INSERT INTO wide VALUES (REPEAT('x', {HUGE}))")
            admin(f"GRANT SELECT ON {mariadb.DATABASE}.* TO '{READER}'@'%'")
        self.url = self.server.url(mariadb.DATABASE, READER, PASSWORD)

    def connection(self) -> Any:
        return pymysql.connect(host=self.server.host, port=self.server.port, user=READER, password=PASSWORD)


class File(Engine):
    """A file of this machine; to stop it is to take it away."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / name
        self.url = str(self.path)
        self._kept = self.path.with_suffix(".kept")

    def stop(self) -> None:
        self.path.rename(self._kept)

    def start(self) -> None:
        self._kept.rename(self.path)

    def corrupt(self) -> None:
        """Half of it is something else."""
        shutil.copyfile(self.path, self._kept)
        self.path.write_bytes(b"\xff" * 100_000)

    def no_room(self) -> AbstractContextManager[None]:
        return no_file_grows(1_000_000)


class Sqlite(File):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "numbers.sqlite")
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("CREATE TABLE numbers (n INTEGER)")
            connection.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in range(1, NUMBERS + 1)])
            connection.execute("CREATE TABLE wide (body TEXT)")
            connection.execute("INSERT INTO wide VALUES (?)", ("x" * HUGE,))
            connection.commit()


class Duckdb(File):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "numbers.duckdb")
        with duckdb.connect(self.path) as connection:
            connection.execute(f"CREATE TABLE numbers AS SELECT n::INTEGER AS n FROM range(1, {NUMBERS + 1}) t(n)")
            connection.execute(f"CREATE TABLE wide AS SELECT repeat('x', {HUGE}) AS body")


@contextmanager
def no_file_grows(most: int) -> Iterator[None]:
    """No file of this process grows over so many bytes, nor one of the workers that are started meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    workers = get_shared_pool(Settings.model_fields["local_workers"].default, 2 * 10**9)
    workers.end()
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        workers.end()
