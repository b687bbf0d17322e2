"""A planned change can be claimed once, in time, by its planner, from any process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from manual_clock import Clock

from agent.core.errors import UnknownWritePlan, WriteNotMade
from agent.pipeline.steps.write_plans import FORGOTTEN_AFTER_S, PlannedWrite, WritePlans
from agent.platform.storage.sqlite import SqliteStore

PLAN = PlannedWrite(database="shop", principal="ann", sql="DELETE FROM orders WHERE id = 1", rows=1, seen="abc")


@pytest.fixture
def plans(tmp_path: Path, clock: Clock) -> WritePlans:
    return WritePlans(SqliteStore(tmp_path / "state.sqlite", clock), lifetime_s=600, clock=clock)


def test_a_plan_is_claimed_with_its_token(plans: WritePlans) -> None:
    issued = plans.keep(PLAN)
    assert issued.expires_at == datetime.fromtimestamp(1_700_000_600, UTC)
    assert plans.claim(issued.token, "shop", "ann") == PLAN


def test_another_process_can_take_the_second_request(plans: WritePlans, tmp_path: Path, clock: Clock) -> None:
    issued = plans.keep(PLAN)
    other = WritePlans(SqliteStore(tmp_path / "state.sqlite", clock), lifetime_s=600, clock=clock)
    assert other.claim(issued.token, "shop", "ann") == PLAN
    with pytest.raises(WriteNotMade, match="already used"):
        plans.claim(issued.token, "shop", "ann")


@pytest.mark.parametrize(
    "database, principal, why",
    [("other", "ann", "another database"), ("shop", "bob", "another caller"), ("other", "bob", "both")],
)
def test_it_is_nothing_to_anybody_else_and_stays_good(
    plans: WritePlans, database: str, principal: str, why: str
) -> None:
    issued = plans.keep(PLAN)
    with pytest.raises(UnknownWritePlan) as caught:
        plans.claim(issued.token, database, principal)
    assert "ann" not in str(caught.value), why
    assert plans.claim(issued.token, "shop", "ann") == PLAN


def test_an_unknown_token_is_unknown(plans: WritePlans) -> None:
    with pytest.raises(UnknownWritePlan, match="Ask for the change again"):
        plans.claim("nope", "shop", "ann")


def test_its_time_ends(plans: WritePlans, clock: Clock) -> None:
    issued = plans.keep(PLAN)
    clock.now += 600
    assert plans.claim(issued.token, "shop", "ann") == PLAN, "to the last second"
    late = plans.keep(PLAN)
    clock.now += 600.5
    with pytest.raises(WriteNotMade, match="expired"):
        plans.claim(late.token, "shop", "ann")


def test_what_is_long_over_is_forgotten(plans: WritePlans, clock: Clock) -> None:
    issued = plans.keep(PLAN)
    clock.now += 600 + FORGOTTEN_AFTER_S + 1
    plans.keep(PLAN)
    with pytest.raises(UnknownWritePlan):
        plans.claim(issued.token, "shop", "ann")


def test_of_many_at_once_one_gets_it(plans: WritePlans) -> None:
    issued = plans.keep(PLAN)

    def claim(_: int) -> bool:
        try:
            return plans.claim(issued.token, "shop", "ann") == PLAN
        except WriteNotMade:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(claim, range(16))) == 1


def test_the_token_itself_is_not_kept(plans: WritePlans, tmp_path: Path) -> None:
    issued = plans.keep(PLAN)
    assert issued.token.encode() not in (tmp_path / "state.sqlite").read_bytes()
    assert plans.keep(PLAN).token != issued.token
