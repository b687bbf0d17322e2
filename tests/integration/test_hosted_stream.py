"""Streamed replies over real HTTP: only with a listener, and never at the cost of the reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from test_hosted_protocol import ASK, KEY, Answer, Endpoint, Make, endpoint, fails, make, says, waits

from agent.core.errors import ModelFailed
from agent.pipeline.steps.generate import SQL_ALONE
from agent.platform.llm.chat import Message, Token
from agent.platform.llm.openai.model import AzureOpenAIModel
from agent.platform.llm.replies import ON_TEXT

__all__ = ["endpoint", "make", "waits"]  # fixtures
USAGE = {
    "prompt_tokens": 90,
    "completion_tokens": 7,
    "total_tokens": 97,
    "prompt_tokens_details": {"cached_tokens": 64},
}


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """What somebody who listens hears of a reply."""
    said: list[str] = []
    token = ON_TEXT.set(said.append)
    yield said
    ON_TEXT.reset(token)


def pieces(*texts: str, usage: dict[str, Any] | None = None, cut: bool = False, **delta: Any) -> Answer:
    """A completion as server-sent events, a chunk for each text; `cut`: without its end."""
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    listed = {"content": [{"token": "t", "logprob": -0.5, "bytes": None, "top_logprobs": []}]}
    chunks = [
        {
            **head,
            "choices": [{"index": 0, "delta": {"content": text, **delta}, "logprobs": listed, "finish_reason": None}],
        }
        for text in texts
    ]
    if not cut:
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        chunks += [{**head, "choices": [], "usage": usage}] if usage else []
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ([] if cut else ["data: [DONE]\n\n"])
    return 200, {"Content-Type": "text/event-stream"}, "".join(lines).encode()


async def test_who_listens_hears_the_reply_grow_and_its_tokens_are_counted(
    endpoint: Endpoint, make: Make, heard: list[str]
) -> None:
    endpoint.answers = [pieces("SELECT", " 1", usage=USAGE)]
    model = make()
    reply = await model.complete(ASK)
    await model.close()

    assert endpoint.asked[0]["stream"] is True
    assert endpoint.asked[0]["stream_options"] == {"include_usage": True}
    assert [text for text in heard if text] == ["SELECT", "SELECT 1", "SELECT 1", "SELECT 1"]
    assert reply.text == "SELECT 1"
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.completion_tokens) == (90, 64, 7)
    assert reply.tokens == (Token("t", -0.5), Token("t", -0.5))


async def test_where_nobody_listens_the_reply_comes_in_one_piece(endpoint: Endpoint, make: Make) -> None:
    endpoint.answers = [says("SELECT 1")]
    model = make()
    await model.complete(ASK)
    await model.close()
    assert "stream" not in endpoint.asked[0]


@pytest.mark.parametrize(
    "refusals, fields",
    [
        ([fails(400, "Unknown parameter: 'stream_options'.")], {"stream"}),
        ([fails(400, "Unknown parameter: 'stream_options'."), fails(400, "'stream' is not supported")], set()),
        ([fails(400, "Your organization must be verified to stream this model.")], set()),
    ],
)
async def test_an_endpoint_that_refuses_to_stream_is_asked_without(
    endpoint: Endpoint, make: Make, heard: list[str], refusals: list[Answer], fields: set[str]
) -> None:
    endpoint.answers = [*refusals, says("SELECT 1"), says("SELECT 2")]
    model = make()
    assert (await model.complete(ASK)).text == "SELECT 1"
    assert (await model.complete(ASK)).text == "SELECT 2", "what was refused is remembered"
    await model.close()
    assert [set(body) & {"stream", "stream_options"} for body in endpoint.asked[-2:]] == [fields, fields]


async def test_a_stream_that_counts_no_tokens_has_them_estimated(
    endpoint: Endpoint, make: Make, heard: list[str]
) -> None:
    endpoint.answers = [pieces("SELECT", " 1")]
    model = make()
    usage = (await model.complete(ASK)).usage
    await model.close()
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0


async def test_what_follows_the_query_is_not_waited_for(endpoint: Endpoint, make: Make, heard: list[str]) -> None:
    endpoint.answers = [pieces("```sql\nSELECT 1", "\n```", "\nThis query", " counts", " all orders.", usage=USAGE)]
    model = make()
    reply = await model.complete(ASK, schema=SQL_ALONE)
    await model.close()
    assert reply.text == "```sql\nSELECT 1\n```\nThis query"
    assert reply.usage.completion_tokens > 0, "estimated, since the count comes last"


async def test_a_reply_that_ends_with_its_query_is_read_to_its_count(
    endpoint: Endpoint, make: Make, heard: list[str]
) -> None:
    endpoint.answers = [pieces("```sql\nSELECT 1", "\n```", "\n", usage=USAGE)]
    model = make()
    assert (await model.complete(ASK, schema=SQL_ALONE)).usage.completion_tokens == USAGE["completion_tokens"]
    await model.close()


async def test_a_reply_of_two_statements_stays_two_statements(endpoint: Endpoint, make: Make, heard: list[str]) -> None:
    endpoint.answers = [pieces("```sql\nSELECT 1;", "\nDELETE FROM orders;", "\n```", usage=USAGE)]
    model = make()
    assert "DELETE" in (await model.complete(ASK, schema=SQL_ALONE)).text, "the guard refuses it; nobody repairs it"
    await model.close()


@pytest.mark.parametrize(
    "missing, why",
    [(100, "the connection breaks"), (0, "a proxy ends the response as if it were whole")],
)
async def test_a_stream_that_breaks_in_the_middle_is_tried_again(
    endpoint: Endpoint, make: Make, heard: list[str], waits: list[float], missing: int, why: str
) -> None:
    whole = pieces("SELECT", " 1", usage=USAGE)
    status, headers, data = pieces("SELE", cut=True)
    endpoint.answers = [(status, headers | {"Content-Length": str(len(data) + missing)}, data), whole]
    model = make()
    assert (await model.complete(ASK)).text == "SELECT 1", why
    await model.close()
    assert len(waits) == 1


async def test_a_refusal_in_pieces_is_told(endpoint: Endpoint, make: Make, heard: list[str]) -> None:
    endpoint.answers = [pieces("", refusal="I cannot help with that.")]
    model = make()
    with pytest.raises(ModelFailed, match="I cannot help with that"):
        await model.complete(ASK)
    await model.close()


async def test_azure_streams_too(endpoint: Endpoint, heard: list[str]) -> None:
    endpoint.answers = [pieces("SELECT", " 1", usage=USAGE)]
    model = AzureOpenAIModel(
        "mine",
        endpoint=endpoint.url,
        api_version="2024-10-21",
        api_key=_secret(),
        timeout_s=5,
        retries=0,
    )
    reply = await model.complete([Message(role="user", content="How many orders?")])
    await model.close()
    assert reply.text == "SELECT 1"
    assert heard[-1] == "SELECT 1"
    assert endpoint.paths[0].startswith("/openai/deployments/mine/chat/completions")


def _secret() -> Any:
    from pydantic import SecretStr

    return SecretStr(KEY)
