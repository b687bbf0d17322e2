"""Texts that stand for a missing value in a column of numbers or dates: `N/A`, `-`, `null`, `k. A.`"""

from __future__ import annotations

from typing import TYPE_CHECKING

from executors.engines.local.samples import quote_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ABSENT = r"(?i)^(?:#?n\.?/?a\.?|#n/v|k\.\s?a\.|s/d|null|none|nil|nan|unknown|[-–—]{1,3}|\?)$"


def value_of(column: str) -> str:
    """The expression of a column's text without what is around it; empty where it says that there is no value."""
    text = f"trim({quote_name(column)})"
    return f"(CASE WHEN regexp_matches({text}, '{_ABSENT}') THEN '' ELSE {text} END)"


def absent_note(connection: DuckDBPyConnection, reader: str, column: str) -> str:
    """How many texts of a column say that there is no value, as a sentence; empty where none does."""
    text = f"trim({quote_name(column)})"
    absent = f"FROM {reader} WHERE regexp_matches({text}, '{_ABSENT}')"
    row = connection.execute(f"SELECT count(*), min({text}) {absent}").fetchone()
    assert row is not None  # noqa: S101  an aggregate has one row
    count, one = row
    return f"Read as empty: {count:,} {'value' if count == 1 else 'values'} such as {one}." if count else ""
