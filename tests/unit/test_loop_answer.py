"""The loop where the answer is written: its numbers are traced and computed anew, its sentences streamed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from shop_questions import TOTAL, Ask, EventsOf

from agent.events import AnswerDelta, Done
from agent.scripted import ScriptedModel
from agent.service import Service


async def test_the_calculator_puts_a_wrong_sum_right(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id, amount FROM orders WHERE order_id IN (1, 2)")
    model.replies(correct=True, reason="yes")
    model.replies(text="Together 100 + 40 = 150.")

    answer = await ask("What do orders 1 and 2 come to?")

    assert answer.answer.startswith("Together 100 + 40 = 140.")
    assert [(c.stated, c.computed) for c in answer.corrections] == [("150", "140")]
    assert answer.verified


async def test_without_the_calculator_the_text_stays_and_is_not_verified(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id, amount FROM orders WHERE order_id IN (1, 2)")
    model.replies(correct=True, reason="yes")
    model.replies(text="Together 100 + 40 = 150.")
    model.replies(text="Together 100 + 40 = 150.")

    answer = await ask("What do orders 1 and 2 come to?", enable_calculator=False)

    assert "150" in answer.answer
    assert not answer.verified


async def test_who_wants_no_sentence_gets_the_rows_as_they_are(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id, amount FROM orders WHERE order_id IN (1, 2)")
    model.replies(correct=True, reason="yes")

    answer = await ask("Which amounts do orders 1 and 2 have?", enable_answer=False)

    assert answer.answer == "order_id: 1, amount: 100.0\norder_id: 2, amount: 40.0 (n = 2)"
    assert "answer_formatter" not in answer.timings_ms


async def test_a_number_that_no_row_supports_costs_one_rewrite(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="The total is 9999.")
    model.replies(text="The total is 460.5.")

    answer = await ask("What is the total of all orders?")

    assert "9999" in model.asked[3].tail
    assert answer.answer == "The total is 460.5."
    assert answer.verified


async def test_a_number_that_stays_untraced_is_a_warning_and_unverified(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="The total is 9999.")
    model.replies(text="The total is 8888.")

    answer = await ask("What is the total of all orders?")

    assert not answer.verified
    assert any("8888" in warning for warning in answer.warnings)


@pytest.mark.parametrize("calculates", [True, False])
async def test_a_draft_written_ahead_is_asked_for_calculations_only_where_they_are_made(
    make_service: Callable[..., Service], model: ScriptedModel, calculates: bool
) -> None:
    service = make_service(profile="small_hosted", enable_calculator=calculates)
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text='{"reason": "460.5", "correct": true}')  # read by whoever asks second
    answer = await service.query("What is the total of all orders?", "shop")
    await service.close()

    assert answer.status == "success"
    drafts = [call for call in model.asked if "in one or two sentences" in call.tail]
    assert len(drafts) == 1
    assert ("[[" in drafts[0].tail) is calculates


async def test_the_pieces_of_the_answer_joined_are_the_answer(events_of: EventsOf, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers ORDER BY name")
    model.replies(correct=True, reason="yes")
    model.replies(text="These are:\n- Ada.\n- Bo.  And Cy! Who else?")

    events = await events_of("Who are our customers?")

    pieces = [event.text for event in events if isinstance(event, AnswerDelta)]
    done = events[-1]
    assert isinstance(done, Done)
    assert "".join(pieces) == done.answer.answer
    assert pieces == ["These are:\n- Ada.\n", "- Bo.  ", "And Cy! ", "Who else? ", "(n = 3)"]


async def test_a_model_that_says_nothing_leaves_the_rows_stated_and_unverified(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="")
    model.replies(text="")

    answer = await ask("What is the total of all orders?")

    assert answer.answer == "total: 460.5"
    assert not answer.verified
    assert next(check for check in answer.checks if check.name == "answer").passed is False
