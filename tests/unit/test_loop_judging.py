"""The loop where a result is evaluated: checks refuse or repair a query, the judge accepts or rejects."""

from __future__ import annotations

import pytest
from shop_questions import TOTAL, Ask

from executors.base import Cancel, CheckedSql, QueryResult
from executors.errors import ErrorKind, SqlFailed
from executors.workers.isolated import IsolatedExecutor
from testbed.scripted_model import ScriptedModel


async def test_without_evaluation_nobody_judges_and_the_answer_says_so(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(text="460.5 in all.")

    answer = await ask("What is the total of all orders?", enable_evaluation=False)

    assert not answer.verified
    judge = next(check for check in answer.checks if check.name == "judge")
    assert judge.passed is None
    assert "switched off" in judge.detail


async def test_more_rows_than_asked_for_are_refused_without_asking_the_judge(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT order_id, amount FROM orders ORDER BY amount DESC")
    model.replies(sql="SELECT order_id, amount FROM orders ORDER BY amount DESC LIMIT 2")
    model.replies(correct=True, reason="two rows")

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

    answer = await ask("What are the 2 largest orders?")

    assert next(check for check in answer.checks if check.name == "judge").passed
    assert next(check for check in answer.checks if check.name == "asked_row_count").passed is False
    assert not answer.verified


async def test_a_repeated_query_that_only_a_plain_check_refused_is_judged(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers WHERE customer_id > 3")
    model.replies(sql="SELECT name FROM customers WHERE customer_id > 3")
    model.replies(correct=False, reason="the wrong column")

    answer = await ask("Which customers have an id above 3?", max_attempts=2)

    assert [record.verdict and record.verdict.source for record in answer.attempt_history] == ["checks", "judge"]
    assert not answer.verified


async def test_values_that_cannot_be_looked_up_in_time_do_not_end_the_question(
    ask: Ask, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = IsolatedExecutor.run

    def slow(
        self: IsolatedExecutor, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None
    ) -> QueryResult:
        if "DISTINCT" in query.sql:
            raise SqlFailed(ErrorKind.TIMEOUT, "The query took longer than 30 s.")
        return runs(self, query, timeout_s=timeout_s, cancel=cancel)

    monkeypatch.setattr(IsolatedExecutor, "run", slow)
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
    "question, sql, repaired, note",
    [
        (
            "How many customers are called ada?",
            "SELECT COUNT(*) AS n FROM customers WHERE name = 'ada'",
            "SELECT COUNT(*) AS n FROM customers WHERE name = 'Ada'",
            "name = 'ada' -> name = 'Ada'",
        ),
        (
            "How many customers are from DE?",
            "SELECT COUNT(*) AS n FROM customers WHERE name = 'DE'",
            "SELECT COUNT(*) AS n FROM customers WHERE country = 'DE'",
            "name = 'DE' -> country = 'DE'",
        ),
        (
            "How many customers have only completed orders?",
            "SELECT COUNT(*) AS n FROM customers WHERE NOT customer_id IN "
            "(SELECT customer_id FROM orders WHERE NOT status = 'C')",
            "SELECT COUNT(*) AS n FROM customers WHERE NOT customer_id IN "
            "(SELECT customer_id FROM orders WHERE NOT status = 'C' AND NOT customer_id IS NULL)",
            "NOT customer_id IN (SELECT customer_id FROM orders WHERE NOT status = 'C') -> NOT customer_id IN",
        ),
    ],
)
async def test_what_schema_and_data_propose_is_an_attempt_of_its_own_and_named_in_corrections(
    ask: Ask, model: ScriptedModel, question: str, sql: str, repaired: str, note: str
) -> None:
    model.replies(sql=sql)
    model.replies(correct=True, reason="yes")
    model.replies(text="So many.")

    answer = await ask(question)

    first, second = answer.attempt_history
    assert first.verdict is not None
    assert (first.verdict.source, first.verdict.correct) == ("checks", False)
    assert answer.sql == second.sql == repaired
    assert note in answer.explanation
    before, after = note.split(" -> ")
    (correction,) = answer.corrections
    assert (correction.stated, correction.computed.startswith(after)) == (before, True)


async def test_what_would_give_the_same_rows_is_neither_tried_nor_doubted(ask: Ask, model: ScriptedModel) -> None:
    sql = "SELECT COUNT(*) AS n FROM customers WHERE NOT customer_id IN (SELECT customer_id FROM orders)"
    model.replies(sql=sql)
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 0.")

    answer = await ask("How many customers placed no order?")

    assert (answer.sql, answer.doubts, answer.verified) == (sql, [], True), "each has one, NULL or not"


async def test_a_query_that_runs_is_not_changed_for_the_words_of_the_question(ask: Ask, model: ScriptedModel) -> None:
    sql = "SELECT COUNT(*) AS n FROM customers WHERE NOT name IN ('Ada Lovelace', 'Bo Derek')"
    model.replies(sql=sql)
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3.")

    answer = await ask("How many customers are there?")

    assert (answer.sql, answer.attempts, answer.verified) == (sql, 1, False), "but it is less sure"
    assert "'Ada Lovelace'" not in {it.detail for it in answer.doubts}


async def test_rules_read_a_text_in_double_quotes_as_sqlite_does(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql='SELECT COUNT(*) AS n FROM customers WHERE name = "Ada"')
    model.replies(correct=True, reason="yes")
    model.replies(text="There is 1.")

    answer = await ask("How many customers are called Ada?")

    assert (answer.doubts, answer.verified) == ([], True)
    stored = next(check for check in answer.checks if check.name == "filter_values")
    assert stored.detail.startswith("Every text"), "it was looked up"


async def test_the_judge_reads_what_the_rules_doubt(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE NOT country = 'DE' OR country = 'FR' AND name = 'Bo'")
    model.replies(correct=True, reason="yes")
    model.replies(text="There is 1.")

    answer = await ask("How many customers are not German, or French and called Bo?")

    assert [(it.rule, it.evidence) for it in answer.doubts] == [("loose_or", "language")]
    assert answer.doubts[0].detail in model.asked[1].tail
    assert answer.confidence is not None
    assert 0 < answer.confidence < 0.6, "words alone refuse nothing, and cost confidence"
    assert not answer.verified


async def test_without_evaluation_nothing_that_runs_is_changed(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT COUNT(*) AS n FROM customers WHERE name = 'ada'")

    answer = await ask("How many customers are called ada?", enable_evaluation=False)

    assert answer.attempts == 1
    assert not answer.verified


async def test_the_same_query_again_is_not_judged_again(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM customers")
    model.replies(correct=False, reason="not a number")
    model.replies(sql="SELECT name FROM customers")

    answer = await ask("How many customers are there?", max_attempts=2)

    assert answer.attempts == 2
    assert not answer.verified
