"""What every executor takes and returns: schemas, checked queries, rows."""

from __future__ import annotations

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Annotated, Any, Literal, NotRequired, TypedDict, Unpack

from pydantic import Field, field_validator

from executors.dialects.row import Dialect
from executors.dialects.row import Frozen as Frozen
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused

# A value as JSON has it. Big integers beyond 2**53 and exact decimals arrive as described in values.py.
JsonValue = Any


# What a query's placeholders stand for: by position (`?`), or by name (`:name`, `@name`).
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
        """The name in its parts, each to be quoted by itself: `("sales", "orders")`, or `("orders",)`."""
        return (self.namespace, self.name[len(self.namespace) + 1 :]) if self.namespace else (self.name,)

    def column(self, name: str) -> Column | None:
        """The column of that name, whatever its case."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)


class Schema(Frozen):
    """The tables that one database lets us query, in the order the database gives them.

    namespace: what a server calls the schema whose tables need no qualifier; empty for files.
    version: of the server, as the dialect's row counts it: see `Dialect.needs`; empty where it is not known.
    types: the database's own types that a query may cast to, whether or not a column has them. No rows of tables.
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
        """The columns of all tables, in lower case."""
        return frozenset(column.name.lower() for table in self.tables for column in table.columns)

    @cached_property
    def type_names(self) -> frozenset[str]:
        """The database's own types, words of the columns', and tables' names, which are types of rows; lower case."""
        kinds = {*self.types} | {
            word for table in self.tables for column in table.columns for word in re.findall(r"\w+", column.type)
        }
        return frozenset(name.lower() for name in kinds | {table.parts[-1] for table in self.tables})

    def table(self, name: str) -> Table | None:
        """The table of that name, whatever its case."""
        return self._by_name.get(name.lower())

    def tables_named(self, name: str) -> tuple[Table, ...]:
        """The tables that go by that name in some schema, whatever its case."""
        return self._by_last_part.get(name.lower(), ())

    def quote_name(self, name: str) -> str:
        """A column's name, or one part of a table's, as a query must write it."""
        return DIALECTS[self.dialect].quote_name(name)

    def quote_table(self, table: Table) -> str:
        """A table's name as a query must write it, with its schema's where it has one."""
        return ".".join(map(self.quote_name, table.parts))


_made: dict[tuple[str, tuple[int, ...]], tuple[Dialect, Dialect]] = {}  # of a row, and what it became


def dialect_row(schema: Schema) -> Dialect:
    """The dialect of a schema's server, without what its version lacks."""
    row = DIALECTS[schema.dialect]
    if not (row.needs and schema.version):
        return row
    key = row.name, schema.version
    if key not in _made or _made[key][0] is not row:  # an extension may have put another row there
        _made[key] = row, row.of_version(schema.version)
    return _made[key][1]


class CheckedSql(Frozen):
    """A query that the guard let through. Only `guard.check` makes one.

    sql: for people: regenerated from the checked tree, with a LIMIT where one was needed. Names are as they were
        written, in quotes where the engine demands them.
    executable: what runs: the same, with every name in quotes, and asking for one row more than the cap, so that
        truncation is seen, not guessed.
    row_limit: the cap on rows.
    tables: the real tables that are read, in order of appearance.
    held: what a row filter keeps from the caller, one sentence for each table. The filter is in `executable` alone:
        shown, judged and derived from is the query that was asked, and what comes of it is filtered in its turn.
    left_out: private columns that a star of it does not show, as `customers.email`; likewise in `executable` alone.
    """

    sql: str
    executable: str
    row_limit: Annotated[int, Field(ge=1)]
    tables: tuple[str, ...]
    held: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class ReadBack(Frozen):
    """How the rows of a write are found again, in its transaction.

    before: gives, before the write, the values that its rows are to have; of a DELETE the keys that are to be gone.
    packed: whether they stand side by side in one row.
    table: the parts of its name.
    key: the columns of its primary key.
    columns: of each row of `before`, what its values are called; empty for what cannot be foretold.
    types: of those columns.
    """

    before: CheckedSql
    packed: bool = False
    table: tuple[str, ...]
    key: tuple[str, ...]
    columns: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def key_places(self) -> tuple[int, ...]:
        """Where the parts of the key stand in a row, in its order."""
        lowered = [name.lower() for name in self.columns]
        return tuple(lowered.index(name.lower()) for name in self.key)

    @property
    def compared_places(self) -> tuple[int, ...]:
        """Where the values stand that are compared."""
        return tuple(at for at, name in enumerate(self.columns) if name)

    @property
    def compared_columns(self) -> tuple[str, ...]:
        """Their columns."""
        return tuple(self.columns[at] for at in self.compared_places)


