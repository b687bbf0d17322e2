"""The types that every executor takes and returns: schemas, checked queries, rows."""

from __future__ import annotations

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Annotated, Any, Literal, NotRequired, TypedDict, Unpack

from pydantic import Field, field_validator

from executors.dialects.row import Dialect
from executors.dialects.row import Frozen as Frozen
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused

# A JSON value. `values.py` describes how integers beyond 2**53 and exact decimals are converted.
JsonValue = Any


# The values of a query's placeholders: by position (`?`), or by name (`:name`, `@name`).
Scalar = str | int | float | bool | None
Parameters = Sequence[Scalar] | Mapping[str, Scalar]


class Column(Frozen):
    """One column, as the database describes it.

    name: Column name.
    type: Type, as the database names it.
    nullable: Whether the column accepts NULL.
    comment: The database's own comment. Empty if there is none.
    samples: A few stored values, the most frequent first.
    private: Whether the registry forbids sampling, showing, indexing and linking the column's values.
    """

    name: str
    type: str
    nullable: bool = True
    comment: str = ""
    samples: tuple[str, ...] = ()
    private: bool = False


class ColumnReport(Frozen):
    """How one column of a file was read.

    name: Column name.
    type: Type of the stored values.
    note: Unit of the numbers, or order of the dates.
    values: Rows that have a value. None if they were not counted.
    empty: Rows that have none. None if they were not counted.
    unlike: Values of a text column that differ from all others, which look like `like`.
    like: What most values look like. Empty if `unlike` is 0.
    """

    name: str
    type: str
    note: str = ""
    values: int | None = None
    empty: int | None = None
    unlike: int = 0
    like: Literal["", "numbers", "dates"] = ""


class TableReport(Frozen):
    """How one table was read from its files.

    table: Table name.
    files: Names of the files.
    encoding: Encoding of text files. Empty if the format defines it.
    delimiter: Delimiter of text files. Empty if the format defines it.
    decimal: Decimal comma, if plain numbers have one. Empty otherwise.
    rows: Number of rows. None if they were not counted.
    columns: The columns, in order.
    problems: Problems of the files, one sentence each.
    """

    table: str
    files: tuple[str, ...]
    encoding: str = ""
    delimiter: str = ""
    decimal: str = ""
    rows: int | None = None
    columns: tuple[ColumnReport, ...] = ()
    problems: tuple[str, ...] = ()


def list_problems(warnings: Iterable[str], reports: Iterable[TableReport]) -> tuple[str, ...]:
    """What could not be read of a database, each sentence once. Args: warnings: about the database as a whole."""
    return tuple(dict.fromkeys((*warnings, *(problem for it in reports for problem in it.problems))))


class ForeignKey(Frozen):
    """A foreign key.

    columns: Columns of this table.
    table: The referenced table.
    referenced: Columns of the referenced table, in the order of `columns`.
    """

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]


class Table(Frozen):
    """A table or view.

    name: Name, unquoted, as a query writes it: `orders`, or `sales.orders` outside the default schema.
    namespace: The table's schema: `sales`. Empty for the default schema and for files.
    columns: The columns, in order.
    primary_key: Columns of the primary key. Empty if there is none.
    foreign_keys: Foreign keys of the table.
    comment: The database's own comment. Empty if there is none.
    row_count: Number of rows; may be an estimate. None if it is unknown.
    is_view: Whether it is a view.
    """

    name: str
    namespace: str = ""
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    row_count: int | None = None
    is_view: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the name, each of which is quoted separately: `("sales", "orders")`, or `("orders",)`."""
        return (self.namespace, self.name[len(self.namespace) + 1 :]) if self.namespace else (self.name,)

    def column(self, name: str) -> Column | None:
        """The column of that name, in any case."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)


class Schema(Frozen):
    """The tables of one database that may be queried, in the database's order.

    namespace: The server's name of the schema whose tables need no qualifier. Empty for files.
    version: Version of the server, as the numbers of `Dialect.needs`. Empty if it is unknown.
    types: The database's own types that a query may cast to, even if no column has them. Row types are not included.
    """

    database: str
    dialect: str
    tables: tuple[Table, ...]
    namespace: str = ""
    version: tuple[int, ...] = ()
    types: tuple[str, ...] = ()

    @cached_property
    def _by_name(self) -> dict[str, Table]:
        return {table.name.lower(): table for table in self.tables}

    @cached_property
    def _by_last_part(self) -> dict[str, tuple[Table, ...]]:
        found: dict[str, tuple[Table, ...]] = {}
        for table in self.tables:
            last = table.parts[-1].lower()
            found[last] = (*found.get(last, ()), table)
        return found

    @cached_property
    def column_names(self) -> frozenset[str]:
        """The names of all tables' columns, in lower case."""
        return frozenset(column.name.lower() for table in self.tables for column in table.columns)

    @cached_property
    def type_names(self) -> frozenset[str]:
        """Names of types, in lower case: the database's own, words of the columns' types, and tables (row types)."""
        kinds = {*self.types} | {
            word for table in self.tables for column in table.columns for word in re.findall(r"\w+", column.type)
        }
        return frozenset(name.lower() for name in kinds | {table.parts[-1] for table in self.tables})

    def table(self, name: str) -> Table | None:
        """The table of that name, in any case."""
        return self._by_name.get(name.lower())

    def tables_named(self, name: str) -> tuple[Table, ...]:
        """The tables of that name, in any schema and any case."""
        return self._by_last_part.get(name.lower(), ())

    def quote_name(self, name: str) -> str:
        """A column's name, or one part of a table's name, as a query must write it."""
        return DIALECTS[self.dialect].quote_name(name)

    def quote_table(self, table: Table) -> str:
        """A table's name as a query must write it, qualified by its schema if it has one."""
        return ".".join(map(self.quote_name, table.parts))


