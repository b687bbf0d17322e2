"""MySQL and MariaDB, with PyMySQL.

TIME values stay as the server writes them, `10:20:30` or `-838:59:59`. Most use TIME as a time of day, but for the
server it is a duration of up to 838 hours, and one column must not have two forms. BIT is a number. JSON is JSON in
MySQL, but text in MariaDB, as the server reports it. An invalid date, `0000-00-00`, stays as stored.
"""

from __future__ import annotations

import json
import logging
import re
import ssl
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from executors.base import CheckedWrite, JsonValue
from executors.dialects.table import DIALECTS
from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlRefused
from executors.values import timestamp_from_text

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

log = logging.getLogger(__name__)

_MODES = ("disabled", "preferred", "required", "verify_ca", "verify_identity")
_TLS_OPTIONS = ("ssl_mode", "ssl_ca", "ssl_capath", "ssl_cert", "ssl_key")
# Seconds of silence after which a server is considered lost. No query may run that long.
_SILENCE_S = 600
_UNDOABLE = """
    SELECT e.TRANSACTIONS
    FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
    WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = %s
"""


class MysqlExecutor(SqlAlchemyExecutor):
    """One database of a MySQL or MariaDB server. The server's version decides which of both it is, not the address.

    Rows are streamed, so few rows over the cap are sent. A server on another machine must prove its identity. The
    address may have `ssl_ca`, `ssl_cert` and `ssl_key` (files), and `ssl_mode` with MySQL's values: `disabled`,
    `preferred` (the default for a server on this machine), `required` (encrypted, without proof of identity),
    `verify_ca`, `verify_identity` (the default for others).

    A write counts the rows that it changes, not those that already have the new values.
    """

    def url(self) -> URL:
        strange = [name for name in self.address.query if name.startswith("ssl") and name not in _TLS_OPTIONS]
        if strange:
            known = ", ".join(_TLS_OPTIONS)
            raise DatabaseUnavailable(f"{self.name} cannot be opened: {strange[0]} is not an option. Known: {known}.")
        if not self.address.database:
            raise DatabaseUnavailable(f"{self.name} cannot be opened: its address names no database.")
        return super().url().difference_update_query(_TLS_OPTIONS)

    def connect_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "charset": "utf8mb4",
            "connect_timeout": max(1, round(self.options.connect_timeout_s)),
            "read_timeout": _SILENCE_S,
            "local_infile": False,  # else a server could request files of this machine
            "client_flag": 0,  # not several statements at once, and counts without unchanged rows
            "program_name": "plumbline",
            "conv": _conversions(),
            **self._tls(),
        }
        if self.address.password is not None:
            options["password"] = self.address.password.get_secret_value().encode()  # the driver would use Latin-1
        return options

    def prepare(self, connection: DBAPIConnection, entry: ConnectionPoolEntry, *, writable: bool) -> None:
        cursor = connection.cursor()
        cursor.execute("SELECT VERSION()")
        version = str(cursor.fetchone()[0])  # type: ignore[index]  # one row, always
        cursor.close()
        found = "mariadb" if "mariadb" in version.lower() else "mysql"
        if found != self.dialect:
            log.warning("%s is registered as %s but is %s", self.name, self.row.title, DIALECTS[found].title)
            self.dialect, self.row = found, DIALECTS[found]
        super().prepare(connection, entry, writable=writable)

    def _check_undoable(self, lease: PoolProxiedConnection, statement: CheckedWrite) -> None:
        cursor: Any = lease.cursor()
        cursor.execute(_UNDOABLE, (statement.table,))
        engine = cursor.fetchone()
        cursor.close()
        if engine is not None and engine[0] != "YES":
            message = f"{statement.table} cannot undo a write: it is a view, or its engine has no transactions."
            raise SqlRefused(ErrorKind.NOT_READ_ONLY, message)

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        cursor = lease.cursor(_build_cursor_class())
        cursor.execute(sql)
        return cursor

    def _end(self, lease: PoolProxiedConnection, cursor: Any) -> None:
        """End a query. Closing its cursor would read all remaining rows, so the server is told to stop and the
        connection is dropped."""
        if cursor.leave():
            self._try_interrupt(lease)
            lease.invalidate()

    def _tls(self) -> dict[str, Any]:
        query = self.address.query
        local = self.address.is_local or "unix_socket" in query
        mode = query.get("ssl_mode", "preferred" if local and not query.get("ssl_ca") else "verify_identity").lower()
        if mode not in _MODES:
            raise DatabaseUnavailable(f"{self.name} cannot be opened: ssl_mode must be one of {', '.join(_MODES)}.")
        if mode == "disabled":
            return {"ssl_disabled": True}
        return {} if mode == "preferred" else {"ssl": self._tls_context(mode)}

    def _tls_context(self, mode: str) -> ssl.SSLContext:
        query = self.address.query
        try:
            context = ssl.create_default_context(cafile=query.get("ssl_ca"), capath=query.get("ssl_capath"))
            if "ssl_cert" in query:
                context.load_cert_chain(query["ssl_cert"], query.get("ssl_key"))
        except OSError as error:
            raise DatabaseUnavailable(
                f"{self.name} cannot be opened: the files that ssl_ca, ssl_cert or ssl_key name cannot be used."
            ) from error
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # a server's generated certificate fails it
        context.check_hostname = mode == "verify_identity"
        context.verify_mode = ssl.CERT_NONE if mode == "required" else ssl.CERT_REQUIRED
        return context


