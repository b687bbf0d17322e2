"""Retries a change of a record that another process has changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from agent.core.errors import StateUnavailable
from agent.platform.storage.store import StateConflict

PATIENCE_S = 5.0  # for which a change is tried again while others change the same

Result = TypeVar("Result")


def until_no_conflict(change: Callable[[], Result], what: str) -> Result:
    """Read, decide and write again, where another process was first. Blocks.

    Args:
        change: reads, decides and writes; raises StateConflict where what it read was changed.
        what: is changed, for people: `session`.

    Returns:
        What `change` returned at last.

    Raises:
        StateUnavailable: others were first for `PATIENCE_S`.
    """
    tries = Retrying(
        retry=retry_if_exception_type(StateConflict),
        wait=wait_random_exponential(multiplier=0.01, max=0.5),
        stop=stop_after_delay(PATIENCE_S),
        reraise=True,
    )
    try:
        return tries(change)
    except StateConflict as error:
        raise StateUnavailable(f"Too many callers change this {what} at once. Try again in a moment.") from error
