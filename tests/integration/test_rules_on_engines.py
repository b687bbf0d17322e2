"""What the rules ask of real databases: each query runs there, and means the same."""

from __future__ import annotations

import asyncio
import csv
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from agent.checks.rules.base import Finding, RuleContext
from agent.checks.rules.lookup import LookedUp, look_up
from agent.checks.rules.registry import rules
from agent.checks.rules.review import confirm
from agent.databases.database import Database
from agent.databases.supporting_rows import RawRecords, supporting_records
from executors.base import Column, Executor, ForeignKey, QueryResult
from executors.dialects.table import DIALECTS
from executors.engines.clickhouse.executor import ClickhouseExecutor
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.engines.mysql.executor import MysqlExecutor
from executors.engines.postgresql.executor import PostgresExecutor
from executors.engines.sqlite.executor import SqliteExecutor
from executors.engines.sqlserver.executor import SqlServerExecutor
from executors.errors import SqlError
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from executors.sql.literals import spell_texts
from executors.sql.tree import tree_to_change
from testbed import clickhouse, mariadb, postgres, sqlserver

ENGINES = ("sqlite", "duckdb", "postgresql", "mariadb", "clickhouse", "sqlserver")
FOLDING = {"mariadb", "sqlserver"}  # they take capitals and small letters for the same
RULES = {rule.id: rule for action in ("repair", "alternative", "doubt") for rule in rules(action)}
Row = tuple[Any, ...]
TABLES: dict[str, tuple[dict[str, str], list[Row]]] = {
    "members": (
        {"id": "int", "name": "text", "town": "text"},
        [(1, "Good", "Ulm "), (2, " good", "Ulm"), (3, "GOOD ", "Bonn "), (4, "Übung", "Köln"), (5, "O'N \\ S", "Rom")],
    ),
    "visits": (
        {"id": "int", "member_id": "int", "taken_at": "timestamp", "fee": "int"},
        [
            (1, 1, "2024-03-01 10:15:00", 1),
            (2, 2, "2023-03-31 23:30:00", 2),
            (3, 3, "2024-03-31 23:30:00", 2),
            (4, 4, "2024-04-02 08:00:00", 2),
        ],
    ),
    "reasons": ({"id": "text", "label": "text"}, [("N", "No-show"), ("A", "Active"), ("I", "Inactive")]),
    "calls": ({"id": "int", "reason": "text"}, [(1, "N"), (2, "A"), (3, "I")]),
}


class Engine(NamedTuple):
    """One engine with the tables, and the SQL of its texts."""

    executor: Executor
    dialect: str

    def ask(self, sql: str) -> QueryResult:
        return asyncio.run(self._run(sql))

    async def _run(self, sql: str) -> QueryResult:
        database = Database(self.executor, limit=1, timeout_s=30)
        result = await database.run(await database.check(sql, 50))
        await database.close()
        return result

    def look_up(self, sql: str) -> LookedUp:
        async def look() -> LookedUp:
            database, schema = Database(self.executor, limit=1, timeout_s=30), self.executor.schema()
            tree = tree_to_change(sql, DIALECTS[self.dialect].sqlglot)
            assert tree is not None
            found = await look_up(spell_texts(tree, sql, schema), schema, database)
            await database.close()
            return found

        return asyncio.run(look())

    def find(self, rule: str, sql: str) -> Finding | None:
        """What a rule finds of a query, if the data confirms it. No query of its own may fail."""
        try:
            error = None
            self.ask(sql)
        except SqlError as failed:
            error = failed.kind
        tree, schema = tree_to_change(sql, DIALECTS[self.dialect].sqlglot), self.executor.schema()
        looked_up = self.look_up(sql) if error is None else None
        found = RULES[rule].find(RuleContext(sql, schema, tree, looked_up=looked_up, error=error))
        for query in (*found.probes, *found.counts) if found is not None else ():
            self.ask(query)
        return asyncio.run(confirm(found, self._run)) if found is not None else None

    def records(self, sql: str) -> RawRecords:
        async def fetch() -> RawRecords:
            database = Database(self.executor, limit=1, timeout_s=30)
            result = await database.run(await database.check(sql, 50))
            found = await supporting_records(sql, database, 50, result=result)
            await database.close()
            return found

        return asyncio.run(fetch())

    def made(self) -> list[str]:
        """What makes the tables, and fills them."""
        kinds = {"int": "int", "text": "varchar(30)", "timestamp": "timestamp"}
        if self.dialect == "mariadb":
            kinds["timestamp"] = "datetime"
        if self.dialect == "clickhouse":
            kinds = {"int": "Int32", "text": "String", "timestamp": "DateTime"}
        end = " ENGINE = MergeTree" if self.dialect == "clickhouse" else ""
        found: list[str] = []
        for name, (columns, rows) in TABLES.items():
            listed = ", ".join(f"{column} {kinds[kind]}" for column, kind in columns.items())
            values = ", ".join(f"({', '.join(map(self.literal, row))})" for row in rows)
            found += [f"CREATE TABLE {name} ({listed}, PRIMARY KEY (id)){end}", f"INSERT INTO {name} VALUES {values}"]
        return found

    def literal(self, value: str | int) -> str:
        if isinstance(value, int):
            return str(value)
        escaped = value.replace("\\", "\\\\") if self.dialect in {"mariadb", "clickhouse"} else value
        return "'" + escaped.replace("'", "''") + "'"


