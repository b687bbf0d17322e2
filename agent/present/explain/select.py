"""What a SELECT reads: its tables and joins, as a sentence or part of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlglot import exp

from agent.present.explain.say import Say
from agent.present.explain.values import takes_all_rows
from agent.present.explain.words import words
from executors.sql import grammar


class Unsayable(Exception):
    """There are no words for this; it is quoted as SQL."""


class Sources(NamedTuple):
    """`text`: the tables and joins in words, empty without FROM. `say`: knows their names."""

    text: str
    say: Say
    joined: bool


_NOUN_PARTS = {"expressions", "from_", "joins", "where"}
_TABLE_PARTS = {"this", "db", "catalog", "alias"}
_JOIN_PARTS = {"this", "side", "kind", "on", "using"}
_INNER = {"", "INNER", "CROSS", "STRAIGHT_JOIN"}


def noun(node: exp.Expr, say: Say) -> str | None:
    """A query of one column inside an expression: "(the average of amount in orders)"; None without words."""
    query = node.unnest()
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return None
    if find_arguments(query) - {*_NOUN_PARTS, "distinct"} or (query.args.get("distinct") or exp.Distinct()).args.get(
        "on"
    ):
        return None
    try:
        found = sources(query, say.inside)
    except Unsayable:
        return None
    rows = _rows(query, found)
    return f"({found.say.value(query.expressions[0].unalias())} in {rows})" if rows else None


def rows_noun(node: exp.Expr, say: Say) -> str | None:
    """The rows of a query whose columns do not matter: "orders where amount is more than 10"."""
    query = node.unnest()
    if not isinstance(query, exp.Select) or find_arguments(query) - {*_NOUN_PARTS, "distinct"}:
        return None
    if any(map(takes_all_rows, query.expressions)):
        return None  # which gives one row, whatever there is
    try:
        return _rows(query, sources(query, say.inside))
    except Unsayable:
        return None


def _rows(query: exp.Select, found: Sources) -> str | None:
    where = query.args.get("where")
    if where is None:
        return found.text or None
    return found.text and f"{found.text}{',' * found.joined} where {found.say.condition(where.this)}"


def find_arguments(node: exp.Expr) -> set[str]:
    """The names of the arguments that a node has."""
    return {key for key, value in node.args.items() if value}


def sources(
    query: exp.Select,
    speaker: Callable[[Mapping[str, str]], Say],
    *,
    derived: Callable[[exp.Subquery], str] | None = None,
) -> Sources:
    """The tables of a SELECT.

    `speaker` makes who says its parts, from what its tables are called; `derived` gives the name that a query in FROM
    goes by. Raises Unsayable: something in FROM has no words.
    """
    start, joins = query.args.get("from_"), query.args.get("joins") or []
    if start is None:
        return Sources("", speaker({}), joined=False)
    nodes = [start.this, *(join.this for join in joins)]
    names = [_name(node, derived) for node in nodes]
    counts = Counter(names)
    tables, shown = {}, []
    for node, name in zip(nodes, names, strict=True):
        alias = node.alias_or_name
        twice = counts[name] > 1
        tables[alias.lower()] = words(alias) if twice else name
        shown.append(f"{name} (as {words(alias)})" if twice else name)
    say = speaker(tables)
    text = shown[0] + "".join(_join(join, name, say) for join, name in zip(joins, shown[1:], strict=True))
    return Sources(text, say, joined=bool(joins))


def _name(node: exp.Expr, derived: Callable[[exp.Subquery], str] | None) -> str:
    if (
        isinstance(node, exp.Table)
        and isinstance(node.this, exp.Identifier)
        and not find_arguments(node) - _TABLE_PARTS
    ):
        alias = node.args.get("alias")
        if alias is None or not alias.args.get("columns"):
            return words(node.name)
    if isinstance(node, exp.Subquery) and derived is not None and not find_arguments(node) - {"this", "alias"}:
        return derived(node)
    raise Unsayable


def _join(join: exp.Join, name: str, say: Say) -> str:
    """One join, with what it matches and what becomes of rows without a match."""
    side, kind = join.side.upper(), join.kind.upper()
    if find_arguments(join) - _JOIN_PARTS:
        return f", joined by {say.sql(join).replace('` ', '`')}"
    on, using = join.args.get("on"), join.args.get("using")
    match = f" where {say.condition(on)}" if on is not None else ""
    if using:
        match = f" with the same {' and '.join(words(column.name) for column in using)}"
    if kind in {"SEMI", "ANTI"} and match:
        return f", only those {'with' if kind == 'SEMI' else 'without'} a match in {name}{match}"
    if not side and kind in _INNER:
        return f", joined with {name}{match}" if match else f", in every combination with {name}"
    if side in {"LEFT", "RIGHT", "FULL"} and kind in {"", "OUTER"} and match:
        unmatched = {"LEFT": "rows", "RIGHT": f"rows of {name}", "FULL": "rows of both sides"}[side]
        return f", joined with {name}{match} ({unmatched} without a match are kept)"
    return f", joined by `{grammar.write(join, say.dialect).strip()}`"
