"""The results of `bench.answer`: medians of each side in each state, and their ratios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean, median
from typing import NamedTuple

from bench.targets import Figure, keep, show

NOW, PLAIN = "now", "one plain call"
STEPS = ("first", "query", "rows", "answer")


class Line(NamedTuple):
    """One question put to one side.

    first, query, rows, answer: seconds; None if it is not reported, as on the command line.
    read, cached, written: tokens; `read` excludes cached ones.
    error: why there was no response; empty otherwise.
    """

    side: str
    state: str
    database: str
    question: str
    first: float | None = None
    query: float | None = None
    rows: float | None = None
    answer: float | None = None
    calls: int = 0
    read: int = 0
    cached: int = 0
    written: int = 0
    right: bool = False
    verified: bool = False
    error: str = ""

    @property
    def text(self) -> str:
        """One line of progress."""
        result = self.error or f"{self.answer:6.2f} s, {self.calls} calls, {'right' if self.right else 'wrong'}"
        return f"{self.side:<15} {self.state:<14} {self.database:<10} {result}"


def report(lines: Sequence[Line], model: str) -> bool:
    """Print the table, and the figures that have a target. Returns whether all targets are met."""
    sides = list(dict.fromkeys(line.side for line in lines))
    states = list(dict.fromkeys(line.state for line in lines))
    questions = {(line.database, line.question) for line in lines}
    print(
        f"Answers, {model} model: {len(questions)} questions about {len({it.database for it in lines})} databases; "
        "seconds are medians, tokens and calls means"
    )
    head = "".join(f"{name:>9}" for name in ("first", "query", "rows", "answer", "read", "cached", "written", "calls"))
    print(f"  {'':<32}{head}{'right':>9}{'verified':>10}")
    for state in states:
        for side in sides:
            print(_row(state, side, _of(lines, side, state)))
        for other in sides:
            if other != NOW:
                print(_ratios(state, other, lines))
    for line in lines:
        if line.error:
            print(f"  no response, {line.side}, {line.database}, {line.question!r}: {line.error}")
    figures = figures_of(lines)
    keep(f"Answers, {model} model", figures)
    return show("Answers beside their targets", figures)


def figures_of(lines: Sequence[Line]) -> list[Figure]:
    """The ratios of the medians to an answer, each beside its target."""
    figures = [Figure("first event, warm: median", _median(_warm(lines, NOW), "first"), "s", 0.1)]
    for other in dict.fromkeys(line.side for line in lines if line.side != NOW):
        name, plain = f"answer, warm: ratio to {other}", other == PLAIN
        ratio = _ratio(_warm(lines, NOW), _warm(lines, other), "answer")
        figures.append(Figure(name, ratio, "", 2.0 if plain else 0.5))
        for state in ("command line", "cold process"):
            ratio = _ratio(_of(lines, NOW, state), _of(lines, other, state), "answer")
            figures.append(Figure(f"answer, {state}: ratio to {other}", ratio, "", None if plain else 0.25))
    return figures


def _row(state: str, side: str, lines: Sequence[Line]) -> str:
    seconds = "".join(_cell(_median(lines, step), 2) for step in STEPS)
    counts: list[Callable[[Line], int]] = [
        lambda it: it.read,
        lambda it: it.cached,
        lambda it: it.written,
        lambda it: it.calls,
    ]
    tokens = "".join(_cell(mean(map(one, lines)), 0) for one in counts[:3]) if lines else ""
    calls = _cell(mean(map(counts[3], lines)), 1) if lines else ""
    right, verified = sum(it.right for it in lines), sum(it.verified for it in lines)
    return f"  {state:<14}  {side:<16}{seconds}{tokens}{calls}{right:>5}/{len(lines):<3}{verified:>5}/{len(lines):<3}"


def _ratios(state: str, other: str, lines: Sequence[Line]) -> str:
    now, before = _of(lines, NOW, state), _of(lines, other, state)
    cells = "".join(_cell(_ratio(now, before, step), 2) for step in STEPS)
    return f"  {state:<14}  {'ratio: ' + other:<16.16}{cells}"


def _of(lines: Sequence[Line], side: str, state: str) -> list[Line]:
    return [it for it in lines if (it.side, it.state) == (side, state) and not it.error]


def _warm(lines: Sequence[Line], side: str) -> list[Line]:
    return [*_of(lines, side, "warm process"), *_of(lines, side, "warm database")]


def _median(lines: Sequence[Line], step: str) -> float | None:
    values = [value for it in lines if (value := getattr(it, step)) is not None]
    return median(values) if values else None


def _ratio(lines: Sequence[Line], others: Sequence[Line], step: str) -> float | None:
    one, other = _median(lines, step), _median(others, step)
    return one / other if one is not None and other else None


def _cell(value: float | None, digits: int) -> str:
    return f"{'-':>9}" if value is None else f"{value:9.{digits}f}"
