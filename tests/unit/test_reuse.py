"""A question that was asked before: its verified query is run again, and only the writing of SQL is skipped."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from shop_questions import STEPS, TOTAL, Ask, Make

from agent.core.answers import Answer
from agent.core.events import Done, Event, SqlGenerated
from agent.core.models import Options
from agent.databases.knowledge import build
from agent.databases.knowledge.verified_queries import KIND, USED_S, Key, VerifiedQueries, VerifiedQuery
from agent.pipeline.rounds.reuse import FROM_ANSWER, FROM_DOCS, fingerprint, may_rerun
from agent.pipeline.service import Service
from agent.platform.storage.sqlite import MemoryStore, SqliteStore
from executors.base import Column, Schema, Table
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

QUESTION = "What is the total of all orders?"


def written(model: ScriptedModel, *, sql: str = TOTAL, total: str = "460.5", correct: bool = True) -> None:
    """One question's replies where its query is written."""
    model.replies(sql=sql)
    again(model, total=total, correct=correct)


def again(model: ScriptedModel, *, total: str = "460.5", correct: bool = True) -> None:
    """One question's replies where its query is known: the judge's and the answer's."""
    model.replies(correct=correct, reason="the sum over all orders")
    model.replies(text=f"All orders come to {total}.")


def change(file: Path, sql: str) -> None:
    """Change the database behind the service's back."""
    connection = sqlite3.connect(file)
    with connection:
        connection.executescript(sql)
    connection.close()


# -- from an earlier answer --------------------------------------------------------------------------------


async def test_the_same_question_is_answered_afresh_without_a_second_query(
    service: Service, model: ScriptedModel, shop_file: Path
) -> None:
    written(model)
    first = await service.query(QUESTION, "shop")
    assert not first.reused
    change(shop_file, "INSERT INTO orders VALUES (6, 1, '2025-02-01', 'C', 39.5)")
    again(model, total="500")

    events = [event async for event in service.events("what is the  TOTAL of all orders", "shop")]

    assert [event.node for event in events if hasattr(event, "node")] == STEPS
    answer = done(events)
    assert answer.results == [{"total": 500.0}], "executed afresh"
    assert answer.answer == "All orders come to 500."
    assert (answer.reused, answer.verified, answer.attempts) == (True, True, 1)
    assert answer.plan is not None
    assert answer.plan.tables == ("orders",)
    assert answer.explanation.startswith(FROM_ANSWER)
    assert answer.usage.model_calls == 2, "the judge and the answer"
    assert {check.name for check in answer.checks if check.passed} >= {"guard", "has_rows", "judge", "grounding"}
    assert [event.source for event in events if isinstance(event, SqlGenerated)] == ["reused"]


def done(events: list[Event]) -> Answer:
    """The response."""
    last = events[-1]
    assert isinstance(last, Done)
    return last.answer


async def test_another_process_knows_the_query_as_well(make_service: Make, model: ScriptedModel) -> None:
    written(model)
    again(model)
    one, other = make_service(), make_service()
    await one.query(QUESTION, "shop")
    assert (await other.query(QUESTION, "shop")).reused
    await one.close()
    await other.close()


@pytest.mark.parametrize(
    "sql, why",
    [
        ("ALTER TABLE orders ADD COLUMN refunded REAL", "a column more in a table that is read"),
        ("ALTER TABLE orders RENAME COLUMN status TO state", "another name"),
    ],
)
async def test_after_a_change_of_the_tables_it_reads_the_query_is_written_again(
    sql: str, why: str, ask: Ask, model: ScriptedModel, shop_file: Path
) -> None:
    written(model)
    await ask(QUESTION)
    change(shop_file, sql)
    written(model)
    assert not (await ask(QUESTION)).reused, why
    again(model)
    assert (await ask(QUESTION)).reused, "and kept again"


async def test_a_change_of_other_tables_does_not_matter(ask: Ask, model: ScriptedModel, shop_file: Path) -> None:
    written(model)
    await ask(QUESTION)
    change(shop_file, "CREATE TABLE notes (text TEXT); ALTER TABLE customers ADD COLUMN phone TEXT")
    again(model)
    assert (await ask(QUESTION)).reused


async def test_switched_off_by_the_request_or_by_the_setting_it_is_written(
    make_service: Make, model: ScriptedModel
) -> None:
    on, off = make_service(), make_service(reuse_verified=False)
    for _ in range(3):
        written(model)
    await on.query(QUESTION, "shop")
    assert not (await on.query(QUESTION, "shop", options=Options(reuse_verified=False))).reused
    assert not (await off.query(QUESTION, "shop", options=Options(reuse_verified=True))).reused
    await on.close()
    await off.close()


