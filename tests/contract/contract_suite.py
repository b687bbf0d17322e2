"""The contract of executors, as tests that each engine's class inherits.

The queries are handed over as if the guard had let them through: a layer under the guard must hold without it.
"""

from __future__ import annotations

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest
from sqlglot import transpile
from unguarded import unguarded
from until import until

from executors.base import Cancel, Executor, QueryResult, Table
from executors.dialects.row import Dialect, Limit
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlError, SqlFailed
from executors.guard import guard
from executors.records.raw_records import derive, strays
from executors.sql import grammar
from executors.sql.ties import find_tie_query
from executors.sql.tree import tree_to_change

ROWS = 300
PEOPLE = [(i, f"name {i}", None if i % 10 == 0 else "Köln" if i % 3 else "Łódź", i / 4) for i in range(1, ROWS + 1)]
# Words that some engine, or this project, takes for something else than a name.
WORDS = (
    "open", "close", "percent", "plan", "file", "public", "schema", "rule", "function", "current", "identity", "key",
    "user", "end", "top", "national", "order", "delete", "kill", "save", "use", "print", "disk", "level", "rank",
)  # fmt: skip
ODD_COLUMNS = ("select", "größe", "Zwei Wörter", "2024 total")
ODD_TABLES = ("order", "Über Maß", "MixedCase", "1st quarter")
ODD_ROW = (1, 2, "drei", 4)
Run = Callable[..., QueryResult]


def _again(records: QueryResult) -> dict[Any, Any]:
    """The number of records of each city, and their sum."""
    found: dict[str | None, tuple[int, float]] = {}
    for record in records.records():
        count, total = found.get(record["city"], (0, 0.0))
        found[record["city"]] = (count + 1, total + record["amount"])
    return found


def expect_error(run: Run, sql: str, kind: ErrorKind, hint: str) -> None:
    """Run what fails, and compare its kind and a part of its hint."""
    with pytest.raises(SqlError) as raised:
        run(sql)
    assert raised.value.kind is kind
    assert hint in raised.value.hint


