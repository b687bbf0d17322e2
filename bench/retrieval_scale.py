"""Measures how retrieval and indexing slow down as a schema grows.

    python -m bench.retrieval_scale [--columns 1000 10000 100000] [--questions 50] [--no-model] [--keep FOLDER]

Synthetic schemas are indexed and asked as the service does it: near columns, values and documents from the index, then
linking, then rendering within a budget. A hashing embedder makes the vectors, so that only the index is measured. The
real embedder's time for a question and for the smallest schema is reported separately.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from agent.evaluation.retrieval.index import Indexes
from agent.evaluation.retrieval.merged import MergedCatalogue
from agent.evaluation.retrieval.report import p95
from bench import synthetic
from rag.embedding.embedder import Embedder, LocalEmbedder
from rag.schema.text import render
from rag.words import phrases
from testbed.embedder import HashingEmbedder

SIZES = (1_000, 10_000, 100_000)
DIMENSION = 384  # MiniLM's
BUDGET = 6_000
SAMPLES = 3
TARGET = 3.0  # times the median of the smallest schema, at the largest
_WARM = 3  # questions that are asked before any is measured


class TimedEmbedder:
    """Another embedder, and the seconds it has taken; `cpu` are those of all threads meanwhile."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self.seconds, self.cpu = embedder, 0.0, 0.0
        self.name = embedder.name

    @property
    def dimension(self) -> int:
        """See `Embedder`."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `Embedder`."""
        began, spent = time.perf_counter(), time.process_time()
        vectors = self._embedder.embed(texts)
        self.seconds += time.perf_counter() - began
        self.cpu += time.process_time() - spent
        return vectors


class QuestionTimes(NamedTuple):
    """Milliseconds of one question: `found` in the index, `linked`, `rendered`; `cpu` is what all three computed."""

    found: float
    linked: float
    rendered: float
    cpu: float


class SchemaTimes(NamedTuple):
    """One schema: its indexing in seconds, `embedding` among them and that one's CPU, and its questions."""

    columns: int
    tables: int
    indexing: float
    embedding: float
    embedding_cpu: float
    questions: list[QuestionTimes]

    @property
    def totals(self) -> list[float]:
        """Milliseconds of each whole question."""
        return [it.found + it.linked + it.rendered for it in self.questions]


async def measure(
    catalogue: MergedCatalogue, embedder: Embedder, questions: Sequence[str], keep: Path | None = None
) -> SchemaTimes:
    """Index a schema in a new folder, and ask. Args: keep: a folder to use instead, and to leave there."""
    schema, timed = catalogue.db_schema, TimedEmbedder(embedder)
    with nullcontext(keep) if keep is not None else tempfile.TemporaryDirectory() as folder:
        indexes = Indexes(Path(folder), timed)
        try:
            began = time.perf_counter()
            linker = await indexes.sync(catalogue)
            indexing, embedding, cpu = time.perf_counter() - began, timed.seconds, timed.cpu
            asked = []
            for question in questions:
                start, spent = time.perf_counter(), time.process_time()
                found = await indexes.find(schema.database, question)
                found_at = time.perf_counter()
                linked = linker.link(question, near=found.near, relevant=found.relevant)
                linked_at = time.perf_counter()
                render(
                    schema,
                    catalogue.documents,
                    style="ddl",
                    budget_tokens=BUDGET,
                    max_sample_values=SAMPLES,
                    ranking=linked.ranking,
                )
                rendering, computed = time.perf_counter() - linked_at, time.process_time() - spent
                steps = (found_at - start, linked_at - found_at, rendering, computed)
                asked.append(QuestionTimes(*(seconds * 1000 for seconds in steps)))
        finally:
            indexes.close()
    columns = sum(len(table.columns) for table in schema.tables)
    return SchemaTimes(columns, len(schema.tables), indexing, embedding, cpu, asked[_WARM:])


def report(measured: Sequence[SchemaTimes]) -> None:
    """Print the figures of the hashing embedder."""
    print("  columns  tables  median ms   p95 ms   in the index  linking  rendering")
    for it in measured:
        found, linked, rendered, _ = (statistics.median(step) for step in zip(*it.questions, strict=True))
        print(
            f"{it.columns:9,d}{it.tables:8,d}{statistics.median(it.totals):11.1f}{p95(it.totals):9.1f}   "
            f"{found:12.1f}{linked:9.1f}{rendered:11.1f}"
        )
    first, last = measured[0], measured[-1]
    ratio = statistics.median(last.totals) / statistics.median(first.totals)
    print(f"median at {last.columns:,} over that at {first.columns:,} columns: {ratio:.1f} (target: ≤ {TARGET:g})")
    for it in measured:
        print(f"indexing {_indexing(it)}, hashed vectors")


def _indexing(it: SchemaTimes) -> str:
    share = it.embedding / it.indexing
    return f"{it.columns:,} columns: {it.columns / it.indexing:,.0f} columns/s, {share:.0%} of the time embedding"


def report_model(embedder: Embedder, size: int, questions: Sequence[str], measured: Sequence[SchemaTimes]) -> None:
    """Print what the real embedder takes."""
    embedder.embed(["It is loaded by its first text."])
    taken = []
    for question in questions:
        began = time.perf_counter()
        embedder.embed([question, *phrases(question)])
        taken.append((time.perf_counter() - began) * 1000)
    embedding = statistics.median(taken)
    print(f"{embedder.name}: median {embedding:.1f} ms, p95 {p95(taken):.1f} ms for a question and its phrases")
    first, last = (statistics.median(it.totals) + embedding for it in (measured[0], measured[-1]))
    print(f"with it, a question takes {first:.1f} to {last:.1f} ms: {last / first:.1f} times as long in the largest")
    small = asyncio.run(measure(synthetic.catalogue(size), embedder, questions[: _WARM + 1]))
    print(f"indexing {_indexing(small)}, {embedder.name}")


def main(arguments: list[str] | None = None) -> int:
    """Make the schemas, index them, ask, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval_scale", description=__doc__)
    parser.add_argument("--columns", type=int, nargs="+", default=SIZES, help="numbers of columns, ascending")
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--no-model", action="store_true", help="skip the real embedder")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="folder of the index; an existing index is reused")
    options = parser.parse_args(arguments)
    questions = synthetic.questions(options.questions + _WARM)
    measured = []
    for size in options.columns:
        embedder = HashingEmbedder(dimension=DIMENSION)
        measured.append(asyncio.run(measure(synthetic.catalogue(size), embedder, questions, options.keep)))
    report(measured)
    if not options.no_model:
        report_model(LocalEmbedder(), options.columns[0], questions, measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
