"""What writing has in common, whichever engine does it, in this process or on a server."""

from __future__ import annotations

from executors.errors import ErrorKind, SqlFailed


def check_count(affected: int, max_rows: int) -> None:
    """Raise SqlFailed where a write affects more rows than it may."""
    if affected > max_rows:
        message = f"It would affect {affected} rows, and {max_rows} are allowed; nothing was changed."
        raise SqlFailed(ErrorKind.RESOURCE, message, "Narrow the condition.")


def no_such_write(kind: str) -> SqlFailed:
    """The error of a statement that is something else than the write it was said to be."""
    return SqlFailed(ErrorKind.NOT_READ_ONLY, f"Only one {kind.upper()} of one table can run here.", "Write that.")
