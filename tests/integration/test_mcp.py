"""The tools over the Model Context Protocol, as the SDK's own client sees them: in a process, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from asgi_server import served
from mcp import Client, MCPError
from mcp_results import NAMES, PATIENCE, QUESTION, SENTENCE, SQL, UNSUPPORTED, fields, text_of
from mcp_types import (
    ElicitRequestFormParams,
    ElicitResult,
    PromptReference,
    TextResourceContents,
)

from agent.api.mcp import build_server, http_app, result_type
from agent.api.tools import TOOLS
from agent.core.callers import LOCAL
from agent.pipeline.service import Service
from executors.workers.isolated import IsolatedExecutor
from rag.docs.documents import Document
from testbed.scripted_model import ScriptedModel

ROOT = Path(__file__).parents[2]

Progress = list[tuple[float, str | None]]
Connect = Callable[[], AbstractAsyncContextManager[Client]]


# -- in this process, both ways ----------------------------------------------------------------------------


@pytest.fixture(params=["direct", "http auto", "http legacy"])
def connect(request: pytest.FixtureRequest, service: Service) -> Connect:
    """Connects a client to a service with a scripted model."""
    how, _, mode = request.param.partition(" ")

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        if how == "direct":
            async with Client(build_server(service, "local"), read_timeout_seconds=PATIENCE) as client:
                yield client
            return
        async with (
            served(http_app(service)) as address,
            Client(f"{address}/mcp", mode=mode, read_timeout_seconds=PATIENCE) as client,
        ):
            yield client

    return connect


async def test_each_tool_says_what_it_takes_and_gives(connect: Connect) -> None:
    async with connect() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert client.instructions is not None
    assert list(tools) == NAMES
    for tool in tools.values():
        assert tool.title
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
    assert set(tools["ask"].input_schema["properties"]) == {"question", "database", "session_id", "options"}
    assert tools["ask"].input_schema["required"] == ["question", "database"]
    assert set(tools["run_sql"].output_schema["properties"]) >= {"columns", "rows", "truncated"}  # type: ignore[index]


async def test_a_question_is_answered(connect: Connect, model: ScriptedModel) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text=SENTENCE)
    async with connect() as client:
        answer = fields(await client.call_tool("ask", {"question": QUESTION, "database": "shop"}))
    assert (answer["answer"], answer["verified"], answer["sql"]) == (SENTENCE, True, SQL)


async def test_a_sentence_that_the_rows_do_not_support_is_never_shown(connect: Connect, model: ScriptedModel) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text=UNSUPPORTED)
    told: Progress = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    async with connect() as client:
        asked = {"question": QUESTION, "database": "shop"}
        result = await client.call_tool("ask", asked, progress_callback=on_progress)
    answer = fields(result)
    assert (answer["answer"], answer["answer_source"], answer["verified"]) == ("Total: 460.5.", "composed", True)
    assert told
    assert UNSUPPORTED not in text_of(result) + json.dumps(told)


async def test_a_query_of_ones_own_is_run(connect: Connect) -> None:
    arguments = {"database": "shop", "sql": "SELECT name FROM customers ORDER BY name", "row_limit": 2}
    async with connect() as client:
        rows = fields(await client.call_tool("run_sql", arguments))
    assert (rows["columns"], rows["rows"], rows["truncated"]) == (["name"], [["Ada"], ["Bo"]], True)


async def test_databases_and_schemas_are_described(connect: Connect) -> None:
    async with connect() as client:
        listed = fields(await client.call_tool("list_databases"))
        described = fields(await client.call_tool("get_schema", {"database": "shop"}))
        found = fields(await client.call_tool("search_docs", {"database": "shop", "query": "revenue"}))
    assert [(one["name"], one["dialect"], one["available"]) for one in listed["databases"]] == [
        ("shop", "sqlite", True)
    ]
    assert "CREATE TABLE orders" in described["schema_text"]
    assert found["documents"] == [], "this shop has no docs"


@pytest.mark.parametrize(
    "tool, arguments, said",
    [
        ("ask", {"question": QUESTION, "database": "sohp"}, "There is no database named 'sohp'. Known: shop."),
        ("ask", {"question": " ", "database": "shop"}, "The question is empty."),
        ("ask", {"question": "Drop all tables", "database": "shop"}, "Plumbline only reads here"),
        ("ask", {"database": "shop"}, "question: Required, but missing: add it."),
        (
            "ask",
            {"question": "?", "database": "shop", "options": {"time_zone": "Nowhere"}},
            "options.time_zone: There is no such time zone. Use an IANA name, such as `Europe/Berlin` or `UTC`.",
        ),
        ("ask", {"question": QUESTION, "database": "shop", "confirm": "x"}, "confirm: Unknown field"),
        ("run_sql", {"database": "shop", "sql": "DELETE FROM orders"}, "Only reading is allowed"),
        ("run_sql", {"database": "shop", "sql": "SELECT nmae FROM customers"}, "name"),
        ("run_sql", {"database": "/etc/passwd", "sql": "SELECT 1"}, "never by a path"),
        ("get_schema", {}, "database: Required, but missing: add it."),
    ],
)
async def test_what_goes_wrong_is_told_in_a_sentence(
    tool: str, arguments: dict[str, Any], said: str, connect: Connect
) -> None:
    async with connect() as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert said in text_of(result)
    assert ".." not in text_of(result)
    assert "Traceback" not in text_of(result)
    assert result.structured_content is None


async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match=r"There is no tool 'drop'\. Known: ask, search_docs"):
            await client.call_tool("drop", {})


# -- resources, prompts, completions, elicitation ----------------------------------------------------------

BASE = "plumbline://databases"


async def read(client: Client, uri: str) -> str:
    (contents,) = (await client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    return contents.text


async def test_schema_docs_and_saved_queries_are_resources(connect: Connect, service: Service) -> None:
    rule = Document(id="", kind="rule", text="Revenue is the sum of `orders.amount`.")
    query = Document(id="", kind="query", text=QUESTION, sql=SQL)
    await service.documents.add("shop", [rule, query], LOCAL)
    async with connect() as client:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        texts = {one.uri: await read(client, one.uri) for one in listed}
    assert [one.uri for one in listed] == [f"{BASE}/shop/{part}" for part in ("schema", "docs", "queries")]
    assert [one.title for one in listed] == ["Schema of shop", "Docs of shop", "Saved queries of shop"]
    assert [one.uri_template for one in templates] == [
        f"{BASE}/{{database}}/{part}" for part in ("schema", "docs", "queries")
    ]
    assert "CREATE TABLE orders" in texts[f"{BASE}/shop/schema"]
    assert "- Revenue is the sum of `orders.amount`." in texts[f"{BASE}/shop/docs"]
    assert SQL not in texts[f"{BASE}/shop/docs"]
    assert f"## {QUESTION}\n\n```sql\n{SQL}\n```" in texts[f"{BASE}/shop/queries"]


@pytest.mark.parametrize(
    "uri, said",
    [
        (f"{BASE}/sohp/schema", "There is no database named 'sohp'. Known: shop."),
        (f"{BASE}/shop/rows", "There is no resource"),
        ("file:///etc/passwd", "There is no resource"),
        (f"{BASE}/..%2Fshop/schema", "never by a path"),
    ],
)
async def test_a_resource_that_is_not_there_is_an_error_with_a_sentence(uri: str, said: str, connect: Connect) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match=re.escape(said)):
            await client.read_resource(uri)


async def test_prompts_are_filled_in(connect: Connect) -> None:
    async with connect() as client:
        prompts = (await client.list_prompts()).prompts
        explored = await client.get_prompt("explore", {"database": "shop"})
        answered = await client.get_prompt("answer", {"database": "shop", "question": QUESTION})
    assert [(one.name, bool(one.title), [it.name for it in one.arguments or ()]) for one in prompts] == [
        ("explore", True, ["database"]),
        ("answer", True, ["database", "question"]),
    ]
    assert "'shop'" in explored.messages[0].content.text  # type: ignore[union-attr]
    assert QUESTION in answered.messages[0].content.text  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name, arguments, said",
    [
        ("drop", {}, "There is no prompt 'drop'. Known: explore, answer."),
        ("answer", {"database": "shop"}, "The prompt 'answer' needs the argument 'question'."),
        ("explore", {"database": "sohp"}, "There is no database named 'sohp'. Known: shop."),
    ],
)
async def test_a_prompt_that_cannot_be_filled_in_says_why(
    name: str, arguments: dict[str, str], said: str, connect: Connect
) -> None:
    async with connect() as client:
        with pytest.raises(MCPError, match=re.escape(said)):
            await client.get_prompt(name, arguments)


async def test_names_of_databases_are_completed(connect: Connect) -> None:
    async with connect() as client:
        prompt = PromptReference(name="answer")
        begun = await client.complete(prompt, {"name": "database", "value": "SH"})
        other = await client.complete(prompt, {"name": "database", "value": "x"})
        words = await client.complete(prompt, {"name": "question", "value": "s"})
    assert (begun.completion.values, other.completion.values, words.completion.values) == (["shop"], [], [])


def back(choices: list[str]) -> str:
    """A model's reply that asks back."""
    return json.dumps({"sql": None, "explanation": "", "clarification": "With or without tax?", "choices": choices})


