"""Units at the end of names, which labels and suggested questions leave out."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import compose_text
from agent.core.texts.units import units_in_name, without_unit
from agent.understanding.first_look.questions import SuggestedQuestion
from executors.base import Column, Table


@pytest.mark.parametrize(
    "name, bare",
    [
        ("weight_kg", "weight"),
        ("price_eur", "price"),
        ("duration_min", "duration"),
        ("cost_per_km", "cost_per_km"),
        ("cost_per_km_eur", "cost_per_km"),
        ("budget", "budget"),
        ("kg", "kg"),
    ],
)
def test_a_name_without_its_unit(name: str, bare: str) -> None:
    assert without_unit(name) == bare


@pytest.mark.parametrize(
    "names, question",
    [
        (("weight_kg", "reason"), "What is the average weight of all visits?"),
        (("weight_kg", "weight_g"), "What is the average weight kg of all visits?"),
    ],
)
def test_a_suggested_question_leaves_out_the_unit(names: tuple[str, str], question: str) -> None:
    columns = tuple(Column(name=name, type="REAL") for name in names)
    table = Table(name="visits", columns=columns)
    assert SuggestedQuestion("total", "", table=table, measure=columns[0]).text() == question


@pytest.mark.parametrize(
    "name, units",
    [
        ("weight_kg", ["kg"]),
        ("weight (kg)", ["kg"]),
        ("Distance in km", ["km"]),
        ("hours_worked", ["hours"]),
        ("h_gls", []),
        ("SUM(h_gls)", []),
        ("l_name", []),
        ("m_id", []),
    ],
)
def test_a_unit_is_the_last_word_of_a_name(name: str, units: list[str]) -> None:
    assert units_in_name(name) == units


def test_home_goals_are_not_in_hours() -> None:
    goals = facts("How many goals came at home?", "SUM(h_gls)", [(31,)], "SELECT SUM(h_gls) FROM mtch")
    assert compose_text(goals).text == "Total h gls: 31."
