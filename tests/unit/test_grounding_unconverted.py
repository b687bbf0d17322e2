"""Thresholds of a question that its query compares with a column in another unit."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.query_facts import query_facts
from agent.checks.grounding.question.unconverted import amounts_in


@pytest.mark.parametrize(
    "text, language, amounts",
    [
        ("longer than a day", "en", ["a day"]),
        ("a second visit", "en", []),
        ("24-hour shifts", "en", ["24-hour"]),
        ("more than 2.5 h", "en", ["2.5 h"]),
        ("länger als zwei Tage", "de", ["zwei Tage"]),
        ("trente jours de retard", "fr", ["trente jours"]),
        ("more than 12 parks", "en", []),
        ("weiter als 1.500 m", "de", ["1.500 m"]),
        ("1.500 m", None, []),
        ("version 1.2.3 days", "en", []),
    ],
)
def test_amounts_with_a_unit(text: str, language: str | None, amounts: list[str]) -> None:
    assert [it.text for it in amounts_in(text, language)] == amounts


@pytest.mark.parametrize(
    "condition, compared",
    [
        ("outage_hours > 2", (("outage_hours", "2"),)),
        ("2 < outage_hours", (("outage_hours", "2"),)),
        ("h BETWEEN 2 AND 4", (("h", "2"), ("h", "4"))),
        ("outage_hours / 24 > 2", ()),
        ("outage_hours > 2 * 24", ()),
        ("COUNT(outage_hours) > 2", ()),
        ("day > '2024-01-01'", ()),
    ],
)
def test_columns_that_a_query_compares_with_numbers(condition: str, compared: tuple[tuple[str, str], ...]) -> None:
    assert query_facts(f"SELECT COUNT(*) FROM faults WHERE {condition}", "sqlite").compared == compared


@pytest.mark.parametrize(
    "threshold, condition, holds",
    [
        ("a day", "outage_hours > 1", False),
        ("two days", "outage_hours > 2", False),
        ("2 days", "SUM(outage_hours) > 2", False),
        ("a day", "Ausfall_Std > 1", False),
        ("2 days", "outage > 2", False),
        ("5 miles", "distance_km > 5", False),
        ("6 months", "age_years > 6", False),
        ("a day", "outage_hours > 24", True),
        ("two days", "outage_hours > 48", True),
        ("two days", "outage_hours / 24 > 2", True),
        ("2 days", "outage_days > 2", True),
        ("5 miles", "distance_km > 8.05", True),
        ("6 months", "age_years > 0.5", True),
        ("1,000 m", "distance_km > 1", True),
        ("2,500,000 m", "distance_km > 2500", True),
        ("1,000 m", "distance_km > 1000", False),
        ("2 days and later than 2 hours", "outage_days > 2", True),
        ("2 years", "year > 2", True),
        ("2 days", "start_hour > 2", True),
    ],
)
def test_a_threshold_is_in_the_unit_of_its_column(threshold: str, condition: str, holds: bool) -> None:
    evidence = facts(
        f"How many faults took longer than {threshold}?",
        "n",
        [(209,)],
        f"SELECT COUNT(*) AS n FROM faults WHERE {condition}",
        ("faults", "outage", "Length of the outage, in hours."),
    )
    assert (check_text(f"209 faults took longer than {threshold}.", evidence).problems == ()) is holds


def test_a_raised_digit_is_no_amount() -> None:
    assert amounts_in("¹ day and 2 days", "en") == amounts_in("2 days", "en")
