"""SQL Server and Azure SQL, with pyodbc."""

from __future__ import annotations

import datetime as dt
import logging
import math
import struct
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar

from executors.engines.common.servers.failures import error_code
from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor
from executors.engines.common.servers.tokens import SQL_SERVER_SCOPE
from executors.engines.sqlserver.odbc import UnusableAddress, check_strict, connection_string, newest_driver
from executors.engines.sqlserver.patience import Patience
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

    from executors.base import CheckedWrite

log = logging.getLogger(__name__)

_ACCESS_TOKEN = 1256  # SQL_COPT_SS_ACCESS_TOKEN
_DATETIMEOFFSET, _UDT = -155, -151  # from Microsoft's ODBC header; pyodbc does not know them
# For a sql_variant, Microsoft's driver returns the C type of its value. pyodbc does not handle these types.
_VARIANT_INTEGERS = {-16: True, -15: True, -25: True, -26: True, -18: False, -17: False, -27: False, -28: False}
_VARIANT_TIME, _VARIANT_OFFSET = 16384, 16385
_CLOCK = struct.Struct("<HHHxxI")  # SQL_SS_TIME2_STRUCT; the fraction in billionths
_OFFSET = struct.Struct("<hHHHHHIhh")  # SQL_SS_TIMESTAMPOFFSET_STRUCT; the fraction in billionths
# Azure SQL: the database is being moved or resumed, or has too many requests. A retry succeeds after a moment.
_TRANSIENT = frozenset({"4221", "10928", "10929", "40197", "40501", "40613", "49918", "49919", "49920"})
_TRIES = 4
_TIMED_OUT = ("HYT00", "HYT01")
# Read after the write, in its batch and its transaction, because triggers return their own counts and results.
_COUNTED = ("plumbline_rows", "plumbline_transactions")
_COUNT = f"SELECT @@ROWCOUNT AS {_COUNTED[0]}, @@TRANCOUNT AS {_COUNTED[1]}"
_INSTEAD = """
    SELECT COUNT(*) FROM sys.triggers t
    JOIN sys.trigger_events e ON e.object_id = t.object_id
    JOIN sys.objects o ON o.object_id = t.parent_id
    JOIN sys.schemas s ON s.schema_id = o.schema_id
    WHERE o.name = {table} AND s.name = {schema} AND e.type_desc = '{kind}'
        AND t.is_instead_of_trigger = 1 AND t.is_disabled = 0
"""


