"""CPU-bound work in threads: the longest query takes tenths of a second to read, in which no one would be answered."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rag.threads import in_thread

T = TypeVar("T")

# Threads share the processor time of one core. With two, a long query does not hold up the short ones.
_THREADS = ThreadPoolExecutor(2, thread_name_prefix="reading")


async def off_loop(call: Callable[[], T]) -> T:
    """The call's result, from a thread; it must change no shared state, since it outlives a cancelled caller."""
    return await in_thread(_THREADS, call)
