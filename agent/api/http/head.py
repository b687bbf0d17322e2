"""HEAD: the headers of GET without its body."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send


def with_head(methods: Iterable[str]) -> set[str]:
    """The methods of a route, and HEAD where it takes GET."""
    return {*methods, *(["HEAD"] if "GET" in methods else [])}


class HeadRequests:
    """ASGI middleware: a route that takes GET takes HEAD."""

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
