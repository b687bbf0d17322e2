"""`demo` indexes the shop while the model's file comes, and only then asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import console
from agent.cli import demo as demonstration
from agent.cli import main as cli
from agent.config.settings import Settings
from agent.core.callers import LOCAL
from agent.core.errors import ModelUnavailable
from agent.knowledge.knowledge import Knowledge
from agent.llm.files import model_files
from agent.llm.files.model_specs import ModelSpec
from agent.service import Service


@pytest.fixture
def unchanged(monkeypatch: pytest.MonkeyPatch, settings: Settings, make_service: Callable[..., Service]) -> list[int]:
    """How many columns and tables another run of `index` finds indexed, each time that the questions begin."""
    found: list[int] = []

    async def run_demo(service: Service, *_: object) -> None:
        indexed = await service.index("shop", LOCAL)
        assert (indexed.columns.added, indexed.columns.removed) == (0, 0)
        found.append(indexed.columns.unchanged)

    monkeypatch.setattr(console, "read_settings", lambda: settings)
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
