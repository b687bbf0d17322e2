"""`python -m agent eval`: the evaluation's command and its output."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from agent.checks.rules.registry import RULES
from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.models import Options
from agent.core.usage import Effort
from agent.evaluation.baseline import answer_plainly
from agent.evaluation.comparison import Comparison, comparison_rows
from agent.evaluation.harness import Ask, GoldQuestion, evaluate, load_questions, questions_file
from agent.evaluation.report import EFFORT_COLUMNS, Report, ResultLine, effort_row, report_of, summary_rows
from agent.evaluation.retrieval.cases import doc_files, docs_beside, docs_for
from agent.pipeline.asking import Asking
from agent.pipeline.service import Service
from agent.pipeline.steps.generate import Generator
from agent.pipeline.steps.judge import Judge
from agent.pipeline.steps.synthesize import Writer
from agent.present.terminal import counting_progress, pairs_table, plain


async def run_evaluation(
    service: Service,
    out: Console,
    err: Console,
    file: Path,
    docs: list[Path],
    results: Path | None,
    limit: int | None,
    show_evidence: bool,
    without: Collection[str] = (),
    *,
    baseline: bool = False,
    effort: Effort | Literal["all"] | None = None,
    plan: bool = False,
) -> None:
    """Ask every question of a file, or of a folder's `questions.json`, and print the figures.

    Without `docs`, those beside the questions are read. `effort` applies to every question; `all` runs each effort in
    turn, with three files of results and one table of cost and gain. `baseline` asks the same model in one plain call.
    With `plan`, an answer in parts has no query to score and counts as no answer. Raises EvaluationInvalid: a file
    cannot be used; ModelUnavailable: the answers so far are kept in `results`.
    """
    service.people.recorder.enabled = False  # these answers need no review
    questions = load_questions(file, service.router.names())[:limit]
    names = add_databases(service, questions, questions_file(file), docs)
    wanted = options_without(without).model_copy(update={"plan": plan})
    asking = asking_without(service, without)

    async def report(effort: Effort | None, results: Path | None) -> Report:
        options = wanted.model_copy(update={"effort": effort})

        async def ask(database: Path, question: str, evidence: str) -> Answer:
            text = f"{question}\n({evidence})" if show_evidence and evidence else question
            if baseline:
                opened = await service.databases.get(names[database], LOCAL)
                return await answer_plainly(service.model, service.settings.row_limit, text, opened)
            return await asking.query(text, names[database], options=options, principal=LOCAL)

        title = effort or "asking"
        lines = await evaluate_shown(service, questions, ask, names, err, title=title, out=results, tell_misses=True)
        return report_of(lines)

    if effort == "all":
        reports = {}
        for one in get_args(Effort):
            kept = results and results.with_name(f"{results.stem}.{one}{results.suffix}")
            reports[one] = await report(one, kept)
        out.print(effort_table(reports))
    else:
        out.print(pairs_table("evaluation", summary_rows(await report(effort, results))))


async def evaluate_shown(
    service: Service,
    questions: Sequence[GoldQuestion],
    ask: Ask,
    names: Mapping[Path, str],
    err: Console,
    *,
    title: str,
    out: Path | None,
    tell_misses: bool = False,
) -> list[ResultLine]:
    """Evaluate the questions and return the result lines. Shows a progress bar with the count of right answers.

    `tell_misses` also prints each question that was missed. `names`: the databases' names, by their paths. `out`: see
    `evaluate`.
    """
    lines: list[ResultLine] = []
    with counting_progress(err) as bar:
        task = bar.add_task(title, total=len(questions))

        def on_result(line: ResultLine) -> None:
            lines.append(line)
            bar.update(task, advance=1, description=f"{title}: {sum(it.correct for it in lines)} right")
            if tell_misses and not line.correct:
                bar.console.print(miss_text(line), soft_wrap=True)

        await evaluate(
            questions, ask, open_database=lambda it: service.router.get(names[it]), out=out, on_result=on_result
        )
    return lines


def add_databases(
    service: Service, questions: Sequence[GoldQuestion], file: Path, docs: Sequence[Path]
) -> dict[Path, str]:
    """Register the databases of a file of questions, with their docs. Returns the name of each, by its path."""
    paths = list(dict.fromkeys(question.path for question in questions if not question.in_registry))
    files = doc_files(docs) if docs else docs_beside(file, paths)
    added = {path: service.router.add(path, docs=docs_for(path, paths, files)) for path in paths}
    return added | {question.path: question.database for question in questions if question.in_registry}


def effort_table(reports: Mapping[Effort, Report]) -> Table:
    """A table with the results and the cost per question of each effort, one row each."""
    table = Table(title="what each effort costs and brings", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in EFFORT_COLUMNS:
        table.add_column(name, justify="left" if name == EFFORT_COLUMNS[0] else "right", no_wrap=True)
    for effort, report in reports.items():
        table.add_row(*effort_row(effort, report))
    return table


def miss_text(line: ResultLine) -> Text:
    """A question that was not answered rightly, and its query or error."""
    instead = plain(line.predicted or line.error or "no query")
    return Text.assemble(("✗", "yellow"), f" {plain(line.question)}\n", (f"  {instead}", "dim"))


def comparison_text(found: Comparison) -> Iterator[RenderableType]:
    """The gained and lost questions of a comparison, then its figures."""
    for mark, style, lines in (("+", "green", found.gained), ("-", "red", found.lost)):
        for line in lines:
            yield Text.assemble((mark, style), f" {plain(line.question)}  ", (line.database, "dim"))
    yield pairs_table("comparison", comparison_rows(found))


# Parts that a request can switch off, and parts that the model's profile switches.
OPTIONS = ("evaluation", "retrieval", "calculator")
PROFILE: Mapping[str, Mapping[str, object]] = {
    "values": {"values": False},
    "examples": {"examples": "off"},
    "plan": {"planner": "off"},
    "repairs": {"repairs": False},
    "second_draft": {"second_draft": "off"},
    "other_schema": {"other_schema": None},
}
SECOND_MODEL = "second_model"
PARTS = (*OPTIONS, *PROFILE, SECOND_MODEL, *RULES)


def options_without(parts: Collection[str]) -> Options:
    """The options that switch parts off; `asking_without` handles the others. No plans, because one query is scored."""
    off = {"reuse_verified": False, "plan": False}
    return Options.model_validate(off | {f"enable_{it}": False for it in OPTIONS if it in parts})


def asking_without(service: Service, parts: Collection[str]) -> Asking:
    """An `Asking` without these parts: keys of `PROFILE` or ids of rules. `options_without` handles the others."""
    changes = {name: value for it in parts for name, value in PROFILE.get(it, {}).items()}
    changes["rules_off"] = tuple(it for it in parts if it in RULES)
    whole, settings = service.parts, service.settings
    profile = whole.profile.model_copy(update=changes)
    fewer = replace(
        whole,
        profile=profile,
        generator=Generator(
            service.model,
            profile,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            second=None if SECOND_MODEL in parts else whole.generator.second,
        ),
        judge=Judge(service.judge_model, whole.judge.profile.model_copy(update=changes)),
        writer=Writer(service.model, profile),
    )
    return Asking(fewer, service.router, service.databases, service.sessions, service.people.recorder)
