"""Stops a query that runs too long or was cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from executors.base import Cancel
from executors.errors import ErrorKind, SqlFailed

# An interrupt that comes before the database has begun is lost, so it is repeated until the query has ended.
_AGAIN_S = 0.02


class Watch:
    """Interrupts the code in its `with` block at the timeout or on cancellation. Uses one thread, which has ended when
    the block is left.
    Args: interrupt: stops the database; called from another thread, any number of times; again_s: seconds between
    calls."""

    def __init__(
        self, interrupt: Callable[[], None], timeout_s: float, cancel: Cancel | None = None, again_s: float = _AGAIN_S
    ) -> None:
        self._interrupt, self._timeout_s, self._cancel, self._again_s = interrupt, timeout_s, cancel, again_s
        self.interrupted = False  # whether `interrupt` was called
        self._woken, self._ended = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._wait, name="query-watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        if self._cancel is not None:
            self._cancel.attach(self._woken.set)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._cancel is not None:
            self._cancel.attach(None)
        self._ended.set()
        self._woken.set()
        self._thread.join()

    def error(self) -> SqlFailed:
        """The error that explains the interrupt."""
        return out_of_time(self._timeout_s, self._cancel)

    def _wait(self) -> None:
        self._woken.wait(self._timeout_s)
        while not self._ended.is_set():
            self.interrupted = True
            self._interrupt()
            self._ended.wait(self._again_s)


def out_of_time(timeout_s: float, cancel: Cancel | None = None) -> SqlFailed:
    """The error of a query that was stopped, by `cancel` or by its timeout."""
    if cancel is not None and cancel.is_cancelled:
        return SqlFailed(ErrorKind.TIMEOUT, "The query was stopped because its result is no longer wanted.")
    return SqlFailed(
        ErrorKind.TIMEOUT,
        f"The query did not end within {timeout_s:g} seconds.",
        "Read less: filter earlier, join on keys, and do not join tables without a condition.",
    )


def no_room() -> SqlFailed:
    """The error of a query that needs more disk space than there is."""
    return SqlFailed(
        ErrorKind.RESOURCE,
        "There is no room left on the disk for what the query sorts or joins.",
        "Read less: filter or aggregate earlier.",
    )


def row_too_large() -> SqlFailed:
    """The error of a result whose first row alone exceeds the cap on bytes."""
    return SqlFailed(ErrorKind.RESOURCE, "One row of the result is too large.", "Select fewer columns.")
