"""One INSERT, UPDATE or DELETE on a DuckDB file, in a transaction of its own.

The layers under the guard: the statement must be of the kind that was asked for, its plan must hold that one change and
no other (a WITH clause may hold a COPY), and the configuration of the database forbids files, extensions and settings.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from executors.base import CheckedWrite, WriteResult, WriteTerms
from executors.dialects.table import DIALECTS
from executors.engines.duckdb.engine import writing_operators
from executors.engines.local import read_back
from executors.engines.stopping import Watch
from executors.errors import check_count, no_such_write

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def run(cursor: DuckDBPyConnection, statement: CheckedWrite, **terms: Unpack[WriteTerms]) -> WriteResult:
    """Run it on a cursor of a writable database, and commit it or leave it to be rolled back when that is closed.

    Raises:
        SqlFailed: it is another statement, would change too many rows, or was stopped.
        duckdb.Error: anything else that DuckDB says of it.
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
