"""Does a condition choose rows, or is it the same for every row of the table?

What is worked out is what people and models write for "all rows": `1 = 1`, `TRUE`, `id = id`, `name LIKE '%'`,
`x IS NULL OR x IS NOT NULL`. A condition may be true of every row in ways that no text shows; what such a write may do
is bounded by the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

# Comparisons of a value with itself; and what says the opposite of what.
_SAME = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.GTE, exp.LTE, exp.GT, exp.LT, exp.Like, exp.ILike, exp.Is)
_OPPOSITES: dict[type[exp.Expr], type[exp.Expr]] = {exp.EQ: exp.NEQ, exp.GT: exp.LTE, exp.LT: exp.GTE}
_OPPOSITES |= {second: first for first, second in _OPPOSITES.items()}


def chooses_rows(condition: exp.Expr, depends: Callable[[exp.Query], bool]) -> bool:
    """Whether a condition can be true of one row and false of another.

    Args:
        condition: of a WHERE, its names checked.
        depends: whether a query inside it reads columns of the row around it.
    """
    return _chooses(condition, depends, negated=False)


def _chooses(node: exp.Expr, depends: Callable[[exp.Query], bool], *, negated: bool) -> bool:
    if isinstance(node, exp.Paren):
        return _chooses(node.this, depends, negated=negated)
    if isinstance(node, exp.Not):
        return _chooses(node.this, depends, negated=not negated)
    if isinstance(node, exp.And | exp.Or):
        sides = [side.unnest() for side in node.flatten()]
        chosen = [_chooses(side, depends, negated=negated) for side in sides]
        # One side that holds for every row makes an OR hold for every row; an AND is as narrow as its narrowest side.
        if isinstance(node, exp.And) is not negated:
            return any(chosen)
        return all(chosen) and set(sides).isdisjoint(map(_opposite, sides))
    if isinstance(node, _SAME) and (node.this == node.expression or _matches_any_text(node)):
        return False
    return any(
        isinstance(part, exp.Column) or (isinstance(part, exp.Query) and depends(part))
        for part in node.walk(prune=lambda part: isinstance(part, exp.Query))
    )


def _matches_any_text(node: exp.Expr) -> bool:
    pattern = node.args.get("expression")
    if not isinstance(node, exp.Like | exp.ILike) or not isinstance(pattern, exp.Literal):
        return False
    return bool(pattern.name) and not pattern.name.strip("%")


def _opposite(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Not):
        inner: exp.Expr = node.this.unnest()
        return inner
    if isinstance(node, exp.Is) and node.args.get("negate"):  # PostgreSQL's IS NOT
        return exp.Is(this=node.this, expression=node.expression)
    kind = _OPPOSITES.get(type(node))
    return kind(this=node.this, expression=node.expression) if kind else exp.Not(this=node)
