"""Models with the budget of a question and a circuit breaker, which spares a failed model further retries."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Unpack

from agent.core.errors import BudgetSpent, ModelUnavailable
from agent.core.resilience.breaker import Breaker
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import MAX_TOKENS, ChatModel, ChatRequest, Message, Reply, WrappedModel
from rag.embedding.embedder import OpenAIEmbedder

SHORTEST_REPLY = 16  # tokens; a call with less room is not made
CALL_TOKENS = 4  # tokens per message, for its role and delimiters


class Budget:
    """The model calls and tokens that one question may use, over all steps; None: unlimited."""

    def __init__(self, calls: int | None, tokens: int | None) -> None:
        self._calls, self._tokens = calls, tokens
        self._calls_left, self._tokens_left = calls, tokens

    @classmethod
    def of(cls, settings: Settings) -> Budget:
        """The budget of one question from the settings."""
        return cls(settings.max_model_calls, settings.max_tokens_per_question)

    def take(self, prompt_tokens: int, max_tokens: int) -> int:
        """Reserve tokens for a call. Returns the maximum for its reply. Raises BudgetSpent and reserves nothing."""
        if self._calls_left is not None and self._calls_left < 1:
            raise BudgetSpent(f"The question has used its {self._calls} model calls.")
        if self._tokens_left is not None:
            max_tokens = min(max_tokens, self._tokens_left - prompt_tokens)
            if max_tokens < SHORTEST_REPLY:
                raise BudgetSpent(
                    f"The question may use {self._tokens} tokens, and {max(0, self._tokens_left)} are left; "
                    f"the next step needs {prompt_tokens + SHORTEST_REPLY}."
                )
            self._tokens_left -= prompt_tokens + max_tokens
        if self._calls_left is not None:
            self._calls_left -= 1
        return max_tokens

    def settle(self, taken: int, spent: int) -> None:
        """Replace the tokens reserved for a call with those it used."""
        if self._tokens_left is not None:
            self._tokens_left += taken - spent


# The budget of the current question; None without a question, as in a health check.
BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


class BudgetedModel(WrappedModel):
    """A chat model whose calls count towards the budget of the current question."""

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        """See `ChatModel.complete`. Also raises BudgetSpent."""
        budget = BUDGET.get()
        if budget is None:
            return await super().complete(messages, **request)
        prompt_tokens = estimate_prompt_tokens(messages)
        request["max_tokens"] = room = budget.take(prompt_tokens, request.get("max_tokens", MAX_TOKENS))
        spent = 0  # a failed call has no counted tokens
        try:
            reply = await super().complete(messages, **request)
            counted = reply.usage.prompt_tokens + reply.usage.completion_tokens
            spent = counted or prompt_tokens + _estimate(reply.text)  # not every endpoint counts
        finally:
            budget.settle(prompt_tokens + room, spent)
        return reply


def estimate_prompt_tokens(messages: list[Message]) -> int:
    """The estimated number of tokens of a prompt."""
    return sum(_estimate(message.content) + CALL_TOKENS for message in messages)


def _estimate(text: str) -> int:
    from rag.schema.text import estimate_tokens

    return estimate_tokens(text)


class ProtectedModel(WrappedModel):
    """A chat model behind a breaker. Args: model: the wrapped model; breaker: for ModelUnavailable."""

    def __init__(self, model: ChatModel, breaker: Breaker) -> None:
        super().__init__(model)
        self.breaker = breaker

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        with self.breaker.watching():
            return await super().complete(messages, **request)

    async def ready(self) -> None:
        """See `ChatModel.ready`. Success does not close the breaker: an endpoint can list models that do not answer."""
        self.breaker.refuse_while_open()
        await super().ready()


def protect_model(model: ChatModel, settings: Settings) -> ProtectedModel:
    """The model, wrapped in the budget of each question and a breaker."""
    breaker = settings.build_breaker(f"The model {model.name!r}", ModelUnavailable)
    return ProtectedModel(BudgetedModel(model), breaker)


class ProtectedEmbedder:
    """An embedding endpoint behind a breaker; see `rag.embedding.embedder.Embedder`."""

    def __init__(self, embedder: OpenAIEmbedder, breaker: Breaker) -> None:
        self._embedder, self.breaker = embedder, breaker
        self.name, self.batch = embedder.name, embedder.batch

    @property
    def dimension(self) -> int:
        with self.breaker.watching(proves=False):
            return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        with self.breaker.watching():
            return self._embedder.embed(texts)
