"""The HTTP interface without a network, and what every refusal of it must look like."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from fastapi import FastAPI

from agent.api.app import create_app
from agent.pipeline.service import Service


@asynccontextmanager
async def api_client(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """Speaks to the app, which is started and ended around the block."""
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://test/api") as client,
    ):
        yield client


def app_without_docs(make_service: Callable[..., Service], *, max_request_bytes: int = 1_000_000) -> FastAPI:
    """The app over a service that retrieves nothing, so that no embedding model is loaded."""
    return create_app(lambda: make_service(enable_retrieval=False), max_request_bytes=max_request_bytes)


def problem(response: httpx2.Response, status: int, slug: str) -> dict[str, Any]:
    """The problem document of a response, after what every one of them must have."""
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["type"] == f"urn:plumbline:problem:{slug}"
    assert body["status"] == status
    assert body["title"]
    assert body["detail"].endswith((".", "?")) or body["errors"]
    assert body["trace_id"] == response.headers["x-trace-id"]
    assert len(body["trace_id"]) == 32
    return body
