"""Sample questions: those of the registry, then of the docs, then of a first look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.errors import RetrievalError

if TYPE_CHECKING:
    from agent.databases.database import Database
    from agent.databases.knowledge.knowledge import Knowledge
    from agent.databases.registry import Databases
    from agent.understanding.first_look.look import FirstLooks

MOST = 10
ENOUGH = 4  # with fewer of the registry and the docs, the schema's are added


async def sample_questions(
    databases: Databases, knowledge: Knowledge, looks: FirstLooks, name: str, principal: str
) -> tuple[str, ...]:
    """At most `MOST` questions that a database can answer, as somebody may be shown them. Raises as `Databases.get`."""
    listed = databases.questions(name)
    if len(listed) >= MOST:
        return listed[:MOST]
    database = await databases.get(name, principal)
    found = list(dict.fromkeys((*listed, *await _of_docs(database, knowledge))))
    if len(found) < ENOUGH:
        found = list(dict.fromkeys((*found, *(await looks.of(database)).questions)))
    return tuple(found[:MOST])


async def _of_docs(database: Database, knowledge: Knowledge) -> tuple[str, ...]:
    """The questions that were answered before; none where the docs cannot be read now, which every question tells."""
    try:
        documents = await knowledge.documents(database)
    except RetrievalError:
        return ()
    return tuple(document.text for document in documents if document.kind == "query")