class SqlServerExecutor(SqlAlchemyExecutor):
    """One database of SQL Server or Azure SQL.

    The server has no read-only sessions. So nothing is ever committed, and a statement that is not a query is refused
    before it is sent. Rows over the cap stay on the server. The server itself counts a write's rows, after its
    triggers.

    The address may have `driver`, the title or file of an ODBC driver. The default is Microsoft's newest one. The
    connection is encrypted and the certificate checked, unless `encrypt` or `trustservercertificate` disable that. With
    `auth=entra`, an Entra ID token replaces user and password. All other options, such as
    `authentication=ActiveDirectoryMsi`, are passed to the driver. FreeTDS checks a certificate only if its own
    configuration names an authority.
    """

    token_scope = SQL_SERVER_SCOPE
    first_wait_s: ClassVar[float] = 5.0  # before a login is retried, as Azure recommends

    def url(self) -> URL:
        """See `SqlAlchemyExecutor.url`. This builds the connection string.
        Raises DatabaseUnavailable: there is no ODBC driver, or it does not support the address."""
        try:
            import pyodbc
        except ImportError as error:
            raise self._no_driver() from error
        from sqlalchemy import URL

        pyodbc.pooling = False  # our own pool is used; this one would return lost connections
        driver = self.address.query.get("driver") or newest_driver(pyodbc.drivers())
        if not driver and "dsn" not in self.address.query:
            raise self._no_driver()
        try:
            token, writable = self._token is not None, self.options.writable
            text = connection_string(self.address, driver, token=token, writable=writable)
        except UnusableAddress as error:
            raise self._unusable(error) from error
        return URL.create("mssql+pyodbc", query={"odbc_connect": text})

    def connect_options(self) -> dict[str, Any]:
        """See `SqlAlchemyExecutor.connect_options`: the login timeout, and the token if there is one."""
        options: dict[str, Any] = {"timeout": max(1, math.ceil(self.options.connect_timeout_s)), "autocommit": False}
        if self._token is not None:
            options["attrs_before"] = {_ACCESS_TOKEN: token_bytes(self._token.get())}
        return options

    def prepare(self, connection: DBAPIConnection, entry: ConnectionPoolEntry, *, writable: bool) -> None:
        """See `SqlAlchemyExecutor.prepare`. It also makes values complete and independent of this process's locale."""
        import pyodbc

        connection.setdecoding(pyodbc.SQL_CHAR, encoding="utf-16le", ctype=pyodbc.SQL_WCHAR)
        connection.add_output_converter(_DATETIMEOFFSET, offset_from_bytes)
        connection.add_output_converter(_UDT, lambda raw: raw)
        for type_, signed in _VARIANT_INTEGERS.items():
            connection.add_output_converter(type_, partial(_integer, signed=signed))
        connection.add_output_converter(_VARIANT_TIME, time_from_bytes)
        connection.add_output_converter(_VARIANT_OFFSET, offset_from_bytes)
        driver, version = (connection.getinfo(key) for key in (pyodbc.SQL_DRIVER_NAME, pyodbc.SQL_DRIVER_VER))
        try:
            check_strict(self.address, driver, version)
        except UnusableAddress as error:
            raise self._unusable(error) from error
        super().prepare(connection, entry, writable=writable)

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        """Cancel the query on its own connection. ODBC can send a cancel while the query runs."""
        running: Patience | None = lease.info.get("running")
        if running is not None:
            running.cancel()

    def _connect(self) -> DBAPIConnection:
        """A connection. Transient errors of Azure are retried."""
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
        try:
            super()._set_timeout(lease, timeout_s)
        except self._driver_error() as error:
            if self._is_lost(error, lease):
                raise
            # The driver's timeout then also ends a query that waits for a lock.
            log.debug("%s refuses a limit for locks: %s", self.name, error)
            lease.rollback()
            lease.info["timeout_s"] = timeout_s
        lease.dbapi_connection.timeout = math.ceil(timeout_s)  # type: ignore[union-attr]  # whole seconds; 0 means no timeout

    def _check_undoable(self, lease: PoolProxiedConnection, statement: CheckedWrite) -> None:
        """Refuse a write with an INSTEAD OF trigger. It may do anything, and the server counts the statement anyway."""
        entry = self._schema.get_last().table(statement.table)
        *schema, table = (_literal(part) for part in (entry.parts if entry else (statement.table,)))
        owner = schema[0] if schema else "SCHEMA_NAME()"
        try:
            sql = _INSTEAD.format(table=table, schema=owner, kind=statement.kind.upper())
            found = self._fetch(lease, sql, 1)[0][0]
        except self._driver_error() as error:
            log.debug("The triggers of %s could not be read: %s", statement.table, error)
            lease.rollback()
            return
        if found:
            message = f"An INSTEAD OF trigger of {statement.table} takes the place of every {statement.kind.upper()}."
            raise SqlRefused(ErrorKind.NOT_READ_ONLY, f"{message} Its effects cannot be predicted.")

    def _ask(
        self, lease: PoolProxiedConnection, parts: Sequence[str], parameters: Sequence[Any], size: int
    ) -> Sequence[Sequence[Any]]:
        """See `SqlAlchemyExecutor._ask`. Values become literals, because FreeTDS guesses the types of parameters."""
        return self._fetch(
            lease, "".join(chain.from_iterable(zip_longest(parts, map(_value, parameters), fillvalue=""))), size
        )

    def _cursor(self, lease: PoolProxiedConnection) -> Patience:
        """A cursor that another thread can cancel."""
        running = Patience(lease.cursor(), lease.dbapi_connection, self._driver_error())
        lease.info["running"] = running
        return running

    def _execute_write(self, lease: PoolProxiedConnection, statement: CheckedWrite) -> int:
        cursor = self._cursor(lease)
        try:
            cursor.execute(f"SET NOCOUNT ON;\n{statement.runs.rstrip().rstrip(';')}\n;\n{_COUNT}")
            counted = None
            while True:  # read to the end, because a trigger's error may follow the rows
                if tuple(column[0] for column in cursor.description or ()) == _COUNTED:
                    counted = cursor.fetchmany(1)
                if not cursor.nextset():
                    break
        finally:
            cursor.close()
        rows, transactions = counted[0] if counted else (0, 0)
        if not transactions:
            message = "The server ended the transaction before the change was counted: a trigger undid it"
            raise SqlFailed(
                ErrorKind.CONSTRAINT, f"{message}; nothing was changed.", "See what the table's triggers allow."
            )
        return int(rows)

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        running = self._cursor(lease)
        try:
            running.execute(sql)
        except self._driver_error():
            running.close()  # else its unread results keep the connection busy
            raise
        return running  # type: ignore[return-value]  # it has the used part of a cursor

    def _is_lost(self, error: Exception, lease: PoolProxiedConnection) -> bool:
        # SQLAlchemy treats the timeout of a query as a lost connection.
        return error_code(error) not in _TIMED_OUT and super()._is_lost(error, lease)

    def _unusable(self, error: UnusableAddress) -> DatabaseUnavailable:
        return DatabaseUnavailable(f"{self.name} cannot be opened: {error}.")

    def _no_driver(self) -> DatabaseUnavailable:
        return DatabaseUnavailable(
            f"{self.name} cannot be opened: there is no ODBC driver for SQL Server on this machine; install "
            "Microsoft's (the package msodbcsql18), or name another one with `driver` in its entry in databases.yaml."
        )


