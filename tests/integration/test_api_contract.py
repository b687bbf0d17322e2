"""The routes beside the questions: databases, health, and the description of the interface itself."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem

from agent.api.app import api_routes, create_app
from agent.databases import catalogue
from agent.pipeline.service import Service
from rag.errors import EmbedderUnavailable, StoreUnavailable
from testbed.scripted_model import ScriptedModel

ASKED = {"question": "What is the total of all orders?", "database": "shop"}

Client = httpx2.AsyncClient


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    async with api_client(app_without_docs(make_service)) as client:
        yield client


# ------------------------------------------------------------------------------------------------- databases


async def test_the_databases_are_listed(client: Client) -> None:
    response = await client.get("/databases")
    listed = response.json()["databases"]
    assert [(one["name"], one["dialect"], one["available"]) for one in listed] == [("shop", "sqlite", True)]


async def test_a_schema_has_its_tables_and_what_the_model_reads(client: Client) -> None:
    body = (await client.get("/databases/shop/schema")).json()
    assert [table["name"] for table in body["tables"]] == ["customers", "orders"]
    assert "customer_id" in body["enriched"]


@pytest.mark.parametrize("method, path", [("GET", "/databases/x/schema"), ("POST", "/databases/x/index")])
async def test_an_unknown_database_has_no_schema_and_no_index(client: Client, method: str, path: str) -> None:
    problem(await client.request(method, path), 404, "unknown-database")


async def test_indexing_reports_what_it_did(client: Client) -> None:
    response = await client.post("/databases/shop/index")
    counts = {"added": 0, "removed": 0, "unchanged": 0, "embedded": 0}
    assert response.json() == {"database": "shop", **counts, "notes": [], "problems": []}


@pytest.mark.parametrize(
    "error, slug",
    [
        (StoreUnavailable("Another process is indexing. Wait until it has finished."), "index-unavailable"),
        (EmbedderUnavailable("The embedding model is not complete. Install it."), "embedder-unavailable"),
    ],
)
async def test_an_index_that_cannot_be_made_says_why(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, slug: str
) -> None:
    async def index(*_: object) -> None:
        raise error

    monkeypatch.setattr(Service, "index", index)
    response = await client.post("/databases/shop/index")
    assert problem(response, 503, slug)["detail"] == str(error)


async def test_a_missing_file_is_unavailable_without_its_path(client: Client, shop_file: Path) -> None:
    shop_file.unlink()
    response = await client.get("/databases/shop/schema")
    problem(response, 503, "database-unavailable")
    assert str(shop_file.parent) not in response.text


# ---------------------------------------------------------------------------------------------------- health


async def test_live_needs_no_service() -> None:
    def broken() -> Service:
        raise AssertionError("live must touch nothing")

    async with api_client(create_app(broken)) as client:
        response = await client.get("/health/live")
    assert response.json() == {"status": "live"}


async def test_ready_names_each_part_and_how_long_it_took(client: Client) -> None:
    response = await client.get("/health/ready")
    body = response.json()
    assert response.status_code == 200
    assert body["ready"] is True
    took = {part["name"]: part["elapsed_ms"] for part in body["parts"]}
    assert set(took) == {"model", "store", "state", "registry", "database shop"}
    assert took["database shop"] > 0, "its schema was read"


async def test_not_ready_says_which_part_is_not(client: Client, shop_file: Path) -> None:
    shop_file.unlink()
    response = await client.get("/health/ready")
    assert response.status_code == 503
    assert [part["name"] for part in response.json()["parts"] if not part["ready"]] == ["database shop"]
    assert str(shop_file.parent) not in response.text


async def test_a_registry_that_cannot_be_used_is_not_ready_and_repaired_without_a_restart(
    client: Client, registry: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = registry.read_text(encoding="utf-8")
    registry.write_text("shop: [", encoding="utf-8")
    response = await client.get("/health/ready")
    assert response.status_code == 503
    assert [(part["name"], part["ready"]) for part in response.json()["parts"]] == [("configuration", False)]
    with caplog.at_level(logging.ERROR):
        problem(await client.post("/query", json=ASKED), 503, "registry-invalid")
    assert "databases.yaml" in caplog.text, "the log says what to repair"

    registry.write_text(good, encoding="utf-8")
    assert (await client.get("/health/ready")).status_code == 200


async def test_a_registry_that_becomes_invalid_leaves_the_service_degraded(
    client: Client, registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "LOOK_EVERY_S", 0.0)
    good = registry.read_text(encoding="utf-8")
    assert (await client.get("/health/ready")).json()["state"] == "ready"
    registry.write_text("shop: [", encoding="utf-8")
    response = await client.get("/health/ready")
    assert response.status_code == 200, "the databases are those before"
    body = response.json()
    assert body["state"] == "degraded"
    assert [(part["name"], "doctor" in part["detail"]) for part in body["parts"] if not part["ready"]] == [
        ("registry", True)
    ]
    assert (await client.get("/databases/shop/schema")).status_code == 200

    registry.write_text(good + "\n", encoding="utf-8")
    assert (await client.get("/health/ready")).json()["state"] == "ready"
    registry.unlink()
    assert (await client.get("/health/ready")).json()["state"] == "degraded"
    registry.write_text(good, encoding="utf-8")
    assert (await client.get("/health/ready")).json()["state"] == "ready"


# ------------------------------------------------------------------------------------------------ the contract


async def test_openapi_describes_every_route_with_its_errors(client: Client) -> None:
    described = (await client.get("/openapi.json")).json()
    operations = {
        operation["operationId"]: operation for path in described["paths"].values() for operation in path.values()
    }
    hidden = {"openapi", "docs", "page", "page_asset"}
    assert set(operations) == {route.name for route in api_routes()} - hidden
    assert operations["health_live"]["x-auth-level"] == "ANONYMOUS"
    asking = operations["query"]["responses"]
    refused = {"401", "403", "408", "429", "431"}
    assert set(asking) == refused | {"200", "202", "400", "404", "406", "409", "413", "422", "500", "502", "503", "504"}
    assert set(asking["422"]["content"]) == {"application/problem+json"}
    assert set(operations["query_stream"]["responses"]["200"]["content"]) == {"text/event-stream"}
    assert described["components"]["schemas"]["QueryRequest"]["examples"]
    assert asking["200"]["content"]["application/json"]["example"]["verified"] is True


async def test_the_example_of_the_contract_is_a_real_request(client: Client, model: ScriptedModel) -> None:
    described = (await client.get("/openapi.json")).json()
    example = described["components"]["schemas"]["QueryRequest"]["examples"][0]
    model.replies(sql="SELECT 1 AS one FROM orders LIMIT 1")
    model.replies(correct=True, reason="one row")
    model.replies(text="It was 1.")
    assert (await client.post("/query", json=example)).status_code == 200


async def test_the_docs_list_every_route_and_load_nothing_from_elsewhere(client: Client) -> None:
    response = await client.get("/docs")
    assert response.headers["content-type"].startswith("text/html")
    for route in api_routes():
        hidden = {"docs", "openapi", "page", "page_asset"}
        assert route.name in hidden or f"{route.methods[0]} {route.path}" in response.text
    loaded = re.findall(r"""(?:src|href|action)\s*=\s*["']?([^"'\s>]+)|url\(([^)]+)\)|@import\s+(\S+)""", response.text)
    assert loaded, "links of its own"
    assert not [link for groups in loaded for link in groups if "//" in link], "an address of another host"
    assert "default-src 'none'" in response.headers["content-security-policy"]
