"""Fitting the confidence: a logistic regression of right or wrong on the evidence, checked on databases it did not see.

Everything is cross-validated by database, for questions about one database are alike: out of each fold come
probabilities for questions whose database had no part in the fit. The figures are of these, as is the threshold.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from statistics import pstdev
from typing import Any, NamedTuple

from agent.core.errors import PlumblineError
from agent.pipeline.confidence.calibration import VERSION, Calibration, Figures, Fit
from agent.pipeline.confidence.features import FEATURES, SPEAK_AGAINST, SPEAK_FOR, is_confirmed

LEAST_QUESTIONS, LEAST_OF_EACH, LEAST_DATABASES = 60, 12, 5
LEAST_DIFFERENT = 5  # samples that a feature must tell from the rest
LEAST_VERIFIED = 20  # a precision of fewer answers says little
FOLDS = 10
STRENGTHS = (0.03, 0.1, 0.3, 1.0)  # inverse of the regularisation; the one of least loss is taken
LOGPROBS = frozenset({"logprob_total"})
# What speaks against an answer counts where too few samples have it to tell how much: its odds fall to a third.
AT_LEAST_AGAINST = {"objections": -1.1}


class CalibrationImpossible(PlumblineError):
    """The questions do not allow a fit; the message says what is missing."""


class Sample(NamedTuple):
    """One answered question. features: see `agent.pipeline.confidence.features`; right: whether its rows are."""

    database: str
    features: dict[str, float]
    right: bool


class HeldOut(NamedTuple):
    """A probability from a fit that did not see the question's database, and whether the answer is right.

    confirmed: by another draft or the judge; others are never verified.
    """

    probability: float
    right: bool
    confirmed: bool = True


class Fitted(NamedTuple):
    """A fit, and what it says of every question when it does not see its database."""

    fit: Fit
    held: tuple[HeldOut, ...]


def calibrate(
    samples: Sequence[Sample], profile: str, *, precision: float, precision_without: float | None = None, note: str = ""
) -> tuple[Calibration, list[Fitted]]:
    """Fit a calibration: with log-probabilities where the samples have them, and one without.

    Args:
        samples: answered questions.
        profile: whose answers they are.
        precision: of verified answers, 0 to 1, that the threshold is to give.
        precision_without: the same for the fit without log-probabilities.
        note: what a reader of the file should know.

    Raises:
        CalibrationImpossible: too few questions, databases, or right or wrong answers; the message says how many.
    """
    refuse_too_few(samples)
    full = [it for it in samples if it.features.keys() >= LOGPROBS]
    fitted = []
    if len(full) == len(samples):
        fitted.append(_fitted(full, sorted(FEATURES.keys()), precision))
    fewer = sorted(FEATURES.keys() - LOGPROBS)
    fitted.append(_fitted(samples, fewer, precision if precision_without is None else precision_without))
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
    """Raises CalibrationImpossible where the samples cannot carry a fit."""
    right = sum(it.right for it in samples)
    databases = len({it.database for it in samples})
    missing = [
        f"{least} {what} are needed, and there are {found}"
        for found, least, what in (
            (len(samples), LEAST_QUESTIONS, "answered questions"),
            (databases, LEAST_DATABASES, "databases"),
            (right, LEAST_OF_EACH, "right answers"),
            (len(samples) - right, LEAST_OF_EACH, "wrong answers"),
        )
        if found < least
    ]
    if missing:
        raise CalibrationImpossible(f"There is too little to fit a confidence to: {'; '.join(missing)}.")


def _fitted(samples: Sequence[Sample], names: Sequence[str], wanted: float) -> Fitted:
    """The fit on all samples, with the figures of folds."""
    names = [it for it in names if _varies(samples, it) and it not in _priors(samples)]
    while True:  # each turn takes a feature away, so this ends
        tried = [(strength, _held(samples, names, strength)) for strength in STRENGTHS]
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
    """Whether enough samples have another value than most: a coefficient for three questions is those three."""
    ((_, most),) = Counter(it.features[name] for it in samples).most_common(1)
    return len(samples) - most >= LEAST_DIFFERENT


def _priors(samples: Sequence[Sample]) -> dict[str, float]:
    """The coefficients that are not fitted: of what speaks against an answer and too few samples have."""
    counts = {name: sum(it.features[name] != 0 for it in samples) for name in AT_LEAST_AGAINST}
    return {name: AT_LEAST_AGAINST[name] for name, count in counts.items() if count < LEAST_OF_EACH}


def _most_wrong(samples: Sequence[Sample], names: Sequence[str], coefficients: Sequence[float]) -> str | None:
    """The feature whose coefficient, on one scale, says most clearly the opposite of what it can mean: chance."""
    against = {
        name: it * pstdev(one.features[name] for one in samples)
        for name, it in zip(names, coefficients, strict=True)
        if (name in SPEAK_FOR and it < 0) or (name in SPEAK_AGAINST and it > 0)
    }
    return max(against, key=lambda name: abs(against[name]), default=None)


def _held(samples: Sequence[Sample], names: Sequence[str], strength: float) -> list[HeldOut]:
    """The probability of each sample from a fit on other databases, in the samples' order."""
    folds = folds_of([it.database for it in samples])
    held: dict[int, HeldOut] = {}
    for fold in sorted(set(folds)):
        inside = [it for it, at in zip(samples, folds, strict=True) if at != fold]
        intercept, coefficients = _regression(inside, names, strength)
        fit = _bare(intercept, {**_priors(samples), **dict(zip(names, coefficients, strict=True))})
        held |= {
            at: HeldOut(fit.probability(it.features), it.right, is_confirmed(it.features))
            for at, (it, of) in enumerate(zip(samples, folds, strict=True))
            if of == fold
        }
    return [held[at] for at in range(len(samples))]


