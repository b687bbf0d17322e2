"""Columns that nobody asked for: the count by which rows are ordered, and keys beside what they stand for.

The prompt asks for the columns that are asked for and no others; a small model adds them all the same. What an English
question does not speak of is taken out, from the outermost SELECT alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.checks.key_names import key_of
from agent.clarify.languages import is_english
from executors.base import Schema

if TYPE_CHECKING:
    from sqlglot import exp

_MOST = re.compile(r"\b(?:most|least|fewest|highest|lowest|largest|smallest|greatest|top)\b", re.IGNORECASE)
_COUNTED = re.compile(r"\b(?:how many|how often|numbers?|counts?|amounts?|totals?|times|frequenc\w+)\b", re.IGNORECASE)
KEYED = re.compile(
    r"\b(?:ids?|identifiers?|keys?|codes?|numbers?|details|all|every(?:thing)?|information|info)\b", re.IGNORECASE
)


def drop_extra_columns(tree: exp.Query, question: str, schema: Schema) -> list[str]:
    """Take columns out of a tree's select list that were not asked for; what was, one part of a sentence each.

    Args:
        tree: that is changed; left as it is where it is no plain SELECT, or has a DISTINCT that would mean other rows.
        question: as asked.
        schema: whose keys are known.
    """
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or tree.args.get("distinct") or not is_english(question):
        return []
    extra: list[exp.Expr] = []
    if _MOST.search(question) and not _COUNTED.search(question):
        extra += _counts_to_order_by(tree)
    if not KEYED.search(question):
        extra += [item for item in tree.expressions if _is_key(item, tree, schema)]
    kept = [item for item in tree.expressions if not any(item is one for one in extra)]
    if not extra or not any(isinstance(item.unalias(), exp.Column) for item in kept):
        return []
    _order_without(tree, extra)
    tree.set("expressions", kept)
    return [f"nobody asked for {item.sql()}" for item in extra]


def _counts_to_order_by(tree: exp.Select) -> list[exp.Expr]:
    """The counts of a select list by which a limited number of rows is ordered."""
    from sqlglot import exp

    order = tree.args.get("order")
    if order is None or tree.args.get("limit") is None:
        return []
    by = [item.this for item in order.expressions]
    counts = [item for item in tree.expressions if isinstance(item.unalias(), exp.Count)]
    return [item for item in counts if item.unalias() in by or any(_names(one, item) for one in by)]


def _names(node: exp.Expr, item: exp.Expr) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Column) and not node.table and bool(item.alias) and node.name == item.alias


def _is_key(item: exp.Expr, tree: exp.Select, schema: Schema) -> bool:
    """Whether an item is a bare key, called so, of a table of which a text is selected as well: that tells its rows."""
    from sqlglot import exp

    from executors.sql.literals import is_text, owner_of

    key_and_table = key_of(item, schema)
    if key_and_table is None:
        return False
    table, own = key_and_table
    told = {table.name.lower()} if own.name in table.primary_key else set()
    told |= {key.table.lower() for key in table.foreign_keys if own.name in key.columns}
    for other in tree.expressions:
        bare = other.unalias()
        found = owner_of(bare, schema) if isinstance(bare, exp.Column) and key_of(bare, schema) is None else None
        if found is not None and found[0].name.lower() in told and is_text(found[1]):
            return True
    return False


def _order_without(tree: exp.Select, extra: list[exp.Expr]) -> None:
    """Order by what was taken out itself, where it went by an alias."""
    from sqlglot import exp

    parts = [tree.args.get(name) for name in ("order", "having", "group")]
    columns = [column for part in parts if part is not None for column in part.find_all(exp.Column)]
    for column in columns:
        for item in extra:
            if _names(column, item):
                column.replace(item.unalias().copy())