_made: dict[tuple[str, tuple[int, ...]], tuple[Dialect, Dialect]] = {}  # (original row, row for that version)


def dialect_row(schema: Schema) -> Dialect:
    """The dialect of a schema's server, without the functions that its version lacks."""
    row = DIALECTS[schema.dialect]
    if not (row.needs and schema.version):
        return row
    key = row.name, schema.version
    if key not in _made or _made[key][0] is not row:  # an extension may have replaced the row
        _made[key] = row, row.of_version(schema.version)
    return _made[key][1]


class CheckedSql(Frozen):
    """A query that passed the guard. Only `guard.check` creates one.

    sql: The query for display, regenerated from the checked tree, with a LIMIT if one was needed. Names are spelled as
        in the original, in quotes if the engine requires them.
    executable: The query that runs: the same with every name in quotes. It requests one row more than the cap, so that
        truncation is detected, not guessed.
    row_limit: The cap on rows.
    tables: The real tables that are read, in order of appearance.
    held: What a row filter withholds from the caller, one sentence per table. Only `executable` contains the filter:
        `sql` is what is shown, judged and used to derive other queries, which are filtered in turn.
    left_out: Private columns that a star of the query does not show, such as `customers.email`. They too are missing
        only from `executable`.
    """

    sql: str
    executable: str
    row_limit: Annotated[int, Field(ge=1)]
    tables: tuple[str, ...]
    held: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class ReadBack(Frozen):
    """How the rows of a write are read back, in its transaction.

    before: A query that runs before the write and returns the values that its rows should have afterwards. For a
        DELETE, it returns the keys that should be gone.
    packed: Whether the values of all rows are side by side in one row.
    table: The parts of the table's name.
    key: The columns of the table's primary key.
    columns: The column of each value in a row of `before`. Empty for a value that cannot be predicted.
    types: The types of those columns.
    """

    before: CheckedSql
    packed: bool = False
    table: tuple[str, ...]
    key: tuple[str, ...]
    columns: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def key_places(self) -> tuple[int, ...]:
        """Positions of the key's columns in a row, in the order of the key."""
        lowered = [name.lower() for name in self.columns]
        return tuple(lowered.index(name.lower()) for name in self.key)

    @property
    def compared_places(self) -> tuple[int, ...]:
        """Positions of the values that are compared."""
        return tuple(at for at, name in enumerate(self.columns) if name)

    @property
    def compared_columns(self) -> tuple[str, ...]:
        """Columns of the values that are compared."""
        return tuple(self.columns[at] for at in self.compared_places)


class CheckedWrite(Frozen):
    """One INSERT, UPDATE or DELETE that passed the guard. Only `guard.write.check_write` creates one.

    sql: The statement for display, regenerated from the checked tree.
    executable: The statement that runs: the same with every name in quotes. If it is empty, `sql` runs.
    kind: The kind of statement.
    table: The one table that it changes.
    preview: A checked query of the rows that it would change. None for an INSERT of values.
    read_back: How its rows are read back before the commit. None if they are only counted.
    unread: Why the rows are only counted. Empty if they are read back.
    """

    sql: str
    executable: str = ""
    kind: Literal["insert", "update", "delete"]
    table: str
    preview: CheckedSql | None = None
    read_back: ReadBack | None = None
    unread: str = ""

    @property
    def runs(self) -> str:
        """The statement that is sent to the database."""
        return self.executable or self.sql


class WriteTerms(TypedDict):
    """How one write runs.

    timeout_s: Seconds until the write is stopped.
    commit: Whether to commit. False is a dry run: the write runs and is rolled back.
    max_rows: The most rows that the write may affect. If it affects more, it is rolled back.
    exactly: Number of rows that the write must affect. If it affects another number, it is rolled back, and the result
        reports that number.
    """

    timeout_s: float
    commit: bool
    max_rows: int
    exactly: NotRequired[int | None]


