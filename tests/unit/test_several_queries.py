"""A question that needs several queries: its plan, its parts, and the one answer that they are joined in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from growing_replies import told_while_written
from several_parts import APRIL, IN_JANUARY, IN_MARCH, MARCH, WHY, ask, events_of, one, plan
from shop_questions import Make

from agent.core.errors import ModelUnavailable
from agent.core.events import (
    AnswerDelta,
    Done,
    NodeComplete,
    PartAnswered,
    SqlProgress,
)
from agent.core.models import Options
from agent.pipeline import asking
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel


@pytest.fixture
async def service(make_service: Make) -> AsyncIterator[Service]:
    built = make_service(plan=True, enable_retrieval=False, max_attempts=1)
    yield built
    await built.close()


# -- the answer ---------------------------------------------------------------------------------------------------


async def test_each_claim_names_its_query_and_the_difference_is_computed(
    service: Service, model: ScriptedModel
) -> None:
    model.replies(text=plan(APRIL, MARCH, calculations=("{1} - {2}", "({1} - {2}) / {2} | percent")))
    one(model, IN_JANUARY, "The total is 110.0.")
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service)

    assert answer.answer.splitlines() == [
        "The total is 110. [1]",
        "The total is 310.5. [2]",
        "110 - 310.5 = -200.5 [1][2]",
        "(110 - 310.5) / 310.5 = -64.57% [1][2]",
    ]
    assert [part.question for part in answer.parts] == [APRIL, MARCH]
    assert [part.results for part in answer.parts] == [[{"total": 110.0}], [{"total": 310.5}]]
    assert all(part.sql and part.verified for part in answer.parts)
    assert (answer.status, answer.kind, answer.sql, answer.results) == ("success", "query", None, [])
    assert answer.verified
    assert answer.question == WHY
    assert (answer.attempts, len(answer.attempt_history), answer.usage.model_calls) == (2, 2, 7)
    assert answer.tables_used == ["orders"]


async def test_every_number_of_the_answer_says_where_it_comes_from(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan(APRIL, MARCH, calculations=("{1} - {2}",)))
    one(model, IN_JANUARY, "The total is 110.0.")
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service)

    assert [answer.answer[it.start : it.end] for it in answer.numbers] == [it.text for it in answer.numbers]
    assert [(it.text, it.source, it.part) for it in answer.numbers] == [
        ("110", "result", 1),
        ("310.5", "result", 2),
        ("110", "result", 1),
        ("310.5", "result", 2),
        ("-200.5", "calculation", None),
    ]
    assert answer.numbers[-1].expression == "110 - 310.5"


async def test_the_least_confidence_of_the_parts_is_that_of_the_whole(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan(APRIL, MARCH))
    one(model, IN_JANUARY, "The total is 110.0.")
    one(model, "SELECT SUM(amount) AS total FROM orders", "", correct=False)

    answer = await ask(service)

    first, second = (part.confidence for part in answer.parts)
    assert first is not None
    assert second is not None
    assert second < first
    assert answer.confidence == second
    assert (answer.verified, [part.verified for part in answer.parts]) == (False, [True, False])
    assert answer.needs_human_review
    assert "Not verified: 2." in [check.detail for check in answer.checks if check.passed is False]


async def test_the_difference_of_two_numbers_of_one_measure_is_there_though_nobody_planned_it(
    service: Service, model: ScriptedModel
) -> None:
    model.replies(text=plan(APRIL, MARCH))
    one(model, IN_JANUARY, "The total is 110.0.")
    one(model, IN_MARCH, "The total is 310.5.")

    assert (await ask(service)).answer.endswith("\n110 - 310.5 = -200.5 [1][2]")


async def test_the_difference_has_the_decimal_mark_of_the_question(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan("Wie hoch war der Umsatz im Januar?", "Wie hoch war der Umsatz im März?"))
    one(model, IN_JANUARY, "Der Umsatz im Januar war 110.")
    one(model, IN_MARCH, "Der Umsatz im März war 310,5.")

    answer = await ask(service, "Vergleiche den Umsatz im Januar und im März")

    assert answer.answer.endswith("\n110 - 310,5 = -200,5 [1][2]")


async def test_numbers_of_two_measures_are_not_subtracted(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan("What is the total amount of orders?", "How many customers are there?"))
    one(model, "SELECT SUM(amount) AS total FROM orders", "The total is 460.5.")
    one(model, "SELECT COUNT(*) AS n FROM customers", "There are 3 customers.")

    answer = await ask(service, "Compare the amount of orders and the number of customers")

    assert answer.answer.splitlines() == ["The total is 460.5. [1]", "There are 3 customers. [2]"]


async def test_what_cannot_be_computed_is_a_warning(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan("What is the total amount of orders?", "Which countries have customers?",
                            calculations=("{1} - {2}", "{1} * 1.19", "{1} - {9}", "{1} / ({1} - {1})")))  # fmt: skip
    one(model, "SELECT SUM(amount) AS total FROM orders", "The total is 460.5.")
    one(model, "SELECT DISTINCT country FROM customers ORDER BY country", "")

    answer = await ask(service, "Why is the amount of orders as it is?")

    assert answer.answer.count("\n") == 1
    left_out = [warning for warning in answer.warnings if "was left out" in warning]
    assert len(left_out) == 4
    assert "Part 2 does not give exactly one number." in left_out[0]
    assert "Division by zero." in left_out[3]


async def test_without_the_calculator_nothing_is_computed(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan(APRIL, MARCH, calculations=("{1} - {2}",)))
    one(model, IN_JANUARY, "The total is 110.0.")
    one(model, IN_MARCH, "The total is 310.5.")

    assert (await ask(service, enable_calculator=False)).answer.count("\n") == 1


# -- the events ---------------------------------------------------------------------------------------------------


async def test_the_events_of_a_part_have_its_number(service: Service, model: ScriptedModel) -> None:
    model.replies(text=plan(APRIL, MARCH))
    one(model, IN_JANUARY, "The total is 110.0.")
    one(model, IN_MARCH, "The total is 310.5.")

    events = await events_of(service)

    nodes = [(event.node, event.part) for event in events if isinstance(event, NodeComplete)]
    way = ["schema_selector", "sql_generator", "sql_validator", "planner", "sql_executor", "evaluator", "raw_records",
           "answer_formatter", "part_answered"]  # fmt: skip
    assert nodes[:4] == [("entry", 0), ("dialect_resolver", 0), ("schema_selector", 0), ("question_planner", 0)]
    assert nodes[4:] == [(node, 1) for node in way] + [(node, 2) for node in way]
    assert "part" not in events[1].model_dump(mode="json"), "those of the whole are as they always were"
    assert [event.answer for event in events if isinstance(event, PartAnswered)] == [
        "The total is 110.",
        "The total is 310.5.",
    ]
    done = events[-1]
    assert isinstance(done, Done)
    assert "".join(event.text for event in events if isinstance(event, AnswerDelta)) == done.answer.answer
    assert sum(isinstance(event, Done) for event in events) == 1


# -- who is asked for a plan --------------------------------------------------------------------------------------


async def test_where_one_query_is_enough_the_question_goes_the_usual_way(
    service: Service, model: ScriptedModel
) -> None:
    model.replies(text=plan())
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service)

    assert (answer.parts, answer.answer, answer.verified) == ([], "The total is 310.5.", True)
    assert answer.warnings == []


@pytest.mark.parametrize(
    "changes, options, asked",
    [
        ({}, {}, False),
        ({}, {"plan": True}, True),
        ({"plan": True}, {}, True),
        ({"plan": True}, {"plan": False}, False),
        ({"plan": True, "profile": "small_hosted"}, {"effort": "quick"}, False),
        ({"plan": False}, {"plan": True}, False),
        ({"plan": False, "profile": "large_hosted"}, {}, False),
        ({"profile": "large_hosted", "planner": "off"}, {}, True),
        ({"profile": "small_hosted"}, {"plan": False}, False),
    ],
)
async def test_profile_settings_and_options_say_whether_a_plan_is_asked_for(
    make_service: Make, model: ScriptedModel, changes: dict[str, object], options: dict[str, object], *, asked: bool
) -> None:
    service = make_service(
        **{"enable_retrieval": False, "enable_evaluation": False, "speculative_answer": False, **changes}
    )
    if asked:
        model.replies(text=plan())
    model.replies(sql=IN_MARCH)
    model.replies(text="The total is 310.5.")

    await service.query(WHY, "shop", options=Options.model_validate(options))

    assert (model.asked[0].schema_name == "question_plan") is asked
    await service.close()


async def test_a_plain_question_costs_no_call_unless_a_plan_is_asked_for(
    service: Service, model: ScriptedModel
) -> None:
    plain = "What is the total amount of orders in March?"
    one(model, IN_MARCH, "The total is 310.5.")
    await ask(service, plain)
    assert model.asked[0].schema_name != "question_plan"

    model.replies(text=plan())
    one(model, IN_MARCH, "The total is 310.5.")
    await ask(service, plain, plan=True, reuse_verified=False)
    assert model.asked[3].schema_name == "question_plan"


async def test_a_question_whose_query_is_known_needs_no_plan(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(plan=True, enable_retrieval=False)
    model.replies(text=plan())
    one(model, "SELECT SUM(amount) AS total FROM orders", "The total is 460.5.")
    question = "Why is the total amount of orders so low?"
    assert (await ask(service, question)).verified

    model.replies(correct=True, reason="as asked")
    model.replies(text="The total is 460.5.")
    assert (await ask(service, question)).reused
    await service.close()


@pytest.mark.parametrize(
    "reply, why",
    [
        ("I would ask two questions.", "it holds no JSON object"),
        ('{"questions": 7}', "valid list"),
        (plan(*(f"What is the amount of order {word}?" for word in "abcde")), "It has 5 queries; at most 4 are run."),
        (plan(MARCH, "Delete all orders of April"), "It holds an order to change the data."),
        (plan(MARCH, WHY.upper()), "A part is the question itself."),
        (plan(MARCH, "x" * 5000), "A part has 5000 characters"),
        (plan(MARCH, "What is at https://evil.example/?q= in April?"), "an address that is not in the data"),
    ],
)
async def test_a_plan_that_cannot_be_used_costs_a_warning_and_no_answer(
    service: Service, model: ScriptedModel, reply: str, why: str
) -> None:
    model.replies(text=reply)
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service)

    assert (answer.verified, answer.parts, answer.answer) == (True, [], "The total is 310.5.")
    assert any(why in warning and "by one query" in warning for warning in answer.warnings), answer.warnings


async def test_a_model_that_gives_no_plan_costs_a_warning(service: Service, model: ScriptedModel) -> None:
    model.replies(raises=ModelUnavailable("The model cannot be reached."))
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service)

    assert answer.verified
    assert answer.warnings == ["The question is answered by one query, without a plan: The model cannot be reached."]


async def test_a_number_that_nobody_gave_keeps_the_answer_from_being_verified(
    service: Service, model: ScriptedModel
) -> None:
    model.replies(text=plan("What is the total amount of orders in 2024?", MARCH))
    one(model, "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '2024-%'", "The total is 450.5.")
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service)

    assert all(part.verified for part in answer.parts)
    assert not answer.verified
    failed = [check.detail for check in answer.checks if check.passed is False]
    assert failed == ["The plan has numbers from neither the question, the docs nor the calendar: 2024."]


# -- the questions that it is for ---------------------------------------------------------------------------------


async def test_a_comparison_says_what_drives_the_difference(service: Service, model: ScriptedModel) -> None:
    model.replies(
        text=plan(
            "What is the total amount of orders of customers in DE?",
            "What is the total amount of orders of customers in FR?",
            "What is the total amount of orders by country and status?",
            calculations=("{1} - {2}",),
        )
    )
    of = "SELECT SUM(amount) AS total FROM orders JOIN customers USING (customer_id) WHERE country = "
    one(model, f"{of}'DE'", "The total is 150.0.")
    one(model, f"{of}'FR'", "The total is 250.5.")
    one(
        model,
        "SELECT country, status, SUM(amount) AS total FROM orders JOIN customers USING (customer_id) "
        "GROUP BY country, status ORDER BY country, status",
        "",
    )

    answer = await ask(service, "Compare the amounts of orders of DE and FR and say what drives the difference")

    assert len(answer.parts) == 3
    assert answer.parts[2].row_count == 3
    assert answer.answer.endswith("150 - 250.5 = -100.5 [1][2]")
    assert "(n = 3) [3]" in answer.answer


async def test_a_follow_up_is_taken_apart_when_it_is_whole(service: Service, model: ScriptedModel) -> None:
    session = await service.start_session("shop")
    one(model, "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '2025-%'", "The total is 10.0.")
    first = await service.query("What is the total amount of orders in 2025?", "shop", session_id=session.id)
    assert first.verified

    whole = "Is the total amount of orders in 2025 more than last year, and in which status?"
    model.replies(text=whole)
    model.replies(
        text=plan(
            "What is the total amount of orders in 2025?",
            "What is the total amount of orders in 2025 by status?",
            "What is the total amount of orders last year?",
            calculations=("{1} - {3}",),
        )
    )
    one(model, "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '2025-%'", "The total is 10.0.")
    one(
        model,
        "SELECT status, SUM(amount) AS total FROM orders WHERE ordered_at LIKE '202%' GROUP BY status",
        "",
    )
    one(model, "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '2024-%'", "The total is 450.5.")

    message = "Is that more than last year, and in which status?"
    answer = await service.query(message, "shop", session_id=session.id)

    assert answer.question == whole
    assert answer.answer.endswith("10 - 450.5 = -440.5 [1][3]")
    assert "Is the total amount of orders in 2025 more" in model.asked[4].tail


async def test_the_calendar_may_give_a_year(
    service: Service, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "utc_now", lambda: datetime(2025, 7, 1, tzinfo=UTC))
    model.replies(text=plan("What is the total amount of orders in 2024?", MARCH))
    one(model, "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '2024-%'", "The total is 450.5.")
    one(model, IN_MARCH, "The total is 310.5.")

    answer = await ask(service, "Why is the amount of orders lower than last year?")

    assert next(check for check in answer.checks if check.name == "plan").passed


async def test_a_query_is_told_while_it_is_written_with_the_number_of_its_part(
    make_service: Make, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    told_while_written(model, monkeypatch)
    service = make_service(plan=True, enable_retrieval=False, max_attempts=1)
    model.replies(text=plan(APRIL, MARCH))
    one(model, IN_JANUARY, "The total is 110.0.")
    one(model, IN_MARCH, "The total is 310.5.")

    told = [event for event in await events_of(service) if isinstance(event, SqlProgress)]

    assert [event.part for event in told] == [1, 2]
    await service.close()
