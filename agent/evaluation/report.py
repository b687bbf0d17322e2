"""The results of an evaluation: one line per question, and the figures over all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import mean, median
from typing import Literal

from agent.core.answers import AttemptRecord
from agent.core.models import Check, Doubt
from agent.core.usage import StepUsage
from executors.base import Frozen

Z_95 = 1.959963984540054


class Tokens(Frozen):
    """The tokens of one question. cached: the part of `prompt` that the model did not read again."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0


class Judgement(Frozen):
    """The verdict on the query of an attempt. believed: whether it was accepted. right: whether the rows are right."""

    source: Literal["judge", "drafts", "checks"]
    believed: bool
    right: bool


class ResultLine(Frozen):
    """The result of one question: a line of the file that `eval --json` writes.

    correct: whether the rows of `predicted` equal those of any gold query.
    error: why nothing could be compared: there is no query, the query failed, or no gold query runs.
    gold_errors: gold queries that do not run, each with the reason; a question without any that runs is not scored.
    scored: False if it is unknown whether the prediction is right.
    timings_ms: milliseconds per step. elapsed_ms: milliseconds from question to answer.
    checks, doubts: those of the answer, as in its response.
    by_step: calls and tokens of each step that asks a model. cost_usd: total cost; None if a price is unknown.
    """

    question: str
    database: str
    gold: tuple[str, ...]
    predicted: str | None = None
    correct: bool = False
    scored: bool = True
    error: str | None = None
    gold_errors: tuple[str, ...] = ()
    status: str | None = None
    verified: bool = False
    confidence: float | None = None
    attempts: int = 0
    attempt_history: tuple[AttemptRecord, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    checks: tuple[Check, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    model_calls: int = 0
    tokens: Tokens = Tokens()
    by_step: dict[str, StepUsage] = {}
    cost_usd: float | None = None
    timings_ms: dict[str, float] = {}
    elapsed_ms: float = 0.0
    answer: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.database, self.question


class Confusion(Frozen):
    """Verdicts compared with the truth, counted over attempts."""

    true_accepts: int = 0
    false_accepts: int = 0
    true_rejects: int = 0
    false_rejects: int = 0


class Report(Frozen):
    """Figures over all questions that could be scored. Shares are 0 to 1; None if the denominator is 0.

    interval: Wilson's 95 % interval of `share`.
    precision: share of the verified answers that are right. recall: share of the right answers that are verified.
    attempts, model_calls: means per question. tokens, by_step: sums. cost_usd: mean per question; None if unknown.
    plain_calls: median number of model calls of answers that succeeded in one attempt.
    median_ms: median milliseconds per step, over the questions in which the step ran; `total` is the whole question.
    gold_errors: questions with a gold query that did not run, each with the reason; not scored if none ran.
    """

    n: int
    correct: int
    share: float | None
    interval: tuple[float, float] | None
    verified: int
    precision: float | None
    recall: float | None
    failed: int
    judge: Confusion
    checks: Confusion
    attempts: float | None
    model_calls: float | None
    plain_calls: float | None
    tokens: Tokens
    by_step: dict[str, StepUsage]
    cost_usd: float | None
    median_ms: dict[str, float]
    gold_errors: tuple[str, ...]


def wilson(successes: int, n: int) -> tuple[float, float] | None:
    """The 95 % interval of a share (Wilson, JASA 1927); None for n = 0."""
    if n == 0:
        return None
    p = successes / n
    centre = (p + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    half = Z_95 / (1 + Z_95**2 / n) * math.sqrt(p * (1 - p) / n + Z_95**2 / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def report_of(lines: Sequence[ResultLine]) -> Report:
    scored = [line for line in lines if line.scored]
    correct = sum(line.correct for line in scored)
    verified = sum(line.verified for line in scored)
    both = sum(line.correct and line.verified for line in scored)
    plain = [line.model_calls for line in scored if line.status == "success" and line.attempts == 1]
    costs = [line.cost_usd for line in scored if line.cost_usd is not None]
    judgements = [judgement for line in scored for judgement in line.judgements]
    return Report(
        n=len(scored),
        correct=correct,
        share=_share(correct, len(scored)),
        interval=wilson(correct, len(scored)),
        verified=verified,
        precision=_share(both, verified),
        recall=_share(both, correct),
        failed=sum(line.error is not None for line in scored),
        judge=_confusion(judgements, "judge"),
        checks=_confusion(judgements, "checks"),
        attempts=mean(line.attempts for line in scored) if scored else None,
        model_calls=mean(line.model_calls for line in scored) if scored else None,
        tokens=Tokens(
            prompt=sum(line.tokens.prompt for line in scored),
            cached=sum(line.tokens.cached for line in scored),
            completion=sum(line.tokens.completion for line in scored),
        ),
        plain_calls=median(plain) if plain else None,
        by_step=_by_step(scored),
        cost_usd=mean(costs) if costs and len(costs) == len(scored) else None,
        median_ms=_medians(scored),
        gold_errors=tuple(f"{line.question}: {error}" for line in lines for error in line.gold_errors),
    )


def summary_rows(report: Report) -> list[tuple[str, str]]:
    """The report as (name, value) pairs, for a table in the terminal."""
    low, high = report.interval or (0.0, 0.0)
    interval = f" (95 %: {low:.1%} to {high:.1%})" if report.interval else ""
    tokens = report.tokens
    rows = [
        ("correct", f"{report.correct} of {report.n}, {_percent(report.share)}{interval}"),
        ("verified", str(report.verified)),
        ("verified that are correct (precision)", _percent(report.precision)),
        ("correct that are verified (recall)", _percent(report.recall)),
        ("judge", _shares(report.judge)),
        ("plain checks", _shares(report.checks)),
        ("without a result", str(report.failed)),
        ("attempts per question", _figure(report.attempts)),
        ("model calls per question", _figure(report.model_calls)),
        ("model calls in the plain case", _figure(report.plain_calls)),
        ("tokens", f"{tokens.prompt:,} prompt ({tokens.cached:,} cached), {tokens.completion:,} completion"),
        *((f"tokens per call of {step}", _per_call(usage)) for step, usage in report.by_step.items()),
        ("cost per question", "-" if report.cost_usd is None else f"${report.cost_usd:.6f}"),
    ]
    rows += [(f"median {step}", f"{ms / 1000:,.2f} s") for step, ms in report.median_ms.items()]
    rows += [("gold query that does not run", error) for error in report.gold_errors]
    return rows


EFFORT_COLUMNS = ("effort", "right", "verified", "calls", "tokens", "seconds", "dollars")


def effort_row(effort: str, report: Report) -> tuple[str, ...]:
    """The results of an effort, then its cost: calls, tokens and dollars as means, seconds as the median."""
    tokens = report.tokens.prompt + report.tokens.completion
    total_ms = report.median_ms.get("total")
    return (
        effort,
        f"{report.correct}/{report.n}, {_percent(report.share)}",
        f"{report.verified}, {_percent(report.precision)} right",
        _figure(report.model_calls),
        f"{tokens / report.n:,.0f}" if report.n else "-",
        "-" if total_ms is None else f"{total_ms / 1000:.2f}",
        "-" if report.cost_usd is None else f"{report.cost_usd:.6f}",
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _confusion(judgements: Sequence[Judgement], source: str) -> Confusion:
    counts = Counter((it.believed, it.right) for it in judgements if it.source == source)
    return Confusion(
        true_accepts=counts[True, True],
        false_accepts=counts[True, False],
        true_rejects=counts[False, False],
        false_rejects=counts[False, True],
    )


def _by_step(lines: Sequence[ResultLine]) -> dict[str, StepUsage]:
    steps: dict[str, StepUsage] = {}
    for line in lines:
        for step, usage in line.by_step.items():
            steps[step] = steps[step].plus(usage) if step in steps else usage
    return steps


def _per_call(usage: StepUsage) -> str:
    tokens = (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
    prompt, cached, completion = (round(it / max(usage.model_calls, 1)) for it in tokens)
    return f"{prompt:,} prompt ({cached:,} cached), {completion:,} completion; {usage.model_calls} calls"


def _medians(lines: Sequence[ResultLine]) -> dict[str, float]:
    steps: dict[str, list[float]] = {}
    for line in lines:
        for step, ms in (*line.timings_ms.items(), ("total", line.elapsed_ms)):
            steps.setdefault(step, []).append(ms)
    if "total" in steps:
        steps["total"] = steps.pop("total")  # last, whatever steps the later lines brought
    return {step: median(values) for step, values in steps.items()}


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _shares(found: Confusion) -> str:
    wrong, right = found.true_rejects + found.false_accepts, found.false_rejects + found.true_accepts
    return f"refused {found.true_rejects} of {wrong} wrong queries and {found.false_rejects} of {right} right ones"
