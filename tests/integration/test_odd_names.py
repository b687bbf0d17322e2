"""Names that hold quotes, brackets, blanks, signs of drivers and reserved words, on every engine here: through
the guard, its limit, the records behind a result, repairs, private columns, row filters and writes."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
from repairs import rejoin

from executors.base import CheckedSql, Executor, ForeignKey, QueryResult, Schema
from executors.dialects.table import DIALECTS
from executors.engines.clickhouse.executor import ClickhouseExecutor
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.engines.mysql.executor import MysqlExecutor
from executors.engines.postgresql.executor import PostgresExecutor
from executors.engines.sqlite.executor import SqliteExecutor
from executors.engines.sqlserver.executor import SqlServerExecutor
from executors.errors import SqlRefused
from executors.guard import guard
from executors.guard.row_security.held_rows import RowRules
from executors.guard.row_security.row_filter import RowFilter
from executors.guard.write import check_write
from executors.records.raw_records import derive
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed import clickhouse, mariadb, postgres, sqlserver

SALES = "sa]l\"e`s of 's %d"
KEY, WHO, KIND, AMOUNT = "i]d", 'na"m`e', "GROUP by %s", "Straße [m] {x}"
LABELS, LABEL = "select", "from"
# What the stand-in's own parser reads of them; that ours are right, `test_tsql_statements` has a second parser say.
PLAINER = {SALES: "sa]l`e s", KEY: "i]d", WHO: "na m`e", KIND: "GROUP by", AMOUNT: "Amount_m"}
ROWS = [(1, "a]'", "x", 10), (2, "b", "x", 20), (3, "c", "y", 30)]
NAMES = [("x", 'the "x"'), ("y", "the 'y'")]


class Engine(NamedTuple):
    """One engine, with the two tables in it."""

    executor: Executor
    writes: bool
    dialect: str

    def called(self, name: str) -> str:
        return PLAINER.get(name, name) if self.dialect == "sqlserver" else name

    def quoted(self, text: str) -> str:
        """`text`, whose names stand in ‹ ›, in the engine's quotes."""
        quote = DIALECTS[self.dialect].always_quote
        for name in (SALES, KEY, WHO, KIND, AMOUNT, LABELS, LABEL):
            text = text.replace(f"‹{name}›", quote(self.called(name)))
        return text

    def check(self, text: str, row_limit: int = 50, **more: Any) -> CheckedSql:
        return guard.check(self.quoted(text), self.executor.schema(), row_limit=row_limit, **more)

    def ask(self, text: str, row_limit: int = 50, **more: Any) -> QueryResult:
        return self.executor.run(self.check(text, row_limit, **more), timeout_s=30)

    def made(self) -> list[str]:
        """What makes the tables, and fills them."""
        text = "String" if self.dialect == "clickhouse" else "varchar(30)"
        end = " ENGINE = MergeTree" if self.dialect == "clickhouse" else ""
        rows = [
            f"({key}, '{who.replace(chr(39), chr(39) * 2)}', '{kind}', {amount})" for key, who, kind, amount in ROWS
        ]
        names = [f"('{key}', '{label.replace(chr(39), chr(39) * 2)}')" for key, label in NAMES]
        texts = [
            f"CREATE TABLE ‹{SALES}› (‹{KEY}› int, ‹{WHO}› {text}, ‹{KIND}› {text}, ‹{AMOUNT}› int, "
            f"PRIMARY KEY (‹{KEY}›)){end}",
            f"CREATE TABLE ‹{LABELS}› (‹{KIND}› {text}, ‹{LABEL}› {text}, PRIMARY KEY (‹{KIND}›)){end}",
            f"INSERT INTO ‹{SALES}› VALUES {', '.join(rows)}",
            f"INSERT INTO ‹{LABELS}› VALUES {', '.join(names)}",
        ]
        return [self.quoted(it) for it in texts]


def open_engine(name: str, folder: Path, stack: ExitStack) -> Engine:
    options = ServerOptions(writable=name != "clickhouse")
    made: Executor
    if name == "sqlite":
        made = SqliteExecutor("odd", folder / "odd.sqlite", sample_values=2, writable=True)
        with sqlite3.connect(folder / "odd.sqlite") as connection:
            for statement in Engine(made, True, name).made():
                connection.execute(statement)
        connection.close()
    elif name == "duckdb":
        file = folder / "odd.duckdb"
        made = DuckdbExecutor("odd", file, memory="200MB", threads=1, sample_values=2, writable=True)
        with duckdb.connect(str(file)) as there:
            for statement in Engine(made, True, name).made():
                there.execute(statement)
    elif name in sqlserver.drivers():
        for table, head, rows in ((SALES, (KEY, WHO, KIND, AMOUNT), ROWS), (LABELS, (KIND, LABEL), NAMES)):
            with (folder / f"{PLAINER.get(table, table)}.csv").open("w", encoding="utf-8", newline="") as opened:
                csv.writer(opened).writerows([[PLAINER.get(it, it) for it in head], *rows])
        about = sqlserver.Described(primary_keys={PLAINER[SALES]: [PLAINER[KEY]], LABELS: [PLAINER[KIND]]})
        server = stack.enter_context(sqlserver.serve(folder, about))
        url = server.url(driver=sqlserver.drivers()[name], trustservercertificate="yes")
        made = SqlServerExecutor("odd", Address.parse(url), options=ServerOptions())
        return Engine(made, False, "sqlserver")  # the stand-in writes to tables of plain names
    else:
        running: Any = stack.enter_context(
            {"postgresql": postgres.PostgresServer, "mariadb": mariadb.MariadbServer,
             "clickhouse": clickhouse.ClickHouseServer}[name]()
        )  # fmt: skip
        kind = {"postgresql": PostgresExecutor, "mariadb": MysqlExecutor, "clickhouse": ClickhouseExecutor}[name]
        made = kind("odd", Address.parse(running.url()), options=options)
        with running.admin() as admin:
            for statement in Engine(made, True, name).made():
                admin(statement)
    return Engine(made, name != "clickhouse", name)


