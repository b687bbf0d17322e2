"""The pool of worker processes. They are started on demand, replaced after a crash, and ended when idle."""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

from executors.base import Cancel, stoppable
from executors.errors import DatabaseUnavailable, ExecutorError
from executors.workers.process import Worker, WorkerEnded

IDLE_S = 60.0
BUSY = "All {count} processes for queries on local databases are at work; try again later."


class WorkerPool:
    """A pool of at most `size` workers with `memory` bytes each. An idle worker ends after `idle_s` seconds.
    Thread-safe."""

    def __init__(self, size: int, memory: int, idle_s: float = IDLE_S) -> None:
        self.size, self.memory, self._idle_s = size, memory, idle_s
        self._changed = threading.Condition()
        self._idle: list[Worker] = []  # the most recently used one is last
        self._busy: set[Worker] = set()
        self._starting = 0
        self._holders = 0
        self._janitor: threading.Thread | None = None

    def hold(self) -> None:
        """Declare that the workers are needed until `release`."""
        with self._changed:
            self._holders += 1

    def release(self) -> None:
        """Declare that the workers are no longer needed. The last holder's call ends them."""
        with self._changed:
            self._holders -= 1
            last = self._holders <= 0
        if last:
            self.end()

    @contextmanager
    def worker(self, serves: str, *, wait_s: float, cancel: Cancel | None = None) -> Iterator[Worker]:
        """Borrow a worker for one request.

        Args: serves: what the worker should have open; an idle worker that last served the same is preferred; wait_s:
        seconds to wait if all workers are busy.
        The next call replaces a worker that ended or is spent.
        Raises DatabaseUnavailable: no worker is free in time, or none can be started.
        """
        worker = self._take(serves, wait_s, cancel)
        try:
            yield worker
        except ExecutorError:
            self._give_back(worker)
            raise
        except BaseException:  # during a call, or after the worker ended
            self._drop(worker)
            raise
        else:
            self._give_back(worker)

    def each_idle(self, serves: str, do: Callable[[Worker], object]) -> None:
        """Call `do` with every idle worker that serves this. A worker that ends is dropped."""
        with self._changed:
            chosen = [worker for worker in self._idle if worker.serves == serves]
            self._idle = [worker for worker in self._idle if worker not in chosen]
            self._busy.update(chosen)
        for worker in chosen:
            try:
                do(worker)
            except WorkerEnded:
                self._drop(worker)
            else:
                self._give_back(worker)

    def end(self) -> None:
        """End all workers, including busy ones, whose requests fail. A later call starts new ones."""
        with self._changed:
            idle, self._idle = self._idle, []
            busy = list(self._busy)
            self._changed.notify_all()
        for worker in busy:
            worker.kill()
        for worker in idle:
            worker.end()

    def _take(self, serves: str, wait_s: float, cancel: Cancel | None) -> Worker:
        deadline = time.monotonic() + wait_s
        with stoppable(cancel, self._wake), self._changed:
            while (chosen := self._choose(serves)) is None and not self._has_room():
                if cancel is not None and cancel.is_cancelled:
                    raise WorkerEnded(out_of_time=False)
                if not self._changed.wait(deadline - time.monotonic()):
                    raise DatabaseUnavailable(BUSY.format(count=self.size), 1)
            if chosen is not None:
                self._idle.remove(chosen)
                self._busy.add(chosen)
            else:
                self._starting += 1
        if chosen is not None:
            if chosen.is_alive:
                chosen.serves = serves
                return chosen
            self._drop(chosen)
            return self._take(serves, max(0.0, deadline - time.monotonic()), cancel)
        return self._start(serves)

    def _choose(self, serves: str) -> Worker | None:
        """The idle worker that last served the same. If there is none and the pool is full, the longest idle one."""
        known = next((worker for worker in reversed(self._idle) if worker.serves == serves), None)
        return known or (self._idle[0] if self._idle and not self._has_room() else None)

    def _has_room(self) -> bool:
        return len(self._idle) + len(self._busy) + self._starting < self.size

    def _start(self, serves: str) -> Worker:
        worker: Worker | None = None
        try:
            worker = Worker(self.memory)
            worker.serves = serves
            return worker
        finally:
            with self._changed:
                self._starting -= 1
                if worker is not None:
                    self._busy.add(worker)
                self._changed.notify()

    def _give_back(self, worker: Worker) -> None:
        worker.idle_since = time.monotonic()
        alive = worker.is_alive and not worker.is_spent
        with self._changed:
            self._busy.discard(worker)
            if alive:
                self._idle.append(worker)
                self._watch()
            self._changed.notify()
        if not alive:
            worker.end()

    def _drop(self, worker: Worker) -> None:
        worker.end()
        with self._changed:
            self._busy.discard(worker)
            self._changed.notify()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _watch(self) -> None:
        """Start a thread that ends idle workers. The caller holds the lock."""
        if self._janitor is None:
            self._janitor = threading.Thread(target=self._end_idle, name="idle-workers", daemon=True)
            self._janitor.start()

    def _end_idle(self) -> None:
        while True:
            with self._changed:
                if not self._idle:
                    self._janitor = None
                    return
                over = self._idle[0].idle_since + self._idle_s
                if over > time.monotonic():
                    self._changed.wait(over - time.monotonic())
                    continue
                worker = self._idle.pop(0)
            worker.end()


@cache
def get_shared_pool(size: int, memory: int) -> WorkerPool:
    """The pool of that size and memory in this process. All its users share one limit."""
    pool = WorkerPool(size, memory)
    atexit.register(_end, pool)
    return pool


def _end(pool: WorkerPool) -> None:
    with suppress(OSError):
        pool.end()
