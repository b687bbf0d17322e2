"""Records behind an answer support only what is recomputed over all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import QueryResult
from rag.docs.documents import make_document

DOCS = (make_document("column", "Distance of the trip in km.", table="trips", column="km"),)
RECORDS = QueryResult(
    columns=("trip_id", "depot", "km", "fee"),
    rows=((1, "Berlin", 10, 3.5), (2, "Berlin", 30, 1.5), (3, "Lyon", 50, 4.0), (4, "Lyon", 90, 1.0)),
)
COUNTED = Facts(
    question="How many vehicles drove in 2024?",
    result=QueryResult(columns=("n",), rows=((3,),)),
    sql="SELECT COUNT(DISTINCT vehicle_id) AS n FROM trips WHERE year = 2024",
    documents=DOCS,
    raw=RECORDS,
)
SUMMED = Facts(
    question="What are the fees of all trips?",
    result=QueryResult(columns=("fees",), rows=((10.0,),)),
    sql="SELECT SUM(fee) AS fees FROM trips",
    documents=DOCS,
    raw=RECORDS,
)
GROUPED = Facts(
    question="How many vehicles does each depot have?",
    result=QueryResult(columns=("depot", "n"), rows=(("Berlin", 1), ("Lyon", 2))),
    sql="SELECT depot, COUNT(DISTINCT vehicle_id) AS n FROM trips GROUP BY depot",
    documents=DOCS,
    raw=RECORDS,
)


@pytest.mark.parametrize(
    "facts, text",
    [
        (COUNTED, "In 2024, 3 vehicles drove 180 km in total."),
        (COUNTED, "In 2024, 3 vehicles drove, with an average distance of 45 km."),
        (COUNTED, "In 2024, 3 vehicles drove; the shortest distance was 10 km."),
        (COUNTED, "In 2024, 3 vehicles drove; the longest distance was 90 km."),
        (COUNTED, "In 2024, 3 vehicles drove; the total fee was 10."),
        (SUMMED, "The 4 trips brought 10 in fees."),
        (SUMMED, "The fees of the 4 trips are 10, with an average distance of 45 km."),
        (GROUPED, "Berlin has 1 vehicle with a total distance of 40 km."),
        (GROUPED, "Lyon has 2 vehicles with an average distance of 70 km."),
    ],
)
def test_what_is_recomputed_over_all_records_is_supported(facts: Facts, text: str) -> None:
    assert not check_text(text, facts).problems


@pytest.mark.parametrize(
    "facts, text",
    [
        (COUNTED, "In 2024, 3 vehicles drove 30 km."),  # one record's
        (COUNTED, "In 2024, 3 vehicles drove 30 km in total."),
        (COUNTED, "In 2024, 3 vehicles drove 50 km on average."),
        (COUNTED, "In 2024, 3 vehicles drove; the longest distance was 50 km."),
        (COUNTED, "In 2024, 4 vehicles drove."),  # four records
        (COUNTED, "In 2024, 180 vehicles drove 3 km in total."),
        (COUNTED, "In 2024, 3 trips drove."),
        (SUMMED, "The 5 trips brought 10 in fees."),
        (SUMMED, "The 4 depots brought 10 in fees."),
        (COUNTED, "In 2024, 3 vehicles drove; the total fee was 180."),  # another column's
        (GROUPED, "Berlin has 1 vehicle with a total distance of 140 km."),  # another group's
        (GROUPED, "Berlin has 1 vehicle with a total distance of 180 km."),  # of all groups
        (GROUPED, "Lyon has 2 vehicles on 4 trips."),
    ],
)
def test_a_single_record_and_another_group_support_nothing(facts: Facts, text: str) -> None:
    assert check_text(text, facts).problems


@pytest.mark.parametrize("table", ["vehicle_trips", "vehicles", "trips_of_vehicles"])
@pytest.mark.parametrize(
    "question", ["How many vehicles drove?", "Vehicles that drove?", "What is the number of vehicles that drove?"]
)
def test_records_are_no_count_of_what_the_result_counts(table: str, question: str) -> None:
    facts = replace(COUNTED, question=question, sql=f"SELECT COUNT(DISTINCT vehicle_id) AS n FROM {table}")
    assert check_text("4 vehicles drove.", facts).problems
    assert not check_text("3 vehicles drove.", facts).problems


TOTAL = "In 2024, 3 vehicles drove 180 km in total."


@pytest.mark.parametrize(
    "facts",
    [
        replace(COUNTED, raw=RECORDS.model_copy(update={"truncated": True})),
        replace(COUNTED, raw=None),
        replace(COUNTED, calculate=False),
        replace(COUNTED, sql="SELECT COUNT(DISTINCT v.id) AS n FROM trips t JOIN stops s ON s.trip_id = t.id"),
        replace(COUNTED, sql="SELECT COUNT(DISTINCT t.id) AS n FROM trips t JOIN trips s ON s.next_id = t.id"),
    ],
    ids=["not all", "none", "no calculator", "joined", "joined with itself"],
)
def test_records_that_are_not_all_or_come_twice_support_nothing(facts: Facts) -> None:
    assert not check_text(TOTAL, COUNTED).problems
    assert check_text(TOTAL, facts).problems


def test_the_calculation_is_named() -> None:
    number = next(it for it in check_text(TOTAL, COUNTED).numbers if it.text == "180")
    assert (number.source, number.expression) == ("calculation", "10 + 30 + 50 + 90")
