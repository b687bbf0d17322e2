"""Shared by the tests of reviews, feedback and saved queries: a service that knows its callers, and questions to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from api_client import api_client
from shop_questions import TOTAL, Make

from agent.api.app import create_app
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient

REGISTRY = (
    "shop: {url: shop.sqlite, reviewers: [rex@example.org]}\nsecret: {url: shop.sqlite, allowed: [rex@example.org]}\n"
)
QUESTION = "What is the total of all orders?"
VALID = "SELECT SUM(amount) AS total FROM orders WHERE status <> 'X'"
BROKEN = "SELECT SUM( FROM orders"


def called(name: str) -> dict[str, str]:
    """The header with the caller's name from the front end."""
    return {"x-ms-client-principal-name": f"{name}@example.org"}


ANN, BEN, REX = called("ann"), called("ben"), called("rex")  # Rex reviews


@asynccontextmanager
async def served(make_service: Make, registry: Path | None = None, **changes: Any) -> AsyncIterator[Client]:
    """Speaks to a service behind a front end that names the caller. Args: registry: filled with `REGISTRY` first."""
    if registry is not None:
        registry.write_text(REGISTRY, encoding="utf-8")
    async with api_client(create_app(lambda: make_service(**({"trust_principal_header": True} | changes)))) as client:
        yield client


async def ask(client: Client, who: dict[str, str], **more: Any) -> dict[str, Any]:
    """The response to the question."""
    response = await client.post("/query", json={"question": QUESTION, "database": "shop", **more}, headers=who)
    assert response.status_code == 200, response.text
    body: dict[str, Any] = response.json()
    return body


def breaks(model: ScriptedModel) -> None:
    """No query runs in three attempts; of a repeated one the model is asked once more, with none in view."""
    for _ in range(5):
        model.replies(sql=BROKEN)


async def fail(client: Client, model: ScriptedModel, who: dict[str, str] = ANN, **more: Any) -> dict[str, Any]:
    """The response to a question for which no query runs in three attempts."""
    breaks(model)
    return await ask(client, who, **more)


async def succeed(client: Client, model: ScriptedModel, who: dict[str, str] = ANN, **more: Any) -> dict[str, Any]:
    """The response to a question whose query is accepted."""
    model.replies(sql=TOTAL)
    return await judged(client, model, who, **more)


async def judged(
    client: Client, model: ScriptedModel, who: dict[str, str] = ANN, text: str = "It is 460.5.", **more: Any
) -> dict[str, Any]:
    """The response to a question whose query is known already."""
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text=text)
    return await ask(client, who, **more)
