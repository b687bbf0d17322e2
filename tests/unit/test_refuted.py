"""Drafts that ask for what no row has: they contradict nobody, unless it may rightly find nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from test_unread import open_lab

from agent.core.models import Options
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

SCHEMA = """
CREATE TABLE vehicle (
    id INTEGER PRIMARY KEY, gearbox TEXT NOT NULL, fuel TEXT NOT NULL, has_hook TEXT NOT NULL, keeper TEXT, driver TEXT
);
INSERT INTO vehicle VALUES
    (1, 'manual', 'petrol', 'Y', 'Dan', 'Ada'), (2, 'manual', 'hybrid', 'N', 'Ada', 'Ada'),
    (3, 'automatic', 'hybrid', 'Y', 'Dan', NULL), (4, 'automatic', 'diesel', 'N', 'Eve', 'Ada'),
    (5, 'manual', 'diesel', 'N', 'Eve', 'Ada');
CREATE TABLE trip (id INTEGER PRIMARY KEY, vehicle_id INTEGER REFERENCES vehicle);
INSERT INTO trip VALUES (1, 1), (2, 2), (3, NULL), (4, 5);
"""
COUNT = "SELECT COUNT(*) AS n FROM vehicle WHERE "
HYBRIDS = "How many hybrid cars are there?"


@pytest.fixture
async def garage(settings: Settings, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Service]:
    async with open_lab(settings, model, tmp_path, SCHEMA) as service:
        yield service


async def ask(garage: Service, model: ScriptedModel, question: str, *conditions: str) -> tuple[object, bool, str]:
    """The number that is shown, whether it is verified, and what the vote says. Each condition is that of a draft."""
    for condition in conditions:
        model.replies(sql=COUNT + condition)
    answer = await garage.query(question, "lab", options=Options(enable_answer=False))
    assert len(model.asked) == len(conditions), "all drafts are written, and no more"
    vote = next(it for it in answer.checks if it.name == "second_draft")
    return answer.results[0]["n"], answer.verified, vote.detail


async def test_a_text_that_nobody_said_and_no_row_has_contradicts_nobody(garage: Service, model: ScriptedModel) -> None:
    question, drafts = "How many vehicles have a hook?", ("has_hook = 'Y'", "has_hook = 'TRUE'", "'Y' = has_hook")

    told = "2 of 2 independent drafts give these rows. 1 more asks for what no row has."
    assert await ask(garage, model, question, *drafts) == (2, True, told)


@pytest.mark.parametrize(
    "wrong",
    [
        "gearbox = 'hybrid'",
        "fuel = 'Hybrid'",
        "gearbox IN ('hybrid', 'electric')",
        "id < 2 AND fuel = 'hybrid' AND id > 3",
        "id BETWEEN 3 AND 2",
    ],
)
async def test_a_kind_that_another_column_stores(garage: Service, model: ScriptedModel, wrong: str) -> None:
    shown = await ask(garage, model, HYBRIDS, "fuel = 'hybrid'", wrong, "fuel LIKE 'hybrid'")

    assert shown[:2] == (2, True)


@pytest.mark.parametrize(
    "other",
    [
        "gearbox IN ('manual', 'Auto')",  # one of them is stored
        "(gearbox = 'hybrid' OR id > 1)",
        "NOT gearbox = 'Auto'",
        "fuel = 'petrol'",
        "fuel > 'hybrid'",
        "fuel LIKE 'electric'",  # only texts that must be equal are looked up
    ],
)
async def test_other_conditions_contradict(garage: Service, model: ScriptedModel, other: str) -> None:
    drafts = ("fuel = 'hybrid'", other, "id IN (2, 3)", other, "id > 9")

    shown = await ask(garage, model, HYBRIDS, *drafts)

    assert shown[1:] == (False, "5 drafts give 3 different results.")


async def test_a_name_may_be_of_nobody(garage: Service, model: ScriptedModel) -> None:
    """Dan keeps vehicles and drives none: the drafts that find nothing may be right."""
    drafts = [f"driver = 'Dan' AND id < {number}" for number in (7, 8, 9)]
    drafts = [drafts[0].replace("driver", "keeper"), *drafts, "'Dan' = keeper"]

    told = "2 of 5 independent drafts give these rows, and no two others agree."
    assert await ask(garage, model, "How many vehicles does Dan drive?", *drafts) == (2, False, told)


async def test_drafts_confirm_an_alternative_whose_rows_they_give(garage: Service, model: ScriptedModel) -> None:
    """NOT IN over a list with NULL finds nothing. Three drafts find the rows of its alternative by other queries."""
    drafts = (
        "NOT id IN (SELECT vehicle_id FROM trip)",
        "NOT EXISTS (SELECT 1 FROM trip WHERE vehicle_id = vehicle.id)",
        "id IN (SELECT id FROM vehicle EXCEPT SELECT vehicle_id FROM trip)",
        "id IN (3, 4)",
    )

    told = "3 of 4 independent drafts give these rows."
    assert await ask(garage, model, "How many vehicles have never had a trip?", *drafts) == (2, True, told)
