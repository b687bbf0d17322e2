"""The time that a new process takes to import the Functions app, report its health, and answer a first question.

    python -m bench.cold_start [--runs 5]

Each run is a new process that imports `function_app` and calls the ASGI app behind it, as the Functions worker does.
The database has 25 tables, docs and an index; model and embeddings come from an endpoint of another process, at once.
Reports the process's CPU time since its start (all threads, interpreter included) and the elapsed time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import synthetic
from bench.endpoint import MODEL, started
from bench.own_time import DATABASE, TABLE_WIDTH, make_folder
from bench.synthetic_file import Case, cases
from bench.targets import Figure, keep, show

TABLES = 25
TARGETS = {"import function_app": 1.0, "first health answer": 1.5, "first question": 2.5}  # seconds of own CPU
Times = dict[str, tuple[float, float]]  # by step: CPU and elapsed, seconds


async def call(app: Any, method: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, bytes]:
    """Status and body of one request to an ASGI app."""
    sent: list[dict[str, Any]] = []
    asked = iter([{"type": "http.request", "body": json.dumps(body or {}).encode(), "more_body": False}])

    async def receive() -> dict[str, Any]:
        if (message := next(asked, None)) is not None:
            return message
        await asyncio.Event().wait()  # the client never disconnects
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope: dict[str, Any] = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"}
    scope |= {"method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)}
    scope["headers"] = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    await app(scope, receive, send)
    return int(sent[0]["status"]), b"".join(message.get("body", b"") for message in sent[1:])


def inside(question: str, began: float) -> Times:
    """In the new process: import, ask for health, ask the question. Args: began: its start, as `time.time` has it."""
    times: Times = {}

    def step(name: str) -> None:
        times[name] = (time.process_time(), time.time() - began)

    import function_app

    step("import function_app")

    async def requests() -> None:
        app = function_app._asgi
        status, _ = await call(app, "GET", "/api/health/live")
        assert status == 200, status  # noqa: S101  else there is nothing to measure
        step("first health answer")
        asked = {"question": question, "database": DATABASE}
        status, answer = await call(app, "POST", "/api/query", asked)
        assert status == 200, answer  # noqa: S101
        assert json.loads(answer)["verified"], answer  # noqa: S101
        step("first question")
        await app.state.service.close()

    asyncio.run(requests())
    return times


def run(folder: Path, url: str, question: str) -> Times:
    """The times of one new process. Raises CalledProcessError: it failed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "PLUMBLINE_REGISTRY": str(folder / "databases.yaml"),
        "PLUMBLINE_STATE_DIR": str(folder / "state"),
        "PLUMBLINE_EMBEDDING": "openai",
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "none",
        "PLUMBLINE_CHAT_MODEL": MODEL,
    }
    command = [sys.executable, "-m", "bench.cold_start", "--inside", question, repr(time.time())]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return {name: (cpu, passed) for name, (cpu, passed) in json.loads(done.stdout).items()}


def report(runs: list[Times]) -> bool:
    """Print the medians next to their targets. Returns whether all are met."""
    figures: list[Figure] = []
    for name, target in TARGETS.items():
        figures.append(Figure(f"{name}: CPU", statistics.median(it[name][0] for it in runs), "s", target))
        figures.append(Figure(f"{name}: elapsed", statistics.median(it[name][1] for it in runs), "s"))
    keep("Cold start", figures)
    return show("Cold start", figures)


def main(arguments: list[str] | None = None) -> int:
    """Make the database, start new processes, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.cold_start", description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=5, help="processes, after a first one that creates index and bytecode"
    )
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.inside:
        question, began = options.inside
        print(json.dumps(inside(question, float(began))))
        return 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_folder(folder, TABLES)
        asked: list[Case] = cases(synthetic.catalogue(TABLES * TABLE_WIDTH, table_width=TABLE_WIDTH), options.runs + 1)
        with started(asked, folder) as url:
            runs = [run(folder, url, case.question) for case in asked]
    report(runs[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
