"""What a question back consists of."""

from __future__ import annotations

from typing import Literal

from executors.base import Frozen

Reason = Literal[
    "vague_time", "two_dates", "several_values", "several_columns", "vague_measure", "missing_data", "model"
]


class Choice(Frozen):
    """One way to read an ambiguous question: what a button says, and the whole question that it stands for."""

    label: str
    question: str


class Clarification(Frozen):
    """What must be asked back.

    reason: what is ambiguous; `missing_data` where nothing is, but the data is not there; `model` where the generator
        asked.
    text: for the user, in the question's language where its words are known, with the choices as lines.
    choices: ways to read it; of missing data, what could be asked instead.
    assumption: where nobody may be asked, what is taken to be meant, or what is missing, one sentence.
    """

    reason: Reason
    text: str
    choices: tuple[Choice, ...] = ()
    assumption: str = ""
