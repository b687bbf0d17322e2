"""Fits the confidence: a logistic regression of right or wrong on the evidence, checked on unseen databases.

Questions about one database are similar, so each database is left out in turn: its questions get their probabilities
from a fit to all others. Figures and threshold come from these probabilities, so they do not depend on how questions
are assigned to folds. Intervals are bootstrapped over databases, each with all of its questions.
"""

from __future__ import annotations

import io
import math
import random
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import zip_longest
from statistics import pstdev
from typing import TYPE_CHECKING, Any, NamedTuple

from agent.core.errors import PlumblineError
from agent.evaluation.report import wilson
from agent.pipeline.confidence.calibration import (
    FEATURES,
    SPEAK_AGAINST,
    SPEAK_FOR,
    VERSION,
    Calibration,
    Figures,
    Fit,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAST_QUESTIONS, LEAST_OF_EACH, LEAST_DATABASES = 60, 12, 5
LEAST_DIFFERENT = 5  # samples in which a feature must differ from the rest
SEED = 1
LEAST_VERIFIED = 20  # the precision of fewer answers means little
DRAWS = 1000  # of databases, per interval
STRENGTHS = (0.03, 0.1, 0.3, 1.0)  # inverse of the regularisation; the one with the least loss is used
LOGPROBS = frozenset({"logprob_total"})
# Fixed coefficients of features that speak against an answer, used if too few samples have the feature to fit one. A
# value of -1.1 reduces the odds to a third.
AT_LEAST_AGAINST = {"objections": -1.1}


class CalibrationImpossible(PlumblineError):
    """The questions do not allow a fit. The message lists what is missing."""


class Sample(NamedTuple):
    """One answered question.

    features: see `agent.pipeline.confidence.calibration`. right: whether the rows of the answer are right. confirmed:
        whether another draft, as written, or the judge confirms them.
    """

    database: str
    features: dict[str, float]
    right: bool
    confirmed: bool = True


class HeldOut(NamedTuple):
    """A probability from a fit that did not see the question's database, and whether the answer is right.

    confirmed: whether another draft or the judge confirms the answer; otherwise it is never verified.
    """

    probability: float
    right: bool
    confirmed: bool = True
    database: str = ""


class Fitted(NamedTuple):
    """A fit, and for every question the probability from a fit that did not see its database."""

    fit: Fit
    held: tuple[HeldOut, ...]


def calibrate(
    samples: Sequence[Sample], profile: str, *, precision: float, precision_without: float | None = None, note: str = ""
) -> tuple[Calibration, list[Fitted]]:
    """Make a calibration of up to two fits: one with log-probabilities, if all samples have them, and one without.

    The second fit is omitted if the first one does not use log-probabilities. `precision`: precision of verified
    answers that the threshold must reach, 0 to 1. `precision_without`: the same for the fit without log-probabilities.
    Raises CalibrationImpossible, whose message has the counts of questions, databases, or right or wrong answers.
    """
    refuse_too_few(samples)
    full = [it for it in samples if it.features.keys() >= LOGPROBS]
    fitted = []
    if len(full) == len(samples):
        fitted.append(_fit_samples(full, sorted(FEATURES.keys()), precision))
    if not fitted or LOGPROBS & fitted[0].fit.coefficients.keys():  # else the first one needs none
        fewer = sorted(FEATURES.keys() - LOGPROBS)
        fitted.append(_fit_samples(samples, fewer, precision if precision_without is None else precision_without))
    calibration = Calibration(
        version=VERSION,
        profile=profile,
        note=note,
        questions=len(samples),
        databases=len({it.database for it in samples}),
        right=round(sum(it.right for it in samples) / len(samples), 4),
        fits=tuple(it.fit for it in fitted),
    )
    return calibration, fitted


def refuse_too_few(samples: Sequence[Sample]) -> None:
    """Raise CalibrationImpossible if there are too few samples for a fit."""
    right = sum(it.right for it in samples)
    databases = len({it.database for it in samples})
    missing = [
        f"{least} {what} are needed, and there are {found}"
        for found, least, what in (
            (len(samples), LEAST_QUESTIONS, "answered questions"),
            (databases, LEAST_DATABASES, "databases"),
            (right, LEAST_OF_EACH, "right answers"),
            (len(samples) - right, LEAST_OF_EACH, "wrong answers"),
            (len({it.database for it in samples if it.right}), 2, "databases with right answers"),
            (len({it.database for it in samples if not it.right}), 2, "databases with wrong answers"),
        )
        if found < least
    ]
    if missing:
        raise CalibrationImpossible(f"There is too little to fit a confidence to: {'; '.join(missing)}.")


def _fit_samples(samples: Sequence[Sample], names: Sequence[str], wanted: float) -> Fitted:
    """The fit to all samples, with the figures of the fits that left out one database each."""
    names = [it for it in names if _varies(samples, it) and it not in _priors(samples)]
    while True:  # each turn removes a feature, so this ends
        tried = [(strength, predict_held_out(samples, names, strength)) for strength in STRENGTHS]
        strength, held = min(tried, key=lambda it: _log_loss(it[1]))
        intercept, coefficients = _regression(samples, names, strength)
        worst = _most_wrong(samples, names, coefficients)
        if worst is None:
            break
        names = [name for name in names if name != worst]
    threshold = threshold_for(held, wanted)
    known = {name: round(it, 5) for name, it in zip(names, coefficients, strict=True)}
    fit = Fit(
        intercept=round(intercept, 5),
        coefficients={**_priors(samples), **known},
        wanted=wanted,
        threshold=threshold,
        figures=figures_of(held, threshold),
    )
    return Fitted(fit, tuple(held))


def _varies(samples: Sequence[Sample], name: str) -> bool:
    """Whether enough samples differ from the most common value: a coefficient for three questions fits only them."""
    ((_, most),) = Counter(it.features[name] for it in samples).most_common(1)
    return len(samples) - most >= LEAST_DIFFERENT


def _priors(samples: Sequence[Sample]) -> dict[str, float]:
    """The coefficients that are not fitted: of features against an answer that too few samples have."""
    counts = {name: sum(it.features[name] != 0 for it in samples) for name in AT_LEAST_AGAINST}
    return {name: AT_LEAST_AGAINST[name] for name, count in counts.items() if count < LEAST_OF_EACH}


def _most_wrong(samples: Sequence[Sample], names: Sequence[str], coefficients: Sequence[float]) -> str | None:
    """The feature whose coefficient, on one scale, has the wrong sign most clearly; None if none has."""
    against = {
        name: it * pstdev(one.features[name] for one in samples)
        for name, it in zip(names, coefficients, strict=True)
        if (name in SPEAK_FOR and it < 0) or (name in SPEAK_AGAINST and it > 0)
    }
    return max(against, key=lambda name: abs(against[name]), default=None)


def predict_held_out(samples: Sequence[Sample], names: Sequence[str], strength: float) -> list[HeldOut]:
    """The probability of each sample from a fit to the other databases, in the samples' order."""
    held: dict[int, HeldOut] = {}
    for database in dict.fromkeys(it.database for it in samples):
        intercept, coefficients = _regression([it for it in samples if it.database != database], names, strength)
        known = {**_priors(samples), **dict(zip(names, coefficients, strict=True))}
        nothing = Figures(auroc=None, ece=0.0, precision=None, recall=0.0)
        fit = Fit(intercept=intercept, coefficients=known, wanted=1.0, threshold=None, figures=nothing)
        held |= {
            at: HeldOut(fit.probability(it.features), it.right, it.confirmed, database)
            for at, it in enumerate(samples)
            if it.database == database
        }
    return [held[at] for at in range(len(samples))]


def _regression(samples: Sequence[Sample], names: Sequence[str], strength: float) -> tuple[float, list[float]]:
    """Intercept and coefficients for unscaled features; only the fit itself scales them."""
    linear, scaling = require_sklearn()
    table = [[it.features[name] for name in names] for it in samples]
    scaler = scaling.StandardScaler().fit(table)
    model = linear.LogisticRegression(C=strength, max_iter=2000)
    model.fit(scaler.transform(table), [it.right for it in samples])
    coefficients = [float(it) for it in model.coef_[0] / scaler.scale_]
    shift = sum(it * float(mean) for it, mean in zip(coefficients, scaler.mean_, strict=True))
    return float(model.intercept_[0]) - shift, coefficients


def require_sklearn() -> tuple[Any, Any]:
    """The modules for fitting. Raises CalibrationImpossible: they are not installed."""
    try:
        from sklearn import linear_model, preprocessing
    except ImportError as error:
        raise CalibrationImpossible(
            "Fitting needs scikit-learn, which is not installed: `pip install -r requirements-calibrate.txt`."
        ) from error
    return linear_model, preprocessing


def _log_loss(held: Sequence[HeldOut]) -> float:
    return -sum(math.log(max(1e-9, it.probability if it.right else 1 - it.probability)) for it in held) / len(held)


def threshold_for(held: Sequence[HeldOut], wanted: float) -> float | None:
    """The lowest threshold at which the wanted share of the confirmed answers is right.

    None if no threshold with at least `LEAST_VERIFIED` answers reaches that share. The threshold lies half way to the
    next lower probability, so that rounding does not matter.
    """
    found: float | None = None
    ranked = sorted((it for it in held if it.confirmed), key=lambda it: -it.probability)
    right = 0
    for count, (it, below) in enumerate(zip_longest(ranked, ranked[1:]), 1):
        right += it.right
        if below is not None and below.probability == it.probability:
            continue  # a threshold includes all answers of one probability, or none
        if count >= LEAST_VERIFIED and right / count >= wanted:
            found = (it.probability + (below.probability if below else it.probability)) / 2
    return None if found is None else math.floor(found * 10_000) / 10_000  # never above the lowest one


def select_verified(held: Sequence[HeldOut], threshold: float | None) -> list[HeldOut]:
    """The answers that a threshold verifies: the confirmed ones at or above it."""
    return [it for it in held if it.confirmed and threshold is not None and it.probability >= threshold]


def surest_of(held: Sequence[HeldOut], recall: float) -> tuple[float, float] | None:
    """The counts of right answers and of all answers among the surest confirmed ones that reach a recall.

    None if the confirmed ones do not reach it. Answers with equal probability can count in part, so neither count need
    be a whole number.
    """
    wanted = recall * sum(it.right for it in held)
    steps: dict[float, list[bool]] = {}
    for it in held:
        if it.confirmed:
            steps.setdefault(it.probability, []).append(it.right)
    right = count = 0.0
    for _, ones in sorted(steps.items(), reverse=True):
        if sum(ones) and right + sum(ones) >= wanted:
            return wanted, count + len(ones) * (wanted - right) / sum(ones)
        right, count = right + sum(ones), count + len(ones)
    return None


def figures_of(held: Sequence[HeldOut], threshold: float | None) -> Figures:
    """AUROC, calibration error, and precision and recall at the threshold."""
    sure, right, auroc = select_verified(held, threshold), sum(it.right for it in held), auroc_of(held)
    good = sum(it.right for it in sure)
    return Figures(
        auroc=None if auroc is None else round(auroc, 4),
        ece=round(sum(abs(one.gap) * one.n for one in bins_of(held)) / len(held), 4),
        precision=round(good / len(sure), 4) if sure else None,
        recall=round(good / right, 4) if right else 0.0,
    )


def auroc_of(held: Sequence[HeldOut]) -> float | None:
    """How often a right answer has a higher probability than a wrong one; None if all answers are of one kind."""
    wrong = sorted(it.probability for it in held if not it.right)
    right = [it.probability for it in held if it.right]
    if not right or not wrong:
        return None
    return sum(bisect_left(wrong, it) + bisect_right(wrong, it) for it in right) / (2 * len(right) * len(wrong))


def interval_of(
    held: Sequence[HeldOut], figure: Callable[[Sequence[HeldOut]], float | None]
) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of a figure, drawing whole databases; None if the figure is undefined too often."""
    by_database: dict[str, list[HeldOut]] = {}
    for it in held:
        by_database.setdefault(it.database, []).append(it)
    drawing, groups = random.Random(SEED), list(by_database.values())  # noqa: S311  a sample, no secret
    draws = (figure([it for group in drawing.choices(groups, k=len(groups)) for it in group]) for _ in range(DRAWS))
    found = sorted(it for it in draws if it is not None)
    if len(found) < DRAWS / 2:
        return None
    return found[int(0.025 * len(found))], found[math.ceil(0.975 * len(found)) - 1]


class Bin(NamedTuple):
    """Answers of similar confidence. confidence: the mean. right: the share that is right. n: the number."""

    confidence: float
    right: float
    n: int

    @property
    def gap(self) -> float:
        return self.confidence - self.right


def bins_of(held: Sequence[HeldOut]) -> list[Bin]:
    """The answers grouped by confidence, in ten equal steps from 0 to 1; empty steps are left out."""
    steps: dict[int, list[HeldOut]] = {}
    for it in held:
        steps.setdefault(min(9, int(it.probability * 10)), []).append(it)
    return [
        Bin(sum(it.probability for it in ones) / len(ones), sum(it.right for it in ones) / len(ones), len(ones))
        for _, ones in sorted(steps.items())
    ]


def require_matplotlib() -> None:
    """Raise CalibrationImpossible if the plotting package is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise CalibrationImpossible(
            "The diagram needs matplotlib, which is not installed: `pip install -r requirements-calibrate.txt`."
        ) from error


def reliability_diagram(held: Sequence[HeldOut], threshold: float | None) -> str:
    """An SVG of the share of right answers by confidence, with 95 % intervals; on the diagonal both are equal."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 1), ylim=(0, 1.03), xlabel="confidence", ylabel="share right")
    axes.plot([0, 1], [0, 1], "--", color="tab:gray")
    if threshold is not None:
        axes.axvline(threshold, linestyle="--", color="tab:green")
        axes.annotate("verified from here", (threshold, 1), (-6, 0), textcoords="offset points", ha="right", va="top")
    bins = bins_of(held)
    intervals = [wilson(round(it.right * it.n), it.n) or (0.0, 1.0) for it in bins]
    confidences = [it.confidence for it in bins]
    axes.vlines(confidences, *zip(*intervals, strict=True))
    axes.plot(confidences, [it.right for it in bins], "o", gid="bins")
    for it in bins:
        axes.annotate(
            str(it.n), (it.confidence, it.right), (6, 0), textcoords="offset points", va="center", color="gray"
        )
    return as_svg(figure, f"Reliability of confidence over {len(held)} questions")


def as_svg(figure: Figure, title: str) -> str:
    """The figure as SVG, with text kept as text; the same figure gives the same bytes."""
    import matplotlib as mpl

    written = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "plumbline"}):
        figure.savefig(written, format="svg", metadata={"Title": title, "Date": None})
    return written.getvalue()
