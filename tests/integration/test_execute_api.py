"""`POST /api/execute`: rows of one query, with the limits, the guard and the errors of every other one."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem

from agent.api.app import api_routes
from agent.pipeline.service import Service

Client = httpx2.AsyncClient

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0"
NO_NAMES = [
    "../shop.sqlite",
    "shop.sqlite",
    "./shop.sqlite",
    "nowhere.sqlite",
    "samples/shop.sqlite",
    "shop.duckdb",
    "/etc/passwd",
    "~/shop.sqlite",
    "file:shop.sqlite",
    "sqlite:///shop.sqlite",
    ":memory:",
    "postgresql://reader:hunter2@host.example/sales",
    "Driver={ODBC Driver 18 for SQL Server};Server=host.example;Pwd=hunter2",
    "https://host.example/",
    "*.sqlite",
    "C:\\data\\shop.sqlite",
    "",
]


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    async with api_client(app_without_docs(make_service)) as client:
        yield client


async def run(client: Client, sql: str, **more: Any) -> httpx2.Response:
    return await client.post("/execute", json={"database": "shop", "sql": sql, **more})


# -- rows --------------------------------------------------------------------------------------------------


async def test_rows_come_as_arrays_with_the_query_that_was_run(client: Client) -> None:
    response = await run(client, "select order_id, status, amount from orders where customer_id is null;")

    body = response.json()
    assert response.status_code == 200
    assert body.pop("elapsed_ms") > 0
    assert body == {
        "columns": ["order_id", "status", "amount"],
        "rows": [[4, "S", 60.0]],
        "warnings": [],
        "row_count": 1,
        "truncated": False,
        "cursor": None,
        "sql": "SELECT order_id, status, amount FROM orders WHERE customer_id IS NULL LIMIT 500",
    }


@pytest.mark.parametrize("sql, limit, rows, truncated", [
    ("SELECT order_id FROM orders", None, 5, False),
    ("SELECT order_id FROM orders", 5, 5, False),
    ("SELECT order_id FROM orders", 4, 4, True),
    ("SELECT order_id FROM orders LIMIT 2", 4, 2, False),
    ("SELECT order_id FROM orders LIMIT 5", 4, 4, True),
    ("SELECT order_id FROM orders", 10_000, 5, False),
])  # fmt: skip
async def test_rows_are_capped_and_the_cap_is_seen(
    client: Client, sql: str, limit: int | None, rows: int, truncated: bool
) -> None:
    body = (await run(client, sql, row_limit=limit)).json()

    assert (body["row_count"], len(body["rows"]), body["truncated"]) == (rows, rows, truncated)


@pytest.mark.parametrize("setting, entry, asked, rows", [
    (2, "", None, 2),
    (2, "", 4, 4),
    (4, "row_limit: 3", None, 3),
    (4, "row_limit: 3", 2, 2),
    (2, "row_limit: 3", 3, 3),
])  # fmt: skip
async def test_rows_are_as_many_as_usual_or_as_are_asked_for(
    make_service: Callable[..., Service], registry: Path, setting: int, entry: str, asked: int | None, rows: int
) -> None:
    registry.write_text(f"shop: {{url: shop.sqlite, limits: {{{entry}}}}}", encoding="utf-8")
    async with api_client(app_without_docs(lambda **more: make_service(row_limit=setting, **more))) as client:
        body = (await run(client, "SELECT order_id FROM orders", row_limit=asked)).json()

    assert (body["row_count"], body["truncated"]) == (rows, True)


# -- parameters --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sql, parameters, rows", [
    ("SELECT order_id FROM orders WHERE status = ? AND amount > ? ORDER BY 1", ["C", 50], [[1], [3]]),
    ("SELECT order_id FROM orders WHERE status = :s AND amount < :max", {"s": "C", "max": 50.5}, [[5]]),
    ("SELECT order_id FROM orders WHERE status = @s", {"s": "X"}, [[2]]),
    ("SELECT name FROM customers WHERE country = :c OR name = :c", {"c": "Bo"}, [["Bo"]]),
    ("SELECT order_id FROM orders ORDER BY 1 LIMIT ? OFFSET ?", [2, 1], [[2], [3]]),
    ("SELECT ? AS a, (SELECT ?) AS b, ? AS c", [1, 2, 3], [[1, 2, 3]]),
    ("SELECT ? AS a", [None], [[None]]),
    ("SELECT ? AS a", [-1.5], [[-1.5]]),
    ("SELECT 1 - ? AS a", [-2], [[3]]),
    ("SELECT 1 WHERE ?", [True], [[1]]),
    ("SELECT ? AS a", ["it's \\ \"x\" -- ; DROP TABLE orders; ü😀"], [["it's \\ \"x\" -- ; DROP TABLE orders; ü😀"]]),
    ("SELECT '?' AS a, ? AS b -- ?", ["b"], [["?", "b"]]),
    ("SELECT 1 AS a", [], [[1]]),
])  # fmt: skip
async def test_placeholders_get_their_values(client: Client, sql: str, parameters: Any, rows: list[Any]) -> None:
    response = await run(client, sql, parameters=parameters)

    assert response.json().get("rows") == rows


@pytest.mark.parametrize("sql, parameters, said", [
    ("SELECT ?", [], "1 placeholders, and 0 values"),
    ("SELECT ?, ?", [1], "2 placeholders, and 1 values"),
    ("SELECT ?", [1, 2], "1 placeholders, and 2 values"),
    ("SELECT :a, :b", {"a": 1}, "No value was given for: b."),
    ("SELECT :a", {"a": 1, "b": 2}, "No placeholder has the name: b."),
    ("SELECT ?", {"a": 1}, "No value was given for: ?."),
    ("SELECT :a", [1], "these placeholders have: a."),
    ("SELECT ?", None, "? has no value."),
    ("SELECT ?", ["a\u0000b"], "NUL"),
    ("SELECT * FROM ?", ["orders"], ""),
])  # fmt: skip
async def test_values_that_do_not_fit_are_refused(client: Client, sql: str, parameters: Any, said: str) -> None:
    response = await run(client, sql, parameters=parameters)

    assert said in problem(response, 422, "sql-refused")["detail"]


@pytest.mark.parametrize("parameters", [[[1]], [{"a": 1}], "x", 5, {"a": [1]}])
async def test_a_value_is_a_json_scalar(client: Client, parameters: Any) -> None:
    problem(await run(client, "SELECT ?", parameters=parameters), 422, "invalid-field")


# -- refusals and errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sql, status, slug, kind, hint", [
    ("DELETE FROM orders", 409, "sql-refused", "NOT_READ_ONLY", "SELECT"),
    ("WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d", 409, "sql-refused", "NOT_READ_ONLY", "SELECT"),
    ("SELECT * FROM ordres", 422, "sql-refused", "TABLE_NOT_FOUND", "orders"),
    ("SELECT amuont FROM orders", 422, "sql-refused", "COLUMN_NOT_FOUND", "amount"),
    ("SELECT 1; SELECT 2", 422, "sql-refused", "SYNTAX_ERROR", "SELECT"),
    ("SELEC 1", 422, "sql-refused", "SYNTAX_ERROR", "SELECT"),
    ("", 422, "sql-refused", "SYNTAX_ERROR", ""),
    ("PRAGMA database_list", 422, "sql-refused", "PERMISSION", "SELECT"),
    ("SELECT load_extension('x')", 422, "sql-refused", "FUNCTION_NOT_FOUND", ""),
    (ENDLESS, 504, "sql-failed", "TIMEOUT", "filter"),
])  # fmt: skip
async def test_an_error_has_its_kind_and_its_hint(
    client: Client, sql: str, status: int, slug: str, kind: str, hint: str
) -> None:
    body = problem(await run(client, sql, timeout_s=0.2 if sql == ENDLESS else 30), status, slug)

    assert body["kind"] == kind
    assert hint in body["hint"]


async def test_what_the_database_says_no_to_is_told_in_its_words(client: Client) -> None:
    response = await run(client, "SELECT abs(1, 2)")

    body = response.json()
    assert (response.status_code, body["type"]) == (422, "urn:plumbline:problem:sql-failed")
    assert "wrong number of arguments" in body["detail"]


async def test_a_timeout_may_be_shorter_and_never_longer(make_service: Callable[..., Service], registry: Path) -> None:
    registry.write_text("shop: {url: shop.sqlite, limits: {query_timeout_s: 0.1}}", encoding="utf-8")
    async with api_client(app_without_docs(make_service)) as client:
        body = problem(await run(client, ENDLESS, timeout_s=600), 504, "sql-failed")

    assert "0.1 seconds" in body["detail"]


@pytest.mark.parametrize("body", [
    {"database": "shop"},
    {"sql": "SELECT 1"},
    {"database": "shop", "sql": "SELECT 1", "row_limit": 0},
    {"database": "shop", "sql": "SELECT 1", "row_limit": 10_001},
    {"database": "shop", "sql": "SELECT 1", "timeout_s": 0},
    {"database": "shop", "sql": "SELECT 1", "url": "postgresql://host.example"},
    {"database": ["shop"], "sql": "SELECT 1"},
])  # fmt: skip
async def test_a_field_that_cannot_be_used_is_named(client: Client, body: dict[str, Any]) -> None:
    assert problem(await client.post("/execute", json=body), 422, "invalid-field")["errors"]


async def test_what_is_no_json_is_malformed(client: Client) -> None:
    problem(await client.post("/execute", content="SELECT 1"), 400, "malformed-request")


# -- names, and nothing but names --------------------------------------------------------------------------


@pytest.mark.parametrize("name", NO_NAMES)
async def test_a_request_names_a_database_and_never_says_where_one_is(
    client: Client, tmp_path: Path, name: str
) -> None:
    sqlite3.connect(tmp_path / "other.sqlite").close()
    quoted = httpx2.URL("http://x").copy_with(params={"n": name}).query.decode().removeprefix("n=").replace("+", "%20")
    asked = [
        await client.post("/execute", json={"database": name, "sql": "SELECT 1"}),
        await client.post("/query", json={"database": name, "question": "How many orders are there?"}),
        await client.post("/query/stream", json={"database": name, "question": "How many orders are there?"}),
        await client.get(f"/databases/{quoted}/schema"),
        await client.post(f"/databases/{quoted}/index"),
    ]

    for response in asked:
        assert response.status_code in (404, 422), response.request.url
        assert "hunter2" not in response.text


async def test_the_refusal_does_not_say_whether_a_file_is_there(client: Client, shop_file: Path) -> None:
    there, gone = [
        await client.post("/execute", json={"database": str(path), "sql": "SELECT 1"})
        for path in (shop_file, shop_file.with_name("gone.sqlite"))
    ]

    hidden = {"trace_id": ""}
    assert problem(there, 404, "unknown-database") | hidden == problem(gone, 404, "unknown-database") | hidden


async def test_who_may_not_ask_hears_that_there_is_none(make_service: Callable[..., Service], registry: Path) -> None:
    registry.write_text("shop: {url: shop.sqlite, allowed: [ada@example.org]}", encoding="utf-8")
    app = app_without_docs(lambda **more: make_service(trust_principal_header=True, **more))
    async with api_client(app) as client:
        for name, status in (("Ada@example.org", 200), ("bo@example.org", 404), ("", 404)):
            client.headers["x-ms-client-principal-name"] = name
            listed = (await client.get("/databases")).json()["databases"]
            assert (await run(client, "SELECT 1")).status_code == status
            assert (await client.get("/databases/shop/schema")).status_code == status
            assert [one["name"] for one in listed] == (["shop"] if status == 200 else [])
        query = await client.post("/query", json={"database": "shop", "question": "How many orders are there?"})
        problem(query, 404, "unknown-database")


# -- beside it ---------------------------------------------------------------------------------------------


def test_it_is_a_function_with_a_key() -> None:
    route = next(route for route in api_routes() if route.name == "execute")

    assert (route.path, route.methods, route.auth) == ("/api/execute", ("POST",), "FUNCTION")


async def test_a_schema_is_read_again_on_request(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    refreshed: list[str] = []
    monkeypatch.setattr("executors.workers.isolated.IsolatedExecutor.refresh", lambda self: refreshed.append(self.name))
    await client.get("/databases/shop/schema")
    assert refreshed == []

    await client.get("/databases/shop/schema", params={"refresh": "true"})
    await client.post("/databases/shop/index")

    assert refreshed == ["shop", "shop"]


async def test_a_schema_can_be_had_without_what_the_docs_add(client: Client) -> None:
    body = (await client.get("/databases/shop/schema", params={"enriched": "false"})).json()

    assert body["enriched"] == ""
    assert [table["name"] for table in body["tables"]] == ["customers", "orders"]


async def test_the_list_says_whom_to_ask(make_service: Callable[..., Service], registry: Path) -> None:
    registry.write_text("shop: {url: shop.sqlite, owners: [Ada]}", encoding="utf-8")
    async with api_client(app_without_docs(make_service)) as client:
        assert (await client.get("/databases")).json()["databases"][0]["owners"] == ["Ada"]


async def test_a_catalogue_is_read_where_the_registry_lists_it_and_never_past_a_row_filter(
    make_service: Callable[..., Service], registry: Path
) -> None:
    body = {"database": "shop", "sql": "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"}
    filtered = ", row_filter: {orders: 'order_id = 1'}"
    found: list[Any] = []
    for listed in ("", ", catalogue: [sqlite_master]", f", catalogue: [sqlite_master]{filtered}"):
        registry.write_text(f"shop: {{url: shop.sqlite{listed}}}\n", encoding="utf-8")
        async with api_client(app_without_docs(make_service)) as client:
            response = await client.post("/execute", json=body)
        found.append(response.json()["rows"] if response.status_code == 200 else response.json()["kind"])

    assert found == ["PERMISSION", [["customers"], ["orders"]], "PERMISSION"]
