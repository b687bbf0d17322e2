"""Blocking calls in threads, beside an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

T = TypeVar("T")


async def in_thread(threads: Executor | None, call: Callable[[], T]) -> T:
    """The result of a call in one of the threads (None: the event loop's own). Logs and traces in it belong to the
    caller, as in `to_thread`. The call continues if the caller is cancelled."""
    in_context = partial(copy_context().run, call)
    return await asyncio.get_running_loop().run_in_executor(threads, in_context)
