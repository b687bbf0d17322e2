"""Whether each part of the service answers."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from agent.errors import PlumblineError
from executors.base import Frozen
from executors.errors import ExecutorError


class PartHealth(Frozen):
    """Whether one part answers, and how long it took; `detail` says what to do where it does not."""

    name: str
    ready: bool
    detail: str = ""
    elapsed_ms: float = 0.0


async def checked(name: str, check: Callable[[], Awaitable[object]]) -> PartHealth:
    """The health of one part.

    Args:
        name: of the part.
        check: asks it; what it raises on purpose says what is wrong.
    """
    from rag.errors import RetrievalError

    start = time.perf_counter()
    try:
        await check()
    except (PlumblineError, ExecutorError, RetrievalError) as error:
        return PartHealth(name=name, ready=False, detail=str(error), elapsed_ms=_ms_since(start))
    return PartHealth(name=name, ready=True, elapsed_ms=_ms_since(start))


def _ms_since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 1)
