"""A question compared with the schema: the names it contains, and what the docs state about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from agent.core.models import Choice, Clarification, Reason
from agent.databases.knowledge.context import Context
from agent.understanding.clarification.words.languages import Frames, frames_of, write_list
from agent.understanding.suggest import is_date
from executors.base import Column, Schema, Table
from rag.docs.documents import Document, Retrieved
from rag.identity_cache import IdentityCache
from rag.linking.fusion import term_of, uses_term
from rag.linking.schema_ranking import document_scores
from rag.words import telling_words, words

_WAREHOUSE = frozenset({"t", "dim", "fact", "tbl", "tb", "stg", "raw", "vw", "view"})  # prefixes of table names
# Generic words in the names of date columns.
_TIME_WORDS = words("at on of in date datum time timestamp datetime day dt ts utc")
_STEM = 4  # letters that forms of a word share: shipped, shipping, shipment
# Words that state that the choice does not matter, or that the user does not want to be asked.
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
        """The qualified name, as the linker writes it: `orders.ordered_at`."""
        return f"{self.table.name}.{self.column.name}"


class Inquiry:
    """One question, read once for all checks. Each part is computed when it is first needed.

    Earlier messages of the session count as mentioned.
    """

    def __init__(self, text: str, context: Context) -> None:
        self.text, self.context = text, context
        self.schema: Schema = context.db_schema

    @cached_property
    def frames(self) -> Frames:
        """The texts of clarifications, in the question's language."""
        return frames_of(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        return words(self.text)

    @cached_property
    def known_text(self) -> str:
        """The conversation and the known docs. They may settle what the question leaves open."""
        return f"{self.conversation}\n{text_of(self.context.known)}"

    @cached_property
    def conversation(self) -> str:
        """The earlier messages of the session, and the rules that are shown with the question."""
        conversation = (f"{it.question} {it.answer} {it.sql or ''}" for it in self.context.history)
        return "\n".join([*conversation, *self.context.rules])

    @property
    def declines(self) -> bool:
        """Whether the user does not want to be asked back."""
        return bool(self.declining)

    @property
    def declining(self) -> str:
        """The words by which the user declines a clarification. Empty if there are none."""
        found = _DECLINES.search(self.text)
        return found[0] if found is not None else ""

    @cached_property
    def rules(self) -> tuple[Document, ...]:
        """The glossary entries whose terms the question uses."""
        telling = telling_words(self.text)
        entries = (it for it in self.context.known if it.kind == "rule")
        return tuple(it for it in entries if (term := term_of(it.text)) and uses_term(term, self.text, telling))

    @cached_property
    def mentioned_names(self) -> frozenset[tuple[str, str]]:
        """Tables and columns that these entries name. The column is empty if an entry names the table itself."""
        found = document_scores(self.schema, [Retrieved(document=it, score=1.0) for it in self.rules])
        return frozenset(found)

    @cached_property
    def named_tables(self) -> tuple[Table, ...]:
        """The tables that the question names. `order items` names both `order_items` and `items`."""
        return tuple(table for table in self.schema.tables if own_words(table) <= self.stems)

    @cached_property
    def in_play(self) -> tuple[Table, ...]:
        """The tables that the question is about: named in it, by a term that it uses, or through their columns."""
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
        """Whether the question contains a column's whole name, in any form."""
        own = words(column.name)
        return bool(own - _TIME_WORDS) and own - _TIME_WORDS <= self.stems

    def with_ending(self, addition: str) -> str:
        """The question with words inserted before its final punctuation."""
        return with_ending(self.text, addition)


@IdentityCache
def text_of(documents: tuple[Document, ...]) -> str:
    """The texts of documents, one per line."""
    return "\n".join(f"{it.display_text} {it.sql}" for it in documents)


@IdentityCache
def words_of_names(schema: Schema) -> frozenset[str]:
    """The words in the names of a schema's tables and columns."""
    return words(" ".join(name for it in schema.tables for name in (it.name, *(c.name for c in it.columns))))


def own_words(table: Table) -> frozenset[str]:
    """The words of a table's name, without warehouse prefixes."""
    found = words(table.parts[-1])
    return (found - _WAREHOUSE) or found


def time_words(column: Column) -> frozenset[str]:
    """The words of a date column's name without the generic ones. Empty for `date`."""
    return words(column.name) - _TIME_WORDS


def are_alike(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether a word of the one begins like a word of the other."""
    begin = {it[:_STEM] for it in others if len(it) >= _STEM}
    return any(it[:_STEM] in begin for it in some if len(it) >= _STEM)


def date_places(table: Table) -> list[Place]:
    """The date columns of a table that are not private."""
    return [Place(table, it) for it in table.columns if not it.private and is_date(it)]


def find_place(schema: Schema, table: str, column: str) -> Place | None:
    """A column, found by table and column name. None if it does not exist."""
    found = schema.table(table)
    named = found.column(column) if found is not None else None
    return Place(found, named) if found is not None and named is not None else None


def ask_by_measure(inquiry: Inquiry, mention: str, names: Sequence[str]) -> Clarification:
    """Ask which measure a vague word refers to. Args: names: of the measures. The first one is assumed."""
    frames = inquiry.frames
    labels = [frames.by.format(name=name) for name in names]
    choices = [Choice(label=label, question=inquiry.with_ending(label)) for label in labels]
    meant = frames.assumed.format(mention=mention, meant=labels[0]) if labels else ""
    return ask("vague_measure", frames.vague_measure.format(mention=mention), choices, meant)


def ask(reason: Reason, text: str, choices: Sequence[Choice], assumption: str = "") -> Clarification:
    """A clarification with its choices listed below the text, one per line."""
    listed = write_list(text, [it.label for it in choices])
    return Clarification(reason=reason, text=listed, choices=tuple(choices), assumption=assumption)


def with_ending(text: str, addition: str) -> str:
    """A sentence with words inserted before its final punctuation."""
    body = text.rstrip(" .?!…。？！")
    return f"{body} {addition}{text[len(body) :].strip()}"
