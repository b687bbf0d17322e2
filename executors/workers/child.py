"""The worker's side. It checks queries and runs queries on one local database, until the parent process is gone."""

from __future__ import annotations

import logging
import os
import pickle
import queue
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic_core import to_json

from executors.base import Cancel, Executor, Schema
from executors.errors import ErrorKind, ExecutorError, SqlFailed
from executors.workers import limits
from executors.workers.process import CANCEL, REQUEST, WorkerReply, pack

if TYPE_CHECKING:
    from executors.guard.row_security.held_rows import HeldRows, RowRules
    from executors.guard.row_security.row_filter import RowFilter, Values

CHECK_CPU_S = 0.5  # CPU time of one check by the guard
_SCHEMAS = 8
_NO_MEMORY = re.compile(r"bad_alloc|allocation failure|failed to allocate|could not allocate", re.IGNORECASE)


class Opening(NamedTuple):
    """The data that a worker needs to open a local database (`sqlite`, `duckdb` or `files`): its path, and the options
    of its executor."""

    name: str
    kind: str
    path: str
    options: dict[str, Any]


class Tasks:
    """Handles the requests of one worker, by name. At most one database is open. `is_spent`: whether the last request
    left the process in a state that cannot be trusted."""

    def __init__(self) -> None:
        self.is_spent = False
        self._schemas: dict[int, Schema] = {}
        self._rules: dict[tuple[int, bytes], RowRules] = {}
        self._opened: tuple[Opening, Executor] | None = None
        self._sent: Schema | None = None

    def do(self, name: str, arguments: dict[str, Any], cancel: Cancel) -> WorkerReply:
        """Handle a request. Raises ExecutorError, and any exception of the engine."""
        self.is_spent = False
        known: dict[str, Callable[..., WorkerReply]] = {
            "learn": self._learn,
            "check": self._check,
            "check_write": self._check_write,
            "schema": self._schema,
            "layers": self._layers,
            "write": self._write,
            "close": self._close,
        }
        if name == "run":
            return self._run(cancel=cancel, **arguments)
        return known[name](**arguments)

    def _learn(self, key: int, schema: Schema) -> WorkerReply:
        """Keep a schema for later checks, which refer to it by its key."""
        self._forget(key)
        while len(self._schemas) >= _SCHEMAS:
            self._forget(next(iter(self._schemas)))
        self._schemas[key] = schema
        import executors.guard.guard
        import executors.guard.write  # noqa: F401  loaded before the time of a check counts

        return WorkerReply(b"null")

    def _forget(self, key: int) -> None:
        self._schemas.pop(key, None)
        self._rules = {known: rules for known, rules in self._rules.items() if known[0] != key}

    def _check(self, key: int, rows: tuple[RowFilter, Values] | None, **options: Any) -> WorkerReply:
        from executors.guard.guard import check

        schema = self._schemas[key]
        held = None if rows is None else self._hold(key, schema, *rows)
        limits.limit_cpu(CHECK_CPU_S)
        try:
            seen = schema if held is None else held.visible
            checked = check(schema=seen, rows=held, **options)
        finally:
            limits.limit_cpu(0)
        return WorkerReply(checked.model_dump_json().encode())

    def _hold(self, key: int, schema: Schema, row_filter: RowFilter, values: Values) -> HeldRows:
        from executors.guard.row_security.held_rows import RowRules

        known = key, pickle.dumps(row_filter)
        if known not in self._rules:
            self._rules[known] = RowRules(row_filter, schema)
        return self._rules[known].of(values)

    def _check_write(self, key: int, **options: Any) -> WorkerReply:
        from executors.guard.write import check_write

        limits.limit_cpu(CHECK_CPU_S)
        try:
            checked = check_write(schema=self._schemas[key], **options)
        finally:
            limits.limit_cpu(0)
        return WorkerReply(checked.model_dump_json().encode())

    def _schema(self, opening: Opening, cache: bytes | None) -> WorkerReply:
        executor = self._executor(opening, cache)
        schema = executor.schema()
        self._sent = schema
        cache = executor.dump_cache()  # type: ignore[attr-defined]
        found = {"schema": schema, "warnings": executor.warnings, "reports": executor.reports}
        body = to_json({**found, "cache": cache.hex()})
        return WorkerReply(body)

    def _run(self, opening: Opening, cache: bytes | None, cancel: Cancel, **options: Any) -> WorkerReply:
        executor = self._executor(opening, cache)
        try:
            result = executor.run(cancel=cancel, **options)
        except SqlFailed as error:
            self.is_spent = _breaks(error.__cause__)
            raise
        changed = opening.kind == "files" and self._sent is not None and executor.schema() is not self._sent
        return WorkerReply(result.model_dump_json().encode(), changed=changed)

    def _write(self, opening: Opening, cache: bytes | None, **options: Any) -> WorkerReply:
        return WorkerReply(self._executor(opening, cache).write(**options).model_dump_json().encode())

    def _layers(self, opening: Opening, cache: bytes | None) -> WorkerReply:
        return WorkerReply(to_json([layer.model_dump() for layer in self._executor(opening, cache).layers()]))

    def _close(self) -> WorkerReply:
        if self._opened is not None:
            self._opened[1].close()
        self._opened = None
        return WorkerReply(b"null")

    def _executor(self, opening: Opening, cache: bytes | None) -> Executor:
        if self._opened is None or self._opened[0] != opening:
            self._close()
            executor = _open(opening)
            if cache is not None:
                executor.load_cache(cache)  # type: ignore[attr-defined]
            self._opened, self._sent = (opening, executor), None
        return self._opened[1]


