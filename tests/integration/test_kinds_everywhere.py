"""Small talk and questions about the data are answered without a model, on every surface, and never kept as queries.

The scripted model has no replies: a call of it would fail the test.
"""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx2
import pytest
from api_client import api_client, app_without_docs
from rich.console import Console
from shop_questions import Ask
from sse import read_events
from tool_calls import call_tool

from agent.core.callers import LOCAL
from agent.core.events import AnswerDelta, Event
from agent.pipeline.service import Service
from agent.present.terminal import StepPrinter
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

DOCS = """
# Shop

## orders

One row per order.

- `status`: C = completed, X = cancelled.

## Rules

- Revenue: `SUM(orders.amount)` of the orders that are not cancelled.
"""
CHAT = "/agents/text-to-sql"


@pytest.fixture
def registry(tmp_path: Path, shop_file: Path) -> Path:
    (tmp_path / "shop.md").write_text(DOCS, encoding="utf-8")
    path = tmp_path / "databases.yaml"
    path.write_text(f"shop: {{url: {shop_file.name}, docs: [shop.md]}}\n", encoding="utf-8")
    return path


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[httpx2.AsyncClient]:
    async with api_client(app_without_docs(make_service)) as client:
        yield client


@pytest.mark.parametrize(
    "question, says, source",
    [
        ("what tables are there?", ["customers (3 rows)", "orders (5 rows)"], "schema of shop"),
        ("what data do you have?", ["customers", "orders"], "schema of shop"),
        ("what columns does orders have?", ["order_id", "ordered_at", "amount"], "schema of shop"),
        ("describe the orders table", ["One row per order.", "5 rows", "primary key of orders is order_id"], "shop.md"),
        ("How are orders and customers related?", ["orders.customer_id refers to customers.customer_id"], "schema"),
        ("What does status mean?", ["C = completed", "orders.status"], "shop.md"),
        ("Where is revenue defined?", ["SUM(orders.amount)"], "shop.md"),
        ("In which table is the country stored?", ["customers.country"], "schema of shop"),
        ("How big is the orders table?", ["orders (5 rows)"], "schema of shop"),
        ("How fresh is the data?", ["orders.ordered_at goes from 2024-01-05 to 2025-01-01"], "data of shop"),
        ("Welche Spalten hat orders?", ["orders hat 5 Spalten", "Quelle: das Schema von shop"], "Schema"),
        ("Quelles tables y a-t-il ?", ["shop a 2 tables"], "schéma"),
        ("¿Qué significa status?", ["C = completed"], "shop.md"),
        ("Quali tabelle ci sono?", ["shop ha 2 tabelle"], "schema di shop"),
        ("orders 테이블에는 어떤 컬럼이 있나요?", ["컬럼이 5개"], "스키마"),
    ],
)
async def test_a_question_about_the_data_is_answered_from_its_sources(
    ask: Ask, model: ScriptedModel, question: str, says: list[str], source: str
) -> None:
    answer = await ask(question)

    assert (answer.status, answer.kind) == ("success", "about_data")
    assert all(it in answer.answer for it in says), answer.answer
    assert [check.name for check in answer.checks] == ["source"]
    assert source in answer.checks[0].detail
    assert answer.sql is None
    assert not answer.verified
    assert not model.asked


async def test_what_one_doc_begins_and_another_extends_is_said_once(ask: Ask, registry: Path) -> None:
    more = "# Shop\n\n## orders\n\nOne row per order, cancelled ones included.\n"
    registry.with_name("more.md").write_text(more, encoding="utf-8")
    registry.write_text(registry.read_text(encoding="utf-8").replace("[shop.md]", "[shop.md, more.md]"))

    described, listed = await ask("describe the orders table"), await ask("what tables are there?")

    assert described.answer.count("One row per order") == 1
    assert [row["description"] for row in listed.results if row["table"] == "orders"] == [
        "One row per order, cancelled ones included."
    ]


async def test_what_is_listed_is_also_rows(ask: Ask) -> None:
    tables = await ask("what tables are there?")
    columns = await ask("what columns does orders have?")

    assert {row["table"]: row["rows"] for row in tables.results} == {"customers": 3, "orders": 5}
    assert tables.columns == ["table", "rows", "columns", "description"]
    assert [row["column"] for row in columns.results] == ["order_id", "customer_id", "ordered_at", "status", "amount"]
    assert (
        next(row["meaning"] for row in columns.results if row["column"] == "status") == "C = completed, X = cancelled."
    )