async def test_with_reuse_off_nothing_is_kept(make_service: Make, model: ScriptedModel) -> None:
    off = make_service(reuse_verified=False)
    written(model)
    await off.query(QUESTION, "shop")
    assert off.state.everywhere(KIND) == []
    await off.close()


async def test_an_answer_that_was_not_verified_is_not_kept(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(text="All orders come to 460.5.")
    assert not (await ask(QUESTION, enable_evaluation=False)).verified
    written(model)
    assert not (await ask(QUESTION)).reused


async def test_in_a_conversation_only_what_is_whole_is_answered_by_an_earlier_query(
    service: Service, model: ScriptedModel
) -> None:
    written(model)
    await service.query(QUESTION, "shop")
    session = await service.start_session("shop")
    again(model)
    assert (await service.query(QUESTION, "shop", session_id=session.id)).reused, "nothing was said before"
    again(model)
    assert (await service.query(QUESTION, "shop", session_id=session.id)).reused, "it means the same after anything"
    model.replies(text=QUESTION)
    again(model)
    follow_up = await service.query("And of all of them?", "shop", session_id=session.id)
    assert follow_up.reused, "once it is whole"
    model.replies(text="And of all of them?")
    written(model)
    assert not (await service.query("And of all of them?", "shop", session_id=session.id)).reused


async def test_where_it_does_not_convince_any_more_a_query_is_written_and_kept_instead(
    ask: Ask, model: ScriptedModel, shop_file: Path
) -> None:
    written(model, sql="SELECT SUM(amount) AS total FROM orders WHERE amount = 40", total="40")
    await ask(QUESTION)
    change(shop_file, "DELETE FROM orders WHERE amount = 40")  # the sum is NULL now
    written(model, total="420.5")
    answer = await ask(QUESTION, max_attempts=1)
    assert (answer.reused, answer.verified, answer.attempts) == (False, True, 2)
    assert answer.results == [{"total": 420.5}]
    assert answer.attempt_history[0].verdict is not None, "it was tried, and refused"
    again(model, total="420.5")
    assert (await ask(QUESTION)).attempt_history[0].sql == TOTAL


async def test_what_failed_and_was_not_bettered_is_forgotten(ask: Ask, model: ScriptedModel) -> None:
    written(model)
    await ask(QUESTION)
    model.replies(correct=False, reason="no")
    model.replies(sql="SELECT COUNT(*) AS n FROM orders")
    model.replies(correct=False, reason="no")
    model.replies(text="All orders come to 460.5.")
    assert not (await ask(QUESTION, max_attempts=1)).verified
    written(model)
    assert not (await ask(QUESTION)).reused


async def test_no_second_draft_is_written_for_a_known_query(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(second_draft=True)
    model.replies(sql=TOTAL)
    model.replies(sql="SELECT SUM(o.amount) AS s FROM orders AS o")
    model.replies(correct=True, reason="yes")
    model.replies(text="All orders come to 460.5.")
    assert (await service.query(QUESTION, "shop")).verified
    again(model)
    answer = await service.query(QUESTION, "shop")
    assert (answer.reused, answer.verified) == (True, True)
    await service.close()


async def test_drafts_that_agreed_are_not_asked_again(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(profile="embedded", second_draft=None)
    model.replies(sql=TOTAL)
    model.replies(sql="SELECT SUM(o.amount) AS s FROM orders AS o")
    first = await service.query(QUESTION, "shop", options=Options(enable_answer=False))
    assert (first.reused, first.verified) == (False, True)
    again = await service.query(QUESTION, "shop", options=Options(enable_answer=False))  # a call would fail the test

    assert (again.reused, again.verified) == (True, True)
    assert again.confidence == first.confidence
    assert next(it.detail for it in again.checks if it.name == "second_draft") == (
        "2 of 2 drafts agreed when this query was verified."
    )
    assert again.usage.model_calls == 0
    await service.close()


async def test_a_file_that_cannot_be_used_costs_nothing_but_the_saving(
    ask: Ask, model: ScriptedModel, tmp_path: Path
) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "state.sqlite").write_bytes(b"not a database" * 100)
    for _ in range(2):
        written(model)
        answer = await ask(QUESTION)
        assert (answer.reused, answer.verified) == (False, True)
        assert all("state.sqlite is damaged" in warning for warning in answer.warnings), "and nothing else is amiss"


# -- who shares it -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "allowed, shared, why",
    [
        ("", True, "everybody may ask, so everybody's answers are known"),
        ("    allowed: [ada, bo]\n", False, "what one was told stays with them"),
    ],
)
async def test_a_query_is_shared_where_the_database_is(
    allowed: str, shared: bool, why: str, make_service: Make, model: ScriptedModel, registry: Path, shop_file: Path
) -> None:
    registry.write_text(f"shop:\n    url: {shop_file.name}\n{allowed}", encoding="utf-8")
    service = make_service(trust_principal_header=True)
    written(model)
    await service.query(QUESTION, "shop", principal="ada")
    again(model) if shared else written(model)
    assert (await service.query(QUESTION, "shop", principal="bo")).reused is shared, why
    again(model)
    assert (await service.query(QUESTION, "shop", principal="ada")).reused
    await service.close()


async def test_a_query_stays_with_its_database(
    make_service: Make, model: ScriptedModel, registry: Path, shop_file: Path
) -> None:
    registry.write_text(f"shop: {shop_file.name}\nother: {shop_file.name}\n", encoding="utf-8")
    service = make_service()
    written(model)
    await service.query(QUESTION, "shop")
    written(model)
    assert not (await service.query(QUESTION, "other")).reused
    await service.close()


# -- from the docs -----------------------------------------------------------------------------------------


@pytest.fixture
def documented(
    make_service: Make, registry: Path, shop_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Service]:
    """Makes a service whose shop has these docs."""

    def documented(text: str) -> Service:
        (registry.parent / "shop.md").write_text(text, encoding="utf-8")
        registry.write_text(f"shop:\n  url: {shop_file.name}\n  docs: [shop.md]\n", encoding="utf-8")
        return make_service()

    monkeypatch.setattr(build, "build_embedder", lambda _: HashingEmbedder())
    return documented


def docs(sql: str, question: str = QUESTION, rule: str = "Cancelled orders count.") -> str:
    """A rule, and a question with its query."""
    return f"# Shop\n\n## Rules\n\n- {rule}\n\n## Queries\n\n{question}\n\n```sql\n{sql}\n```\n"


async def test_a_question_of_the_docs_is_answered_by_their_query(
    documented: Callable[[str], Service], model: ScriptedModel
) -> None:
    service = documented(docs(TOTAL))
    again(model)
    answer = await service.query("What is the total of all orders", "shop")
    assert (answer.reused, answer.verified) == (True, True)
    assert answer.explanation.startswith(FROM_DOCS)
    await service.close()


@pytest.mark.parametrize(
    "sql, why",
    [
        ("SELECT SUM(net) AS total FROM orders", "the schema has no such column"),
        ("SELECT SUM(amount) AS total FROM invoices", "nor such a table"),
    ],
)
async def test_a_query_of_the_docs_that_does_not_fit_is_one_attempt_more(
    sql: str, why: str, documented: Callable[[str], Service], model: ScriptedModel
) -> None:
    service = documented(docs(sql))
    written(model)
    answer = await service.query(QUESTION, "shop", options=Options(max_attempts=1))
    assert (answer.reused, answer.verified, answer.attempts) == (False, True, 2), why
    assert "does not fit the database any more" in answer.warnings[0]
    await service.close()


async def test_a_change_in_the_docs_is_never_made(documented: Callable[[str], Service], model: ScriptedModel) -> None:
    service = documented(docs("DELETE FROM orders"))
    written(model)
    answer = await service.query(QUESTION, "shop")
    assert (answer.reused, answer.attempts) == (False, 1)
    await service.close()


@pytest.mark.parametrize("rule, reused", [("Cancelled orders count.", True), ("Cancelled orders do not count.", False)])
async def test_a_new_rule_may_want_another_query(
    rule: str, reused: bool, documented: Callable[[str], Service], model: ScriptedModel
) -> None:
    first = documented(docs("SELECT 1", question="One?"))
    written(model)
    await first.query(QUESTION, "shop")
    await first.close()
    second = documented(docs("SELECT 2", question="Two?", rule=rule))  # other past queries change nothing
    again(model) if reused else written(model)
    assert (await second.query(QUESTION, "shop")).reused is reused
    await second.close()


# -- time --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question, sql, may, why",
    [
        ("How many orders?", "SELECT COUNT(*) FROM orders", True, "no time at all"),
        ("Orders in 2024?", "... WHERE d >= '2024-01-01' AND d < '2025-01-01'", True, "its dates are the question's"),
        ("Revenue in FY25?", "... WHERE d >= '2024-07-01'", True, "a year in two digits"),
        ("Orders last month?", "... WHERE d >= '2024-03-01'", False, "counted from some day"),
        ("Orders last month?", "... WHERE d >= date('now', '-1 month')", True, "asked of the clock"),
        ("Orders last month?", "... WHERE d >= CURRENT_DATE - INTERVAL 1 MONTH", True, "asked of the clock"),
        ("Orders today?", "... WHERE d = CAST(GETDATE() AS DATE)", True, "asked of the clock"),
        ("Orders last month?", "... WHERE d > NOW() - INTERVAL '1 month' AND d < '2024-03-01'", False, "half of it"),
        ("Orders last month?", "... WHERE strftime('%m', d) = '03'", False, "a month of some year"),
        ("Orders this year?", "... WHERE year = 2024", False, "a year as a number"),
        ("Orders of the past 30 days?", "... WHERE d >= '2024-03-01'", False, ""),
        ("Orders in 2023 and this year?", "... WHERE d >= '2023-01-01'", False, "one of the two is relative"),
        ("Orders since Monday?", "... WHERE d >= '2024-03-04'", False, "a date, and no year in the question"),
        ("Wie viele Bestellungen letzten Monat?", "... WHERE d >= '2024-03-01'", False, "in German"),
        ("Commandes du mois dernier ?", "... WHERE d >= '2024-03-01'", False, "in French"),
        ("先月の注文数は?", "... WHERE d >= '2024-03-01'", False, "in a language whose words are not known here"),
        ("Orders over 10?", "... WHERE amount > 10", True, "a number is no date"),
        ("Orders last month?", "SELECT now FROM orders", False, "a column of that name is no clock"),
    ],
)
def test_a_query_is_run_again_only_if_it_means_the_same_today(question: str, sql: str, may: bool, why: str) -> None:
    assert may_rerun(question, sql) is may, why


