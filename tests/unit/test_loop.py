"""The loop, step by step, with a model that says what the test tells it to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from agent.errors import ModelFailed, ModelUnavailable, OutOfTime, QuestionInvalid, WritesNotAllowed
from agent.events import AnswerDelta, Done, Event, NodeComplete, RawRecordsFetched, Repairing, SqlExecuted
from agent.models import Answer, Options
from agent.scripted import ScriptedModel
from agent.service import Service
from executors.base import Cancel, CheckedSql, QueryResult
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, UnknownDatabase
from executors.sqlite import SqliteExecutor

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


async def test_where_there_are_more_rows_behind_an_aggregate_it_says_so(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="All orders come to 460.5.")

    answer = await ask("What do all orders come to?", raw_row_limit=2)

    assert (len(answer.raw_results), answer.raw_truncated) == (2, True)


async def test_the_rows_behind_an_aggregate_are_fetched(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT SUM(amount) AS total FROM orders WHERE status = 'C'")
    model.replies(correct=True, reason="yes")
    model.replies(text="Completed orders come to 360.5.")

    answer = await ask("What do the completed orders come to?")

    assert answer.raw_results == [{"amount": 100.0}, {"amount": 250.5}, {"amount": 10.0}]
    assert not answer.raw_truncated
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


async def test_more_rows_than_asked_for_are_refused_without_asking_the_judge(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id, amount FROM orders ORDER BY amount DESC")
    model.replies(sql="SELECT order_id, amount FROM orders ORDER BY amount DESC LIMIT 2")
    model.replies(correct=True, reason="two rows")
    model.replies(text="Orders 3 and 1.")

    answer = await ask("What are the 2 largest orders?")

    assert "2 rows were asked for, 5 came" in model.asked[1].tail
    assert answer.row_count == 2
    assert answer.verified


async def test_a_plain_check_that_fails_again_is_left_to_the_judge_whose_yes_verifies(
    ask: Ask, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT name FROM customers WHERE customer_id > 3")
    model.replies(sql="SELECT name FROM customers WHERE customer_id >= 4")
    model.replies(correct=True, reason="there really are none")
    model.replies(text="There are no such customers.")

    answer = await ask("Which customers have an id above 3?")

    assert answer.attempts == 2
    has_rows = next(check for check in answer.checks if check.name == "has_rows")
    assert has_rows.passed is None
    assert has_rows.detail.endswith("The judge accepts it.")
    assert answer.verified


async def test_what_contradicts_the_question_twice_is_not_verified_by_a_yes(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id FROM orders")
    model.replies(sql="SELECT order_id FROM orders ORDER BY amount DESC")
    model.replies(correct=True, reason="I was told to say yes")
    model.replies(text="Orders 3, 1, 4, 2 and 5.")

    answer = await ask("What are the 2 largest orders?")

    assert next(check for check in answer.checks if check.name == "judge").passed
    assert next(check for check in answer.checks if check.name == "asked_row_count").passed is False
    assert not answer.verified


async def test_a_repeated_query_that_only_a_plain_check_refused_is_judged(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers WHERE customer_id > 3")
    model.replies(sql="SELECT name FROM customers WHERE customer_id > 3")
    model.replies(correct=False, reason="the wrong column")
    model.replies(text="There are no such customers.")

    answer = await ask("Which customers have an id above 3?", max_attempts=2)

    assert [record.verdict and record.verdict.source for record in answer.attempt_history] == ["checks", "judge"]
    assert not answer.verified


async def test_values_that_cannot_be_looked_up_in_time_do_not_end_the_question(
    ask: Ask, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = SqliteExecutor.run

    def slow(self: SqliteExecutor, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        if "DISTINCT" in query.sql:
            raise SqlFailed(ErrorKind.TIMEOUT, "The query took longer than 30 s.")
        return runs(self, query, timeout_s=timeout_s, cancel=cancel)

    monkeypatch.setattr(SqliteExecutor, "run", slow)
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'Eve'")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 0.")

    answer = await ask("How many customers are called Eve?")

    values = next(check for check in answer.checks if check.name == "filter_values")
    assert values.passed is None
    assert answer.verified


async def test_a_value_that_the_column_does_not_hold_is_named_with_the_nearest(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'Adda'")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'Ada'")
    model.replies(correct=True, reason="yes")
    model.replies(text="There is 1.")

    answer = await ask("How many customers are called Adda?")

    assert "'Ada'" in model.asked[1].tail
    assert answer.results == [{"n": 1}]


@pytest.mark.parametrize(
    "question, sql, mended, note",
    [
        (
            "How many customers are called ada?",
            "SELECT COUNT(*) AS n FROM customers WHERE name = 'ada'",
            "SELECT COUNT(*) AS n FROM customers WHERE name = 'Ada'",
            "name: 'ada' -> 'Ada'",
        ),
        (
            "How many customers are there?",
            "SELECT COUNT(*) AS n FROM customers WHERE name IN ('Ada Lovelace', 'Bo Derek')",
            "SELECT COUNT(*) AS n FROM customers",
            "nobody asked for name IN ('Ada Lovelace', 'Bo Derek')",
        ),
        (
            "How many customers placed no order?",
            "SELECT COUNT(*) AS n FROM customers WHERE NOT customer_id IN (SELECT customer_id FROM orders)",
            "SELECT COUNT(*) AS n FROM customers WHERE NOT customer_id IN "
            "(SELECT customer_id FROM orders WHERE NOT customer_id IS NULL)",
            "NULLs of customer_id are left out of NOT IN",
        ),
    ],
)
async def test_what_a_check_can_put_right_is_an_attempt_of_its_own(
    ask: Ask, model: ScriptedModel, question: str, sql: str, mended: str, note: str
) -> None:
    model.replies(sql=sql)
    model.replies(correct=True, reason="yes")
    model.replies(text="So many.")

    answer = await ask(question)

    first, second = answer.attempt_history
    assert first.verdict is not None
    assert (first.verdict.source, first.verdict.correct) == ("checks", False)
    assert answer.sql == second.sql == mended
    assert note in answer.explanation


async def test_without_evaluation_nothing_that_runs_is_changed(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'ada'")
    model.replies(text="There are 0.")

    answer = await ask("How many customers are called ada?", enable_evaluation=False)

    assert answer.attempts == 1
    assert not answer.verified


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
    assert answer.verified


async def test_an_unusable_reply_before_a_write_does_not_hide_the_wish(ask: Ask, model: ScriptedModel) -> None:
    model.replies(text="I would rather not.")
    model.replies(sql="DELETE FROM customers")

    with pytest.raises(WritesNotAllowed):
        await ask("Please remove all customers")


UNDERIVABLE = "SELECT SUM(amount) AS n FROM orders UNION ALL SELECT COUNT(*) FROM customers"


@pytest.mark.parametrize("error", [ModelUnavailable("The model cannot be reached."), ModelFailed("Nothing usable.")])
async def test_a_model_that_cannot_write_the_raw_records_is_a_reason_no_error(
    make_service: Callable[..., Service], model: ScriptedModel, error: Exception
) -> None:
    service = make_service(enable_evaluation=False)
    model.replies(sql=UNDERIVABLE)
    model.replies(raises=error)
    model.replies(text="460.5 and 3.")

    answer = await service.query("What do the orders come to, and how many customers are there?", "shop")
    await service.close()

    records = next(check for check in answer.checks if check.name == "raw_records")
    assert records.passed is None
    assert str(error) in records.detail
    assert answer.status == "success"


async def test_a_database_that_goes_away_before_the_raw_records_is_a_reason_no_error(
    ask: Ask, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = SqliteExecutor.run

    def once(self: SqliteExecutor, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        if "SUM" not in query.sql:
            raise DatabaseUnavailable("shop.sqlite cannot be opened.")
        return runs(self, query, timeout_s=timeout_s, cancel=cancel)

    monkeypatch.setattr(SqliteExecutor, "run", once)
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="460.5 in all.")

    answer = await ask("What is the total of all orders?")

    assert answer.results == [{"total": 460.5}]
    records = next(check for check in answer.checks if check.name == "raw_records")
    assert "cannot be opened" in records.detail


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


@pytest.mark.parametrize("judge, attempts, verdict", [("vetoes", 2, False), ("advises", 1, False), ("off", 1, None)])
async def test_what_a_no_costs_is_for_the_judges_own_profile_to_say(
    make_service: Callable[..., Service], model: ScriptedModel, judge: str, attempts: int, verdict: bool | None
) -> None:
    service = make_service()
    service.parts.judge.profile = service.parts.judge.profile.model_copy(update={"judge": judge})
    model.replies(sql="SELECT name FROM customers")
    if judge != "off":
        model.replies(correct=False, reason="a number was asked for")
    if judge == "vetoes":
        model.replies(sql="SELECT name FROM customers")
    model.replies(text="Ada, Bo and Cy.")

    answer = await service.query("How many customers are there?", "shop", options=Options(max_attempts=2))
    await service.close()

    assert service.parts.profile.judge == "vetoes"
    assert answer.attempts == attempts
    assert not answer.verified
    assert next(check for check in answer.checks if check.name == "judge").passed is verdict


async def test_rows_are_cut_at_the_limit_and_the_answer_says_so(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id FROM orders")
    model.replies(correct=True, reason="yes")
    model.replies(text="The first orders are 1 and 2.")

    answer = await ask("List the orders", row_limit=2)

    assert answer.truncated
    assert answer.row_count == 2
    assert answer.answer.endswith(" (n > 2)")
    assert "The rows were cut at 2; there are more." in answer.warnings
    assert answer.plan is not None
    assert answer.plan.limit is None  # the guard's limit, not the query's


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
        if table == "orders":
            model.replies(text="How many orders are there?")  # what the follow-up means by itself
        model.replies(sql=f"SELECT COUNT(*) AS n FROM {table}")
        model.replies(correct=True, reason="yes")
        model.replies(text=text)
        await service.query(question, "shop", session_id=session.id)

    assert "There are 3 customers." in model.asked[3].tail
    assert "There are 3 customers." not in model.asked[4].text, "the question is whole by now"
    assert "Question: How many orders are there?" in model.asked[4].tail


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
