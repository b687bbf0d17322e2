"""Stored answers: size, order, expiry, and an interrupted decision."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from manual_clock import Clock

from agent.core.answers import Answer, AttemptRecord, new_answer_id
from agent.core.errors import ChangedMeanwhile
from agent.core.events import SchemaSelected, SqlGenerated, UsedDocument
from agent.core.models import Question, Verdict
from agent.core.resilience.deadline import utc_at
from agent.people.feedback.recorder import Notes
from agent.people.feedback.records import (
    MAX_COMMENT,
    MAX_SQL,
    AnswerRecord,
    Feedback,
    Review,
    Settlement,
    cut,
    new_id,
)
from agent.people.feedback.reviews import ReviewDecision, Reviews
from agent.people.feedback.shelf import CHUNK, DAY_S, Shelf
from agent.pipeline.service import Service
from agent.platform.storage.sqlite import MemoryStore

NOW = 1_760_000_000.0
ASKED = {"trace_id": "0" * 32, "question": "How many?", "database": "shop", "principal": "ann", "sql": "SELECT 1"}
LARGEST = "\x01"  # six characters in JSON


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def shelf(clock: Clock) -> Shelf:
    return Shelf(MemoryStore(clock), review_days=10, feedback_days=2, clock=clock)


def review(now: float = NOW, **changes: Any) -> Review:
    return Review.of(AnswerRecord.model_validate(ASKED | changes), now)


# -- records -----------------------------------------------------------------------------------------------


def test_ids_put_the_newest_first() -> None:
    ids = [new_id(NOW + seconds) for seconds in (0, 0.001, 1, 86_400, 10**9)]
    assert sorted(ids) == ids[::-1]
    assert {len(one) for one in ids} == {30}


def test_the_largest_review_fits_any_store(shelf: Shelf) -> None:
    text = LARGEST * 50_000
    attempt = AttemptRecord(sql=text, error=text, error_type="OTHER", verdict=Verdict(reason=text, correct=False))
    notes = Notes(Question(text=text, database="shop", trace_id="0" * 32, principal="x" * 200))
    used = UsedDocument(id="0" * 64, kind="query", source=LARGEST * 200)
    notes.see(SchemaSelected(tables=(), documents=(), sources=(used,) * 100, tokens=1, pruned=False))
    answer = Answer(status="error", answer=text, attempt_history=[attempt] * 30, needs_human_review=True)
    record = notes.record(answer).model_copy(update={"sql": LARGEST * MAX_SQL})
    said = {"comment": LARGEST * MAX_COMMENT, "by": "x" * 200, "at": utc_at(NOW)}
    feedback = Feedback(correct=False, corrected_sql=LARGEST * MAX_SQL, **said)
    settlement = Settlement(decision="correct", sql=LARGEST * MAX_SQL, **said)
    largest = Review.of(record, NOW, feedback).model_copy(update={"settlement": settlement})

    shelf.note(record)
    shelf.add(largest)

    kept = shelf.review(largest.id)
    assert kept is not None
    assert kept.review == largest


def test_a_query_that_is_too_long_is_left_out_and_not_cut() -> None:
    sql = "SELECT 1" + " " * MAX_SQL
    notes = Notes(Question(text="How many?", database="shop", trace_id="0" * 32))
    answer = Answer(status="success", answer="1", sql=sql, attempt_history=[AttemptRecord(sql=sql)])
    assert notes.record(answer).sql == ""


def test_the_query_is_kept_as_it_was_drafted() -> None:
    notes = Notes(Question(text="How many?", database="shop", trace_id="0" * 32))
    for attempt, sql in ((1, "SELECT 1"), (2, "SELECT 2")):
        notes.see(SqlGenerated(sql=sql, attempt=attempt))
    tried = [AttemptRecord(sql="SELECT 1 LIMIT 500"), AttemptRecord(sql="SELECT 2 LIMIT 500")]
    answer = Answer(status="success", answer="2", sql="SELECT 2 LIMIT 500", attempt_history=tried)
    assert notes.record(answer).sql == "SELECT 2"


@pytest.mark.parametrize("text, limit, shown", [("abc", 3, "abc"), ("abcd", 3, "ab…"), (None, 3, ""), ("", 3, "")])
def test_a_cut_text_says_so(text: str | None, limit: int, shown: str) -> None:
    assert cut(text, limit) == shown


# -- the shelf ---------------------------------------------------------------------------------------------


def test_reviews_of_several_databases_come_in_one_order(shelf: Shelf) -> None:
    made = [review(NOW + at, database="ab"[at % 2]) for at in range(2 * CHUNK + 6)]
    for one in made:
        shelf.add(one)
    found, following = shelf.reviews(["a", "b"], lambda _: True, limit=2 * CHUNK + 5)
    assert [one.id for one in found] == [one.id for one in made[:0:-1]]
    assert following == made[0].id
    rest, end = shelf.reviews(["a", "b"], lambda _: True, start=following, limit=5)
    assert ([one.id for one in rest], end) == ([made[0].id], "")


def test_reviews_are_found_behind_many_that_are_not_wanted(shelf: Shelf) -> None:
    for at in range(3 * CHUNK):
        shelf.add(review(NOW + at, question=f"Question {at}"))
    found, _ = shelf.reviews(["shop"], lambda one: one.question == "Question 0", limit=5)
    assert [one.question for one in found] == ["Question 0"]


def test_a_review_ends_some_days_after_its_last_change(shelf: Shelf, clock: Clock) -> None:
    one = review()
    shelf.add(one)
    clock.now += 9 * DAY_S
    kept = shelf.review(one.id)
    assert kept is not None
    shelf.replace(kept.review, kept.version)
    clock.now += 9 * DAY_S
    assert shelf.review(one.id) is not None
    clock.now += 2 * DAY_S
    assert shelf.review(one.id) is None


def test_an_answer_is_known_for_some_days(shelf: Shelf, clock: Clock) -> None:
    shelf.note(AnswerRecord.model_validate(ASKED))
    clock.now += DAY_S
    assert [kept.answer.question for kept in shelf.answers(ASKED["trace_id"])] == ["How many?"]
    clock.now += 2 * DAY_S
    assert shelf.answers(ASKED["trace_id"]) == []


def test_answers_of_one_trace_are_kept_apart(shelf: Shelf) -> None:
    trace_id = ASKED["trace_id"]
    answers = [AnswerRecord.model_validate(ASKED | {"answer_id": new_answer_id(trace_id)}) for _ in range(2)]
    for answer in answers:
        shelf.note(answer)
    for answer in answers:
        assert [kept.answer for kept in shelf.answers(answer.answer_id)] == [answer]
    assert len(shelf.answers(trace_id)) == 2
    assert shelf.answers(f"{trace_id}-{'0' * 16}") == []


def test_what_a_later_version_wrote_is_read(shelf: Shelf) -> None:
    kept = AnswerRecord.model_validate(ASKED | {"mood": "cheerful"})
    assert kept == AnswerRecord.model_validate(ASKED)
    assert review().created_at == datetime.fromtimestamp(NOW, UTC)


# -- decisions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead_s, why", [(60, "somebody is at it"), (-1, "they broke off")])
async def test_a_decision_that_broke_off_holds_nobody_up_for_long(service: Service, ahead_s: int, why: str) -> None:
    reviews: Reviews = service.people.reviews
    shelf = reviews._shelf
    one = review(shelf.clock()).model_copy(update={"claimed_until": shelf.clock() + ahead_s})
    shelf.add(one)
    if ahead_s > 0:
        with pytest.raises(ChangedMeanwhile):
            await reviews.settle("local", one.id, ReviewDecision("reject"))
        return
    assert (await reviews.settle("local", one.id, ReviewDecision("reject"))).review.status == "rejected", why
