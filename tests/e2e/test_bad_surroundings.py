"""Machines that lack a port, a folder, disk space or a Python. One sentence, an exit code, no trace."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from testbed.ports import free_port

ROOT = Path(__file__).parents[2]
OWN = ("PLUMBLINE_", "OPENAI_", "AZURE_", "TEXT2SQL_", "FORCE_COLOR", "TTY_", "HF_", "PIP_")
PATIENCE = 120  # seconds until a test that waits in vain fails
FETCHING = "Fetching the embedded model Qwen2.5-Coder-0.5B"


@dataclass(frozen=True)
class Ended:
    """How a command ended. said: its output, without a terminal's line breaks."""

    code: int
    said: str


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs one command without a hosted model, an embedded model or a network."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "orders.csv").write_text("order_id,amount\n1,400.5\n2,60\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    environment = kept | {
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "200",
        "HF_HUB_OFFLINE": "1",
        "PIP_NO_INDEX": "1",
        "NO_PROXY": "127.0.0.1",
        "PLUMBLINE_EMBEDDED_MODEL": "0.5b",
        "PLUMBLINE_STATE_DIR": str(tmp_path / "state"),
        "PLUMBLINE_CACHE_DIR": str(tmp_path / "cache"),
    }

    def run(*command: str, **variables: str) -> Ended:
        done = subprocess.run(
            command,
            env=environment | variables,
            cwd=tmp_path,
            timeout=PATIENCE,
            capture_output=True,
            text=True,
            check=False,
        )
        return Ended(done.returncode, " ".join((done.stdout + done.stderr).split()))

    return run


def plumbline(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "agent", *arguments)


@pytest.fixture
def port() -> int:
    return free_port()


def assert_told(ended: Ended, *parts: str, code: int = 1) -> None:
    assert ended.code == code, ended.said
    for part in parts:
        assert part in ended.said
    assert "Traceback" not in ended.said


def test_a_used_port(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        ended = run(*plumbline("serve", "./folder", "--port", str(number)))
    assert_told(ended, f"Port {number} is in use. Name another one with --port")
    assert FETCHING not in ended.said, "nothing is fetched for a service that cannot begin"


def test_a_port_out_of_range(run: Run) -> None:
    for command in (("serve", "./folder"), ("mcp", "--http")):
        ended = run(*plumbline(*command, "--port", "70000"))
        assert_told(ended, "There is no port 70000. Name one from 1 to 65535 with --port.")
    assert_told(run(*plumbline("serve", "./folder"), PLUMBLINE_PORT="70000"), "PLUMBLINE_PORT", "65535")


@pytest.mark.parametrize("command", ["serve", "ask"])
def test_no_permission_for_the_cache_folder(run: Run, port: int, command: str) -> None:
    # The kernel lets nobody make a folder there, not even root.
    arguments = {"serve": ("serve", "./folder", "--port", str(port)), "ask": ("ask", "./folder", "How many orders?")}
    ended = run(*plumbline(*arguments[command]), PLUMBLINE_CACHE_DIR="/sys/plumbline")
    assert_told(ended, FETCHING, "cannot be written to its cache folder:", "Set PLUMBLINE_CACHE_DIR to another folder")
    assert "Free some space" not in ended.said


def test_serve_fetches_the_model_that_is_missing_and_says_why_it_cannot_be_had(run: Run, port: int) -> None:
    ended = run(*plumbline("serve", "./folder", "--port", str(port)))
    assert_told(ended, FETCHING, "The embedded model's file could not be fetched.")
    assert "Plumbline on http" not in ended.said


def test_serve_of_a_registry_fetches_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "databases.yaml").write_text("orders: folder/none.csv\n", encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        ended = run(*plumbline("serve", "--port", str(number)))
    assert FETCHING not in ended.said


class _Zeros(BaseHTTPRequestHandler):
    """A hub that serves an endless file."""

    def do_GET(self) -> None:
        begun = int(self.headers.get("range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        size = 2_000_000_000
        self.send_response(206 if begun else 200)
        self.send_header("content-length", str(size - begun))
        self.send_header("content-range", f"bytes {begun}-{size - 1}/{size}")
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(1_000_000))
        except OSError:  # its reader has hung up
            self.close_connection = True

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def hub() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Zeros) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs util-linux")
def test_a_disk_that_fills_while_the_model_is_fetched(run: Run, port: int, hub: str, tmp_path: Path) -> None:
    limited = ("prlimit", "--fsize=20000000", "--")  # no file grows beyond, as on a disk that is full
    ended = run(*limited, *plumbline("serve", "./folder", "--port", str(port)), HF_HUB_OFFLINE="0", HF_ENDPOINT=hub)
    assert_told(ended, FETCHING, "cannot be written to its cache folder: File too large. Free some space")
    assert "it continues where it stopped" in ended.said
    (part,) = (tmp_path / "cache").glob("*.parts/hub.part")
    assert part.stat().st_size == 20_000_000


def test_an_old_python(run: Run, tmp_path: Path) -> None:
    """By make, which asks the Python that it is to use; `python -m agent` is in tests/unit/test_command_line.py."""
    old = tmp_path / "python3.10"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")  # as the question for its version ends there
    old.chmod(0o755)
    ended = run("make", "-C", str(ROOT), f"PYTHON={old}", f"VENV={tmp_path}/venv", f"{tmp_path}/venv/.created")
    assert_told(ended, "Plumbline needs Python 3.11 or newer. Name one: make PYTHON=python3.12", code=2)
