"""A further draft that is begun before its turn: while the first one's rows are fetched, or beside the first one."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from agent.core.errors import ReplyUnusable
from agent.core.models import Draft

if TYPE_CHECKING:
    from agent.pipeline.run import Run


def begin_ahead(run: Run) -> None:
    """Have a further draft written beside what comes next; nothing where one was begun, or none is wanted.

    What is awaited first calls the model first, and takes its share of the question's budget.
    """
    if run.wants_draft_ahead:
        run.ahead.begin(lambda: _in_step(run, further_draft(run)))


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
