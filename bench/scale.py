"""How does own time grow: with the tables of a database, and with questions that come at once?

    python -m bench.scale [--tables 10 100] [--at-once 1 10 50] [--svg FILE]

Own time is the process's CPU for each question, with a scripted model that answers at once and hashes for embeddings.
Each curve is fitted by a power of what grows: an exponent of 0 is flat, of 1 linear.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from agent.service import Service, build_service
from bench import svg, synthetic
from bench.endpoint import DIMENSION, started
from bench.own_time import TABLE_WIDTH, ask, make_folder, settings_of
from bench.synthetic_file import Case, cases
from rag.testing import HashingEmbedder

TABLES, AT_ONCE = (10, 100), (1, 10, 50)  # larger ones take minutes, and are asked for by the options
WARM, ASKED = 5, 15
FEW_TABLES = 25  # of the database that is asked many questions at once
Curve = list[tuple[float, float]]  # what grows, and milliseconds of CPU for each question
LINEAR = 1.0  # the most that an exponent should be


def exponent(curve: Sequence[tuple[float, float]]) -> float:
    """The power of what grows that fits best, by least squares of the logarithms."""
    xs, ys = ([math.log(point[at]) for point in curve] for at in (0, 1))
    return statistics.linear_regression(xs, ys).slope


async def _median(service: Service, asked: Sequence[Case]) -> float:
    """Milliseconds of CPU of one question after the other; the first few are not counted."""
    taken = []
    for case in asked:
        began = time.process_time()
        await ask(service, case)
        taken.append((time.process_time() - began) * 1000)
    return statistics.median(taken[WARM:])


async def _at_once(service: Service, asked: Sequence[Case], numbers: Sequence[int]) -> Curve:
    for case in asked[:WARM]:
        await ask(service, case)
    curve: Curve = []
    rest = list(asked[WARM:])
    for number in numbers:
        together, rest = rest[:number], rest[number:]
        began = time.process_time()
        await asyncio.gather(*(ask(service, case) for case in together))
        curve.append((number, (time.process_time() - began) * 1000 / number))
    return curve


def measure(tables: int, questions: int, numbers: Sequence[int] = ()) -> Curve:
    """One database: its median, or with `numbers` the curve of questions at once."""
    catalogue = synthetic.catalogue(tables * TABLE_WIDTH, table_width=TABLE_WIDTH)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_folder(folder, tables)
        asked = cases(catalogue, questions)
        with started(asked, folder) as url:
            settings = settings_of(folder, url, "state").model_copy(
                update={"max_concurrent_questions": max((1, *numbers))}
            )

            async def run() -> Curve:
                service = build_service(settings, embedder=HashingEmbedder(dimension=DIMENSION))
                try:
                    await service.warm_up()
                    if numbers:
                        return await _at_once(service, asked, numbers)
                    return [(tables, await _median(service, asked))]
                finally:
                    await service.close()

            return asyncio.run(run())


def report(curves: Mapping[str, Curve]) -> bool:
    """Print each curve with its exponent. Returns whether none is worse than linear."""
    print("Scale: own milliseconds of a question")
    for name, curve in curves.items():
        fitted = exponent(curve)
        points = ", ".join(f"{svg.number(x)}: {y:.1f}" for x, y in curve)
        verdict = "met" if fitted <= LINEAR else "MISSED"
        print(f"  by {name}: {points}   exponent {fitted:.2f} ({verdict}: at most {LINEAR:g})")
    return all(exponent(curve) <= LINEAR for curve in curves.values())


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=TABLES)
    parser.add_argument("--at-once", type=int, nargs="+", default=AT_ONCE)
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args(arguments)
    by_tables = [point for tables in options.tables for point in measure(tables, WARM + ASKED)]
    together = measure(FEW_TABLES, WARM + sum(options.at_once), options.at_once)
    curves = {"tables": by_tables, "questions at once": together}
    report(curves)
    if options.svg:
        charts = [svg.curves("Own CPU of a question, ms", name, "ms", {"": curve}) for name, curve in curves.items()]
        options.svg.parent.mkdir(parents=True, exist_ok=True)
        options.svg.write_text(svg.page("How own time grows", charts, across=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
