"""Plumbline's own time and memory for a question, beside the model and the database, and blocks of the event loop.

    python -m bench.own_time [--questions 60] [--tables 25]

The database is a synthetic SQLite file with docs and past queries, the model an endpoint of another process that
answers at once; it is asked over HTTP, by the client that is used for every hosted model. No question comes twice. With
the embedding of the question, MiniLM runs in the process; without, its place is taken by hashes of words. Each of the
two is measured in a separate process. CPU is that of all its threads.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import SecretStr

from agent.core.answers import Answer
from agent.core.models import Options
from agent.evaluation.retrieval.merged import MergedCatalogue
from agent.pipeline.service import Service, build_service
from agent.platform.config.pricing import FREE
from agent.platform.config.settings import Settings, get_settings
from bench import synthetic
from bench.endpoint import DIMENSION, MODEL, started
from bench.loop_blocks import LoopBlocks
from bench.synthetic_file import Case, cases, write_docs, write_sqlite
from bench.targets import Figure, keep, show
from testbed.embedder import HashingEmbedder

WARM, AT_ONCE = 10, 50
TABLE_WIDTH = 10  # columns of a table, on average
ROWS = 200
DATABASE = "warehouse"
NO_REUSE = Options(reuse_verified=False)


class Measured(NamedTuple):
    """One process's figures, in milliseconds and megabytes; `steps` are medians of the answers' timings.

    calls, prompt_tokens, completion_tokens: of the model, means of a question; the endpoint takes four characters for
    a token.
    """

    wall: list[float]
    cpu: list[float]
    steps: dict[str, float]
    blocked: float
    blocked_by: str
    at_once_wall: float
    at_once_cpu: float
    memory: float
    calls: float
    prompt_tokens: float
    completion_tokens: float
    unverified: list[str]


def make_folder(folder: Path, tables: int, rows: int = ROWS) -> MergedCatalogue:
    """Write the database, its docs and a registry. Args: rows: of each table."""
    catalogue = synthetic.catalogue(tables * TABLE_WIDTH, table_width=TABLE_WIDTH)
    write_sqlite(catalogue, folder / "warehouse.sqlite", rows)
    write_docs(catalogue, folder / "docs")
    write_registry(folder, "warehouse.sqlite")
    return catalogue


def write_registry(folder: Path, url: str) -> None:
    """A registry of the one database, with the docs of the folder `docs`. Args: url: of the database."""
    entry = {"url": url, "docs": ["docs"]}
    (folder / "databases.yaml").write_text(json.dumps({DATABASE: entry}), encoding="utf-8")


def settings_of(folder: Path, url: str, state: str) -> Settings:
    """The process's settings, with the folder's database and the endpoint as the model."""
    changes = {
        "registry": folder / "databases.yaml",
        "state_dir": folder / state,
        "openai_base_url": url,
        "openai_api_key": SecretStr("none"),
        "chat_model": MODEL,
        "prices": {MODEL: FREE},  # otherwise each process warns that there is none
        "max_concurrent_questions": AT_ONCE,
    }
    return get_settings().model_copy(update=changes)


async def measure(service: Service, asked: Sequence[Case]) -> Measured:
    """Ask one question after the other, then `AT_ONCE` of them at once; the first `WARM` are not counted."""
    warm, rest = asked[:WARM], asked[WARM:]
    singles, together = rest[:-AT_ONCE], rest[-AT_ONCE:]
    await service.warm_up()
    for case in warm:
        await ask(service, case)
    wall, cpu, answers = [], [], []
    with LoopBlocks() as blocks:
        for case in singles:
            began, spent = time.perf_counter(), time.process_time()
            answers.append(await ask(service, case))
            wall.append((time.perf_counter() - began) * 1000)
            cpu.append((time.process_time() - spent) * 1000)
        began, spent = time.perf_counter(), time.process_time()
        answers += await asyncio.gather(*(ask(service, case) for case in together))
        passed, used = time.perf_counter() - began, time.process_time() - spent
    names = {name for answer in answers[: len(singles)] for name in answer.timings_ms}
    steps = {name: statistics.median(it.timings_ms.get(name, 0.0) for it in answers[: len(singles)]) for name in names}
    return Measured(
        wall=wall,
        cpu=cpu,
        steps=steps,
        blocked=blocks.longest * 1000,
        blocked_by=blocks.longest_by,
        at_once_wall=passed / len(together) * 1000,
        at_once_cpu=used / len(together) * 1000,
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        calls=statistics.mean(answer.usage.model_calls for answer in answers),
        prompt_tokens=statistics.mean(answer.usage.prompt_tokens for answer in answers),
        completion_tokens=statistics.mean(answer.usage.completion_tokens for answer in answers),
        unverified=[answer.question for answer in answers if not answer.verified],
    )


async def ask(service: Service, case: Case) -> Answer:
    """The answer, without reuse of an earlier one."""
    return await service.query(case.question, DATABASE, options=NO_REUSE)


async def _measured(folder: Path, url: str, *, embedding: bool, asked: Sequence[Case]) -> Measured:
    embedder = None if embedding else HashingEmbedder(dimension=DIMENSION)
    service = build_service(settings_of(folder, url, f"state-{embedding}"), embedder=embedder)
    try:
        return await measure(service, asked)
    finally:
        await service.close()


def _of_process(folder: Path, url: str, *, embedding: bool) -> Measured:
    """The figures of a new process. Raises CalledProcessError: it failed."""
    command = [sys.executable, "-m", "bench.own_time", "--inside", str(folder), url, str(int(embedding))]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return Measured(**json.loads(output))


def measure_processes(tables: int, questions: int, embedding: Sequence[bool]) -> list[Measured]:
    """Make a database of so many tables, and ask so many questions one after the other: a new process for each.

    Args:
        embedding: for each process, whether MiniLM runs in it.
    """
    catalogue = synthetic.catalogue(tables * TABLE_WIDTH, table_width=TABLE_WIDTH)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_folder(folder, tables)
        with started(cases(catalogue, WARM + questions + AT_ONCE), folder) as url:
            return [_of_process(folder, url, embedding=it) for it in embedding]


def report(without: Measured, with_embedding: Measured) -> bool:
    """Print every figure next to its target. Returns whether all are met."""
    figures: list[Figure] = []
    pairs = ((without, "without embedding", 18.0, 250.0), (with_embedding, "with embedding", 30.0, 800.0))
    for it, label, milliseconds, megabytes in pairs:
        figures += [
            Figure(f"one question, {label}: CPU, median", statistics.median(it.cpu), "ms", milliseconds),
            Figure(f"one question, {label}: elapsed, median", statistics.median(it.wall), "ms"),
            Figure(f"event loop, {label}: longest block", it.blocked, "ms", 20.0),
            Figure(f"{AT_ONCE} questions at once, {label}: CPU for each", it.at_once_cpu, "ms"),
            Figure(f"{AT_ONCE} questions at once, {label}: elapsed for each", it.at_once_wall, "ms"),
            Figure(f"memory, {label}: peak", it.memory, "MB", megabytes),
        ]
    met = show("Own time", figures)
    keep("Own time", figures)
    for it, label, _, _ in pairs:
        steps = ", ".join(f"{name} {ms:.1f}" for name, ms in sorted(it.steps.items(), key=lambda one: -one[1]))
        print(f"  steps {label}, elapsed ms (the model's replies in them): {steps}")
        print(f"  the longest block {label} was in {it.blocked_by}")
        if it.unverified:
            print(f"  {len(it.unverified)} answers {label} were not verified, such as that to {it.unverified[0]!r}")
    return met


def main(arguments: list[str] | None = None) -> int:
    """Make the database, measure in two processes, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.own_time", description=__doc__)
    parser.add_argument("--questions", type=int, default=60, help="number of questions")
    parser.add_argument("--tables", type=int, default=25)
    parser.add_argument("--inside", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.inside:
        folder, url, embedding = options.inside
        asked = [Case(*one) for one in json.loads((Path(folder) / "cases.json").read_text(encoding="utf-8"))]
        found = asyncio.run(_measured(Path(folder), url, embedding=embedding == "1", asked=asked))
        print(json.dumps(found._asdict()))
        return 0
    without, with_embedding = measure_processes(options.tables, options.questions, (False, True))
    report(without, with_embedding)
    return 0


if __name__ == "__main__":
    sys.exit(main())
