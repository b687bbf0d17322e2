"""What one question costs: time per step, model calls, tokens; and what the reader must be told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from agent.models import Usage


class Ledger:
    """Kept by the loop while it answers one question."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.timings_ms: dict[str, float] = {}
        self.warnings: list[str] = []
        self._last = 0.0

    def spend(self, usage: Usage) -> None:
        """Add a model call's tokens."""
        self.usage = self.usage + usage

    def warn(self, sentence: str) -> None:
        """Tell the reader, once."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    @contextmanager
    def timed(self, node: str) -> Iterator[None]:
        """Add the time spent inside to the step's; `last` holds it in milliseconds."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._last = round((time.perf_counter() - start) * 1000, 1)
            self.timings_ms[node] = round(self.timings_ms.get(node, 0.0) + self._last, 1)

    @property
    def last(self) -> float:
        """Milliseconds of the step that ended last."""
        return self._last
