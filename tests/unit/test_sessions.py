"""Sessions: contents, owners, expiry, and concurrent writes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from manual_clock import Clock

from agent.core.errors import StateUnavailable, UnknownAnswer, UnknownSession
from agent.core.models import Exchange, Pending
from agent.people.sessions.sessions import HEAD, KIND, SessionMessage, Sessions
from agent.platform.storage.sqlite import MemoryStore, SqliteStore
from agent.platform.storage.store import Place, Replace, StateConflict

ADA = "ada@example.org"


@pytest.fixture
def store(clock: Clock) -> MemoryStore:
    return MemoryStore(clock)


@pytest.fixture
def sessions(store: MemoryStore, clock: Clock) -> Sessions:
    return Sessions(store, timeout_s=3600, max_messages=4, clock=clock)


def asked(number: int) -> SessionMessage:
    return SessionMessage(role="user", content=f"Question {number}?", trace_id=f"{number}")


def answered(number: int) -> SessionMessage:
    return SessionMessage(
        role="assistant", content=f"Answer {number}.", sql_query=f"SELECT {number}", status="success", trace_id="t"
    )


def exchange(number: int) -> tuple[SessionMessage, SessionMessage]:
    return asked(number), answered(number)


def contents(messages: tuple[SessionMessage, ...]) -> list[str]:
    return [message.content for message in messages]


def kept(store: MemoryStore) -> int:
    return len(store.everywhere(KIND))


def test_an_answer_is_found_by_its_id_or_by_a_trace_that_only_it_has(sessions: Sessions) -> None:
    session = sessions.start("shop", ADA)

    def answer(answer_id: str) -> object:
        return sessions.answer(session.id, ADA, answer_id)["answer"]

    sessions.append(session.id, ADA, (), answers={"t1": {"answer": "old"}, "t2-1": {"answer": "first"}})
    assert [answer(one) for one in ("t1", "t2-1", "t2")] == ["old", "first", "first"]
    sessions.append(session.id, ADA, (), answers={"t1-1": {"answer": "new"}, "t2-2": {"answer": "second"}})
    assert [answer(one) for one in ("t1", "t1-1", "t2-1", "t2-2")] == ["old", "new", "first", "second"]
    with pytest.raises(UnknownAnswer, match="Several answers"):
        answer("t2")
    with pytest.raises(UnknownAnswer, match="no answer with the id"):
        answer("t")


# -- what is kept ------------------------------------------------------------------------------------------


def test_a_new_session_is_empty(sessions: Sessions, clock: Clock) -> None:
    session = sessions.start("shop", ADA)

    assert sessions.get(session.id, ADA) == session
    assert (session.database, session.principal, session.messages, session.pending) == ("shop", ADA, (), None)
    assert session.created_at == session.last_activity == datetime.fromtimestamp(clock.now, UTC)


def test_messages_come_back_as_they_were_oldest_first(sessions: Sessions, clock: Clock) -> None:
    session = sessions.start("shop", ADA)
    clock.now += 10
    said = (*exchange(1), *exchange(2))
    sessions.append(session.id, ADA, said[:2])
    sessions.append(session.id, ADA, said[2:])

    found = sessions.get(session.id, ADA)

    assert found.messages == said
    assert found.created_at == session.created_at
    assert found.last_activity == datetime.fromtimestamp(clock.now, UTC)
    assert found.messages[0].timestamp.utcoffset() == timedelta(0)


def test_the_latest_messages_are_in_reach_and_all_are_kept(sessions: Sessions) -> None:
    session = sessions.start("shop", ADA)
    for number in range(60):
        sessions.append(session.id, ADA, exchange(number))

    assert contents(sessions.get(session.id, ADA).messages) == [
        "Question 58?", "Answer 58.", "Question 59?", "Answer 59.",
    ]  # fmt: skip
    whole = contents(sessions.get(session.id, ADA, whole=True).messages)
    assert whole == [text for number in range(60) for text in (f"Question {number}?", f"Answer {number}.")]


@pytest.mark.parametrize(
    "said, pairs, why",
    [
        ([*exchange(1), *exchange(2)], [1, 2], "two answered questions"),
        ([answered(1), *exchange(2)], [2], "the question is out of reach"),
        ([asked(1), *exchange(2)], [2], "never answered"),
        ([*exchange(1), asked(2)], [1], "not answered yet"),
        ([], [], "nothing was said"),
    ],
)
def test_exchanges_are_questions_with_their_answers(
    sessions: Sessions, said: list[SessionMessage], pairs: list[int], why: str
) -> None:
    session = sessions.start("shop", ADA)
    sessions.append(session.id, ADA, said)

    assert sessions.get(session.id, ADA).exchanges == tuple(
        Exchange(question=f"Question {number}?", answer=f"Answer {number}.", sql=f"SELECT {number}") for number in pairs
    ), why


def test_a_clarification_waits_for_the_next_message_alone(sessions: Sessions) -> None:
    session = sessions.start("shop", ADA)
    pending = Pending(question="Sales of recent orders?", clarification="Since when?")

    sessions.append(session.id, ADA, exchange(1), pending)
    assert sessions.get(session.id, ADA).pending == pending

    sessions.append(session.id, ADA, exchange(2))
    assert sessions.get(session.id, ADA).pending is None


def test_sessions_do_not_see_each_other(sessions: Sessions) -> None:
    one, other = sessions.start("shop", ADA), sessions.start("shop", ADA)
    sessions.append(one.id, ADA, exchange(1))
    assert sessions.get(other.id, ADA).messages == ()


# -- whose it is -------------------------------------------------------------------------------------------


def test_somebody_elses_session_is_as_unknown_as_none(sessions: Sessions) -> None:
    session = sessions.start("shop", ADA)
    refusals = []
    for session_id in (session.id, "none"):
        for use in (
            lambda it: sessions.get(it, "bo@example.org"),
            lambda it: sessions.append(it, "bo@example.org", exchange(1)),
            lambda it: sessions.end(it, "bo@example.org"),
        ):
            with pytest.raises(UnknownSession) as caught:
                use(session_id)
            refusals.append(str(caught.value))

    assert len(set(refusals)) == 1
    assert sessions.get(session.id, ADA) == session


def test_a_name_is_the_same_in_any_case(sessions: Sessions) -> None:
    session = sessions.start("shop", "Ada@Example.org")
    assert sessions.get(session.id, "ADA@example.ORG").principal == "Ada@Example.org"


# -- how long ----------------------------------------------------------------------------------------------


def test_an_idle_session_expires(sessions: Sessions, clock: Clock) -> None:
    session = sessions.start("shop", ADA)

    clock.now += 3600
    assert sessions.get(session.id, ADA).id == session.id
    assert sessions.active() == 1

    clock.now += 1
    assert sessions.active() == 0
    with pytest.raises(UnknownSession, match="expired"):
        sessions.get(session.id, ADA)
    with pytest.raises(UnknownSession, match="expired"):
        sessions.append(session.id, ADA, exchange(1))


def test_a_message_puts_off_the_expiry_of_all(sessions: Sessions, clock: Clock) -> None:
    session = sessions.start("shop", ADA)
    for number in range(4):
        clock.now += 3000
        sessions.append(session.id, ADA, exchange(number))
        sessions.store.purge()
    clock.now += 3000

    assert len(sessions.get(session.id, ADA, whole=True).messages) == 8


def test_cleanup_takes_what_has_expired_with_its_messages(sessions: Sessions, store: MemoryStore, clock: Clock) -> None:
    old, older = sessions.start("shop", ADA), sessions.start("shop", "bo")
    for number in range(70):
        sessions.append(old.id, ADA, exchange(number))
    clock.now += 3000
    new = sessions.start("shop", ADA)
    sessions.append(new.id, ADA, exchange(1))
    assert sessions.cleanup() == 0
    clock.now += 601

    assert sessions.cleanup() == 2

    assert kept(store) == 3, "a head and two messages"
    assert sessions.active() == 1
    clock.now -= 3601  # only a session that is still there could be found now
    for gone, principal in ((old, ADA), (older, "bo")):
        with pytest.raises(UnknownSession):
            sessions.get(gone.id, principal)


def test_the_end_takes_the_messages_with_it(sessions: Sessions, store: MemoryStore) -> None:
    session = sessions.start("shop", ADA)
    sessions.append(session.id, ADA, exchange(1))

    sessions.end(session.id, ADA)

    assert kept(store) == 0
    with pytest.raises(UnknownSession):
        sessions.end(session.id, ADA)


def test_what_an_interrupted_end_left_is_cleaned_up(
    sessions: Sessions, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sessions.start("shop", ADA)
    sessions.append(session.id, ADA, exchange(1))

    def fail(*_: object, **__: object) -> None:
        raise StateUnavailable("the process was killed here")

    with monkeypatch.context() as broken:
        broken.setattr(store, "records", fail)
        with pytest.raises(StateUnavailable):
            sessions.end(session.id, ADA)

    with pytest.raises(UnknownSession):
        sessions.append(session.id, ADA, exchange(2))
    assert (sessions.active(), kept(store)) == (0, 3)
    assert sessions.cleanup() == 1
    assert kept(store) == 0


# -- several at once ---------------------------------------------------------------------------------------


def test_of_many_who_write_at_once_none_is_lost_and_pairs_stay_together(sessions: Sessions) -> None:
    session = sessions.start("shop", ADA)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: sessions.append(session.id, ADA, exchange(number)), range(60)))

    found = sessions.get(session.id, ADA, whole=True)

    assert len(found.messages) == 120
    assert sorted(contents(found.messages[::2])) == sorted(f"Question {number}?" for number in range(60))
    assert all(pair.question[9:-1] == pair.answer[7:-1] for pair in found.exchanges[::2])


def test_a_commit_that_was_made_and_called_a_conflict_is_not_made_again(
    sessions: Sessions, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sessions.start("shop", ADA)
    commit, calls = store.commit, []

    def sent_twice(place: Place, changes: Any) -> list[str]:
        made = commit(place, changes)
        calls.append(made)
        if len(calls) == 1:
            raise StateConflict
        return made

    monkeypatch.setattr(store, "commit", sent_twice)
    sessions.append(session.id, ADA, exchange(1))

    assert contents(sessions.get(session.id, ADA).messages) == ["Question 1?", "Answer 1."]


def test_cleanup_leaves_a_session_that_came_back_meanwhile(
    sessions: Sessions, store: MemoryStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sessions.start("shop", ADA)
    clock.now += 3601
    everywhere = store.everywhere

    def and_then_it_is_used(kind: str, **more: Any) -> Any:
        found = everywhere(kind, **more)
        clock.now -= 10  # as another process's clock may be
        sessions.append(session.id, ADA, exchange(1))
        clock.now += 10
        return found

    monkeypatch.setattr(store, "everywhere", and_then_it_is_used)

    assert sessions.cleanup() == 0
    assert sessions.get(session.id, ADA).exchanges != ()


def test_another_process_goes_on_with_a_session(tmp_path: Path, clock: Clock) -> None:
    def opened() -> Sessions:
        return Sessions(SqliteStore(tmp_path / "state.sqlite", clock), timeout_s=3600, clock=clock)

    session = opened().start("shop", ADA)
    opened().append(session.id, ADA, exchange(1))

    assert contents(opened().get(session.id, ADA).messages) == ["Question 1?", "Answer 1."]


def test_what_a_newer_version_adds_to_a_session_is_not_minded(sessions: Sessions, store: MemoryStore) -> None:
    session = sessions.start("shop", ADA)
    place = Place(kind=KIND, partition=session.id)
    head = store.get(place, HEAD)
    assert head is not None
    store.commit(place, [Replace(key=HEAD, value={**head.value, "colour": "blue"}, version=head.version)])

    assert sessions.get(session.id, ADA) == session
