"""The loop where the answer is written: numbers are traced and recomputed, sentences streamed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from shop_questions import TOTAL, Ask, EventsOf

from agent.core.events import AnswerDelta, Done
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

TWO = "SELECT a.amount AS one, b.amount AS two FROM orders a JOIN orders b ON a.order_id = 1 AND b.order_id = 2"


async def test_the_calculator_puts_a_wrong_sum_right(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TWO)
    model.replies(correct=True, reason="yes")
    model.replies(text="Together 100 + 40 = 150.")

    answer = await ask("What do orders 1 and 2 come to?")

    assert answer.answer.startswith("Together 100 + 40 = 140.")
    assert [(c.stated, c.computed) for c in answer.corrections] == [("150", "140")]
    assert answer.verified


async def test_without_the_calculator_arithmetic_is_not_believed(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TWO)
    model.replies(correct=True, reason="yes")
    model.replies(text="Together 100 + 40 = 150.")

    answer = await ask("What do orders 1 and 2 come to?", enable_calculator=False)

    assert answer.answer == "One: 100; two: 40."
    assert answer.answer_source == "composed"


async def test_who_wants_no_sentence_gets_the_rows_as_they_are(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id, amount FROM orders WHERE order_id IN (1, 2)")
    model.replies(correct=True, reason="yes")

    answer = await ask("Which amounts do orders 1 and 2 have?", enable_answer=False)

    assert answer.answer == "Amount by order id: 1: 100; 2: 40. (n = 2)"
    assert "answer_formatter" not in answer.timings_ms


async def test_what_is_not_supported_is_never_shown(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="The total is 8888.")

    answer = await ask("What is the total of all orders?")

    assert answer.answer == "Total: 460.5."
    assert answer.answer_source == "composed"
    assert answer.verified, "what is shown is supported"
    assert any(check.name == "answer" and "8888" in check.detail for check in answer.checks)
    assert answer.warnings == []


@pytest.mark.parametrize("calculates", [True, False])
async def test_a_draft_written_ahead_is_asked_for_calculations_only_where_they_are_made(
    make_service: Callable[..., Service], model: ScriptedModel, calculates: bool
) -> None:
    service = make_service(profile="small_hosted", enable_calculator=calculates)
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text='{"reason": "460.5", "correct": true}')  # read by whoever asks second
    model.replies(text="It is 460.5.")
    answer = await service.query("What is the total of all orders?", "shop")
    await service.close()

    assert answer.status == "success"
    drafts = [call for call in model.asked if "in one or two sentences" in call.tail]
    assert ("[[" in drafts[0].tail) is calculates


async def test_the_pieces_of_the_answer_joined_are_the_answer(events_of: EventsOf, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers WHERE customer_id = 1")
    model.replies(correct=True, reason="yes")
    model.replies(text="This is:\n- Ada.\n- Ada.  And Ada! It is Ada.")

    events = await events_of("Who is the first of our customers?")

    pieces = [event.text for event in events if isinstance(event, AnswerDelta)]
    done = events[-1]
    assert isinstance(done, Done)
    assert "".join(pieces) == done.answer.answer
    assert pieces == ["This is:\n- Ada.\n", "- Ada.  ", "And Ada! ", "It is Ada."]


async def test_where_a_model_says_nothing_the_answer_is_composed(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="")

    answer = await ask("What is the total of all orders?")

    assert (answer.answer, answer.answer_source) == ("Total: 460.5.", "composed")
    assert "answer is incomplete" in next(check for check in answer.checks if check.name == "answer").detail


async def test_the_response_says_in_which_language_its_numbers_are_to_be_shown(ask: Ask, model: ScriptedModel) -> None:
    for question, language in (
        ("What is the total of all orders?", "en"),
        ("Wie hoch ist die Summe aller Aufträge?", "de"),
        ("Qual è il totale di tutti gli ordini?", "it"),
    ):
        model.replies(sql=TOTAL)
        model.replies(correct=True, reason="yes")
        answer = await ask(question, enable_answer=False, clarify=False)
        assert answer.language == language
