"""Sessions: the messages between one principal and the service about one database, in any state store.

A session is one partition: its head, a record for each message, and the answers. Every change replaces the head, in the
version that was read, in the same commit. `cleanup` deletes expired sessions, the head last.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from pydantic import ConfigDict, Field

from agent.core.answers import Answer, AnswerPart, take_only
from agent.core.errors import UnknownSession
from agent.core.models import Exchange, Pending, take_fields, take_trace_id
from agent.core.resilience.deadline import utc_at, utc_now
from agent.people.sessions.turns import Change, Lease, Turns
from agent.platform.storage.store import (
    MAX_CHANGES,
    Insert,
    Place,
    Record,
    Remove,
    Replace,
    StateConflict,
    StateStore,
    until_no_conflict,
)
from executors.base import Frozen, JsonValue

KIND, HEAD = "session", "head"
# Key prefixes: of messages; and by answer id, of answers, of the rows that their callers saw, and of links to them.
_PREFIX, _ANSWER, _SIGHT, _SHARE = "m", "a", "r", "s"
MAX_TITLE = 120  # characters
SMALL_TALK = "small_talk"  # status of replies to small talk, on which no later message depends
NO_ANSWERS: Mapping[str, dict[str, JsonValue]] = {}


class SessionMessage(Frozen):
    """One message. understood: the self-contained question, if it depended on earlier messages.

    status: that of the answer, or `SMALL_TALK`.
    """

    role: Literal["user", "assistant"]
    content: str
    understood: str = ""
    sql_query: str | None = None
    timestamp: datetime = Field(default_factory=utc_now)
    status: str | None = None
    confidence: float | None = None
    trace_id: str = ""
    answer_id: str = Field(default_factory=take_trace_id)


class Session(Frozen):
    """A session, messages oldest first. pending: a clarification to answer; count: number of all messages."""

    id: str
    database: str
    principal: str
    created_at: datetime
    last_activity: datetime
    messages: tuple[SessionMessage, ...] = ()
    pending: Pending | None = None
    title: str = ""
    count: int = 0

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Questions with their answers, oldest first, without small talk and messages without a counterpart."""
        return tuple(
            Exchange(question=user_turn.understood or user_turn.content, answer=reply.content, sql=reply.sql_query)
            for user_turn, reply in zip(self.messages, self.messages[1:], strict=False)
            if (user_turn.role, reply.role) == ("user", "assistant") and reply.status != SMALL_TALK
        )


class SharedAnswer(NamedTuple):
    """A stored answer. link: id of its link; empty if it is not shared. sight: see `Sessions.append`."""

    answer_id: str
    database: str
    question: str
    answer: Mapping[str, JsonValue]
    sight: str
    link: str


class _Head(Frozen):
    model_config = ConfigDict(extra="ignore")  # accept fields of newer versions

    database: str
    principal: str
    created_at: datetime
    last_activity: datetime
    count: int = 0  # messages so far
    title: str = ""
    pending: Pending | None = None
    lease: Lease | None = None
    ended: bool = False