def open_engine(name: str, folder: Path, stack: ExitStack) -> Engine:
    made: Executor
    if name == "sqlite":
        made = SqliteExecutor("odd", folder / "odd.sqlite", sample_values=2)
        with sqlite3.connect(folder / "odd.sqlite") as connection:
            for statement in Engine(made, name).made():
                connection.execute(statement)
        connection.close()
    elif name == "duckdb":
        made = DuckdbExecutor("odd", folder / "odd.duckdb", memory="200MB", threads=1, sample_values=2)
        with duckdb.connect(str(folder / "odd.duckdb")) as there:
            for statement in Engine(made, name).made():
                there.execute(statement)
    elif name == "sqlserver":
        if not sqlserver.drivers():
            pytest.skip("there is no ODBC driver on this machine")
        for table, (columns, rows) in TABLES.items():
            with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as opened:
                csv.writer(opened).writerows([list(columns), *rows])
        server = stack.enter_context(
            sqlserver.serve(folder, sqlserver.Described(primary_keys={name: ["id"] for name in TABLES}))
        )
        url = server.url(driver=next(iter(sqlserver.drivers().values())), trustservercertificate="yes")
        made = SqlServerExecutor("odd", Address.parse(url), options=ServerOptions())
    else:
        if name == "mariadb" and (why := mariadb.missing()):
            pytest.skip(why)
        running: Any = stack.enter_context(
            {"postgresql": postgres.PostgresServer, "mariadb": mariadb.MariadbServer,
             "clickhouse": clickhouse.ClickHouseServer}[name]()
        )  # fmt: skip
        kind = {"postgresql": PostgresExecutor, "mariadb": MysqlExecutor, "clickhouse": ClickhouseExecutor}[name]
        made = kind("odd", Address.parse(running.url()), options=ServerOptions())
        with running.admin() as admin:
            for statement in Engine(made, name).made():
                admin(statement)
    return Engine(made, name)


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with ExitStack() as stack:
        opened = open_engine(request.param, tmp_path_factory.mktemp(request.param), stack)
        yield opened
        opened.executor.close()


@pytest.mark.parametrize("name", ["Good", "good", "GOOD", "Übung", "O'N \\ S"])
def test_a_text_is_stored_where_the_database_finds_it(engine: Engine, name: str) -> None:
    sql = f"SELECT id FROM members WHERE name = {engine.literal(name)}"

    assert engine.look_up(sql).check.passed is bool(engine.ask(sql).rows)


def test_a_sample_without_its_spaces_is_no_stored_text(engine: Engine) -> None:
    sql = "SELECT id FROM members WHERE town = 'Bonn'"
    looked_up = engine.look_up(sql)

    assert looked_up.check.passed is bool(engine.ask(sql).rows) is (engine.dialect in FOLDING)
    assert looked_up.same == ({} if engine.dialect in FOLDING else {("members", "town", "Bonn"): "Bonn "})


def test_spellings_are_those_that_the_database_tells_apart(engine: Engine) -> None:
    variants = engine.look_up("SELECT id FROM members WHERE name = 'Good'").variants[("members", "name", "Good")]

    assert len(variants) == (2 if engine.dialect in FOLDING else 3)
    found = engine.find("case_variants", "SELECT id FROM members WHERE name = 'Good'")
    assert found is not None
    assert found.sql is not None
    assert sorted(engine.ask(found.sql).rows) == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    "question, code, doubted",
    [("How many no-shows?", "N", False), ("How many are active?", "I", True), ("How many failed?", "N", True)],
)
def test_a_code_is_looked_up_in_the_table_that_it_is_a_key_of(
    engine: Engine, question: str, code: str, doubted: bool
) -> None:
    schema, key = engine.executor.schema(), ForeignKey(columns=("reason",), table="reasons", referenced=("id",))
    tables = [
        it.model_copy(update={"foreign_keys": (key,), "columns": tuple(map(_with_codes, it.columns))})
        if it.name == "calls"
        else it
        for it in schema.tables
    ]
    sql = f"SELECT COUNT(*) FROM calls WHERE reason = '{code}'"
    tree = tree_to_change(sql, DIALECTS[engine.dialect].sqlglot)
    context = RuleContext(sql, schema.model_copy(update={"tables": tuple(tables)}), tree, question)
    found = RULES["guessed_code"].find(context)

    assert found is not None
    assert [bool(int(engine.ask(it).rows[0][0])) for it in found.counts] == [doubted]


