"""The strings in a query's filters, and the columns that they are compared with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from sqlglot import exp

from executors.base import Column, Schema, Table
from executors.sql.names.tables import tables_of

_TEXT_TYPE = re.compile(r"char|text|string|clob|enum", re.IGNORECASE)
_NESTED_TYPE = re.compile(r"^\s*(?:array|list|struct|map|row|union|tuple|variant)\b|\]\s*$", re.IGNORECASE)
_NUMBER_TYPE = re.compile(
    r"^\s*(?:(?:tiny|small|medium|big|huge|u)*int(?:eger|\d+)?\b|num|dec|real|double|float)", re.IGNORECASE
)
FLAGS = frozenset({*"yntfjsov01", "no", "si", "sí", "ja", "yes", "oui", "non"})  # yes and no, and their letters
_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*", re.IGNORECASE)


class TextFilter(NamedTuple):
    """A string that a column is compared with: the real table and column, and the literal's node in the tree."""

    table: Table
    column: Column
    literal: exp.Literal

    @property
    def value(self) -> str:
        return str(self.literal.this)

    @property
    def key(self) -> tuple[str, str, str]:
        """Table, column and text, so that the same text of the same column is looked up once."""
        return self.table.name, self.column.name, self.value


def text_filters(tree: exp.Query, schema: Schema) -> list[TextFilter]:
    """Each string that a column of one real table must equal, including `IN (...)`.

    Negated conditions are left out, and blank strings: `= ''` asks for what is empty.
    For a column of numbers, only strings that are not numbers: SQLite and MySQL compare the two without an error.
    """
    found: list[TextFilter] = []
    for node in tree.find_all(exp.EQ, exp.In):
        column, literals = _sides(node)
        if column is None or isinstance(node.find_ancestor(exp.Not, exp.Select), exp.Not):
            continue
        owner = owner_of(column, schema)
        if owner is None or owner[1].private:  # the nearest values would reveal private ones
            continue
        if is_text(owner[1]):
            found += [TextFilter(*owner, literal) for literal in literals]
        elif _NUMBER_TYPE.search(owner[1].type):
            found += [TextFilter(*owner, it) for it in literals if not _NUMBER.fullmatch(str(it.this))]
    return found


def spell_texts(tree: exp.Query, sql: str, schema: Schema) -> exp.Query:
    """The tree, changed in place: each string with the prefix N becomes a plain one, and in SQLite each "double-quoted"
    word that names no column of the schema and no alias, as it reads them."""
    for national in list(tree.find_all(exp.National)):
        national.replace(exp.Literal.string(national.name))
    if schema.dialect != "sqlite" or '"' not in sql:
        return tree
    names = {column.name.lower() for table in schema.tables for column in table.columns}
    names |= {it.alias.lower() for it in tree.find_all(exp.Alias, exp.TableAlias)}
    names |= {it.name.lower() for alias in tree.find_all(exp.TableAlias) for it in alias.columns}
    for node in list(tree.find_all(exp.Column)):
        start = node.this.meta.get("start")
        quoted = start is not None and sql[start : start + 1] == '"' and not node.table
        if quoted and node.name.lower() not in names:
            node.replace(exp.Literal.string(node.name))
    return tree


def same_text(one: str, other: str) -> bool:
    """Whether two texts are the same except for case, accents, punctuation and white space."""
    return _plain(one) == _plain(other) != ""


def are_one_word(texts: Iterable[str]) -> bool:
    """Whether texts are the same words in small letters, in capitals or with capital initials, but for outer spaces.

    Ids (`aB3`, `AB3`) and units (`mW`, `MW`) are not: their case may tell them apart. Of two letters, only yes and no
    are words.
    """
    words = {it.strip() for it in texts}
    forms = {form for it in words for form in (it.lower(), it.upper())}
    forms |= {form for it in words if len(it) > 2 or it.lower() in FLAGS for form in (it.capitalize(), it.title())}
    return words <= forms and len({it.lower() for it in words}) == 1 and not re.search(r"\d", "".join(words))


def is_text(column: Column) -> bool:
    """Whether a column contains texts, and not lists or records of texts."""
    return bool(_TEXT_TYPE.search(column.type)) and not _NESTED_TYPE.search(column.type)


def owner_of(column: exp.Column, schema: Schema) -> tuple[Table, Column] | None:
    """The real table and column that a reference means, searched from its own SELECT outwards. None if uncertain."""
    select = column.find_ancestor(exp.Select)
    if column.args.get("db"):
        return None
    while select is not None:
        tables = tables_of(select, schema)
        by_alias = {alias.lower(): table for alias, table in tables.items()}
        if column.table and column.table.lower() not in by_alias:
            select = select.find_ancestor(exp.Select)
            continue
        read = [by_alias[column.table.lower()]] if column.table else list(tables.values())
        owners = [(table, c) for table in read if table is not None and (c := table.column(column.name)) is not None]
        return owners[0] if len(owners) == 1 and None not in read else None
    return None


def _sides(node: exp.Expr) -> tuple[exp.Column | None, list[exp.Literal]]:
    if isinstance(node, exp.In):
        column, others = node.this, node.expressions
    elif isinstance(node.this, exp.Column):
        column, others = node.this, [node.expression]
    else:
        column, others = node.expression, [node.this]
    if not isinstance(column, exp.Column):
        return None, []
    return column, [it for it in others if isinstance(it, exp.Literal) and it.is_string and str(it.this).strip()]


def _plain(text: str) -> str:
    """The letters and digits of a text, in lower case and without accents."""
    marked = unicodedata.normalize("NFKD", text)
    return "".join(it for it in marked if it.isalnum()).casefold()
