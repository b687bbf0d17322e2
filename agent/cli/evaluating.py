"""The commands that measure answers, such as `eval`, `eval-retrieval` and `calibrate`; and `recompute`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from agent.cli.console import EXPECTED, Docs, err, fail, open_service, out, read_settings

if TYPE_CHECKING:
    from agent.pipeline.service import Service

Folders = Annotated[
    list[Path], typer.Argument(exists=True, file_okay=False, help="Folders with questions, or parents of such folders.")
]
FileName = Annotated[str, typer.Option("--questions", help="Name of the files of questions.")]
OfEachFolder = Annotated[int, typer.Option(min=1, help="Questions of each folder, evenly spaced.")]

_LANGUAGES = ("en", "de", "fr", "es", "it")  # `recompute` reads number words in these


def _parts(names: list[str] | None) -> list[str]:
    """The parts to leave out. Raises typer.BadParameter: there is no part of that name."""
    from agent.evaluation.commands.answers import PARTS

    unknown = [name for name in names or () if name not in PARTS]
    if unknown:
        raise typer.BadParameter(f"There is no part {unknown[0]!r}; there are {', '.join(PARTS)}.")
    return names or []


def evaluate(
    questions: Annotated[
        Path,
        typer.Argument(
            exists=True,
            help="A JSON file: a list of database, question and gold queries; or a folder with a questions.json.",
        ),
    ],
    docs: Docs = None,
    results: Annotated[Path | None, typer.Option("--json", help="Keep one JSON line per question here.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only this many questions, from the first on.")] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Show each question's evidence to the model.")] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", help="Switch off a part, or a rule by its id, to measure its effect.", callback=_parts
        ),
    ] = None,
    effort: Annotated[
        Literal["quick", "balanced", "thorough", "all"] | None,
        typer.Option("--effort", help="quick, balanced or thorough; all: run each, and compare them in one table."),
    ] = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Ask the same model in one plain call: schema, question, nothing else.")
    ] = False,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Ask for a plan of several queries first; an answer in parts counts as wrong."),
    ] = False,
) -> None:
    """Ask questions with known answers; print execution accuracy and the precision of "verified"."""
    from agent.evaluation.commands.answers import run_evaluation

    with open_service() as (service, runner):
        _warn_of_missing_second(service)
        run = run_evaluation(
            service, out, err, questions, docs or [], results, limit, evidence, without or (),
            baseline=baseline, effort=effort, plan=plan,
        )  # fmt: skip
        runner.run(run)


def evaluate_retrieval(
    folders: Folders,
    results: Annotated[Path | None, typer.Option("--out", help="Write one JSON line per question here.")] = None,
    questions: FileName = "questions.json",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only this many questions of a folder, from its first on.")
    ] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Ask each question with its evidence.")] = False,
    accuracy: Annotated[
        Path | None,
        typer.Option(
            "--accuracy", file_okay=False, help="Have the model answer, too, with and without; keep results in here."
        ),
    ] = None,
) -> None:
    """Measure how much of what gold queries need is retrieved, for each database and for all in one schema."""
    from agent.evaluation.commands.retrieval import run_retrieval_evaluation

    try:
        asyncio.run(run_retrieval_evaluation(read_settings(), out, err, folders, results, questions, limit, evidence))
    except EXPECTED as error:
        fail(str(error))
    if accuracy is not None:
        from agent.evaluation.commands.targets import run_accuracy

        with open_service() as (service, runner):
            runner.run(run_accuracy(service, out, err, folders, questions, limit, evidence, accuracy))


def evaluate_targets(
    folders: Folders,
    results: Annotated[
        Path,
        typer.Option("--out", file_okay=False, help="Keep results in this folder; a later run reuses them."),
    ] = Path(".plumbline/accuracy"),
    questions: FileName = "questions.json",
    limit: OfEachFolder = 40,
) -> None:
    """Measure accuracy against one plain call, the precision of "verified" and the cost, next to their targets."""
    from agent.evaluation.commands.targets import run_targets

    with open_service() as (service, runner):
        _warn_of_missing_second(service)
        runner.run(run_targets(service, out, err, folders, questions, limit, results))


def evaluate_prompts(
    folders: Folders,
    results: Annotated[
        Path, typer.Option("--out", file_okay=False, help="Keep replies in this folder; no prompt is sent twice.")
    ] = Path(".plumbline/prompts"),
    limit: OfEachFolder = 40,
    each: Annotated[
        int | None,
        typer.Option(min=1, help="This many questions of each database, up to the limit; the same as `calibrate`."),
    ] = None,
    wordings: Annotated[
        list[Path] | None,
        typer.Option("--prompts", exists=True, file_okay=False, help="A folder of other templates, as a variant."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only variants whose name contains this; may be repeated.")
    ] = None,
) -> None:
    """Measure the effect of each sentence of the prompt: first drafts with and without it, with paired intervals."""
    from agent.evaluation.commands.prompts import run_prompts

    with open_service() as (service, runner):
        run = run_prompts(
            service,
            out,
            err,
            folders,
            limit=limit,
            results=results,
            each=each,
            wordings=wordings or (),
            only=only or (),
        )
        runner.run(run)


def _warn_of_missing_second(service: Service) -> None:
    """Warn if the second model's file is missing, because the figures differ without it."""
    from agent.platform.llm.files.model_files import explain_missing_second

    message = explain_missing_second(service.settings)
    if service.second_model is not None and message:
        err.print(Text(f"! {message}", style="yellow"), soft_wrap=True)


