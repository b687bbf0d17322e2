"""Charts of the bench as SVG: grouped bars, and curves on logarithmic axes. Needs requirements-bench.txt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agent.evaluation.calibrating import as_svg

Points = Sequence[tuple[float, float]]
WIDTH, HEIGHT = 3.4, 2.3  # inches of one chart


def draw_bars(title: str, names: Sequence[str], charts: Mapping[str, Sequence[float]]) -> str:
    """A chart of horizontal bars for each title in `charts`, one bar a name; the first name is highlighted."""
    from matplotlib.figure import Figure

    columns = 4
    rows = -(-len(charts) // columns)
    figure = Figure(figsize=(WIDTH * columns, HEIGHT * rows), layout="constrained")
    figure.suptitle(title)
    every = figure.subplots(rows, columns, sharey=True, squeeze=False).flat
    colours = ["tab:blue", *["tab:gray"] * (len(names) - 1)]
    for axes, (name, values) in zip(every, charts.items(), strict=False):
        axes.set_title(name, fontsize="medium")
        bars = axes.barh(names, values, color=colours)
        axes.bar_label(bars, [short(value) for value in values], padding=3)
        axes.margins(x=0.2)
        axes.xaxis.set_visible(False)
        axes.spines[:].set_visible(False)
    figure.axes[0].invert_yaxis()  # of all: they share it
    for axes in figure.axes[len(charts) :]:
        axes.remove()
    return as_svg(figure, title)


def draw_curves(title: str, charts: Mapping[str, Mapping[str, Points]]) -> str:
    """A chart for each thing that grows, in logarithmic axes; its lines by name, in milliseconds."""
    from matplotlib.figure import Figure

    columns = 3
    rows = -(-len(charts) // columns)
    figure = Figure(figsize=(WIDTH * columns, HEIGHT * rows), layout="constrained")
    figure.suptitle(title)
    every = figure.subplots(rows, columns, sharey=True, squeeze=False).flat
    for axes, (by, lines) in zip(every, charts.items(), strict=False):
        axes.set(title=by, xscale="log", yscale="log", ylabel="ms")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: short(value))
        for name, points in lines.items():
            axes.plot(*zip(*points, strict=True), "o-", label=name, markersize=3)
        axes.grid(visible=True, color="whitesmoke")
        if len(lines) > 1:
            axes.legend(fontsize="x-small")
    for axes in figure.axes[len(charts) :]:
        axes.remove()
    return as_svg(figure, title)


def short(value: float) -> str:
    """A number in at most four characters, as `45k`."""
    for limit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit * 10 or (value >= limit and value % limit == 0):
            return f"{value / limit:g}{sign}" if value % limit == 0 else f"{value / limit:.0f}{sign}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
