"""Runs that are compared get the same replies, in the same order."""

from __future__ import annotations

import asyncio

import pytest

from agent.core.errors import ModelUnavailable
from agent.llm.chat import Message
from agent.llm.scripted import ScriptedModel
from agent.llm.wrappers.repeated import RepeatedModel


async def test_the_same_words_get_the_same_replies_in_their_order() -> None:
    scripted = ScriptedModel()
    for text in ("one", "two", "three", "warm"):
        scripted.replies(text=text)
    model = RepeatedModel(scripted)
    asked = [Message(role="user", content="How many?")]

    first = [(await model.complete(asked)).text for _ in range(2)]
    model.again()
    second = [(await model.complete(asked)).text for _ in range(3)]

    assert (first, second) == (["one", "two"], ["one", "two", "three"])
    assert (await model.complete(asked, temperature=0.5)).text == "warm", "asked otherwise, it is another call"
    assert len(scripted.asked) == 4


async def test_a_call_that_failed_is_asked_again() -> None:
    scripted = ScriptedModel()
    scripted.replies(raises=ModelUnavailable("away"))
    scripted.replies(text="one")
    model = RepeatedModel(scripted)
    asked = [Message(role="user", content="How many?")]

    with pytest.raises(ModelUnavailable):
        await model.complete(asked)
    assert (await model.complete(asked)).text == "one"
    model.again()
    assert (await model.complete(asked)).text == "one"
    assert len(scripted.asked) == 2


async def test_the_same_words_at_the_same_time_get_a_reply_each() -> None:
    scripted = ScriptedModel()
    for text in ("one", "two"):
        scripted.replies(text=text)
    model = RepeatedModel(scripted)
    asked = [Message(role="user", content="How many?")]

    replies = await asyncio.gather(model.complete(asked), model.complete(asked))

    assert [reply.text for reply in replies] == ["one", "two"]