@lru_cache(maxsize=1)
def _conversions() -> dict[Any, Any]:
    """The driver's conversions of the server's text, by type."""
    from pymysql.constants import FIELD_TYPE
    from pymysql.converters import conversions

    read: dict[int, Callable[[Any], JsonValue]] = {
        FIELD_TYPE.TIME: _time,
        FIELD_TYPE.DATE: str,
        FIELD_TYPE.DATETIME: lambda text: timestamp_from_text(_time(text)),
        FIELD_TYPE.TIMESTAMP: lambda text: timestamp_from_text(_time(text)),
        FIELD_TYPE.JSON: lambda text: json.loads(text, parse_float=Decimal),
    }
    return {**conversions, **read}


def _time(text: str) -> str:
    """A time without the trailing zeros of the column's precision."""
    return re.sub(r"\.?0+$", "", text) if "." in text else text


def bit_number(value: bytes, width: int, *, computed: bool) -> int:
    """A BIT of `width` bits as a number. The value is its bytes, or its decimal digits, in MariaDB if an expression
    computed it (`computed`). The value of a window function is bytes even then, and is misread if all of its bytes
    happen to be digits."""
    digits = value.isdigit() and (computed or len(value) != (width + 7) // 8)
    return int(value) if digits else int.from_bytes(value, "big")


@lru_cache(maxsize=1)
def _build_cursor_class() -> type[Any]:
    from pymysql.constants import FIELD_TYPE, FLAG
    from pymysql.cursors import SSCursor

    class Unbuffered(SSCursor):  # type: ignore[misc]  # the driver has no types
        """A cursor that streams rows."""

        def leave(self) -> bool:
            """Close the cursor after reading at most one more row. Return whether there was one."""
            result = self._result
            reading = result is not None and result.unbuffered_active and self.connection.open
            try:
                return reading and self.read_next() is not None
            finally:
                if result is not None:
                    result.unbuffered_active = False
                self.close()

        def _do_get_result(self) -> None:
            super()._do_get_result()
            fields = enumerate(self._result.fields if self.description else ())
            self._bits = [(at, field) for at, field in fields if field.type_code == FIELD_TYPE.BIT]

        def _conv_row(self, row: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
            if row is None or not self._bits:
                return row
            values = list(row)
            for at, field in self._bits:
                if values[at] is not None:
                    computed = bool(field.flags & FLAG.BINARY)
                    values[at] = bit_number(values[at], field.length, computed=computed)
            return tuple(values)

    return Unbuffered
