"""The schemas that a question has seen: all of its steps use the same one, without a thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from executors.base import Executor, Schema


class SeenSchemas:
    """What one question has seen until now."""

    def __init__(self) -> None:
        self._seen: dict[Executor, Schema] | None = {}

    def of(self, executor: Executor) -> Schema | None:
        """The schema as the question has seen it; None where it has not, or is over."""
        return None if self._seen is None else self._seen.get(executor)

    def keep(self, executor: Executor, schema: Schema) -> None:
        """Go on with this one."""
        if self._seen is not None:
            self._seen[executor] = schema

    def forget(self, executor: Executor) -> None:
        """Have it read anew: there may be another one now."""
        if self._seen is not None:
            self._seen.pop(executor, None)

    def end(self) -> None:
        """Keep nothing more: what the question has begun and left to others goes by today's schema."""
        self._seen = None


SEEN: ContextVar[SeenSchemas | None] = ContextVar("seen_schemas", default=None)


@contextmanager
def seen_schemas() -> Iterator[None]:
    """Keep the schemas that this task sees, and those that it starts, while the block runs."""
    seen = SeenSchemas()
    SEEN.set(seen)
    try:
        yield
    finally:
        seen.end()
