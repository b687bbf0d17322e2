"""A server's schema, from one round of catalogue queries, however many tables it has."""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from executors.base import Column, ForeignKey, Schema, Table
from executors.local.samples import MAX_SAMPLE_CHARS
from executors.rows.row import Dialect, SchemaQueries

Rows = Sequence[Sequence[Any]]
Fetch = Callable[[str], Rows]
Key = tuple[str, str]  # schema and table, as the server spells them

# Where there are no statistics, first rows are read instead: of so many tables, so many rows, for so long at most.
SAMPLED_TABLES = 100
SAMPLED_ROWS = 1000
SAMPLING_S = 5.0

_TEXT = re.compile(r"char|text|string|enum|clob|symbol", re.IGNORECASE)
# Long texts have no few values worth showing.
_LONG = re.compile(r"clob|long|medium", re.IGNORECASE)


def read(fetch: Fetch, database: str, dialect: Dialect, *, samples: int, schemas: Sequence[str] = ()) -> Schema:
    """The tables and views that the user may see.

    Args:
        fetch: runs one query and gives its rows. An error in it is the caller's.
        database: the name that it goes by.
        samples: values per text column; 0 asks for none.
        schemas: of the server; empty: all.
    """
    queries = dialect.reads
    if queries is None:
        raise ValueError(f"{dialect.title} is no server")
    return _Catalogue(fetch, dialect, queries, samples, schemas).schema(database)


class _Catalogue:
    """The rows of the catalogue queries, sorted by table."""

    def __init__(
        self, fetch: Fetch, dialect: Dialect, queries: SchemaQueries, samples: int, schemas: Sequence[str]
    ) -> None:
        self._fetch, self._dialect, self._queries, self._count = fetch, dialect, queries, samples
        self._default = str(fetch(queries.default_schema)[0][0] or "")
        self._only = frozenset(name.lower() for name in schemas)
        self._tables: dict[Key, Sequence[Any]] = {
            (row[0], row[1]): row for row in fetch(queries.tables) if not self._only or row[0].lower() in self._only
        }
        self._columns: dict[Key, list[Sequence[Any]]] = defaultdict(list)
        for row in fetch(queries.columns):
            self._columns[row[0], row[1]].append(row)

    def schema(self, database: str) -> Schema:
        keys: dict[Key, list[str]] = defaultdict(list)
        for schema, table, column in self._asked(self._queries.primary_keys):
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
        return Schema(database=database, dialect=self._dialect.name, tables=tables)

    def _asked(self, query: str) -> Rows:
        return self._fetch(query) if query else ()

    def _name(self, key: Key) -> str:
        return key[1] if key[0] == self._default else f"{key[0]}.{key[1]}"

    def _foreign_keys(self) -> dict[Key, list[ForeignKey]]:
        parts: dict[tuple[str, str, str], list[Sequence[Any]]] = defaultdict(list)
        for row in self._asked(self._queries.foreign_keys):
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

    # -- stored values

    def _samples(self) -> dict[tuple[str, str, str], tuple[str, ...]]:
        """By schema, table and column: from statistics, and from first rows where a table has none."""
        if not self._count:
            return {}
        texts = {
            (*key, row[2]) for key in self._tables for row in self._columns[key] if _TEXT.search(row[3]) and _short(row)
        }
        found: dict[tuple[str, str, str], tuple[str, ...]] = {}
        with_statistics: set[Key] = set()
        for schema, table, column, values in self._asked(self._queries.samples.replace("{n}", str(self._count))):
            with_statistics.add((schema, table))
            if (schema, table, column) in texts:
                found[schema, table, column] = _shown(_listed(values), self._count)
        bare: dict[Key, list[str]] = defaultdict(list)
        for schema, table, column in sorted(texts):
            if (schema, table) not in with_statistics and not int(self._tables[schema, table][2]):
                bare[schema, table].append(column)
        if len(bare) <= SAMPLED_TABLES:
            found |= self._first_rows(bare)
        return found

    def _first_rows(self, tables: dict[Key, list[str]]) -> dict[tuple[str, str, str], tuple[str, ...]]:
        """The most frequent values among the first rows of some tables: no more is read of them."""
        found: dict[tuple[str, str, str], tuple[str, ...]] = {}
        end = time.monotonic() + SAMPLING_S
        for key, columns in tables.items():
            if time.monotonic() > end:
                break
            quote = self._dialect.always_quoted
            heads = ", ".join(
                self._queries.head.format(column=quote(column), n=MAX_SAMPLE_CHARS + 1) for column in columns
            )
            place = ".".join(quote(part) for part in key if part)
            rows = self._fetch(self._queries.first_rows.format(columns=heads, table=place, n=SAMPLED_ROWS))
            for position, column in enumerate(columns):
                counted = Counter(row[position] for row in rows if row[position])
                ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
                found[(*key, column)] = _shown((value for value, _ in ranked), self._count)
        return found


def _column(row: Sequence[Any], samples: tuple[str, ...]) -> Column:
    _, _, name, kind, nullable, comment = row
    return Column(
        name=name, type=str(kind), nullable=bool(int(nullable)), comment=_comment(comment), samples=samples
    )


def _comment(text: Any) -> str:
    return " ".join(str(text or "").split())


def _short(row: Sequence[Any]) -> bool:
    return not _LONG.search(row[3])


def _listed(values: Any) -> Iterable[Any]:
    """The values of a statistic: an array of the driver, or a JSON array."""
    if values is None:
        return ()
    return json.loads(values) if isinstance(values, str | bytes) else values


def _shown(values: Iterable[Any], count: int) -> tuple[str, ...]:
    texts = [str(value).rstrip() for value in values if value is not None and str(value).strip()]
    cut = [text if len(text) <= MAX_SAMPLE_CHARS else f"{text[:MAX_SAMPLE_CHARS]}…" for text in texts]
    return tuple(dict.fromkeys(cut))[:count]
