"""Do more processes answer more questions? Questions a second of one process, and of as many as there are cores.

    python -m bench.scale_out [--processes 2] [--seconds 20]

Each is `python -m agent serve` over one synthetic SQLite file; all ask one endpoint that answers at once, in a process
of its own. No question is asked by two callers, so that none shares the answer of another. The callers and the endpoint
take a part of the cores, too, so that the ratio stays a little below the number of processes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path

from bench.endpoint import MODEL, started
from bench.own_time import DATABASE, make_folder
from bench.processes import Measured
from bench.synthetic_file import Case, cases
from bench.targets import Figure, keep, show
from testbed.service_process import ServiceProcess

TABLES = 25
CALLERS = 4  # at once, for each process
WARM = 5  # questions to each process, before it is measured
QUESTIONS = 2000  # more than one process answers; who has asked all of its own begins again
EFFICIENCY = 0.85  # of the cores' number is what the ratio should be


def ask(port: int, asked: Iterator[Case], until: float) -> int:
    """Ask one question after the other over one connection; how many were answered. Args: until: monotonic."""
    answered = 0
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for case in asked:
            if time.monotonic() >= until:
                break
            body = {"question": case.question, "database": DATABASE, "options": {"reuse_verified": False}}
            connection.request("POST", "/api/query", json.dumps(body), {"content-type": "application/json"})
            response = connection.getresponse()
            said = response.read()
            if response.status != 200:
                raise RuntimeError(f"{response.status}: {said[:300]!r}")
            answered += 1
    return answered


def measure(number: int, folder: Path, url: str, asked: Sequence[Case], seconds: float) -> Measured:
    """Start so many processes, and ask them for so many seconds; each caller has questions of its own."""
    environment = {
        "PLUMBLINE_REGISTRY": str(folder / "databases.yaml"),
        "PLUMBLINE_STATE_DIR": str(folder / f"state-{number}"),
        "PLUMBLINE_STATE_STORE": "memory",
        "PLUMBLINE_EMBEDDING": "openai",
        "PLUMBLINE_CHAT_MODEL": MODEL,
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "none",
    }
    with ExitStack() as running:
        processes = [running.enter_context(ServiceProcess(environment, folder / "log")) for _ in range(number)]
        for process in processes:  # one after the other: the first makes the index that the others find
            ask(process.port, islice(asked, WARM), float("inf"))
        ports = [process.port for process in processes for _ in range(CALLERS)]
        own = [cycle(asked[WARM + at :: len(ports)]) for at in range(len(ports))]
        before, start = sum(process.cpu_s() for process in processes), time.monotonic()
        with ThreadPoolExecutor(len(ports)) as callers:
            answered = sum(callers.map(lambda port, mine: ask(port, mine, start + seconds), ports, own))
        took = time.monotonic() - start
        return Measured(number, answered, took, sum(process.cpu_s() for process in processes) - before)


def figures(one: Measured, all_of_them: Measured) -> list[Figure]:
    """Both, and their ratio next to its target."""
    number = all_of_them.processes
    found = [
        Figure(f"{it.processes} process{'es' * (it.processes > 1)}: {name}", value, unit)
        for it in (one, all_of_them)
        for name, value, unit in (
            ("questions a second", it.a_minute / 60, ""),
            ("CPU of a question", it.cpu_s / it.questions * 1000, "ms"),
            ("cores in use", it.cpu_s / it.seconds, ""),
        )
    ]
    ratio = all_of_them.a_minute / one.a_minute
    return [*found, Figure(f"{number} processes over 1: ratio", ratio, "", EFFICIENCY * number, at_least=True)]


def main(arguments: list[str] | None = None) -> int:
    """Measure both, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale_out", description=__doc__)
    parser.add_argument("--processes", type=int, default=max(2, os.cpu_count() or 1), help="beside one")
    parser.add_argument("--seconds", type=float, default=20, help="for each of the two")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        asked = cases(make_folder(folder, TABLES), QUESTIONS)
        with started(asked, folder) as url:
            measured = [measure(number, folder, url, asked, options.seconds) for number in (1, options.processes)]
    found = figures(*measured)
    title = f"Scale, processes on {os.cpu_count()} cores"
    show(title, found)
    keep(title, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
