"""Checks a write: its rows are read by their keys after the write and before the commit.

The number of changed rows does not show what triggers did to them. The database computes the expected values before the
write. They are compared in the form in which the column's type stores them: rounded, cut to a date, padded.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import time
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from executors.base import CheckedWrite, ReadBack, WriteResult
from executors.dialects.row import Dialect
from executors.errors import ErrorKind, SqlFailed

Ask = Callable[[Sequence[str], Sequence[Any], int], Sequence[Sequence[Any]]]

MOST_ROWS = 1000  # each is read by its own query
_TIMES = re.compile(r"date|time", re.IGNORECASE)
_AS_WRITTEN = re.compile(r"char|text|string|clob", re.IGNORECASE)
UNSEEN = "the rows could not be read before the change"


class Expected(NamedTuple):
    """The expected values of the columns of `plan`, by row. Without a plan, no row is read, and `why` is the reason."""

    plan: ReadBack | None
    rows: Sequence[Sequence[Any]]
    why: str = ""

    def result(self, affected: int, again: int | None, *, committed: bool, started: float) -> WriteResult:
        """The result of a write. Args: again: see `confirm`; started: start time on the monotonic clock."""
        elapsed = round((time.monotonic() - started) * 1000, 3)
        return WriteResult(
            rows_affected=affected, committed=committed, elapsed_ms=elapsed, read_back=again, unread=self.why
        )


def expect(statement: CheckedWrite, ask: Ask) -> Expected:
    """Read the expected rows of a write, before it runs.
    Args: ask: runs a query in the write's transaction. It takes the parts of the query, the parameters between them,
    and the maximum number of rows."""
    plan = statement.read_back
    if plan is None:
        return Expected(None, (), statement.unread or UNSEEN)
    rows = ask((plan.before.executable,), (), plan.before.row_limit + 1)
    if plan.packed and rows:
        width, (values,) = len(plan.columns), rows
        rows = [values[at : at + width] for at in range(0, len(values), width)]
    if len(rows) > MOST_ROWS:
        return Expected(None, (), f"they are more than {MOST_ROWS}")
    if any(row[at] is None for row in rows for at in plan.key_places):
        return Expected(None, (), "the database makes the keys of the new rows")
    if any(isinstance(row[at], float | dt.datetime | dt.time) for row in rows for at in plan.key_places):
        return Expected(None, (), "its key is a time or a float, which a driver may round")
    return Expected(plan, rows)


def confirm(statement: CheckedWrite, expected: Expected, row: Dialect, ask: Ask) -> int | None:
    """Read the rows after a write. Return the number of rows, all of which have the expected values. None: no row was
    read. Raises SqlFailed: CONSTRAINT, a row does not have the expected values."""
    plan = expected.plan
    if plan is None:
        return None
    sql = _lookup(plan, row)
    deletes = statement.kind == "delete"
    wrong, strange = 0, set[str]()
    for values in expected.rows:
        found = ask(sql, [values[at] for at in plan.key_places], 2)
        differing = [] if deletes or len(found) != 1 else _differing(plan, values, found[0])
        strange.update(differing)
        wrong += bool(differing) or (bool(found) if deletes else len(found) != 1)
    if wrong:
        raise _not_as_promised(statement, wrong, len(expected.rows), sorted(strange))
    return len(expected.rows)


def _lookup(plan: ReadBack, row: Dialect) -> tuple[str, ...]:
    """The parts of the query that reads one row by its key; see `expect`."""
    columns, table = (map(row.always_quote, names) for names in (plan.compared_columns, plan.table))
    first, *more = (f"{row.always_quote(name)} = " for name in plan.key)
    return (f"SELECT {', '.join(columns)} FROM {'.'.join(table)} WHERE {first}", *(f" AND {it}" for it in more), "")


def _differing(plan: ReadBack, values: Sequence[Any], found: Sequence[Any]) -> list[str]:
    """The columns of a row whose values differ from the expected ones."""
    return [
        name
        for name, at, there in zip(plan.compared_columns, plan.compared_places, found, strict=True)
        if holds(values[at], there, plan.types[at]) is False
    ]


def holds(wanted: Any, there: Any, kind: str) -> bool | None:
    """Whether a column of type `kind` that was set to `wanted` may contain `there`. None if unknown. Both values are as
    the driver returns them."""
    if wanted is None or there is None:
        return (wanted is None or wanted == "") and (there is None or there == "")  # Oracle stores '' as NULL
    if isinstance(there, bool) or isinstance(wanted, bool):
        return bool(int(wanted)) == bool(there) if str(wanted) in {"0", "1", "True", "False"} else None
    if isinstance(there, int | float | Decimal):
        return _same_number(wanted, there)
    if _TIMES.search(kind) or isinstance(there, dt.date | dt.time):
        return _same_time(wanted, there)
    if isinstance(there, dict | list):
        return _same_json(wanted, there)
    if isinstance(wanted, str) and isinstance(there, str) and _AS_WRITTEN.search(kind):
        return wanted.rstrip(" ") == there.rstrip(" ")
    if isinstance(wanted, bytes) and isinstance(there, bytes):
        return wanted.rstrip(b"\0") == there.rstrip(b"\0")
    return True if str(wanted) == str(there) else None  # UUID, interval, enum: the type has its own form


def _same_number(wanted: Any, there: float | Decimal) -> bool | None:
    """Whether two numbers are equal: exactly if the column can store it so, else up to its last digit, which some
    engines round and others cut."""
    try:
        exact, stored = Decimal(str(wanted)), Decimal(str(there))
    except InvalidOperation:
        return None
    if not (exact.is_finite() and stored.is_finite()):
        return str(exact) == str(stored)
    if isinstance(there, float) or isinstance(wanted, float):
        if math.isclose(exact, stored, rel_tol=1e-6):
            return True
        if isinstance(there, float):
            return False
    unit = Decimal(1).scaleb(int(stored.as_tuple().exponent))
    return abs(exact - stored) < unit if exact % unit else exact == stored


def _same_time(wanted: Any, there: Any) -> bool | None:
    """Whether two times are equal to the minute, or to the day if the column stores dates. None if the forms differ."""
    first, second = _moment(wanted), _moment(there)
    if first is None or second is None or type(first) is not type(second):
        return True if str(wanted) == str(there) else None
    if isinstance(first, dt.time) and isinstance(second, dt.time):
        return first.replace(microsecond=0) == second.replace(microsecond=0) or None
    assert isinstance(first, dt.datetime)  # noqa: S101  `_moment` returns only these two types
    assert isinstance(second, dt.datetime)  # noqa: S101
    if (first.tzinfo is None) is not (second.tzinfo is None):
        return None
    if second.time() == dt.time() and first.date() == second.date():
        return True
    return abs(first - second) < dt.timedelta(minutes=1)


def _moment(value: Any) -> dt.datetime | dt.time | None:
    if isinstance(value, dt.datetime | dt.time):
        return value
    if isinstance(value, dt.date):
        return dt.datetime.combine(value, dt.time())
    for read in (dt.datetime.fromisoformat, dt.time.fromisoformat):
        try:
            return read(str(value))
        except ValueError:
            continue
    return None


def _same_json(wanted: Any, there: Any) -> bool | None:
    try:
        return bool((json.loads(wanted) if isinstance(wanted, str) else wanted) == there)
    except ValueError:
        return None


def _not_as_promised(statement: CheckedWrite, wrong: int, count: int, columns: Sequence[str]) -> SqlFailed:
    rows = f"{wrong} of {count} row{'' if count == 1 else 's'}"
    of = f" in {', '.join(columns)}" if columns else ""
    reason = {
        "insert": f"{rows} would not be there, or hold something else than was written{of}",
        "update": f"{rows} would hold something else than was set{of}",
        "delete": f"{rows} would be there still",
    }[statement.kind]
    return SqlFailed(
        ErrorKind.CONSTRAINT,
        f"Read again before the commit, {reason}: a trigger of {statement.table}, or another transaction, changed it; "
        "nothing was changed.",
        "Write what the database makes of it, or leave that column out.",
    )
