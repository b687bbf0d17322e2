"""A hosted model whose calls keep to the endpoint's rate limits, together with those of all other processes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Unpack

from agent.platform.llm.pace import PACE, Pace
from agent.platform.llm.wrappers.base import WrappedModel

if TYPE_CHECKING:
    from agent.platform.config.settings import Settings
    from agent.platform.llm.chat import ChatModel, ChatRequest, Message, Reply
    from agent.platform.storage.store import StateStore

PACED = ("azure", "openai")  # providers whose responses say what is left


class PacedModel(WrappedModel):
    """A chat model whose every try waits for its turn. Args: model: that is called; pace: gives the turns."""

    def __init__(self, model: ChatModel, pace: Pace) -> None:
        super().__init__(model)
        self._pace = pace

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        """See `ChatModel.complete`. Raises ModelBusy, too."""
        token = PACE.set(self._pace)
        try:
            return await super().complete(messages, **request)
        finally:
            PACE.reset(token)


def paced(model: ChatModel, settings: Settings, state: StateStore) -> ChatModel:
    """The model, its limits shared with every process of the same state; any but a hosted one as it is."""
    if settings.provider not in PACED:
        return model
    address = settings.azure_openai_endpoint if settings.provider == "azure" else settings.openai_base_url
    endpoint = hashlib.sha256(f"{settings.provider} {address} {model.name}".encode()).hexdigest()[:32]
    return PacedModel(model, Pace(state, endpoint, longest_s=settings.request_deadline_s))
