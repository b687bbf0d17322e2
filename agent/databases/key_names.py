"""Names for the keys that a result shows: nobody knows who customer 33 is.

The names are read along the keys of the schema, with one small query for each column. The rows stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from agent.core.resilience.off_loop import off_loop
from agent.databases.database import Database
from executors.base import Column, QueryResult, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, SqlError
from rag.words import split_name

KeyNames = Mapping[int, Mapping[str, str]]  # by the column of a result, and the key's value as a text

QUERY_S = 2.0  # seconds for the names of one column
_MOST_KEYS = 20  # of a result's first rows; the last row is named, too
_CODE_TABLE = 3  # most columns of a table of codes and their meaning
_GIVEN = re.compile(r"(?:first|given|fore) ?name|vorname|pr[ée]nom|nombre|nome")
_FAMILY = re.compile(r"(?:last|family|sur) ?name|(?:nach|familien)name|nom(?: de famille)?|apellidos?|cognome")
_NAME = re.compile(r"(?:(?:full|display|company|product|item|official) )?name|nom|nombre|nome")
_ANY_NAME = re.compile(r"(?!(?:job|middle|maiden|ship|bill|user|file|login|host|path) ?name).*name")
_TITLE = re.compile(r"title|titel|titre|titolo|label|libell[ée]|bezeichnung|description|descr|.* (?:description|descr)")


class _Key(NamedTuple):
    """A column of a result that shows keys of a table. naming: the columns that hold its names."""

    at: int
    table: Table
    column: str
    naming: Sequence[Column]


async def find_key_names(question: str, sql: str, schema: Schema, database: Database, result: QueryResult) -> KeyNames:
    """The names of the keys that a result shows, if it shows no text of their table; empty if they cannot be read.

    `schema`: with all known keys. Private columns are not read.
    """
    rows = (*result.rows[:_MOST_KEYS], *result.rows[-1:])
    found: dict[int, Mapping[str, str]] = {}
    for key in await off_loop(lambda: list(_find_keys(sql, schema, len(result.columns)))):
        values = [it for it in dict.fromkeys(row[key.at] for row in rows) if isinstance(it, int | str)]
        if not values:
            continue
        query = await off_loop(partial(_query, key, values, schema))
        try:
            checked = await database.check(query, len(values), question=question)
            named = await database.run(checked, timeout_s=QUERY_S)
        except SqlError:
            continue
        except DatabaseUnavailable:
            break
        texts = {str(value): " ".join(str(it) for it in names if it is not None) for value, *names in named.rows}
        found[key.at] = {value: text for value, text in texts.items() if text.strip() and text != value}
    return found


def _find_keys(sql: str, schema: Schema, columns: int) -> Iterator[_Key]:
    from sqlglot import exp

    from executors.sql.literals import is_text, owner_of
    from executors.sql.tree import tree_to_change

    tree = tree_to_change(sql, DIALECTS[schema.dialect].sqlglot)
    shown = [it.unalias() for it in tree.selects] if isinstance(tree, exp.Select) else []
    owners = [owner_of(it, schema) if isinstance(it, exp.Column) else None for it in shown]
    if len(shown) != columns:  # `*`
        return
    for at, owner in enumerate(owners):
        target = _follow(*owner, schema) if owner is not None else None
        if target is None:
            continue
        table, column = target
        tells = (it for it in owners if it is not None and it[0].name == table.name and it[1].name != column)
        naming = _list_naming(table, column)
        if naming and not any(is_text(it[1]) for it in tells):
            yield _Key(at, table, column, naming)


def _follow(table: Table, column: Column, schema: Schema) -> tuple[Table, str] | None:
    """The table that a column is a key of, and the key's name there; None if it is no key of one column."""
    for key in table.foreign_keys:
        if key.columns == (column.name,) and (owner := schema.table(key.table)) is not None:
            return owner, (key.referenced or owner.primary_key or (column.name,))[0]
    refers = ((it.table, it.referenced) for other in schema.tables for it in other.foreign_keys)
    is_key = table.primary_key == (column.name,) or (table.name, (column.name,)) in refers
    return (table, column.name) if is_key else None


def _list_naming(table: Table, key: str) -> Sequence[Column]:
    """The given and the family name, or the column of names or titles; of a table of codes, the only other text."""
    from executors.sql.literals import is_text

    texts = {split_name(it.name): it for it in table.columns if is_text(it) and not it.private and it.name != key}
    own = split_name(table.parts[-1]).removesuffix("s")
    plain = {name.removeprefix(own).strip(): it for name, it in texts.items()} | texts  # `vessel_name` of `vessels`

    def find(pattern: re.Pattern[str]) -> list[Column]:
        return list({it.name: it for name, it in plain.items() if pattern.fullmatch(name)}.values())

    given, family, other = find(_GIVEN)[:1], find(_FAMILY)[:1], find(_ANY_NAME)
    if given and family and given != family:
        return [*given, *family]
    named = find(_NAME)[:1] or (other if len(other) == 1 else []) or find(_TITLE)[:1]
    is_code = len(table.columns) <= _CODE_TABLE and (column := table.column(key)) is not None and is_text(column)
    return named or (list(texts.values()) if is_code and len(texts) == 1 else [])


def _query(key: _Key, values: list[int | str], schema: Schema) -> str:
    from sqlglot import exp

    from executors.sql import grammar
    from executors.sql.names.tables import identifier, to_source

    columns = [exp.column(identifier(it, schema)) for it in (key.column, *(it.name for it in key.naming))]
    select = exp.select(*columns).from_(to_source(key.table, schema))
    return grammar.write(select.where(columns[0].copy().isin(*values)), DIALECTS[schema.dialect].sqlglot)
