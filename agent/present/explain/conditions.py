"""Conditions in words. Parts without words are quoted; NULL is "no value", and a comparison with it is never true."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from agent.present.explain.values import operand
from agent.present.explain.words import date_of, join_items, period

if TYPE_CHECKING:
    from agent.present.explain.say import Say

MAX_LISTED, SHOWN = 8, 6

_COMPARED: dict[type[exp.Expr], str] = {
    exp.EQ: "is", exp.NEQ: "is other than", exp.GT: "is more than", exp.GTE: "is at least", exp.LT: "is less than",
    exp.LTE: "is at most",
}  # fmt: skip
_DATED: dict[type[exp.Expr], str] = {
    exp.EQ: "is {}", exp.NEQ: "is other than {}", exp.GT: "is later than {}", exp.GTE: "is {} or later",
    exp.LT: "is before {}", exp.LTE: "is not later than {}",
}  # fmt: skip
_MIRRORED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE,
}  # fmt: skip
_UNSAYABLE = (exp.Any, exp.All, exp.Tuple, exp.Null)


def say_condition(node: exp.Expr, say: Say) -> str:
    """A condition in words; as SQL where there are none."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.And):
        return _conjunction(list(node.flatten()), say)
    if isinstance(node, exp.Or):
        parts = [_group(part, say, exp.And) for part in node.flatten()]
        return f"either {join_items(parts, 'or')}"
    for kind, speak in _SPEAKERS.items():
        if isinstance(node, kind):
            return speak(node, say) or say.sql(node)
    return say.sql(node)


def _conjunction(parts: Sequence[exp.Expr], say: Say) -> str:
    """All of the parts; the two ends of a period are said together."""
    flat: list[exp.Expr] = []
    for part in parts:
        inner = part.unnest()
        flat.extend(inner.flatten() if isinstance(inner, exp.And) else [part])
    phrases, skipped = [], set()
    for place, part in enumerate(flat):
        if place in skipped:
            continue
        for other in range(place + 1, len(flat)):
            together = _period(part, flat[other], say) if other not in skipped else None
            if together:
                skipped.add(other)
                phrases.append(together)
                break
        else:
            phrases.append(_group(part, say, exp.Or))
    return join_items(phrases)


def _group(part: exp.Expr, say: Say, other: type[exp.Expr]) -> str:
    """A part, in parentheses where it is itself of several."""
    text = say_condition(part, say)
    return f"({text})" if isinstance(part.unnest(), other) else text


def _period(first: exp.Expr, second: exp.Expr, say: Say) -> str | None:
    """`d >= '2024-01-01' AND d < '2024-04-01'`: d is from January to March 2024."""
    ends: dict[type[exp.Expr], tuple[exp.Expr, dt.date]] = {}
    for part in (first, second):
        end = part.unnest()
        day = date_of(end.expression) if isinstance(end, exp.GTE | exp.LT) else None
        if day is None:
            return None
        ends[type(end)] = (end.this, day)
    if len(ends) != 2 or ends[exp.GTE][0] != ends[exp.LT][0]:
        return None
    named = period(ends[exp.GTE][1], ends[exp.LT][1])
    return f"{operand(ends[exp.GTE][0], say)} is {named}" if named else None


def _compare(node: exp.Expr, say: Say) -> str | None:
    left, right, kind = node.this, node.expression, type(node)
    if isinstance(left, exp.Literal) and not isinstance(right, exp.Literal):
        left, right, kind = right, left, _MIRRORED[kind]
    if isinstance(left, _UNSAYABLE) or isinstance(right, _UNSAYABLE):
        return None
    if isinstance(right, exp.Boolean):
        return f"{operand(left, say)} {_COMPARED[kind]} {operand(right, say)}"
    if date_of(right) is not None:
        return f"{operand(left, say)} {_DATED[kind].format(operand(right, say))}"
    return f"{operand(left, say)} {_COMPARED[kind]} {operand(right, say)}"


