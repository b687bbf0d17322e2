"""The effect of retrieval on right answers: the same model answers every question with it and without it.

Queries only: no judge, no rows behind aggregates and no sentences, which would change neither figure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.models import Options
from agent.evaluation.comparison import Comparison, compare_files
from agent.evaluation.harness import evaluate
from agent.evaluation.report import ResultLine
from agent.evaluation.retrieval.cases import Folder, read_folders
from agent.pipeline.service import Service
from agent.present.terminal import plain

_QUERIES_ONLY = {
    "reuse_verified": False,
    "clarify": False,
    "enable_evaluation": False,
    "enable_answer": False,
    "raw_row_limit": 0,
    "plan": False,
}


async def run_accuracy(
    service: Service,
    out: Console,
    err: Console,
    paths: Sequence[Path],
    file: str,
    limit: int | None,
    show_evidence: bool,
    results: Path,
) -> None:
    """Ask the questions of every folder that has docs, with retrieval and without, and print what the difference is.

    What is in the folder `results` is not asked again. Raises EvaluationInvalid; ModelUnavailable: answers so far are
    kept.
    """
    service.people.recorder.enabled = False
    await asyncio.to_thread(results.mkdir, parents=True, exist_ok=True)
    found: list[tuple[str, Comparison]] = []
    for folder in read_folders(paths, file):
        if not any(folder.docs.values()):
            continue
        files = [results / f"{folder.name}.{way}.jsonl" for way in ("off", "on")]
        for enabled, path in zip((False, True), files, strict=True):
            await _ask(service, err, folder, path, limit, show_evidence, enabled=enabled)
        found.append((folder.name, compare_files(*files)))
    out.print(accuracy_table(found))


async def _ask(
    service: Service, err: Console, folder: Folder, path: Path, limit: int | None, show_evidence: bool, *, enabled: bool
) -> None:
    names = {it: service.router.add(it, docs=folder.docs[it]) for it in folder.databases}
    options = Options.model_validate({**_QUERIES_ONLY, "enable_retrieval": enabled})

    async def ask(database: Path, question: str, evidence: str) -> Answer:
        text = f"{question}\n({evidence})" if show_evidence and evidence else question
        return await service.query(text, names[database], options=options, principal=LOCAL)

    questions = folder.questions[:limit]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as bar:
        title = f"{plain(folder.name)}, {'with' if enabled else 'without'} retrieval"
        task, right = bar.add_task(title, total=len(questions)), 0

        def on_result(line: ResultLine) -> None:
            nonlocal right
            right += line.correct
            bar.update(task, advance=1, description=f"{title}: {right} right")

        await evaluate(
            questions,
            ask,
            open_database=lambda it: service.router.get(names[it]),
            out=path,
            on_result=on_result,
        )


def accuracy_table(found: Sequence[tuple[str, Comparison]]) -> Table:
    """A row for each folder: right answers without and with retrieval, and the difference with its 95 % interval."""
    table = Table(title="execution accuracy, queries only", title_justify="left")
    for name in ("folder", "questions", "without retrieval", "with retrieval", "difference in points (95 %)"):
        table.add_column(name, justify="left" if name == "folder" else "right")
    for name, it in found:
        low, high = it.interval
        difference = f"{100 * it.difference:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
        shares = (f"{it.before}, {it.before / it.n:.1%}", f"{it.after}, {it.after / it.n:.1%}")
        table.add_row(plain(name), str(it.n), *shares, difference)
    return table
