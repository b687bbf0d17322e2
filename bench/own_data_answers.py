"""Counts the questions about messy data that a model answers right, over two readings of the same files.

One is Plumbline's. The other is DuckDB's `read_csv_auto` with its defaults, loaded into a database that Plumbline is
asked about in the same way: what differs is the reading alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from agent.core.answers import Answer
from agent.core.errors import PlumblineError
from agent.core.models import Options
from agent.evaluation.commands.targets import sample_evenly
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import ChatModel
from bench.own_data_sets import DataSet
from executors.base import JsonValue
from executors.errors import ExecutorError

OPTIONS = Options(enable_answer=False, clarify=False, reuse_verified=False)  # rows are compared, not sentences
CENT = 0.01
DEFAULTS = "_by_defaults"


class Outcome(NamedTuple):
    """One question. here, there: whether it was answered right over Plumbline's reading, and over the defaults'."""

    data_set: str
    question: str
    here: bool
    there: bool


async def ask_all(
    folder: Path,
    data_sets: Sequence[DataSet],
    *,
    settings: Settings,
    limit: int,
    model: ChatModel | None = None,
    on_outcome: Callable[[Outcome], None] = lambda _: None,
    before: Sequence[Outcome] = (),
) -> list[Outcome]:
    """Ask questions over both readings.

    Args:
        folder: with a folder for each data set; a `state` and a `defaults` are made in it.
        data_sets: whose questions are asked.
        settings: whose model is asked.
        limit: questions at most, evenly spaced over all of them.
        model: instead of that of the settings.
        on_asked: gets each as it is done.
        before: of an earlier run that did not end; these are not asked again.
    """
    there = {it.name: load_by_defaults(folder, it) for it in data_sets}
    entries = {it.name: {"url": str(folder / it.name)} for it in data_sets}
    entries |= {f"{name}{DEFAULTS}": {"url": str(path)} for name, path in there.items() if path is not None}
    registry = folder / "databases.yaml"
    registry.write_text(json.dumps(entries), encoding="utf-8")
    changes = {"registry": registry, "state_dir": folder / "state"}
    service = build_service(settings.model_copy(update=changes), model=model)
    earlier = {(it.data_set, it.question): it for it in before}
    found: list[Outcome] = []
    try:
        for wanted, question, answer in sample_evenly([(it, *one) for it in data_sets for one in it.questions], limit):
            if known := earlier.get((wanted.name, question)):
                found.append(known)
                continue
            here = await _is_answered(service, wanted.name, question, answer)
            by_defaults = there[wanted.name] is not None and await _is_answered(
                service, f"{wanted.name}{DEFAULTS}", question, answer
            )
            found.append(Outcome(wanted.name, question, here, by_defaults))
            on_outcome(found[-1])
    finally:
        await service.close()
    return found


def load_by_defaults(folder: Path, wanted: DataSet) -> Path | None:
    """A DuckDB file with the one table that `read_csv_auto` makes of a data set; None: it reads nothing of it."""
    path = folder / "defaults" / f"{wanted.name}{DEFAULTS}.duckdb"
    path.parent.mkdir(exist_ok=True)
    with duckdb.connect(str(path)) as connection:
        try:
            connection.execute(
                f"CREATE TABLE {wanted.name} AS SELECT * FROM read_csv_auto('{folder / wanted.name}/*.csv*')"
            )
        except duckdb.Error:
            return None
    return path


async def _is_answered(service: Service, database: str, question: str, expected: float | str) -> bool:
    try:
        answer = await service.query(question, database, options=OPTIONS)
    except (PlumblineError, ExecutorError):
        return False
    return is_right(answer, expected)


def is_right(answer: Answer, expected: float | str) -> bool:
    """Whether an answer is one row that holds the expected value."""
    return len(answer.results) == 1 and any(_equal(value, expected) for value in answer.results[0].values())


def _equal(value: JsonValue, expected: float | str) -> bool:
    if isinstance(expected, str):
        return bool(value == expected)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return False
    try:
        return math.isclose(float(value), expected, rel_tol=0, abs_tol=CENT)
    except ValueError:  # a text that is no number
        return False