class WriteResult(Frozen):
    """What a write did. If `committed` is False, it ran and was rolled back.

    read_back: Number of rows that were read back in its transaction and have the expected values. None if the rows were
        only counted.
    unread: Why they were only counted, as half a sentence.
    """

    rows_affected: int
    committed: bool
    read_back: int | None = None
    unread: str = ""
    elapsed_ms: float = 0.0


class QueryResult(Frozen):
    """Rows as JSON values, at most the cap. `truncated` is set if the database had more.

    columns: Unique names, so that they can be keys of an object. A repeated name gets a suffix: `name`, `name_2`.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    truncated: bool = False
    elapsed_ms: float = 0.0

    @field_validator("columns")
    @classmethod
    def _make_unique(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return names if len(set(names)) == len(names) else make_unique(names)

    @property
    def row_count(self) -> int:
        return len(self.rows)

    @property
    def holds_nothing(self) -> bool:
        """Whether there are no rows, only NULLs, or a single zero: the result of a filter that matches nothing."""
        alone = len(self.rows) == 1 and len(self.rows[0]) == 1
        return all(value is None or (alone and value == 0) for row in self.rows for value in row)

    def records(self) -> list[dict[str, JsonValue]]:
        """Rows as objects whose keys are `columns`."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def make_unique(names: Sequence[str], *, same_case: bool = True) -> tuple[str, ...]:
    """The names, with a number after a repeated one: `name`, `name_2`. With `same_case`, case distinguishes names."""
    taken: set[str] = set()
    found = []
    for name in names:
        candidate, count = name, 1
        while (candidate if same_case else candidate.lower()) in taken:
            count += 1
            candidate = f"{name}_{count}"
        taken.add(candidate if same_case else candidate.lower())
        found.append(candidate)
    return tuple(found)


class Layer(Frozen):
    """One layer under the guard, as checked on an open connection. `holds` is None if it could not be checked."""

    name: str
    holds: bool | None
    advice: str = ""


class Cancel:
    """Cancels a running query from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._stop: Callable[[], None] | None = None

    def cancel(self) -> None:
        """Stop the running query, or the next one if none runs yet."""
        with self._lock:
            self._cancelled = True
            stop = self._stop
        if stop is not None:
            stop()

    def attach(self, stop: Callable[[], None] | None) -> None:
        """Set the function that interrupts the running query. None: no query runs any more."""
        with self._lock:
            self._stop = stop
            fire = self._cancelled and stop is not None
        if fire and stop is not None:
            stop()

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled


@contextmanager
def stoppable(cancel: Cancel | None, stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` if `cancel` is called while the block runs, or was called before."""
    if cancel is None:
        yield
        return
    cancel.attach(stop)
    try:
        yield
    finally:
        cancel.attach(None)


class Executor(ABC):
    """One database: gives its schema, and runs checked queries and writes.

    Methods block, and several worker threads may call them at the same time.
    """

    name: str
    dialect: str  # a key of dialects.DIALECTS; empty if it is unknown until `schema` is read
    is_remote: bool = False  # whether the database is on a network, and not a file of this machine
    warnings: tuple[str, ...] = ()  # parts of the database that `schema` could not read, one sentence each
    reports: tuple[TableReport, ...] = ()  # how `schema` read the files of a database of files; else empty

    @abstractmethod
    def schema(self) -> Schema:
        """Tables with keys, comments, counts and samples; cached until the source changes.
        Raises DatabaseUnavailable."""

    @abstractmethod
    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        """Rows of a checked query, at most `query.row_limit`, within `timeout_s` seconds.

        Raises:
            SqlFailed: the database refused it, or time ran out (kind TIMEOUT). Has a hint if one is known.
            DatabaseUnavailable: the database cannot be reached.
        """

    def write(self, statement: CheckedWrite, **terms: Unpack[WriteTerms]) -> WriteResult:  # noqa: ARG002
        """Run one write in its own transaction, and commit it or roll it back.

        Raises:
            SqlRefused: this database was not opened for writing.
            SqlFailed: the database refused it, time ran out, it would affect more than `max_rows`, or the rows read
                back before the commit do not have the expected values.
            DatabaseUnavailable: the database cannot be reached.
        """
        raise SqlRefused(ErrorKind.NOT_READ_ONLY, f"{self.name} is open for reading only.", "Write one SELECT.")

    def layers(self) -> tuple[Layer, ...]:
        """Which layers under the guard hold on a connection that `run` would use. Empty if the engine cannot check.
        Raises DatabaseUnavailable."""
        return ()

    def refresh(self) -> None:  # noqa: B027  no cache is a good default
        """Make the next `schema` read the database again, even if a schema is cached."""

    def close(self) -> None:  # noqa: B027  nothing to close is a good default
        """Close the connections."""


# The trace of the current work. The caller sets it, and it is sent to other deployments:
# https://www.w3.org/TR/trace-context/#traceparent-header
TRACEPARENT: ContextVar[str] = ContextVar("traceparent", default="")
