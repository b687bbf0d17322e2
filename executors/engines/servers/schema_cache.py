"""A schema, cached for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from executors.base import Schema
from executors.errors import DatabaseUnavailable


class SchemaCache:
    """Reads a schema on first use, and again after some time. Safe to use from several threads.

    Args:
        read: reads it; raises DatabaseUnavailable where it cannot.
        ttl_s: seconds for which it is cached.
    """

    def __init__(self, read: Callable[[], Schema], ttl_s: float) -> None:
        self._read, self._ttl_s = read, ttl_s
        self._lock = threading.Lock()
        self._cached: tuple[float, Schema] | None = None
        self._failed: tuple[float, str] = (0.0, "")

    def get(self) -> Schema:
        """The schema; one thread reads it, the others wait.

        Raises:
            DatabaseUnavailable: it cannot be read now; the next call tries again.
        """
        now = time.monotonic()
        with self._lock:
            if self._cached is None or now - self._cached[0] > self._ttl_s:
                if self._failed[0] > now:  # while this thread waited: it need not wait for the same once more
                    raise DatabaseUnavailable(self._failed[1])
                try:
                    self._cached = (time.monotonic(), self._read())
                except DatabaseUnavailable as error:
                    self._failed = (time.monotonic(), str(error))
                    raise
            return self._cached[1]

    def get_last(self) -> Schema:
        """The schema that was read last, however old; read now if none was. Raises DatabaseUnavailable."""
        cached = self._cached
        return cached[1] if cached is not None else self.get()

    def forget(self) -> None:
        """Have the next `get` read it."""
        with self._lock:
            self._cached = None
