"""A reliability diagram as SVG: the share of right answers at each confidence."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.evaluation.calibration.calibrating import CalibrationImpossible, HeldOut, bins_of
from agent.evaluation.report import wilson

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def require_matplotlib() -> None:
    """Raises CalibrationImpossible where the package that draws is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise CalibrationImpossible(
            "The diagram needs matplotlib, which is not installed: `pip install -r requirements-calibrate.txt`."
        ) from error


def reliability_diagram(held: Sequence[HeldOut], threshold: float | None) -> str:
    """Share of right answers by confidence, each with its 95 % interval; on the diagonal they are the same."""
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
    """The picture with its text as text; the same figure gives the same bytes."""
    import matplotlib as mpl

    written = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "plumbline"}):
        figure.savefig(written, format="svg", metadata={"Title": title, "Date": None})
    return written.getvalue()
