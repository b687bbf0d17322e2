"""MySQL, as far as no server is needed."""

from __future__ import annotations

import ssl
from typing import Any

import pytest

from executors.dialects.table import DIALECTS
from executors.engines.common.servers.statements import require_one
from executors.engines.mysql.executor import MysqlExecutor, bit_number
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed
from executors.registry.address import Address
from executors.registry.entry import ServerOptions


def options(url: str) -> dict[str, Any]:
    return MysqlExecutor("shop", Address.parse(url), options=ServerOptions(connect_timeout_s=3)).connect_options()


@pytest.mark.parametrize("value, width, computed, number, why", [
    (b"\x01", 1, False, 1, "a flag"),
    (b"1", 8, False, 49, "a column's own byte, which happens to be a digit"),
    (b"1", 8, True, 1, "MAX(bits), of which MariaDB sends the digits"),
    (b"49", 8, True, 49, "COALESCE(bits)"),
    (b"49", 16, False, 13369, "two bytes"),
    (b"\x80\x00\x00\x00\x00\x00\x00\x01", 64, False, 2**63 + 1, "all bits"),
    (b"\x05", 8, True, 5, "a window function's value"),
])  # fmt: skip
def test_bits_are_a_number(value: bytes, width: int, computed: bool, number: int, why: str) -> None:
    assert bit_number(value, width, computed=computed) == number


@pytest.mark.parametrize("url, verified, why", [
    ("mysql://u:p@db.example/shop", True, "another machine has to prove who it is"),
    ("mysql://u:p@db.example/shop?ssl_mode=verify_ca", True, "all but its name"),
    ("mysql://u:p@db.example/shop?ssl_mode=REQUIRED", False, "encrypted is enough"),
])  # fmt: skip
def test_another_machine_is_spoken_to_over_tls(url: str, verified: bool, why: str) -> None:
    context = options(url)["ssl"]

    assert context.verify_mode is (ssl.CERT_REQUIRED if verified else ssl.CERT_NONE)
    assert context.check_hostname is (verified and "verify_ca" not in url)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_this_machine_needs_no_tls(host: str) -> None:
    assert "ssl" not in options(f"mariadb://u:p@{host}/shop")


def test_a_server_gets_neither_files_nor_several_statements() -> None:
    found = options("mysql://u:p%C3%A9@localhost/shop?local_infile=1&client_flag=65536")

    assert (found["local_infile"], found["client_flag"]) == (False, 0)
    assert (found["charset"], found["connect_timeout"]) == ("utf8mb4", 3)
    assert found["password"] == "pé".encode()


def test_an_address_without_a_database_is_told() -> None:
    executor = MysqlExecutor("shop", Address.parse("mysql://u:p@localhost"), options=ServerOptions())

    with pytest.raises(DatabaseUnavailable, match="names no database"):
        executor.schema()


@pytest.mark.parametrize("sql, why", [
    ("SELECT 'it\\'s; into'", "a backslash escapes"),
    ('SELECT "a\\"; into"', "in these quotes too"),
    ("SELECT `into`, `a``into` FROM t", "names in quotes"),
    ("SELECT 1 # into\n", "a comment to the end of the line"),
    ("SELECT 1 -- into", "another one"),
    ("SELECT 5--3", "two signs"),
    ("(SELECT 1) UNION (SELECT 2);", "parentheses first, a semicolon last"),
    ("/* why */ WITH c AS (SELECT 1) SELECT * FROM c", "a comment first"),
    ("SELECT LOAD_FILE_INTO FROM updates", "names that hold such words"),
])  # fmt: skip
def test_a_query_may_run(sql: str, why: str) -> None:
    require_one(sql, DIALECTS["mysql"])


@pytest.mark.parametrize("sql, why", [
    ("SELECT '\\'' INTO OUTFILE '/tmp/x' -- '", "the text ends before INTO"),
    ("SELECT 5--3 INTO OUTFILE '/tmp/x'", "no comment begins there"),
    ("SELECT 1 # '\nINTO @a", "the comment has ended"),
    ("SELECT 1e5INTO @a", "a number ends where a word begins"),
    ("SELECT .5INTO @a", "this one too"),
    ("SELECT /*!1*/ 1", "a comment that is run"),
    ("SELECT 1 /*M!100 INTO @a */", "another one"),
    ("SELECT 1 /*! INTO @a", "it need not end"),
    ("SELECT * FROM t FOR UPDATE", "locks rows"),
    ("CALL p()", "may end the read-only session"),
    ("((SET @a = 1))", "no query, for all its parentheses"),
    ("SELECT 1; SELECT 2", "two statements"),
    ("# SELECT", "nothing but a comment"),
])  # fmt: skip
def test_anything_else_may_not(sql: str, why: str) -> None:
    with pytest.raises(SqlFailed) as raised:
        require_one(sql, DIALECTS["mysql"])

    assert raised.value.kind is ErrorKind.NOT_READ_ONLY
