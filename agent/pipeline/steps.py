"""The modules that no question goes without; each is loaded late, so that a process starts at once."""

from __future__ import annotations

import importlib

_STEPS = (
    "agent.pipeline.answers.understood",
    "agent.understanding.clarification.check",
    "agent.grounding.arithmetic.recompute",
    "agent.present.explain.query",
    "executors.guard.guard",
    "executors.records.raw_records",
)


def load_steps() -> None:
    """Load them; blocks, for seconds on a busy machine."""
    for name in _STEPS:
        importlib.import_module(name)
