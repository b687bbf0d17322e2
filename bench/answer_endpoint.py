"""A fast hosted model: an OpenAI endpoint with 300 ms to the first token and 40 tokens a second.

    python -m bench.answer_endpoint CASES.json FIRST_S TOKENS_A_SECOND

It knows the query of each question, streams where it is asked to, and counts as cached what a prompt shares with an
earlier one, as OpenAI does: from 1,024 tokens on, in steps of 128. Prints its address, and serves until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from bench.endpoint import DIMENSION, reply_to, serve
from testbed.embedder import HashingEmbedder
from testbed.openai_replies import completion_of, openai_app

CHARS = 4  # of a token
_LEAST, _STEP = 1024, 128  # tokens: OpenAI, "Prompt caching"
_PLAIN = "Reply with the query alone"  # of the one plain call


class Paced:
    """The routes.

    Args:
        queries: by question.
        first_s: until the first token.
        rate: tokens a second from then on.
    """

    def __init__(self, queries: Mapping[str, str], first_s: float, rate: float) -> None:
        self._queries, self._first_s, self._rate = queries, first_s, rate
        self._prompts: dict[str, list[str]] = {}  # by the caller's key: each has its own cache

    def app(self) -> Starlette:
        """The server."""
        return openai_app(self._chat, HashingEmbedder(dimension=DIMENSION).embed)

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        text = self._reply_to(body)
        prompt = "\n".join(str(message["content"]) for message in body["messages"])
        cached = self._cached(prompt, request.headers.get("authorization", ""))
        pieces = [text[at : at + CHARS] for at in range(0, len(text), CHARS)]
        usage = completion_of(
            body, {"content": text}, len(prompt) // CHARS, len(pieces), prompt_tokens_details={"cached_tokens": cached}
        )
        if body.get("stream"):
            return StreamingResponse(self._pieces(pieces, usage), media_type="text/event-stream")
        await asyncio.sleep(self._first_s + len(pieces) / self._rate)
        return JSONResponse(usage)

    async def _pieces(self, pieces: list[str], whole: Mapping[str, Any]) -> AsyncIterator[str]:
        head = {"id": "chat-1", "object": "chat.completion.chunk", "created": 0, "model": whole["model"]}
        began = asyncio.get_running_loop().time() + self._first_s
        for number, piece in enumerate(pieces, 1):  # by the clock: the time to send does not slow the pace
            await asyncio.sleep(began + number / self._rate - asyncio.get_running_loop().time())
            choice = {"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}
            yield f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"
        end = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        yield f"data: {json.dumps(end)}\n\n"
        yield f"data: {json.dumps({**head, 'choices': [], 'usage': whole['usage']})}\n\n"
        yield "data: [DONE]\n\n"

    def _reply_to(self, body: Mapping[str, Any]) -> str:
        asked = str(body["messages"][-1]["content"])
        if _PLAIN in asked and "response_format" not in body:
            question = max((it for it in self._queries if it in asked), key=len, default="")
            return f"```sql\n{self._queries.get(question, '')}\n```"
        schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
        return reply_to(body["messages"], schema, self._queries)

    def _cached(self, prompt: str, caller: str) -> int:
        """Tokens that the prompt shares with one that the caller sent before."""
        earlier = self._prompts.setdefault(caller, [])
        shared = max((_shared(prompt, it) for it in earlier), default=0) // CHARS
        earlier.append(prompt)
        return shared // _STEP * _STEP if shared >= _LEAST else 0


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


if __name__ == "__main__":
    known = dict(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    asyncio.run(serve(Paced(known, float(sys.argv[2]), float(sys.argv[3])).app()))
