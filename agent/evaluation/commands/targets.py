"""`eval-targets`: accuracy, trust and cost on folders of questions, each figure next to its target.

There are three runs over the same questions: the baseline's plain call, the whole pipeline, and the pipeline without
evaluation. The last one gets the same first drafts, so only evaluation makes the difference.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from rich.console import Console
from rich.table import Table

from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.models import Options
from agent.evaluation.baseline import answer_plainly
from agent.evaluation.commands.answers import evaluate_shown
from agent.evaluation.comparison import Comparison, compare, compare_files
from agent.evaluation.harness import GoldQuestion
from agent.evaluation.report import Report, ResultLine, report_of, summary_rows
from agent.evaluation.retrieval.cases import Folder, read_folders
from agent.pipeline.service import Service
from agent.platform.llm.wrappers.cached import CachedModel
from agent.present.terminal import plain

T = TypeVar("T")

# Points over the baseline. Without docs, only the schema can contribute.
GAIN_WITH_DOCS, GAIN_WITHOUT = 12.0, 8.0
PRECISION, PLAIN_CALLS = 0.9, 3.0

# The options of a question, and those that leave out all that its query does not need.
_WHOLE: dict[str, object] = {"reuse_verified": False, "clarify": False, "plan": False}
_QUERY_ONLY = _WHOLE | {"enable_evaluation": False, "enable_answer": False, "raw_row_limit": 0}
WAYS = ("baseline", "without evaluation", "with evaluation")
# Tokens and times are reported for the run that asks first.
_IN_ORDER = ((WAYS[0], None), (WAYS[2], Options.model_validate(_WHOLE)), (WAYS[1], Options.model_validate(_QUERY_ONLY)))


class Figure(NamedTuple):
    """One line of the table: a figure, its target, and whether it is met; None if that is unknown."""

    name: str
    found: str
    target: str = ""
    met: bool | None = None


async def run_targets(
    service: Service, out: Console, err: Console, paths: Sequence[Path], file: str, limit: int, results: Path
) -> None:
    """Ask an evenly spaced sample of each folder's questions in every way, and print the figures.

    Questions with results in the folder `results` are not asked again. Raises EvaluationInvalid; ModelUnavailable: the
    answers so far are kept.
    """
    service.people.recorder.enabled = False
    await asyncio.to_thread(results.mkdir, parents=True, exist_ok=True)
    every: list[ResultLine] = []
    service.parts.generator.model = drafts = CachedModel(service.parts.generator.model)
    for folder in read_folders(paths, file):
        lines = {}
        questions = sample_evenly(folder.questions, limit)
        for way, options in _IN_ORDER:
            drafts.again()
            out_file = results / f"{folder.name}.{way.replace(' ', '_')}.jsonl"
            title = f"{plain(folder.name)}, {way}"
            lines[way] = await _ask_all(service, err, folder, questions, options, title=title, out=out_file)
        every += lines[WAYS[2]]
        out.print(figures_table(folder.name, accuracy_figures(lines, has_docs=any(folder.docs.values()))))
    out.print(figures_table("all folders, with evaluation", trust_figures(report_of(every))))


async def _ask_all(
    service: Service,
    err: Console,
    folder: Folder,
    questions: Sequence[GoldQuestion],
    options: Options | None,
    *,
    title: str,
    out: Path,
    show_evidence: bool = False,
) -> list[ResultLine]:
    """The result lines of some questions of a folder. Without options, each is asked in one plain call."""
    names = {it: service.router.add(it, docs=folder.docs[it]) for it in folder.databases}

    async def ask(database: Path, question: str, evidence: str) -> Answer:
        text = f"{question}\n({evidence})" if show_evidence and evidence else question
        if options is None:
            opened = await service.databases.get(names[database], LOCAL)
            return await answer_plainly(service.model, service.settings.row_limit, text, opened)
        return await service.query(text, names[database], options=options, principal=LOCAL)

    return await evaluate_shown(service, questions, ask, names, err, title=title, out=out)


def sample_evenly(items: Sequence[T], limit: int) -> list[T]:
    """At most `limit` items, evenly spaced from the first on, so that they spread over all databases of a file."""
    n = min(limit, len(items))
    return [items[at * len(items) // n] for at in range(n)]


def accuracy_figures(lines: dict[str, list[ResultLine]], *, has_docs: bool) -> list[Figure]:
    """The execution accuracy of each way of asking the same questions, and the differences with their targets."""
    figures = [Figure(f"right, {way}", dict(summary_rows(report_of(lines[way])))["correct"]) for way in WAYS]
    target = GAIN_WITH_DOCS if has_docs else GAIN_WITHOUT
    gained, judged = compare(lines[WAYS[0]], lines[WAYS[2]]), compare(lines[WAYS[1]], lines[WAYS[2]])
    for name, found, least in (("over the baseline", gained, target), ("evaluation on, over off", judged, 0.0)):
        points, (low, high) = 100 * found.difference, found.interval
        shown = f"{points:+.1f} points (95 %: {100 * low:+.1f} to {100 * high:+.1f})"
        figures.append(Figure(name, shown, f"at least {least:+.0f}", points >= least))
    return figures


def trust_figures(report: Report) -> list[Figure]:
    """The figures on the reliability of "verified" and on the cost of an answer."""
    shown = dict(summary_rows(report))
    precision, calls = report.precision, report.plain_calls
    judged = {name: shown[name] for name in ("judge", "plain checks")}
    costs = [
        (name, value)
        for name, value in shown.items()
        if name.startswith(("tokens", "attempts", "cost", "median total"))
    ]
    return [
        Figure(
            "verified that are right (precision)",
            f"{shown['verified that are correct (precision)']} of {report.verified}",
            f"at least {PRECISION:.0%}",
            None if precision is None else precision >= PRECISION,
        ),
        Figure("right that are verified (recall)", shown["correct that are verified (recall)"]),
        *(Figure(name, value) for name, value in judged.items()),
        Figure(
            "model calls in the plain case",
            shown["model calls in the plain case"],
            f"at most {PLAIN_CALLS:.0f}",
            None if calls is None else calls <= PLAIN_CALLS,
        ),
        *(Figure(name, value) for name, value in costs),
    ]


def figures_table(title: str, figures: Sequence[Figure]) -> Table:
    table = Table(title=plain(title), title_justify="left")
    for name in ("figure", "measured", "target", ""):
        table.add_column(name, no_wrap=name == "figure")
    marks = {None: "", True: "met", False: "missed"}
    for figure in figures:
        table.add_row(figure.name, plain(figure.found), figure.target, marks[figure.met])
    return table


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
    """Ask the questions of every folder that has docs, with retrieval and without, and print the difference.

    Only queries are made: no judge, no rows behind aggregates and no sentences, which would change neither figure.
    Questions with results in the folder `results` are not asked again. Raises EvaluationInvalid; ModelUnavailable: the
    answers so far are kept.
    """
    service.people.recorder.enabled = False
    await asyncio.to_thread(results.mkdir, parents=True, exist_ok=True)
    found: list[tuple[str, Comparison]] = []
    for folder in read_folders(paths, file):
        if not any(folder.docs.values()):
            continue
        files = [results / f"{folder.name}.{way}.jsonl" for way in ("off", "on")]
        for enabled, path in zip((False, True), files, strict=True):
            options = Options.model_validate({**_QUERY_ONLY, "enable_retrieval": enabled})
            title = f"{plain(folder.name)}, {'with' if enabled else 'without'} retrieval"
            questions = folder.questions[:limit]
            await _ask_all(service, err, folder, questions, options, title=title, out=path, show_evidence=show_evidence)
        found.append((folder.name, compare_files(*files)))
    out.print(accuracy_table(found))


def accuracy_table(found: Sequence[tuple[str, Comparison]]) -> Table:
    """A row for each folder: right answers without and with retrieval, and the difference with its 95 % interval."""
    table = Table(title="execution accuracy, queries only", title_justify="left")
    for name in ("folder", "questions", "without retrieval", "with retrieval", "difference in points (95 %)"):
        table.add_column(name, justify="left" if name == "folder" else "right")
    for name, it in found:
        shares = (f"{it.before}, {it.before / it.n:.1%}", f"{it.after}, {it.after / it.n:.1%}")
        table.add_row(plain(name), str(it.n), *shares, it.points)
    return table
