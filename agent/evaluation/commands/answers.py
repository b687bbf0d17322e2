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
from agent.pipeline.answers.synthesize import Writer
from agent.pipeline.asking import Asking
from agent.pipeline.drafts.generate import Generator
from agent.pipeline.judging.judge import Judge
from agent.pipeline.service import Service
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

    Without `docs`, those that lie with the questions are read. `effort` is that of every question; `all`: each in turn,
    with three files of results, and one table of what they cost and bring. `baseline` asks the same model in one plain
    call. With `plan`, an answer in parts has no query to score: it counts as none. Raises EvaluationInvalid: a file
    cannot be used; ModelUnavailable: answers so far are kept in `results`.
    """
    service.people.recorder.enabled = False  # nobody is to look at these answers one by one
    questions = load_questions(file, service.router.names())[:limit]
    names = add_databases(service, questions, questions_file(file), docs)
    wanted = options_without(without).model_copy(update={"plan": plan})
    asking = asking_without(service, without)

    async def report(effort: Effort | None, results: Path | None) -> Report:
        options = wanted.model_copy(update={"effort": effort})

        async def ask(database: Path, question: str, evidence: str) -> Answer:
            text = f"{question}\n({evidence})" if show_evidence and evidence else question
            if baseline:
                opened = await service.registered.get(names[database], LOCAL)
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
    """The result lines; meanwhile a bar that counts the right ones, and what was missed, where that is to be told.

    `names`: of the databases, by their paths. `out`: see `evaluate`.
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
    """Make the databases of a file of questions known, each with its docs; the name of each, by its path."""
    paths = list(dict.fromkeys(question.path for question in questions if not question.in_registry))
    files = doc_files(docs) if docs else docs_beside(file, paths)
    added = {path: service.router.add(path, docs=docs_for(path, paths, files)) for path in paths}
    return added | {question.path: question.database for question in questions if question.in_registry}


def effort_table(reports: Mapping[Effort, Report]) -> Table:
    """What each effort costs and brings: a row for each; what is spent is of one question."""
    table = Table(title="what each effort costs and brings", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in EFFORT_COLUMNS:
        table.add_column(name, justify="left" if name == EFFORT_COLUMNS[0] else "right", no_wrap=True)
    for effort, report in reports.items():
        table.add_row(*effort_row(effort, report))
    return table


def miss_text(line: ResultLine) -> Text:
    """A question that was not answered rightly, and what came instead."""
    instead = plain(line.predicted or line.error or "no query")
    return Text.assemble(("✗", "yellow"), f" {plain(line.question)}\n", (f"  {instead}", "dim"))


def comparison_text(found: Comparison) -> Iterator[RenderableType]:
    """The questions that were gained and lost, then the figures of a comparison."""
    for mark, style, lines in (("+", "green", found.gained), ("-", "red", found.lost)):
        for line in lines:
            yield Text.assemble((mark, style), f" {plain(line.question)}  ", (line.database, "dim"))
    yield pairs_table("comparison", comparison_rows(found))


# Parts that a request can switch off, and those that are a choice of the model's profile.
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
    """The options that switch parts off; `asking_without` does the others. No plans: one query is scored."""
    off = {"reuse_verified": False, "plan": False}
    return Options.model_validate(off | {f"enable_{it}": False for it in OPTIONS if it in parts})


def asking_without(service: Service, parts: Collection[str]) -> Asking:
    """A service without these parts, as in `PROFILE`, or rules' ids. Those in `OPTIONS` are left to the question."""
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
    return Asking(fewer, service.router, service.registered, service.sessions, service.people.recorder)
