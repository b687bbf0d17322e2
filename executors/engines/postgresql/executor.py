"""PostgreSQL, with psycopg2. This includes Azure Database for PostgreSQL."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor, execute
from executors.engines.common.servers.tokens import POSTGRESQL_SCOPE, CredentialError
from executors.errors import ErrorKind, SqlFailed
from executors.values import timestamp_from_text

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection


_CURSOR = "plumbline"
# Array types of user-defined types (enums, domains, types of extensions), by the base type of domains.
_ARRAYS = """
    SELECT e.typbasetype, array_agg(e.typarray) FROM pg_catalog.pg_type e
    WHERE e.oid >= 16384 AND e.typtype IN ('e', 'd', 'b') AND e.typarray <> 0 GROUP BY e.typbasetype
"""
_MIN_TIMEOUT_S = 1.0
# Type numbers of the server's own types (pg_type.dat): the type, and arrays of it.
_TIMES = {"date": (1082, 1182), "time": (1083, 1183), "timetz": (1266, 1270), "timestamp": (1114, 1115),
          "timestamptz": (1184, 1185)}  # fmt: skip
_TEXT = 25
_INTERVAL = (1186, 1187)
_JSON = {"json": (114, 199), "jsonb": (3802, 3807)}
_RANGES = {"int4range": (3904, 3905), "numrange": (3906, 3907), "tsrange": (3908, 3909), "tstzrange": (3910, 3911),
           "daterange": (3912, 3913), "int8range": (3926, 3927)}  # fmt: skip
_TEXTS = {**_RANGES, "uuid": (2950, 2951),
          "inet": (869, 1041), "cidr": (650, 651), "macaddr": (829, 1040), "bit": (1560, 1561),
          "varbit": (1562, 1563), "xml": (142, 143), "money": (790, 791)}  # fmt: skip


class PostgresExecutor(SqlAlchemyExecutor):
    """One PostgreSQL database.

    A query runs in a server-side cursor. PostgreSQL accepts only a reading query there, and never sends rows over the
    cap.

    If the address has `auth=entra`, the user is an Entra ID principal, and a token is the password. `sslmode` is
    `require`, unless the address sets it or the server is on this machine.
    """

    token_scope = POSTGRESQL_SCOPE

    def url(self) -> URL:
        return super().url().difference_update_query(["auth"])

    def connect_options(self) -> dict[str, Any]:
        """See `SqlAlchemyExecutor.connect_options`: TLS, timeouts, and the token if there is one."""
        options: dict[str, Any] = {
            "client_encoding": "utf8",
            "connect_timeout": max(2, round(self.options.connect_timeout_s)),
            "application_name": "plumbline",
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 3,
        }
        host = self.address.host or ""
        if "sslmode" not in self.address.query and not self.address.is_local and not host.startswith("/"):
            options["sslmode"] = "require"
        if self._token is not None:
            options["password"] = self._token.get()
        return options

    def prepare(self, connection: DBAPIConnection, entry: ConnectionPoolEntry, *, writable: bool) -> None:
        """See `SqlAlchemyExecutor.prepare`. It also registers casters that return values for JSON."""
        from psycopg2 import extensions

        cursor = connection.cursor()
        cursor.execute(_ARRAYS)
        for type_ in (*_types(), *_arrays(cursor.fetchall())):
            extensions.register_type(type_, connection)
        cursor.close()
        super().prepare(connection, entry, writable=writable)

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        """See `SqlAlchemyExecutor.interrupt`. If the server cannot be reached, the connection is shut down.

        psycopg2's own `cancel` would block all threads of this process until the server answers.
        """
        try:
            super().interrupt(lease)
        except (self._driver_error(), CredentialError):
            _cut(lease)
            raise

    def _set_timeout(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        super()._set_timeout(lease, max(timeout_s, _MIN_TIMEOUT_S))  # a shorter one would also stop the pool's ping

    def _begin_write(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        """See `SqlAlchemyExecutor._begin_write`. A dry run checks all constraints that the commit would check."""
        super()._begin_write(lease, timeout_s)
        execute(lease, "SET CONSTRAINTS ALL IMMEDIATE")

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        connection: Any = lease.dbapi_connection
        if not sql.strip(" ;\n\t"):
            raise SqlFailed(ErrorKind.SYNTAX_ERROR, "There is no query.", "Write one SELECT.")
        cursor: DBAPICursor = connection.cursor(name=_CURSOR)
        cursor.execute(sql)
        cursor.fetchmany(0)  # the columns are unknown before that
        return cursor


def _cut(lease: PoolProxiedConnection) -> None:
    """Shut down a connection's socket, which ends the wait of the thread that reads from it."""
    connection: Any = lease.dbapi_connection
    if connection is not None and not connection.closed:
        with socket.socket(fileno=os.dup(connection.fileno())) as same:
            same.shutdown(socket.SHUT_RDWR)


def _arrays(rows: Iterable[Sequence[Any]]) -> Iterator[Any]:
    """Type casters for the rows of `_ARRAYS`."""
    from psycopg2 import extensions

    for base, numbers in rows:
        item = extensions.string_types.get(base, extensions.string_types[_TEXT])
        yield extensions.new_array_type(tuple(numbers), "MADE_HERE[]", item)


@lru_cache(maxsize=1)
def _types() -> tuple[Any, ...]:
    """psycopg2's type casters for values that it would distort: months of an interval, years before 1, offsets with
    seconds, and decimals in JSON."""
    from psycopg2 import extensions

    made: list[Any] = []

    def add(name: str, numbers: tuple[int, int], read: Callable[[str | None, Any], Any]) -> None:
        one = extensions.new_type((numbers[0],), name.upper(), read)
        made.extend((one, extensions.new_array_type((numbers[1],), f"{name.upper()}[]", one)))

    for name, numbers in _TIMES.items():
        add(name, numbers, lambda text, _: timestamp_from_text(text))
    add("interval", _INTERVAL, lambda text, _: text)
    for name, numbers in _TEXTS.items():
        add(name, numbers, lambda text, _: text)
    load = partial(json.loads, parse_float=Decimal)
    for name, numbers in _JSON.items():
        add(name, numbers, lambda text, _: None if text is None else load(text))
    return tuple(made)
