"""Figures next to their targets, as every measurement prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Figure(NamedTuple):
    """What was measured, and the most that it should be; None: it has no target."""

    name: str
    value: float
    unit: str
    target: float | None = None

    @property
    def met(self) -> bool:
        """Whether it is within its target, where it has one."""
        return self.target is None or self.value <= self.target


def show(title: str, figures: Sequence[Figure]) -> bool:
    """Print figures as a table. Returns whether all targets are met."""
    width = max(len(it.name) for it in figures)
    print(title)
    for it in figures:
        target = "" if it.target is None else f"   {'met' if it.met else 'MISSED'}: at most {it.target:g} {it.unit}"
        print(f"  {it.name:<{width}}  {it.value:9.2f} {it.unit:<2}{target}")
    return all(it.met for it in figures)