async def test_a_question_about_last_month_is_not_answered_by_the_dates_of_an_earlier_one(
    ask: Ask, model: ScriptedModel, tmp_path: Path
) -> None:
    for _ in range(2):
        model.replies(sql=f"{TOTAL} WHERE ordered_at >= '2024-03-01' AND ordered_at < '2024-04-01'")
        model.replies(correct=True, reason="the sum over the month")
        model.replies(text="Last month's orders come to 310.5.")
        answer = await ask("What is the total of last month's orders?")
        assert (answer.verified, answer.reused) == (True, False)


# -- what is kept ------------------------------------------------------------------------------------------


def orders(*columns: str) -> Schema:
    table = Table(name="orders", columns=tuple(Column(name=name, type="INTEGER") for name in columns))
    return Schema(database="d", dialect="sqlite", tables=(table,))


def test_a_fingerprint_is_of_what_is_declared() -> None:
    one = fingerprint(orders("a", "b"), ("orders",), "docs")
    table = orders("a", "b").tables[0]
    counted = table.model_copy(update={"row_count": 9, "comment": "all orders"})
    assert one == fingerprint(orders("a", "b").model_copy(update={"tables": (counted,)}), ("ORDERS",), "docs")
    assert one != fingerprint(orders("a", "c"), ("orders",), "docs")
    assert one != fingerprint(orders("a", "b"), ("orders",), "other docs")
    assert fingerprint(orders("a"), ("orders", "gone")) is None