def _with_codes(column: Column) -> Column:
    return column.model_copy(update={"samples": ("N", "A", "I")}) if column.name == "reason" else column


def test_a_text_with_the_prefix_of_sql_server_is_looked_up(engine: Engine) -> None:
    if engine.dialect == "sqlserver":
        assert engine.look_up("SELECT id FROM members WHERE town = N'Koln'").check.passed is False


@pytest.mark.parametrize("pattern, doubted", [("Übu%", False), ("Good%", True)])
def test_a_pattern_is_doubted_where_the_case_of_its_letters_matters(
    engine: Engine, pattern: str, doubted: bool
) -> None:
    found = engine.find("like_case", f"SELECT id FROM members WHERE name LIKE '{pattern}'")

    assert (found is not None) is (doubted and engine.dialect not in FOLDING | {"sqlite"})


@pytest.mark.parametrize(
    "rows",
    ["id FROM visits ORDER BY NULLIF(fee, 1)", "member_id FROM visits GROUP BY member_id ORDER BY MIN(NULLIF(fee, 1))"],
)
@pytest.mark.parametrize("way", ["", " DESC"])
def test_a_row_without_a_value_is_found_where_it_comes_first(engine: Engine, rows: str, way: str) -> None:
    """The first visit has no such fee."""
    is_top = engine.dialect == "sqlserver"
    sql = f"SELECT {'TOP 1 ' * is_top}{rows}{way}{' LIMIT 1' * (not is_top)}"
    found = engine.find("nulls_first", sql)

    assert (found is not None) is (engine.ask(sql).rows == ((1,),))
    if found is not None:
        assert found.sql is not None
        assert engine.ask(found.sql).rows in [((2,),), ((3,),), ((4,),)]


@pytest.mark.parametrize("column, number", [("name", 3), ("town", 4)])
def test_spellings_of_a_text_are_counted_once(engine: Engine, column: str, number: int) -> None:
    sql = f"SELECT COUNT(DISTINCT {column}) AS n FROM members"
    found = engine.find("case_variants", sql)

    assert (found is None) is (engine.ask(sql).rows == ((number,),))
    if found is not None:
        assert found.sql is not None
        assert engine.ask(found.sql).rows == ((number,),)


def test_groups_that_are_cut_off_are_doubted_where_the_database_tells_spellings_apart(engine: Engine) -> None:
    first, last = ("TOP 1 ", "") if engine.dialect == "sqlserver" else ("", " LIMIT 1")
    of_town = "FROM members GROUP BY town ORDER BY"
    found = engine.find("case_groups", f"SELECT {first}town, COUNT(*) AS n {of_town} COUNT(*) DESC{last}")

    assert (found is None) is (engine.dialect in FOLDING)
    assert engine.find("case_groups", f"SELECT {first}town {of_town} MAX(id) DESC{last}") is None  # Rom, in any case


def test_shared_names_are_counted_beside_a_column_of_the_same_name(engine: Engine) -> None:
    sql = "SELECT m.name, m.name, COUNT(*) FROM members AS m JOIN visits AS v ON v.member_id = m.id GROUP BY m.name"

    assert (engine.find("merged_names", sql) is not None) is (engine.dialect in FOLDING)


def test_a_join_that_repeats_nothing_is_not_doubted_however_many_groups_it_has(engine: Engine) -> None:
    """Each visit has one member. A database may give the groups of COUNT and of COUNT(DISTINCT) in another order."""
    sql = "SELECT v.id, SUM(m.id) FROM visits AS v JOIN members AS m ON m.id = v.member_id GROUP BY v.id"
    found = RULES["fan_out"].find(
        RuleContext(sql, engine.executor.schema(), tree_to_change(sql, DIALECTS[engine.dialect].sqlglot))
    )

    assert found is not None
    assert [engine.ask(probe).row_count for probe in found.probes] == [1, 1]
    assert engine.find("fan_out", sql) is None


