"""Computes the capacity for a number of questions an hour and tables, and the first bottleneck.

The input is what was measured (`Measured`) and assumed (`Assumed`); the output is one `Need` for each number of
questions and tables. Questions are assumed to be spread evenly over the hour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

from agent.core.usage import StepUsage
from agent.platform.config.pricing import Price, Prices

HOUR_S, MINUTE_S, MS, MB_A_GB = 3600, 60, 1000, 1000

Curve = Sequence[tuple[float, float]]  # (tables, measured value), the fewest tables first


class Measured(NamedTuple):
    """Figures of one machine.

    Of a question with the smallest schema: embedding_ms of CPU more, where the local embedder runs in
    the process; process_mb of memory, and embedding_mb more; calls and completion_tokens of the model.
    By tables: cpu_ms of the service, until the schema fills its place in the prompt; retrieval_ms, the part of it that
    grows on; prompt_tokens; tables_mb of memory in each process; index_mb on the disk; schema_s
    for reading it.
    Of indexing: columns_a_table, and embedded_a_s, the columns that the local embedder embeds in a second of CPU.
    Of the state store, for one question: requests; hottest, those that all go to one partition.
    """

    cpu_ms: Curve
    embedding_ms: float
    process_mb: float
    embedding_mb: float
    calls: float
    completion_tokens: float
    prompt_tokens: Curve
    retrieval_ms: Curve
    tables_mb: Curve
    index_mb: Curve
    schema_s: Curve
    columns_a_table: float
    embedded_a_s: float
    requests: float
    hottest: float


class Assumed(NamedTuple):
    """What is an input.

    call_s: seconds that the model takes for a call; the calls of a question come one after the other.
    price: of the model.
    model_tokens_a_minute: its quota.
    busy: the share of a core that is planned with; the rest is for the minutes with more questions.
    cores, memory_gb: of the one machine that the need is held against.
    places: questions that one process works on at once.
    account_requests_s, partition_requests_s: what one storage account, and one partition of it, take in a second.
    look_s: seconds between two looks of a process at what others have changed.
    schema_s: seconds that a question waits for a schema at most.
    indexing_h: hours of one core that the first index of a schema may take.
    """

    call_s: float
    price: Price
    model_tokens_a_minute: float
    busy: float
    cores: float
    memory_gb: float
    places: int
    account_requests_s: float
    partition_requests_s: float
    look_s: float
    schema_s: float
    indexing_h: float


class Need(NamedTuple):
    """The need of `questions` an hour about `tables`; `shares` are relative to the supply, 1 being all of it."""

    questions: float
    tables: float
    cpu_ms: float
    processes: int
    cores: float
    cores_embedding: float
    in_flight: float
    tokens_a_minute: float
    dollars_an_hour: float
    memory_gb: float
    index_gb: float
    shares: dict[str, float]

    @property
    def scarce(self) -> list[str]:
        """The first bottleneck, then all other shortages, the worst first."""
        first, *others = sorted(self.shares, key=lambda name: -self.shares[name])
        return [first, *(name for name in others if self.shares[name] > 1)]


class Beyond(Enum):
    """How a value is extrapolated: in proportion to tables, by the power law of the last two values, or as a constant.
    One that falls is noise, so nothing falls there.
    """

    LINE = "line"
    POWER = "power"
    FLAT = "flat"


def at(curve: Curve, tables: float, beyond: Beyond = Beyond.LINE) -> float:
    """Interpolates and extrapolates linearly; values below the first point are the first."""
    if tables <= curve[0][0]:
        return curve[0][1]
    for (left, low), (right, high) in pairwise(curve):
        if tables <= right:
            return low + (high - low) * (tables - left) / (right - left)
    last, value = curve[-1]
    before, lower = curve[-2] if len(curve) > 1 else curve[-1]
    if beyond is Beyond.FLAT or value <= lower:
        return value
    if beyond is Beyond.POWER:
        return value * math.pow(tables / last, min(1.0, math.log(value / lower) / math.log(last / before)))
    return value + (value - lower) / (last - before) * (tables - last)


def cpu_of(measured: Measured, tables: float) -> float:
    """Milliseconds of own CPU of a question."""
    full = measured.cpu_ms[-1][0]
    grown, before = (at(measured.retrieval_ms, it, Beyond.POWER) for it in (max(tables, full), full))
    return at(measured.cpu_ms, tables, Beyond.FLAT) + max(0.0, grown - before)


def cost_of(measured: Measured, price: Price, tables: float) -> float:
    """US dollars of one question's model calls, with no prompt taken for cached."""
    usage = StepUsage(
        prompt_tokens=round(at(measured.prompt_tokens, tables, Beyond.FLAT)),
        completion_tokens=round(measured.completion_tokens),
    )
    return Prices({}, otherwise=price).cost("", usage) or 0.0


def need(questions: float, tables: float, measured: Measured, assumed: Assumed) -> Need:
    """The need of a number of questions an hour about one database with a number of tables."""
    a_second = questions / HOUR_S
    cpu_ms = cpu_of(measured, tables)
    cores = a_second * cpu_ms / MS / assumed.busy
    in_flight = a_second * (measured.calls * assumed.call_s + cpu_ms / MS)  # Little's law
    processes = max(1, math.ceil(cores), math.ceil(in_flight / assumed.places))
    tokens = questions / MINUTE_S * (at(measured.prompt_tokens, tables, Beyond.FLAT) + measured.completion_tokens)
    memory_gb = processes * (measured.process_mb + at(measured.tables_mb, tables)) / MB_A_GB
    looks_s = processes / assumed.look_s
    indexing_h = tables * measured.columns_a_table / measured.embedded_a_s / HOUR_S
    return Need(
        questions=questions,
        tables=tables,
        cpu_ms=cpu_ms,
        processes=processes,
        cores=cores,
        cores_embedding=cores + a_second * measured.embedding_ms / MS / assumed.busy,
        in_flight=in_flight,
        tokens_a_minute=tokens,
        dollars_an_hour=questions * cost_of(measured, assumed.price, tables),
        memory_gb=memory_gb,
        index_gb=at(measured.index_mb, tables) / MB_A_GB,
        shares={
            "cores": cores / assumed.cores,
            "memory": memory_gb / assumed.memory_gb,
            "model quota": tokens / assumed.model_tokens_a_minute,
            "state account": (a_second * measured.requests + looks_s) / assumed.account_requests_s,
            "state partition": (a_second * measured.hottest + looks_s) / assumed.partition_requests_s,
            "schema reading": at(measured.schema_s, tables) / assumed.schema_s,
            "first indexing": indexing_h / assumed.indexing_h,
        },
    )
