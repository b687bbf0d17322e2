"""The state store fails: some features continue without it, others report the failure."""

from __future__ import annotations

import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import problem
from door import ANN, KEYS, bearer
from faulty_engines import no_file_grows
from faulty_model import FaultyModel
from faulty_service import ask, make_shop, serving, settings_for
from pydantic import SecretStr

from agent.platform.storage import azure_tables, sqlite
from testbed import azurite
from testbed.azurite import ACCOUNT, KEY, Azurite


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program writes, and does not end; nobody waits for it as long as usual."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other, pytest.MonkeyPatch.context() as impatient:
        impatient.setattr(sqlite, "BUSY_S", 0.1)
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def corrupt(path: Path) -> Iterator[None]:
    kept = path.read_bytes()
    path.write_bytes(b"\xff" * len(kept))
    yield
    path.write_bytes(kept)


@contextmanager
def replaced(path: Path) -> Iterator[None]:
    """Something else is in its place, which nobody may write to."""
    kept = path.with_suffix(".kept")
    path.rename(kept)
    path.mkdir()
    yield
    path.rmdir()
    kept.rename(path)


@contextmanager
def no_room(path: Path) -> Iterator[None]:
    assert path.exists()
    with no_file_grows(0):
        yield


@contextmanager
def killed(server: Azurite) -> Iterator[None]:
    server.stop()
    yield
    server.start()


# `warned`  answered and verified; a warning says that it can get no feedback
# `503`     state-unavailable
MATRIX = """
fault     a_question  in_a_session  a_new_session  a_session  saved  counted
locked    warned      503           503            503        503    503
corrupt   warned      503           503            503        503    503
replaced  warned      503           503            503        503    503
no_room   warned      503           503            200        200    503
killed    warned      503           503            503        503    503
"""
_HEAD, *_ROWS = (line.split() for line in MATRIX.strip().splitlines())
FAULTS: dict[str, Callable[[Any], AbstractContextManager[None]]] = {
    "locked": locked,
    "corrupt": corrupt,
    "replaced": replaced,
    "no_room": no_room,
    "killed": killed,
}
ANSWERED = "This answer cannot get feedback"


@pytest.fixture(scope="module")
def model() -> Iterator[FaultyModel]:
    with FaultyModel().running() as server:
        yield server


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        azure_tables, "_CLIENT_OPTIONS", {"connection_timeout": 10, "read_timeout": 20, "retry_total": 0}
    )


@pytest.fixture(scope="module")
def storage() -> Iterator[Callable[[], Azurite]]:
    """Azurite, started once, where it is asked for."""
    started: list[Azurite] = []

    def azure() -> Azurite:
        if reason := azurite.missing():
            pytest.skip(reason)
        if not started:
            started.append(Azurite().__enter__())
        return started[0]

    yield azure
    for server in started:
        server.__exit__(None, None, None)


def begun(client: httpx2.Client) -> str:
    """A session in which something was asked."""
    body = client.post("/agents/text-to-sql/start-session", json={"database": "shop"}).raise_for_status().json()
    session: str = body["session_id"]
    ask(client, "How many orders were there in 2023?", session_id=session).raise_for_status()
    return session


def respond(client: httpx2.Client, what: str, session: str) -> httpx2.Response:
    match what:
        case "a_question":
            return ask(client)
        case "in_a_session":
            return ask(client, "and only in 2024?", session_id=session)
        case "a_new_session":
            return client.post("/agents/text-to-sql/start-session", json={"database": "shop"})
        case "a_session":
            return client.get(f"/agents/text-to-sql/session/{session}")
        case "saved":
            return client.get("/saved")
    return client.post("/execute", json={"database": "shop", "sql": "SELECT 1 AS one FROM orders"})


@pytest.mark.parametrize("row", _ROWS, ids=[row[0] for row in _ROWS])
def test_row(row: list[str], model: FaultyModel, storage: Callable[[], Azurite], tmp_path: Path) -> None:
    fault, *outcomes = row
    model.release()
    kept: Any = storage() if fault == "killed" else tmp_path / "state" / "state.sqlite"
    place = {"azure_tables_connection": kept.connection_string} if isinstance(kept, Azurite) else {}
    settings = settings_for(model, make_shop(tmp_path), tmp_path / "state", enable_retrieval=False, **place)
    limited = settings.model_copy(update={"rate_limit": "1000/minute", "auth": "api_keys", "api_keys": SecretStr(KEYS)})
    with serving(settings) as client, serving(limited) as counting:
        counting.headers.update(bearer(ANN))
        session = begun(client)
        respond(counting, "counted", session).raise_for_status()
        with FAULTS[fault](kept):
            said = {what: respond(counting if what == "counted" else client, what, session) for what in _HEAD[1:]}
        for what, outcome in zip(_HEAD[1:], outcomes, strict=True):
            if outcome == "warned":
                body = said[what].json()
                assert (body["status"], body["verified"], body["results"]) == ("success", True, [{"orders": 5}])
                assert [warning for warning in body["warnings"] if ANSWERED in warning], what
            elif outcome == "503":
                told = problem(said[what], 503, "state-unavailable")
                assert str(tmp_path) not in told["detail"]
            else:
                assert said[what].status_code == int(outcome), what

        after = respond(client, "in_a_session", session).json()
        assert (after["question"], after["verified"], after["warnings"]) == (
            "How many orders were there in 2024?",
            True,
            [],
        ), "it is all there again"


def test_a_store_that_does_not_answer_holds_a_question_up_once(
    model: FaultyModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with an account behind a firewall that drops packets: every call to it would wait for its timeout."""
    timeout_s = 1
    options = {"connection_timeout": timeout_s, "read_timeout": timeout_s, "retry_total": 0}
    monkeypatch.setattr(azure_tables, "_CLIENT_OPTIONS", options)
    monkeypatch.setattr(azure_tables, "_SLOW_S", timeout_s)
    model.release()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"TableEndpoint=http://127.0.0.1:{silent.getsockname()[1]}/{ACCOUNT};"
        place = {"azure_tables_connection": f"AccountName={ACCOUNT};AccountKey={KEY};{address}"}
        settings = settings_for(model, make_shop(tmp_path), tmp_path / "state", enable_retrieval=False, **place)
        with serving(settings) as client:
            body = ask(client).json()
            ready = client.get("/health/ready").json()
        silent.setblocking(False)
        calls = 0
        with suppress(BlockingIOError):
            while True:
                silent.accept()[0].close()
                calls += 1
    assert body["results"] == [{"orders": 5}]
    assert [warning for warning in body["warnings"] if ANSWERED in warning]
    assert (ready["ready"], ready["state"]) == (True, "degraded")
    (part,) = (part for part in ready["parts"] if not part["ready"])
    assert part["name"] == "state"
    assert "does not answer" in part["detail"]
    assert calls < 5, "a question makes more than ten"
