"""Opens a DuckDB database without access to anything else, read-only unless it is opened for a write.

There are three layers under the guard. The database is opened read-only. Its configuration forbids files, extensions
and Python's variables, and is then locked. The plan of a statement that DuckDB parses as a SELECT is checked too,
because a WITH clause may contain a COPY, which could write to the files that a view may read.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from executors.base import Cancel, CheckedSql, CheckedWrite, JsonValue, QueryResult, WriteResult, WriteTerms
from executors.dialects.table import DIALECTS
from executors.engines.common.local import read_back
from executors.engines.common.local.files import quote_name
from executors.engines.common.stopping import Watch, no_room, row_too_large
from executors.errors import ErrorKind, SqlFailed, check_count, no_such_write
from executors.values import (
    RowTooLarge,
    collect,
    interval_from_text,
    parse_nested,
    timestamp_from_text,
    to_json,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MAX_SPILL = "4GB"
_ALIAS = "database"
_WRITERS = re.compile(
    r"(BATCH_)?(COPY|INSERT|UPDATE|DELETE|MERGE_INTO|CREATE|ALTER|DROP|ATTACH|DETACH|EXPORT|LOAD|VACUUM)"
)
_NESTED = re.compile(r"\]$|^(STRUCT|MAP|UNION|VARIANT)\b")
# Types whose Python values would lose a zone's offset, nanoseconds, the months of an interval, or infinity.
_LOSSY = re.compile(r"TIME ZONE|TIMESTAMPTZ|_NS\b|INTERVAL|VARIANT|^(DATE|TIMESTAMP(_S|_MS)?)$")


def open_database(
    path: Path, *, memory: str, threads: int, spill: Path, readable: Sequence[Path] = (), writable: bool = False
) -> DuckDBPyConnection:
    """Open a DuckDB file without access to anything outside, and lock its configuration. Raises duckdb.Error.

    memory: DuckDB's memory limit, such as `1GB`.
    spill: Folder for data that does not fit in memory. It is created when needed.
    readable: Absolute paths of files that views may read nevertheless.
    writable: Whether to open the file for writing. This locks it against other programs.
    """
    import duckdb

    # A separate instance: DuckDB would share an instance of the file, and its settings, with all other users in the
    # process.
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": memory,
            "threads": threads,
            "temp_directory": str(spill),
            "max_temp_directory_size": MAX_SPILL,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "allow_persistent_secrets": "false",
            "python_enable_replacements": "false",
            # DuckDB 2.0 moves a query's casts into the CSV reader, where TRY_CAST fails (duckdb/duckdb issue 23818).
            "disabled_optimizers": "type_pushdown",
        },
    )
    access = "" if writable else ", READ_ONLY"
    try:
        connection.execute(f"ATTACH {literal(str(path))} AS {quote_name(_ALIAS)} (TYPE duckdb{access})")
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        if readable:
            paths = ", ".join(literal(str(file)) for file in readable)
            connection.execute(f"SET GLOBAL allowed_paths = [{paths}]")
        connection.execute("SET GLOBAL enable_external_access = false")
        # A search path gives no access. It only determines the schemas in which a bare name is looked up.
        connection.execute("SET GLOBAL allowed_configs = ['search_path']")
        connection.execute("SET GLOBAL lock_configuration = true")
    except duckdb.Error:
        connection.close()
        raise
    return connection


def new_cursor(connection: DuckDBPyConnection, schemas: Sequence[str] = ("main",)) -> DuckDBPyConnection:
    """A cursor for which bare names belong to the database. Args: schemas: DuckDB's schemas, in the order of lookup."""
    cursor = connection.cursor()
    path = ",".join(f"{quote_name(_ALIAS)}.{quote_name(schema)}" for schema in schemas)
    cursor.execute(f"SET search_path = {literal(path)}")
    return cursor


def run(
    cursor: DuckDBPyConnection, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None
) -> QueryResult:
    """Run a query on its own cursor.
    Raises SqlFailed: it does more than read, is too large, or was stopped; duckdb.Error: any other error."""
    import duckdb

    started = time.monotonic()
    with Watch(cursor.interrupt, timeout_s, cancel) as watch:
        try:
            sql = _only_reads(cursor, query.executable)
            described = cursor.execute(f"DESCRIBE {sql}").fetchall()
            casts, decoders = zip(*(_transport(i, row[1]) for i, row in enumerate(described, 1)), strict=True)
            if casts != tuple(f"#{i}" for i in range(1, len(casts) + 1)):
                sql = f"SELECT {', '.join(casts)} FROM (\n{sql}\n) AS result"
            rows, truncated = collect(cursor.execute(sql).fetchmany, query.row_limit, decoders)
        except duckdb.InterruptException as error:
            raise watch.error() from error
        except (RowTooLarge, MemoryError) as error:
            raise row_too_large() from error
    return QueryResult(
        columns=tuple(row[0] for row in described),
        rows=rows,
        truncated=truncated,
        elapsed_ms=round((time.monotonic() - started) * 1000, 3),
    )


