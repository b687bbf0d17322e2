"""A driver's errors, as the loop and the user see them."""

from __future__ import annotations

from typing import Any

import pytest

from executors.base import Column, Schema, Table
from executors.dialects.table import DIALECTS
from executors.engines.common.servers import failures
from executors.engines.common.servers.tokens import CredentialError
from executors.errors import DatabaseUnavailable, ErrorKind

POSTGRESQL = DIALECTS["postgresql"]
PEOPLE = Table(name="people", columns=(Column(name="id", type="integer"), Column(name="name", type="text")))
SCHEMA = Schema(database="shop", dialect="postgresql", tables=(PEOPLE,))
SECRETS = ("db.internal", "10.0.0.7", "5432", "bob", "s3cret", "warehouse", "/etc/")


@pytest.mark.parametrize("message, why", [
    ('connection to server at "db.internal" (10.0.0.7), port 5432 failed: Connection refused', "does not answer"),
    ('could not translate host name "db.internal" to address: Name or service not known', "does not answer"),
    ('FATAL:  password authentication failed for user "bob"', "the user or the password"),
    ("(1045, \"Access denied for user 'bob'@'10.0.0.7' (using password: YES)\")", "the user or the password"),
    ("[28000] [Microsoft][SQL Server]Login failed for user 'bob'. (18456)", "the user or the password"),
    ("ORA-01017: invalid username/password; logon denied", "the user or the password"),
    ('FATAL:  database "warehouse" does not exist', "no such database"),
    ("(1049, \"Unknown database 'warehouse'\")", "no such database"),
    ("[42000] Cannot open database \"warehouse\" requested by the login.", "no such database"),
    ("server does not support SSL, but SSL was required", "no encrypted connection"),
    ("SSL error: certificate verify failed", "no encrypted connection"),
    ('root certificate file "/etc/root.crt" does not exist', "no encrypted connection"),
    ('FATAL:  sorry, too many clients already', "takes no more connections"),
    ("(1040, 'Too many connections')", "takes no more connections"),
    ('invalid dsn: invalid connection option "warehouse"', "the options in its address"),
    ('invalid integer value "s3cret" for connection option "connect_timeout"', "the options in its address"),
    ('invalid sslmode value: "s3cret"', "the options in its address"),
])  # fmt: skip
def test_why_no_connection_is_to_be_had(message: str, why: str, caplog: pytest.LogCaptureFixture) -> None:
    said = str(failures.unreachable("shop", OSError(message)))

    assert said.startswith("shop cannot be opened: ")
    assert why in said
    assert [secret for secret in SECRETS if secret in said] == []
    assert any(message in said for said in caplog.messages), "who runs the service finds the driver's words in its log"


def test_a_token_that_is_not_to_be_had_is_told() -> None:
    error = CredentialError("DefaultAzureCredential failed for tenant 1234")

    assert "no Entra ID token" in str(failures.unreachable("shop", error))


class DriverError(Exception):
    """An error of psycopg2, as far as this project looks at one."""

    __module__ = "psycopg2.errors"

    def __init__(self, message: str, pgcode: str | None = None) -> None:
        super().__init__(message)
        self.pgcode = pgcode


def told(error: Exception, sql: str = "SELECT nmae, x, y FROM people") -> Any:
    return failures.translate(error, POSTGRESQL, sql, lambda: SCHEMA)


def test_the_code_decides_and_the_message_names() -> None:
    failed = told(DriverError('Spalte "nmae" existiert nicht: column "nmae" does not exist', "42703"))

    assert failed.kind is ErrorKind.COLUMN_NOT_FOUND
    assert "name" in failed.hint


def test_the_code_decides_where_the_message_is_in_another_language() -> None:
    failed = told(DriverError("Division durch Null", "22012"))

    assert failed.kind is ErrorKind.DIVISION_BY_ZERO
    assert failed.message == "Division … Null", "its words are not known, and may be values"
    assert failed.hint


def test_the_message_decides_where_there_is_no_code() -> None:
    assert told(DriverError('relation "peple" does not exist')).kind is ErrorKind.TABLE_NOT_FOUND


@pytest.mark.parametrize("message, shown", [
    ('column "x" does not exist\nLINE 1: DECLARE "plumbline" CURSOR FOR SELECT x\n                      ^\n',
     'column "x" does not exist'),
    ('column "x" does not exist\nLINE 1: SELECT x\n               ^\nHINT:  Perhaps "y".\n',
     'column "x" does not exist\nHINT:  Perhaps "y".'),
    ("[42S22] [Microsoft][ODBC Driver 18][SQL Server]Invalid column name 'x'.",
     "Invalid column name 'x'."),
])  # fmt: skip
def test_only_the_servers_own_words_are_shown(message: str, shown: str) -> None:
    assert told(DriverError(message)).message == shown


def test_an_error_is_told_without_a_hint_where_the_schema_cannot_be_read() -> None:
    def gone() -> Schema:
        raise DatabaseUnavailable("shop cannot be opened")

    error = DriverError('column "x" does not exist', "42703")
    failed = failures.translate(error, POSTGRESQL, "SELECT x FROM people", gone)

    assert failed.kind is ErrorKind.COLUMN_NOT_FOUND
    assert failed.message == 'column "x" does not exist'


def test_a_missing_driver_says_what_to_install() -> None:
    assert "pip install -r requirements.txt" in str(failures.no_driver("shop", POSTGRESQL))
