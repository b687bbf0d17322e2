"""Compares two evaluations: which questions only one answers rightly, and whether that is more than chance."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path

from agent.evaluation.harness import EvaluationInvalid, read_results
from agent.evaluation.report import ResultLine
from executors.base import Frozen

RESAMPLES = 10_000
SEED = 20_240_229  # so that the figures are the same each time


class Comparison(Frozen):
    """Two runs, compared over the questions that both were asked.

    n: number of questions. before, after: right answers.
    gained, lost: questions that only the second run, or only the first, answers rightly.
    interval: 95 % interval of the difference of the shares, by a paired bootstrap over the questions.
    p: probability of so uneven a split of gained and lost if neither run is better (McNemar's exact test, two-sided).
    alone: number of questions that only one run has; they are left out.
    """

    n: int
    before: int
    after: int
    gained: tuple[ResultLine, ...]
    lost: tuple[ResultLine, ...]
    interval: tuple[float, float]
    p: float
    alone: int

    @property
    def difference(self) -> float:
        """The share of right answers after, minus the share before."""
        return (self.after - self.before) / self.n

    @property
    def points(self) -> str:
        """The difference in points, with its interval."""
        low, high = self.interval
        return f"{100 * self.difference:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


def compare_files(before: Path, after: Path) -> Comparison:
    """Compare two files of `eval --json`. Raises EvaluationInvalid: unreadable, or no question in common."""
    for path in (before, after):
        if not path.exists():
            raise EvaluationInvalid(f"There are no results in {path}: write some with `python -m agent eval --json`.")
    return compare(list(read_results(before).values()), list(read_results(after).values()))


def compare(before: Sequence[ResultLine], after: Sequence[ResultLine]) -> Comparison:
    """Compare two runs over the questions that both scored. Raises EvaluationInvalid: there are none."""
    first = {line.key: line for line in before if line.scored}
    second = {line.key: line for line in after if line.scored}
    common = [key for key in first if key in second]
    if not common:
        raise EvaluationInvalid("The two runs have no question in common, so there is nothing to compare.")
    pairs = [(first[key], second[key]) for key in common]
    gained = tuple(new for old, new in pairs if new.correct and not old.correct)
    lost = tuple(new for old, new in pairs if old.correct and not new.correct)
    return Comparison(
        n=len(pairs),
        before=sum(old.correct for old, _ in pairs),
        after=sum(new.correct for _, new in pairs),
        gained=gained,
        lost=lost,
        interval=bootstrap([new.correct - old.correct for old, new in pairs]),
        p=mcnemar(len(gained), len(lost)),
        alone=len(first) + len(second) - 2 * len(common),
    )


def bootstrap(differences: Sequence[int]) -> tuple[float, float]:
    """The 95 % interval of the mean of paired differences, -1 to 1 (Efron's percentile bootstrap). Deterministic."""
    chosen = random.Random(SEED)  # noqa: S311  figures, no secrets
    n = len(differences)
    means = sorted(sum(chosen.choices(differences, k=n)) / n for _ in range(RESAMPLES))
    return means[round(0.025 * (RESAMPLES - 1))], means[round(0.975 * (RESAMPLES - 1))]


def mcnemar(gained: int, lost: int) -> float:
    """The two-sided p-value of McNemar's exact test; 1 if nothing differs."""
    n = gained + lost
    tail: float = sum(math.comb(n, k) for k in range(min(gained, lost) + 1)) / 2**n
    return min(1.0, 2 * tail)


def comparison_rows(found: Comparison) -> list[tuple[str, str]]:
    """The comparison as (name, value) pairs, for a table in the terminal."""
    low, high = found.interval
    verdict = "more than chance" if low > 0 or high < 0 else "may be chance"
    rows = [
        ("questions in both", str(found.n)),
        ("right before", f"{found.before}, {found.before / found.n:.1%}"),
        ("right after", f"{found.after}, {found.after / found.n:.1%}"),
        (
            "difference",
            f"{100 * found.difference:+.1f} points (95 %: {100 * low:+.1f} to {100 * high:+.1f}): {verdict}",
        ),
        ("gained, lost", f"{len(found.gained)}, {len(found.lost)} (McNemar p = {found.p:.3f})"),
    ]
    return [*rows, ("only in one of them", str(found.alone))] if found.alone else rows
