"""The synthetic schema as a database: an SQLite file, docs, and questions with queries."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from agent.evaluation.retrieval.merged import MergedCatalogue
from executors.base import Column, Table

_PAST = 12  # past queries in the docs
_TYPES = {"text": "TEXT", "date": "DATE", "integer": "INTEGER"}


class Case(NamedTuple):
    """A question about the database, and the query that answers it."""

    question: str
    sql: str


def write_sqlite(catalogue: MergedCatalogue, path: Path, rows: int, seed: int = 5) -> None:
    """Every table with its keys and so many rows; text columns hold their samples. Args: path: of a new file."""
    chance = random.Random(seed)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for table in catalogue.db_schema.tables:
            connection.execute(_ddl(table))
            holes = ", ".join("?" * len(table.columns))
            values = ([_value(it, row, rows, chance) for it in table.columns] for row in range(1, rows + 1))
            connection.executemany(f'INSERT INTO "{table.name}" VALUES ({holes})', values)
        connection.execute("COMMIT")


def write_docs(catalogue: MergedCatalogue, folder: Path) -> None:
    """The docs of its columns as CSV, some rules and some past queries as YAML. Args: folder: made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "columns.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["table", "column", "description"])
        rows.writerows((it.table, it.column, it.text) for it in catalogue.documents)
    past = [{"question": it.question, "sql": it.sql} for it in cases(catalogue, _PAST, seed=3)]
    rules = ["An approved record counts; a rejected one does not.", "The fiscal year begins on 1 July."]
    (folder / "more.yaml").write_text(json.dumps({"rules": rules, "queries": past}), encoding="utf-8")


def cases(catalogue: MergedCatalogue, count: int, seed: int = 11) -> list[Case]:
    """So many different questions about its tables."""
    chance = random.Random(seed)
    kinds = [_sum, _filtered, _grouped]
    tables = [table for table in catalogue.db_schema.tables if _numbers(table) and _texts(table)]
    found: dict[str, Case] = {}
    while len(found) < count:
        case = chance.choice(kinds)(chance.choice(tables), chance)
        found.setdefault(case.question, case)
    return list(found.values())


def _sum(table: Table, chance: random.Random) -> Case:
    number = chance.choice(_numbers(table))
    since = f"{chance.randint(2019, 2024)}-0{chance.randint(1, 9)}-01"
    dated = [column for column in table.columns if column.type == "date"]
    where, since_words = (f" WHERE {_quoted(dated[0])} >= '{since}'", f" since {since}") if dated else ("", "")
    question = f"What is the total {_words_of(number.name)} of all {_words_of(table.name)}s by {{}}{since_words}?"
    text = chance.choice(_texts(table))
    sql = (
        f'SELECT {_quoted(text)}, SUM({_quoted(number)}) AS total FROM "{table.name}"{where} GROUP BY 1 ORDER BY 2 DESC'
    )
    return Case(question.format(_words_of(text.name)), sql)


def _filtered(table: Table, chance: random.Random) -> Case:
    text = chance.choice(_texts(table))
    value = chance.choice(text.samples)
    question = f"How many {_words_of(table.name)}s have the {_words_of(text.name)} {value}?"
    return Case(question, f"SELECT COUNT(*) AS n FROM \"{table.name}\" WHERE {_quoted(text)} = '{value}'")


def _grouped(table: Table, chance: random.Random) -> Case:
    number, text = chance.choice(_numbers(table)), chance.choice(_texts(table))
    kind, function = chance.choice([("average", "AVG"), ("highest", "MAX"), ("lowest", "MIN")])
    question = f"What is the {kind} {_words_of(number.name)} of {_words_of(table.name)}s by {_words_of(text.name)}?"
    sql = f'SELECT {_quoted(text)}, {function}({_quoted(number)}) AS value FROM "{table.name}" GROUP BY {_quoted(text)}'
    return Case(question, sql)


def _numbers(table: Table) -> list[Column]:
    return [column for column in table.columns if column.type.startswith("numeric")]


def _texts(table: Table) -> list[Column]:
    return [column for column in table.columns if column.samples]


def _words_of(name: str) -> str:
    return name.replace("_", " ")


def _quoted(column: Column) -> str:
    return f'"{column.name}"'


def _ddl(table: Table) -> str:
    columns = [f"{_quoted(column)} {_TYPES.get(column.type, column.type.upper())}" for column in table.columns]
    columns[0] += " PRIMARY KEY"
    keys = [
        f'FOREIGN KEY ("{key.columns[0]}") REFERENCES "{key.table}" ("{key.referenced[0]}")'
        for key in table.foreign_keys
    ]
    return f'CREATE TABLE "{table.name}" ({", ".join((*columns, *keys))})'


def _value(column: Column, row: int, rows: int, chance: random.Random) -> str | int | float:
    if column.type == "integer":
        return row if column.name.endswith("_id") and not column.nullable else chance.randint(1, rows)
    if column.type == "date":
        return f"{chance.randint(2018, 2025)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    if column.type == "text":
        return chance.choice(column.samples) if column.samples else f"text {chance.randint(1, 10_000)}"
    return round(chance.uniform(1, 10_000), 2)
