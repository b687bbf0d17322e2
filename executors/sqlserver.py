"""SQL Server and Azure SQL, on pyodbc."""

from __future__ import annotations

import datetime as dt
import math
import re
import struct
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from executors.errors import DatabaseUnavailable
from executors.server.codes import error_code
from executors.server.failures import CredentialError
from executors.server.tokens import SQL_SERVER_SCOPE, TokenSource
from executors.sqlalchemy import SqlAlchemyExecutor

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

    from executors.server.address import Address
    from executors.server.options import ServerOptions

_ACCESS_TOKEN = 1256  # SQL_COPT_SS_ACCESS_TOKEN
_DATETIMEOFFSET, _UDT = -155, -151  # of Microsoft's ODBC header, unknown to pyodbc
_OFFSET = struct.Struct("<hHHHHHIhh")  # SQL_SS_TIMESTAMPOFFSET_STRUCT; the fraction in billionths
_DRIVER = re.compile(r"ODBC Driver (\d+) for SQL Server")
# Azure SQL: the database is being moved or resumed, or too many ask at once. It will do in a moment.
_TRANSIENT = frozenset({"4221", "10928", "10929", "40197", "40501", "40613", "49918", "49919", "49920"})
_TRIES = 4
_FREETDS = re.compile(r"freetds|tdsodbc", re.IGNORECASE)
_ENCRYPTED = ("yes", "true", "mandatory", "strict")
_TIMED_OUT = ("HYT00", "HYT01")
_KEY = re.compile(r"[A-Za-z][\w -]*")
# What identifies somebody by other means than a token.
_IDENTITY = frozenset({"authentication", "trusted_connection", "uid", "pwd"})


