"""The contract on a real MariaDB, for a user with all privileges, and MySQL's own features."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any, ClassVar

import pytest
from contract_suite import ROWS, fill
from server_suite import ByAdmin, Outages, Pooling, Writing, ask
from unguarded import unguarded
from until import until

from executors.base import CheckedWrite, Executor
from executors.dialects.table import DIALECTS
from executors.engines.mysql.executor import MysqlExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed import mariadb
from testbed.mariadb import PASSWORD, READER, READER_PASSWORD, USER, MariadbServer

MORE = (
    "ALTER TABLE people COMMENT = 'Who visits us'",
    "ALTER TABLE people MODIFY city VARCHAR(100) COMMENT 'where they live; NULL: unknown'",
    "CREATE TABLE hidden (secret TEXT)",
    "CREATE TABLE counts (a INTEGER PRIMARY KEY, b INTEGER)",
    "INSERT INTO counts VALUES (1, 10), (2, 20), (3, 30)",
    "CREATE TABLE isam (a INTEGER) ENGINE = MyISAM",
    "INSERT INTO isam VALUES (1)",
    "CREATE VIEW seen AS SELECT * FROM isam",
    "CREATE SEQUENCE numbers",
    "CREATE PROCEDURE clear() BEGIN SET SESSION TRANSACTION READ WRITE; COMMIT; DELETE FROM people; COMMIT; END",
    "CREATE FUNCTION emptied() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM people; RETURN 1; END",
    "CREATE FUNCTION unlocked() RETURNS INT BEGIN SET SESSION TRANSACTION READ WRITE; RETURN 1; END",
    "CREATE TABLE wide AS SELECT a.seq AS id, REPEAT('x', 1000) AS filler FROM seq_1_to_60000 a",
    """CREATE TABLE kinds (
        big BIGINT UNSIGNED, exact DECIMAL(20, 9), small FLOAT, day DATE, moment DATETIME(6), stamp TIMESTAMP(3) NULL,
        span TIME(6), year YEAR, bit1 BIT, bits BIT(64), fixed BINARY(4), bytes VARBINARY(9), large BLOB,
        choice ENUM('a', 'ü'), several SET('x', 'y', 'z'), id UUID, ip INET6, j JSON, yes BOOLEAN, place POINT)""",
    "SET sql_mode = ''",
    """INSERT INTO kinds VALUES (
        18446744073709551615, 123456789.123456789, 0.1, '0000-00-00', '2024-02-29 10:20:30.5', '2024-02-29 10:20:30',
        '-838:59:59', 2024, b'1', b'1000000000000000000000000000000000000000000000000000000000000001', 'ab',
        x'deadbeef', x'00ff', 'ü', 'x,z', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '::1', '{"a": [1, 2.50]}', TRUE,
        POINT(1, 2))""",
    f"CREATE USER {READER} IDENTIFIED BY '{READER_PASSWORD}'",
    f"GRANT SELECT ON people.people TO {READER}",
    f"GRANT SELECT ON people.visits TO {READER}",
    "ANALYZE TABLE people, visits, counts, isam",
)


@pytest.fixture(scope="module")
def server() -> Iterator[MariadbServer]:
    if reason := mariadb.missing():
        pytest.skip(reason)
    with MariadbServer() as server:
        with server.admin() as admin:
            fill(admin, DIALECTS["mariadb"])
            for statement in MORE:
                admin(statement)
        yield server


def connect(
    server: MariadbServer, user: str = USER, password: str = PASSWORD, scheme: str = "mariadb", **changes: Any
) -> MysqlExecutor:
    query = {key: changes.pop(key) for key in list(changes) if key.startswith("ssl")}
    url = server.url(changes.pop("database", "people"), user, password, **query)
    address = Address.parse(url.replace("mariadb:", f"{scheme}:"))
    address = address.model_copy(update={key: changes.pop(key) for key in ("host", "port") if key in changes})
    return MysqlExecutor("people", address, options=ServerOptions(**changes))


@pytest.fixture(scope="module")
def executor(server: MariadbServer) -> Iterator[Executor]:
    executor = connect(server)
    yield executor
    executor.close()


def kind(column: str) -> str:
    return f"(SELECT {column} FROM kinds)"


class TestMariadb(ByAdmin, Outages, Pooling, Writing):
    engine = "MariaDB"
    endless = "SELECT COUNT(*) FROM seq_1_to_100000000 a, seq_1_to_100000000 b WHERE a.seq + b.seq = 7"
    watched = (
        "CREATE TABLE audit (id INTEGER)",
        "CREATE TRIGGER noisy AFTER UPDATE ON ledger FOR EACH ROW INSERT INTO audit VALUES (NEW.id), (OLD.id)",
    )
    rewriting = ("CREATE TRIGGER acting BEFORE UPDATE ON ledger FOR EACH ROW SET NEW.amount = 77",)
    raising = (
        "CREATE TRIGGER acting AFTER UPDATE ON ledger FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'No'",
    )
    unrewriting = ("DROP TRIGGER acting",)
    misused = "SELECT name, COUNT(*) FROM people GROUP BY city"
    types: ClassVar[tuple[tuple[str, Any], ...]] = (
        ("1", 1),
        ("9007199254740993", "9007199254740993"),
        ("-9007199254740991", -9007199254740991),
        (kind("big"), "18446744073709551615"),
        ("CAST(12.50 AS DECIMAL(10, 2))", 12.5),
        (kind("exact"), "123456789.123456789"),
        ("1 / 3", 0.3333),
        ("1e0 / 3", 1 / 3),
        (kind("small"), 0.1),
        ("SUM(1)", 1),
        ("TRUE", 1),
        (kind("yes"), 1),
        ("NULL", None),
        ("'😀 ünï'", "😀 ünï"),
        ("DATE '2024-02-29'", "2024-02-29"),
        (kind("day"), "0000-00-00"),
        (kind("moment"), "2024-02-29T10:20:30.5"),
        (kind("stamp"), "2024-02-29T10:20:30"),
        ("TIMESTAMP '2024-02-29 10:20:30'", "2024-02-29T10:20:30"),
        ("TIME '10:20:30.250'", "10:20:30.25"),
        ("TIME '10:20:00'", "10:20:00"),
        ("TIMEDIFF('2024-01-01 00:00:00', '2023-12-28 00:00:00')", "96:00:00"),
        (kind("span"), "-838:59:59"),
        (kind("year"), 2024),
        (kind("bit1"), 1),
        (kind("bits"), "9223372036854775809"),
        (kind("fixed"), "0x61620000"),
        (kind("bytes"), "0xdeadbeef"),
        (kind("large"), "0x00ff"),
        (kind("choice"), "ü"),
        (kind("several"), "x,z"),
        (kind("id"), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        (kind("ip"), "::1"),
        (kind("j"), '{"a": [1, 2.50]}'),
        ("JSON_OBJECT('a', 1)", '{"a": 1}'),
        (kind("place"), "0x000000000101000000000000000000f03f0000000000000040"),
    )
    writes: ClassVar[tuple[str, ...]] = (
        "INSERT INTO people VALUES (1000, 'x', 'y', 1)",
        "UPDATE people SET name = 'x'",
        "DELETE FROM people",
        "WITH x AS (SELECT 1) DELETE FROM people",
        "DELETE FROM people RETURNING *",
        "INSERT INTO isam VALUES (2)",
        "DROP TABLE people",
        "TRUNCATE people",
        "ALTER TABLE people ADD more INTEGER",
        "RENAME TABLE people TO persons",
        "CREATE TABLE mine (a INTEGER)",
        "CREATE TEMPORARY TABLE mine (a INTEGER)",
        "CREATE OR REPLACE VIEW locals AS SELECT 1",
        "SELECT * FROM people FOR UPDATE",
        "SELECT * FROM people LOCK IN SHARE MODE",
        "SELECT NEXTVAL(numbers)",
        "SELECT emptied()",
        "SELECT unlocked() + emptied()",
        "SELECT * INTO OUTFILE '/tmp/plumbline-people' FROM people",
        "SELECT '\\'' INTO OUTFILE '/tmp/plumbline-people' -- '",
        'SELECT "\\"" INTO DUMPFILE "/tmp/plumbline-people" -- "',
        "SELECT 1e5INTO OUTFILE '/tmp/plumbline-people'",
        "SELECT 1--1 INTO OUTFILE '/tmp/plumbline-people'",
        "SELECT 1 # '\nINTO OUTFILE '/tmp/plumbline-people'",
        "SELECT 1 -- '\nINTO OUTFILE '/tmp/plumbline-people'",
        "SELECT 1 /*! INTO OUTFILE '/tmp/plumbline-people' */",
        "SELECT 1 /*M!100000 INTO OUTFILE '/tmp/plumbline-people' */",
        "SELECT 1 INTO @x",
        "LOAD DATA INFILE '/etc/hostname' INTO TABLE counts",
        "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE counts",
        "CALL clear()",
        "BEGIN NOT ATOMIC DELETE FROM people; END",
        "EXECUTE IMMEDIATE 'DELETE FROM people'",
        "PREPARE q FROM 'DELETE FROM people'",
        "SET SESSION TRANSACTION READ WRITE",
        "START TRANSACTION READ WRITE",
        "SET GLOBAL max_connections = 99",
        "SET STATEMENT max_statement_time = 0 FOR SELECT 1",
        "SELECT 1; COMMIT; SET SESSION TRANSACTION READ WRITE; DELETE FROM people",
        "/*! DELETE FROM people */",
        "FLUSH TABLES",
        "LOCK TABLES people WRITE",
        "UNLOCK TABLES",
        "HANDLER people OPEN",
        "ANALYZE TABLE people",
        "DO SLEEP(0)",
        "KILL 1",
        "USE mysql",
        "COMMIT",
        "SHUTDOWN",
        "",
    )

    secrets = ("127.0.0.1", USER, PASSWORD, "no such password", "nowhere")
    connection = "SELECT CONNECTION_ID()"

    def connect(self, server: MariadbServer, **changes: Any) -> Executor:
        return connect(server, **changes)

    def connect_writer(self, server: MariadbServer) -> Executor:
        return connect(server, writable=True)

    def connections(self, server: MariadbServer) -> int:
        with server.admin() as admin:
            found = admin.rows("SELECT id FROM information_schema.PROCESSLIST WHERE id <> CONNECTION_ID()")
        return len(found)

    def version(self, executor: Executor) -> str:
        said = executor.run(unguarded("SELECT VERSION()"), timeout_s=9).rows[0][0]
        return str(said).partition("-")[0]

    def running(self, server: MariadbServer) -> list[str]:
        with server.admin() as admin:
            return [
                str(row[0])
                for row in admin.rows(
                    "SELECT info FROM information_schema.PROCESSLIST WHERE command IN ('Query', 'Killed') "
                    # Not what is said while a connection is being made.
                    "AND id <> CONNECTION_ID() AND info NOT REGEXP '^(SET|START|SELECT (VERSION|CONNECTION_ID))'"
                )
            ]


# -- what is MySQL's own -----------------------------------------------------------------------------------


def test_which_server_it_is_the_server_says(server: MariadbServer, caplog: pytest.LogCaptureFixture) -> None:
    executor = connect(server, scheme="mysql")
    assert executor.dialect == "mysql"

    with caplog.at_level(logging.WARNING):
        assert executor.schema().dialect == executor.dialect == "mariadb"
    with pytest.raises(SqlFailed, match=r"within 0\.5 seconds"):
        executor.run(unguarded(TestMariadb.endless), timeout_s=0.5)

    assert "is registered as MySQL but is MariaDB" in caplog.text
    executor.close()


def test_the_server_knows_the_timeout_too(executor: Executor) -> None:
    assert executor.run(unguarded("SELECT @@max_statement_time"), timeout_s=2.5).rows == ((2.5,),)


def test_rows_over_the_cap_do_not_travel(server: MariadbServer) -> None:
    def sent() -> int:
        with server.admin() as admin:
            return int(str(admin.rows("SHOW GLOBAL STATUS LIKE 'Bytes_sent'")[0][1]))

    executor = connect(server, pool_size=1)
    before = sent()

    result = executor.run(unguarded("SELECT seq, REPEAT('x', 1000) FROM seq_1_to_1000000000", 3), timeout_s=300)

    assert [row[0] for row in result.rows] == [1, 2, 3]
    assert result.truncated
    until(lambda: not TestMariadb().running(server))
    gc.collect()
    assert executor.run(unguarded("SELECT COUNT(*) FROM people"), timeout_s=9).rows == ((ROWS,),)
    assert sent() - before < 100_000_000, "a thousand times less than there was to send"
    executor.close()


def test_a_result_too_large_is_not_read_on(server: MariadbServer) -> None:
    executor = connect(server, pool_size=1)

    result = executor.run(unguarded("SELECT REPEAT('x', 100000) FROM seq_1_to_1000000000", 10_000), timeout_s=300)

    assert result.truncated
    assert 100 < result.row_count < 1000
    until(lambda: not TestMariadb().running(server))
    executor.close()


def test_a_connection_whose_rows_were_all_read_is_kept(server: MariadbServer) -> None:
    executor = connect(server, pool_size=1)
    number = unguarded("SELECT CONNECTION_ID()")
    first = executor.run(number, timeout_s=9).rows

    assert executor.run(unguarded("SELECT id FROM people LIMIT 11", 10), timeout_s=9).truncated
    assert executor.run(number, timeout_s=9).rows == first

    assert executor.run(unguarded("SELECT id FROM people", 10), timeout_s=9).truncated
    assert executor.run(number, timeout_s=9).rows != first
    executor.close()


def test_a_connection_that_breaks_between_two_rows_says_so(server: MariadbServer) -> None:
    executor = connect(server, pool_size=1)
    number = executor.run(unguarded("SELECT CONNECTION_ID()"), timeout_s=9).rows[0][0]

    def kill() -> None:
        until(lambda: TestMariadb().running(server))
        with server.admin() as admin:
            admin(f"KILL {number}")

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(DatabaseUnavailable, match="was lost while the query ran"):
        executor.run(unguarded("SELECT REPEAT('x', 100000), SLEEP(seq - 1) FROM seq_1_to_60"), timeout_s=60)
    killer.join()

    gc.collect()
    assert executor.run(unguarded("SELECT 1"), timeout_s=9).rows == ((1,),)
    executor.close()


@pytest.mark.parametrize("sql, expected, why", [
    ("WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 3000) SELECT COUNT(*) FROM c", 3000,
     "the server would stop after 1000 steps, and not say so"),
    ("SELECT LENGTH(GROUP_CONCAT(filler)) FROM wide WHERE id <= 500", 500_499,
     "a server may be set to cut after 1024 characters, and not say so"),
])  # fmt: skip
def test_nothing_is_left_out_in_silence(server: MariadbServer, sql: str, expected: int, why: str) -> None:
    with server.admin() as admin:
        admin("SET GLOBAL group_concat_max_len = 1024")
    with closing(connect(server)) as executor:
        assert ask(executor, sql) == expected


def test_a_message_is_the_servers_own_words(executor: Executor) -> None:
    with pytest.raises(SqlFailed) as raised:
        ask(executor, "SELECT * FROM `it's`")

    assert raised.value.message == "Table 'people.it's' doesn't exist"


def test_quotes_and_backslashes_mean_the_same_whatever_the_server_says(server: MariadbServer) -> None:
    with server.admin() as admin:
        before = admin.value("SELECT @@global.sql_mode")
        admin("SET GLOBAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'")
        executor = connect(server, writable=True)
        try:
            assert executor.run(unguarded("""SELECT "a" AS a, 'it\\'s' AS b"""), timeout_s=9).rows == (("a", "it's"),)
        finally:
            executor.close()
            admin(f"SET GLOBAL sql_mode = '{before}'")


