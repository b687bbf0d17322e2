"""Runs a target until the time is over. Failures are recorded, and the run continues."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzz.cases import Case, Check, Target

_ROUND = 500  # cases of one run of Hypothesis; the next one begins from another seed


@dataclass(frozen=True)
class Finding:
    """A defect, with the shortest case that showed it.

    where: the kind of error, and the line that raised it; equal failures are counted once.
    said: the error's message.
    """

    case: Case
    where: str
    said: str


@dataclass
class Figures:
    """The result of a run."""

    cases: int = 0
    seconds: float = 0.0
    findings: dict[str, Finding] = field(default_factory=dict)

    def run(self, check: Check, case: Case) -> None:
        """Count a case; where it shows a defect, that is kept."""
        self.cases += 1
        try:
            check(case)
        except Exception as error:  # noqa: BLE001  any exception is a finding
            last = traceback.extract_tb(error.__traceback__)[-1]
            found = Finding(case, f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}", str(error))
            known = self.findings.get(found.where)
            if known is None or len(found.case.text) < len(known.case.text):
                self.findings[found.where] = found


def hypothesis_for(target: Target, check: Check, seconds: float) -> Figures:
    """Draw cases until the time is over."""
    figures, began = Figures(), time.monotonic()
    for number in _until(began + seconds):
        _run_once(target, check, figures, number)
    figures.seconds = time.monotonic() - began
    return figures


def examples(target: Target, check: Check, count: int) -> Figures:
    """Draw so many cases, the same ones each time."""
    figures = Figures()
    _run_once(target, check, figures, 0, count)
    return figures


def _run_once(target: Target, check: Check, figures: Figures, number: int, count: int = _ROUND) -> None:
    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(target.cases)
    def run(case: Case) -> None:
        figures.run(check, case)

    run()


def _until(end: float) -> Iterator[int]:
    """Seeds, each another one, as long as there is time."""
    first = time.time_ns()
    while time.monotonic() < end:
        yield first
        first += 1
