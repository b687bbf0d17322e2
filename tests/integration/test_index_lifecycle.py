"""`python -m agent index` as its users meet it: watched, killed, stopped, run twice; and questions meanwhile.

Every process is real. Only the embedding model is a local server, which counts what it is asked and can hold back.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import pty
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from asgi_server import served
from index_fixtures import QUESTION, says_revenue, write_facts
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agent.core.callers import LOCAL
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from rag.index.store import Store
from testbed.openai_replies import embeddings_of, texts_of
from testbed.scripted_model import ScriptedModel

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
FACTS = 600
# Where the tests run in the background the shell has them ignore Ctrl-C, and so would the process.
HEEDING_CTRL_C = (
    "import runpy, signal; signal.signal(2, signal.default_int_handler); runpy.run_module('agent', {}, '__main__')"
)


class Embeddings:
    """An embedding model that counts the facts it embeds, and answers nothing about facts after `until` of them.

    facts: texts about a fact, each time they came. holding: set when one waits.
    """

    dimension = 8

    def __init__(self) -> None:
        self.url = ""
        self.facts: list[str] = []
        self.until: int | None = None
        self.holding = asyncio.Event()
        self._released = asyncio.Event()

    def release(self) -> None:
        self.until = None
        self._released.set()

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        facts = [text for text in texts_of(body) if text.startswith("Fact")]
        if facts and self.until is not None and len(self.facts) >= self.until:
            self.holding.set()
            await self._released.wait()
            if await request.is_disconnected():  # who waited too long asks again
                return Response()
        self.facts += facts
        return JSONResponse(embeddings_of(body, lambda texts: [self._vector(text) for text in texts]))

    def _vector(self, text: str) -> list[float]:
        return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[: self.dimension]]


@pytest.fixture
async def embeddings() -> AsyncIterator[Embeddings]:
    server = Embeddings()
    async with served(Starlette(routes=[Route("/v1/embeddings", server.answer, methods=["POST"])])) as address:
        server.url = f"{address}/v1"
        yield server
        server.release()


@pytest.fixture
def docs(tmp_path: Path, registry: Path, shop_file: Path) -> Path:
    registry.write_text(f"shop:\n  url: {shop_file.name}\n  docs: [shop.md]\n", encoding="utf-8")
    path = tmp_path / "shop.md"
    write_facts(path, FACTS)
    return path


@pytest.fixture
def environment(embeddings: Embeddings, registry: Path, tmp_path: Path) -> dict[str, str]:
    own = ("PLUMBLINE_", "OPENAI_", "AZURE_", "TEXT2SQL_", "CHROMA_", "FORCE_COLOR", "TTY_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return kept | {
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "100",
        "TERM": "xterm",
        "OPENAI_BASE_URL": embeddings.url,
        "OPENAI_API_KEY": "a-key-for-tests",
        "NO_PROXY": "127.0.0.1",
        "PLUMBLINE_EMBEDDING": "openai",
        "PLUMBLINE_REGISTRY": str(registry),
        "PLUMBLINE_STATE_DIR": str(tmp_path / "state"),
        "PLUMBLINE_CACHE_DIR": str(tmp_path / "cache"),
    }


class Run:
    """A run of `python -m agent index`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.out = self.err = ""

    async def ended(self) -> int:
        try:
            out, err = await asyncio.wait_for(self.process.communicate(), PATIENCE_S)
        finally:
            if self.process.returncode is None:
                self.process.kill()
                await self.process.wait()
        self.out, self.err = out.decode(), self.err + err.decode()
        assert "Traceback" not in self.err
        assert self.process.returncode is not None
        return self.process.returncode

    async def says(self, words: str) -> None:
        """Wait until it has said something on standard error."""
        assert self.process.stderr is not None
        while words not in self.err:
            line = await asyncio.wait_for(self.process.stderr.readline(), PATIENCE_S)
            assert line, f"it ended and said only {self.err!r}"
            self.err += line.decode()


