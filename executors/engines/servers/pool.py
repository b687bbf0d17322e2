"""The driver and the connection pool of one server: a limited number, each with one query at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.base import Cancel, stoppable
from executors.engines.servers import failures
from executors.engines.servers.tokens import CredentialError
from executors.engines.stopping import out_of_time
from executors.errors import ErrorKind, SqlFailed

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, Dialect
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

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


class ConnectionPool:
    """SQLAlchemy's pool, with a line before it that one can leave. Safe to use from several threads.
    Args: recycle_s: seconds after which a connection is replaced before its next use."""

    def __init__(
        self,
        name: str,
        driver: Driver,
        connect: Callable[[], DBAPIConnection],
        prepare: Callable[[DBAPIConnection, ConnectionPoolEntry], None],
        *,
        size: int,
        recycle_s: float,
    ) -> None:
        from sqlalchemy import event
        from sqlalchemy.pool import QueuePool

        self._name, self._driver, self._size = name, driver, size
        self._changed = threading.Condition()
        self._free = size
        self._closed = False
        self._pool = QueuePool(
            connect,
            pool_size=size,
            max_overflow=0,
            recycle=int(recycle_s),
            pre_ping=True,  # a server that was restarted is met by a new connection, not by an error
            use_lifo=True,
            dialect=driver.dialect,
        )
        event.listen(self._pool, "connect", prepare)

    @contextmanager
    def lease(self, timeout_s: float, cancel: Cancel | None = None) -> Iterator[PoolProxiedConnection]:
        """A connection, waited for so many seconds while all are busy; afterwards rolled back and given back.
        Raises DatabaseUnavailable: there is none to be had; SqlFailed: all are busy, or the caller has cancelled."""
        taken = self._wait(timeout_s, cancel)
        try:
            if not taken:
                if cancel is not None and cancel.is_cancelled:
                    raise out_of_time(timeout_s, cancel)
                message = f"All {self._size} connections to {self._name} are busy."
                raise SqlFailed(ErrorKind.RESOURCE, message, "Ask again in a moment.")
            lease = self._connect()
            try:
                yield lease
            finally:
                if self._closed and lease.is_valid:
                    lease.invalidate()
                lease.close()
        finally:
            with self._changed:
                self._free += taken
                self._changed.notify()

    def close(self) -> None:
        """Close the idle connections now, and the others when they are returned."""
        self._closed = True
        self._pool.dispose()

    def _connect(self) -> PoolProxiedConnection:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            return self._pool.connect()
        except (self._driver.error, SQLAlchemyError, OSError, CredentialError) as error:
            raise failures.unreachable(self._name, error) from error

    def _wait(self, timeout_s: float, cancel: Cancel | None) -> bool:
        def wake() -> None:
            with self._changed:
                self._changed.notify_all()

        def over() -> bool:
            return cancel is not None and cancel.is_cancelled

        with stoppable(cancel, wake), self._changed:
            self._changed.wait_for(lambda: self._free > 0 or over(), timeout_s)
            taken = self._free > 0 and not over()
            self._free -= taken
            return taken
