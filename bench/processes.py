"""Questions a minute that several processes of the service answer: `make bench-processes`.

Each is `python -m agent serve` with one SQLite database, behind nginx, with each of the state stores. The model is the
tireless one of the test bed, in the same process: it answers at once, so the bench measures the service itself.
Throughput grows with the processes until the cores are full. Each question is asked with reuse off and by one caller
alone, so that it goes the whole way: retrieval off, SQL, guard, execution, judge, raw records, answer.

Printed for each number of processes: questions a minute, the ratio to one process, processor time of the service for
one question, and how many cores the service had in use.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from itertools import product
from pathlib import Path

from bench.callers import CALLERS, Measured, measure
from testbed.azurite import Azurite
from testbed.tireless_provider import ENVIRONMENT

STATES = {
    "memory": "each process its own, so that the service alone is measured",
    "sqlite": "one file for all, which one process writes at a time",
    "azure_tables": "one Azurite for all, on the same machine",
}
DATABASE = "shop"
ORDERS = 1000


def make_shop(path: Path) -> None:
    """A table with orders."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE orders (order_id INTEGER PRIMARY KEY, status TEXT, amount REAL)")
        rows = [(number, "CXS"[number % 3], number / 4) for number in range(ORDERS)]
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)


def revenue_questions() -> list[str]:
    """Questions that the model has a query for, in more than three thousand wordings."""
    openings = (
        "What is", "Tell me", "Show me", "Give me", "Compute", "Work out", "I need", "I want to see", "Please show",
        "Please compute", "Can you tell me", "Could you show me", "We would like to see", "Let me see",
    )  # fmt: skip
    kinds = (
        "the revenue", "our revenue", "the total revenue", "the whole revenue", "all revenue", "the shop's revenue",
    )  # fmt: skip
    sources = (
        "", " of the orders", " of all orders", " from orders", " from all our orders", " that orders brought",
        " of our customers' orders", " in the table of orders",
    )  # fmt: skip
    closings = ("", " so far", " altogether", " as one number", " in one sum")
    parts = product(closings, sources, kinds, openings)
    return [f"{opening} {kind}{source}{closing}" for closing, source, kind, opening in parts]


def curve(state: str, most: int, seconds: float) -> None:
    """Print what one process answers, then two, and so on. Args: state: where it is kept."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="plumbline-processes-")))
        make_shop(folder / "shop.sqlite")
        (folder / "databases.yaml").write_text(f"{DATABASE}: shop.sqlite\n", encoding="utf-8")
        environment = {
            **ENVIRONMENT,
            "PLUMBLINE_REGISTRY": str(folder / "databases.yaml"),
            "PLUMBLINE_STATE_DIR": str(folder / "state"),
            "PLUMBLINE_STATE_STORE": state,
            "PLUMBLINE_ENABLE_RETRIEVAL": "false",
        }
        if state == "azure_tables":
            tables = running.enter_context(Azurite())
            environment["PLUMBLINE_AZURE_TABLES_CONNECTION"] = tables.connection_string
        print(f"\nState in {state}: {STATES[state]}")
        print("processes  questions/min  of one process  CPU ms/question  cores in use")
        first: Measured | None = None
        for number in range(1, most + 1):
            done = measure(number, environment, folder, DATABASE, revenue_questions(), seconds, behind_nginx=True)
            first = first or done
            ratio, cost, cores = done.a_minute / first.a_minute, done.cpu_s / done.questions, done.cpu_s / done.seconds
            print(f"{number:9}  {done.a_minute:13.0f}  {ratio:14.2f}  {cost * 1000:15.1f}  {cores:12.2f}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the curves."""
    parser = argparse.ArgumentParser(description="Questions a minute, by the number of processes.")
    parser.add_argument("--most", type=int, default=(os.cpu_count() or 1) + 1, help="maximum number of processes")
    parser.add_argument("--seconds", type=float, default=20, help="duration of each run")
    parser.add_argument("--state", choices=STATES, action="append", help="kind of state store; default: all three")
    options = parser.parse_args(arguments)
    print(f"{os.cpu_count()} cores, {CALLERS} callers for each process, {options.seconds:g} s each")
    for state in options.state or STATES:
        curve(state, options.most, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
