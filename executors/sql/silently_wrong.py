"""Queries that run and are known to be wrong, whatever was asked: each with the mend that makes them right.

Engines take them without a word: a comparison that no row can pass, a join of two keys
that have nothing to do with each other. A rule changes the tree only where the schema leaves no other reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot import exp

from executors.base import Schema, Table
from executors.sql.key_ways import ways
from executors.sql.literals import is_text, owner_of
from executors.sql.loose_joins import needed_by_one_side
from executors.sql.mend import tables_of
from executors.sql.moments_compared import RULES as MOMENT_RULES
from executors.sql.tables import column_of, named
from executors.sql.tree import conjuncts, selects_of, set_conjuncts

Rule = Callable[[exp.Query, Schema], list[str]]

_COUNTED = re.compile(r"\b(?:how many|number of|count of|count the)\s+((?:[\w-]+\s*){1,4})", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def put_right(tree: exp.Query, schema: Schema, question: str = "") -> list[str]:
    """Put everything right in a tree that is known to be wrong; what was, one part of a sentence each.

    Args:
        tree: of a query that runs; it is changed.
        schema: of its database.
        question: says what is counted.
    """
    changes = [change for rule in RULES for change in rule(tree, schema)]
    return list(dict.fromkeys([*changes, *counted_twice(tree, schema, question)]))


def nulls_in_not_in(tree: exp.Query, schema: Schema) -> list[str]:
    """`x NOT IN (SELECT y ...)` is true of no row as soon as one y is NULL."""
    changes: list[str] = []
    for node in tree.find_all(exp.In):
        query = node.args.get("query")
        inner = query.unnest() if query is not None else None
        if not isinstance(node.parent, exp.Not) or not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
            continue
        column = inner.expressions[0].unalias()
        owner = owner_of(column, schema) if isinstance(column, exp.Column) else None
        if owner is None or not owner[1].nullable or owner[1].name in owner[0].primary_key:
            continue
        where = inner.args.get("where")
        filled = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
        parts = conjuncts(where.this if where else None)
        if filled not in parts:
            set_conjuncts(inner, [*parts, filled])
            changes.append(f"NULLs of {column.name} are left out of NOT IN")
    return changes


def count_of_nothing(tree: exp.Query, schema: Schema) -> list[str]:  # noqa: ARG001
    """COUNT(*) counts 1 where a LEFT JOIN found nothing: what was joined is counted instead."""
    changes: list[str] = []
    for select in selects_of(tree):
        joins = select.args.get("joins") or []
        if len(joins) != 1 or joins[0].side != "LEFT" or select.args.get("group") is None:
            continue
        joined = joins[0].this.alias_or_name.lower()
        grouped = {column.table.lower() for column in select.args["group"].find_all(exp.Column)}
        on = joins[0].args.get("on")
        key = next((c for c in on.find_all(exp.Column) if c.table.lower() == joined), None) if on else None
        if key is None or joined in grouped or "" in grouped:
            continue
        for count in select.find_all(exp.Count):
            if isinstance(count.this, exp.Star) and count.find_ancestor(exp.Select) is select:
                count.set("this", key.copy())
                changes.append(f"COUNT(*) -> {count.sql()}")
    return changes


def unrelated_keys(tree: exp.Query, schema: Schema) -> list[str]:
    """A join of two tables by columns that are not their keys to each other, where one way along the keys leads there.

    Left alone are columns of one name, and such as both refer to a third table.
    """
    changes: list[str] = []
    for select in selects_of(tree):
        tables = {alias: table for alias, table in tables_of(select, schema).items() if table is not None}
        for join in list(select.args.get("joins") or []):
            on = join.args.get("on")
            pair = on.unnest() if on is not None else None
            if isinstance(pair, exp.EQ) and (change := _rejoined(select, join, pair, tables, schema)):
                changes.append(change)
    return changes


def _rejoined(select: exp.Select, join: exp.Join, pair: exp.EQ, tables: dict[str, Table], schema: Schema) -> str | None:
    left, right = pair.this, pair.expression
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return None
    if left.table.lower() == join.this.alias_or_name.lower():
        left, right = right, left
    here, there = tables.get(left.table), tables.get(right.table)
    if here is None or there is None or here is there or right.table != join.this.alias_or_name:
        return None
    if not _are_unrelated(here, left.name, there, right.name):
        return None
    found = ways([here.name], there, schema)
    if len(found) != 1 or len(found[0].edges) > 2:
        return None
    alias, before = left.table, pair.sql()
    *bridges, last = found[0].edges
    for edge in bridges:
        if edge.to in tables.values():
            return None
        name = edge.to.parts[-1]
        equal = _equal(alias, edge.columns, name, edge.referenced, schema)
        bridge = exp.Join(this=named(edge.to, schema), on=equal)
        joins = select.args["joins"]
        joins.insert(joins.index(join), bridge)
        bridge.parent, alias = select, name
    join.set("on", _equal(alias, last.columns, right.table, last.referenced, schema))
    return f"{before} -> {join.args['on'].sql()}"


def _equal(left: str, columns: tuple[str, ...], right: str, others: tuple[str, ...], schema: Schema) -> exp.Expr:
    pairs = zip(columns, others, strict=True)
    equal = (exp.EQ(this=column_of(left, a, schema), expression=column_of(right, b, schema)) for a, b in pairs)
    return exp.and_(*equal)


def _are_unrelated(here: Table, column: str, there: Table, other: str) -> bool:
    """Whether nothing says that these two columns hold the same: no key, no third table, no name."""
    mine, theirs = _refers(here, column), _refers(there, other)
    own, far = (here.name.lower(), column.lower()), (there.name.lower(), other.lower())
    if own in theirs or far in mine or mine & theirs:
        return False
    said = column.lower() == other.lower() and column.lower() not in {"id", "key", "code", "no"}
    keys = column in here.primary_key or bool(mine), other in there.primary_key or bool(theirs)
    return not said and all(keys)


def _refers(table: Table, column: str) -> set[tuple[str, str]]:
    """What a column refers to, as table and column in small letters."""
    return {
        (key.table.lower(), referenced.lower())
        for key in table.foreign_keys
        for name, referenced in zip(key.columns, key.referenced, strict=False)
        if name.lower() == column.lower()
    }


def counted_twice(tree: exp.Query, schema: Schema, question: str = "") -> list[str]:
    """COUNT of a table's own key, where a join repeats its rows and nothing of that table groups them.

    Where the question counts something else (`the number of orders`, by the key of their products), it may mean the
    rows, and they are left as they are.
    """
    changes: list[str] = []
    counted = [it.casefold().split() for it in _COUNTED.findall(question)]
    for select in selects_of(tree):
        tables = tables_of(select, schema)
        group = select.args.get("group")
        grouped = {column.table.lower() for column in group.find_all(exp.Column)} if group is not None else set()
        if None in tables.values() or len(tables) < 2:
            continue
        for count in select.find_all(exp.Count):
            column = count.this
            if not isinstance(column, exp.Column) or count.find_ancestor(exp.Select) is not select:
                continue
            table = tables.get(column.table)
            if table is None or table.primary_key != (column.name,) or {column.table.lower(), ""} & grouped:
                continue
            if counted and not any(_is_called(table, said) for said in counted):
                continue
            others = (other for alias, other in tables.items() if alias != column.table and other is not None)
            if any((table.name.lower(), column.name.lower()) in _all_refers(other) for other in others):
                count.set("this", exp.Distinct(expressions=[column.copy()]))
                changes.append(f"COUNT({column.sql()}) -> {count.sql()}")
    return changes


def _is_called(table: Table, said: Sequence[str]) -> bool:
    """Whether a table's name has one of the words, be they many or one of a thing."""
    name = table.parts[-1].lower()
    return any(word.removesuffix("ies").removesuffix("es").removesuffix("s") in name for word in said if len(word) > 2)


