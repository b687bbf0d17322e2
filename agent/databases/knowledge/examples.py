"""Past queries as examples. For a question without a time, the time is removed from them.

A small model copies the year of a past query into a query for a question that has none. What else the query shows, such
as which orders count as revenue, is worth keeping. If the time cannot be removed completely, the example is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from executors.base import Frozen
from rag.docs.documents import Document
from rag.linking.dates import periods_in
from rag.linking.month_names import MONTHS, NAMES
from rag.linking.relative_dates import counts_from_today
from rag.words import tokens

if TYPE_CHECKING:
    from sqlglot import exp

_YEAR = re.compile(r"(?:19|20)\d\d")
_TIME = re.compile(r"(?:19|20)\d\d(?:-\d\d)*(?:[ T].*)?")  # a year, a month, a day or a moment as a literal
_SAID = re.compile(rf"\b{_YEAR.pattern}\b|\d[./-]\d|\bQ[1-4]\b|\bFY\s?\d")
# Without "may", which is usually the verb.
_MONTHS = {it for it in (*MONTHS, *NAMES["en"].lower().split()) if len(it) > 3}
# The time at the end of a question, with the words that lead to it: " in the year 2023?"
_LEADING = r"\s+(?:(?:in|of|on|for|during|since|im|am|seit|en|nel|del)\s+(?:the\s+)?)?(?:(?:year|jahre?)\s+)?"
_AT_END = _LEADING + r"{}(?=\s*[?.!]?\s*$)"


class Example(Frozen):
    """A past question with its correct query."""

    question: str
    sql: str


def make_examples(question: str, queries: Sequence[Document], dialect: str) -> tuple[Example, ...]:
    """Past queries for a question. If it has no time, theirs is removed; if that fails, the query is left out.

    `dialect`: sqlglot's name.
    """
    examples = [Example(question=it.text, sql=it.sql) for it in queries]
    if not _has_time(question):
        examples = [found for it in examples if (found := _without_time(it, dialect)) is not None]
    return tuple(examples)


def _has_time(question: str) -> bool:
    """Whether a question states a time, or may state one."""
    is_said = _SAID.search(question) is not None or any(it.folded in _MONTHS for it in tokens(question))
    return is_said or bool(periods_in(question)) or counts_from_today(question)


def _without_time(example: Example, dialect: str) -> Example | None:
    """The example without the conditions that compare with its time; None if a time would be left."""
    from executors.sql.tree import conjuncts, selects_of, set_conjuncts, tree_to_change

    periods = periods_in(example.question)
    if not _has_time(example.question):
        return example
    text, tree = example.question, tree_to_change(example.sql, dialect)
    if tree is None or len(periods) != 1:
        return None
    text = re.sub(_AT_END.format(re.escape(periods[0].mention)), "", text, flags=re.IGNORECASE)
    for select in reversed(selects_of(tree)):  # inner queries first
        if (where := select.args.get("where")) is not None:
            set_conjuncts(select, [it for it in conjuncts(where.this) if not _compares_with_time(it)])
    sql = tree.sql(dialect)
    return None if _has_time(text) or _YEAR.search(sql) or _reads_month(tree) else Example(question=text, sql=sql)


def _compares_with_time(condition: exp.Expr) -> bool:
    """Whether the condition is only a comparison with a time."""
    from sqlglot import exp

    literals = list(condition.find_all(exp.Literal))
    is_alone = condition.find(exp.Connector, exp.Not, exp.Query, exp.Is) is None
    # A bare number may be a price. It is a year if it is compared with the year of a column.
    is_year = condition.find(exp.Year, exp.Extract) is not None
    texts = [it for it in literals if it.is_string or is_year]
    return is_alone and any(_TIME.fullmatch(str(it.this)) for it in texts)


def _reads_month(tree: exp.Query) -> bool:
    """Whether a condition still reads a part of a time: `MONTH(day) = 3`."""
    from sqlglot import exp

    parts = (exp.Month, exp.Quarter, exp.Extract, exp.TimeToStr, exp.Year)
    return any(where.find(*parts) is not None for where in tree.find_all(exp.Where))
