"""`calibrate`: asks questions with known answers, and fits the confidence to the results.

The pipeline answers as it does for users, but without the sentence. Each answer's evidence is recorded, and whether the
rows are right. Replies are kept on disk, so a later fit sends no prompt twice.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.models import Options
from agent.evaluation.calibrating import (
    LEAST_VERIFIED,
    LOGPROBS,
    Fitted,
    HeldOut,
    Sample,
    auroc_of,
    calibrate,
    interval_of,
    refuse_too_few,
    reliability_diagram,
    require_matplotlib,
    require_sklearn,
    select_verified,
    surest_of,
)
from agent.evaluation.commands.targets import sample_evenly
from agent.evaluation.harness import EvaluationInvalid, GoldQuestion, evaluate
from agent.evaluation.report import ResultLine
from agent.evaluation.retrieval.cases import Folder, read_folders
from agent.pipeline.asking import Asking
from agent.pipeline.confidence.calibration import FEATURES, Calibration, Sureness, features_of, is_confirmed
from agent.pipeline.service import Service
from agent.pipeline.steps.consensus import Evidence
from agent.platform.llm.wrappers.cached import CachedModel
from agent.present.terminal import counting_progress, pairs_table

REPLIES = "replies.sqlite"
OPTIONS = Options.model_validate(
    {"reuse_verified": False, "clarify": False, "enable_answer": False, "raw_row_limit": 0, "plan": False}
)
SEED = 1
RECALLS = (0.5, 0.6, 0.65, 0.7, 0.8)  # the precision is printed at each


class Observed:
    """Stands in for a calibration and records the features of each answer, and whether its rows are confirmed."""

    def __init__(self) -> None:
        self._last: tuple[dict[str, float], bool] | None = None

    def of(self, evidence: Evidence) -> Sureness:
        """Record the features; the answer is never sure, because nothing is fitted yet."""
        self._last = features_of(evidence), is_confirmed(evidence)
        return Sureness(confidence=0.0, sure=False)

    def take(self) -> tuple[dict[str, float], bool] | None:
        """What was recorded of the last answer, once."""
        last, self._last = self._last, None
        return last


async def run_calibration(
    service: Service,
    out: Console,
    err: Console,
    paths: Sequence[Path],
    *,
    each: int,
    limit: int | None,
    results: Path,
    file: Path,
    precision: float,
    precision_without: float | None,
    note: str = "",
    profile: str | None = None,
    diagram: Path | None = None,
) -> Calibration:
    """Ask a sample of each database's questions, fit, print the figures, and write the file.

    `each`: questions per database, evenly spaced. `limit`: questions per folder, whose databases are in a fixed random
    order. Replies are kept in the folder `results`. Raises EvaluationInvalid, CalibrationImpossible: there are too few
    questions or answers, or a package is missing; ModelUnavailable: the replies so far are kept.
    """
    require_sklearn()
    if diagram is not None:
        require_matplotlib()
    samples: list[Sample] = []
    observed = Observed()
    with _cache_replies(service, results / REPLIES):
        asking = Asking(
            replace(service.parts, calibration=observed),
            service.router,
            service.databases,
            service.sessions,
            service.people.recorder,
        )
        service.people.recorder.enabled = False
        chosen = sample_of(read_folders(paths), each, limit)
        with counting_progress(err) as bar:
            task = bar.add_task("asking", total=sum(len(questions) for _, questions in chosen))
            for folder, questions in chosen:
                samples += await _ask_all(service, asking, observed, folder, questions, lambda: bar.advance(task))
    refuse_too_few(samples)
    calibration, fitted = calibrate(
        samples,
        profile or service.parts.profile.name,
        precision=precision,
        precision_without=precision_without,
        note=note,
    )
    for one in fitted:
        out.print(figures_table(one, calibration))
        if one.fit.threshold is None:
            out.print(explain_unreached(one), soft_wrap=True)
    await asyncio.to_thread(_write, file, calibration.model_dump_json(indent=2) + "\n")
    if diagram is not None:
        await asyncio.to_thread(_write, diagram, reliability_diagram(fitted[0].held, fitted[0].fit.threshold))
    out.print(f"Written to {file}. Set PLUMBLINE_CALIBRATION to it.", soft_wrap=True, highlight=False)
    return calibration


@contextmanager
def _cache_replies(service: Service, path: Path) -> Iterator[None]:
    """Cache the replies of the drafts' and the judge's models within the block."""
    generator, judge = service.parts.generator, service.parts.judge
    model, judge_model, second = generator.model, judge.model, generator.second
    generator.model = cached = CachedModel(model, path)
    generator.second = cached_second = CachedModel(second, path) if second is not None else None
    if judge_model is model:
        judge.model = cached
    try:
        yield
    finally:
        generator.model, judge.model, generator.second = model, judge_model, second
        cached.close_file()
        if cached_second is not None:
            cached_second.close_file()


def _write(path: Path, text: str) -> None:
    """Write a text file. Raises EvaluationInvalid: it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EvaluationInvalid(f"{path} cannot be written: {error.strerror}.") from error