def _all_refers(table: Table) -> set[tuple[str, str]]:
    return {it for column in table.columns for it in _refers(table, column.name)}


def numbers_as_text(tree: exp.Query, schema: Schema) -> list[str]:
    """Text that holds numbers, ordered or compared with a number: as text, '9' comes after '10'."""
    changes: list[str] = []
    for node in list(tree.find_all(exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.Ordered, exp.Max, exp.Min)):
        column = node.this
        if not isinstance(column, exp.Column) or (owner := owner_of(column, schema)) is None:
            continue
        samples = owner[1].samples
        numeric = len(samples) > 1 and all(_NUMBER.fullmatch(sample) for sample in samples)
        bound = node.args.get("expression") or node.args.get("low")
        if isinstance(bound, exp.Literal) and bound.is_string and not _NUMBER.fullmatch(str(bound.this)):
            continue
        if is_text(owner[1]) and numeric and len({len(sample) for sample in samples}) > 1:
            changes.append(f"{column.name} is compared as a number")
            column.replace(exp.cast(column.copy(), "REAL" if schema.dialect == "sqlite" else "DOUBLE"))
    return changes


def loose_or(tree: exp.Query, schema: Schema) -> list[str]:  # noqa: ARG001
    """`a = 1 OR a = 2 AND b = 3` where all that OR joins is about one column: AND holds for each of them."""
    changes: list[str] = []
    for select in selects_of(tree):
        where = select.args.get("where")
        parts = _disjuncts(where.this) if where is not None else []
        last = conjuncts(parts[-1]) if len(parts) > 1 and isinstance(parts[-1], exp.And) else []
        if len(last) < 2:
            continue
        choices, others = [*parts[:-1], last[0]], last[1:]
        about = [{column.name.lower() for column in choice.find_all(exp.Column)} for choice in choices]
        said = set.union(*about)
        apart = all(not said & {column.name.lower() for column in other.find_all(exp.Column)} for other in others)
        if apart and all(len(names) == 1 for names in about) and len(said) == 1:
            set_conjuncts(select, [exp.paren(exp.or_(*choices), copy=False), *(other.copy() for other in others)])
            changes.append("AND holds for all that OR joins")
    return changes


def _disjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """What OR joins without parentheses."""
    if isinstance(condition, exp.Or):
        return [*_disjuncts(condition.this), *_disjuncts(condition.expression)]
    return [condition]


RULES: tuple[Rule, ...] = (
    nulls_in_not_in,
    unrelated_keys,
    count_of_nothing,
    numbers_as_text,
    loose_or,
    needed_by_one_side,
    *MOMENT_RULES,
)
