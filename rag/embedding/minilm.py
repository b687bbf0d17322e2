"""MiniLM without torch: the packaged model's own weights, multiplied by numpy.

Importing torch and sentence-transformers takes seconds and half a gigabyte, and each call costs more than embedding a
question. This module does the same computation, BERT with mean pooling (Devlin et al., 2019; Reimers and Gurevych,
2019), for the one packaged model. sentence-transformers remains the reference and runs every other model. The file is
memory-mapped: only the needed rows of the word table are loaded.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Matrix = NDArray[np.float32]

_BERT = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
_TOKENS_AT_ONCE = 4096  # of the texts that pass through the layers together; fits the processor's caches
_MODULES = ["Transformer", "Pooling", "Normalize"]


class _Dense(NamedTuple):
    """A matrix product. Args: weight: outputs × inputs, as in the file."""

    weight: Matrix
    bias: Matrix

    def __call__(self, x: Matrix) -> Matrix:
        found: Matrix = x @ self.weight.T
        found += self.bias
        return found


class _Norm(NamedTuple):
    weight: Matrix
    bias: Matrix
    epsilon: float

    def __call__(self, x: Matrix) -> Matrix:
        x = x - x.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x)[:, None] / x.shape[1]
        x /= np.sqrt(variance + self.epsilon)
        x *= self.weight
        x += self.bias
        return x


class _Layer(NamedTuple):
    """One block of the encoder. `projections` computes queries, keys and values in one product."""

    projections: _Dense
    output: _Dense
    attention_norm: _Norm
    wide: _Dense
    narrow: _Dense
    norm: _Norm


class MiniLM:
    """Vectors of length 1 for texts, by a model in sentence-transformers' format. Safe in threads.

    Raises ImportError: `tokenizers` or `threadpoolctl` is not installed; OSError, ValueError, KeyError: the folder does
    not contain a model of this kind; `fits` checks that beforehand.
    """

    def __init__(self, folder: Path) -> None:
        from threadpoolctl import ThreadpoolController
        from tokenizers import Tokenizer

        # A question is too small for two threads: they would busy-wait for each other.
        ThreadpoolController().select(internal_api="openblas").limit(limits=1)
        config = _json(folder / "config.json")
        self._heads: int = config["num_attention_heads"]
        self.dimension: int = config["hidden_size"]
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(int(_json(folder / "sentence_bert_config.json")["max_seq_length"]))
        self._tokenizer.no_padding()
        weights = _map(folder / "model.safetensors")
        epsilon = float(config["layer_norm_eps"])
        self._words, self._places = (weights[f"embeddings.{it}_embeddings.weight"] for it in ("word", "position"))
        self._kind = weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = _norm(weights, "embeddings.LayerNorm", epsilon)
        self._layers = [_layer(weights, f"encoder.layer.{n}.", epsilon) for n in range(config["num_hidden_layers"])]
        self._lock = threading.Lock()  # one use at a time: the matrix product has its own threads

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row per text, in order. Texts longer than 256 tokens are truncated."""
        tokens = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        found = np.empty((len(tokens), self.dimension), dtype=np.float32)
        with self._lock:
            for places in _batches(tokens):
                found[places] = self._encode([tokens[at] for at in places])
        return found

    def _encode(self, tokens: Sequence[Sequence[int]]) -> Matrix:
        """Encode texts of ascending length. Attention runs over texts of equal length together, without padding."""
        lengths = [len(one) for one in tokens]
        x: Matrix = self._words[np.concatenate([np.asarray(one) for one in tokens])]
        x = x + self._places[np.concatenate([np.arange(length) for length in lengths])]
        x += self._kind
        x = self._norm(x)
        runs = _runs(lengths)
        for layer in self._layers:
            attended = self._attend(layer.projections(x), runs)
            x = layer.attention_norm(layer.output(attended) + x)
            x = layer.norm(layer.narrow(_gelu(layer.wide(x))) + x)
        starts = np.cumsum([0, *lengths[:-1]])
        means: Matrix = np.add.reduceat(x, starts, axis=0)
        means /= np.asarray(lengths, dtype=np.float32)[:, None]
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means

    def _attend(self, projected: Matrix, runs: Sequence[tuple[int, int, int]]) -> Matrix:
        """Scaled dot-product attention within each text. Args: projected: queries, keys and values side by side."""
        size = self.dimension // self._heads
        out = np.empty((len(projected), self.dimension), dtype=np.float32)
        for start, count, length in runs:
            end = start + count * length
            parts = projected[start:end].reshape(count, length, 3, self._heads, size).transpose(2, 0, 3, 1, 4)
            queries, keys, values = parts
            scores = queries @ keys.transpose(0, 1, 3, 2)
            scores *= size**-0.5
            scores -= scores.max(axis=-1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=-1, keepdims=True)
            out[start:end] = (scores @ values).transpose(0, 2, 1, 3).reshape(end - start, self.dimension)
        return out


