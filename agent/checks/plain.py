"""All that is found of a query and its rows without asking a model, in the order in which it is told."""

from __future__ import annotations

from collections.abc import Sequence

from agent.checks.division import division_check
from agent.checks.result import shape_checks
from agent.models import Check
from executors.base import CheckedSql, QueryResult


def plain_checks(
    question: str, query: CheckedSql, result: QueryResult, of_text: Sequence[Check], dialect: str
) -> tuple[Check, ...]:
    """The checks of the rows' shape, those of the query's text, and that of its ratios.

    Args:
        question: as asked.
        query: as it ran.
        result: what it gave.
        of_text: what `agent.mending.find_faults` found of the query as it was written.
        dialect: a key of `dialects.DIALECTS`.
    """
    division = division_check(query, dialect)
    return (*shape_checks(question, result), *of_text, *([division] if division else []))
