"""A receiver of webhooks: records requests and gives scripted responses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from asgi_server import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


@dataclass
class Delivery:
    """One request. `path` has its query."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """answers: statuses of the next requests; 204 of all others."""

    url: str = ""
    got: list[Delivery] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)

    async def take(self, request: Request) -> Response:
        """Any POST."""
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        self.got.append(Delivery(path, dict(request.headers), await request.body()))
        status = self.answers.pop(0) if self.answers else 204
        return Response(status_code=status, headers={"location": f"{self.url}/moved"} if 300 <= status < 400 else {})


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver at its `url`, `http://127.0.0.1:port`, while the block runs."""
    receiver = Receiver()
    async with served(Starlette(routes=[Route("/{path:path}", receiver.take, methods=["POST"])])) as url:
        receiver.url = url
        yield receiver
