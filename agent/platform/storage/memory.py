"""State in this process only: for tests, and for services without persistent state."""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.platform.storage.sqlite import SqliteStore


class MemoryStore(SqliteStore):
    """A `StateStore` that ends with the process: one connection to a database in memory."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        super().__init__(Path(":memory:"), clock)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        weakref.finalize(self, self._connection.close)
        self._prepare(self._connection)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            yield self._connection
