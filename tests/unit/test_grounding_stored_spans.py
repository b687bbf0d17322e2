"""Stored texts of two numbers, such as seasons and age groups: their digits are parts of one value."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text

SEASON = facts(
    "How many home wins did Torstadt have in 2022/23?", "n", [(4,)],
    "SELECT COUNT(*) AS n FROM mtch WHERE ssn = '2022/23' AND h_gls > a_gls",
)  # fmt: skip
AGES = facts(
    "How many people are in the 20-29 group?", "n", [(14,)],
    "SELECT COUNT(*) AS n FROM people WHERE age_group = '20-29'",
)  # fmt: skip


@pytest.mark.parametrize("text", ["Torstadt had 4 home wins in 2022/23.", "Torstadt had 4 home wins in 2022-23."])
def test_a_season_of_the_query_is_one_value(text: str) -> None:
    assert check_text(text, SEASON).problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "Torstadt had 4 home wins in 2021/22.",
        "Torstadt had 4 home wins in 2022/24.",
        "Torstadt had 23 home wins in 2022/23.",
        "Torstadt had 5 home wins in 2022/23.",
    ],
)
def test_another_season_or_number_is_refused(text: str) -> None:
    assert check_text(text, SEASON).problems


@pytest.mark.parametrize(
    "text, holds",
    [
        ("There are 14 people in the 20-29 group.", True),
        ("There are 20 people in the 20-29 group.", False),
        ("There are 14 people in the 30-39 group.", False),
    ],
)
def test_an_age_group_is_one_value(text: str, holds: bool) -> None:
    assert (check_text(text, AGES).problems == ()) is holds
