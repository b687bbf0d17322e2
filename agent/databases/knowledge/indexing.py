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

RETRY_AFTER_S = 60.0  # delay before a failed sync is tried again
PATIENCE_S = 20.0  # how long questions wait for a sync, counted from its start; then they use the old index

log = logging.getLogger(__name__)


class Indexed(Frozen):
    """The result of indexing a database.

    report: sync of the documents.
    columns, values: sync of the vectors of the schema's columns and of stored values.
    problems: docs that could not be used, each with its remedy.
    """

    report: SyncReport
    columns: SyncReport = SyncReport()
    values: SyncReport = SyncReport()
    problems: tuple[str, ...] = ()


class _Failure(NamedTuple):
    """Why and when a sync failed."""

    message: str
    at: float


@dataclass
class _Running:
    """A running sync. `done` and `total`: documents; `stop` ends it after its current batch."""

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
    """Runs the syncs of databases. `sync` blocks and may raise RetrievalError. Questions wait at most `PATIENCE_S`."""

    def __init__(
        self, sync: Callable[[str, Schema, Progress, Turn], Indexed], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._sync, self._clock = sync, clock
        self._done: dict[str, Indexed] = {}  # by database, if its index is up to date
        self._failures: dict[str, _Failure] = {}  # by database, if its last sync failed
        self._running: dict[str, _Running] = {}

    def get_last_sync(self, name: str) -> Indexed | None:
        """The result of a database's last sync; None unless its index is up to date."""
        return self._done.get(name)

    def forget(self, name: str, message: str = "") -> None:
        """Mark the index as out of date. With a `message`, the next sync waits for `RETRY_AFTER_S`."""
        self._done.pop(name, None)
        if message:
            self._failures[name] = _Failure(message, self._clock())

    async def ensure(self, name: str, schema: Schema) -> str:
        """Start a sync if needed and wait for it briefly. Returns why the index is not up to date; empty if it is."""
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
        """Sync a database now, after any running sync. Stops if the caller is cancelled. Raises RetrievalError."""
        while (before := self._running.get(name)) is not None:
            await asyncio.wait({before.task})
        running = self._start(name, schema, progress, turn)
        try:
            return await asyncio.shield(running.task)
        except asyncio.CancelledError:
            running.stop.set()
            raise

    async def close(self) -> None:
        """Stop the running syncs, each after its current batch, and wait for them."""
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
                running.stop.set()  # also ends the thread of a cancelled sync
                del self._running[name]
            self._done[name] = indexed
            self._failures.pop(name, None)
            return indexed

        self._running[name] = running
        running.task = asyncio.create_task(run())
        running.task.add_done_callback(_log_failure)
        return running


def _log_failure(task: asyncio.Task[Indexed]) -> None:
    """Log the failure of a sync, also of one that no caller awaits."""
    if not task.cancelled() and task.exception() is not None:
        log.warning("Indexing failed: %s", task.exception())
