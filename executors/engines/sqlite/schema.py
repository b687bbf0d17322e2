"""Reads the schema of an SQLite database: declared types, keys, comments in its DDL, row counts, samples."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from executors.base import Column, ForeignKey, Schema, Table
from executors.engines.common.local.files import Samples, quote_name, sample_values

# A full count reads a whole table, and a view may do anything. These are the total times for all tables.
COUNTING_S = 2.0
SAMPLING_S = 5.0

_SHADOWS = ("data", "idx", "content", "docsize", "config", "segments", "segdir", "stat", "node", "rowid", "parent")
_NO_TEXT = re.compile(r"INT|REAL|FLOA|DOUB|BLOB|NUMERIC|DECIMAL|BOOL", re.IGNORECASE)
_TEXT = "CASE typeof({0}) WHEN 'text' THEN {0} END"
_NOTED_LINE = re.compile(
    r"^\s*(?P<name>\"[^\"]+\"|\[[^\]]+\]|`[^`]+`|\w+)\s[^'\n]*?--\s*(?P<comment>\S.*?)\s*$", re.MULTILINE
)


class SqliteCatalogue(NamedTuple):
    """A schema, and a sentence for each part that could not be read."""

    schema: Schema
    warnings: tuple[str, ...]


class _Stored(NamedTuple):
    name: str
    is_view: bool
    sql: str


def read(connection: sqlite3.Connection, database: str, samples: int) -> SqliteCatalogue:
    """Read all tables and views, in the order of their creation.
    Args: connection: must not have an authorizer, because this runs PRAGMAs."""
    warnings: list[str] = []
    columns: dict[_Stored, list[tuple[Any, ...]]] = {}
    for stored in _read_stored(connection):
        try:
            columns[stored] = connection.execute(f"PRAGMA table_xinfo({quote_name(stored.name)})").fetchall()
        except sqlite3.OperationalError as error:
            warnings.append(f"The view {stored.name} cannot be read: {error}.")
    keys = {
        stored.name: tuple(row[1] for row in sorted(rows, key=lambda row: row[5]) if row[5])
        for stored, rows in columns.items()
    }
    counts = _counts(connection, [stored.name for stored in columns])
    with _time_limit(connection, SAMPLING_S):
        tables = tuple(
            Table(
                name=stored.name,
                columns=_columns(rows, _comments(stored.sql), _samples(connection, stored.name, rows, samples)),
                primary_key=keys[stored.name],
                foreign_keys=tuple(_foreign_keys(connection, stored.name, keys)),
                row_count=counts.get(stored.name),
                is_view=stored.is_view,
            )
            for stored, rows in columns.items()
        )
    return SqliteCatalogue(Schema(database=database, dialect="sqlite", tables=tables), tuple(warnings))


def _read_stored(connection: sqlite3.Connection) -> list[_Stored]:
    """The tables to show, without SQLite's own and the internal tables of full-text and R*Tree tables."""
    rows = connection.execute(
        "SELECT name, type = 'view', coalesce(sql, '') FROM sqlite_master "
        "WHERE type IN ('table', 'view') ORDER BY rowid"
    ).fetchall()
    found = [_Stored(name, bool(is_view), sql) for name, is_view, sql in rows if not name.lower().startswith("sqlite_")]
    virtual = [stored.name for stored in found if re.match(r"\s*CREATE\s+VIRTUAL", stored.sql, re.IGNORECASE)]
    shadows = {f"{name}_{suffix}" for name in virtual for suffix in _SHADOWS}
    return [stored for stored in found if stored.name not in shadows]


def _columns(rows: Sequence[tuple[Any, ...]], comments: Mapping[str, str], samples: Samples) -> tuple[Column, ...]:
    return tuple(
        Column(
            name=name,
            type=declared.upper(),
            nullable=not (not_null or key),
            comment=comments.get(name.lower(), ""),
            samples=samples.get(name, ()),
        )
        for _, name, declared, not_null, _, key, hidden in rows
        if hidden != 1  # 1: a virtual table's hidden column; 2 and 3 are generated columns
    )


def _foreign_keys(
    connection: sqlite3.Connection, table: str, primary_keys: Mapping[str, tuple[str, ...]]
) -> Iterator[ForeignKey]:
    """The foreign keys of a table, in the order of declaration. A key without columns references the primary key."""
    spelled = {name.lower(): name for name in primary_keys}
    keys: dict[int, list[tuple[Any, ...]]] = {}
    for row in connection.execute(f"PRAGMA foreign_key_list({quote_name(table)})"):
        keys.setdefault(row[0], []).append(row)
    for number in sorted(keys, reverse=True):
        rows = sorted(keys[number], key=lambda row: row[1])
        other = spelled.get(rows[0][2].lower(), rows[0][2])
        named = tuple(row[4] for row in rows if row[4] is not None)
        yield ForeignKey(
            columns=tuple(row[3] for row in rows), table=other, referenced=named or primary_keys.get(other, ())
        )


def _comments(sql: str) -> dict[str, str]:
    """The comments after `--` on the columns' lines of the DDL, by column in lower case."""
    found = _NOTED_LINE.finditer(sql)
    return {match["name"].strip('"[]`').lower(): match["comment"] for match in found}


def _counts(connection: sqlite3.Connection, tables: Sequence[str]) -> dict[str, int]:
    """The number of rows of each table, except tables that took too long or cannot be read."""
    counts: dict[str, int] = {}
    with _time_limit(connection, COUNTING_S):
        for table in tables:
            try:
                counts[table] = connection.execute(f"SELECT count(*) FROM {quote_name(table)}").fetchone()[0]
            except sqlite3.OperationalError:
                continue
    return counts


def _samples(connection: sqlite3.Connection, table: str, rows: Sequence[tuple[Any, ...]], count: int) -> Samples:
    texts = [row[1] for row in rows if row[6] != 1 and not _NO_TEXT.search(row[2])]
    try:
        return sample_values(connection.execute, quote_name(table), texts, count, _TEXT)
    except sqlite3.OperationalError:  # the view's query fails or is too slow; the schema has no samples then
        return {}


@contextmanager
def _time_limit(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Make every statement on the connection fail after that many seconds."""
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)
