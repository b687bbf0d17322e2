"""Collects what the readers find, checks names and reports problems uniformly."""

from __future__ import annotations

import re
from typing import Protocol, TypeVar

from executors.base import Schema
from rag.docs.documents import Document, Kind, ReadResult, make_document
from rag.docs.names import Names, bare

_QUALIFIED = re.compile(r"[`*]([^`*\s()]+)`?\.`?([^`*\s()]+)[`*]")  # `orders.total`, `orders`.`total`, **orders.total**


class Gathering(Protocol):
    """Content that several files define together. It is passed to the collector once all files are read."""

    def __init__(self, collector: DocsCollector) -> None: ...

    def finish(self) -> None:
        """Pass the content to the collector."""


G = TypeVar("G", bound=Gathering)


class DocsCollector:
    """Gathers the documents and problems of many files. A fact found twice is kept once.

    Without a schema, names are taken as written. `blocks`: texts that docs refer to by name (dbt's `doc('orders')`).
    """

    def __init__(self, schema: Schema | None) -> None:
        self.names = Names(schema) if schema else None
        self.blocks: dict[str, str] = {}
        self._database = schema.database if schema else ""
        self._documents: dict[str, Document] = {}
        self._problems: list[str] = []
        self._shared: dict[type[Gathering], Gathering] = {}

    def result(self) -> ReadResult:
        """All documents and problems."""
        for gathering in self._shared.values():
            gathering.finish()
        return ReadResult(documents=tuple(self._documents.values()), problems=tuple(self._problems))

    def get_shared(self, kind: type[G]) -> G:
        """The gathering shared by all files of one kind. `result` finishes it."""
        if kind not in self._shared:
            self._shared[kind] = kind(self)
        found = self._shared[kind]
        assert isinstance(found, kind)  # noqa: S101  the dict is keyed by it
        return found

    def problem(self, source: str, message: str) -> None:
        """Record a problem once."""
        line = f"{source}: {message}"
        if line not in self._problems:
            self._problems.append(line)

    def table(self, source: str, name: str) -> str | None:
        """The real name of a table. None, with a problem recorded, if it is not exactly one."""
        if self.names is None:
            return bare(name)
        tables = self.names.tables(name)
        if len(tables) == 1:
            return tables[0].name
        if tables:
            several = ", ".join(table.name for table in tables)
            self.problem(source, f"{bare(name)!r} may be any of {several}; write which")
        else:
            self.problem(source, f"there is no table {bare(name)!r}{_nearest(self.names.nearest_table(name))}")
        return None

    def column(self, source: str, table: str, name: str) -> str | None:
        """The real name of a column of `table` (a real name). None, with a problem recorded, if there is none."""
        owner = self.names.table(table) if self.names is not None else None
        if self.names is None or owner is None:
            return bare(name)
        column = self.names.column(owner, name)
        if column is None:
            hint = _nearest(self.names.nearest_column(owner, name))
            self.problem(source, f"table {owner.name!r} has no column {bare(name)!r}{hint}")
            return None
        return column.name

    def add_column(self, source: str, table: str, name: str, text: str) -> None:
        """Add a fact about a column of `table` (a real name). Record a problem if the table has no such column."""
        real = self.column(source, table, name)
        if real is not None:
            self._add("column", text, source, table=table, column=real)

    def add_table(self, source: str, table: str, text: str) -> None:
        """Add a fact about a whole table (a real name)."""
        self._add("table", text, source, table=table)

    def add_rule(self, source: str, text: str, *, table: str = "") -> None:
        """Add a rule or a term. `table`: the table under whose heading it stood. A rule that names a missing column is
        reported but kept: its words may still help."""
        for owner, last in _QUALIFIED.findall(text):
            place = self.names.table(owner) if self.names is not None else None
            if place is not None:
                self.column(source, place.name, last)
        self._add("rule", text, source, table=table)

    def add_query(self, source: str, question: str, sql: str) -> None:
        """Add a question with the query that answers it."""
        if sql.strip():
            self._add("query", question, source, sql=sql.strip().rstrip(";"))

    def _add(self, kind: Kind, text: str, source: str, *, table: str = "", column: str = "", sql: str = "") -> None:
        document = make_document(
            kind, text, database=self._database, table=table, column=column, source=source, sql=sql
        )
        if document.text:
            self._documents.setdefault(document.id, document)


def _nearest(name: str | None) -> str:
    return f"; the nearest is {name!r}" if name else ""
