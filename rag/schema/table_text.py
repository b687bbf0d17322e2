"""One table as text: a CREATE TABLE statement, or one line, with docs and sample values as comments."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal

from executors.base import Column, ForeignKey, Schema, Table
from rag.docs.documents import Document
from rag.docs.plain_text import on_one_line, plain
from rag.identity_cache import IdentityCache

Style = Literal["ddl", "compact"]

_COMMENT_CHARS, _SAMPLE_CHARS = 240, 40
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NUMERIC_TYPE = re.compile(r"int|dec|num|real|doub|float|money|serial", re.IGNORECASE)


class TableText:
    """Writes the tables of one schema. Docs of a column come before its comment in the database."""

    def __init__(self, schema: Schema, documents: Sequence[Document], style: Style, max_samples: int) -> None:
        self._schema, self._style, self._max_samples = schema, style, max_samples
        self._docs = _descriptions_of(documents)
        self._whole: dict[tuple[str, bool], str] = {}  # by table and `samples`: texts that no question changes

    def table(
        self,
        table: Table,
        *,
        samples: bool,
        columns: Collection[str] | None = None,
        only: Collection[str] | None = None,
    ) -> str:
        """The table's text, ending in a line break.

        Of `columns` and tables in `only` (small letters; None: all) alone; keys that refer to tables which are not
        shown are left out.
        """
        if columns is not None or only is not None:
            return self._write(table, samples=samples, columns=columns, only=only)
        key = (table.name, samples)
        if key not in self._whole:
            self._whole[key] = self._write(table, samples=samples, columns=None, only=None)
        return self._whole[key]

    def _write(
        self, table: Table, *, samples: bool, columns: Collection[str] | None, only: Collection[str] | None
    ) -> str:
        shown = [column for column in table.columns if columns is None or column.name.lower() in columns]
        keys = [key for key in table.foreign_keys if only is None or key.table.lower() in only]
        hidden = len(table.columns) - len(shown)
        descriptions = [f"-- {line}" for line in self._table_comments(table)]
        rest = [f"-- {hidden} more columns are not shown."] if hidden else []
        if self._style == "ddl":
            body = self._statement(table, shown, keys, samples=samples)
            return "\n".join(
                [*descriptions, f"CREATE TABLE {self.name(table.name)} (", *body, *_indent(rest), ");", ""]
            )
        body = [self._line(table, shown, keys), *_indent(descriptions)]
        for column in shown:
            comment = self._comment(table, column, samples=samples)
            if comment:
                body.append(f"  -- {self._quote(column.name)}: {comment}")
        return "\n".join([*body, *_indent(rest)])

    def name(self, name: str) -> str:
        """A table's name as a query must write it, with its schema's where it has one."""
        table = self._schema.table(name)
        return on_one_line(self._schema.quote_table(table)) if table is not None else self._quote(name)

    def _quote(self, name: str) -> str:
        return on_one_line(self._schema.quote_name(name))

    def _statement(
        self, table: Table, shown: Sequence[Column], keys: Sequence[ForeignKey], *, samples: bool
    ) -> list[str]:
        """The lines between the parentheses: columns, then the keys of several columns."""
        lines: list[tuple[str, str]] = []
        for column in shown:
            parts = [self._quote(column.name), on_one_line(column.type)]
            if table.primary_key == (column.name,):
                parts.append("PRIMARY KEY")
            elif not column.nullable:
                parts.append("NOT NULL")
            parts += [f"REFERENCES {self._target(key)}" for key in keys if key.columns == (column.name,)]
            lines.append((" ".join(filter(None, parts)), self._comment(table, column, samples=samples)))
        if len(table.primary_key) > 1:
            lines.append((f"PRIMARY KEY ({self._names(table.primary_key)})", ""))
        for key in keys:
            if len(key.columns) > 1:
                lines.append((f"FOREIGN KEY ({self._names(key.columns)}) REFERENCES {self._target(key)}", ""))
        last = len(lines) - 1
        return [
            f"  {line}{',' if position < last else ''}{f' -- {comment}' if comment else ''}"
            for position, (line, comment) in enumerate(lines)
        ]

    def _line(self, table: Table, shown: Sequence[Column], keys: Sequence[ForeignKey]) -> str:
        """`orders(order_id INTEGER PK, customer_id INTEGER -> customers.customer_id)`"""
        parts: list[str] = []
        for column in shown:
            key_mark = "PK" if column.name in table.primary_key else ""
            words = [self._quote(column.name), on_one_line(column.type), key_mark]
            for key in keys:
                if key.columns == (column.name,):
                    words.append("-> " + ".".join([self.name(key.table), *map(self._quote, key.referenced)]))
            parts.append(" ".join(filter(None, words)))
        parts += [f"({self._names(key.columns)}) -> {self._target(key)}" for key in keys if len(key.columns) > 1]
        return f"{self.name(table.name)}({', '.join(parts)})"

    def _target(self, key: ForeignKey) -> str:
        return self.name(key.table) + (f"({self._names(key.referenced)})" if key.referenced else "")

    def _names(self, names: Sequence[str]) -> str:
        return ", ".join(map(self._quote, names))

    def _table_comments(self, table: Table) -> list[str]:
        descriptions = self._docs.get((table.name.lower(), "")) or [table.comment]
        return [_cut(text, _COMMENT_CHARS) for text in descriptions if text.strip()]

    def _comment(self, table: Table, column: Column, *, samples: bool) -> str:
        descriptions = "; ".join(self._docs.get((table.name.lower(), column.name.lower())) or [column.comment])
        values = [_value(value, column.type) for value in column.samples[: self._max_samples]] if samples else []
        shown = f"e.g. {', '.join(values)}" if values else ""
        return "; ".join(filter(None, (_cut(descriptions, _COMMENT_CHARS), shown)))


def _group(documents: Sequence[Document]) -> dict[tuple[str, str], list[str]]:
    """The descriptions of each column and table, by its lower-case name."""
    descriptions: dict[tuple[str, str], list[str]] = {}
    for document in documents:
        if document.kind in {"column", "table"} and document.table:
            descriptions.setdefault((document.table.lower(), document.column.lower()), []).append(document.text)
    return descriptions


_descriptions_of = IdentityCache(_group)
table_text_of = IdentityCache(TableText)


def _value(value: str, column_type: str) -> str:
    """A sample as a query would write it: text in quotes, a number of a numeric column without."""
    if _NUMERIC_TYPE.search(column_type) and _NUMBER.fullmatch(value):
        return value
    value = plain(value)
    is_whole = len(value) <= _SAMPLE_CHARS and len(value.splitlines()) == 1
    text = value if is_whole else _cut(value, _SAMPLE_CHARS)  # a query has to spell its white space as well
    return "'" + text.replace("'", "''") + "'"


def _cut(text: str, chars: int) -> str:
    """On one line, whatever it holds, so that it stays a comment; cut at a word where it is too long."""
    text = " ".join(plain(text).split())
    if len(text) <= chars:
        return text
    return text[: chars - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def _indent(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
