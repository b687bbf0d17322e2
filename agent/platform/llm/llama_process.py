"""llama.cpp's own server in a process of its own.

xllamacpp keeps the interpreter's lock while it loads a model, and an error inside llama.cpp ends its process. Neither
concerns the service if the server runs in a child. The child runs this file as a script, so that it imports nothing
else of Plumbline.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any, cast

_QUIET, _VERBOSE = -1, 3
_EXIT_S = 10.0  # for a process that has nothing left to do


class LlamaFailed(Exception):
    """The server did not start; the message says why."""


class PackageMissing(LlamaFailed):
    """xllamacpp cannot be imported; the message says why."""


class LlamaProcess:
    """A running server. It ends with `close`, or with this process, however that ends.

    address: its URL on the loopback interface.
    """

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self._process, self.address = process, address

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """Stop the server, in the middle of a reply as well. Safe to repeat."""
        _stop(self._process)


def start(options: Mapping[str, Any]) -> LlamaProcess:
    """Start a server and wait until it answers. Blocks for about a second.

    Args:
        options: of llama.cpp, as `_serve` reads them. They go through a pipe: arguments of a process can be read by all
            users of the machine, and the key is among them.

    Raises LlamaFailed.
    """
    # Threads that spin while they wait for each other stall for seconds where the cores are shared.
    environment = {"OMP_WAIT_POLICY": "passive", **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(  # noqa: S603  this file, by this interpreter
        [sys.executable, "-P", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,  # Ctrl-C in a terminal is for the parent, which stops the server
    )
    to_child, from_child = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
    try:
        to_child.write(f"{json.dumps(options)}\n")
        to_child.flush()
        said = json.loads(from_child.readline() or "{}")
    except (OSError, ValueError):
        said = {}
    if "address" in said:
        return LlamaProcess(process, said["address"])
    _stop(process)
    if "missing" in said:
        raise PackageMissing(said["missing"])
    raise LlamaFailed(said.get("error") or f"its process ended with status {process.returncode}")


def _stop(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # of a process that has ended
                pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_EXIT_S)
        return
    process.kill()
    process.wait()


def _serve() -> None:
    """Serve until the parent closes the pipe: the child's part."""
    options = json.loads(sys.stdin.readline())
    try:
        server = _start_server(options)
        said = {"address": server.listening_address}
    except ImportError as error:
        said = {"missing": str(error)}
    except RuntimeError as error:
        said = {"error": str(error)}
    with suppress(BrokenPipeError):  # the parent has ended meanwhile
        print(json.dumps(said), flush=True)
    sys.stdin.read()
    os._exit(0)  # at once: the server would first finish what it writes


def _start_server(options: Mapping[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options["path"]
    params.api_keys = [options["key"]]
    params.port = 0
    params.ui = False
    params.n_ctx = options["context"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = options["batch"]
    params.cache_ram_mib = options["cache_mib"]
    if options["states"]:
        params.slot_save_path = options["states"]
    params.verbosity = _VERBOSE if options["verbose"] else _QUIET
    params.warmup = False
    params.fit_params = False
    params.no_extra_bufts = True  # use the file's pages as they are: half the load, prompts read a little faster
    if options["threads"]:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options["threads"]
    return xllamacpp.Server(params)


if __name__ == "__main__":
    _serve()
