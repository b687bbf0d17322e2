"""The same questions to both hosts: the real Functions worker on the real app, and uvicorn as `serve` runs it.

Everything is real but the model, which is a local server that speaks the OpenAI protocol.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from asgi_server import served
from eventually import eventually
from openai_server import Held, OpenAIServer
from sse import read_events, read_until

from agent.api.app import api_routes, create_default_app
from agent.platform.access.keys import digest_of
from agent.platform.config.settings import get_settings

ROOT = Path(__file__).parents[2]
HOST = Path(__file__).with_name("worker_host.py")
ASKED = {"question": "What is the total of all orders?", "database": "shop"}
PATIENCE = 60  # seconds until a test that waits in vain fails

SQL = {"sql": "SELECT SUM(amount) AS total FROM orders", "explanation": "Adds up every order.", "clarification": None}
JUDGED = {"reason": "The sum over all orders.", "correct": True}
SAVED = {"name": "Total", "database": "shop", "sql": SQL["sql"]}
NAMED = {"PLUMBLINE_TRUST_PRINCIPAL_HEADER": "true"}
ANN = {"x-ms-client-principal-name": "ann@example.org"}
SENTENCE = "All orders together come to 460.5."


@pytest.fixture
async def openai() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer().running() as server:
        yield server


@pytest.fixture
def environment(hosted_environment: dict[str, str]) -> dict[str, str]:
    return hosted_environment


@asynccontextmanager
async def worker(environment: dict[str, str], log: Path) -> AsyncIterator[dict[str, Any]]:
    """The worker in a process of its own: its `port`, and its `functions`."""
    with log.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(HOST),
            str(ROOT),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, **environment},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            started = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
            assert started, log.read_text(encoding="utf-8")
            yield json.loads(started)
        finally:
            process.stdin.close()
            await asyncio.wait_for(process.communicate(), PATIENCE)


@pytest.fixture(params=[pytest.param("worker", marks=pytest.mark.worker), "uvicorn"])
async def client(
    request: pytest.FixtureRequest, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx2.AsyncClient]:
    """Speaks to one host or the other."""
    if request.param == "worker":
        async with worker(environment, tmp_path / "worker.log") as started, _client(started["port"]) as client:
            yield client
        return
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()
    async with served(create_default_app()) as address, _client(int(address.rsplit(":", 1)[1])) as client:
        yield client
    get_settings.cache_clear()


def _client(port: int) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}/api", timeout=PATIENCE, trust_env=False)


@pytest.mark.worker
async def test_the_worker_has_one_function_for_each_route(environment: dict[str, str], tmp_path: Path) -> None:
    async with worker(environment, tmp_path / "worker.log") as started:
        functions = {function["name"]: function for function in started["functions"]}
    assert functions == {
        route.name: {
            "name": route.name,
            "route": "/{*path}" if route.path == "/" else route.path,  # what no other function takes
            "methods": list(route.methods),
            "auth": route.auth,
        }
        for route in api_routes()
    }
    anonymous = {name for name, function in functions.items() if function["auth"] == "ANONYMOUS"}
    assert anonymous == {"health_live", "generate_health", "openapi", "docs", "page", "page_asset"}


@pytest.mark.worker
async def test_the_worker_has_three_timers_and_a_warm_up(environment: dict[str, str], tmp_path: Path) -> None:
    async with worker(environment | {"PLUMBLINE_SCHEMA_TTL_S": "7200"}, tmp_path / "worker.log") as started:
        others = {one["function"]: one for one in started["others"]}
    assert {name: one["type"] for name, one in others.items()} == {
        "session_cleanup": "timerTrigger", "schema_refresh": "timerTrigger", "dashboard_refresh": "timerTrigger",
        "warmup": "warmupTrigger",
    }  # fmt: skip
    assert others["dashboard_refresh"]["schedule"] == "0 */5 * * * *"
    assert others["session_cleanup"]["schedule"] == "0 */5 * * * *"
    assert others["schema_refresh"]["schedule"] == "0 0 */2 * * *"


@pytest.mark.worker
async def test_the_timers_and_the_warm_up_run(
    environment: dict[str, str], openai: OpenAIServer, shop_file: Path, tmp_path: Path
) -> None:
    log = tmp_path / "worker.log"
    async with (
        worker(environment | {"PLUMBLINE_SESSION_TIMEOUT_S": "0.01"} | NAMED, log) as started,
        _client(started["port"]) as client,
    ):
        assert openai.looked == 0
        assert (await run(client, "warmup")).status_code == 202
        assert openai.looked, "the model is reached before anybody asks"
        begun = await client.post("/agents/text-to-sql/start-session", json={"dataset_id": "shop"})
        assert begun.status_code == 200, begun.text
        before = (await client.get("/databases/shop/schema?enriched=false")).json()
        connection = sqlite3.connect(shop_file)
        connection.execute("CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY)")
        connection.close()

        saved = await client.post("/saved", json=SAVED, headers=ANN)
        assert saved.status_code == 201, saved.text
        tile = await client.put(f"/dashboard/{saved.json()['id']}", json={"minutes": 60}, headers=ANN)
        assert tile.status_code == 200, tile.text
        with closing(sqlite3.connect(tmp_path / "state" / "state.sqlite")) as state, state:
            state.execute("DELETE FROM records WHERE kind = 'tile_run'")
            state.execute("UPDATE records SET value = json_set(value, '$.next_at', 0) WHERE kind = 'tile'")

        for name in ("session_cleanup", "schema_refresh", "dashboard_refresh"):
            ran = await run(client, name)
            assert ran.status_code == 202, ran.text

        after = (await client.get("/databases/shop/schema?enriched=false")).json()
        (shown,) = (await client.get("/dashboard", headers=ANN)).json()["tiles"]
    assert shown["last_run"]["rows"] == [[460.5]], "its time had come"
    assert len(after["tables"]) == len(before["tables"]) + 1
    with closing(sqlite3.connect(tmp_path / "state" / "state.sqlite")) as state:
        kinds = dict(state.execute("SELECT kind, count(*) FROM records GROUP BY kind"))
    assert kinds.get("session") is None, "it has expired, and is forgotten"
    assert kinds["changes"] == 1, "other instances are told of the new table"


async def run(client: httpx2.AsyncClient, function: str) -> httpx2.Response:
    """Run a function that has no route, as Azure's host lets it be run by hand."""
    return await client.post(str(client.base_url).replace("/api/", f"/admin/functions/{function}"))


