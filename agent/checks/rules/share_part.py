"""A share whose part and whole have filters that contradict each other or differ.

"Shipped and not cancelled, of all" leaves open whether cancelled orders belong to the whole. "Over 50, of those not
cancelled" counts cancelled orders in the part alone. "Cancelled, of those not cancelled" counts none. Groups of 2024,
each over the total of a query of its own, are no shares if that one reads all years.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys, holds_dates, owner_alias, query_of, sources_of
from executors.base import Table
from executors.sql.names.tables import to_source
from executors.sql.tree import conjuncts

_PARTS: tuple[type[exp.Expr], ...] = (exp.Case, exp.Filter, exp.CountIf)


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        where = select.args.get("where")
        kept = _split([where.this]) if where is not None else []
        found = (it for item in select.selects for of in _PARTS for it in find_all_in_scope(item, of))
        parts = (it for it in found if not isinstance(it, exp.Case) or _counts_one_branch(it))
        for condition in _split(_conditions_of(parts)):
            if excluding := next((it for it in kept if _excludes(it, condition)), None):
                kept_sql = context.to_sql(excluding)
                return Finding(f"No row can have {context.to_sql(condition)}: the query keeps those with {kept_sql}.")
    for division in context.query.find_all(exp.Div):
        part, whole = _conditions(division.this), _conditions(division.expression)
        lacking = [it for it in part if it not in whole]
        read = {it.name.lower() for condition in part for it in condition.find_all(exp.Column)}
        beyond = [it for it in whole if it not in part and not read & {c.name.lower() for c in it.find_all(exp.Column)}]
        if lacking and all(side.find(exp.AggFunc) for side in (division.this, division.expression)):
            names = ", ".join(map(context.to_sql, lacking if len(lacking) > 1 else beyond))
            if len(lacking) > 1:
                return Finding(f"The part of a share is filtered by {names}, and its whole by none of them.")
            if names:
                return Finding(f"The whole of a share is filtered by {names}, and its part is not.")
        if (finding := _find_wider_whole(division, context)) is not None:
            return finding
    return None


def _find_wider_whole(division: exp.Div, context: RuleContext) -> Finding | None:
    """A finding if groups have a filter of times, or one filter more than the query of their total."""
    select = division.find_ancestor(exp.Select)
    if select is None:
        return None
    for part, whole in itertools.product(_queries_of(division.this, select), _queries_of(division.expression, select)):
        if part is whole or not group_keys(part) or group_keys(whole) or not whole.find(exp.Sum, exp.Count):
            continue
        shown = whole.selects if whole is not select else []
        if _is_correlated(whole) or any(map(_has_average, [division.expression, *shown])):
            continue
        for condition, alias, table in _filters_of_part(part, whole, context):
            others = exp.select("COUNT(*)").from_(to_source(table, context.schema, alias))
            others = others.where(exp.Not(this=exp.paren(condition.copy())))
            detail = f"The groups are filtered by {context.to_sql(condition)}, and the whole of their shares is not."
            return Finding(detail, counts=(context.to_sql(others),))
    return None


def _is_correlated(query: exp.Select) -> bool:
    """Whether a query reads a column of a query around it, so that its rows are those of one group."""
    own = {alias for select in query.find_all(exp.Select) for alias in sources_of(select)}
    return any(it.table and it.table.lower() not in own for it in query.find_all(exp.Column))


def _has_average(node: exp.Expr) -> bool:
    """Whether an expression averages, which no part is a share of: AVG, or something divided by a count."""
    return node.find(exp.Avg) is not None or any(it.expression.find(exp.Count) for it in node.find_all(exp.Div))


def _queries_of(side: exp.Expr, select: exp.Select) -> list[exp.Select]:
    """The queries whose rows one side of a division adds up: this one, and others that it contains or reads."""
    found = [select] if any(it.find_ancestor(exp.Select) is select for it in side.find_all(exp.AggFunc)) else []
    read, sources = {it.table.lower() for it in side.find_all(exp.Column)}, sources_of(select)
    inside = [
        *side.find_all(exp.Select),
        *(query_of(it) for alias, it in sources.items() if alias in read or read == {""}),
    ]
    return [*found, *(it for it in inside if it is not None)]


def _filters_of_part(
    part: exp.Select, whole: exp.Select, context: RuleContext
) -> Iterator[tuple[exp.Expr, str, Table]]:
    """The conditions of groups on a table that their whole reads without them, with its alias.

    Conditions on what the groups are of select parts. So may others than times, if the whole has none of the filters.
    """
    where, tables, by = part.args.get("where"), context.tables(part), set[tuple[str | None, str]]()
    for key in group_keys(part):
        by |= {(owner_alias(it, tables), it.name.lower()) for it in key.find_all(exp.Column)}
    read, named = ({it.name.lower() for it in whole.find_all(kind)} for kind in (exp.Table, exp.Column))
    filtered = whole.args.get("where")
    shared = {it.name.lower() for it in filtered.find_all(exp.Column)} if filtered is not None else set()
    for condition in conjuncts(where.this) if where is not None else ():
        columns = {it.name.lower(): owner_alias(it, tables) for it in condition.find_all(exp.Column)}
        alias = next(iter(columns.values()), None)
        table = tables[alias] if alias is not None and set(columns.values()) == {alias} else None
        if alias is None or table is None or table.name.lower() not in read or condition.find(exp.Select):
            continue
        chosen = {*columns, *map(str.lower, table.primary_key)}
        times = any(holds_dates(it, context.schema.dialect) for it in table.columns if it.name.lower() in columns)
        partly = shared & {it.name.lower() for it in part.args["where"].find_all(exp.Column)}
        if not columns.keys() & named and not by & {(alias, it) for it in chosen} and (times or partly):
            yield condition, alias, table


def _counts_one_branch(case: exp.Case) -> bool:
    """Whether a CASE selects the rows of an aggregate by one condition; others label rows, or leave some out."""
    default = case.args.get("default")
    empty = default is None or isinstance(default, exp.Null) or (default.is_number and not default.to_py())
    return empty and len(case.args.get("ifs") or ()) == 1 and case.find_ancestor(exp.AggFunc) is not None


def _excludes(kept: exp.Expr, part: exp.Expr) -> bool:
    """Whether a filter of all rows excludes every row of a part: `status <> 'X'` and `status = 'X'`."""
    if not isinstance(part, exp.EQ) or not isinstance(kept, exp.EQ | exp.NEQ) or kept.this != part.this:
        return False
    one, other = kept.expression, part.expression
    if not (isinstance(one, exp.Literal) and isinstance(other, exp.Literal) and one.is_string == other.is_string):
        return False
    return (one.to_py() == other.to_py()) is isinstance(kept, exp.NEQ)


def _conditions(side: exp.Expr) -> list[exp.Expr]:
    """The conditions that restrict the rows of one side of a division."""
    found = list(_conditions_of(side.find_all(*_PARTS)))
    return _split([*found, *(it.this for it in side.find_all(exp.Where) if it.find_ancestor(exp.Filter) is None)])


def _conditions_of(parts: Iterable[exp.Expr]) -> Iterator[exp.Expr]:
    for part in parts:
        if isinstance(part, exp.Case):
            yield from (branch.this for branch in part.args.get("ifs") or ())
        else:
            yield part.expression.this if isinstance(part, exp.Filter) else part.this


def _split(conditions: Iterable[exp.Expr]) -> list[exp.Expr]:
    return [part.unnest() for condition in conditions for part in conjuncts(condition)]


RULE = Rule("share_part", "query", "schema", "doubt", apply)
