"""The loop, step by step, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from shop_questions import STEPS, TOTAL, Ask, EventsOf

from agent.core.errors import ModelUnavailable, OutOfTime, QuestionInvalid, WritesNotAllowed
from agent.core.events import Done, Event, NodeComplete, RawRecordsFetched, Repairing, SqlExecuted
from agent.core.models import Options
from agent.pipeline.service import Service
from executors.base import Cancel, CheckedSql, QueryResult
from executors.errors import DatabaseUnavailable, UnknownDatabase
from executors.workers.isolated import IsolatedExecutor
from testbed.scripted_model import ScriptedModel


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

    answer = await ask("Which customer id bought the most?")

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

    events = await events_of("How many orders came from each country?")

    repair = next(event for event in events if isinstance(event, Repairing))
    assert repair.error_type == "COLUMN_NOT_FOUND"
    assert "customers" in repair.hint
    assert "customer_id" in repair.hint  # the join that leads there
    assert repair.hint in model.asked[1].tail


async def test_a_column_that_can_only_be_meant_one_way_is_repaired_as_an_attempt_of_its_own(
    ask: Ask, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT c.amount FROM customers AS c JOIN orders AS o ON o.customer_id = c.customer_id")
    model.replies(correct=True, reason="amounts of all orders with a customer")

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
    assert nodes(events) == STEPS
    assert isinstance(events[-1], Done)


async def test_where_there_are_more_rows_behind_an_aggregate_it_says_so(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="All orders come to 460.5.")

    answer = await ask("What do all orders come to?", raw_row_limit=2)

    assert (len(answer.raw_results), answer.raw_truncated, answer.raw_total) == (2, True, 5)
    assert "5 records behind the result." in [check.detail for check in answer.checks]


async def test_the_records_are_those_of_the_groups_that_the_answer_shows(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT customer_id, SUM(amount) AS t FROM orders GROUP BY customer_id ORDER BY t DESC LIMIT 1")
    model.replies(correct=True, reason="yes")
    model.replies(text="Customer 2, with 250.5.")

    answer = await ask("Which customer id bought the most?")

    assert {record["customer_id"] for record in answer.raw_results} == {answer.results[0]["customer_id"]}
    assert sum(record["amount"] for record in answer.raw_results) == answer.results[0]["t"]
    assert answer.raw_total == len(answer.raw_results)
    assert answer.group_columns == ["customer_id"]


async def test_the_rows_behind_an_aggregate_are_fetched(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT SUM(amount) AS total FROM orders WHERE status = 'C'")
    model.replies(correct=True, reason="yes")
    model.replies(text="Completed orders come to 360.5.")

    answer = await ask("What do the completed orders come to?")

    assert [record["amount"] for record in answer.raw_results] == [100.0, 250.5, 10.0]
    assert list(answer.raw_results[0])[:2] == ["order_id", "amount"]
    assert answer.raw_total == 3
    assert not answer.raw_truncated
    assert answer.raw_sql is not None
    assert "SUM" not in answer.raw_sql


async def test_no_more_than_max_attempts_and_the_best_is_returned_unverified(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers")
    model.replies(correct=False, reason="names, but a number was asked for")
    model.replies(sql="SELECT nonsense FROM customers")

    answer = await ask("How many customers are there?", max_attempts=2)

    assert answer.attempts == 2
    assert answer.sql is not None
    assert answer.sql.startswith("SELECT name FROM customers")
    assert answer.needs_human_review
    assert not answer.verified
    assert len(answer.attempt_history) == 2


async def test_a_repair_takes_no_attempt_also_of_the_last_query(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT MAX(orders.amount) AS total FROM orders AS o")
    model.replies(correct=False, reason="the largest one")
    model.replies(sql="SELECT nothing FROM orders")
    model.replies(sql="SELECT SUM(orders.amount) AS total FROM orders AS o")
    model.replies(correct=True, reason="the sum")
    model.replies(text="All orders come to 460.5.")

    answer = await ask("What do all orders come to?", max_attempts=3)

    assert [list(row.values()) for row in answer.results] == [[460.5]]
    repaired = [it.note.startswith("The last query repaired") for it in answer.attempt_history]
    assert repaired == [False, True, False, False, True]
    assert answer.usage.model_calls == 6


@pytest.mark.usefixtures("patient")
async def test_where_no_query_runs_the_answer_says_what_was_tried_and_what_could_be_asked(
    ask: Ask, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT temperature FROM weather")

    answer = await ask("How warm is it?", max_attempts=1, clarify=False)

    assert answer.status == "error"
    assert "weather" in answer.answer
    assert "How many orders are there?" in answer.answer
    assert answer.needs_human_review
    assert answer.results == []


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


async def test_a_query_that_could_not_be_run_is_not_tried_twice(ask: Ask, model: ScriptedModel) -> None:
    wrong = "SELECT SUM(turnover) FROM orders"
    model.replies(sql=wrong)
    model.replies(sql=wrong)  # with the error in view
    model.replies(sql=TOTAL)  # with none
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text="All orders together come to 460.5.")

    answer = await ask("What is the total of all orders?")

    assert [record.sql for record in answer.attempt_history] == [wrong, TOTAL]
    assert ["turnover" in asked.tail for asked in model.asked[:3]] == [False, True, False]
    assert answer.verified


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


async def test_a_write_after_a_query_that_ran_is_an_attempt_that_failed(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers")
    model.replies(correct=False, reason="a number was asked for")
    model.replies(sql="DELETE FROM customers")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")

    answer = await ask("How many customers are there?")

    assert answer.attempt_history[1].error_type == "NOT_READ_ONLY"
    assert answer.attempts == 3
    assert (answer.status, answer.answer) == ("success", "There are 3 customers.")


async def test_an_unusable_reply_before_a_write_does_not_hide_the_wish(ask: Ask, model: ScriptedModel) -> None:
    model.replies(text="I would rather not.")
    model.replies(sql="DELETE FROM customers")

    with pytest.raises(WritesNotAllowed):
        await ask("Please remove all customers")


UNDERIVABLE = "SELECT SUM(amount) AS n FROM orders UNION ALL SELECT COUNT(*) FROM customers"


async def test_what_is_not_proven_to_be_behind_the_result_is_not_called_a_record(
    make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    service = make_service(enable_evaluation=False)
    model.replies(sql=UNDERIVABLE)

    answer = await service.query("What do the orders come to, and how many customers are there?", "shop")
    await service.close()

    records = next(check for check in answer.checks if check.name == "raw_records")
    assert records.passed is None
    assert "different numbers of columns" in records.detail
    assert (answer.raw_results, answer.raw_sql, answer.group_columns) == ([], None, None)
    assert answer.status == "success"


async def test_a_database_that_goes_away_before_the_raw_records_is_a_reason_no_error(
    ask: Ask, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = IsolatedExecutor.run

    def once(
        self: IsolatedExecutor, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None
    ) -> QueryResult:
        if "SUM" not in query.sql:
            raise DatabaseUnavailable("shop.sqlite cannot be opened.")
        return runs(self, query, timeout_s=timeout_s, cancel=cancel)

    monkeypatch.setattr(IsolatedExecutor, "run", once)
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="460.5 in all.")

    answer = await ask("What is the total of all orders?")

    assert answer.results == [{"total": 460.5}]
    records = next(check for check in answer.checks if check.name == "raw_records")
    assert "cannot be opened" in records.detail
    assert any(warning.startswith("The rows behind the result were not fetched") for warning in answer.warnings)


async def test_rows_are_cut_at_the_limit_and_the_answer_says_so(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id FROM orders")
    model.replies(correct=True, reason="yes")

    answer = await ask("List the orders", row_limit=2)

    assert answer.truncated
    assert answer.row_count == 2
    assert answer.answer.endswith(" (n > 2)")
    assert "The rows were cut at 2; there are more." in answer.warnings
    assert answer.plan is not None
    assert answer.plan.limit is None  # the guard's limit, not the query's


async def test_generator_and_judge_share_their_first_message_to_the_byte(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="460.5 in all.")

    await ask("What is the total of all orders?")

    generator, judge, writer = (call.messages[0].content for call in model.asked)
    assert generator == judge
    assert "CREATE TABLE" in generator
    assert "CREATE TABLE" not in writer, "this profile's writer has a beginning of its own"


async def test_the_executed_event_carries_the_first_rows(events_of: EventsOf, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers ORDER BY name")
    model.replies(correct=True, reason="yes")

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
        if table == "orders":
            model.replies(text="How many orders are there?")  # what the follow-up means by itself
        model.replies(sql=f"SELECT COUNT(*) AS n FROM {table}")
        model.replies(correct=True, reason="yes")
        model.replies(text=text)
        await service.query(question, "shop", session_id=session.id)

    assert "There are 3 customers." in model.asked[3].tail
    assert "There are 3 customers." not in model.asked[4].text, "the question is whole by now"
    assert model.asked[4].tail.strip() == "How many orders are there?"


async def test_what_could_not_be_made_a_whole_question_is_not_verified(service: Service, model: ScriptedModel) -> None:
    session = await service.start_session("shop")
    for question in ("How many customers are there?", "And orders?"):
        if question == "And orders?":
            model.replies(text="How many are there in 1999?")  # a number that nobody said: not used
        model.replies(sql="SELECT COUNT(*) AS n FROM customers")
        model.replies(correct=True, reason="yes")
        model.replies(text="There are 3 customers.")
        answer = await service.query(question, "shop", session_id=session.id)

    assert not answer.verified
    assert next(check for check in answer.checks if check.name == "whole_question").passed is None


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
