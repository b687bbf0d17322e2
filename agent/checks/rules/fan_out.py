"""An aggregate over a join that repeats its rows: the total of an order is added once for each of its items.

A join on anything but a complete key of the joined table may match several rows. Nothing was repeated if each group has
as many rows as distinct keys, or if no value of the joined columns is stored twice.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.optimizer.scope import find_all_in_scope

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import Place, contains_key, equal_columns, group_keys, owner_alias
from executors.base import Table
from executors.dialects.table import DIALECTS
from executors.sql.names.tables import column_of, identifier, to_source

Joined = tuple[Table, set[str]]  # a table, and the columns that join it; they contain no complete key
# Repeated rows do not change what they return.
_UNMOVED = (exp.Max, exp.Min, exp.AnyValue, exp.ApproxDistinct, exp.ArrayUniqueAgg, exp.LogicalAnd, exp.LogicalOr)


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables = {alias: table for alias, table in context.tables(select).items() if table is not None}
        if len(tables) < max(2, len(context.tables(select))):
            continue
        pairs, named = equal_columns(select, tables), DIALECTS[context.schema.dialect].aggregates
        for node in find_all_in_scope(select, exp.AggFunc, exp.Anonymous):
            aggregates = isinstance(node, exp.AggFunc) or node.name.lower() in named
            alias = _rows_of(node, select, tables, pairs) if aggregates else None
            if alias is not None and (joined := _list_repeating(alias, tables, pairs)):
                table = tables[alias]
                detail = f"The join repeats rows of {table.name}, and {context.to_sql(node)} counts each repeat."
                return Finding(detail, probes=_probes(context, select, alias, table) or _unique_probes(context, joined))
    return None


def _rows_of(
    node: exp.Expr, select: exp.Select, tables: dict[str, Table], pairs: set[tuple[Place, Place]]
) -> str | None:
    """The alias of the table whose rows an aggregate reads, alone or with columns of tables that have one row for each
    of them; None also if repeated rows do not change its value."""
    if isinstance(node, _UNMOVED) or isinstance(node.this, exp.Distinct):
        return None
    # `SUM(CASE WHEN kind = 'a' THEN 1 END)` counts joined rows: its condition only selects them
    conditions = [it.this for it in node.find_all(exp.If)]
    in_conditions = [id(column) for condition in conditions for column in condition.find_all(exp.Column)]
    of = {owner_alias(column, tables) for column in node.find_all(exp.Column) if id(column) not in in_conditions}
    alias = next((it for it in sorted(filter(None, of)) if of <= _list_decided(it, tables, pairs)), None)
    if alias is None or not isinstance(node, exp.Count):
        return alias
    # COUNT counts joined rows, except if its column is the key of a table that nothing groups by
    is_key = isinstance(node.this, exp.Column) and tables[alias].primary_key == (node.this.name,)
    groups = {column.table.lower() for key in group_keys(select) for column in key.find_all(exp.Column)}
    return alias if is_key and not groups & {alias, ""} else None


def _list_decided(alias: str, tables: dict[str, Table], pairs: set[tuple[Place, Place]]) -> set[str | None]:
    """The aliases of the tables of which each row of this table has at most one, itself included."""
    found, waiting = set[str | None]({alias}), [alias]
    while waiting:
        here = waiting.pop()
        for there in {other[0] for one, other in pairs if one[0] == here} & tables.keys() - found:
            by = {other[1] for one, other in pairs if one[0] in found and other[0] == there}
            if contains_key(by, tables[there]):
                found.add(there)
                waiting.append(there)
    return found


def _list_repeating(alias: str, tables: dict[str, Table], pairs: set[tuple[Place, Place]]) -> list[Joined]:
    """The tables of which several rows may match one row of this table, on any path along the joins."""
    seen, waiting, found = {alias}, [alias], list[Joined]()
    while waiting:
        here = waiting.pop()
        for there in {other[0] for one, other in pairs if one[0] == here} & tables.keys() - seen:
            by = {other[1] for one, other in pairs if one[0] in seen and other[0] == there}
            if not contains_key(by, tables[there]):
                found.append((tables[there], by))
            seen.add(there)
            waiting.append(there)
    return found


def _probes(context: RuleContext, select: exp.Select, alias: str, table: Table) -> tuple[str, ...]:
    """Two queries of one number: all rows of the groups, and their distinct keys. Groups may be more than a result."""
    if len(table.primary_key) != 1 or select is not context.query:
        return ()
    keys, key, found = group_keys(select), column_of(alias, table.primary_key[0], context.schema), list[str]()
    for counted in (key, exp.Distinct(expressions=[key.copy()])):
        groups = select.copy()
        for part in ("order", "having", "limit", "distinct", "offset", "with_"):
            groups.set(part, None)
        groups.set("expressions", [exp.alias_(exp.Count(this=counted), "n")])
        groups.set("group", exp.Group(expressions=[it.copy() for it in keys]) if keys else None)
        probe = exp.select("SUM(n)").from_(groups.subquery("each_group"))
        if (ctes := select.args.get("with_")) is not None:
            probe.set("with_", ctes.copy())
        found.append(context.to_sql(probe))
    return tuple(found)


def _unique_probes(context: RuleContext, joined: list[Joined]) -> tuple[str, ...]:
    """Two queries: the number of values that join each table, and of distinct ones."""
    found: list[str] = []
    for is_distinct in (False, True):
        counts: list[exp.Query] = []
        for table, by in joined:
            columns = [exp.column(identifier(it.name, context.schema)) for it in table.columns if it.name.lower() in by]
            if len(columns) != 1:
                return ()
            values = exp.Distinct(expressions=columns) if is_distinct else columns[0]
            counts.append(exp.select(exp.Count(this=values)).from_(to_source(table, context.schema)))
        found.append(context.to_sql(counts[0] if len(counts) == 1 else exp.union(*counts, distinct=False)))
    return tuple(found)


RULE = Rule("fan_out", "query", "schema", "doubt", apply)
