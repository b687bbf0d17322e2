"""Limits how many questions this process answers at once. Further ones wait, and those beyond the queue are refused.

A bulkhead in the sense of Nygard's "Release It!". Each caller and each database has its own limit, so that a slow
database or a busy tenant leaves places to the others.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager

from agent.core.errors import TooBusy
from agent.core.queueing import Standing, Turns

COMPARTMENT = 0.75  # share of the places and of the queue that one compartment may take
FIRST_GUESS_S = 5.0  # duration of a question, before the first has ended
WEIGHT = 0.1  # weight of the latest question in the mean duration
LONGEST_WAIT_S = 600


class Bulkhead:
    """Places for questions, and a queue for them. `behind`: the queue of a model that answers one call at a time."""

    def __init__(self, places: int, queue: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.behind: Turns | None = None
        self._places, self._queue = places, places if queue is None else queue
        self._clock, self._mean_s = clock, FIRST_GUESS_S
        self._inside, self._running = 0, 0
        self._inside_of: Counter[str] = Counter()
        self._running_of: Counter[str] = Counter()
        self._waiting: list[tuple[Admission, asyncio.Future[None]]] = []

    @property
    def waiting(self) -> int:
        """Number of admitted questions without a place."""
        return self._inside - self._running

    @property
    def standing(self) -> Standing:
        """The queue for another question. The wait is estimated from earlier questions or from the model's queue."""
        return self._standing(self.waiting)

    def _standing(self, waiting: int) -> Standing:
        wait_s = self._mean_s * (waiting + 1) / self._places
        if self.behind is not None:
            wait_s = max(wait_s, self.behind.standing.wait_s)
        return Standing(length=waiting, wait_s=round(wait_s, 1))

    @contextmanager
    def admit(self, *compartments: str) -> Iterator[Admission]:
        """Admit a question while the block runs. Raises TooBusy if the queue or a compartment's share is full."""
        most = self._places + self._queue
        share = _share(self._places) + _share(self._queue)
        if self._inside >= most or any(self._inside_of[name] >= share for name in compartments):
            raise self._busy()
        self._inside += 1
        self._inside_of.update(compartments)
        admission = Admission(self, compartments)
        try:
            yield admission
        finally:
            admission.held -= 1
            self._let_out(admission)

    def ahead(self, admission: Admission) -> Standing | None:
        """The queue for a question that wants a place now; None if one is free for it."""
        is_free = self._running < self._places and self._has_room(admission)
        return None if is_free else self._standing(len(self._waiting) + 1)  # not those who come behind it

    @asynccontextmanager
    async def place(self, admission: Admission) -> AsyncIterator[None]:
        """Wait for a place and hold it while the block runs."""
        await self._enter(admission)
        since = self._clock()
        try:
            yield
        finally:
            self._mean_s += WEIGHT * (self._clock() - since - self._mean_s)
            self._leave(admission)

    async def _enter(self, admission: Admission) -> None:
        """Wait for a place; a cancelled caller leaves the queue."""
        waits = asyncio.get_running_loop().create_future()
        self._waiting.append((admission, waits))
        self._fill()
        try:
            await waits
        except asyncio.CancelledError:
            if not waits.cancelled():  # it got a place at the same moment
                self._leave(admission)
            else:
                self._waiting.remove((admission, waits))
            raise

    def _leave(self, admission: Admission) -> None:
        """Free a place for the next in the queue."""
        self._running -= 1
        _take(self._running_of, admission.compartments)
        admission.held -= 1
        self._let_out(admission)
        self._fill()

    def _fill(self) -> None:
        """Assign the free places: first to those that hold fewest, then in order of arrival."""
        while self._running < self._places:
            open_to = [one for one in self._waiting if not one[1].done() and self._has_room(one[0])]
            if not open_to:
                return
            chosen = min(open_to, key=lambda one: self._count_taken(one[0]))
            self._waiting.remove(chosen)
            self._running += 1
            self._running_of.update(chosen[0].compartments)
            chosen[0].held += 1
            chosen[1].set_result(None)

    def _let_out(self, admission: Admission) -> None:
        """Release an admission once it is unused. Others may wait for an answer after its first caller disconnected."""
        if admission.held == 0:
            self._inside -= 1
            _take(self._inside_of, admission.compartments)

    def _has_room(self, admission: Admission) -> bool:
        return self._count_taken(admission) < _share(self._places)

    def _count_taken(self, admission: Admission) -> int:
        """Places taken in the fullest compartment of an admission."""
        return max((self._running_of[name] for name in admission.compartments), default=0)

    def _busy(self) -> TooBusy:
        standing = self.standing
        seconds = min(max(1, math.ceil(standing.wait_s)), LONGEST_WAIT_S)
        waits = {0: "", 1: " and 1 question waits"}.get(standing.length, f" and {standing.length} questions wait")
        return TooBusy(f"The service is answering all it can{waits}. Try again in {seconds} s.", seconds, standing)


class Admission:
    """An admitted question. Args: bulkhead: the one that admitted it; compartments: those it belongs to."""

    def __init__(self, bulkhead: Bulkhead, compartments: tuple[str, ...]) -> None:
        self._bulkhead, self.compartments = bulkhead, compartments
        self.held = 1  # references: by the admission itself and by its place

    @property
    def ahead(self) -> Standing | None:
        """See `Bulkhead.ahead`."""
        return self._bulkhead.ahead(self)

    def place(self) -> AbstractAsyncContextManager[None]:
        """See `Bulkhead.place`."""
        return self._bulkhead.place(self)


def _share(whole: int) -> int:
    """The share of one compartment: at least one, if `whole` is not 0."""
    return min(whole, max(1, math.floor(whole * COMPARTMENT)))


def _take(counts: Counter[str], names: tuple[str, ...]) -> None:
    """Decrement each count. Zero counts are removed, because names are unlimited."""
    counts.subtract(names)
    for name in names:
        if not counts[name]:
            del counts[name]