def test_only_what_the_user_may_read_is_in_the_schema(server: MariadbServer) -> None:
    executor = connect(server, READER, READER_PASSWORD)

    assert {table.name for table in executor.schema().tables} == {"people", "visits"}
    with pytest.raises(SqlFailed) as raised:
        executor.run(unguarded("SELECT * FROM hidden"), timeout_s=9)
    assert raised.value.kind is ErrorKind.PERMISSION
    executor.close()


def test_sequences_are_no_tables(executor: Executor) -> None:
    names = {table.name for table in executor.schema().tables}

    assert "counts" in names
    assert "numbers" not in names


# -- writing -----------------------------------------------------------------------------------------------


@pytest.fixture
def writer(server: MariadbServer) -> Iterator[MysqlExecutor]:
    executor = connect(server, writable=True)
    yield executor
    executor.close()


def counts(server: MariadbServer) -> list[tuple[object, ...]]:
    with server.admin() as admin:
        return admin.rows("SELECT a, b FROM counts ORDER BY a")


def test_a_dry_run_is_undone_and_a_write_stays(server: MariadbServer, writer: MysqlExecutor) -> None:
    statement = CheckedWrite(sql="UPDATE counts SET b = 30 WHERE b >= 20", kind="update", table="counts")
    before = counts(server)

    dry = writer.write(statement, timeout_s=9, commit=False, max_rows=10)
    assert (dry.rows_affected, dry.committed) == (1, False), "of the two that are found, one is so already"
    assert counts(server) == before

    done = writer.write(statement, timeout_s=9, commit=True, max_rows=10)
    assert (done.rows_affected, done.committed) == (1, True)
    assert counts(server) == [(1, 10), (2, 30), (3, 30)]


