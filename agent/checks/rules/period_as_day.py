"""One day where the question says a longer time: `day = '2024-03-01'` for "in March 2024", or a year as one day:
`day = '2024'`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import holds_dates
from executors.sql.literals import owner_of
from rag.linking.dates import Period, periods_in
from rag.linking.month_names import MONTHS, NAMES

_DAY_WORD = re.compile(
    r"day|\beve\b|tag(?:e|es)?\b|silvester|neujahr|\bjours?\b|\bd[íi]as?\b|giorn|\bnov?el\b|christmas", re.IGNORECASE
)
_ENGLISH = NAMES["en"].lower().split()
_YEAR = re.compile(r"(?<![\w/.,-])(?:19|20)\d\d(?![\w/-]|[.,]\d)")


def apply(context: RuleContext) -> Finding | None:
    found = find_period(context)
    return found[1] if found is not None else None


def find_period(context: RuleContext) -> tuple[str, Finding] | None:
    """The question's words for the longer time, and the finding; None if no day stands for one."""
    periods, years = periods_in(context.question), list(_list_years(context.question))
    tree = context.query.copy()
    for node in tree.find_all(exp.EQ):
        days = [str(it.this) for it in node.find_all(exp.Literal) if it.is_string]
        around = [it for it in periods if any(it.first.isoformat() <= day <= it.last.isoformat() for day in days)]
        column = node.find(exp.Column)
        around = around or [it for it in years if set(days) & _ends_of(it) and _holds_dates(column, context)]
        if column is None or node.find(exp.Select) or not around or any(it.first == it.last for it in around):
            continue
        ends = [exp.Literal.string(it.isoformat()) for it in (around[0].first, around[0].after)]
        node.replace(exp.and_(exp.GTE(this=column, expression=ends[0]), exp.LT(this=column.copy(), expression=ends[1])))
        detail = f"The question says {around[0].mention!r}, and the query reads only {' '.join(days)}."
        return around[0].mention, Finding(detail, probes=(context.sql, context.to_sql(tree)))
    return None


def _list_years(question: str) -> Iterator[Period]:
    """The years that are no part of a day or a month, with and without a preposition. None beside a word for a day."""
    if _DAY_WORD.search(question):
        return
    for found in _YEAR.finditer(question):
        before = "".join(question[: found.start()].split()[-1:]).strip(",.").casefold()
        is_month = before in MONTHS or (len(before) > 2 and any(it.startswith(before) for it in _ENGLISH))
        if not is_month and not any(map(str.isdigit, before)):
            year = int(found[0])
            yield Period(found[0], date(year, 1, 1), date(year, 12, 31))


def _ends_of(year: Period) -> set[str]:
    """How one day stands for a year: by the year alone, or by its first or its last day."""
    return {str(year.first.year), year.first.isoformat(), year.last.isoformat()}


def _holds_dates(column: exp.Column | None, context: RuleContext) -> bool:
    owner = owner_of(column, context.schema) if column is not None else None
    return owner is not None and holds_dates(owner[1], context.schema.dialect)


RULE = Rule("period_as_day", "query", "language", "doubt", apply)
