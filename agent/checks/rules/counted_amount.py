"""Rows counted under the name of a column that holds a number in each row: `COUNT(*) AS nights` of stays with `nights`.

The plural of the column's name shows that a row may hold several; the total is their sum.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.understanding.suggest import list_keys
from executors.base import Column, Table
from executors.sql.names.tables import identifier
from rag.words import split_name, tokens, words

_NUMBER = re.compile(r"int|dec|num|real|float|double", re.IGNORECASE)
_SAYS_COUNT = words("a all count cnt n no num number of sum the total")


def apply(context: RuleContext) -> Finding | None:
    def add_up(item: exp.Expr) -> exp.Expr | None:
        select, count = item.parent, item.unalias()
        if (
            not isinstance(select, exp.Select)
            or not isinstance(count, exp.Count)
            or isinstance(count.this, exp.Distinct)
        ):
            return None
        tables = list(context.tables(select).values())
        column = _column_called(item.alias, tables[0]) if len(tables) == 1 else None
        if column is None:
            return None
        total = exp.Sum(this=exp.column(identifier(column.name, context.schema)))
        for node in [it for it in find_all_in_scope(select, exp.Count) if it == count]:
            node.replace(total.copy())
        return item

    detail = "The query counts rows, but names the count after a column of numbers: {}."
    return context.change_each(exp.Alias, by=add_up, detail=detail)


def _column_called(alias: str, table: Table | None) -> Column | None:
    """The one column of numbers, with a plural name, that an alias names; none where it names the rows as well."""
    named = words(alias) - _SAYS_COUNT
    if table is None or not named or named <= words(table.name):
        return None
    keys = list_keys(table)
    found = [it for it in table.columns if it.name not in keys and words(it.name) - _SAYS_COUNT == named]
    plural = len(found) == 1 and any(it.folded != it.singular for it in tokens(split_name(found[0].name)))
    return found[0] if plural and _NUMBER.search(found[0].type) else None


RULE = Rule("counted_amount", "query", "schema", "alternative", apply)
