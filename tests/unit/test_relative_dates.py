"""Times that are counted from today, in six languages and Chinese, on a day that a test chooses."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from agent.core.models import Options, Question
from agent.databases.knowledge.context import today_line
from agent.databases.knowledge.linking import period_lines
from agent.pipeline.rounds.reuse import may_rerun
from agent.platform.config.settings import Settings
from executors.base import Column, Schema, Table
from rag.linking.linking import SchemaLinker
from rag.linking.relative_dates import counts_from_today, relative_periods

MONDAY = date(2026, 11, 23)
DAY, WEEK, LAST_WEEK = ("2026-11-23",) * 2, ("2026-11-23", "2026-11-29"), ("2026-11-16", "2026-11-22")
MONTH, LAST_MONTH = ("2026-11-01", "2026-11-30"), ("2026-10-01", "2026-10-31")
QUARTER, LAST_QUARTER = ("2026-10-01", "2026-12-31"), ("2026-07-01", "2026-09-30")
YEAR, LAST_YEAR, NEXT_YEAR = ("2026-01-01", "2026-12-31"), ("2025-01-01", "2025-12-31"), ("2027-01-01", "2027-12-31")
WEEK_OF_DAYS, THREE_MONTHS = ("2026-11-17", "2026-11-23"), ("2026-08-24", "2026-11-23")


@pytest.mark.parametrize("text, span", [
    ("orders of today", DAY),
    ("yesterday's orders", ("2026-11-22", "2026-11-22")),
    ("sales this week", WEEK),
    ("sales last week", LAST_WEEK),
    ("sales in the current month", MONTH),
    ("revenue last month?", LAST_MONTH),
    ("the previous quarter", LAST_QUARTER),
    ("Last Year's revenue", LAST_YEAR),
    ("next year", NEXT_YEAR),
    ("in the last 7 days", WEEK_OF_DAYS),
    ("over the past three months", THREE_MONTHS),
    ("year-to-date", ("2026-01-01", "2026-11-23")),
    ("Umsatz heute", DAY),
    ("Umsatz von gestern", ("2026-11-22", "2026-11-22")),
    ("Umsatz letzten Monat", LAST_MONTH),
    ("in der vergangenen Woche", LAST_WEEK),
    ("dieses Quartal", QUARTER),
    ("im letzten Jahr", LAST_YEAR),
    ("im laufenden Jahr", YEAR),
    ("in den letzten drei Monaten", THREE_MONTHS),
    ("ventes d'aujourd'hui", DAY),
    ("cette semaine", WEEK),
    ("le mois dernier", LAST_MONTH),
    ("l’année dernière", LAST_YEAR),
    ("le trimestre précédent", LAST_QUARTER),
    ("le mois en cours", MONTH),
    ("les trois derniers mois", THREE_MONTHS),
    ("ventas de hoy", DAY),
    ("esta semana", WEEK),
    ("el mes pasado", LAST_MONTH),
    ("el año pasado", LAST_YEAR),
    ("el último trimestre", LAST_QUARTER),
    ("en los últimos 7 días", WEEK_OF_DAYS),
    ("vendite di oggi", DAY),
    ("questo mese", MONTH),
    ("la settimana scorsa", LAST_WEEK),
    ("lo scorso anno", LAST_YEAR),
    ("quest'anno", YEAR),
    ("negli ultimi tre mesi", THREE_MONTHS),
    ("오늘 매출", DAY),
    ("이번 달 매출", MONTH),
    ("지난달 주문은?", LAST_MONTH),
    ("지난주 매출", LAST_WEEK),
    ("작년 매출", LAST_YEAR),
    ("올해 매출", YEAR),
    ("최근 7일 매출", WEEK_OF_DAYS),
    ("今天的销售", DAY),
    ("上个月的销售", LAST_MONTH),
    ("上周的订单", LAST_WEEK),
    ("去年的收入", LAST_YEAR),
    ("本季度", QUARTER),
    ("过去3个月", THREE_MONTHS),
])  # fmt: skip
def test_a_time_is_counted_from_today(text: str, span: tuple[str, str]) -> None:
    (period,) = relative_periods(text, MONDAY)

    assert (period.first.isoformat(), period.last.isoformat()) == span
    assert period.mention in text


@pytest.mark.parametrize("text", [
    "sales in March 2024",
    "the last 5 orders",
    "last names of customers",
    "the last day of March 2024",
    "the last month of 2023",
    "is this right?",
    "ces ventes",
    "지난 주문",  # the last orders
    "이번 주문",
    "지난 일요일",
    "최근 달러 환율",
    "in the last 0 days",
    "in the last 9999 years",
])  # fmt: skip
def test_what_is_no_such_time(text: str) -> None:
    assert relative_periods(text, MONDAY) == []


@pytest.mark.parametrize("today, text, span", [
    ("2024-03-31", "last month", ("2024-02-01", "2024-02-29")),
    ("2024-03-31", "the last 1 months", ("2024-03-01", "2024-03-31")),
    ("2024-01-15", "last month", ("2023-12-01", "2023-12-31")),
    ("2024-01-15", "last quarter", ("2023-10-01", "2023-12-31")),
    ("2024-12-31", "next month", ("2025-01-01", "2025-01-31")),
    ("2023-01-01", "last week", ("2022-12-19", "2022-12-25")),  # a Sunday
    ("2024-02-29", "the last 1 years", ("2023-03-01", "2024-02-29")),
    ("0001-01-01", "last month", None),
    ("9999-12-31", "next year", None),
])  # fmt: skip
def test_the_calendar_has_edges(today: str, text: str, span: tuple[str, str] | None) -> None:
    found = [(it.first.isoformat(), it.last.isoformat()) for it in relative_periods(text, date.fromisoformat(today))]

    assert found == ([span] if span else [])


def asked(text: str, came_at: datetime, zone: str = "UTC") -> Question:
    return Question(text=text, database="d", trace_id="", came_at=came_at, time_zone=zone)


@pytest.mark.parametrize("came_at, zone, today, why", [
    ("2026-11-23T12:00", "UTC", "2026-11-23", "noon"),
    ("2026-10-31T23:30", "Europe/Berlin", "2026-11-01", "already November there"),
    ("2026-11-01T00:30", "America/New_York", "2026-10-31", "still October there"),
    ("2026-03-28T23:30", "Europe/Berlin", "2026-03-29", "the hour before the clocks go forward"),
    ("2026-03-29T21:59", "Europe/Berlin", "2026-03-29", "that day has 23 hours"),
    ("2026-03-29T22:00", "Europe/Berlin", "2026-03-30", "and ends an hour earlier in UTC"),
    ("2026-10-25T22:59", "Europe/Berlin", "2026-10-25", "this one has 25"),
    ("2026-10-25T23:00", "Europe/Berlin", "2026-10-26", "and ends an hour later"),
    ("2026-11-01T04:59", "America/New_York", "2026-11-01", "the clocks go back two hours later"),
    ("2026-11-22T15:00", "Asia/Seoul", "2026-11-23", "there are no other clocks in Korea"),
    ("2011-12-30T11:00", "Pacific/Apia", "2011-12-31", "a day that Samoa left out"),
])  # fmt: skip
def test_today_is_the_day_where_it_is_asked(came_at: str, zone: str, today: str, why: str) -> None:
    question = asked("sales today", datetime.fromisoformat(came_at).replace(tzinfo=UTC), zone)

    assert question.today.isoformat() == today, why


NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_who_counts_from_today_is_told_the_day() -> None:
    assert today_line(asked("What did we sell today?", NOON)) == "Today is 2026-11-23, a Monday (UTC)."
    assert today_line(asked("What did we sell last month?", NOON)) == (
        'Today is 2026-11-23, a Monday (UTC); "last month" is from 2026-10-01 to 2026-10-31.'
    )
    assert today_line(asked("지난달 매출은?", NOON, "Asia/Seoul")) == (
        'Today is 2026-11-23, a Monday (Asia/Seoul); "지난달" is from 2026-10-01 to 2026-10-31.'
    )


def test_other_questions_are_asked_in_the_same_words_every_day() -> None:
    assert today_line(asked("What did we sell in March 2024?", NOON)) == ""


@pytest.mark.parametrize("question", ["지난달 매출은?", "上个月的销售是多少?", "Umsatz im letzten Quartal"])
def test_a_query_with_days_that_were_counted_is_not_run_again(question: str) -> None:
    sql = "SELECT sum(amount) FROM sales WHERE day >= '2026-10-01' AND day < '2026-11-01'"

    assert counts_from_today(question)
    assert not may_rerun(question, sql)


SCHEMA = Schema(
    database="d",
    dialect="sqlite",
    tables=(Table(name="sales", columns=(Column(name="sale_date", type="DATE"), Column(name="amount", type="REAL"))),),
)


def test_the_days_are_told_for_the_columns_that_they_are_of() -> None:
    linker = SchemaLinker(SCHEMA)

    lines = period_lines(linker.link("sales last month", today=MONDAY).periods, SCHEMA)

    assert lines == ("\"last month\" is from '2026-10-01' to '2026-10-31' (before '2026-11-01') in sales.sale_date",)
    assert linker.link("sales last month").periods == (), "nobody says which day it is"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "Europe", "../etc/passwd", "", "UTC ", "x" * 70, "europe\x00"])
def test_a_time_zone_has_an_iana_name(zone: str) -> None:
    with pytest.raises(ValueError, match="time_zone"):
        Options.model_validate({"time_zone": zone})
    with pytest.raises(ValueError, match="time_zone"):
        Settings.model_validate({"time_zone": zone or " "})


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
def test_every_zone_of_the_list_is_taken(zone: str) -> None:
    assert Options(time_zone=zone).time_zone == Settings(time_zone=zone).time_zone == zone
