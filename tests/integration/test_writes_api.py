"""Changes over HTTP: a plan, then the request that carries its token; and every way of refusing one."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, problem
from sse import read_events

from agent.api.app import create_app
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

SQL = "UPDATE orders SET status = 'C' WHERE order_id = 4"
ORDER: dict[str, Any] = {
    "question": "Set the status of order 4 to C",
    "database": "shop",
    "options": {"allow_writes": True},
}
ANN = {"x-ms-client-principal-name": "ann@example.com"}
BOB = {"x-ms-client-principal-name": "bob@example.com"}

Client = httpx2.AsyncClient


def confirmed(token: str, **changes: str) -> dict[str, Any]:
    """The second request."""
    return {"question": "Yes.", "database": "shop", "options": {"confirm": token}, **changes}


@pytest.fixture
def registry(tmp_path: Path, shop_file: Path) -> Path:
    path = tmp_path / "databases.yaml"
    path.write_text(
        f"shop: {{url: {shop_file.name}, writable: true, writers: [Ann@example.com]}}\n"
        f"open: {{url: {shop_file.name}, writable: true, writers: ['*']}}\n"
        f"shy: {{url: {shop_file.name}, writable: true, writers: ['*'], private: [orders.amount]}}\n"
        f"kept: {shop_file.name}\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    """Behind a front end that says who asks, with writes switched on."""
    app = create_app(lambda: make_service(enable_retrieval=False, allow_writes=True, trust_principal_header=True))
    async with api_client(app) as client:
        yield client


@pytest.fixture
async def bare(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    """The same without a front end: anybody can write any header."""
    app = create_app(lambda: make_service(enable_retrieval=False, allow_writes=True))
    async with api_client(app) as client:
        yield client


def status_of_order_4(shop_file: Path) -> str:
    connection = sqlite3.connect(shop_file)
    (status,) = connection.execute("SELECT status FROM orders WHERE order_id = 4").fetchone()
    connection.close()
    return str(status)


async def token(client: Client, model: ScriptedModel) -> str:
    model.replies(sql=SQL)
    response = await client.post("/query", json=ORDER, headers=ANN)
    assert response.status_code == 200
    return str(response.json()["write"]["token"])


async def test_a_change_takes_two_requests(client: Client, model: ScriptedModel, shop_file: Path) -> None:
    model.replies(sql=SQL)
    planned = (await client.post("/query", json=ORDER, headers=ANN)).json()
    assert planned["status"] == "success"
    assert planned["needs_human_review"] is True
    assert planned["verified"] is False
    assert planned["sql"] == SQL
    assert planned["raw_results"][0]["order_id"] == 4
    write = planned["write"]
    assert datetime.fromisoformat(write["expires_at"]) > datetime.now(UTC)
    assert {key: write[key] for key in ("kind", "table", "rows_affected", "committed")} == {
        "kind": "update",
        "table": "orders",
        "rows_affected": 1,
        "committed": False,
    }
    assert status_of_order_4(shop_file) == "S"

    response = await client.post("/query", json=confirmed(write["token"]), headers=ANN)
    made = response.json()
    assert response.status_code == 200
    assert made["answer"] == "1 row of orders was changed."
    assert made["write"]["committed"] is True
    assert made["needs_human_review"] is False
    assert status_of_order_4(shop_file) == "C"


async def test_the_last_event_of_a_stream_has_the_plan_and_then_the_change(
    client: Client, model: ScriptedModel, shop_file: Path
) -> None:
    model.replies(sql=SQL)
    async with client.stream("POST", "/query/stream", json=ORDER, headers=ANN) as response:
        planned = [told async for told in read_events(response)]
    assert planned[-1]["event"] == "done"
    write = planned[-1]["data"]["write"]
    assert write["rows_affected"] == 1
    assert status_of_order_4(shop_file) == "S"
    async with client.stream("POST", "/query/stream", json=confirmed(write["token"]), headers=ANN) as response:
        made = [told async for told in read_events(response)]
    assert [told["node"] or told["event"] for told in made] == [
        *("start", "entry", "dialect_resolver", "sql_validator", "sql_executor", "answer_delta", "done"),
    ]
    assert status_of_order_4(shop_file) == "C"


async def test_anyone_may_where_the_registry_says_so(bare: Client, model: ScriptedModel, shop_file: Path) -> None:
    model.replies(sql=SQL)
    planned = (await bare.post("/query", json={**ORDER, "database": "open"})).json()
    response = await bare.post("/query", json=confirmed(planned["write"]["token"], database="open"))
    assert response.json()["write"]["committed"] is True
    assert status_of_order_4(shop_file) == "C"


# ------------------------------------------------------------------------------------------------------ refusals


async def test_a_model_copies_no_private_column_that_the_order_does_not_name(
    bare: Client, model: ScriptedModel, shop_file: Path
) -> None:
    order = {**ORDER, "database": "shy", "options": {"allow_writes": True, "max_attempts": 1}}
    model.replies(sql="UPDATE orders SET status = amount WHERE order_id = 4")
    refused = (await bare.post("/query", json=order)).json()
    assert "orders.amount is private" in refused["answer"]
    assert refused.get("write") is None
    assert status_of_order_4(shop_file) == "S"


@pytest.mark.parametrize(
    "changes, headers, said, why",
    [
        ({"database": "kept"}, ANN, "writable: true", "the database"),
        ({}, BOB, "`writers`", "the caller"),
        ({}, {}, "`writers`", "a caller without a name"),
        ({}, {"x-ms-client-principal-name": "local"}, "`writers`", "a reserved word is no name"),
        ({"options": {}}, ANN, "allow_writes: true", "the option"),
    ],
)
@pytest.mark.parametrize("question", ["Delete all orders", "Order 4 is done now"])
async def test_the_switch_that_is_off_is_named(
    client: Client,
    model: ScriptedModel,
    shop_file: Path,
    changes: dict[str, Any],
    headers: dict[str, str],
    said: str,
    why: str,
    question: str,
) -> None:
    if not question.startswith("Delete"):
        model.replies(sql=SQL)
    response = await client.post("/query", json={**ORDER, "question": question, **changes}, headers=headers)
    body = problem(response, 409, "writes-not-allowed")
    assert said in body["detail"], why
    assert "ann@example.com" not in response.text.lower(), "who else may is not said"
    assert status_of_order_4(shop_file) == "S"


async def test_a_chat_sends_a_change_to_the_route_that_plans_it(client: Client) -> None:
    session = (await client.post("/sessions", json={"database": "shop"}, headers=ANN)).json()["session_id"]
    body = {"session_id": session, "message": "Delete all orders"}
    refused = await client.post("/agents/text-to-sql/chat", json=body, headers=ANN)
    assert "`POST /api/query`" in problem(refused, 409, "writes-not-allowed")["detail"]


async def test_the_setting_is_off_by_default(make_service: Callable[..., Service]) -> None:
    app = create_app(lambda: make_service(enable_retrieval=False, trust_principal_header=True))
    async with api_client(app) as client:
        response = await client.post("/query", json={**ORDER, "question": "Delete all orders"}, headers=ANN)
        assert "PLUMBLINE_ALLOW_WRITES" in problem(response, 409, "writes-not-allowed")["detail"]
        response = await client.post("/query", json=confirmed("abc"), headers=ANN)
        assert "PLUMBLINE_ALLOW_WRITES" in problem(response, 409, "writes-not-allowed")["detail"]


async def test_a_name_counts_only_where_a_front_end_vouches_for_it(bare: Client) -> None:
    response = await bare.post("/query", json={**ORDER, "question": "Delete all orders"}, headers=ANN)
    assert "`writers`" in problem(response, 409, "writes-not-allowed")["detail"]


async def test_tables_are_never_dropped(client: Client) -> None:
    response = await client.post("/query", json={**ORDER, "question": "Drop table orders"}, headers=ANN)
    assert "never tables" in problem(response, 409, "writes-not-allowed")["detail"]


async def test_a_token_is_good_once(client: Client, model: ScriptedModel) -> None:
    known = await token(client, model)
    assert (await client.post("/query", json=confirmed(known), headers=ANN)).status_code == 200
    response = await client.post("/query", json=confirmed(known), headers=ANN)
    assert "Ask for the change again" in problem(response, 409, "write-not-made")["detail"]


async def test_of_two_at_once_one_wins(client: Client, model: ScriptedModel) -> None:
    known = await token(client, model)
    responses = await asyncio.gather(*(client.post("/query", json=confirmed(known), headers=ANN) for _ in range(2)))
    assert sorted(response.status_code for response in responses) == [200, 409]


@pytest.mark.parametrize(
    "changes, headers, why",
    [({"database": "open"}, ANN, "another database"), ({"database": "open"}, BOB, "another caller")],
)
async def test_a_token_is_unknown_elsewhere(
    client: Client, model: ScriptedModel, shop_file: Path, changes: dict[str, str], headers: dict[str, str], why: str
) -> None:
    known = await token(client, model)
    response = await client.post("/query", json=confirmed(known, **changes), headers=headers)
    assert "Ask for the change again" in problem(response, 404, "unknown-write-plan")["detail"], why
    assert status_of_order_4(shop_file) == "S"


async def test_a_token_ends(make_service: Callable[..., Service], model: ScriptedModel, shop_file: Path) -> None:
    on = {"enable_retrieval": False, "allow_writes": True, "trust_principal_header": True}
    app = create_app(lambda: make_service(**on, write_token_s=1e-9))
    async with api_client(app) as client:
        response = await client.post("/query", json=confirmed(await token(client, model)), headers=ANN)
    assert "expired" in problem(response, 409, "write-not-made")["detail"]
    assert status_of_order_4(shop_file) == "S"


async def test_a_plan_outlives_the_process_that_made_it(
    client: Client, model: ScriptedModel, make_service: Callable[..., Service], shop_file: Path
) -> None:
    known = await token(client, model)
    other = create_app(lambda: make_service(enable_retrieval=False, allow_writes=True, trust_principal_header=True))
    async with api_client(other) as second:
        assert (await second.post("/query", json=confirmed(known), headers=ANN)).status_code == 200
    assert status_of_order_4(shop_file) == "C"


async def test_rows_that_have_changed_since_are_left_alone(
    client: Client, model: ScriptedModel, shop_file: Path
) -> None:
    known = await token(client, model)
    connection = sqlite3.connect(shop_file, isolation_level=None)
    connection.execute("UPDATE orders SET amount = 1 WHERE order_id = 4")
    connection.close()
    response = await client.post("/query", json=confirmed(known), headers=ANN)
    assert "rows have changed" in problem(response, 409, "write-not-made")["detail"]
    assert status_of_order_4(shop_file) == "S"


async def test_execute_never_writes(client: Client, shop_file: Path) -> None:
    response = await client.post("/execute", json={"database": "shop", "sql": SQL}, headers=ANN)
    assert problem(response, 409, "sql-refused")["kind"] == "NOT_READ_ONLY"
    assert status_of_order_4(shop_file) == "S"


async def test_the_contract_describes_the_plan(client: Client) -> None:
    schemas = (await client.get("/openapi.json")).json()["components"]["schemas"]
    assert {"kind", "table", "rows_affected", "committed", "token", "expires_at"} == set(
        schemas["WritePlan"]["properties"]
    )
    assert all(field["description"] for field in schemas["WritePlan"]["properties"].values())
    assert {"allow_writes", "confirm"} <= set(schemas["Options"]["properties"])
