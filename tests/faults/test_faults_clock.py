"""The wall clock is set back or forward: nobody is locked out, and nothing outlives its expiry.

What one process measures for itself (deadlines, breakers, places, schemas) is on a clock that nobody sets.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agent.core.errors import SessionBusy, TooManyRequests, UnknownSession, WriteNotMade
from agent.people.sessions.sessions import SessionMessage, Sessions
from agent.pipeline.steps.write_plans import PlannedWrite, WritePlans
from agent.platform.access.policy import Rate, RateLimiter
from agent.platform.storage.sqlite import SqliteStore

HOUR, DAY = 3600.0, 86_400.0
ANN = "ann"
PLAN = PlannedWrite(database="shop", principal=ANN, sql="DELETE FROM orders WHERE order_id = 1", rows=1, seen="")
SAID = (SessionMessage(role="user", content="How many?"), SessionMessage(role="assistant", content="5"))


class StoredReview:
    """What is kept for other processes, in one file, by a clock that is set. Args: folder: of the file."""

    def __init__(self, folder: Path) -> None:
        self.now = 1_800_000_000.0
        self.store = SqliteStore(folder / "state.sqlite", self.clock)

    def clock(self) -> float:
        return self.now

    def sessions(self) -> Sessions:
        """As another process has them."""
        return Sessions(self.store, timeout_s=2 * HOUR, wait_s=0.2, clock=self.clock)

    async def session(self, by: float) -> str:
        session = self.sessions().start("shop", ANN)
        self.sessions().append(session.id, ANN, SAID)
        self.now += by
        try:
            return "goes on" if self.sessions().get(session.id, ANN).messages == SAID else "is another"
        except UnknownSession:
            return "is over"

    async def turn(self, by: float) -> str:
        """That another process has, and does not give back meanwhile."""
        session = self.sessions().start("shop", ANN)
        async with self.sessions().turn(session.id, ANN):
            self.now += by
            try:
                async with self.sessions().turn(session.id, ANN):
                    return "is taken"
            except SessionBusy:
                return "is waited for"

    async def change(self, by: float) -> str:
        """That was planned, and is confirmed."""
        plans = WritePlans(self.store, lifetime_s=600, clock=self.clock)
        issued = plans.keep(PLAN)
        self.now += by
        try:
            return "is made" if plans.claim(issued.token, "shop", ANN) == PLAN else "is another"
        except WriteNotMade:
            return "is not made"

    async def rate(self, by: float) -> str:
        """Of a caller who had spent it, in another process."""
        self._limiter().take(ANN)
        self.now += by
        return self._asks(self._limiter())

    async def refused(self, by: float) -> str:
        """A caller who was told to come later, by this process."""
        limiter = self._limiter()
        limiter.take(ANN)
        assert self._asks(limiter) == "is refused"
        self.now += by
        return self._asks(limiter)

    def _limiter(self) -> RateLimiter:
        return RateLimiter(Rate.parse("1/hour"), lambda: self.store, self.clock)

    def _asks(self, limiter: RateLimiter) -> str:
        try:
            limiter.take(ANN)
        except TooManyRequests:
            return "is refused"
        return "may ask"


@pytest.mark.parametrize(
    "what, by, becomes",
    [
        (StoredReview.session, DAY, "is over"),
        (StoredReview.session, -DAY, "goes on"),
        (StoredReview.turn, HOUR, "is taken"),
        (StoredReview.turn, -HOUR, "is taken"),
        (StoredReview.turn, -1, "is waited for"),  # so much do the clocks of two machines differ
        (StoredReview.change, DAY, "is not made"),
        (StoredReview.change, -DAY, "is not made"),
        (StoredReview.change, -1, "is made"),
        (StoredReview.rate, DAY, "may ask"),
        (StoredReview.rate, -DAY, "may ask"),
        (StoredReview.rate, -1, "is refused"),
        (StoredReview.refused, DAY, "may ask"),
        (StoredReview.refused, -DAY, "may ask"),
        (StoredReview.refused, -1, "is refused"),
    ],
    ids=lambda value: value.__name__ if callable(value) else str(value),
)
async def test_the_clock_is_set(
    what: Callable[[StoredReview, float], Awaitable[str]], by: float, becomes: str, tmp_path: Path
) -> None:
    assert await what(StoredReview(tmp_path), by) == becomes
