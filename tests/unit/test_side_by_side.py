"""Concurrent work: drafts, rows, records, the sentence and the model's load; none of it leaks."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from typing import Any, Unpack

import pytest
from pydantic import SecretStr
from shop_questions import TOTAL, Make

from agent.core.answers import Answer
from agent.core.errors import ModelFailed, ModelUnavailable
from agent.core.events import Event, SqlExecuted
from agent.databases.database import Database
from agent.databases.knowledge.context import enrich
from agent.databases.supporting_rows import fetch_raw_records
from agent.pipeline.rounds import run as run_module
from agent.pipeline.rounds.round import Round
from agent.pipeline.service import Service
from agent.pipeline.steps import side_tasks
from agent.platform.llm.chat import ChatRequest, Message, Reply
from testbed.scripted_model import ScriptedModel

QUESTION = "What do all orders come to?"
SAME = "SELECT SUM(o.amount) AS s FROM orders AS o"
NOBODY = "SELECT name FROM customers WHERE customer_id > 99"
SENTENCE = "All orders together come to 460.5."
PATIENCE_S = 60.0


class WatchedModel(ScriptedModel):
    """Replies in the order of its calls, and keeps chosen ones waiting.

    cancelled: the numbers of calls that their caller gave up, from 1. loads: how often it was to be loaded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cancelled: list[int] = []
        self.loads = 0
        self.unready: Exception | None = None
        self.load_begun = asyncio.Event()
        self._reached: dict[int, asyncio.Event] = defaultdict(asyncio.Event)
        self._held: dict[int, int] = {}

    def hold(self, call: int, until: int) -> None:
        """Keep a call's reply back until another call is made."""
        self._held[call] = until

    async def reached(self, call: int) -> None:
        """Return when it was called so often; fail where it is not."""
        async with asyncio.timeout(PATIENCE_S):
            await self._reached[call].wait()

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        number = len(self.asked) + 1
        self._reached[number].set()
        reply = await super().complete(messages, **request)
        if number in self._held:
            try:
                await self.reached(self._held[number])
            except asyncio.CancelledError:
                self.cancelled.append(number)
                raise
        return reply

    async def ready(self) -> None:
        self.loads += 1
        self.load_begun.set()
        if self.unready is not None:
            raise self.unready


@pytest.fixture
def model() -> Iterator[WatchedModel]:
    watched = WatchedModel()
    yield watched
    watched.assert_done()


@pytest.fixture
async def embedded(make_service: Make) -> AsyncIterator[Service]:
    """Has drafts judge, as the embedded model's profile does."""
    built = make_service(second_draft=None)
    yield built
    await built.close()


@pytest.fixture
async def hosted(make_service: Make) -> AsyncIterator[Service]:
    """Has a second draft written beside the judge."""
    built = make_service(profile="small_hosted", second_draft=True, speculative_answer=False)
    yield built
    await built.close()


def second_drafts(answer: Answer) -> list[tuple[bool | None, str]]:
    return [(check.passed, check.detail) for check in answer.checks if check.name == "second_draft"]


async def test_the_second_draft_is_written_while_the_first_ones_rows_are_fetched(
    embedded: Service, model: WatchedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch = Database.run

    async def slow(self: Database, query: Any, **how: Any) -> Any:
        await model.reached(2)
        return await fetch(self, query, **how)

    monkeypatch.setattr(Database, "run", slow)
    model.replies(sql=TOTAL)
    model.replies(sql=SAME)
    model.replies(text=SENTENCE)

    answer = await embedded.query(QUESTION, "shop")

    assert answer.verified
    assert answer.usage.by_step["evaluator"].model_calls == 1


async def test_a_hosted_models_second_draft_is_written_beside_the_first(hosted: Service, model: WatchedModel) -> None:
    model.hold(1, until=2)
    model.replies(sql=TOTAL)
    model.replies(sql=SAME)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text=SENTENCE)

    answer = await hosted.query(QUESTION, "shop")

    assert second_drafts(answer) == [(True, "2 of 2 independent drafts give these rows.")]
    assert model.asked[0].temperature < model.asked[1].temperature


