"""ClickHouse: the engine of the package `chdb`, behind enough of ClickHouse's HTTP interface for its driver.

Real, because chdb is the engine itself: SQL, types, the Native format, settings and read-only mode, errors and their
codes, the system tables with the list of processes, KILL QUERY, what is stored. Each request runs in its own session,
and requests run concurrently, as on a server.

A stand-in, because chdb comes without a server: HTTP, in `testbed.clickhouse_front`; users, passwords and profiles
(every user may do what chdb's only user may); query ids, which chdb makes itself: the client's is kept as the setting
`log_comment`, and KILL QUERY is rewritten to look there.

Not there: TLS, compression, progress headers, sessions over several requests, rights of users, and the driver's newer
protocol: LowCardinality is sent as its inner type, and a top-level DateTime without its zone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from testbed.ports import free_port

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

USER, PASSWORD = "default", "p@ss:w/rd %1"
READER, READER_PASSWORD = "reader", "only reads"
# Users whose profile is read-only: they may change no setting, or every setting but that one.
LOCKED, ASKING = "locked", "asking"
_ROOT = Path(__file__).parents[1]


class ClickHouseServer:
    """One server in a separate process. It runs inside the block; its folder is removed afterwards."""

    def __init__(self) -> None:
        self.host, self.port = "127.0.0.1", free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-clickhouse-"))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-m", "testbed.clickhouse_front", str(self._folder / "data"), str(self.port)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise RuntimeError(f"it did not start:\n{(self._folder / 'log').read_text(errors='replace')}")

    def stop(self) -> None:
        """Stop it at once; connections break."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def url(self, database: str = "default", user: str = USER, password: str = PASSWORD, **options: str) -> str:
        """The address of a database, for the registry."""
        from sqlalchemy import URL

        url = URL.create("clickhouse", user, password, self.host, self.port, database, options)
        return url.render_as_string(hide_password=False)

    @contextmanager
    def admin(self, database: str = "default") -> Iterator[Admin]:
        """A connection that may do everything."""
        import clickhouse_connect

        client = clickhouse_connect.get_client(
            host=self.host, port=self.port, username=USER, password=PASSWORD, database=database,
            autogenerate_session_id=False, compress=False,
        )  # fmt: skip
        with closing(client):
            yield Admin(client)

    def version(self) -> str:
        """As the engine says it: `ClickHouse 26.9.2.1`."""
        with self.admin() as admin:
            return f"ClickHouse {admin.value('SELECT version()')}"


class Admin:
    """Runs statements, and fetches a value or rows."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __call__(self, sql: str) -> None:
        self.client.command(sql)

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in self.client.query(sql).result_rows]

    def value(self, sql: str) -> object:
        return self.rows(sql)[0][0]
