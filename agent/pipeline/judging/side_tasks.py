"""What runs beside the steps: the model's load, the raw records, and a first draft of the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from agent.databases.supporting_rows import RawRecords


class SideTasks:
    """Records and text are begun when a query gave rows, and dropped when it is not believed."""

    def __init__(self) -> None:
        self._loading: asyncio.Task[None] | None = None
        self._raw: asyncio.Task[RawRecords] | None = None
        self._text: asyncio.Task[str] | None = None
        self._dropped: list[asyncio.Task[Any]] = []

    def load(self, ready: Coroutine[Any, Any, None]) -> None:
        """Begin to load the model. Who calls it waits for the load, and hears what went wrong."""
        self._loading = asyncio.create_task(ready)

    def start(self, raw: Coroutine[Any, Any, RawRecords], text: Coroutine[Any, Any, str] | None) -> None:
        """Begin both; what ran for an earlier query is dropped."""
        self.drop()
        self._raw = asyncio.create_task(raw)
        self._text = asyncio.create_task(text) if text is not None else None

    def start_text(self, write: Callable[[], Coroutine[Any, Any, str]]) -> None:
        """Begin the text, where it was not begun."""
        if self._text is None:
            self._text = asyncio.create_task(write())

    async def raw(self) -> RawRecords | None:
        """The records of the query that was believed; None where none were started."""
        return await self._raw if self._raw is not None else None

    async def text(self) -> str | None:
        """The first draft of its answer; None where none was started."""
        return await self._text if self._text is not None else None

    def drop(self) -> None:
        """Cancel both."""
        for task in (self._raw, self._text):
            if task is not None:
                task.cancel()
                self._dropped.append(task)
        self._raw = self._text = None

    async def close(self) -> None:
        """Cancel what is left and wait until it has ended; errors of dropped work are nobody's concern."""
        self.drop()
        if self._loading is not None:
            self._loading.cancel()
            self._dropped.append(self._loading)
        await asyncio.gather(*self._dropped, return_exceptions=True)
