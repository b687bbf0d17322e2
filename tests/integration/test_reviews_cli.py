"""`python -m agent reviews`: listed, shown and settled at the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from people_shop import BROKEN, QUESTION, VALID, breaks
from shop_questions import Make
from typer.testing import CliRunner, Result

from agent.cli import console
from agent.cli import main as cli
from agent.core.callers import LOCAL
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, settings: Settings, make_service: Make) -> Run:
    def build(_: Settings, *, registry_required: bool, sources: object) -> Service:
        assert not registry_required
        return make_service()

    monkeypatch.setattr(console, "read_settings", lambda **_: settings)
    monkeypatch.setattr(console, "build_service", build)
    return lambda *arguments: CliRunner().invoke(cli.app, ["reviews", *arguments])


@pytest.fixture
def review_id(run: Run, make_service: Make, model: ScriptedModel) -> str:
    """Of a question that failed."""
    assert run().exit_code == 0

    async def ask() -> str:
        service = make_service()
        breaks(model)
        answer = await service.query(QUESTION, "shop", principal=LOCAL)
        await service.close()
        return answer.review_id or ""

    return asyncio.run(ask())


def test_open_reviews_are_listed_and_one_is_shown(run: Run, review_id: str) -> None:
    for arguments in ((), ("list",), ("list", "--status", "all", "-d", "shop")):
        result = run(*arguments)
        assert (review_id in result.output, QUESTION in result.output) == (True, True)
    shown = run("show", review_id)
    assert shown.output.splitlines().count(BROKEN) == 3
    assert "No review is approved." in run("list", "--status", "approved").output


def test_a_review_is_corrected_and_its_rows_are_shown(run: Run, review_id: str) -> None:
    refused = run("correct", review_id, "--sql", "SELECT SUM(amont) FROM orders")
    assert (refused.exit_code, "amont" in refused.output) == (1, True)
    settled = run("correct", review_id, "--sql", VALID, "--comment", "Cancelled orders do not count.")
    assert settled.exit_code == 0, settled.output
    assert ("420.5" in settled.output, "The review is corrected." in settled.output) == (True, True)
    assert "Cancelled orders do not count." in run("show", review_id).output
    again = run("reject", review_id)
    assert (again.exit_code, "corrected already" in again.output) == (1, True)


@pytest.mark.parametrize("command, code, said", [("approve", 1, "none to approve"), ("reject", 0, "is rejected")])
def test_a_review_without_a_query_is_rejected_and_not_approved(
    run: Run, review_id: str, command: str, code: int, said: str
) -> None:
    result = run(command, review_id)
    assert (result.exit_code, said in result.output) == (code, True)


def test_a_review_that_there_is_not(run: Run) -> None:
    result = run("show", "0" * 30)
    assert (result.exit_code, "There is no review" in result.output) == (1, True)


def test_a_status_that_there_is_not(run: Run) -> None:
    assert run("list", "--status", "closed").exit_code == 2
