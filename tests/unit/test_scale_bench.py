"""The fit of a curve, and what is told of it."""

from __future__ import annotations

import pytest

from bench.scale import exponent, report


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_is_that_of_a_power(power: float) -> None:
    assert exponent([(x, 3.0 * x**power) for x in (10, 100, 1000)]) == pytest.approx(power)


def test_worse_than_linear_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert report({"tables": [(10, 5.0), (100, 6.0)]})
    assert not report({"tables": [(10, 5.0), (100, 5000.0)]})
    assert "MISSED" in capsys.readouterr().out
