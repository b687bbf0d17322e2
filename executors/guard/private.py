"""Columns that the registry marks private. Queries may use them, but show their values only if the question asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Unpack

from executors import base
from executors.base import Cancel, CheckedSql, CheckedWrite, Executor, Layer, QueryResult, Schema, Table, WriteResult


class Marked(NamedTuple):
    """A schema whose private columns are marked, and one sentence per pattern that matches no column."""

    schema: Schema
    problems: tuple[str, ...]


class PrivateColumns:
    """The `private` patterns of a registry entry: `table.column`, with or without the table's schema. `*` matches any
    characters. Case does not matter."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = {
            pattern: re.compile(".*".join(map(re.escape, pattern.split("*"))), re.IGNORECASE | re.DOTALL)
            for pattern in patterns
        }

    def covers(self, table: Table, column: str) -> bool:
        """Whether a pattern matches a column of a table."""
        return any(_matches(expression, table, column) for expression in self._patterns.values())

    def mark(self, schema: Schema) -> Marked:
        """The schema with these columns marked, and without their samples. A pattern without `*` that matches no column
        is a problem, because it should protect one."""
        tables = tuple(self._mark(table) for table in schema.tables)
        problems = tuple(
            f"databases.yaml marks {pattern} private, and there is no such column."
            for pattern, expression in self._patterns.items()
            if "*" not in pattern and not any(_matches(expression, t, c.name) for t in schema.tables for c in t.columns)
        )
        return Marked(schema.model_copy(update={"tables": tables}), problems)

    def _mark(self, table: Table) -> Table:
        if not any(self.covers(table, column.name) for column in table.columns):
            return table
        columns = tuple(
            column.model_copy(update={"samples": (), "private": True}) if self.covers(table, column.name) else column
            for column in table.columns
        )
        return table.model_copy(update={"columns": columns})


class PrivateExecutor(Executor):
    """An executor of a database with private columns. Only its `schema` differs from that of the wrapped executor."""

    def __init__(self, executor: Executor, private: PrivateColumns) -> None:
        self.name, self.dialect, self.is_remote = executor.name, executor.dialect, executor.is_remote
        self._executor, self._private = executor, private
        self._read: tuple[Schema, Schema] | None = None  # (schema as read, schema as marked)

    def schema(self) -> Schema:
        """See `Executor.schema`. The marked schema is cached as long as the wrapped executor returns the same one."""
        found, known = self._executor.schema(), self._read
        if known is not None and known[0] is found:
            return known[1]
        marked = self._private.mark(found)
        self.reports = self._executor.reports  # reports contain no values
        self.dialect, self.warnings = self._executor.dialect, (*self._executor.warnings, *marked.problems)
        self._read = (found, marked.schema)
        return marked.schema

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        return self._executor.run(query, timeout_s=timeout_s, cancel=cancel)

    def write(self, statement: CheckedWrite, **terms: Unpack[base.WriteTerms]) -> WriteResult:
        return self._executor.write(statement, **terms)

    def layers(self) -> tuple[Layer, ...]:
        return self._executor.layers()

    def refresh(self) -> None:
        self._executor.refresh()

    def close(self) -> None:
        self._executor.close()


def _matches(expression: re.Pattern[str], table: Table, column: str) -> bool:
    """Whether an expression matches the column, by the table's full name or its last part."""
    return any(expression.fullmatch(f"{name}.{column}") for name in {table.name, table.parts[-1]})
