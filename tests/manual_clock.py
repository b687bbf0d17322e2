"""A clock that only the test moves."""

from __future__ import annotations


class Clock:
    """Seconds since the epoch. Args: now: when it begins."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
