"""Access to every route, and responses to strangers."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath
from typing import Any

import httpx2
import pytest
from api_client import problem
from door import ANN, EXPIRED, STRANGER, Opened, bearer

from agent.api.app import ApiRoute, api_routes
from agent.api.routes.page import asset_paths
from agent.platform.access.keys import digest_of

Client = httpx2.AsyncClient

ID, TRACE_ID = "0" * 30, "0af7651916cd43dd8448eb211c80319c"
ASKED = {"database": "shop", "question": "How many orders are there?"}
NEW = {"database": "shop", "documents": [{"kind": "rule", "text": "Cancelled orders do not count."}]}
SAVED = {"name": "orders", "database": "shop", "question": "Which orders?", "sql": "SELECT order_id FROM orders"}

# What each route says to somebody who has a key, and may ask no database: that nothing is there, and never that it is
# somebody else's. Route -> (its request, the slug of its 404; or its status).
STRANGERS: dict[str, tuple[dict[str, Any], str | int]] = {
    "query": ({"json": ASKED}, "unknown-database"),
    "query_stream": ({"json": ASKED}, "unknown-database"),
    "execute": ({"json": {"database": "shop", "sql": "SELECT 1"}}, "unknown-database"),
    "records": ({"json": {"database": "shop", "sql": "SELECT COUNT(*) AS n FROM orders"}}, "unknown-database"),
    "databases": ({}, 200),
    "resume_stream": ({}, "unknown-answer"),
    "end_stream": ({}, "unknown-answer"),
    "database": ({}, "unknown-database"),
    "database_schema": ({}, "unknown-database"),
    "index_database": ({}, "unknown-database"),
    "upload_database": ({"params": {"file": "own.csv"}, "content": b"a,b\n1,2\n"}, 201),
    "delete_database": ({}, "unknown-database"),
    "first_look": ({}, "unknown-database"),
    "read_report": ({}, "unknown-database"),
    "describe_column": ({"json": {"table": "orders", "column": "status", "text": "C"}}, "unknown-database"),
    "search_docs": ({"json": {"database": "shop", "query": "orders"}}, "unknown-database"),
    "list_documents": ({"params": {"database": "shop"}}, "unknown-database"),
    "add_documents": ({"json": NEW}, "unknown-database"),
    "delete_document": ({"params": {"database": "shop"}}, "unknown-database"),
    "tools": ({}, 200),
    "start_session": ({"json": {"database": "shop"}}, "unknown-database"),
    "chat": ({"json": {"session_id": ID, "message": "How many?"}}, "unknown-session"),
    "chat_stream": ({"json": {"session_id": ID, "message": "How many?"}}, "unknown-session"),
    "session": ({}, "unknown-session"),
    "new_session": ({"json": {"database": "shop"}}, "unknown-database"),
    "sessions": ({}, 200),
    "session_answer": ({}, "unknown-session"),
    "share_answer": ({}, "unknown-session"),
    "unshare_answer": ({}, "unknown-session"),
    "shared_answer": ({}, "unknown-share"),
    "end_session": ({}, "unknown-session"),
    "chat_health": ({}, 200),
    "generate": ({"json": {"connection_id": "shop", "question": "How many?"}}, "unknown-database"),
    "generate_stream": ({"json": {"connection_id": "shop", "question": "How many?"}}, "unknown-database"),
    "reviews": ({}, 200),
    "review": ({}, "unknown-review"),
    "settle_review": ({"json": {"decision": "approve"}}, "unknown-review"),
    "feedback": ({"json": {"trace_id": TRACE_ID, "correct": True}}, "unknown-answer"),
    "save_query": ({"json": SAVED}, "unknown-database"),
    "saved_queries": ({}, 200),
    "saved_query": ({}, "unknown-saved-query"),
    "replace_saved_query": ({"json": SAVED}, "unknown-saved-query"),
    "delete_saved_query": ({}, "unknown-saved-query"),
    "run_saved_query": ({"json": {}}, "unknown-saved-query"),
    "dashboard": ({}, 200),
    "put_tile": ({"json": {"minutes": 60}}, "unknown-saved-query"),
    "remove_tile": ({}, "unknown-tile"),
    "job": ({}, "unknown-job"),
    "cancel_job": ({}, "unknown-job"),
    "health_ready": ({}, 200),
}

CLOSED = [route for route in api_routes() if route.auth != "ANONYMOUS"]
OPEN = [route for route in api_routes() if route.auth == "ANONYMOUS"]


def named(route: ApiRoute) -> str:
    return route.name


def path_of(route: ApiRoute) -> str:
    """Its path under `/api`, about the database `shop`, or about something of nobody's; the page's own are whole."""
    if not route.path.startswith("/api/"):
        return f"http://test{route.path.replace('{name}', PurePosixPath(min(asset_paths())).name)}"
    wide = any(part in route.path for part in ("/saved/", "/jobs/", "/dashboard/", "/shared/"))
    path = route.path.removeprefix("/api").replace("{name}", "shop")
    path = path.replace("{id}", ID + "00" if wide else ID).replace("{session_id}", ID + "00")
    return path.replace("{answer_id}", TRACE_ID)


@pytest.fixture
async def client(opened: Opened) -> AsyncIterator[Client]:
    async with opened() as client:
        yield client


# -- every route -------------------------------------------------------------------------------------------


def test_no_route_is_forgotten() -> None:
    assert {route.name for route in CLOSED} - set(STRANGERS) == set(), "say above what a stranger is told"
    assert {route.name for route in OPEN} == {"health_live", "generate_health", "openapi", "docs", "page", "page_asset"}


@pytest.mark.parametrize("route", CLOSED, ids=named)
@pytest.mark.parametrize(
    "headers, challenge",
    [
        ({}, 'Bearer realm="plumbline"'),
        (bearer("plk_a-wrong-key"), 'Bearer realm="plumbline", error="invalid_token"'),
        ({"x-api-key": EXPIRED}, 'Bearer realm="plumbline", error="invalid_token"'),
        ({"x-ms-client-principal-name": "ann", "x-ms-client-principal": "e30="}, 'Bearer realm="plumbline"'),
    ],
    ids=["no key", "a wrong key", "an expired key", "headers of a platform that is not there"],
)
async def test_without_a_good_key_a_route_is_closed(
    route: ApiRoute, headers: dict[str, str], challenge: str, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        response = await client.request(route.methods[0], path_of(route), headers=headers, content=b"{never read")
    problem(response, 401, "not-authenticated")
    assert response.headers["www-authenticate"] == challenge
    for key in (ANN, EXPIRED, "plk_a-wrong-key", digest_of(EXPIRED)):
        assert key not in caplog.text
        assert key not in response.text


@pytest.mark.parametrize("route", CLOSED, ids=named)
async def test_a_stranger_hears_that_nothing_is_there(route: ApiRoute, client: Client) -> None:
    request, expected = STRANGERS[route.name]
    response = await client.request(route.methods[0], path_of(route), headers=bearer(STRANGER), **request)
    if isinstance(expected, str):
        problem(response, 404, expected)
    else:
        assert response.status_code == expected, response.text
    assert "shop" not in response.text.replace("'shop'", ""), "but for the name that was asked for"


@pytest.mark.parametrize("route", OPEN, ids=named)
async def test_an_open_route_needs_no_key(route: ApiRoute, client: Client) -> None:
    assert (await client.get(path_of(route))).status_code == 200


@pytest.mark.parametrize("path", ["/nowhere", "/", "/health", "/docs/", "/health/live/x", "//health/live", "/Docs"])
async def test_what_is_no_open_route_is_closed(path: str, client: Client) -> None:
    problem(await client.get(path), 401, "not-authenticated")


@pytest.mark.parametrize(
    "headers", [bearer(ANN), {"x-api-key": ANN}, {"x-functions-key": ANN}], ids=["bearer", "api key", "as `via` sends"]
)
async def test_a_good_key_asks_in_the_name_of_its_owner(headers: dict[str, str], client: Client) -> None:
    response = await client.post("/execute", json={"database": "shop", "sql": "SELECT 1 AS one"}, headers=headers)
    assert response.json()["rows"] == [[1]]


async def test_a_refused_order_does_not_tell_that_the_database_is_there(client: Client) -> None:
    order = {"database": "shop", "question": "Delete all orders."}
    problem(await client.post("/query", json=order, headers=bearer(STRANGER)), 404, "unknown-database")
    problem(await client.post("/query", json=order, headers=bearer(ANN)), 409, "writes-not-allowed")


async def test_ready_names_no_database_of_others(client: Client) -> None:
    parts = (await client.get("/health/ready", headers=bearer(ANN))).json()["parts"]
    assert "database shop" in {part["name"] for part in parts}


@pytest.mark.parametrize(
    "owners, may", [("", True), (", owners: [ANN]", True), (', owners: ["*"]', True), (", owners: [bo]", False)]
)
async def test_owners_alone_change_what_all_are_told(owners: str, may: bool, client: Client, registry: Path) -> None:
    registry.write_text(f"shop: {{url: shop.sqlite, allowed: [ann]{owners}}}\n", encoding="utf-8")
    client.headers.update(bearer(ANN))
    changes = [
        await client.post("/databases/shop/index"),
        await client.post("/rag/documents", json=NEW),
        await client.delete("/rag/documents/ab", params={"database": "shop"}),
    ]
    assert [response.status_code == 403 for response in changes] == [not may] * 3
    if not may:
        assert "`owners`" in problem(changes[0], 403, "not-permitted")["detail"]


# -- nobody signs in ---------------------------------------------------------------------------------------


async def test_without_authentication_a_database_with_a_list_is_nobodys(opened: Opened, registry: Path) -> None:
    async with opened(auth="none") as client:
        client.base_url = httpx2.URL("http://localhost/api")
        problem(await client.post("/query", json=ASKED), 404, "unknown-database")
        assert (await client.get("/databases")).json()["databases"] == []

    registry.write_text("shop: {url: shop.sqlite, allowed: [anonymous]}\n", encoding="utf-8")
    async with opened(auth="none") as client:
        client.base_url = httpx2.URL("http://localhost/api")
        assert [one["name"] for one in (await client.get("/databases")).json()["databases"]] == ["shop"]


async def test_without_authentication_no_page_of_others_may_ask(opened: Opened) -> None:
    async with opened(auth="none") as client:
        problem(await client.get("/databases"), 403, "not-permitted")  # as http://test, which may be anybody's name
        client.base_url = httpx2.URL("http://localhost/api")
        response = await client.get("/databases", headers={"origin": "https://elsewhere.example.com"})
        problem(response, 403, "not-permitted")
