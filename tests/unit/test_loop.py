"""The loop, step by step, with a model that says what the test tells it to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from agent.errors import ModelUnavailable, OutOfTime, QuestionInvalid, WritesNotAllowed
from agent.models import Answer, Done, Event, NodeComplete, Options, RawRecordsFetched, Repairing, SqlExecuted
from agent.scripted import ScriptedModel
from agent.service import Service
from executors.errors import UnknownDatabase

Ask = Callable[..., Awaitable[Answer]]
EventsOf = Callable[..., Awaitable[list[Event]]]

TOTAL = "SELECT SUM(amount) AS total FROM orders"


def nodes(events: list[Event]) -> list[str]:
    return [event.node for event in events if isinstance(event, NodeComplete)]


async def test_a_right_query_is_judged_answered_and_verified(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text="All orders together come to 460.5.")

    answer = await ask("What is the total of all orders?")

    assert answer.status == "success"
    assert answer.verified
    assert answer.results == [{"total": 460.5}]
    assert answer.answer == "All orders together come to 460.5."
    assert answer.attempts == 1
    assert answer.tables_used == ["orders"]
    assert {check.name for check in answer.checks if check.passed} >= {"guard", "has_rows", "judge", "grounding"}
    assert answer.usage.model_calls == 3


async def test_a_judged_wrong_query_is_tried_again_with_the_reason(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT customer_id, SUM(amount) AS t FROM orders GROUP BY customer_id")
    model.replies(correct=False, reason="all customers, but the highest was asked for")
    model.replies(sql="SELECT customer_id, SUM(amount) AS t FROM orders GROUP BY customer_id ORDER BY t DESC LIMIT 1")
    model.replies(correct=True, reason="one row, the highest")
    model.replies(text="Customer 2, with 250.5.")

    answer = await ask("Which customer bought the most?")

    assert answer.attempts == 2
    assert "the highest was asked for" in model.asked[2].tail
    assert answer.verified
    assert [record.verdict and record.verdict.correct for record in answer.attempt_history] == [False, True]


async def test_a_missing_column_is_explained_with_the_table_that_holds_it(
    events_of: EventsOf, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT t.country, t.n FROM (SELECT country, COUNT(*) AS n FROM orders GROUP BY country) AS t")
    model.replies(
        sql="SELECT c.country, COUNT(*) AS n FROM orders AS o "
        "JOIN customers AS c ON o.customer_id = c.customer_id GROUP BY c.country"
    )
    model.replies(correct=True, reason="orders by country")
    model.replies(text="DE has 3 orders and FR has 1.")

    events = await events_of("How many orders came from each country?")

    repair = next(event for event in events if isinstance(event, Repairing))
    assert repair.error_type == "COLUMN_NOT_FOUND"
    assert "customers" in repair.hint
    assert "customer_id" in repair.hint  # the join that leads there
    assert repair.hint in model.asked[1].tail


async def test_a_column_that_can_only_be_meant_one_way_is_mended_as_an_attempt_of_its_own(
    ask: Ask, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT c.amount FROM customers AS c JOIN orders AS o ON o.customer_id = c.customer_id")
    model.replies(correct=True, reason="amounts of all orders with a customer")
    model.replies(text="The amounts are 100, 40, 250.5 and 10.")

    answer = await ask("What are the amounts of the orders of our customers?")

    assert answer.attempts == 2
    assert answer.attempt_history[0].error_type == "COLUMN_NOT_FOUND"
    assert answer.attempt_history[1].sql.startswith("SELECT o.amount")
    assert "c.amount -> o.amount" in answer.explanation


async def test_every_step_of_the_specification_is_an_event_in_its_order(
    events_of: EventsOf, model: ScriptedModel
) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="460.5 in all.")

    events = await events_of("What is the total of all orders?")

    assert events[0].event == "start"
    assert nodes(events) == [
        "entry",
        "dialect_resolver",
        "schema_selector",
        "sql_generator",
        "sql_validator",
        "planner",
        "sql_executor",
        "evaluator",
        "raw_records",
        "answer_formatter",
    ]
    assert isinstance(events[-1], Done)


async def test_the_rows_behind_an_aggregate_are_fetched(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT SUM(amount) AS total FROM orders WHERE status = 'C'")
    model.replies(correct=True, reason="yes")
    model.replies(text="Completed orders come to 360.5.")

    answer = await ask("What do the completed orders come to?")

    assert answer.raw_results == [{"amount": 100.0}, {"amount": 250.5}, {"amount": 10.0}]
    assert answer.raw_sql is not None
    assert "SUM" not in answer.raw_sql


async def test_no_more_than_max_attempts_and_the_best_is_returned_unverified(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers")
    model.replies(correct=False, reason="names, but a number was asked for")
    model.replies(sql="SELECT nonsense FROM customers")
    model.replies(text="The customers are Ada, Bo and Cy.")

    answer = await ask("How many customers are there?", max_attempts=2)

    assert answer.attempts == 2
    assert answer.sql is not None
    assert answer.sql.startswith("SELECT name FROM customers")
    assert answer.needs_human_review
    assert not answer.verified
    assert len(answer.attempt_history) == 2


async def test_where_no_query_runs_the_answer_says_what_was_tried_and_what_could_be_asked(
    ask: Ask, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT temperature FROM weather")

    answer = await ask("How warm is it?", max_attempts=1)

    assert answer.status == "error"
    assert "weather" in answer.answer
    assert "How many customers are there?" in answer.answer
    assert answer.needs_human_review
    assert answer.results == []


async def test_without_evaluation_nobody_judges_and_the_answer_says_so(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(text="460.5 in all.")

    answer = await ask("What is the total of all orders?", enable_evaluation=False)

    assert not answer.verified
    judge = next(check for check in answer.checks if check.name == "judge")
    assert judge.passed is None
    assert "switched off" in judge.detail


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


async def test_more_rows_than_asked_for_are_refused_without_asking_the_judge(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id, amount FROM orders ORDER BY amount DESC")
    model.replies(sql="SELECT order_id, amount FROM orders ORDER BY amount DESC LIMIT 2")
    model.replies(correct=True, reason="two rows")
    model.replies(text="Orders 3 and 1.")

    answer = await ask("What are the top 2 orders by amount?")

    assert "2 rows were asked for, 5 came" in model.asked[1].tail
    assert answer.row_count == 2


async def test_a_value_that_the_column_does_not_hold_is_named_with_the_nearest(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'ada'")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'Ada'")
    model.replies(correct=True, reason="yes")
    model.replies(text="There is 1.")

    answer = await ask("How many customers are called ada?")

    assert "'Ada'" in model.asked[1].tail
    assert answer.results == [{"n": 1}]


async def test_the_same_query_again_is_not_judged_again(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers")
    model.replies(correct=False, reason="not a number")
    model.replies(sql="SELECT name FROM customers")
    model.replies(text="The customers are Ada, Bo and Cy.")

    answer = await ask("How many customers are there?", max_attempts=2)

    assert answer.attempts == 2
    assert not answer.verified


async def test_later_attempts_are_warmer_so_that_the_model_does_not_repeat_itself(
    ask: Ask, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT nope FROM customers")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")

    await ask("How many customers are there?")

    assert model.asked[0].temperature == 0
    assert model.asked[1].temperature > 0


async def test_a_reply_without_sql_is_an_attempt_that_failed(ask: Ask, model: ScriptedModel) -> None:
    model.replies(text="I would rather not.")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")

    answer = await ask("How many customers are there?")

    assert answer.attempts == 2
    assert answer.attempt_history[0].error_type == "UNUSABLE_REPLY"


async def test_a_wish_to_change_the_data_is_refused_at_once(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="DROP TABLE customers")

    with pytest.raises(WritesNotAllowed, match="only reads"):
        await ask("Please remove the customers table")


async def test_rows_are_cut_at_the_limit_and_the_answer_says_so(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id FROM orders")
    model.replies(correct=True, reason="yes")
    model.replies(text="The first orders are 1 and 2.")

    answer = await ask("List the orders", row_limit=2)

    assert answer.truncated
    assert answer.row_count == 2
    assert "2 rows" in answer.answer
    assert "more" in answer.answer


async def test_all_steps_share_their_first_message_to_the_byte(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="460.5 in all.")

    await ask("What is the total of all orders?")

    assert len({call.messages[0].content for call in model.asked}) == 1
    assert "CREATE TABLE" in model.asked[0].messages[0].content


async def test_the_executed_event_carries_the_first_rows(events_of: EventsOf, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers ORDER BY name")
    model.replies(correct=True, reason="yes")
    model.replies(text="Ada, Bo and Cy.")

    events = await events_of("Who are our customers?")

    executed = next(event for event in events if isinstance(event, SqlExecuted))
    assert executed.rows == (("Ada",), ("Bo",), ("Cy",))
    records = next(event for event in events if isinstance(event, RawRecordsFetched))
    assert records.sql is None
    assert records.reason


async def test_a_session_carries_what_was_asked_before(service: Service, model: ScriptedModel) -> None:
    session = await service.start_session("shop")
    for question, text in (("How many customers are there?", "There are 3 customers."), ("And orders?", "5 orders.")):
        table = "customers" if "customers" in question else "orders"
        model.replies(sql=f"SELECT COUNT(*) AS n FROM {table}")
        model.replies(correct=True, reason="yes")
        model.replies(text=text)
        await service.query(question, "shop", session_id=session.id)

    assert "There are 3 customers." in model.asked[3].tail


async def test_an_unknown_database_is_named_with_those_that_there_are(ask: Ask) -> None:
    with pytest.raises(UnknownDatabase, match="Known: shop"):
        await ask("How many?", database="nowhere")


@pytest.mark.parametrize(
    "question, says",
    [("   ", "empty"), ("x" * 100_000, "at most 4000")],
)
async def test_a_question_that_cannot_be_taken(ask: Ask, question: str, says: str) -> None:
    with pytest.raises(QuestionInvalid, match=says):
        await ask(question)


async def test_a_model_that_cannot_be_reached_is_an_error_for_the_caller(ask: Ask, model: ScriptedModel) -> None:
    model.replies(raises=ModelUnavailable("The model cannot be reached."))

    with pytest.raises(ModelUnavailable):
        await ask("How many customers are there?")


async def test_the_deadline_ends_the_question(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    service = make_service(request_deadline_s=0.2)
    waiting = asyncio.Event()

    async def never(*_: object, **__: object) -> None:
        await waiting.wait()

    model.complete = never  # type: ignore[method-assign, assignment]
    with pytest.raises(OutOfTime, match=r"0\.2 s"):
        await service.query("How many customers are there?", "shop")
    await service.close()


async def test_options_never_widen_what_the_settings_allow() -> None:
    with pytest.raises(ValueError):
        Options(row_limit=10_001)
