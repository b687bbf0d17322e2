"""An aggregate in WHERE, which no engine runs: its condition belongs in HAVING, over groups of the columns shown."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Change, Finding, Rule, RuleContext
from executors.errors import ErrorKind
from executors.sql.tree import conjuncts, selects_of, set_conjuncts


def apply(context: RuleContext) -> Finding | None:
    """Nothing where a row's own value is compared with the aggregate: that asks for a subquery."""
    if context.error not in {ErrorKind.GROUPING, ErrorKind.SYNTAX_ERROR}:
        return None

    def change(tree: exp.Query) -> Iterator[Change]:
        for select in selects_of(tree):
            where, having, group = (select.args.get(key) for key in ("where", "having", "group"))
            parts = conjuncts(where.this) if where is not None else []
            moved = [it for it in parts if any(one.find_ancestor(exp.Select) is select for one in _aggregates(it))]
            shown = [it.unalias() for it in select.expressions if not _aggregates(it)]
            keys = group.expressions if group is not None else shown
            plain = bool(keys) and all(isinstance(it, exp.Column) for it in keys)
            if not moved or not plain or any(_reads_rows(it) for it in moved):
                continue
            set_conjuncts(select, [it for it in parts if it not in moved])
            set_conjuncts(select, [*conjuncts(having.this if having is not None else None), *moved], exp.Having)
            if group is None:
                select.set("group", exp.Group(expressions=[it.copy() for it in keys]))
            yield Change(f"WHERE {context.shown(moved[0])}", context.shown(select.args["having"]).strip())

    return context.changed(change)


def _aggregates(node: exp.Expr) -> list[exp.Expr]:
    return [it for it in node.find_all(exp.AggFunc) if it.find_ancestor(exp.Window) is None]


def _reads_rows(condition: exp.Expr) -> bool:
    """Whether a condition reads a column, or a query, outside its aggregates."""
    read = list(condition.find_all(exp.Column, exp.Query))
    return any(it.find_ancestor(exp.AggFunc) is None for it in read)


RULE = Rule("misplaced_aggregates", "error", "schema", "repair", apply)
