"""One question, understood before any SQL: which kind it is, and the response where it needs none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.core.models import Answer, Check, Question
from agent.understanding.reading import DataQuestion, Heard, about_data, may_be_about_data, small_talk
from agent.understanding.replies import DataReplies, Reply, talk_reply
from rag.docs.documents import Document
from rag.errors import RetrievalError

if TYPE_CHECKING:
    from agent.core.kinds import Kind
    from agent.pipeline.run import Run


def talk(question: Question) -> Heard | None:
    """What small talk a message is; a confirmation's words are not read, and a reply to what was asked back is none."""
    return None if question.options.confirm is not None else small_talk(question.text)


async def replied(run: Run, heard: Heard | None) -> Answer | None:
    """The response to small talk, or to a question about the data; None for all that needs a query.

    Args:
        run: whose question is self-contained by now.
        heard: the small talk that the message is.

    Raises:
        DatabaseUnavailable: its schema cannot be read.
    """
    if heard is not None:
        schema, documents = await run.database.schema(), await _documents(run)
        reply = talk_reply(heard.talk, heard.language, run.question.database, schema, documents)
        return _answer(run, reply, "small_talk")
    if run.question.history or not may_be_about_data(run.question.text):
        return None  # what could not be made whole says too little
    database = run.database
    schema = await database.schema()
    documents = await _documents(run)
    recognized: DataQuestion | None = about_data(run.question.text, schema, documents)
    if recognized is None:
        return None
    keyed = await run.parts.knowledge.keys.of(database, schema) if run.limits.enable_retrieval else schema
    replies = DataReplies(database, keyed, documents, run.question.principal, recognized.language)
    return _answer(run, await replies.reply(recognized.about), "about_data")


def _answer(run: Run, reply: Reply, kind: Kind) -> Answer:
    from agent.pipeline.answers.response import common

    checks = [Check(name="source", passed=True, detail="; ".join(reply.sources))] if reply.sources else []
    return common(run).model_copy(
        update={
            "kind": kind,
            "answer": reply.text,
            "results": list(reply.rows),
            "columns": list(reply.columns),
            "row_count": len(reply.rows),
            "tables_used": list(reply.tables),
            "checks": checks,
        }
    )


async def _documents(run: Run) -> Sequence[Document]:
    """All that the docs say; with a warning where they cannot be read."""
    if not run.limits.enable_retrieval:
        return ()
    try:
        return await run.parts.knowledge.documents(run.database)
    except RetrievalError as error:
        run.ledger.warn(f"Answered without the docs of this database: {error}")
        return ()
