"""Waits with a limit for a driver that cannot be interrupted."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from executors.engines.common.servers import pool

log = logging.getLogger(__name__)

# If a server answers a cancel at all, it does so within this time. The driver would wait half a minute longer.
GRACE_S = 2.0


class Patience:
    """A cursor that runs its calls in separate threads, so that a silent server does not block the caller.

    Another thread may cancel it while it runs, but not after it is closed. If the server does not answer a cancel
    within `GRACE_S`, the caller gets an error, and the connection is abandoned. The thread that is still in the driver
    closes it when the driver returns.
    """

    def __init__(self, cursor: Any, connection: Any, error: type[Exception]) -> None:
        self._cursor, self._connection, self._error = cursor, connection, error
        self._lock = threading.Lock()
        self._changed = threading.Condition()
        self._closed = self._cancelling = self._abandoned = False
        self._cancelled_at: float | None = None

    @property
    def description(self) -> Sequence[Sequence[Any]] | None:
        found: Sequence[Sequence[Any]] | None = self._cursor.description
        return found

    def execute(self, sql: str, *parameters: Any) -> None:
        self._patiently(self._cursor.execute, sql, *parameters)

    def fetchmany(self, size: int) -> Sequence[Sequence[Any]]:
        rows: Sequence[Sequence[Any]] = self._patiently(self._cursor.fetchmany, size)
        return rows

    def nextset(self) -> bool:
        return bool(self._patiently(self._cursor.nextset))

    def cancel(self) -> None:
        """Ask the server to stop. Repeated calls ask again."""
        with self._changed:
            if self._cancelled_at is None:
                self._cancelled_at = time.monotonic()
                self._changed.notify_all()
            if self._cancelling:
                return
            self._cancelling = True
        threading.Thread(target=self._cancel, name="query-cancel", daemon=True).start()

    def close(self) -> None:
        """Close the cursor, unless the driver is still in it."""
        if self._abandoned:
            return
        with self._lock:
            self._closed = True
            self._cursor.close()

    def _cancel(self) -> None:
        """Cancel the cursor, in a separate thread: with some drivers, a cancel waits for the statement to end."""
        try:
            with self._lock:
                if not self._closed:
                    self._cursor.cancel()
        except self._error as error:
            log.debug("The query could not be cancelled: %s", error)
        finally:
            with self._changed:
                self._cancelling = False

    def _patiently(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a call. Raises the call's error, or a driver's error if it does not return."""
        done: list[tuple[Any, BaseException | None]] = []

        def work() -> None:
            try:
                ended: tuple[Any, BaseException | None] = call(*arguments), None
            except BaseException as error:  # noqa: BLE001  passed to the waiting thread
                ended = None, error
            with self._changed:
                done.append(ended)
                self._changed.notify_all()
                abandoned = self._abandoned
            if abandoned:
                with self._lock:  # wait for a running cancel in the same driver
                    self._closed = True
                pool.close_abandoned(self._connection)

        threading.Thread(target=work, name="query", daemon=True).start()
        with self._changed:
            while not done:
                if not self._changed.wait(self._get_remaining_s()) and self._get_remaining_s() == 0.0:
                    self._abandoned = True
                    pool.abandon(self._connection)
                    raise self._error("The server does not answer, and the connection to it was given up.")
        result, error = done[0]
        if error is not None:
            raise error
        return result

    def _get_remaining_s(self) -> float | None:
        """Seconds left to wait. None if the cursor was not cancelled."""
        if self._cancelled_at is None:
            return None
        return max(0.0, self._cancelled_at + GRACE_S - time.monotonic())
