"""A library: the tables that the cases of the rules ask, and what a case is."""

from __future__ import annotations

from typing import NamedTuple

from agent.checks.rules.lookup import LookedUp
from agent.core.models import Check
from executors.base import Column, ForeignKey, Schema, Table
from executors.errors import ErrorKind
from rag.docs.documents import Document, make_document
from rag.linking.values import LinkedValue

LOANS = "SELECT COUNT(*) FROM loans WHERE"
COLUMN = ErrorKind.COLUMN_NOT_FOUND
READS = "FROM readers AS r JOIN loans AS l ON r.id = l.reader_id"
CODES = (
    make_document("column", "How they registered: T = telephone, M = mobile app", table="readers", column="channel"),
)


def _column(name: str, type_: str = "INTEGER", *samples: str) -> Column:
    return Column(name=name, type=type_, samples=samples, nullable=name != "id")


def _key(column: str, table: str) -> ForeignKey:
    return ForeignKey(columns=(column,), table=table, referenced=("id",))


TABLES = (
    Table(
        name="readers",
        columns=(
            _column("id"),
            _column("name", "TEXT", "Ada", "Bo"),
            _column("since", "INTEGER", "1999", "2021"),
            _column("channel", "TEXT", "M", "T"),
        ),
        primary_key=("id",),
    ),
    Table(
        name="books",
        columns=(_column("id"), _column("title", "TEXT"), _column("pages", "TEXT", "90", "1200"), _column("price")),
        primary_key=("id",),
    ),
    Table(
        name="loans",
        columns=(
            _column("id"),
            _column("reader_id"),
            _column("book_id"),
            _column("taken_at", "TIMESTAMP", "2024-03-01 10:15:00"),
            _column("due", "TEXT", "2024-03-01 00:00:00"),
            _column("fee"),
        ),
        primary_key=("id",),
        foreign_keys=(_key("reader_id", "readers"), _key("book_id", "books")),
    ),
    Table(
        name="prizes",
        columns=(_column("id"), _column("colour", "TEXT"), _column("badge_id")),
        primary_key=("id",),
        foreign_keys=(_key("badge_id", "badges"),),
    ),
    Table(
        name="badges",  # one for each reader, by the same key
        columns=(_column("id"), _column("colour", "TEXT"), _column("giver_id")),
        primary_key=("id",),
        foreign_keys=(_key("giver_id", "readers"),),
    ),
    Table(
        name="openings",  # a day on which the library was open
        columns=(
            _column("id"),
            _column("weekday", "TEXT", "Monday", "Tuesday"),
            _column("visitors"),
            _column("number_of_helpers"),
            _column("opening_hours", "REAL"),
            _column("remarks", "TEXT"),
            _column("season"),
            _column("keys"),
            _column("planned_on", "DATE", "2024-02-01"),
            _column("held_on", "DATE", "2024-03-01"),
            _column("founded_on", "DATE", "1990-03-01", "1999-05-01"),
        ),
        primary_key=("id",),
        foreign_keys=(_key("keys", "badges"),),
    ),
    Table(name="halls", columns=(_column("hall_no"),)),  # of files, whose keys are found by their values
    Table(
        name="seats",
        columns=(_column("seat_no"), _column("hall_no")),
        foreign_keys=(ForeignKey(columns=("hall_no",), table="halls", referenced=("hall_no",)),),
    ),
    Table(
        name="visits",
        columns=(_column("seat_no"),),
        foreign_keys=(ForeignKey(columns=("seat_no",), table="seats", referenced=("seat_no",)),),
    ),
    Table(
        name="flats",
        columns=(
            _column("id"),
            _column("balcony", "BOOLEAN"),
            _column("is_let"),
            _column("pets", "TEXT", "N", "Y"),
            _column("on_display", "BOOLEAN"),
            _column("rooms"),
        ),
        primary_key=("id",),
    ),
    Table(
        name="films",  # the tables of a cinema, whose keys have the same name everywhere
        columns=(_column("film_id"), _column("minutes"), _column("off_pct"), _column("rating", "REAL")),
        primary_key=("film_id",),
    ),
    Table(
        name="screenings",
        columns=(
            _column("screening_id"),
            _column("film_id"),
            _column("seats"),
            _column("shown_on", "DATE", "2024-03-01"),
        ),
        primary_key=("screening_id",),
        foreign_keys=(ForeignKey(columns=("film_id",), table="films", referenced=("film_id",)),),
    ),
    Table(
        name="tickets",
        columns=(_column("ticket_id"), _column("screening_id"), _column("cents"), _column("row_name", "TEXT")),
        primary_key=("ticket_id",),
        foreign_keys=(ForeignKey(columns=("screening_id",), table="screenings", referenced=("screening_id",)),),
    ),
)


def schema_of(dialect: str) -> Schema:
    return Schema(database="library", dialect=dialect, tables=TABLES)


DOUBT = "doubt"


class Case(NamedTuple):
    """One query for a rule; `why` says what it shows."""

    sql: str
    after: str | None
    why: str
    question: str = ""
    dialect: str = "sqlite"
    error: ErrorKind | None = None
    looked_up: LookedUp | None = None
    values: tuple[LinkedValue, ...] = ()
    told: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    rows: tuple[tuple[object, ...], ...] | None = None


def grouped(selected: str, by: str, added: str | None, why: str = "decided by the key", rest: str = "") -> Case:
    """A query that DuckDB refuses for its groups, and the columns that are added to them; None: it stays."""
    joined = "FROM readers AS r JOIN loans AS l ON r.id = l.reader_id"
    sql = f"SELECT {selected} {joined} GROUP BY {by}{{}}{rest}"
    after = None if added is None else sql.format(f", {added}")
    return Case(sql.format(""), after, why, dialect="duckdb", error=ErrorKind.GROUPING)


def missing_text(text: str, nearest: tuple[str, ...] = (), same: str | None = None) -> LookedUp:
    key = ("readers", "name", text)
    return LookedUp(
        check=Check(name="filter_values", passed=False, detail=f"readers.name holds no {text!r}."),
        missing={key: nearest},
        same={key: same} if same is not None else {},
    )


def left_alone(*rows: tuple[str, str], dialect: str = "sqlite", error: ErrorKind | None = None) -> list[Case]:
    """Rows of (query, why) on which the rule stays silent."""
    return [Case(sql, None, why, dialect=dialect, error=error) for sql, why in rows]


def doubted(*rows: tuple[str, str]) -> list[Case]:
    """Rows of (query, why) that the rule doubts."""
    return [Case(sql, DOUBT, why) for sql, why in rows]


def cases(*rows: tuple[str, str | None, str], error: ErrorKind | None = None, dialect: str = "sqlite") -> list[Case]:
    """Rows of (query, what becomes of it, why)."""
    return [Case(sql, after, why, error=error, dialect=dialect) for sql, after, why in rows]
