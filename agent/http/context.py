"""Around every request: its trace id, and the limit on its size."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent import telemetry
from agent.callers import ANONYMOUS, named
from agent.settings import Settings
from agent.telemetry.trace import traceparent_for, traceparent_of, working_for
from agent.trace_ids import new_trace_id

PRINCIPAL_HEADER = "x-ms-client-principal-name"
TRACE_HEADER = "x-trace-id"


class RequestContext:
    """ASGI middleware: gives each request a trace id, says it in the response, and stops reading what is too large.

    Args:
        app: what is wrapped.
        max_request_bytes: a body larger than this ends in an HTTPException with status 413.
    """

    def __init__(self, app: ASGIApp, max_request_bytes: int) -> None:
        self.app, self.max_request_bytes = app, max_request_bytes

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

        with working_for(traceparent):
            await self.app(scope, self._limited(receive, headers), send_traced)

    def _limited(self, receive: Receive, headers: Headers) -> Receive:
        """`receive` that counts: a chunked body does not say its size beforehand."""
        declared = headers.get("content-length", "")
        read = int(declared) if declared.isascii() and declared.isdigit() else 0
        refused = read > self.max_request_bytes
        read = 0

        async def receive_limited() -> Message:
            nonlocal read
            if refused:
                raise HTTPException(413)
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.max_request_bytes:
                raise HTTPException(413)
            return message

        return receive_limited


def trace_id_of(request: Request) -> str:
    """The request's trace id, 32 hexadecimal digits."""
    return str(request.state.trace_id)


def principal_of(request: Request, settings: Settings) -> str:
    """Who asks, as the door has found out; where there is none, by the name that Azure's front end gives.

    Args:
        request: whose headers are believed only where there is such a front end.
        settings: say whether there is (`trust_principal_header`).
    """
    known = getattr(request.state, "principal", None)
    if known is not None:
        return str(known)
    return named(request.headers.get(PRINCIPAL_HEADER, "")) if settings.trust_principal_header else ANONYMOUS
