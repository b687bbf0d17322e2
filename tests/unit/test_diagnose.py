"""An error comes with a hint for its repair."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import duckdb
import pytest
from guard_shop import duckdb_shop, schema, sqlite_shop

from executors.base import Column, ForeignKey, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlFailed
from executors.sql.names import diagnose


def sqlite_failure(sql: str) -> SqlFailed:
    with pytest.raises(sqlite3.Error) as caught:
        sqlite_shop().execute(sql).fetchall()
    return diagnose.sql_failed(str(caught.value), sql, schema("sqlite"))


def duckdb_failure(sql: str) -> SqlFailed:
    with pytest.raises(duckdb.Error) as caught:
        duckdb_shop().execute(sql).fetchall()
    return diagnose.sql_failed(str(caught.value), sql, schema("duckdb"))


@pytest.mark.parametrize("failure", [sqlite_failure, duckdb_failure])
@pytest.mark.parametrize(
    "sql, kind, hint",
    [
        (
            "SELECT o.email FROM orders AS o",
            ErrorKind.COLUMN_NOT_FOUND,
            "orders has only: id, customer_id, total_amount, status, created_at. "
            "email is in customers: add JOIN customers ON o.customer_id = customers.id.",
        ),
        (
            "SELECT unit_price FROM customers",
            ErrorKind.COLUMN_NOT_FOUND,
            "customers has only: id, name, email, country. unit_price is in order_items: "
            "add JOIN orders ON customers.id = orders.customer_id "
            "JOIN order_items ON orders.id = order_items.order_id.",
        ),
        (
            "SELECT o.quantity FROM orders o JOIN order_items i ON i.order_id = o.id",
            ErrorKind.COLUMN_NOT_FOUND,
            "orders has only: id, customer_id, total_amount, status, created_at. "
            "quantity is in order_items: write i.quantity.",
        ),
        (
            "SELECT total FROM orders",
            ErrorKind.COLUMN_NOT_FOUND,
            "orders has only: id, customer_id, total_amount, status, created_at. Nearest: total_amount.",
        ),
        ("SELECT id FROM customer", ErrorKind.TABLE_NOT_FOUND, "Nearest: customers."),
        (
            "SELECT id FROM zzz",
            ErrorKind.TABLE_NOT_FOUND,
            "The tables are: customers, orders, order_items, products.",
        ),
        (
            "SELECT name FROM customers c, products p",
            ErrorKind.AMBIGUOUS_COLUMN,
            "Say which: c.name or p.name.",
        ),
    ],
)
def test_the_hint_names_what_would_repair_it(
    failure: Callable[[str], SqlFailed], sql: str, kind: ErrorKind, hint: str
) -> None:
    error = failure(sql)
    assert (error.kind, error.hint) == (kind, hint)


def test_a_function_of_another_dialect_is_translated() -> None:
    error = sqlite_failure("SELECT date_trunc('month', created_at) FROM orders")
    assert error.kind is ErrorKind.FUNCTION_NOT_FOUND
    assert error.hint == "In SQLite write strftime('%Y-%m', col)."


def test_an_unknown_function_brings_what_is_to_be_known_of_the_dialect() -> None:
    assert diagnose.function_hint("frobnicate", DIALECTS["duckdb"]).startswith("DuckDB: Year: year(col)")


def test_a_message_loses_its_list_of_candidates() -> None:
    error = duckdb_failure("SELECT status + 1 FROM orders")
    assert error.kind is ErrorKind.TYPE_MISMATCH
    assert "Candidate functions" not in error.message
    assert "explicit type casts" in error.message


def test_a_grouping_error_says_where_the_column_belongs() -> None:
    assert "GROUP BY" in duckdb_failure("SELECT id, sum(id) FROM orders GROUP BY status").hint


def test_what_is_unknown_has_no_hint() -> None:
    error = diagnose.sql_failed("The moon is full", "SELECT 1", schema("sqlite"))
    assert (error.kind, error.hint) == (ErrorKind.OTHER, "")


def test_a_query_that_cannot_be_read_still_gets_its_hint() -> None:
    error = diagnose.sql_failed("no such table: ordrs", "SELECT ((", schema("sqlite"))
    assert error.hint == "Nearest: orders, order_items."


@pytest.mark.parametrize(
    "used, goal, joins",
    [
        ({"orders": "o"}, "customers", ("JOIN customers ON o.customer_id = customers.id",)),
        ({"customers": "customers"}, "orders", ("JOIN orders ON customers.id = orders.customer_id",)),
        (
            {"orders": "o"},
            "products",
            (
                "JOIN order_items ON o.id = order_items.order_id",
                "JOIN products ON order_items.product_id = products.id",
            ),
        ),
        (
            {"customers": "c", "order_items": "i"},
            "products",
            ("JOIN products ON i.product_id = products.id",),
        ),
        ({"orders": "orders"}, "orders", ()),
        ({}, "orders", ()),
    ],
)
def test_the_shortest_way_over_foreign_keys(used: dict[str, str], goal: str, joins: tuple[str, ...]) -> None:
    assert diagnose.join_path(schema("sqlite"), used, goal) == joins


def test_keys_of_several_columns_and_keys_to_a_primary_key_are_joined_whole() -> None:
    def table(name: str, columns: str, *keys: ForeignKey) -> Table:
        described = tuple(Column(name=column, type="INT") for column in columns.split())
        return Table(name=name, columns=described, primary_key=("a", "b"), foreign_keys=keys)

    key = ForeignKey(columns=("x", "y"), table="whole", referenced=())
    shop = Schema(database="d", dialect="sqlserver", tables=(table("whole", "a b"), table("my part", "x y", key)))
    assert diagnose.join_path(shop, {"my part": "my part"}, "whole") == (
        "JOIN whole ON [my part].x = whole.a AND [my part].y = whole.b",
    )


def test_a_table_of_many_columns_is_not_listed_whole() -> None:
    wide = Table(name="wide", columns=tuple(Column(name=f"c{number:03}", type="INT") for number in range(300)))
    hint = diagnose.column_hint("zzz", Schema(database="d", dialect="sqlite", tables=(wide,)), {"wide": "wide"})
    assert "c024 and 275 more" in hint
    assert "c025" not in hint


def test_the_nearest_columns_elsewhere_are_none_of_the_tables_that_were_asked() -> None:
    def table(name: str, *columns: str) -> Table:
        return Table(name=name, columns=tuple(Column(name=column, type="TEXT") for column in columns))

    wide = Schema(
        database="d",
        dialect="sqlite",
        tables=(table("a", "shop_name"), table("b", "shop_name"), table("c", "day")),
    )
    for _ in range(2):  # made ready at the first time, used at the second
        hint = diagnose.column_hint("shop_names", wide, {"a": "a"})
        assert hint == "a has only: shop_name. Nearest: shop_name. shop_name is in b."
    assert "is in a" in diagnose.column_hint("shop_names", wide, {"b": "b"})


def _cruises() -> Schema:
    """Instruments, and drills that five joins lead to."""

    def table(name: str, columns: str, *refers: str) -> Table:
        keys = tuple(ForeignKey(columns=(f"{to}_id",), table=to, referenced=(f"{to}_id",)) for to in refers)
        names = (f"{name}_id", *(f"{to}_id" for to in refers), *columns.split())
        described = tuple(Column(name=it, type="TEXT") for it in names)
        return Table(name=name, columns=described, primary_key=(f"{name}_id",), foreign_keys=keys)

    tables = (
        table("drill", "name passed", "vessel"),
        table("vessel", "name flag"),
        table("cruise", "name", "vessel"),
        table("station", "name depth", "cruise"),
        table("instrument", "name kind"),
        table("deployment", "minutes", "station", "instrument"),
    )
    return Schema(database="d", dialect="sqlite", tables=tables)


@pytest.mark.parametrize(
    "name, used, hint",
    [
        ("instrument_name", "instrument", "Nearest: name, instrument_id."),
        ("station_name", "instrument", "Nearest: name. name is in station: add "
         "JOIN deployment ON instrument.instrument_id = deployment.instrument_id "
         "JOIN station ON deployment.station_id = station.station_id."),
        ("passed", "instrument", "passed is in drill."),
        ("name", "deployment", "name is in station: add JOIN station ON deployment.station_id = station.station_id. "
         "name is in instrument: add JOIN instrument ON deployment.instrument_id = instrument.instrument_id."),
        ("flag", "drill", "flag is in vessel: add JOIN vessel ON drill.vessel_id = vessel.vessel_id."),
    ],
)  # fmt: skip
def test_a_near_name_that_the_query_reads_comes_before_a_table_far_away(name: str, used: str, hint: str) -> None:
    found = diagnose.column_hint(name, _cruises(), {used: used})
    assert found.partition(": ")[2].partition(". ")[2] == hint


def _school() -> Schema:
    """Lessons, and exams that two joins lead to."""

    def table(name: str, columns: str, *refers: str) -> Table:
        keys = tuple(ForeignKey(columns=(f"{to}_id",), table=to, referenced=("id",)) for to in refers)
        described = (pair.split(":") for pair in ("id:int", *(f"{to}_id:int" for to in refers), *columns.split()))
        types = tuple(Column(name=column, type=kind) for column, kind in described)
        return Table(name=name, columns=types, primary_key=("id",), foreign_keys=keys)

    opened = Column(name="opened", type="text", samples=("2009-03-01", "2014-09-15"))
    branch = table("branch", "city:text e_mail:text")
    tables = (
        branch.model_copy(update={"columns": (*branch.columns, opened)}),
        table("student", "full_name:text born:date registered:date", "branch"),
        table("lesson", "starts:timestamp minutes:int", "student"),
        table("exam", "taken:date errors:int", "student"),
    )
    return Schema(database="d", dialect="sqlite", tables=tables)


TAKEN = (
    "taken is in exam: add JOIN student ON lesson.student_id = student.id JOIN exam ON student.id = exam.student_id."
)


@pytest.mark.parametrize(
    "name, used, hint",
    [
        ("taken", "lesson", f"The date of lesson: write lesson.starts. {TAKEN}"),
        ("lesson_date", "lesson", "The date of lesson: write lesson.starts."),
        ("heldAt", "lesson", "The date of lesson: write lesson.starts."),
        ("date", "student", "The dates of student: write student.born or student.registered."),
        ("day", "branch", "The date of branch: write branch.opened."),
        ("taken", "branch", "The date of branch: write branch.opened. taken is in exam: add JOIN student ON "
         "branch.id = student.branch_id JOIN exam ON student.id = exam.student_id."),
        ("errors", "lesson", TAKEN.replace("taken", "errors")),
        ("nope", "lesson", ""),
        ("city_mail", "exam", ""),
        ("lesson_minuts", "exam", "Did you mean minutes? It is in lesson: add JOIN student ON exam.student_id = "
         "student.id JOIN lesson ON student.id = lesson.student_id."),
        ("student_name", "lesson", "Nearest: student_id. Did you mean full_name? It is in student: add JOIN student ON "
         "lesson.student_id = student.id."),
        ("erors", "student", "Did you mean errors, which is in exam?"),
        ("email", "student", "e_mail is in branch: add JOIN branch ON student.branch_id = branch.id."),
        ("students_full_name", "exam", "Nearest: student_id. full_name is in student: add JOIN student ON "
         "exam.student_id = student.id."),
    ],
)  # fmt: skip
def test_a_missing_date_is_looked_for_in_the_table_itself_and_no_joins_lead_to_a_guess(
    name: str, used: str, hint: str
) -> None:
    found = diagnose.column_hint(name, _school(), {used: used})
    assert found.partition(": ")[2].partition(".")[2].strip() == hint


def test_a_date_is_written_with_the_name_of_its_table_in_the_query() -> None:
    hint = diagnose.column_hint("taken", _school(), {"student": "T1", "lesson": "T2"}, table="lesson")
    assert "The date of lesson: write T2.starts. taken is in exam" in hint


def test_a_column_of_another_table_of_the_query_is_asked_for_by_its_alias() -> None:
    used = {"lesson": "l", "exam": "e"}
    hint = diagnose.column_hint("error", _school(), used, table="lesson")
    assert hint.endswith("errors is in exam: write e.errors.")
    hint = diagnose.column_hint("erorrs", _school(), used, table="lesson")
    assert hint.endswith("Did you mean e.errors?")
