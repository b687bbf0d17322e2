"""Intervals as timers of Azure Functions know them."""

from __future__ import annotations

import pytest

from agent.platform.config.schedule import cron


@pytest.mark.parametrize(
    "seconds, expression, why",
    [
        (300, "0 */5 * * * *", "the clean-up's default"),
        (600, "0 */10 * * * *", "the default of schemas"),
        (1, "0 */1 * * * *", "no oftener than each minute"),
        (90, "0 */2 * * * *", "rounded"),
        (3599, "0 0 */1 * * *", "an hour, near enough"),
        (7200, "0 0 */2 * * *", "hours"),
        (10**9, "0 0 0 * * *", "once a day at least"),
    ],
)
def test_an_interval_as_the_host_has_it(seconds: float, expression: str, why: str) -> None:
    assert cron(seconds) == expression, why