def test_more_rows_than_allowed_are_none(server: MariadbServer, writer: MysqlExecutor) -> None:
    before = counts(server)

    with pytest.raises(SqlFailed, match="would affect 3 rows"):
        writer.write(
            CheckedWrite(sql="DELETE FROM counts WHERE a > 0", kind="delete", table="counts"),
            timeout_s=9,
            commit=True,
            max_rows=2,
        )

    assert counts(server) == before


@pytest.mark.parametrize("table, why", [
    ("isam", "MyISAM keeps what was rolled back"),
    ("seen", "a view, of MyISAM as it happens"),
])  # fmt: skip
def test_what_could_not_be_undone_is_not_written(
    server: MariadbServer, writer: MysqlExecutor, table: str, why: str
) -> None:
    statement = CheckedWrite(sql=f"DELETE FROM {table} WHERE a = 1", kind="delete", table=table)

    with pytest.raises(SqlRefused, match="cannot undo a write"):
        writer.write(statement, timeout_s=9, commit=False, max_rows=10)

    with server.admin() as admin:
        assert admin.value("SELECT COUNT(*) FROM isam") == 1


# -- TLS ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def encrypted() -> Iterator[MariadbServer]:
    if reason := mariadb.missing():
        pytest.skip(reason)
    with MariadbServer(tls=True) as server:
        with server.admin() as admin:
            admin("CREATE TABLE people (id INTEGER)")
        yield server


