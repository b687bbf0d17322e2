"""Numbers that a sentence converts or writes in several parts, and Korean numbers, names and currencies."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult
from rag.docs.documents import make_document


def facts_of(
    question: str, table: str, columns: tuple[str, ...], *rows: tuple[JsonValue, ...], doc: str, sql: str = ""
) -> Facts:
    """Rows of a table. Args: doc: of the last column."""
    return Facts(
        question=question,
        result=QueryResult(columns=columns, rows=rows),
        sql=sql or f"SELECT {', '.join(columns)} FROM {table}",
        documents=(make_document("column", doc, table=table, column=columns[-1]),),
    )


LOADS = facts_of(
    "How heavy is each load?", "loads", ("truck", "weight_kg"), ("Rex", 4200), ("Ida", 800), doc="Weight in kg."
)
TALKS = facts_of(
    "How long is each talk?", "talks", ("talk", "minutes"), ("Opening", 95), ("Closing", 30), doc="Minutes."
)
SCORES = facts_of(
    "How was each wine rated?", "wines", ("wine", "rating"), ("Alba", 7.5), ("Bora", 9.1), doc="Rating out of 10."
)
FERRIES = facts_of(
    "Which share of trips is on time?", "ferries", ("ferry", "on_time"), ("Aurora", 0.8), ("Borea", 0.6),
    doc="Share of trips on time.",
)  # fmt: skip
SHOPS = facts_of(
    "지점별 매출은 얼마인가요?",
    "shops",
    ("지점", "매출"),
    ("강남", 45_000_000),
    ("둔산", 7_200_000),
    doc="매출, 단위는 원.",
)
STAFF = facts_of("부산 지점의 직원은 몇 명인가요?", "staff", ("직원수",), (23,), doc="직원 수.")
FILMS = facts_of(
    "What did each film gross?", "films", ("title", "gross_usd"), ("The Long Field", 4_200_000), ("Red", 8_000_000),
    doc="Box office in US dollars.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (LOADS, "Rex weighs 4.2 tonnes."),
        (TALKS, "Opening takes 1 hour and 35 minutes."),
        (SCORES, "Alba was rated seven and a half out of 10."),
        (FERRIES, "Eight in ten trips of Aurora are on time."),
        (SHOPS, "강남 지점의 매출은 4,500만 원입니다."),
        (SHOPS, "둔산 지점의 매출은 720만 원입니다."),
        (STAFF, "부산 지점의 직원은 스물세 명입니다."),
        (FILMS, "The two films grossed $12.2 million in total."),
    ],
)
def test_what_is_converted_right_is_shown(facts: Facts, sentence: str) -> None:
    assert check_text(sentence, facts).problems == ()


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (LOADS, "Rex weighs 4,200 tonnes."),
        (LOADS, "Ida weighs 4.2 tonnes."),
        (TALKS, "Opening takes 2 hours and 35 minutes."),
        (TALKS, "Opening takes 95 hours."),
        (SCORES, "Alba was rated eight and a half out of 10."),
        (SCORES, "Alba was rated 7.5 out of 100."),
        (FERRIES, "Nine in ten trips of Aurora are on time."),
        (SHOPS, "강남 지점의 매출은 4,500억 원입니다."),
        (SHOPS, "강남 지점의 매출은 4,500만 달러입니다."),
        (STAFF, "대구 지점의 직원은 23명입니다."),
        (STAFF, "부산 지점의 직원은 서른두 명입니다."),
        (FILMS, "The two films grossed $12.8 million in total."),
    ],
)
def test_what_is_converted_wrong_is_refused(facts: Facts, sentence: str) -> None:
    assert check_text(sentence, facts).problems
