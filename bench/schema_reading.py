"""Measures how long reading and using the schema of a large PostgreSQL database takes.

    python -m bench.schema_reading [--tables 5000] [--columns 20] [--runs 3]

Starts a server, creates tables with columns (a key and some rows in every table, a foreign key in every second,
comments on every fourth column, statistics of everything), and reads the schema as the service does. Two other ways of
reading are measured beside it, so that figures of different machines can be compared: the names and types alone, from
the server's catalogue, and SQLAlchemy's inspector, table by table, on a part of them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from agent.checks.rules.repair import find_repair
from agent.core.models import Draft
from executors.base import Schema
from executors.engines.postgresql.executor import PostgresExecutor
from executors.errors import ErrorKind, SqlRefused
from executors.guard import guard
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed.postgres import PostgresServer

if TYPE_CHECKING:
    from testbed.postgres import Admin

INSPECTED = 50
_PORTION = 250
_ROWS = 40
# Types of columns, and a value for row `i`.
_KINDS = {
    "integer": "i",
    "text": "'value ' || i % 7",
    "numeric(12, 2)": "i % 9",
    "timestamptz": "now() - i * interval '1 day'",
    "varchar(40)": "(ARRAY['open', 'closed', 'in doubt'])[1 + i % 3]",
    "boolean": "i % 2 = 0",
    "date": "current_date - i",
    "double precision": "i / 4.0",
}
_COUNTER = "counter"  # a database for the view that counts statements, so that it is not part of the schema


def make(admin: Admin, tables: int, columns: int) -> None:
    """Make the tables. Args: columns: of each table, the key included."""
    for start in range(0, tables, _PORTION):
        numbers = range(start, min(start + _PORTION, tables))
        admin("; ".join(statement for number in numbers for statement in _table(number, columns)))
    admin("ANALYZE")


def _table(number: int, columns: int) -> list[str]:
    name, parent = (f"{_AREAS[n % len(_AREAS)]}_{n:05d}" for n in (number, number - 1))
    kinds, names = list(_KINDS), [f"{_WORDS[at % len(_WORDS)]}_{at:02d}" for at in range(columns)]
    parts, values = [f"{name}_id integer PRIMARY KEY"], ["i"]
    for at in range(1, columns):
        kind = kinds[at % len(kinds)]
        refers = at == 1 and number % 2
        parts.append(f"{parent}_id integer REFERENCES {parent}" if refers else f"{names[at]} {kind}")
        values.append("i" if refers else _KINDS[kind])
    return [
        f"CREATE TABLE {name} ({', '.join(parts)})",
        f"INSERT INTO {name} SELECT {', '.join(values)} FROM generate_series(1, {_ROWS}) i",
        f"COMMENT ON TABLE {name} IS 'Number {number} of the bench'",
        *(
            f"COMMENT ON COLUMN {name}.{names[at]} IS 'Column {at}, as the books have it'"
            for at in range(4, columns, 4)
        ),
    ]


_AREAS = ("orders", "invoices", "shipments", "customers", "products", "payments", "returns", "suppliers")
_WORDS = ("amount", "status", "price", "created", "region", "active", "due", "rate", "note", "state", "quantity")


def timed(runs: int, work: Callable[[], object]) -> float:
    """The median of some runs, in seconds."""
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def refused(sql: str, schema: Schema) -> str:
    """The hint of a query that the guard refuses."""
    try:
        guard.check(sql, schema, row_limit=10)
    except SqlRefused as error:
        return error.hint
    raise AssertionError(f"{sql} was let through")


def seconds_to_read(tables: int, columns: int, runs: int) -> float:
    """The time and memory of reading the schema of a new PostgreSQL. Args: columns: of each table."""
    with PostgresServer(settings={"max_locks_per_transaction": "1024"}) as server:
        with server.admin() as admin:
            make(admin, tables, columns)
        executor = _executor(server)
        seconds = timed(runs, lambda: _read(executor))
        executor.close()
    return seconds


def _executor(server: PostgresServer) -> PostgresExecutor:
    return PostgresExecutor("bench", Address.parse(server.url()), options=ServerOptions())


def _read(executor: PostgresExecutor) -> Schema:
    executor.refresh()
    return executor.schema()


def report(server: PostgresServer, runs: int) -> None:
    """Measure and print."""
    executor = _executor(server)
    schema = _read(executor)
    with server.admin(_COUNTER) as admin:
        admin("SELECT pg_stat_statements_reset()")
        executor.close()
        _read(executor)
        statements, catalogue = admin.rows(
            "SELECT sum(s.calls), sum(s.calls) FILTER (WHERE s.query LIKE '%pg_catalog.%') "
            "FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = 'postgres'"
        )[0]
    seconds = timed(runs, lambda: _read(executor))
    executor.close()
    columns = sum(len(table.columns) for table in schema.tables)
    described = sum(bool(column.comment) for table in schema.tables for column in table.columns)
    sampled = sum(bool(column.samples) for table in schema.tables for column in table.columns)
    print(f"{server.version()}, {runs} runs, median")
    print(f"tables                           {len(schema.tables):10,d}")
    print(f"columns                          {columns:10,d}")
    print(f"  with a comment                 {described:10,d}")
    print(f"  with stored values             {sampled:10,d}")
    print(f"foreign keys                     {sum(len(table.foreign_keys) for table in schema.tables):10,d}")
    print(f"statements, login included       {statements!s:>10}")
    print(f"  that read the catalogue        {catalogue!s:>10}")
    print(f"seconds                          {seconds:10.2f}")
    bare = timed(runs, lambda: _bare(server))
    print(f"  names and types alone          {bare:10.2f}   we take {seconds / bare:.1f} times as long")
    inspected = timed(1, lambda: _inspected(server, schema)) / INSPECTED * len(schema.tables)
    print(f"  inspector, from {INSPECTED} tables     {inspected:10.2f}   {inspected / seconds:.1f} times as long as we")
    _work(schema, runs)


def _bare(server: PostgresServer) -> int:
    with server.admin() as admin:
        return len(admin.rows("SELECT c.relname, a.attname, a.atttypid FROM pg_class c JOIN pg_attribute a "
                              "ON a.attrelid = c.oid WHERE c.relkind = 'r' AND a.attnum > 0"))  # fmt: skip


def _inspected(server: PostgresServer, schema: Schema) -> None:
    from sqlalchemy import create_engine, inspect

    engine = create_engine(Address.parse(server.url()).url("postgresql+psycopg2"))
    inspector = inspect(engine)
    for table in schema.tables[:INSPECTED]:
        inspector.get_columns(table.name)
        inspector.get_pk_constraint(table.name)
        inspector.get_foreign_keys(table.name)
        inspector.get_table_comment(table.name)
    engine.dispose()


def _work(schema: Schema, runs: int) -> None:
    """The steps that walk through the schema for one question."""
    first, second, last = schema.tables[0], schema.tables[1], schema.tables[-1]
    good = (
        f"SELECT a.{first.columns[1].name}, count(*) FROM {first.name} a "
        f"JOIN {second.name} b ON b.{first.name}_id = a.{first.name}_id GROUP BY 1"
    )
    misspelt = Draft(sql=f"SELECT amuont_11 FROM {first.name}")
    wrong = {
        "a query that is let through": lambda: guard.check(good, schema, row_limit=10),
        "a table that is not there": lambda: refused("SELECT 1 FROM ordres_00001", schema),
        "a column that is not there": lambda: refused(f"SELECT amuont_11 FROM {first.name}", schema),
        "a column of another table": lambda: refused(f"SELECT {last.columns[0].name} FROM {first.name}", schema),
        "a column that is repaired": lambda: find_repair(misspelt, ErrorKind.COLUMN_NOT_FOUND, schema),
    }
    print("milliseconds of the guard and its hints")
    for what, work in wrong.items():
        print(f"  {what:<31}{timed(runs, work) * 1000:10.1f}")


def main(arguments: list[str] | None = None) -> int:
    """Make the database, read it, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.schema_reading", description=__doc__)
    parser.add_argument("--tables", type=int, default=5000)
    parser.add_argument("--columns", type=int, default=20, help="columns of each table")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)
    settings = {"shared_preload_libraries": "pg_stat_statements", "max_locks_per_transaction": "1024"}
    with PostgresServer(settings=settings) as server:
        began = time.perf_counter()
        with server.admin() as admin:
            make(admin, options.tables, options.columns)
            admin(f"CREATE DATABASE {_COUNTER}")
        with server.admin(_COUNTER) as admin:
            admin("CREATE EXTENSION pg_stat_statements")
        print(f"made in {time.perf_counter() - began:.0f} s")
        report(server, options.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
