"""Sessions: what is kept, for how long, and what happens where nothing can be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import SessionStoreUnavailable, UnknownSession
from agent.models import Exchange
from agent.problems import problem_of
from agent.sessions import MAX_EXCHANGES, SqliteSessions
from agent.settings import Settings


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(tmp_path: Path, clock: Clock) -> SqliteSessions:
    return SqliteSessions(tmp_path / "state" / "sessions.sqlite", timeout_s=3600, clock=clock)


def exchange(number: int) -> Exchange:
    return Exchange(question=f"Question {number}?", answer=f"Answer {number}.", sql=f"SELECT {number}")


def test_exchanges_come_back_oldest_first(sessions: SqliteSessions) -> None:
    session = sessions.start("shop")
    for number in range(3):
        sessions.add(session.id, exchange(number))

    found = sessions.get(session.id)

    assert found.database == "shop"
    assert found.exchanges == tuple(exchange(number) for number in range(3))


def test_sessions_do_not_see_each_other(sessions: SqliteSessions) -> None:
    one, other = sessions.start("shop"), sessions.start("shop")
    sessions.add(one.id, exchange(1))

    assert sessions.get(other.id).exchanges == ()


def test_an_idle_session_expires(sessions: SqliteSessions, clock: Clock) -> None:
    session = sessions.start("shop")

    clock.now += 3600
    assert sessions.get(session.id).id == session.id

    clock.now += 1
    with pytest.raises(UnknownSession, match="expired"):
        sessions.get(session.id)
    with pytest.raises(UnknownSession, match="expired"):
        sessions.add(session.id, exchange(1))


def test_an_exchange_puts_off_the_expiry(sessions: SqliteSessions, clock: Clock) -> None:
    session = sessions.start("shop")
    clock.now += 3000
    sessions.add(session.id, exchange(1))
    clock.now += 3000

    assert sessions.get(session.id).exchanges == (exchange(1),)


def test_a_new_session_sweeps_away_those_that_expired(sessions: SqliteSessions, clock: Clock) -> None:
    old = sessions.start("shop")
    sessions.add(old.id, exchange(1))
    clock.now += 3601
    sessions.start("shop")
    clock.now -= 3601  # only a session that is still there could be found now

    with pytest.raises(UnknownSession):
        sessions.get(old.id)


def test_as_many_exchanges_are_kept_as_the_settings_may_ask_for(sessions: SqliteSessions) -> None:
    session = sessions.start("shop")
    for number in range(MAX_EXCHANGES + 2):
        sessions.add(session.id, exchange(number))

    assert sessions.get(session.id).exchanges == tuple(exchange(number) for number in range(2, MAX_EXCHANGES + 2))
    assert Settings(max_conversation_history=MAX_EXCHANGES).max_conversation_history == MAX_EXCHANGES


def test_another_process_sees_the_same_sessions(sessions: SqliteSessions, clock: Clock) -> None:
    session = sessions.start("shop")

    assert SqliteSessions(sessions.path, timeout_s=3600, clock=clock).get(session.id) == session


def test_a_damaged_file_is_an_error_of_ours_that_names_no_folder(sessions: SqliteSessions, tmp_path: Path) -> None:
    sessions.path.parent.mkdir()
    sessions.path.write_bytes(b"this is no database" * 100)

    with pytest.raises(SessionStoreUnavailable, match="remove it") as caught:
        sessions.start("shop")

    assert str(tmp_path) not in str(caught.value)
    problem = problem_of(caught.value)
    assert problem is not None
    assert problem.status == 503


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file, where a folder is wanted", encoding="utf-8")

    with pytest.raises(SessionStoreUnavailable, match="writable") as caught:
        SqliteSessions(tmp_path / "state" / "sessions.sqlite", timeout_s=3600).start("shop")

    assert str(tmp_path) not in str(caught.value)


def test_a_file_that_was_removed_meanwhile_is_made_again(sessions: SqliteSessions) -> None:
    session = sessions.start("shop")
    sessions.path.unlink()

    with pytest.raises(UnknownSession, match="Start a new one"):
        sessions.get(session.id)
    assert sessions.start("shop").exchanges == ()
