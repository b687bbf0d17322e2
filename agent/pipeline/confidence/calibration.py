"""A fitted calibration: features of an answer, coefficients from a file, and one sum of products."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from pydantic import Field, ValidationError, model_validator

from agent.core.errors import ConfigurationInvalid
from agent.understanding.shape import SOFT_CHECKS, SOFT_RULES
from executors.base import Frozen

if TYPE_CHECKING:
    from agent.pipeline.steps.consensus import Evidence

# Each with its meaning; a calibration names those that it was fitted with. They are few and strong: single doubts are
# too rare for a coefficient each, and other features added no information (docs/decisions/confidence.md).
FEATURES: Mapping[str, str] = {
    "agreement": "share of the other drafts, as written or repaired, and of the judge, that confirm the rows, 0 to 1",
    "logprob_total": "log-probability of the whole query: the mean, times its words; -5 to -2",
    "objections": "doubts of rules and checks that failed, no rows among them, at most 3",
}
# The only direction that a feature can have: a coefficient with the opposite sign is chance, and is dropped.
SPEAK_FOR = frozenset({"agreement", "logprob_total"})
SPEAK_AGAINST = frozenset({"objections"})
# These doubts are not objections: if a noun is translated, right answers lack words of the question as often as wrong
# ones do. `doubt_of_missing` lowers the confidence instead.
MILD = frozenset({"missing_data"})
# Log-odds that missing data subtracts from the confidence, by its evidence; not fitted. With 2.0, no fit of the package
# is sure of an answer, however much agrees on it; with 0.1, answers that everything else confirms stay sure.
MISSING_LOG_ODDS: Mapping[str, float] = {"schema": 2.0, "language": 0.1}
MOST_OBJECTIONS = 3
# Above, all queries are right equally often. Below, length decides, not doubt: a name written thrice counts thrice.
LEAST_TOTAL, MOST_TOTAL = -5.0, -2.0

_WORD = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|--[^\n]*|\w+", re.IGNORECASE)
_VOTE_CHECKS = frozenset({"second_draft", "judge"})  # counted in `agreement` instead


def features_of(evidence: Evidence) -> dict[str, float]:
    """The features by name, without unknown ones, such as log-probabilities that the endpoint does not return.

    Agreement of executed results is the best signal that needs only replies (arXiv 2508.14056), and the probability of
    the written query is the best signal of a single reply (arXiv 2411.16742). Neither depends on the wording.
    """
    chosen = evidence.chosen
    supporters, others = _voices(evidence)
    # drafts that agree on an empty result do not prove that it is right; a judge has read the query and the doubts
    accepted = evidence.judge is True
    soft, unheard = (frozenset[str](), MILD | SOFT_RULES) if accepted else (SOFT_CHECKS, MILD)
    doubts = sum(doubt.rule not in unheard for doubt in evidence.doubts)
    failed = sum(
        check.passed is False or (check.passed is None and check.name in soft)
        for check in evidence.checks
        if check.name not in _VOTE_CHECKS
    )
    found = {
        "agreement": supporters / others if others else 0.0,
        "objections": float(min(doubts + failed, MOST_OBJECTIONS)),
    }
    if chosen.logprob_mean is not None:
        total = chosen.logprob_mean * len(_WORD.findall(chosen.sql))
        found["logprob_total"] = min(max(total, LEAST_TOTAL), MOST_TOTAL)
    return found


def doubt_of_missing(evidence: Evidence) -> float:
    """Log-odds to subtract for data that the question names and the database lacks; only the strongest doubt counts."""
    found = (MISSING_LOG_ODDS.get(it.evidence, 0.0) for it in evidence.doubts if it.rule in MILD)
    return max(found, default=0.0)


def is_confirmed(evidence: Evidence) -> bool:
    """Whether another draft, as it was written, or the judge confirms the rows; otherwise no answer is verified.

    A rule that repairs two drafts in the same way would confirm itself.
    """
    if evidence.earlier_votes is not None:
        return evidence.earlier_votes[0] > 1
    return evidence.judge is True or any(it.may_vote for it in evidence.confirming)


def _voices(evidence: Evidence) -> tuple[int, int]:
    """How many confirm the chosen rows, and how many were asked. The draft that the query comes from does not count.

    If none was asked, none confirms, so such an answer does not rank above one that all others contradict.
    """
    if evidence.earlier_votes is not None:
        agreed, written = evidence.earlier_votes  # one of them is the query itself, which does not count
        return agreed - 1, written - 1
    confirming = len({it.draft for it in evidence.confirming})
    requested = evidence.drafts if evidence.chosen.source == "reused" else max(0, evidence.drafts - 1)
    return confirming + (evidence.judge is True), requested + (evidence.judge is not None)


VERSION: Literal[5] = 5  # of the file and the meaning of its features; if either changes, fit again
FOLDER = Path(__file__).parent / "fitted"

Share = Annotated[float, Field(ge=0, le=1)]
Real = Annotated[float, Field(allow_inf_nan=False)]


class Figures(Frozen):
    """The quality of a fit on unseen databases (cross-validated); None if it is undefined.

    auroc: how often a right answer ranks above a wrong one. ece: expected calibration error, ten bins.
    precision, recall: those of verified answers, at the threshold.
    """

    auroc: Share | None
    ece: Share
    precision: Share | None
    recall: Share


class Fit(Frozen):
    """A logistic regression.

    coefficients: by the name of the feature.
    wanted: the requested precision of verified answers.
    threshold: the lowest probability of a verified answer; None if none gave that precision, so no answer is verified.
    """

    intercept: Real
    coefficients: dict[str, Real]
    wanted: Share
    threshold: Share | None
    figures: Figures

    @model_validator(mode="after")
    def _check_features(self) -> Fit:
        unknown = sorted(self.coefficients.keys() - FEATURES.keys())
        if unknown:
            raise ValueError(f"there is no feature {', '.join(unknown)}")
        return self

    def probability(self, features: Mapping[str, float], less: float = 0.0) -> float:
        """The probability that the answer is right, 0 to 1. `less`: log-odds to subtract for what was not fitted."""
        return sigmoid(self.intercept + sum(it * features[name] for name, it in self.coefficients.items()) - less)


class Sureness(Frozen):
    """confidence: 0 to 1. sure: whether it reaches the threshold, and a draft or the judge confirms the rows."""

    confidence: float
    sure: bool
    threshold: float | None = None


class Confidence(Protocol):
    """Computes how sure an answer is."""

    def of(self, evidence: Evidence) -> Sureness:
        """The sureness of the answer with this evidence."""


class Calibration(Frozen):
    """The result of `calibrate` for one profile.

    profile: that of the model whose answers it was fitted to. note: a remark for the reader.
    questions, databases, right: the size of the sample, and the share of right answers in it.
    fits: those with most features first; the first fit whose features are all known is used.
    """

    version: Literal[5]
    profile: str
    note: str = ""
    questions: int
    databases: int
    right: Share
    fits: Annotated[tuple[Fit, ...], Field(min_length=1)]

    def of(self, evidence: Evidence) -> Sureness:
        """The sureness of the answer with this evidence; 0 and not sure if a feature of every fit is missing."""
        features = features_of(evidence)
        fit = next((fit for fit in self.fits if fit.coefficients.keys() <= features.keys()), None)
        if fit is None:
            return Sureness(confidence=0.0, sure=False)
        probability = fit.probability(features, doubt_of_missing(evidence))
        above = fit.threshold is not None and probability >= fit.threshold
        sure = above and is_confirmed(evidence)
        return Sureness(confidence=round(probability, 3), sure=sure, threshold=fit.threshold)


def sigmoid(x: float) -> float:
    """The logistic function, without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def load(path: Path) -> Calibration:
    """The calibration in a file. Raises ConfigurationInvalid: unreadable, no calibration, or another version."""
    again = "Run `python -m agent calibrate` again, or unset PLUMBLINE_CALIBRATION."
    try:
        text = path.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationInvalid(f"PLUMBLINE_CALIBRATION: {path.name} cannot be read: {error}. {again}") from error
    try:
        return Calibration.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        if place == "version":
            values = f"it is of version {first['input']!r}, and this release reads version {VERSION}"
        else:
            values = f"{place}: {first['msg']}" if place else first["msg"]
        raise ConfigurationInvalid(
            f"PLUMBLINE_CALIBRATION: {path.name} is not a calibration: {values}. {again}"
        ) from error


class PackageCalibration:
    """The package's calibrations of a profile, one without and one with the second model.

    A second model confirms more than a further draft of the first. Args: profile: its name. Raises
    ConfigurationInvalid: a file cannot be used.
    """

    def __init__(self, profile: str) -> None:
        self.alone = of_profile(profile)
        self.with_second = of_profile(f"{profile}_second") if _file_of(f"{profile}_second").exists() else self.alone

    def of(self, evidence: Evidence) -> Sureness:
        return (self.with_second if evidence.by_second else self.alone).of(evidence)


def calibration_of(path: Path | None, profile: str) -> Confidence:
    """The calibration in the file if `path` is set, else the package's for the profile. Raises ConfigurationInvalid."""
    return PackageCalibration(profile) if path is None else load(path)


@lru_cache(maxsize=8)
def of_profile(name: str) -> Calibration:
    """The package's calibration of a profile; profiles that cannot be measured share one."""
    path = _file_of(name)
    return load(path if path.exists() else _file_of("hosted"))


def _file_of(name: str) -> Path:
    return FOLDER / f"{name}.json"
