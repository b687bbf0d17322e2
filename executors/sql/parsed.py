"""A cache of parsed queries: several steps read the same query, and parsing takes longer than reading."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


@lru_cache(maxsize=64)
def statements(sql: str, dialect: str) -> tuple[exp.Expr | None, ...]:
    """The trees of all statements, None for an empty one, shared by all callers: copy one before you change it.
    Args: dialect: sqlglot's name of it.
    Raises SqlglotError: it cannot be parsed, or is more than `bounded` reads."""
    from executors.sql.bounded import parse

    return tuple(parse(sql, dialect))


def parse_sql(sql: str, dialect: str) -> exp.Expr:
    """The tree of a text, shared likewise: of several statements it is a block.
    Raises ParseError: there is none, too."""
    from sqlglot import exp
    from sqlglot.errors import ParseError

    found = statements(sql, dialect)
    if not found or found[0] is None:
        raise ParseError("There is no statement.")
    return found[0] if len(found) == 1 else exp.Block(expressions=[tree.copy() for tree in found if tree is not None])
