"""Two processes and an endpoint that enforces its token budget: all calls are answered, in turns."""

from __future__ import annotations

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
from http_endpoint import send_json, served

from testbed.openai_replies import completion_of

ROOT = Path(__file__).parents[2]
BUDGET, COST, SPAN_S = 1000, 240, 2.0  # tokens in a window, of a call, and the window's seconds
CALLS = 12  # of each process, all at once

CALLER = """
import asyncio
import sys
from pathlib import Path
from agent.config.settings import Settings
from agent.llm.build import build_model
from agent.llm.chat import Message
from agent.llm.wrappers.paced import paced
from agent.storage.build import build_store

async def main(url, folder, calls):
    hosted = {"openai_base_url": url, "openai_api_key": "k", "chat_model": "m"}
    settings = Settings(**hosted, state_dir=Path(folder))
    store = build_store(settings)
    model = paced(build_model(settings), settings, store)
    asked = [model.complete([Message(role="user", content="How many?")], max_tokens=230) for _ in range(calls)]
    replies = await asyncio.gather(*asked, return_exceptions=True)
    print(sum(not isinstance(reply, Exception) for reply in replies))
    await model.close()
    store.close()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


class Endpoint(ThreadingHTTPServer):
    """Answers while its budget lasts; a window begins with the first call after the one before it has ended."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.left, self.ends_at = BUDGET, 0.0
        self.answered = self.refused = self.windows = 0

    def count(self) -> tuple[bool, int, float]:
        """Whether a call is answered, what is left after it, and for how long."""
        with self.lock:
            now = time.monotonic()
            if now >= self.ends_at:
                self.left, self.ends_at = BUDGET, now + SPAN_S
                self.windows += 1
            fits = self.left >= COST
            self.left -= COST if fits else 0
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
        answer: dict[str, Any] = completion_of(body, {"content": "SELECT 1"}, COST - 10, 10)
        data = json.dumps(answer if fits else {"error": {"message": "Too many tokens.", "code": "rate_limit"}}).encode()
        limits = {"limit": BUDGET, "remaining": left, "reset": f"{reset_s:.3f}s"}
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
