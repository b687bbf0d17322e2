"""The driver and the connection pool of one server. Connections are limited, and each runs one query at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.base import Cancel, stoppable
from executors.engines.common.servers import failures
from executors.engines.common.servers.tokens import CredentialError
from executors.engines.common.stopping import out_of_time
from executors.errors import ErrorKind, SqlFailed

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, Dialect
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

log = logging.getLogger(__name__)

# Connections in which a driver still waits for a silent server. Closing one from another thread would wait too.
_abandoned: set[int] = set()


def abandon(connection: DBAPIConnection) -> None:
    """Make the pool drop a connection without closing it."""
    _abandoned.add(id(connection))


def close_abandoned(connection: DBAPIConnection) -> None:
    """Close an abandoned connection, after its driver has returned."""
    try:
        connection.close()
    except Exception as error:  # noqa: BLE001  any driver's error; the connection is no longer used
        log.debug("A connection that was given up could not be closed: %s", error)
    finally:
        _abandoned.discard(id(connection))


class Driver(NamedTuple):
    """SQLAlchemy's dialect with its driver, and the arguments of `connect`."""

    dialect: Dialect
    arguments: Sequence[Any]
    options: Mapping[str, Any]

    @property
    def error(self) -> type[Exception]:
        """The driver's base class of errors."""
        error: type[Exception] = self.dialect.loaded_dbapi.Error
        return error

    def connect(self, more: Mapping[str, Any]) -> DBAPIConnection:
        """A new connection. Args: more: arguments that override those of the address."""
        return self.dialect.connect(*self.arguments, **{**self.options, **more})


def load(url: URL) -> Driver:
    """The driver for an address. Raises ImportError if it is not installed."""
    kind = url.get_dialect()
    dialect = _pinging(kind)(dbapi=kind.import_dbapi())  # type: ignore[call-arg]  # every dialect accepts its driver
    arguments, options = dialect.create_connect_args(url)
    return Driver(dialect, arguments, dict(options))


def _pinging(kind: type[Dialect]) -> type[Dialect]:
    """The dialect with two changes. Any error of a ping means that the connection is dead, because not every driver
    recognizes a dead one. An abandoned connection is not closed."""

    class Pinging(kind):  # type: ignore[valid-type, misc]  # the class is known only at run time
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
    """SQLAlchemy's pool, with a queue whose waiters can be cancelled. Thread-safe.
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
            pre_ping=True,  # after a restart of the server, a new connection is made instead of an error
            use_lifo=True,
            dialect=driver.dialect,
        )
        event.listen(self._pool, "connect", prepare)

    @contextmanager
    def lease(self, timeout_s: float, cancel: Cancel | None = None) -> Iterator[PoolProxiedConnection]:
        """Borrow a connection. Afterwards it is rolled back and returned to the pool.
        Args: timeout_s: seconds to wait if all connections are busy.
        Raises DatabaseUnavailable: no connection can be made; SqlFailed: all are busy, or the caller has cancelled."""
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
