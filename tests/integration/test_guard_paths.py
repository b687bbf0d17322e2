"""Every way to a database leads through the guard.

SQLite would answer the query of these tests, and no layer under the guard minds it: a way around the guard gives rows.
And whatever reaches the executor, by whatever way, has to be an object that the guard made.
"""

from __future__ import annotations

import ast
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import problem
from mcp import Client as McpClient
from mcp.types import TextContent
from people_shop import ANN, QUESTION, REGISTRY, REX, Client, ask, breaks, judged, served, succeed
from shop_questions import TOTAL, Make
from unguarded import unguarded

from agent.api.mcp import build_server
from agent.core.models import Options
from agent.pipeline.service import Service
from agent.platform.config.settings import ROOT
from executors.base import CheckedSql, QueryResult
from executors.engines.sqlite.executor import SqliteExecutor
from executors.workers import checking
from executors.workers.isolated import IsolatedExecutor
from testbed.scripted_model import ScriptedModel

HOSTILE = "SELECT sqlite_version() AS total"  # tells of the server
ALLOWED = REGISTRY.replace("shop: {", "shop: {functions: [sqlite_version], ", 1)


pytestmark = pytest.mark.usefixtures("service_embedder")


@pytest.fixture(autouse=True)
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that reached the database; the guard made all of them."""
    made: list[CheckedSql] = []
    reached: list[str] = []
    check, run = checking.check, IsolatedExecutor.run

    def checked(*arguments: Any, **options: Any) -> CheckedSql:
        made.append(check(*arguments, **options))
        return made[-1]

    def recorded(executor: IsolatedExecutor, query: CheckedSql, **options: Any) -> QueryResult:
        reached.append(query.executable)
        assert any(query is one for one in made), f"the guard did not make {query.executable}"
        return run(executor, query, **options)

    monkeypatch.setattr(checking, "check", checked)
    monkeypatch.setattr(IsolatedExecutor, "run", recorded)
    return reached


@pytest.fixture
async def client(make_service: Make, registry: Path) -> AsyncIterator[Client]:
    async with served(make_service, registry, enable_retrieval=False) as client:
        yield client


def is_clean(ran: list[str]) -> bool:
    return bool(ran) and not any("sqlite_version" in sql for sql in ran)


def test_the_database_itself_would_answer(shop_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    executor = SqliteExecutor("shop", shop_file, sample_values=0)

    assert executor.run(unguarded(HOSTILE), timeout_s=5).row_count == 1


async def test_what_reaches_a_database_without_the_guard_fails_these_tests(service: Service, ran: list[str]) -> None:
    database = await service.databases.get("shop", "ann")

    with pytest.raises(AssertionError, match="the guard did not make"):
        await database.run(unguarded("SELECT 1"))
    assert ran == ["SELECT 1"]


async def test_generated_and_repaired(client: Client, model: ScriptedModel, ran: list[str]) -> None:
    for _ in range(3):  # the repeated one is asked for once more, with none in view
        model.replies(sql=HOSTILE)
    model.replies(sql=TOTAL)

    answer = await judged(client, model)

    assert [attempt["error_type"] for attempt in answer["attempt_history"]] == ["FUNCTION_NOT_FOUND"] * 2 + [None]
    assert answer["results"] == [{"total": 460.5}]
    assert is_clean(ran)


async def test_a_second_draft(make_service: Make, model: ScriptedModel, ran: list[str]) -> None:
    service = make_service(second_draft=True, enable_retrieval=False)
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(sql=HOSTILE)
    model.replies(text="It is 460.5.")

    answer = await service.query(QUESTION, "shop")
    await service.close()

    assert answer.results == [{"total": 460.5}]
    assert not answer.verified
    assert is_clean(ran)


async def test_the_rows_behind_an_aggregate(make_service: Make, model: ScriptedModel, ran: list[str]) -> None:
    service = make_service(enable_evaluation=False, enable_retrieval=False)
    model.replies(sql="SELECT SUM(amount) AS n FROM orders UNION ALL SELECT COUNT(*) FROM customers")

    answer = await service.query("What do the orders come to, and how many customers are there?", "shop")
    await service.close()

    assert answer.raw_results == []  # no model is asked for what the tree does not prove
    assert is_clean(ran)


async def test_the_query_of_an_earlier_answer(
    make_service: Make, model: ScriptedModel, registry: Path, ran: list[str]
) -> None:
    """It was let through when the registry listed the function, and is asked again when it does not any more."""
    registry.write_text(ALLOWED, encoding="utf-8")
    async with served(make_service) as client:
        model.replies(sql=f"{HOSTILE} FROM orders LIMIT 1")
        assert (await judged(client, model, text=f"It is {sqlite3.sqlite_version}."))["verified"]
    registry.write_text(REGISTRY, encoding="utf-8")
    ran.clear()

    async with served(make_service) as client:
        answer = await succeed(client, model)

    assert answer["reused"] is False
    assert is_clean(ran)


async def test_a_past_query_of_the_docs(
    make_service: Make, model: ScriptedModel, registry: Path, shop_file: Path, ran: list[str]
) -> None:
    (registry.parent / "shop.md").write_text(f"# Shop\n\n## Queries\n\n{QUESTION}\n\n```sql\n{HOSTILE}\n```\n", "utf-8")
    registry.write_text(f"shop:\n  url: {shop_file.name}\n  docs: [shop.md]\n", encoding="utf-8")
    service = make_service()
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="yes")
    model.replies(text="It is 460.5.")

    answer = await service.query(QUESTION, "shop", options=Options(max_attempts=1))
    await service.close()

    assert answer.results == [{"total": 460.5}]
    assert is_clean(ran)


async def test_a_query_that_is_sent_to_be_executed(client: Client, ran: list[str]) -> None:
    response = await client.post("/execute", json={"database": "shop", "sql": HOSTILE}, headers=ANN)

    assert "sqlite_version" in problem(response, 422, "sql-refused")["detail"]
    assert ran == []


async def test_feedback(client: Client, model: ScriptedModel, ran: list[str]) -> None:
    answer = await succeed(client, model)
    said = {"trace_id": answer["trace_id"], "correct": False, "corrected_sql": HOSTILE}

    response = await client.post("/feedback", json=said, headers=ANN)

    assert "sqlite_version" in problem(response, 422, "sql-refused")["detail"]
    assert is_clean(ran)


async def test_a_review(client: Client, model: ScriptedModel, ran: list[str]) -> None:
    breaks(model)
    await ask(client, ANN)
    (review,) = (await client.get("/reviews", headers=REX)).json()["reviews"]

    response = await client.post(f"/reviews/{review['id']}", json={"decision": "correct", "sql": HOSTILE}, headers=REX)

    assert "sqlite_version" in problem(response, 422, "sql-refused")["detail"]
    assert not any("sqlite_version" in sql for sql in ran)


async def test_a_saved_query_when_it_is_saved_and_when_it_is_run(
    make_service: Make, registry: Path, ran: list[str]
) -> None:
    new = {"name": "Version", "database": "shop", "sql": HOSTILE}
    registry.write_text(ALLOWED, encoding="utf-8")
    async with served(make_service, enable_retrieval=False) as client:
        kept = (await client.post("/saved", json=new, headers=ANN)).json()
        assert (await client.post(f"/saved/{kept['id']}/run", headers=ANN)).status_code == 200
    registry.write_text(REGISTRY, encoding="utf-8")
    ran.clear()

    async with served(make_service, enable_retrieval=False) as client:
        responses = [
            await client.post("/saved", json={**new, "name": "Again"}, headers=ANN),
            await client.post(f"/saved/{kept['id']}/run", headers=ANN),
        ]

    for response in responses:
        assert "sqlite_version" in problem(response, 422, "sql-refused")["detail"]
    assert ran == []


async def test_a_tool_of_another_agent(service: Service, ran: list[str]) -> None:
    async with McpClient(build_server(service, "local")) as client:
        result = await client.call_tool("run_sql", {"database": "shop", "sql": HOSTILE})

    assert result.is_error
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert "sqlite_version" in content.text
    assert ran == []


async def test_a_document_with_a_query(client: Client, ran: list[str]) -> None:
    documents = [{"kind": "query", "text": QUESTION, "sql": HOSTILE}]

    response = await client.post("/rag/documents", json={"database": "shop", "documents": documents}, headers=REX)

    assert response.status_code == 422
    assert "sqlite_version" in response.text
    assert ran == []


def test_nobody_but_the_guard_makes_a_query_that_may_run() -> None:
    """The evaluation runs the right queries that its user's own file has, to hold others against them."""
    made = {
        path.relative_to(ROOT).as_posix()
        for folder in ("agent", "executors", "rag")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "CheckedSql"
    }

    assert {path for path in made if not path.startswith("agent/evaluation/")} == {"executors/guard/guard.py"}


async def test_samples_and_keys_are_looked_up_by_guarded_queries_too(
    make_service: Make, model: ScriptedModel, ran: list[str]
) -> None:
    service = make_service()
    model.replies(sql="SELECT count(*) AS n FROM customers WHERE country = 'DE'")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 2.")

    await service.query("How many customers are in DE?", "shop")
    await service.close()

    assert is_clean(ran), "and `ran` has seen that the guard made each of them"
