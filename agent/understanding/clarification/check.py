"""Checks whether a question is clear for this schema, before any SQL is written and without a model.

A clear question costs a few comparisons of its words. Queries run only if something is ambiguous. In doubt, no question
is asked.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.core.models import Choice, Clarification
from agent.understanding.clarification.adjectives import find_names, vague_adjective
from agent.understanding.clarification.inquiry import Inquiry, Place, ask, date_places, time_words
from agent.understanding.clarification.lookups import Lookups
from agent.understanding.clarification.measures import vague_measure
from agent.understanding.clarification.missing import Examples, Missing, missing_data, suggest_instead
from agent.understanding.clarification.names import ambiguous_name
from agent.understanding.clarification.times import date_choices, span_choices, two_dates, vague_time
from agent.understanding.clarification.words.languages import write_list
from agent.understanding.followups.leaning import Lost, find_lost_reference

if TYPE_CHECKING:
    from agent.core.models import Question
    from agent.databases.database import Database
    from agent.databases.knowledge.context import Context
    from rag.embedding.embedder import Embedder

_FEW_VALUES = 6  # most values of a column in a model's question that become choices
_ABOUT_TIME = re.compile(r"\b(?:dates?|time|period|when|days?|weeks?|months?|years?|recent\w*|range)\b", re.IGNORECASE)


class Clarifier:
    """Finds what is ambiguous in one question.

    `embedder` is used only if words of the question stay unexplained. `meaning` is the multilingual embedder, if it is
    installed. `examples` returns questions that the database can answer, those about the named tables first.
    """

    def __init__(
        self,
        question: Question,
        context: Context,
        database: Database,
        embedder: Embedder | None,
        *,
        meaning: Embedder | None,
        examples: Examples,
    ) -> None:
        self.inquiry = Inquiry(question.text, context)
        self._lookups = Lookups(database, context.db_schema, question.principal)
        self._embedder, self._meaning, self._examples = embedder, meaning, examples

    async def find(self) -> Clarification | None:
        """The first thing that must be asked. None if the question is clear, as most are.

        A question that the docs answer is clear.
        """
        if self.inquiry.context.same_question is not None:
            return None
        return (
            await self._missing_context()
            or await ambiguous_name(self.inquiry, self._lookups)
            or await vague_time(self.inquiry, self._lookups)
            or await two_dates(self.inquiry, self._lookups)
            or await vague_measure(self.inquiry, self._meaning)
            or await vague_adjective(self.inquiry, self._meaning)
        )

    async def _missing_context(self) -> Clarification | None:
        """Ask if a first message refers to something that only an earlier one could have named."""
        inquiry = self.inquiry
        only = len(inquiry.schema.tables) == 1  # the message refers to its rows
        lost = find_lost_reference(inquiry.text) if not only and not inquiry.context.history else None
        if lost is None or (lost is Lost.NAMES_NOTHING and _names_anything(inquiry)):
            return None
        return await suggest_instead(inquiry, inquiry.frames.missing_context, self._examples, "missing_context")

    async def missing(self) -> Missing:
        """What the question asks for and the data lacks. Empty if the docs answer the question."""
        if self.inquiry.context.same_question is not None:
            return Missing()
        return await missing_data(self.inquiry, self._embedder, self._meaning, self._examples)

    async def of_missing(self, text: str) -> Clarification:
        """Suggest other questions, after a sentence that states what the data lacks."""
        return await suggest_instead(self.inquiry, text, self._examples)

    async def of_model(self, text: str, proposed: tuple[str, ...] = ()) -> Clarification:
        """A model's own question, with real ranges and choices if it names columns that have them.

        `proposed`, the model's choices, are used if the data has none.
        """
        inquiry = self.inquiry
        places = [it for it in inquiry.columns if it.table.name in inquiry.context.tables and _names(text, it)]
        dates = [it for it in places if it in date_places(it.table)]
        if len(dates) > 1 or (dates and _ABOUT_TIME.search(text)):
            return await self._with_ranges(text, dates)
        for place in [it for it in places if it not in dates][:2]:
            values = await self._lookups.distinct(place, _FEW_VALUES + 1)
            if 1 < len(values) <= _FEW_VALUES:
                endings = {value: f"({place.name} = '{value}')" for value in values}
                break
        else:
            endings = {one: f"({one})" for one in proposed}
        return ask("model", text, [Choice(label=it, question=inquiry.with_ending(end)) for it, end in endings.items()])

    async def _with_ranges(self, text: str, dates: list[Place]) -> Clarification:
        choices, ranges = await date_choices(self.inquiry, dates[:_FEW_VALUES], self._lookups)
        if len(dates) == 1:
            choices = span_choices(self.inquiry, dates[0], await self._lookups.date_range(dates[0]))
        return Clarification(reason="model", text=write_list(text, ranges), choices=tuple(choices))


def _names_anything(inquiry: Inquiry) -> bool:
    """Whether a word of the question is a name or value of the data. Numbers do not count."""
    return any(not it.isdecimal() for it in inquiry.stems & find_names(inquiry))


def _names(text: str, place: Place) -> bool:
    """Whether a text names a column, written as in the schema or in words."""
    spoken = re.escape(place.column.name).replace("_", r"[\s_]")
    telling = "_" in place.column.name or bool(time_words(place.column))
    return telling and re.search(rf"\b{spoken}\b", text, re.IGNORECASE) is not None
