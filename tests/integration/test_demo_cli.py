"""`demo` indexes the shop while the model's file comes, and only then asks."""

from __future__ import annotations

import io
import re
import shlex
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from rich.console import Console
from typer.testing import CliRunner

from agent.cli import asking, console
from agent.cli import asking as demonstration
from agent.cli import main as cli
from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.errors import ModelUnavailable
from agent.core.models import Options
from agent.databases.knowledge.knowledge import Knowledge
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from agent.platform.llm.files import model_files
from agent.platform.llm.files.model_specs import ModelSpec


@pytest.fixture
def unchanged(monkeypatch: pytest.MonkeyPatch, settings: Settings, make_service: Callable[..., Service]) -> list[int]:
    """How many columns and tables another run of `index` finds indexed, each time that the questions begin."""
    found: list[int] = []

    async def run_demo(service: Service, *_: object) -> None:
        indexed = await service.index("shop", LOCAL)
        assert (indexed.columns.added, indexed.columns.removed) == (0, 0)
        found.append(indexed.columns.unchanged)

    monkeypatch.setattr(console, "read_settings", lambda **_: settings)
    monkeypatch.setattr(console, "build_service", lambda *_, **__: make_service())
    monkeypatch.setattr(demonstration, "run_demo", run_demo)
    return found


def test_the_shop_is_indexed_while_the_file_comes(unchanged: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    indexed = threading.Event()
    index_all = Knowledge.index_all

    async def watched(self: Knowledge, *arguments: object) -> object:
        try:
            return await index_all(self, *arguments)  # type: ignore[arg-type]
        finally:
            indexed.set()

    def fetch(spec: ModelSpec, folder: Path, **_: object) -> Path:
        assert indexed.wait(60), "it is waited for, and only then indexed"
        return folder / spec.file

    monkeypatch.setattr(Knowledge, "index_all", watched)
    monkeypatch.setattr(model_files, "fetch", fetch)
    ended = CliRunner().invoke(cli.app, ["demo"])

    assert ended.exit_code == 0, ended.output
    (columns,) = unchanged
    assert f"shop: {columns} columns and tables added, 0 removed, 0 unchanged." in ended.output
    assert columns > 0
    assert "has read the schema" not in ended.output, "the first question is not to wait for what later ones need"


def test_a_model_that_cannot_be_had_ends_it_in_one_sentence(
    unchanged: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ModelUnavailable("No space left on device. Free some space.")

    monkeypatch.setattr(model_files, "fetch", fail)
    ended = CliRunner().invoke(cli.app, ["demo"])
    assert ended.exit_code == 1
    assert "No space left on device. Free some space." in ended.output
    assert unchanged == []


@pytest.mark.parametrize(
    "started, command",
    [
        ("/home/ann/.local/bin/plumbline", "plumbline"),
        (str(Path(demonstration.__file__).parents[1] / "__main__.py"), f"{sys.executable} -m agent"),
    ],
)
def test_it_ends_with_commands_that_run_where_it_was_called(
    started: str,
    command: str,
    settings: Settings,
    make_service: Callable[..., Service],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A registry that has no shop, as after an installation: the shop's file stands in its place."""

    async def show(service: Service, question: str, database: str, options: Options) -> Answer:
        return Answer(question=question, status="success", answer="3.")

    registry = settings.registry.read_text(encoding="utf-8")
    settings.registry.write_text(registry.replace("shop:", "other:"), encoding="utf-8")
    monkeypatch.setattr(console, "read_settings", lambda **_: settings)
    monkeypatch.setattr(console, "build_service", lambda *_, **__: make_service())
    monkeypatch.setattr(asking, "bring_model", lambda *_, **__: None)
    monkeypatch.setattr(asking, "_Shown", lambda: show)
    monkeypatch.setattr(sys, "argv", [started, "demo"])
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(cli.app, ["demo"])

    assert ended.exit_code == 0, ended.output
    shop = settings.state_path / "samples" / "shop.duckdb"
    (own,) = re.findall("Ask your own:   (.*)", ended.output)
    assert own.startswith(f"{command} ask {shop} --docs ")
    assert own.endswith(' "…"')
    docs = shlex.split(own)[-2]
    assert {it.name for it in Path(docs).iterdir()} == {"shop.md"}
    assert f"On a page:      {command} serve {shop}, then http://127.0.0.1:7071/" in ended.output


async def test_each_question_is_numbered_and_the_first_is_told_to_come_twice() -> None:
    asked: list[tuple[str, bool | None]] = []

    async def show(service: Service, question: str, database: str, options: Options) -> Answer:
        asked.append((question, options.enable_retrieval))
        return Answer(question=question, status="success", answer="3.", verified=len(asked) == 2)

    shown = Console(file=io.StringIO(), width=100)
    service = SimpleNamespace(settings=SimpleNamespace(port=1))
    await demonstration.run_demo(cast(Service, service), shown, show)

    assert isinstance(shown.file, io.StringIO)
    text = shown.file.getvalue()
    heads = re.findall(r"─ (Question .*?) ─", text)
    assert heads == [
        "Question 1 of 4, from the raw schema alone",
        "Question 1 of 4, the same again with the docs",
        *(f"Question {number} of 4" for number in (2, 3, 4)),
    ]
    first, *_ = demonstration.QUESTIONS
    assert asked == [(first, False), *((question, None) for question in demonstration.QUESTIONS)]
    assert "4 questions with the docs, 1 answer verified." in text


def test_a_shop_of_the_registry_is_named_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["plumbline", "demo"])
    assert demonstration.next_commands(None) == ('plumbline ask --database shop "…"', "plumbline serve")
