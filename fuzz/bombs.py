"""All functions of DuckDB and SQLite with large arguments: a worker's limits hold, whatever an engine does inside.

Statements do not pass the guard, so that only the limits are tested. A statement returns rows or an error in time, the
worker stays within its memory limit, and the next query is answered.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
from hypothesis import strategies as st

from executors.base import CheckedSql
from executors.errors import SqlFailed
from executors.registry.kinds import Kind
from executors.workers.isolated import GRACE_S, IsolatedExecutor, open_isolated
from executors.workers.pool import WorkerPool
from fuzz.cases import Case, Check, Target

MEMORY = 700_000_000
TIMEOUT_S = 1.0
_SPARE_S = 30.0  # for a busy machine: the bound is that it ends, and not that it is quick
_LARGE = {
    "duckdb": (
        *("999999999", "-1", "2147483647", "9223372036854775807", "1e300", "NULL", "'%999999999d'", "'{:{}}'", "[1]"),
        *(
            "repeat('a', 100000000)",
            "repeat('ab', 100000)",
            "range(20000000)",
            "bitstring('1', 1900000000)",
            "DATE '1-1-1'",
        ),
        *(
            "lambda x: repeat('x', 99999999)",
            "lambda x, y: y",
            "list_resize([1], 99999999)",
            "'(a+)+$'",
            "TIMESTAMP 'infinity'",
        ),
        *(
            "INTERVAL 99999999 YEAR",
            "map([1], [2])",
            "{'a': range(9999999)}",
            "repeat('a', 99999999)::BLOB",
            "repeat('[', 999999)",
        ),
    ),
    "sqlite": (
        *(
            "999999999",
            "-1",
            "9223372036854775807",
            "1e300",
            "NULL",
            "zeroblob(16000000)",
            "hex(zeroblob(8000000))",
            "'%999999999d'",
        ),
        *(
            "replace(hex(zeroblob(4000000)), '0', 'ab')",
            "'%.*c'",
            "'a'",
            "hex(randomblob(4000000))",
            "'9999-12-31'",
            "'[' || '1' || ']'",
        ),
        *("substr(hex(zeroblob(400000)), 1, 399999) || '*'", "'[' || replace(hex(zeroblob(400000)), '0', '[') || ']'"),
    ),
}
_FORMS = (
    *("SELECT {call}", "SELECT length({call})", "SELECT {call}, {call}, {call}", "SELECT * FROM {call}"),
    *(
        "SELECT {call} FROM many",
        "SELECT sum(length({call})) FROM many a, many b",
        "SELECT a.n FROM many a ORDER BY {call}",
    ),
)


@lru_cache
def _functions(kind: str) -> tuple[str, ...]:
    if kind == "sqlite":
        with sqlite3.connect(":memory:") as connection:
            found = connection.execute("SELECT DISTINCT name FROM pragma_function_list").fetchall()
        connection.close()
    else:
        with duckdb.connect() as opened:
            found = opened.execute(
                "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name ~ '^\\w+$'"
            ).fetchall()
    return tuple(sorted(row[0] for row in found))


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    kind = draw(st.sampled_from(sorted(_LARGE)))
    large = st.sampled_from(_LARGE[kind])
    name, arguments = draw(st.sampled_from(_functions(kind))), draw(st.lists(large, min_size=1, max_size=3))
    call = f"{name}({', '.join(arguments)})"
    return Case(kind, draw(st.sampled_from(_FORMS)).format(call=call))


class BombCheck:
    """Runs statements in separate workers and measures them."""

    def __init__(self, folder: Path) -> None:
        self.pool = WorkerPool(1, MEMORY)
        self._executors: dict[str, IsolatedExecutor] = {}
        many = "CREATE TABLE many (n INTEGER)", "INSERT INTO many VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9)"
        with duckdb.connect(str(folder / "many.duckdb")) as opened:
            for statement in many:
                opened.execute(statement)
        with sqlite3.connect(folder / "many.sqlite") as connection:
            for statement in many:
                connection.execute(statement)
        connection.close()
        duck: dict[str, Any] = {"memory": "200MB", "threads": 1}
        for kind, more in (("duckdb", duck), ("sqlite", {})):
            local: Kind = "duckdb" if kind == "duckdb" else "sqlite"
            self._executors[kind] = open_isolated(
                kind, local, folder / f"many.{kind}", self.pool, sample_values=0, **more
            )

    def __call__(self, case: Case) -> None:
        """Raises AssertionError where a bound does not hold."""
        began, executor = time.monotonic(), self._executors[case.kind]
        try:
            executor.run(_query(case.text), timeout_s=TIMEOUT_S)
        except SqlFailed as error:
            assert "Stack Trace" not in error.message, "a stack reached the caller"
        took = time.monotonic() - began
        assert took < TIMEOUT_S + GRACE_S + _SPARE_S, f"it took {took:.0f} s"
        for worker in (*self.pool._idle, *self.pool._busy):
            assert (peak := _peak(worker._process.pid)) < MEMORY + 200_000_000, f"{peak:,} bytes of memory"
        assert executor.run(_query("SELECT count(*) FROM many"), timeout_s=_SPARE_S).rows == ((9,),)


def _query(sql: str) -> CheckedSql:
    return CheckedSql(sql=sql, executable=sql, row_limit=50, tables=())


def _peak(pid: int) -> int:
    """Peak memory of a process, in bytes; 0 if it has ended or the system does not report it."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


@contextmanager
def _opened() -> Iterator[Check]:
    with tempfile.TemporaryDirectory(prefix="plumbline-fuzz-") as folder:
        check = BombCheck(Path(folder))
        try:
            yield check
        finally:
            check.pool.end()


TARGET = Target("bombs", tuple(sorted(_LARGE)), _cases(), _opened)
