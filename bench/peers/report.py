"""What was measured of each peer, as a table with ratios, as figures, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agent.config.pricing import Price, Prices
from agent.core.usage import StepUsage
from bench import svg
from bench.targets import Figure

COUNTED = ("model_calls", "prompt_tokens", "cached_tokens", "completion_tokens")


class Result(NamedTuple):
    """One peer's figures over all questions; `right` of `asked`.

    own_ms: CPU, the median. calls, tokens: means; `cached_tokens` are those of the prompt that the model did not read
    again. import_s: CPU. start_s: CPU for import, and until the first question can be asked. steps: means of calls and
    tokens by step, where they are counted. seconds: from question to answer, the mean.
    """

    name: str
    own_ms: float
    calls: float
    prompt_tokens: float
    cached_tokens: float
    completion_tokens: float
    right: int
    asked: int
    memory_mb: float
    import_s: float
    start_s: float
    failures: tuple[str, ...] = ()
    steps: Mapping[str, Mapping[str, float]] = {}
    seconds: float = 0.0

    def per_right(self, price: Price) -> PerRight | None:
        """What a right answer costs, the wrong ones included; None where none is right."""
        if not self.right:
            return None
        of_each = self.asked / self.right
        used = StepUsage(
            prompt_tokens=round(self.prompt_tokens * self.asked),
            cached_tokens=round(self.cached_tokens * self.asked),
            completion_tokens=round(self.completion_tokens * self.asked),
        )
        return PerRight(
            seconds=self.seconds * of_each,
            tokens=(self.prompt_tokens + self.completion_tokens) * of_each,
            dollars=(Prices({}, otherwise=price).cost(self.name, used) or 0.0) / self.right,
        )


class PerRight(NamedTuple):
    """Seconds, tokens read and written, and US dollars at list prices, for one right answer."""

    seconds: float
    tokens: float
    dollars: float


def report_per_right(results: Sequence[Result], price: Price) -> None:
    """Print what a right answer costs with each, and the ratio to the first one's."""
    own = results[0].per_right(price)
    cached = price.input if price.cached is None else price.cached
    print(f"For each right answer; in brackets the ratio to {results[0].name}. A million tokens cost")
    print(f"{price.input:g} dollars read, {cached:g} cached, {price.output:g} written.")
    print(f"  {'':<17}{'seconds':>16}{'tokens':>18}{'dollars':>20}")
    for it in results:
        found = it.per_right(price)
        if found is None or own is None:
            cells = ("-",) * 3 if found is None else tuple(f"{value:.6g}" for value in found)
        else:
            digits = zip(found, own, (2, 0, 6), strict=True)
            cells = tuple(_with_ratio(value, first, places) for value, first, places in digits)
        print(f"  {it.name:<17}{cells[0]:>16}{cells[1]:>18}{cells[2]:>20}")


def report(results: Sequence[Result], model: str) -> None:
    """Print the figures, each with its ratio to the first one's; then tokens by step, and who could not answer."""
    own = results[0]
    print(f"Peers, {model} model, {own.asked} questions; in brackets the ratio to {own.name}")
    print(f"  {'':<17}" + "".join(f"{name:>{width}}" for name, width in _COLUMNS.items()))
    for it in results:
        cells = [
            _with_ratio(it.own_ms, own.own_ms, 1),
            _with_ratio(it.calls, own.calls, 1),
            _with_ratio(it.prompt_tokens, own.prompt_tokens, 0),
            f"{it.cached_tokens:.0f}",
            f"{it.completion_tokens:.0f}",
            f"{it.right}/{it.asked}",
            _with_ratio(it.memory_mb, own.memory_mb, 0),
            _with_ratio(it.import_s, own.import_s, 2),
            _with_ratio(it.start_s, own.start_s, 2),
        ]
        print(
            f"  {it.name:<17}"
            + "".join(f"{cell:>{_COLUMNS[name]}}" for name, cell in zip(_COLUMNS, cells, strict=True))
        )
    for it in results:
        for step, counts in it.steps.items():
            calls, read, cached, said = (counts[name] for name in COUNTED)
            tokens = f"{read:.0f} tokens ({cached:.0f} cached), {said:.0f} replied"
            print(f"  {it.name}, {step}: {calls:.1f} calls; {tokens}")
        for failure in dict.fromkeys(it.failures):
            print(f"  {it.name} could not answer: {failure}")


_COLUMNS = {
    "own ms": 14, "calls": 12, "prompt tok.": 14, "cached": 8, "reply tok.": 12, "right": 8, "MB": 12, "import s": 13,
    "start s": 13,
}  # fmt: skip


def _with_ratio(value: float, own: float, digits: int) -> str:
    return f"{value:.{digits}f} ({value / own:.1f})" if own else f"{value:.{digits}f}"


def figures_per_right(results: Sequence[Result], price: Price) -> list[Figure]:
    """The first one's costs of a right answer as ratios to the least of the others'; less than 1: ahead of each."""
    own, *others = (it.per_right(price) for it in results)
    known = [it for it in others if it is not None]
    if own is None or not known:
        return []
    return [
        Figure(
            f"{name} for each right answer: ratio of {results[0].name} to the least of the others",
            _ratio(getattr(own, name), [getattr(it, name) for it in known]),
            "",
            1.0,
        )
        for name in PerRight._fields
    ]


def figures(results: Sequence[Result]) -> list[Figure]:
    """The first one beside the best of the others in each of what is compared."""
    own, *others = results
    cached = 100 * own.cached_tokens / own.prompt_tokens
    found = [
        Figure(f"model calls of a question, {own.name}", own.calls, "", 3.0),
        Figure(f"prompt tokens that the model did not read again, {own.name}", cached, "%"),
    ]
    if not others:
        return found
    shared = f"ratio of {own.name} to the least of the others"
    right, best = own.right / own.asked, max(it.right / it.asked for it in others)
    return [
        *found,
        Figure(f"own time of a question: {shared}", _ratio(own.own_ms, [it.own_ms for it in others]), "", 1.0),
        Figure(f"prompt tokens: {shared}", _ratio(own.prompt_tokens, [it.prompt_tokens for it in others]), ""),
        Figure(f"peak memory: {shared}", _ratio(own.memory_mb, [it.memory_mb for it in others]), ""),
        Figure(f"import: {shared}", _ratio(own.import_s, [it.import_s for it in others]), ""),
        Figure(f"right answers, {own.name}", 100 * right, "%"),
        Figure("right answers, beyond the best of the others", 100 * (right - best), "points", 0.0, at_least=True),
    ]


def _ratio(own: float, others: Sequence[float]) -> float | None:
    return own / min(others) if min(others) else None


def draw(results: Sequence[Result], model: str, path: Path) -> None:
    """Bar charts beside each other."""
    names = [it.name for it in results]
    accuracy = [100 * it.right / it.asked for it in results]
    path.parent.mkdir(parents=True, exist_ok=True)
    charts = [
        svg.bars("own CPU of a question, ms", names, [it.own_ms for it in results]),
        svg.bars("model calls of a question", names, [it.calls for it in results]),
        svg.bars("prompt tokens of a question", names, [it.prompt_tokens for it in results]),
        svg.bars("right answers, %", names, accuracy),
        svg.bars("peak memory, MB", names, [it.memory_mb for it in results]),
        svg.bars("import, seconds of CPU", names, [it.import_s for it in results]),
        svg.bars("until ready, seconds of CPU", names, [it.start_s for it in results]),
    ]
    path.write_text(svg.page(f"The same questions, the same {model} model", charts, across=4), encoding="utf-8")