class Sessions:
    """Sessions in a store. Any process that shares it can continue them. They expire after `timeout_s` idle seconds.

    A turn waits up to `wait_s` seconds for the previous one. The turn of a killed process ends after `lease_s`.
    """

    def __init__(
        self,
        store: StateStore,
        *,
        timeout_s: float,
        max_messages: int = 10,
        wait_s: float = 100.0,
        lease_s: float = 15.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store, self.timeout_s, self.max_messages, self.clock = store, timeout_s, max_messages, clock
        self._turns = Turns(self._lease, wait_s=wait_s, lease_s=lease_s, clock=clock)

    def start(self, database: str, principal: str) -> Session:
        """A new, empty session. Raises StateUnavailable, as all methods do."""
        session_id, now = uuid.uuid4().hex, self._now()
        head = _Head(database=database, principal=principal, created_at=now, last_activity=now)
        self.store.commit(_place(session_id), [_replacement(head, {}, version="")])
        return _session(session_id, head)

    def get(self, session_id: str, principal: str, *, whole: bool = False) -> Session:
        """The session, with all or its latest `max_messages` messages. Raises UnknownSession, also for another's."""
        head, _ = self._head(session_id, principal)
        first = "" if whole else _key(max(0, head.count - self.max_messages))
        found = self.store.records(_place(session_id), prefix=_PREFIX, start=first)
        messages = (record.value["message"] for record in found if record.key < _key(head.count))
        return _session(session_id, head, tuple(SessionMessage.model_validate(message) for message in messages))

    def of(self, principal: str, limit: int) -> list[Session]:
        """The latest sessions of a principal, without their messages; empty ones are left out."""
        heads = ((record.place.partition, _Head.model_validate(record.value)) for record in self._heads())
        theirs = [
            _session(session_id, head)
            for session_id, head in heads
            if head.count and self._is_alive(head) and head.principal.casefold() == principal.casefold()
        ]
        return sorted(theirs, key=lambda session: session.last_activity, reverse=True)[:limit]

    def answer(self, session_id: str, principal: str, answer_id: str) -> Mapping[str, JsonValue]:
        """A stored answer, by its id or by a trace id that no other one has. Raises UnknownAnswer, UnknownSession."""
        return self._answer(session_id, principal, answer_id).value

    def append(
        self,
        session_id: str,
        principal: str,
        messages: Sequence[SessionMessage],
        pending: Pending | None = None,
        answers: Mapping[str, dict[str, JsonValue]] = NO_ANSWERS,
        *,
        sight: str = "",
    ) -> None:
        """Add all messages or none, and extend the expiry. Raises UnknownSession, as `get`.

        `answers`, by id, are stored whole. `sight`: rows that the principal saw, as in `RowFilter.sight`.
        """
        batch, place = uuid.uuid4().hex, _place(session_id)
        tried = ""

        def add() -> None:
            nonlocal tried
            head, version = self._head(session_id, principal)
            if tried and (there := self.store.get(place, tried)) and there.value["batch"] == batch:
                return  # committed despite the conflict: the store's client sent it twice
            tried = _key(head.count)
            title = head.title or next((message.content[:MAX_TITLE] for message in messages), "")
            counted = {"count": head.count + len(messages), "pending": pending, "title": title}
            inserts = [
                Insert(key=_key(number), value={"batch": batch, "message": message.model_dump(mode="json")})
                for number, message in enumerate(messages, head.count)
            ]
            stored = [Replace(key=_ANSWER + answer_id, value=value) for answer_id, value in answers.items()]
            if sight:
                stored += [Replace(key=_SIGHT + answer_id, value={"sight": sight}) for answer_id in answers]
            update = counted | {"last_activity": self._now()}
            self.store.commit(place, [_replacement(head, update, version), *inserts, *stored])

        until_no_conflict(add, "session")

    def get_shared_answer(self, session_id: str, principal: str, answer_id: str) -> SharedAnswer:
        """A stored answer with the data for its readers. Raises as `answer`."""
        place = _place(session_id)
        record = self._answer(session_id, principal, answer_id)
        answer_id = record.key.removeprefix(_ANSWER)
        session = self.get(session_id, principal, whole=True)
        questions = (one.content for one in session.messages if (one.role, one.answer_id) == ("user", answer_id))
        sight, link = (self.store.get(place, prefix + answer_id) for prefix in (_SIGHT, _SHARE))
        return SharedAnswer(
            answer_id,
            session.database,
            str(record.value.get("question") or next(questions, "")),
            record.value,
            str(sight.value["sight"]) if sight else "",
            str(link.value["link"]) if link else "",
        )

    def share(self, session_id: str, principal: str, answer_id: str, link: str) -> str:
        """Record that an answer is shared; extend the expiry. Returns its first link. Raises UnknownSession."""
        place = _place(session_id)

        def note() -> str:
            head, version = self._head(session_id, principal)
            found = self.store.get(place, _SHARE + answer_id)
            changes = [_replacement(head, {"last_activity": self._now()}, version)]
            if found is None:
                changes.append(Replace(key=_SHARE + answer_id, value={"link": link}))
            self.store.commit(place, changes)
            return str(found.value["link"]) if found else link

        return until_no_conflict(note, "session")

    def unshare(self, session_id: str, principal: str, answer_id: str) -> None:
        """Record that an answer is no longer shared. Raises UnknownSession, as `get`."""
        self._head(session_id, principal)
        self.store.commit(_place(session_id), [Remove(key=_SHARE + answer_id)])

    def end(self, session_id: str, principal: str) -> None:
        """Delete the session and all its messages. Raises UnknownSession, as `get`."""
        until_no_conflict(lambda: self._end(session_id, *self._head(session_id, principal)), "session")

    def active(self) -> int:
        """The number of sessions that have not expired."""
        return sum(self._is_alive(_Head.model_validate(record.value)) for record in self._heads())

    def cleanup(self) -> int:
        """Delete expired sessions with their messages. Returns the number of sessions."""
        ended = 0
        for record in self._heads():
            head = _Head.model_validate(record.value)
            if not self._is_alive(head):
                with suppress(StateConflict):  # another process is also cleaning up
                    self._end(record.place.partition, head, record.version)
                    ended += 1
        return ended

    def turn(self, session_id: str, principal: str) -> AbstractAsyncContextManager[None]:
        """Hold the turn of a session, across processes. Raises UnknownSession; SessionBusy after `wait_s`."""
        return self._turns.turn(session_id, principal)

    def _answer(self, session_id: str, principal: str, answer_id: str) -> Record:
        self._head(session_id, principal)
        place, key = _place(session_id), _ANSWER + answer_id
        exact = self.store.get(place, key)
        found = [exact] if exact else self.store.records(place, prefix=f"{key}-", limit=2)
        return take_only(
            found, answer_id, f"This session has no answer with the id {answer_id}. Ask the question again."
        )

    def _heads(self) -> list[Record]:
        return self.store.everywhere(KIND, key=HEAD)

    def _head(self, session_id: str, principal: str) -> tuple[_Head, str]:
        """The head and its version. Raises UnknownSession."""
        record = self.store.get(_place(session_id), HEAD)
        head = _Head.model_validate(record.value) if record else None
        if record and head and self._is_alive(head) and head.principal.casefold() == principal.casefold():
            return head, record.version
        raise UnknownSession("There is no such session, or it has expired. Start a new one.")

    def _lease(self, session_id: str, principal: str, change: Change) -> None:
        """Replace the lease of a session with the result of `change`, and extend the expiry. Raises its errors."""

        def replace() -> None:
            head, version = self._head(session_id, principal)
            update = {"lease": change(head.lease), "last_activity": self._now()}
            self.store.commit(_place(session_id), [_replacement(head, update, version)])

        until_no_conflict(replace, "session")

    def _end(self, session_id: str, head: _Head, version: str) -> None:
        """End a session. After the first commit, it accepts no messages. Raises StateConflict if it was changed."""
        place = _place(session_id)
        self.store.commit(place, [_replacement(head, {"ended": True}, version)])
        for prefix in (_PREFIX, _ANSWER, _SIGHT, _SHARE):
            while found := self.store.records(place, prefix=prefix, limit=MAX_CHANGES):
                with suppress(StateConflict):  # another process is also removing them
                    self.store.commit(place, [Remove(key=record.key, version=record.version) for record in found])
        self.store.commit(place, [Remove(key=HEAD)])

    def _is_alive(self, head: _Head) -> bool:
        return not head.ended and self._now() - head.last_activity <= timedelta(seconds=self.timeout_s)

    def _now(self) -> datetime:
        return utc_at(self.clock())


def _key(number: int) -> str:
    return f"{_PREFIX}{number:09}"


def _place(session_id: str) -> Place:
    return Place(kind=KIND, partition=session_id)


def _replacement(head: _Head, update: Mapping[str, object], version: str) -> Replace:
    return Replace(key=HEAD, value=head.model_copy(update=update).model_dump(mode="json"), version=version)


def _session(session_id: str, head: _Head, messages: tuple[SessionMessage, ...] = ()) -> Session:
    return Session(id=session_id, messages=messages, **take_fields(head, Session))


MAX_ROWS = 200  # stored rows of results and of records; for more, the query runs again
MAX_STORED_BYTES = 600_000  # as JSON; the state store allows half as much again


def storable(answer: Answer) -> dict[str, JsonValue] | None:
    """An answer as JSON for the store; None if it is too large even without rows."""
    rows = MAX_ROWS
    while True:
        parts = [part.model_copy(update=_first(part, rows)) for part in answer.parts]
        value = answer.model_copy(update={**_first(answer, rows), "parts": parts}).model_dump(mode="json")
        if len(json.dumps(value).encode()) <= MAX_STORED_BYTES:
            return value
        if not rows:
            return None
        rows //= 2


def _first(answer: Answer | AnswerPart, rows: int) -> dict[str, Any]:
    return {"results": answer.results[:rows], "raw_results": answer.raw_results[:rows]}
