"""When Python's garbage collector goes through everything: between questions, not while they are answered.

A full collection stops the event loop for some 25 ms while fifty questions are under way, and for 7 ms when there are
none. Young objects are looked through as ever; that frees nearly all that a question leaves.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

WANTED = 10  # collections of the middle generation after which Python itself makes a full one
OVERDUE = 40  # after so many there is a full one in any case: where questions never pause, garbage has a bound, too
PAUSE_S = 0.05  # without a question, before it is a pause


class Collector:
    """The collector of this process.

    Args:
        pause_s: seconds without a question after which there may be a full collection.
    """

    def __init__(self, pause_s: float = PAUSE_S) -> None:
        self._pause_s, self._under_way = pause_s, 0

    def keep_all(self) -> None:
        """Take all objects that there are out of its rounds until the process ends, and hold back full collections.

        Then they are given back: libraries complain of objects that outlive the interpreter.
        """
        gc.freeze()
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, OVERDUE)
        atexit.unregister(gc.unfreeze)
        atexit.register(gc.unfreeze)

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """A question is under way while the block runs, in an event loop; after the last there may be a collection."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            if self._is_time:
                asyncio.get_running_loop().call_later(self._pause_s, self._collect)

    @property
    def _is_time(self) -> bool:
        return not self._under_way and gc.get_count()[2] >= WANTED

    def _collect(self) -> None:
        if self._is_time:
            gc.collect()


COLLECTOR = Collector()
