"""Measures how own time grows: with tables and columns, rows, concurrent questions, turns of a session, docs.

    python -m bench.scale [--only tables rows] [--tables 10 100] [--rows 10000] [--budget 1.0] [--svg FILE]

Own time is the process's CPU for a question, with a scripted model that answers at once and hashes for embeddings. Each
point is measured in a separate process. Points that exceed the curve's time or the disk are reported as not reached.
Each curve is fitted by a power of what grows: an exponent of 0 is flat, of 1 linear.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.curves import Curve, draw, report
from bench.scale_points import POINTS, Point
from bench.targets import keep

OWN, RETRIEVAL = "own CPU of a question", "CPU of retrieval"
FLAT = 0.5  # less than three times as long for ten times as much: a walk through a graph of near neighbours
BYTES_OF_ROW = 40  # of the file with the rows, at most


class Group(NamedTuple):
    """Sizes that are measured one after the other, within `seconds` in all. Args: curves: that a point is on."""

    sizes: tuple[int, ...]
    seconds: float
    curves: Mapping[str, Curve]


GROUPS = {
    "tables": Group(
        (10, 100, 1_000, 10_000),
        540,
        {"tables": Curve(OWN, "tables", ()), "columns": Curve(RETRIEVAL, "columns indexed", (), FLAT)},
    ),
    "rows": Group(
        (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000),
        300,
        {"rows": Curve(OWN, "rows of a CSV", ()), "rows, DuckDB": Curve("DuckDB's CPU", "rows of a CSV", (), None)},
    ),
    "at once": Group((1, 10, 50, 200), 120, {"at once": Curve(OWN, "questions at once", ())}),
    "turns": Group((5, 20, 80, 200), 150, {"turns": Curve("own CPU of a follow-up", "turns of the session", ())}),
    "docs": Group((10, 100, 1_000, 10_000), 180, {"docs": Curve(OWN, "docs", ())}),
}


def measure(name: str, sizes: Sequence[int], seconds: float) -> list[Curve]:
    """The curves of a group. Args: seconds: after which nothing further is measured."""
    until = time.monotonic() + seconds
    points: list[Point] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
            left = until - time.monotonic()
            found = point(name, size, Path(folder), left) if left > 0 and has_room(name, size, Path(folder)) else None
        if found is None:
            break  # larger sizes take longer
        points.append(found)
        print(f"{name}: {size:,} measured", file=sys.stderr)
    missing = tuple(sizes[len(points) :])
    return [
        curve._replace(points=[it[key] for it in points], missing=missing) for key, curve in GROUPS[name].curves.items()
    ]


def has_room(name: str, size: int, folder: Path) -> bool:
    """Whether the disk has twice the room that the rows take."""
    return name != "rows" or shutil.disk_usage(folder).free > 2 * BYTES_OF_ROW * size


def point(name: str, size: int, folder: Path, seconds: float) -> Point | None:
    """One point, from a new process; None where it took too long.

    Raises:
        CalledProcessError: it failed.
    """
    command = [sys.executable, "-m", "bench.scale", "--inside", name, str(size), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and the model beside it
            return None
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return {key: (x, y) for key, (x, y) in json.loads(output).items()}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS))
    for name, group in GROUPS.items():
        parser.add_argument(f"--{name.replace(' ', '-')}", type=int, nargs="+", default=group.sizes, dest=name)
    parser.add_argument("--budget", type=float, default=1.0, help="factor on the time limit of each curve")
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--inside", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.inside:
        name, size, folder = options.inside
        print(json.dumps(POINTS[name](int(size), Path(folder))))
        return 0
    sizes = vars(options)
    curves = [
        curve for name in options.only for curve in measure(name, sizes[name], options.budget * GROUPS[name].seconds)
    ]
    keep("Scale", report(curves))
    if options.svg:
        options.svg.parent.mkdir(parents=True, exist_ok=True)
        options.svg.write_text(draw(curves), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
