"""A local server with the OpenAI protocol: it gives scripted replies and records requests."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from asgi_server import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from testbed.openai_replies import NO_MODELS, completion_of, embeddings_of

DIMENSION = 8


@dataclass(frozen=True)
class Reply:
    """One reply of the script; `held` keeps it back until the test sets it."""

    text: str
    held: asyncio.Event | None = None


class Held(asyncio.Event):
    """Holds a reply back for good; `awaited` is set when it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.awaited = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.awaited.set()
        return await super().wait()


class OpenAIServer:
    """Chat completions from a queue, embeddings from a hash.

    asked: the body of every chat request.
    looked: number of requests for the list of models, as health checks.
    hung_up: set when a caller disconnected while its reply was held.
    """

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[dict[str, Any]] = []
        self.looked = 0
        self.hung_up = asyncio.Event()
        self._script: deque[Reply] = deque()
        self._unexpected: list[str] = []

    def replies(self, text: str | dict[str, Any], *, held: asyncio.Event | None = None) -> None:
        """Queue one reply: a text, or an object that is sent as JSON."""
        self._script.append(Reply(text if isinstance(text, str) else json.dumps(text), held))

    def assert_done(self) -> None:
        """Fail where a reply was never asked for, or a question was not expected."""
        assert not self._script, f"{len(self._script)} replies were never asked for"
        assert not self._unexpected, f"not expected: {self._unexpected}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[OpenAIServer]:
        """Serve while the block runs, at `url`."""
        app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
                Route("/v1/embeddings", self._embeddings, methods=["POST"]),
                Route("/v1/models", self._models),
            ]
        )
        async with served(app) as address:
            self.url = f"{address}/v1"
            yield self

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        if not self._script:
            self._unexpected.append(body["messages"][-1]["content"])
            return JSONResponse({"error": {"message": "the script has no reply left"}}, 400)
        reply = self._script.popleft()
        if reply.held is not None and not await _first(reply.held.wait(), _left(request)):
            self.hung_up.set()
            return Response(status_code=499)
        return JSONResponse(completion_of(body, {"content": reply.text}, 10, 5))

    async def _embeddings(self, request: Request) -> Response:
        return JSONResponse(embeddings_of(await request.json(), lambda texts: [_vector(text) for text in texts]))

    async def _models(self, _request: Request) -> Response:
        self.looked += 1
        return JSONResponse(NO_MODELS)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _first(one: Any, other: Any) -> bool:
    """True when `one` ends first; the other is cancelled."""
    tasks = [asyncio.ensure_future(one), asyncio.ensure_future(other)]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    return tasks[0] in done


def _vector(text: Any) -> list[float]:
    digest = hashlib.sha256(str(text).encode()).digest()
    return [byte / 255 for byte in digest[:DIMENSION]]
