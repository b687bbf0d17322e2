"""Runs a local database in worker processes, which limit the memory and time of its engine.

The engines have limits of their own, but none of these applies inside one function call. The system limits the memory
of a worker, and a worker is terminated at its timeout. A worker runs one query at a time, so no other query ends with
it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from executors import base
from executors.base import (
    Cancel,
    CheckedSql,
    CheckedWrite,
    Executor,
    Layer,
    QueryResult,
    Schema,
    TableReport,
    WriteResult,
)
from executors.engines.common.local.files import Gate, state_of
from executors.engines.common.stopping import out_of_time
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed
from executors.registry.kinds import Kind
from executors.workers import limits
from executors.workers.child import Opening
from executors.workers.pool import WorkerPool
from executors.workers.process import WorkerEnded, WorkerReply

GRACE_S = 1.0  # time that an engine may take to stop
WRITE_GRACE_S = 10.0  # longer for a write, which should rather finish
SCHEMA_S = 300.0  # time to read a schema, with all files of a folder
LAYER = "memory of the worker"


class _Known(NamedTuple):
    """The schema of files in a certain state, and the worker's cache for it, which other workers can load."""

    state: Hashable
    schema: Schema
    cache: bytes


class IsolatedExecutor(Executor):
    """One local database in worker processes. Args: state: returns the files' state, which differs after a change."""

    def __init__(
        self, opening: Opening, state: Callable[[], Hashable], pool: WorkerPool, *, writable: bool = False
    ) -> None:
        self.name, self._opening, self._state, self._pool = opening.name, opening, state, pool
        self.dialect = "sqlite" if opening.kind == "sqlite" else "duckdb"
        self._serves = repr(opening)
        self._writable = writable
        self._gate = Gate()
        self._lock = threading.Lock()
        self._known: _Known | None = None

    def schema(self) -> Schema:
        """See `Executor.schema`. A worker reads it if the files have changed."""
        with self._gate.reading(), self._lock:
            state = self._state()
            if self._known is None or self._known.state != state:
                reply = json.loads(self._ask("schema", {}, SCHEMA_S).body)
                self.warnings = tuple(reply["warnings"])
                self.reports = tuple(map(TableReport.model_validate, reply["reports"]))
                schema = Schema.model_validate(reply["schema"])
                self._known = _Known(state, schema, bytes.fromhex(reply["cache"]))
            return self._known.schema

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        """See `Executor.run`. A query that needs more memory than a worker has fails with kind RESOURCE."""
        with self._gate.reading():
            request = {"query": query, "timeout_s": timeout_s}
            reply = self._ask("run", request, timeout_s + GRACE_S, cancel=cancel, timeout_s=timeout_s)
            if reply.changed:
                with self._lock:
                    self._known = None
            return QueryResult.model_validate_json(reply.body)

    def write(self, statement: CheckedWrite, **terms: Unpack[base.WriteTerms]) -> WriteResult:
        """See `Executor.write`. A DuckDB file can be open in only one process, so the others close it first."""
        if not self._writable:
            return super().write(statement, **terms)
        timeout_s = terms["timeout_s"]
        shared = self._opening.kind == "sqlite"  # SQLite has its own locks between processes
        with nullcontext(True) if shared else self._gate.writing(timeout_s) as alone:
            if not alone:
                name = Path(self._opening.path).name
                raise DatabaseUnavailable(f"{name} is being read all the time; try the change again later.")
            if not shared:
                self._let_go()
            request = {"statement": statement, **terms}
            reply = self._ask("write", request, timeout_s + WRITE_GRACE_S, timeout_s=timeout_s)
        return WriteResult.model_validate_json(reply.body)

    def layers(self) -> tuple[Layer, ...]:
        """See `Executor.layers`. Adds whether the system enforces the workers' memory limit."""
        with self._gate.reading():
            reply = json.loads(self._ask("layers", {}, SCHEMA_S).body)
        advice = "This system cannot; run the service on Linux where what is asked is not to be trusted."
        held = limits.can_limit_memory()
        return (
            *(Layer.model_validate(it) for it in reply),
            Layer(name=LAYER, holds=held, advice="" if held else advice),
        )

    def close(self) -> None:
        """Make idle workers close the files."""
        with self._lock:
            self._known = None
        self._let_go()

    def _let_go(self) -> None:
        self._pool.each_idle(self._serves, lambda worker: worker.call("close", {}, within_s=SCHEMA_S))

    def _ask(
        self,
        name: str,
        request: dict[str, Any],
        within_s: float,
        *,
        cancel: Cancel | None = None,
        timeout_s: float | None = None,
    ) -> WorkerReply:
        """A worker's reply. Raises the worker's error; SqlFailed or DatabaseUnavailable if the worker ended."""
        known = self._known
        request = {"opening": self._opening, "cache": None if known is None else known.cache, **request}
        try:
            with self._pool.worker(self._serves, wait_s=within_s, cancel=cancel) as worker:
                reply = worker.call(name, request, within_s=within_s, cancel=cancel)
        except WorkerEnded as error:
            raise _translate(error, timeout_s, cancel, Path(self._opening.path).name) from error
        if reply.error is not None:
            raise reply.error
        return reply


def _translate(
    error: WorkerEnded, timeout_s: float | None, cancel: Cancel | None, file: str
) -> SqlFailed | DatabaseUnavailable:
    """The error of a request whose worker ended."""
    if timeout_s is None:
        return DatabaseUnavailable(
            f"{file} takes more memory or time to be read than it may; check the file, and PLUMBLINE_WORKER_MEMORY."
        )
    if error.out_of_time or (cancel is not None and cancel.is_cancelled):
        return out_of_time(timeout_s, cancel)
    return SqlFailed(
        ErrorKind.RESOURCE,
        "The query ended the process that it ran in: it needs more memory than it may have.",
        "Read less: filter or aggregate earlier, and make no long texts or lists.",
    )


def open_isolated(
    name: str, kind: Kind, path: Path, pool: WorkerPool, *, writable: bool = False, **options: Any
) -> IsolatedExecutor:
    """Open a local database in the workers of a pool. Args: writable: whether it may be changed; ignored for files."""
    path = path.absolute()
    if kind != "files":
        options["writable"] = writable
    state = partial(_find_state, kind, path)
    return IsolatedExecutor(Opening(name, kind, str(path), options), state, pool, writable=writable)


def _find_state(kind: Kind, path: Path) -> Hashable:
    """The state of a database's files. Raises DatabaseUnavailable."""
    if kind == "files":
        from executors.engines.files.executor import files_of

        return files_of(path)
    found = state_of(path)
    if found is None:
        raise DatabaseUnavailable(f"{path.name} does not exist or cannot be read; check the file.")
    return found, state_of(path.with_name(f"{path.name}{'-wal' if kind == 'sqlite' else '.wal'}"))
