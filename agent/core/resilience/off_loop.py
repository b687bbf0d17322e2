"""Work in threads, so that the event loop is not blocked: the longest query takes tenths of a second to parse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rag.threads import in_thread

T = TypeVar("T")

# Threads share the processor time of one core. With two, a long query does not delay the short ones.
_THREADS = ThreadPoolExecutor(2, thread_name_prefix="reading")


async def off_loop(call: Callable[[], T]) -> T:
    """The call's result, from a thread. The call must not change shared state, since it outlives a cancelled caller."""
    return await in_thread(_THREADS, call)


async def run_to_its_end(call: Callable[[], T]) -> T:
    """The call's result, from a thread. A cancelled caller waits until the thread has ended."""
    task = asyncio.create_task(asyncio.to_thread(call))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.gather(task, return_exceptions=True)  # its error, if any, is no news to a cancelled caller
        raise
