"""A stand-in for SQL Server: pySQLbridge in a separate process, speaking SQL Server's protocol over CSV files. And the
ODBC drivers that this machine has for it.

A table of the file `sales.people.csv` is in the schema `sales`, one of `people.csv` in `dbo`. It writes to tables that
were made by a statement, with transactions, locks and triggers (`testbed.sqlserver_writes`). What it lacks of the
catalogue (keys, comments, views, row counts, statistics) and of versions `testbed.sqlserver_stand_in` adds from what
`Described` says.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from testbed.ports import free_port

USER, PASSWORD = "reader", "p@ss;w{rd =%1"
ODD_PASSWORDS = {"brace": "br}ace", "ends": "ends in}", "doubled": "a}}b", "equals": "a=b?*!"}  # of more users
_ROOT = Path(__file__).resolve().parents[1]
_FREETDS = ("/usr/lib/*/odbc/libtdsodbc.so", "/usr/lib/odbc/libtdsodbc.so", "/usr/lib64/libtdsodbc.so*")


@dataclass(frozen=True)
class Described:
    """The properties that CSV files do not have.

    primary_keys: table -> its columns.
    foreign_keys: table, its columns, table and columns referred to.
    required: table and column that hold no NULL.
    comments: table, column (empty: the table itself), text.
    views: name -> its SELECT.
    statistics: table and column that have one.
    version: the major version (13: 2016, 14: 2017, 15: 2019, 16: 2022), the edition of the engine (3: a server, 5:
        Azure SQL Database) and the database's level of compatibility; empty: what pySQLbridge is.
    nocount: whether sessions begin with SET NOCOUNT ON, as the server's `user options` may have it.
    denied: parts of batches that are refused for want of a right.
    broken: parts of batches on which the connection breaks.
    """

    primary_keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    foreign_keys: Sequence[tuple[str, Sequence[str], str, Sequence[str]]] = ()
    required: Sequence[tuple[str, str]] = ()
    comments: Sequence[tuple[str, str, str]] = ()
    views: Mapping[str, str] = field(default_factory=dict)
    statistics: Sequence[tuple[str, str]] = ()
    version: Sequence[int] = ()
    nocount: bool = False
    denied: Sequence[str] = ()
    broken: Sequence[str] = ()


class SqlServerStandIn:
    """One server; it runs inside the block, on a free port, for one login and over TLS.

    Args:
        folder: of the CSV files; each is a table of its own name.
        about: keys, comments and views of them.
    """

    def __init__(self, folder: Path, about: Described | None = None) -> None:
        self.host, self.port = "127.0.0.1", free_port()
        self._served, self._about = folder, about or Described()
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-sqlserver-"))
        self.certificate = self._folder / "certificate.pem"
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        from pysqlbridge.certificate import self_signed

        made = self_signed("localhost")
        key = self._folder / "key.pem"
        self.certificate.write_bytes(made.cert_pem)
        key.write_bytes(made.key_pem)
        config = {
            "folder": str(self._served.resolve()),
            "host": self.host,
            "port": self.port,
            "user": USER,
            "password": PASSWORD,
            "passwords": ODD_PASSWORDS,
            "certificate": str(self.certificate),
            "key": str(key),
            "about": asdict(self._about),
        }
        (self._folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def start(self) -> None:
        """Start it, and wait until it listens."""
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "testbed.sqlserver_stand_in", str(self._folder / "config.json")],
                stdout=subprocess.PIPE,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=_ROOT,
                text=True,
            )
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            self.stop()
            raise RuntimeError(f"It did not start:\n{(self._folder / 'log').read_text(errors='replace')}")

    def stop(self) -> None:
        """End it at once; connections break."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    def url(self, database: str = "master", user: str = USER, password: str = PASSWORD, **options: str) -> str:
        """Its address, for the registry. Its certificate is self-signed: `options` set whether that is trusted."""
        from sqlalchemy import URL

        url = URL.create("mssql", user, password, self.host, self.port, database, options)
        return url.render_as_string(hide_password=False)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query, on a new connection."""
        connection = self.connection()
        try:
            return [tuple(row) for row in connection.execute(sql).fetchall()]
        finally:
            connection.close()

    def execute(self, sql: str) -> None:
        """Run a statement on a new connection."""
        connection = self.connection(autocommit=True)
        try:
            connection.execute(sql)
        finally:
            connection.close()

    def connection(self, *, autocommit: bool = False) -> Any:
        """A connection of pyodbc, beside the project."""
        import pyodbc

        driver = next(iter(drivers().values()))
        options = f"Driver={{{driver}}};Server={self.host},{self.port};UID={USER};PWD={{{PASSWORD}}};Encrypt=yes"
        return pyodbc.connect(
            f"{options};TrustServerCertificate=yes;ClientCharset=UTF-8", timeout=10, autocommit=autocommit
        )


def serve(folder: Path, about: Described | None = None) -> SqlServerStandIn:
    """A server over a folder of CSV files, to be used as a context manager; see `SqlServerStandIn`."""
    return SqlServerStandIn(folder, about)


def drivers() -> dict[str, str]:
    """The ODBC drivers for SQL Server on this machine: their titles, and their files.

    Microsoft's comes out of the package `mssql-python-odbc`, FreeTDS from the system (Debian: `tdsodbc`).
    """
    found: dict[str, str] = {}
    if (microsoft := _microsoft()) is not None:
        found["microsoft"] = str(microsoft)
    for pattern in _FREETDS:
        places = sorted(Path("/").glob(pattern.removeprefix("/")))
        if places:
            found.setdefault("freetds", str(places[0]))
    return found


def _microsoft() -> Path | None:
    spec = importlib.util.find_spec("mssql_python_odbc")
    if spec is None or not spec.submodule_search_locations:
        return None
    libraries = Path(spec.submodule_search_locations[0]) / "libs" / "linux" / "debian_ubuntu"
    return next(iter(sorted(libraries.glob(f"{_machine()}/lib/libmsodbcsql-*.so*"))), None)


def _machine() -> str:
    import platform

    return {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