def _breaks(cause: BaseException | None) -> bool:
    """Whether an engine must not be used again after an error, because it is broken or was refused memory."""
    if isinstance(cause, MemoryError) or type(cause).__name__ in ("InternalException", "FatalException"):
        return True
    return cause is not None and bool(_NO_MEMORY.search(str(cause)))


def _open(opening: Opening) -> Executor:
    path = Path(opening.path)
    if opening.kind == "sqlite":
        from executors.engines.sqlite.executor import SqliteExecutor

        return SqliteExecutor(opening.name, path, **opening.options)
    if opening.kind == "duckdb":
        from executors.engines.duckdb.executor import DuckdbExecutor

        return DuckdbExecutor(opening.name, path, **opening.options)
    from executors.engines.files.executor import FilesExecutor

    return FilesExecutor(opening.name, path, **opening.options)


log = logging.getLogger(__name__)


def main(descriptor: int, memory: int) -> None:
    """Handle requests until the other end of the pipe is closed. Args: memory: limit of this process, in bytes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # sent to the whole group; this process ends with its parent
    connection = Connection(descriptor)
    inbox: queue.SimpleQueue[tuple[bytes, Cancel]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, inbox), name="listen", daemon=True).start()
    limits.limit_memory(memory)
    tasks = Tasks()
    while True:
        request, cancel = inbox.get()
        reply = _answer(tasks, request, cancel)
        connection.send_bytes(pack(reply))


def _listen(connection: Connection, inbox: queue.SimpleQueue[tuple[bytes, Cancel]]) -> None:
    """Receive requests while the main thread works. End the process when the connection is closed."""
    cancel = Cancel()  # of the last request; created here, else a cancel that follows at once is lost
    try:
        while True:
            frame = connection.recv_bytes()
            if frame[:1] == CANCEL:
                cancel.cancel()
            elif frame[:1] == REQUEST:
                cancel = Cancel()
                inbox.put((frame[1:], cancel))
    except (EOFError, OSError):
        shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)  # the worker's own folder
        os._exit(0)


def _answer(tasks: Tasks, request: bytes, cancel: Cancel) -> WorkerReply:
    name, arguments = pickle.loads(request)  # noqa: S301  it comes from the parent process
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
    """The error of a query to which the system refused memory."""
    return SqlFailed(
        ErrorKind.RESOURCE,
        "The query needs more memory than it may have.",
        "Read less: filter or aggregate earlier, and make no long texts or lists.",
    )
