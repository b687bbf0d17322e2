"""A question compared with the schema: what it names, and what the docs say about that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from agent.core.models import Choice, Clarification, Reason
from agent.databases.knowledge.context import Context
from agent.understanding.clarification.languages import Frames, frames_of, write_list
from agent.understanding.suggest import is_date
from executors.base import Column, Schema, Table
from rag.docs.documents import Document, Retrieved
from rag.identity_cache import IdentityCache
from rag.linking.fusion import term_of, uses_term
from rag.linking.schema_ranking import document_scores
from rag.words import telling_words, words

_WAREHOUSE = frozenset({"t", "dim", "fact", "tbl", "tb", "stg", "raw", "vw", "view"})  # before a table's own name
# What a column of times is called, whatever it is the time of.
_TIME_WORDS = words("at on of in date datum time timestamp datetime day dt ts utc")
_STEM = 4  # letters that forms of a word share: shipped, shipping, shipment
# Words that say that it does not matter, or that nobody is to be asked.
_DECLINES = re.compile(
    r"\b(?:(?:just|your best|take a|make a|best) guess|any (?:of them|one|will do)|whichever"
    r"|whatever you (?:think|like)"
    r"|(?:it )?does(?: not|n['’]t) matter|no matter which|either is fine|don['’]?t ask|do not ask|egal welche\w*"
    r"|rate einfach|n['’]importe (?:lequel|laquelle|quel\w*)|da igual|cualquiera)\b|,\s*any\W*$|아무거나|상관없",
    re.IGNORECASE,
)


class Place(NamedTuple):
    table: Table
    column: Column

    @property
    def name(self) -> str:
        """As people and the linker read it: `orders.ordered_at`."""
        return f"{self.table.name}.{self.column.name}"


class Inquiry:
    """One question, read once for all checks; each part is made when it is first needed.

    Earlier messages of the session count as mentioned.
    """

    def __init__(self, text: str, context: Context) -> None:
        self.text, self.context = text, context
        self.schema: Schema = context.db_schema

    @cached_property
    def frames(self) -> Frames:
        """The words of an answer, in the question's language."""
        return frames_of(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return words(self.text)

    @cached_property
    def known_text(self) -> str:
        """What was said before in the session, and what the docs say: it may have settled things."""
        return f"{self.conversation}\n{text_of(self.context.known)}"

    @cached_property
    def conversation(self) -> str:
        """What was said before in the session, and the rules that are shown with the question."""
        conversation = (f"{it.question} {it.answer} {it.sql or ''}" for it in self.context.history)
        return "\n".join([*conversation, *self.context.rules])

    @property
    def declines(self) -> bool:
        """Whether the user does not want to be asked."""
        return bool(_DECLINES.search(self.text))

    @cached_property
    def rules(self) -> tuple[Document, ...]:
        """The entries of the glossary whose terms the question uses."""
        telling = telling_words(self.text)
        entries = (it for it in self.context.known if it.kind == "rule")
        return tuple(it for it in entries if (term := term_of(it.text)) and uses_term(term, self.text, telling))

    @cached_property
    def mentioned_names(self) -> frozenset[tuple[str, str]]:
        """Tables and columns that those entries name; the column is empty where a table is meant."""
        found = document_scores(self.schema, [Retrieved(document=it, score=1.0) for it in self.rules])
        return frozenset(found)

    @cached_property
    def named_tables(self) -> tuple[Table, ...]:
        """The tables that the question names; of `order items` and `items`, both."""
        return tuple(table for table in self.schema.tables if own_words(table) <= self.stems)

    @cached_property
    def in_play(self) -> tuple[Table, ...]:
        """The tables that the question is about: named by it, by a term that it uses, or by their columns."""
        found = {table.name: table for table in self.named_tables}
        for name, _ in self.mentioned_names:
            if table := self.schema.table(name):
                found[table.name] = table
        if not found:
            owners = [place.table for place in self.columns if self.says(place.column)]
            found = {table.name: table for table in owners} if len({it.name for it in owners}) <= 2 else {}
        if not found:
            ranked = self.context.linked.ranking.tables[:1]
            found = {table.name: table for it in ranked if (table := self.schema.table(it.table))}
        return tuple(found.values())

    @cached_property
    def columns(self) -> tuple[Place, ...]:
        return tuple(Place(table, it) for table in self.schema.tables for it in table.columns if not it.private)

    def says(self, column: Column) -> bool:
        """Whether the question says a column's whole name, in whatever form."""
        own = words(column.name)
        return bool(own - _TIME_WORDS) and own - _TIME_WORDS <= self.stems

    def with_ending(self, addition: str) -> str:
        """The question with some words before its last sign."""
        return with_ending(self.text, addition)


@IdentityCache
def text_of(documents: tuple[Document, ...]) -> str:
    """What documents say, each on a line."""
    return "\n".join(f"{it.display_text} {it.sql}" for it in documents)


@IdentityCache
def words_of_names(schema: Schema) -> frozenset[str]:
    """The words of the names of its tables and columns."""
    return words(" ".join(name for it in schema.tables for name in (it.name, *(c.name for c in it.columns))))


def own_words(table: Table) -> frozenset[str]:
    """The words that name what a table holds."""
    found = words(table.parts[-1])
    return (found - _WAREHOUSE) or found


def time_words(column: Column) -> frozenset[str]:
    """What a column of times is the time of; empty for `date`."""
    return words(column.name) - _TIME_WORDS


def are_alike(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a word of each begin alike."""
    begin = {it[:_STEM] for it in others if len(it) >= _STEM}
    return any(it[:_STEM] in begin for it in some if len(it) >= _STEM)


def date_places(table: Table) -> list[Place]:
    """The date columns that may be shown."""
    return [Place(table, it) for it in table.columns if not it.private and is_date(it)]


def find_place(schema: Schema, table: str, column: str) -> Place | None:
    """A column of a table, both by their names; None where there is none."""
    found = schema.table(table)
    named = found.column(column) if found is not None else None
    return Place(found, named) if found is not None and named is not None else None


def ask_by_measure(inquiry: Inquiry, mention: str, names: Sequence[str]) -> Clarification:
    """By which measure something vague is meant. Args: names: of the measures, the first of which is assumed."""
    frames = inquiry.frames
    labels = [frames.by.format(name=name) for name in names]
    choices = [Choice(label=label, question=inquiry.with_ending(label)) for label in labels]
    meant = frames.assumed.format(mention=mention, meant=labels[0]) if labels else ""
    return ask("vague_measure", frames.vague_measure.format(mention=mention), choices, meant)


def ask(reason: Reason, text: str, choices: Sequence[Choice], assumption: str = "") -> Clarification:
    """A question back, with its choices under it, one a line."""
    listed = write_list(text, [it.label for it in choices])
    return Clarification(reason=reason, text=listed, choices=tuple(choices), assumption=assumption)


def with_ending(text: str, addition: str) -> str:
    """A sentence with some words before its last sign."""
    body = text.rstrip(" .?!…。？！")
    return f"{body} {addition}{text[len(body) :].strip()}"
