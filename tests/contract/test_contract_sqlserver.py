"""The contract over SQL Server's protocol: Microsoft's ODBC driver and FreeTDS, against a stand-in for the server.

What the stand-in cannot do, a test here says by name; the statements are those that real servers get, and
`test_tsql_statements` reads each of them with a T-SQL parser.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

import pyodbc
import pytest
from contract_suite import ODD_COLUMNS, PEOPLE, WORDS, Run
from server_suite import Outages, Pooling
from unguarded import unguarded

from executors import guard
from executors.base import Executor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError
from executors.server.address import Address
from executors.server.options import ServerOptions
from executors.sqlserver import SqlServerExecutor
from testbed.sqlserver import PASSWORD, USER, Described, SqlServerStandIn, drivers, serve

ABOUT = Described(
    primary_keys={"people": ["id"]},
    foreign_keys=[("visits", ["people_id"], "people", ["id"])],
    required=[("people", "id"), ("people", "name")],
    comments=[("people", "", "Who visits us"), ("people", "city", "where they live; NULL: unknown")],
    views={"locals": "SELECT id, name FROM people WHERE city = 'Köln'"},
)


def write(folder: Path, table: str, columns: tuple[str, ...], *rows: tuple[Any, ...]) -> None:
    with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlServerStandIn]:
    folder = tmp_path_factory.mktemp("csv")
    write(folder, "people", ("id", "name", "city", "amount"), *PEOPLE)
    write(folder, "visits", ("visit_no", "people_id"), (1, 1), (2, 1), (3, None))
    write(folder, "prices", WORDS, tuple(range(len(WORDS))))
    for table in ("order", "Über Maß", "MixedCase"):
        write(folder, table, ODD_COLUMNS, (1, 2, "drei"))
    with serve(folder, ABOUT) as server:
        yield server


def connect(server: SqlServerStandIn, driver: str, **changes: Any) -> SqlServerExecutor:
    options = {"driver": drivers()[driver], "trustservercertificate": "yes", **changes.pop("query", {})}
    login = {key: changes.pop(key) for key in ("database", "password") if key in changes}
    address = Address.parse(server.url(**login, **options))
    address = address.model_copy(update={key: changes.pop(key) for key in ("host", "port") if key in changes})
    # Microsoft's driver waits so long for a server, even where nothing listens.
    return SqlServerExecutor("people", address, options=ServerOptions(**{"connect_timeout_s": 2, **changes}))


@pytest.fixture(scope="class")
def executor(server: SqlServerStandIn, request: pytest.FixtureRequest) -> Iterator[Executor]:
    driver = request.cls.driver
    if driver not in drivers():
        pytest.skip(f"there is no ODBC driver named {driver} on this machine")
    executor = connect(server, driver)
    yield executor
    executor.close()


class SqlServerContract(Outages, Pooling):
    """What both drivers do. Nothing can be written to the stand-in, so `Writing` is not asked of it."""

    driver: ClassVar[str]
    endless = "SELECT count(*) FROM endless"
    connection = "SELECT session_id FROM sys.dm_exec_connections"
    secrets = ("127.0.0.1", USER, PASSWORD, "no such password", "nowhere")
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
        return [str(row[0]) for row in server.rows("SELECT command FROM sys.dm_exec_requests")]

    def connections(self, server: SqlServerStandIn) -> int:
        return len(server.rows("SELECT session_id FROM sys.dm_exec_sessions"))

    def manage(self, server: SqlServerStandIn, sql: str) -> None:
        server.rows(sql)

    @pytest.mark.xfail(strict=True, raises=pyodbc.Error, reason="no table can be created on the stand-in")
    def test_a_schema_is_read_again_after_refresh(self, server: SqlServerStandIn) -> None:
        super().test_a_schema_is_read_again_after_refresh(server)

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

    @pytest.mark.xfail(strict=True, raises=AssertionError, reason="the stand-in has no dm_db_stats_histogram")
    def test_samples_come_from_statistics(self, executor: Executor) -> None:
        executor.schema()

        assert not executor.warnings

    @pytest.mark.xfail(strict=True, raises=AssertionError, reason="the stand-in has one schema")
    def test_other_schemas_are_read(self, executor: Executor) -> None:
        assert self.table(executor, "sales.people").namespace == "sales"


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
