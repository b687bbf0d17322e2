"""The interface of chat models: OpenAI, Azure OpenAI, compatible endpoints, the embedded model, and wrappers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple, Protocol, TypedDict, Unpack

from agent.core.errors import ModelUnavailable
from agent.core.queueing import Turns
from agent.core.usage import Usage
from executors.base import Frozen
from rag.errors import EmbedderUnavailable


class Message(Frozen):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class ReplySchema(Frozen):
    """The JSON Schema of a reply. logprobs: whether to return its tokens' log-probabilities, if available."""

    name: str
    schema_: dict[str, object]
    logprobs: bool = False


class ReplyGrammar(ReplySchema):
    """A grammar in llama.cpp's GBNF that a reply must match. `words` describe it to endpoints without grammars.

    opening: the start of every such reply. It is read, not written, which takes a quarter of the time per token.
    """

    schema_: dict[str, object] = {}
    gbnf: str
    words: str
    opening: str = ""


class Token(NamedTuple):
    """A piece of a reply and its natural log-probability, at most 0."""

    text: str
    logprob: float


class Reply(Frozen):
    """The model's reply. truncated: whether it reached `max_tokens`. tokens: with log-probabilities, if requested."""

    text: str
    usage: Usage
    truncated: bool = False
    tokens: tuple[Token, ...] = ()


MAX_TOKENS = 500  # default for a reply


class ChatRequest(TypedDict, total=False):
    """Options of a request. `ChatModel.complete` has the defaults."""

    schema: ReplySchema | None
    max_tokens: int
    temperature: float


class ChatModel(Protocol):
    """A model that answers a chat."""

    name: str

    async def complete(
        self,
        messages: list[Message],
        *,
        schema: ReplySchema | None = None,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
    ) -> Reply:
        """The model's next message; JSON of `schema` if given. Raises ModelUnavailable, ModelFailed."""

    async def ready(self) -> None:
        """Wait until the model can answer; load it if needed. Raises ModelUnavailable."""

    async def close(self) -> None:
        """Release connections and memory."""


ENTRA_SCOPE = "https://cognitiveservices.azure.com/.default"  # the scope of Azure OpenAI


def build_entra_tokens(of: str, error: type[ModelUnavailable | EmbedderUnavailable]) -> Callable[[], str]:
    """A function that returns an Entra ID token for Azure OpenAI. It blocks, and imports its packages on first use.

    It uses a managed identity on Azure, `az login` on a laptop. azure-identity caches and renews the tokens. `of` names
    the model in the message of `error`.
    """

    @cache
    def build_provider() -> Callable[[], str]:
        from azure.identity import DefaultAzureCredential, get_bearer_token_provider

        return get_bearer_token_provider(DefaultAzureCredential(), ENTRA_SCOPE)

    def get_token() -> str:
        from azure.core.exceptions import AzureError

        try:
            return build_provider()()
        except AzureError as refused:
            raise error(
                f"Entra ID issued no token for {of}: sign in with `az login`, give the app a managed identity, or set "
                "AZURE_OPENAI_API_KEY."
            ) from refused

    return get_token


class WrappedModel:
    """A `ChatModel` that forwards all calls. Args: model: the wrapped one."""

    def __init__(self, model: ChatModel) -> None:
        self.name, self._model = model.name, model

    @property
    def queue(self) -> Turns | None:
        """The queue of calls; None if the model answers any number at once."""
        return getattr(self._model, "queue", None)

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        return await self._model.complete(messages, **request)

    async def ready(self) -> None:
        await self._model.ready()

    async def close(self) -> None:
        await self._model.close()
