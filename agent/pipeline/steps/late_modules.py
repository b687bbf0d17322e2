"""The modules that every question needs, loaded late so that a process starts quickly."""

from __future__ import annotations

import importlib
import sys

_BEFORE_THE_QUERY = (
    "agent.understanding.messages.small_talk",
    "agent.pipeline.answers.understood",
    "agent.understanding.clarification.check",
)
_AFTER_IT = (
    "agent.checks.grounding.arithmetic.recompute",
    "agent.present.explain.query",
    "executors.guard.guard",
    "executors.records.raw_records",
)


def load_first_steps() -> None:
    """Load the modules that run before the first query is written. Blocks, for seconds on a busy machine."""
    _load(_BEFORE_THE_QUERY)


def load_last_steps() -> None:
    """Load the modules that run once a query is written. Blocks."""
    _load(_AFTER_IT)


def last_steps_are_loaded() -> bool:
    """Whether the modules of the last steps are loaded, or are being loaded."""
    return all(name in sys.modules for name in _AFTER_IT)


def load_steps() -> None:
    load_first_steps()
    load_last_steps()


def _load(names: tuple[str, ...]) -> None:
    for name in names:
        importlib.import_module(name)