def fits(folder: Path) -> bool:
    """Whether this module computes the folder's model exactly."""
    try:
        config, modules = _json(folder / "config.json"), _json(folder / "modules.json")
        pooling = _json(folder / "1_Pooling" / "config.json")
        kinds = [str(part["type"]).rpartition(".")[2] for part in modules]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    modes = [name for name, value in pooling.items() if name.startswith("pooling_mode_") and value is True]
    is_known = all(config.get(name) == value for name, value in _BERT.items())
    return is_known and kinds == _MODULES and modes == ["pooling_mode_mean_tokens"]


def _batches(tokens: Sequence[Sequence[int]]) -> list[list[int]]:
    """The positions of texts in batches of limited tokens, shortest texts first."""
    batches: list[list[int]] = []
    room = 0
    for at in sorted(range(len(tokens)), key=lambda it: len(tokens[it])):
        if len(tokens[at]) > room:
            batches.append([])
            room = _TOKENS_AT_ONCE
        batches[-1].append(at)
        room -= len(tokens[at])
    return batches


def _runs(lengths: Sequence[int]) -> list[tuple[int, int, int]]:
    """The start, the number and the length of each run of texts of equal length."""
    counts: dict[int, int] = defaultdict(int)
    for length in lengths:
        counts[length] += 1
    runs, start = [], 0
    for length, count in counts.items():
        runs.append((start, count, length))
        start += count * length
    return runs


def _gelu(x: Matrix) -> Matrix:
    """x Φ(x), with the error function of Abramowitz and Stegun 7.1.26: the error is below 2e-7. Changes `x`."""
    z = np.abs(x)
    z *= np.float32(2**-0.5)
    t = z * np.float32(0.3275911)
    t += 1
    np.reciprocal(t, out=t)
    series = t * np.float32(1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series += np.float32(factor)
        series *= t
    np.square(z, out=z)
    np.negative(z, out=z)
    np.exp(z, out=z)
    series *= z  # 1 - erf(|x| / √2)
    series *= np.abs(x)
    np.maximum(x, 0, out=x)
    series *= np.float32(0.5)
    x -= series
    return x


def _layer(weights: dict[str, Matrix], prefix: str, epsilon: float) -> _Layer:
    names = [f"{prefix}attention.self.{it}" for it in ("query", "key", "value")]
    projections = _Dense(
        np.concatenate([weights[f"{it}.weight"] for it in names]),
        np.concatenate([weights[f"{it}.bias"] for it in names]),
    )
    output, wide, narrow = (
        _Dense(weights[f"{prefix}{it}.weight"], weights[f"{prefix}{it}.bias"])
        for it in ("attention.output.dense", "intermediate.dense", "output.dense")
    )
    norms = [_norm(weights, f"{prefix}{it}.LayerNorm", epsilon) for it in ("attention.output", "output")]
    return _Layer(projections, output, norms[0], wide, narrow, norms[1])


def _norm(weights: dict[str, Matrix], name: str, epsilon: float) -> _Norm:
    return _Norm(weights[f"{name}.weight"], weights[f"{name}.bias"], epsilon)


def _map(path: Path) -> dict[str, Matrix]:
    """The tensors of a safetensors file: eight bytes of length, a JSON header, then the numbers."""
    data = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8 : 8 + length].tobytes())
    body = data[8 + length :]
    tensors: dict[str, Matrix] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            tensors[name] = np.asarray(body[begin:end]).view(np.float32).reshape(entry["shape"])
    return tensors


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
