"""Updates indexes in the background: one sync of a database at a time; questions wait only briefly."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from executors.base import Frozen, Schema
from rag.errors import RetrievalError
from rag.index.revision import Turn
from rag.index.store import Progress, SyncReport

RETRY_AFTER_S = 60.0  # between two tries to bring an index up to date, where the first one failed
PATIENCE_S = 20.0  # that questions wait for a sync, from its beginning; then they go on with what there is

log = logging.getLogger(__name__)


class Indexed(Frozen):
    """What indexing a database did.

    report: with its documents.
    columns, values: with the vectors of the schema's columns, and of stored values.
    problems: docs that could not be used, each with what to do.
    """

    report: SyncReport
    columns: SyncReport = SyncReport()
    values: SyncReport = SyncReport()
    problems: tuple[str, ...] = ()


class _Failure(NamedTuple):
    """Why an index could not be brought up to date, and when that was tried."""

    message: str
    at: float


@dataclass
class _Running:
    """A sync on its way. `done` and `total`: documents; `stop` ends it after its current batch."""

    since: float
    stop: threading.Event = field(default_factory=threading.Event)
    done: int = 0
    total: int = 0
    task: asyncio.Task[Indexed] = field(init=False)

    @property
    def message(self) -> str:
        so_far = f" ({self.done} of {self.total})" if self.total else ""
        return f"they are being indexed{so_far}, and until then answers use what was indexed before"


class Indexing:
    """Runs the syncs of databases. One blocks, and may raise RetrievalError; a question waits `PATIENCE_S`."""

    def __init__(
        self, sync: Callable[[str, Schema, Progress, Turn], Indexed], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._sync, self._clock = sync, clock
        self._done: dict[str, Indexed] = {}  # by database whose index is up to date
        self._failures: dict[str, _Failure] = {}  # by database whose index is not
        self._running: dict[str, _Running] = {}

    def get_last_sync(self, name: str) -> Indexed | None:
        """What the last sync of a database did, where its index is up to date."""
        return self._done.get(name)

    def forget(self, name: str, message: str = "") -> None:
        """The index is not what it was; where there is a `message`, it is only tried again after a while."""
        self._done.pop(name, None)
        if message:
            self._failures[name] = _Failure(message, self._clock())

    async def ensure(self, name: str, schema: Schema) -> str:
        """Why a database's index is not up to date; empty: it is. Begins a sync, and waits for it, but not for long."""
        if name in self._done:
            return ""
        running = self._running.get(name)
        if running is None:
            failure = self._failures.get(name)
            if failure is not None and self._clock() - failure.at < RETRY_AFTER_S:
                return failure.message
            running = self._start(name, schema, lambda *_: None, Turn(wait_s=0))
        left = running.since + PATIENCE_S - self._clock()
        await asyncio.wait({running.task}, timeout=max(0.0, left))
        if not running.task.done():
            return running.message
        if running.task.cancelled():
            return "indexing was stopped"
        error = running.task.exception()
        if error is not None and not isinstance(error, RetrievalError):
            raise error
        return str(error or "")

    async def run(self, name: str, schema: Schema, progress: Progress, turn: Turn) -> Indexed:
        """Sync a database now, after the running sync. It stops when its caller goes. Raises RetrievalError."""
        while (before := self._running.get(name)) is not None:
            await asyncio.wait({before.task})
        running = self._start(name, schema, progress, turn)
        try:
            return await asyncio.shield(running.task)
        except asyncio.CancelledError:
            running.stop.set()
            raise

    async def close(self) -> None:
        """Stop the syncs that run, each after its current batch, and wait for that."""
        running = list(self._running.values())
        for one in running:
            one.stop.set()
        await asyncio.gather(*(one.task for one in running), return_exceptions=True)

    def _start(self, name: str, schema: Schema, progress: Progress, turn: Turn) -> _Running:
        running = _Running(self._clock())

        def on_progress(done: int, total: int) -> None:
            running.done, running.total = done, total
            progress(done, total)

        async def run() -> Indexed:
            try:
                indexed = await asyncio.to_thread(
                    self._sync, name, schema, on_progress, replace(turn, stop=running.stop)
                )
            except RetrievalError as error:
                self._failures[name] = _Failure(str(error), self._clock())
                raise
            finally:
                running.stop.set()  # a thread that nobody waits for any more ends as well
                del self._running[name]
            self._done[name] = indexed
            self._failures.pop(name, None)
            return indexed

        self._running[name] = running
        running.task = asyncio.create_task(run())
        running.task.add_done_callback(_log_failure)
        return running


def _log_failure(task: asyncio.Task[Indexed]) -> None:
    """Of an abandoned one as well."""
    if not task.cancelled() and task.exception() is not None:
        log.warning("Indexing failed: %s", task.exception())