@pytest.mark.parametrize(
    "text, says",
    [
        ("hello", "For example:"),
        ("thanks", "welcome"),
        ("Was kann ich fragen?", "Zum Beispiel:"),
        ("Merci beaucoup", "Je vous en prie"),
        ("¿Quién eres?", "Soy Plumbline"),
        ("Come stai?", "Tutto bene"),
        ("안녕하세요", "안녕하세요!"),
    ],
)
async def test_small_talk_is_answered_in_its_language(ask: Ask, model: ScriptedModel, text: str, says: str) -> None:
    answer = await ask(text)

    assert (answer.status, answer.kind) == ("success", "small_talk")
    assert says in answer.answer
    assert all(f"- {choice.question}" in answer.answer for choice in answer.choices)
    assert bool(answer.choices) == ("\n- " in answer.answer), "the examples are choices, too"
    assert not model.asked


@pytest.mark.parametrize("text", ["hello", "what tables are there?"])
async def test_neither_is_kept_for_feedback_or_reuse(
    client: httpx2.AsyncClient, model: ScriptedModel, text: str
) -> None:
    first = (await client.post("/query", json={"question": text, "database": "shop"})).json()
    approved = await client.post("/feedback", json={"trace_id": first["trace_id"], "correct": True})
    again = (await client.post("/query", json={"question": text, "database": "shop"})).json()

    assert first["review_id"] is None
    assert approved.status_code == 404
    assert not again["reused"]
    assert not model.asked


async def test_the_text_comes_as_deltas_too(events_of: Callable[..., object]) -> None:
    events: list[Event] = await events_of("what tables are there?")  # type: ignore[misc]

    told = "".join(event.text for event in events if isinstance(event, AnswerDelta))
    assert told == events[-1].answer.answer  # type: ignore[attr-defined]
    assert events[0].event == "start"


# -- every surface ----------------------------------------------------------------------------------------------------


async def test_query_and_its_stream_tell_the_kind(client: httpx2.AsyncClient, model: ScriptedModel) -> None:
    body = {"question": "what tables are there?", "database": "shop"}
    asked = (await client.post("/query", json=body)).json()
    async with client.stream("POST", "/query/stream", json=body) as response:
        events = [event async for event in read_events(response)]

    assert asked["kind"] == "about_data"
    assert events[-1]["data"]["kind"] == "about_data"
    assert not model.asked


async def test_chat_tells_the_kind_and_small_talk_is_no_part_of_the_conversation(
    client: httpx2.AsyncClient, model: ScriptedModel
) -> None:
    session = (await client.post(f"{CHAT}/start-session", json={"dataset_id": "shop"})).json()["session_id"]
    model.replies(sql="SELECT status, SUM(amount) AS total FROM orders GROUP BY status")
    model.replies(correct=True, reason="as asked")
    model.replies(text="C 360.5, S 60, X 40.")
    await client.post(
        f"{CHAT}/chat", json={"session_id": session, "message": "What is the total amount of each status?"}
    )
    thanked = (await client.post(f"{CHAT}/chat", json={"session_id": session, "message": "Great, thank you!"})).json()
    before = len(model.asked)
    model.replies(text="What is the total amount of each status in 2025?")
    model.replies(sql="SELECT status, SUM(amount) AS total FROM orders WHERE ordered_at >= '2025' GROUP BY status")
    model.replies(correct=True, reason="as asked")
    model.replies(text="C 10.")
    followed = (await client.post(f"{CHAT}/chat", json={"session_id": session, "message": "and only in 2025?"})).json()

    assert thanked["kind"] == "small_talk"
    assert followed["kind"] == "query"
    assert "What is the total amount of each status?" in model.asked[before].text
    assert "thank you" not in model.asked[before].text


async def test_what_was_asked_back_still_waits_after_a_question_about_the_data(
    service: Service, model: ScriptedModel
) -> None:
    session = await service.start_session("shop", LOCAL)
    asked = await service.query("Show me recent orders.", "shop", session_id=session.id, principal=LOCAL)
    about = await service.query("What tables are there?", "shop", session_id=session.id, principal=LOCAL)
    pending = (await service.session(session.id, LOCAL)).pending

    assert asked.status == "clarification_needed"
    assert about.kind == "about_data"
    assert pending is not None
    assert pending.clarification == asked.answer
    assert not model.asked


async def test_generate_tells_the_kind(client: httpx2.AsyncClient) -> None:
    made = (await client.post("/text2sql/generate", json={"connection_id": "shop", "question": "안녕하세요"})).json()

    assert (made["success"], made["kind"], made["sql"]) == (True, "small_talk", None)


async def test_the_tool_of_other_agents_tells_the_kind(service: Service) -> None:
    told = await call_tool(service, "ask", {"question": "what tables are there?", "database": "shop"}, LOCAL)

    assert told["kind"] == "about_data"
    json.dumps(told)


@pytest.mark.parametrize("text, title", [("hello", "plumbline"), ("what tables are there?", "about the data")])
async def test_the_terminal_says_what_it_is(service: Service, text: str, title: str) -> None:
    console = Console(file=io.StringIO(), width=100)
    printer = StepPrinter(console)
    async for event in service.events(text, "shop", principal=LOCAL):
        printer.show(event)

    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert title in shown
    assert "verified" not in shown