class Contract(ABC):
    """Subclasses name their engine, create its executor and set their dialect's spellings.

    engine: what the table of engines calls it.
    endless: a query that would run for hours.
    odd_tables: names that need quotes; each has the columns `ODD_COLUMNS`.
    misused: a query that breaks the rules of grouping.
    one: a query that gives the number one.
    """

    engine: ClassVar[str]
    endless: ClassVar[str]
    odd_tables: ClassVar[tuple[str, ...]] = ODD_TABLES
    misused: ClassVar[str] = "SELECT 1 WHERE sum(1) > 0 AND count(*) > 1 GROUP BY sum(2)"
    one: ClassVar[str] = "SELECT 1"

    @abstractmethod
    def version(self, executor: Executor) -> str:
        """The engine's own version."""

    @pytest.fixture
    def run(self, executor: Executor) -> Run:
        def run(sql: str, row_limit: int = 500, *, timeout_s: float = 30, cancel: Cancel | None = None) -> QueryResult:
            return executor.run(unguarded(sql, row_limit), timeout_s=timeout_s, cancel=cancel)

        return run

    @staticmethod
    def table(executor: Executor, name: str) -> Table:
        found = executor.schema().table(name)
        assert found is not None, f"{name} is not in the schema"
        return found

    def test_the_engine_says_its_version(
        self, executor: Executor, record_property: Callable[[str, object], None]
    ) -> None:
        version = self.version(executor)
        record_property("engine_version", version)

        assert re.search(r"\d", version)

    # -- rows ----------------------------------------------------------------------------------------------

    def test_rows_come_with_their_columns(self, run: Run) -> None:
        result = run("SELECT id, name, city, amount FROM people WHERE id = 1")

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

        assert result.columns == ("id", "id_2", "id_3")
        assert result.records() == [{"id": 1, "id_2": 1, "id_3": "name 1"}]

    def test_a_column_has_one_json_type(self, run: Run) -> None:
        result = run("SELECT amount FROM people WHERE id IN (1, 4, 8) ORDER BY id")

        assert [(value, type(value)) for (value,) in result.rows] == [(0.25, float), (1.0, float), (2.0, float)]

    def test_timestamps_without_times_are_dates(self, run: Run, executor: Executor) -> None:
        executor.schema()  # only now does a remote one know its dialect
        if executor.dialect == "sqlite":
            pytest.skip("SQLite has no timestamps; its texts are as they are stored")
        moments = [f"SELECT CAST('2024-03-0{day} 00:00:00' AS TIMESTAMP) AS d" for day in (1, 2)]
        [sql] = transpile(" UNION ALL ".join(moments), "duckdb", DIALECTS[executor.dialect].sqlglot)

        assert sorted(run(sql).rows) == [("2024-03-01",), ("2024-03-02",)]

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

    def test_a_percent_sign_is_no_parameter(self, run: Run) -> None:
        assert run("SELECT count(*) FROM people WHERE name LIKE '%s%' OR name LIKE 'name 1%'").rows[0][0] == 111

    def test_odd_names_can_be_asked(self, executor: Executor) -> None:
        quote = DIALECTS[executor.schema().dialect].always_quote
        columns = ", ".join(quote(name) for name in ODD_COLUMNS)
        for name in self.odd_tables:
            table = self.table(executor, name)
            assert tuple(column.name for column in table.columns) == ODD_COLUMNS
            query = guard.check(f"SELECT {columns} FROM {quote(name)}", executor.schema(), row_limit=5)
            assert executor.run(query, timeout_s=30).rows == (ODD_ROW,)

    def test_reserved_words_are_columns_as_any(self, executor: Executor) -> None:
        schema = executor.schema()
        prices = self.table(executor, "prices")
        assert tuple(column.name for column in prices.columns) == WORDS

        plain = guard.check("SELECT open, close AS plan FROM prices AS p", schema, row_limit=5)
        result = executor.run(plain, timeout_s=30)
        assert (result.columns, result.rows) == (("open", "plan"), ((0, 1),))

        as_the_schema_has_them = ", ".join(map(schema.quote_name, WORDS))
        query = guard.check(f"SELECT {as_the_schema_has_them} FROM prices", schema, row_limit=5)
        result = executor.run(query, timeout_s=30)
        assert (result.columns, result.rows) == (WORDS, (tuple(range(len(WORDS))),))

    def test_what_is_shown_runs_too(self, executor: Executor) -> None:
        schema = executor.schema()
        words = ", ".join(map(schema.quote_name, WORDS))
        shown = guard.check(f"SELECT {words} FROM prices AS p ORDER BY p.close", schema, row_limit=5).sql

        again = guard.check(shown, schema, row_limit=5)

        assert again.sql == shown
        assert executor.run(again.model_copy(update={"executable": shown}), timeout_s=30).columns == WORDS

    def test_an_expression_is_called_by_its_text_and_not_by_its_quotes(self, executor: Executor) -> None:
        query = guard.check("SELECT MAX(amount), MIN(id) FROM people", executor.schema(), row_limit=5)

        columns = executor.run(query, timeout_s=30).columns

        assert [column for column in columns if set(column) & set('`"[]')] == []

    def test_fifty_queries_run_at_once(self, run: Run) -> None:
        start = threading.Barrier(50)

        def ask(i: int) -> int:
            start.wait()
            return int(run(f"SELECT id FROM people WHERE id = {i + 1}").rows[0][0])

        with ThreadPoolExecutor(50) as pool:
            assert list(pool.map(ask, range(50))) == list(range(1, 51))

    # -- errors that a next attempt can learn from ---------------------------------------------------------

    def test_a_subquery_of_several_rows_where_one_value_stands_is_reported(self, executor: Executor, run: Run) -> None:
        executor.schema()
        if executor.dialect == "sqlite":
            assert run("SELECT (SELECT id FROM people) AS v").row_count == 1  # SQLite takes the first
            return
        with pytest.raises(SqlFailed) as raised:
            run("SELECT (SELECT id FROM people) AS v")

        assert raised.value.kind is ErrorKind.SEVERAL_ROWS
        assert "IN" in raised.value.hint

    def test_a_division_by_zero_is_reported_where_it_is_an_error(self, executor: Executor, run: Run) -> None:
        executor.schema()
        divided = "intDiv(1, id - 1)" if executor.dialect == "clickhouse" else "1 / (id - 1)"
        if executor.dialect in {"sqlite", "duckdb", "mysql", "mariadb"}:
            assert run(f"SELECT {divided} AS v FROM people WHERE id = 1").rows in (((None,),), (("Infinity",),))
            return
        with pytest.raises(SqlFailed) as raised:
            run(f"SELECT {divided} AS v FROM people WHERE id = 1")

        assert raised.value.kind is ErrorKind.DIVISION_BY_ZERO
        assert "NULLIF" in raised.value.hint

    # -- the records behind a result -----------------------------------------------------------------------

    @pytest.mark.parametrize("sql", [
        "SELECT city, COUNT(*) AS n, SUM(amount) AS s FROM people GROUP BY city ORDER BY s DESC LIMIT 1",
        "SELECT city, COUNT(*) AS n, SUM(amount) AS s FROM people GROUP BY city ORDER BY s LIMIT 1",  # the NULL group
        "SELECT city, COUNT(*) AS n, SUM(amount) AS s FROM people GROUP BY city HAVING COUNT(*) > 80",
        "SELECT city, COUNT(*) AS n, SUM(amount) AS s FROM people WHERE id > 50 GROUP BY city",
        "WITH m AS (SELECT city, COUNT(*) AS n, SUM(amount) AS s FROM people GROUP BY city) "
        "SELECT city, n, s FROM m WHERE s > 5000 ORDER BY n LIMIT 2",
        "SELECT q.city, q.n, q.s FROM (SELECT city, COUNT(*) AS n, SUM(amount) AS s FROM people GROUP BY city) AS q "
        "WHERE q.n < 150",
        "WITH m AS (SELECT city, COUNT(*) AS n, SUM(amount) AS s FROM people GROUP BY city), "
        "r AS (SELECT city, n, s, RANK() OVER (ORDER BY s DESC) AS place FROM m) "
        "SELECT city, n, s FROM r WHERE place = 2",
    ])  # fmt: skip
    def test_the_records_give_the_rows_of_a_result_again(self, executor: Executor, sql: str) -> None:
        schema = executor.schema()
        dialect = DIALECTS[executor.dialect].sqlglot
        [spoken] = transpile(sql, "duckdb", dialect)
        asked = guard.check(spoken, schema, row_limit=500)
        result = executor.run(asked, timeout_s=30)
        assert result.rows

        def records(groups: list[dict[str, Any]] | None = None) -> QueryResult:
            raw = derive(asked.sql, dialect, schema=schema, result=result, groups=groups)
            assert raw.sql is not None, raw.reason
            assert raw.count is not None
            found = executor.run(guard.check(raw.sql, schema, row_limit=500), timeout_s=30)
            counted = executor.run(guard.check(raw.count, schema, row_limit=1), timeout_s=30)
            assert counted.rows == ((found.row_count,),)
            assert groups is not None or not strays(raw, result, found)
            return found

        assert _again(records()) == {row[0]: (row[1], pytest.approx(row[2])) for row in result.rows}
        for row in result.records():
            assert _again(records([row])) == {row["city"]: (row["n"], pytest.approx(row["s"]))}

    @pytest.mark.parametrize("sql, more", [
        ("SELECT name FROM people WHERE id < 10 ORDER BY city DESC LIMIT 2", 1),
        ("SELECT name FROM people WHERE id < 10 ORDER BY city DESC LIMIT 3", 0),
        ("SELECT name FROM people WHERE id < 10 ORDER BY city DESC, id LIMIT 2", 0),
        ("SELECT city FROM people WHERE id IN (1, 2, 3, 6) GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1", 1),
        ("SELECT city, COUNT(*) AS n FROM people WHERE id IN (1, 2, 3, 6) GROUP BY city ORDER BY n DESC LIMIT 1", 1),
    ])  # fmt: skip
    def test_rows_that_tie_with_the_last_one_are_counted(self, executor: Executor, sql: str, more: int) -> None:
        schema, dialect = executor.schema(), DIALECTS[executor.dialect]
        [spoken] = transpile(sql, "duckdb", dialect.sqlglot)
        asked = guard.check(spoken, schema, row_limit=500)
        result = executor.run(asked, timeout_s=30)

        tree = tree_to_change(asked.sql, dialect.sqlglot)
        assert tree is not None
        tie = find_tie_query(tree, len(result.columns), result.row_count, 50, dialect)
        assert tie is not None
        beyond = guard.check(grammar.write(tie.query, dialect.sqlglot), schema, row_limit=tie.row_limit)

        assert tie.count_ties(result.rows, executor.run(beyond, timeout_s=30).rows) == more

    # -- stopping ------------------------------------------------------------------------------------------

    def test_a_query_that_takes_too_long_is_stopped(self, run: Run) -> None:
        before = threading.active_count()

        with pytest.raises(SqlFailed) as raised:
            run(self.endless, timeout_s=0.3)

        assert raised.value.kind is ErrorKind.TIMEOUT
        assert "0.3 seconds" in raised.value.message
        assert raised.value.hint
        until(lambda: threading.active_count() <= before)  # no thread is left behind
        assert run("SELECT count(*) FROM people").rows == ((ROWS,),)

    def test_a_query_is_cancelled_from_another_thread(self, run: Run) -> None:
        cancel = Cancel()
        canceller = threading.Timer(0.2, cancel.cancel)
        canceller.start()

        with pytest.raises(SqlFailed, match="no longer wanted"):
            run(self.endless, cancel=cancel)

        canceller.join()
        assert run(self.one).rows == ((1,),)

    def test_what_is_cancelled_before_it_begins_does_not_run_on(self, run: Run) -> None:
        cancel = Cancel()
        cancel.cancel()

        with pytest.raises(SqlFailed, match="no longer wanted"):
            run(self.endless, cancel=cancel)

    def test_a_cancel_after_the_end_stops_nothing(self, run: Run) -> None:
        cancel = Cancel()
        run(self.one, cancel=cancel)
        cancel.cancel()

        assert run(self.one).rows == ((1,),)

    # -- errors --------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("sql, kind, hint", [
        ("SELECT * FROM peple", ErrorKind.TABLE_NOT_FOUND, "people"),
        ("SELECT nmae FROM people", ErrorKind.COLUMN_NOT_FOUND, "name"),
        ("SELECT FROM WHERE", ErrorKind.SYNTAX_ERROR, "SELECT"),
        ("SELECT id FROM people a JOIN people b ON a.id = b.id", ErrorKind.AMBIGUOUS_COLUMN, "b.id"),
        ("SELECT no_such_function(id) FROM people", ErrorKind.FUNCTION_NOT_FOUND, ""),
    ])  # fmt: skip
    def test_an_error_says_its_kind_and_how_to_repair_it(self, run: Run, sql: str, kind: ErrorKind, hint: str) -> None:
        expect_error(run, sql, kind, hint)

    def test_grouping_has_a_kind_of_its_own(self, run: Run) -> None:
        with pytest.raises(SqlError) as raised:
            run(self.misused)

        assert raised.value.kind is ErrorKind.GROUPING
        assert raised.value.hint

    # -- the schema ----------------------------------------------------------------------------------------

    def test_a_schema_has_columns_counts_and_samples(self, executor: Executor) -> None:
        table = self.table(executor, "people")

        assert [column.name for column in table.columns] == ["id", "name", "city", "amount"]
        assert table.row_count == ROWS
        assert [column.samples for column in table.columns if column.name == "city"] == [("Köln", "Łódź")]
        assert [column.samples for column in table.columns if column.name == "amount"] == [()]

    def test_keys_are_known(self, executor: Executor) -> None:
        people, visits = self.table(executor, "people"), self.table(executor, "visits")

        assert people.primary_key == ("id",)
        assert [(key.columns, key.table, key.referenced) for key in visits.foreign_keys] == [
            (("people_id",), "people", ("id",))
        ]

    def test_a_schema_is_read_once(self, executor: Executor) -> None:
        assert executor.schema() is executor.schema()
        assert executor.schema().dialect == executor.dialect


