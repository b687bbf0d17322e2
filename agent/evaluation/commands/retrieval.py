"""`python -m agent eval-retrieval`: measures how much of what gold queries need is retrieved, and prints it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import Progress, TaskID
from rich.text import Text

from agent.evaluation.harness import EvaluationInvalid, write_lines
from agent.evaluation.retrieval.cases import Folder, read_cases, read_catalogue, read_folders
from agent.evaluation.retrieval.measure import Measure, RetrievalCase, RetrievalLine
from agent.evaluation.retrieval.merged import MergedCatalogue, merge
from agent.evaluation.retrieval.report import recall_table, recalls, target_table, value_table
from agent.present.terminal import counting_progress, plain

if TYPE_CHECKING:
    from agent.evaluation.retrieval.index import Indexes
    from agent.platform.config.settings import Settings
    from executors.base import Executor

MERGED = "merged"


async def run_retrieval_evaluation(
    settings: Settings,
    out: Console,
    err: Console,
    paths: Sequence[Path],
    results: Path | None,
    file: str,
    limit: int | None,
    show_evidence: bool,
) -> None:
    """Measure retrieval on each database of every folder, and on one catalogue merged from all of them.

    `results` gets one JSON line per question and catalogue. Raises EvaluationInvalid, ExecutorError, RetrievalError.
    """
    from agent.databases.knowledge.build import build_embedder
    from agent.evaluation.retrieval.index import Indexes
    from executors.registry.registry import Registry
    from executors.router import Router

    folders = read_folders(paths, file)
    router = Router(
        Registry(),
        sample_values=settings.max_sample_values,
        duckdb_memory=settings.duckdb_memory,
        duckdb_threads=settings.duckdb_threads,
    )
    indexes = Indexes(settings.state_path / "evaluation", build_embedder(settings))
    try:
        executors = {it: router.open_path(it) for folder in folders for it in folder.databases}
        catalogues, cases = await _read(folders, executors, limit, show_evidence, err)
        lines = [line async for line in _measure(catalogues, cases, indexes, err)]
    finally:
        indexes.close()
        router.close()
    if results is not None:
        write_lines(results, lines, mode="w")
    figures = recalls(lines)
    for catalogue in dict.fromkeys(line.catalogue for line in lines):
        out.print(recall_table(catalogue, figures), "")
    out.print(value_table(lines), "")
    out.print(target_table(MERGED, lines))


async def _read(
    folders: Sequence[Folder], executors: dict[Path, Executor], limit: int | None, show_evidence: bool, err: Console
) -> tuple[dict[Path, MergedCatalogue], dict[Path, list[RetrievalCase]]]:
    """The catalogue and the cases of each database, by its path; prints what cannot be used."""
    catalogues: dict[Path, MergedCatalogue] = {}
    found: dict[Path, list[RetrievalCase]] = {}
    for folder in folders:
        for path in folder.databases:
            catalogues[path], problems = await read_catalogue(executors[path], folder.docs[path])
            _tell(err, [f"{path.stem}: {problem}" for problem in problems])
        cases, left_out = read_cases(folder, executors, limit, show_evidence=show_evidence)
        _tell(err, left_out)
        for path, case in cases:
            found.setdefault(path, []).append(case)
    if not found:
        raise EvaluationInvalid("There is no question with a gold query that can be read.")
    return catalogues, found


async def _measure(
    catalogues: dict[Path, MergedCatalogue], cases: dict[Path, list[RetrievalCase]], indexes: Indexes, err: Console
) -> AsyncIterator[RetrievalLine]:
    """Yield a line for each question on its own database, then on the merged catalogue."""
    merged = merge({str(path): catalogue for path, catalogue in catalogues.items()}, MERGED)
    moved = [case.rename_tables(merged.tables[str(path)]) for path, some in cases.items() for case in some]
    rounds = [(some[0].folder, catalogues[path], some) for path, some in cases.items()]
    with counting_progress(err) as bar:
        task = bar.add_task("measuring", total=2 * len(moved))
        for name, catalogue, some in [*rounds, (MERGED, merged.catalogue, moved)]:
            database = catalogue.db_schema.database
            indexing = bar.add_task(f"indexing {plain(database)}")
            linker = await indexes.sync(catalogue, partial(_show, bar, indexing))
            bar.remove_task(indexing)
            async for line in Measure(name, catalogue, partial(indexes.find, database), linker).lines(some):
                bar.advance(task)
                yield line


def _show(bar: Progress, task: TaskID, done: int, total: int) -> None:
    bar.update(task, completed=done, total=total)


def _tell(err: Console, problems: Sequence[str]) -> None:
    for problem in problems:
        err.print(Text(f"! {plain(problem)}", style="yellow"), soft_wrap=True)
