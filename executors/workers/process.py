"""One worker process, seen from its parent, and the protocol between both."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from executors.base import Cancel, stoppable
from executors.errors import (
    Because,
    DatabaseUnavailable,
    DiskFull,
    ErrorKind,
    ExecutorError,
    SqlFailed,
    SqlRefused,
)

VALUE, ERROR = b"V", b"E"
CANCEL = b"C"
REQUEST = b"R"
# A request is a pickle, because it comes from this process. A worker's reply is JSON and is never unpickled, because
# the worker has read untrusted data. The exception is the cache of a schema, which only other workers open.


class WorkerReply(NamedTuple):
    """A worker's reply.

    body: A value as JSON, if there is no error.
    spent: Whether the worker must be replaced, because it was refused memory or its engine broke.
    changed: Whether the schema has changed since the worker last returned it.
    """

    body: bytes
    error: ExecutorError | None = None
    spent: bool = False
    changed: bool = False


def pack(reply: WorkerReply) -> bytes:
    """Encode a reply as bytes."""
    flags = bytes([reply.spent | reply.changed << 1])
    if reply.error is None:
        return VALUE + flags + reply.body
    return ERROR + flags + json.dumps(_fields_of(reply.error)).encode()


def unpack(frame: bytes) -> WorkerReply:
    """Decode a reply. Raises ValueError or LookupError: the bytes are not a reply."""
    tag, flags, body = frame[:1], frame[1], frame[2:]
    spent, changed = bool(flags & 1), bool(flags & 2)
    if tag == VALUE:
        return WorkerReply(body, None, spent, changed)
    return WorkerReply(b"", _error(json.loads(body)), spent, changed)


def _fields_of(error: ExecutorError) -> dict[str, str | int | None]:
    match error:
        case SqlRefused():
            named = {"kind": error.kind.value, "hint": error.hint, "because": error.because.value}
            return {"type": "refused", "message": error.message, **named}
        case SqlFailed():
            return {"type": "failed", "message": error.message, "kind": error.kind.value, "hint": error.hint}
        case DatabaseUnavailable():
            kind = "full" if isinstance(error, DiskFull) else "unavailable"
            return {"type": kind, "message": str(error), "retry_after_s": error.retry_after_s}
    raise TypeError(f"{type(error).__name__} is no error of a worker")


def _error(fields: dict[str, str]) -> ExecutorError:
    message = str(fields["message"])
    if unavailable := {"unavailable": DatabaseUnavailable, "full": DiskFull}.get(fields["type"]):
        retry = fields["retry_after_s"]
        return unavailable(message, None if retry is None else int(retry))
    kind, hint = ErrorKind(fields["kind"]), str(fields["hint"])
    if fields["type"] == "refused":
        return SqlRefused(kind, message, hint, because=Because(fields["because"]))
    return SqlFailed(kind, message, hint)


CANCEL_GRACE_S = 1.0  # time that a worker may take to stop

_MAIN = "import sys; sys.path[:] = {path!r}; from executors.workers.child import main; main({descriptor}, {memory})"
# A worker reads untrusted data, so it gets no keys and passwords.
_ENVIRONMENT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "HOME",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SSL_CERT_FILE",
)


class WorkerEnded(Exception):
    """The worker ended without a reply. `out_of_time`: whether it took too long. Else it ended by itself, or its
    request was cancelled."""

    def __init__(self, *, out_of_time: bool) -> None:
        super().__init__("a worker process ended")
        self.out_of_time = out_of_time


class Worker:
    """A process that handles one request at a time and can be terminated.

    memory: Its memory limit, in bytes.
    serves: What it has open. The pool uses it to choose a worker.
    taught: Schemas that the process knows, by `id`. References are kept so that no other schema gets the same `id`.
    Raises DatabaseUnavailable: no process can be started.
    """

    def __init__(self, memory: int) -> None:
        self.serves = ""
        self.idle_since = 0.0
        self.is_spent = False
        self._calls = 0
        self.taught: dict[int, object] = {}
        self._lock = threading.Lock()
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-worker-"))
        own, other = socket.socketpair()
        try:
            self._process = _start(other.fileno(), memory, self._folder)
        except OSError as error:
            own.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            raise DatabaseUnavailable(
                "No process could be started to work on the query; try again later.", 5
            ) from error
        finally:
            other.close()
        self._connection = Connection(own.detach())

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def call(
        self, name: str, arguments: dict[str, Any], *, within_s: float, cancel: Cancel | None = None
    ) -> WorkerReply:
        """Send a request and return the reply.
        Args: name, arguments: see `child.Tasks.do`; within_s: seconds to wait for the reply; cancel: ends the request,
        and the process if it does not stop.
        Raises WorkerEnded: there is no reply in time, or the process ended."""
        deadline = time.monotonic() + within_s
        frame = REQUEST + pickle.dumps((name, arguments))
        try:
            self._send(frame)
            with stoppable(cancel, partial(self._stop, self._calls)):
                if not self._connection.poll(max(0.0, deadline - time.monotonic())):
                    raise WorkerEnded(out_of_time=True)
                reply = unpack(self._connection.recv_bytes())
        except (EOFError, OSError, ValueError, LookupError) as error:
            raise WorkerEnded(out_of_time=False) from error
        finally:
            with self._lock:
                self._calls += 1
        self.is_spent = reply.spent
        return reply

    def kill(self) -> None:
        """End the process at once. Its request gets no reply."""
        self._process.kill()

    def end(self) -> None:
        """End the process, wait until it is gone, and delete its files."""
        self.kill()
        self._process.wait()
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _stop(self, call: int) -> None:
        """Ask the worker to stop this call. If it continues, kill the worker."""
        with suppress(OSError):  # it has ended already
            self._send(CANCEL)
        timer = threading.Timer(CANCEL_GRACE_S, self._kill_in, [call])
        timer.daemon = True
        timer.start()

    def _kill_in(self, call: int) -> None:
        with self._lock:
            if self._calls == call:
                self.kill()

    def _send(self, frame: bytes) -> None:
        with self._lock:
            self._connection.send_bytes(frame)


def _start(descriptor: int, memory: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start a process that shares only a pipe with this one: no threads, no locks, no open files.

    It finds modules in the same places. It is a new process, not a fork, because the host may have many threads. It
    does not run this process's main module, which belongs to the host under Azure Functions.
    """
    program = _MAIN.format(path=sys.path, descriptor=descriptor, memory=memory)
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    return subprocess.Popen(  # noqa: S603  this interpreter and a fixed program
        [sys.executable, "-c", program],
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**environment, "TMPDIR": str(folder), "SQLITE_TMPDIR": str(folder)},
    )
