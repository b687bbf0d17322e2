"""The tools over the Model Context Protocol, in a process as a desktop client starts it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_results import NAMES, PATIENCE, QUESTION, SENTENCE, SQL, fields
from openai_server import Held, OpenAIServer
from typer.testing import CliRunner

from agent.cli import main as cli
from agent.cli import serving
from agent.core.answers import Answer
from testbed.ports import free_port

ROOT = Path(__file__).parents[2]

Progress = list[tuple[float, str | None]]
Connect = Callable[[], AbstractAsyncContextManager[Client]]


# -- in a process of its own -------------------------------------------------------------------------------


@pytest.fixture
def environment(hosted_environment: dict[str, str]) -> dict[str, str]:
    return hosted_environment | {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1"}


@pytest.fixture
def process(environment: dict[str, str], tmp_path: Path) -> StdioServerParameters:
    """The command as a desktop client starts it."""
    return StdioServerParameters(command=sys.executable, args=["-m", "agent", "mcp"], env=environment, cwd=tmp_path)


def script(openai: OpenAIServer) -> None:
    """One question's replies: the query, the judge's word, the answer."""
    openai.replies({"sql": SQL, "explanation": "Adds up every order.", "clarification": None})
    openai.replies({"reason": "the sum over all orders", "correct": True})
    openai.replies(SENTENCE)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_desktop_client_starts_it_and_asks(
    mode: str, process: StdioServerParameters, openai: OpenAIServer
) -> None:
    script(openai)
    told: Progress = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    async with Client(process, mode=mode, read_timeout_seconds=PATIENCE) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
        asked = {"question": QUESTION, "database": "shop"}
        answer = fields(await client.call_tool("ask", asked, progress_callback=on_progress))

    assert (answer["answer"], answer["verified"]) == (SENTENCE, True)
    assert answer["results"] == [{"total": 460.5}]
    assert set(answer) == set(Answer.model_fields)
    assert [message for _, message in told][:4] == [
        "Read the question", "Opened the database", "Found 2 tables and 0 notes", "Wrote a query"
    ]  # fmt: skip
    assert [progress for progress, _ in told] == sorted({progress for progress, _ in told}), "it only grows"


async def test_a_question_that_nobody_waits_for_is_cancelled(
    process: StdioServerParameters, openai: OpenAIServer
) -> None:
    held = Held()
    openai.replies({"sql": SQL}, held=held)
    async with Client(process, read_timeout_seconds=PATIENCE) as client:
        asked = {"question": QUESTION, "database": "shop"}
        call = asyncio.create_task(client.call_tool("ask", asked))
        await asyncio.wait_for(held.awaited.wait(), PATIENCE)
        call.cancel()
        await asyncio.wait_for(openai.hung_up.wait(), PATIENCE)
        assert (await client.call_tool("list_databases")).is_error is False, "and the next call is answered"


async def test_nothing_but_the_protocol_is_written_to_standard_output(
    environment: dict[str, str], openai: OpenAIServer, tmp_path: Path
) -> None:
    script(openai)
    messages: list[dict[str, Any]] = [
        {"method": "initialize", "id": 1, "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"method": "tools/call", "id": 2, "params": {
            "name": "ask", "arguments": {"question": QUESTION, "database": "shop"}}},
    ]  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "agent", "mcp", env=environment | {"PLUMBLINE_LOG_LEVEL": "DEBUG"}, cwd=tmp_path,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    logged = asyncio.create_task(process.stderr.read())
    lines = []
    for message in messages:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        if "id" in message:
            lines.append(await asyncio.wait_for(process.stdout.readline(), PATIENCE))
    process.stdin.close()
    lines += (await asyncio.wait_for(process.stdout.read(), PATIENCE)).splitlines()

    assert [json.loads(line)["id"] for line in lines] == [1, 2]
    result = json.loads(lines[1])["result"]
    assert not result["isError"], result
    assert result["structuredContent"]["answer"] == SENTENCE
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0, "the end of its input ends it"
    assert b"DEBUG" in await logged


async def test_it_asks_a_file_that_its_command_names(process: StdioServerParameters, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("city,visitors\nLyon,12\nPorto,30\n")
    named = process.model_copy(update={"args": [*process.args, "visits.csv"]})
    async with Client(named, read_timeout_seconds=PATIENCE) as client:
        listed = fields(await client.call_tool("list_databases"))
        found = fields(
            await client.call_tool("run_sql", {"database": "visits", "sql": "SELECT sum(visitors) FROM visits"})
        )

    assert [one["name"] for one in listed["databases"]] == ["visits"]
    assert found["rows"] == [[42]]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org", ""])
def test_a_public_address_is_refused(host: str) -> None:
    ended = CliRunner().invoke(cli.app, ["mcp", "--http", "--host", host])
    assert ended.exit_code == 1
    assert "This server has no authentication" in ended.stderr
    assert ended.stdout == ""


def test_where_the_package_is_missing_its_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda _: None)
    ended = CliRunner().invoke(cli.app, ["mcp"])
    assert ended.exit_code == 1
    assert "pip install -r requirements-local.txt" in ended.stderr


async def test_the_http_server_runs_and_says_where(environment: dict[str, str], tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "agent", "mcp", "--http", "--port", str(free_port()), cwd=tmp_path,
        env=environment | {"PLUMBLINE_LOG_LEVEL": "INFO", "COLUMNS": "200"},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stdout is not None
    try:
        said = (await asyncio.wait_for(process.stderr.readline(), PATIENCE)).decode()
        url = next(word for word in said.split() if word.startswith("http://127.0.0.1:"))
        while b"running on" not in await asyncio.wait_for(process.stderr.readline(), PATIENCE):
            assert process.returncode is None
        async with Client(url, read_timeout_seconds=PATIENCE) as client:
            listed = fields(await client.call_tool("list_databases"))
        assert [one["name"] for one in listed["databases"]] == ["shop"]
    finally:
        process.terminate()
        out, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert out == b""
