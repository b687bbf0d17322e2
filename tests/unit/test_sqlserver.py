"""SQL Server without a server: connection strings, tokens, errors and allowed statements."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any

import pyodbc
import pytest
from pydantic import SecretStr
from sqlserver_people import EIGHTEEN, ROW, server_error

from executors.base import Column, Schema, Table
from executors.dialects.table import DIALECTS
from executors.engines.common.servers import failures, statements
from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor
from executors.engines.common.servers.tokens import SQL_SERVER_SCOPE, CredentialError, TokenSource
from executors.engines.sqlserver.executor import SqlServerExecutor, offset_from_bytes, time_from_bytes, token_bytes
from executors.engines.sqlserver.odbc import UnusableAddress, check_strict, connection_string, newest_driver
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed
from executors.registry.address import Address
from executors.registry.entry import ServerOptions

FAR = 4_000_000_000


def executor(address: str, *, token: TokenSource | None = None, **options: Any) -> SqlServerExecutor:
    return SqlServerExecutor("shop", Address.parse(address), options=ServerOptions(**options), token=token)


# -- the connection string -----------------------------------------------------------------------------------


@pytest.mark.parametrize("installed, newest", [
    ([EIGHTEEN, "ODBC Driver 17 for SQL Server"], EIGHTEEN),
    (["ODBC Driver 9 for SQL Server", "ODBC Driver 17 for SQL Server"], "ODBC Driver 17 for SQL Server"),
    (["FreeTDS", "SQL Server", "PostgreSQL Unicode"], ""),  # what may not know TLS is not chosen by itself
    ([], ""),
])  # fmt: skip
def test_the_newest_driver_of_microsoft_is_chosen(installed: list[str], newest: str) -> None:
    assert newest_driver(installed) == newest


@pytest.mark.parametrize("address, options, expected", [
    ("mssql://reader:secret@db.example.com:1433/shop", {},
     "Driver={D};Server=db.example.com,1433;Database=shop;UID=reader;PWD=secret;"
     "encrypt=yes;trustservercertificate=no;applicationintent=ReadOnly;app=plumbline"),
    # this machine is no exception: so does the driver have it
    ("mssql://reader:secret@localhost/shop", {},
     "Driver={D};Server=localhost;Database=shop;UID=reader;PWD=secret;"
     "encrypt=yes;trustservercertificate=no;applicationintent=ReadOnly;app=plumbline"),
    # braces hold what the string's own marks would cut, and theirs are doubled
    ("mssql://a%3Bb:p%7D%3Bencrypt%3Dno%7Bx@h/d%20e", {},
     "Driver={D};Server=h;Database={d e};UID={a;b};PWD={p}};encrypt=no{x};"
     "encrypt=yes;trustservercertificate=no;applicationintent=ReadOnly;app=plumbline"),
    ("mssql://reader:secret@h/shop?TrustServerCertificate=yes&Encrypt=strict&MultiSubnetFailover=Yes", {},
     "Driver={D};Server=h;Database=shop;UID=reader;PWD=secret;"
     "encrypt=strict;trustservercertificate=yes;applicationintent=ReadOnly;app=plumbline;multisubnetfailover=Yes"),
    # what is to be written is read where it was written
    ("mssql://reader:secret@h/shop", {"writable": True},
     "Driver={D};Server=h;Database=shop;UID=reader;PWD=secret;"
     "encrypt=yes;trustservercertificate=no;applicationintent=ReadWrite;app=plumbline"),
    ("mssql://h/shop?authentication=ActiveDirectoryMsi", {},
     "Driver={D};Server=h;Database=shop;"
     "encrypt=yes;trustservercertificate=no;applicationintent=ReadOnly;app=plumbline;"
     "authentication=ActiveDirectoryMsi"),
    # a token excludes everything else that says who one is
    ("mssql://reader:secret@h/shop?auth=entra&authentication=ActiveDirectoryMsi&trusted_connection=yes",
     {"token": True},
     "Driver={D};Server=h;Database=shop;"
     "encrypt=yes;trustservercertificate=no;applicationintent=ReadOnly;app=plumbline"),
    (r"Driver={D};Server=tcp:h\express,1444;Database=shop;UID=reader;PWD={a;b};LoginTimeout=5", {},
     r"Driver={D};Server=h\express,1444;Database=shop;UID=reader;PWD={a;b};"
     "encrypt=yes;trustservercertificate=no;applicationintent=ReadOnly;app=plumbline;logintimeout=5"),
    ("DSN=warehouse;UID=reader;PWD=secret", {},
     "UID=reader;PWD=secret;"
     "encrypt=yes;trustservercertificate=no;applicationintent=ReadOnly;app=plumbline;dsn=warehouse"),
])  # fmt: skip
def test_an_address_becomes_a_connection_string(address: str, options: dict[str, bool], expected: str) -> None:
    assert connection_string(Address.parse(address), "D", **{"token": False, "writable": False, **options}) == expected


def test_an_option_cannot_smuggle_in_another() -> None:
    address = Address(dialect="sqlserver", host="h", query={"app": "x;encrypt=no", "a=b;uid": "sa"})

    text = connection_string(address, "D", token=False, writable=False)

    assert "app={x;encrypt=no}" in text
    assert "uid" not in text.lower()


@pytest.mark.parametrize("encrypt, said", [("", True), ("?encrypt=no", False), ("?encrypt=mandatory", True)])
def test_freetds_is_told_to_encrypt_in_its_own_words(encrypt: str, said: bool) -> None:
    text = connection_string(Address.parse(f"mssql://h/d{encrypt}"), "FreeTDS", token=False, writable=False)

    assert ("encryption=require" in text) is said


@pytest.mark.parametrize("address, server", [
    ("mssql://h:1444/d", "Server=h;Port=1444;"),
    ("mssql://h/d", "Server=h;Port=1433;"),
    (r"Driver={FreeTDS};Server=tcp:h,1444;Database=d", "Server=h;Port=1444;"),
    (r"Driver={FreeTDS};Server=h\express;Database=d", r"Server=h\express;Database"),
])  # fmt: skip
def test_freetds_gets_the_port_by_itself(address: str, server: str) -> None:
    """It takes `h,1444` for a name, and puts what is behind the comma into the login."""
    text = connection_string(Address.parse(address), "FreeTDS", token=False, writable=False)

    assert server in text
    assert "," not in text


@pytest.mark.parametrize("password, written", [
    ("plain", "PWD=plain;"),
    ("semi;colon", "PWD={semi;colon};"),
    ("bra}ce", "PWD=bra}ce;"),
    ("end}", "PWD=end};"),
])  # fmt: skip
def test_freetds_gets_passwords_in_its_own_quotes(password: str, written: str) -> None:
    address = Address(dialect="sqlserver", host="h", user="u", password=SecretStr(password))

    assert written in connection_string(address, "FreeTDS", token=False, writable=False)


def test_a_password_that_freetds_cannot_be_given_is_said_to_be_one() -> None:
    address = Address(
        dialect="sqlserver", host="h", user="u", password=SecretStr("both};x"), query={"driver": "FreeTDS"}
    )
    one = SqlServerExecutor("shop", address, options=ServerOptions())

    with pytest.raises(
        DatabaseUnavailable, match="shop cannot be opened: FreeTDS cannot be given a password"
    ) as raised:
        one.schema()
    assert "p4ss" not in str(raised.value)


@pytest.mark.parametrize("query, said", [
    ("encrypt=strict", "encrypt=strict means TDS 8"),
    ("encrypt=strict&tds_version=7.4", "encrypt=strict means TDS 8"),
])  # fmt: skip
def test_strict_is_refused_where_freetds_does_not_speak_it(query: str, said: str) -> None:
    with pytest.raises(DatabaseUnavailable, match=said):
        executor(f"mssql://h/d?driver=FreeTDS&{query}").schema()


@pytest.mark.parametrize("driver, version, refused", [
    ("libtdsodbc.so", "01.03.0017", True),  # which takes 8.0 for another name of 7.1
    ("libtdsodbc.so", "01.05.0004", False),
    ("libmsodbcsql-18.6.so.2.1", "18.06.0002", False),
])  # fmt: skip
def test_strict_is_held_against_the_driver_that_connected(driver: str, version: str, refused: bool) -> None:
    address = Address.parse("mssql://h/d?encrypt=strict&tds_version=8.0")

    assert "encryption=strict" in connection_string(address, "FreeTDS", token=False, writable=False)
    if refused:
        with pytest.raises(UnusableAddress, match=r"1\.5"):
            check_strict(address, driver, version)
    else:
        check_strict(address, driver, version)


def test_without_a_driver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyodbc, "drivers", lambda: ["FreeTDS"])

    with pytest.raises(DatabaseUnavailable, match="msodbcsql18"):
        executor("mssql://reader:secret@h/shop").schema()


def test_a_driver_that_is_named_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyodbc, "drivers", list)

    text = executor("mssql://h/shop?driver=FreeTDS").url().query["odbc_connect"]

    assert str(text).startswith("Driver={FreeTDS};")


# -- Entra ID ------------------------------------------------------------------------------------------------


class FakeCredential:
    """Gives `token-1`, `token-2` and so on; the first has expired when the second connection wants one."""

    def __init__(self, *lifetimes: int) -> None:
        self._ends = list(lifetimes)
        self.scopes: list[str] = []

    def get_token(self, *scopes: str, **_: object) -> Any:
        self.scopes.extend(scopes)
        return SimpleNamespace(token=f"token-{len(self.scopes)}", expires_on=self._ends.pop(0))


def test_a_token_is_utf16_with_its_length_before_it() -> None:
    assert token_bytes("aé") == b"\x04\x00\x00\x00" + b"a\x00\xe9\x00"


def test_every_connection_gets_a_token_that_is_valid() -> None:
    credential = FakeCredential(0, FAR)
    one = executor("mssql://h/shop?auth=entra", token=TokenSource(SQL_SERVER_SCOPE, credential))

    sent = [one.connect_options()["attrs_before"] for _ in range(3)]

    assert sent == [
        {1256: b"\x0e\x00\x00\x00" + "token-1".encode("utf-16-le")},
        {1256: b"\x0e\x00\x00\x00" + "token-2".encode("utf-16-le")},
        {1256: b"\x0e\x00\x00\x00" + "token-2".encode("utf-16-le")},
    ]
    assert credential.scopes == ["https://database.windows.net/.default"] * 2


def test_without_entra_no_token_is_sent() -> None:
    options = executor("mssql://reader:secret@h/shop", connect_timeout_s=2.5).connect_options()

    assert options == {"timeout": 3, "autocommit": False}


def test_an_identity_that_is_refused_is_told_as_such() -> None:
    from azure.core.exceptions import ClientAuthenticationError

    class Refusing:
        def get_token(self, *scopes: str, **_: object) -> Any:
            raise ClientAuthenticationError("no identity")

    one = executor("mssql://h/shop?auth=entra", token=TokenSource(SQL_SERVER_SCOPE, Refusing()))

    with pytest.raises(CredentialError):
        one.connect_options()


def test_the_address_alone_can_ask_for_a_token() -> None:
    text = executor("mssql://reader:secret@h/shop?auth=entra&driver=D").url().query["odbc_connect"]

    assert "secret" not in str(text)
    assert "UID" not in str(text)


# -- logging in ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number, tries", [
    (40613, 3),  # the database is being resumed
    (40197, 3), (40501, 3), (49918, 3), (49919, 3), (49920, 3), (4221, 3), (10928, 3), (10929, 3),
    (18456, 1),  # a wrong password stays wrong
    (4060, 1),
])  # fmt: skip
def test_what_will_do_in_a_moment_is_tried_again(monkeypatch: pytest.MonkeyPatch, number: int, tries: int) -> None:
    tried: list[int] = []

    def connect(self: SqlAlchemyExecutor) -> str:
        tried.append(number)
        if len(tried) < 3:
            raise server_error(number, "Not now.")
        return "connected"

    monkeypatch.setattr(SqlAlchemyExecutor, "_connect", connect)
    monkeypatch.setattr(SqlServerExecutor, "first_wait_s", 0)
    one = executor("mssql://h/shop")

    if tries == 1:
        with pytest.raises(pyodbc.Error):
            one._connect()
    else:
        assert one._connect() == "connected"  # type: ignore[comparison-overlap]
    assert len(tried) == tries


@pytest.mark.parametrize("number, message, why", [
    (18456, "Login failed for user 'reader'.", "did not accept the user or the password"),
    (4060, 'Cannot open database "shop" requested by the login. The login failed.', "no such database"),
    (40615, "Cannot open server 'x' requested by the login. Client with IP address '10.1.2.3' is not allowed to "
            "access the server.", "firewall"),
])  # fmt: skip
def test_a_login_that_fails_says_why_and_no_names(number: int, message: str, why: str) -> None:
    told = str(failures.unreachable("shop", server_error(number, message)))

    assert why in told
    assert "reader" not in told
    assert "10.1.2.3" not in told


@pytest.mark.parametrize("number, message", [
    (3609, "The transaction ended in the trigger. The batch has been aborted."),
    (530, "The statement terminated. The maximum recursion … has been exhausted before statement completion."),
])  # fmt: skip
def test_the_servers_own_words_are_told(number: int, message: str) -> None:
    none = Schema(database="d", dialect="sqlserver", tables=())

    said = failures.translate(server_error(number, message), DIALECTS["sqlserver"], "SELECT 1", lambda: none)

    assert said.message == message


@pytest.mark.parametrize("message, kind, hint", [
    ('column "citty" does not exist', ErrorKind.COLUMN_NOT_FOUND, "Nearest: city"),
    ('relation "peple" does not exist', ErrorKind.TABLE_NOT_FOUND, "Nearest: people"),
    ("function datetrunk(unknown, date) does not exist", ErrorKind.FUNCTION_NOT_FOUND, "DATEADD"),
    ('column "people.city" must appear in the GROUP BY clause or be used in an aggregate function',
     ErrorKind.GROUPING, "GROUP BY"),
    ("syntax error near 'LIMIT' at line 1 and character position 20", ErrorKind.SYNTAX_ERROR, "TOP"),
    ("'XMLTABLE' is not currently supported in Babelfish", ErrorKind.SYNTAX_ERROR, "one SQL Server SELECT"),
    ("operator does not exist: varchar + integer", ErrorKind.TYPE_MISMATCH, "Cast"),
    ("division by zero", ErrorKind.DIVISION_BY_ZERO, "NULLIF"),
    ("more than one row returned by a subquery used as an expression", ErrorKind.SEVERAL_ROWS, "IN"),
    ('new row for relation "people" violates check constraint "c"', ErrorKind.CONSTRAINT, ""),
    ("canceling statement due to user request", ErrorKind.TIMEOUT, ""),
])  # fmt: skip
def test_a_server_that_is_like_sql_server_may_say_it_in_postgresqls_words(
    message: str, kind: ErrorKind, hint: str
) -> None:
    columns = tuple(Column(name=name, type="int", nullable=True) for name in ("id", "city"))
    known = Schema(database="d", dialect="sqlserver", tables=(Table(name="people", columns=columns),), namespace="dbo")
    sql = "SELECT [citty] FROM [people]" if "citty" in message else "SELECT [city], 1 FROM [people]"

    failed = failures.translate(server_error(33557097, message), DIALECTS["sqlserver"], sql, lambda: known)

    assert failed.kind is kind
    assert hint in failed.hint


# -- values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fields, text", [
    ((2024, 2, 29, 10, 20, 30, 123456700, 5, 30), "2024-02-29T10:20:30.1234567+05:30"),
    ((2024, 2, 29, 10, 20, 30, 0, -3, -30), "2024-02-29T10:20:30-03:30"),
    ((2024, 2, 29, 10, 20, 30, 500000000, 0, -30), "2024-02-29T10:20:30.5-00:30"),
    ((1, 1, 1, 0, 0, 0, 0, 0, 0), "0001-01-01T00:00:00+00:00"),
])  # fmt: skip
def test_a_datetimeoffset_keeps_its_fraction_and_its_offset(fields: tuple[int, ...], text: str) -> None:
    assert offset_from_bytes(struct.pack("<hHHHHHIhh", *fields)) == text


def test_no_datetimeoffset_is_null() -> None:
    assert offset_from_bytes(None) is None
    assert time_from_bytes(None) is None


def test_a_time_of_a_variant_keeps_its_fraction() -> None:
    assert time_from_bytes(struct.pack("<HHHxxI", 10, 2, 3, 123456700)) == "10:02:03.1234567"
    assert time_from_bytes(struct.pack("<HHHxxI", 10, 2, 3, 0)) == "10:02:03"


# -- what may be sent ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("sql", [
    "SELECT CASE WHEN id = 1 THEN 'a' ELSE 'b' END FROM people",
    "(SELECT id FROM people) UNION ALL SELECT id FROM visits",
    "WITH x AS (SELECT 1 AS a) SELECT * FROM x;",
    "SELECT id FROM people ORDER BY id OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY",
    "SELECT IIF(id = 1, 'x', 'y'), CAST(1 AS int) FROM people FOR JSON PATH",
    "SELECT [update], \"delete\", [drop table], [a]]b] FROM people -- delete it",
    "SELECT 'DELETE FROM people; COMMIT' /* DROP */ AS text",
    "SELECT 'next value for', N'it''s; here' FROM people",
    "SELECT created, updated, inserts, truncated, executive FROM people",
    "SELECT [values].[end] FROM people AS [values]",
    "SELECT d.fetched, next, value FROM people AS d",
    "SELECT * FROM people AS p CROSS APPLY OPENJSON(p.name) AS j",
    "SELECT 1e5, 0x1f",
])  # fmt: skip
def test_a_query_may_be_sent(sql: str) -> None:
    statements.require_one(sql, ROW)


@pytest.mark.parametrize("sql, why", [
    ("sp_rename 'people', 'folk'", "a name alone is a call"),
    ("SELECT 1DELETE FROM people", "a number ends where a word begins"),
    ("SELECT id e'\\' DELETE FROM people --'", "a backslash is an ordinary character"),
    ("SELECT 1 /* /* */ DELETE FROM people */", "comments nest on the server; here the first end counts"),
    ("SELECT a INTO #b FROM people", "makes a table"),
    ("SELECT NEXT VALUE FOR numbers", "a number that is drawn stays drawn"),
    ("{call sp_who}", "an escape of ODBC"),
    ("SELECT 1 --\rDELETE FROM people", "a comment that the server may end"),
    ("EXECUTE AS USER = 'dbo'", "takes another identity"),
    ("SELECT 1 WHILE 1 = 1 SELECT 2", "a second statement without a semicolon"),
    ("SELECT 1; SELECT 2", "two statements"),
])  # fmt: skip
def test_what_is_no_query_is_not_sent(sql: str, why: str) -> None:
    with pytest.raises(SqlFailed) as raised:
        statements.require_one(sql, ROW)

    assert raised.value.kind is ErrorKind.NOT_READ_ONLY, why


def test_a_password_is_in_no_text_of_it() -> None:
    address = Address.parse("mssql://reader:hunter2@h/shop")

    assert address.password == SecretStr("hunter2")
    assert "hunter2" not in repr(address) + str(address)
