"""Intervals as the cron expressions of Azure Functions' timers."""

from __future__ import annotations

MINUTE, HOUR = 60, 3600


def cron(seconds: float) -> str:
    """The NCRONTAB expression (second, minute, hour, day, month, weekday) nearest to an interval."""
    minutes = max(1, round(seconds / MINUTE))
    if minutes < HOUR // MINUTE:
        return f"0 */{minutes} * * * *"
    hours = round(seconds / HOUR)
    return f"0 0 */{hours} * * *" if hours < 24 else "0 0 0 * * *"
