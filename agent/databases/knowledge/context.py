"""The model's context: first the part that all questions share byte for byte, then the question's own part."""

from __future__ import annotations

import asyncio
import calendar
import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import SkipValidation

from agent.core.events import UsedDocument
from agent.core.models import Exchange, Question
from agent.core.resilience.off_loop import off_loop
from agent.databases.knowledge.examples import Example, make_examples
from agent.platform.llm.chat import Message
from agent.platform.llm.prompting import templates
from executors.base import Frozen, Schema, dialect_row
from executors.dialects.table import DIALECTS
from rag.docs.documents import Document, docs_digest
from rag.docs.plain_text import fold_comment
from rag.identity_cache import IdentityCache
from rag.linking.linking import Linked
from rag.linking.relative_dates import counts_from_today, relative_periods

if TYPE_CHECKING:
    from agent.databases.database import Database
    from agent.databases.knowledge.knowledge import Knowledge
    from agent.platform.config.profiles import Profile
    from agent.platform.config.settings import Settings

GENERAL_RULES_TOKENS = 400
WITHOUT_HINTS = frozenset({"sqlite"})  # measured: leaving hints out costs nothing; see docs/decisions/prompts.md


class Context(Frozen):
    """Everything known before the first query is written.

    system: the message that all steps share, so that the model reads the schema once.
    other_system: the same message with the schema in another form, for every second draft; empty: none.
    pruned, other_pruned: whether the schema in them is cut to the question.
    rules, values, examples, history: the question's own part, put into each step's message.
    closest: similarity (0 to 1) of the question to the nearest document; None if nothing was retrieved.
    same_question: the identical question in the docs, with its query.
    docs: a digest of all docs, independent of the question.
    today: a sentence with the current date, if the question depends on it; else empty.
    unread: why docs could not be read; empty if they were.
    description: what the registry says that the data is about.
    linked, known: the parts of the schema that the question is about, and all documents; used to detect ambiguity.
    """

    db_schema: Schema
    system: str
    other_system: str = ""
    rules: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    history: tuple[Exchange, ...] = ()
    tables: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    sources: tuple[UsedDocument, ...] = ()
    tokens: int = 0
    pruned: bool = False
    other_pruned: bool = False
    closest: float | None = None
    same_question: Example | None = None
    docs: str = ""
    today: str = ""
    description: str = ""
    linked: Linked = Linked()
    known: Annotated[tuple[Document, ...], SkipValidation] = ()
    warnings: tuple[str, ...] = ()
    unread: str = ""

    @property
    def otherwise(self) -> Context:
        """The context with the schema in its other form, if it has one."""
        return self.model_copy(update={"system": self.other_system or self.system})

    def messages(
        self, prompt: str, past_queries: Literal["turns", "text", "off"] = "off", /, **holes: object
    ) -> list[Message]:
        """The chat for one step: the shared system message, then the step's prompt with its placeholders filled.

        Only the step that writes a query needs past queries: as earlier turns of the chat, or in the prompt's text.
        """
        turns: list[Message] = []
        for example in self.examples if past_queries == "turns" else ():
            user_turn = templates.render("example_question", example=example)
            reply = templates.render("example_reply", example=example)
            turns += [Message(role="user", content=user_turn), Message(role="assistant", content=reply)]
        content = templates.render(
            prompt,
            dialect=DIALECTS[self.db_schema.dialect].title,
            rules=_leave_out_said(self.rules, self.system, self.tables),
            values=self.values,
            examples=self.examples if past_queries == "text" else (),
            history=self.history,
            today=self.today,
            **holes,
        )
        return [Message(role="system", content=self.system), *turns, Message(role="user", content=content)]