def token_bytes(token: str) -> bytes:
    """An access token as the attribute requires it: the length in bytes, 32 bits little-endian, then UTF-16."""
    encoded = token.encode("utf-16-le")
    return struct.pack("<i", len(encoded)) + encoded


def offset_from_bytes(raw: bytes | None) -> str | None:
    """A datetimeoffset in ISO 8601, with its stored fraction and offset."""
    if raw is None:
        return None
    year, month, day, hour, minute, second, billionths, hours, minutes = _OFFSET.unpack(raw)
    offset = hours * 60 + minutes
    sign = "-" if offset < 0 else "+"
    fraction = f".{billionths:09d}".rstrip("0").rstrip(".")
    moment = dt.datetime(year, month, day, hour, minute, second).isoformat()
    return f"{moment}{fraction}{sign}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"


def time_from_bytes(raw: bytes | None) -> str | None:
    """A time of day in ISO 8601, with its stored fraction."""
    if raw is None:
        return None
    hour, minute, second, billionths = _CLOCK.unpack(raw)
    fraction = f".{billionths:09d}".rstrip("0").rstrip(".")
    return f"{hour:02d}:{minute:02d}:{second:02d}{fraction}"


def _literal(text: str) -> str:
    return "N'" + text.replace("'", "''") + "'"


def _value(value: Any) -> str:
    """A value of a key as a Transact-SQL literal."""
    if isinstance(value, bool | int | Decimal):
        return str(int(value) if isinstance(value, bool) else value)
    if isinstance(value, bytes | bytearray):
        return f"0x{value.hex()}"
    return _literal(value.isoformat() if isinstance(value, dt.date | dt.time) else str(value))


def _integer(raw: bytes | None, *, signed: bool) -> int | None:
    return None if raw is None else int.from_bytes(raw, "little", signed=signed)
