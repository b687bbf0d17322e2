"""The sides that `bench.answer` compares: the service of a checkout, and one plain call of the same model."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from testbed.service_process import ROOT, ServiceProcess, clean_environment

PATIENCE_S = 600.0  # for one event


class Timed(NamedTuple):
    """The times of one question, in seconds since it was asked; None if a step did not happen.

    first: until the first event; query: until a query is written; rows: until its rows are there; answer: until all is.
    usage: model calls and tokens, as the response has them.
    """

    first: float | None
    query: float | None
    rows: float | None
    answer: float
    usage: Mapping[str, int]
    sql: str | None
    status: str
    verified: bool = False


class Failed(Exception):
    """A question got no response; the message says why."""


class Checkout:
    """The service of one working tree, with its own state.

    Args:
        folder: the working tree.
        environment: the settings that all sides share.
        place: for its state and its log, named as the side is.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], place: Path) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self._folder, self._log = folder, place / "log"
        own = {"PYTHONPATH": str(folder), "PLUMBLINE_STATE_DIR": str(place / "state")}
        if "OPENAI_API_KEY" in environment:
            own["OPENAI_API_KEY"] = place.name  # an endpoint's cache is per key
        self._environment = {**environment, **own}
        self._warm: ServiceProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._warm is not None:
            self._warm.stop()

    def index(self, name: str) -> None:
        """Have a database indexed, as its operator does. Raises CalledProcessError."""
        self._command("index", "--database", name)

    def by_command(self, question: str, database: str) -> Timed:
        """Ask on the command line: one process for one question, of which the end is seen alone."""
        began = time.perf_counter()
        record = self._command("ask", question, "--database", database, "--json", expected=(0, 1, 2))
        try:
            response = json.loads(record)
        except json.JSONDecodeError as error:
            raise Failed(f"ask printed no response: {record[:300]!r}") from error
        return _timed(response, {}, time.perf_counter() - began)

    def cold(self, question: str, database: str) -> Timed:
        """Start the service, and ask it at once; the seconds count from its start."""
        began = time.perf_counter()
        with self._process() as process:
            return self._ask(process, question, database, began)

    def warm(self, question: str, database: str) -> Timed:
        """Ask the service that runs; it is started, and waited for, before the first question."""
        if self._warm is None:
            self._warm = self._process()
            self._warm.start()
            _get(self._warm.port, "/api/health/ready")
        return self._ask(self._warm, question, database, time.perf_counter())

    def _process(self) -> ServiceProcess:
        return ServiceProcess(self._environment, self._log, folder=self._folder)

    def _ask(self, process: ServiceProcess, question: str, database: str, began: float) -> Timed:
        body = {"question": question, "database": database, "options": {"reuse_verified": False}}
        seen: dict[str, float] = {}
        with closing(HTTPConnection("127.0.0.1", process.port, timeout=PATIENCE_S)) as connection:
            headers = {"content-type": "application/json", "accept": "text/event-stream"}
            connection.request("POST", "/api/query/stream", json.dumps(body), headers)
            response = connection.getresponse()
            if response.status != 200:
                raise Failed(f"{response.status}: {response.read()[:300]!r}")
            while line := response.readline():
                if not line.startswith(b"data:"):
                    continue
                passed = time.perf_counter() - began
                event = json.loads(line.removeprefix(b"data:"))
                seen.setdefault("first", passed)
                seen.setdefault(event.get("node") or event["event"], passed)
                if event["event"] == "done":
                    return _timed(event["data"], seen, passed)
                if event["event"] == "error":
                    raise Failed(str(event["data"].get("detail")))
        raise Failed("The stream ended without a response.")

    def _command(self, *words: str, expected: tuple[int, ...] = (0,)) -> str:
        environment = clean_environment() | self._environment
        command = [sys.executable, "-m", "agent", *words]
        with self._log.open("ab") as log:
            done = subprocess.run(
                command, cwd=self._folder, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, check=False
            )
        if done.returncode not in expected:
            raise Failed(f"`{words[0]}` ended with {done.returncode}: {done.stdout[-500:]}; see {self._log}")
        return done.stdout


class PlainCall:
    """One call of the same model. Args: as `Checkout`, of which it uses no service."""

    def __init__(self, environment: Mapping[str, str], place: Path) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self._log = place / "log"
        self._environment = {**environment, "PLUMBLINE_STATE_DIR": str(place / "state")}
        self._warm: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._warm is not None:
            _end(self._warm)

    def cold(self, question: str, database: str) -> Timed:
        """Ask a new process; the seconds count from its start."""
        began = time.perf_counter()
        process = self._process()
        try:
            return self._ask(process, question, database, began)
        finally:
            _end(process)

    by_command = cold

    def warm(self, question: str, database: str) -> Timed:
        """Ask the process that runs; it is started, and its model loaded, before the first question."""
        if self._warm is None:
            self._warm = self._process()
            self._exchanged(self._warm, {})
        return self._ask(self._warm, question, database, time.perf_counter())

    def _process(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "bench.answer_plain"]
        environment = clean_environment() | self._environment
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )

    def _ask(self, process: subprocess.Popen[str], question: str, database: str, began: float) -> Timed:
        record = self._exchanged(process, {"question": question, "database": database})
        passed = time.perf_counter() - began
        query = passed - record["rows_s"] + record["query_s"]
        return Timed(None, query, passed, passed, record["usage"], record["sql"], record["status"])

    def _exchanged(self, process: subprocess.Popen[str], line: Mapping[str, str]) -> dict[str, Any]:
        """The process's reply to a line. Raises Failed: it has ended."""
        assert process.stdin is not None  # noqa: S101  both are pipes
        assert process.stdout is not None  # noqa: S101
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        reply = process.stdout.readline()
        if not reply:
            raise Failed(f"The plain call ended: {self._log.read_text(encoding='utf-8', errors='replace')[-500:]}")
        record: dict[str, Any] = json.loads(reply)
        return record


Side = Checkout | PlainCall


def _end(process: subprocess.Popen[str]) -> None:
    """Have it end: no further line comes."""
    process.communicate(timeout=60)


def _get(port: int, path: str) -> None:
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as connection:
        connection.request("GET", path)
        connection.getresponse().read()


def _timed(response: Mapping[str, Any], seen: Mapping[str, float], passed: float) -> Timed:
    used = response["usage"]
    names = ("model_calls", "prompt_tokens", "cached_tokens", "completion_tokens")
    return Timed(
        first=seen.get("first"),
        query=seen.get("sql_generator"),
        rows=seen.get("sql_executor"),
        answer=passed,
        usage={name: used.get(name, 0) for name in names},
        sql=response["sql"],
        status=response["status"],
        verified=response["verified"],
    )
