"""Aggregates where no engine takes them: in WHERE, or beside columns that nothing groups."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Finding, Rule, RuleContext
from executors.errors import ErrorKind
from executors.sql.tree import conjuncts, selects_of, set_conjuncts


def apply(context: RuleContext) -> Finding | None:
    def change(tree: exp.Query) -> Iterator[str]:
        for select in selects_of(tree):
            yield from (*_group(select, context.dialect), *_having(select, context.dialect))

    return context.changed(change) if context.error is ErrorKind.GROUPING else None


def _group(select: exp.Select, dialect: str) -> list[str]:
    """Group by what is selected, where an aggregate stands anywhere beside it."""
    plain = [item.unalias() for item in select.expressions if not _aggregates(item, select)]
    if select.args.get("group") is not None or not plain or select.is_star:
        return []
    parts = [select.args.get(name) for name in ("where", "having", "order")]
    if not any(_aggregates(part, select) for part in (*parts, *select.expressions) if part is not None):
        return []
    select.set("group", exp.Group(expressions=[item.copy() for item in plain]))
    return [f"GROUP BY {', '.join(item.sql(dialect=dialect) for item in plain)}"]


def _having(select: exp.Select, dialect: str) -> list[str]:
    where, old = select.args.get("where"), select.args.get("having")
    parts = conjuncts(where.this if where is not None else None)
    moved = [part for part in parts if _aggregates(part, select)]
    if not moved or select.args.get("group") is None:
        return []
    after = [*conjuncts(old.this if old is not None else None), *moved]
    set_conjuncts(select, [part.copy() for part in parts if part not in moved])
    set_conjuncts(select, [part.copy() for part in after], exp.Having)
    return [f"{part.sql(dialect=dialect)} in HAVING" for part in moved]


def _aggregates(part: exp.Expr, select: exp.Select) -> bool:
    return any(found.find_ancestor(exp.Select) is select for found in part.find_all(exp.AggFunc))


RULE = Rule("missing_groups", "error", "schema", "repair", apply)
