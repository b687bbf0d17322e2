"""Sessions: the messages of one principal and the service about one database, in any state store.

A session is one partition: its head, a record for each message, and the answers. Every change replaces the head by the
version that was read, in the same commit. `cleanup` deletes a session after its last activity, its head last.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple

from pydantic import ConfigDict, Field

from agent.core.answers import Answer, AnswerPart
from agent.core.errors import UnknownSession
from agent.core.models import Exchange, Pending, take_fields
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
# Of the keys of messages; of answers, of which rows their callers saw, and of the links to them, by their trace ids.
_PREFIX, _ANSWER, _SIGHT, _SHARE = "m", "a", "r", "s"
MAX_TITLE = 120  # characters
SMALL_TALK = "small_talk"  # the status of what is said to it: no later message leans on that
NO_ANSWERS: Mapping[str, dict[str, JsonValue]] = {}


class SessionMessage(Frozen):
    """One message. understood: the self-contained question, where what was asked leaned on earlier messages."""

    role: Literal["user", "assistant"]
    content: str
    understood: str = ""
    sql_query: str | None = None
    timestamp: datetime = Field(default_factory=lambda: datetime.now(UTC))
    status: str | None = None
    confidence: float | None = None
    trace_id: str = ""


class Session(Frozen):
    """Messages oldest first. pending: what the next one may answer; count: of messages, here or not."""

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
        """Questions with their answers, oldest first; a message without its counterpart, or small talk, is in none."""
        return tuple(
            Exchange(question=user_turn.understood or user_turn.content, answer=reply.content, sql=reply.sql_query)
            for user_turn, reply in zip(self.messages, self.messages[1:], strict=False)
            if (user_turn.role, reply.role) == ("user", "assistant") and reply.status != SMALL_TALK
        )


class SharedAnswer(NamedTuple):
    """An answer as it was stored. link: its id; empty where it is not shared. sight: see `Sessions.append`."""

    database: str
    question: str
    answer: Mapping[str, JsonValue]
    sight: str
    link: str


class _Head(Frozen):
    model_config = ConfigDict(extra="ignore")  # what a newer version adds

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
    """Sessions in a store, which any process that shares the store may go on with; gone after `timeout_s` idle seconds.

    A turn waits `wait_s` seconds for the one before it; that of a killed process is over after `lease_s`.
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
        """A new, empty session. Raises StateUnavailable, as every method."""
        session_id, now = uuid.uuid4().hex, self._now()
        head = _Head(database=database, principal=principal, created_at=now, last_activity=now)
        self.store.commit(_place(session_id), [_replacement(head, {}, version="")])
        return _session(session_id, head)

    def get(self, session_id: str, principal: str, *, whole: bool = False) -> Session:
        """The session, `whole` or with its latest `max_messages` messages. Raises UnknownSession, if another's, too."""
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

    def answer(self, session_id: str, principal: str, trace_id: str) -> Mapping[str, JsonValue] | None:
        """An answer as it was kept; None where none was, or not this one. Raises UnknownSession, as `get`."""
        self._head(session_id, principal)
        record = self.store.get(_place(session_id), _ANSWER + trace_id)
        return record.value if record else None

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
        """Add messages, all or none, and put off the expiry. Raises UnknownSession, as `get`.

        `answers`, by trace ids, are kept whole; `sight` says which rows the principal saw, as `RowFilter.sight` has it.
        """
        batch, place = uuid.uuid4().hex, _place(session_id)
        tried = ""

        def add() -> None:
            nonlocal tried
            head, version = self._head(session_id, principal)
            if tried and (there := self.store.get(place, tried)) and there.value["batch"] == batch:
                return  # made although it was called a conflict: the store's client had sent it twice
            tried = _key(head.count)
            title = head.title or next((message.content[:MAX_TITLE] for message in messages), "")
            counted = {"count": head.count + len(messages), "pending": pending, "title": title}
            inserts = [
                Insert(key=_key(number), value={"batch": batch, "message": message.model_dump(mode="json")})
                for number, message in enumerate(messages, head.count)
            ]
            stored = [Replace(key=_ANSWER + trace_id, value=value) for trace_id, value in answers.items()]
            if sight:
                stored += [Replace(key=_SIGHT + trace_id, value={"sight": sight}) for trace_id in answers]
            update = counted | {"last_activity": self._now()}
            self.store.commit(place, [_replacement(head, update, version), *inserts, *stored])

        until_no_conflict(add, "session")

    def get_shared_answer(self, session_id: str, principal: str, trace_id: str) -> SharedAnswer | None:
        """An answer with what its readers need; None where none was kept. Raises UnknownSession, as `get`."""
        place = _place(session_id)
        answer = self.answer(session_id, principal, trace_id)
        if answer is None:
            return None
        session = self.get(session_id, principal, whole=True)
        questions = (one.content for one in session.messages if (one.role, one.trace_id) == ("user", trace_id))
        sight, link = (self.store.get(place, prefix + trace_id) for prefix in (_SIGHT, _SHARE))
        return SharedAnswer(
            session.database,
            str(answer.get("question") or next(questions, "")),
            answer,
            str(sight.value["sight"]) if sight else "",
            str(link.value["link"]) if link else "",
        )

    def share(self, session_id: str, principal: str, trace_id: str, link: str) -> str:
        """Note that an answer is shared; the link, or an earlier one. It puts off the expiry. Raises UnknownSession."""
        place = _place(session_id)

        def note() -> str:
            head, version = self._head(session_id, principal)
            found = self.store.get(place, _SHARE + trace_id)
            changes = [_replacement(head, {"last_activity": self._now()}, version)]
            if found is None:
                changes.append(Replace(key=_SHARE + trace_id, value={"link": link}))
            self.store.commit(place, changes)
            return str(found.value["link"]) if found else link

        return until_no_conflict(note, "session")

    def unshare(self, session_id: str, principal: str, trace_id: str) -> None:
        """Note that an answer is shared no longer. Raises UnknownSession, as `get`."""
        self._head(session_id, principal)
        self.store.commit(_place(session_id), [Remove(key=_SHARE + trace_id)])

    def end(self, session_id: str, principal: str) -> None:
        """Forget the session and all its messages. Raises UnknownSession, as `get`."""
        until_no_conflict(lambda: self._end(session_id, *self._head(session_id, principal)), "session")

    def active(self) -> int:
        """How many sessions there are that have not expired."""
        return sum(self._is_alive(_Head.model_validate(record.value)) for record in self._heads())

    def cleanup(self) -> int:
        """Forget the sessions that have expired, with their messages. Returns how many sessions those were."""
        ended = 0
        for record in self._heads():
            head = _Head.model_validate(record.value)
            if not self._is_alive(head):
                with suppress(StateConflict):  # another process cleans up as well
                    self._end(record.place.partition, head, record.version)
                    ended += 1
        return ended

    def turn(self, session_id: str, principal: str) -> AbstractAsyncContextManager[None]:
        """Holds the turn of a session, across processes. Raises UnknownSession; SessionBusy: after `wait_s`."""
        return self._turns.turn(session_id, principal)

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
        """Replace the lease of a session by what `change` makes of it, and put off the expiry. Raises its errors."""

        def replace() -> None:
            head, version = self._head(session_id, principal)
            update = {"lease": change(head.lease), "last_activity": self._now()}
            self.store.commit(_place(session_id), [_replacement(head, update, version)])

        until_no_conflict(replace, "session")

    def _end(self, session_id: str, head: _Head, version: str) -> None:
        """End a session: from the first commit on it takes no messages. Raises StateConflict if it was changed."""
        place = _place(session_id)
        self.store.commit(place, [_replacement(head, {"ended": True}, version)])
        for prefix in (_PREFIX, _ANSWER, _SIGHT, _SHARE):
            while found := self.store.records(place, prefix=prefix, limit=MAX_CHANGES):
                with suppress(StateConflict):  # another process removes them as well
                    self.store.commit(place, [Remove(key=record.key, version=record.version) for record in found])
        self.store.commit(place, [Remove(key=HEAD)])

    def _is_alive(self, head: _Head) -> bool:
        return not head.ended and self._now() - head.last_activity <= timedelta(seconds=self.timeout_s)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)


def _key(number: int) -> str:
    return f"{_PREFIX}{number:09}"


def _place(session_id: str) -> Place:
    return Place(kind=KIND, partition=session_id)


def _replacement(head: _Head, update: Mapping[str, object], version: str) -> Replace:
    return Replace(key=HEAD, value=head.model_copy(update=update).model_dump(mode="json"), version=version)


def _session(session_id: str, head: _Head, messages: tuple[SessionMessage, ...] = ()) -> Session:
    return Session(id=session_id, messages=messages, **take_fields(head, Session))


MAX_ROWS = 200  # of the results, and of the records behind them; the query runs again for more
MAX_STORED_BYTES = 600_000  # as JSON; a record of the state store takes half as much again


def storable(answer: Answer) -> dict[str, JsonValue] | None:
    """An answer as JSON for the store; None where it is too large even without its rows."""
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
