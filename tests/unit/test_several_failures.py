"""A question that needs several queries, some of which fail, need a clarification, or exceed the budget."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from several_parts import APRIL, IN_JANUARY, IN_MARCH, MARCH, WHY, ask, events_of, one, plan
from shop_questions import Make

from agent.core.errors import BudgetSpent, OutOfTime
from agent.core.events import (
    Done,
    HumanReview,
    QuestionPlanned,
    SqlExecuted,
)
from agent.core.usage import Usage
from agent.pipeline.service import Service
from agent.platform.llm.chat import Reply, ReplySchema
from testbed.scripted_model import ScriptedModel


@pytest.fixture
async def service(make_service: Make) -> AsyncIterator[Service]:
    built = make_service(plan=True, enable_retrieval=False, max_attempts=1)
    yield built
    await built.close()


# -- parts that fail, or ask back ---------------------------------------------------------------------------------


async def test_a_part_without_an_answer_leaves_the_others(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan(APRIL, MARCH, calculations=("{1} - {2}",)))
    model.replies(sql="SELECT temperature FROM weather")
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service)

    assert answer.status == "success"
    assert answer.answer.splitlines() == [
        f"{APRIL} I could not answer this from the data. [1]",
        "The total is 310.5. [2]",
    ]
    assert [part.status for part in answer.parts] == ["error", "success"]
    assert "weather" in answer.parts[0].answer
    assert (answer.verified, answer.confidence, answer.needs_human_review) == (False, 0.0, True)
    assert any("Part 1 does not give exactly one number." in warning for warning in answer.warnings)


@pytest.mark.usefixtures("patient")
async def test_where_no_part_has_an_answer_there_is_none(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan(APRIL, MARCH))
    model.replies(sql="SELECT temperature FROM weather")
    model.replies(sql="SELECT wind FROM weather")

    events = await events_of(service)

    done = events[-1]
    assert isinstance(done, Done)
    answer = done.answer
    assert (answer.status, answer.confidence, answer.verified) == ("error", None, False)
    assert answer.needs_human_review
    assert [part.status for part in answer.parts] == ["error", "error"]
    assert answer.choices, "what could be asked instead"
    assert [event.part for event in events if isinstance(event, HumanReview)] == [1, 2]


async def test_a_part_that_asks_back_asks_for_the_whole(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(profile="small_hosted", enable_retrieval=False, speculative_answer=False)
    model.replies(text=plan(APRIL, MARCH))
    reply = {"sql": None, "explanation": "", "clarification": "Of which year?", "choices": ["2024", "2025"]}
    model.replies(text=json.dumps(reply))

    answer = await ask(service)

    assert answer.status == "clarification_needed"
    assert answer.clarification is not None
    assert answer.clarification.startswith("Of which year?")
    assert [choice.question for choice in answer.choices] == [
        "Why did the amount of orders fall in April (2024)?",
        "Why did the amount of orders fall in April (2025)?",
    ]
    assert answer.question == WHY
    await service.close()


async def test_who_wants_no_question_back_gets_the_other_parts(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(profile="small_hosted", enable_retrieval=False, speculative_answer=False)
    model.replies(text=plan(APRIL, MARCH))
    model.replies(clarification="Of which year?")
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service, clarify=False)

    assert answer.status == "success"
    assert [(part.status, part.answer) for part in answer.parts] == [
        ("error", "Of which year?"),
        ("success", "The total is 310.5."),
    ]
    await service.close()


async def test_a_part_that_is_written_as_a_change_is_refused_and_the_others_are_answered(
    make_service: Make, model: ScriptedModel
) -> None:
    service = make_service(plan=True, enable_retrieval=False, max_attempts=1, allow_writes=True)
    model.replies(text=plan(APRIL, MARCH))
    model.replies(sql="DELETE FROM orders")
    one(model, IN_MARCH, "The total is 310.5.")

    events = await events_of(service, allow_writes=False)

    done = events[-1]
    assert isinstance(done, Done)
    assert [part.status for part in done.answer.parts] == ["error", "success"]
    assert "only reads" in done.answer.parts[0].answer
    assert sum(isinstance(event, SqlExecuted) for event in events) == 1
    await service.close()


# -- one question, one budget -------------------------------------------------------------------------------------


async def test_a_budget_that_ends_in_the_middle_keeps_what_was_found(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(plan=True, enable_retrieval=False, max_model_calls=4)
    model.replies(text=plan(APRIL, MARCH, "How many orders are there?"))
    one(model, IN_JANUARY, "The total is 110.0.")

    answer = await ask(service)

    assert [part.status for part in answer.parts] == ["success", "error", "error"]
    assert "has used its 4 model calls" in answer.parts[1].answer
    assert any("has used its 4 model calls" in warning for warning in answer.warnings)
    assert (answer.status, answer.verified, answer.usage.model_calls) == ("success", False, 4)
    await service.close()


async def test_a_budget_that_ends_before_the_first_answer_is_the_error(
    make_service: Make, model: ScriptedModel
) -> None:
    service = make_service(plan=True, enable_retrieval=False, max_model_calls=1)
    model.replies(text=plan(APRIL, MARCH))

    with pytest.raises(BudgetSpent):
        await ask(service)
    await service.close()


async def test_the_deadline_of_the_question_ends_a_part(
    make_service: Make, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(plan=True, enable_retrieval=False, request_deadline_s=2)
    reply = Reply(text=plan(APRIL, MARCH), usage=Usage())

    async def the_plan_alone(*_: object, schema: ReplySchema, **__: object) -> Reply:
        if schema.name != "question_plan":
            await asyncio.Event().wait()
        return reply

    monkeypatch.setattr(model, "complete", the_plan_alone)
    with pytest.raises(OutOfTime, match="2 s"):
        await ask(service)
    await service.close()


async def test_warnings_say_which_part_they_are_of(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan("Which orders are there in March?", MARCH))
    one(model, "SELECT order_id FROM orders", "")
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service, row_limit=2)

    assert answer.parts[0].truncated
    assert answer.parts[0].cursor
    assert [warning for warning in answer.warnings if "cut" in warning] == [
        "[1] The rows were cut at 2; there are more."
    ]


async def test_no_query_of_a_part_is_kept_for_reuse(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(plan=True, enable_retrieval=False, max_attempts=1)
    model.replies(text=plan(APRIL, MARCH))
    one(model, IN_JANUARY, "The total is 110.0.")
    one(model, IN_MARCH, "The total is 310.5.")
    assert (await ask(service)).verified

    one(model, IN_MARCH, "The total is 310.5.")
    assert not (await ask(service, MARCH)).reused
    await service.close()


def test_the_plan_is_told_as_it_was_made() -> None:
    event = QuestionPlanned(questions=(APRIL, MARCH), calculations=("{1} - {2}",))
    assert event.model_dump(mode="json") == {
        "attempt": 0, "elapsed_ms": 0.0, "questions": [APRIL, MARCH], "calculations": ["{1} - {2}"],
    }  # fmt: skip
