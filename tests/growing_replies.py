"""A scripted model that streams its replies."""

from __future__ import annotations

from typing import Any

import pytest

from agent.pipeline.steps import progress
from agent.platform.llm.chat import Reply
from agent.platform.llm.replies import ON_TEXT
from testbed.scripted_model import ScriptedModel


def told_while_written(model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stream each reply to listeners before it is returned, without pauses."""
    complete = model.complete

    async def heard_first(*args: Any, **more: Any) -> Reply:
        reply = await complete(*args, **more)
        if (on_text := ON_TEXT.get()) is not None:
            on_text(reply.text)
        return reply

    monkeypatch.setattr(progress, "PAUSE_S", 0)
    monkeypatch.setattr(model, "complete", heard_first)
