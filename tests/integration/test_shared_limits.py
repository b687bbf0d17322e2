"""An endpoint that enforces its token budget: calls take turns, and refused ones get Retry-After."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from api_client import api_client
from http_endpoint import send_json, served
from pydantic import SecretStr

from agent.api.app import create_app
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings
from bench.endpoint import reply_to
from testbed.openai_replies import completion_of

ROOT = Path(__file__).parents[2]
BUDGET, COST, SPAN_S = 1000, 240, 2.0  # tokens in a window, of a call, and the window's seconds
CALLS = 12  # of each process, all at once

CALLER = """
import asyncio
import sys
from pathlib import Path
from agent.platform.config.settings import Settings
from agent.platform.llm.build import build_model, pace_model
from agent.platform.llm.chat import Message
from agent.platform.storage.build import build_store

async def main(url, folder, calls):
    hosted = {"openai_base_url": url, "openai_api_key": "k", "chat_model": "m"}
    settings = Settings(**hosted, state_dir=Path(folder))
    store = build_store(settings)
    model = pace_model(build_model(settings), settings, store)
    asked = [model.complete([Message(role="user", content="How many?")], max_tokens=230) for _ in range(calls)]
    replies = await asyncio.gather(*asked, return_exceptions=True)
    print(sum(not isinstance(reply, Exception) for reply in replies))
    await model.close()
    store.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


USERS = 200
MANY_BUDGET, MANY_COST, HOUR_S = 24_000, 400, 3600.0  # as above, where many ask and no window ends meanwhile
QUERIES = {f"How many orders have an order id below {n}?": f"SELECT COUNT(*) AS n FROM orders WHERE order_id < {n}"
           for n in range(1, USERS + 2)}  # fmt: skip


class Endpoint(ThreadingHTTPServer):
    """Answers while its budget lasts; a window begins with the first call after the one before it has ended.

    Args:
        budget, cost: tokens of a window, and of a call.
        span_s: of a window.
    """

    request_queue_size = USERS

    def __init__(self, budget: int = BUDGET, cost: int = COST, span_s: float = SPAN_S) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.budget, self.cost, self.span_s = budget, cost, span_s
        self.left, self.ends_at = budget, 0.0
        self.answered = self.refused = self.windows = 0

    def count(self) -> tuple[bool, int, float]:
        """Whether a call is answered, what is left after it, and for how long."""
        with self.lock:
            now = time.monotonic()
            if now >= self.ends_at:
                self.left, self.ends_at = self.budget, now + self.span_s
                self.windows += 1
            fits = self.left >= self.cost
            self.left -= self.cost if fits else 0
            self.answered += fits
            self.refused += not fits
            return fits, self.left, self.ends_at - now


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fits, left, reset_s = self.server.count()
        schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
        text = reply_to(body["messages"], schema, QUERIES) if schema or "<data>" in str(body) else "SELECT 1"
        answer: dict[str, Any] = completion_of(body, {"content": text}, self.server.cost - 10, 10)
        data = json.dumps(answer if fits else {"error": {"message": "Too many tokens.", "code": "rate_limit"}}).encode()
        limits = {"limit": self.server.budget, "remaining": left, "reset": f"{reset_s:.3f}s"}
        headers = {f"x-ratelimit-{name}-tokens": str(value) for name, value in limits.items()}
        send_json(self, 200 if fits else 429, headers | {"retry-after": f"{reset_s:.3f}"}, data)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    with served(server):
        yield server


def call(endpoint: Endpoint, folder: Path, calls: int) -> subprocess.Popen[str]:
    """A process that makes so many calls at once, and prints how many were answered."""
    url = f"http://127.0.0.1:{endpoint.server_port}/v1"
    command = [sys.executable, "-c", CALLER, url, str(folder), str(calls)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_two_processes_share_a_token_budget_and_none_of_their_calls_fails(endpoint: Endpoint, tmp_path: Path) -> None:
    with call(endpoint, tmp_path, 1) as first:
        assert first.communicate()[0].strip() == "1", "from here on the limit is known"
    with call(endpoint, tmp_path, CALLS) as one, call(endpoint, tmp_path, CALLS) as other:
        answered = [process.communicate()[0].strip() for process in (one, other)]
    assert answered == [str(CALLS)] * 2
    assert endpoint.windows >= (2 * CALLS + 1) * COST // BUDGET, "the budget was kept to"
    assert endpoint.refused < endpoint.answered


async def test_two_hundred_users_are_answered_while_the_budget_lasts_and_else_told_when_to_come_again(
    settings: Settings,
) -> None:
    endpoint = Endpoint(MANY_BUDGET, MANY_COST, HOUR_S)
    with served(endpoint):
        hosted = {"openai_base_url": f"http://127.0.0.1:{endpoint.server_port}/v1", "openai_api_key": SecretStr("k")}
        limits = {"max_concurrent_questions": USERS, "enable_retrieval": False, "profile": "small_hosted"}
        several = settings.model_copy(update=hosted | limits)
        async with api_client(create_app(lambda: build_service(several))) as client:
            first, *others = ({"question": it, "database": "shop"} for it in QUERIES)
            assert (await client.post("/query", json=first)).status_code == 200, "from here on the limit is known"
            responses = await asyncio.gather(*(client.post("/query", json=body) for body in others))

    statuses = [response.status_code for response in responses]
    assert len(statuses) == USERS
    assert set(statuses) == {200, 503}
    for response in responses:
        if response.status_code == 503:
            assert response.json()["type"].endswith("model-busy")
            assert int(response.headers["Retry-After"]) >= 1
    assert endpoint.refused == 0, "no call was over the budget that all share"
    assert endpoint.left < endpoint.budget / 10, "and all of it was used"
    assert statuses.count(200) >= endpoint.answered // 4, "every draft that was paid for became an answer"
