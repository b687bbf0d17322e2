"""Runs the guard in processes that can be terminated, so that no query blocks other callers.

The steps of a check are counted (`sql.bounded`). If the count misses something, the system's limit on the process's CPU
time ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from executors.base import CheckedSql, CheckedWrite, Schema
from executors.dialects.table import EXTENDED
from executors.errors import DatabaseUnavailable, ErrorKind, SqlRefused
from executors.workers.child import CHECK_CPU_S
from executors.workers.pool import WorkerPool, get_shared_pool
from executors.workers.process import Worker, WorkerEnded, WorkerReply

if TYPE_CHECKING:
    from executors.guard.row_security.held_rows import HeldRows

T = TypeVar("T", CheckedSql, CheckedWrite)

WORKERS = 2
MEMORY = 10**9
MANY_TABLES = 500  # a schema with more tables is not copied to another process
WALL_S = 20.0  # elapsed time of a check: on a busy machine, half a second of computing may take that long
START_S = 60.0  # time for a new process to load the guard
BUSY = "The query could not be checked in time, for this machine is busy; try again later."
_KNOWN = 8


class TakesTooLong(SqlRefused):
    """The check of a query took longer than allowed."""

    def __init__(self) -> None:
        super().__init__(
            ErrorKind.RESOURCE,
            f"The query is too big. To read and check it takes more than {CHECK_CPU_S:g} seconds.",
            "Write a shorter query, nested less deeply.",
        )


def workers() -> WorkerPool:
    """The guard's processes."""
    return get_shared_pool(WORKERS, MEMORY)


def start() -> None:
    """Start a process that has loaded the guard, so that the first query does not wait for it. Blocks.
    Raises DatabaseUnavailable: no process can be started."""
    check("SELECT 1", Schema(database="none", dialect="sqlite", tables=()), row_limit=1)


def check(sql: str, schema: Schema, *, rows: HeldRows | None = None, **options: Any) -> CheckedSql:
    """Run `guard.check` in another process. Blocks.

    Raises SqlRefused: the query is refused, or takes too long (`TakesTooLong`); DatabaseUnavailable: no process can be
    started, all are busy for too long, or the machine is too busy.
    """

    def here() -> CheckedSql:
        from executors.guard.guard import check as look

        return look(sql, schema, rows=rows, **options)

    given = None if rows is None else (rows.rules.row_filter, dict(rows.values))  # the worker makes the same `HeldRows`
    request = {"sql": sql, "rows": given, **options}
    return _check("check", schema if rows is None else rows.rules.whole, request, here, CheckedSql)


def check_write(sql: str, schema: Schema, **options: Any) -> CheckedWrite:
    """Run `guard.write.check_write` in another process. Arguments and errors: as `check`."""

    def here() -> CheckedWrite:
        from executors.guard.write import check_write as look

        return look(sql, schema, **options)

    return _check("check_write", schema, {"sql": sql, **options}, here, CheckedWrite)


def _check(name: str, schema: Schema, request: dict[str, Any], here: Callable[[], T], kind: type[T]) -> T:
    """The result of a worker's check. A large schema is not copied: a worker first checks the query without it, and if
    that does not take too long, this process checks it. A dialect of an extension is known only in this process."""
    if schema.dialect in EXTENDED:
        return here()
    if len(schema.tables) <= MANY_TABLES:
        return kind.model_validate_json(_ask(name, schema, request).body)
    bare = Schema(database=schema.database, dialect=schema.dialect, tables=())
    try:
        _ask(name, bare, {**request, "rows": None, "check_names": False} if name == "check" else request)
    except TakesTooLong:
        raise
    except SqlRefused:
        pass  # expected, because the bare schema has no tables; the check here finds any other problem again
    return here()


def _ask(name: str, schema: Schema, request: dict[str, Any]) -> WorkerReply:
    try:
        with workers().worker("guard", wait_s=WALL_S) as worker:
            reply = worker.call(name, {"key": _teach(worker, schema), **request}, within_s=WALL_S)
    except WorkerEnded as error:
        if error.out_of_time:  # elapsed time, which depends on the machine and not on the query
            raise DatabaseUnavailable(BUSY, 5) from error
        raise TakesTooLong from error
    if reply.error is not None:
        raise reply.error
    return reply


def _teach(worker: Worker, schema: Schema) -> int:
    """The worker's key of a schema. If the worker does not know the schema, it is sent first."""
    key = id(schema)
    if key not in worker.taught:
        while len(worker.taught) >= _KNOWN:
            del worker.taught[next(iter(worker.taught))]
        worker.call("learn", {"key": key, "schema": schema}, within_s=START_S)
        worker.taught[key] = schema
    return key
