"""An inner join for one side of an OR: rows that pass the other side are lost where they have no partner.

"Cities that are warm, or were hosts": where the temperatures are joined for the first alone, a host without one is left
out without a word. By a LEFT JOIN it stays, and what is compared with its missing partner is not true.
"""

from __future__ import annotations

from sqlglot import exp

from executors.base import Schema
from executors.sql.tree import selects_of


def needed_by_one_side(tree: exp.Query, schema: Schema) -> list[str]:  # noqa: ARG001
    """Make LEFT JOINs, in the tree, of joins that one side of WHERE's OR alone is about; what was changed."""
    changes: list[str] = []
    for select in selects_of(tree):
        where = select.args.get("where")
        either = where.this.unnest() if where is not None else None
        if not isinstance(either, exp.Or) or select.find(exp.Star):
            continue
        for join in select.args.get("joins") or []:
            if _is_inner(join) and _is_for_one_side(join, either, select):
                join.set("side", "LEFT")
                join.set("kind", None)
                changes.append(f"rows without {join.this.name} may pass the other side of OR: LEFT JOIN")
    return changes


def _is_inner(join: exp.Join) -> bool:
    plain = not join.side and not join.method and join.kind in {"", "INNER"}
    return plain and isinstance(join.this, exp.Table) and join.args.get("on") is not None


def _is_for_one_side(join: exp.Join, either: exp.Or, select: exp.Select) -> bool:
    """Whether a joined table is read in its own ON and in one side alone, where it is compared and not looked for."""
    name = join.this.alias_or_name.lower()
    inside = list(join.find_all(exp.Column))
    outside = [it for it in select.find_all(exp.Column) if not any(it is one for one in inside)]
    mine = [it for it in outside if it.table.lower() == name]
    sides = [[it for it in mine if any(it is one for one in side.find_all(exp.Column))] for side in either.flatten()]
    of_one = [side for side in sides if side]
    if len(of_one) != 1 or len(of_one[0]) != len(mine) or any(not it.table for it in outside):
        return False
    return not any(it.find_ancestor(exp.Is, exp.Not, exp.Query) is not select for it in mine)