@pytest.fixture
async def start(environment: dict[str, str], tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    runs: list[Run] = []

    async def start(*arguments: str, **variables: str) -> Run:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", HEEDING_CTRL_C, "index", *arguments, cwd=tmp_path, env=environment | variables,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        runs.append(Run(process))
        return runs[-1]

    yield start
    for run in runs:
        if run.process.returncode is None:
            run.process.kill()
            await run.ended()


@pytest.fixture
async def hosted(
    settings: Settings, embeddings: Embeddings, model: ScriptedModel, docs: Path, tmp_path: Path
) -> AsyncIterator[Service]:
    """The service in this process, with the same index and the same embedding model as the runs."""
    key = SecretStr("a-key-for-tests")
    update = {"openai_base_url": embeddings.url, "openai_api_key": key, "embedding": "openai", "reuse_verified": False}
    service = build_service(settings.model_copy(update=update), model=model)
    yield service
    embeddings.release()
    await service.close()


def figures(run: Run) -> str:
    """What it said of the documents."""
    return run.out.splitlines()[0]


# -- progress ----------------------------------------------------------------------------------------------


async def test_without_a_terminal_it_says_how_far_it_is_in_a_few_lines(start: Callable[..., Any], docs: Path) -> None:
    run = await start()
    assert await run.ended() == 0
    assert figures(run) == f"shop: {FACTS} documents added, 0 removed, 0 unchanged."
    told = re.findall(rf"shop: (\d+) of {FACTS} documents indexed", run.err)
    assert 3 <= len(told) <= 10
    assert told[-1] == str(FACTS)
    assert "\x1b" not in run.out + run.err


async def test_in_a_terminal_there_is_a_bar_with_counts_and_the_time_left(
    environment: dict[str, str], tmp_path: Path, docs: Path
) -> None:
    ours, its = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "agent", "index", cwd=tmp_path, env=environment,
        stdin=its, stdout=asyncio.subprocess.PIPE, stderr=its,
    )  # fmt: skip
    os.close(its)
    shown = asyncio.create_task(asyncio.to_thread(read_all, ours))
    assert process.stdout is not None
    await asyncio.wait_for(process.stdout.read(), PATIENCE_S)
    assert await process.wait() == 0
    text = await shown
    os.close(ours)
    assert f"{FACTS}/{FACTS}" in text
    assert re.search(r"\d:\d\d:\d\d", text), "the time left"


def read_all(descriptor: int) -> str:
    """What comes until the other side is closed."""
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # how a terminal says that it is over
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode(errors="replace")


async def test_it_says_what_was_added_removed_and_kept_and_what_could_not_be_used(
    start: Callable[..., Any], docs: Path
) -> None:
    write_facts(docs, 5)
    first = await start()
    assert await first.ended() == 0
    write_facts(docs, 4)
    with docs.open("a", encoding="utf-8") as file:
        file.write("- Fact: a new one\n\n## orders\n\n- `amuont`: in euros\n")
    second = await start("--database", "shop")
    assert await second.ended() == 0
    assert figures(second) == "shop: 1 document added, 1 removed, 4 unchanged."
    assert "! shop.md" in second.err
    assert "'amount'" in second.err


async def test_a_database_that_cannot_be_opened_does_not_stop_the_others(
    start: Callable[..., Any], docs: Path, registry: Path, tmp_path: Path
) -> None:
    write_facts(docs, 3)
    (tmp_path / "broken.sqlite").write_bytes(b"not a database" * 100)
    text = registry.read_text("utf-8")
    registry.write_text(f"broken: broken.sqlite\nmissing: missing.sqlite\n{text}", encoding="utf-8")

    run = await start("--all")

    assert await run.ended() == 1
    assert figures(run) == "shop: 3 documents added, 0 removed, 0 unchanged."
    assert {line.partition(":")[0] for line in run.err.splitlines()} >= {"broken", "missing"}
    assert str(tmp_path) not in run.err


