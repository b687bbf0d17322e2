"""Measures how questions a second grow from one process to as many as there are cores.

    python -m bench.scale_out [--processes 2] [--seconds 20]

Each is `python -m agent serve` over one synthetic SQLite file; all ask one endpoint that answers at once, in a separate
process. No question is asked by two callers, so that none shares the answer of another. The callers and the endpoint
take a part of the cores, too, so that the ratio stays a little below the number of processes.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench import callers
from bench.callers import Measured
from bench.endpoint import MODEL, started
from bench.own_time import DATABASE, make_folder
from bench.synthetic_file import Case, cases
from bench.targets import Figure, keep, show

TABLES = 25
QUESTIONS = 2000  # more than one process answers; a caller that has asked all of its questions starts again
EFFICIENCY = 0.85  # target of the ratio, as a share of the number of cores


def measure(number: int, folder: Path, url: str, asked: Sequence[Case], seconds: float) -> Measured:
    """Start a number of processes, each with its own callers, and ask them for some seconds."""
    environment = {
        "PLUMBLINE_REGISTRY": str(folder / "databases.yaml"),
        "PLUMBLINE_STATE_DIR": str(folder / f"state-{number}"),
        "PLUMBLINE_STATE_STORE": "memory",
        "PLUMBLINE_EMBEDDING": "openai",
        "PLUMBLINE_CHAT_MODEL": MODEL,
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "none",
    }
    return callers.measure(number, environment, folder, DATABASE, [it.question for it in asked], seconds)


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
    parser.add_argument(
        "--processes", type=int, default=max(2, os.cpu_count() or 1), help="number of processes to compare with one"
    )
    parser.add_argument("--seconds", type=float, default=20, help="duration of each run")
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
