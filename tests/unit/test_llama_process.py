"""The process of llama.cpp's server, with a package in the place of xllamacpp that loads nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, cast

import pytest

from agent.core.errors import ModelUnavailable
from agent.platform.config.settings import Settings
from agent.platform.llm.embedded import EmbeddedModel
from agent.platform.llm.llama_process import LlamaFailed, LlamaProcess, PackageMissing

OPTIONS = {
    "path": "model.gguf",
    "key": "secret",
    "context": 1024,
    "batch": 8,
    "cache_mib": 1,
    "states": "",
    "threads": 2,
    "verbose": False,
}
PACKAGE = """
import os
from types import SimpleNamespace

class CommonParams(SimpleNamespace):
    def __init__(self):
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

class Server:
    def __init__(self, params):
        {begins}
        words = (params.model.path, *params.api_keys, params.cpuparams.n_threads, os.getpid(), os.getpgid(0))
        self.listening_address = " ".join(map(str, words))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def write(begins: str = "pass", *, source: str = PACKAGE) -> None:
        (tmp_path / "xllamacpp.py").write_text(source.replace("{begins}", begins))
        monkeypatch.syspath_prepend(str(tmp_path))

    return write


def test_options_arrive_and_the_server_ends_with_close(package: Any) -> None:
    package()
    server = LlamaProcess(OPTIONS)
    path, key, threads, pid, group = server.wait_for_address().split()
    assert (path, key, threads) == ("model.gguf", "secret", "2")
    assert group == pid, "Ctrl-C in a terminal does not reach it"
    assert server.is_running
    server.close()
    assert not server.is_running
    server.close()


def test_the_key_is_no_argument_of_the_process(package: Any) -> None:
    package()
    server = LlamaProcess(OPTIONS)
    assert "secret" not in " ".join(map(str, server._process.args))  # type: ignore[arg-type]
    server.close()


def test_a_server_is_closed_while_it_loads(package: Any) -> None:
    package("import threading; threading.Event().wait()")
    server = LlamaProcess(OPTIONS)
    with ThreadPoolExecutor() as pool:
        waits = pool.submit(server.wait_for_address)
        server.close()
        with pytest.raises(LlamaFailed, match=f"status -{signal.SIGKILL}"):
            waits.result()


def test_what_the_library_prints_is_not_the_address(package: Any, capfd: pytest.CaptureFixture[str]) -> None:
    package("print('a stray line', flush=True)")
    server = LlamaProcess(OPTIONS)
    assert server.wait_for_address().startswith("model.gguf ")
    server.close()
    assert capfd.readouterr().err == "a stray line\n"


def test_signals_to_all_processes_of_a_service_leave_it_the_server(package: Any) -> None:
    package()
    server = LlamaProcess(OPTIONS)
    server.wait_for_address()
    for stop in (signal.SIGTERM, signal.SIGINT):
        server._process.send_signal(stop)
    assert server.is_running
    cast("IO[str]", server._process.stdin).close()
    assert server._process.wait() == 0, "it ends with the pipe"
    server.close()


def test_no_interpreter_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(LlamaFailed, match="no process can be started"):
        LlamaProcess(OPTIONS)


@pytest.mark.parametrize(
    "begins, why",
    [
        ("raise RuntimeError('failed to load model')", "failed to load model"),
        ("os._exit(7)", "its process ended with status 7"),
    ],
)
def test_a_server_that_does_not_start_says_why(package: Any, begins: str, why: str) -> None:
    package(begins)
    with pytest.raises(LlamaFailed, match=why):
        LlamaProcess(OPTIONS).wait_for_address()


def test_a_missing_package_says_so(package: Any) -> None:
    package(source="raise ImportError('libgomp.so.1: cannot open shared object file')")
    with pytest.raises(PackageMissing, match=r"libgomp\.so\.1"):
        LlamaProcess(OPTIONS).wait_for_address()


@pytest.mark.parametrize(
    "begins, source, why",
    [
        ("", "raise ImportError('no such package')", r"needs the package xllamacpp.*no such package"),
        ("os._exit(7)", PACKAGE, r"llama\.cpp cannot load model\.gguf \(its process ended with status 7\)"),
    ],
)
async def test_the_model_says_what_to_do(
    package: Any, begins: str, source: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package(begins, source=source)
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(EmbeddedModel, "_find_verified_file", lambda _: file)
    model = EmbeddedModel(Settings(prefix_cache_mb=0))
    with pytest.raises(ModelUnavailable, match=why):
        await model.ready()
    await model.close()


PARENT = """
import sys
from agent.platform.llm.llama_process import LlamaProcess
server = LlamaProcess({options})
print(server.wait_for_address(), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM])
def test_the_server_ends_with_its_parent_however_that_ends(package: Any, stop: signal.Signals, tmp_path: Path) -> None:
    package()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    held, holding = os.pipe()  # the end of the pipe is reached when no process holds its other end any more
    command = [sys.executable, "-c", PARENT.replace("{options}", repr(OPTIONS))]
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=holding, text=True
    ) as parent:
        os.close(holding)
        assert parent.stdout is not None
        assert parent.stdout.readline().startswith("model.gguf secret 2 ")
        parent.send_signal(stop)
        parent.wait()
    with os.fdopen(held) as end:
        assert end.read() == "", "both have ended, and neither said anything"
