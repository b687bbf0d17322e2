"""Shared answers: links to answers of sessions, for readers who may query the database and see the same rows.

A link contains no answer. It refers to the answer in its session and ends with the session.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from datetime import datetime

from pydantic import AliasChoices, Field

from agent.core.answers import Answer
from agent.core.errors import NotPermitted, UnknownAnswer, UnknownSession, UnknownShare
from agent.core.resilience.deadline import utc_at
from agent.databases.registry import Databases
from agent.people.sessions.sessions import Sessions, SharedAnswer
from agent.platform.storage.store import Place, Remove, Replace, StateStore
from executors.base import Frozen
from executors.errors import UnknownDatabase

KIND, LINK = "share", "link"
# Fields that are useful only to the owner of the answer.
OWN = {"session_id": None, "cursor": None, "review_id": None, "write": None}


class Share(Frozen):
    """A link to an answer.

    id: Id of the link.
    expires_at: When the link expires, in UTC. Sharing the answer again extends it.
    """

    id: str
    expires_at: datetime


class Shared(Frozen):
    """A shared answer, as it was given, without the fields that only its owner can use.

    id: Id of the link.
    database: The database that was asked.
    question: The question.
    answer: The answer.
    shared_at: When the answer was shared, in UTC.
    expires_at: When the link expires, in UTC.
    """

    id: str
    database: str
    question: str
    answer: Answer
    shared_at: datetime
    expires_at: datetime


class _Link(Frozen):
    """The place of a shared answer. principal: owner of the session."""

    principal: str
    session_id: str
    answer_id: str = Field(validation_alias=AliasChoices("answer_id", "trace_id"))  # the latter: earlier links
    shared_at: datetime
    expires_at: datetime


class Shares:
    """The links to answers. All methods raise StateUnavailable if the store cannot be used."""

    def __init__(
        self, state: StateStore, sessions: Sessions, registered: Databases, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._state, self._sessions, self._registered, self._clock = state, sessions, registered, clock

    async def put(self, session_id: str, principal: str, answer_id: str) -> Share:
        """Share an answer, or extend its link. The session is kept as long. Raises UnknownSession, UnknownAnswer."""
        return await asyncio.to_thread(self._put, session_id, principal, answer_id)

    async def remove(self, session_id: str, principal: str, answer_id: str) -> None:
        """Stop sharing an answer. Does nothing if it is not shared. Raises as `put`."""
        await asyncio.to_thread(self._remove, session_id, principal, answer_id)

    async def get(self, link_id: str, reader: str) -> Shared:
        """The answer of a link. Raises UnknownShare; NotPermitted if the reader sees other rows."""
        try:
            link, found = await asyncio.to_thread(self._find, link_id)
            await self._registered.follow(found.database)
            self._registered.admit(found.database, reader)
        except (UnknownSession, UnknownAnswer, UnknownDatabase) as error:
            raise _build_unknown() from error
        if self._registered.sight(found.database, reader) not in ("", found.sight):
            raise NotPermitted(
                "You see other rows of this database than the person who shared the answer. Ask the question yourself."
            )
        answer = Answer.model_validate(found.answer)
        parts = [part.model_copy(update={"cursor": None}) for part in answer.parts]
        return Shared(
            id=link_id,
            database=found.database,
            question=found.question,
            answer=answer.model_copy(update={**OWN, "parts": parts}),
            shared_at=link.shared_at,
            expires_at=link.expires_at,
        )

    def _put(self, session_id: str, principal: str, answer_id: str) -> Share:
        answer_id = self._sessions.get_shared_answer(session_id, principal, answer_id).answer_id
        link_id = self._sessions.share(session_id, principal, answer_id, secrets.token_hex(16))
        now = self._clock()
        end = now + self._sessions.timeout_s
        link = _Link(
            principal=principal,
            session_id=session_id,
            answer_id=answer_id,
            shared_at=utc_at(now),
            expires_at=utc_at(end),
        )
        self._state.commit(_place(link_id), [Replace(key=LINK, value=link.model_dump(mode="json"), expires_at=end)])
        return Share(id=link_id, expires_at=link.expires_at)

    def _remove(self, session_id: str, principal: str, answer_id: str) -> None:
        found = self._sessions.get_shared_answer(session_id, principal, answer_id)
        self._sessions.unshare(session_id, principal, found.answer_id)
        if found.link:
            self._state.commit(_place(found.link), [Remove(key=LINK)])

    def _find(self, link_id: str) -> tuple[_Link, SharedAnswer]:
        """A link and its answer. Raises UnknownShare, UnknownSession, UnknownAnswer."""
        record = self._state.get(_place(link_id), LINK)
        if record is None:
            raise _build_unknown()
        link = _Link.model_validate(record.value)
        found = self._sessions.get_shared_answer(link.session_id, link.principal, link.answer_id)
        if found.link != link_id:
            raise _build_unknown()
        return link, found


def _place(link_id: str) -> Place:
    return Place(kind=KIND, partition=link_id)


def _build_unknown() -> UnknownShare:
    return UnknownShare("This link leads to no answer that you can see: it has ended, or the database is not yours.")