@pytest.mark.worker
async def test_an_app_that_is_not_set_up_has_no_timers(environment: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    async with worker(environment | {"PLUMBLINE_ROW_LIMIT": "many"}, log) as started:
        assert [one["function"] for one in started["others"]] == ["warmup"]
    assert "PLUMBLINE_ROW_LIMIT" in log.read_text(encoding="utf-8")


@pytest.mark.worker
async def test_where_the_service_checks_keys_itself_the_host_lets_them_through(
    environment: dict[str, str], tmp_path: Path
) -> None:
    keys = {"PLUMBLINE_AUTH": "api_keys", "PLUMBLINE_API_KEYS": f"ann={digest_of('the key of ann')}"}
    log = tmp_path / "worker.log"
    async with worker(environment | keys, log) as started, _client(started["port"]) as client:
        refused = await client.get("/databases", headers={"x-ms-client-principal-name": "ann"})
        listed = await client.get("/databases", headers={"x-functions-key": "the key of ann"})
    assert {function["auth"] for function in started["functions"]} == {"ANONYMOUS"}
    assert (refused.status_code, refused.json()["type"]) == (401, "urn:plumbline:problem:not-authenticated")
    assert refused.headers["www-authenticate"] == 'Bearer realm="plumbline"'
    assert [one["name"] for one in listed.json()["databases"]] == ["shop"]
    assert "the key of ann" not in log.read_text(encoding="utf-8")


async def test_a_question_is_answered(client: httpx2.AsyncClient, openai: OpenAIServer) -> None:
    for reply in (SQL, JUDGED, SENTENCE):
        openai.replies(reply)

    response = await client.post("/query", json=ASKED)

    body = response.json()
    assert response.status_code == 200, body
    assert (body["answer"], body["results"], body["verified"]) == (SENTENCE, [{"total": 460.5}], True)
    assert body["trace_id"] == response.headers["x-trace-id"]
    openai.assert_done()


async def test_events_arrive_one_by_one_while_the_loop_still_runs(
    client: httpx2.AsyncClient, openai: OpenAIServer
) -> None:
    may_judge = asyncio.Event()
    openai.replies(SQL)
    openai.replies(JUDGED, held=may_judge)
    openai.replies(SENTENCE)

    async with client.stream("POST", "/query/stream", json=ASKED) as response:
        events = read_events(response)
        early = await read_until(events, "sql_generator")
        assert len(openai.asked) <= 2, "nobody has been asked for the answer yet"
        may_judge.set()
        late = await read_until(events, "done")

    assert early[0]["event"] == "start"
    assert early[-1]["data"]["sql"] == SQL["sql"]
    assert late[-1]["data"]["answer"] == SENTENCE
    openai.assert_done()


@pytest.mark.worker
async def test_a_stream_that_has_nothing_to_say_is_kept_alive(
    environment: dict[str, str], openai: OpenAIServer, tmp_path: Path
) -> None:
    """The front end cuts a connection that is silent for 230 s. This takes the 15 s after which a comment is sent."""
    may_judge = asyncio.Event()
    openai.replies(SQL)
    openai.replies(JUDGED, held=may_judge)
    openai.replies(SENTENCE)

    async with (
        worker(environment | {"PLUMBLINE_MODEL_TIMEOUT_S": "60"}, tmp_path / "worker.log") as started,
        _client(started["port"]) as client,
        client.stream("POST", "/query/stream", json=ASKED) as response,
    ):
        lines = response.aiter_lines()
        async for line in lines:
            if line.startswith(":"):
                break
        may_judge.set()
        rest = [line async for line in lines]

    assert line == ": ping"
    assert "event: done" in rest
    openai.assert_done()


async def test_a_job_is_answered_after_its_request_has_ended(client: httpx2.AsyncClient, openai: OpenAIServer) -> None:
    may_judge = asyncio.Event()
    openai.replies(SQL)
    openai.replies(JUDGED, held=may_judge)
    openai.replies(SENTENCE)

    taken = await client.post("/query?mode=async", json=ASKED)
    assert taken.status_code == 202, taken.text
    where = taken.headers["location"].removeprefix("/api")
    running = await until(client, where, lambda job: len(job["progress"]) > 1)
    may_judge.set()
    job = await until(client, where, lambda job: job["finished_at"] is not None)

    assert (running["status"], job["status"]) == ("running", "succeeded")
    assert job["result"]["answer"] == SENTENCE
    assert (await client.delete(where)).status_code == 204
    assert (await client.get(where)).status_code == 404
    openai.assert_done()


async def until(client: httpx2.AsyncClient, where: str, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The job, once it is as the test waits for."""

    async def look() -> dict[str, Any]:
        body: dict[str, Any] = (await client.get(where)).json()
        return body

    return await eventually(look, wanted)


async def test_hanging_up_cancels_the_question(client: httpx2.AsyncClient, openai: OpenAIServer) -> None:
    held = Held()
    openai.replies(SQL)
    openai.replies(JUDGED, held=held)

    async with client.stream("POST", "/query/stream", json=ASKED) as response:
        reading = asyncio.create_task(read_until(read_events(response), "done"))
        await asyncio.wait_for(held.awaited.wait(), PATIENCE)
        reading.cancel()

    await asyncio.wait_for(openai.hung_up.wait(), PATIENCE)
    openai.assert_done()


async def test_a_name_in_the_path_reaches_the_service(client: httpx2.AsyncClient) -> None:
    schema = (await client.get("/databases/shop/schema")).json()
    assert [table["name"] for table in schema["tables"]] == ["customers", "orders"]


@pytest.mark.parametrize("route", ["/query", "/query/stream"])
async def test_a_refusal_is_a_problem_document(client: httpx2.AsyncClient, route: str) -> None:
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    response = await client.post(
        route, json={**ASKED, "database": "nowhere"}, headers={"traceparent": f"00-{trace_id}-b7ad6b7169203331-01"}
    )
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["trace_id"] == response.headers["x-trace-id"] == trace_id


async def test_a_chunked_body_over_the_limit_is_refused(client: httpx2.AsyncClient) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 100_000

    response = await client.post("/query", content=pieces())
    assert response.status_code == 413
    assert response.json()["type"] == "urn:plumbline:problem:request-too-large"


async def test_data_larger_than_other_requests_may_be_is_uploaded_as_it_comes(client: httpx2.AsyncClient) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"town,amount\n"
        for _ in range(30):
            yield b"Bonn,1.5\n" * 10_000

    taken = await client.post("/databases", params={"file": "own.csv"}, content=pieces())
    assert taken.status_code == 201, taken.text
    assert taken.json()["size"] > 2_000_000
    asked = {"database": "own", "sql": "SELECT count(*) AS n, sum(amount) AS total FROM own"}
    assert (await client.post("/execute", json=asked)).json()["rows"] == [[300_000, 450_000.0]]
    assert (await client.delete("/databases/own")).status_code == 204
    assert (await client.post("/execute", json=asked)).status_code == 404


async def test_rows_come_as_a_file(client: httpx2.AsyncClient) -> None:
    body = {"database": "shop", "sql": "SELECT order_id, status FROM orders WHERE customer_id IS NULL"}
    response = await client.post("/execute", json=body, headers={"accept": "text/csv"})
    assert response.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert response.headers["content-disposition"].endswith('.csv"')
    assert response.text == "order_id,status\r\n4,S\r\n"

    response = await client.post("/execute", json=body, headers={"accept": "application/vnd.apache.parquet"})
    assert (response.content[:4], response.content[-4:]) == (b"PAR1", b"PAR1")


async def test_every_part_is_ready(client: httpx2.AsyncClient) -> None:
    response = await client.get("/health/ready")
    assert response.status_code == 200, response.text
    assert {part["name"] for part in response.json()["parts"]} == {
        "model", "store", "state", "registry", "embeddings", "database shop",
    }  # fmt: skip