class ServerContract(Contract):
    """A database server. Subclasses start it and hand over a way to manage it.

    types: an expression of the engine, and what it must be in JSON.
    writes: statements that must fail though nothing guards them.
    comments: whether the engine keeps comments.
    """

    types: ClassVar[tuple[tuple[str, Any], ...]]
    writes: ClassVar[tuple[str, ...]]

    @abstractmethod
    def connect(self, server: Any, **changes: Any) -> Executor:
        """A new executor. Args: changes: to `ServerOptions`, or `password`, `host`."""

    @abstractmethod
    def running(self, server: Any) -> list[str]:
        """The queries that the server's own list of processes shows, ours left out."""

    def test_every_type_is_json(self, run: Run, executor: Executor) -> None:
        tail = "" if DIALECTS[executor.schema().dialect].limit is not Limit.FETCH else " FROM dual"
        wrong = {
            expression: (found, expected)
            for expression, expected in self.types
            if (found := run(f"SELECT {expression}{tail}").rows[0][0]) != expected or type(found) is not type(expected)
        }

        assert wrong == {}

    def test_comments_are_read(self, executor: Executor) -> None:
        table = self.table(executor, "people")

        assert table.comment == "Who visits us"
        assert {column.name: column.comment for column in table.columns}["city"] == "where they live; NULL: unknown"

    def test_views_can_be_asked(self, executor: Executor) -> None:
        assert self.table(executor, "locals").is_view
        query = guard.check("SELECT count(*) FROM locals", executor.schema(), row_limit=5)
        assert executor.run(query, timeout_s=30).rows == ((180,),)

    def test_a_query_that_was_stopped_is_gone_from_the_server(self, run: Run, server: Any) -> None:
        cancel = Cancel()
        seen: list[list[str]] = []

        def stop_when_seen() -> None:
            until(lambda: self.running(server))
            seen.append(self.running(server))
            cancel.cancel()

        canceller = threading.Thread(target=stop_when_seen)
        canceller.start()
        with pytest.raises(SqlFailed, match="no longer wanted"):
            run(self.endless, timeout_s=60, cancel=cancel)
        canceller.join()

        assert seen[0], "it did run on the server"
        until(lambda: not self.running(server))

    def test_a_query_out_of_time_is_gone_from_the_server(self, run: Run, server: Any) -> None:
        with pytest.raises(SqlFailed, match="within 1 seconds"):
            run(self.endless, timeout_s=1)

        until(lambda: not self.running(server))

    def test_writes_are_refused_with_the_guard_switched_off(self, run: Run) -> None:
        accepted = []
        for sql in self.writes:
            try:
                run(sql)
            except SqlError:
                continue
            accepted.append(sql)

        assert run("SELECT count(*) FROM people").rows == ((ROWS,),)
        assert accepted == []


