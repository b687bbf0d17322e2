"""The budget of one question: model calls and tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agent.core.errors import BudgetSpent, ModelUnavailable
from agent.core.models import Options
from agent.core.usage import Usage
from agent.pipeline.service import Service
from agent.platform.llm.chat import Message, Reply
from agent.platform.llm.wrappers.protected import BUDGET, SHORTEST_REPLY, Budget, BudgetedModel, estimate_prompt_tokens
from testbed.scripted_model import ScriptedModel

ASK = [Message(role="user", content="How many orders are there?")]
PROMPT = estimate_prompt_tokens(ASK)
ORDERS = "SELECT count(*) AS orders FROM orders"
NO_RETRIEVAL = Options(enable_retrieval=False)


async def within(budget: Budget, model: ScriptedModel, *, max_tokens: int = 500) -> None:
    async def call() -> None:
        BUDGET.set(budget)
        await BudgetedModel(model).complete(ASK, max_tokens=max_tokens)

    await asyncio.create_task(call())


async def test_one_call_too_many_is_not_made(model: ScriptedModel) -> None:
    budget = Budget(2, None)
    for _ in range(2):
        model.replies(text="yes")
        await within(budget, model)
    with pytest.raises(BudgetSpent, match="2 model calls"):
        await within(budget, model)


async def test_a_reply_gets_the_tokens_that_are_left(model: ScriptedModel) -> None:
    model.replies(text="yes")
    await within(Budget(None, PROMPT + 40), model)
    assert model.asked[0].max_tokens == 40


async def test_a_call_that_has_no_room_is_not_made(model: ScriptedModel) -> None:
    with pytest.raises(BudgetSpent, match=f"needs {PROMPT + SHORTEST_REPLY}"):
        await within(Budget(None, PROMPT + SHORTEST_REPLY - 1), model)


async def test_what_was_not_used_is_there_for_the_next(model: ScriptedModel) -> None:
    spent = 6  # of each call: the words of prompt and reply, as the scripted model counts
    budget = Budget(None, PROMPT + 500 + spent)
    model.replies(text="yes")
    await within(budget, model)
    model.replies(text="yes")
    await within(budget, model)
    assert [asked.max_tokens for asked in model.asked] == [500, 500]


async def test_a_call_that_failed_gives_its_tokens_back(model: ScriptedModel) -> None:
    budget = Budget(None, PROMPT + 100)
    model.replies(raises=ModelUnavailable("It is down."))
    with pytest.raises(ModelUnavailable):
        await within(budget, model)
    model.replies(text="yes")
    await within(budget, model)
    assert model.asked[1].max_tokens == 100


async def test_an_endpoint_that_counts_nothing_is_counted_here() -> None:
    class Uncounted(ScriptedModel):
        async def complete(self, *arguments: Any, **more: Any) -> Reply:
            reply = await super().complete(*arguments, **more)
            return reply.model_copy(update={"usage": Usage(model_calls=1)})

    model, budget = Uncounted(), Budget(None, 2 * PROMPT + 40)
    model.replies(text="yes" * 35)  # thirty tokens
    await within(budget, model)
    with pytest.raises(BudgetSpent, match=f"and {PROMPT + 10} are left"):
        await within(budget, model)


async def test_where_no_question_is_asked_nothing_is_counted(model: ScriptedModel) -> None:
    model.replies(text="yes")
    await BudgetedModel(model).complete(ASK)
    assert model.asked[0].max_tokens == 500


@pytest.mark.parametrize(
    "calls, replies, verified, answer, warning",
    [
        (3, [{"sql": ORDERS}, {"correct": True}, {"text": "There are 5 orders."}], True, "There are 5 orders.", None),
        (2, [{"sql": ORDERS}, {"correct": True}], True, "Orders: 5.", "composed from the rows"),
        (1, [{"sql": ORDERS}], False, "Orders: 5.", "The result was not judged"),
    ],
    ids=["enough", "no sentence", "no judge"],
)
async def test_a_question_answers_with_what_it_has(
    make_service: Callable[..., Service],
    model: ScriptedModel,
    calls: int,
    replies: list[dict[str, object]],
    verified: bool,
    answer: str,
    warning: str | None,
) -> None:
    for reply in replies:
        model.replies(**reply)  # type: ignore[arg-type]  # each is one of the script's
    service = make_service(max_model_calls=calls)
    try:
        found = await service.query("How many orders are there?", "shop", options=NO_RETRIEVAL)
    finally:
        await service.close()
    assert (found.status, found.verified, found.answer, found.results) == ("success", verified, answer, [{"orders": 5}])
    assert found.usage.model_calls == len(replies) <= calls
    assert bool(found.warnings) == (warning is not None)
    assert warning is None or any(warning in said for said in found.warnings)


async def test_a_rejected_query_is_answered_where_no_other_can_be_paid_for(
    make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    model.replies(sql=ORDERS)
    model.replies(correct=False, reason="Cancelled orders are in it.")
    service = make_service(max_model_calls=2)
    try:
        found = await service.query("How many orders are there?", "shop", options=NO_RETRIEVAL)
    finally:
        await service.close()
    assert (found.verified, found.needs_human_review, found.results) == (False, True, [{"orders": 5}])
    assert "No further query was tried: The question has used its 2 model calls." in found.warnings


async def test_a_question_that_gets_no_query_says_why(
    make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    service = make_service(max_tokens_per_question=20)
    try:
        with pytest.raises(BudgetSpent, match="may use 20 tokens"):
            await service.query("How many orders are there?", "shop", options=NO_RETRIEVAL)
    finally:
        await service.close()
    assert not model.asked
