"""docs/extend.md, followed to the letter: its diffs are applied, and new processes use the additions."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from asgi_server import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from testbed.postgres import PostgresServer

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
DIFFS = re.findall(r"```diff\n(.*?)```", PAGE, re.DOTALL)
OUTSIDE, INSIDE = DIFFS[:3], DIFFS[3:]  # modules of one's own; changes of the code
PACKAGE = {
    "resources": [
        {
            "name": "clients",
            "description": "Who buys from us.",
            "schema": {"fields": [{"name": "joined", "description": "The day of the first contract."},
                                  {"name": "nothing", "description": "There is no such column."}]},
        }
    ]
}  # fmt: skip
PATIENCE_S = 120


@pytest.fixture
def applied(tmp_path: Path) -> Path:
    """A folder with the page's three files."""
    for diff in OUTSIDE:
        subprocess.run(["git", "apply", "-"], input=diff, text=True, cwd=tmp_path, check=True)
    return tmp_path


@pytest.fixture(scope="module")
def warehouse() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        with server.admin() as admin:
            admin("CREATE TABLE clients (id int PRIMARY KEY, name text, joined date)")
            admin("INSERT INTO clients VALUES (1, 'Ada', '2025-02-01'), (2, 'Bo', '2025-03-01')")
        yield server


class Messages:
    """A server of the Messages API: SQL first, then a sentence; it keeps what it was sent."""

    def __init__(self) -> None:
        self.asked: list[dict[str, object]] = []
        self.keys: set[str | None] = set()

    async def answer(self, request: Request) -> JSONResponse:
        body = await request.json()
        self.asked.append(body)
        self.keys.add(request.headers.get("x-api-key"))
        prompt = body["messages"][-1]["content"]
        text = '{"sql": "SELECT COUNT(*) AS clients FROM clients"}'
        if "SELECT COUNT" in prompt:
            text = '{"reason": "All clients are counted.", "correct": true}'
            text = "There are 2 clients." if "correct" not in f"{body['system']}{prompt}" else text
        return JSONResponse(
            {
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 7, "output_tokens": 3},
            }
        )


@pytest.fixture
async def messages() -> AsyncIterator[tuple[Messages, str]]:
    server = Messages()
    async with served(Starlette(routes=[Route("/v1/messages", server.answer, methods=["POST"])])) as address:
        yield server, address


