"""Questions with the queries that reviewers settled: past queries for retrieval, and for the same question."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agent.core.errors import UnknownDocument
from rag.docs.documents import Document
from rag.docs.past_queries import fold_question

if TYPE_CHECKING:
    from agent.databases.knowledge.documents import AddedDocuments, Documents
    from agent.databases.knowledge.verified_queries import VerifiedQueries
    from agent.databases.registry import Databases, Executed
    from agent.people.feedback.records import AnswerRef

SOURCE = "review"  # of a past query that a person has approved
SHOWN_ROWS = 50  # of a query that is about to become one


class PastPairs:
    """What reviews leave to later questions, and take away from them."""

    def __init__(
        self, registered: Databases, documents: Documents, added: AddedDocuments, verified: VerifiedQueries
    ) -> None:
        self._registered, self._documents, self._added, self._verified = registered, documents, added, verified

    async def run(self, database: str, sql: str, principal: str) -> Executed:
        """The first rows of a query as a principal sees them, through the guard and against today's schema.

        Raises SqlError: why it cannot be a past query, and how to repair it; else as `Databases.execute`.
        """
        return await self._registered.execute(database, sql, row_limit=SHOWN_ROWS, principal=principal)

    async def publish(self, answer_ref: AnswerRef, sql: str, principal: str) -> str:
        """Make a query that of a question; earlier ones of the same question that were added at run time go.

        Returns the document's id. Raises DocumentsInvalid, RetrievalError, DatabaseUnavailable: it cannot be taken, or
        not now; StateUnavailable: the query of an earlier answer cannot be forgotten.
        """
        new = Document(id="", kind="query", text=answer_ref.question, sql=sql, source=SOURCE)
        (document,) = await self._documents.add(answer_ref.database, [new], principal)
        await self.forget(answer_ref)
        for other in await self._same_question(answer_ref):
            if other.id != document.id:
                await self._remove(answer_ref.database, other.id)
        return document.id

    async def withdraw(self, answer_ref: AnswerRef) -> None:
        """No query answers this question any more, unless the docs' own files have one. Raises as `publish`."""
        await self.forget(answer_ref)
        for document in await self._same_question(answer_ref):
            if document.source == SOURCE:
                await self._remove(answer_ref.database, document.id)

    async def forget(self, answer_ref: AnswerRef) -> None:
        """Reuse the answer's query no longer. Raises StateUnavailable."""
        await asyncio.to_thread(self._verified.forget, answer_ref.key)

    async def _same_question(self, answer_ref: AnswerRef) -> list[Document]:
        """The pairs of run time that ask the very same."""
        documents = await asyncio.to_thread(self._added.of, answer_ref.database)
        wanted = fold_question(answer_ref.question)
        return [
            document for document in documents if document.kind == "query" and fold_question(document.text) == wanted
        ]

    async def _remove(self, database: str, document_id: str) -> None:
        try:
            await self._documents.remove(database, document_id)
        except UnknownDocument:
            return  # somebody else has removed it meanwhile
