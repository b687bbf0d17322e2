"""A request's options narrow the settings; only rows may be more than usual, up to a cap."""

from __future__ import annotations

import pytest

from agent.core.errors import TooManyRows
from agent.core.models import Options
from agent.core.usage import Effort
from agent.platform.config.limits import Limits, limits_of
from agent.platform.config.settings import Settings

ROWS = ("row_limit", "raw_row_limit")
SWITCHES = ("enable_evaluation", "enable_calculator", "enable_retrieval", "reuse_verified", "clarify")


def test_without_options_the_settings_hold() -> None:
    settings = Settings(max_attempts=4, row_limit=40, raw_row_limit=30, enable_calculator=False)

    assert limits_of(settings, Options()) == Limits(
        max_attempts=4,
        row_limit=40,
        raw_row_limit=30,
        enable_evaluation=True,
        enable_calculator=False,
        enable_retrieval=True,
        enable_answer=True,
        reuse_verified=True,
        clarify=True,
        effort=None,
        plan=None,
    )


@pytest.mark.parametrize(
    "setting, option, effort",
    [
        (None, None, None),
        (None, "thorough", "thorough"),
        ("balanced", None, "balanced"),
        ("balanced", "thorough", "balanced"),
        ("thorough", "quick", "quick"),
    ],
)
def test_a_request_may_ask_for_less_effort(
    setting: Effort | None, option: Effort | None, effort: Effort | None
) -> None:
    assert limits_of(Settings(effort=setting), Options(effort=option)).effort == effort


@pytest.mark.parametrize(
    "setting, option, limit",
    [
        (5, 2, 2),  # a request may ask for less
        (5, 5, 5),
        (5, 10, 5),  # and not for more
    ],
)
def test_attempts_are_the_smaller_number(setting: int, option: int, limit: int) -> None:
    assert limits_of(Settings(max_attempts=setting), Options(max_attempts=option)).max_attempts == limit


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    "setting, most, option, limit",
    [
        (5, 10, None, 5),
        (5, 10, 2, 2),
        (5, 10, 10, 10),  # a request may ask for more than usual, up to the cap
        (5, 3, None, 3),  # which holds for the usual number, too
        (5, 3, 3, 3),
    ],
)
def test_rows_are_those_that_are_asked_for(name: str, setting: int, most: int, option: int | None, limit: int) -> None:
    settings = Settings.model_validate({name: setting, "max_rows": most})

    assert getattr(limits_of(settings, Options.model_validate({name: option})), name) == limit


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(
    "most, database, where",
    [
        (10, None, "PLUMBLINE_MAX_ROWS"),
        (10, 20, "PLUMBLINE_MAX_ROWS"),
        (20, 10, "`limits: row_limit` of the database in the registry"),
    ],
)
def test_more_rows_than_can_be_had_are_refused(name: str, most: int, database: int | None, where: str) -> None:
    with pytest.raises(TooManyRows) as refused:
        limits_of(Settings(max_rows=most), Options.model_validate({name: 11}), database)

    assert str(refused.value) == f"`{name}` is 11; at most 10 rows are allowed ({where}). Ask for fewer."
    assert refused.value.most == 10


def test_no_rows_behind_an_aggregate_can_be_asked_for_and_cannot_be_overruled() -> None:
    assert limits_of(Settings(), Options(raw_row_limit=0)).raw_row_limit == 0
    assert limits_of(Settings(raw_row_limit=0), Options(raw_row_limit=100)).raw_row_limit == 0


def test_the_other_way_to_say_attempts_is_a_limit_as_well() -> None:
    assert limits_of(Settings(max_retries=1), Options(max_attempts=10)).max_attempts == 2
    assert limits_of(Settings(max_retries=1, max_attempts=1), Options()).max_attempts == 1


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize(
    "setting, option, on",
    [
        (True, None, True),
        (True, True, True),
        (True, False, False),  # a request may switch off
        (False, None, False),
        (False, True, False),  # and not on
        (False, False, False),
    ],
)
def test_a_switch_can_only_be_switched_off(name: str, setting: bool, option: bool | None, on: bool) -> None:
    found = limits_of(Settings.model_validate({name: setting}), Options.model_validate({name: option}))

    assert getattr(found, name) is on


@pytest.mark.parametrize("name", ("max_attempts", *ROWS))
def test_an_option_has_bounds_of_its_own(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Options.model_validate({name: 10_001})


@pytest.mark.parametrize(
    "setting, database, option, rows",
    [
        (500, None, None, 500),
        (500, 100, None, 100),  # a database may allow less
        (50, 100, None, 50),  # and not more
        (500, 100, 20, 20),
        (50, 100, 100, 100),
    ],
)
def test_a_database_narrows_rows_too(setting: int, database: int | None, option: int | None, rows: int) -> None:
    settings = Settings(row_limit=setting, raw_row_limit=setting)

    found = limits_of(settings, Options(row_limit=option, raw_row_limit=option), database)

    assert (found.row_limit, found.raw_row_limit) == (rows, rows)
