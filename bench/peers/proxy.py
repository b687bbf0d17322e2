"""The one model that all peers ask: an OpenAI endpoint that counts calls and tokens.

    python -m bench.peers.proxy CASES.json scripted|embedded

`scripted` knows the query of each question and answers at once, each kind of prompt as its sender expects it.
`embedded` hands every prompt to the embedded model. Embeddings are hashes of words in both. Prints its address, and
serves until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agent.core.errors import ModelError
from agent.core.usage import Usage
from agent.platform.config.settings import get_settings
from agent.platform.llm.chat import Message, Reply, ReplySchema
from agent.platform.llm.embedded import EmbeddedModel
from bench.endpoint import DIMENSION, reply_to, sentence_of, serve
from testbed.embedder import HashingEmbedder
from testbed.openai_replies import completion_of, openai_app

MODEL_S = 600.0  # for one reply of the embedded model
_CHARS_PER_TOKEN = 4  # of the scripted model: only the size of prompts is compared
Messages = Sequence[Mapping[str, Any]]


class Scripted:
    """Answers each prompt as its sender expects it. Args: queries: by question."""

    def __init__(self, queries: Mapping[str, str]) -> None:
        self._queries = queries

    async def reply(self, messages: Messages, body: Mapping[str, Any]) -> Reply:
        """The next message."""
        schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
        prompt = "\n".join(str(message["content"]) for message in messages)
        text = reply_to(messages, schema, self._queries) if schema else self._reply_to(prompt)
        usage = Usage(
            model_calls=1,
            prompt_tokens=len(prompt) // _CHARS_PER_TOKEN,
            completion_tokens=len(text) // _CHARS_PER_TOKEN,
        )
        return Reply(text=text, usage=usage)

    def _reply_to(self, prompt: str) -> str:
        question = max((it for it in self._queries if it in prompt), key=prompt.rfind, default="")
        query = self._queries.get(question, "")
        if "Action Input:" in prompt:  # a ReAct agent, as LangChain's
            return _react(prompt, query)
        if "from these rows" in prompt:
            return sentence_of(prompt)  # is checked against the rows
        if any(words in prompt for words in _WANTS_SENTENCE):
            return "These are the rows that were asked for."
        return query if "SQLQuery:" in prompt else f"```sql\n{query}\n```"


_WANTS_SENTENCE = ("SQL Response:", "SQL Result:", "Briefly summarize")


def _react(prompt: str, query: str) -> str:
    """The replies of a model that uses the agent's tools in order: tables, their schema, the query."""
    tables = ", ".join(dict.fromkeys(re.findall(r"(?:FROM|JOIN)\s+(\w+)", query)))
    if "double check" in prompt.casefold() and "Action:" not in prompt:
        return query
    done = prompt.rpartition("Begin!")[2].count("Observation:")
    steps = [("sql_db_list_tables", ""), ("sql_db_schema", tables), ("sql_db_query", query)]
    if done < len(steps):
        tool, given = steps[done]
        return f"I need {tool}.\nAction: {tool}\nAction Input: {given}"
    return "I now know the final answer.\nFinal Answer: These are the rows that were asked for."


class Embedded:
    """The embedded model."""

    def __init__(self) -> None:
        self._model = EmbeddedModel(get_settings().model_copy(update={"model_timeout_s": MODEL_S}))

    async def reply(self, messages: Messages, body: Mapping[str, Any]) -> Reply:
        """The next message, cut at the first of the words that its sender wants to stop at."""
        wanted = body.get("response_format", {}).get("json_schema")
        reply = await self._model.complete(
            [Message(role=_ROLES.get(it["role"], "user"), content=_text(it["content"])) for it in messages],
            schema=ReplySchema(name=wanted["name"], schema_=wanted["schema"]) if wanted else None,
            max_tokens=body.get("max_tokens") or body.get("max_completion_tokens") or 500,
            temperature=body.get("temperature") or 0.0,
        )
        text = reply.text
        for stop in [body["stop"]] if isinstance(body.get("stop"), str) else body.get("stop") or []:
            text = text.partition(stop)[0]
        return reply.model_copy(update={"text": text})


_ROLES: dict[str, Any] = {"system": "system", "developer": "system", "assistant": "assistant"}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


def app(model: Scripted | Embedded) -> Starlette:
    """The endpoint; `GET /counts` returns the counts so far."""
    counts = {"calls": 0, "prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0}
    embedder = HashingEmbedder(dimension=DIMENSION)

    async def chat(request: Request) -> Response:
        body = await request.json()
        try:
            reply = await model.reply(body["messages"], body)
        except ModelError as error:
            return JSONResponse({"error": {"message": str(error), "type": type(error).__name__}}, status_code=503)
        usage = {"prompt_tokens": reply.usage.prompt_tokens, "completion_tokens": reply.usage.completion_tokens}
        counts["calls"] += 1
        counts["cached_tokens"] += reply.usage.cached_tokens
        for name, tokens in usage.items():
            counts[name] += tokens
        if body.get("stream"):
            return _streamed(reply.text, body["model"])
        cached = {"cached_tokens": reply.usage.cached_tokens}
        return JSONResponse(completion_of(body, {"content": reply.text}, **usage, prompt_tokens_details=cached))

    async def show_counts(_request: Request) -> JSONResponse:
        return JSONResponse(counts)

    return openai_app(chat, embedder.embed, Route("/v1/counts", show_counts))


def _streamed(text: str, model: str) -> Response:
    """The reply in two events, for streaming clients."""
    head = {"id": "chat-1", "object": "chat.completion.chunk", "created": 0, "model": model}
    pieces = [({"role": "assistant", "content": text}, None), ({}, "stop")]
    events = [
        json.dumps({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
        for delta, reason in pieces
    ]
    body = "".join(f"data: {event}\n\n" for event in (*events, "[DONE]"))
    return Response(body, media_type="text/event-stream")


if __name__ == "__main__":
    cases = dict(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    asyncio.run(serve(app(Scripted(cases) if sys.argv[2] == "scripted" else Embedded())))
