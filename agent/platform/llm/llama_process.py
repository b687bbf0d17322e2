"""llama.cpp's server in a separate process: xllamacpp holds the interpreter's lock, and its errors end the process.

The child runs this file as a script, so that it imports nothing else of Plumbline.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any, cast

_QUIET, _VERBOSE = -1, 3


class LlamaFailed(Exception):
    """The server did not start; the message states why."""


class PackageMissing(LlamaFailed):
    """xllamacpp cannot be imported; the message states why."""


class LlamaProcess:
    """A server process. It ends with `close`, or with this process, however that ends. Raises LlamaFailed.

    `options`, for `_start_server`, go through a pipe, because all users can read the arguments of a process.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        # Waiting threads spin briefly, then sleep. Sleeping at once costs a fifth of the tokens per
        # second; spinning for long costs nearly all of them if the cores are shared.
        environment = {
            "GOMP_SPINCOUNT": "300",
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        self._pipes = threading.Lock()  # a pipe must not be closed while a thread uses it
        try:
            self._process = subprocess.Popen(  # noqa: S603  this file, by this interpreter
                [sys.executable, "-P", __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment,
                start_new_session=True,  # Ctrl-C in a terminal goes only to the parent, which stops the server
            )
        except OSError as error:
            raise LlamaFailed(f"no process can be started: {error.strerror}") from error
        to_child = cast("IO[str]", self._process.stdin)
        with suppress(OSError):  # it has ended; `wait_for_address` says so
            to_child.write(f"{json.dumps(options)}\n")
            to_child.flush()

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait_for_address(self) -> str:
        """The server's URL, once it answers; `close` ends the wait. Raises LlamaFailed, PackageMissing."""
        from_child = cast("IO[str]", self._process.stdout)
        try:
            with self._pipes:
                said = json.loads(from_child.readline() or "{}")
        except (OSError, ValueError):  # it has ended, or `close` closed its pipes
            said = {}
        if "address" in said:
            return str(said["address"])
        self.close()
        if "missing" in said:
            raise PackageMissing(said["missing"])
        raise LlamaFailed(said.get("error") or f"its process ended with status {self._process.returncode}")

    def close(self) -> None:
        """Kill the server, even while it loads or writes: it has nothing to save. Idempotent."""
        self._process.kill()
        self._process.wait()
        with self._pipes:  # a thread that waits for the address gets the end of the pipe now
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError):  # unsent data
                    cast("IO[str]", pipe).close()


def _serve() -> None:
    """Run in the child: serve until the parent closes the pipe."""
    for stop in (signal.SIGINT, signal.SIGTERM):  # sent to all processes, but the parent still needs the server
        signal.signal(stop, signal.SIG_IGN)
    options = json.loads(sys.stdin.readline())
    reply = os.fdopen(os.dup(1), "w")
    with suppress(OSError):  # there is no error output
        os.dup2(2, 1)  # the library prints to stdout
    try:
        server = _start_server(options)
        said = {"address": server.listening_address}
    except ImportError as error:
        said = {"missing": str(error)}
    except RuntimeError as error:
        said = {"error": str(error)}
    with suppress(BrokenPipeError):  # the parent has ended meanwhile
        print(json.dumps(said), file=reply, flush=True)
    sys.stdin.read()
    os._exit(0)  # at once, without finishing the current reply


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
    params.no_extra_bufts = True  # use the file's pages unchanged: half the load time, slightly faster prompts
    if options["threads"]:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options["threads"]
    return xllamacpp.Server(params)


if __name__ == "__main__":
    _serve()
