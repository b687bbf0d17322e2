"""Callers that disconnect, flood the service or meet a failed part: effects on others."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from api_client import problem
from door import ANN, KEYS, STRANGER, bearer
from faulty_engines import CROSS_JOIN, ONE, Mariadb, Postgres, Server
from faulty_model import FaultyModel
from faulty_service import ASKED, ask, make_shop, serving, settings_for
from until import PATIENCE_S, until

from testbed import mariadb

ENGINES: dict[str, Callable[[ExitStack], Server]] = {"postgresql": Postgres, "mariadb": Mariadb}


@pytest.fixture(scope="module")
def model() -> Iterator[FaultyModel]:
    with FaultyModel().running() as server:
        yield server


@pytest.fixture(scope="module", params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "mariadb" and (reason := mariadb.missing()):
        pytest.skip(reason)
    with ExitStack() as servers:
        yield ENGINES[request.param](servers)


@pytest.fixture
def opened(model: FaultyModel, tmp_path: Path) -> Iterator[Callable[..., httpx2.Client]]:
    """Serves the shop, and `slow` where an engine is given, with some settings."""
    model.release()
    with ExitStack() as services:

        def opened(engine: Server | None = None, **changes: Any) -> httpx2.Client:
            more = f"slow: {{url: '{engine.url}'}}\n" if engine is not None else ""
            settings = settings_for(model, make_shop(tmp_path, more), tmp_path / "state", **changes)
            return services.enter_context(serving(settings))

        yield opened
        model.release()  # else a test that failed would wait for it


@contextmanager
def sent(client: httpx2.Client, path: str, body: dict[str, str]) -> Iterator[socket.socket]:
    """A request on a connection of its own, which is closed with the block whatever has come by then."""
    address = urlsplit(str(client.base_url))
    data = json.dumps(body).encode()
    head = f"POST /api{path} HTTP/1.1\r\nhost: {address.netloc}\r\ncontent-length: {len(data)}\r\n\r\n"
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=PATIENCE_S) as connection:
        connection.sendall(head.encode() + data)
        yield connection


def execute(client: httpx2.Client, sql: str, database: str = "slow", key: str = "") -> httpx2.Response:
    headers = bearer(key) if key else {}
    return client.post("/execute", json={"database": database, "sql": sql}, headers=headers)


# -- who hangs up ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/query", "/query/stream"])
@pytest.mark.parametrize("step", ["generator", "judge", "writer"])
def test_a_model_call_is_cancelled_when_nobody_waits(
    step: str, path: str, opened: Callable[..., httpx2.Client], model: FaultyModel
) -> None:
    client = opened(enable_retrieval=False)
    model.fails(step, "silence")
    with sent(client, path, ASKED):
        assert model.arrived.wait(PATIENCE_S)
    assert model.left.wait(PATIENCE_S)
    model.release()
    assert ask(client).json()["verified"] is True


def test_a_query_is_stopped_when_nobody_waits_and_its_connection_goes_back_clean(
    engine: Server, opened: Callable[..., httpx2.Client]
) -> None:
    client = opened(engine, queries_per_database=1, query_timeout_s=60)
    with sent(client, "/execute", {"database": "slow", "sql": CROSS_JOIN}):
        until(lambda: len(engine.busy()) == 1)
    until(lambda: not engine.busy())
    assert execute(client, ONE).json()["rows"] == [[7]], "with the one connection that there is"
    assert engine.unclean() == 0


# -- who asks too much -------------------------------------------------------------------------------------


def test_a_slow_database_leaves_places_to_the_others(engine: Server, opened: Callable[..., httpx2.Client]) -> None:
    client = opened(engine, max_concurrent_questions=4, queue_length=4, query_timeout_s=60)
    with ExitStack() as asked:
        for _ in range(6):  # three quarters of places and queue
            asked.enter_context(sent(client, "/execute", {"database": "slow", "sql": CROSS_JOIN}))
        until(lambda: len(engine.busy()) == 3)
        until(lambda: execute(client, ONE).status_code == 503)  # all six have arrived
        refused = execute(client, ONE)
        problem(refused, 503, "too-busy")
        assert int(refused.headers["retry-after"]) > 0

        assert ask(client).json()["verified"] is True
        assert len(engine.busy()) == 3, "the others are at it still"
    until(lambda: execute(client, ONE).status_code == 200)
    until(lambda: not engine.busy())  # the first place is free before the last query is stopped


def test_a_busy_tenant_leaves_places_to_the_others(opened: Callable[..., httpx2.Client], model: FaultyModel) -> None:
    client = opened(auth="api_keys", api_keys=KEYS, max_concurrent_questions=4, queue_length=4, enable_retrieval=False)
    model.holds("generator")
    with ThreadPoolExecutor(8) as threads:
        asked = [ASKED | {"question": f"How many orders are there? ({letter})"} for letter in "abcdefgh"]
        anns = [threads.submit(client.post, "/query", json=body, headers=bearer(ANN)) for body in asked]
        until(lambda: sum(one.done() for one in anns) == 2)
        for one in (one for one in anns if one.done()):
            problem(one.result(), 503, "too-busy")
        until(lambda: model.asked.count("generator") == 3)

        other = threads.submit(execute, client, "SELECT COUNT(*) FROM orders", "shop", STRANGER)
        assert other.result(PATIENCE_S).json()["rows"] == [[5]]
        assert sum(one.done() for one in anns) == 2, "and nobody of the first had to end for it"
        model.release()
        assert [one.result().status_code for one in anns].count(200) == 6


# -- what is down ------------------------------------------------------------------------------------------


PAUSE_S = 6.0  # long enough for what a busy machine does meanwhile


def part(client: httpx2.Client, name: str) -> dict[str, Any]:
    """What health says of a part."""
    parts = client.get("/health/ready").json()["parts"]
    found: dict[str, Any] = next(one for one in parts if one["name"] == name)
    return found


def test_a_model_that_is_down_is_left_alone_for_a_while(
    opened: Callable[..., httpx2.Client], model: FaultyModel
) -> None:
    client = opened(breaker_failures=2, breaker_pause_s=PAUSE_S, enable_retrieval=False, planner="off")
    assert part(client, "model")["breaker"] == "closed"
    model.fails("generator", "unreachable")
    for _ in range(2):
        assert "is not called for" not in problem_of_model(ask(client)).text
    model.asked.clear()
    refused = problem_of_model(ask(client))
    assert "is not called for" in refused.json()["detail"]
    assert 1 <= int(refused.headers["retry-after"]) <= PAUSE_S
    assert not model.asked
    told = part(client, "model")
    assert (told["ready"], told["breaker"]) == (False, "open")

    model.release()
    until(lambda: ask(client).status_code == 200)
    told = part(client, "model")
    assert (told["ready"], told["breaker"]) == (True, "closed")


def problem_of_model(response: httpx2.Response) -> httpx2.Response:
    problem(response, 503, "model-unavailable")
    return response


def test_a_database_that_is_down_is_left_alone_and_the_others_are_not(
    engine: Server, opened: Callable[..., httpx2.Client]
) -> None:
    client = opened(engine, breaker_failures=2, breaker_pause_s=PAUSE_S)
    assert execute(client, ONE).status_code == 200
    assert part(client, "database slow")["breaker"] == "closed"
    engine.stop()
    try:
        for _ in range(2):
            assert "is not called for" not in problem_of_database(execute(client, ONE)).text
        refused = problem_of_database(execute(client, ONE))
        assert 1 <= int(refused.headers["retry-after"]) <= PAUSE_S
        assert part(client, "database slow")["breaker"] == "open"
        assert part(client, "database shop")["breaker"] is None, "a file is there as soon as it is there"
        assert ask(client).json()["verified"] is True
    finally:
        engine.start()
    until(lambda: execute(client, ONE).status_code == 200)
    assert part(client, "database slow")["breaker"] == "closed"


def problem_of_database(response: httpx2.Response) -> httpx2.Response:
    problem(response, 503, "database-unavailable")
    return response


def test_an_embedding_endpoint_that_is_down_costs_the_docs_and_is_left_alone(
    opened: Callable[..., httpx2.Client], model: FaultyModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client = opened(breaker_failures=2, breaker_pause_s=60)
    assert ask(client, "How many orders are there at first?").json()["warnings"] == []
    model.fails("embedding", "unreachable")
    warned = [ask(client, f"How many orders are there? ({letter})").json() for letter in "abcd"]
    assert [body["verified"] for body in warned] == [False] * 4, "nobody could look whether the docs say otherwise"
    assert "is not called for" in " ".join(warned[-1]["warnings"])
    logged = [record for record in caplog.records if "shop: Answered without the docs" in record.getMessage()]
    assert len(logged) == len(warned)
    told = part(client, "embeddings")
    assert (told["ready"], told["breaker"]) == (False, "open")
