"""Sessions that several processes share, in a SQLite file and in Azure Table Storage: none lost, none crossed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from session_client import LEASE_S, PRINCIPAL, answer

from agent.people.sessions.sessions import Sessions
from agent.platform.config.settings import Settings
from agent.platform.storage.azure_tables import AzureTablesStore
from agent.platform.storage.build import VersionedStore, build_store
from agent.platform.storage.sqlite import SqliteStore
from agent.platform.storage.store import StateStore
from testbed import azurite
from testbed.azurite import Azurite

ROOT = Path(__file__).parents[2]
CLIENT = Path(__file__).with_name("session_client.py")
PROCESSES = (("0", "1", "2", "3", "4"), ("5", "6", "7", "8", "9"))  # each with its clients
SESSIONS = 20

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def of_sqlite(tmp_path: Path) -> dict[str, str]:
    return {"PLUMBLINE_STATE_DIR": str(tmp_path / "state")}


@pytest.fixture
def of_azure() -> Iterator[dict[str, str]]:
    if reason := azurite.missing():
        pytest.skip(reason)
    with Azurite() as server:
        yield {"PLUMBLINE_AZURE_TABLES_CONNECTION": server.connection_string}


@pytest.fixture(params=["of_sqlite", "of_azure"])
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    """The settings of every process that shares the sessions."""
    found: dict[str, str] = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def store(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[StateStore]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    store = build_store(Settings())
    assert isinstance(store, VersionedStore)
    assert isinstance(
        store.store, AzureTablesStore if "PLUMBLINE_AZURE_TABLES_CONNECTION" in environment else SqliteStore
    )
    yield store
    store.close()


@pytest.fixture
def sessions(store: StateStore) -> Sessions:
    return Sessions(store, timeout_s=3600, lease_s=LEASE_S)


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(CLIENT), *arguments],
            cwd=ROOT,
            env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def test_200_messages_of_10_clients_to_20_sessions_by_2_processes(sessions: Sessions, start: Start) -> None:
    started = [sessions.start("shop", PRINCIPAL).id for _ in range(SESSIONS)]
    processes = [start("talk", ",".join(started), *clients) for clients in PROCESSES]
    assert [process.wait(timeout=240) for process in processes] == [0, 0]

    for session_id in started:
        exchanges = sessions.get(session_id, PRINCIPAL, whole=True).exchanges
        clients = [client for clients in PROCESSES for client in clients]
        assert sorted(one.question for one in exchanges) == [f"{client} to {session_id}" for client in clients]
        assert [one.answer for one in exchanges] == [f"{number}" for number in range(10)], "each saw all before it"
    assert sessions.active() == SESSIONS


@pytest.mark.parametrize("how", ["idle", "busy"])
async def test_a_session_goes_on_after_its_process_was_killed(sessions: Sessions, start: Start, how: str) -> None:
    session = sessions.start("shop", PRINCIPAL)
    process = start("stop", session.id, how)
    assert process.stdout is not None
    assert process.stdout.readline() == "answered\n"
    process.kill()
    process.wait()

    await answer(sessions, session.id, "second")

    exchanges = sessions.get(session.id, PRINCIPAL).exchanges
    assert [one.question for one in exchanges] == [f"first to {session.id}", f"second to {session.id}"]
    assert [one.answer for one in exchanges] == ["0", "1"]
