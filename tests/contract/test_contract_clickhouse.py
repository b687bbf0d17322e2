"""The contract, on ClickHouse's own engine; testbed/clickhouse.py lists which parts of the server are a stand-in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from contract_suite import ODD_COLUMNS, ODD_ROW, PEOPLE, ROWS, WORDS, Run, ServerContract, expect_error, sql_text
from unguarded import unguarded
from until import until

from executors.base import CheckedWrite, Executor
from executors.dialects.table import DIALECTS
from executors.engines.clickhouse.executor import ClickhouseExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed, SqlRefused
from executors.guard import guard
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed.clickhouse import ASKING, LOCKED, READER, READER_PASSWORD, Admin, ClickHouseServer

MORE = """
CREATE TABLE visits (visit_no Nullable(Int32), people_id Nullable(Int32)) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO visits VALUES (1, 1), (2, 1), (3, NULL);
CREATE VIEW locals AS SELECT id, name FROM people WHERE city = 'Köln';
CREATE TABLE parted (at Date, id Int32, kind LowCardinality(String), mood Enum8('sad' = 1, 'happy' = 2))
    ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (kind, toStartOfMonth(at), id);
INSERT INTO parted VALUES ('2024-01-01', 1, 'a', 'sad'), ('2024-02-01', 2, 'b', 'happy'), ('2024-03-01', 3, 'b', 'sad');
CREATE DATABASE sales;
CREATE TABLE sales.people (id Int32, seller_id Int32) ENGINE = MergeTree PRIMARY KEY id;
INSERT INTO sales.people VALUES (1, 2)
"""


def fill(admin: Admin) -> None:
    """The tables that the suite asks: ClickHouse needs an engine for each, NULL only in Nullable columns, and no
    foreign keys.
    """
    quote = DIALECTS["clickhouse"].always_quote
    admin(
        "CREATE TABLE people (id Int32, name String, city Nullable(String) COMMENT 'where they live; NULL: unknown', "
        "amount Float64) ENGINE = MergeTree PRIMARY KEY id COMMENT 'Who visits us'"
    )
    admin("INSERT INTO people VALUES " + ", ".join(f"({', '.join(map(sql_text, row))})" for row in PEOPLE))
    for statement in MORE.split(";\n"):
        admin(statement)
    columns = ", ".join(
        f"{quote(name)} {kind}" for name, kind in zip(ODD_COLUMNS, ("Int32", "Int32", "String", "Int32"), strict=True)
    )
    words = ", ".join(f"{quote(word)} Int32" for word in WORDS)
    admin(f"CREATE TABLE prices ({words}) ENGINE = MergeTree ORDER BY tuple()")
    admin(f"INSERT INTO prices VALUES ({', '.join(map(str, range(len(WORDS))))})")
    for name in TestClickHouse.odd_tables:
        admin(f"CREATE TABLE {quote(name)} ({columns}) ENGINE = MergeTree ORDER BY tuple()")
        admin(f"INSERT INTO {quote(name)} VALUES {ODD_ROW}")


@pytest.fixture(scope="module")
def server() -> Iterator[ClickHouseServer]:
    with ClickHouseServer() as server:
        with server.admin() as admin:
            fill(admin)
        yield server


def connect(
    server: ClickHouseServer, user: str = READER, password: str = READER_PASSWORD, **changes: Any
) -> ClickhouseExecutor:
    url = server.url(changes.pop("database", "default"), user, password)
    address = Address.parse(url).model_copy(update={"host": changes.pop("host", server.host)})
    return ClickhouseExecutor("people", address, options=ServerOptions(**changes))


@pytest.fixture(scope="module")
def executor(server: ClickHouseServer) -> Iterator[Executor]:
    executor = connect(server)
    yield executor
    executor.close()


class TestClickHouse(ServerContract):
    engine = "ClickHouse"
    endless = "SELECT count() FROM numbers(100000000000000) WHERE cityHash64(number) = 7"
    types = (
        ("toInt8(-5)", -5),
        ("toUInt64('9007199254740993')", "9007199254740993"),
        ("toInt64(-9007199254740991)", -9007199254740991),
        ("toInt128('-170141183460469231731687303715884105728')", "-170141183460469231731687303715884105728"),
        ("toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935')",
         "115792089237316195423570985008687907853269984665640564039457584007913129639935"),
        ("toDecimal64('12.50', 2)", 12.5),
        ("toDecimal128('1234567890123456789012345678.1234567890', 10)", "1234567890123456789012345678.1234567890"),
        ("0.1", 0.1),
        ("toFloat32(0.1)", 0.1),
        ("nan", "NaN"),
        ("-inf", "-Infinity"),
        ("toFloat32(nan)", "NaN"),
        ("true", True),
        ("'😀 ünï'", "😀 ünï"),
        ("'\\x00'", "\x00"),
        ("unhex('deadbeef')", "0xdeadbeef"),
        ("['text', unhex('ff')]", ["text", "0xff"]),
        ("toFixedString('ab', 5)", "ab"),
        ("toFixedString(unhex('deadbeef'), 4)", "0xdeadbeef"),
        ("toDate('2024-02-29')", "2024-02-29"),
        ("toDate32('2299-12-31')", "2299-12-31"),
        ("toDateTime('2024-02-29 10:20:30')", "2024-02-29T10:20:30"),
        ("toNullable(toDateTime('2024-02-29 10:20:30', 'Asia/Kolkata'))", "2024-02-29T10:20:30+05:30"),
        ("[toDateTime('2024-10-27 02:30:00', 'UTC')]", ["2024-10-27T02:30:00+00:00"]),
        ("toDateTime64('2024-02-29 10:20:30.123456', 6, 'UTC')", "2024-02-29T10:20:30.123456+00:00"),
        ("toDateTime64('2024-07-01 10:20:30.5', 3, 'Europe/Berlin')", "2024-07-01T10:20:30.500000+02:00"),
        ("toDateTime64('1925-02-28 10:20:30.5', 3)", "1925-02-28T10:20:30.500000"),
        ("CAST('happy' AS Enum8('sad' = 1, 'happy' = 2))", "happy"),
        ("toLowCardinality('x')", "x"),
        ("CAST(NULL AS Nullable(Int8))", None),
        ("NULL", None),
        ("[1, 2, NULL]", [1, 2, None]),
        ("[]", []),
        ("[['a', 'b'], ['c']]", [["a", "b"], ["c"]]),
        ("[toDecimal64('1.5', 2)]", [1.5]),
        ("(1, 'a')", [1, "a"]),
        ("CAST((1, 'a') AS Tuple(x Int8, y String))", {"x": 1, "y": "a"}),
        ("map('ä', 1, 'b', 2)", {"ä": 1, "b": 2}),
        ("map(1, toDate('2024-01-01'))", {"1": "2024-01-01"}),
        ("toUUID('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("toIPv4('192.168.0.1')", "192.168.0.1"),
        ("toIPv6('::ffff:1.2.3.4')", "::ffff:1.2.3.4"),
        ("""'{"a": {"b": 1}, "c": [1, 2.5, null], "d": "ä", "n": 12345678901234567890}'::JSON""",
         {"a": {"b": 1}, "c": [1.0, 2.5, None], "d": "ä", "n": "12345678901234567890"}),
        ("CAST(CAST('abc' AS Variant(Int64, String)) AS Variant(Int64, String))", "abc"),
        ("CAST(1.5 AS Dynamic)", 1.5),
        ("CAST('12:30:45.123456' AS Time64(6))", "PT12H30M45.123456S"),
        ("INTERVAL 3 DAY", "P3D"),
        ("INTERVAL 2 QUARTER", "P6M"),
        ("toIntervalHour(-25)", "PT-25H"),
        ("toIntervalMillisecond(1500)", "PT1.5S"),
        ("CAST([(1, 'a')] AS Nested(x Int8, y String))", [{"x": 1, "y": "a"}]),
        ("(1.5, 2.5)::Point", [1.5, 2.5]),
    )  # fmt: skip
    writes = (
        "INSERT INTO people VALUES (1000, 'x', 'y', 1)",
        "ALTER TABLE people DELETE WHERE 1",
        "ALTER TABLE people UPDATE name = 'x' WHERE 1",
        "DELETE FROM people WHERE 1",
        "TRUNCATE TABLE people",
        "DROP TABLE people",
        "CREATE TABLE mine (a Int8) ENGINE = Memory",
        "CREATE TEMPORARY TABLE mine (a Int8)",
        "OPTIMIZE TABLE people FINAL",
        "SYSTEM FLUSH LOGS",
        "SET readonly = 0",
        "KILL QUERY WHERE 1 ASYNC",
        "SELECT 1; DROP TABLE people",
        "SELECT 1 SETTINGS readonly = 0",
        "SELECT 1 INTO OUTFILE '/tmp/people.csv'",
        "SELECT * FROM file('/etc/passwd', 'LineAsString')",
        "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
        "INSERT INTO FUNCTION file('people.csv') SELECT * FROM people",
        "BACKUP TABLE people TO File('people')",
        "",
    )

    def connect(self, server: ClickHouseServer, **changes: Any) -> Executor:
        return connect(server, **changes)

    def version(self, executor: Executor) -> str:
        return f"{executor.run(unguarded('SELECT version()'), timeout_s=9).rows[0][0]} (chdb)"

    def running(self, server: ClickHouseServer) -> list[str]:
        with server.admin() as admin:
            rows = admin.rows("SELECT query FROM system.processes WHERE query NOT LIKE '%system.processes%'")
            return [str(row[0]) for row in rows]

    # -- where ClickHouse is not like the others -------------------------------------------------------------

    def test_a_column_name_may_come_twice(self, run: Run) -> None:
        result = run("SELECT id, id FROM people WHERE id = 1")

        assert result.columns == ("id", "id_2")
        assert result.records() == [{"id": 1, "id_2": 1}]

    def test_a_name_may_not_stand_for_two_things(self, run: Run) -> None:
        with pytest.raises(SqlFailed) as raised:
            run("SELECT id, name AS id FROM people WHERE id = 1")

        assert raised.value.kind is ErrorKind.AMBIGUOUS_COLUMN

    def test_keys_are_known(self, executor: Executor) -> None:
        """There are no foreign keys; the primary key is what the table is sorted by."""
        assert self.table(executor, "people").primary_key == ("id",)
        assert self.table(executor, "parted").primary_key == ("kind", "at", "id")
        assert self.table(executor, "visits").primary_key == ()
        assert not any(table.foreign_keys for table in executor.schema().tables)

    @pytest.mark.parametrize("sql, kind, hint", [
        ("SELECT * FROM peple", ErrorKind.TABLE_NOT_FOUND, "people"),
        ("SELECT * FROM nowhere.people", ErrorKind.TABLE_NOT_FOUND, ""),
        ("SELECT nmae FROM people", ErrorKind.COLUMN_NOT_FOUND, "name"),
        ("SELECT p.nmae FROM people p", ErrorKind.COLUMN_NOT_FOUND, "name"),
        ("SELECT ID FROM people", ErrorKind.COLUMN_NOT_FOUND, "id"),
        ("SELECT FROM WHERE", ErrorKind.SYNTAX_ERROR, "SELECT"),
        ("SELECT no_such_function(id) FROM people", ErrorKind.FUNCTION_NOT_FOUND, ""),
        ("SELECT strftime('%Y', id) FROM people", ErrorKind.FUNCTION_NOT_FOUND, "formatDateTime"),
        ("SELECT name + 1 FROM people", ErrorKind.TYPE_MISMATCH, "Cast"),
        ("SELECT toDate('x')", ErrorKind.TYPE_MISMATCH, "Cast"),
        ("SELECT city, count() FROM people", ErrorKind.GROUPING, "GROUP BY"),
    ])  # fmt: skip
    def test_an_error_says_its_kind_and_how_to_repair_it(self, run: Run, sql: str, kind: ErrorKind, hint: str) -> None:
        expect_error(run, sql, kind, hint)

    @pytest.mark.parametrize("sql, message", [
        ("SELECT nmae FROM people",
         "Unknown expression identifier `nmae`. Maybe you meant: ['name']. (UNKNOWN_IDENTIFIER)"),
        ("SELECT FROM WHERE", "Syntax error: failed at its end. (SYNTAX_ERROR)"),
        ("SELECT throwIf(number = 150000, 'too many') FROM numbers(200000)",
         "too many. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO)"),
    ])  # fmt: skip
    def test_an_error_says_what_is_wrong_and_no_more(self, run: Run, sql: str, message: str) -> None:
        with pytest.raises(SqlError) as raised:
            run(sql, 1_000_000)

        assert raised.value.message == message

    def test_a_state_of_an_aggregate_is_no_value(self, run: Run) -> None:
        with pytest.raises(SqlFailed, match="cannot be read") as raised:
            run("SELECT uniqState(id) FROM people")

        assert "uniqMerge" in raised.value.hint

    @pytest.mark.xfail(strict=True, reason="chdb writes Native as for a client that knows no zones at the top level")
    def test_a_time_has_the_zone_of_its_column(self, run: Run) -> None:
        assert run("SELECT toDateTime('2024-02-29 10:20:30', 'Asia/Kolkata')").rows == (("2024-02-29T10:20:30+05:30",),)

    @pytest.mark.parametrize("sql, expected, why", [
        ("SELECT b.name FROM people a LEFT JOIN people b ON b.id = a.id + 1 WHERE a.id = 300", None, "no such row"),
        ("SELECT sum(amount) FROM people WHERE id < 0", None, "a sum of nothing"),
        ("SELECT count() FROM people WHERE id < 0", 0, "a count of nothing"),
        ("SELECT count() FROM (SELECT 1 UNION SELECT 1)", 1, "a bare UNION drops duplicates"),
        ("SELECT lower(name) AS name FROM people WHERE name = 'name 1' AND id + 0 = 1", "name 1", "a column's name"),
        ("SELECT sum(a * b) FROM (SELECT [1, 2] AS a, [3, 4] AS b) AS t ARRAY JOIN t.*", 11, "arrays side by side"),
        ("SELECT count() FROM (SELECT upper(name) AS name FROM people WHERE name = 'name 1')", 1, "is not its alias"),
    ])  # fmt: skip
    def test_sql_means_what_it_does_elsewhere(self, run: Run, sql: str, expected: object, why: str) -> None:
        assert run(sql).rows == ((expected,),), why

    def test_a_table_of_another_database_has_its_name(self, executor: Executor) -> None:
        query = guard.check("SELECT seller_id FROM sales.people", executor.schema(), row_limit=5)

        assert self.table(executor, "sales.people").namespace == "sales"
        assert executor.run(query, timeout_s=30).rows == ((2,),)

    def test_text_has_samples_whatever_its_type(self, executor: Executor) -> None:
        samples = {column.name: column.samples for column in self.table(executor, "parted").columns}

        assert samples == {"at": (), "id": (), "kind": ("b", "a"), "mood": ("sad", "happy")}

    # -- stopping, and coming back ---------------------------------------------------------------------------

    def test_rows_over_the_cap_are_not_waited_for(self, run: Run, server: ClickHouseServer) -> None:
        result = run("SELECT number FROM numbers(100000000000000)", 10)

        assert (result.row_count, result.truncated) == (10, True)
        until(lambda: not self.running(server))

    def test_a_server_may_be_restarted_between_two_queries(self, run: Run, server: ClickHouseServer) -> None:
        assert run("SELECT count() FROM people").rows == ((ROWS,),)
        server.stop()
        server.start()

        assert run("SELECT count() FROM people").rows == ((ROWS,),)

    def test_a_server_that_is_down_is_said_to_be(self, server: ClickHouseServer) -> None:
        executor = connect(server)
        executor.run(unguarded("SELECT 1"), timeout_s=9)
        server.stop()
        try:
            with pytest.raises(DatabaseUnavailable, match="people cannot be opened: the server does not answer"):
                executor.run(unguarded("SELECT 1"), timeout_s=9)
            with pytest.raises(DatabaseUnavailable, match="does not answer"):
                connect(server).schema()
        finally:
            server.start()
        assert executor.run(unguarded("SELECT 1"), timeout_s=9).rows == ((1,),)
        executor.close()

    def test_a_server_that_goes_away_meanwhile_is_said_to_have_gone(self, server: ClickHouseServer) -> None:
        executor = connect(server)

        def stop_when_seen() -> None:
            until(lambda: self.running(server))
            server.stop()

        stopper = threading.Thread(target=stop_when_seen)
        stopper.start()
        try:
            with pytest.raises(DatabaseUnavailable, match="people"):
                executor.run(unguarded(self.endless), timeout_s=60)
        finally:
            stopper.join()
            server.start()
            executor.close()

    @pytest.mark.parametrize("changes, why", [
        ({"password": "no"}, "did not accept the user or the password"),
        ({"user": "nobody"}, "did not accept the user or the password"),
        ({"database": "nowhere"}, "no such database"),
    ])  # fmt: skip
    def test_a_wrong_address_says_what_to_check(
        self, server: ClickHouseServer, changes: dict[str, str], why: str
    ) -> None:
        with pytest.raises(DatabaseUnavailable, match=why) as raised:
            connect(server, **changes).schema()

        assert READER_PASSWORD not in str(raised.value)

    # -- reading only ----------------------------------------------------------------------------------------

    @pytest.mark.parametrize("sql", [sql for sql in writes if sql and "SELECT 1;" not in sql and "KILL" not in sql])
    def test_the_server_itself_lets_no_write_through(self, server: ClickHouseServer, sql: str) -> None:
        executor = connect(server)
        session = executor.row.session.model_copy(update={"first_words": frozenset()})
        executor.row = executor.row.model_copy(update={"session": session})
        with pytest.raises(SqlError):
            executor.run(unguarded(sql), timeout_s=30)

        assert executor.run(unguarded("SELECT count() FROM people"), timeout_s=30).rows == ((ROWS,),)
        executor.close()

    @pytest.mark.parametrize("user, seconds", [(READER, 9), (ASKING, 9), (LOCKED, 0)])
    def test_users_who_only_read_can_ask(self, server: ClickHouseServer, user: str, seconds: float) -> None:
        executor = connect(server, user)

        result = executor.run(unguarded("SELECT getSetting('max_execution_time'), getSetting('readonly')"), timeout_s=9)

        assert result.rows == ((seconds, 2 if user == ASKING else 1),)
        with pytest.raises(SqlFailed, match=r"within 0\.5 seconds"):
            executor.run(unguarded(self.endless), timeout_s=0.5)
        until(lambda: not self.running(server))
        executor.close()

    def test_nothing_is_written_for_nothing_can_be_undone(self, server: ClickHouseServer) -> None:
        write = CheckedWrite(sql="INSERT INTO people VALUES (0, 'x', 'y', 1)", kind="insert", table="people")
        executor = connect(server, writable=True)

        with pytest.raises(SqlRefused, match="cannot undo"):
            executor.write(write, timeout_s=9, commit=True, max_rows=1)


@pytest.mark.parametrize("address, secure", [
    ("clickhouse://u:p@ch.example.com/shop", True),
    ("clickhouse://u:p@ch.example.com:8123/shop?secure=false", "false"),
    ("clickhouse://u:p@localhost/shop", None),
    ("clickhouse+https://u:p@localhost/shop", "true"),
])  # fmt: skip
def test_a_server_elsewhere_is_asked_over_tls(address: str, secure: object) -> None:
    parsed = Address.parse(address)
    options = ClickhouseExecutor("shop", parsed, options=ServerOptions()).connect_options()

    assert {**parsed.query, **options}.get("secure") == secure
