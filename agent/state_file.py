"""A SQLite file of the service's state, which several processes may share."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

BUSY_S = 10  # seconds to wait for another process that writes


class StateFile:
    """One file with its tables.

    Args:
        path: made with its folder when first used.
        tables: the statements that make what is missing.
        holds: what is in it, as a sentence about its loss begins: `Sessions`.
        error: makes the error that is raised where the file, or a statement, fails. Its text names no folder.
    """

    def __init__(self, path: Path, tables: Sequence[str], holds: str, error: Callable[[str], Exception]) -> None:
        self.path, self._tables, self._holds, self._error = path, tables, holds, error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One that nobody else writes in meanwhile; after an error nothing of it remains. Raises `error`'s."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not self.path.exists():
                self.path.touch(mode=0o600)  # it will hold what people asked; sqlite3 would let everybody read it
            with closing(sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)) as connection:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("BEGIN IMMEDIATE")
                for table in self._tables:
                    connection.execute(table)
                yield connection
                connection.execute("COMMIT")  # after an error, closing rolls back
        except (sqlite3.Error, OSError) as error:
            cause = error.strerror if isinstance(error, OSError) else error  # its text has the folder
            raise self._error(
                f"{self._holds} cannot be read or written ({cause}): check that the folder of PLUMBLINE_STATE_DIR is "
                f"writable; where {self.path.name} is damaged, remove it."
            ) from error