def _not(node: exp.Expr, say: Say) -> str | None:
    inner = node.this.unnest()
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return f"{operand(inner.this, say)} has a value"
    if isinstance(inner, exp.In):
        return _in(inner, say, negated=True)
    if isinstance(inner, exp.Exists):
        return _exists(inner, say, negated=True)
    if isinstance(inner, exp.Like | exp.ILike) and not inner.args.get("negate"):
        return _like(inner, say, negated=True)
    if isinstance(inner, exp.Between):
        return _between(inner, say, negated=True)
    if isinstance(inner, exp.Is):
        return None
    return f"it is false that ({say_condition(inner, say)})"


def _is(node: exp.Expr, say: Say) -> str | None:
    if isinstance(node.expression, exp.Null):
        return f"{operand(node.this, say)} has no value"
    if isinstance(node.expression, exp.Boolean):
        return f"{operand(node.this, say)} is {operand(node.expression, say)}"
    return None


def _in(node: exp.Expr, say: Say, *, negated: bool = False) -> str | None:
    if isinstance(node.this, _UNSAYABLE) or node.args.get("is_global"):
        return None
    query = node.args.get("query")
    if query is not None:
        among = say.noun(query)
        return among and f"{operand(node.this, say)} is {'not ' * negated}among {among}"
    values = node.expressions
    simple = all(isinstance(value, exp.Literal | exp.Cast | exp.Neg | exp.Boolean) for value in values)
    if not values or not simple or any(node.args.get(key) for key in ("field", "unnest")):
        return None
    shown = [operand(value, say) for value in values]
    if len(shown) == 1:
        return f"{operand(node.this, say)} is {'other than ' * negated}{shown[0]}"
    if len(shown) > MAX_LISTED:
        shown = [*shown[:SHOWN], f"and {len(shown) - SHOWN} more values"]
    return f"{operand(node.this, say)} is {'none' if negated else 'one'} of {', '.join(shown)}"


def _between(node: exp.Expr, say: Say, *, negated: bool = False) -> str | None:
    if node.args.get("symmetric"):
        return None
    low, high = (operand(node.args[end], say) for end in ("low", "high"))
    return f"{operand(node.this, say)} is {'not ' * negated}between {low} and {high}"


def _like(node: exp.Expr, say: Say, *, negated: bool = False) -> str | None:
    """`LIKE '%x%'` and its like; whether case counts is the database's affair with LIKE, and never does with ILIKE."""
    negated = negated or bool(node.args.get("negate"))
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        return None
    text, inner = pattern.name, pattern.name.strip("%")
    if not inner or any(character in inner for character in "%_\\[]") or "%%" in text:
        return None
    starts, ends = text.startswith("%"), text.endswith("%")
    verb = {(True, True): "contain", (False, True): "start with", (True, False): "end with"}.get((starts, ends))
    case = " in whatever case" if isinstance(node, exp.ILike) else ""
    if verb is None:
        return f"{operand(node.this, say)} {'does not read' if negated else 'reads'} '{inner}'{case}"
    first, _, rest = verb.partition(" ")
    phrases = f"does not {verb}" if negated else f"{first}s{f' {rest}' if rest else ''}"
    return f"{operand(node.this, say)} {phrases} '{inner}'{case}"


def _exists(node: exp.Expr, say: Say, *, negated: bool = False) -> str | None:
    rows = say.rows_noun(node.this)
    return rows and f"there is {'no' if negated else 'a'} row in {rows}"


_SPEAKERS: dict[type[exp.Expr], Callable[..., str | None]] = {
    **dict.fromkeys(_COMPARED, _compare),
    exp.Not: _not,
    exp.Is: _is,
    exp.In: _in,
    exp.Between: _between,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Exists: _exists,
    exp.Column: lambda node, say: f"{say.column(node)} is true",
}
