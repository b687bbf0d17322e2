"""Queries as trees to be read: several steps look at the same query, and to parse it takes longer than to look."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp


@lru_cache(maxsize=64)
def parsed(sql: str, dialect: str) -> exp.Expr:
    """The tree of one statement, shared by all who ask: whoever changes it must copy it first.

    Args:
        sql: one statement.
        dialect: sqlglot's name of its dialect.

    Raises:
        sqlglot.errors.SqlglotError: it cannot be parsed.
    """
    from sqlglot import parse_one

    return parse_one(sql, read=dialect)
