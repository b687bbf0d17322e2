"""A cache of parsed queries. Several steps read the same query, and parsing takes longer than reading."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


@lru_cache(maxsize=64)
def statements(sql: str, dialect: str) -> tuple[exp.Expr | None, ...]:
    """The trees of all statements, None for an empty one. All callers share them: copy a tree before you change it.
    Args: dialect: sqlglot's name of the dialect.
    Raises SqlglotError: the text cannot be parsed, or exceeds the limits of `bounded`."""
    from executors.sql.bounded import parse

    return tuple(parse(sql, dialect))


def parse_sql(sql: str, dialect: str) -> exp.Expr:
    """The tree of a text, which callers also share. Several statements become a block.
    Raises SqlglotError, as `statements`; ParseError also if there is no statement."""
    from sqlglot import exp
    from sqlglot.errors import ParseError

    found = statements(sql, dialect)
    if not found or found[0] is None:
        raise ParseError("There is no statement.")
    return found[0] if len(found) == 1 else exp.Block(expressions=[tree.copy() for tree in found if tree is not None])
