"""The guard in processes that can be ended, so that no query blocks other callers.

The steps of a check are counted (`sql.bounded`). Whatever the count misses is ended by the system's limit on the
process's CPU time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from executors.base import CheckedSql, CheckedWrite, Schema
from executors.dialects.table import EXTENDED
from executors.errors import DatabaseUnavailable, ErrorKind, SqlRefused
from executors.workers.child import CHECK_CPU_S
from executors.workers.pool import WorkerPool, get_shared_pool
from executors.workers.process import Worker, WorkerEnded, WorkerReply

if TYPE_CHECKING:
    from executors.guard.row_security.held_rows import HeldRows
    from executors.guard.row_security.row_filter import RowFilter, Values

T = TypeVar("T", CheckedSql, CheckedWrite)

WORKERS = 2
MEMORY = 10**9
MANY_TABLES = 500  # whose schema is not copied to another process
WALL_S = 20.0  # for a machine that is so busy that half a second of computing takes as long
START_S = 60.0  # for a new process to load the guard
BUSY = "The query could not be checked in time, for this machine is busy; try again later."
_KNOWN = 8


class Seen(NamedTuple):
    """What makes the rules of `HeldRows` anew, in another process. `whole`: the schema that the filter was held
    against."""

    whole: Schema
    row_filter: RowFilter
    values: Values


class TakesTooLong(SqlRefused):
    """Looking at the query took more than its time."""

    def __init__(self) -> None:
        super().__init__(
            ErrorKind.RESOURCE,
            f"The query is too big. To read and check it takes more than {CHECK_CPU_S:g} seconds.",
            "Write a shorter query, nested less deeply.",
        )


def workers() -> WorkerPool:
    """The processes that the guard has."""
    return get_shared_pool(WORKERS, MEMORY)


def start() -> None:
    """Have a process ready that has loaded the guard, so that the first query need not wait for it. Blocks.
    Raises DatabaseUnavailable: none can be started."""
    check("SELECT 1", Schema(database="none", dialect="sqlite", tables=()), row_limit=1)


def check(
    sql: str, schema: Schema, *, rows: HeldRows | None = None, seen: Seen | None = None, **options: Any
) -> CheckedSql:
    """As `guard.check`, in another process. Blocks. Args: seen: what `rows` are made of, where there are some.

    Raises SqlRefused: it is not let through; `TakesTooLong` is one; DatabaseUnavailable: no process can be started, all
    are at work for too long, or the machine is too busy.
    """

    def here() -> CheckedSql:
        from executors.guard.guard import check as look

        return look(sql, schema, rows=rows, **options)

    given = (seen.row_filter, dict(seen.values)) if seen is not None else None
    request = {"sql": sql, "rows": given, **options}
    return _check("check", seen.whole if seen is not None else schema, request, here, CheckedSql)


def check_write(sql: str, schema: Schema, **options: Any) -> CheckedWrite:
    """As `guard_write.check_write`, in another process. Arguments and errors: as `check`."""

    def here() -> CheckedWrite:
        from executors.guard.write import check_write as look

        return look(sql, schema, **options)

    return _check("check_write", schema, {"sql": sql, **options}, here, CheckedWrite)


def _check(name: str, schema: Schema, request: dict[str, Any], here: Callable[[], T], kind: type[T]) -> T:
    """What a worker finds. Of a large schema, which is not copied: what is found here, once a worker has read the query
    without trouble. A dialect that an extension added is known here alone."""
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
        pass  # it names a table; what else is wrong is found again
    return here()


def _ask(name: str, schema: Schema, request: dict[str, Any]) -> WorkerReply:
    try:
        with workers().worker("guard", wait_s=WALL_S) as worker:
            reply = worker.call(name, {"key": _teach(worker, schema), **request}, within_s=WALL_S)
    except WorkerEnded as error:
        if error.out_of_time:  # of the wall's clock, which says nothing of the query
            raise DatabaseUnavailable(BUSY, 5) from error
        raise TakesTooLong from error
    if reply.error is not None:
        raise reply.error
    return reply


def _teach(worker: Worker, schema: Schema) -> int:
    """What the worker calls a schema; where it does not know it, it learns it first."""
    key = id(schema)
    if key not in worker.taught:
        while len(worker.taught) >= _KNOWN:
            del worker.taught[next(iter(worker.taught))]
        worker.call("learn", {"key": key, "schema": schema}, within_s=START_S)
        worker.taught[key] = schema
    return key
