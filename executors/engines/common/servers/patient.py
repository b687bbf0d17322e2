"""Adds this process's own deadline to every wait for a server.

Timeouts and cancels depend on the server; keepalives depend on its kernel. A stopped server, or one with a blocked
disk, keeps its connections open and sends nothing, so a driver would wait without end.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import TypeVar, Unpack

from executors import base
from executors.base import Cancel, CheckedSql, CheckedWrite, Executor, Layer, QueryResult, Schema, WriteResult
from executors.errors import DatabaseUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

SCHEMA_S = 180.0  # time to read a whole schema; the server also limits each of its queries
ASKING_S = 10.0
CLOSE_S = 5.0
GRACE_S = 5.0  # time that a cancel may take, added to a query's timeout and the time to log in


class NoAnswer(Exception):
    """A call did not return in time. It continues in its thread, without a caller."""


class PatientExecutor(Executor):
    """A server's executor whose calls return in time or are abandoned.

    If a call is abandoned, so are the executor and its connections; the next call uses new ones. The hanging call ends
    when the server continues, or when the network closes the connection.

    Args:
        make: Creates an executor of the server, without a connection.
        connect_s: Maximum time to log in, in seconds.
    """

    is_remote = True

    def __init__(self, make: Callable[[], Executor], connect_s: float) -> None:
        self._make, self._slack_s = make, connect_s + GRACE_S
        self._lock = threading.Lock()
        self.inner = make()
        self.name, self.dialect = self.inner.name, self.inner.dialect

    def schema(self) -> Schema:
        found, self.warnings = self._patiently(lambda inner: (inner.schema(), inner.warnings), SCHEMA_S + self._slack_s)
        return found

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        return self._patiently(
            lambda inner: inner.run(query, timeout_s=timeout_s, cancel=cancel), timeout_s + self._slack_s
        )

    def write(self, statement: CheckedWrite, **terms: Unpack[base.WriteTerms]) -> WriteResult:
        seconds = terms["timeout_s"] + self._slack_s
        return self._patiently(lambda inner: inner.write(statement, **terms), seconds, writes=terms["commit"])

    def layers(self) -> tuple[Layer, ...]:
        return self._patiently(lambda inner: inner.layers(), ASKING_S + self._slack_s)

    def refresh(self) -> None:
        self._patiently(lambda inner: inner.refresh(), CLOSE_S)

    def close(self) -> None:
        try:
            within(CLOSE_S, self.inner.close)
        except NoAnswer:
            log.warning("The connections to %s could not be closed: the server does not answer.", self.name)

    def _patiently(self, call: Callable[[Executor], T], seconds: float, *, writes: bool = False) -> T:
        inner = self.inner
        try:
            return within(seconds, lambda: call(inner))
        except NoAnswer as error:
            with self._lock:
                if self.inner is inner:
                    self.inner = self._make()
            unsure = " The change may have been made or not; look at the rows first." if writes else ""
            raise DatabaseUnavailable(f"{self.name} does not answer; try again later.{unsure}") from error


def within(seconds: float, call: Callable[[], T]) -> T:
    """The result of a call. Raises the call's error; NoAnswer if it does not return within that many seconds."""
    done: Future[T] = Future()

    def work() -> None:
        try:
            done.set_result(call())
        except BaseException as error:  # noqa: BLE001  passed to the waiting thread
            done.set_exception(error)

    threading.Thread(target=copy_context().run, args=[work], name="server-call", daemon=True).start()
    if not wait([done], seconds).done:
        raise NoAnswer
    return done.result()
