"""Reads a server's schema with one round of catalogue queries for all tables, and caches it for some time."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from executors.base import Column, ForeignKey, Schema, Table
from executors.dialects.row import Dialect
from executors.engines.common.local.files import MAX_SAMPLE_CHARS
from executors.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from sqlalchemy.pool import PoolProxiedConnection

log = logging.getLogger(__name__)

Rows = Sequence[Sequence[Any]]
Fetch = Callable[..., Rows]
Attempt = Callable[[str], Rows | None]
Warn = Callable[[str], None]
Key = tuple[str, str]  # schema and table, as the server spells them

# Without statistics, first rows are read instead. The limits are for the tables, the rows of each, and the total time.
SAMPLED_TABLES = 100
SAMPLED_ROWS = 1000
SAMPLING_S = 5.0
_NAMED = 3
_NEEDED_S, _SPARE_S = 60.0, 5.0  # timeouts of a query that the schema requires, and of any other
_LESS = "Comments and numbers of rows could not be read; see the service's log."

_TEXT = re.compile(r"char|text|string|enum|clob|symbol", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,9}")
# Types of long texts, whose values are not worth showing.
_LONG = re.compile(r"clob|long|medium", re.IGNORECASE)


def read(
    fetch: Fetch,
    database: str,
    dialect: Dialect,
    *,
    samples: int,
    schemas: Sequence[str] = (),
    attempt: Attempt | None = None,
    warn: Warn | None = None,
) -> Schema:
    """The tables and views that the user may see.

    Args:
        fetch: Runs one query and returns its rows. If the server refuses it, runs the second query if there is one.
            Errors are passed to the caller.
        database: The database's name.
        samples: Number of values per text column. 0: none.
        schemas: Schemas of the server. Empty: all.
        attempt: Runs a query for optional parts, such as keys and stored values. Returns None if the server refuses it.
        warn: Is called with a sentence about each refused part.
    """
    return _Catalogue(fetch, attempt or fetch, warn or (lambda _: None), dialect, samples, schemas).schema(database)


class _Catalogue:
    """The rows of the catalogue queries, sorted by table."""

    def __init__(
        self,
        fetch: Fetch,
        attempt: Attempt,
        warn: Warn,
        dialect: Dialect,
        samples: int,
        schemas: Sequence[str],
    ) -> None:
        if (queries := dialect.reads) is None:
            raise ValueError(f"{dialect.title} is no server")
        self._fetch, self._attempt, self._warn = fetch, attempt, warn
        self._dialect, self._queries, self._count = dialect, queries, samples
        self._version = self._read_version()
        self._default = str(fetch(queries.default_schema)[0][0] or "")
        only = frozenset(name.lower() for name in schemas)
        self._tables: dict[Key, Sequence[Any]] = {
            (row[0], row[1]): row
            for row in fetch(*filter(None, (queries.tables, queries.plain_tables)))
            if not only or row[0].lower() in only
        }
        self._columns: dict[Key, list[Sequence[Any]]] = defaultdict(list)
        for row in fetch(*filter(None, (queries.columns, queries.plain_columns))):
            self._columns[row[0], row[1]].append(row)

    def _fetch_or_warn(self, query: str, what: str) -> Rows:
        """The rows of a query, or a warning and no rows. Args: query: may be empty; what: the part that it reads."""
        rows = self._attempt(query) if query else ()
        if rows is None:
            self._warn(f"{what} could not be read; see the service's log.")
        return rows or ()

    def _read_version(self) -> tuple[int, ...]:
        """The server's version. Empty if it is unknown: the schema does not need it, and no function is removed."""
        rows = self._attempt(self._queries.version) if self._queries.version else ()
        numbers = [str(number) for number in rows[0]] if rows else []
        return tuple(map(int, numbers)) if all(map(_WHOLE.fullmatch, numbers)) else ()

    def schema(self, database: str) -> Schema:
        keys: dict[Key, list[str]] = defaultdict(list)
        for schema, table, column in self._fetch_or_warn(self._queries.primary_keys, "Primary keys"):
            keys[schema, table].append(column)
        foreign = self._foreign_keys()
        samples = self._samples()
        tables = tuple(
            Table(
                name=self._name(key),
                namespace="" if key[0] == self._default else key[0],
                columns=tuple(_column(row, samples.get((*key, row[2]), ())) for row in self._columns[key]),
                primary_key=tuple(keys[key]),
                foreign_keys=tuple(foreign[key]),
                comment=_comment(comment),
                row_count=None if estimate is None or int(estimate) < 0 else int(estimate),
                is_view=bool(int(is_view)),
            )
            for key, (_, _, is_view, comment, estimate) in self._tables.items()
            if self._columns[key]
        )
        return Schema(
            database=database,
            dialect=self._dialect.name,
            tables=tables,
            namespace=self._default,
            version=self._version,
            types=tuple(str(row[0]) for row in self._fetch_or_warn(self._queries.types, "Types")),
        )

    def _name(self, key: Key) -> str:
        return key[1] if key[0] == self._default else f"{key[0]}.{key[1]}"

    def _foreign_keys(self) -> dict[Key, list[ForeignKey]]:
        parts: dict[tuple[str, str, str], list[Sequence[Any]]] = defaultdict(list)
        for row in self._fetch_or_warn(self._queries.foreign_keys, "Foreign keys"):
            parts[row[0], row[1], row[2]].append(row)
        found: dict[Key, list[ForeignKey]] = defaultdict(list)
        for (schema, table, _), rows in parts.items():
            target = (rows[0][4], rows[0][5])
            if target in self._tables:
                key = ForeignKey(
                    columns=tuple(row[3] for row in rows),
                    table=self._name(target),
                    referenced=tuple(row[6] for row in rows),
                )
                found[schema, table].append(key)
        return found

    def _samples(self) -> dict[tuple[str, str, str], tuple[str, ...]]:
        """Samples by schema, table and column, from statistics, or from first rows if there are none."""
        if not self._count:
            return {}
        texts = {(*key, row[2]) for key in self._tables for row in self._columns[key] if _is_text(row)}
        found: dict[tuple[str, str, str], tuple[str, ...]] = {}
        listed: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
        statistics = self._queries.samples.replace("{n}", str(self._count))
        for schema, table, column, values in self._fetch_or_warn(statistics, "The server's statistics"):
            # An array of the driver, or a JSON array.
            listed[schema, table, column] += json.loads(values) if isinstance(values, str | bytes) else values or ()
        found |= {place: _cut_samples(values, self._count) for place, values in listed.items() if place in texts}
        of_tables = {place[:2] for place in listed}
        bare: dict[Key, list[str]] = defaultdict(list)
        for schema, table, column in sorted(texts):
            by_column = self._queries.samples_by_column
            known = (schema, table, column) in listed if by_column else (schema, table) in of_tables
            if not known and not int(self._tables[schema, table][2]):
                bare[schema, table].append(column)
        found |= self._first_rows(dict(islice(bare.items(), SAMPLED_TABLES)))
        return found

    def _first_rows(self, tables: dict[Key, list[str]]) -> dict[tuple[str, str, str], tuple[str, ...]]:
        """The most frequent values among the first rows of some tables. Further rows are not read."""
        found: dict[tuple[str, str, str], tuple[str, ...]] = {}
        refused: list[str] = []
        end = time.monotonic() + SAMPLING_S
        for key, columns in tables.items():
            if time.monotonic() > end:
                break
            quote = self._dialect.always_quote
            heads = ", ".join(
                self._queries.head.format(column=quote(column), n=MAX_SAMPLE_CHARS + 1) for column in columns
            )
            place = ".".join(quote(part) for part in key if part)
            rows = self._attempt(self._queries.first_rows.format(columns=heads, table=place, n=SAMPLED_ROWS))
            if rows is None:
                refused.append(self._name(key))
                continue
            for position, column in enumerate(columns):
                counted = Counter(row[position] for row in rows if row[position])
                ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
                found[(*key, column)] = _cut_samples((value for value, _ in ranked), self._count)
        if refused:
            more = f" and {len(refused) - _NAMED} more" if len(refused) > _NAMED else ""
            self._warn(f"No values of {', '.join(refused[:_NAMED])}{more} could be read; see the service's log.")
        return found


