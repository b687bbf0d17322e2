"""The environment of a load test: the sample shop in four engines, a slow model, and the service, each in a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

import httpx2
import psutil
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

from bench.load_service import ANSWER
from samples.load_shop import load_shop
from samples.make_shop import HERE
from testbed.ports import free_port
from testbed.postgres import PostgresServer

ROOT = Path(__file__).resolve().parents[1]
DATABASES = ("shop", "shop_sqlite", "shop_csv", "shop_postgres")
_START_S = 120
_CONNECTIONS = "SELECT state, count(*) FROM pg_stat_activity WHERE application_name = 'plumbline' GROUP BY state"


@dataclass(frozen=True)
class Held:
    """The resources that the service's process holds.

    rss: bytes of memory. cpu_s: seconds of processor since it began. files: what its file descriptors are, without
        numbers. threads, tasks: their names.
    connections, busy: to PostgreSQL, and those among them that are in a query or a transaction.
    calls: to the model, that are open.
    """

    rss: int
    cpu_s: float
    files: tuple[str, ...]
    threads: tuple[str, ...]
    tasks: tuple[str, ...]
    connections: int
    busy: int
    calls: int


class World:
    """The running service, and how to look into it from outside.

    Args:
        url: of the API.
        model: the model's address.
        service: its process, with pipes, and the file of its log.
        server: PostgreSQL.
    """

    def __init__(self, url: str, model: str, service: subprocess.Popen[str], log: Path, server: PostgresServer) -> None:
        self.url, self._model, self._service, self._log, self._server = url, model, service, log, server
        self.process = psutil.Process(service.pid)

    def held(self) -> Held:
        """The resources that it holds now."""
        stdin: IO[str] = self._service.stdin  # type: ignore[assignment]  # a pipe, as it was started
        stdin.write("count\n")
        stdin.flush()
        counts = json.loads(_line_of(self._service.stdout, ANSWER))
        with self._server.admin() as admin:
            states = {state: int(str(count)) for state, count in admin.rows(_CONNECTIONS)}
        return Held(
            rss=self.process.memory_info().rss,
            cpu_s=self.process.cpu_times().user + self.process.cpu_times().system,
            files=self._files(),
            threads=tuple(counts["threads"]),
            tasks=tuple(counts["tasks"]),
            connections=sum(states.values()),
            busy=sum(count for state, count in states.items() if state != "idle"),
            calls=self.calls()["open"],
        )

    def log(self) -> str:
        """The service's log."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _files(self) -> tuple[str, ...]:
        """Files by name, connections by peer; all others by number."""
        ports = {int(urlsplit(self.url).port or 0): "a caller", int(urlsplit(self._model).port or 0): "the model"}
        ports[self._server.port] = "PostgreSQL"
        known = [file.path for file in self.process.open_files()]
        for one in self.process.net_connections():
            ends = [ports[end.port] for end in (one.laddr, one.raddr) if end and end.port in ports]
            known.append(f"connection of {ends[0]}" if ends else "another connection")
        return (*sorted(known), *["?"] * (self.process.num_fds() - len(known)))

    def calls(self) -> dict[str, int]:
        """What the model was asked: `made`, `left`, `open` and `refused`."""
        found: dict[str, int] = httpx2.get(f"{self._model}/calls").raise_for_status().json()
        return found


@contextmanager
def running(*, delay_s: float, tokens_a_minute: int = 0, **settings: object) -> Iterator[World]:
    """The service, while the block runs.

    Args:
        delay_s: of a call to the model.
        tokens_a_minute: that the model answers; 0: without limit.
        settings: of the service, by the names of their fields.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="plumbline-load-")))
        server = stack.enter_context(PostgresServer())
        with server.admin() as admin:
            admin("CREATE DATABASE shop")
        load_shop(server.url("shop"))
        model = stack.enter_context(_process("bench.load_model", str(delay_s), str(tokens_a_minute)))
        address = _line_of(model.stdout, "http://", whole=True)
        port = free_port()
        chosen = _settings(folder, server, address) | settings
        environment = {f"PLUMBLINE_{name.upper()}": str(value) for name, value in chosen.items()}
        service = stack.enter_context(
            _process("bench.load_service", "--port", str(port), environment=environment, log=folder / "log")
        )
        world = World(f"http://127.0.0.1:{port}/api", address, service, folder / "log", server)
        _wait_until_alive(world.url)
        yield world


def _settings(folder: Path, server: PostgresServer, model: str) -> dict[str, object]:
    databases = {
        "shop": str(HERE / "shop.duckdb"),
        "shop_sqlite": str(HERE / "shop.sqlite"),
        "shop_csv": str(HERE / "shop"),
        "shop_postgres": server.url("shop"),
    }
    registry = {name: {"url": url, "docs": [str(HERE / "docs")]} for name, url in databases.items()}
    (folder / "databases.yaml").write_text(json.dumps(registry), encoding="utf-8")
    return {
        "registry": folder / "databases.yaml",
        "state_dir": folder / "state",
        "cache_dir": folder / "cache",
        "openai_base_url": f"{model}/v1",
        "openai_api_key": "none",
        "profile": "small_hosted",
        "embedding": "openai",
    }


@contextmanager
def _process(
    module: str, *arguments: str, environment: dict[str, str] | None = None, log: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A module in a separate process, with pipes; it ends after the block."""
    with ExitStack() as stack:
        errors: IO[bytes] | int = stack.enter_context(log.open("wb")) if log else subprocess.DEVNULL
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=ROOT,
                env=os.environ | (environment or {}),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        )
        try:
            yield process
        finally:
            process.terminate()


def _line_of(stream: IO[str] | None, start: str, *, whole: bool = False) -> str:
    """The next line that begins so, without its beginning. Raises RuntimeError where the process has ended."""
    for line in stream or ():
        if line.startswith(start):
            return line.strip() if whole else line.removeprefix(start)
    raise RuntimeError("the process has ended before it said what it was asked for")


@retry(retry=retry_if_exception_type(httpx2.TransportError), wait=wait_fixed(0.1), stop=stop_after_delay(_START_S))
def _wait_until_alive(url: str) -> None:
    httpx2.get(f"{url}/health/live").raise_for_status()