@pytest.fixture(scope="module", params=[
    "sqlite", "duckdb", "postgresql", "mariadb", "clickhouse", "microsoft", "freetds",
])  # fmt: skip
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    name = request.param
    if name in {"microsoft", "freetds"} and name not in sqlserver.drivers():
        pytest.skip(f"there is no ODBC driver named {name} on this machine")
    if name == "mariadb" and (why := mariadb.missing()):
        pytest.skip(why)
    with ExitStack() as stack:
        found = open_engine(name, tmp_path_factory.mktemp("odd"), stack)
        stack.callback(found.executor.close)
        yield found


def test_the_schema_has_them_as_they_are(engine: Engine) -> None:
    schema = engine.executor.schema()

    assert {table.name: tuple(it.name for it in table.columns) for table in schema.tables} == {
        engine.called(table): tuple(map(engine.called, columns))
        for table, columns in {SALES: (KEY, WHO, KIND, AMOUNT), LABELS: (KIND, LABEL)}.items()
    }
    texts = {engine.called(WHO), LABEL}
    assert all(column.samples for table in schema.tables for column in table.columns if column.name in texts)


@pytest.mark.parametrize("text, rows", [
    (f"SELECT ‹{WHO}› FROM ‹{SALES}› WHERE ‹{KEY}› = 1", (("a]'",),)),
    (f"SELECT s.‹{AMOUNT}› AS ‹{LABEL}› FROM ‹{SALES}› AS s ORDER BY ‹{LABEL}› DESC", ((30,), (20,), (10,))),
    (f"SELECT * FROM ‹{LABELS}› ORDER BY ‹{KIND}›", tuple(NAMES)),
    (f"SELECT ‹{SALES}›.‹{KEY}› FROM ‹{SALES}› JOIN ‹{LABELS}› ON ‹{LABELS}›.‹{KIND}› = ‹{SALES}›.‹{KIND}› "
     f"WHERE ‹{LABELS}›.‹{LABEL}› = 'the ''y'''", ((3,),)),
    (f"WITH ‹{KIND}› AS (SELECT ‹{KIND}› AS ‹{LABEL}›, SUM(‹{AMOUNT}›) AS t FROM ‹{SALES}› GROUP BY ‹{KIND}›) "
     f"SELECT ‹{LABEL}› FROM ‹{KIND}› WHERE t = 30 ORDER BY ‹{LABEL}›", (("x",), ("y",))),
    (f"SELECT ‹{KEY}› FROM ‹{SALES}› WHERE ‹{KIND}› IN (SELECT ‹{KIND}› FROM ‹{LABELS}› WHERE ‹{LABEL}› LIKE '%y%')",
     ((3,),)),
])  # fmt: skip
def test_they_can_be_asked_about(engine: Engine, text: str, rows: tuple[tuple[Any, ...], ...]) -> None:
    assert engine.ask(text).rows == rows


def test_what_is_shown_can_be_asked_again(engine: Engine) -> None:
    shown = engine.check(f"SELECT ‹{WHO}›, ‹{AMOUNT}› FROM ‹{SALES}› WHERE ‹{KIND}› = 'x' ORDER BY ‹{KEY}›").sql

    assert engine.ask(shown).rows == (("a]'", 10), ("b", 20))


def test_the_limit_cuts(engine: Engine) -> None:
    for text in (f"SELECT ‹{KEY}› FROM ‹{SALES}›", f"SELECT ‹{KEY}› FROM ‹{SALES}› UNION ALL SELECT 1 FROM ‹{LABELS}›"):
        found = engine.ask(text, 2)

        assert (found.row_count, found.truncated) == (2, True)