CIPHER = unguarded("SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'")


@pytest.mark.parametrize("host, options, encrypts, why", [
    (mariadb.ELSEWHERE, {"ssl_ca": "{certificate}"}, True, "the server proves who it is"),
    (mariadb.ELSEWHERE, {"ssl_mode": "required"}, True, "whoever it is"),
    (mariadb.ELSEWHERE, {"ssl_mode": "DISABLED"}, False, "the address says so"),
    ("127.0.0.1", {}, True, "on this machine, where the server can"),
    ("127.0.0.1", {"ssl_mode": "verify_ca", "ssl_ca": "{certificate}"}, True, "the name is not asked for"),
])  # fmt: skip
def test_tls(encrypted: MariadbServer, host: str, options: dict[str, str], encrypts: bool, why: str) -> None:
    options = {name: value.format(certificate=encrypted.certificate) for name, value in options.items()}
    executor = connect(encrypted, host=host, **options)

    assert bool(executor.run(CIPHER, timeout_s=9).rows[0][0]) is encrypts
    executor.close()


@pytest.mark.parametrize("host, options, said, why", [
    (mariadb.ELSEWHERE, {}, "check the server's certificate", "nobody vouches for it"),
    ("127.0.0.1", {"ssl_ca": "{certificate}"}, "check the server's certificate", "another name than the certificate's"),
    ("127.0.0.1", {"ssl_ca": "no/such.pem"}, "files that ssl_ca", "no such file"),
    ("127.0.0.1", {"ssl_mode": "perhaps"}, "ssl_mode must be one of", "no such mode"),
    ("127.0.0.1", {"ssl_disabled": "false"}, "ssl_disabled is not an option", "the driver reads: true"),
])  # fmt: skip
def test_tls_that_cannot_be(encrypted: MariadbServer, host: str, options: dict[str, str], said: str, why: str) -> None:
    options = {name: value.format(certificate=encrypted.certificate) for name, value in options.items()}
    executor = connect(encrypted, host=host, **options)

    with pytest.raises(DatabaseUnavailable, match=said):
        executor.run(CIPHER, timeout_s=9)
    executor.close()


def test_a_server_without_tls_is_not_talked_to_where_tls_is_wanted(server: MariadbServer) -> None:
    executor = connect(server, ssl_mode="required")

    with pytest.raises(DatabaseUnavailable, match="no encrypted connection"):
        executor.schema()
    executor.close()
