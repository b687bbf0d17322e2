"""Deadlines of this process's own on every wait for a server.

Timeouts and cancels ask the server to stop; keepalives ask its kernel. A stopped server, or one with a blocked disk,
keeps its connections open and sends nothing, and a driver waits as long.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import TypeVar, Unpack

from executors import base
from executors.base import Cancel, CheckedSql, CheckedWrite, Executor, Layer, QueryResult, Schema, WriteResult
from executors.errors import DatabaseUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

SCHEMA_S = 180.0  # for reading a whole schema; each of its queries has a timeout of the server's
ASKING_S = 10.0
CLOSE_S = 5.0
GRACE_S = 5.0  # beyond a query's timeout and the time to log in, which a cancel takes


class NoAnswer(Exception):
    """A call did not return in time. It continues in its thread, without a caller."""


class PatientExecutor(Executor):
    """A server's executor whose calls come back in time, or are given up.

    Where one is given up, the executor and its connections are, too: the next call has new ones. What hangs is ended by
    the server when it goes on, or by the network.

    Args:
        make: an executor of the server, with no connection yet.
        connect_s: seconds that it takes to log in at most.
    """

    is_remote = True

    def __init__(self, make: Callable[[], Executor], connect_s: float) -> None:
        self._make, self._slack_s = make, connect_s + GRACE_S
        self._lock = threading.Lock()
        self.inner = make()
        self.name, self.dialect = self.inner.name, self.inner.dialect

    def schema(self) -> Schema:
        inner = self.inner
        found = self._patiently(inner, inner.schema, SCHEMA_S + self._slack_s)
        self.warnings = inner.warnings
        return found

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        inner = self.inner
        call = partial(inner.run, query, timeout_s=timeout_s, cancel=cancel)
        return self._patiently(inner, call, timeout_s + self._slack_s)

    def write(self, statement: CheckedWrite, **terms: Unpack[base.WriteTerms]) -> WriteResult:
        inner = self.inner
        call = partial(inner.write, statement, **terms)
        return self._patiently(inner, call, terms["timeout_s"] + self._slack_s, writes=terms["commit"])

    def layers(self) -> tuple[Layer, ...]:
        inner = self.inner
        return self._patiently(inner, inner.layers, ASKING_S + self._slack_s)

    def refresh(self) -> None:
        inner = self.inner
        self._patiently(inner, inner.refresh, CLOSE_S)

    def close(self) -> None:
        try:
            within(CLOSE_S, self.inner.close)
        except NoAnswer:
            log.warning("The connections to %s could not be closed: the server does not answer.", self.name)

    def _patiently(self, inner: Executor, call: Callable[[], T], seconds: float, *, writes: bool = False) -> T:
        try:
            return within(seconds, call)
        except NoAnswer as error:
            with self._lock:
                if self.inner is inner:
                    self.inner = self._make()
            unsure = " The change may have been made or not; look at the rows first." if writes else ""
            raise DatabaseUnavailable(f"{self.name} does not answer; try again later.{unsure}") from error


def within(seconds: float, call: Callable[[], T]) -> T:
    """What a call gives or raises. Raises NoAnswer where it does not come back within so many seconds."""
    done: list[T] = []
    failed: list[BaseException] = []
    ended = threading.Event()

    def work() -> None:
        try:
            done.append(call())
        except BaseException as error:  # noqa: BLE001  handed to the thread that waits
            failed.append(error)
        ended.set()

    threading.Thread(target=copy_context().run, args=[work], name="server-call", daemon=True).start()
    if not ended.wait(seconds):
        raise NoAnswer
    if failed:
        raise failed[0]
    return done[0]
