"""Access control of the HTTP interface: identity, rates, origins, and the security headers for browsers."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.api.http.context import TRACE_HEADER
from agent.api.http.errors import describe_errors, refusal
from agent.api.http.export import ROW_HEADERS
from agent.core.errors import AccessInvalid, NotAuthenticated, NotPermitted, StateUnavailable, TooManyRequests
from agent.platform.access.policy import KEY_HEADERS, Access, CallerRequest, Mode

COUNTED = ("POST", "PUT", "PATCH")  # methods that cause work of the model or a database; plain reads are cheap
REFUSALS = (AccessInvalid, NotAuthenticated, NotPermitted, StateUnavailable, TooManyRequests)
EXPOSED = (
    "idempotent-replayed",
    TRACE_HEADER,
    "location",
    "retry-after",
    "www-authenticate",
    "content-disposition",
    "etag",
    *ROW_HEADERS,
)
ACCEPTED = (
    "authorization",
    *KEY_HEADERS,
    "content-type",
    "traceparent",
    "tracestate",
    "last-event-id",
    "if-match",
    "idempotency-key",
)
HTML_POLICY = "default-src 'none'; frame-ancestors 'none'"  # for pages without their own policy

log = logging.getLogger(__name__)


class Door:
    """ASGI middleware: admits only known callers, within their rate limits; `open_paths` are public."""

    def __init__(self, app: ASGIApp, access: Access, open_paths: frozenset[str]) -> None:
        self.app, self.access, self.open_paths = app, access, open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or (scope["type"] == "http" and self._is_open(scope)):
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})  # there are no websocket routes, so all are refused
            return
        try:
            principal = self.access.policy(CallerRequest.of(scope))
            scope["state"]["principal"] = principal
            if self.access.limiter is not None and scope["method"] in COUNTED:
                await asyncio.to_thread(self.access.limiter.take, principal)
        except REFUSALS as error:
            self._log(scope, error)
            await refusal(error, scope["state"]["trace_id"])(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        return scope["path"] in self.open_paths and scope["method"] in ("GET", "HEAD")

    def _log(self, scope: Scope, error: Exception) -> None:
        """Log the caller and the reason of a refusal, but never the request's content."""
        if isinstance(error, AccessInvalid | StateUnavailable):
            return  # logged with its problem document
        client = scope.get("client") or ("unknown",)
        log.warning("Refused %s, trace_id=%s: %s", client[0], scope["state"]["trace_id"], type(error).__name__)


async def count(request: Request) -> None:
    """Count a request that causes database work despite its method. Raises TooManyRequests."""
    access: Access | None = request.app.state.access
    if access is not None and access.limiter is not None:
        await asyncio.to_thread(access.limiter.take, request.state.principal)


class BrowserHeaders:
    """ASGI middleware: headers against sniffing, caching and framing in browsers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["x-content-type-options"] = "nosniff"
                headers.setdefault("cache-control", "no-store")
                headers["referrer-policy"] = "no-referrer"
                if headers.get("content-type", "").startswith("text/html"):
                    headers.setdefault("content-security-policy", HTML_POLICY)
                    headers["x-frame-options"] = "DENY"
            await send(message)

        await self.app(scope, receive, send_with_headers)


def add_guards(app: FastAPI, access: Access | None, open_paths: frozenset[str]) -> None:
    """Put the door before the routes, and CORS preflights before the door. Without `access` there is no door."""
    if access is not None:
        app.add_middleware(Door, access=access, open_paths=open_paths)
        if access.pages:
            app.add_middleware(
                CORSMiddleware,
                allow_origins=access.pages,
                allow_methods=("GET", "POST", "PUT", "PATCH", "DELETE"),
                allow_headers=ACCEPTED,
                allow_credentials=access.sends_cookies,
                expose_headers=EXPOSED,
            )
    app.add_middleware(BrowserHeaders)


BEARER, API_KEY, FUNCTION_KEY = "bearer", "apiKey", "functionKey"
SCHEMES: dict[str, dict[str, str]] = {
    BEARER: {"type": "http", "scheme": "bearer", "description": "An API key, or an Entra ID token."},
    API_KEY: {"type": "apiKey", "in": "header", "name": KEY_HEADERS[0], "description": "An API key."},
    FUNCTION_KEY: {
        "type": "apiKey",
        "in": "header",
        "name": KEY_HEADERS[1],
        "description": "A function key of the app.",
    },
}
ACCEPTED_BY: dict[Mode, list[dict[str, list[str]]]] = {
    "none": [{}],
    "api_keys": [{BEARER: []}, {API_KEY: []}, {FUNCTION_KEY: []}],
    "functions": [{FUNCTION_KEY: []}],
    "entra": [{BEARER: []}],
}


def with_security(contract: dict[str, Any], mode: Mode) -> dict[str, Any]:
    """Add the security schemes to the OpenAPI description, and the errors of access control to closed routes."""
    contract.setdefault("components", {})["securitySchemes"] = SCHEMES
    for path in contract["paths"].values():
        for method, operation in path.items():
            if operation.get("x-auth-level") == "ANONYMOUS":
                operation["security"] = []
                continue
            operation["security"] = ACCEPTED_BY[mode]
            refused = (
                describe_errors(401, 403, 429, 503) if method.upper() in COUNTED else describe_errors(401, 403, 503)
            )
            for status, described in refused.items():
                operation["responses"].setdefault(str(status), described)
    return contract