class Clock:
    """Seconds that pass with every look."""

    now = 0.0

    def __call__(self) -> float:
        self.now += USED_S
        return self.now


QUERY = VerifiedQuery(sql="SELECT 1", tables=("orders", "sales.items"), fingerprint="f")


def key(question: str, *, database: str = "shop", audience: str = "") -> Key:
    return Key(database, audience, question)


def test_the_query_that_was_used_longest_ago_goes_first() -> None:
    kept = VerifiedQueries(MemoryStore(), max_queries=2, trim_every=1, clock=Clock())
    kept.keep(key("a", database="other"), QUERY)
    kept.keep(key("a"), QUERY)
    kept.keep(key("b"), QUERY)
    assert kept.find(key("a")) == QUERY
    kept.keep(key("c"), QUERY)
    assert kept.find(key("b")) is None
    assert kept.find(key("a")) == kept.find(key("c")) == kept.find(key("a", database="other")) == QUERY


def test_what_is_forgotten_is_gone_for_one_audience() -> None:
    kept = VerifiedQueries(MemoryStore())
    kept.keep(key("a", audience="ada"), QUERY)
    kept.keep(key("a", audience="bo"), QUERY)
    kept.forget(key("a", audience="ada"))
    assert kept.find(key("a", audience="ada")) is None
    assert kept.find(key("a")) is None
    assert kept.find(key("a", audience="bo")) == QUERY


def test_questions_are_not_kept_as_they_are(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "state.sqlite")
    VerifiedQueries(store).keep(key("who earns most", audience="ada"), QUERY)
    stored = store.path.read_bytes()
    assert b"SELECT 1" in stored
    assert b"earns" not in stored
    assert b"ada" not in stored