async def enrich(
    question: Question, database: Database, knowledge: Knowledge | None, profile: Profile, settings: Settings
) -> Context:
    """Read the schema and retrieve the knowledge about it concurrently, and build one context from both.

    Raises DatabaseUnavailable. If the index fails, the docs are missing, with a warning.
    """
    from agent.databases.knowledge.knowledge import Known
    from agent.databases.knowledge.linking import period_lines, value_lines
    from rag.schema.text import fits, render

    async def retrieve() -> Known:
        return Known() if knowledge is None else await knowledge.find(question.text, database, settings.top_k)

    schema, known = await asyncio.gather(database.schema(), retrieve())
    found = known.found
    general = general_rules(known.documents)
    style, budget = profile.schema_style, profile.schema_tokens
    linked, missing = Linked(), tuple[str, ...]()
    shown = [hit.document for hit in found.queries] if profile.examples != "off" else []
    examples = await off_loop(partial(make_examples, question.text, shown, DIALECTS[schema.dialect].sqlglot))
    if knowledge is not None:
        schema = await knowledge.keys.of(database, schema)
        choosing = not fits(schema, known.documents, style=style, budget_tokens=budget)
        linked, missing = await knowledge.links.link(
            question.text, database, known.documents, found.all, choosing=choosing, today=question.today
        )
    ranking = linked.ranking if knowledge is not None else None
    show = partial(
        render,
        schema,
        known.documents,
        budget_tokens=budget,
        pruned_tokens=profile.pruned_tokens,
        question=question.text,
        ranking=ranking,
    )
    text = show(style=style, max_sample_values=settings.max_sample_values)
    other = show(style=profile.other_schema, max_sample_values=0) if profile.other_schema else None
    # Placed near the question: docs of columns with their names, then the terms that it uses.
    rules = [document.text for document in (*linked.rules, *(hit.document for hit in found.rules))]
    system_of = partial(_system, schema.dialect, hints=dialect_row(schema).hints, rules=general, _=templates.wording())
    return Context(
        db_schema=schema,
        system=system_of(schema_text=text.text),
        other_system=system_of(schema_text=other.text) if other is not None else "",
        rules=(*(hit.document.passage for hit in found.columns), *(rule for rule in rules if rule not in general)),
        values=(*value_lines(linked.values, schema), *period_lines(linked.periods, schema)) if profile.values else (),
        examples=examples,
        history=question.history,
        tables=text.tables,
        documents=tuple(hit.document.display_text for hit in found.all),
        sources=tuple(UsedDocument.of(hit.document) for hit in found.all),
        tokens=text.tokens,
        pruned=text.pruned,
        other_pruned=other is not None and other.pruned,
        closest=known.closest,
        same_question=_find_verified(question.text, known.documents),
        docs=docs_digest(known.documents),
        today=today_line(question),
        description=database.description,
        linked=linked,
        known=known.documents,
        warnings=(*database.general_warnings, *known.warnings, *missing),
        unread=known.unread,
    )


def today_line(question: Question) -> str:
    """The current date and the dates of periods such as `last month`, for questions that depend on them.

    Empty for other questions, whose prompt stays the same every day.
    """
    if not counts_from_today(question.text):
        return ""
    day = question.today
    sentence = f"Today is {day.isoformat()}, a {calendar.day_name[day.weekday()]} ({question.time_zone})"
    for it in relative_periods(question.text, day):
        if it.first != day or it.last != day:
            sentence += f'; "{" ".join(it.mention.split())}" is from {it.first} to {it.last}'
    return f"{sentence}."


def _leave_out_said(notes: Sequence[str], system: str, tables: Sequence[str]) -> tuple[str, ...]:
    """The notes that the system message does not contain at their column or above their table."""
    lines = _fold_lines(system)
    return tuple(note for note in notes if not _says(lines, note, tables))


def _says(lines: Sequence[str], note: str, tables: Sequence[str]) -> bool:
    place, _, text = note.partition(": ")
    table = next((it for it in tables if place == it or place.startswith(f"{it}.")), None)
    if table is None:
        return False
    column = fold_comment(place.removeprefix(table).removeprefix("."))
    said = re.compile(rf"(?<!\w){re.escape(fold_comment(text))}(?!\w)")
    begins = re.compile(rf"\W?{re.escape(column)}\W.*?-- " if column else "-- ")
    return any(said.search(line, begun.end()) for line in lines if (begun := begins.match(line)))


@lru_cache(maxsize=32)
def _fold_lines(system: str) -> tuple[str, ...]:
    return tuple(map(fold_comment, system.splitlines()))


def _find_verified(question: str, documents: tuple[Document, ...]) -> Example | None:
    from rag.docs.past_queries import fold_question

    same = _past_questions(documents).get(fold_question(question))
    return Example(question=same.text, sql=same.sql) if same else None


@IdentityCache
def _past_questions(documents: tuple[Document, ...]) -> dict[str, Document]:
    """Past queries by their question; the first if there are several."""
    from rag.docs.past_queries import fold_question

    return {fold_question(document.text): document for document in reversed(documents) if document.kind == "query"}


@IdentityCache
def general_rules(documents: tuple[Document, ...]) -> tuple[str, ...]:
    """The rules that explain no term, so they may apply to every question. Empty if they are too long."""
    from rag.linking.fusion import term_of
    from rag.schema.text import estimate_tokens

    rules = [document.text for document in documents if document.kind == "rule" and not term_of(document.text)]
    return tuple(rules) if sum(map(estimate_tokens, rules)) <= GENERAL_RULES_TOKENS else ()


@lru_cache(maxsize=32)
def _system(
    dialect: str, schema_text: str, hints: tuple[str, ...], rules: tuple[str, ...], _: templates.Wording
) -> str:
    """The message that all questions share; cached, as questions about the same schema usually share it."""
    hints = () if dialect in WITHOUT_HINTS else hints
    return templates.render("system", dialect=DIALECTS[dialect].title, schema=schema_text, hints=hints, rules=rules)
