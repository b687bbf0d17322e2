"""All that is known of something: "what information is there on the colleges" asks for every column, not for two."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.clarify.languages import is_english
from executors.base import Schema
from rag.words import words

if TYPE_CHECKING:
    from sqlglot import exp

# It has to be what is asked for, and of the table: not "who is the oldest, according to the data?", nor "the details of
# the addresses of the customers".
_ALL = re.compile(
    r"^\W*(?!is\b|are\b)(?:(?:what|which|show|list|give|find|return|get|tell|display|provide|please|can|could|you|me|us|is|are|all|any"
    r"|of|the|full|complete|available|known)\s+)+(?:(?:information|info|details|data)|everything)\s+"
    r"(?:(?:is|are|do|we|you|have|has|there|available|known|stored)\s+)*(?:on|of|about|for|regarding|concerning)\s+"
    r"(?:(?:the|all|any|each|every|of|our|these|those)\s+)*(\w+)\b(?!['’])(?:\s+(\w+)\b(['’])?)?",
    re.IGNORECASE,
)
_CALLED_SO = words("information info details data")


def all_details(tree: exp.Query, question: str, schema: Schema) -> list[str]:
    """Select every public column of a table of which all is asked for; what was changed, one part of a sentence.

    Args:
        tree: that is changed; left as it is where it is no plain SELECT of columns from one table.
        question: as asked; one that names columns wants those.
        schema: of the database.
    """
    from sqlglot import exp

    from executors.sql.mend import tables_of
    from executors.sql.tables import column_of, identifier

    if not isinstance(tree, exp.Select) or not is_english(question) or (asked := _ALL.search(question)) is None:
        return []
    tables = tables_of(tree, schema)
    items = tree.expressions
    plain = all(isinstance(item, exp.Column) and not isinstance(item.this, exp.Star) for item in items)
    if len(tables) != 1 or not plain or asked[3] or any(tree.args.get(part) for part in ("group", "distinct")):
        return []
    ((alias, table),) = tables.items()
    public = [column.name for column in table.columns if not column.private] if table is not None else []
    if table is None or len(public) <= len(items) or any(words(name) & _CALLED_SO for name in public):
        return []
    if not words(table.parts[-1]) <= words(f"{asked[1]} {asked[2] or ''}"):
        return []
    said, placed = words(question), _outside_the_list(tree)
    named = [item for item in items if item.name.lower() not in placed and words(item.name) - words(table.name) <= said]
    if named:
        return []
    qualified = any(item.table for item in items)
    selected = [column_of(alias, it, schema) if qualified else exp.column(identifier(it, schema)) for it in public]
    tree.set("expressions", selected)
    return [f"all is asked for that {table.name} has"]


def _outside_the_list(tree: exp.Select) -> set[str]:
    """Columns by which rows are chosen or ordered, in small letters: they are spoken of for that."""
    from sqlglot import exp

    parts = [tree.args[name] for name in ("where", "order") if tree.args.get(name)]
    return {column.name.lower() for part in parts for column in part.find_all(exp.Column)}
