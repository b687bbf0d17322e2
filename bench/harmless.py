"""Counts the harmless statements that the guard refuses.

    python -m bench.harmless [first second ...] [--show]

`bench/harmless_sql/<set>/<dialect>.sql` hold statements as analysts write them, from the engines' manuals: one a line,
all of them reads, none with a function of the database's own. Names are checked against `schema.json`, as for a query
that runs. A set is written before the guard sees it. Prints how many of each dialect are refused; `--show` prints them
with the reason. Exits with 1 where a set has more than 2 % of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.table import Table as Printed

from executors.base import Column, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import SqlRefused
from executors.guard.guard import check

FOLDER = Path(__file__).parent / "harmless_sql"
MOST_REFUSED = 0.02
_LISTS = {"postgresql": "TEXT[]", "duckdb": "VARCHAR[]", "clickhouse": "Array(String)", "databricks": "ARRAY<STRING>"}
_RECORD = "STRUCT<address: STRUCT<city: STRING>, phone: STRING>"
_DOCUMENTS = {
    "postgresql": "JSONB",
    "databricks": _RECORD,
    "duckdb": "STRUCT(address STRUCT(city VARCHAR), phone VARCHAR)",
}


def sets() -> list[str]:
    """The names of the sets that there are."""
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def statements(name: str) -> list[tuple[str, str]]:
    """Dialect and SQL of each statement of a set."""
    return [
        (path.stem, line.removesuffix(";"))
        for path in sorted((FOLDER / name).glob("*.sql"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


@cache
def schema(dialect: str) -> Schema:
    """The tables that the statements read, as a database of that dialect describes them."""
    tables: dict[str, dict[str, str]] = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))
    folded = DIALECTS[dialect].fold
    return Schema(
        database="store",
        dialect=dialect,
        tables=tuple(
            Table(
                name=folded(table),
                columns=tuple(
                    Column(name=folded(name), type=_type(table, name, kind, dialect)) for name, kind in columns.items()
                ),
            )
            for table, columns in tables.items()
        ),
    )


def _type(table: str, column: str, kind: str, dialect: str) -> str:
    if kind == "LIST":
        return _LISTS.get(dialect, "JSON")
    return _DOCUMENTS.get(dialect, kind) if (table, column) == ("customers", "info") else kind


def refusal(sql: str, dialect: str) -> str:
    """Why the guard refuses a statement; empty where it lets it through."""
    try:
        check(sql, schema(dialect), row_limit=100)
    except SqlRefused as refused:
        return str(refused)
    return ""


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 1 where too many are refused."""
    parser = argparse.ArgumentParser(prog="python -m bench.harmless", description=__doc__)
    parser.add_argument("sets", nargs="*", default=sets(), help="names of sets; default: all")
    parser.add_argument("--show", action="store_true", help="print refused statements")
    options = parser.parse_args(arguments)
    console, good = Console(highlight=False), True
    for name in options.sets:
        asked = statements(name)
        refused = [(dialect, sql, why) for dialect, sql in asked if (why := refusal(sql, dialect))]
        printed = Printed(title=f"{name}: {len(refused)} of {len(asked)} refused, {len(refused) / len(asked):.1%}")
        for heading in ("dialect", "statements", "refused"):
            printed.add_column(heading, justify="left" if heading == "dialect" else "right")
        for dialect in dict.fromkeys(dialect for dialect, _ in asked):
            count = sum(it == dialect for it, _ in asked)
            printed.add_row(dialect, str(count), str(sum(it == dialect for it, *_ in refused)))
        console.print(printed)
        for dialect, sql, why in refused if options.show else ():
            console.print(f"{dialect}: {why}\n    {sql}", markup=False, soft_wrap=True)
        good &= len(refused) <= MOST_REFUSED * len(asked)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
