"""SQLAlchemy's dialect of a driver, without its engine."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, Dialect


log = logging.getLogger(__name__)

# Connections in which a driver still waits for a silent server: to close one from outside would be to wait, too.
_abandoned: set[int] = set()


def abandon(connection: DBAPIConnection) -> None:
    """Have the pool let go of a connection without closing it."""
    _abandoned.add(id(connection))


def close_abandoned(connection: DBAPIConnection) -> None:
    """Close it after all, when its driver has come back."""
    try:
        connection.close()
    except Exception as error:  # noqa: BLE001  of any driver, about a connection that is no longer used
        log.debug("A connection that was given up could not be closed: %s", error)
    finally:
        _abandoned.discard(id(connection))


class Driver(NamedTuple):
    """SQLAlchemy's dialect with its driver, and what `connect` takes."""

    dialect: Dialect
    arguments: Sequence[Any]
    options: Mapping[str, Any]

    @property
    def error(self) -> type[Exception]:
        """The driver's base class of errors."""
        error: type[Exception] = self.dialect.loaded_dbapi.Error
        return error

    def connect(self, more: Mapping[str, Any]) -> DBAPIConnection:
        """A new connection. Args: more: arguments that go before those of the address."""
        return self.dialect.connect(*self.arguments, **{**self.options, **more})

    def is_lost(self, error: Exception, connection: DBAPIConnection | None) -> bool:
        """Whether an error says that the connection is gone."""
        return self.dialect.is_disconnect(error, connection, None)  # type: ignore[arg-type]  # of a driver, always


def load(url: URL) -> Driver:
    """The driver for an address. Raises ImportError where it is not installed."""
    kind = url.get_dialect()
    dialect = _pinging(kind)(dbapi=kind.import_dbapi())  # type: ignore[call-arg]  # every dialect takes its driver
    arguments, options = dialect.create_connect_args(url)
    return Driver(dialect, arguments, dict(options))


def _pinging(kind: type[Dialect]) -> type[Dialect]:
    """The dialect, but whatever a ping ends with, its connection is replaced: not every driver knows a dead one. And a
    connection that was abandoned is not closed."""

    class Pinging(kind):  # type: ignore[valid-type, misc]  # a class that is known only now
        def do_ping(self, dbapi_connection: DBAPIConnection) -> bool:
            try:
                return bool(super().do_ping(dbapi_connection))
            except self.loaded_dbapi.Error:
                return False

        def do_close(self, dbapi_connection: DBAPIConnection) -> None:
            if id(dbapi_connection) not in _abandoned:
                super().do_close(dbapi_connection)

        def do_terminate(self, dbapi_connection: DBAPIConnection) -> None:
            if id(dbapi_connection) not in _abandoned:
                super().do_terminate(dbapi_connection)

    return Pinging
