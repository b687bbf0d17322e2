"""`calibrate` from the command line: kept replies, a threshold that nothing reaches, the file that it writes."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import pytest
from typer.testing import CliRunner, Result

from agent.cli import console
from agent.cli import main as cli
from agent.core.errors import ConfigurationInvalid
from agent.core.usage import Usage
from agent.pipeline.confidence.calibration import load
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import ChatRequest, Message, Reply

DATABASES, EACH = 6, 12
OLD = Path("of-an-older-version.json")  # which the command replaces, and so does not read
Run = Callable[..., Result]


class Drafting:
    """Writes the right query for most questions, for others a new one each time; of each database one wrongly."""

    name = "drafting"

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        found = re.search(r"value of fact (\d+)", messages[-1].content)
        assert found is not None
        number = int(found[1])
        self.asked[messages[-1].content] += 1
        sql = f"SELECT value FROM facts WHERE id = {number}"
        if number == 0:
            sql = "SELECT value FROM facts WHERE id = 1"  # always: nothing tells it from a right one
        elif number % 3 == 0:
            sql = f"SELECT value FROM facts WHERE id = {sum(self.asked.values()) % 7 + 20}"
        return Reply(text=f"```sql\n{sql}\n```", usage=Usage(model_calls=1))

    async def ready(self) -> None:
        """At once."""

    async def close(self) -> None:
        """Nothing to close."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "golden"
    made.mkdir()
    questions = []
    for n in range(DATABASES):
        with sqlite3.connect(made / f"facts{n}.sqlite") as connection:
            connection.execute("CREATE TABLE facts (id INTEGER PRIMARY KEY, value INTEGER)")
            connection.executemany("INSERT INTO facts VALUES (?, ?)", [(it, 1000 + it) for it in range(40)])
        connection.close()
        questions += [
            {
                "database": f"facts{n}.sqlite",
                "question": f"What is the value of fact {it}?",
                "gold": [f"SELECT value FROM facts WHERE id = {it}"],
            }
            for it in range(EACH)
        ]
    (made / "questions.json").write_text(json.dumps(questions))
    return made


@pytest.fixture
def model() -> Drafting:
    """The model of every service in these tests."""
    return Drafting()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, settings: Settings, make_service: Callable[..., Service]) -> Run:
    monkeypatch.setattr(console, "read_settings", lambda **_: settings.model_copy(update={"calibration": OLD}))
    monkeypatch.setattr(
        console,
        "build_service",
        lambda own, **_: make_service(second_draft=None, enable_retrieval=False, calibration=own.calibration),
    )
    return lambda *arguments: CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def test_a_precision_that_nothing_reaches_is_told_and_verifies_nothing(
    run: Run, folder: Path, model: Drafting, tmp_path: Path
) -> None:
    file, kept = tmp_path / "own.json", tmp_path / "kept"
    arguments = ("calibrate", folder, "--each", EACH, "--replies", kept, "--out", file)
    result = run(*arguments, "--precision", 1.0, "--diagram", tmp_path / "own.svg")
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    assert "No confidence reaches a precision of 100%" in told
    assert "With this file no answer is verified. Ask for less with --precision, or more questions." in told
    assert [fit.threshold for fit in load(file).fits] == [None]
    assert "precision at a recall of 60% │ 88.9% (95 %: 88.9% to 88.9%)" in told, "all databases are alike"
    assert "<svg" in (tmp_path / "own.svg").read_text()

    asked = sum(model.asked.values())
    again = run(*arguments, "--precision", 0.8)
    assert again.exit_code == 0, again.output
    assert sum(model.asked.values()) == asked, "every reply was kept"
    calibration = load(file)
    (fit,) = calibration.fits
    assert (calibration.questions, calibration.databases) == (DATABASES * EACH, DATABASES)
    assert fit.threshold is not None
    assert fit.figures.precision is not None
    assert fit.figures.precision >= 0.8
    assert not {it for it in fit.coefficients if it.startswith("logprob")}, "the model gives none"


def test_a_calibration_of_another_version_stops_the_start(
    make_service: Callable[..., Service], run: Run, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "own.json"
    made = run("calibrate", folder, "--each", EACH, "--replies", tmp_path / "kept", "--out", file, "--precision", 0.8)
    assert made.exit_code == 0, made.output
    assert make_service(calibration=file).parts.calibration == load(file)
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": 0}))
    with pytest.raises(ConfigurationInvalid, match=r"it is of version 0, and this release reads version \d"):
        make_service(calibration=file)
