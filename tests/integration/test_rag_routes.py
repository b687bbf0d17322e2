"""`rag/…` and `GET /api/tools`: documents of a database are searched and added; tools for other agents."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, problem
from pydantic import ValidationError
from shop_questions import Make
from tool_calls import call_tool

from agent.api.app import api_routes, create_app
from agent.core.callers import LOCAL
from agent.databases.knowledge.added_documents import MAX_DOCUMENTS, AddedDocuments
from agent.pipeline.service import Service
from agent.platform.storage.sqlite import SqliteStore
from executors.errors import SqlRefused, UnknownDatabase
from rag.docs.documents import make_document
from rag.errors import EmbedderUnavailable
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient

DOCS = """# Shop

## orders

One row for each order.

- status: C completed, X cancelled

## Rules

- Revenue: amount of orders that were not cancelled.
"""
GUEST = {"kind": "rule", "text": "Guest: an order without a customer."}


pytestmark = pytest.mark.usefixtures("service_embedder")


@pytest.fixture
def docs(tmp_path: Path, registry: Path) -> Path:
    path = tmp_path / "shop.md"
    path.write_text(DOCS, encoding="utf-8")
    registry.write_text("shop: {url: shop.sqlite, docs: [shop.md]}\n", encoding="utf-8")
    return path


@pytest.fixture
async def client(docs: Path, make_service: Make) -> AsyncIterator[Client]:
    async with api_client(create_app(make_service)) as client:
        yield client


async def search(client: Client, query: str, **more: Any) -> list[dict[str, Any]]:
    response = await client.post("/rag/search", json={"database": "shop", "query": query, **more})
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["documents"]
    return found


async def add(client: Client, *documents: dict[str, Any]) -> httpx2.Response:
    return await client.post("/rag/documents", json={"database": "shop", "documents": list(documents)})


async def listed(client: Client, **query: Any) -> dict[str, Any]:
    response = await client.get("/rag/documents", params={"database": "shop", **query})
    assert response.status_code == 200, response.text
    page: dict[str, Any] = response.json()
    return page


# -- search ------------------------------------------------------------------------------------------------


async def test_a_search_ranks_documents_and_says_what_each_is(client: Client) -> None:
    best, *others = await search(client, "which status has an order that was cancelled?")

    assert {key: best[key] for key in ("kind", "table", "column", "source")} == {
        "kind": "column", "table": "orders", "column": "status", "source": "shop.md",
    }  # fmt: skip
    assert best["text"] == "C completed, X cancelled"
    assert [hit["score"] for hit in others] == sorted((hit["score"] for hit in others), reverse=True)
    assert others[0]["score"] <= best["score"] <= 1


async def test_a_search_may_ask_for_some_kinds_and_for_less(client: Client) -> None:
    assert [hit["kind"] for hit in await search(client, "cancelled orders", kinds=["rule"])] == ["rule"]
    assert len(await search(client, "cancelled orders", top_k=2)) == 2


async def test_a_search_where_nothing_is_known_finds_nothing(client: Client, docs: Path, registry: Path) -> None:
    registry.write_text("shop: shop.sqlite\n", encoding="utf-8")
    assert await search(client, "revenue") == []


@pytest.mark.parametrize("change, field, why", [
    ({"query": ""}, "query", "nothing to look for"),
    ({"query": "x" * 4001}, "query", "too long"),
    ({"top_k": 0}, "top_k", "none at all"),
    ({"top_k": 101}, "top_k", "too many"),
    ({"kinds": ["values"]}, "kinds.0", "no such kind"),
    ({"limit": 5}, "limit", "an unknown field"),
])  # fmt: skip
async def test_a_search_that_cannot_be_made(client: Client, change: dict[str, Any], field: str, why: str) -> None:
    response = await client.post("/rag/search", json={"database": "shop", "query": "revenue", **change})
    assert problem(response, 422, "invalid-field")["errors"][0]["field"] == field


async def test_a_search_without_its_embedding_model_says_so(
    client: Client, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    await search(client, "revenue")

    def embed(_: object) -> list[list[float]]:
        raise EmbedderUnavailable("The embedding model answered with status 429.")

    monkeypatch.setattr(embedder, "embed", embed)
    response = await client.post("/rag/search", json={"database": "shop", "query": "guests"})
    problem(response, 503, "embedder-unavailable")


# -- documents of run time ---------------------------------------------------------------------------------


async def test_what_is_added_is_found_by_the_next_search_and_only_that_is_embedded(
    client: Client, embedder: HashingEmbedder
) -> None:
    await search(client, "guest")
    before = len(embedder.embedded)

    response = await add(client, GUEST)

    assert response.status_code == 201
    (taken,) = response.json()["documents"]
    assert (taken["kind"], taken["text"], taken["source"]) == ("rule", GUEST["text"], "api")
    assert embedder.embedded[before:] == [GUEST["text"]]
    best = (await search(client, "what is a guest order without a customer?"))[0]
    assert (best["id"], best["text"]) == (taken["id"], GUEST["text"])


async def test_what_is_added_is_known_to_the_next_question(client: Client, model: ScriptedModel) -> None:
    await add(client, GUEST)
    model.replies(sql="SELECT count(*) AS guests FROM orders WHERE customer_id IS NULL")
    model.replies(correct=True, reason="counted")
    model.replies(text="There was 1.")

    body = (
        await client.post("/query", json={"question": "How many guest orders are there?", "database": "shop"})
    ).json()

    assert body["results"] == [{"guests": 1}]
    assert GUEST["text"] in model.asked[0].text


async def test_what_is_added_outlives_indexing_and_a_restart(docs: Path, make_service: Make) -> None:
    async with api_client(create_app(make_service)) as client:
        await add(client, GUEST)
        docs.write_text(DOCS.replace("cancelled.", "X."), encoding="utf-8")
        report = (await client.post("/databases/shop/index")).json()
    assert (report["added"], report["removed"]) == (1, 1), "one line of the file"

    async with api_client(create_app(make_service)) as client:
        assert GUEST["text"] in [hit["text"] for hit in await search(client, "guest order", kinds=["rule"])]


async def test_what_is_deleted_is_gone(client: Client) -> None:
    (taken,) = (await add(client, GUEST)).json()["documents"]

    response = await client.delete(f"/rag/documents/{taken['id']}", params={"database": "shop"})

    assert (response.status_code, response.content) == (204, b"")
    assert GUEST["text"] not in [hit["text"] for hit in await search(client, "guest order")]
    again = await client.delete(f"/rag/documents/{taken['id']}", params={"database": "shop"})
    problem(again, 404, "unknown-document")


async def test_what_a_file_says_is_not_deleted_here(client: Client) -> None:
    rule = next(one for one in (await listed(client))["documents"] if one["kind"] == "rule")
    response = await client.delete(f"/rag/documents/{rule['id']}", params={"database": "shop"})
    assert "changed in their files" in problem(response, 404, "unknown-document")["detail"]


async def test_names_become_the_schemas_and_white_space_is_folded(client: Client) -> None:
    new = {"kind": "column", "table": '"Orders"', "column": "Ordered At", "text": "day\n of  order", "source": "wiki"}
    (taken,) = (await add(client, new)).json()["documents"]
    assert (taken["table"], taken["column"], taken["text"], taken["source"]) == (
        "orders", "ordered_at", "day of order", "wiki",
    )  # fmt: skip


async def test_a_query_is_taken_where_the_guard_lets_it_through(client: Client) -> None:
    new = {"kind": "query", "text": "How many orders?", "sql": "SELECT count(*) FROM orders;"}
    (taken,) = (await add(client, new)).json()["documents"]
    assert taken["sql"] == "SELECT count(*) FROM orders"


@pytest.mark.parametrize("new, said", [
    ({"kind": "column", "table": "ordrs", "column": "status", "text": "x"}, "'ordrs'; the nearest is 'orders'"),
    ({"kind": "column", "table": "orders", "column": "stats", "text": "x"}, "'stats'; the nearest is 'status'"),
    ({"kind": "table", "table": "custmers", "text": "x"}, "the nearest is 'customers'"),
    ({"kind": "rule", "table": "custmers", "text": "x"}, "the nearest is 'customers'"),
    ({"kind": "query", "text": "How many?", "sql": "SELECT count(*) FROM ordrs"}, "its sql was refused"),
    ({"kind": "query", "text": "Delete all", "sql": "DELETE FROM orders"}, "its sql was refused"),
    ({"kind": "query", "text": "Two", "sql": "SELECT 1; SELECT 2"}, "its sql was refused"),
])  # fmt: skip
async def test_where_one_does_not_fit_none_is_taken(client: Client, new: dict[str, Any], said: str) -> None:
    detail = problem(await add(client, GUEST, new), 422, "documents-invalid")["detail"]

    assert detail.startswith("documents.1: ")
    assert said in detail
    assert (await listed(client))["total"] == 3


@pytest.mark.parametrize("new, said", [
    ({"kind": "value", "text": "x"}, "'column', 'table', 'rule' or 'query'"),
    ({"kind": "rule", "text": ""}, "at least 1"),
    ({"kind": "rule", "text": " \n"}, "needs a text"),
    ({"kind": "rule", "text": "x" * 4001}, "at most 4000"),
    ({"kind": "column", "text": "x", "table": "orders"}, "needs column"),
    ({"kind": "table", "text": "x"}, "needs table"),
    ({"kind": "query", "text": "x"}, "needs sql"),
    ({"kind": "rule", "text": "x", "sql": "SELECT 1"}, "has no sql"),
    ({"kind": "query", "text": "x", "sql": "S" * 20_001}, "at most 20000"),
    ({"kind": "rule", "text": "x", "score": 1}, "Unknown field: remove it"),
    ({"kind": "rule", "text": "half \ud800"}, "half a character"),
])  # fmt: skip
async def test_a_document_that_is_none_is_refused(client: Client, new: dict[str, Any], said: str) -> None:
    body = json.dumps({"database": "shop", "documents": [new]})
    response = await client.post("/rag/documents", content=body, headers={"content-type": "application/json"})
    assert said in problem(response, 422, "invalid-field")["detail"]


@pytest.mark.parametrize("count", [0, 101])
async def test_documents_come_in_portions(client: Client, count: int) -> None:
    problem(await add(client, *[GUEST] * count), 422, "invalid-field")


async def test_a_database_takes_so_many_and_no_more(client: Client, tmp_path: Path) -> None:
    rules = [make_document("rule", f"rule {number}", database="shop") for number in range(MAX_DOCUMENTS)]
    AddedDocuments(SqliteStore(tmp_path / "state/state.sqlite")).add("shop", rules)
    assert "takes 5000 documents" in problem(await add(client, GUEST), 422, "documents-invalid")["detail"]


async def test_what_cannot_be_embedded_is_not_kept(
    client: Client, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await search(client, "revenue")

    def embed(_: object) -> list[list[float]]:
        raise EmbedderUnavailable("The embedding model answered with status 429.")

    with monkeypatch.context() as broken:
        broken.setattr(embedder, "embed", embed)
        problem(await add(client, GUEST), 503, "embedder-unavailable")

    assert AddedDocuments(SqliteStore(tmp_path / "state/state.sqlite")).of("shop") == ()
    assert (await add(client, GUEST)).status_code == 201


async def test_the_same_document_twice_is_one(client: Client) -> None:
    first, second = (await add(client, GUEST)).json(), (await add(client, GUEST)).json()
    assert first == second
    assert (await listed(client))["total"] == 4


async def test_what_no_longer_fits_the_schema_is_told_and_comes_back_with_its_column(
    client: Client, shop_file: Path
) -> None:
    await add(client, {"kind": "column", "table": "orders", "column": "status", "text": "how far it is"})
    with sqlite3.connect(shop_file) as connection:
        connection.execute("ALTER TABLE orders RENAME COLUMN status TO state")
    report = (await client.post("/databases/shop/index")).json()
    assert "api: table 'orders' has no column 'status'; the nearest is 'state'" in report["problems"]

    with sqlite3.connect(shop_file) as connection:
        connection.execute("ALTER TABLE orders RENAME COLUMN state TO status")
    connection.close()
    await client.post("/databases/shop/index")
    assert "how far it is" in [one["text"] for one in (await listed(client))["documents"]]


async def test_the_list_is_paged(client: Client) -> None:
    await add(client, GUEST)
    whole = await listed(client)
    assert (whole["total"], whole["next_offset"], len(whole["documents"])) == (4, None, 4)
    assert [one["text"] for one in whole["documents"] if one["added"]] == [GUEST["text"]]

    first = await listed(client, limit=3)
    second = await listed(client, limit=3, offset=first["next_offset"])
    assert first["documents"] + second["documents"] == whole["documents"]
    assert second["next_offset"] is None
    assert {one["kind"] for one in (await listed(client, kind="rule"))["documents"]} == {"rule"}


@pytest.mark.parametrize("method, path, body", [
    ("POST", "/rag/search", {"database": "x", "query": "y"}),
    ("GET", "/rag/documents?database=x", None),
    ("POST", "/rag/documents", {"database": "x", "documents": [GUEST]}),
    ("DELETE", "/rag/documents/abc?database=x", None),
])  # fmt: skip
async def test_an_unknown_database_has_no_docs(client: Client, method: str, path: str, body: Any) -> None:
    problem(await client.request(method, path, json=body), 404, "unknown-database")


@pytest.mark.parametrize("method, path", [
    ("GET", "/rag/documents"),
    ("GET", "/rag/documents?database=shop&limit=501"),
    ("GET", "/rag/documents?database=shop&offset=-1"),
    ("DELETE", "/rag/documents/abc"),
    ("DELETE", "/rag/documents/not-an-id?database=shop"),
])  # fmt: skip
async def test_a_request_that_cannot_be_used(client: Client, method: str, path: str) -> None:
    problem(await client.request(method, path), 422, "invalid-field")


async def test_who_may_not_ask_a_database_may_not_read_or_write_its_docs(
    docs: Path, registry: Path, make_service: Make
) -> None:
    registry.write_text("shop: {url: shop.sqlite, docs: [shop.md], allowed: [ada]}\n", encoding="utf-8")
    async with api_client(create_app(lambda: make_service(trust_principal_header=True))) as client:
        refused = await client.post("/rag/search", json={"database": "shop", "query": "revenue"})
        problem(refused, 404, "unknown-database")
        problem(await add(client, GUEST), 404, "unknown-database")
        client.headers["x-ms-client-principal-name"] = "ada"
        assert (await add(client, GUEST)).status_code == 201


# -- tools -------------------------------------------------------------------------------------------------


async def test_each_tool_names_a_route_and_its_arguments(client: Client) -> None:
    body = (await client.get("/tools")).json()
    routes = {
        (method, route.path.replace("{name}", "{database}")) for route in api_routes() for method in route.methods
    }

    names = [tool["function"]["name"] for tool in body["tools"]]
    assert names == ["ask", "search_docs", "list_databases", "get_schema", "run_sql", "more_rows"]
    assert {(body["routes"][name]["method"], body["routes"][name]["path"]) for name in names} <= routes
    for tool in body["tools"]:
        assert set(tool) == {"type", "function"}, "what chat models take, and nothing else"
        parameters = tool["function"]["parameters"]
        assert parameters["type"] == "object"
        assert parameters["additionalProperties"] is False
        assert all(one["description"] for one in parameters["properties"].values())
        assert "$ref" not in str(parameters)


async def test_the_schema_of_a_tool_is_that_of_its_request(client: Client) -> None:
    tools = {tool["function"]["name"]: tool["function"] for tool in (await client.get("/tools")).json()["tools"]}

    assert tools["search_docs"]["parameters"]["properties"]["top_k"] == {
        "type": "integer", "minimum": 1, "maximum": 100, "default": 5, "description": "Maximum number of documents.",
    }  # fmt: skip
    assert tools["ask"]["parameters"]["required"] == ["question", "database"]
    assert set(tools["ask"]["parameters"]["properties"]) == {"question", "database", "session_id", "options"}
    assert tools["list_databases"]["parameters"]["properties"] == {}


async def test_tools_do_what_their_routes_do(docs: Path, service: Service, model: ScriptedModel) -> None:
    async def call(name: str, **arguments: Any) -> Any:
        return await call_tool(service, name, arguments, LOCAL)

    model.replies(sql="SELECT count(*) AS n FROM orders")
    model.replies(correct=True, reason="counted")
    model.replies(text="There are 5.")

    assert (await call("list_databases"))["databases"][0]["name"] == "shop"
    assert "CREATE TABLE orders" in (await call("get_schema", database="shop"))["schema_text"]
    assert (await call("run_sql", database="shop", sql="SELECT count(*) FROM orders"))["rows"] == [[5]]
    assert (await call("search_docs", database="shop", query="revenue", top_k=1))["documents"][0]["kind"] == "rule"
    assert (await call("ask", question="How many orders are there?", database="shop"))["results"] == [{"n": 5}]


@pytest.mark.parametrize("name, arguments, error", [
    ("run_sql", {"database": "shop", "sql": "DELETE FROM orders"}, SqlRefused),
    ("run_sql", {"database": "shop", "sql": "SELECT 1", "timeout_s": 9}, ValidationError),
    ("ask", {"question": "Why?", "database": "shop", "options": {"allow_writes": True}}, ValidationError),
    ("get_schema", {"database": "x"}, UnknownDatabase),
    ("search_docs", {"database": "shop"}, ValidationError),
    ("list_databases", {"database": "shop"}, ValidationError),
])  # fmt: skip
async def test_a_tool_refuses_what_its_route_refuses(
    service: Service, name: str, arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        await call_tool(service, name, arguments, LOCAL)
