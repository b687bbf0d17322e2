"""What docs/python.md shows is run as it stands there, with a scripted endpoint as the model."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.endpoint import started
from bench.synthetic_file import Case
from testbed.service_process import clean_environment

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FRAMEWORKS = ("langchain_core", "llama_index", "from agents import")  # that no test environment has
OWN = [snippet for snippet in SNIPPETS if not any(name in snippet for name in FRAMEWORKS)]
CASES = [
    Case("How many orders are there?", "SELECT COUNT(*) AS orders FROM orders"),
    Case("What is the total amount?", "SELECT SUM(amount) AS total FROM orders"),
]


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    (tmp_path / "orders.csv").write_text("order_id,amount\n1,2.5\n2,3.5\n3,4.0\n", encoding="utf-8")
    (tmp_path / "orders.md").write_text("# orders\n\nOne row for each order.\n", encoding="utf-8")
    with started(CASES, tmp_path) as url:
        yield clean_environment() | {
            "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "PLUMBLINE_EMBEDDING": "openai",
            "PLUMBLINE_STATE_DIR": str(tmp_path / "state"),
        }  # fmt: skip


def test_every_kind_of_snippet_is_there() -> None:
    assert len(OWN) == 4
    assert len(SNIPPETS) - len(OWN) == len(FRAMEWORKS)


@pytest.mark.parametrize("number", range(len(OWN)))
def test_a_snippet_runs(number: int, environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OWN[number]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "3" in done.stdout or "Done" in done.stdout


@pytest.mark.parametrize("snippet", [it for it in SNIPPETS if it not in OWN], ids=FRAMEWORKS)
def test_a_tool_for_another_framework_is_python_of_at_most_a_dozen_lines(snippet: str) -> None:
    compile(snippet, "docs/python.md", "exec")
    assert sum(bool(line.strip()) for line in snippet.splitlines()) <= 12
