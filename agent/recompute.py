"""Arithmetic in text, put right: placeholders first, then equations."""

from __future__ import annotations

from agent.arithmetic.equations import recompute
from agent.calculator import fill_placeholders


def recompute_line(line: str) -> str:
    """A line with its `[[...]]` filled in and its equations recomputed; what is right stays to the letter."""
    return recompute(fill_placeholders(line).text).text
