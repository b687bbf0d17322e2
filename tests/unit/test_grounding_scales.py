"""The scale of a column's numbers, the column of a number, and denials that omit a condition."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import QueryResult

FILMS = Facts(
    question="Which films earned over 100 million?",
    result=QueryResult(
        columns=("title", "gross_millions"),
        rows=(("Silver Tide", 412.7), ("The Long Winter", 187.0), ("Apollo 19", 101.3)),
    ),
    sql="SELECT title, gross_millions FROM films WHERE gross_millions > 100 ORDER BY gross_millions DESC",
)
TRAILS = Facts(
    question="What is the total length of all trails, and the longest one?",
    result=QueryResult(columns=("total_km", "longest_km", "trails"), rows=((214.6, 38.2, 17),)),
    sql="SELECT SUM(km) AS total_km, MAX(km) AS longest_km, COUNT(*) AS trails FROM trails",
)
LOANS = Facts(
    question="Are there any overdue loans?",
    result=QueryResult(columns=("overdue",), rows=((0,),)),
    sql="SELECT COUNT(*) AS overdue FROM loans WHERE due_on < '2024-06-01' AND returned_on IS NULL",
)
WAITS = Facts(
    question="What are the minimum, average and maximum wait times?",
    result=QueryResult(columns=("min_wait", "avg_wait", "max_wait"), rows=((2, 17.4, 95),)),
    sql="SELECT MIN(minutes) AS min_wait, AVG(minutes) AS avg_wait, MAX(minutes) AS max_wait FROM visits",
)
OPEN = Facts(
    question="Is the warehouse in Gdansk open on Sundays?",
    result=QueryResult(columns=("open_sunday",), rows=((0,),)),
    sql="SELECT open_sunday FROM warehouses WHERE city = 'Gdansk'",
)
RENTS = Facts(
    question="What is the median rent in each district?",
    result=QueryResult(columns=("district", "median_rent"), rows=(("Altstadt", 1480.0), ("Nordhof", 890.0))),
    sql="SELECT district, MEDIAN(rent_eur) AS median_rent FROM flats GROUP BY district",
)
AIRPORTS = Facts(
    question="Which airports had the most departures?",
    result=QueryResult(columns=("airport", "departures"), rows=(("Oslo", 912), ("Bergen", 640), ("Tromsø", 388))),
    sql="SELECT airport, COUNT(*) AS departures FROM flights GROUP BY airport ORDER BY departures DESC",
)


@pytest.mark.parametrize(
    "facts, sentence",
    [
        (FILMS, "Silver Tide earned the most, with 412.7 million."),
        (FILMS, "Silver Tide earned 412,700,000."),
        (FILMS, "Silver Tide earned 412.7 million, more than twice as much as The Long Winter (187 million)."),
        (FILMS, "All three films earned over 100 million."),
        (TRAILS, "The 17 trails have a total length of 214.6 km; the longest is 38.2 km."),
        (LOANS, "There are no overdue loans."),
        (WAITS, "The minimum wait is 2, the average 17.4 and the maximum 95."),
        (WAITS, "Wait times range from 2 to 95, with an average of 17.4."),
        (OPEN, "No, the warehouse in Gdansk is not open on Sundays."),
        (RENTS, "Altstadt has the highest median rent at 1,480."),
        (AIRPORTS, "Oslo had 912 departures, more than twice as many as Tromsø with 388."),
    ],
)
def test_what_the_rows_say_is_shown(facts: Facts, sentence: str) -> None:
    assert check_text(sentence, facts).problems == ()


@pytest.mark.parametrize(
    "facts, sentence",
    [
        (FILMS, "No film earned over 100 million."),
        (FILMS, "Silver Tide earned 412.7 billion."),
        (FILMS, "Silver Tide earned 412,700."),
        (FILMS, "All three films earned over 400 million."),
        (TRAILS, "The 17 trails have a total length of 38.2 km; the longest is 214.6 km."),
        (LOANS, "There are no loans."),
        (WAITS, "The minimum wait is 17.4, the average 2 and the maximum 95."),
        (WAITS, "The average wait time is 95."),
        (WAITS, "The shortest wait was 95."),
        (OPEN, "The warehouse in Gdansk is never open."),
        (RENTS, "The average rent in Altstadt is 1,480."),
        (AIRPORTS, "Oslo had 912 departures, more than twice as many as Bergen with 640."),
        (AIRPORTS, "Oslo had 912 departures, more than three times as many as Tromsø with 388."),
    ],
)
def test_what_the_rows_do_not_say_is_refused(facts: Facts, sentence: str) -> None:
    assert check_text(sentence, facts).problems