def _column(row: Sequence[Any], samples: tuple[str, ...]) -> Column:
    name, kind, nullable, comment = row[2:6]
    return Column(name=name, type=str(kind), nullable=bool(int(nullable)), comment=_comment(comment), samples=samples)


def _comment(text: Any) -> str:
    return " ".join(str(text or "").split())


def _is_text(row: Sequence[Any]) -> bool:
    """Whether a column is text whose values are worth showing, by the server's answer or the name of its type."""
    return bool(row[6]) if len(row) > 6 else bool(_TEXT.search(row[3])) and not _LONG.search(row[3])


def _cut_samples(values: Iterable[Any], count: int) -> tuple[str, ...]:
    texts = [str(value).rstrip() for value in values if value is not None and str(value).strip()]
    cut = [text if len(text) <= MAX_SAMPLE_CHARS else f"{text[:MAX_SAMPLE_CHARS]}…" for text in texts]
    return tuple(dict.fromkeys(cut))[:count]


class SchemaCache:
    """Reads a schema on first use, and again after some time. Thread-safe."""

    def __init__(self, read: Callable[[], Schema], ttl_s: float) -> None:
        self._read, self._ttl_s = read, ttl_s
        self._lock = threading.Lock()
        self._cached: tuple[float, Schema] | None = None
        self._failed: tuple[float, str] = (0.0, "")

    def get(self) -> Schema:
        """The schema. One thread reads it; the others wait. Raises DatabaseUnavailable; the next call tries again."""
        now = time.monotonic()
        with self._lock:
            if self._cached is None or now - self._cached[0] > self._ttl_s:
                if self._failed[0] > now:  # failed while this thread waited, so it does not try again
                    raise DatabaseUnavailable(self._failed[1])
                try:
                    self._cached = (time.monotonic(), self._read())
                except DatabaseUnavailable as error:
                    self._failed = (time.monotonic(), str(error))
                    raise
            return self._cached[1]

    def get_last(self) -> Schema:
        """The schema that was read last, of any age. If there is none, read it. Raises DatabaseUnavailable."""
        cached = self._cached
        return cached[1] if cached is not None else self.get()

    def forget(self) -> None:
        """Make the next `get` read the schema."""
        with self._lock:
            self._cached = None


