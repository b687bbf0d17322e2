"""The contract over SQL Server's protocol: Microsoft's ODBC driver and FreeTDS, against a stand-in for the server.

What the stand-in cannot do, a test here says by name; the statements are those that real servers get, and
`test_tsql_statements` reads each of them with a T-SQL parser.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

import pytest
from contract_suite import ODD_COLUMNS, ODD_ROW, ODD_TABLES, PEOPLE, ROWS, WORDS, Run
from server_suite import Outages, Pooling, Writing, ask
from sqlserver_suite import PartialCatalogue, connect, write
from unguarded import unguarded
from until import until

from executors.base import Cancel, CheckedWrite, Executor
from executors.engines.sqlserver.executor import SqlServerExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed, SqlRefused
from executors.guard import guard
from testbed.sqlserver import ODD_PASSWORDS, PASSWORD, USER, Described, SqlServerStandIn, drivers, serve
from testbed.sqlserver_messages import MESSAGES

ABOUT = Described(
    primary_keys={"people": ["id"]},
    foreign_keys=[("visits", ["people_id"], "people", ["id"])],
    required=[("people", "id"), ("people", "name")],
    comments=[("people", "", "Who visits us"), ("people", "city", "where they live; NULL: unknown")],
    views={"locals": "SELECT id, name FROM people WHERE city = 'Köln'"},
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlServerStandIn]:
    folder = tmp_path_factory.mktemp("csv")
    write(folder, "people", ("id", "name", "city", "amount"), *PEOPLE)
    write(folder, "visits", ("visit_no", "people_id"), (1, 1), (2, 1), (3, None))
    write(folder, "prices", WORDS, tuple(range(len(WORDS))))
    for table in ODD_TABLES:
        write(folder, table, ODD_COLUMNS, ODD_ROW)
    with serve(folder, ABOUT) as server:
        yield server


@pytest.fixture(scope="class")
def executor(server: SqlServerStandIn, request: pytest.FixtureRequest) -> Iterator[Executor]:
    driver = request.cls.driver
    if driver not in drivers():
        pytest.skip(f"there is no ODBC driver named {driver} on this machine")
    executor = connect(server, driver)
    yield executor
    executor.close()


class SqlServerContract(PartialCatalogue, Outages, Pooling, Writing):
    """What both drivers do."""

    driver: ClassVar[str]
    endless = "SELECT count(*) FROM endless"
    connection = "SELECT session_id FROM sys.dm_exec_connections"
    secrets = ("127.0.0.1", USER, PASSWORD, "no such password", "nowhere")
    watched = (
        "CREATE TABLE audit (id INTEGER)",
        "CREATE TRIGGER noisy ON ledger AFTER UPDATE AS INSERT INTO audit VALUES (1), (2); SELECT 1",
    )
    unwatched = ("DROP TRIGGER noisy", "DROP TABLE audit")
    rewriting = ("CREATE TRIGGER acting ON ledger AFTER UPDATE AS UPDATE ledger SET amount = 77 WHERE amount < 99",)
    raising = ("CREATE TRIGGER acting ON ledger AFTER UPDATE AS RAISERROR('Not now', 16, 1)",)
    unrewriting = ("DROP TRIGGER acting",)
    misused = "SELECT city, count(*) FROM people"
    types = (
        ("[tinyint] FROM kinds", 200),
        ("[smallint] FROM kinds", -5),
        ("[bigint] FROM kinds", "9007199254740993"),
        ("[bit] FROM kinds", True),
        ("[float] FROM kinds", 0.1),
        ("[decimal] FROM kinds", 12.5),
        ("[numeric] FROM kinds", "123456789012345678.123456789"),
        ("[money] FROM kinds", -1234.5678),
        ("[date] FROM kinds", "2024-02-29"),
        ("[time] FROM kinds", "10:20:30.500000"),
        ("[datetime] FROM kinds", "2024-02-29T10:20:30"),
        ("[datetime2] FROM kinds", "2024-02-29T10:20:30.123456"),
        ("[datetimeoffset] FROM kinds", "2024-02-29T10:20:30.123456+05:30"),
        ("before_utc FROM kinds", "2024-02-29T10:20:30-03:30"),
        ("[nvarchar] FROM kinds", "😀 ünï"),
        ("[varchar] FROM kinds", "Köln €"),
        ("[varbinary] FROM kinds", "0xdeadbeef"),
        ("[rowversion] FROM kinds", "0x00000000000007d1"),
        ("[uniqueidentifier] FROM kinds", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
        ("[xml] FROM kinds", "<a>ü</a>"),
        ("[geography] FROM kinds", "0x0102"),
        ("[nothing] FROM kinds", None),
        ("N'😀 ünï'", "😀 ünï"),
        ("CAST(9007199254740993 AS bigint)", "9007199254740993"),
    )
    writes = (
        "INSERT INTO people VALUES (1000, 'x', 'y', 1)",
        "UPDATE people SET name = 'x'",
        "DELETE FROM people",
        "MERGE people AS t USING visits AS v ON t.id = v.people_id WHEN MATCHED THEN DELETE;",
        "DROP TABLE people",
        "TRUNCATE TABLE people",
        "CREATE TABLE mine (a int)",
        "SELECT * INTO mine FROM people",
        "SELECT * INTO #mine FROM people",
        "WITH x AS (SELECT * FROM people) DELETE FROM x",
        "SELECT 1 DELETE FROM people",
        "SELECT 1DELETE FROM people",
        "SELECT id AS e'\\' DELETE FROM people --'",
        "SELECT 1; COMMIT; DELETE FROM people",
        "SELECT 1 -- '\n COMMIT DELETE FROM people --'",
        "SELECT 1 /* /* */ */ COMMIT",
        "SELECT [a]]] FROM people DELETE FROM people --]",
        "EXEC sp_executesql N'DELETE FROM people; COMMIT'",
        "sp_executesql N'DELETE FROM people; COMMIT'",
        "[sp_executesql] N'DELETE FROM people; COMMIT'",
        "{call sp_executesql(N'DELETE FROM people; COMMIT')}",
        "SET IMPLICIT_TRANSACTIONS OFF",
        "BEGIN TRANSACTION",
        "COMMIT",
        "WAITFOR DELAY '00:00:01'",
        "SELECT * FROM OPENROWSET(BULK '/etc/passwd', SINGLE_CLOB) AS f",
        "SELECT * FROM OPENQUERY(other, 'DELETE FROM t')",
        "SELECT NEXT /* any */ VALUE FOR numbers",
        "DECLARE @a int = 1",
        "DBCC DROPCLEANBUFFERS",
        "USE master",
        "",
    )

    def connect(self, server: SqlServerStandIn, **changes: Any) -> Executor:
        return connect(server, self.driver, **changes)

    def version(self, executor: Executor) -> str:
        assert "SQL Server" in executor.run(unguarded("SELECT @@VERSION"), timeout_s=9).rows[0][0]
        return f"(stand-in: pysqlbridge {metadata.version('pysqlbridge')})"

    def running(self, server: SqlServerStandIn) -> list[str]:
        found = [str(row[0]) for row in server.rows("SELECT command FROM sys.dm_exec_requests")]
        # Not what is said while a connection is being made.
        return [sql for sql in found if sql.startswith("SELECT") and "@@" not in sql and "sys." not in sql]

    def connections(self, server: SqlServerStandIn) -> int:
        return len(server.rows("SELECT session_id FROM sys.dm_exec_sessions"))

    def connect_writer(self, server: SqlServerStandIn) -> Executor:
        return connect(server, self.driver, writable=True)

    def manage(self, server: SqlServerStandIn, sql: str) -> None:
        server.execute(sql)

    @contextmanager
    def locked(self, server: SqlServerStandIn, table: str) -> Iterator[None]:
        connection = server.connection()
        connection.execute(f"UPDATE {table} SET id = id")
        yield
        connection.rollback()
        connection.close()

    # -- triggers

    @pytest.fixture
    def trigger(self, server: SqlServerStandIn, ledger: None) -> Iterator[Callable[[str], None]]:
        """Makes a trigger of the ledger, by its event and its body; `audit` is a table that it may write to."""
        server.execute("CREATE TABLE audit (id INTEGER)")
        yield lambda body: server.execute(f"CREATE TRIGGER watch ON ledger {body}")
        server.execute("DROP TRIGGER watch")
        server.execute("DROP TABLE audit")

    @pytest.mark.parametrize("body, why", [
        ("AFTER UPDATE AS INSERT INTO audit VALUES (1)", "a count of its own, before the write's"),
        ("AFTER UPDATE AS SET NOCOUNT ON; INSERT INTO audit VALUES (1)", "as it should be written"),
        ("AFTER UPDATE AS SET NOCOUNT OFF; INSERT INTO audit VALUES (1)", "a count where none is wanted"),
        ("AFTER UPDATE AS SELECT 1, 2; INSERT INTO audit VALUES (1), (2)", "rows of its own, and a count"),
        ("AFTER UPDATE AS DELETE FROM audit; SELECT 9", "a count of 0, and rows"),
    ])  # fmt: skip
    def test_a_write_counts_its_own_rows_whatever_its_triggers_say(
        self, writer: Executor, trigger: Callable[[str], None], body: str, why: str
    ) -> None:
        trigger(body)

        with pytest.raises(SqlFailed, match="3 rows, and 2 are allowed"):
            self.write(writer, "UPDATE ledger SET amount = 0 WHERE id > 0", max_rows=2)
        assert self.amounts(writer) == [10, 20, 30]

        done = self.write(writer, "UPDATE ledger SET amount = amount + 1 WHERE id < 3", exactly=2)
        assert (done.rows_affected, done.committed) == (2, True), why
        assert self.amounts(writer) == [11, 21, 30]

    @pytest.mark.parametrize("body, why", [
        ("AFTER UPDATE AS INSERT INTO audit VALUES (1); RAISERROR('Not now', 16, 1); ROLLBACK TRANSACTION",
         "an error after a count"),
        ("AFTER UPDATE AS RAISERROR('Not now', 16, 1)", "an error alone: the batch goes on"),
        ("AFTER UPDATE AS SELECT 1; ROLLBACK TRANSACTION", "rows, and then the end of the transaction"),
        ("AFTER UPDATE AS ROLLBACK TRANSACTION", "without a word of its own"),
    ])  # fmt: skip
    def test_what_a_trigger_undoes_is_not_reported_as_done(
        self, writer: Executor, trigger: Callable[[str], None], body: str, why: str
    ) -> None:
        trigger(body)

        with pytest.raises(SqlFailed) as raised:
            self.write(writer, "UPDATE ledger SET amount = 0 WHERE id > 0")

        assert raised.value.kind is ErrorKind.CONSTRAINT, why
        assert self.amounts(writer) == [10, 20, 30]
        assert self.write(writer, "DELETE FROM ledger WHERE id = 1").committed, "the next one is not in its way"

    @pytest.mark.parametrize("sql, body, said", [
        ("DELETE FROM ledger WHERE id < 3", "AFTER DELETE AS INSERT INTO ledger VALUES (2, 20, 1)",
         "1 of 2 rows would be there still"),
        ("INSERT INTO ledger VALUES (4, 40, 1), (5, 50, 1)", "AFTER INSERT AS DELETE FROM ledger WHERE id = 5",
         "1 of 2 rows would not be there, or hold something else"),
        ("INSERT INTO ledger VALUES (4, 40, 1)", "AFTER INSERT AS UPDATE ledger SET people_id = 2 WHERE id = 4",
         "hold something else than was written in people_id"),
        ("UPDATE ledger SET amount = 1 WHERE id = 2", "AFTER UPDATE AS UPDATE ledger SET id = 9 WHERE id = 2",
         "1 of 1 row would hold something else than was set"),
    ])  # fmt: skip
    def test_rows_that_a_trigger_takes_back_are_found(
        self, writer: Executor, trigger: Callable[[str], None], sql: str, body: str, said: str
    ) -> None:
        trigger(body)

        with pytest.raises(SqlFailed, match=said) as raised:
            self.again(writer, sql)

        assert raised.value.kind is ErrorKind.CONSTRAINT
        assert self.amounts(writer) == [10, 20, 30]

    def test_a_write_whose_rows_cannot_be_read_before_says_so(self, tmp_path: Path) -> None:
        about = Described(denied=["+ 1 AS"], primary_keys={"people": ["id"]})
        write(tmp_path, "people", ("id", "name"), (1, "a"))
        with serve(tmp_path, about) as server, closing(connect(server, self.driver, writable=True)) as executor:
            server.execute("CREATE TABLE ledger (id INTEGER PRIMARY KEY, amount INTEGER)")
            server.execute("INSERT INTO ledger VALUES (1, 10)")
            done = self.again(executor, "UPDATE ledger SET amount = amount + 1 WHERE id = 1")

            assert (done.rows_affected, done.read_back, done.committed) == (1, None, True)
            assert done.unread == "the rows could not be read before the change"
            assert self.amounts(executor) == [11]

    def test_a_trigger_that_acts_instead_is_reported(self, writer: Executor, trigger: Callable[[str], None]) -> None:
        trigger("INSTEAD OF DELETE AS INSERT INTO audit VALUES (1)")

        with pytest.raises(SqlRefused, match="INSTEAD OF trigger of ledger takes the place of every DELETE"):
            self.write(writer, "DELETE FROM ledger WHERE id = 1")

        assert self.amounts(writer) == [10, 20, 30]
        assert self.write(writer, "UPDATE ledger SET amount = 1 WHERE id = 1").committed, "of another event"

    def test_the_rule_that_a_write_breaks_is_reported(self, writer: Executor) -> None:
        with pytest.raises(SqlFailed) as raised:
            self.write(writer, "INSERT INTO ledger VALUES (1, 10, 1)")

        assert raised.value.kind is ErrorKind.CONSTRAINT
        assert "there already" in raised.value.hint

    # -- deadlocks, locks, and a server that does not answer

    def test_a_deadlocks_victim_is_asked_once_more(self, run: Run) -> None:
        assert run("SELECT n FROM victim").rows == ((7,),)

    def test_a_write_that_is_a_victim_is_not_run_again(self, writer: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []

        def fails(self: SqlServerExecutor, lease: Any, statement: CheckedWrite) -> int:
            asked.append(statement.runs)
            cursor = lease.cursor()
            cursor.execute("SELECT * FROM msg_1205")
            return 0

        monkeypatch.setattr(SqlServerExecutor, "_execute_write", fails)
        with pytest.raises(SqlFailed, match="deadlock"):
            self.write(writer, "DELETE FROM ledger WHERE id = 1")

        assert asked == ["DELETE FROM ledger WHERE id = 1"]
        assert self.amounts(writer) == [10, 20, 30]

    def test_a_value_that_the_driver_cannot_read_says_to_cast_it(
        self, executor: Executor, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unreadable(value: Any) -> Any:
            raise ValueError("year -1 is out of range")

        with monkeypatch.context() as patched:
            patched.setattr(SqlServerExecutor, "_decoders", lambda _, description: [unreadable] * len(description))
            with pytest.raises(SqlFailed, match="A value of the result cannot be read") as raised:
                run("SELECT id FROM people")

        assert raised.value.kind is ErrorKind.TYPE_MISMATCH
        assert "CAST" in raised.value.hint
        assert ask(executor, "SELECT count(*) FROM people") == ROWS

    def test_names_may_hold_a_bracket(self, tmp_path: Path) -> None:
        write(tmp_path, "we]ird", ("a]b", "c"), (1, "x"), (2, "x"))
        with serve(tmp_path) as server, closing(connect(server, self.driver)) as executor:
            schema = executor.schema()
            table = self.table(executor, "we]ird")
            query = guard.check(
                f"SELECT t.{schema.quote_name('a]b')} FROM {schema.quote_table(table)} AS t", schema, row_limit=5
            )

            assert table.columns[1].samples == ("x",)
            assert executor.run(query, timeout_s=30).rows == ((1,), (2,))

    def test_a_victim_twice_is_reported(self, run: Run) -> None:
        with pytest.raises(SqlFailed) as raised:
            run("SELECT * FROM msg_1205")

        assert raised.value.kind is ErrorKind.RESOURCE
        assert "ask again in a moment" in raised.value.hint

    def test_a_wait_for_a_lock_is_reported(self, run: Run) -> None:
        with pytest.raises(SqlFailed, match="has locked rows") as raised:
            run("SELECT * FROM msg_1222")

        assert raised.value.kind is ErrorKind.TIMEOUT
        assert "Ask again" in raised.value.hint

    @pytest.mark.parametrize("number", sorted(MESSAGES))
    def test_an_error_of_the_server_has_a_kind_and_a_hint(self, run: Run, number: int) -> None:
        with pytest.raises(SqlFailed) as raised:
            run(f"SELECT * FROM msg_{number}")

        assert raised.value.kind is not ErrorKind.OTHER
        assert raised.value.hint

    @pytest.mark.parametrize("stop", ["cancel", "time"])
    def test_a_server_that_ignores_a_cancel_is_waited_for_no_longer(self, server: SqlServerStandIn, stop: str) -> None:
        executor = self.connect(server)
        ask(executor, self.one)  # so that the time is not spent on logging in
        cancel = Cancel()
        deaf = unguarded("SELECT count(*) FROM deaf")
        failed: list[SqlError] = []

        def work() -> None:
            try:
                executor.run(deaf, timeout_s=1 if stop == "time" else 60, cancel=cancel)
            except SqlError as error:
                failed.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        until(lambda: self.running(server))
        if stop == "cancel":
            cancel.cancel()
        thread.join()

        assert [error.kind for error in failed] == [ErrorKind.TIMEOUT]
        if stop == "cancel":  # out of time, the driver itself may have given up by now
            assert self.running(server), "the server is at it still"
        assert ask(executor, "SELECT count(*) FROM people") == ROWS, "on another connection"
        executor.close()
        server.stop()
        server.start()
        until(lambda: all(thread.name != "query" for thread in threading.enumerate()))

    # -- logging in

    @pytest.mark.parametrize("database, said", [
        ("single", "single-user mode"), ("restoring", "being restored"), ("offline", "is offline"),
    ])  # fmt: skip
    def test_a_database_that_is_there_and_closed_says_why(
        self, server: SqlServerStandIn, database: str, said: str
    ) -> None:
        assert said in self.unavailable(self.connect(server, database=database))

    @pytest.mark.parametrize("user", sorted(ODD_PASSWORDS))
    def test_a_password_may_hold_what_connection_strings_are_made_of(self, server: SqlServerStandIn, user: str) -> None:
        with closing(connect(server, self.driver, user=user, password=ODD_PASSWORDS[user])) as executor:
            assert ask(executor, "SELECT count(*) FROM people") == ROWS

    def test_types_are_written_as_they_are_declared(self, executor: Executor) -> None:
        people = self.table(executor, "people")

        assert [column.type for column in people.columns] == ["int", "nvarchar(8)", "nvarchar(4)", "float"]
        assert [column.nullable for column in people.columns] == [False, False, True, True]

    def test_the_guards_paging_is_understood(self, executor: Executor) -> None:
        sql = "SELECT id FROM people ORDER BY id OFFSET 298 ROWS"
        query = guard.check(sql, executor.schema(), row_limit=1)

        result = executor.run(query, timeout_s=30)

        assert (result.rows, result.truncated) == (((299,),), True)

    def test_a_union_is_cut_too(self, executor: Executor) -> None:
        query = guard.check("SELECT id FROM people UNION SELECT people_id FROM visits", executor.schema(), row_limit=7)

        assert executor.run(query, timeout_s=30).truncated

    def test_the_whole_session_is_encrypted(self, run: Run) -> None:
        assert run("SELECT encrypt_option FROM sys.dm_exec_connections").rows == (("TRUE",),)

    def test_samples_come_from_statistics_where_a_column_has_one(self, tmp_path: Path) -> None:
        rows = [(at, "rare" if at == 0 else "often", f"note {at % 2}", f"own {at}") for at in range(5)]
        write(tmp_path, "people", ("id", "kind", "note", "name"), *rows)
        with serve(tmp_path, Described(statistics=[("people", "kind"), ("people", "name")])) as server:
            executor = connect(server, self.driver)

            samples = {column.name: column.samples for column in self.table(executor, "people").columns}
            assert not executor.warnings
            executor.close()
        assert samples["kind"] == ("often",), "from its statistic"
        assert samples["note"] == ("note 0", "note 1"), "from first rows: another column's statistic says nothing of it"
        assert samples["name"] == (), "its statistic says that no value is frequent"

    def test_other_schemas_are_read(self, tmp_path: Path) -> None:
        write(tmp_path, "people", ("id", "name"), (1, "here"))
        write(tmp_path, "sales.people", ("id", "na]me", "boss"), (7, "there", 7), (8, "there too", 7))
        write(tmp_path, "Öff.order", ("open",), (5,))
        about = Described(
            primary_keys={"sales.people": ["id"]},
            foreign_keys=[("sales.people", ["boss"], "sales.people", ["id"])],
            comments=[("sales.people", "boss", "whom they answer to")],
        )
        with serve(tmp_path, about) as server, closing(connect(server, self.driver)) as executor:
            schema, there = executor.schema(), self.table(executor, "sales.people")

            assert [table.name for table in schema.tables] == ["people", "sales.people", "Öff.order"]
            assert (there.namespace, there.primary_key, there.row_count) == ("sales", ("id",), 2)
            assert [(key.table, key.referenced) for key in there.foreign_keys] == [("sales.people", ("id",))]
            assert there.columns[2].comment == "whom they answer to"
            assert there.columns[1].samples == ("there", "there too")
            for sql, found in {
                "SELECT name FROM people": "here",
                "SELECT [na]]me] FROM sales.people WHERE id = 7": "there",
                "SELECT p.id FROM sales.people AS p JOIN people AS q ON p.id = q.id + 6": 7,
                "SELECT open FROM [Öff].[order]": 5,
            }.items():
                assert executor.run(guard.check(sql, schema, row_limit=5), timeout_s=30).rows == ((found,),), sql
        with serve(tmp_path) as server, closing(connect(server, self.driver, schemas=("Sales",))) as executor:
            assert [table.name for table in executor.schema().tables] == ["sales.people"], "where no other is wanted"


class TestMicrosoft(SqlServerContract):
    engine = "SQL Server, ODBC Driver 18"
    driver = "microsoft"

    def test_the_certificate_is_checked(
        self, server: SqlServerStandIn, executor: Executor, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        unknown = self.connect(server, query={"trustservercertificate": "no"})
        with pytest.raises(DatabaseUnavailable, match="no encrypted connection"):
            unknown.schema()

        monkeypatch.setenv("SSL_CERT_FILE", str(server.certificate))
        known = self.connect(server, host="localhost", query={"trustservercertificate": "no"})
        assert known.schema().tables
        known.close()

    def test_a_variant_is_read(self, run: Run) -> None:
        assert run("SELECT variant_int, variant_text FROM kinds").rows == ((7, "ü"),)
        assert run("SELECT * FROM kinds").row_count == 1


class TestFreeTds(SqlServerContract):
    engine = "SQL Server, FreeTDS"
    driver = "freetds"

    def test_a_variant_says_to_cast_it(self, run: Run) -> None:
        for sql in ("SELECT variant_int FROM kinds", "SELECT * FROM kinds"):
            with pytest.raises(SqlError) as raised:
                run(sql)

            assert raised.value.kind is ErrorKind.TYPE_MISMATCH
            assert not raised.value.message.startswith("(")
            assert "CAST it to nvarchar(4000)" in raised.value.hint
        assert run("SELECT count(*) FROM people").rows[0][0], "the connection is as good as before"
