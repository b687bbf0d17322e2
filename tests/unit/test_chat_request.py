"""Requests to endpoints that do not support every field."""

from __future__ import annotations

import pytest

from agent.pipeline.steps.generate import SQL_ALONE
from agent.platform.llm.chat import Message
from agent.platform.llm.openai.chat_request import REASONING_TOKENS, Abilities, chat_fields


def test_a_grammar_is_put_in_words_for_an_endpoint_that_reads_none() -> None:
    asked = [Message(role="user", content="How many?")]
    for abilities in (Abilities(), Abilities(reply_format="text")):
        fields = chat_fields(asked, SQL_ALONE, 50, 0.0, abilities)
        plain = chat_fields(asked, None, 50, 0.0, abilities)
        told = {"role": "user", "content": f"How many?\n\n{SQL_ALONE.words}"}
        assert fields == {**plain, "logprobs": True, "messages": [told]}


def test_where_a_grammar_is_read_no_words_are_spent_on_it_and_the_reply_is_begun() -> None:
    asked = [Message(role="user", content="How many?")]
    fields = chat_fields(asked, SQL_ALONE, 50, 0.0, Abilities(grammar=True))
    assert fields["messages"] == [
        {"role": "user", "content": "How many?"},
        {"role": "assistant", "content": SQL_ALONE.opening},
    ]


def test_a_model_that_reasons_first_gets_room_and_little_effort() -> None:
    abilities = Abilities(tokens_field="max_completion_tokens")
    request = chat_fields([Message(role="user", content="x")], None, 500, 0.0, abilities)
    assert request["max_completion_tokens"] == 500 + REASONING_TOKENS
    assert request["reasoning_effort"] == "minimal"
    assert "max_tokens" not in request


def test_an_effort_that_is_refused_is_left_out() -> None:
    abilities = Abilities(tokens_field="max_completion_tokens")
    request = chat_fields([Message(role="user", content="x")], None, 500, 0.0, abilities)
    less = abilities.without("Unsupported value: 'reasoning_effort' does not support 'minimal'", request)
    assert less is not None
    assert "reasoning_effort" not in chat_fields([Message(role="user", content="x")], None, 500, 0.0, less)


def test_requests_with_one_beginning_share_a_cache_key_that_tells_nothing_of_it() -> None:
    def key(prefix: str, question: str) -> object:
        asked = [Message(role="system", content=prefix), Message(role="user", content=question)]
        return chat_fields(asked, None, 50, 0.0, Abilities())["prompt_cache_key"]

    assert key("CREATE TABLE a", "How many?") == key("CREATE TABLE a", "Which?")
    assert key("CREATE TABLE a", "How many?") != key("CREATE TABLE b", "How many?")
    assert "CREATE" not in str(key("CREATE TABLE a", "How many?"))


@pytest.mark.parametrize(
    "complaint",
    [
        "Unrecognized request argument supplied: prompt_cache_key",
        "Extra inputs are not permitted",
        "Unknown parameter: 'prompt_cache_key'.",
    ],
)
def test_a_cache_key_that_is_refused_is_left_out(complaint: str) -> None:
    asked = [Message(role="system", content="x"), Message(role="user", content="y")]
    less = Abilities().without(complaint, chat_fields(asked, None, 50, 0.0, Abilities()))
    assert less is not None
    assert "prompt_cache_key" not in chat_fields(asked, None, 50, 0.0, less)
