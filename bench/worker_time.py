"""The cost of worker processes for a plain question: the same query, here and in a warm worker, in turns.

    python -m bench.worker_time [--times 200]

Prints the medians of both in milliseconds, and of the difference of each pair: of the guard's look, and of the rows. On
a busy machine processes wait for a core, so the difference of the fastest runs is compared with the target.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from executors.base import CheckedSql, Executor
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.engines.sqlite.executor import SqliteExecutor
from executors.guard import guard
from executors.workers import checking
from executors.workers.isolated import open_isolated
from executors.workers.pool import WorkerPool

SAMPLES = Path(__file__).parents[1] / "samples"
TARGET_MS = 5.0
QUERY = (
    "SELECT c.country, COUNT(*) AS n, SUM(o.amount) AS total FROM orders AS o "
    "JOIN customers AS c ON o.customer_id = c.customer_id GROUP BY c.country ORDER BY total DESC LIMIT 10"
)


class Paired(NamedTuple):
    """In milliseconds: medians of both sides and of the differences of pairs; and between the quickest of both."""

    here: float
    there: float
    more: float
    quiet: float


def paired(here: Callable[[], object], there: Callable[[], object], times: int) -> Paired:
    """Both in turns, so many times."""
    pairs = [(_timed(here), _timed(there)) for _ in range(times)]
    more = [after - before for before, after in pairs]
    median = statistics.median
    quiet = min(there for _, there in pairs) - min(here for here, _ in pairs)
    return Paired(median(a for a, _ in pairs), median(b for _, b in pairs), median(more), quiet)


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def main() -> int:
    """The command line. Exits with 1 where a question costs more than `TARGET_MS` more."""
    parser = argparse.ArgumentParser(prog="python -m bench.worker_time")
    parser.add_argument("--times", type=int, default=200)
    times = parser.parse_args().times
    pool, missed = WorkerPool(1, 2 * 10**9), False
    duck, lite = SAMPLES / "shop.duckdb", SAMPLES / "shop.sqlite"
    here: dict[str, Executor] = {
        "duckdb": DuckdbExecutor("shop", duck, memory="1GB", threads=2, sample_values=3),
        "sqlite": SqliteExecutor("shop", lite, sample_values=3),
    }
    there: dict[str, Executor] = {
        "duckdb": open_isolated("shop", "duckdb", duck, pool, sample_values=3, memory="1GB", threads=2),
        "sqlite": open_isolated("shop", "sqlite", lite, pool, sample_values=3),
    }
    for name, executor in here.items():
        schema, worker = executor.schema(), there[name]
        worker.schema()

        def look(schema=schema) -> CheckedSql:  # type: ignore[no-untyped-def]  # bound to this turn
            return guard.check(QUERY, schema, row_limit=500)

        def look_there(schema=schema) -> CheckedSql:  # type: ignore[no-untyped-def]
            return checking.check(QUERY, schema, row_limit=500)

        query = look()
        look_there()
        guarded = paired(look, look_there, times)
        ran = paired(
            lambda executor=executor, query=query: executor.run(query, timeout_s=30),  # type: ignore[misc]
            lambda worker=worker, query=query: worker.run(query, timeout_s=30),  # type: ignore[misc]
            times,
        )
        quiet = guarded.quiet + ran.quiet
        missed |= quiet > TARGET_MS
        for what, it in (("guard", guarded), ("rows", ran)):
            print(f"{name:8} {what:6} here {it.here:6.2f} ms  worker {it.there:6.2f} ms  more {it.more:6.2f} ms")
        print(f"{name:8} a question: {guarded.more + ran.more:.2f} ms more, {quiet:.2f} undisturbed, of {TARGET_MS:g}")
    pool.end()
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
