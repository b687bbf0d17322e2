"""Units at the end of names, which labels and suggested questions leave out."""

from __future__ import annotations

import pytest

from agent.core.texts.units import without_unit


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
