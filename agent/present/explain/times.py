"""Differences of times in words: SQLite has no function for them, only those of seconds and of days."""

from __future__ import annotations

from sqlglot import exp

from agent.present.explain.say import Say

_SECONDS = {"86400": "days", "3600": "hours", "60": "minutes"}


def say_time_between(node: exp.Expr, say: Say) -> str | None:
    """The time between two times, in the units that a difference of seconds is divided by; None for anything else."""
    node = _bare(node)
    divided = isinstance(node, exp.Div) and _SECONDS.get(node.expression.name)
    ends = _bare(node.this) if divided else node
    if not isinstance(ends, exp.Sub):
        return None
    later, earlier = (_moment(it) for it in (ends.this, ends.expression))
    if later is None or earlier is None or later[1] != earlier[1] or (divided and later[1] != "seconds"):
        return None
    return f"the {divided or later[1]} from {say.value(earlier[0])} to {say.value(later[0])}"


def _moment(node: exp.Expr) -> tuple[exp.Expr, str] | None:
    """A time that is written as a number, and its unit; None for anything else."""
    node = _bare(node)
    if isinstance(node, exp.Div) and node.expression.name in _SECONDS:
        found = _moment(node.this)
        return (found[0], _SECONDS[node.expression.name]) if found is not None and found[1] == "seconds" else None
    given = node.expressions if isinstance(node, exp.Anonymous) else ()
    if node.name.lower() == "julianday" and len(given) == 1:
        return given[0], "days"
    if node.name.lower() == "strftime" and len(given) == 2 and given[0].name == "%s":
        return given[1], "seconds"
    return None


def _bare(node: exp.Expr) -> exp.Expr:
    """A value without parentheses and casts."""
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return node
