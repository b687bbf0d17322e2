"""The contract over MySQL 8's protocol, in front of a real MariaDB, and MySQL 8's own features."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, ClassVar

import pymysql
import pytest
import test_contract_mariadb as on_mariadb
from contract_suite import ROWS, fill
from server_suite import ask
from unguarded import unguarded

from executors.base import Executor
from executors.dialects.table import DIALECTS
from executors.engines.mysql.executor import MysqlExecutor
from executors.errors import ErrorKind, SqlFailed
from testbed import mariadb
from testbed.mariadb import PASSWORD, READER, READER_PASSWORD, USER
from testbed.mysql_stand_in import MysqlStandIn
from testbed.mysql_statements import VERSION

MORE = (
    "ALTER TABLE people COMMENT = 'Who visits us'",
    "ALTER TABLE people MODIFY city VARCHAR(100) COMMENT 'where they live; NULL: unknown'",
    "CREATE TABLE isam (a INTEGER) ENGINE = MyISAM",
    "CREATE PROCEDURE clear() BEGIN SET SESSION TRANSACTION READ WRITE; COMMIT; DELETE FROM people; COMMIT; END",
    "CREATE FUNCTION emptied() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM people; RETURN 1; END",
    "CREATE FUNCTION unlocked() RETURNS INT BEGIN SET SESSION TRANSACTION READ WRITE; RETURN 1; END",
    """CREATE TABLE kinds (
        big BIGINT UNSIGNED, exact DECIMAL(20, 9), small FLOAT, day DATE, moment DATETIME(6), stamp TIMESTAMP(3) NULL,
        span TIME(6), year YEAR, bit1 BIT, bits BIT(64), fixed BINARY(4), bytes VARBINARY(9), large BLOB,
        choice ENUM('a', 'ü'), several SET('x', 'y', 'z'), j JSON, yes BOOLEAN, place POINT)""",
    """INSERT INTO kinds VALUES (
        18446744073709551615, 123456789.123456789, 0.1, '2024-02-29', '2024-02-29 10:20:30.5', '2024-02-29 10:20:30',
        '-838:59:59', 2024, b'1', b'1000000000000000000000000000000000000000000000000000000000000001', 'ab',
        x'deadbeef', x'00ff', 'ü', 'x,z', '{"a": [1, 2.50]}', TRUE, POINT(1, 2))""",
    f"CREATE USER {READER} IDENTIFIED BY '{READER_PASSWORD}'",
    f"GRANT SELECT ON people.people TO {READER}",
    "ANALYZE TABLE people, visits, isam",
)


def fresh(*, tls: bool) -> MysqlStandIn:
    if reason := mariadb.missing():
        pytest.skip(reason)
    return MysqlStandIn(tls=tls)


@pytest.fixture(scope="module")
def server() -> Iterator[MysqlStandIn]:
    with fresh(tls=False) as server:
        with server.client() as connection, connection.cursor() as cursor:
            fill(cursor.execute, DIALECTS["mysql"])
            for statement in MORE:
                cursor.execute(statement)
        yield server


def connect(server: Any, **changes: Any) -> MysqlExecutor:
    return on_mariadb.connect(server, scheme="mysql", **changes)


@pytest.fixture(scope="module")
def executor(server: MysqlStandIn) -> Iterator[Executor]:
    with closing(connect(server)) as executor:
        yield executor


class TestMysql(on_mariadb.TestMariadb):
    engine = "MySQL 8"
    endless = (
        "SELECT COUNT(*) FROM people a, people b, people c, people d, people e, people f "
        "WHERE a.id + b.id + c.id + d.id + e.id + f.id = 0"
    )
    types: ClassVar[tuple[tuple[str, Any], ...]] = (
        *(
            (sql, value)
            for sql, value in on_mariadb.TestMariadb.types
            if not any(f"SELECT {column} " in sql for column in ("id", "ip", "j", "day"))  # JSON has a test of its own
        ),
        (on_mariadb.kind("day"), "2024-02-29"),
    )
    writes: ClassVar[tuple[str, ...]] = tuple(sql for sql in on_mariadb.TestMariadb.writes if "numbers" not in sql)

    def connect(self, server: Any, **changes: Any) -> Executor:
        return connect(server, **changes)

    def connect_writer(self, server: Any) -> Executor:
        return connect(server, writable=True)

    def version(self, executor: Executor) -> str:
        assert ask(executor, "SELECT VERSION()") == VERSION
        return f"(stand-in: {MysqlStandIn.version()})"


def test_it_is_taken_for_mysql(executor: Executor) -> None:
    assert executor.schema().dialect == executor.dialect == "mysql"


# -- logging in --------------------------------------------------------------------------------------------


def test_the_first_login_sends_the_password_encrypted_and_the_next_ones_a_proof() -> None:
    with fresh(tls=False) as server:
        for _ in range(2):
            with closing(connect(server)) as executor:
                assert ask(executor, "SELECT 1") == 1

        assert server.logins == ["rsa", "fast"]


def test_over_tls_the_password_is_sent_as_it_is() -> None:
    with fresh(tls=True) as server:
        for options in ({"ssl_ca": str(server.certificate)}, {"ssl_mode": "required"}):
            with closing(connect(server, host=mariadb.ELSEWHERE, **options)) as executor:
                assert ask(executor, "SELECT 'ü'") == "ü"

        assert server.logins == ["tls", "fast"]


@pytest.mark.parametrize("known", [{}, {USER.encode(): PASSWORD.encode()}], ids=["a first login", "a later login"])
@pytest.mark.parametrize("password", ["wrong", ""])
def test_a_wrong_password_is_refused(server: MysqlStandIn, known: dict[bytes, bytes], password: str) -> None:
    server.known = dict(known)

    with pytest.raises(pymysql.OperationalError, match="Access denied") as raised, server.client(password=password):
        pass

    assert raised.value.args[0] == 1045
    assert server.known == known
    with server.client():
        assert server.known == {USER.encode(): PASSWORD.encode()}


def test_a_password_that_was_changed_is_not_known_any_more(server: MysqlStandIn) -> None:
    with server.admin() as admin:
        admin("CREATE USER changing IDENTIFIED BY 'before'")
        with server.client(user="changing", password="before", database=None):
            admin("SET PASSWORD FOR changing = PASSWORD('after')")
        with (
            pytest.raises(pymysql.OperationalError, match="Access denied"),
            server.client(user="changing", password="before", database=None),
        ):
            pass
        with server.client(user="changing", password="after", database=None):
            assert server.logins[-1] == "rsa"
        admin("DROP USER changing")


def test_a_client_that_begins_with_another_plugin_is_asked_to_change(
    server: MysqlStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pymysql.connections._DEFAULT_AUTH_PLUGIN", "mysql_native_password")
    with server.client() as connection:
        assert connection.get_server_info() == VERSION


# -- statements --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sql, number, kind, said", [
    ("SELECT name, COUNT(*) FROM people GROUP BY city", 1055, ErrorKind.GROUPING,
     "Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'people.people.name' "
     "which is not functionally dependent on columns in GROUP BY clause; "
     "this is incompatible with sql_mode=only_full_group_by"),
    ("WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 3000) SELECT COUNT(*) FROM c", 3636,
     ErrorKind.RESOURCE, "Recursive query aborted after 1001 iterations. "
     "Try increasing @@cte_max_recursion_depth to a larger value."),
    ("SELECT nmae FROM people", 1054, ErrorKind.COLUMN_NOT_FOUND, "Unknown column 'nmae' in 'field list'"),
    ("SELECT p.id FROM people p JOIN visits v ON v.nothing = p.id", 1054, ErrorKind.COLUMN_NOT_FOUND,
     "Unknown column 'v.nothing' in 'on clause'"),
    ("SELECT id FROM people a JOIN people b ON a.id = b.id", 1052, ErrorKind.AMBIGUOUS_COLUMN,
     "Column 'id' in 'field list' is ambiguous"),
    ("SELECT FROM people", 1064, ErrorKind.SYNTAX_ERROR,
     "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the "
     "right syntax to use near 'FROM people' at line 1"),
    ("SELECT\nMEDIAN(id) OVER () FROM people", 1064, ErrorKind.SYNTAX_ERROR,
     "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the "
     "right syntax to use near 'OVER () FROM people' at line 2"),
    ("SELECT * FROM seq_1_to_3", 1146, ErrorKind.TABLE_NOT_FOUND, "Table 'people.seq_1_to_3' doesn't exist"),
])  # fmt: skip
def test_an_error_is_mysqls(
    server: MysqlStandIn, executor: Executor, sql: str, number: int, kind: ErrorKind, said: str
) -> None:
    with server.client() as connection, connection.cursor() as cursor:
        with pytest.raises(pymysql.MySQLError) as raised:
            cursor.execute(sql)
        assert raised.value.args == (number, said)
    with pytest.raises(SqlFailed) as failed:
        ask(executor, sql)
    assert failed.value.kind is kind


def test_a_recursion_that_is_too_deep_says_what_limits_it(executor: Executor) -> None:
    with pytest.raises(SqlFailed, match="cte_max_recursion_depth to a larger value"):
        ask(executor, "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c")


def test_who_groups_too_little_is_reported_what_to_do(executor: Executor) -> None:
    with pytest.raises(SqlFailed) as raised:
        ask(executor, "SELECT name, COUNT(*) FROM people GROUP BY city")

    assert "people.name' which is not functionally dependent" in raised.value.message
    assert raised.value.message.endswith("incompatible with sql_mode=only_full_group_by")
    assert "GROUP BY" in raised.value.hint


def test_a_recursion_of_a_thousand_steps_is_whole(executor: Executor) -> None:
    sql = "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 1000) SELECT COUNT(*) FROM c"

    assert ask(executor, sql) == 1000


def test_the_server_knows_the_timeout_too(executor: Executor) -> None:
    assert executor.run(unguarded("SELECT @@SESSION.max_execution_time"), timeout_s=2.5).rows == ((2500,),)


def test_queries_alone_are_limited_by_the_server(server: MysqlStandIn) -> None:
    with server.client() as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION max_execution_time = 1")
        with pytest.raises(pymysql.OperationalError) as raised:
            cursor.execute(TestMysql.endless)
        cursor.execute("SET @n = (SELECT COUNT(*) FROM people a, people b, people c WHERE c.id + a.id * b.id > 0)")
        cursor.execute("SET SESSION max_execution_time = 0")
        cursor.execute("SELECT @n")

        text = "Query execution was interrupted, maximum statement execution time exceeded"
        assert raised.value.args == (3024, text)
        assert cursor.fetchall() == ((ROWS**3,),)


def test_the_session_proves_its_layers(executor: MysqlExecutor) -> None:
    assert {layer.name: layer.holds for layer in executor.layers()} == {
        "read-only transaction": True,
        "statement timeout": True,
        "reader's login": False,  # the administrator's
    }


@pytest.mark.parametrize("sql, number", [
    ("DELETE FROM isam RETURNING a", 1064),
    ("CREATE SEQUENCE numbers", 1064),
    ("SET STATEMENT max_statement_time = 1 FOR SELECT 1", 1064),
    ("EXECUTE IMMEDIATE 'SELECT 1'", 1064),
    ("CREATE TABLE t (a UUID)", 1064),
    ("SET SESSION max_statement_time = 1", 1193),
    ("SELECT @@tx_read_only", 1193),
    ("INSERT INTO kinds (day) VALUES ('0000-00-00')", 1292),
])  # fmt: skip
def test_what_only_mariadb_has_is_refused(server: MysqlStandIn, sql: str, number: int) -> None:
    with server.client() as connection, connection.cursor() as cursor:
        with pytest.raises(pymysql.MySQLError) as raised:
            cursor.execute(sql)
        assert raised.value.args[0] == number


@pytest.mark.parametrize("sql, rows", [
    ("SELECT 'DELETE FROM t RETURNING a', \"max_statement_time\" -- tx_read_only",
     (("DELETE FROM t RETURNING a", "max_statement_time"),)),
    ("SELECT '@@max_execution_time', @@max_execution_time", (("@@max_execution_time", 0),)),
    ("SELECT 1 /*M! + 1 */", ((1,),)),
    ("SELECT 1 /*! + 1 */", ((2,),)),
    ("SELECT @@transaction_isolation, @@cte_max_recursion_depth", (("REPEATABLE-READ", 1000),)),
    ("SELECT 1 EXCEPT SELECT 2", ((1,),)),
    ("SELECT 2 INTERSECT SELECT 2", ((2,),)),
])  # fmt: skip
def test_what_is_quoted_stays(server: MysqlStandIn, sql: str, rows: tuple[tuple[object, ...], ...]) -> None:
    with server.client() as connection, connection.cursor() as cursor:
        cursor.execute(sql)
        assert cursor.fetchall() == rows


@pytest.mark.parametrize("sql, expected", [
    pytest.param("SELECT name FROM people WHERE id = 1 GROUP BY id", "name 1", id="a key decides its row's columns"),
    pytest.param("SELECT ANY_VALUE(id) FROM people WHERE id = 1", 1, id="ANY_VALUE"),
    pytest.param("SELECT GROUPING(city) FROM people WHERE id = 1 GROUP BY city WITH ROLLUP", 0, id="GROUPING"),
    pytest.param("SELECT REGEXP_LIKE('a', 'A')", 1, id="REGEXP_LIKE"),
    pytest.param("SELECT l.n FROM people p, LATERAL (SELECT p.id AS n) l WHERE p.id = 1", 1, id="LATERAL"),
    pytest.param("SELECT j FROM kinds", {"a": [1, 2.5]}, id="JSON is a type"),
    pytest.param("SELECT BIN_TO_UUID(UUID_TO_BIN('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'))",
                 "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", id="UUID_TO_BIN"),
    pytest.param("SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_NAME = 'isam'", "int",
                 id="an integer has no width"),
    pytest.param("SELECT DEFAULT_COLLATE_NAME FROM information_schema.CHARACTER_SETS WHERE CHARACTER_SET_NAME = "
                 "'utf8mb4'", "utf8mb4_0900_ai_ci", id="the collation"),
])  # fmt: skip
@pytest.mark.xfail(
    reason="MySQL 8 has it, MariaDB, which stands in, does not", strict=True, raises=(SqlFailed, AssertionError)
)
def test_what_only_mysql_has(executor: Executor, sql: str, expected: object) -> None:
    assert ask(executor, sql) == expected


@pytest.mark.xfail(reason="MariaDB orders DISTINCT rows by a column that they lack; MySQL: error 3065", strict=True)
def test_distinct_rows_are_ordered_by_their_own_columns(executor: Executor) -> None:
    with pytest.raises(SqlFailed):
        ask(executor, "SELECT DISTINCT city FROM people ORDER BY id")
