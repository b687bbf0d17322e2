"""Questions that are answered in the background: `POST query?mode=async` and `jobs/{id}`, on both stores."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from api_client import api_client, problem
from eventually import PATIENCE_S, eventually
from people_shop import ANN, BEN
from pydantic import SecretStr

from agent.api.app import create_app
from agent.people.sessions.turns import Lease
from agent.pipeline.jobs.jobs import MAX_STARTS
from agent.pipeline.jobs.shelf import KIND, Job, JobShelf
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from agent.platform.storage.store import Place
from testbed import azurite
from testbed.azurite import Azurite
from testbed.tireless_model import HeldModel

ASKED = {"question": "How many orders are there?", "database": "shop"}
_tables = (f"jobs{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def azure() -> Iterator[str]:
    if reason := azurite.missing():
        pytest.skip(reason)
    with Azurite() as server:
        yield server.connection_string


@pytest.fixture(params=["sqlite", "azure"])
def shared(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """The settings of every instance, which share a store of state."""
    changes: dict[str, Any] = {"enable_retrieval": False, "trust_principal_header": True}
    if request.param == "azure":
        connection = SecretStr(request.getfixturevalue("azure"))
        changes |= {"azure_tables_connection": connection, "azure_tables_name": next(_tables)}
    return settings.model_copy(update=changes)


class Instance(NamedTuple):
    """One process of the service, as far as that goes without one."""

    client: httpx2.AsyncClient
    service: Service
    model: HeldModel

    @property
    def shelf(self) -> JobShelf:
        return JobShelf(self.service.state, ttl_s=3600)

    async def begin(self, **changes: Any) -> str:
        response = await self.client.post("/query?mode=async", json=ASKED | changes, headers=ANN)
        assert response.status_code == 202, response.text
        assert response.headers["location"] == f"/api/jobs/{response.json()['id']}"
        assert response.headers["retry-after"] == "2"
        return str(response.json()["id"])

    async def job(self, job_id: str) -> dict[str, Any]:
        response = await self.client.get(f"/jobs/{job_id}", headers=ANN)
        assert response.status_code == 200, response.text
        body: dict[str, Any] = response.json()
        over = body["status"] in ("succeeded", "failed", "cancelled")
        assert ("retry-after" in response.headers) is not over
        return body

    async def until(self, job_id: str, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The job, once it is as the test waits for."""
        return await eventually(lambda: self.job(job_id), wanted)

    async def idle(self) -> None:
        """Wait until it works on nothing."""

        async def running() -> int:
            return self.service.jobs.running

        await eventually(running, lambda number: not number)

    async def ended(self, job_id: str) -> dict[str, Any]:
        return await self.until(job_id, lambda body: body["finished_at"] is not None)


Start = Callable[[], Any]


@pytest.fixture
async def start(shared: Settings) -> AsyncIterator[Start]:
    async with AsyncExitStack() as running:

        async def start() -> Instance:
            model = HeldModel()
            service = build_service(shared, model=model)
            client = await running.enter_async_context(api_client(create_app(lambda: service)))
            return Instance(client, service, model)

        yield start


@pytest.fixture
async def one(start: Start) -> Instance:
    instance: Instance = await start()
    return instance


def lapsed(job: Job) -> Job:
    """As its process leaves it when it is killed, some time later."""
    return job.model_copy(update={"lease": Lease(owner="somebody who is gone", until=0)})


async def test_a_job_is_taken_told_of_and_answered(one: Instance) -> None:
    job_id = await one.begin()
    await asyncio.wait_for(one.model.asked.wait(), PATIENCE_S)
    running = await one.until(job_id, lambda body: bool(body["progress"]))
    assert (running["status"], running["result"], running["finished_at"]) == ("running", None, None)
    assert [step["node"] for step in running["progress"]][:2] == ["entry", "dialect_resolver"]

    one.model.may_answer.set()
    body = await one.ended(job_id)
    assert (body["status"], body["problem"]) == ("succeeded", None)
    assert body["result"]["results"] == [{"orders": 5}]
    assert body["result"]["trace_id"] == body["trace_id"]
    assert {"sql_generator", "sql_executor", "evaluator"} <= {step["node"] for step in body["progress"]}


