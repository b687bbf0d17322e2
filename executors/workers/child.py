"""The worker's side: serves one request after another until the parent process is gone."""

from __future__ import annotations

import logging
import os
import pickle
import queue
import shutil
import signal
import tempfile
import threading
from multiprocessing.connection import Connection

from executors.base import Cancel
from executors.errors import ErrorKind, ExecutorError, SqlFailed
from executors.workers import limits
from executors.workers.tasks import Tasks
from executors.workers.wire import CANCEL, REQUEST, WorkerReply, pack

log = logging.getLogger(__name__)


def main(descriptor: int, memory: int) -> None:
    """Work until the other end of the pipe is closed.

    Args:
        descriptor: of the pipe.
        memory: that this process may have, in bytes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal says it to the whole group; this ends with its parent
    connection = Connection(descriptor)
    inbox: queue.SimpleQueue[tuple[bytes, Cancel]] = queue.SimpleQueue()
    running = _Running()
    threading.Thread(target=_listen, args=(connection, inbox, running), name="listen", daemon=True).start()
    limits.limit_memory(memory)
    tasks = Tasks()
    while True:
        request, cancel = inbox.get()
        reply = _answer(tasks, request, cancel)
        connection.send_bytes(pack(reply))


class _Running:
    """What is being worked on, and can be cancelled."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancel = Cancel()

    def renew(self) -> Cancel:
        """For the next request."""
        with self._lock:
            self._cancel = Cancel()
            return self._cancel

    def cancel(self) -> None:
        with self._lock:
            cancel = self._cancel
        cancel.cancel()


def _listen(connection: Connection, inbox: queue.SimpleQueue[tuple[bytes, Cancel]], running: _Running) -> None:
    """Take what comes, while the main thread works; end the process where nothing can come any more."""
    try:
        while True:
            frame = connection.recv_bytes()
            if frame[:1] == CANCEL:
                running.cancel()
            elif frame[:1] == REQUEST:
                inbox.put((frame[1:], running.renew()))  # here: else a cancel that follows at once is lost
    except (EOFError, OSError):
        shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)  # this worker's own
        os._exit(0)


def _answer(tasks: Tasks, request: bytes, cancel: Cancel) -> WorkerReply:
    name, arguments = pickle.loads(request)  # noqa: S301  of the process that started this one
    try:
        return tasks.do(name, arguments, cancel)
    except ExecutorError as error:
        return WorkerReply(b"", error, spent=tasks.is_spent)
    except MemoryError:
        return WorkerReply(b"", needs_too_much(), spent=True)
    except Exception:
        log.exception("A worker could not do %s", name)
        failed = SqlFailed(ErrorKind.OTHER, "The query could not be worked on.", "Say it in another way.")
        return WorkerReply(b"", failed, spent=True)


def needs_too_much() -> SqlFailed:
    """The error of a query that was refused memory by the system."""
    return SqlFailed(
        ErrorKind.RESOURCE,
        "The query needs more memory than it may have.",
        "Read less: filter or aggregate earlier, and make no long texts or lists.",
    )
