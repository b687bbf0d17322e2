"""How many questions a minute so many processes of the service answer: `make bench-processes`.

Each is `python -m agent serve` with one SQLite database, behind nginx, with each of the state stores. The model is the
tireless one of the test bed, in the same process: it answers at once, so what is measured is the service itself, and
it grows with the processes until the cores are full. Each question is asked with reuse off, so that it goes the whole
way: retrieval off, SQL, guard, execution, judge, raw records, answer.

Printed for each number of processes: questions a minute, the ratio to one process, processor time of the service for
one question, and how many cores the service had in use.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

from testbed.azurite import Azurite
from testbed.nginx import Nginx
from testbed.service_process import ServiceProcess
from testbed.tireless_provider import ENVIRONMENT

STATES = {
    "memory": "each process its own, so that the service alone is measured",
    "sqlite": "one file for all, which one process writes at a time",
    "azure_tables": "one Azurite for all, on the same machine",
}
CALLERS = 4  # at once, for each process
WARM_UP = 5  # questions to each process, before it is measured
ORDERS = 1000


class Measured(NamedTuple):
    """processes: how many. questions: answered in `seconds`, for `cpu_s` seconds of processor time of the service."""

    processes: int
    questions: int
    seconds: float
    cpu_s: float

    @property
    def a_minute(self) -> float:
        return self.questions / self.seconds * 60


def make_shop(path: Path) -> None:
    """A table with orders."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE orders (order_id INTEGER PRIMARY KEY, status TEXT, amount REAL)")
        rows = [(number, "CXS"[number % 3], number / 4) for number in range(ORDERS)]
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)


def ask(port: int, until: float = float("inf"), at_most: int | None = None) -> int:
    """Ask one question after the other over one connection. Returns how many were answered.

    Args:
        port: where.
        until: when no further one is asked, by the monotonic clock.
        at_most: how many.
    """
    options = {"reuse_verified": False}
    body = json.dumps({"question": "What is the revenue?", "database": "shop", "options": options})
    answered = 0
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        while time.monotonic() < until and (at_most is None or answered < at_most):
            connection.request("POST", "/api/query", body, {"content-type": "application/json"})
            response = connection.getresponse()
            said = response.read()
            if response.status != 200:
                raise RuntimeError(f"{response.status}: {said[:300]!r}")
            answered += 1
    return answered


def measure(number: int, environment: dict[str, str], folder: Path, seconds: float) -> Measured:
    """Start so many processes, and ask them for so many seconds."""
    with ExitStack() as running:
        processes = [running.enter_context(ServiceProcess(environment, folder / "log")) for _ in range(number)]
        for process in processes:
            ask(process.port, at_most=WARM_UP)
        proxy = running.enter_context(Nginx([process.port for process in processes]))
        before, start = sum(process.cpu_s() for process in processes), time.monotonic()
        with ThreadPoolExecutor(number * CALLERS) as callers:
            answered = sum(callers.map(lambda _: ask(proxy.port, start + seconds), range(number * CALLERS)))
        took = time.monotonic() - start
        return Measured(number, answered, took, sum(process.cpu_s() for process in processes) - before)


def curve(state: str, most: int, seconds: float) -> None:
    """Print what one process answers, then two, and so on. Args: state: where it is kept."""
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="plumbline-processes-")))
        make_shop(folder / "shop.sqlite")
        (folder / "databases.yaml").write_text("shop: shop.sqlite\n", encoding="utf-8")
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
            done = measure(number, environment, folder, seconds)
            first = first or done
            ratio, cost, cores = done.a_minute / first.a_minute, done.cpu_s / done.questions, done.cpu_s / done.seconds
            print(f"{number:9}  {done.a_minute:13.0f}  {ratio:14.2f}  {cost * 1000:15.1f}  {cores:12.2f}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the curves."""
    parser = argparse.ArgumentParser(description="Questions a minute, by the number of processes.")
    parser.add_argument("--most", type=int, default=(os.cpu_count() or 1) + 1, help="processes")
    parser.add_argument("--seconds", type=float, default=20, help="for each number of them")
    parser.add_argument("--state", choices=STATES, action="append", help="where it is kept; all three by default")
    options = parser.parse_args(arguments)
    print(f"{os.cpu_count()} cores, {CALLERS} callers for each process, {options.seconds:g} s each")
    for state in options.state or STATES:
        curve(state, options.most, options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
