"""Errors of executors.

ExecutorError
├── SqlRefused            the guard refused the query; nothing was run
├── SqlFailed             the database refused it: kind, message and how to repair it
├── UnknownDatabase       no such name in the registry
├── RegistryInvalid       databases.yaml has errors and cannot be used
└── DatabaseUnavailable   the database, or its file, cannot be read
    └── DiskFull          the disk is full, and reading the database needs a file to be written
"""

from __future__ import annotations

import errno
import os
from enum import StrEnum

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def check_count(affected: int, max_rows: int) -> None:
    """Raise SqlFailed if a write affects more rows than it may."""
    if affected > max_rows:
        message = f"It would affect {affected} rows, and {max_rows} are allowed; nothing was changed."
        raise SqlFailed(ErrorKind.RESOURCE, message, "Narrow the condition.")


def no_such_write(kind: str) -> SqlFailed:
    """The error of a statement that is not the write it was declared as."""
    return SqlFailed(ErrorKind.NOT_READ_ONLY, f"Only one {kind.upper()} of one table can run here.", "Write that.")


_NO_NAME = frozenset("/\\:;=@{}")  # characters of paths, addresses and connection strings; no name contains them


class ErrorKind(StrEnum):
    """Class of a query's error."""

    TABLE_NOT_FOUND = "TABLE_NOT_FOUND"
    COLUMN_NOT_FOUND = "COLUMN_NOT_FOUND"
    AMBIGUOUS_COLUMN = "AMBIGUOUS_COLUMN"
    FUNCTION_NOT_FOUND = "FUNCTION_NOT_FOUND"
    SYNTAX_ERROR = "SYNTAX_ERROR"
    TYPE_MISMATCH = "TYPE_MISMATCH"
    DIVISION_BY_ZERO = "DIVISION_BY_ZERO"
    SEVERAL_ROWS = "SEVERAL_ROWS"  # of a subquery that stands for one value
    GROUPING = "GROUPING"
    CONSTRAINT = "CONSTRAINT"
    PERMISSION = "PERMISSION"
    TIMEOUT = "TIMEOUT"
    RESOURCE = "RESOURCE"
    NOT_READ_ONLY = "NOT_READ_ONLY"
    UNUSABLE_REPLY = "UNUSABLE_REPLY"
    OTHER = "OTHER"


class Because(StrEnum):
    """Why the guard refused a query. More precise than the kind; used for metrics."""

    WRITES = "writes, locks or sets"
    DANGEROUS = "dangerous function or place"
    FUNCTION = "unknown function"
    NAME = "unknown table or column"
    PASTED = "text that is pasted in"
    PARAMETER = "parameter"
    SYNTAX = "cannot be parsed"
    FORM = "not allowed in a query"
    SIZE = "too big"


_USUALLY = {
    ErrorKind.NOT_READ_ONLY: Because.WRITES,
    ErrorKind.TABLE_NOT_FOUND: Because.NAME,
    ErrorKind.COLUMN_NOT_FOUND: Because.NAME,
    ErrorKind.AMBIGUOUS_COLUMN: Because.NAME,
    ErrorKind.FUNCTION_NOT_FOUND: Because.FUNCTION,
    ErrorKind.SYNTAX_ERROR: Because.SYNTAX,
    ErrorKind.RESOURCE: Because.SIZE,
}


class ExecutorError(Exception):
    """Base class of all errors that this package raises on purpose."""


class SqlError(ExecutorError):
    """A query that returned no result. `message`: what is wrong, in one sentence; `hint`: how to repair it, empty if
    that is unknown."""

    def __init__(self, kind: ErrorKind, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind, self.message, self.hint = kind, message, hint


class SqlRefused(SqlError):
    """The guard refused the query; the database never saw it. Args: because: the reason, if the kind is ambiguous."""

    def __init__(self, kind: ErrorKind, message: str, hint: str = "", *, because: Because | None = None) -> None:
        super().__init__(kind, message, hint)
        self.because = because or _USUALLY.get(kind, Because.FORM)


class SqlFailed(SqlError):
    """The database refused the query, or ran out of time."""


class UnknownDatabase(ExecutorError):
    """No such name in the registry. Carries the known names. A text that cannot be a name is not repeated, because it
    may contain a password."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        text = f"There is no database named {name!r}."
        if any(mark in _NO_NAME for mark in name):
            text = "Name a database by its name, never by a path or an address."
        super().__init__(f"{text} Known: {', '.join(known) or 'none'}.")
        self.name, self.known = name, known


class DatabaseDeleted(UnknownDatabase):
    """The database was deleted while it was in use."""

    def __init__(self, name: str) -> None:
        super().__init__(name, ())
        self.args = (f"The database {name!r} was deleted.",)


class RegistryInvalid(ExecutorError):
    """databases.yaml cannot be used. The message names the entries and what to correct; `problems` has one line per
    problem."""

    def __init__(self, message: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class DatabaseUnavailable(ExecutorError):
    """The database, or its file, cannot be opened or read. The message explains what to do. `retry_after_s`: whole
    seconds until a retry is worthwhile; None if unknown."""

    def __init__(self, message: str, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DiskFull(DatabaseUnavailable):
    """The disk is too full to read a database. It can be read once there is space."""


def is_disk_full(error: Exception) -> bool:
    """Whether an error of the system, or of an engine that quotes the system, reports a full disk."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in _FULL
    return any(os.strerror(code) in str(error) for code in _FULL)
