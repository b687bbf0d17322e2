"""The key that is asked for: "the id of the city" is a city's, whatever other key stands in the table that is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.checks.key_names import KEY_NAME, key_of
from agent.clarify.languages import is_english
from executors.base import Column, Schema, Table
from rag.words import telling_words, words

if TYPE_CHECKING:
    from sqlglot import exp

# What is asked for stands first: ids that come later may be ordered by, or filtered on.
_BEGIN = (
    r"^\W*(?!is\b|are\b|were\b)(?:(?:what|which|list|show|give|find|return|get|tell|display|select|provide|please|can|could|you|me|us|is|are"
    r"|were|all|any|each|every|of|the|a|an|different|distinct|unique)\s+)+"
)
_ID_OF = re.compile(
    rf"{_BEGIN}(?:ids?|identifiers?)\s+(?:of|for)\s+(?:(?:all|any|each|every|the|a|an|those|these)\s+)*"
    r"(\w+)\b(?!['’])(?:\s+(\w+)\b(['’])?)?",
    re.IGNORECASE,
)
# Not the order of customer id 12, or of customer ID ALFKI: that is a filter.
_OWN_ID = re.compile(
    rf"{_BEGIN}(?:(\w+)\s+)??(\w+)\s+(?:ids?|identifiers?)\b"
    r"(?!\s*[=:#(\"'‘“\d]|(?-i:\s+\w*[A-Z\d])|\s+(?:number|no)\b)",
    re.IGNORECASE,
)


def asked_key(tree: exp.Query, question: str, schema: Schema) -> list[str]:
    """Select the key that an English question asks for, in the place of another one; what was changed.

    Args:
        tree: that is changed; left as it is where it is no plain SELECT of one key that nobody spoke of.
        question: as asked.
        schema: whose keys are known.
    """
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or tree.args.get("group") or not is_english(question):
        return []
    asked = _asked_tables(question, schema)
    keys = [(item.unalias(), found) for item in tree.expressions if (found := key_of(item, schema)) is not None]
    if len(asked) != 1 or len(keys) != 1:
        return []
    ((wrong, (table, own)),) = keys
    right = _key_of(asked[0], tree, schema) if _is_unspoken(table, own, asked[0], question) else None
    if right is None or right.name.lower() == wrong.name.lower():
        return []
    change = f"{wrong.sql()} -> {right.sql()}"
    wrong.replace(right)
    return [change]


def _asked_tables(question: str, schema: Schema) -> list[Table]:
    """The tables of whose rows an id is asked for."""
    before, noun = _noun_of(question)
    names = [(it, words(it.parts[-1])) for it in schema.tables]
    return [it for it, own in names if words(noun) and words(noun) <= own <= words(f"{before} {noun}")]


def _noun_of(question: str) -> tuple[str, str]:
    """What has the ids that a question asks for, as its noun and the word before it; empty where it asks for none."""
    if (of := _ID_OF.search(question)) is not None:
        first, second, owns = of.groups()
        if owns:  # "the id of the city council's chair"
            return "", ""
        return (first, second) if second and telling_words(second) else ("", first)
    found = _OWN_ID.search(question)
    return (found[1] or "", found[2]) if found is not None else ("", "")


def _is_unspoken(table: Table, own: Column, asked: Table, question: str) -> bool:
    """Whether a key is not of the table that is asked for, nor refers to it, and the question names neither it nor its.

    The id of the customer's last order is the order's.
    """
    refers = any(own.name in key.columns and key.table.lower() == asked.name.lower() for key in table.foreign_keys)
    spoken = words(f"{KEY_NAME.sub('', own.name)} {table.parts[-1]}") & words(question)
    return table is not asked and not refers and not spoken


def _key_of(asked: Table, tree: exp.Select, schema: Schema) -> exp.Column | None:
    """The key of a table's rows where the query reads them, or refers to them, in one place."""
    from executors.sql.mend import tables_of
    from executors.sql.tables import column_of

    read = {alias: table for alias, table in tables_of(tree, schema).items() if table is not None}
    own = [alias for alias, table in read.items() if table is asked]
    places = [(alias, asked.primary_key[0]) for alias in own] if len(asked.primary_key) == 1 else []
    if not own:
        places = [
            (alias, key.columns[0])
            for alias, table in read.items()
            for key in table.foreign_keys
            if len(key.columns) == 1 and key.table.lower() == asked.name.lower()
        ]
    private = any((column := read[alias].column(name)) is None or column.private for alias, name in places)
    return column_of(*places[0], schema) if len(places) == 1 and not private else None
