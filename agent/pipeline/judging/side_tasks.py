"""What runs beside the judge: the raw records, and with hosted models a first draft of the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from agent.databases.supporting_rows import RawRecords


class SideTasks:
    """Started when a query gave rows; dropped when it is not believed."""

    def __init__(self) -> None:
        self._raw: asyncio.Task[RawRecords] | None = None
        self._text: asyncio.Task[str] | None = None
        self._dropped: list[asyncio.Task[Any]] = []

    def start(self, raw: Coroutine[Any, Any, RawRecords], text: Coroutine[Any, Any, str] | None) -> None:
        """Begin both; what ran for an earlier query is dropped."""
        self.drop()
        self._raw = asyncio.create_task(raw)
        self._text = asyncio.create_task(text) if text is not None else None

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
        await asyncio.gather(*self._dropped, return_exceptions=True)