def test_an_average_of_integers_keeps_its_decimals(engine: Engine) -> None:
    found = engine.find("cut_division", "SELECT AVG(fee) AS fee FROM visits")

    sql = found.sql if found is not None and found.sql is not None else "SELECT AVG(fee) AS fee FROM visits"
    assert [float(row[0]) for row in engine.ask(sql).rows] == [1.75]
    assert (found is not None) is (engine.dialect == "sqlserver")


DAYS = {
    "duckdb": "DATE '2024-03-31'",
    "postgresql": "TO_DATE('2024-03-31', 'YYYY-MM-DD')",
    "mariadb": "STR_TO_DATE('2024-03-31', '%Y-%m-%d')",
    "clickhouse": "toDate('2024-03-31')",
    "sqlserver": "CONVERT(DATE, '2024-03-31')",
}


def test_a_day_ends_at_midnight_however_it_is_written(engine: Engine) -> None:
    sql = f"SELECT COUNT(*) FROM visits WHERE taken_at <= {DAYS.get(engine.dialect, repr('2024-03-31'))}"
    found = engine.find("day_ends", sql)

    assert found is not None
    assert found.sql is not None
    assert engine.ask(found.sql).rows == ((3,),)


def test_the_text_of_a_time_begins_with_its_year(engine: Engine) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE taken_at LIKE '2024-03%'"
    found = engine.find("times_as_text", sql) or engine.find("text_of_values", sql)

    assert engine.ask(sql if found is None or found.sql is None else found.sql).rows == ((2,),)


@pytest.mark.parametrize(
    ("condition", "number"), [("= '2024-03'", 2), ("BETWEEN '2024-03' AND '2024-04'", 3), ("> '2024-03'", 1)]
)
def test_a_month_that_cannot_be_compared_with_times_is_its_days(engine: Engine, condition: str, number: int) -> None:
    found = engine.find("parts_of_dates", f"SELECT COUNT(*) FROM visits WHERE taken_at {condition}")

    assert (found is not None) is (engine.dialect in {"duckdb", "postgresql", "sqlserver"}), "the others take it"
    if found is not None:
        assert engine.ask(found.sql or "").rows == ((number,),)


MONTHS = {
    "sqlite": "STRFTIME('%m', taken_at)",
    "duckdb": "STRFTIME('%m', taken_at)",
    "postgresql": "TO_CHAR(taken_at, 'FMMonth')",
    "mariadb": "DATE_FORMAT(taken_at, '%c')",
    "clickhouse": "toMonth(taken_at)",
}


def test_an_interval_has_the_hours_that_a_query_divides_it_into(engine: Engine) -> None:
    """ClickHouse gives seconds, the others no interval."""
    sql = "SELECT AVG(w.taken_at - v.taken_at) / 3600 FROM visits v JOIN visits w ON w.id = 4 AND v.id = 1"
    found = engine.find("date_arithmetic", sql)

    assert (found is not None and found.sql is not None) is (engine.dialect in {"duckdb", "postgresql"})
    if found is not None and found.sql is not None:
        assert [round(float(row[0]), 2) for row in engine.ask(found.sql).rows] == [765.75]


def test_months_of_several_years_are_counted_however_they_are_written(engine: Engine) -> None:
    if engine.dialect == "sqlserver":
        pytest.skip("the stand-in orders by no position of an aggregate")
    month = MONTHS[engine.dialect]
    found = engine.find("merged_months", f"SELECT {month} AS m, COUNT(*) FROM visits GROUP BY {month}")

    assert found is not None
    assert "of 2 years" in found.detail


@pytest.mark.parametrize(
    "sql, rows",
    [
        (
            "SELECT STRFTIME('%Y', taken_at) AS y, COUNT(*) FROM visits GROUP BY STRFTIME('%Y', taken_at)",
            [("2023", 1), ("2024", 3)],
        ),
        ("SELECT COUNT(*) FROM visits WHERE DATE(taken_at, '+7 days') > '2024-04-05'", [(2,)]),
        ('SELECT COUNT(*) FROM visits WHERE YEAR(taken_at) = 2024 AND "fee" = 1', [(1,)]),
    ],
)
def test_a_repair_means_the_same_or_does_not_run(engine: Engine, sql: str, rows: list[Row]) -> None:
    found = engine.find("foreign_functions", sql)

    if found is not None:
        assert found.sql is not None
        try:
            assert sorted(engine.ask(found.sql).rows) == rows
        except SqlError:
            assert engine.dialect == "sqlserver", "the stand-in has no FORMAT"


def test_a_group_has_the_records_that_the_database_puts_there(engine: Engine) -> None:
    found = engine.records("SELECT name, SUM(id) AS total FROM members GROUP BY name")

    assert found.reason == ""
    assert found.total == len(TABLES["members"][1])
