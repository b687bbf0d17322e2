"""What a question speaks of by its name and its query does not read: tables that it denies, names that it asks for.

"Users who have not received any notifications" cannot be told without the notifications, nor "the name of the artist"
from the names of songs. Nothing is refused for it, for a column may hold the same; but it is not verified.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from executors.base import Schema
from rag.words import denies, telling_words, words

if TYPE_CHECKING:
    from sqlglot import exp


_NAME_OF = re.compile(
    r"\bnames?\s+of\s+(?:(?:the|all|any|each|every|those|these|its|their|his|her|different)\s+)*(\w+)", re.IGNORECASE
)
_OWN_NAME = re.compile(r"\b(\w+)\s+names?\b", re.IGNORECASE)


def denied_tables(tree: exp.Query, question: str, schema: Schema) -> list[str]:
    """The tables that a denying question names, while nothing of the query has their names.

    Args:
        tree: of the query.
        question: as asked.
        schema: whose tables.
    """
    from sqlglot import exp

    if not denies(question):
        return []
    said = telling_words(question)
    names = [it.name for it in tree.find_all(exp.Table, exp.Column)]
    names += [str(it.this) for it in tree.find_all(exp.Literal) if it.is_string]
    held = words(" ".join(names))
    named = [(it.parts[-1], words(it.parts[-1])) for it in schema.tables]
    return [name for name, own in named if own and own <= said and not own & held]


def names_unread(tree: exp.Query, question: str, schema: Schema) -> list[str]:
    """The columns called so-and-so's name that a question asks for, while a query does not read them but to join.

    Args:
        tree: of the query; only columns of tables that it reads are looked for.
        question: as asked.
        schema: whose tables.
    """
    from sqlglot import exp

    nouns = [words(noun) for phrase in (_NAME_OF, _OWN_NAME) for noun in phrase.findall(question)]
    if not nouns or any(item.find(exp.Star) for item in tree.selects):
        return []
    tables = [it for node in tree.find_all(exp.Table) for it in schema.tables_named(node.name)]
    columns = [(it.name, words(it.name), words(table.name)) for table in tables for it in table.columns]
    columns_read = (
        it for it in tree.find_all(exp.Column) if not isinstance(it.find_ancestor(exp.Join, exp.Select), exp.Join)
    )
    read = {it.name.lower() for it in columns_read}
    found: list[str] = []
    for wanted in (noun | words("name") for noun in nouns):
        called = [name for name, own, _ in columns if wanted <= own]
        told = any(wanted <= own | its and name.lower() in read for name, own, its in columns)
        found += called if not told else []
    return list(dict.fromkeys(found))