async def test_another_instance_tells_of_it_too(one: Instance, start: Start) -> None:
    other: Instance = await start()
    job_id = await one.begin()
    one.model.may_answer.set()
    assert (await other.ended(job_id))["result"] == (await one.ended(job_id))["result"] is not None
    assert not other.model.asked.is_set()


async def test_a_job_is_its_owners_alone(one: Instance) -> None:
    job_id = await one.begin()
    for method in ("GET", "DELETE"):
        problem(await one.client.request(method, f"/jobs/{job_id}", headers=BEN), 404, "unknown-job")
        problem(await one.client.request(method, f"/jobs/{'0' * 32}", headers=ANN), 404, "unknown-job")
    one.model.may_answer.set()
    assert (await one.ended(job_id))["status"] == "succeeded"


@pytest.mark.parametrize(
    "change, status, slug, why",
    [
        ({"database": "nowhere"}, 404, "unknown-database", "no such database"),
        ({"session_id": "nowhere"}, 404, "unknown-session", "no such session"),
        ({"question": " "}, 422, "question-invalid", "nothing asked"),
        ({"options": {"allow_writes": True}}, 422, "question-invalid", "a change is looked at first"),
        ({"options": {"confirm": "token"}}, 422, "question-invalid", "a change is made while somebody waits"),
        ({"question": "Delete all orders."}, 409, "writes-not-allowed", "an order to change rows"),
    ],
)
async def test_what_would_not_be_answered_is_refused_at_once(
    one: Instance, change: dict[str, Any], status: int, slug: str, why: str
) -> None:
    problem(await one.client.post("/query?mode=async", json=ASKED | change, headers=ANN), status, slug)
    assert one.shelf.list_unfinished() == [], why


async def test_a_job_is_told_as_json_alone(one: Instance) -> None:
    response = await one.client.post("/query?mode=async", json=ASKED, headers=ANN | {"accept": "text/csv"})
    problem(response, 406, "not-acceptable")


async def test_why_a_job_failed_is_told(one: Instance, registry: Path) -> None:
    job_id = await one.begin()
    await asyncio.wait_for(one.model.asked.wait(), PATIENCE_S)
    (registry.parent / "shop.sqlite").unlink()
    one.model.may_answer.set()
    body = await one.ended(job_id)
    assert (body["status"], body["result"]) == ("failed", None)
    assert body["problem"]["type"] == "urn:plumbline:problem:database-unavailable"
    assert body["problem"]["trace_id"] == body["trace_id"]


@pytest.mark.parametrize("by", ["its own process", "another process"])
async def test_a_cancelled_job_ends_wherever_it_runs(one: Instance, start: Start, by: str) -> None:
    caller: Instance = one if by == "its own process" else await start()
    job_id = await one.begin()
    await asyncio.wait_for(one.model.asked.wait(), PATIENCE_S)
    assert (await caller.client.delete(f"/jobs/{job_id}", headers=ANN)).status_code == 204

    assert (await caller.job(job_id))["status"] == "cancelled"
    await one.idle()
    one.model.may_answer.set()
    assert (await one.job(job_id))["status"] == "cancelled", "and stays so"


async def test_a_job_that_has_ended_is_forgotten_with_its_result(one: Instance) -> None:
    job_id = await one.begin()
    one.model.may_answer.set()
    await one.ended(job_id)
    assert (await one.client.delete(f"/jobs/{job_id}", headers=ANN)).status_code == 204
    problem(await one.client.get(f"/jobs/{job_id}", headers=ANN), 404, "unknown-job")
    assert one.service.state.records(Place(kind=KIND, partition=job_id)) == []


