"""A change in two requests: planned by a model, tried and undone; then made as it was planned, or not at all."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.errors import UnknownWritePlan, WriteNotMade, WritesNotAllowed
from agent.core.events import Done, NodeComplete, Repairing, SqlExecuted
from agent.core.models import Options
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

ORDER = "Set the status of order 4 to C"
SQL = "UPDATE orders SET status = 'C' WHERE order_id = 4"

Plan = Callable[..., Awaitable[Answer]]


@pytest.fixture
def registry(tmp_path: Path, shop_file: Path) -> Path:
    path = tmp_path / "databases.yaml"
    path.write_text(
        f"shop: {{url: {shop_file.name}, writable: true, writers: [ann]}}\n"
        f"same: {{url: {shop_file.name}, writable: true, writers: [ann]}}\n"
        f"kept: {shop_file.name}\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
async def service(make_service: Callable[..., Service]) -> AsyncIterator[Service]:
    built = make_service(allow_writes=True, enable_retrieval=False)
    yield built
    await built.close()


@pytest.fixture
def plan(service: Service) -> Plan:
    async def plan(question: str = ORDER, database: str = "shop", principal: str = "ann", **options: object) -> Answer:
        asked = Options.model_validate({"allow_writes": True, **options})
        return await service.query(question, database, options=asked, principal=principal)

    return plan


@pytest.fixture
def confirm(service: Service) -> Plan:
    async def confirm(token: str, database: str = "shop", principal: str = "ann") -> Answer:
        return await service.query("Do it.", database, options=Options(confirm=token), principal=principal)

    return confirm


def statuses(path: Path) -> dict[int, str]:
    connection = sqlite3.connect(path)
    found = dict(connection.execute("SELECT order_id, status FROM orders").fetchall())
    connection.close()
    return found


def token_of(answer: Answer) -> str:
    assert answer.write is not None
    assert answer.write.token is not None
    return answer.write.token


AS_IT_WAS = {1: "C", 2: "X", 3: "C", 4: "S", 5: "C"}

# ---------------------------------------------------------------------------------------------------- the plan


async def test_a_change_is_planned_and_nothing_is_changed(plan: Plan, model: ScriptedModel, shop_file: Path) -> None:
    model.replies(sql=SQL)
    answer = await plan()
    assert answer.status == "success"
    assert answer.answer == (
        "This would change 1 row of orders; nothing has been changed yet. Confirm with the token to do it."
    )
    assert answer.needs_human_review
    assert not answer.verified
    assert answer.sql == SQL
    assert [row["status"] for row in answer.raw_results] == ["S"], "the row as it is"
    assert answer.raw_sql == "SELECT * FROM orders WHERE order_id = 4 LIMIT 100"
    assert answer.results == []
    assert answer.write is not None
    assert (answer.write.kind, answer.write.table, answer.write.rows_affected) == ("update", "orders", 1)
    assert not answer.write.committed
    assert [(check.name, check.passed) for check in answer.checks] == [
        ("guard", True),
        ("dry_run", True),
        ("read_back", True),
        ("confirmed", None),
    ]
    assert answer.checks[2].detail == (
        "1 row looked up by key after the change, in its transaction: as it says (status)."
    )
    assert statuses(shop_file) == AS_IT_WAS
    assert len(model.asked) == 1, "nobody judges what a person will"
    assert "INSERT, UPDATE or DELETE" in model.asked[0].tail


async def test_a_confirmed_change_is_made(plan: Plan, confirm: Plan, model: ScriptedModel, shop_file: Path) -> None:
    model.replies(sql=SQL)
    answer = await confirm(token_of(await plan()))
    assert answer.answer == "1 row of orders was changed."
    assert answer.sql == SQL
    assert answer.verified
    assert not answer.needs_human_review
    assert answer.write is not None
    assert answer.write.committed
    assert answer.write.token is None
    assert answer.usage.model_calls == 0, "the second request asks no model"
    assert statuses(shop_file) == {**AS_IT_WAS, 4: "C"}


@pytest.mark.parametrize(
    "sql, would, done",
    [
        (
            "DELETE FROM orders WHERE status = 'C'",
            "This would delete 3 rows of orders; ",
            "3 rows of orders were deleted.",
        ),
        (
            "INSERT INTO customers VALUES (4, 'Di', 'IT')",
            "This would add 1 row to customers; ",
            "1 row was added to customers.",
        ),
        (
            "INSERT INTO customers SELECT customer_id + 10, name, country FROM customers",
            "This would add 3 rows to customers; ",
            "3 rows were added to customers.",
        ),
    ],
)
async def test_each_kind_says_what_it_does(
    plan: Plan, confirm: Plan, model: ScriptedModel, sql: str, would: str, done: str
) -> None:
    model.replies(sql=sql)
    planned = await plan()
    assert planned.answer.startswith(would)
    assert (await confirm(token_of(planned))).answer == done


async def test_what_the_guard_refuses_is_tried_again_with_the_reason(plan: Plan, model: ScriptedModel) -> None:
    model.replies(sql="UPDATE orders SET status = 'C'")
    model.replies(sql="UPDATE orders SET state = 'C' WHERE order_id = 4")
    model.replies(sql=SQL)
    answer = await plan()
    assert answer.attempts == 3
    assert "without a WHERE" in model.asked[1].tail
    assert "Nearest: status" in model.asked[2].tail or "orders has" in model.asked[2].tail
    assert [record.error_type for record in answer.attempt_history] == ["PERMISSION", "COLUMN_NOT_FOUND", None]


async def test_what_the_database_refuses_is_tried_again_with_the_reason(
    plan: Plan, model: ScriptedModel, shop_file: Path
) -> None:
    model.replies(sql="INSERT INTO customers VALUES (1, 'Di', 'IT')")
    model.replies(sql="INSERT INTO customers VALUES (4, 'Di', 'IT')")
    answer = await plan("Add a customer Di from Italy")
    assert "UNIQUE constraint" in model.asked[1].tail
    assert answer.write is not None
    assert answer.write.rows_affected == 1


async def test_when_every_attempt_failed_the_answer_says_so(plan: Plan, model: ScriptedModel) -> None:
    model.replies(text="I would rather not.")
    model.replies(sql="SELECT * FROM orders")
    answer = await plan(max_attempts=2)
    assert answer.status == "error"
    assert answer.needs_human_review
    assert answer.write is None
    assert "nothing was changed" in answer.answer
    assert "not with SELECT" in answer.answer


async def test_a_change_of_no_row_has_nothing_to_confirm(plan: Plan, model: ScriptedModel) -> None:
    model.replies(sql="DELETE FROM orders WHERE order_id = 99")
    answer = await plan("Delete order 99")
    assert answer.answer == "No row of orders would change, so there is nothing to confirm."
    assert answer.write is not None
    assert answer.write.token is None


async def test_a_change_that_is_too_large_is_refused_and_not_narrowed_by_a_model(
    make_service: Callable[..., Service], model: ScriptedModel, shop_file: Path
) -> None:
    service = make_service(allow_writes=True, enable_retrieval=False, write_row_limit=2)
    model.replies(sql="DELETE FROM orders WHERE status = 'C'")
    with pytest.raises(WriteNotMade, match="3 rows, and 2 are allowed"):
        await service.query("Delete completed orders", "shop", options=Options(allow_writes=True), principal="ann")
    assert statuses(shop_file) == AS_IT_WAS
    await service.close()


async def test_the_model_may_take_it_for_an_order_where_the_words_do_not_say_so(
    plan: Plan, model: ScriptedModel
) -> None:
    model.replies(sql=SQL)
    answer = await plan("Bestellung 4 ist jetzt abgeschlossen")
    assert answer.attempts == 1
    assert answer.write is not None
    assert answer.write.rows_affected == 1
    assert len(model.asked) == 1, "its first draft counts"


async def test_a_question_is_still_a_question(plan: Plan, model: ScriptedModel) -> None:
    model.replies(sql="SELECT COUNT(*) AS n FROM orders")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 5 orders.")
    answer = await plan("How many orders are there?")
    assert answer.answer == "There are 5 orders."
    assert answer.verified
    assert answer.write is None


async def test_a_write_after_a_query_that_ran_is_an_attempt_that_failed(
    plan: Plan, model: ScriptedModel, shop_file: Path
) -> None:
    model.replies(sql="SELECT name FROM customers")
    model.replies(correct=False, reason="a number was asked for")
    model.replies(sql="DELETE FROM customers WHERE customer_id = 1")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")
    answer = await plan("How many customers are there?")
    assert answer.attempt_history[1].error_type == "NOT_READ_ONLY"
    assert (answer.status, answer.answer) == ("success", "There are 3 customers.")


@pytest.mark.parametrize("sql", ["DROP TABLE customers", "TRUNCATE TABLE customers", "ALTER TABLE customers DROP name"])
@pytest.mark.parametrize("question", ["Remove all customers", "Wir brauchen die Kunden nicht mehr"])
async def test_what_is_more_than_rows_is_refused_at_once(
    plan: Plan, model: ScriptedModel, question: str, sql: str
) -> None:
    model.replies(sql=sql)
    with pytest.raises(WritesNotAllowed, match="never"):
        await plan(question)


async def test_a_clarification_is_asked_back(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    service = make_service(allow_writes=True, enable_retrieval=False, profile="small_hosted")
    model.replies(clarification="Which Bo is meant?")
    answer = await service.query("Remove Bo", "shop", options=Options(allow_writes=True), principal=LOCAL)
    assert answer.status == "clarification_needed"
    assert answer.clarification == "Which Bo is meant?"
    assert model.asked[0].schema_name == "draft"
    await service.close()


async def test_the_events_are_the_usual_ones_and_the_last_has_the_plan(service: Service, model: ScriptedModel) -> None:
    model.replies(sql="UPDATE orders SET status = 'C'")
    model.replies(sql=SQL)
    options = Options(allow_writes=True)
    events = [event async for event in service.events(ORDER, "shop", options=options, principal="ann")]
    nodes = [event.node if isinstance(event, NodeComplete) else event.event for event in events]
    drafted = ["sql_generator", "sql_validator"]
    assert nodes == [
        *("start", "entry", "dialect_resolver", "schema_selector"),
        *(*drafted, "sql_repair", *drafted, "sql_executor"),
        *("answer_delta", "done"),
    ]
    assert any(isinstance(event, Repairing) and "WHERE" in event.error for event in events)
    tried = next(event for event in events if isinstance(event, SqlExecuted))
    assert (tried.row_count, len(tried.rows)) == (1, 1)
    assert isinstance(events[-1], Done)
    assert token_of(events[-1].answer)


# ------------------------------------------------------------------------------------------------- the confirmation


async def test_of_two_confirmations_one_wins(plan: Plan, confirm: Plan, model: ScriptedModel, shop_file: Path) -> None:
    model.replies(sql="UPDATE orders SET amount = amount + 1 WHERE order_id = 4")
    token = token_of(await plan("Change the amount of order 4 by one"))
    results = await asyncio.gather(*(confirm(token) for _ in range(4)), return_exceptions=True)
    assert sum(isinstance(result, Answer) for result in results) == 1
    assert sum(isinstance(result, WriteNotMade) for result in results) == 3
    connection = sqlite3.connect(shop_file)
    assert connection.execute("SELECT amount FROM orders WHERE order_id = 4").fetchone() == (61.0,)
    connection.close()


@pytest.mark.parametrize(
    "meanwhile, said, why",
    [
        ("UPDATE orders SET amount = 1 WHERE order_id = 3", "rows have changed", "a row that was shown"),
        ("INSERT INTO orders VALUES (6, 1, '2025-02-02', 'C', 5)", "rows have changed", "a row more"),
        ("DELETE FROM orders WHERE order_id = 1", "rows have changed", "a row less"),
        ("ALTER TABLE orders RENAME COLUMN status TO state", "no column status", "another table"),
    ],
)
async def test_what_would_do_something_else_by_now_is_not_made(
    plan: Plan, confirm: Plan, model: ScriptedModel, shop_file: Path, meanwhile: str, said: str, why: str
) -> None:
    model.replies(sql="DELETE FROM orders WHERE status = 'C'")
    token = token_of(await plan("Delete all completed orders"))
    connection = sqlite3.connect(shop_file, isolation_level=None)
    connection.execute(meanwhile)
    before = connection.execute("SELECT * FROM orders").fetchall()
    with pytest.raises(WriteNotMade, match=said):
        await confirm(token)
    assert connection.execute("SELECT * FROM orders").fetchall() == before, why
    connection.close()
    with pytest.raises(WriteNotMade, match="already used"):
        await confirm(token)


async def test_a_number_of_rows_that_is_another_by_now_is_rolled_back(
    plan: Plan, confirm: Plan, model: ScriptedModel, shop_file: Path
) -> None:
    model.replies(sql="INSERT INTO customers SELECT customer_id + 10, name, country FROM customers WHERE name = 'Bo'")
    token = token_of(await plan("Add a second Bo"))
    connection = sqlite3.connect(shop_file, isolation_level=None)
    connection.execute("CREATE TRIGGER no_bo BEFORE INSERT ON customers BEGIN SELECT RAISE(IGNORE); END")
    with pytest.raises(WriteNotMade, match="1 row would have changed when it was planned, and 0 would now"):
        await confirm(token)
    assert connection.execute("SELECT COUNT(*) FROM customers").fetchone() == (3,)
    connection.close()


async def test_what_the_database_refuses_by_now_is_not_made(
    plan: Plan, confirm: Plan, model: ScriptedModel, shop_file: Path
) -> None:
    model.replies(sql="INSERT INTO customers VALUES (4, 'Di', 'IT')")
    token = token_of(await plan("Add Di from Italy"))
    connection = sqlite3.connect(shop_file, isolation_level=None)
    connection.execute("INSERT INTO customers VALUES (4, 'Ed', 'UK')")
    connection.close()
    with pytest.raises(WriteNotMade, match=r"UNIQUE constraint.*Nothing was changed"):
        await confirm(token)


@pytest.mark.parametrize(
    "database, principal, why",
    [("same", "ann", "another name of the same file"), ("shop", LOCAL, "another caller who may write")],
)
async def test_a_token_is_good_where_and_for_whom_it_was_made(
    plan: Plan, confirm: Plan, model: ScriptedModel, shop_file: Path, database: str, principal: str, why: str
) -> None:
    model.replies(sql=SQL)
    token = token_of(await plan())
    with pytest.raises(UnknownWritePlan):
        await confirm(token, database, principal)
    assert statuses(shop_file) == AS_IT_WAS, why
    assert (await confirm(token)).write is not None, "it is still good for the right one"


async def test_a_switch_that_is_turned_off_meanwhile_counts(
    plan: Plan, model: ScriptedModel, make_service: Callable[..., Service], shop_file: Path
) -> None:
    model.replies(sql=SQL)
    token = token_of(await plan())
    later = make_service(allow_writes=False, enable_retrieval=False)
    with pytest.raises(WritesNotAllowed, match="PLUMBLINE_ALLOW_WRITES"):
        await later.query("Do it.", "shop", options=Options(confirm=token), principal="ann")
    assert statuses(shop_file) == AS_IT_WAS
    await later.close()


# ----------------------------------------------------------------------------------------------------- who may not


@pytest.mark.parametrize(
    "database, principal, option, said",
    [
        ("kept", "ann", True, "writable: true"),
        ("shop", "bob", True, "`writers`"),
        ("shop", "ann", None, "allow_writes: true"),
    ],
)
async def test_who_may_not_is_told_why_when_the_model_takes_it_for_a_change(
    plan: Plan, model: ScriptedModel, database: str, principal: str, option: bool | None, said: str, shop_file: Path
) -> None:
    model.replies(sql=SQL)
    with pytest.raises(WritesNotAllowed, match=said):
        await plan(ORDER, database, principal, allow_writes=option)
    assert statuses(shop_file) == AS_IT_WAS


async def test_who_may_not_is_told_before_a_model_is_asked_where_the_words_say_so(
    plan: Plan, model: ScriptedModel
) -> None:
    with pytest.raises(WritesNotAllowed, match="`writers`"):
        await plan("Delete all orders", principal="bob")
    assert model.asked == []
