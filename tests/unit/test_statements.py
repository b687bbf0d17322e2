"""One statement, and a query: as far as the text alone can tell."""

from __future__ import annotations

import pytest

from executors.base import CheckedWrite
from executors.dialects.row import SessionSetup
from executors.dialects.table import DIALECTS
from executors.engines.common.servers.statements import require_one, require_write
from executors.errors import ErrorKind, SqlFailed, SqlRefused

POSTGRESQL = DIALECTS["postgresql"]
# A server that takes several statements at once, and one that quotes names otherwise.
WORDY = POSTGRESQL.model_copy(update={"session": SessionSetup(statement_words=frozenset({"insert", "exec", "set"}))})
BRACKETS = WORDY.model_copy(update={"quote": ("[", "]")})


@pytest.mark.parametrize("sql", [
    "SELECT 1",
    "SELECT 1;",
    "SELECT 1 ; -- ; DROP TABLE t",
    "SELECT ';' AS a, \"x;y\" FROM t /* ; */",
    "SELECT E'it\\'s; so' FROM t",
    "SELECT 'it''s; so'",
    "SELECT cost$us, v$session FROM t",
    "SELECT '$5; $6'",
    "SELECT 'one\ntwo; three'",
    "",
])  # fmt: skip
def test_lets_through(sql: str) -> None:
    require_one(sql, POSTGRESQL)


@pytest.mark.parametrize("sql, why", [
    ("SELECT 1; SELECT 2", "two statements"),
    ("SELECT 1 -- '\n; COMMIT; --'", "the quote is in a comment, the semicolon is not"),
    ("SELECT 1 /* /* */ ; DELETE FROM t; -- */", "comments nest on some servers and not on others"),
    ("SELECT $$ ; $$", "text in dollar quotes is not read"),
    ("SELECT $a$ ' $a$; DELETE FROM t; SELECT $a$ ' $a$", "a dollar quote hides a quote"),
    ("SELECT 1$$ ' $$; DELETE FROM t -- ' ", "a number ends before a dollar"),
    ("SELECT '\\'; DELETE FROM t; --'", "a backslash escapes nothing in a plain string"),
    ("SELECT 1 -- x\r; DELETE FROM t", "is a carriage return the end of a line?"),
    ("SELECT 1\x00; DELETE FROM t", "a NUL ends the text for some drivers"),
    ("SELECT 'a' \"b; c", "a quote that never ends"),
    ("SELECT '\ud800'", "half of a character"),
])  # fmt: skip
def test_refuses(sql: str, why: str) -> None:
    with pytest.raises(SqlFailed) as raised:
        require_one(sql, POSTGRESQL)

    assert raised.value.kind is ErrorKind.NOT_READ_ONLY, why


@pytest.mark.parametrize("sql, fine", [
    ("SELECT 1 INSERT INTO t VALUES (1)", False),
    ("SELECT 1\nexec sp_who", False),
    ("SELECT 1 AS [set]", True),
    ("SELECT 'set', x AS settle -- insert", True),
    ("SELECT [a]]; exec b] FROM t", True),
    ("SELECT [a]; exec b", False),
])  # fmt: skip
def test_a_word_that_no_query_has_begins_another_statement(sql: str, fine: bool) -> None:
    if fine:
        require_one(sql, BRACKETS)
        return
    with pytest.raises(SqlFailed):
        require_one(sql, BRACKETS)


# What would run, on servers whose session is not read-only, or whose DDL commits in spite of it.
@pytest.mark.parametrize("dialect, sql", [
    (dialect, sql)
    for dialect in ("oracle", "hana", "databricks")
    for sql in (
        "DELETE FROM t WHERE id = 1",
        "DROP TABLE t",
        "TRUNCATE TABLE t",
        "CALL p()",
        "BEGIN p(); END",
        "/* SELECT */ DROP TABLE t",
    )
] + [
    ("databricks", "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x"),
    ("databricks", "WITH x AS (SELECT 1) MERGE INTO t USING x ON true WHEN MATCHED THEN DELETE"),
    ("databricks", "WITH x AS (SELECT 1) UPDATE t SET a = 1"),
    ("databricks", "FROM x INSERT INTO t SELECT 1"),
    ("databricks", "SET STATEMENT_TIMEOUT = 0"),
])  # fmt: skip
def test_what_no_server_was_there_to_refuse_is_refused_by_the_text(dialect: str, sql: str) -> None:
    with pytest.raises(SqlFailed) as raised:
        require_one(sql, DIALECTS[dialect])

    assert raised.value.kind is ErrorKind.NOT_READ_ONLY


@pytest.mark.parametrize("dialect", ["oracle", "hana", "databricks"])
@pytest.mark.parametrize("sql", ["SELECT 1 FROM dual", "(SELECT 1) UNION (SELECT 2)", "WITH x AS (SELECT 1) SELECT 2"])
def test_a_query_is_let_through_there(dialect: str, sql: str) -> None:
    require_one(sql, DIALECTS[dialect])


def test_a_write_may_have_the_words_that_a_query_has_not() -> None:
    require_one("INSERT INTO t VALUES (1)", WORDY, writes=True)


@pytest.mark.parametrize("sql, fine", [
    ("DELETE FROM t WHERE a = 1", True),
    ("delete from t where a = 1;", True),
    ("UPDATE t SET a = 1", False),
    ("DROP TABLE t", False),
    ("WITH x AS (SELECT 1) DELETE FROM t", False),
    ("/* DELETE */ DROP TABLE t", False),
    ("DELETE FROM t; DROP TABLE t", False),
    ("", False),
])  # fmt: skip
def test_a_write_is_of_the_kind_that_was_checked(sql: str, fine: bool) -> None:
    statement = CheckedWrite(sql=sql, kind="delete", table="t")
    if fine:
        require_write(statement, POSTGRESQL)
        return
    with pytest.raises(SqlFailed) as raised:
        require_write(statement, POSTGRESQL)
    assert raised.value.kind is ErrorKind.NOT_READ_ONLY


def test_a_server_that_undoes_nothing_is_not_written_to() -> None:
    row = POSTGRESQL.model_copy(update={"session": SessionSetup(transactions=False)})

    with pytest.raises(SqlRefused, match="cannot undo"):
        require_write(CheckedWrite(sql="DELETE FROM t WHERE a = 1", kind="delete", table="t"), row)