@pytest.fixture
async def asking_back(make_service: Callable[..., Service]) -> AsyncIterator[Service]:
    """A service whose model replies as JSON, and so can ask back."""
    built = make_service(profile="small_hosted", enable_retrieval=False, speculative_answer=False)
    yield built
    await built.close()


class User:
    """Answers the forms that a client is sent."""

    def __init__(self, action: Literal["accept", "decline"], content: dict[str, Any] | None = None) -> None:
        self.forms: list[ElicitRequestFormParams] = []
        self._result = ElicitResult(action=action, content=content)

    async def __call__(self, context: object, params: object) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        self.forms.append(params)
        return self._result


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    "choices, content, asked, sentence",
    [
        (["with tax"], {"question": f"{QUESTION[:-1]} (with tax)?"}, f"{QUESTION[:-1]} (with tax)?", SENTENCE),
        ([], {"answer": "without tax"}, f"{QUESTION[:-1]} (without tax)?", f"{SENTENCE[:-1]} without tax."),
    ],
)
async def test_a_clarification_is_put_to_the_user(
    mode: Literal["auto", "legacy"],
    choices: list[str],
    content: dict[str, Any],
    asked: str,
    sentence: str,
    asking_back: Service,
    model: ScriptedModel,
) -> None:
    model.replies(text=back(choices))
    model.replies(text=json.dumps({"sql": SQL, "explanation": "", "clarification": None}))
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text=sentence)
    user = User("accept", content)
    async with Client(
        build_server(asking_back, "local"), mode=mode, elicitation_callback=user, read_timeout_seconds=PATIENCE
    ) as client:
        answer = fields(await client.call_tool("ask", {"question": QUESTION, "database": "shop"}))
    (form,) = user.forms
    assert list(form.requested_schema["properties"]) == list(content)
    assert (answer["status"], answer["question"]) == ("success", asked)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_without_an_answer_of_the_user_the_clarification_is_the_result(
    mode: Literal["auto", "legacy"], asking_back: Service, model: ScriptedModel
) -> None:
    for _ in range(2 if mode == "legacy" else 3):  # a stateless client comes back, and the question is read again
        model.replies(text=back([]))
    user = User("decline")
    arguments = {"question": QUESTION, "database": "shop"}
    async with Client(
        build_server(asking_back, "local"), mode=mode, elicitation_callback=user, read_timeout_seconds=PATIENCE
    ) as client:
        declined = fields(await client.call_tool("ask", arguments))
    async with Client(build_server(asking_back, "local"), mode=mode, read_timeout_seconds=PATIENCE) as client:
        hidden_columns = fields(await client.call_tool("ask", arguments))
    assert len(user.forms) == 1
    assert declined["status"] == hidden_columns["status"] == "clarification_needed"


