"""Past queries as examples: for a question without a time, without theirs.

A small model copies the year of a past query into a query for a question that has none. What else the query shows, such
as which orders count as revenue, is worth keeping.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from executors.base import Frozen
from rag.docs.documents import Document
from rag.linking.dates import periods_in
from rag.linking.month_names import MONTHS
from rag.linking.relative_dates import counts_from_today
from rag.words import tokens

if TYPE_CHECKING:
    from sqlglot import exp

_TIME = re.compile(r"(?:19|20)\d\d(?:-\d\d)*(?:[ T].*)?")  # a year, a month, a day or a moment as a literal
# Without "may", which is mostly another word.
_MONTHS = {it.lower() for it in (*MONTHS, *calendar.month_name) if len(it) > 3}
_BEFORE = r"\s*\b(?:in|of|on|for|during|since|until|from|im|am|seit|en|de|du|del|au|nel|dal)?\s*\b(?:the|jahr|year)?\s*"


class Example(Frozen):
    """A question of the past whose query was right."""

    question: str
    sql: str


def make_examples(question: str, queries: Sequence[Document], dialect: str) -> tuple[Example, ...]:
    """Past queries for a question. If it has no time, theirs is taken out; a query that is about times is left out.

    `dialect`: sqlglot's name.
    """
    examples = [Example(question=it.text, sql=it.sql) for it in queries]
    if not _has_time(question) and not any(it.folded in _MONTHS for it in tokens(question)):
        examples = [found for it in examples if (found := _without_time(it, dialect)) is not None]
    return tuple(examples)


def _has_time(question: str) -> bool:
    return bool(periods_in(question)) or counts_from_today(question)


def _without_time(example: Example, dialect: str) -> Example | None:
    """The example without the conditions that compare with a time; None if a time stands elsewhere, too."""
    from executors.sql.tree import conjuncts, selects_of, set_conjuncts, tree_to_change

    if not _has_time(example.question):
        return example
    text = example.question
    for period in periods_in(text):
        text = re.sub(_BEFORE + re.escape(period.mention), "", text)
    tree = tree_to_change(example.sql, dialect)
    if tree is None or _has_time(text):
        return None
    for select in selects_of(tree):
        if (where := select.args.get("where")) is not None:
            set_conjuncts(select, [it for it in conjuncts(where.this) if not _names_time(it)])
    return None if _names_time(tree) else Example(question=text, sql=tree.sql(dialect))


def _names_time(node: exp.Expr) -> bool:
    from sqlglot import exp

    return any(_TIME.fullmatch(str(it.this)) for it in node.find_all(exp.Literal))
