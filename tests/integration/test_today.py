"""The current day in the prompt, in the time zone of the settings or of the request."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from api_client import api_client, problem
from mcp import Client
from typer.testing import CliRunner

from agent.api.app import create_app
from agent.api.mcp import build_server
from agent.cli import asking as cli_asking
from agent.cli import console
from agent.cli import main as cli
from agent.core.callers import LOCAL
from agent.databases.knowledge import build
from agent.pipeline import asking
from agent.pipeline.service import Service
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

LATE = datetime(2026, 10, 31, 23, 30, tzinfo=UTC)  # already November in Berlin, where the clocks went back a week ago
SQL = "SELECT sum(amount) AS total FROM visits WHERE day >= '2026-10-01' AND day < '2026-11-01'"


@pytest.fixture(autouse=True)
def _at_that_hour(monkeypatch: pytest.MonkeyPatch, registry: Path) -> None:
    """A fixed clock, and a database of visits whose days are dates."""
    monkeypatch.setattr(asking, "utc_now", lambda: LATE)
    monkeypatch.setattr(build, "build_embedder", lambda _: HashingEmbedder())
    with sqlite3.connect(registry.parent / "clinic.sqlite") as connection:
        connection.execute("CREATE TABLE visits (id INTEGER PRIMARY KEY, day DATE, amount REAL)")
        connection.executemany(
            "INSERT INTO visits (day, amount) VALUES (?, ?)", [("2026-09-30", 1), ("2026-10-05", 2), ("2026-11-01", 4)]
        )
    connection.close()
    registry.write_text("clinic: {url: clinic.sqlite}\n", encoding="utf-8")


async def ask(
    make_service: Callable[..., Service], model: ScriptedModel, question: str, zone: str = "UTC", **options: Any
) -> str:
    """What the model was told when it wrote the query."""
    model.replies(sql=SQL)
    model.replies(correct=True)
    said = {"Was": "Die Summe ist 2.", "지난달": "합계는 2입니다."}
    model.replies(text=said.get(question.split()[0], "The total is 2."))
    async with api_client(create_app(lambda: make_service(time_zone=zone, second_draft=False))) as client:
        body = {"question": question, "database": "clinic", "options": {"clarify": False, **options}}
        response = await client.post("/query", json=body)
    assert response.json()["results"] == [{"total": 2.0}], response.text
    return model.asked[0].tail


@pytest.mark.parametrize("question", [
    "What is the total amount of visits last month?",
    "Was ist die Summe amount der visits im letzten Monat?",
    "지난달 visits의 amount 합계는?",
])  # fmt: skip
async def test_who_asks_for_last_month_tells_the_model_the_day(
    make_service: Callable[..., Service], model: ScriptedModel, question: str
) -> None:
    told = await ask(make_service, model, question)

    assert "Today is 2026-10-31, a Saturday (UTC)" in told
    assert "is from 2026-09-01 to 2026-09-30." in told


async def test_the_time_zone_is_that_of_the_settings(
    make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    told = await ask(make_service, model, "What is the total amount of visits last month?", "Europe/Berlin")

    assert "Today is 2026-11-01, a Sunday (Europe/Berlin)" in told
    assert "is from 2026-10-01 to 2026-10-31." in told


async def test_a_request_may_name_another_one(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    question = "What is the total amount of visits last month?"
    told = await ask(make_service, model, question, "UTC", time_zone="Asia/Seoul")

    assert "Today is 2026-11-01, a Sunday (Asia/Seoul)" in told


async def test_a_message_of_a_chat_may_name_one(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True)
    model.replies(text="The total is 2.")
    async with api_client(create_app(lambda: make_service(second_draft=False))) as client:
        started = await client.post("/agents/text-to-sql/start-session", json={"database": "clinic"})
        options = {"time_zone": "Asia/Seoul", "clarify": False}
        message = "What is the total amount of visits last month?"
        body = {"session_id": started.json()["session_id"], "message": message, "options": options}
        response = await client.post("/agents/text-to-sql/chat", json=body)

    assert response.json()["results"] == [{"total": 2.0}], response.text
    assert "Today is 2026-11-01, a Sunday (Asia/Seoul)" in model.asked[0].tail


async def test_a_tool_may_name_one(make_service: Callable[..., Service], model: ScriptedModel) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True)
    model.replies(text="The total is 2.")
    service = make_service(second_draft=False)
    asked = {"question": "What is the total amount of visits last month?", "database": "clinic"}
    try:
        async with Client(build_server(service, LOCAL)) as client:
            answered = await client.call_tool("ask", asked | {"options": {"time_zone": "Asia/Seoul"}})
            refused = await client.call_tool("ask", asked | {"options": {"time_zone": "Europe/Atlantis"}})
    finally:
        await service.close()

    assert not answered.is_error, answered.content
    assert "Today is 2026-11-01, a Sunday (Asia/Seoul)" in model.asked[0].tail
    assert refused.is_error
    assert "options.time_zone: " in str(refused.content)
    assert "There is no such time zone. Use an IANA name" in str(refused.content)


@pytest.mark.parametrize("command", ["ask", "chat"])
def test_so_may_who_asks_at_the_terminal(
    make_service: Callable[..., Service],
    model: ScriptedModel,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True)
    model.replies(text="The total is 2.")
    monkeypatch.setattr(console, "build_service", lambda *_, **__: make_service(second_draft=False))
    monkeypatch.setattr(cli_asking, "bring_model", lambda _: None)
    question = "What is the total amount of visits last month?"
    (tmp_path / "questions.txt").write_text(f"{question}\n", encoding="utf-8")
    words = [question] if command == "ask" else ["--script", str(tmp_path / "questions.txt")]
    run = CliRunner().invoke(
        cli.app, [command, *words, "-d", "clinic", "--no-clarify", "--time-zone", "Asia/Seoul"], env={"NO_COLOR": "1"}
    )

    assert run.exit_code == 0, run.output
    assert "Today is 2026-11-01, a Sunday (Asia/Seoul)" in model.asked[0].tail


@pytest.mark.parametrize("command", ["ask", "chat"])
@pytest.mark.parametrize("zone", ["Europe/Atlantis", "", "../etc/passwd"])
def test_the_terminal_names_what_is_no_time_zone(command: str, zone: str) -> None:
    words = ["How many visits?"] if command == "ask" else []
    run = CliRunner().invoke(cli.app, [command, *words, "--time-zone", zone], env={"NO_COLOR": "1", "COLUMNS": "200"})

    assert run.exit_code == 2
    assert "There is no such time zone. Use an IANA name, such as `Europe/Berlin` or `UTC`." in run.output


async def test_who_does_not_count_from_today_hears_no_day(
    make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    told = await ask(make_service, model, "What is the total amount of visits in October 2026?")

    assert "Today" not in told


async def test_a_zone_that_there_is_not_is_refused(make_service: Callable[..., Service]) -> None:
    body = {"question": "Visits today?", "database": "clinic", "options": {"time_zone": "Europe/Atlantis"}}
    async with api_client(create_app(make_service)) as client:
        refused = problem(await client.post("/query", json=body), 422, "invalid-field")

    assert "There is no such time zone. Use an IANA name" in refused["detail"]
