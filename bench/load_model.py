"""A slow model: OpenAI's protocol, one process, and the same milliseconds for each call.

    python -m bench.load_model 0.3 [TOKENS_A_MINUTE]

Prints its address. Prompts ask for an order by number; the reply names it. `GET /calls` returns how many calls were
made, abandoned, open and refused. Like OpenAI, it refuses calls beyond its tokens a minute; without that argument it
has no limit.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
import time
from collections.abc import Mapping
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from testbed.openai_replies import completion_of, openai_app

DIMENSION = 64
_PROMPT, _REPLY = 900, 20  # tokens of a call
_WINDOW_S = 60.0
_NUMBER = re.compile(r"order number (\d+)")


class Budget:
    """Tokens of a minute, which come back all at once. Args: most: of them; 0: without limit."""

    def __init__(self, most: int) -> None:
        self._most, self._left, self._ends_at = most, most, 0.0

    def take(self, tokens: int) -> tuple[bool, Mapping[str, str]]:
        """Take tokens if enough are left; returns whether they were, and the response headers."""
        if not self._most:
            return True, {}
        now = time.monotonic()
        if now >= self._ends_at:
            self._left, self._ends_at = self._most, now + _WINDOW_S
        fits = tokens <= self._left
        self._left -= tokens if fits else 0
        said = {"limit": str(self._most), "remaining": str(self._left), "reset": f"{self._ends_at - now:.3f}s"}
        return fits, {f"x-ratelimit-{name}-tokens": value for name, value in said.items()}


class SlowModel:
    """The routes. Args: delay_s: of every call to the chat model; budget: of its tokens."""

    def __init__(self, delay_s: float, budget: Budget) -> None:
        self._delay_s, self._budget = delay_s, budget
        self._calls = {"made": 0, "left": 0, "open": 0, "refused": 0}

    def app(self) -> Starlette:
        """The server."""
        return openai_app(self._chat, lambda texts: [_vector(text) for text in texts], Route("/calls", self._tell))

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self._calls["made"] += 1
        fits, headers = self._budget.take(_PROMPT + _REPLY)
        if not fits:
            self._calls["refused"] += 1
            return JSONResponse({"error": {"message": "Too many tokens.", "code": "rate_limit"}}, 429, headers)
        self._calls["open"] += 1
        gone = asyncio.create_task(_hung_up(request))
        try:
            done, _ = await asyncio.wait({gone}, timeout=self._delay_s)
            self._calls["left"] += bool(done)
        finally:
            self._calls["open"] -= 1
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        return JSONResponse(completion_of(body, {"content": _reply(body)}, _PROMPT, _REPLY), headers=headers)

    async def _tell(self, _request: Request) -> Response:
        return JSONResponse(self._calls)


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _reply(body: dict[str, Any]) -> str:
    """The reply to the last message: a query, a verdict or a sentence."""
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


def main(delay_s: float, tokens_a_minute: int = 0) -> None:
    """Serve on a free port, until the process is ended."""
    app = SlowModel(delay_s, Budget(tokens_a_minute)).app()
    _Telling(uvicorn.Config(app, port=0, log_config=None, ws="none", backlog=4096)).run()


if __name__ == "__main__":
    main(float(sys.argv[1]), *map(int, sys.argv[2:]))
