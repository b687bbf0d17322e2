"""The code in docs/http.md runs unchanged against a service."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from live_service import running

from agent.api.app import create_app
from agent.pipeline.service import Service
from agent.platform.access.policy import build_access
from agent.platform.config.settings import Settings
from testbed.tireless_model import TirelessModel

PAGE = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
SECTION = re.search(r"^## From your code$(.*?)^##", PAGE, re.MULTILINE | re.DOTALL)
SNIPPETS = dict(re.findall(r"^```(\w+)\n(.*?)^```$", SECTION[1] if SECTION else "", re.MULTILINE | re.DOTALL))
SHOWN = "127.0.0.1:7071"  # where `serve` listens by default
RUN = {"sh": ("bash", "-euo", "pipefail"), "python": (sys.executable,), "js": ("node",)}
SUFFIX = {"sh": "sh", "python": "py", "js": "mjs"}


@pytest.fixture
def address(make_service: Callable[..., Service], settings: Settings) -> Iterator[str]:
    access = build_access(settings, environment={})

    def service() -> Service:
        return make_service(enable_retrieval=False)

    with running(create_app(service, access=access)) as url:
        yield url.removeprefix("http://")


@pytest.fixture
def model() -> TirelessModel:
    return TirelessModel()


def test_the_three_languages_are_shown() -> None:
    assert set(SNIPPETS) == set(RUN)
    assert all(SHOWN in snippet for snippet in SNIPPETS.values())


@pytest.mark.parametrize("language", RUN)
def test_a_snippet_does_the_five_things(language: str, address: str, tmp_path: Path) -> None:
    if language == "js" and shutil.which("node") is None:
        pytest.skip("there is no Node.js on this machine")
    script = tmp_path / f"snippet.{SUFFIX[language]}"
    script.write_text(SNIPPETS[language].replace(SHOWN, address), encoding="utf-8")

    done = subprocess.run([*RUN[language], str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert "GROUP BY country" in done.stdout, "asked"
    assert re.search(r"start\b.*entry\b.*evaluator\b.*done\b", done.stdout, re.DOTALL), "watched"
    assert "How many orders of 2025 were cancelled?" in done.stdout, "the follow-up, as it was understood"
    assert "approved" in done.stdout, "said to be right, by somebody who may settle that"
    with (tmp_path / "customers.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["country", "customers"], ["DE", "2"], ["FR", "1"]]
