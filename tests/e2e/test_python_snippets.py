"""The code in docs/python.md runs unchanged, with a scripted endpoint as the model."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.endpoint import started
from bench.synthetic_file import Case
from testbed.service_process import clean_environment

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
QUESTION = "How many orders are there?"
# What calls the tool of each as its own agents do; `arguments` is what a model sends.
FRAMEWORKS = {
    "langchain_core": "print(ask_orders.name, ask_orders.args, ask_orders.invoke(json.loads(arguments)))",
    "llama_index": "print(tool.metadata.name, asyncio.run(tool.acall(**json.loads(arguments))).raw_output)",
    "from agents import": (
        "from agents.tool_context import ToolContext\n"
        "context = ToolContext(context=None, tool_name='ask_orders', tool_call_id='1', tool_arguments=arguments)\n"
        "(found,) = agent.tools\n"
        "print(found.name, asyncio.run(found.on_invoke_tool(context, arguments)))"
    ),
}
PREFIX = Path(sys.prefix) / "peers" / "frameworks"  # of `make frameworks`
OURS = Path(__file__).parents[2], sysconfig.get_path("purelib")
OWN = [snippet for snippet in SNIPPETS if not any(name in snippet for name in FRAMEWORKS)]
CASES = [
    Case(QUESTION, "SELECT COUNT(*) AS orders FROM orders"),
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


@pytest.mark.skipif(
    not (PREFIX / ".installed").exists() and os.environ.get("FRAMEWORKS") != "required",
    reason="needs the frameworks: make frameworks",
)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_calls_its_tool(framework: str, environment: dict[str, str], tmp_path: Path) -> None:
    """By the real library, in an environment of its own; what that lacks, Plumbline brings."""
    (snippet,) = [it for it in SNIPPETS if framework in it]
    ours = f"import asyncio, json, sys\nsys.path.insert(1, {str(OURS[0])!r})\nsys.path.append({OURS[1]!r})\n"
    arguments = f"arguments = {json.dumps({'question': QUESTION})!r}\n"
    done = subprocess.run(
        [str(PREFIX / "bin" / "python"), "-c", ours + snippet + arguments + FRAMEWORKS[framework]],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ask_orders ")
    for part in ("It is 3.", "SELECT COUNT(*) AS orders FROM orders", "verified"):
        assert part in done.stdout
