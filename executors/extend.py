"""Adds a dialect from outside this package: its row, and how its servers are opened."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

from sqlglot.dialects.dialect import Dialect as SqlglotDialect

from executors.dialects.row import Dialect
from executors.dialects.table import ALIASES, DIALECTS, EXTENDED
from executors.registry.openers import OPENERS, Opener, dialect_of
from executors.sql.grammar import ADDED, ENGINES

ENGINES_ROOM = "executors.engines"


def add_dialect(
    row: Dialect, opener: Opener, *, aliases: Iterable[str] = (), grammar: SqlglotDialect | None = None
) -> None:
    """Register a dialect of servers with the guard, the registry and the router.

    row: The dialect's row. Often a copy of another, `POSTGRESQL.model_copy(update={...})`, whose name is in `like`, so
    that its special checks apply here too.
    opener: The class, the driver and the schemes of addresses.
    grammar: The grammar that `row.sqlglot` names, written like those of `executors.engines`. None if it is one of them.
    Raises ValueError: the name, an alias or a scheme is taken; the name is not among the schemes; the grammar is
    missing; or `like` names no dialect.
    """
    names = [row.name, *(alias.lower() for alias in aliases)]
    taken = [name for name in names if name in DIALECTS or name in ALIASES]
    taken += [scheme for scheme in opener.schemes if dialect_of(scheme) is not None]
    if taken:
        raise ValueError(f"taken already: {', '.join(dict.fromkeys(taken))}")
    if row.name not in opener.schemes:
        raise ValueError(f"{row.name}: its own name must be one of its schemes")
    if grammar is None and not _has_grammar(row.sqlglot):
        raise ValueError(f"{row.name}: {ENGINES_ROOM} has no grammar {row.sqlglot}; give one with `grammar`")
    if row.like and row.like not in DIALECTS:
        raise ValueError(f"{row.name}: there is no dialect {row.like} that it could be like")
    if grammar is not None:
        ADDED[row.sqlglot] = grammar
    DIALECTS[row.name] = row
    EXTENDED.add(row.name)
    OPENERS[row.name] = opener
    ALIASES.update(dict.fromkeys(names[1:], row.name))


def _has_grammar(dialect: str) -> bool:
    package = f"{ENGINES_ROOM}.{ENGINES.get(dialect, dialect)}"
    return find_spec(package) is not None and find_spec(f"{package}.grammar") is not None
