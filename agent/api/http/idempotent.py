"""`Idempotency-Key`: a POST that creates or changes something is carried out once, even if it is sent repeatedly."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.api.http.context import principal_of
from agent.api.http.errors import http_problem, problem_response, refusal
from agent.api.http.lazy_service import LazyService
from agent.core.errors import KeyReused, PlumblineError, StateUnavailable
from agent.core.resilience.off_loop import run_to_its_end
from agent.core.resilience.tasks import cancel_tasks
from agent.platform.storage.idempotency import LEASE_S, REUSED, Claim, Idempotency, StoredResponse
from executors.errors import ExecutorError

HEADER, REPLAYED = "idempotency-key", "idempotent-replayed"
MAX_CHARS = 255
# Operations that create or change something, or use a model's or a database's time.
ASKING = ("query", "query_stream", "execute", "run_saved_query", "chat", "chat_stream", "generate", "generate_stream")
CHANGING = (
    "start_session",
    "new_session",
    "feedback",
    "settle_review",
    "save_query",
    "add_documents",
    "index_database",
)
# Operations whose body is written to disk as it arrives. It is compared by digest and never held in memory.
STREAMED = ("upload_database",)
TAKING = frozenset((*ASKING, *CHANGING, *STREAMED))
EVENTS = "text/event-stream"
END = re.compile(rb'^(?:event: done\r?$|data: \{"event": ?"done")', re.MULTILINE)
OF_THE_WAY = frozenset({"x-trace-id", "date", "server", "connection", "transfer-encoding", "content-length"})
FIRST_ERROR = 400

PARAMETER: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A unique value for this request. A second request with the same key and body is not carried out "
    "again; it returns the first response, with the header `Idempotent-Replayed: true`.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_CHARS, "pattern": "^[!-~]+$"},
    "example": "8e03978e-40d5-43dd-bc93-6894a57f9324",
}

log = logging.getLogger(__name__)


class IdempotentRequests:
    """ASGI middleware: repeats the response to an earlier request, unless it failed or its stream was incomplete."""

    def __init__(self, app: ASGIApp, lazy: LazyService, routes: Sequence[BaseRoute]) -> None:
        self.app, self._lazy, self._routes = app, lazy, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get(HEADER) if scope["type"] == "http" and scope["method"] == "POST" else None
        operation = self._operation(scope) if key is not None else ""
        if key is None or operation not in TAKING:
            await self.app(scope, receive, send)
            return
        trace_id = scope["state"]["trace_id"]
        if not 1 <= len(key) <= MAX_CHARS or not all("!" <= sign <= "~" for sign in key):
            await _bad_key(trace_id)(scope, receive, send)
            return
        body = _Body(receive, is_buffered=operation not in STREAMED)
        try:
            if body.is_buffered:
                await body.read()
            service = await self._lazy.get()
            store = service.idempotency
            principal = principal_of(Request(scope), service.settings)
            found = await asyncio.to_thread(store.begin, principal, key, _fingerprint(scope, body))
            if isinstance(found, StoredResponse) and not body.is_buffered:
                await body.read()
                if body.digest != found.digest:
                    raise KeyReused(REUSED)
        except (PlumblineError, ExecutorError) as error:
            await refusal(error, trace_id)(scope, receive, send)
            return
        except HTTPException as error:
            await problem_response(http_problem(error.status_code, trace_id))(scope, receive, send)
            return
        if isinstance(found, StoredResponse):
            await _replay(found, send)
            return
        # The response is stored before its last byte is sent, so that no client has an unstored one.
        recorded = _RecordedResponse(store, found, send, body)
        renewing = asyncio.create_task(_renew(store, found))
        try:
            await self.app(scope, body.receive, recorded.send)
        finally:
            await asyncio.shield(asyncio.create_task(_end(store, found, renewing, is_stored=recorded.is_stored)))

    def _operation(self, scope: Scope) -> str:
        for route in self._routes:
            if route.matches(scope)[0] is Match.FULL:
                return getattr(route, "operation_id", None) or ""
        return ""


class _Body:
    """The body of a request: buffered and replayed, or only digested as it passes."""

    def __init__(self, receive: Receive, *, is_buffered: bool) -> None:
        self.is_buffered = is_buffered
        self._receive, self._digest = receive, hashlib.sha256()
        self._pieces: list[bytes] = []
        self._pending: list[Message] = []

    @property
    def digest(self) -> str:
        """The hexadecimal digest of the body so far."""
        return self._digest.hexdigest()

    async def read(self) -> None:
        """Read the whole body. Raises HTTPException if it is too large or does not arrive."""
        more = True
        while more:
            message = await self._next()
            if message["type"] == "http.disconnect":
                raise HTTPException(408)
            more = message.get("more_body", False)
        self._pending = [{"type": "http.request", "body": b"".join(self._pieces), "more_body": False}]

    async def receive(self) -> Message:
        """`receive` for the routes, as if nothing had been read."""
        return self._pending.pop() if self._pending else await self._next()

    async def _next(self) -> Message:
        message = await self._receive()
        piece = message.get("body", b"")
        self._digest.update(piece)
        if self.is_buffered:
            self._pieces.append(piece)
        return message


class _RecordedResponse:
    """Sends a response and records it."""

    def __init__(self, store: Idempotency, claim: Claim, send: Send, body: _Body) -> None:
        self._store, self._claim, self._send, self._body = store, claim, send, body
        self._status, self._headers = 0, Headers()
        self._pieces: list[bytes] = []
        self.is_stored = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], Headers(raw=message["headers"])
        elif message["type"] == "http.response.body":
            self._pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._keep()
        await self._send(message)

    async def _keep(self) -> None:
        body = b"".join(self._pieces)
        streams = self._headers.get("content-type", "").startswith(EVENTS)
        if self._status >= FIRST_ERROR or (streams and END.search(body) is None):
            return
        headers = [(name, value) for name, value in self._headers.items() if name not in OF_THE_WAY]
        response = StoredResponse(self._status, headers, body, "" if self._body.is_buffered else self._body.digest)
        try:
            self.is_stored = await asyncio.to_thread(self._store.finish, self._claim, response)
        except StateUnavailable as error:
            log.warning("The response to a request with an Idempotency-Key was not kept: %s", error)


async def _renew(store: Idempotency, claim: Claim) -> None:
    """Keep a claim until cancelled, or until it has lapsed."""
    while True:
        await asyncio.sleep(LEASE_S / 3)
        try:
            if not await run_to_its_end(partial(store.renew, claim)):
                return
        except StateUnavailable as error:
            log.warning("The Idempotency-Key of a running request was not renewed: %s", error)


async def _end(store: Idempotency, claim: Claim, renewing: asyncio.Task[None], *, is_stored: bool) -> None:
    """End the renewals, and release the claim of a request that failed or whose client disconnected."""
    await cancel_tasks(renewing)
    if is_stored:
        return
    try:
        await asyncio.to_thread(store.forget, claim)
    except StateUnavailable as error:
        log.warning("A request that failed keeps its Idempotency-Key for a while: %s", error)


def _fingerprint(scope: Scope, body: _Body) -> str:
    """A hash of everything that the response depends on, except an unbuffered body."""
    accept = Headers(scope=scope).get("accept", "")
    known = (scope["path"], scope["query_string"].decode("latin-1"), accept, body.digest if body.is_buffered else "")
    return hashlib.sha256("\n".join(known).encode()).hexdigest()


async def _replay(reply: StoredResponse, send: Send) -> None:
    headers = [*reply.headers, (REPLAYED, "true"), ("content-length", str(len(reply.body)))]
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": raw})
    await send({"type": "http.response.body", "body": reply.body})


def _bad_key(trace_id: str) -> ASGIApp:
    detail = f"Idempotency-Key: send 1 to {MAX_CHARS} visible characters of ASCII, such as a UUID."
    errors = [{"field": "Idempotency-Key", "message": f"1 to {MAX_CHARS} visible characters of ASCII"}]
    return problem_response(http_problem(422, trace_id, detail=detail, errors=errors))