async def test_the_sentence_is_written_while_the_records_are_fetched(
    embedded: Service, model: WatchedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(*what: Any, **how: Any) -> Any:
        await model.reached(3)
        return await fetch_raw_records(*what, **how)

    monkeypatch.setattr(run_module, "fetch_raw_records", slow)
    model.replies(sql=TOTAL)
    model.replies(sql=SAME)
    model.replies(text=SENTENCE)

    answer = await embedded.query(QUESTION, "shop")

    assert answer.answer == SENTENCE
    assert answer.raw_results
    assert answer.usage.by_step["answer_formatter"].model_calls == 1


async def test_no_sentence_is_begun_for_a_value_that_the_question_can_be_said_of(
    embedded: Service, model: WatchedModel
) -> None:
    model.replies(sql=TOTAL)
    model.replies(sql=SAME)

    answer = await embedded.query("What is the total of all orders?", "shop")

    assert (answer.answer, answer.answer_source) == ("The total of all orders is 460.5.", "composed")
    assert (answer.verified, answer.usage.model_calls) == (True, 2)


async def test_a_draft_that_failed_first_leaves_the_one_begun_ahead_to_the_vote(
    embedded: Service, model: WatchedModel
) -> None:
    model.replies(sql="SELECT abs(-9223372036854775808) FROM orders")  # an overflow
    model.replies(sql=SAME)  # begun before that was known
    model.replies(sql=TOTAL)  # tried again
    model.replies(text=SENTENCE)

    answer = await embedded.query(QUESTION, "shop")

    assert answer.verified
    assert [list(row.values()) for row in answer.results] == [[460.5]]


async def test_what_nobody_needs_is_not_waited_for_and_ends_with_the_question(
    embedded: Service, model: WatchedModel
) -> None:
    model.hold(2, until=99)
    model.replies(sql=NOBODY)
    model.replies(sql=SAME)
    model.replies(sql=NOBODY)  # again, so that two agree
    model.replies(text="There are none.")

    answer = await embedded.query("Which customers have a number over 99?", "shop")

    assert model.cancelled == [2]
    assert second_drafts(answer) == [(True, "2 of 2 independent drafts give these rows.")]


async def test_who_hangs_up_ends_the_draft_that_was_begun(embedded: Service, model: WatchedModel) -> None:
    model.hold(2, until=99)
    model.replies(sql=TOTAL)
    model.replies(sql=SAME)

    async with aclosing(embedded.events(QUESTION, "shop")) as events:
        async for event in events:
            if isinstance(event, SqlExecuted):
                break

    assert model.cancelled == [2]
    assert _left_over() == set()


async def test_a_question_back_drops_the_draft_beside_it_and_its_error(hosted: Service, model: WatchedModel) -> None:
    model.replies(clarification="Which total?")
    model.replies(raises=ModelFailed("It broke."))

    answer = await hosted.query(QUESTION, "shop")

    assert answer.status == "clarification_needed"
    assert not any("broke" in warning for warning in answer.warnings)
    assert _left_over() == set()


async def test_an_error_of_the_draft_begun_ahead_is_told_where_it_is_wanted(
    embedded: Service, model: WatchedModel
) -> None:
    model.replies(sql=TOTAL)
    model.replies(raises=ModelFailed("It broke."))
    model.replies(text=SENTENCE)

    answer = await embedded.query(QUESTION, "shop")

    assert second_drafts(answer) == [(None, "Another draft failed: It broke.")]
    assert not answer.verified


async def test_the_first_draft_has_the_budget_before_the_second(make_service: Make, model: WatchedModel) -> None:
    service = make_service(
        profile="small_hosted", second_draft=True, speculative_answer=False, max_model_calls=1, max_attempts=1
    )
    model.replies(sql=TOTAL)

    answer = await service.query(QUESTION, "shop")
    await service.close()

    assert [list(row.values()) for row in answer.results] == [[460.5]]
    assert answer.usage.model_calls == 1
    assert model.asked[0].temperature == 0


@pytest.mark.parametrize("effort", ["quick", "balanced"])
async def test_no_draft_is_begun_that_no_vote_would_take(make_service: Make, model: WatchedModel, effort: Any) -> None:
    service = make_service(profile="small_hosted", second_draft=False, speculative_answer=False, effort=effort)
    model.replies(sql=TOTAL)
    if effort == "balanced":
        model.replies(correct=True, reason="the sum")
    model.replies(text=SENTENCE)

    answer = await service.query(QUESTION, "shop")
    await service.close()

    assert answer.usage.model_calls == len(model.asked) == (2 if effort == "quick" else 3)


# -- the model's load ------------------------------------------------------------------------------------------


async def test_the_model_is_loaded_while_schema_and_docs_are_read(
    embedded: Service, model: WatchedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(*what: Any) -> Any:
        async with asyncio.timeout(PATIENCE_S):
            await model.load_begun.wait()
        return await enrich(*what)

    monkeypatch.setattr(run_module, "enrich", slow)
    for sql in (TOTAL, SAME):
        model.replies(sql=sql)
    model.replies(text=SENTENCE)

    assert (await embedded.query(QUESTION, "shop")).verified


async def test_the_modules_behind_the_query_are_loaded_while_it_is_written_and_then_waited_for(
    embedded: Service, model: WatchedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, end, loaded = threading.Event(), threading.Event(), list[str]()

    def load() -> None:
        begun.set()
        assert end.wait(PATIENCE_S)
        loaded.append("modules")

    check = Round.validate

    async def validate(self: Round) -> Any:
        loaded.append("guard")
        return await check(self)

    monkeypatch.setattr(side_tasks, "last_steps_are_loaded", lambda: False)
    monkeypatch.setattr(side_tasks, "load_last_steps", load)
    monkeypatch.setattr(Round, "validate", validate)
    for sql in (TOTAL, SAME):
        model.replies(sql=sql)
    model.replies(text=SENTENCE)

    asked = asyncio.create_task(embedded.query(QUESTION, "shop"))
    await model.reached(1)
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    assert loaded == []
    end.set()

    assert (await asked).verified
    assert loaded == ["modules", "guard"]


async def test_a_load_that_fails_is_the_first_calls_to_tell(embedded: Service, model: WatchedModel) -> None:
    model.unready = ModelUnavailable("There is no model file.")
    model.replies(raises=ModelUnavailable("There is no model file."))

    with pytest.raises(ModelUnavailable, match="no model file"):
        await embedded.query(QUESTION, "shop")

    assert model.loads == 1
    assert _left_over() == set()


async def test_small_talk_loads_no_model(embedded: Service, model: WatchedModel) -> None:
    events: list[Event] = [event async for event in embedded.events("Hello!", "shop")]
    assert events
    assert model.loads == 0


async def test_a_hosted_model_is_not_asked_whether_it_is_there(make_service: Make, model: WatchedModel) -> None:
    service = make_service(openai_api_key=SecretStr("none"), profile="small_hosted", speculative_answer=False)
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum")
    model.replies(text=SENTENCE)

    await service.query(QUESTION, "shop")
    await service.close()

    assert model.loads == 0


def _left_over() -> set[str]:
    """What was begun at a question's side, and still runs."""
    names = {getattr(it.get_coro(), "__qualname__", "?") for it in asyncio.all_tasks()}
    return names & {"_in_step", "Run._first_text", "Run._raw_records", "ProtectedModel.ready"}
