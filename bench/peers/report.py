"""The results of each peer as a table with ratios, as figures, and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.drawing import draw_bars
from bench.targets import Figure

COUNTED = ("model_calls", "prompt_tokens", "cached_tokens", "completion_tokens")


class Result(NamedTuple):
    """One peer's figures over all questions; `right` of `asked`.

    own_ms: CPU, the median. calls, tokens: means; `cached_tokens` are those of the prompt that the model did not read
    again. import_s: CPU. start_s: CPU for import, and until the first question can be asked. steps: means of calls and
    tokens by step, where they are counted.
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


def report(results: Sequence[Result], model: str) -> None:
    """Print the figures, each with its ratio to the first one's, then tokens by step and the failures."""
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
            calls, read, cached, replied = (counts[name] for name in COUNTED)
            tokens = f"{read:.0f} tokens ({cached:.0f} cached), {replied:.0f} replied"
            print(f"  {it.name}, {step}: {calls:.1f} calls; {tokens}")
        for failure in dict.fromkeys(it.failures):
            print(f"  {it.name} could not answer: {failure}")


_COLUMNS = {
    "own ms": 14, "calls": 12, "prompt tok.": 14, "cached": 8, "reply tok.": 12, "right": 8, "MB": 12, "import s": 13,
    "start s": 13,
}  # fmt: skip


def _with_ratio(value: float, own: float, digits: int) -> str:
    return f"{value:.{digits}f} ({value / own:.1f})" if own else f"{value:.{digits}f}"


def figures(results: Sequence[Result]) -> list[Figure]:
    """The first one beside the best of the others, for each figure."""
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
    charts = {
        "own CPU of a question, ms": [it.own_ms for it in results],
        "model calls of a question": [it.calls for it in results],
        "prompt tokens of a question": [it.prompt_tokens for it in results],
        "right answers, %": accuracy,
        "peak memory, MB": [it.memory_mb for it in results],
        "import, seconds of CPU": [it.import_s for it in results],
        "until ready, seconds of CPU": [it.start_s for it in results],
    }
    path.write_text(draw_bars(f"The same questions, the same {model} model", names, charts), encoding="utf-8")
