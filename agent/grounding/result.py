"""An answer after its checks, as the response takes it."""

from __future__ import annotations

from agent.models import AnswerNumber, AnswerSource, Check, Correction
from executors.base import Frozen


class CheckedText(Frozen):
    """An answer after its checks.

    numbers: each with where it comes from. problems: what nothing supports, in short; such a text is not shown.
    source: who wrote it.
    """

    text: str
    corrections: tuple[Correction, ...] = ()
    numbers: tuple[AnswerNumber, ...] = ()
    checks: tuple[Check, ...] = ()
    problems: tuple[str, ...] = ()
    source: AnswerSource = "model"
