"""Three processes of the service behind nginx, with one Azurite, one Chroma server and one PostgreSQL."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from eventually import eventually

from agent.platform.access.keys import digest_of
from testbed import azurite, nginx
from testbed.azurite import Azurite
from testbed.chroma import Chroma
from testbed.nginx import Nginx
from testbed.postgres import PostgresServer
from testbed.service_process import ServiceProcess
from testbed.tireless_provider import ENVIRONMENT, HOLD

KEY = "the key of ann"
ASKED = {"question": "How many orders are there?", "database": "shop"}
SHOP = """
CREATE TABLE orders (order_id integer PRIMARY KEY, status char(1), amount numeric(10, 2));
INSERT INTO orders SELECT number, 'C', number FROM generate_series(1, 5) AS number;
CREATE ROLE reader LOGIN PASSWORD 'reads';
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader;
"""
TURNS = 6

_logs = (f"service-{number}.log" for number in itertools.count())


class Stack(NamedTuple):
    """All of it. hold: while this file is there, no model answers."""

    processes: list[ServiceProcess]
    proxy: Nginx
    postgres: PostgresServer
    hold: Path

    def at(self, upstream: str) -> ServiceProcess:
        """The process that nginx names."""
        (found,) = (process for process in self.processes if upstream.endswith(f":{process.port}"))
        return found

    def other_than(self, process: ServiceProcess) -> ServiceProcess:
        return next(one for one in self.processes if one is not process)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    for reason in (azurite.missing(), nginx.missing()):
        if reason:
            pytest.skip(reason)
    folder = tmp_path_factory.mktemp("processes")
    with ExitStack() as running:
        state, index = running.enter_context(Azurite()), running.enter_context(Chroma())
        postgres = running.enter_context(PostgresServer())
        with postgres.admin() as admin:
            admin(SHOP)
        registry = folder / "databases.yaml"
        registry.write_text(f"shop: {{url: {postgres.url(user='reader', password='reads')!r}}}\n", encoding="utf-8")
        environment = {
            **ENVIRONMENT,
            HOLD: str(folder / "hold"),
            "HF_HUB_OFFLINE": "1",
            "PLUMBLINE_REGISTRY": str(registry),
            "PLUMBLINE_AZURE_TABLES_CONNECTION": state.connection_string,
            "CHROMA_URL": index.url,
            "PLUMBLINE_AUTH": "api_keys",
            "PLUMBLINE_API_KEYS": f"ann={digest_of(KEY)}",
        }
        processes = [
            running.enter_context(
                ServiceProcess(
                    environment | {"PLUMBLINE_STATE_DIR": str(folder / f"state-{number}")}, folder / next(_logs)
                )
            )
            for number in range(3)
        ]
        proxy = running.enter_context(Nginx([process.port for process in processes]))
        yield Stack(processes, proxy, postgres, folder / "hold")


def client_of(url: str) -> httpx2.AsyncClient:
    headers = {"authorization": f"Bearer {KEY}"}
    return httpx2.AsyncClient(base_url=f"{url}/api", headers=headers, timeout=90, trust_env=False)


@pytest.fixture
async def client(stack: Stack) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(stack.proxy.url) as client:
        yield client


@pytest.fixture
def held(stack: Stack) -> Iterator[Path]:
    """While it is there, no model answers."""
    stack.hold.touch()
    yield stack.hold
    stack.hold.unlink(missing_ok=True)


async def answered(client: httpx2.AsyncClient, route: str, **body: Any) -> httpx2.Response:
    response = await client.post(route, json=body)
    assert response.status_code in (200, 201, 202), response.text
    return response


async def test_a_session_moves_between_processes(client: httpx2.AsyncClient) -> None:
    started = (await answered(client, "/agents/text-to-sql/start-session", dataset_id="shop")).json()
    by = set()
    for number in range(TURNS):
        message = f"How many orders are there in 202{number}?"
        told = await answered(client, "/agents/text-to-sql/chat", session_id=started["session_id"], message=message)
        by.add(told.headers["x-upstream"])
    assert len(by) == 3, "each of them has answered"
    session = (await client.get(f"/agents/text-to-sql/session/{started['session_id']}")).json()
    said = [one["content"] for one in session["messages"] if one["role"] == "user"]
    assert said == [f"How many orders are there in 202{number}?" for number in range(TURNS)]


async def test_what_one_learns_the_others_know(stack: Stack, client: httpx2.AsyncClient) -> None:
    one = stack.processes[0]
    document = {"kind": "rule", "text": "A guest is an order without a customer."}
    async with client_of(one.url) as direct:
        added = (await answered(direct, "/rag/documents", database="shop", documents=[document])).json()
        first = (await answered(direct, "/query", **ASKED)).json()
    assert not first["reused"]
    for other in stack.processes[1:]:
        async with client_of(other.url) as direct:
            await eventually(
                lambda direct=direct: found_by(direct, "What is a guest?"),  # type: ignore[misc]
                lambda found: found == [added["documents"][0]["id"]],  # it looks for news every few seconds
            )
            assert (await answered(direct, "/query", **ASKED)).json()["reused"], "the verified query of another process"
    await client.delete(f"/rag/documents/{added['documents'][0]['id']}?database=shop")


async def found_by(direct: httpx2.AsyncClient, query: str) -> list[str]:
    """The id of the document that fits best; none where there is none."""
    found = (await answered(direct, "/rag/search", database="shop", query=query, top_k=1)).json()
    return [one["id"] for one in found["documents"]]


async def test_a_schema_that_one_reads_anew_is_read_anew_by_all(stack: Stack) -> None:
    async def tables(process: ServiceProcess, *, refresh: bool = False) -> list[str]:
        async with client_of(process.url) as direct:
            where = f"/databases/shop/schema?enriched=false&refresh={str(refresh).lower()}"
            return [table["name"] for table in (await direct.get(where)).json()["tables"]]

    for process in stack.processes:
        assert await tables(process) == ["orders"]
    with stack.postgres.admin() as admin:
        admin("CREATE TABLE parcels (parcel_id integer PRIMARY KEY)")
    try:
        assert await tables(stack.processes[1]) == ["orders"], "each keeps what it has read for ten minutes"
        assert await tables(stack.processes[0], refresh=True) == ["orders", "parcels"]
        for process in stack.processes[1:]:
            await eventually(lambda process=process: tables(process), lambda found: found == ["orders", "parcels"])  # type: ignore[misc]
    finally:
        with stack.postgres.admin() as admin:
            admin("DROP TABLE parcels")
        await tables(stack.processes[0], refresh=True)


async def test_a_killed_process_takes_nothing_with_it_but_its_sockets(
    stack: Stack, client: httpx2.AsyncClient, held: Path
) -> None:
    held.unlink()
    session = (await answered(client, "/agents/text-to-sql/start-session", dataset_id="shop")).json()["session_id"]
    chat = {"session_id": session, "message": "How many orders are there?"}
    await answered(client, "/agents/text-to-sql/chat", **chat)
    kept = (await answered(client, "/saved", name="Orders", database="shop", sql="SELECT 1 FROM orders")).json()
    held.touch()
    victim = stack.processes[0]
    async with client_of(victim.url) as direct:
        cut_off = asyncio.create_task(direct.post("/query", json=ASKED | {"options": {"reuse_verified": False}}))
        await eventually(lambda: _in_flight(victim), bool)
        victim.kill()
        with pytest.raises(httpx2.HTTPError):
            await cut_off
    held.unlink()
    try:
        answers = await asyncio.gather(*(client.post("/query", json=ASKED) for _ in range(12)))
        assert {response.status_code for response in answers} == {200}, "the others answer for it"
        await answered(client, "/agents/text-to-sql/chat", **chat)
        told = (await client.get(f"/agents/text-to-sql/session/{session}")).json()
        assert len(told["messages"]) == 4
        assert (await client.get(f"/saved/{kept['id']}")).json()["name"] == "Orders"
    finally:
        victim.start()


async def _in_flight(process: ServiceProcess) -> bool:
    """Whether somebody is connected to a process: its socket and the client's are in the kernel's list."""
    port = f":{process.port:04X}"
    lines = await asyncio.to_thread(Path("/proc/net/tcp").read_text, encoding="ascii")
    return any(fields[1].endswith(port) and fields[3] == "01" for fields in map(str.split, lines.splitlines()[1:]))


async def test_a_job_goes_on_after_its_process_was_killed(stack: Stack, client: httpx2.AsyncClient, held: Path) -> None:
    asked = ASKED | {"options": {"reuse_verified": False}}
    taken = await answered(client, "/query?mode=async", **asked)
    victim = stack.at(taken.headers["x-upstream"])
    where = taken.headers["location"].removeprefix("/api")

    async def job() -> dict[str, Any]:
        body: dict[str, Any] = (await client.get(where)).json()
        return body

    await eventually(job, lambda body: body["status"] == "running")
    victim.kill()
    held.unlink()
    try:
        body = await eventually(job, lambda body: body.get("finished_at") is not None)
        assert (body["status"], body["result"]["results"]) == ("succeeded", [{"orders": 5}])
    finally:
        victim.start()