def sample_of(
    folders: Sequence[Folder], each: int, limit: int | None = None
) -> list[tuple[Folder, list[GoldQuestion]]]:
    """Questions of every folder, one database after the other, so that the model reads each schema once.

    `each`: questions per database, evenly spaced; `limit`: questions per folder.
    """
    found: list[tuple[Folder, list[GoldQuestion]]] = []
    for folder in folders:
        databases = sorted(set(folder.databases))
        random.Random(SEED).shuffle(databases)  # noqa: S311  a sample, no secret
        left = len(folder.questions) if limit is None else limit
        for path in databases:
            questions = sample_evenly([it for it in folder.questions if it.path == path], each)[: max(0, left)]
            left -= len(questions)
            if questions:
                found.append((folder, questions))
    return found


async def _ask_all(
    service: Service,
    asking: Asking,
    observed: Observed,
    folder: Folder,
    questions: Sequence[GoldQuestion],
    advance: Callable[[], None],
) -> list[Sample]:
    """The answered questions that can be scored, each with its evidence."""
    names = {it: service.router.add(it, docs=folder.docs[it]) for it in {one.path for one in questions}}
    samples: list[Sample] = []

    async def ask(database: Path, question: str, evidence: str) -> Answer:  # noqa: ARG001  asked without it
        observed.take()
        return await asking.query(question, names[database], options=OPTIONS, principal=LOCAL)

    def on_result(line: ResultLine) -> None:
        seen = observed.take()
        if seen is not None and line.scored and line.status == "success":
            features, confirmed = seen
            samples.append(Sample(f"{folder.name}/{line.database}", features, line.correct, confirmed))
        advance()

    await evaluate(questions, ask, open_database=lambda it: service.router.get(names[it]), on_result=on_result)
    return samples


def figures_table(fitted: Fitted, calibration: Calibration) -> Table:
    """The quality of a fit on unseen databases, and its coefficients."""
    fit = fitted.fit
    given = "with" if LOGPROBS & fit.coefficients.keys() else "without"
    title = f"confidence {given} log-probabilities, each database left out in turn"
    return pairs_table(title, figure_rows(fitted, calibration))


def figure_rows(fitted: Fitted, calibration: Calibration) -> list[tuple[str, str]]:
    """The figures of a fit as (name, value) pairs."""
    fit, figures = fitted.fit, fitted.fit.figures
    sure = select_verified(fitted.held, fit.threshold)
    good = sum(it.right for it in sure)
    return [
        ("questions", f"{calibration.questions} over {calibration.databases} databases, {calibration.right:.1%} right"),
        ("AUROC", _with_interval(fitted.held, auroc_of, ".3f")),
        ("expected calibration error", f"{figures.ece:.3f}"),
        ("threshold", "none" if fit.threshold is None else f"{fit.threshold:.3f}, for a precision of {fit.wanted:.0%}"),
        ("precision at the threshold", f"{good} of {len(sure)}, {good / len(sure):.1%}" if sure else "-"),
        ("recall at the threshold", f"{figures.recall:.1%}"),
        *(
            (f"precision at a recall of {it:.0%}", _with_interval(fitted.held, _precision_at(it), ".1%"))
            for it in RECALLS
        ),
        *((f"coefficient of {name}", f"{it:+.3f}  ({FEATURES[name]})") for name, it in fit.coefficients.items()),
    ]


def _precision_at(recall: float) -> Callable[[Sequence[HeldOut]], float | None]:
    """A function for the precision of the surest answers at a recall; None if too few answers are confirmed."""

    def figure(held: Sequence[HeldOut]) -> float | None:
        surest = surest_of(held, recall)
        return surest[0] / surest[1] if surest else None

    return figure


def _with_interval(held: Sequence[HeldOut], figure: Callable[[Sequence[HeldOut]], float | None], form: str) -> str:
    """A figure with its 95 % interval; a dash if it is undefined."""
    value, interval = figure(held), interval_of(held, figure)
    if value is None:
        return "-"
    between = "" if interval is None else f" (95 %: {interval[0]:{form}} to {interval[1]:{form}})"
    return f"{value:{form}}{between}"


def explain_unreached(fitted: Fitted) -> str:
    """A text that explains why no answer would be verified, and what to do."""
    ranked = sorted(select_verified(fitted.held, 0.0), key=lambda it: -it.probability)[:LEAST_VERIFIED]
    share = sum(it.right for it in ranked) / max(1, len(ranked))
    return (
        f"No confidence reaches a precision of {fitted.fit.wanted:.0%}: of the {len(ranked)} surest answers "
        f"{share:.0%} are right. With this file no answer is verified. Ask for less with --precision, or more "
        "questions."
    )
