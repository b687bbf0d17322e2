"""`POST /api/records`: the records behind a query that aggregates, or behind one row of its result."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
from api_client import api_client, app_without_docs, problem

from agent.pipeline.service import Service

BY_STATUS = "SELECT status, COUNT(*) AS n FROM orders GROUP BY status"


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[httpx2.AsyncClient]:
    async with api_client(app_without_docs(make_service)) as opened:
        yield opened


async def records(client: httpx2.AsyncClient, sql: str, **body: Any) -> dict[str, Any]:
    response = await client.post("/records", json={"database": "shop", "sql": sql, **body})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_the_records_of_one_row_are_those_of_its_group(client: httpx2.AsyncClient) -> None:
    found = await records(client, BY_STATUS, row={"status": "C", "n": 3})

    assert found["columns"][:2] == ["status", "order_id"]
    assert {row[0] for row in found["rows"]} == {"C"}
    assert (found["row_count"], found["total"], found["truncated"], found["reason"]) == (3, 3, False, "")


async def test_without_a_row_they_are_those_of_all(client: httpx2.AsyncClient) -> None:
    found = await records(client, BY_STATUS, row_limit=2)

    assert (found["row_count"], found["total"], found["truncated"]) == (2, 5, True)


@pytest.mark.parametrize("sql, row, reason", [
    ("SELECT status FROM orders", None, "has no aggregate"),
    (BY_STATUS, {"n": 3}, "says nothing of 'status'"),
    ("SELECT COUNT(*) AS n FROM orders GROUP BY status", {"n": 3}, "does not show what its rows are grouped by"),
    ("SELECT (SELECT COUNT(*) FROM orders) - (SELECT COUNT(*) FROM customers) AS d", None, "not one set of records"),
])  # fmt: skip
async def test_what_is_not_proven_is_not_given(
    client: httpx2.AsyncClient, sql: str, row: dict[str, Any] | None, reason: str
) -> None:
    found = await records(client, sql, row=row)

    assert (found["rows"], found["sql"], found["total"]) == ([], None, None)
    assert reason in found["reason"]


@pytest.mark.parametrize("body, status, slug", [
    ({"database": "shop", "sql": "DELETE FROM orders"}, 409, "sql-refused"),
    ({"database": "shop", "sql": "SELECT COUNT(*) FROM nowhere"}, 422, "sql-refused"),
    ({"database": "nowhere", "sql": BY_STATUS}, 404, "unknown-database"),
    ({"database": "shop", "sql": BY_STATUS, "row": 3}, 422, "invalid-field"),
    ({"database": "shop", "sql": BY_STATUS, "rows": {}}, 422, "invalid-field"),
])  # fmt: skip
async def test_what_cannot_be_asked_is_a_problem(
    client: httpx2.AsyncClient, body: dict[str, Any], status: int, slug: str
) -> None:
    problem(await client.post("/records", json=body), status, slug)
