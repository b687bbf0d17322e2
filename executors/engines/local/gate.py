"""A lock for many readers or one writer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """A lock for readers and writers. Readers that come while a writer waits queue behind it. Not reentrant."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False  # or waiting to

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Wait for the writer, and hold off the next one."""
        with self._changed:
            self._changed.wait_for(lambda: not self._writing)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self, timeout_s: float) -> Iterator[bool]:
        """Wait for everybody, at most so many seconds. Yields whether it is this writer's turn now."""
        with self._changed:
            alone = self._changed.wait_for(lambda: not self._writing, timeout_s)
            if alone:
                self._writing = True
        if not alone:
            yield False
            return
        try:
            with self._changed:
                alone = self._changed.wait_for(lambda: self._readers == 0, timeout_s)
            yield alone
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