def sql_text(value: object) -> str:
    """A value as an SQL literal."""
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def fill(
    execute: Callable[[str], object], dialect: Dialect, *, text: str = "VARCHAR(100)", number: str = "DOUBLE PRECISION"
) -> None:
    """The tables that the suite asks, in any SQL database.

    Args:
        execute: runs one statement.
        text, number: what the engine calls a text that can be a key, and a float.
    """
    quote = dialect.always_quote
    execute(
        f"CREATE TABLE people (id INTEGER NOT NULL PRIMARY KEY, name {text} NOT NULL, city {text}, amount {number})"
    )
    values = ", ".join(f"({', '.join(sql_text(value) for value in row)})" for row in PEOPLE)
    execute(f"INSERT INTO people VALUES {values}")
    execute("CREATE TABLE visits (visit_no INTEGER, people_id INTEGER, FOREIGN KEY (people_id) REFERENCES people (id))")
    execute("INSERT INTO visits VALUES (1, 1), (2, 1), (3, NULL)")
    execute("CREATE VIEW locals AS SELECT id, name FROM people WHERE city = 'Köln'")
    execute(f"CREATE TABLE prices ({', '.join(f'{quote(word)} INTEGER' for word in WORDS)})")
    execute(f"INSERT INTO prices VALUES ({', '.join(map(str, range(len(WORDS))))})")
    kinds = ("INTEGER", "INTEGER", text, "INTEGER")
    columns = ", ".join(f"{quote(name)} {kind}" for name, kind in zip(ODD_COLUMNS, kinds, strict=True))
    for name in ODD_TABLES:
        execute(f"CREATE TABLE {quote(name)} ({columns})")
        execute(f"INSERT INTO {quote(name)} VALUES {ODD_ROW}")