def calibrate(
    folders: Folders,
    file: Annotated[Path, typer.Option("--out", dir_okay=False, help="Write the calibration here.")] = Path(
        "calibration.json"
    ),
    each: Annotated[int, typer.Option(min=1, help="Questions of each database, evenly spaced.")] = 6,
    limit: Annotated[int | None, typer.Option(min=1, help="Questions of each folder at most.")] = None,
    precision: Annotated[
        float, typer.Option(min=0.5, max=1.0, help="Wanted share of verified answers that are right.")
    ] = 0.95,
    precision_without: Annotated[
        float | None, typer.Option(min=0.5, max=1.0, help="The same without log-probabilities. Default: the same.")
    ] = None,
    replies: Annotated[
        Path, typer.Option("--replies", file_okay=False, help="Keep replies in this folder; no prompt is sent twice.")
    ] = Path(".plumbline/calibration"),
    diagram: Annotated[
        Path | None, typer.Option("--diagram", dir_okay=False, help="Draw the reliability diagram here, as SVG.")
    ] = None,
    profile: Annotated[str | None, typer.Option("--profile", help="Name of the profile in the file.")] = None,
    note: Annotated[str, typer.Option("--note", help="A sentence for the reader of the file.")] = "",
) -> None:
    """Fit `confidence` to questions with known answers, cross-validated by database, and write the coefficients."""
    from agent.evaluation.commands.calibrate import run_calibration

    with open_service(calibrating=True) as (service, runner):
        _warn_of_missing_second(service)
        run = run_calibration(
            service,
            out,
            err,
            folders,
            each=each,
            limit=limit,
            results=replies,
            file=file,
            precision=precision,
            precision_without=precision_without,
            note=note,
            profile=profile,
            diagram=diagram,
        )
        runner.run(run)


def recompute(
    language: Annotated[
        str | None,
        typer.Option(
            help=f"Language of the lines: {', '.join(_LANGUAGES)}. Numbers and number words are read in this language."
        ),
    ] = None,
) -> None:
    """Recompute the arithmetic in each line of standard input."""
    if language is not None and language not in _LANGUAGES:
        raise typer.BadParameter(f"{language!r} is not known; use one of {', '.join(_LANGUAGES)}.")
    from agent.checks.grounding.arithmetic.recompute import recompute_line

    for line in sys.stdin:
        sys.stdout.write(recompute_line(line.rstrip("\n"), language) + "\n")
        sys.stdout.flush()


def compare(
    before: Annotated[Path, typer.Argument(dir_okay=False, help="Results of one run, as `eval --json` keeps them.")],
    after: Annotated[Path, typer.Argument(dir_okay=False, help="Results of another run over the same questions.")],
) -> None:
    """Compare two evaluations question by question, and say whether the difference may be chance."""
    from agent.evaluation.commands.answers import comparison_text
    from agent.evaluation.comparison import compare_files

    try:
        found = compare_files(before, after)
    except EXPECTED as error:
        fail(str(error))
    for part in comparison_text(found):
        out.print(part, soft_wrap=True)
