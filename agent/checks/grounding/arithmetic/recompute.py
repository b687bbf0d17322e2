"""Corrects arithmetic in text: placeholders first, then equations."""

from __future__ import annotations

from fractions import Fraction

from agent.checks.grounding.arithmetic.calculator import fill_placeholders
from agent.checks.grounding.arithmetic.equations import recompute
from agent.checks.grounding.numbers.numerals import is_european
from agent.core.answers import Correction
from executors.base import Frozen


class Computed(Frozen):
    """Text with computed arithmetic.

    filled: the contents of `[[...]]` and their values.
    corrected: equations with a corrected result.
    values: the exact values of placeholders and equations, for tracing.
    warnings: one sentence per placeholder that could not be computed.
    """

    text: str
    filled: tuple[Correction, ...] = ()
    corrected: tuple[Correction, ...] = ()
    values: tuple[Fraction, ...] = ()
    warnings: tuple[str, ...] = ()


def compute(text: str, *, currency: str = "", language: str | None = None) -> Computed:
    """Fill in each `[[...]]`, then recompute each equation. Correct text is left unchanged.

    Args:
        currency: ISO code of the data's amounts. Empty if it is unknown.
        language: of the text and its numbers. None if it is unknown.
    """
    filled = fill_placeholders(text, currency=currency, european=is_european(language))
    recomputed = recompute(filled.text, language)
    return Computed(
        text=recomputed.text,
        filled=filled.corrections,
        corrected=recomputed.corrections,
        values=(*filled.values, *recomputed.values),
        warnings=filled.warnings,
    )


def recompute_line(line: str, language: str | None = None) -> str:
    """A line with its arithmetic computed as by `compute`. Args: language: as in `compute`."""
    return compute(line, language=language).text
