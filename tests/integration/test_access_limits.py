"""Limits of rate, concurrency and origins, and their description in the contract."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx2
import pytest
from api_client import api_client, problem
from door import ANN, KEYS, STRANGER, Opened, bearer

from agent.api.app import create_app
from agent.pipeline.service import Service
from agent.platform.access.policy import Access, Rate, RateLimiter, build_access
from agent.platform.config.settings import Settings
from agent.platform.storage.sqlite import MemoryStore

Client = httpx2.AsyncClient

ASKED = {"database": "shop", "question": "How many orders are there?"}
SELECTED = {"database": "shop", "sql": "SELECT 1"}


@pytest.fixture
async def client(opened: Opened) -> AsyncIterator[Client]:
    async with opened() as client:
        yield client


# -- how often ---------------------------------------------------------------------------------------------


async def test_who_asks_too_often_is_told_when_to_come_back(opened: Opened, registry: Path) -> None:
    registry.write_text("shop: shop.sqlite\n", encoding="utf-8")
    async with opened(rate_limit="2/hour") as client:
        ann = [await client.post("/execute", json=SELECTED, headers=bearer(ANN)) for _ in range(3)]
        assert [response.status_code for response in ann] == [200, 200, 429]
        wait_s = int(ann[2].headers["retry-after"])
        assert 0 < wait_s <= 1800, "a request each half hour"
        assert problem(ann[2], 429, "too-many-requests")["detail"].endswith(f"Try again in {wait_s} s.")

        assert (await client.post("/execute", json=SELECTED, headers=bearer(STRANGER))).status_code == 200
        assert (await client.get("/databases", headers=bearer(ANN))).status_code == 200, "reading costs nothing"
        refused = await client.post("/execute", json=SELECTED, headers=bearer("wrong"))
        assert refused.status_code == 401, "and nobody's rate is spent"


async def test_a_schema_that_is_read_anew_is_counted(opened: Opened, registry: Path) -> None:
    registry.write_text("shop: shop.sqlite\n", encoding="utf-8")
    schema = "/databases/shop/schema?enriched=false"
    async with opened(rate_limit="2/hour") as client:
        client.headers.update(bearer(ANN))
        plain = [await client.get(schema) for _ in range(4)]
        assert [response.status_code for response in plain] == [200] * 4, "what is known already costs nothing"
        anew = [await client.get(f"{schema}&refresh={said}") for said in ("true", "1", "yes")]
        assert [response.status_code for response in anew] == [200, 200, 429]
        problem(anew[2], 429, "too-many-requests")
        assert (await client.get(f"{schema}&refresh=false")).status_code == 200


async def test_a_rate_is_given_back_with_time(
    make_service: Callable[..., Service], opened: Opened, registry: Path
) -> None:
    registry.write_text("shop: shop.sqlite\n", encoding="utf-8")
    now = [1000.0]
    store = MemoryStore(lambda: now[0])
    policy = build_access(Settings(auth="api_keys", api_keys=KEYS)).policy
    limiter = RateLimiter(Rate.parse("1/minute"), lambda: store, lambda: now[0])
    app = create_app(lambda: make_service(enable_retrieval=False), access=Access("api_keys", policy, limiter=limiter))
    statuses = []
    async with api_client(app) as client:
        for passed in (0, 0, 59, 1, 0):
            now[0] += passed
            statuses.append((await client.post("/execute", json=SELECTED, headers=bearer(ANN))).status_code)
    assert statuses == [200, 429, 429, 200, 429]


async def test_more_questions_than_it_can_answer_are_sent_away(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    everybody_is_answered = asyncio.Event()

    async def answer(*_: object) -> AsyncIterator[object]:
        await everybody_is_answered.wait()
        return
        yield

    monkeypatch.setattr("agent.pipeline.asking.loop.answer", answer)
    async with opened(max_concurrent_questions=1) as client:
        client.headers.update(bearer(ANN))
        three = [asyncio.create_task(client.post("/query", json=ASKED)) for _ in range(3)]
        done, others = await asyncio.wait(three, return_when=asyncio.FIRST_COMPLETED)
        (refused,) = [task.result() for task in done]
        problem(refused, 503, "too-busy")
        assert int(refused.headers["retry-after"]) > 0
        assert len(others) == 2, "one is answered, one waits"
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


# -- pages and browsers ------------------------------------------------------------------------------------

PAGE = "https://front.example.com"
PREFLIGHT = {
    "origin": PAGE,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type",
}


async def test_a_listed_page_may_ask_and_read_what_it_needs(opened: Opened) -> None:
    async with opened(cors_origins=f"http://localhost:3000, {PAGE}", rate_limit="1/minute") as client:
        preflight = await client.options("/query", headers=PREFLIGHT)
        assert preflight.status_code == 200, "a browser sends no key with it"
        assert preflight.headers["access-control-allow-origin"] == PAGE
        assert "POST" in preflight.headers["access-control-allow-methods"]
        assert "authorization" in preflight.headers["access-control-allow-headers"].casefold()
        assert "access-control-allow-credentials" not in preflight.headers

        refused = await client.post("/query", json=ASKED, headers={"origin": PAGE})
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == PAGE, "so that the page can read why"
        exposed = refused.headers["access-control-expose-headers"].casefold()
        assert {"x-trace-id", "retry-after", "x-plumbline-sql", "x-plumbline-verified"} <= set(exposed.split(", "))


@pytest.mark.parametrize("origins", ["", "https://other.example.com"], ids=["closed by default", "not this page"])
async def test_another_page_may_not(origins: str, opened: Opened) -> None:
    async with opened(cors_origins=origins) as client:
        for response in (
            await client.options("/query", headers=PREFLIGHT),
            await client.get("/databases", headers={"origin": PAGE, **bearer(ANN)}),
            await client.get("/health/live", headers={"origin": PAGE}),
        ):
            assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("path, status", [("/health/live", 200), ("/docs", 200), ("/databases", 401), ("/tools", 200)])
async def test_browsers_keep_guess_and_frame_nothing(path: str, status: int, client: Client) -> None:
    response = await client.get(path, headers={} if status == 401 else bearer(ANN))
    assert response.status_code == status
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    if path == "/docs":
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]


# -- the contract ------------------------------------------------------------------------------------------


async def test_the_contract_says_how_to_sign_in_and_what_refusals_there_are(client: Client) -> None:
    described = (await client.get("/openapi.json")).json()
    schemes = described["components"]["securitySchemes"]
    assert {scheme["type"] for scheme in schemes.values()} == {"http", "apiKey"}
    for path in described["paths"].values():
        for method, operation in path.items():
            if operation["x-auth-level"] == "ANONYMOUS":
                assert operation["security"] == []
                continue
            accepted = {name for one in operation["security"] for name in one}
            assert accepted == set(schemes)
            assert {"401", "403"} <= set(operation["responses"])
            counted = method in ("post", "put", "patch") or operation["operationId"] == "database_schema"
            assert ("429" in operation["responses"]) is counted


async def test_without_authentication_the_contract_asks_for_none(opened: Opened) -> None:
    async with opened(auth="none") as client:
        described = (await client.get("/openapi.json")).json()
    assert described["paths"]["/api/query"]["post"]["security"] == [{}]
