"""The process is stopped while it answers: open questions finish or get an error, new ones go elsewhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import problem
from faulty_model import FaultyModel
from faulty_service import ASKED, make_shop
from until import PATIENCE_S, until

from testbed.ports import free_port

ROOT = Path(__file__).parents[2]
Serve = Callable[..., Any]
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0"


class Process:
    """`python -m agent serve`. Args: environment: its settings; log: of its output."""

    def __init__(self, environment: dict[str, str], log: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}/api"
        self._log = log.open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "agent", "serve", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, **environment},
            stdout=self._log,
            stderr=self._log,
        )
        until(lambda: self._status("/health/live") == 200)

    def terminate(self) -> None:
        """SIGTERM, and wait until it has been noticed."""
        self._process.send_signal(signal.SIGTERM)
        until(lambda: self._status("/databases") == 503)

    def signal(self, number: signal.Signals) -> None:
        """Send it, and wait for nothing: where the grace is short, the process may be gone before it is looked at."""
        self._process.send_signal(number)

    def ended(self) -> int:
        """Its exit code, once there is one."""
        code = self._process.wait(PATIENCE_S)
        self._log.close()
        return code

    def workers(self) -> dict[int, float]:
        """Seconds that each process which it started has computed, by their ids."""
        found: list[int] = []
        for children in Path(f"/proc/{self._process.pid}/task").glob("*/children"):
            with suppress(OSError):  # a thread that has ended since it was listed
                found += map(int, children.read_text(encoding="ascii").split())
        return {pid: _computed_s(pid) for pid in found}

    def kill(self) -> None:
        self._process.kill()
        self.ended()

    def _status(self, path: str) -> int:
        assert self._process.poll() is None, "it has ended"
        try:
            return httpx2.get(f"{self.url}{path}", timeout=PATIENCE_S).status_code
        except httpx2.TransportError:
            return 0


def _stat(pid: int) -> list[str]:
    """The state of a process and what follows it, as `proc_pid_stat(5)` has it; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return []


def _computed_s(pid: int) -> float:
    stat = _stat(pid)
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK") if stat else 0.0


def _is_there(pid: int) -> bool:
    """Whether a process is, and is no corpse that nobody has buried."""
    return _stat(pid)[:1] not in ([], ["Z"])


@pytest.fixture
def model() -> Iterator[FaultyModel]:
    with FaultyModel().running() as server:
        yield server


@pytest.fixture
def serve(model: FaultyModel, tmp_path: Path) -> Iterator[Serve]:
    """Starts the service with some settings; it is ended with the test."""
    environment = {
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_BASE_URL": model.url,
        "PLUMBLINE_PROFILE": "small_hosted",
        "PLUMBLINE_EMBEDDING": "openai",
        "PLUMBLINE_REGISTRY": str(make_shop(tmp_path)),
        "PLUMBLINE_STATE_DIR": str(tmp_path / "state"),
    }
    begun: list[Process] = []

    def serve(**changes: str) -> Process:
        begun.append(Process(environment | changes, tmp_path / "log"))
        return begun[-1]

    yield serve
    model.release()
    for process in begun:
        process.kill()


def post(process: Process, path: str, body: object) -> httpx2.Response:
    return httpx2.post(f"{process.url}{path}", json=body, timeout=PATIENCE_S)


def last_event(response: httpx2.Response) -> dict[str, Any]:
    """What a stream said at last."""
    data = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: ")]
    told: dict[str, Any] = json.loads(data[-1])
    return told


def asked_twice(process: Process, threads: ThreadPoolExecutor) -> list[Future[httpx2.Response]]:
    return [threads.submit(post, process, path, ASKED) for path in ("/query", "/query/stream")]


def test_what_is_being_answered_is_finished_and_what_comes_is_sent_elsewhere(serve: Serve, model: FaultyModel) -> None:
    process = serve()
    model.holds("generator")
    with ThreadPoolExecutor(2) as threads:
        queried, streamed = asked_twice(process, threads)
        until(lambda: model.asked.count("generator") == 2)
        process.terminate()

        refused = post(process, "/query", ASKED)
        body = problem(refused, 503, "shutting-down")
        assert "being stopped" in body["detail"]
        assert (int(refused.headers["retry-after"]) > 0, refused.headers["connection"]) == (True, "close")
        assert httpx2.get(f"{process.url}/health/live").status_code == 200, "it is not to be killed for it"

        model.release()
        answer = queried.result().json()
        assert (answer["status"], answer["verified"], answer["results"]) == ("success", True, [{"orders": 5}])
        done = last_event(streamed.result())
        assert (done["event"], done["data"]["results"]) == ("done", [{"orders": 5}])
    assert process.ended() == -signal.SIGTERM


