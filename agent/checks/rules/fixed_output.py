"""Shows nothing but what its own conditions say: `SELECT name … WHERE name = 'Nora Klein'`.

Such a query can only repeat a word of the question. It answers whether there is such a row, and nothing else. Whether
that is asked is unknown in a language without a vocabulary.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.vocabulary import LANGUAGES, vocabulary
from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.tree import conjuncts

_WHETHER = re.compile(r"\b(?:whether|if|verify|check|exists?|ob)\b", re.IGNORECASE)


def apply(context: RuleContext) -> Finding | None:
    select, question, language = context.query, context.question, language_of(context.question)
    if not isinstance(select, exp.Select) or language not in LANGUAGES:
        return None
    if vocabulary(language).is_polar(question) or _WHETHER.search(question):
        return None
    where = select.args.get("where")
    fixed = [
        it for part in conjuncts(where.this if where is not None else None) if (it := _find_fixed(part)) is not None
    ]
    items = [it.unalias() for it in select.selects]
    if not items or not all(any(_are_same(item, it) for it in fixed) for item in items):
        return None
    shown = ", ".join(context.to_sql(it) for it in items)
    return Finding(f"The query shows {shown} alone, whose value its own condition sets.")


def _find_fixed(part: exp.Expr) -> exp.Column | None:
    """The column that a condition sets to one value."""
    match part.unnest():
        case (
            exp.EQ(this=exp.Column() as column, expression=exp.Literal())
            | exp.EQ(this=exp.Literal(), expression=exp.Column() as column)
        ):
            return column
    return None


def _are_same(item: exp.Expr, column: exp.Column) -> bool:
    if not isinstance(item, exp.Column) or item.name.lower() != column.name.lower():
        return False
    return not item.table or not column.table or item.table.lower() == column.table.lower()


RULE = Rule("fixed_output", "query", "language", "doubt", apply)
