"""With no collector named, nothing of OpenTelemetry's SDK and no exporter is loaded, and nothing else changes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agent.platform import telemetry
from agent.platform.config.settings import Settings

ROOT = Path(__file__).parents[2]
NOT_LOADED = ["opentelemetry.sdk", "opentelemetry.exporter", "azure.monitor", "grpc", "requests"]

ASK = """
import asyncio, sys
from pathlib import Path
from agent.platform import telemetry
from testbed.scripted_model import ScriptedModel
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings

settings = Settings(registry=Path(sys.argv[1]), state_dir=Path(sys.argv[2]), profile="embedded", enable_retrieval=False,
                    enable_evaluation=False, second_draft=False)
telemetry.setup(settings)
model = ScriptedModel()
model.replies(sql="SELECT COUNT(*) AS n FROM orders")
model.replies(text="There are 5 orders.")

async def ask():
    service = build_service(settings, model=model)
    answer = await service.query("How many orders are there?", "shop")
    await service.close()
    return answer

assert asyncio.run(ask()).answer == "There are 5 orders."
print(*sys.modules)
"""


@pytest.fixture
def loaded(registry: Path, tmp_path: Path) -> set[str]:
    """Every module that a process has loaded that has answered a question."""
    command = [sys.executable, "-c", ASK, str(registry), str(tmp_path / "state")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_a_question_loads_neither_sdk_nor_exporters(loaded: set[str]) -> None:
    assert "agent.platform.telemetry" in loaded
    assert sorted(loaded & set(NOT_LOADED)) == []


def test_nothing_is_set_up_and_models_stay_as_they_are(settings: Settings) -> None:
    assert telemetry.setup(settings) is telemetry.OFF
    model = object()
    assert telemetry.get().trace_model(model) is model  # type: ignore[arg-type]
    assert telemetry.get().traceparent() == ""
    with (
        telemetry.get().step("entry"),
        telemetry.get().query("shop", "sqlite", "SELECT 1", "SELECT", ()) as record_rows,
    ):
        record_rows(1)
    telemetry.shutdown()


def test_a_connection_string_that_is_none_costs_the_telemetry_alone(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = Settings.model_validate(settings.model_dump() | {"applicationinsights_connection_string": "planted"})
    assert telemetry.setup(wrong) is telemetry.OFF
    assert "cannot be used" in caplog.text
    assert "planted" not in caplog.text