class SqlServerExecutor(SqlAlchemyExecutor):
    """One database of SQL Server or Azure SQL.

    The session has no word for read-only: nothing is ever committed, and a statement that is no query is refused before
    it is sent. Rows over the cap stay on the server.

    The address may say `driver`, the title or file of an ODBC driver; Microsoft's newest one is used where it does not.
    It is always encrypted and the certificate checked, unless `encrypt` or `trustservercertificate` say otherwise. With
    `auth=entra` a token of Entra ID takes the place of user and password; the driver's own ways
    (`authentication=ActiveDirectoryMsi` and others) are handed on, as is every other option of it. FreeTDS, if that is
    named, checks a certificate only where its own configuration says against which authority.

    Args:
        token: where tokens come from; Entra ID where absent.
    """

    first_wait_s: ClassVar[float] = 5.0  # before a login is tried again; Azure asks for so many

    def __init__(
        self, name: str, address: Address, *, options: ServerOptions, token: TokenSource | None = None
    ) -> None:
        super().__init__(name, address, options=options)
        self._token = token or (TokenSource(SQL_SERVER_SCOPE) if address.query.get("auth") == "entra" else None)

    def url(self) -> URL:
        """See `SqlAlchemyExecutor.url`: the connection string is made here.

        Raises:
            DatabaseUnavailable: there is no ODBC driver for SQL Server.
        """
        try:
            import pyodbc
        except ImportError as error:
            raise self._no_driver() from error
        from sqlalchemy import URL

        pyodbc.pooling = False  # there is a pool already, and this one would give back connections that are lost
        driver = self.address.query.get("driver") or newest_driver(pyodbc.drivers())
        if not driver and "dsn" not in self.address.query:
            raise self._no_driver()
        text = connection_string(self.address, driver, token=self._token is not None, writable=self.options.writable)
        return URL.create("mssql+pyodbc", query={"odbc_connect": text})

    def connect_options(self) -> dict[str, Any]:
        """Time to log in, and the token where there is one."""
        options: dict[str, Any] = {"timeout": max(1, math.ceil(self.options.connect_timeout_s)), "autocommit": False}
        if self._token is not None:
            options["attrs_before"] = {_ACCESS_TOKEN: token_bytes(_fetched(self._token))}
        return options

    def prepare(self, connection: DBAPIConnection, entry: ConnectionPoolEntry, *, writable: bool) -> None:
        """See `SqlAlchemyExecutor.prepare`; and values come whole, whatever the locale of this process."""
        import pyodbc

        connection.setdecoding(pyodbc.SQL_CHAR, encoding="utf-16le", ctype=pyodbc.SQL_WCHAR)
        connection.add_output_converter(_DATETIMEOFFSET, offset_from_bytes)
        connection.add_output_converter(_UDT, _same)
        super().prepare(connection, entry, writable=writable)

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        """A cancel on the connection itself: ODBC sends it while the query runs."""
        running: _Running | None = lease.info.get("running")
        if running is not None:
            running.cancel()

    def _connect(self) -> DBAPIConnection:
        """A connection; where Azure says that it will do in a moment, it is tried again."""
        from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

        retrying = Retrying(
            retry=retry_if_exception(lambda error: error_code(error) in _TRANSIENT),
            stop=stop_after_attempt(_TRIES),
            wait=wait_exponential(multiplier=self.first_wait_s),
            reraise=True,
        )
        connection: DBAPIConnection = retrying(super()._connect)
        return connection

    def _set_timeout(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        super()._set_timeout(lease, timeout_s)
        lease.dbapi_connection.timeout = math.ceil(timeout_s)  # type: ignore[union-attr]  # whole seconds; 0: for ever

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        running = _Running(lease.cursor())
        lease.info["running"] = running
        running.execute(sql)
        return running  # type: ignore[return-value]  # what of a cursor is used here

    def _lost(self, error: Exception, lease: PoolProxiedConnection) -> bool:
        # SQLAlchemy takes a query that timed out for a connection that is gone.
        return error_code(error) not in _TIMED_OUT and super()._lost(error, lease)

    def _no_driver(self) -> DatabaseUnavailable:
        return DatabaseUnavailable(
            f"{self.name} cannot be opened: there is no ODBC driver for SQL Server on this machine; install "
            "Microsoft's (the package msodbcsql18), or name another one with `driver` in its entry in databases.yaml."
        )


class _Running:
    """A cursor that another thread may cancel while it runs, but never when it is closed."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor
        self._lock = threading.Lock()
        self._closed = False
        self.execute, self.fetchmany, self.fetchall = cursor.execute, cursor.fetchmany, cursor.fetchall

    @property
    def description(self) -> Sequence[Sequence[Any]] | None:
        found: Sequence[Sequence[Any]] | None = self._cursor.description
        return found

    def cancel(self) -> None:
        with self._lock:
            if not self._closed:
                self._cursor.cancel()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._cursor.close()


def newest_driver(installed: Sequence[str]) -> str:
    """The title of Microsoft's newest driver; empty where there is none. Args: installed: titles of all."""
    versions = [(int(found.group(1)), title) for title in installed if (found := _DRIVER.fullmatch(title))]
    return max(versions, default=(0, ""))[1]


def connection_string(address: Address, driver: str, *, token: bool, writable: bool) -> str:
    """An address as ODBC takes it.

    Args:
        driver: title or file.
        token: whether one is sent, so that user and password are not.
        writable: whether anything is to be written: then reading goes to the same replica.
    """
    query = {key: value for key, value in address.query.items() if key not in {"driver", "auth"}}
    parts: dict[str, str] = {} if "dsn" in query else {"Driver": "{" + driver.replace("}", "}}") + "}"}
    if address.host:
        parts["Server"] = _quoted(address.host) + (f",{address.port}" if address.port is not None else "")
    if address.database:
        parts["Database"] = _quoted(address.database)
    if not token and address.user:
        parts["UID"] = _quoted(address.user)
    if not token and address.password is not None:
        parts["PWD"] = _quoted(address.password.get_secret_value())
    preset = {
        "encrypt": "yes",
        "trustservercertificate": "no",
        "applicationintent": "ReadWrite" if writable else "ReadOnly",
        "app": "plumbline",
    }
    if _FREETDS.search(driver) and query.get("encrypt", "yes").lower() in _ENCRYPTED:
        preset["encryption"] = "require"  # its word for it
    for key, value in {**preset, **query}.items():
        if _KEY.fullmatch(key) and not (token and key in _IDENTITY):
            parts[key] = _quoted(value)
    return ";".join(f"{key}={value}" for key, value in parts.items())


def token_bytes(token: str) -> bytes:
    """An access token as the attribute has it: the length in bytes, 32 bits little-endian, then UTF-16."""
    encoded = token.encode("utf-16-le")
    return struct.pack("<i", len(encoded)) + encoded


def offset_from_bytes(raw: bytes | None) -> str | None:
    """A datetimeoffset in ISO 8601, with its fraction and its offset as they are stored."""
    if raw is None:
        return None
    year, month, day, hour, minute, second, billionths, hours, minutes = _OFFSET.unpack(raw)
    offset = hours * 60 + minutes
    sign = "-" if offset < 0 else "+"
    fraction = f".{billionths:09d}".rstrip("0").rstrip(".")
    moment = dt.datetime(year, month, day, hour, minute, second).isoformat()
    return f"{moment}{fraction}{sign}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"


def _quoted(value: str) -> str:
    """A value of a connection string, in braces where it needs them."""
    if value and re.fullmatch(r"[^\[\]{}(),;?*=!@\s]+", value):
        return value
    return "{" + value.replace("}", "}}") + "}"


def _fetched(source: TokenSource) -> str:
    from azure.core.exceptions import AzureError

    try:
        return source.get()
    except AzureError as error:
        raise CredentialError(str(error)) from error


def _same(raw: bytes | None) -> bytes | None:
    return raw
