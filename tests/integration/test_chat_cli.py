"""`chat` takes its lines from a file as well, and writes the conversation down."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from agent.cli import asking, console
from agent.cli import main as cli
from agent.core.answers import Answer
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, settings: Settings, make_service: Callable[..., Service]) -> Run:
    def build(_: Settings, *, registry_required: bool, sources: object) -> Service:
        assert not registry_required
        return make_service()

    monkeypatch.setattr(console, "read_settings", lambda **_: settings)
    monkeypatch.setattr(console, "build_service", build)
    monkeypatch.setattr(asking, "bring_model", lambda _: None)  # the scripted model has no file
    return lambda *arguments: CliRunner().invoke(cli.app, ["chat", *(str(argument) for argument in arguments)])


def test_a_script_is_asked_line_by_line_and_written_down(run: Run, model: ScriptedModel, tmp_path: Path) -> None:
    script, transcript = tmp_path / "script.txt", tmp_path / "conversation.md"
    script.write_text("How many customers are there?\nand orders?\n", encoding="utf-8")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")
    model.replies(text="How many orders are there?")
    model.replies(sql="SELECT COUNT(*) AS n FROM orders")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 5 orders.")

    ended = run("--script", script, "--transcript", transcript)

    assert ended.exit_code == 0, ended.output
    written = transcript.read_text(encoding="utf-8")
    assert "**1. How many customers are there?**\n\nThere are 3 customers." in written
    assert "**2. and orders?**\n\n*understood as: How many orders are there?*\n\nThere are 5 orders." in written
    assert "```sql\nSELECT COUNT(*) AS n FROM orders\n```" in written
    assert "> and orders?" in ended.output


def test_a_file_is_named_as_ask_takes_it(run: Run, model: ScriptedModel, tmp_path: Path) -> None:
    script, stays = tmp_path / "script.txt", tmp_path / "stays.csv"
    script.write_text("How many stays are there?\n", encoding="utf-8")
    stays.write_text("guest,nights\nAda,2\nBo,3\n", encoding="utf-8")
    model.replies(sql="SELECT COUNT(*) AS n FROM stays")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 2 stays.")

    ended = run(stays, "--script", script)

    assert ended.exit_code == 0, ended.output
    assert "There are 2 stays." in ended.output


def test_a_turn_that_fails_is_written_down_and_the_next_one_asked(
    run: Run, model: ScriptedModel, tmp_path: Path
) -> None:
    script, transcript = tmp_path / "script.txt", tmp_path / "conversation.md"
    script.write_text("drop all tables\nHow many customers are there?\n", encoding="utf-8")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")

    ended = run("--script", script, "--transcript", transcript)

    assert ended.exit_code == 0, ended.output
    written = transcript.read_text(encoding="utf-8")
    assert "**1. drop all tables**\n\nPlumbline only reads here" in written
    assert "There are 3 customers." in written


def test_an_interrupted_chat_leaves_the_turns_before(
    run: Run, model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, transcript = tmp_path / "script.txt", tmp_path / "conversation.md"
    script.write_text("How many customers are there?\nand orders?\n", encoding="utf-8")
    model.replies(sql="SELECT COUNT(*) AS n FROM customers")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")
    show = asking._Shown.__call__

    async def interrupted(self: Any, service: Service, question: str, *arguments: Any, **more: Any) -> Answer:
        if question == "and orders?":
            raise KeyboardInterrupt
        return await show(self, service, question, *arguments, **more)

    monkeypatch.setattr(asking._Shown, "__call__", interrupted)
    assert run("--script", script, "--transcript", transcript).exit_code != 0
    assert "There are 3 customers." in transcript.read_text(encoding="utf-8")


def test_who_does_not_want_to_be_asked_back_says_so(run: Run, model: ScriptedModel, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("Show me recent orders.\n", encoding="utf-8")
    model.replies(sql="SELECT * FROM orders WHERE ordered_at >= '2024-12-03'")
    model.replies(correct=True, reason="the last 30 days")
    model.replies(text="One order.")

    asked_back = run("--script", script)
    answered = run("--script", script, "--no-clarify")

    assert "clarification needed" in asked_back.output
    assert "was taken to mean" in answered.output
