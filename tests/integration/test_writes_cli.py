"""`ask --allow-writes`: the plan, the question whether to make it, and the change."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent.cli import asking, console
from agent.cli import main as cli
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

SQL = "UPDATE orders SET status = 'C' WHERE order_id = 4"
ORDER = "Set the status of order 4 to C"

Ask = Callable[..., Result]


@pytest.fixture
def registry(tmp_path: Path, shop_file: Path) -> Path:
    path = tmp_path / "databases.yaml"
    path.write_text(f"shop: {{url: {shop_file.name}, writable: true}}\nkept: {shop_file.name}\n", encoding="utf-8")
    return path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, settings: Settings, make_service: Callable[..., Service]) -> Ask:
    def build(_: Settings, *, registry_required: bool, sources: object) -> Service:
        assert not registry_required
        return make_service(enable_retrieval=False, allow_writes=True)

    monkeypatch.setattr(console, "read_settings", lambda **_: settings)
    monkeypatch.setattr(console, "build_service", build)
    monkeypatch.setattr(asking, "bring_model", lambda _: None)  # the scripted model has no file
    return lambda *arguments, given="": CliRunner().invoke(cli.app, ["ask", *arguments], input=given)


def status_of_order_4(shop_file: Path) -> str:
    connection = sqlite3.connect(shop_file)
    (status,) = connection.execute("SELECT status FROM orders WHERE order_id = 4").fetchone()
    connection.close()
    return str(status)


@pytest.mark.parametrize(
    "given, status, why", [("y\n", "C", "yes"), ("n\n", "S", "no"), ("\n", "S", "no is the default")]
)
def test_who_sits_at_the_terminal_is_asked(
    run: Ask, model: ScriptedModel, shop_file: Path, given: str, status: str, why: str
) -> None:
    model.replies(sql=SQL)
    result = run(ORDER, "--allow-writes", given=given)
    assert result.exit_code == 0
    assert "Make this change? [y/N]" in result.output
    assert status_of_order_4(shop_file) == status, why


def test_nobody_there_to_answer_changes_nothing(run: Ask, model: ScriptedModel, shop_file: Path) -> None:
    model.replies(sql=SQL)
    assert run(ORDER, "--allow-writes").exit_code == 1
    assert status_of_order_4(shop_file) == "S"


def test_without_the_option_the_order_is_refused(run: Ask, model: ScriptedModel, shop_file: Path) -> None:
    model.replies(sql=SQL)
    assert run(ORDER).exit_code == 1
    assert status_of_order_4(shop_file) == "S"


def test_a_database_that_is_not_writable_is_not_written_from_here_either(run: Ask, shop_file: Path) -> None:
    assert run("Delete all orders", "--allow-writes", "--database", "kept").exit_code == 1
    assert status_of_order_4(shop_file) == "S"


def test_as_json_the_plan_is_printed_and_nobody_is_asked(run: Ask, model: ScriptedModel, shop_file: Path) -> None:
    model.replies(sql=SQL)
    result = run(ORDER, "--allow-writes", "--json")
    assert json.loads(result.stdout)["write"]["rows_affected"] == 1
    assert status_of_order_4(shop_file) == "S"
