"""Builds the chat model of the settings: OpenAI, Azure OpenAI, a compatible endpoint, an extension, or embedded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from agent.core.errors import ExtensionInvalid
from agent.platform.config.profiles import choose
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import ChatModel

if TYPE_CHECKING:
    from agent.platform.storage.store import StateStore

DEFAULT_MODEL = "gpt-5-mini"
PACED = ("azure", "openai")  # providers whose responses state the rest of their rate limits


Provider = Callable[[Settings, str], ChatModel]


def build_model(settings: Settings, *, model_name: str | None = None) -> ChatModel:
    """The model of the settings. Nothing is loaded or called yet. Raises ExtensionInvalid."""
    return provider_of(settings)(settings, model_name or settings.chat_model or DEFAULT_MODEL)


def pace_model(model: ChatModel, settings: Settings, state: StateStore) -> ChatModel:
    """The model. A hosted model shares its rate limits with all processes that use the same state store."""
    if settings.provider not in PACED:
        return model
    from agent.platform.llm.openai.model import OpenAIModel
    from agent.platform.llm.pace import Pace

    if isinstance(model, OpenAIModel):
        address = settings.azure_openai_endpoint if settings.provider == "azure" else settings.openai_base_url
        endpoint = hashlib.sha256(f"{settings.provider} {address} {model.name}".encode()).hexdigest()[:32]
        model.pace = Pace(state, endpoint, longest_s=settings.request_deadline_s)
    return model


def build_second_model(settings: Settings) -> ChatModel | None:
    """The model that writes the embedded model's second draft; None if there is none."""
    key = settings.embedded_second_model
    if settings.is_hosted or key in {"none", settings.embedded_model} or choose(settings, "").second_draft == "off":
        return None
    return _build_embedded(settings.model_copy(update={"embedded_model": key, "embedded_model_path": None}), "")


def provider_of(settings: Settings) -> Provider:
    """The provider of the settings' models. Raises ExtensionInvalid if it does not exist."""
    provider = PROVIDERS.get(settings.provider)
    if provider is None:
        known = ", ".join(PROVIDERS)
        raise ExtensionInvalid(
            f"PLUMBLINE_MODEL_PROVIDER: {settings.provider!r} is unknown. Known: {known}. An extension can add one."
        )
    return provider


def add_provider(name: str, provider: Provider) -> None:
    """Make a provider known to `PLUMBLINE_MODEL_PROVIDER`. Raises ValueError if the name is taken."""
    if name in PROVIDERS:
        raise ValueError(f"{name}: that name is taken")
    PROVIDERS[name] = provider


def _azure(settings: Settings, name: str) -> ChatModel:
    from agent.platform.llm.openai.model import AzureOpenAIModel

    return AzureOpenAIModel(
        name,
        endpoint=settings.azure_openai_endpoint or "",
        api_version=settings.azure_openai_api_version,
        api_key=settings.azure_openai_api_key,
        timeout_s=choose(settings, name).timeout_s,
        retries=settings.model_retries,
    )


def _openai(settings: Settings, name: str) -> ChatModel:
    from agent.platform.llm.openai.model import OpenAIModel

    return OpenAIModel(
        name,
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key,
        timeout_s=choose(settings, name).timeout_s,
        retries=settings.model_retries,
    )


def _build_embedded(settings: Settings, _: str) -> ChatModel:
    from agent.platform.llm.embedded import EmbeddedModel

    return EmbeddedModel(settings)


PROVIDERS: dict[str, Provider] = {"azure": _azure, "openai": _openai, "embedded": _build_embedded}
