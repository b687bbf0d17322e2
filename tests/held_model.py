"""A scripted model that keeps everybody waiting, for tests of what happens meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Unpack

from agent.platform.llm.chat import ChatRequest, Message, Reply
from agent.platform.llm.replies import ON_TEXT
from testbed.scripted_model import ScriptedModel


class HeldModel(ScriptedModel):
    """Holds each reply until it is released; listeners get its first half.

    `called` and `cancelled` count its callers.
    """

    def __init__(self) -> None:
        super().__init__()
        self.released, self.called, self.cancelled = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        self.called.set()
        if (on_text := ON_TEXT.get()) is not None and self._replies and isinstance(self._replies[0], str):
            on_text(self._replies[0][: len(self._replies[0]) // 2])
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return await super().complete(messages, **request)
