"""Log-probabilities of a query's tokens, from endpoints that give them and from those that do not."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgi_server import served
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from agent.core.usage import Usage
from agent.databases.knowledge.context import Context
from agent.pipeline.steps.generate import SQL_ALONE, Generator, find_mean_logprob
from agent.platform.config.profiles import EMBEDDED
from agent.platform.llm.chat import Message, Reply, Token
from agent.platform.llm.llama_server import LlamaServer
from agent.platform.llm.openai.completion import reply_of
from agent.platform.llm.openai.model import OpenAIModel
from agent.platform.telemetry.ledger import Ledger
from executors.base import Schema
from testbed.scripted_model import ScriptedModel

ASKED = [Message(role="user", content="How many?")]
TOKENS = [Token("```sql\n", -8.0), Token("SELECT", -0.25), Token(" 1", -0.75), Token("\n```", -5.0)]


def test_the_format_around_a_query_does_not_count() -> None:
    assert find_mean_logprob(TOKENS, "SELECT 1") == -0.5


def test_a_query_in_a_json_object_is_found_as_json_writes_it() -> None:
    tokens = [
        Token('{"sql": "', -3.0),
        Token("SELECT \\", -1.0),
        Token('"a\\"\\n', -2.0),
        Token("FROM t", 0.0),
        Token('"}', -9),
    ]
    assert find_mean_logprob(tokens, 'SELECT "a"\nFROM t') == -1.0


def test_where_the_query_is_not_to_be_found_all_tokens_count() -> None:
    assert find_mean_logprob(TOKENS, "SELECT 2") == -3.5


@pytest.mark.parametrize("text", ["SELECT 1", ""])
def test_without_tokens_there_is_nothing_to_say(text: str) -> None:
    assert find_mean_logprob([], text) is None


def _body(logprobs: object) -> dict[str, Any]:
    return {"choices": [{"message": {"content": "SELECT 1"}, "logprobs": logprobs}]}


def test_a_completion_gives_its_tokens() -> None:
    reply = reply_of(_body({"content": [{"token": "SELECT 1", "logprob": -0.5, "top_logprobs": []}]}))
    assert reply.tokens == (Token("SELECT 1", -0.5),)


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {"content": None},
        {"tokens": ["SELECT"], "token_logprobs": [-0.5]},  # as completions of old gave them
        "none",
        {"content": [{"token": "SELECT", "logprob": None}]},
        {"content": [{"token": "SELECT", "logprob": math.nan}]},
    ],
)
def test_a_reply_counts_where_its_log_probabilities_cannot_be_read(logprobs: object) -> None:
    reply = reply_of(_body(logprobs))
    assert (reply.text, reply.tokens) == ("SELECT 1", ())


class _Endpoint:
    """An endpoint that refuses log-probabilities, gives them, or leaves them out."""

    def __init__(self, refusal: tuple[int, str] | None = None, *, streams: bool = False) -> None:
        self.asked: list[dict[str, Any]] = []
        self.refusal, self.streams = refusal, streams

    async def chat(self, request: Request) -> Response:
        body = await request.json()
        self.asked.append(body)
        if self.refusal and "logprobs" in body:
            status, message = self.refusal
            return JSONResponse({"error": {"message": message}}, status)
        given = {"content": [{"token": "SELECT 1", "logprob": -0.5, "bytes": None, "top_logprobs": []}]}
        listed = given if "logprobs" in body else None
        if not self.streams:
            return JSONResponse(_body(listed))
        return StreamingResponse(self._pieces(listed), media_type="text/event-stream")

    async def _pieces(self, listed: object) -> AsyncIterator[str]:
        piece = {"index": 0, "delta": {"content": "SELECT 1"}, "finish_reason": None, "logprobs": listed}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [piece]}
        yield f"data: {json.dumps(chunk)}\n\n"
        yield "data: [DONE]\n\n"


async def _replies(endpoint: _Endpoint, times: int = 1) -> list[Reply]:
    app = Starlette(routes=[Route("/v1/chat/completions", endpoint.chat, methods=["POST"])])
    async with served(app) as address:
        if endpoint.streams:
            server = LlamaServer("m", address, "key", timeout_s=30)
            return [await server.complete(ASKED, schema=SQL_ALONE) for _ in range(times)]
        model = OpenAIModel("m", base_url=f"{address}/v1", api_key=SecretStr("key"), timeout_s=30, retries=0)
        replies = [await model.complete(ASKED, schema=SQL_ALONE) for _ in range(times)]
        await model.close()
    return replies


@pytest.mark.parametrize("streams", [False, True])
async def test_they_are_asked_for_with_a_query_and_come_with_it(streams: bool) -> None:
    endpoint = _Endpoint(streams=streams)
    replies = await _replies(endpoint)
    assert replies[0].tokens == (Token("SELECT 1", -0.5),)
    assert endpoint.asked[0]["logprobs"] is True


@pytest.mark.parametrize(
    "refusal",
    [
        (400, "Unsupported parameter: 'logprobs' is not supported with this model."),
        (403, "You are not allowed to request logprobs from this model."),
    ],
)
async def test_an_endpoint_that_refuses_them_is_asked_without_from_then_on(refusal: tuple[int, str]) -> None:
    endpoint = _Endpoint(refusal)
    replies = await _replies(endpoint, times=2)
    assert [reply.tokens for reply in replies] == [(), ()]
    assert ["logprobs" in body for body in endpoint.asked] == [True, False, False]


async def test_a_draft_says_how_probable_its_query_was_and_how_warm_it_was_written() -> None:
    class Sure(ScriptedModel):
        async def complete(self, *_: object, **__: object) -> Reply:
            return Reply(text="```sql\nSELECT 1\n```", usage=Usage(model_calls=1), tokens=tuple(TOKENS))

    context = Context(db_schema=Schema(database="shop", dialect="sqlite", tables=()), system="Tables:")
    generator = Generator(Sure(), EMBEDDED, max_tokens=50, temperature=0.0)
    first = await generator.draft("How many?", context, (), None, Ledger())
    assert (first.sql, first.temperature, first.logprob_mean) == ("SELECT 1", 0.0, -0.5)
    warm = await generator.draft_anew("How many?", context, None, Ledger())
    assert warm.temperature == EMBEDDED.retry_temperature


async def test_a_draft_of_an_endpoint_without_them_has_none() -> None:
    context = Context(db_schema=Schema(database="shop", dialect="sqlite", tables=()), system="Tables:")
    model = ScriptedModel()
    model.replies(sql="SELECT 1")
    draft = await Generator(model, EMBEDDED, max_tokens=50, temperature=0.0).draft("?", context, (), None, Ledger())
    assert draft.logprob_mean is None
