"""Chat sessions and the generate interface in the OpenAPI description: each route with examples that hold."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from api_client import api_client, app_without_docs

from agent.api.schemas.chat import CHAT_EXAMPLE, CLARIFICATION_EXAMPLE, ERROR_EXAMPLE, ChatResponse
from agent.api.schemas.chat_sessions import SESSION_EXAMPLE, SessionResponse, StartSessionResponse
from agent.pipeline.service import Service

ROUTES = {
    "start_session", "chat", "chat_stream", "session", "end_session", "chat_health",
    "generate", "generate_stream", "generate_health",
}  # fmt: skip


@pytest.fixture
async def described(make_service: Callable[..., Service]) -> AsyncIterator[dict[str, Any]]:
    async with api_client(app_without_docs(make_service)) as client:
        yield (await client.get("/openapi.json")).json()


def examples(content: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether a body is shown by an example of its own, or of its schema."""
    if "example" in content or "examples" in content:
        return True
    name = content["schema"].get("$ref", "").rsplit("/", 1)[-1]
    return bool(schemas.get(name, {}).get("examples"))


async def test_every_route_shows_what_it_takes_and_what_it_gives(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    found = {operation["operationId"]: operation for path in described["paths"].values() for operation in path.values()}
    assert set(found) >= ROUTES
    for name in ROUTES:
        given = found[name]["responses"]["200"]["content"]
        assert all(examples(content, schemas) for content in given.values()), name
        taken = found[name].get("requestBody", {}).get("content", {})
        assert all(examples(content, schemas) for content in taken.values()), name


@pytest.mark.parametrize("example", [CHAT_EXAMPLE, CLARIFICATION_EXAMPLE, ERROR_EXAMPLE])
def test_an_example_of_chat_is_a_response_of_chat(example: dict[str, Any]) -> None:
    assert ChatResponse.model_validate(example).wire() == example


def test_the_example_of_a_session_is_one() -> None:
    assert SessionResponse.model_validate(SESSION_EXAMPLE).messages[1].sql_query == "SELECT COUNT(*) AS n FROM orders"


def test_the_example_of_a_start_is_one() -> None:
    extra = StartSessionResponse.model_config["json_schema_extra"]
    assert isinstance(extra, dict)
    assert StartSessionResponse.model_validate(extra["examples"][0]).schema_.row_count == 14360  # type: ignore[index]