def folds_of(databases: Sequence[str]) -> list[int]:
    """A fold for each question, so that a database is in one fold only; the folds are about as large as each other."""
    sizes = {name: databases.count(name) for name in databases}
    filled = [0] * min(FOLDS, len(sizes))
    place: dict[str, int] = {}
    for name in sorted(sizes, key=lambda it: (-sizes[it], it)):
        place[name] = filled.index(min(filled))
        filled[place[name]] += sizes[name]
    return [place[name] for name in databases]


def _regression(samples: Sequence[Sample], names: Sequence[str], strength: float) -> tuple[float, list[float]]:
    """Intercept and coefficients for features as they are; they are put on one scale for the fit alone."""
    linear, scaling = require_sklearn()
    table = [[it.features[name] for name in names] for it in samples]
    scaler = scaling.StandardScaler().fit(table)
    model = linear.LogisticRegression(C=strength, max_iter=2000)
    model.fit(scaler.transform(table), [it.right for it in samples])
    coefficients = [float(it) for it in model.coef_[0] / scaler.scale_]
    shift = sum(it * float(mean) for it, mean in zip(coefficients, scaler.mean_, strict=True))
    return float(model.intercept_[0]) - shift, coefficients


def require_sklearn() -> tuple[Any, Any]:
    """The modules that fit. Raises CalibrationImpossible where they are not installed."""
    try:
        from sklearn import linear_model, preprocessing
    except ImportError as error:
        raise CalibrationImpossible(
            "Fitting needs scikit-learn, which is not installed: `pip install -r requirements-calibrate.txt`."
        ) from error
    return linear_model, preprocessing


def _bare(intercept: float, coefficients: dict[str, float]) -> Fit:
    nothing = Figures(auroc=None, ece=0.0, precision=None, recall=0.0)
    return Fit(intercept=intercept, coefficients=coefficients, wanted=1.0, threshold=None, figures=nothing)


def _log_loss(held: Sequence[HeldOut]) -> float:
    least = 1e-9
    return -sum(math.log(max(least, it.probability if it.right else 1 - it.probability)) for it in held) / len(held)


def threshold_for(held: Sequence[HeldOut], wanted: float) -> float | None:
    """The lowest probability from which on the wanted share of confirmed answers is right.

    None where no `LEAST_VERIFIED` answers reach it. It lies half way to the next probability below, so that a rounding
    does not decide.
    """
    found: float | None = None
    ranked = sorted((it for it in held if it.confirmed), key=lambda it: -it.probability)
    right = 0
    for count, (it, below) in enumerate(zip_longest(ranked, ranked[1:]), 1):
        right += it.right
        if below is not None and below.probability == it.probability:
            continue  # a threshold takes all of one probability, or none
        if count >= LEAST_VERIFIED and right / count >= wanted:
            found = (it.probability + (below.probability if below else it.probability)) / 2
    return None if found is None else math.floor(found * 10_000) / 10_000  # never above the lowest one


def verified_of(held: Sequence[HeldOut], threshold: float | None) -> list[HeldOut]:
    """The answers that a threshold verifies: those that are confirmed and at or above it."""
    return [it for it in held if it.confirmed and threshold is not None and it.probability >= threshold]


class Surest(NamedTuple):
    """The surest answers that hold a share of the right ones: how many of them are right, and how many they are.

    Of answers with one probability a part counts, so that neither number need be whole.
    """

    right: float
    n: float


def surest_of(held: Sequence[HeldOut], recall: float) -> Surest | None:
    """The surest confirmed answers that hold this share of the right ones; None where the confirmed ones hold fewer."""
    wanted = recall * sum(it.right for it in held)
    steps: dict[float, list[bool]] = {}
    for it in held:
        if it.confirmed:
            steps.setdefault(it.probability, []).append(it.right)
    right = count = 0.0
    for _, ones in sorted(steps.items(), reverse=True):
        if sum(ones) and right + sum(ones) >= wanted:
            return Surest(wanted, count + len(ones) * (wanted - right) / sum(ones))
        right, count = right + sum(ones), count + len(ones)
    return None


def figures_of(held: Sequence[HeldOut], threshold: float | None) -> Figures:
    """AUROC, calibration error, and precision and recall at the threshold."""
    right = [it.probability for it in held if it.right]
    wrong = [it.probability for it in held if not it.right]
    above = sum((x > y) + 0.5 * (x == y) for x in right for y in wrong)
    sure = verified_of(held, threshold)
    good = sum(it.right for it in sure)
    return Figures(
        auroc=round(above / (len(right) * len(wrong)), 4) if right and wrong else None,
        ece=round(sum(abs(one.gap) * one.n for one in bins_of(held)) / len(held), 4),
        precision=round(good / len(sure), 4) if sure else None,
        recall=round(good / len(right), 4) if right else 0.0,
    )


class Bin(NamedTuple):
    """Answers of about the same confidence: its mean, the share that is right, and how many they are."""

    confidence: float
    right: float
    n: int

    @property
    def gap(self) -> float:
        return self.confidence - self.right


def bins_of(held: Sequence[HeldOut], count: int = 10) -> list[Bin]:
    """The answers by their confidence, in so many equal steps from 0 to 1; steps without an answer are left out."""
    steps: dict[int, list[HeldOut]] = {}
    for it in held:
        steps.setdefault(min(count - 1, int(it.probability * count)), []).append(it)
    return [
        Bin(sum(it.probability for it in ones) / len(ones), sum(it.right for it in ones) / len(ones), len(ones))
        for _, ones in sorted(steps.items())
    ]