@pytest.mark.parametrize("text, keys", [
    (f"SELECT ‹{KIND}›, COUNT(*) AS n FROM ‹{SALES}› GROUP BY ‹{KIND}›", {1, 2, 3}),
    (f"SELECT ‹{KIND}›, SUM(‹{AMOUNT}›) AS ‹{LABEL}› FROM ‹{SALES}› WHERE ‹{KEY}› < 3 GROUP BY ‹{KIND}› "
     f"HAVING SUM(‹{AMOUNT}›) > 5", {1, 2}),
    (f"SELECT l.‹{LABEL}›, MAX(s.‹{AMOUNT}›) AS m FROM ‹{SALES}› s JOIN ‹{LABELS}› l ON l.‹{KIND}› = s.‹{KIND}› "
     f"WHERE s.‹{WHO}› = 'c' GROUP BY l.‹{LABEL}›", {3}),
])  # fmt: skip
def test_the_records_behind_a_result_are_found(engine: Engine, text: str, keys: set[int]) -> None:
    schema, checked = engine.executor.schema(), engine.check(text)
    result = engine.executor.run(checked, timeout_s=30)
    raw = derive(checked.sql, DIALECTS[engine.dialect].sqlglot, schema=schema, result=result)
    assert raw.sql is not None, raw.reason

    records = engine.ask(raw.sql)

    assert {row[records.columns.index(engine.called(KEY))] for row in records.rows} == keys
    assert raw.count is not None
    assert engine.ask(raw.count).rows[0][0] == len(keys)


def test_a_private_column_is_left_out(engine: Engine) -> None:
    hidden = {engine.called(SALES).lower(): frozenset({engine.called(WHO).lower()})}

    found = engine.ask(f"SELECT * FROM ‹{SALES}› ORDER BY ‹{KEY}›", hidden=hidden, leave_out=True)

    assert found.columns == tuple(map(engine.called, (KEY, KIND, AMOUNT)))
    assert found.rows == tuple((key, kind, amount) for key, _, kind, amount in ROWS)
    counted = engine.ask(f"SELECT COUNT(*) FROM ‹{SALES}› WHERE ‹{WHO}› = 'b'", hidden=hidden)
    assert counted.rows == ((1,),)


def test_a_row_filter_holds(engine: Engine) -> None:
    schema = engine.executor.schema()
    condition = engine.quoted(f"‹{KIND}› IN (SELECT ‹{KIND}› FROM ‹{LABELS}› WHERE ‹{LABEL}› = :label)")
    filtered = RowFilter(
        tables={engine.called(SALES): condition, LABELS: "all"}, principals={"*": {"label": 'the "x"'}}
    )
    rows = RowRules(filtered, schema).of({"label": 'the "x"'})

    assert engine.ask(f"SELECT ‹{KEY}› FROM ‹{SALES}› ORDER BY ‹{KEY}›", rows=rows).rows == ((1,), (2,))
    joined = f"SELECT COUNT(*) FROM ‹{LABELS}› l JOIN ‹{SALES}› s ON s.‹{KIND}› = l.‹{KIND}›"
    assert engine.ask(joined, rows=rows).rows == ((2,),)


def test_a_lost_join_is_put_back(engine: Engine) -> None:
    schema = engine.executor.schema()
    kind = (engine.called(KIND),)
    key = ForeignKey(columns=kind, table=LABELS, referenced=kind)
    tables = tuple(it.model_copy(update={"foreign_keys": (key,)}) if it.name != LABELS else it for it in schema.tables)
    known = schema.model_copy(update={"tables": tables})

    repaired = rejoin(engine.quoted(f"SELECT ‹{LABEL}› FROM ‹{SALES}› WHERE ‹{KEY}› = 3"), known)

    assert repaired is not None
    assert engine.ask(repaired.sql).rows == (("the 'y'",),)


def test_a_misspelled_name_gets_a_hint(engine: Engine) -> None:
    with pytest.raises(SqlRefused) as refused:
        engine.check(f"SELECT wer FROM ‹{SALES}›")
    assert engine.called(KIND) in refused.value.hint or engine.quoted(f"‹{KIND}›") in refused.value.hint


@pytest.mark.parametrize("text, count", [
    (f"UPDATE ‹{SALES}› SET ‹{AMOUNT}› = ‹{AMOUNT}› + 1, ‹{WHO}› = 'it''s %s' WHERE ‹{KIND}› = 'x'", 2),
    (f"DELETE FROM ‹{SALES}› WHERE ‹{WHO}› LIKE '%]%'", 1),
    (f"INSERT INTO ‹{SALES}› (‹{WHO}›, ‹{KEY}›) VALUES ('%s', 9)", 1),
    (f"INSERT INTO ‹{LABELS}› SELECT ‹{WHO}›, ‹{KIND}› FROM ‹{SALES}›", 3),
    (f"UPDATE ‹{LABELS}› SET ‹{KIND}› = '%d]' WHERE ‹{LABEL}› = 'the ''y'''", 1),
])  # fmt: skip
def test_rows_are_written_and_read_again(engine: Engine, text: str, count: int) -> None:
    schema: Schema = engine.executor.schema()
    checked = check_write(engine.quoted(text), schema, row_limit=10)
    if not engine.writes:
        with pytest.raises(SqlRefused, match="reading only"):
            engine.executor.write(checked, timeout_s=30, commit=False, max_rows=10)
        return

    tried = engine.executor.write(checked, timeout_s=30, commit=False, max_rows=10)

    assert (tried.rows_affected, tried.read_back, tried.unread) == (count, count, "")
    assert engine.ask(f"SELECT COUNT(*) FROM ‹{SALES}›").rows == ((3,),)
