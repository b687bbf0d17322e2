"""An inner join for one side of an OR: rows that pass the other side are lost where they have no partner.

"Cities that are warm, or were hosts": where the temperatures are joined for the first alone, a host without one is left
out without a word. By a LEFT JOIN it stays, and what is compared with its missing partner is not true.

Only where the other sides ask a query of their own: else the join may well be asked for ("customers with an order that
is large or paid late"), and so where rows are counted or summed, for each partner makes one of them.
"""

from __future__ import annotations

from sqlglot import exp

from executors.base import Schema
from executors.sql.tree import conjuncts, selects_of

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.ILike, exp.Between, exp.In)


def needed_by_one_side(tree: exp.Query, schema: Schema) -> list[str]:  # noqa: ARG001
    """Make LEFT JOINs, in the tree, of joins that one side of WHERE's OR alone is about; what was changed."""
    changes: list[str] = []
    for select in selects_of(tree):
        where = select.args.get("where")
        either = where.this.unnest() if where is not None else None
        if not isinstance(either, exp.Or) or keeps_unmatched(select) or _counts_rows(select):
            continue
        for join in select.args.get("joins") or []:
            if _is_inner(join) and _is_for_one_side(join, either, select):
                join.set("side", "LEFT")
                join.set("kind", None)
                changes.append(f"rows without {join.this.name} may pass the other side of OR: LEFT JOIN")
    return changes


def keeps_unmatched(select: exp.Select) -> bool:
    """Whether a join keeps rows of its own table without a partner, so that all that is before it may be missing."""
    return any(join.side in {"RIGHT", "FULL"} or join.method for join in select.args.get("joins") or [])


def _counts_rows(select: exp.Select) -> bool:
    """Whether a SELECT reads more of the joined rows than columns: all of them, their number, a sum."""
    own = (it for it in select.find_all(exp.Star, exp.AggFunc, exp.Window) if it.find_ancestor(exp.Select) is select)
    return select.args.get("group") is not None or any(own)


def _is_inner(join: exp.Join) -> bool:
    """Whether a join is of a table, by nothing but columns that equal each other."""
    plain = not join.side and not join.method and join.kind in {"", "INNER"} and isinstance(join.this, exp.Table)
    pairs = [part.unnest() for part in conjuncts(join.args.get("on"))] if plain else []
    return bool(pairs) and all(
        isinstance(pair, exp.EQ) and isinstance(pair.this, exp.Column) and isinstance(pair.expression, exp.Column)
        for pair in pairs
    )


def _is_for_one_side(join: exp.Join, either: exp.Or, select: exp.Select) -> bool:
    """Whether a joined table is read in its own ON and in one side alone, where it is compared and not looked for.

    The other sides must be queries of their own.
    """
    name = join.this.alias_or_name.lower()
    inside = list(join.find_all(exp.Column))
    outside = [it for it in select.find_all(exp.Column) if not any(it is one for one in inside)]
    mine = [it for it in outside if it.table.lower() == name]
    sides = list(either.flatten())
    needing = [side for side in sides if any(it is one for it in mine for one in side.find_all(exp.Column))]
    if len(needing) != 1 or any(not it.table for it in outside):
        return False
    others = [side for side in sides if side is not needing[0]]
    if not all(isinstance(side.unnest(), exp.Exists | exp.In) and side.find(exp.Query) for side in others):
        return False
    return all(_is_compared(it, needing[0]) for it in mine)


def _is_compared(column: exp.Column, side: exp.Expr) -> bool:
    """Whether a side of OR is untrue without a column: that is compared as it is, and by nothing that NULL passes."""
    node = column.parent
    if not isinstance(node, _COMPARISONS):
        return False
    while node is not side and isinstance(node.parent, exp.And | exp.Paren):
        node = node.parent
    return node is side
