"""What every executor promises, run against each of them.

The queries are handed over as if the guard had let them through: a layer under the guard must hold without it.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import duckdb
import pytest

from executors import guard
from executors.base import Cancel, CheckedSql, Executor, QueryResult
from executors.duckdb import DuckdbExecutor
from executors.errors import ErrorKind, SqlFailed
from executors.files import FilesExecutor
from executors.sqlite import SqliteExecutor

ROWS = 300
PEOPLE = [(i, f"name {i}", None if i % 10 == 0 else "Köln" if i % 3 else "Łódź", i / 4) for i in range(1, ROWS + 1)]
COLUMNS = "id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, amount DOUBLE"
Run = Callable[..., QueryResult]


def unguarded(sql: str, row_limit: int = 500) -> CheckedSql:
    return CheckedSql(sql=sql, executable=sql, row_limit=row_limit, tables=())


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder, with the hash of its bytes."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="class")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "with space, 100%#'"
    folder.mkdir()
    return folder


@pytest.fixture(scope="class")
def executor(request: pytest.FixtureRequest, folder: Path) -> Iterator[Executor]:
    executor: Executor = request.cls().make(folder)
    yield executor
    executor.close()


@pytest.fixture
def run(executor: Executor) -> Run:
    def run(sql: str, row_limit: int = 500, *, timeout_s: float = 30, cancel: Cancel | None = None) -> QueryResult:
        return executor.run(unguarded(sql, row_limit), timeout_s=timeout_s, cancel=cancel)

    return run


class Contract:
    """Subclasses say how the data is stored, and what their dialect calls things."""

    endless: ClassVar[str] = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7"
    odd_tables: ClassVar[tuple[str, ...]] = ("order", "Über Maß", "MixedCase")

    def make(self, folder: Path) -> Executor:
        """The data in that folder, written when it is not there yet, and what reads it."""
        raise NotImplementedError

    # -- rows ----------------------------------------------------------------------------------------------

    def test_rows_come_with_their_columns(self, run: Run) -> None:
        result = run("SELECT id, name, city, amount FROM people ORDER BY id LIMIT 1")

        assert result.columns == ("id", "name", "city", "amount")
        assert result.rows == ((1, "name 1", "Köln", 0.25),)
        assert result.elapsed_ms > 0

    def test_null_is_none(self, run: Run) -> None:
        assert run("SELECT city, NULL FROM people WHERE id = 10").rows == ((None, None),)

    def test_no_rows_still_have_columns(self, run: Run) -> None:
        result = run("SELECT id, name FROM people WHERE id < 0")

        assert (result.columns, result.rows, result.truncated) == (("id", "name"), (), False)

    def test_a_column_name_may_come_twice(self, run: Run) -> None:
        result = run("SELECT id, id, name AS id FROM people WHERE id = 1")

        assert result.columns == ("id", "id", "id")
        assert result.records() == [{"id": 1, "id_2": 1, "id_3": "name 1"}]

    @pytest.mark.parametrize("cap, truncated", [(ROWS - 1, True), (ROWS, False), (ROWS + 1, False), (1, True)])
    def test_truncation_is_seen_at_the_cap(self, run: Run, cap: int, truncated: bool) -> None:
        result = run("SELECT id FROM people ORDER BY id", cap)

        assert (result.row_count, result.truncated) == (min(cap, ROWS), truncated)
        assert [row[0] for row in result.rows] == list(range(1, result.row_count + 1))

    def test_the_guards_own_query_sees_truncation_too(self, executor: Executor) -> None:
        query = guard.check("SELECT id FROM people", executor.schema(), row_limit=10)

        result = executor.run(query, timeout_s=30)

        assert (result.row_count, result.truncated) == (10, True)

    def test_a_comment_and_a_semicolon_do_no_harm(self, run: Run) -> None:
        assert run("SELECT count(*) FROM people; -- all").rows == ((ROWS,),)

    def test_odd_names_can_be_asked(self, executor: Executor, run: Run) -> None:
        for name in self.odd_tables:
            table = executor.schema().table(name)
            assert table is not None
            assert [column.name for column in table.columns] == ["select", "größe", "Zwei Wörter"]
            assert run(f'SELECT "select", "größe", "Zwei Wörter" FROM "{table.name}"').rows == ((1, 2, "drei"),)

    def test_twenty_queries_run_at_once(self, run: Run) -> None:
        start = threading.Barrier(20)

        def ask(i: int) -> int:
            start.wait()
            return int(run(f"SELECT id FROM people WHERE id = {i + 1}").rows[0][0])

        with ThreadPoolExecutor(20) as pool:
            assert list(pool.map(ask, range(20))) == list(range(1, 21))

    # -- stopping ------------------------------------------------------------------------------------------

    def test_a_query_that_takes_too_long_is_stopped(self, run: Run) -> None:
        before = threading.active_count()

        with pytest.raises(SqlFailed) as raised:
            run(self.endless, timeout_s=0.3)

        assert raised.value.kind is ErrorKind.TIMEOUT
        assert "0.3 seconds" in raised.value.message
        assert raised.value.hint
        assert threading.active_count() == before, "no thread is left behind"
        assert run("SELECT count(*) FROM people").rows == ((ROWS,),)

    def test_a_query_is_cancelled_from_another_thread(self, run: Run) -> None:
        cancel = Cancel()
        canceller = threading.Timer(0.2, cancel.cancel)
        canceller.start()

        with pytest.raises(SqlFailed, match="no longer wanted"):
            run(self.endless, cancel=cancel)

        canceller.join()
        assert run("SELECT 1").rows == ((1,),)

    def test_what_is_cancelled_before_it_begins_does_not_run_on(self, run: Run) -> None:
        cancel = Cancel()
        cancel.cancel()

        with pytest.raises(SqlFailed, match="no longer wanted"):
            run(self.endless, cancel=cancel)

    def test_a_cancel_after_the_end_stops_nothing(self, run: Run) -> None:
        cancel = Cancel()
        run("SELECT 1", cancel=cancel)
        cancel.cancel()

        assert run("SELECT 1").rows == ((1,),)

    # -- errors --------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("sql, kind, hint", [
        ("SELECT * FROM peple", ErrorKind.TABLE_NOT_FOUND, "people"),
        ("SELECT nmae FROM people", ErrorKind.COLUMN_NOT_FOUND, "name"),
        ("SELECT FROM WHERE", ErrorKind.SYNTAX_ERROR, "SELECT"),
        ("SELECT id FROM people a JOIN people b ON a.id = b.id", ErrorKind.AMBIGUOUS_COLUMN, "b.id"),
        ("SELECT no_such_function(id) FROM people", ErrorKind.FUNCTION_NOT_FOUND, ""),
        ("SELECT 1 WHERE sum(1) > 0 AND count(*) > 1 GROUP BY sum(2)", ErrorKind.GROUPING, ""),
    ])  # fmt: skip
    def test_an_error_says_its_kind_and_what_would_mend_it(
        self, run: Run, folder: Path, sql: str, kind: ErrorKind, hint: str
    ) -> None:
        with pytest.raises(SqlFailed) as raised:
            run(sql)

        assert raised.value.kind is kind
        assert hint in raised.value.hint
        assert str(folder) not in raised.value.message

    # -- reading only --------------------------------------------------------------------------------------

    @pytest.mark.parametrize("sql", [
        "INSERT INTO people VALUES (1000, 'x', 'y', 1)",
        "UPDATE people SET name = 'x'",
        "DELETE FROM people",
        "DROP TABLE people",
        "CREATE TABLE mine (a INTEGER)",
        "CREATE TEMP TABLE mine (a INTEGER)",
        "ALTER TABLE people ADD COLUMN x INTEGER",
        "ATTACH ':memory:' AS other",
        "ATTACH '{folder}/new.db' AS other",
        "VACUUM INTO '{folder}/copy.db'",
        "COPY people TO '{folder}/copy.csv'",
        "COPY (SELECT 1) TO '{file}' (FORMAT csv, USE_TMP_FILE false)",
        "WITH x AS (COPY (SELECT 1 AS a) TO '{file}' (FORMAT csv, USE_TMP_FILE false)) SELECT * FROM x",
        "WITH x AS (INSERT INTO people VALUES (1001, 'x', 'y', 1) RETURNING *) SELECT * FROM x",
        "EXPORT DATABASE '{folder}/export'",
        "PRAGMA journal_mode = WAL",
        "PRAGMA query_only = OFF",
        "PRAGMA database_list",
        "SET memory_limit = '100GB'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT load_extension('x')",
        "SELECT * FROM read_csv('{secret}')",
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT 1; SELECT 2",
        "BEGIN",
        "",
    ])  # fmt: skip
    def test_nothing_but_its_own_tables_is_read_and_nothing_written(
        self, run: Run, executor: Executor, folder: Path, tmp_path: Path, sql: str
    ) -> None:
        secret = tmp_path / "secret.csv"
        secret.write_text("secret\nxyzzy\n", encoding="utf-8")
        executor.schema()
        before = fingerprint(folder)
        for hole, path in (("folder", folder), ("file", folder / next(iter(before))), ("secret", secret)):
            sql = sql.replace(f"{{{hole}}}", str(path).replace("'", "''"))

        with pytest.raises(SqlFailed) as raised:
            run(sql)

        assert "xyzzy" not in str(raised.value)
        assert fingerprint(folder) == before
        assert run("SELECT count(*) FROM people").rows == ((ROWS,),)

    def test_use_leaves_nothing_beside_the_data(self, folder: Path) -> None:
        executor = self.make(folder)
        before = fingerprint(folder)

        executor.schema()
        executor.run(unguarded("SELECT city, sum(amount) FROM people GROUP BY city ORDER BY 2"), timeout_s=30)
        executor.close()

        assert fingerprint(folder) == before

    # -- the schema ----------------------------------------------------------------------------------------

    def test_a_schema_has_columns_counts_and_samples(self, executor: Executor) -> None:
        table = executor.schema().table("people")

        assert table is not None
        assert [column.name for column in table.columns] == ["id", "name", "city", "amount"]
        assert table.row_count == ROWS
        assert [column.samples for column in table.columns if column.name == "city"] == [("Köln", "Łódź")]
        assert [column.samples for column in table.columns if column.name == "amount"] == [()]

    def test_keys_are_known(self, executor: Executor) -> None:
        people, visits = executor.schema().table("people"), executor.schema().table("visits")

        assert people is not None
        assert visits is not None
        assert people.primary_key == ("id",)
        assert [(key.columns, key.table, key.referenced) for key in visits.foreign_keys] == [
            (("people_id",), "people", ("id",))
        ]

    def test_a_schema_is_read_once(self, executor: Executor) -> None:
        assert executor.schema() is executor.schema()
        assert executor.schema().dialect == executor.dialect

    def test_samples_can_be_switched_off(self, folder: Path) -> None:
        executor = self.make(folder)
        executor._sample_values = 0  # type: ignore[attr-defined]

        assert not any(column.samples for table in executor.schema().tables for column in table.columns)
        executor.close()


class TestSqlite(Contract):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0"

    def make(self, folder: Path) -> Executor:
        path = folder / "people.sqlite"
        if not path.exists():
            with sqlite3.connect(path) as connection:
                _fill(connection.execute)
            connection.close()
        return SqliteExecutor("people", path, sample_values=3)


class TestDuckdb(Contract):
    def make(self, folder: Path) -> Executor:
        path = folder / "people.duckdb"
        if not path.exists():
            with duckdb.connect(str(path)) as connection:
                _fill(connection.execute)
        return DuckdbExecutor("people", path, memory="200MB", threads=2, sample_values=3)


class FilesContract(Contract):
    """A folder with one file per table."""

    odd_tables: ClassVar[tuple[str, ...]] = ("order", "Über_Maß", "MixedCase")
    suffix: ClassVar[str]
    options: ClassVar[str]

    def make(self, folder: Path) -> Executor:
        if not any(folder.iterdir()):
            with duckdb.connect() as connection:
                _fill(connection.execute)
                for table in ("people", "visits", "order", "Über Maß", "MixedCase"):
                    file = str(folder / f"{table}{self.suffix}").replace("'", "''")
                    connection.execute(f"COPY \"{table}\" TO '{file}' ({self.options})")
        return FilesExecutor("people", folder, memory="200MB", threads=2, sample_values=3)


class TestCsvFolder(FilesContract):
    suffix, options = ".csv", "FORMAT csv, HEADER"


class TestTsvFolder(FilesContract):
    suffix, options = ".tsv", "FORMAT csv, HEADER, DELIMITER '\t'"


class TestParquetFolder(FilesContract):
    suffix, options = ".parquet", "FORMAT parquet"


class TestJsonFolder(FilesContract):
    suffix, options = ".jsonl", "FORMAT json"


def _fill(execute: Callable[[str], object]) -> None:
    values = ", ".join(
        f"({i}, '{name}', {'NULL' if city is None else repr(city)}, {amount})" for i, name, city, amount in PEOPLE
    )
    execute(f"CREATE TABLE people ({COLUMNS})")
    execute(f"INSERT INTO people VALUES {values}")
    execute("CREATE TABLE visits (visit_no INTEGER, people_id INTEGER REFERENCES people (id))")
    execute("INSERT INTO visits VALUES (1, 1), (2, 1), (3, NULL)")
    for name in ("order", "Über Maß", "MixedCase"):
        execute(f'CREATE TABLE "{name}" ("select" INTEGER, "größe" INTEGER, "Zwei Wörter" TEXT)')
        execute(f"INSERT INTO \"{name}\" VALUES (1, 2, 'drei')")


def test_the_scratch_folder_goes_with_its_executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (tmp_path / "data").mkdir()
    executor = TestCsvFolder().make(tmp_path / "data")
    executor.schema()
    assert any(scratch.iterdir())

    executor.close()
    del executor

    assert not any(scratch.iterdir())
    shutil.rmtree(tmp_path / "data")
