"""The base of chat models that wrap another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from agent.core.queueing import Turns
    from agent.platform.llm.chat import ChatModel, ChatRequest, Message, Reply


class WrappedModel:
    """A `ChatModel` that hands everything on. Args: model: the wrapped one."""

    def __init__(self, model: ChatModel) -> None:
        self.name, self._model = model.name, model

    @property
    def queue(self) -> Turns | None:
        """Where calls wait for each other; None where the model answers any number at once."""
        return getattr(self._model, "queue", None)

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        """See `ChatModel.complete`."""
        return await self._model.complete(messages, **request)

    async def ready(self) -> None:
        """See `ChatModel.ready`."""
        await self._model.ready()

    async def close(self) -> None:
        """See `ChatModel.close`."""
        await self._model.close()
