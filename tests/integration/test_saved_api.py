"""`saved`: queries that a principal keeps under a name, and runs again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import problem
from people_shop import ANN, BEN, QUESTION, REX, Client, called, served, succeed
from shop_questions import TOTAL, Make

from testbed.scripted_model import ScriptedModel

BY_STATUS = {
    "name": "By status",
    "database": "shop",
    "sql": "SELECT order_id FROM orders WHERE status = :status ORDER BY order_id",
    "question": "Which orders have this status?",
    "parameters": {"status": "C"},
}
MOST = 3


@pytest.fixture
async def client(make_service: Make, registry: Path) -> AsyncIterator[Client]:
    async with served(make_service, registry, enable_retrieval=False, max_saved_queries=MOST) as client:
        yield client


async def save(client: Client, who: dict[str, str] = ANN, **changes: Any) -> httpx2.Response:
    return await client.post("/saved", json={**BY_STATUS, **changes}, headers=who)


async def saved(client: Client, who: dict[str, str] = ANN, **changes: Any) -> dict[str, Any]:
    response = await save(client, who, **changes)
    assert response.status_code == 201, response.text
    body: dict[str, Any] = response.json()
    assert response.headers["etag"] == f'"{body["version"]}"'
    return body


async def names(client: Client, who: dict[str, str] = ANN) -> list[str]:
    return [query["name"] for query in (await client.get("/saved", headers=who)).json()["saved"]]


async def test_a_saved_query_is_listed_and_run_with_its_parameters_or_others(client: Client) -> None:
    path = f"/saved/{(await saved(client))['id']}"
    assert await names(client) == ["By status"]
    assert (await client.get(path, headers=ANN)).json()["parameters"] == {"status": "C"}

    as_saved = (await client.post(f"{path}/run", headers=ANN)).json()
    assert (as_saved["columns"], as_saved["rows"]) == (["order_id"], [[1], [3], [5]])
    others = (await client.post(f"{path}/run", json={"parameters": {"status": "X"}}, headers=ANN)).json()
    assert others["rows"] == [[2]]
    fewer = (await client.post(f"{path}/run", json={"row_limit": 1}, headers=ANN)).json()
    assert (fewer["rows"], fewer["truncated"]) == ([[1]], True)


async def test_the_rows_come_in_the_format_that_is_asked_for(client: Client) -> None:
    path = f"/saved/{(await saved(client))['id']}"
    response = await client.post(f"{path}/run", headers=ANN | {"accept": "text/csv"})
    assert response.headers["content-type"].startswith("text/csv")
    assert response.text.split() == ["order_id", "1", "3", "5"]


async def test_the_query_of_an_answer_is_saved_by_its_trace_id(client: Client, model: ScriptedModel) -> None:
    answer = await succeed(client, model)
    body = {"name": "Total", "database": "shop", "trace_id": answer["trace_id"]}
    kept = (await client.post("/saved", json=body, headers=ANN)).json()
    assert (kept["sql"], kept["question"]) == (TOTAL, QUESTION)

    problem(await client.post("/saved", json=body, headers=BEN), 422, "saved-query-invalid")
    other = {**body, "name": "Other", "database": "secret"}
    problem(await client.post("/saved", json=other, headers=REX), 422, "saved-query-invalid")


async def test_each_principal_has_their_own(client: Client) -> None:
    query = await saved(client, ANN)
    assert (await names(client, BEN), await names(client, called("ANN"))) == ([], ["By status"])
    path = f"/saved/{query['id']}"
    for method, route in (("GET", path), ("PUT", path), ("DELETE", path), ("POST", f"{path}/run")):
        response = await client.request(method, route, json=BY_STATUS if method == "PUT" else None, headers=BEN)
        problem(response, 404, "unknown-saved-query")
    assert (await saved(client, BEN))["name"] == query["name"], "names are taken for oneself alone"


async def test_what_one_may_ask_no_longer_is_not_there(client: Client, registry: Path, make_service: Make) -> None:
    query = await saved(client, ANN)
    registry.write_text("shop: {url: shop.sqlite, allowed: [rex@example.org]}\n", encoding="utf-8")
    async with served(make_service, enable_retrieval=False) as later:
        assert await names(later) == []
        problem(await later.post(f"/saved/{query['id']}/run", headers=ANN), 404, "unknown-saved-query")


@pytest.mark.parametrize(
    "change, status, slug, why",
    [
        ({"name": "by STATUS"}, 409, "name-taken", "case means nothing"),
        ({"name": "  "}, 422, "invalid-field", "no name"),
        ({"name": "x" * 101}, 422, "invalid-field", "too long a name"),
        ({"sql": ""}, 422, "invalid-field", "nothing to save"),
        ({"sql": "SELECT nothing FROM orders"}, 422, "sql-refused", "no such column"),
        ({"sql": "DROP TABLE orders"}, 409, "sql-refused", "no SELECT"),
        ({"parameters": {}}, 422, "sql-refused", "a placeholder without a value"),
        ({"parameters": {"status": "x" * 20_001}}, 422, "saved-query-invalid", "too much for a value"),
        ({"database": "nowhere"}, 404, "unknown-database", "no such database"),
        ({"database": "secret"}, 404, "unknown-database", "not theirs to ask"),
        ({"trace_id": "x"}, 422, "invalid-field", "no trace"),
    ],
)
async def test_what_cannot_be_saved(client: Client, change: dict[str, Any], status: int, slug: str, why: str) -> None:
    await saved(client)
    problem(await save(client, **({"name": "Another"} | change)), status, slug)
    assert await names(client) == ["By status"], why


async def test_there_are_so_many_at_most_even_at_once(client: Client) -> None:
    answers = await asyncio.gather(*(save(client, name=f"Query {number}") for number in range(MOST + 2)))
    assert sorted(response.status_code for response in answers) == [201] * MOST + [422] * 2
    assert len(await names(client)) == MOST


async def test_one_of_two_equal_names_at_once_is_taken(client: Client) -> None:
    answers = await asyncio.gather(save(client), save(client))
    assert sorted(response.status_code for response in answers) == [201, 409]


async def test_a_query_is_renamed_and_replaced_and_its_name_free_again(client: Client) -> None:
    first, second = await saved(client), await saved(client, name="Second")
    path = f"/saved/{first['id']}"
    problem(await client.put(path, json={**BY_STATUS, "name": "second"}, headers=ANN), 409, "name-taken")

    changed = {**BY_STATUS, "name": "Renamed", "sql": TOTAL, "parameters": None}
    renamed = (await client.put(path, json=changed, headers=ANN | {"if-match": f'"{first["version"]}"'})).json()
    assert (renamed["name"], renamed["created_at"]) == ("Renamed", first["created_at"])
    assert renamed["updated_at"] > first["updated_at"]
    assert (await client.post(f"{path}/run", headers=ANN)).json()["rows"] == [[460.5]]
    assert (await saved(client))["id"] not in (first["id"], second["id"])
    assert await names(client) == ["By status", "Renamed", "Second"]


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_a_change_of_an_earlier_version_undoes_no_other(client: Client, method: str) -> None:
    query = await saved(client)
    path, stale = f"/saved/{query['id']}", ANN | {"if-match": f'"{query["version"]}"'}
    await client.put(path, json={**BY_STATUS, "question": "Which?"}, headers=ANN)
    response = await client.request(method, path, json=BY_STATUS if method == "PUT" else None, headers=stale)
    problem(response, 409, "changed-meanwhile")
    assert (await client.get(path, headers=ANN)).json()["question"] == "Which?"


async def test_a_forgotten_query_is_gone_and_makes_room(client: Client) -> None:
    queries = [await saved(client, name=f"Query {number}") for number in range(MOST)]
    path = f"/saved/{queries[0]['id']}"
    assert (await client.delete(path, headers=ANN)).status_code == 204
    problem(await client.get(path, headers=ANN), 404, "unknown-saved-query")
    assert (await saved(client, name="Query 0"))["name"] == "Query 0"


async def test_saved_queries_outlive_the_process(client: Client, make_service: Make) -> None:
    query = await saved(client)
    async with served(make_service, enable_retrieval=False) as later:
        assert (await later.get(f"/saved/{query['id']}", headers=ANN)).json() == query


async def test_who_has_no_name_where_others_have_one_has_no_shelf(client: Client) -> None:
    refused = await save(client, who={})

    assert refused.status_code == 403
    assert "Sign in" in refused.json()["detail"]
    assert (await client.get("/saved")).status_code == 403
