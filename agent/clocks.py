"""Moments that are kept for other processes are of the wall clock, which somebody may set."""

from __future__ import annotations

SKEW_S = 60.0  # by which the clocks of two machines may differ


def lies_ahead(moment: float, now: float, most_s: float) -> bool:
    """Whether a kept moment is further ahead than anybody can have put it: the clock was set back meanwhile.

    Args:
        moment, now: seconds since the epoch.
        most_s: seconds, from the time at which it was kept.
    """
    return moment > now + most_s + SKEW_S
