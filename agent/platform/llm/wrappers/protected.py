"""Models behind a circuit breaker: questions do not keep calling, with all retries, a model that is down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from agent.core.breaker import Breaker
from agent.core.errors import ModelUnavailable
from agent.platform.llm.wrappers.base import WrappedModel
from agent.platform.llm.wrappers.budget import BudgetedModel

if TYPE_CHECKING:
    from agent.platform.config.settings import Settings
    from agent.platform.llm.chat import ChatModel, ChatRequest, Message, Reply
    from rag.embedding.embedder import OpenAIEmbedder


class ProtectedModel(WrappedModel):
    """A chat model behind a breaker. Args: model: that answers; breaker: of ModelUnavailable."""

    def __init__(self, model: ChatModel, breaker: Breaker) -> None:
        super().__init__(model)
        self.breaker = breaker

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        """See `ChatModel.complete`."""
        with self.breaker.watching():
            return await super().complete(messages, **request)

    async def ready(self) -> None:
        """See `ChatModel.ready`. What it says proves nothing: an endpoint can list models that do not answer."""
        self.breaker.refuse_while_open()
        await super().ready()


def protect_model(model: ChatModel, settings: Settings) -> ProtectedModel:
    """The model, with the budget of each question before it and a breaker before that."""
    breaker = Breaker(
        f"The model {model.name!r}",
        failures=settings.breaker_failures,
        pause_s=settings.breaker_pause_s,
        fails=ModelUnavailable,
        refusal=ModelUnavailable,
    )
    return ProtectedModel(BudgetedModel(model), breaker)


class ProtectedEmbedder:
    """An embedding endpoint behind a breaker; see `rag.embedding.embedder.Embedder`."""

    def __init__(self, embedder: OpenAIEmbedder, breaker: Breaker) -> None:
        self._embedder, self.breaker = embedder, breaker
        self.name, self.batch = embedder.name, embedder.batch

    @property
    def dimension(self) -> int:
        """See `Embedder.dimension`."""
        with self.breaker.watching(proves=False):
            return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `Embedder.embed`."""
        with self.breaker.watching():
            return self._embedder.embed(texts)
