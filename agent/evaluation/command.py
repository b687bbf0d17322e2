"""`python -m agent eval`: the terminal around the evaluation."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from agent.evaluation.harness import GoldQuestion, evaluate, load_questions
from agent.evaluation.report import Report, ResultLine, summary_rows
from agent.models import Answer
from agent.service import Service
from agent.terminal import plain

DOC_SUFFIXES = (".md", ".yaml", ".yml", ".csv")


async def run_evaluation(
    service: Service,
    out: Console,
    err: Console,
    file: Path,
    docs: list[Path],
    results: Path | None,
    limit: int | None,
    show_evidence: bool,
) -> None:
    """Ask every question of a file, show how it goes, and print the figures.

    Raises:
        EvaluationInvalid: the file, or the file of results, cannot be used.
        ModelUnavailable: nobody answers; what was answered so far is kept in `results`.
    """
    questions = load_questions(file)[:limit]
    names = _add_databases(service, questions, docs)

    async def ask(database: Path, question: str, evidence: str) -> Answer:
        text = f"{question}\n({evidence})" if show_evidence and evidence else question
        return await service.query(text, names[database])

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as bar:
        task = bar.add_task("asking", total=len(questions))
        right = 0

        def on_result(line: ResultLine) -> None:
            nonlocal right
            right += line.correct
            bar.update(task, advance=1, description=f"{right} right")
            if not line.correct:
                bar.console.print(miss_text(line), soft_wrap=True)

        report = await evaluate(
            questions, ask, open_database=service.router.open_path, out=results, on_result=on_result
        )
    out.print(report_table(report))


def _add_databases(service: Service, questions: list[GoldQuestion], docs: list[Path]) -> dict[Path, str]:
    paths = list(dict.fromkeys(question.path for question in questions))
    files = _doc_files(docs)
    return {path: service.router.add(path, docs=_docs_for(path, paths, files)) for path in paths}


def _doc_files(docs: list[Path]) -> list[Path]:
    found: list[Path] = []
    for path in docs:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found += [file for file in inside if file.suffix.lower() in DOC_SUFFIXES]
    return found


def _docs_for(database: Path, databases: list[Path], files: list[Path]) -> tuple[Path, ...]:
    """The docs of one database: all, but for those whose name (or folder's name) begins with another one's."""
    others = {path.stem for path in databases} - {database.stem}

    def is_of(file: Path, stem: str) -> bool:
        return any(part == stem or part.startswith((f"{stem}.", f"{stem}_")) for part in (file.name, file.parent.name))

    return tuple(
        file for file in files if is_of(file, database.stem) or not any(is_of(file, other) for other in others)
    )


def report_table(report: Report) -> Table:
    """The figures of an evaluation."""
    table = Table(title="evaluation", title_justify="left", show_header=False)
    for name, value in summary_rows(report):
        table.add_row(Text(name), Text(plain(value)))
    return table


def miss_text(line: ResultLine) -> Text:
    """A question that was not answered rightly, and what came instead."""
    instead = plain(line.predicted or line.error or "no query")
    return Text.assemble(("✗", "yellow"), f" {plain(line.question)}\n", (f"  {instead}", "dim"))