def translate_error(error: Exception) -> SqlFailed | None:
    """The translation of an error that does not need the schema. None for other errors."""
    import duckdb

    if isinstance(error, duckdb.OutOfMemoryException):
        return SqlFailed(
            ErrorKind.RESOURCE,
            "The query needs more memory than it may have.",
            "Read less: filter or aggregate earlier.",
        )
    if isinstance(error, duckdb.IOException) and "could not write" in str(error).lower():
        return no_room()  # only spilling writes; the driver's message contains a path
    if isinstance(error, (duckdb.InternalException, duckdb.FatalException)):
        # The driver's message contains the stack with paths. The instance cannot be used any more.
        return SqlFailed(
            ErrorKind.RESOURCE,
            "DuckDB gave up on this query: it needs too much memory, or uses something that DuckDB cannot do.",
            "Say it in another way, of fewer and shorter values.",
        )
    if isinstance(error, duckdb.PermissionException):
        # The driver's message contains a path.
        return SqlFailed(
            ErrorKind.PERMISSION, "A query can read the tables of its database and nothing else.", "Read the tables."
        )
    return _no_writes() if "read-only mode" in str(error) else None


def literal(text: str) -> str:
    """A text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def _only_reads(cursor: DuckDBPyConnection, sql: str) -> str:
    """The single statement of `sql`, without its semicolon. Raises SqlFailed if it might write."""
    import duckdb

    statements = cursor.extract_statements(sql)
    if duckdb.StatementType.MULTI in {statement.type for statement in statements}:
        hint = "List the values: PIVOT orders ON status IN ('open', 'paid') USING sum(amount)."
        raise SqlFailed(ErrorKind.SYNTAX_ERROR, "PIVOT needs the values that become columns.", hint)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise _no_writes()
    sql = statements[0].query.strip().rstrip(";")
    row = cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchone()
    if row is None or writing_operators(json.loads(row[1])):
        raise _no_writes()
    return sql


def _no_writes() -> SqlFailed:
    return SqlFailed(ErrorKind.NOT_READ_ONLY, "Only a query that reads can run.", "Write one SELECT statement.")


def writing_operators(plan: Any) -> list[str]:
    """The names of a plan's operators that change something. Args: plan: the JSON of EXPLAIN."""
    found: list[str] = []
    waiting = list(plan)
    while waiting:
        node = waiting.pop()
        found += [node["name"]] if _WRITERS.match(node["name"]) else []
        waiting += node["children"]
    return found


def _transport(position: int, column_type: str) -> tuple[str, Callable[[Any], JsonValue]]:
    """The expression that returns a column without loss, and the function that converts its values to JSON."""
    column = f"#{position}"
    if column_type == "FLOAT":  # the shortest number with the same four-byte value: 0.1, not 0.10000000149011612
        return f"CAST(CAST({column} AS VARCHAR) AS DOUBLE)", to_json
    if not _LOSSY.search(column_type):
        return column, to_json
    if _NESTED.search(column_type):
        return f"CAST(to_json({column}) AS VARCHAR)", parse_nested
    decode = interval_from_text if column_type == "INTERVAL" else timestamp_from_text
    return f"CAST({column} AS VARCHAR)", decode


def run_write(cursor: DuckDBPyConnection, statement: CheckedWrite, **terms: Unpack[WriteTerms]) -> WriteResult:
    """Run a write on a cursor of a writable database, and commit it or let the closing cursor roll it back.

    The statement must be of the declared kind, and its plan must contain only that change, because a WITH clause may
    contain a COPY. Raises SqlFailed: the statement is another one, would change too many rows, or was stopped;
    duckdb.Error.
    """
    import duckdb

    def ask(parts: Sequence[str], parameters: Sequence[Any], size: int) -> Sequence[Sequence[Any]]:
        rows: Sequence[Sequence[Any]] = cursor.execute("?".join(parts), parameters).fetchmany(size)
        return rows

    started = time.monotonic()
    cursor.execute("BEGIN TRANSACTION")
    with Watch(cursor.interrupt, terms["timeout_s"]) as watch:
        try:
            expected = read_back.expect(statement, ask)
            affected = _execute_write(cursor, statement)
            check_count(affected, terms["max_rows"])
            agreed = terms.get("exactly") in {None, affected}
            again = read_back.confirm(statement, expected, DIALECTS["duckdb"], ask) if agreed else None
        except duckdb.InterruptException as error:
            raise watch.error() from error
    committed = terms["commit"] and agreed
    if committed:
        cursor.execute("COMMIT")
    return expected.result(affected, again, committed=committed, started=started)


def _execute_write(cursor: DuckDBPyConnection, statement: CheckedWrite) -> int:
    import duckdb

    types = {
        "insert": duckdb.StatementType.INSERT,
        "update": duckdb.StatementType.UPDATE,
        "delete": duckdb.StatementType.DELETE,
    }
    statements = cursor.extract_statements(statement.runs)
    if len(statements) != 1 or statements[0].type != types[statement.kind]:
        raise no_such_write(statement.kind)
    plan = cursor.execute(f"EXPLAIN (FORMAT JSON) {statement.runs}").fetchone()
    writers = writing_operators(json.loads(plan[1])) if plan else []
    if len(writers) != 1 or not writers[0].removeprefix("BATCH_").startswith(statement.kind.upper()):
        raise no_such_write(statement.kind)
    row = cursor.execute(statement.runs).fetchone()
    return int(row[0]) if row else 0
