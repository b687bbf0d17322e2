"""A model that takes its time: OpenAI's protocol, one process, and the same milliseconds for each call.

    python -m bench.load_model 0.3

Prints its address. It is asked for an order by its number, and says which one; `GET /calls` tells how many calls were
made, how many of them nobody waited for, and how many are open.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from testbed.openai_replies import completion_of, openai_app

DIMENSION = 64
_NUMBER = re.compile(r"order number (\d+)")


class SlowModel:
    """The routes. Args: delay_s: of every call to the chat model."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._calls = {"made": 0, "left": 0, "open": 0}

    def app(self) -> Starlette:
        """The server."""
        return openai_app(self._chat, lambda texts: [_vector(text) for text in texts], Route("/calls", self._tell))

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self._calls["made"] += 1
        self._calls["open"] += 1
        gone = asyncio.create_task(_hung_up(request))
        try:
            done, _ = await asyncio.wait({gone}, timeout=self._delay_s)
            self._calls["left"] += bool(done)
        finally:
            self._calls["open"] -= 1
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        return JSONResponse(completion_of(body, {"content": _reply(body)}, 900, 20))

    async def _tell(self, _request: Request) -> Response:
        return JSONResponse(self._calls)


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _reply(body: dict[str, Any]) -> str:
    """What the last message asks for: a query, a verdict or a sentence."""
    asked = body["messages"][-1]["content"]
    name = body.get("response_format", {}).get("json_schema", {}).get("name")
    if name == "verdict":
        return json.dumps({"reason": "It reads the order that was asked for.", "correct": True})
    number = _NUMBER.findall(asked)[-1]
    if name == "draft":
        sql = f"SELECT order_id, amount FROM orders WHERE order_id = {number}"
        return json.dumps({"sql": sql, "clarification": None, "choices": []})
    return f"The order has the number {number}."


def _vector(text: str) -> list[float]:
    return [(byte + 1) / 256 for byte in hashlib.sha512(text.encode()).digest()[:DIMENSION]]


class _Telling(uvicorn.Server):
    """Prints where it listens, once it does."""

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"http://127.0.0.1:{port}", flush=True)


def main(delay_s: float) -> None:
    """Serve on a free port, until the process is ended."""
    config = uvicorn.Config(SlowModel(delay_s).app(), port=0, log_config=None, ws="none", backlog=4096)
    _Telling(config).run()


if __name__ == "__main__":
    main(float(sys.argv[1]))