async def test_several_databases_can_be_named(start: Callable[..., Any], docs: Path, tmp_path: Path) -> None:
    write_facts(docs, 3)
    shutil.copy(tmp_path / "shop.sqlite", tmp_path / "other.sqlite")
    run = await start("-d", "shop", "-d", "other.sqlite", "-d", "no/such/file.sqlite")
    assert await run.ended() == 1
    assert figures(run) == "shop: 3 documents added, 0 removed, 0 unchanged."
    assert "other: " in run.out
    assert "check the path" in run.err


# -- interrupted -------------------------------------------------------------------------------------------


async def test_a_run_that_is_killed_is_gone_on_with_and_the_old_index_answers_meanwhile(
    start: Callable[..., Any], docs: Path, embeddings: Embeddings, hosted: Service, model: ScriptedModel, tmp_path: Path
) -> None:
    write_facts(docs, 3)
    assert await (await start()).ended() == 0
    says_revenue(model)
    before = await hosted.query(QUESTION, "shop")
    assert before.warnings == []
    write_facts(docs, FACTS)

    embeddings.until = embeddings_before = 3 + 256
    killed = await start()
    await asyncio.wait_for(embeddings.holding.wait(), PATIENCE_S)
    index = Store(tmp_path / "state" / "index")
    assert len(index.documents("shop")) == 3, "nothing of the new index is seen"
    says_revenue(model)
    answer = await hosted.query(QUESTION, "shop")
    assert answer.answer == before.answer
    # On a slow machine it has seen by now that its docs have changed, says who is at it, and verifies nothing.
    assert answer.verified or answer.warnings
    assert all("another process" in warning.lower() for warning in answer.warnings), answer.warnings
    killed.process.send_signal(signal.SIGKILL)
    await killed.process.wait()
    assert len(index.documents("shop")) == 3
    done = len(embeddings.facts)
    assert done >= embeddings_before
    embeddings.release()

    again = await start()
    assert await again.ended() == 0
    assert figures(again) == (
        f"shop: {FACTS - 3} documents added ({done - 3} of them embedded before), 0 removed, 3 unchanged."
    )
    assert len(index.documents("shop")) == FACTS
    assert len(embeddings.facts) <= FACTS + 256, "at most the batch that was on its way is embedded twice"
    index.close()


async def test_ctrl_c_ends_it_at_once_and_what_was_embedded_is_kept(
    start: Callable[..., Any], docs: Path, embeddings: Embeddings
) -> None:
    run = await start()
    await run.says("documents indexed")
    run.process.send_signal(signal.SIGINT)
    assert await run.ended() in {130, 0}, "0: it was already through"
    assert "stopped" in run.err or len(embeddings.facts) == FACTS
    done = len(embeddings.facts)
    assert done > 0

    again = await start()
    assert await again.ended() == 0
    assert len(embeddings.facts) == FACTS, "nothing is embedded twice"


async def test_the_second_of_two_runs_waits_and_says_so(
    start: Callable[..., Any], docs: Path, embeddings: Embeddings
) -> None:
    embeddings.until = 1
    first = await start()
    await asyncio.wait_for(embeddings.holding.wait(), PATIENCE_S)
    second = await start()
    await second.says("another process is indexing it")
    embeddings.release()
    assert (await first.ended(), await second.ended()) == (0, 0)
    assert figures(second) == f"shop: 0 documents added, 0 removed, {FACTS} unchanged."
    assert len(embeddings.facts) == FACTS


async def test_a_question_during_a_first_indexing_elsewhere_is_answered_with_a_warning(
    start: Callable[..., Any], docs: Path, embeddings: Embeddings, hosted: Service, model: ScriptedModel
) -> None:
    embeddings.until = 1
    run = await start()
    await asyncio.wait_for(embeddings.holding.wait(), PATIENCE_S)
    says_revenue(model)
    answer = await hosted.query(QUESTION, "shop")
    assert answer.results == [{"revenue": 460.5}]
    assert any("Another process is indexing" in warning for warning in answer.warnings)
    embeddings.release()
    assert await run.ended() == 0
    says_revenue(model)
    assert (await hosted.query(QUESTION, "shop")).results == [{"revenue": 460.5}]
    assert len(await hosted.knowledge.documents(await hosted.databases.get("shop", LOCAL))) == FACTS