class Reader:
    """The connection that `catalogue.read` uses, in a `with` block.
    Args: leased: returns a connection; set_timeout: sets the timeout of its next queries, in seconds; error: the
    driver's base class of errors."""

    def __init__(
        self,
        name: str,
        leased: Callable[[], AbstractContextManager[PoolProxiedConnection]],
        set_timeout: Callable[[PoolProxiedConnection, float], None],
        error: type[Exception],
    ) -> None:
        self._name, self._leased, self._set_timeout, self._error = name, leased, set_timeout, error
        self._open = ExitStack()
        self.warnings: list[str] = []

    def __enter__(self) -> Self:
        self._lease = self._open.enter_context(self._leased())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def give_up(self, error: Exception) -> None:
        """Drop the connection, so that it is not used again. Args: error: the error that it failed with."""
        self._lease.invalidate(error)

    def fetch(self, sql: str, plain: str = "") -> Sequence[Sequence[Any]]:
        """Rows of a query that the schema requires, or of `plain` if the server refuses that query.
        Raises the driver's errors."""
        try:
            return self._rows(sql, _NEEDED_S)
        except self._error as error:
            if not plain:
                raise
            self._note(sql, error)
        rows = self._rows(plain, _NEEDED_S)
        if _LESS not in self.warnings:
            self.warnings.append(_LESS)
        return rows

    def attempt(self, sql: str) -> Sequence[Sequence[Any]] | None:
        """Rows of a query for an optional part. None if the server refuses it, or takes too long."""
        try:
            return self._rows(sql, _SPARE_S)
        except (self._error, ValueError, OverflowError) as error:  # or the driver cannot read a value
            self._note(sql, error)
            return None

    def _note(self, sql: str, error: Exception) -> None:
        log.warning("A part of the schema of %s could not be read: %s", self._name, error)
        log.debug("The query was %s", " ".join(sql.split()))
        try:  # continue in a new transaction, or on a new connection if the old one cannot begin one
            self._lease.rollback()
        except self._error as lost:
            log.debug("The connection to %s is replaced: %s", self._name, lost)
            self.give_up(lost)
            self._open.close()
            self._lease = self._open.enter_context(self._leased())

    def _rows(self, sql: str, timeout_s: float) -> Sequence[Sequence[Any]]:
        self._set_timeout(self._lease, timeout_s)
        cursor = self._lease.cursor()
        cursor.execute(sql)
        rows: Sequence[Sequence[Any]] = cursor.fetchall()
        cursor.close()
        return rows
