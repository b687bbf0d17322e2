"""An aggregate of one table's rows over a join that repeats them: a total of orders, once for each of their items.

Keys tell: a join by anything but a whole key of the joined table may find several rows. Where the rows of each group
are as many as the keys in them, nothing was repeated.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.rules.base import Finding, Rule, RuleContext
from executors.base import Table
from executors.sql.tables import column_of
from executors.sql.tree import conjuncts

Pairs = list[tuple[tuple[str, str], tuple[str, str]]]

# What they give is the same, however often a row comes.
_UNMOVED = (exp.Max, exp.Min, exp.AnyValue, exp.ApproxDistinct, exp.ArrayUniqueAgg, exp.LogicalAnd, exp.LogicalOr)


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables = {alias: table for alias, table in context.tables(select).items() if table is not None}
        if len(tables) < 2 or len(tables) < len(context.tables(select)):
            continue
        repeated = {alias for alias in tables if _is_repeated(alias, tables, _pairs(select))}
        for node, alias in _summed(select, tables):
            if alias in repeated:
                detail = f"The join repeats rows of {tables[alias].name}, and {context.shown(node)} takes each of them."
                return Finding(detail, probes=_probes(context, select, alias, tables[alias]))
    return None


def _summed(select: exp.Select, tables: dict[str, Table]) -> Iterator[tuple[exp.Expr, str]]:
    """The aggregates of a SELECT that repeated rows change, each with the one table whose rows it takes."""
    group = select.args.get("group")
    groups = {it.table.lower() for it in group.find_all(exp.Column)} if group is not None else set()
    for node in select.find_all(exp.AggFunc):
        if (
            node.find_ancestor(exp.Select) is not select
            or isinstance(node, _UNMOVED)
            or isinstance(node.this, exp.Distinct)
        ):
            continue
        of = {_alias_of(column, tables) for column in node.find_all(exp.Column) if not _is_condition(column, node)}
        alias = of.pop() if len(of) == 1 else None
        if alias is None:
            continue
        bare = isinstance(node.this, exp.Column)
        if isinstance(node, exp.Count) and not (
            bare and tables[alias].primary_key == (node.this.name,) and not groups & {alias, ""}
        ):
            continue  # rows are counted, by whatever column
        yield node, alias


def _is_condition(column: exp.Column, call: exp.Expr) -> bool:
    """Whether a column says only which rows are taken: `SUM(CASE WHEN kind = 'a' THEN 1 END)` counts joined rows."""
    at: exp.Expr = column
    while at is not call and at.parent is not None:
        if isinstance(at.parent, exp.If) and at.arg_key == "this":
            return True
        at = at.parent
    return False


def _alias_of(column: exp.Column, tables: dict[str, Table]) -> str | None:
    if column.table:
        return column.table.lower() if column.table.lower() in tables else None
    holders = [alias for alias, table in tables.items() if table.column(column.name)]
    return holders[0] if len(holders) == 1 else None


def _pairs(select: exp.Select) -> Pairs:
    """The columns that a SELECT holds to be equal, each by its alias and name."""
    where = select.args.get("where")
    conditions = [*conjuncts(where.this if where else None)]
    found: Pairs = []
    before = [select.args["from_"].this.alias_or_name.lower()] if select.args.get("from_") else []
    for join in select.args.get("joins") or []:
        conditions += conjuncts(join.args.get("on"))
        name = join.this.alias_or_name.lower()
        found += [
            ((one, it.name.lower()), (name, it.name.lower())) for it in join.args.get("using") or [] for one in before
        ]
        before.append(name)
    for condition in conditions:
        pair = condition.unnest()
        if isinstance(pair, exp.EQ) and isinstance(pair.this, exp.Column) and isinstance(pair.expression, exp.Column):
            one, other = ((it.table.lower(), it.name.lower()) for it in (pair.this, pair.expression))
            found.append((one, other))
    return found


def _is_repeated(alias: str, tables: dict[str, Table], pairs: Pairs) -> bool:
    """Whether a row of this table may meet several rows of another, on any way along the joins."""
    both = [*pairs, *((other, one) for one, other in pairs)]
    seen, waiting = {alias}, [alias]
    while waiting:
        here = waiting.pop()
        for there in {other[0] for one, other in both if one[0] == here} & tables.keys() - seen:
            by = {other[1] for one, other in both if one[0] in seen and other[0] == there}
            key = {name.lower() for name in tables[there].primary_key}
            if not key or not key <= by:
                return True
            seen.add(there)
            waiting.append(there)
    return False


def _probes(context: RuleContext, select: exp.Select, alias: str, table: Table) -> tuple[str, ...]:
    """Each group's rows, and its distinct keys."""
    if len(table.primary_key) != 1 or select is not context.query:
        return ()
    key = column_of(alias, table.primary_key[0], context.schema)
    group = select.args.get("group")
    keys = list(group.expressions) if group is not None else []
    if any(isinstance(it, exp.Literal) for it in keys):
        return ()
    found = []
    for counted in (exp.Count(this=key.copy()), exp.Count(this=exp.Distinct(expressions=[key.copy()]))):
        probe = select.copy()
        for part in ("order", "having", "limit", "distinct", "offset"):
            probe.set(part, None)
        probe.set("expressions", [*(it.copy() for it in keys), counted])
        found.append(context.shown(probe))
    return tuple(found)


RULE = Rule("fan_out", "query", "schema", "doubt", apply)
