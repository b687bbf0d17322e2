"""Limits on a request's headers and its time to arrive, for every server; and the shutdown of a server process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.api.http.context import arrival_s
from agent.api.http.errors import http_problem, problem_response, refusal
from agent.core.resilience.deadline import shutting_down

MAX_HEADERS = 100
MAX_HEADER_BYTES = 32_768  # of all headers and the URL; Kestrel has the same limit, nginx 4 times 8 KiB
HEADER_OVERHEAD = 4  # `: ` and the end of the line


def is_too_large(headers: Sequence[tuple[bytes, bytes]], path: bytes = b"", query: bytes = b"") -> bool:
    """Whether the head of a request exceeds the limits."""
    if len(headers) > MAX_HEADERS:
        return True
    size = sum(len(name) + len(value) + HEADER_OVERHEAD for name, value in headers)
    return size + len(path) + len(query) > MAX_HEADER_BYTES


class RequestLimits:
    """ASGI middleware: refuses a head that is too large with 431, and a body that does not arrive in time with 408.

    The server of `serve` refuses them while they arrive (`agent.api.server.bounded`). This is for other servers.
    """

    def __init__(self, app: ASGIApp, receive_timeout_s: float) -> None:
        self.app, self.receive_timeout_s = app, receive_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if is_too_large(scope["headers"], scope.get("raw_path") or b"", scope.get("query_string") or b""):
            response = problem_response(http_problem(431, scope["state"]["trace_id"]))
            await response(scope, receive, send)
            return
        await self.app(scope, self._limit_time(receive), send)

    def _limit_time(self, receive: Receive) -> Receive:
        """`receive` with a time limit until the body is complete. Later calls wait for the disconnect."""
        began_at = asyncio.get_running_loop().time()
        read, whole = 0, False

        async def receive_in_time() -> Message:
            nonlocal read, whole
            if whole:
                return await receive()
            try:
                async with asyncio.timeout_at(began_at + arrival_s(self.receive_timeout_s, read)):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408) from None
            read += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            return message

        return receive_in_time


LAST_WORDS_S = 2.0  # time for cancelled requests to send their error
STILL_ALIVE = "/api/health/live"


class Draining:
    """The running requests, and whether new ones are accepted."""

    def __init__(self) -> None:
        self.has_begun = False
        self._running: set[asyncio.Timeout] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    def begin(self) -> None:
        """Accept no further requests."""
        self.has_begun = True

    async def idle(self, wait_s: float) -> bool:
        """Wait until no request is running, for at most `wait_s` seconds. Returns whether none is."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._idle.wait()
        return self._idle.is_set()

    def cut_off(self) -> None:
        """Cancel the running requests."""
        for timeout in self._running:
            timeout.reschedule(asyncio.get_running_loop().time())

    def enter(self, timeout: asyncio.Timeout) -> None:
        """Register a request. Args: timeout: cancels it."""
        self._running.add(timeout)
        self._idle.clear()

    def leave(self, timeout: asyncio.Timeout) -> None:
        """Unregister a request."""
        self._running.discard(timeout)
        if not self._running:
            self._idle.set()


class DrainingRequests:
    """ASGI middleware: tracks requests, refuses new ones during shutdown, and sends 503 for unanswered ones."""

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
    response.headers["connection"] = "close"  # the client's next request needs another process
    await response(scope, receive, send)
