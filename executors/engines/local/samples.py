"""Sample values of a column: the most frequent of its first rows, with one query per table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

SAMPLED_ROWS = 10_000
MAX_SAMPLE_CHARS = 40
_COLUMNS_PER_QUERY = 100  # SQLite joins at most 500 SELECTs; DuckDB binds them faster in smaller portions

Samples = dict[str, tuple[str, ...]]


def quote_name(name: str) -> str:
    """A name as SQLite and DuckDB take it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def sample_values(
    fetch: Callable[[str], Iterable[Sequence[Any]]], table: str, columns: Sequence[str], count: int, text: str
) -> Samples:
    """The most frequent values of text columns among the first `SAMPLED_ROWS` rows, most frequent first, ties by value.

    Args:
        fetch: runs a query and gives its rows.
        table: as it stands in a FROM clause, quoted.
        columns: names of the columns to look at.
        count: values per column; 0 runs no query.
        text: SQL that makes text of a column, with the hole `{}`; NULL where it holds no text.
    """
    found: dict[str, list[str]] = {}
    for part in _portions(columns if count else ()):
        for position, value in fetch(_query(table, part, count, text)):
            found.setdefault(part[position], []).append(_cut(value))
    return {column: tuple(values) for column, values in found.items()}


def _query(table: str, columns: Sequence[str], count: int, text: str) -> str:
    shown = ", ".join(
        f"substr({text.format(quote_name(name))}, 1, {MAX_SAMPLE_CHARS + 1}) AS c{i}" for i, name in enumerate(columns)
    )
    counted = (
        f"SELECT * FROM (SELECT {i} AS col, c{i} AS val FROM first_rows WHERE c{i} IS NOT NULL AND c{i} <> '' "
        f"GROUP BY c{i} ORDER BY count(*) DESC, c{i} LIMIT {count})"
        for i in range(len(columns))
    )
    first = f"SELECT {shown} FROM {table} LIMIT {SAMPLED_ROWS}"
    return f"WITH first_rows AS MATERIALIZED ({first}) {' UNION ALL '.join(counted)}"


def _portions(columns: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(columns), _COLUMNS_PER_QUERY):
        yield columns[start : start + _COLUMNS_PER_QUERY]


def _cut(value: str) -> str:
    return value if len(value) <= MAX_SAMPLE_CHARS else value[: MAX_SAMPLE_CHARS - 1] + "…"
