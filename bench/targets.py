"""Prints figures next to their targets, and stores them for the summary."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agent.platform.config.settings import ROOT

FIGURES = ROOT / ".plumbline" / "bench"  # a file of each part


class Figure(NamedTuple):
    """A measured figure; `value` is None if time or disk did not suffice.

    target: the most that it should be, or the least where `at_least`; None: it has no target.
    """

    name: str
    value: float | None
    unit: str
    target: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it is within its target, where it has one."""
        if self.target is None:
            return True
        if self.value is None:
            return False
        return self.value >= self.target if self.at_least else self.value <= self.target

    @property
    def text(self) -> str:
        """Its value, and its target with whether it is met."""
        value = f"{'not reached':>9} " if self.value is None else f"{self.value:9.2f} {self.unit:<2}"
        if self.target is None:
            return value
        verdict = "met" if self.met else "MISSED"
        bound = "at least" if self.at_least else "at most"
        return f"{value}   {verdict}: {bound} {self.target:g} {self.unit}".rstrip()


def show(title: str, figures: Sequence[Figure]) -> bool:
    """Print figures as a table. Returns whether all targets are met."""
    width = max(len(it.name) for it in figures)
    print(title)
    for it in figures:
        print(f"  {it.name:<{width}}  {it.text}".rstrip())
    return all(it.met for it in figures)


def keep(title: str, figures: Sequence[Figure], folder: Path = FIGURES) -> None:
    """Write the figures for `kept`, in place of those that had the same title."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{title.casefold().replace(' ', '-').replace(',', '')}.json"
    path.write_text(json.dumps({"title": title, "figures": figures}), encoding="utf-8")


def read_figures(folder: Path = FIGURES) -> dict[str, list[Figure]]:
    """The figures that were written, by title, in the order of their writing."""
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    parts = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    return {it["title"]: [Figure(*one) for one in it["figures"]] for it in parts}
