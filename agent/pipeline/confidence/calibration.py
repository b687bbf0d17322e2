"""A fitted calibration: coefficients from a file, and one sum of products for each answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from pydantic import Field, ValidationError, model_validator

from agent.core.errors import ConfigurationInvalid
from agent.pipeline.confidence.features import FEATURES, doubt_of_missing, features_of, is_confirmed
from executors.base import Frozen

if TYPE_CHECKING:
    from agent.pipeline.drafts.consensus import Evidence

VERSION: Literal[4] = 4  # of the file and of what its features mean; a change of either asks for a new fit
FOLDER = Path(__file__).parent / "fitted"

Share = Annotated[float, Field(ge=0, le=1)]
Real = Annotated[float, Field(allow_inf_nan=False)]


class Figures(Frozen):
    """What a fit is worth on databases that it did not see (cross-validated); None where it cannot be said.

    auroc: how often a right answer is above a wrong one. ece: expected calibration error, ten bins.
    precision, recall: of verified answers, at the threshold.
    """

    auroc: Share | None
    ece: Share
    precision: Share | None
    recall: Share


class Fit(Frozen):
    """A logistic regression.

    coefficients: by the name of the feature.
    wanted: the precision of verified answers that was asked for.
    threshold: from which on an answer can be verified; None where no confidence gave that precision, so that none is.
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
        """That the answer is right, 0 to 1.

        Args:
            features: all that are named in `coefficients`.
            less: log-odds to take away, for what was not fitted.
        """
        return sigmoid(self.intercept + sum(it * features[name] for name, it in self.coefficients.items()) - less)


class Sureness(Frozen):
    """confidence: 0 to 1. sure: whether it is at or above the threshold, and anybody has confirmed the rows."""

    confidence: float
    sure: bool
    threshold: float | None = None


class Confidence(Protocol):
    """Says how sure an answer is."""

    def of(self, evidence: Evidence) -> Sureness:
        """The sureness of the answer that this is the evidence of."""


class Calibration(Frozen):
    """What `calibrate` fitted for one profile.

    profile: of the model whose answers it was fitted to. note: what a reader should know.
    questions, databases, right: what it was fitted to, and the share of right answers among them.
    fits: with most features first; the first one is used whose features are all known.
    """

    version: Literal[4]
    profile: str
    note: str = ""
    questions: int
    databases: int
    right: Share
    fits: Annotated[tuple[Fit, ...], Field(min_length=1)]

    def of(self, evidence: Evidence) -> Sureness:
        """How sure the answer is that this is the evidence of; not at all, where no fit has what it needs."""
        features = features_of(evidence)
        fit = self.fit_for(features)
        if fit is None:
            return Sureness(confidence=0.0, sure=False)
        probability = fit.probability(features, doubt_of_missing(evidence))
        above = fit.threshold is not None and probability >= fit.threshold
        sure = above and is_confirmed(features)
        return Sureness(confidence=round(probability, 3), sure=sure, threshold=fit.threshold)

    def fit_for(self, features: Mapping[str, float]) -> Fit | None:
        """The first fit whose features are all known; None where there is none."""
        return next((fit for fit in self.fits if fit.coefficients.keys() <= features.keys()), None)


def sigmoid(x: float) -> float:
    """The logistic function, without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def load(path: Path) -> Calibration:
    """The calibration in a file.

    Raises:
        ConfigurationInvalid: it cannot be read, is of another version, or is none.
    """
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


def calibration_of(path: Path | None, profile: str) -> Calibration:
    """That of a file where one is named, else the package's for the profile.

    Raises:
        ConfigurationInvalid: see `load`.
    """
    return of_profile(profile) if path is None else load(path)


@lru_cache(maxsize=8)
def of_profile(name: str) -> Calibration:
    """The package's calibration of a profile; those that cannot be measured share one."""
    path = FOLDER / f"{name}.json"
    return load(path if path.exists() else FOLDER / "hosted.json")
