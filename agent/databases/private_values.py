"""Private columns in what a model queries: visible where the question names the column, else absent.

A query that a model wrote may compare, join, group and count by any column. Values of one that the registry marks
private leave the database only where a person named the column: neither a model that shows too much nor a
sentence in a comment that talks it into that can do so in their place. See `executors.guard.held_columns`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from executors.base import CheckedSql, Schema
from rag.words import words

if TYPE_CHECKING:
    from executors.guard.held_columns import Hidden


def hidden_columns(schema: Schema, question: str) -> Hidden:
    """The private columns that a question does not name, in lower case, by the names of their tables.

    Args:
        schema: of the database, its private columns marked.
        question: as a person asked it.
    """
    private = {table.name: [it.name for it in table.columns if it.private] for table in schema.tables}
    if not any(private.values()):
        return {}
    named = words(question) | words(re.sub(r"(?<=\w)-(?=\w)", "", question))  # "e-mail" names `email`
    found = {
        table: frozenset(name.lower() for name in names if not words(name) <= named) for table, names in private.items()
    }
    return {table: names for table, names in found.items() if names}


def sentence(query: CheckedSql) -> str:
    """What the reader of an answer has to know of columns that are not there; empty where all are."""
    if not query.left_out:
        return ""
    return f"Left out, because it is private and the question does not name it: {', '.join(query.left_out)}."
