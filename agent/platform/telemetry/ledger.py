"""The cost of one question: time per step, model calls, tokens and dollars; and warnings for the reader."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from agent.core.usage import StepUsage, Usage
from agent.platform import telemetry
from agent.platform.config.pricing import Prices
from agent.platform.telemetry.trace import STEP

NO_STEP = "other"


class Ledger:
    """Costs and warnings of the question that the loop answers. Calls without a model name count as `model`'s."""

    def __init__(self, prices: Prices | None = None, model: str = "") -> None:
        self.usage = Usage(cost_usd=0.0)
        self.timings_ms: dict[str, float] = {}
        self.warnings: list[str] = []
        self.last = 0.0  # milliseconds of the step that ended last
        self._prices, self._model = prices, model

    def spend(self, usage: Usage, model: str = "") -> None:
        """Add a model call's tokens and cost to the current step."""
        model = model or self._model
        cost = self._prices.cost(model, usage) if self._prices is not None else None
        telemetry.get().record_cost(model, cost)
        counts = usage.model_dump(exclude={"by_step", "cost_usd"})
        self.usage = self.usage.with_call(STEP.get() or NO_STEP, StepUsage(**counts, cost_usd=cost))

    def warn(self, sentence: str) -> None:
        """Add a warning for the reader, once."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    @contextmanager
    def time_step(self, node: str) -> Iterator[None]:
        """Add the time inside the block to the step. `last` holds it in milliseconds."""
        start = time.perf_counter()
        try:
            with self.step(node):
                yield
        finally:
            self.last = round((time.perf_counter() - start) * 1000, 1)
            self.timings_ms[node] = round(self.timings_ms.get(node, 0.0) + self.last, 1)

    @contextmanager
    def step(self, node: str) -> Iterator[None]:
        """Assign work inside the block to a step, without its time, because it was started early."""
        if STEP.get() == node:
            yield
            return
        token = STEP.set(node)
        try:
            with telemetry.get().step(node):
                yield
        finally:
            STEP.reset(token)
