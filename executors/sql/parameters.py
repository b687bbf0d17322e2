"""Values for a query's placeholders. They become literals of its tree and are never parsed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sqlglot import exp

from executors.base import Parameters, Scalar
from executors.errors import ErrorKind, SqlRefused
from executors.sql.plain.faithful import PLACE

_HINT = "Give as many values as there are `?`, or one for each `:name`."


def bind(root: exp.Expr, parameters: Parameters) -> None:
    """Replace a tree's placeholders by literals.

    Args: parameters: a sequence for `?`, in the order of the text, or a mapping for `:name` and `@name`.
    Raises SqlRefused: a placeholder has no value, or a value has no placeholder.
    """
    found = list(root.find_all(exp.Placeholder, exp.Parameter))
    if isinstance(parameters, Mapping):
        _by_name(found, parameters)
    else:
        _by_position(found, parameters)


def _by_name(found: Sequence[exp.Expr], values: Mapping[str, Scalar]) -> None:
    named = [(node, _name(node)) for node in found]
    missing = sorted({name or "?" for _, name in named if name not in values})
    unused = sorted(values.keys() - {name for _, name in named})
    if missing:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, f"No value was given for: {', '.join(missing)}.", _HINT)
    if unused:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, f"No placeholder has the name: {', '.join(unused)}.", _HINT)
    for node, name in named:
        node.replace(literal(values[name]))


def _by_position(found: Sequence[exp.Expr], values: Sequence[Scalar]) -> None:
    named = sorted({_name(node) for node in found if _name(node)})
    if named:
        message = f"The values have no names, and these placeholders have: {', '.join(named)}."
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, _HINT)
    if len(found) != len(values):
        message = f"The query has {len(found)} placeholders, and {len(values)} values were given."
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, _HINT)
    if any(PLACE not in node.meta for node in found):
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "A placeholder stands where none can.", _HINT)
    for node, value in zip(sorted(found, key=lambda node: int(node.meta[PLACE])), values, strict=True):
        node.replace(literal(value))


def _name(node: exp.Expr) -> str:
    """The placeholder's name. Empty for `?`, for which sqlglot would give the sign itself."""
    return node.name if node.this else ""


def literal(value: Scalar) -> exp.Expr:
    """A value as a node of a tree. Raises SqlRefused: text with a NUL character, or a number that is not finite."""
    match value:
        case None:
            return exp.Null()
        case bool():
            return exp.Boolean(this=value)
        case str():
            if "\x00" in value:
                raise SqlRefused(ErrorKind.SYNTAX_ERROR, "A value holds a NUL character.")
            return exp.Literal.string(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "A value is no finite number.")
    number = exp.Literal.number(abs(value))
    # In parentheses, because `- -1` becomes a comment if the space is removed.
    return exp.Paren(this=exp.Neg(this=number)) if value < 0 or str(value).startswith("-") else number
