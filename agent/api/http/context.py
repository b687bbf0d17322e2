"""The context of every request: its trace id, arrival, caller and size limit; and HEAD as GET."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Depends
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.core import callers
from agent.core.resilience.deadline import arriving
from agent.platform import telemetry
from agent.platform.config.settings import Settings
from agent.platform.telemetry.trace import new_trace_id, traceparent_for, traceparent_of, working_for

PRINCIPAL_HEADER = "x-ms-client-principal-name"
TRACE_HEADER = "x-trace-id"
UPLOADS = "/api/databases"  # accepts uploads


class RequestContext:
    """ASGI middleware: gives each request a trace id, and refuses requests that are too large with 413."""

    def __init__(self, app: ASGIApp, max_request_bytes: int, upload_bytes: int = 0) -> None:
        self.app, self.max_request_bytes, self.upload_bytes = app, max_request_bytes, upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        traceparent = telemetry.get().traceparent() or traceparent_of(headers.get("traceparent", ""))
        traceparent = traceparent or traceparent_for(new_trace_id())
        trace_id = traceparent[3:35]
        scope.setdefault("state", {})["trace_id"] = trace_id

        async def send_traced(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[TRACE_HEADER] = trace_id
            await send(message)

        with working_for(traceparent), arriving():
            uploads = scope["method"] == "POST" and scope["path"] == UPLOADS
            most = max(self.upload_bytes, self.max_request_bytes) if uploads else self.max_request_bytes
            await self.app(scope, _limit(receive, headers, most), send_traced)


def _limit(receive: Receive, headers: Headers, most: int) -> Receive:
    """`receive` that counts bytes: a chunked body does not declare its size."""
    declared = headers.get("content-length", "")
    refused = declared.isascii() and declared.isdigit() and int(declared) > most
    read = 0

    async def receive_limited() -> Message:
        nonlocal read
        if refused:
            raise HTTPException(413)
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            raise HTTPException(413)
        return message

    return receive_limited


def trace_id_of(request: Request) -> str:
    """The request's trace id, 32 hexadecimal digits."""
    return str(request.state.trace_id)


def principal_of(request: Request, settings: Settings) -> str:
    """The caller, as authenticated by the door, else the trusted front end's name, if any."""
    known = getattr(request.state, "principal", None)
    if known is not None:
        return str(known)
    vouched = request.headers.get(PRINCIPAL_HEADER, "") if settings.trust_principal_header else ""
    return callers.to_principal(vouched)


BODY_BYTES_A_SECOND = 16_384  # minimum rate at which a body must arrive


def arrival_s(timeout_s: float, body_bytes: int) -> float:
    """Seconds that a request may take to arrive, if `body_bytes` of its body have arrived."""
    return timeout_s + body_bytes / BODY_BYTES_A_SECOND


def with_head(methods: Iterable[str]) -> set[str]:
    """The methods of a route, with HEAD if it has GET."""
    return {*methods, *(["HEAD"] if "GET" in methods else [])}


class HeadRequests:
    """ASGI middleware: routes with GET also accept HEAD."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"}, receive, send_head)


# The authorization level of a route's Azure function.
FUNCTION: dict[str, Any] = {"x-auth-level": "FUNCTION"}
ANONYMOUS: dict[str, Any] = {"x-auth-level": "ANONYMOUS"}

TraceId = Annotated[str, Depends(trace_id_of)]
