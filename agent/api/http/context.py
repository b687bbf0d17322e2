"""The context of every request: its trace id, its time of arrival, and the limit on its size."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.core.callers import ANONYMOUS, to_principal
from agent.core.deadline import arriving
from agent.platform import telemetry
from agent.platform.config.settings import Settings
from agent.platform.telemetry.trace import new_trace_id, traceparent_for, traceparent_of, working_for

PRINCIPAL_HEADER = "x-ms-client-principal-name"
TRACE_HEADER = "x-trace-id"
UPLOADS = "/api/databases"  # takes data


class RequestContext:
    """ASGI middleware: gives each request a trace id, says it in the response, and stops reading what is too large.

    A body of more than `max_request_bytes`, or for uploads `upload_bytes`, ends in an HTTPException with status 413.
    """

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
    """`receive` that counts: a chunked body does not say its size beforehand."""
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
    """The caller: as the door has authenticated it, else by the name of Azure's front end, where there is one."""
    known = getattr(request.state, "principal", None)
    if known is not None:
        return str(known)
    return to_principal(request.headers.get(PRINCIPAL_HEADER, "")) if settings.trust_principal_header else ANONYMOUS
