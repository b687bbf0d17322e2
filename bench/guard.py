"""Measures what the guard accepts and what it refuses.

    python -m bench.guard path/to/statements.jsonl [--dialect postgresql] [--show 20]

Each line of the file is an object with `dialect`, `type` (of the statement, as SQLFluff names it), `contains` (types of
what is inside) and `sql`. Names are not checked against a schema, and parameters may stay open, as with `python -m
agent guard --no-schema`. A statement is

- hostile, where a word of its type, or of what it contains, is one of `HOSTILE`: it writes, defines, grants, loads,
  sets, locks or calls. None may be let through;
- a SELECT, where its type is one of `SELECTS` and nothing in it is hostile;
- else neither: EXPLAIN, DESCRIBE, SHOW and the like, which are refused and not counted.

A SELECT is refused with good reason where it locks or sets something after all, calls what truly does harm, calls a
function that is not known (it may do anything, and the registry can list it), or is not SQL before some client has
pasted text into it; and where the engine itself, if it is here (SQLite, DuckDB), cannot parse it either. Of all others
at most 2 % may be refused. Exits with 1 where that does not hold.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
from pydantic import BaseModel

from executors.base import Schema
from executors.dialects.row import words
from executors.dialects.table import DIALECTS, dialect_named
from executors.errors import Because, SqlRefused
from executors.guard.guard import check

MOST_REFUSED = 0.02
SELECTS = words("select_statement with_compound_statement set_expression values_clause bracketed")
HOSTILE = words(
    "insert update delete merge replace upsert truncate overwrite bulk create alter drop undrop rename comment",
    "clone switch reassign discard convert apply grant revoke deny access role security copy export import unload",
    "load put get remove add attach detach cache uncache clear set unset reset use let declare language names",
    "transaction begin commit rollback savepoint lock kill system call execute exec do prepare deallocate cursor",
    "fetch open close repeat while if for loop raiserror signal resignal into outfile vacuum analyze optimize",
    "refresh reindex cluster check repair flush purge listen notify pragma dbcc reconfigure restore backup",
    "checkpoint preload manage abort",
)
# Reasons for which a harmless-looking SELECT is rightly refused.
RIGHTLY = (Because.WRITES, Because.DANGEROUS, Because.FUNCTION, Because.NAME, Because.PASTED)


class Statement(BaseModel):
    """One line of the file."""

    dialect: str
    type: str
    contains: tuple[str, ...] = ()
    sql: str

    @property
    def is_hostile(self) -> bool:
        kinds = (*([] if self.type in SELECTS else [self.type]), *self.contains)
        return any(word in HOSTILE for kind in kinds for word in kind.lower().split("_"))

    @property
    def is_select(self) -> bool:
        return self.type in SELECTS and not self.is_hostile


@dataclass
class Figures:
    """The counts of one dialect."""

    statements: int = 0
    hostile: int = 0
    selects: int = 0
    seconds: float = 0.0
    let_through: list[Statement] = field(default_factory=list)
    no_sql: int = 0
    refused: dict[Because, list[tuple[Statement, str]]] = field(default_factory=lambda: defaultdict(list))

    def count(self, statement: Statement, dialect: str) -> None:
        """Ask the guard and record its verdict."""
        began = time.perf_counter()
        refusal = _refusal(statement.sql, dialect)
        self.seconds += time.perf_counter() - began
        self.statements += 1
        self.hostile += statement.is_hostile
        self.selects += statement.is_select
        if statement.is_hostile and refusal is None:
            self.let_through.append(statement)
        if statement.is_select and refusal is not None:
            self.refused[refusal.because].append((statement, str(refusal)))
            self.no_sql += refusal.because is Because.SYNTAX and not _parses(statement.sql, dialect)

    @property
    def wrongly(self) -> int:
        """SELECTs that were refused for none of the good reasons."""
        return sum(len(cases) for because, cases in self.refused.items() if because not in RIGHTLY) - self.no_sql

    @property
    def share(self) -> float:
        return self.wrongly / self.selects if self.selects else 0.0

    @property
    def share_with_unknown(self) -> float:
        """The same, including unknown functions: a registry that allows no functions gets these refusals too."""
        unknown = len(self.refused.get(Because.FUNCTION, ()))
        return (self.wrongly + unknown) / self.selects if self.selects else 0.0

    @property
    def is_good(self) -> bool:
        return not self.let_through and self.share <= MOST_REFUSED


def _refusal(sql: str, dialect: str) -> SqlRefused | None:
    try:
        check(
            sql,
            Schema(database="statements", dialect=dialect, tables=()),
            row_limit=100,
            check_names=False,
            open_parameters=True,
        )
    except SqlRefused as refusal:
        return refusal
    return None


def _parses(sql: str, dialect: str) -> bool:
    """Whether the engine accepts it as SQL; True if there is no engine to ask."""
    if dialect == "sqlite":
        try:
            with closing(sqlite3.connect(":memory:")) as connection:
                connection.execute(f"EXPLAIN {sql}")
        except sqlite3.Error as error:
            return "syntax error" not in str(error)
    elif dialect == "duckdb":
        try:
            duckdb.extract_statements(sql)
        except duckdb.ParserException:
            return False
    return True


def measured(statements: Iterable[Statement]) -> dict[str, Figures]:
    """The figures by what the file calls its dialects; those that are not spoken here are left out."""
    found: dict[str, Figures] = defaultdict(Figures)
    for statement in statements:
        dialect = dialect_named(statement.dialect)
        if dialect is not None:
            found[statement.dialect].count(statement, dialect.name)
    return dict(sorted(found.items(), key=lambda item: list(DIALECTS).index(_name(item[0]))))


def _name(dialect: str) -> str:
    row = dialect_named(dialect)
    return row.name if row else dialect


def print_figures(found: dict[str, Figures], others: Counter[str]) -> None:
    """Two tables: how many, and for which reasons."""
    print(
        f"{'dialect':<12}{'statements':>11}{'hostile':>9}{'let through':>12}{'SELECTs':>9}{'refused':>9}"
        f"{'wrongly':>9}{'share':>8}{'or unknown':>12}{'per second':>12}"
    )
    for name, it in found.items():
        refused = sum(map(len, it.refused.values()))
        speed = it.statements / it.seconds if it.seconds else 0.0
        print(
            f"{name:<12}{it.statements:>11}{it.hostile:>9}{len(it.let_through):>12}{it.selects:>9}{refused:>9}"
            f"{it.wrongly:>9}{it.share:>8.1%}{it.share_with_unknown:>12.1%}{speed:>12,.0f}"
            f"{'' if it.is_good else '   too many'}"
        )
    print("\nor unknown: wrongly, or for a function that is not known. SELECTs refused, by reason; * counts as wrongly")
    for because in Because:
        cases = {name: len(it.refused[because]) for name, it in found.items() if it.refused.get(because)}
        counts = ", ".join(f"{name} {count}" for name, count in cases.items()) or "none"
        print(f"{'' if because in RIGHTLY else '*':<2}{because:<30}{counts}")
    print("  no SQL to the engine either    " + str(sum(it.no_sql for it in found.values()) or "none"))
    if others:
        print(f"\nnot spoken here: {', '.join(f'{name} {count}' for name, count in others.most_common())}")


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 1 where something hostile was let through, or too much was refused."""
    parser = argparse.ArgumentParser(prog="python -m bench.guard", description=__doc__)
    parser.add_argument("path", type=Path, help="statements, one JSON object per line")
    parser.add_argument("--dialect", help="only statements of this dialect")
    parser.add_argument("--show", type=int, default=0, help="refused SELECTs of each reason to print")
    options = parser.parse_args(arguments)
    lines = options.path.read_text(encoding="utf-8").splitlines()
    statements = [Statement.model_validate_json(line) for line in lines if line.strip()]
    if options.dialect:
        statements = [it for it in statements if _name(it.dialect) == _name(options.dialect)]
    others = Counter(it.dialect for it in statements if dialect_named(it.dialect) is None)
    found = measured(statements)
    print_figures(found, others)
    for name, it in found.items():
        for statement in it.let_through:
            print(f"\n{name}: let through ({statement.type}): {_line(statement.sql)}")
        for because, cases in it.refused.items():
            for statement, message in cases[: options.show]:
                print(f"\n{name}: {because}: {message}\n      {_line(statement.sql)}")
    return int(not all(it.is_good for it in found.values()))


def _line(sql: str) -> str:
    return " ".join(sql.split())[:300]


if __name__ == "__main__":
    sys.exit(main())
