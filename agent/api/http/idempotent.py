"""`Idempotency-Key`: a POST that creates or changes something is done once, however often it is sent."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.api.http.context import principal_of
from agent.api.http.errors import http_problem, problem_response, refusal
from agent.api.http.lazy_service import LazyService
from agent.core.errors import PlumblineError, StateUnavailable
from agent.storage.idempotency import Claim, Idempotency, StoredResponse
from executors.errors import ExecutorError

HEADER, REPLAYED = "idempotency-key", "idempotent-replayed"
MAX_CHARS = 255
# Operations that create or change something, or take a model's time to do it.
ASKING = ("query", "query_stream", "chat", "chat_stream", "generate", "generate_stream")
CHANGING = (
    "start_session",
    "new_session",
    "feedback",
    "settle_review",
    "save_query",
    "add_documents",
    "index_database",
)
TAKING = frozenset((*ASKING, *CHANGING))
EVENTS = "text/event-stream"
END = re.compile(rb'^(?:event: done\r?$|data: \{"event": ?"done")', re.MULTILINE)
OF_THE_WAY = frozenset({"x-trace-id", "date", "server", "connection", "transfer-encoding", "content-length"})
FIRST_ERROR = 400

PARAMETER: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A name of your own for this request. Sent again with the same key and body, it is not done again: "
    "the response is the first one, with the header `Idempotent-Replayed: true`.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_CHARS, "pattern": "^[!-~]+$"},
    "example": "8e03978e-40d5-43dd-bc93-6894a57f9324",
}

log = logging.getLogger(__name__)


class IdempotentRequests:
    """ASGI middleware: answers a request that was answered before with the response that it had.

    What failed is not kept: it may be sent again. A stream is kept when its last event was `done`.

    Args:
        app: the routes.
        lazy: the service, whose state store keeps the responses.
        routes: of the app.
    """

    def __init__(self, app: ASGIApp, lazy: LazyService, routes: Sequence[BaseRoute]) -> None:
        self.app, self._lazy, self._routes = app, lazy, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get(HEADER) if scope["type"] == "http" and scope["method"] == "POST" else None
        if key is None or self._operation(scope) not in TAKING:
            await self.app(scope, receive, send)
            return
        trace_id = scope["state"]["trace_id"]
        if not 1 <= len(key) <= MAX_CHARS or not all("!" <= sign <= "~" for sign in key):
            await _bad_key(trace_id)(scope, receive, send)
            return
        try:
            body = await _read(receive)
            service = await self._lazy.get()
            store = service.idempotency
            principal = principal_of(Request(scope), service.settings)
            found = await asyncio.to_thread(store.begin, principal, key, _fingerprint(scope, body))
        except (PlumblineError, ExecutorError) as error:
            await refusal(error, trace_id)(scope, receive, send)
            return
        except HTTPException as error:
            await problem_response(http_problem(error.status_code, trace_id))(scope, receive, send)
            return
        if isinstance(found, StoredResponse):
            await _replay(found, send)
            return
        await self._answer(scope, _again(body, receive), send, store, found)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, store: Idempotency, claim: Claim) -> None:
        """Have the request answered; keep the response before its last byte is sent, so that nobody has it unkept."""
        heard = _Heard(store, claim, send)
        try:
            await self.app(scope, receive, heard.send)
        finally:
            if not heard.is_stored:  # it failed, or nobody listens any more
                await asyncio.shield(asyncio.create_task(_forgotten(store, claim)))

    def _operation(self, scope: Scope) -> str:
        for route in self._routes:
            if route.matches(scope)[0] is Match.FULL:
                return getattr(route, "operation_id", None) or ""
        return ""


class _Heard:
    """What is sent, and heard on its way.

    Args:
        store: where a response goes.
        claim: of the request.
        send: to the caller.
    """

    def __init__(self, store: Idempotency, claim: Claim, send: Send) -> None:
        self._store, self._claim, self._send = store, claim, send
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
        try:
            await asyncio.to_thread(self._store.finish, self._claim, StoredResponse(self._status, headers, body))
        except StateUnavailable as error:
            log.warning("The response to a request with an Idempotency-Key was not kept: %s", error)
            return
        self.is_stored = True


async def _forgotten(store: Idempotency, claim: Claim) -> None:
    try:
        await asyncio.to_thread(store.forget, claim)
    except StateUnavailable as error:
        log.warning("A request that failed keeps its Idempotency-Key for a while: %s", error)


async def _read(receive: Receive) -> bytes:
    """The whole body. Raises HTTPException: it is too large, or does not come."""
    pieces, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HTTPException(408)
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(pieces)


def _again(body: bytes, receive: Receive) -> Receive:
    """`receive` as if the body had not been read yet."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return pending.pop() if pending else await receive()

    return receive_again


def _fingerprint(scope: Scope, body: bytes) -> str:
    """Of all that the response depends on."""
    accept = Headers(scope=scope).get("accept", "")
    request_text = "\n".join((scope["path"], scope["query_string"].decode("latin-1"), accept))
    return hashlib.sha256(request_text.encode() + b"\n\n" + body).hexdigest()


async def _replay(reply: StoredResponse, send: Send) -> None:
    headers = [*reply.headers, (REPLAYED, "true"), ("content-length", str(len(reply.body)))]
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": raw})
    await send({"type": "http.response.body", "body": reply.body})


def _bad_key(trace_id: str) -> ASGIApp:
    detail = f"Idempotency-Key: send 1 to {MAX_CHARS} visible characters of ASCII, such as a UUID."
    errors = [{"field": "Idempotency-Key", "message": f"1 to {MAX_CHARS} visible characters of ASCII"}]
    return problem_response(http_problem(422, trace_id, detail=detail, errors=errors))
