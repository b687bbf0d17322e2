"""A shown column of one table, where the question names another one first that has it by the same name.

"The names of the mills whose architect built a bridge" are the mills': the noun comes first.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.base import Table
from executors.sql.names.tables import column_of
from rag.words import words


def apply(context: RuleContext) -> Finding | None:
    tree = context.query
    if not isinstance(tree, exp.Select):
        return None
    tables = {alias: table for alias, table in context.tables(tree).items() if table is not None}
    shown = {(it.table.lower(), it.name.lower()) for item in tree.expressions for it in item.find_all(exp.Column)}
    for at, item in enumerate(tree.expressions):
        column = item.unalias()
        own = tables.get(column.table.lower()) if isinstance(column, exp.Column) else None
        if own is None or _is_key(own, column.name):
            continue
        for alias, other in tables.items():
            twin = other.column(column.name) if other is not own else None
            if twin is None or _is_key(other, twin.name) or (alias, column.name.lower()) in shown:
                continue
            if _place(other, context.question) >= _place(own, context.question):
                continue
            probe = tree.copy()
            probe.expressions[at].unalias().replace(column_of(alias, twin.name, context.schema))
            detail = f"{column.name} is that of {own.name}; {other.name} is named first, and has one, too."
            return Finding(detail, probes=(context.sql, context.shown(probe)))
    return None


def _place(table: Table, question: str) -> int:
    """Which word of the question names the table; after the last one, where none does."""
    question_words, own = question.split(), words(table.parts[-1])
    return next((at for at, word in enumerate(question_words) if words(word) & own), len(question_words))


def _is_key(table: Table, name: str) -> bool:
    keys = {*table.primary_key, *(it for key in table.foreign_keys for it in key.columns)}
    return name.lower() in {it.lower() for it in keys}


RULE = Rule("twin_columns", "query", "language", "doubt", apply)