@pytest.mark.parametrize("noticed", ["when it is asked for", "from time to time"])
async def test_a_job_whose_process_is_gone_goes_on_in_another(one: Instance, start: Start, noticed: str) -> None:
    other: Instance = await start()
    other.model.may_answer.set()
    job_id = await one.begin()
    await asyncio.wait_for(one.model.asked.wait(), PATIENCE_S)
    one.shelf.change(job_id, lapsed)

    if noticed == "from time to time":
        await other.service.cleanup()
    body = await other.ended(job_id)

    assert (body["status"], body["result"]["results"]) == ("succeeded", [{"orders": 5}])
    one.model.may_answer.set()
    await one.idle()
    assert await other.job(job_id) == body, "who has lost it changes nothing any more"


async def test_a_job_that_ends_its_processes_is_not_begun_again(one: Instance, start: Start) -> None:
    other: Instance = await start()
    job_id = await one.begin()
    await asyncio.wait_for(one.model.asked.wait(), PATIENCE_S)
    one.shelf.change(job_id, lambda job: lapsed(job).model_copy(update={"starts": MAX_STARTS}))

    body = await other.job(job_id)

    assert (body["status"], body["problem"]["type"]) == ("failed", "urn:plumbline:problem:job-interrupted")
    assert not other.model.asked.is_set()


async def test_a_service_that_closes_leaves_its_jobs_to_others(one: Instance, start: Start) -> None:
    other: Instance = await start()
    other.model.may_answer.set()
    job_id = await one.begin()
    await asyncio.wait_for(one.model.asked.wait(), PATIENCE_S)

    await one.service.jobs.close()

    body = await other.ended(job_id)
    kept = other.shelf.get(job_id)
    assert kept is not None
    assert (body["status"], kept.starts) == ("succeeded", 1), "its first start was not its fault"


async def test_a_result_larger_than_any_record_comes_back_whole(one: Instance) -> None:
    job_id = await one.begin()
    one.model.may_answer.set()
    await one.ended(job_id)
    large = random.Random(1).randbytes(1_500_000).hex()
    parts = one.shelf.put_result(job_id, "run", large)
    assert parts > 1
    kept = one.shelf.change(job_id, lambda job: job.model_copy(update={"result_run": "run", "result_parts": parts}))
    assert kept is not None
    assert one.shelf.result(kept) == large


async def test_more_jobs_than_can_wait_are_refused(shared: Settings) -> None:
    model = HeldModel()
    service = build_service(shared.model_copy(update={"max_concurrent_questions": 1}), model=model)
    async with api_client(create_app(lambda: service)) as client:
        answers = [await client.post("/query?mode=async", json=ASKED, headers=ANN) for _ in range(12)]
        assert [response.status_code for response in answers] == [202] * 11 + [503]
        problem(answers[-1], 503, "too-busy")
        waiting = (await client.get(answers[5].headers["location"].removeprefix("/api"), headers=ANN)).json()
        assert (waiting["status"], waiting["progress"]) == ("queued", [])
        model.may_answer.set()
        one = Instance(client, service, model)
        ended = [await one.ended(response.json()["id"]) for response in answers[:-1]]
        assert {body["status"] for body in ended} == {"succeeded"}


async def test_a_job_waits_however_many_questions_are_before_it(shared: Settings) -> None:
    model = HeldModel()
    service = build_service(shared.model_copy(update={"max_concurrent_questions": 1}), model=model)
    async with api_client(create_app(lambda: service)) as client:
        asked = [asyncio.create_task(client.post("/query", json=ASKED, headers=ANN)) for _ in range(3)]
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        one = Instance(client, service, model)
        job_id = await one.begin()
        await one.until(job_id, lambda body: body["status"] == "running")
        model.may_answer.set()
        assert (await one.ended(job_id))["status"] == "succeeded"
        assert sorted(response.status_code for response in await asyncio.gather(*asked)) == [200, 200, 503]


async def test_a_job_of_a_session_is_an_exchange_of_it(one: Instance) -> None:
    session = await one.service.start_session("shop", "ann@example.org")
    job_id = await one.begin(session_id=session.id)
    one.model.may_answer.set()
    assert (await one.ended(job_id))["result"]["session_id"] == session.id
    exchanges = (await one.service.session(session.id, "ann@example.org")).exchanges
    assert [exchange.question for exchange in exchanges] == [ASKED["question"]]
