"""Recognizes messages that need no SQL, such as small talk and questions about the data, and answers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.core.answers import Answer
from agent.core.models import Check
from agent.pipeline.answers.response import as_choices, common
from agent.understanding.messages.by_meaning import about_data_by_meaning, may_be_about_data_by_meaning
from agent.understanding.messages.reading import DataQuestion, about_data, may_be_about_data
from agent.understanding.messages.replies import DataReplies, Reply, talk_reply, wants_examples
from executors.base import Schema
from rag.docs.documents import Document
from rag.errors import RetrievalError

if TYPE_CHECKING:
    from agent.core.answers import Kind
    from agent.pipeline.rounds.run import Run


async def reply(run: Run) -> Answer | None:
    """The response to small talk or a question about the data; else None. Raises DatabaseUnavailable."""
    with run.ledger.time_step("entry"):
        if (talk := run.small_talk) is not None:
            questions: list[str] = []
            if wants_examples(talk.talk):  # past ones, then those of the first look
                questions = [it.text for it in await _documents(run) if it.kind == "query"]
                questions += await run.parts.looks.examples(run.database, talk.language)
            return _answer(run, talk_reply(talk.talk, talk.language, run.question.database, questions), "small_talk")
        recognized, schema, documents = await _about_data(run)
        if recognized is None:
            return None
        keyed = await run.parts.knowledge.keys.of(run.database, schema) if run.limits.enable_retrieval else schema
        replies = DataReplies(run.database, keyed, documents, run.question.principal, recognized.language)
        return _answer(run, await replies.reply(recognized.about), "about_data")


async def _about_data(run: Run) -> tuple[DataQuestion | None, Schema, Sequence[Document]]:
    """What a question asks about the data, by its words or else its meaning, with the schema and docs it was read by.

    A message that still refers to earlier ones is too incomplete to read, and the words of a confirmation are ignored.
    A reply to a clarification, or a question sent with `clarify: false`, is not read by its meaning.
    """
    question, meaning = run.question, run.parts.knowledge.meaning
    schema = await run.database.schema()
    if question.history or question.options.confirm is not None:
        return None, schema, ()
    by_words = may_be_about_data(question.text)
    insists = question.pending is not None or question.options.clarify is False
    by_meaning = not insists and may_be_about_data_by_meaning(question.text)
    documents = await _documents(run) if by_words or (by_meaning and meaning is not None) else ()
    found = about_data(question.text, schema, documents) if by_words else None
    if found is None and by_meaning and meaning is not None:
        found = await about_data_by_meaning(question.text, schema, documents, meaning)
    return found, schema, documents


def _answer(run: Run, found: Reply, kind: Kind) -> Answer:
    checks = [Check(name="source", passed=True, detail="; ".join(found.sources))] if found.sources else []
    return common(run).model_copy(
        update={
            "kind": kind,
            "answer": found.text,
            "results": list(found.rows),
            "columns": list(found.columns),
            "row_count": len(found.rows),
            "tables_used": list(found.tables),
            "checks": checks,
            "choices": as_choices(found.examples),
        }
    )


async def _documents(run: Run) -> Sequence[Document]:
    """All documents of the database; none, with a warning, if they cannot be read."""
    if not run.limits.enable_retrieval:
        return ()
    try:
        return await run.parts.knowledge.documents(run.database)
    except RetrievalError as error:
        run.ledger.warn(f"Answered without the docs of this database: {error}")
        return ()
