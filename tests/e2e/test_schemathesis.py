"""Schemathesis asks the running service whatever its OpenAPI description allows, and much that it does not.

No answer is a server error, and none is outside the contract: not its status, its type, its headers, nor its body, be
it JSON, the events of a stream, or a file of rows. A failure ends with the `curl` that shows it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import duckdb
import httpx2
import pytest
from door import ANN, KEYS
from live_service import running
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.api.app import api_routes, create_app
from agent.databases.knowledge import build
from agent.pipeline.service import build_service
from agent.platform.access.policy import build_access
from agent.platform.config.settings import Settings
from testbed.embedder import HashingEmbedder
from testbed.tireless_model import TirelessModel

HERE = Path(__file__).parent
HIDDEN = {"openapi", "docs", "page", "page_asset"}  # for people: the contract does not have them
NUMBERS = """
CREATE TABLE numbers AS
SELECT range AS n, range * 1.5 AS half, DATE '2024-01-01' + CAST(range AS INTEGER) AS day, 'label ' || range AS label
FROM range(30)
"""
REGISTRY = """
shop: {url: shop.sqlite, docs: [shop.md]}
numbers: numbers.duckdb
"""
DOCS = """# Shop

## orders

One row for each order.

- status: C completed, X cancelled
"""
FILES = ("text/csv", "application/vnd.apache.parquet", "application/vnd.apache.arrow.stream")


class Seen:
    """ASGI middleware that counts answers: by operation and status, and by media type where it went well."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.statuses: Counter[tuple[str, int]] = Counter()
        self.media_types: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                name = getattr(scope.get("route"), "operation_id", None) or ""
                self.statuses[name, message["status"]] += 1
                if message["status"] == 200:
                    self.media_types[dict(message["headers"])[b"content-type"].decode().partition(";")[0]] += 1
            await send(message)

        await self.app(scope, receive, counted)

    @property
    def served(self) -> set[str]:
        """The operations that did what they were asked for."""
        return {name for name, status in self.statuses if status < 300} - {""}


Live = Callable[..., AbstractContextManager[tuple[str, Seen]]]


@pytest.fixture
def live(tmp_path: Path, shop_file: Path, registry: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Live:
    """Makes a service over a shop with docs and a DuckDB of numbers, behind a door that the settings describe."""
    monkeypatch.setattr(build, "build_embedder", lambda _: HashingEmbedder())
    with duckdb.connect(tmp_path / "numbers.duckdb") as connection:
        connection.execute(NUMBERS)
    (tmp_path / "shop.md").write_text(DOCS, encoding="utf-8")
    registry.write_text(REGISTRY, encoding="utf-8")

    @contextmanager
    def live(**changes: object) -> Iterator[tuple[str, Seen]]:
        known = Settings.model_validate(settings.model_dump(exclude_unset=True) | changes)
        app = create_app(
            lambda: build_service(known, model=TirelessModel()), access=build_access(known, environment={})
        )
        seen = Seen(app)
        with running(seen) as address:
            yield address, seen

    return live


def schemathesis(address: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs it to its end. Args: folder: where it may leave its files."""
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml")),
        *("run", f"{address}/api/openapi.json", "--no-color", *options),
    ]
    environment = os.environ | {"PYTHONPATH": str(HERE), "KEY_OF_ANN": ANN}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def share(address: str) -> None:
    """Read a stored answer, share it, open the link and take it back: random steps seldom find these in a row."""
    with httpx2.Client(base_url=f"{address}/api", timeout=60) as api:
        session = api.post("/sessions", json={"database": "shop"}).json()["session_id"]
        asked = {"question": "How many orders are there?", "database": "shop", "session_id": session}
        answer = api.post("/query", json=asked).json()
        path = f"/sessions/{session}/answers/{answer['answer_id']}/share"
        assert api.get(path.removesuffix("/share")).json()["answer"] == answer["answer"]
        link = api.put(path).json()["id"]
        shared = api.get(f"/shared/{link}").json()
        assert shared["answer"]["answer"] == answer["answer"]
        assert api.delete(path).status_code == 204


def resume(address: str) -> None:
    """Ask for a resumable stream, resume it and cancel its question: random steps do not know its id."""
    with httpx2.Client(base_url=f"{address}/api", timeout=60) as api:
        asked = {"question": "How many orders are there?", "database": "shop"}
        stream = api.post("/query/stream?resumable=true", json=asked)
        (answer_id, *_) = re.findall('"answer_id": ?"([0-9a-f-]+)"', stream.text)
        path = f"/query/stream/{answer_id}"
        assert api.get(path).status_code == 200
        assert api.delete(path).status_code == 204


def pin(address: str) -> None:
    """Make a saved query a tile of the dashboard and take it off: random steps seldom find its id in time."""
    with httpx2.Client(base_url=f"{address}/api", timeout=60) as api:
        query = {"name": "orders", "database": "shop", "sql": "SELECT COUNT(*) AS n FROM orders"}
        path = f"/dashboard/{api.post('/saved', json=query).json()['id']}"
        assert api.put(path, json={"minutes": 60}).status_code == 200
        assert api.delete(path).status_code == 204


def test_every_answer_of_the_running_service_is_within_its_contract(live: Live, tmp_path: Path) -> None:
    with live() as (address, seen):
        share(address)
        pin(address)
        resume(address)
        done = schemathesis(address, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert seen.served >= {route.name for route in api_routes()} - HIDDEN, "each route was reached behind its checks"
    assert {*FILES, "text/event-stream", "application/json"} <= set(seen.media_types)
    assert {status for _, status in seen.statuses} >= {200, 201, 204, 404, 405, 406, 409, 422}


def test_behind_api_keys_no_closed_route_answers_without_one(live: Live, tmp_path: Path) -> None:
    with live(auth="api_keys", api_keys=KEYS) as (address, seen):
        done = schemathesis(address, tmp_path, "--phases", "examples,fuzzing", "-n", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    closed = {route.name for route in api_routes() if route.auth != "ANONYMOUS"}
    assert len(seen.served & closed) > len(closed) / 2, "the key opens them"
    assert sum(count for (_, status), count in seen.statuses.items() if status == 401) >= len(closed)
