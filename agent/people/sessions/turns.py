"""Turns in a session: messages are answered one after another, across processes.

A lock keeps the order inside a process; a renewed lease, stored with the session, between processes.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from weakref import WeakValueDictionary

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from agent.core.errors import SessionBusy, StateUnavailable, UnknownSession
from agent.core.resilience.deadline import lies_ahead
from agent.core.resilience.off_loop import run_to_its_end
from agent.core.resilience.tasks import cancel_tasks
from executors.base import Frozen

log = logging.getLogger(__name__)


class Lease(Frozen):
    """The holder of the turn. until: when it expires, in seconds since the epoch."""

    owner: str
    until: float


Change = Callable[[Lease | None], Lease | None]
# Replaces the lease of a session, by id and principal, with the result of a change. On an error it stays unchanged.
Leases = Callable[[str, str, Change], None]


class _NotMine(Exception):
    """Another message has the turn."""


class Turns:
    """The turns of all sessions, with a lease of `lease_s` seconds that is renewed; `leases` blocks."""

    def __init__(self, leases: Leases, *, wait_s: float, lease_s: float, clock: Callable[[], float]) -> None:
        self._leases, self._wait_s, self._lease_s, self._clock = leases, wait_s, lease_s, clock
        self._locks: WeakValueDictionary[tuple[int, str, str], asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, session_id: str, principal: str) -> AsyncIterator[None]:
        deadline = time.monotonic() + self._wait_s
        # One lock per principal, so that callers who may not know of a session do not wait for it.
        key = (id(asyncio.get_running_loop()), session_id, principal.casefold())
        lock = self._locks.setdefault(key, asyncio.Lock())
        try:
            async with asyncio.timeout(self._wait_s):
                await lock.acquire()
        except TimeoutError as error:
            raise _busy() from error
        owner = uuid.uuid4().hex
        try:
            await self._take(session_id, principal, owner, deadline - time.monotonic())
            renewing = asyncio.create_task(self._renew(session_id, principal, owner))
            try:
                yield
            finally:
                await cancel_tasks(renewing)
        finally:
            try:
                await self._give_back(session_id, principal, owner)
            finally:
                lock.release()

    async def _take(self, session_id: str, principal: str, owner: str, wait_s: float) -> None:
        """Wait for the lease. Raises SessionBusy, UnknownSession, StateUnavailable."""

        def change(lease: Lease | None) -> Lease:
            if lease is not None and lease.owner != owner and self._holds(lease):
                raise _NotMine
            return self._lease_of(owner)

        tries = AsyncRetrying(
            retry=retry_if_exception_type(_NotMine),
            wait=wait_random_exponential(multiplier=0.05, max=0.5),
            stop=stop_after_delay(wait_s),
            reraise=True,
        )
        try:
            await tries(run_to_its_end, partial(self._leases, session_id, principal, change))
        except _NotMine as error:
            raise _busy() from error

    def _holds(self, lease: Lease) -> bool:
        now = self._clock()
        return lease.until >= now and not lies_ahead(lease.until, now, self._lease_s)

    async def _renew(self, session_id: str, principal: str, owner: str) -> None:
        """Keep the lease until cancelled, or until it lapsed and was taken over."""

        def change(lease: Lease | None) -> Lease:
            if lease is None or lease.owner != owner:
                raise _NotMine
            return self._lease_of(owner)

        while True:
            await asyncio.sleep(self._lease_s / 3)
            try:
                await run_to_its_end(partial(self._leases, session_id, principal, change))
            except StateUnavailable as error:
                log.warning("The turn in a session could not be kept: %s", error)
            except (_NotMine, UnknownSession):
                return

    async def _give_back(self, session_id: str, principal: str, owner: str) -> None:
        """End the lease, if there is one. If that fails, the lease expires, and the answer is not lost."""

        def change(lease: Lease | None) -> None:
            if lease is None or lease.owner != owner:
                raise _NotMine

        try:
            with suppress(_NotMine, UnknownSession):
                await run_to_its_end(partial(self._leases, session_id, principal, change))
        except StateUnavailable as error:
            log.warning("The turn in a session could not be given back: %s", error)

    def _lease_of(self, owner: str) -> Lease:
        return Lease(owner=owner, until=self._clock() + self._lease_s)


def _busy() -> SessionBusy:
    return SessionBusy(
        "This session is still answering another message. Wait for its answer, then send this message again."
    )
