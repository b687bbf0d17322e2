"""Units at the end of names, which labels and suggested questions leave out."""

from __future__ import annotations

import pytest

from agent.core.texts.units import without_unit
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
