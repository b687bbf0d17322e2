"""Rows counted under the name of a column that holds a number in each row: `COUNT(*) AS nights` of stays with `nights`.

The plural of the column's name shows that a row may hold several; the total is their sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.base import Column, Table
from executors.sql.names.tables import identifier
from executors.sql.tree import selects_of
from rag.words import split_name, tokens, words

_NUMBER = re.compile(r"int|dec|num|real|float|double", re.IGNORECASE)
_SAYS_COUNT = words("a all count cnt n no num number of sum the total")


def apply(context: RuleContext) -> Finding | None:
    def change(tree: exp.Query) -> Iterator[Change]:
        for select, known in zip(selects_of(tree), context.selects, strict=True):
            tables = context.tables(known)
            table = next(iter(tables.values())) if len(tables) == 1 else None
            for item in select.selects if table is not None else ():
                count, column = item.unalias(), _column_called(item.alias, table)
                if column is None or not _is_count_of_rows(count):
                    continue
                total = exp.Sum(this=exp.column(identifier(column.name, context.schema)))
                before, after = context.to_sql(count), context.to_sql(total)
                same = [it for it in select.find_all(exp.Count) if it == count]
                for node in [it for it in same if it.find_ancestor(exp.Select) is select]:
                    node.replace(total.copy())
                yield Change(before, after)

    return context.change(change, "Rows are counted under the name of a column that holds a number in each row: {}.")


def _is_count_of_rows(node: exp.Expr) -> bool:
    return isinstance(node, exp.Count) and not isinstance(node.this, exp.Distinct)


def _column_called(alias: str, table: Table | None) -> Column | None:
    """The one column of numbers, with a plural name, that an alias names; none where it names the rows as well."""
    named = words(alias) - _SAYS_COUNT
    if table is None or not named or named <= words(table.name):
        return None
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    found = [it for it in table.columns if it.name not in keys and words(it.name) - _SAYS_COUNT == named]
    column = found[0] if len(found) == 1 else None
    return column if column is not None and _NUMBER.search(column.type) and _is_plural(column.name) else None


def _is_plural(name: str) -> bool:
    return any(it.folded != it.singular for it in tokens(split_name(name)))


RULE = Rule("counted_amount", "query", "schema", "alternative", apply)
