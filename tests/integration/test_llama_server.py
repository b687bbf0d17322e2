"""The client of llama.cpp's server, over real HTTP: what is asked, what comes back, and what may go wrong."""

from __future__ import annotations

import pytest
from test_hosted_protocol import ASK, KEY, Answer, Endpoint, endpoint
from test_hosted_stream import USAGE, heard, pieces

from agent.core.errors import ModelFailed, ModelUnavailable
from agent.pipeline.steps.generate import SQL_ALONE
from agent.platform.llm.chat import Token
from agent.platform.llm.llama_server import LlamaServer
from agent.platform.llm.replies import extract_sql

__all__ = ["endpoint", "heard"]  # fixtures
EVENTS = {"Content-Type": "text/event-stream"}


def server(endpoint: Endpoint) -> LlamaServer:
    return LlamaServer("m", endpoint.url, KEY, timeout_s=5)


async def test_a_model_that_reads_grammars_goes_on_from_the_beginning_of_its_reply(
    endpoint: Endpoint, heard: list[str]
) -> None:
    endpoint.answers = [pieces("SELECT", " 1;\n", usage=USAGE)]
    reply = await server(endpoint).complete(ASK, schema=SQL_ALONE, extra={"cache_prompt": True})
    (asked,) = endpoint.asked
    assert asked["messages"][-1] == {"role": "assistant", "content": "```sql\n"}
    assert asked["cache_prompt"]
    assert asked["stream"]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert reply.text == "```sql\nSELECT 1;\n"
    assert heard[0] == "```sql\nSELECT", "who listens hears the whole of it"
    assert extract_sql(reply.text) == "SELECT 1"
    assert reply.tokens == (Token("t", -0.5),) * 2
    used = reply.usage
    assert (used.prompt_tokens, used.cached_tokens, used.completion_tokens) == (90, 64, 7)


async def test_what_follows_the_query_is_not_waited_for(endpoint: Endpoint) -> None:
    endpoint.answers = [pieces("SELECT 1", "\n```", "\nThis query", " counts", usage=USAGE)]
    reply = await server(endpoint).complete(ASK, schema=SQL_ALONE)
    assert reply.text == "```sql\nSELECT 1\n```\nThis query"
    assert reply.usage.completion_tokens > 0, "estimated, since the count comes last"


@pytest.mark.parametrize("text", ["a\u2028b", "a\x85b", "a\r\nb", "größer"])
async def test_a_text_may_hold_any_end_of_a_line(endpoint: Endpoint, text: str) -> None:
    status, headers, data = pieces(text, usage=USAGE)
    assert isinstance(data, bytes)
    endpoint.answers = [
        (status, headers, data.decode().replace(r"\u2028", "\u2028").replace(r"\u0085", "\x85").encode())
    ]
    assert (await server(endpoint).complete(ASK)).text == text


async def test_tokens_of_which_one_has_no_probability_are_none(endpoint: Endpoint) -> None:
    status, headers, data = pieces("a", "b", usage=USAGE)
    assert isinstance(data, bytes)
    endpoint.answers = [(status, headers, data.replace(b"-0.5", b"null", 1))]
    assert (await server(endpoint).complete(ASK)).tokens == ()


def fails(status: int, kind: str, message: str) -> Answer:
    return status, {}, {"error": {"code": status, "type": kind, "message": message}}


@pytest.mark.parametrize(
    "answer, error, says",
    [
        (fails(400, "exceed_context_size_error", "too long"), ModelFailed, "longer than the context of 'm'"),
        (fails(400, "invalid_request_error", "no"), ModelFailed, r"refused the request to 'm' \(400, invalid_request"),
        (fails(401, "authentication_error", "no"), ModelUnavailable, "refuses the key"),
        (fails(503, "unavailable_error", "Loading"), ModelUnavailable, r"failed \(503, 1 try\)"),
        ((500, {}, b"<html>"), ModelFailed, "as the OpenAI protocol has it"),
        ((200, EVENTS, b'data: {"error": {"code": 500}}\n\n'), ModelFailed, "as the OpenAI protocol has it"),
        ((200, EVENTS | {"Content-Length": "100"}, b"data:"), ModelUnavailable, "cannot be reached"),
    ],
)
async def test_what_goes_wrong_is_told(endpoint: Endpoint, answer: Answer, error: type[Exception], says: str) -> None:
    endpoint.answers = [answer]
    with pytest.raises(error, match=says):
        await server(endpoint).complete(ASK)


async def test_a_server_that_has_ended_cannot_be_reached(endpoint: Endpoint) -> None:
    model = server(endpoint)
    endpoint.shutdown()
    endpoint.server_close()
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await model.complete(ASK)
