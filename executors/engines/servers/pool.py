"""The connection pool of one server: a limited number, each with one query at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from executors.base import Cancel
from executors.engines.servers import failures
from executors.engines.servers.driver import Driver
from executors.engines.stopping import out_of_time

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection


class ConnectionPool:
    """SQLAlchemy's pool, with a line before it that one can leave. Safe to use from several threads.

    Args:
        name: of the database.
        driver: knows its errors, and how a lost connection looks.
        connect: makes a connection.
        prepare: makes a new one ready.
        size: connections at most.
        recycle_s: seconds after which a connection is replaced before its next use.
    """

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
        """A connection; afterwards rolled back and given back.

        Args:
            timeout_s: seconds to wait while all are busy.
            cancel: ends the waiting.

        Raises:
            DatabaseUnavailable: there is no connection to be had.
            SqlFailed: all are busy, or the caller has cancelled.
        """
        taken = self._wait(timeout_s, cancel)
        try:
            if not taken:
                cancelled = cancel is not None and cancel.is_cancelled
                raise out_of_time(None) if cancelled else failures.busy(self._name, self._size)
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
        except (self._driver.error, SQLAlchemyError, OSError, failures.CredentialError) as error:
            raise failures.unreachable(self._name, error) from error

    def _wait(self, timeout_s: float, cancel: Cancel | None) -> bool:
        def wake() -> None:
            with self._changed:
                self._changed.notify_all()

        def over() -> bool:
            return cancel is not None and cancel.is_cancelled

        if cancel is not None:
            cancel.attach(wake)
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._free > 0 or over(), timeout_s)
                taken = self._free > 0 and not over()
                self._free -= taken
                return taken
        finally:
            if cancel is not None:
                cancel.attach(None)
