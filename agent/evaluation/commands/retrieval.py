"""`python -m agent eval-retrieval`: what retrieval finds of what gold queries need, and its output."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from agent.evaluation.harness import EvaluationInvalid
from agent.evaluation.retrieval.cases import Folder, read_cases, read_catalogue, read_folders
from agent.evaluation.retrieval.measure import Measure, RetrievalCase, RetrievalLine
from agent.evaluation.retrieval.merged import MergedCatalogue, merge
from agent.evaluation.retrieval.report import recall_table, recalls, target_table, value_table
from agent.present.terminal import plain

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
    """Measure retrieval on the databases of every folder, one by one, and on one catalogue made of them all.

    `results` gets one JSON line for each question and catalogue. Raises EvaluationInvalid, ExecutorError,
    RetrievalError.
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
        evaluation = _Evaluation(folders, {it: router.open_path(it) for folder in folders for it in folder.databases})
        await evaluation.read(limit, show_evidence, err)
        lines = [line async for line in evaluation.measure(indexes, err)]
    finally:
        indexes.close()
        router.close()
    if results is not None:
        _write(results, lines)
    figures = recalls(lines)
    for catalogue in dict.fromkeys(line.catalogue for line in lines):
        out.print(recall_table(catalogue, figures), "")
    out.print(value_table(lines), "")
    out.print(target_table(MERGED, lines))


class _Evaluation:
    """All that is measured in one run."""

    def __init__(self, folders: Sequence[Folder], executors: dict[Path, Executor]) -> None:
        self._folders, self._executors = folders, executors
        self._catalogues: dict[Path, MergedCatalogue] = {}
        self._cases: dict[Path, list[RetrievalCase]] = {}

    async def read(self, limit: int | None, show_evidence: bool, err: Console) -> None:
        """Read schemas, docs, values and gold queries; report what cannot be used."""
        for folder in self._folders:
            for path in folder.databases:
                self._catalogues[path], problems = await read_catalogue(self._executors[path], folder.docs[path])
                _tell(err, [f"{path.stem}: {problem}" for problem in problems])
            cases, left_out = read_cases(folder, self._executors, limit, show_evidence=show_evidence)
            _tell(err, left_out)
            for path, case in cases:
                self._cases.setdefault(path, []).append(case)
        if not self._cases:
            raise EvaluationInvalid("There is no question with a gold query that can be read.")

    async def measure(self, indexes: Indexes, err: Console) -> AsyncIterator[RetrievalLine]:
        """A line for each question on its own database, then on all of them."""
        merged = merge({str(path): catalogue for path, catalogue in self._catalogues.items()}, MERGED)
        moved = [case.rename_tables(merged.tables[str(path)]) for path, cases in self._cases.items() for case in cases]
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=err) as bar:
            task = bar.add_task("measuring", total=2 * len(moved))
            for path, cases in self._cases.items():
                async for line in self._on(cases[0].folder, self._catalogues[path], cases, indexes, bar):
                    bar.advance(task)
                    yield line
            async for line in self._on(MERGED, merged.catalogue, moved, indexes, bar):
                bar.advance(task)
                yield line

    async def _on(
        self, name: str, catalogue: MergedCatalogue, cases: Sequence[RetrievalCase], indexes: Indexes, bar: Progress
    ) -> AsyncIterator[RetrievalLine]:
        task = bar.add_task(f"indexing {plain(catalogue.db_schema.database)}")
        index = await indexes.of(catalogue, lambda done, total: bar.update(task, completed=done, total=total))
        bar.remove_task(task)
        async for line in Measure(name, catalogue, index.find, index.linker).lines(cases):
            yield line


def _tell(err: Console, problems: Sequence[str]) -> None:
    for problem in problems:
        err.print(Text(f"! {plain(problem)}", style="yellow"), soft_wrap=True)


def _write(results: Path, lines: Sequence[RetrievalLine]) -> None:
    try:
        with results.open("w", encoding="utf-8") as file:
            file.writelines(line.model_dump_json() + "\n" for line in lines)
    except OSError as error:
        raise EvaluationInvalid(f"The results cannot be written to {results}: {error.strerror}.") from error
