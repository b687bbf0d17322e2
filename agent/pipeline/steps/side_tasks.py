"""Tasks that run beside the steps: loading, raw records, a first version of the answer, a further query."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from agent.core.models import Draft
from agent.core.resilience.tasks import cancel_tasks
from agent.databases.supporting_rows import RawRecords
from agent.pipeline.steps.late_modules import last_steps_are_loaded, load_last_steps


class SideTasks:
    """Records and text start when a query gave rows, and are dropped if the query is not accepted."""

    def __init__(self) -> None:
        self._loading: asyncio.Task[None] | None = None
        self._modules: asyncio.Task[None] | None = None
        self._raw: asyncio.Task[RawRecords] | None = None
        self._text: asyncio.Task[str] | None = None
        self._dropped: list[asyncio.Task[Any]] = []

    def load(self, ready: Coroutine[Any, Any, None]) -> None:
        """Start to load the model. A later call of the model waits for the load and raises its errors."""
        self._loading = asyncio.create_task(ready)

    def load_modules(self) -> None:
        """Start to load the modules of the steps that follow the first query."""
        if not last_steps_are_loaded():
            self._modules = asyncio.create_task(asyncio.to_thread(load_last_steps))

    async def modules(self) -> None:
        """Wait until the modules are loaded: a step that loads them itself would block the event loop."""
        if self._modules is not None:
            await asyncio.shield(self._modules)

    def start(self, raw: Coroutine[Any, Any, RawRecords], text: Coroutine[Any, Any, str] | None) -> None:
        """Start both tasks and drop those of an earlier query."""
        self.drop()
        self._raw = asyncio.create_task(raw)
        self._text = asyncio.create_task(text) if text is not None else None

    def start_text(self, write: Callable[[], Coroutine[Any, Any, str]]) -> None:
        """Start the text, unless it was started before."""
        if self._text is None:
            self._text = asyncio.create_task(write())

    async def raw(self) -> RawRecords | None:
        """The records of the accepted query; None if their task was not started."""
        return await self._raw if self._raw is not None else None

    async def text(self) -> str | None:
        """The first draft of the answer; None if its task was not started."""
        return await self._text if self._text is not None else None

    def drop(self) -> None:
        """Cancel both tasks."""
        for task in (self._raw, self._text):
            if task is not None:
                task.cancel()
                self._dropped.append(task)
        self._raw = self._text = None

    async def close(self) -> None:
        """Cancel the remaining tasks and wait for their end; errors of dropped work are ignored."""
        self.drop()
        for task in (self._loading, self._modules):
            if task is not None:
                task.cancel()
                self._dropped.append(task)
        await asyncio.gather(*self._dropped, return_exceptions=True)


class DraftAhead:
    """A further draft, begun before its turn; at most one per question. It sees no earlier draft anyway."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Draft | None] | None = None
        self._is_taken = False

    @property
    def waits(self) -> bool:
        """Whether a draft was begun and not taken yet."""
        return self._task is not None and not self._is_taken

    def begin(self, write: Callable[[], Coroutine[Any, Any, Draft | None]]) -> None:
        """Start the draft, unless one was begun before."""
        if self._task is None:
            self._task = asyncio.create_task(write())

    def take(self) -> Awaitable[Draft | None] | None:
        """The draft that was begun, once; None if there is none."""
        if not self.waits:
            return None
        self._is_taken = True
        return self._task

    async def close(self) -> None:
        """Cancel the draft; its errors are ignored."""
        if self._task is not None:
            await cancel_tasks(self._task)