def environment(folder: Path, **more: str) -> dict[str, str]:
    own = ("PLUMBLINE_", "OPENAI_", "AZURE_", "TEXT2SQL_", "ANTHROPIC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return kept | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "PLUMBLINE_STATE_DIR": str(folder / "state"), **more}


async def agent(*words: str, env: dict[str, str], cwd: Path, stdin: str = "") -> tuple[int, str, str]:
    """Exit code, output and errors of `python -m agent …`."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "agent", *words, env=env, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe
    )
    out, err = await asyncio.wait_for(process.communicate(stdin.encode()), PATIENCE_S)
    return process.returncode or 0, out.decode(), err.decode()


@pytest.mark.parametrize("diff", OUTSIDE, ids=["dialect", "docs", "provider"])
def test_each_is_one_file_of_less_than_fifty_lines(diff: str) -> None:
    added = [line for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert diff.count("+++ b/") == 1
    assert len(added) < 50


async def test_the_guard_speaks_the_new_dialect(applied: Path) -> None:
    statements = (
        "SELECT LISTAGG(name, ', ') FROM clients; SELECT DATEADD(month, -2, joined) FROM clients; "
        "SELECT pg_read_file('x') FROM clients; DELETE FROM clients"
    )
    env = environment(applied, PLUMBLINE_EXTENSIONS="redshift")
    code, out, err = await agent(
        "guard", "--dialect", "aws-redshift", "--no-schema", env=env, cwd=applied, stdin=statements
    )

    verdicts = [json.loads(line) for line in out.splitlines()]
    assert code == 0, err
    assert [verdict["allowed"] for verdict in verdicts] == [True, True, False, False]
    assert {verdict["dialect"] for verdict in verdicts} == {"redshift"}


async def test_all_three_answer_a_question_together(
    applied: Path, warehouse: PostgresServer, messages: tuple[Messages, str]
) -> None:
    server, address = messages
    (applied / "datapackage.json").write_text(json.dumps(PACKAGE), encoding="utf-8")
    url = warehouse.url().replace("postgresql://", "redshift://", 1)
    registry = {"sales": {"url": url, "docs": ["datapackage.json"]}}
    (applied / "databases.yaml").write_text(json.dumps(registry), encoding="utf-8")  # JSON is YAML
    env = environment(
        applied,
        PLUMBLINE_EXTENSIONS="redshift, datapackage,messages_api",
        PLUMBLINE_REGISTRY=str(applied / "databases.yaml"),
        PLUMBLINE_MODEL_PROVIDER="messages",
        PLUMBLINE_CHAT_MODEL="some-model",
        ANTHROPIC_BASE_URL=address,
        ANTHROPIC_API_KEY="k-1",
    )

    code, out, err = await agent("index", "--database", "sales", env=env, cwd=applied)
    assert code == 0, out + err
    assert "table 'clients' has no column 'nothing'" in re.sub(r"\s+", " ", out + err)

    code, out, err = await agent("ask", "How many clients are there?", "-d", "sales", "--json", env=env, cwd=applied)
    assert code == 0, out + err
    answer = json.loads(out)
    assert (answer["results"], answer["dialect"]) == ([{"clients": 2}], "redshift")
    assert "There are 2 clients." in answer["answer"]
    assert answer["usage"]["prompt_tokens"] == 7 * len(server.asked)
    assert server.keys == {"k-1"}
    assert "Who buys from us." in json.dumps(server.asked[0]), "the new reader's docs are in the prompt"


@pytest.mark.parametrize(
    "names, why",
    [("no_such_module", "No module named 'no_such_module'"), ("taken", "taken already: postgresql, postgres")],
)
async def test_what_cannot_be_added_is_told_at_once(tmp_path: Path, names: str, why: str) -> None:
    (tmp_path / "taken.py").write_text(
        "from executors.dialects.table import DIALECTS\nfrom executors.extend import add_dialect\n"
        "from executors.registry.openers import OPENERS\nadd_dialect(DIALECTS['postgresql'], OPENERS['postgresql'])\n",
        encoding="utf-8",
    )
    code, out, err = await agent("guard", env=environment(tmp_path, PLUMBLINE_EXTENSIONS=names), cwd=tmp_path)

    assert code == 1, out
    assert f"PLUMBLINE_EXTENSIONS: {names} cannot be added" in re.sub(r"\s+", " ", err)
    assert why in re.sub(r"\s+", " ", err)


async def test_an_unknown_provider_is_told_with_those_there_are(tmp_path: Path) -> None:
    env = environment(tmp_path, PLUMBLINE_MODEL_PROVIDER="messages")
    code, _, err = await agent("ask", "Who?", "-d", "shop", env=env, cwd=ROOT)

    assert code == 1
    assert "'messages' is unknown. Known: azure, openai, embedded" in re.sub(r"\s+", " ", err)


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A copy of the code with the rule and the route."""
    for part in ("agent", "executors", "rag", "tests/unit"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for diff in INSIDE:
        subprocess.run(["git", "apply", "--unidiff-zero", "-"], input=diff, text=True, cwd=tmp_path, check=True)
    return tmp_path


def test_the_rule_is_asked_and_its_cases_hold(changed: Path) -> None:
    tests = [sys.executable, "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", "tests/unit/test_rules.py"]
    env = environment(changed) | {"PYTHONPATH": f"{changed}{os.pathsep}{changed / 'tests' / 'unit'}"}
    ran = subprocess.run(tests, cwd=changed, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "cut_without_order" in (changed / "agent" / "checks" / "rules" / "registry.py").read_text(encoding="utf-8")


async def test_the_route_is_in_the_contract_and_closed(changed: Path) -> None:
    env = environment(changed) | {"PYTHONPATH": str(changed)}
    code, out, err = await agent("openapi", env=env, cwd=changed)
    assert code == 0, err
    operation = json.loads(out)["paths"]["/api/databases/{name}/owners"]["get"]
    assert operation["operationId"] == "owners"
    assert operation["x-auth-level"] == "FUNCTION"
    assert set(operation["responses"]) >= {"200", "404", "500", "503"}
