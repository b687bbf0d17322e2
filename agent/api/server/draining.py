"""Shutdown of a server process: running requests get a grace period, new ones are refused."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.api.http.errors import refusal
from agent.core.deadline import shutting_down

LAST_WORDS_S = 2.0  # in which what has been told that it is over may say so
STILL_ALIVE = "/api/health/live"


class Draining:
    """How many requests are being answered, and whether there are to be more."""

    def __init__(self) -> None:
        self.has_begun = False
        self._running: set[asyncio.Timeout] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    def begin(self) -> None:
        """Take no further request."""
        self.has_begun = True

    async def idle(self, wait_s: float) -> bool:
        """Whether nothing is being answered any more, within so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._idle.wait()
        return self._idle.is_set()

    def cut_off(self) -> None:
        """End what is still being answered."""
        for timeout in self._running:
            timeout.reschedule(asyncio.get_running_loop().time())

    def enter(self, timeout: asyncio.Timeout) -> None:
        """A request has begun. Args: timeout: that ends it."""
        self._running.add(timeout)
        self._idle.clear()

    def leave(self, timeout: asyncio.Timeout) -> None:
        """It has ended."""
        self._running.discard(timeout)
        if not self._running:
            self._idle.set()


class DrainingRequests:
    """ASGI middleware: counts requests, refuses new ones in the end, and says 503 to who has not been answered."""

    def __init__(self, app: ASGIApp, draining: Draining) -> None:
        self.app, self.draining = app, draining

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == STILL_ALIVE:
            await self.app(scope, receive, send)
            return
        if self.draining.has_begun:
            await _refuse(scope, receive, send)
            return
        started = False

        async def send_noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        timeout = asyncio.timeout(None)
        try:
            async with timeout:
                self.draining.enter(timeout)
                try:
                    await self.app(scope, receive, send_noted)
                finally:
                    self.draining.leave(timeout)
        except TimeoutError:
            if started or not timeout.expired():
                raise
            await _refuse(scope, receive, send)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    response = refusal(shutting_down(), scope["state"]["trace_id"])
    response.headers["connection"] = "close"  # the next request of this client needs another process
    await response(scope, receive, send)