async def test_what_nobody_expected_goes_to_the_log_and_not_to_the_caller(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret path")

    monkeypatch.setattr(IsolatedExecutor, "run", broken)
    async with connect() as client:
        result = await client.call_tool("run_sql", {"database": "shop", "sql": "SELECT 1"})
    assert result.is_error
    assert text_of(result) == "The tool run_sql failed unexpectedly; the log of Plumbline says why."
    assert "a secret path" in caplog.text


async def test_leaving_ends_the_question(
    connect: Connect, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, left = asyncio.Event(), asyncio.Event()

    async def held(*_: object, **__: object) -> None:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    monkeypatch.setattr(model, "complete", held)
    async with connect() as client:
        call = asyncio.create_task(client.call_tool("ask", {"question": QUESTION, "database": "shop"}))
        await asyncio.wait_for(asked.wait(), PATIENCE)
        call.cancel()
        await asyncio.wait_for(left.wait(), PATIENCE)


@pytest.mark.parametrize(
    "headers, why",
    [
        ({"host": "evil.example"}, "a name that was made to point here"),
        ({"origin": "https://evil.example"}, "a page of another site"),
    ],
)
async def test_a_browser_of_this_machine_is_no_way_in(headers: dict[str, str], why: str, service: Service) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"accept": "application/json, text/event-stream"}
    async with served(http_app(service)) as address, httpx2.AsyncClient() as client:
        response = await client.post(f"{address}/mcp", json=listing, headers=accept | headers)
    assert response.status_code in {403, 421}, why


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
def test_the_type_of_each_result_is_known(tool: Any) -> None:
    assert result_type(tool).model_json_schema(mode="serialization")["type"] == "object"