class CheckedWrite(Frozen):
    """One INSERT, UPDATE or DELETE that the guard let through. Only `guard_write.check_write` makes one.

    sql: for people: regenerated from the checked tree.
    executable: what runs: the same, with every name in quotes. Empty: `sql` itself.
    kind: what it does.
    table: the one table that it changes.
    preview: the rows it would change, as a checked query; None for an INSERT.
    read_back: how its rows are read again before the commit; None: they are only counted.
    unread: why they are.
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
        """The statement that the database gets."""
        return self.executable or self.sql


class WriteTerms(TypedDict):
    """How one write runs.

    commit: False is the dry run: everything happens, and is undone.
    max_rows: where more would be affected, nothing is.
    exactly: commit only where so many are affected; else it is rolled back, and the result says how many.
    """

    timeout_s: float
    commit: bool
    max_rows: int
    exactly: NotRequired[int | None]


class WriteResult(Frozen):
    """What a write did, or, where `committed` is False, would have done: it ran and was rolled back.

    read_back: rows that were read again after it, in its transaction, and are as it says; None: they were only counted.
    unread: why, in half a sentence.
    """

    rows_affected: int
    committed: bool
    read_back: int | None = None
    unread: str = ""
    elapsed_ms: float = 0.0


class QueryResult(Frozen):
    """Rows as JSON values, at most the cap; `truncated` when the database had more.

    columns: each name once, so that they can be keys of an object: a repeated one gets a suffix, `name`, `name_2`.
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
        """Whether there are no rows, only NULL in them, or a zero alone: what a filter that fits nothing gives."""
        alone = len(self.rows) == 1 and len(self.rows[0]) == 1
        return all(value is None or (alone and value == 0) for row in self.rows for value in row)

    def records(self) -> list[dict[str, JsonValue]]:
        """Rows as objects, by `columns`."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def make_unique(names: Sequence[str], *, same_case: bool = True) -> tuple[str, ...]:
    """The names, a repeated one with a number behind it: `name`, `name_2`. With `same_case`, case tells names apart."""
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
    """One layer under the guard, as an open connection says it. `holds` is None where it could not be checked."""

    name: str
    holds: bool | None
    advice: str = ""


class Cancel:
    """Says, from another thread, that a running query is no longer wanted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._stop: Callable[[], None] | None = None

    def cancel(self) -> None:
        """Stop the query that runs, or the one that is about to."""
        with self._lock:
            self._cancelled = True
            stop = self._stop
        if stop is not None:
            stop()

    def attach(self, stop: Callable[[], None] | None) -> None:
        """Name what interrupts the running query (None: nothing runs any more)."""
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
    """Call `stop` when `cancel` is called while the block runs, or was called before."""
    if cancel is None:
        yield
        return
    cancel.attach(stop)
    try:
        yield
    finally:
        cancel.attach(None)


class Executor(ABC):
    """One database: its schema, and its rows for a checked query.

    Methods block and are called from worker threads, several at once.
    """

    name: str
    dialect: str  # a key of dialects.DIALECTS; empty while only `schema` can tell
    is_remote: bool = False  # whether it is asked over a network, and not a file of this machine
    warnings: tuple[str, ...] = ()  # what `schema` could not read of the database, one sentence each
    reports: tuple[TableReport, ...] = ()  # how `schema` read the files that are the database; none of any other

    @abstractmethod
    def schema(self) -> Schema:
        """Tables with keys, comments, counts and samples; cached until the source changes.
        Raises DatabaseUnavailable."""

    @abstractmethod
    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        """Rows of a checked query, at most `query.row_limit`, within `timeout_s` seconds.

        Raises:
            SqlFailed: the database refused it, or time ran out (kind TIMEOUT), with a hint where one is known.
            DatabaseUnavailable: the database is gone.
        """

    def write(self, statement: CheckedWrite, **terms: Unpack[WriteTerms]) -> WriteResult:  # noqa: ARG002
        """Run one write in its own transaction, and commit it or roll it back.

        Raises:
            SqlRefused: this database was not opened for writing.
            SqlFailed: the database refused it, time ran out, it would affect more than `max_rows`, or its rows, read
                again before the commit, are not what it says.
            DatabaseUnavailable: the database is gone.
        """
        raise SqlRefused(ErrorKind.NOT_READ_ONLY, f"{self.name} is open for reading only.", "Write one SELECT.")

    def layers(self) -> tuple[Layer, ...]:
        """Which layers under the guard hold on a connection as `run` opens it; empty where the engine cannot tell.
        Raises DatabaseUnavailable."""
        return ()

    def refresh(self) -> None:  # noqa: B027  nothing kept is a good default
        """Have the next `schema` read the database again, whatever is cached."""

    def close(self) -> None:  # noqa: B027  nothing to close is a good default
        """Give back connections."""


# The trace that work belongs to, set by the caller and sent to other deployments:
# https://www.w3.org/TR/trace-context/#traceparent-header
TRACEPARENT: ContextVar[str] = ContextVar("traceparent", default="")
