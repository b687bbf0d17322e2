"""Uploads while other requests run: names that are taken at once, and data that is deleted while it is queried."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx2
import pytest
from api_client import api_client, problem
from eventually import PATIENCE_S, eventually
from held_model import HeldModel

from agent.api.app import create_app
from agent.core.callers import ANONYMOUS
from agent.pipeline.service import Service
from agent.platform.config.settings import MB

Client = httpx2.AsyncClient

SALES = b"city,amount\n" + b"".join(b"Bonn,%d\n" % number for number in range(2_000))
ENDLESS = "SELECT count(*) AS n FROM sales a, sales b, sales c, sales d WHERE a.amount + b.amount > c.amount + d.amount"

pytestmark = pytest.mark.usefixtures("service_embedder")


@pytest.fixture
def model() -> HeldModel:
    return HeldModel()


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    return make_service()


@pytest.fixture
async def client(service: Service) -> AsyncIterator[Client]:
    async with api_client(create_app(lambda: service, upload_bytes=MB)) as client:
        yield client


async def upload(client: Client, file: str = "sales.csv", content: bytes = SALES) -> httpx2.Response:
    return await client.post("/databases", params={"file": file}, content=content)


async def test_uploads_of_one_file_at_once_have_names_of_their_own(client: Client) -> None:
    answers = await asyncio.gather(*(upload(client) for _ in range(3)))
    assert sorted(it.json().get("name", it.text) for it in answers) == ["sales", "sales-2", "sales-3"]
    listed = (await client.get("/databases")).json()["databases"]
    assert {"sales", "sales-2", "sales-3"} <= {it["name"] for it in listed}
    assert all(it["available"] for it in listed)


async def test_a_query_ends_when_its_data_is_deleted(client: Client, service: Service) -> None:
    await upload(client)
    running = asyncio.create_task(client.post("/execute", json={"database": "sales", "sql": ENDLESS}))
    database = await service.databases.get("sales", ANONYMOUS)

    async def is_running() -> bool:
        return bool(database._running)

    await eventually(is_running, bool)
    assert (await client.delete("/databases/sales")).status_code == 204
    ended = problem(await asyncio.wait_for(running, PATIENCE_S), 404, "unknown-database")
    assert ended["detail"] == "The database 'sales' was deleted."


async def test_a_question_whose_data_is_deleted_says_so(client: Client, model: HeldModel) -> None:
    await upload(client)
    model.replies(sql="SELECT city, sum(amount) AS total FROM sales GROUP BY city")
    asked = {"question": "What is the total of each city?", "database": "sales"}
    asking = asyncio.create_task(client.post("/query", json=asked))
    await model.called.wait()
    await client.delete("/databases/sales")
    model.released.set()
    told = problem(await asking, 404, "unknown-database")
    assert told["detail"] == "The database 'sales' was deleted."


async def test_a_form_is_not_read_as_data(client: Client) -> None:
    sent = await client.post("/databases", params={"file": "sales.csv"}, files={"file": ("sales.csv", SALES)})
    assert "--data-binary @FILE" in problem(sent, 422, "upload-invalid")["detail"]
