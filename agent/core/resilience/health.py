"""Health: whether each part of the service responds."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from pydantic import Field

from agent.core.errors import PlumblineError
from agent.core.queueing import Standing, Turns
from agent.core.resilience.breaker import Breaker, State
from executors.base import Frozen
from executors.errors import ExecutorError
from rag.errors import RetrievalError

DATABASE = "database "  # prefix of the part name of a database
STATE = "state"  # part name of the state store
REGISTRY = "registry"


class PartHealth(Frozen):
    """The health of one part of the service.

    name: The part.
    ready: Whether the part responds.
    detail: How to fix the part. Empty if it is ready.
    elapsed_ms: Milliseconds that the check took.
    """

    name: str
    ready: bool
    detail: str = ""
    elapsed_ms: float = 0.0
    breaker: State | None = Field(
        None,
        description="State of the circuit breaker. `open`: calls are paused after repeated failures. `half_open`: one "
        "call tests the part. Null if there is no breaker.",
    )
    queue: Standing | None = Field(
        None, description="Queue of the embedded model, which answers one call at a time. Null for other parts."
    )


Readiness = Literal["ready", "degraded", "unavailable"]


def state_of(parts: Sequence[PartHealth]) -> Readiness:
    """Whether an instance can answer. `degraded`, which is no reason to stop it: only about some databases, with
    those before a change of the registry, or without sessions and reviews, whose store all instances share."""
    databases = [part for part in parts if part.name.startswith(DATABASE)]
    others = [part for part in parts if not part.name.startswith(DATABASE) and part.name not in {STATE, REGISTRY}]
    if not all(part.ready for part in others) or (databases and not any(part.ready for part in databases)):
        return "unavailable"
    return "ready" if all(part.ready for part in parts) else "degraded"


async def check_health(
    name: str,
    check: Callable[[], Awaitable[object]],
    breaker: Callable[[], Breaker | None] = lambda: None,
    queue: Turns | None = None,
) -> PartHealth:
    """The health of one part. `detail` is the message of the error that `check` raises."""
    start, detail = time.perf_counter(), ""
    try:
        await check()
    except (PlumblineError, ExecutorError, RetrievalError) as error:
        detail = str(error)
    found = breaker()
    return PartHealth(
        name=name,
        ready=not detail,
        detail=detail,
        elapsed_ms=round((time.perf_counter() - start) * 1000, 1),
        breaker=found.state if found is not None else None,
        queue=queue.standing if queue is not None else None,
    )
