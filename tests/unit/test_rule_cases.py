"""The tables of cases themselves."""

from __future__ import annotations

import pytest
from rule_tables import TABLES

LEAST_CASES = 20


@pytest.mark.parametrize("name", TABLES)
def test_every_rule_has_twenty_cases_of_its_own(name: str) -> None:
    """Most of them are right queries: a rule shows its worth by what it leaves alone."""
    found = [(it.sql, it.question, it.dialect, it.values, it.rows, it.error, it.documents) for it in TABLES[name]]
    assert len(found) >= LEAST_CASES
    twice = [case for case in found if found.count(case) > 1]
    assert not twice, "the same case twice"
