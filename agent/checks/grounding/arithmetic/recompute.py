"""Corrects arithmetic in text: placeholders first, then equations."""

from __future__ import annotations

from fractions import Fraction

from agent.checks.grounding.arithmetic.calculator import fill_placeholders
from agent.checks.grounding.arithmetic.equations import recompute
from agent.checks.grounding.arithmetic.numerals import is_european
from agent.core.answers import Correction
from executors.base import Frozen


class Computed(Frozen):
    """Text whose arithmetic is computed.

    filled: what stood in `[[...]]`, and what it came to.
    corrected: equations whose result was put right.
    values: what placeholders and equations came to, exactly, for tracing.
    warnings: one sentence for each placeholder that could not be computed.
    """

    text: str
    filled: tuple[Correction, ...] = ()
    corrected: tuple[Correction, ...] = ()
    values: tuple[Fraction, ...] = ()
    warnings: tuple[str, ...] = ()


def compute(text: str, *, currency: str = "", language: str | None = None) -> Computed:
    """Fill every `[[...]]` in, then recompute every equation; what is right stays to the letter.

    Args:
        currency: ISO code of the data's amounts; empty where nothing says it.
        language: of the text, in which its numbers are read; None where it is not known.
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
    """A line with its arithmetic computed, as `compute` does it. Args: language: as of `compute`."""
    return compute(line, language=language).text
