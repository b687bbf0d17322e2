"""A further draft that is begun before its turn: while the first one's rows are fetched, or beside the first one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import TYPE_CHECKING, Any

from agent.core.errors import ReplyUnusable
from agent.core.models import Draft

if TYPE_CHECKING:
    from agent.pipeline.run import Run


class DraftAhead:
    """At most one a question. It has no earlier draft in view, so it is as good whatever becomes of the first one."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Draft | None] | None = None
        self._begun = self._taken = False

    @property
    def waits(self) -> bool:
        """Whether there is one that nobody has taken."""
        return self._begun and not self._taken

    def begin(self, run: Run) -> None:
        """Have it written beside what comes next; nothing where one was begun, or no second draft is wanted.

        What is awaited first calls the model first, and takes its share of the question's budget.
        """
        if not self._begun and run.wants_draft_ahead:
            self._begun = True
            self._task = asyncio.create_task(_in_step(run, further_draft(run)))

    def take(self) -> Awaitable[Draft | None] | None:
        """The one that was begun, once; None where there is none."""
        if not self.waits:
            return None
        self._taken = True
        return self._task

    async def close(self) -> None:
        """Cancel it; what it raised is nobody's concern where nobody took it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


def further_draft(run: Run) -> Coroutine[Any, Any, Draft | None]:
    """The next draft, with no earlier one in view; None where the reply could not be used, or asks back.

    Its number is taken now. Raises ModelError when it is awaited.
    """
    index = run.written
    run.written += 1

    async def written() -> Draft | None:
        generator = run.parts.generator
        try:
            draft = await generator.draft_anew(run.question.text, run.context, run.plan, run.ledger, index=index)
        except ReplyUnusable:
            return None
        return draft.model_copy(update={"index": index}) if draft.sql is not None else None

    return written()


async def _in_step(run: Run, writing: Coroutine[Any, Any, Draft | None]) -> Draft | None:
    """It belongs to the step that it was begun for."""
    with run.ledger.step("evaluator"):
        return await writing
