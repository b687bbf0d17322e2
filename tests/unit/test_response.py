"""The response: the choice of the best attempt, and the conditions of a verified answer."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import cast

import pytest

from agent.checks.grounding.evidence.result import CheckedText
from agent.core.events import HumanReview
from agent.core.models import Attempt, Check, Doubt, Options, Question, Verdict
from agent.databases.supporting_rows import RawRecords
from agent.pipeline.answers.response import build_answer, build_error_answer, review_text
from agent.pipeline.confidence.calibration import calibration_of
from agent.pipeline.rounds.run import Run, best_of
from agent.platform.config.limits import limits_of
from agent.platform.config.settings import Settings
from agent.platform.telemetry.ledger import Ledger
from executors.base import QueryResult

ROWS = QueryResult(columns=("n",), rows=((1,),))
NONE = QueryResult(columns=("n",), rows=())
YES = Verdict(reason="yes", correct=True)
NO = Verdict(reason="no", correct=False)
FAILED = Check(name="has_rows", passed=False, detail="The query returned no rows.")


@pytest.mark.parametrize(
    "attempts, best, why",
    [
        ([Attempt(sql="a", error="no such table")], None, "nothing ran"),
        ([Attempt(sql="a", result=ROWS, verdict=NO), Attempt(sql="b", result=ROWS, verdict=YES)], "b", "accepted"),
        ([Attempt(sql="a", result=ROWS, verdict=NO), Attempt(sql="b", result=ROWS, verdict=NO)], "a", "the first"),
        (
            [Attempt(sql="a", result=NONE, verdict=NO, checks=(FAILED,)), Attempt(sql="b", result=ROWS, verdict=NO)],
            "b",
            "only the judge refused it",
        ),
        ([Attempt(sql="a", result=NONE, verdict=NO), Attempt(sql="b", result=ROWS, verdict=NO)], "b", "it has rows"),
        ([Attempt(sql="a", result=NONE), Attempt(sql="b", error="timeout")], "a", "it ran"),
    ],
)
def test_the_best_attempt(attempts: list[Attempt], best: str | None, why: str) -> None:
    found = best_of(attempts)
    assert (found.sql if found else None) == best, why


def run_with(text: CheckedText) -> Run:
    """As much of a run as its response reads."""
    run = cast(
        Run,
        SimpleNamespace(
            question=Question(text="?", database="shop", trace_id="0" * 32),
            database=SimpleNamespace(dialect="sqlite", table_warnings=lambda _: ()),
            doubts=(),
            parts=SimpleNamespace(calibration=calibration_of(None, "embedded")),
            limits=limits_of(Settings(), Options()),
            ledger=Ledger(),
            attempts=[],
            context=SimpleNamespace(unread=""),
            cursor=None,
            raw=RawRecords(needed=True, reason="It cannot be told apart."),
            text=text,
            candidates=[],
            drafts=1,
        ),
    )
    run.evidence = partial(Run.evidence, run)  # type: ignore[method-assign]
    return run


@pytest.mark.parametrize(
    "name, passed, verified, why",
    [
        ("has_rows", True, True, "passed"),
        ("has_rows", None, True, "the judge accepts that there are none"),
        ("asked_row_count", False, False, "not another number of them than was asked for"),
        ("filter_values", None, True, "or the values could not be looked up"),
        ("not_all_null", None, False, "all else must pass"),
        ("has_rows", False, False, "and nothing may fail"),
    ],
)
def test_what_verifies_an_answer(name: str, passed: bool | None, verified: bool, why: str) -> None:
    best = Attempt(sql="a", result=ROWS, verdict=YES, checks=(Check(name=name, passed=passed),))
    assert build_answer(run_with(CheckedText(text="1")), best).verified is verified, why


def test_an_answer_that_the_model_never_gave_is_not_verified() -> None:
    failed = CheckedText(text="n: 1", checks=(Check(name="answer", passed=False),))
    assert not build_answer(run_with(failed), Attempt(sql="a", result=ROWS, verdict=YES)).verified


OUTVOTED = Verdict(reason="More drafts agree on other rows.", correct=False, source="checks")
VOTED = Check(name="second_draft", passed=True, detail="2 of 3 independent drafts give these rows.")
BY_DATA = Doubt(rule="fan_out", evidence="data", detail="A join repeats rows.")


@pytest.mark.parametrize("best, confirmed, why", [
    (Attempt(sql="a", result=ROWS, verdict=OUTVOTED), [("second_draft", False, OUTVOTED.reason)], "it says so"),
    (Attempt(sql="a", result=ROWS, verdict=OUTVOTED, checks=(VOTED,)), [("second_draft", False, OUTVOTED.reason)],
     "the drafts agree on the rows of another query"),
    (Attempt(sql="a", result=ROWS, verdict=OUTVOTED, doubts=(BY_DATA,)), [], "a doubt says it"),
    (Attempt(sql="a", result=ROWS, verdict=OUTVOTED, checks=(FAILED,)), [], "a failed check says it"),
    (Attempt(sql="a", result=ROWS), [("judge", None, "No other draft and no judge confirmed these rows.")], "nobody"),
    (Attempt(sql="a", result=ROWS, checks=(VOTED.model_copy(update={"passed": None}),)),
     [("second_draft", None, VOTED.detail)], "the drafts' check says it"),
])  # fmt: skip
def test_an_answer_that_nobody_confirmed_has_one_reason(
    best: Attempt, confirmed: list[tuple[str, bool | None, str]], why: str
) -> None:
    answer = build_answer(run_with(CheckedText(text="1")), best)
    found = [(it.name, it.passed, it.detail) for it in answer.checks if it.name in ("judge", "second_draft")]
    assert not answer.verified
    assert found == confirmed, why


def test_suggestions_come_as_choices_where_no_query_gave_rows() -> None:
    run = run_with(CheckedText(text=""))
    run.attempts.append(Attempt(sql="a", error="No table a."))
    question = "How many orders are there?"
    answer = build_error_answer(run, "I could not answer this.", [question])
    assert answer.status == "error"
    assert [(choice.label, choice.question) for choice in answer.choices] == [(question, question)]
    assert build_error_answer(run, "I could not answer this.").choices == []


def test_what_the_user_reads_where_no_query_gave_rows() -> None:
    review = HumanReview(tried=("a",), reasons=("No table a.",), suggestions=("How many orders are there?",))
    text = review_text(review, "How many are there?")
    assert "No table a." in text
    assert text.endswith("\n- How many orders are there?")
    advised = HumanReview(tried=("a",), reasons=("No table a.", "sum has no DATE. You may cast."), suggestions=())
    assert review_text(advised, "Wie viele gibt es?").endswith("Was schiefging: No table a. sum has no DATE.")
    nothing = HumanReview(tried=(), reasons=(), suggestions=())
    assert review_text(nothing, "How many are there?") == "I could not answer this from the data."
    assert review_text(nothing, "최근 주문 10건을 보여줘") == "데이터에서 이 질문의 답을 찾지 못했습니다."
    assert review_text(nothing, "Wie viele Bestellungen gibt es?").startswith("Das konnte ich")
