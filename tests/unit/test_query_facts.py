"""The facts of a query are read in every dialect, by the name that the schema has for it."""

from __future__ import annotations

import pytest

from agent.checks.grounding.evidence.query_facts import query_facts
from executors.dialects.table import DIALECTS


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_every_dialect_is_read(dialect: str) -> None:
    assert query_facts("SELECT SUM(amount) AS total FROM orders", dialect).aggregates
