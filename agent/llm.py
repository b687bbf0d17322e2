"""One chat client for OpenAI, Azure OpenAI, any compatible endpoint and the embedded model."""

from __future__ import annotations

from typing import Literal, Protocol

from agent.models import Usage
from agent.profiles import choose
from agent.settings import Settings
from executors.base import Frozen


class Message(Frozen):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class ReplySchema(Frozen):
    """The JSON Schema that a reply must have; `name` is for the endpoint's logs."""

    name: str
    schema_: dict[str, object]


class Reply(Frozen):
    """What the model said. `truncated` when it ran into `max_tokens`."""

    text: str
    usage: Usage
    truncated: bool = False


class ChatModel(Protocol):
    """A model that answers a chat."""

    name: str

    async def complete(
        self,
        messages: list[Message],
        *,
        schema: ReplySchema | None = None,
        max_tokens: int = 500,
        temperature: float = 0.0,
    ) -> Reply:
        """The model's next message; JSON of `schema` where one is given.

        Raises:
            ModelUnavailable: it cannot be reached, refuses the key, or stays overloaded.
            ModelFailed: it answered with nothing usable.
        """

    async def ready(self) -> None:
        """Return when it can answer; load it if need be. Raises ModelUnavailable."""

    async def close(self) -> None:
        """Let go of connections and memory."""


DEFAULT_MODEL = "gpt-4o-mini"
ENTRA_SCOPE = "https://cognitiveservices.azure.com/.default"  # of all that Azure OpenAI serves


def build_model(settings: Settings, *, model_name: str | None = None) -> ChatModel:
    """The model that the settings name: Azure OpenAI, OpenAI or a compatible endpoint, else the embedded one.

    Nothing is loaded and nobody is called before `ready` or the first `complete`.

    Args:
        settings: where it runs, and with which key.
        model_name: another model, or Azure deployment, than `settings.chat_model`; the embedded model has no other.
    """
    name = model_name or settings.chat_model or DEFAULT_MODEL
    timeout_s = choose(settings, name).timeout_s
    if settings.azure_openai_endpoint:
        from agent.llms.openai_model import AzureOpenAIModel

        return AzureOpenAIModel(
            name,
            endpoint=settings.azure_openai_endpoint,
            api_version=settings.azure_openai_api_version,
            api_key=settings.azure_openai_api_key,
            timeout_s=timeout_s,
            retries=settings.model_retries,
        )
    if settings.is_hosted:
        from agent.llms.openai_model import OpenAIModel

        return OpenAIModel(
            name,
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            timeout_s=timeout_s,
            retries=settings.model_retries,
        )
    from agent.embedded_model import EmbeddedModel

    return EmbeddedModel(settings)
