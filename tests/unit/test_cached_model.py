"""Replies are cached, in memory or in a file, so that no prompt is sent twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.core.errors import ModelUnavailable, StateUnavailable
from agent.core.usage import Usage
from agent.platform.llm.chat import ChatModel, Message, Reply, ReplySchema, Token
from agent.platform.llm.wrappers.cached import CachedModel
from testbed.scripted_model import ScriptedModel

ASKED = [Message(role="user", content="How many?")]


def _scripted(*texts: str) -> ScriptedModel:
    scripted = ScriptedModel()
    for text in texts:
        scripted.replies(text=text)
    return scripted


async def _texts(model: ChatModel, times: int, temperature: float = 0.0) -> list[str]:
    return [(await model.complete(ASKED, temperature=temperature)).text for _ in range(times)]


@pytest.fixture(params=["memory", "file"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Where the replies are."""
    return tmp_path / "replies.sqlite" if request.param == "file" else None


async def test_the_same_words_get_the_same_replies_in_their_order(path: Path | None) -> None:
    scripted = _scripted("one", "two", "three", "warm")
    model = CachedModel(scripted, path)
    first = await _texts(model, 2)
    model.again()
    assert (first, await _texts(model, 3)) == (["one", "two"], ["one", "two", "three"])
    assert await _texts(model, 1, temperature=0.5) == ["warm"], "at another temperature, it is another call"
    await model.close()
    assert len(scripted.asked) == 4


async def test_the_same_words_at_the_same_time_get_a_reply_each(path: Path | None) -> None:
    model = CachedModel(_scripted("one", "two"), path)
    replies = await asyncio.gather(model.complete(ASKED), model.complete(ASKED))
    assert [reply.text for reply in replies] == ["one", "two"]
    await model.close()


async def test_a_later_process_asks_only_what_was_not_asked(tmp_path: Path) -> None:
    first = CachedModel(_scripted("one", "two"), tmp_path / "replies.sqlite")
    assert await _texts(first, 2) == ["one", "two"]
    await first.close()

    scripted = _scripted("three", "warm")
    later = CachedModel(scripted, tmp_path / "replies.sqlite")
    assert await _texts(later, 3) == ["one", "two", "three"]
    assert await _texts(later, 1, temperature=0.5) == ["warm"], "asked otherwise, it is another call"
    later.again()
    assert await _texts(later, 2) == ["one", "two"]
    await later.close()
    scripted.assert_done()


async def test_a_reply_is_kept_whole(tmp_path: Path) -> None:
    told = Reply(text="one", usage=Usage(model_calls=1, prompt_tokens=7), tokens=(Token("one", -0.5),))

    class Telling(ScriptedModel):
        async def complete(self, *_: object, **__: object) -> Reply:
            return told

    first = CachedModel(Telling(), tmp_path / "replies.sqlite")
    await first.complete(ASKED)
    await first.close()
    later = CachedModel(ScriptedModel(), tmp_path / "replies.sqlite")
    assert await later.complete(ASKED) == told
    await later.close()


async def test_a_reply_that_was_cut_off_counts_only_where_no_longer_one_is_allowed(tmp_path: Path) -> None:
    class Cut(ScriptedModel):
        async def complete(self, *_: object, max_tokens: int = 500, **__: object) -> Reply:
            return Reply(text=f"{max_tokens}", usage=Usage(model_calls=1), truncated=max_tokens < 300)

    path = tmp_path / "replies.sqlite"
    for allowed, text in ((200, "200"), (100, "200"), (400, "400"), (500, "400")):
        model = CachedModel(Cut(), path)
        assert (await model.complete(ASKED, max_tokens=allowed)).text == text
        await model.close()


async def test_another_form_of_the_reply_is_another_call(path: Path | None) -> None:
    model = CachedModel(_scripted("one", "two"), path)
    first = await model.complete(ASKED)
    second = await model.complete(ASKED, schema=ReplySchema(name="n", schema_={"type": "object"}))
    assert (first.text, second.text) == ("one", "two")
    await model.close()


async def test_a_call_that_failed_has_taken_no_reply(path: Path | None) -> None:
    scripted = ScriptedModel()
    scripted.replies(raises=ModelUnavailable("away"))
    scripted.replies(text="one")
    model = CachedModel(scripted, path)
    with pytest.raises(ModelUnavailable):
        await model.complete(ASKED)
    assert await _texts(model, 1) == ["one"]
    model.again()
    assert await _texts(model, 1) == ["one"]
    await model.close()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    path.write_text("not a database, but more than a hundred bytes of text " * 4)
    with pytest.raises(StateUnavailable, match=r"replies\.sqlite cannot be used.*Name another file"):
        CachedModel(ScriptedModel(), path)
