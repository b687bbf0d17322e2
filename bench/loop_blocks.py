"""Measures how long single callbacks block an event loop."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Any, Self


class LoopBlocks:
    """Measures every callback and every step of a task, of all loops of this process, while the block runs.

    Measures the CPU time of the loop's thread, so that waiting for a busy core does not count.

    longest: seconds of the longest callback. longest_by: its name.
    """

    def __init__(self) -> None:
        self.longest, self.longest_by = 0.0, ""
        self._run: Any = None

    def __enter__(self) -> Self:
        handles: Any = asyncio.Handle  # has no public way to see each callback
        run = self._run = handles._run

        def measured(handle: asyncio.Handle) -> None:
            began = time.thread_time()
            run(handle)
            took = time.thread_time() - began
            if took > self.longest:
                self.longest, self.longest_by = took, _named(handle)

        handles._run = measured
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        handles: Any = asyncio.Handle
        handles._run = self._run


def _named(handle: Any) -> str:
    callback = handle._callback
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        return getattr(task.get_coro(), "__qualname__", repr(task))
    return getattr(callback, "__qualname__", repr(callback))
