"""The figures that capacity is computed from; most are measured by the other benches.

    python -m bench.capacity_figures TABLES QUESTIONS FOLDER

measures retrieval in a separate process, to separate its memory, and prints JSON.
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agent.evaluation.retrieval.merged import MergedCatalogue
from agent.pipeline.service import build_service
from agent.platform.access.policy import Rate, RateLimiter
from agent.platform.storage.sqlite import SqliteStore
from bench import own_time, retrieval_scale, schema_reading, synthetic
from bench.capacity_plan import Measured
from bench.counted_store import CountedStore
from bench.endpoint import started
from bench.synthetic_file import Case, cases
from rag.embedding.embedder import LocalEmbedder
from rag.schema.text import render
from testbed.embedder import HashingEmbedder

RUNS = 3  # of reading a schema; the median counts
WARM = 3  # questions of retrieval that are not counted
FULL = 300  # tables of `own_time` that are far more than the schema's budget of tokens holds
EMBEDDED = 400  # columns that the local embedder is timed on
BYTES_A_MB = 1e6
PRINCIPAL = "ann"


class Retrieval(NamedTuple):
    """Retrieval in a schema: CPU milliseconds of a question, median; memory in MB; tokens of the whole schema."""

    tables: int
    cpu_ms: float
    memory_mb: float
    schema_tokens: int
    index_mb: float = 0.0


class StateUse(NamedTuple):
    """The state store, for one question: requests; hottest: those to one partition; bytes that it grows by."""

    requests: float
    hottest: float
    bytes: float
    hottest_kind: str


class Found(NamedTuple):
    """The figures that the plan needs, and further ones for the report."""

    measured: Measured
    retrieval: list[Retrieval]
    state: StateUse


async def _retrieval_inside(tables: int, questions: int, folder: Path) -> Retrieval:
    catalogue, embedder = _catalogue(tables), HashingEmbedder(dimension=retrieval_scale.DIMENSION)
    asked = synthetic.questions(questions + WARM)
    found = await retrieval_scale.measure(catalogue, embedder, asked, folder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    whole = render(
        catalogue.db_schema, catalogue.documents, style="ddl", budget_tokens=sys.maxsize, max_sample_values=0
    )
    cpu = statistics.median(it.cpu for it in found.questions)
    return Retrieval(tables=found.tables, cpu_ms=cpu, memory_mb=memory, schema_tokens=whole.tokens)


def _catalogue(tables: int) -> MergedCatalogue:
    return synthetic.catalogue(tables * synthetic.TABLE_WIDTH)


def retrieval(tables: int, questions: int) -> Retrieval:
    """Index a schema in one process, and ask in another. Raises CalledProcessError: one of them failed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.capacity_figures", str(tables), str(questions), folder]
        for _ in range(2):  # the first one indexes, which takes memory that asking does not
            output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        return Retrieval(*json.loads(output))._replace(index_mb=size / BYTES_A_MB)


async def state_use(questions: int, tables: int) -> StateUse:
    """Ask questions, each in a new session and under a rate limit, and count the store's operations."""
    catalogue = synthetic.catalogue(tables * own_time.TABLE_WIDTH, table_width=own_time.TABLE_WIDTH)
    asked = cases(catalogue, questions + 1)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        own_time.make_folder(folder, tables)
        with started(asked, folder) as url:
            return await _state_of(folder, url, asked)


async def _state_of(folder: Path, url: str, asked: Sequence[Case]) -> StateUse:
    file = folder / "counted.sqlite"
    store = CountedStore(SqliteStore(file))
    embedder = HashingEmbedder(dimension=retrieval_scale.DIMENSION)
    service = build_service(own_time.settings_of(folder, url, "state"), embedder=embedder, state=store)
    limiter = RateLimiter(Rate.parse("999999/minute"), lambda: store)

    async def ask(case: Case) -> None:
        await asyncio.to_thread(limiter.take, PRINCIPAL)
        session = await service.start_session(own_time.DATABASE, PRINCIPAL)
        await service.query(case.question, own_time.DATABASE, session_id=session.id, principal=PRINCIPAL)

    try:
        await service.warm_up()
        await ask(asked[0])
        store.requests.clear()
        before = file.stat().st_size
        for case in asked[1:]:
            await ask(case)
    finally:
        await service.close()
    number, (hottest, requests) = len(asked) - 1, store.requests.most_common(1)[0]
    grown = file.stat().st_size - before
    return StateUse(store.requests.total() / number, requests / number, grown / number, hottest.kind)


def embedded_a_second() -> float:
    """Columns of a schema that the local embedder embeds in a second of CPU."""
    embedder = LocalEmbedder()
    embedder.embed(["It is loaded by its first text."])
    found = asyncio.run(retrieval_scale.measure(synthetic.catalogue(EMBEDDED), embedder, []))
    return found.columns / found.embedding_cpu


def measure(tables: Sequence[int], questions: int) -> Found:
    """Measure everything. Args: tables: of the schemas, the fewest first; questions: of each of them."""
    few = tables[0]
    plain, embedding = own_time.measure_processes(few, questions, (False, True))
    (full,) = own_time.measure_processes(FULL, questions, (False,))
    found = [retrieval(number, questions) for number in tables]
    state = asyncio.run(state_use(questions, few))
    cpu = statistics.median(plain.cpu)
    measured = Measured(
        cpu_ms=[(few, cpu), (max(few + 1, FULL), statistics.median(full.cpu))],
        embedding_ms=max(0.0, statistics.median(embedding.cpu) - cpu),
        process_mb=plain.memory,
        embedding_mb=max(0.0, embedding.memory - plain.memory),
        calls=plain.calls,
        completion_tokens=plain.completion_tokens,
        prompt_tokens=[(few, plain.prompt_tokens), (max(few + 1, FULL), full.prompt_tokens)],
        retrieval_ms=[(it.tables, it.cpu_ms) for it in found],
        tables_mb=[(it.tables, it.memory_mb - found[0].memory_mb) for it in found],
        index_mb=[(it.tables, it.index_mb) for it in found],
        schema_s=[(it, schema_reading.seconds_to_read(it, synthetic.TABLE_WIDTH, RUNS)) for it in tables],
        columns_a_table=synthetic.TABLE_WIDTH,
        embedded_a_s=embedded_a_second(),
        requests=state.requests,
        hottest=state.hottest,
    )
    return Found(measured, found, state)


if __name__ == "__main__":
    _tables, _questions, _folder = sys.argv[1:]
    print(json.dumps(asyncio.run(_retrieval_inside(int(_tables), int(_questions), Path(_folder)))))