def test_what_is_not_done_within_the_grace_is_told(serve: Serve, model: FaultyModel) -> None:
    process = serve(PLUMBLINE_SHUTDOWN_GRACE_S="1")
    model.fails("generator", "silence")
    with ThreadPoolExecutor(2) as threads:
        queried, streamed = asked_twice(process, threads)
        until(lambda: model.asked.count("generator") == 2)
        process.signal(signal.SIGTERM)

        problem(queried.result(), 503, "shutting-down")
        told = last_event(streamed.result())
        assert (told["event"], told["data"]["type"]) == ("error", "urn:plumbline:problem:shutting-down")
        assert model.left.wait(PATIENCE_S), "the model's calls are cancelled"
    assert process.ended() == -signal.SIGTERM


def test_what_has_no_deadline_of_its_own_is_told_as_well(serve: Serve, model: FaultyModel) -> None:
    process = serve(PLUMBLINE_SHUTDOWN_GRACE_S="0", PLUMBLINE_MODEL_TIMEOUT_S="10", PLUMBLINE_MODEL_RETRIES="0")
    post(process, "/query", ASKED).raise_for_status()  # the docs are indexed with it
    model.fails("embedding", "silence")
    with ThreadPoolExecutor(1) as threads:
        searched = threads.submit(post, process, "/rag/search", {"database": "shop", "query": "what is a row?"})
        assert model.arrived.wait(PATIENCE_S)
        process.signal(signal.SIGTERM)
        problem(searched.result(), 503, "shutting-down")
    assert process.ended() == -signal.SIGTERM


def test_a_second_signal_ends_the_grace(serve: Serve, model: FaultyModel) -> None:
    process = serve(PLUMBLINE_SHUTDOWN_GRACE_S="1000")
    model.fails("generator", "silence")
    with ThreadPoolExecutor(1) as threads:
        queried = threads.submit(post, process, "/query", ASKED)
        assert model.arrived.wait(PATIENCE_S)
        process.terminate()
        process.signal(signal.SIGTERM)
        problem(queried.result(), 503, "shutting-down")
    assert process.ended() == -signal.SIGTERM


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells whose child a process is")
@pytest.mark.parametrize("held", [False, True], ids=["computing", "held"])
def test_a_query_that_does_not_end_holds_nobody_up_and_its_process_ends_too(serve: Serve, held: bool) -> None:
    """Four such queries kept the service from ending, and whatever computed would have been left behind."""
    process = serve(PLUMBLINE_SHUTDOWN_GRACE_S="0", PLUMBLINE_QUERY_TIMEOUT_S="300")
    post(process, "/execute", {"database": "shop", "sql": "SELECT 1"}).raise_for_status()
    before = process.workers()
    assert before, "the database and the guard have processes of their own"
    with ThreadPoolExecutor(1) as threads:
        queried = threads.submit(post, process, "/execute", {"database": "shop", "sql": ENDLESS})
        # The guard may compute for half a second only.
        until(lambda: any(spent > before.get(pid, 0.0) + 1 for pid, spent in process.workers().items()))
        workers = process.workers()
        for pid in workers if held else ():
            with suppress(ProcessLookupError):  # one of the guard's may end meanwhile
                os.kill(pid, signal.SIGSTOP)
        process.signal(signal.SIGTERM)
        problem(queried.result(), 503, "shutting-down")
    assert process.ended() == -signal.SIGTERM
    until(lambda: not any(_is_there(pid) for pid in workers))


def test_a_setting_with_a_typo_is_told_before_anything_is_served(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "agent", "serve"],
        cwd=ROOT,
        env={**os.environ, "PLUMBLINE_QUEUE_LENGTH": "many", "PLUMBLINE_REGISTRY": str(make_shop(tmp_path))},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ran.returncode != 0
    assert "PLUMBLINE_QUEUE_LENGTH" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
