"""Growth curves: points, the power law that fits them, and whether it exceeds the target."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from bench.drawing import Points, draw_curves, short
from bench.targets import Figure

LINEAR = 1.0


class Curve(NamedTuple):
    """Milliseconds of a question by what grows.

    what: of which they are, as `own CPU of a question`. by: what grows. target: the most that the exponent should be;
    None where it is not ours. missing: sizes that were not reached.
    """

    what: str
    by: str
    points: Points
    target: float | None = LINEAR
    missing: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Both, as a title."""
        return f"{self.what}, by {self.by}"

    def figure(self) -> Figure:
        """Its exponent next to its target; None where fewer than two points were reached."""
        value = exponent(self.points) if len(self.points) > 1 else None
        return Figure(f"{self.name}: exponent", value, "", self.target)


def exponent(points: Points) -> float:
    """The power of what grows that fits best, by least squares of the logarithms: 0 is flat, 1 linear."""
    xs, ys = ([math.log(point[at]) for point in points] for at in (0, 1))
    return statistics.linear_regression(xs, ys).slope


def report(curves: Sequence[Curve]) -> list[Figure]:
    """Print each curve with its exponent, and that of its last step, where constant costs weigh least."""
    print("Scale: milliseconds of a question")
    for curve in curves:
        print(f"  {curve.name}")
        parts = [f"{short(x)}: {y:.1f}" for x, y in curve.points]
        parts += [f"{short(size)}: not reached" for size in curve.missing]
        print(f"    {', '.join(parts)}")
        if len(curve.points) > 1:
            last = exponent(curve.points[-2:])
            print(f"    exponent {exponent(curve.points):.2f}{_verdict(curve.figure())}; of the last step {last:.2f}")
    return [curve.figure() for curve in curves]


def _verdict(figure: Figure) -> str:
    if figure.target is None:
        return ""
    return f" ({'met' if figure.met else 'MISSED'}: at most {figure.target:g})"


def draw(curves: Sequence[Curve]) -> str:
    """One chart for what grows, so that what grows by the same is in the same one."""
    lines: dict[str, dict[str, Points]] = {}
    for curve in curves:
        if curve.points:
            lines.setdefault(curve.by, {})[curve.what] = curve.points
    return draw_curves("How the milliseconds of a question grow", lines)
