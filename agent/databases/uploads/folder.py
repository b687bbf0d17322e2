"""Folders of uploads: each is written or unpacked within limits, then moved into its place as a whole."""

from __future__ import annotations

import re
import shutil
import time
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from agent.core.errors import StorageFull, UploadInvalid, UploadTooLarge
from executors.engines.files.prepared import MAX_RATIO, RATIO_FROM
from executors.errors import is_disk_full
from executors.registry.kinds import is_file_of_data, is_named_unread

RESERVED = 64 * 1024**2  # bytes of the disk that are kept free
LEFT_AFTER_S = 86_400.0  # age after which incomplete data is deleted
DATA = "data"


class UploadFolder:
    """The folders of uploads. The root is created with the first upload. Methods block."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, place: str) -> Path:
        """The folder for the data of an upload. It may not exist."""
        return self._root / "kept" / place

    def incoming(self, place: str) -> Path:
        """The folder for the data of an upload until it is kept."""
        return self._root / "incoming" / place / DATA

    def begin(self, place: str, size: int) -> Path:
        """Create a folder for `size` bytes. `keep` keeps the contents of its `data` folder. Raises StorageFull."""
        folder = self._root / "incoming" / place
        with disk_watched():
            (folder / DATA).mkdir(parents=True)
            if shutil.disk_usage(folder).free < size + RESERVED:
                raise StorageFull(NO_ROOM)
        return folder

    def end(self, place: str) -> None:
        """Delete the incoming folder and the rest of its contents."""
        shutil.rmtree(self._root / "incoming" / place, ignore_errors=True)

    def keep(self, place: str, final: str = "") -> None:
        """Move incoming data into its place as a whole. Args: final: the final place, if it differs from `place`."""
        target = self.path(final or place)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.incoming(place).rename(target)
        except OSError:
            if not final or not target.is_dir():
                raise  # else another process put the same data there

    def remove(self, place: str) -> None:
        shutil.rmtree(self.path(place), ignore_errors=True)

    def sweep(self, known: Collection[str], *, now: float | None = None) -> int:
        """Delete old folders that belong to none of the known places. Returns the number of folders."""
        before, removed = (time.time() if now is None else now) - LEFT_AFTER_S, 0
        for folder in (*self._root.glob("incoming/*"), *self._root.glob("kept/*")):
            is_known = folder.parent.name == "kept" and folder.name in known
            if not is_known and folder.stat().st_mtime < before:
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
        return removed


class Incoming:
    """A file that is written as it arrives, of at most `most_bytes`."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self.path, self.most_bytes, self.size = path, most_bytes, 0

    def write(self, pieces: Collection[bytes]) -> None:
        """Append. Raises UploadTooLarge, OSError."""
        self.size += sum(map(len, pieces))
        if self.size > self.most_bytes:
            raise too_large(self.most_bytes)
        with self.path.open("ab") as out:
            out.writelines(pieces)


@contextmanager
def disk_watched() -> Iterator[None]:
    """Raise StorageFull if the disk is full."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise StorageFull(NO_ROOM) from error
        raise


NO_ROOM = "The service's disk is full, and nothing was kept. Delete uploads that you do not need, or ask its operator."


def too_large(most_bytes: int) -> UploadTooLarge:
    """The error of an upload that is larger than the settings allow."""
    return UploadTooLarge(
        f"An upload may have {most_bytes // 10**6:,} MB. Send less, or send it packed (.zip, .csv.gz)."
    )


MAX_FILES = 500  # per archive
_PIECE = 1024 * 1024
_ENCRYPTED = 0x1
_STRANGE = re.compile(r"[^\w .()=+-]")
_JUNK = ("__MACOSX", ".")  # added by archivers of some systems


def safe_name(name: str) -> str:
    """A file name without characters that are special in paths, globs or shells."""
    return _STRANGE.sub("_", name).strip(" .") or "data"


def unpack(archive: Path, folder: Path, *, most_bytes: int) -> None:
    """Unpack the data files of a ZIP archive into an existing folder, and those that are named because they cannot be
    read. Other files are left out, as they are in a folder.

    Raises UploadInvalid: it is no archive, encrypted, a zip bomb, or has no readable file; UploadTooLarge:
    it unpacks to more than `most_bytes`; OSError: the disk cannot store it.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            members = _members(packed, archive.name, most_bytes)
            left = most_bytes
            for member in members:
                left -= _write(packed, member, folder, left)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise UploadInvalid(f"{archive.name} is not a ZIP archive that can be unpacked: pack it again.") from error


def _members(packed: zipfile.ZipFile, name: str, most_bytes: int) -> list[zipfile.ZipInfo]:
    files = [it for it in packed.infolist() if not it.is_dir()]
    files = [it for it in files if not any(part.startswith(_JUNK) for part in PurePosixPath(it.filename).parts)]
    if not files:
        raise UploadInvalid(f"{name} is empty: put CSV, TSV, JSON, Parquet or Excel files into it.")
    if not any(is_file_of_data(Path(it.filename)) for it in files):
        shown = PurePosixPath(files[0].filename).name
        raise UploadInvalid(
            f"{name} contains {shown!r}, which cannot be read: pack CSV, TSV, JSON, Parquet or Excel files."
        )
    members = [it for it in files if is_file_of_data(Path(it.filename)) or is_named_unread(Path(it.filename))]
    if len(members) > MAX_FILES:
        raise UploadInvalid(f"{name} contains {len(members):,} files, and at most {MAX_FILES} are read: pack fewer.")
    if any(it.flag_bits & _ENCRYPTED for it in members):
        raise UploadInvalid(f"{name} is encrypted: pack it without a password.")
    if sum(it.file_size for it in members) > most_bytes:
        raise _too_much(name, most_bytes)
    for it in members:
        if it.file_size > RATIO_FROM and it.file_size > MAX_RATIO * max(it.compress_size, 1):
            raise UploadInvalid(f"{name} unpacks to more than {MAX_RATIO} times its size: send the files unpacked.")
    return members


def _write(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left: int) -> int:
    """Unpack one file. Bytes are counted, as the sizes stated in an archive may be wrong. Returns the bytes."""
    parts = [safe_name(part) for part in PurePosixPath(member.filename.replace("\\", "/")).parts if part not in "/.."]
    target = folder.joinpath(*parts)
    if target.exists():
        raise UploadInvalid(f"{packed.filename and Path(packed.filename).name} contains {target.name!r} twice.")
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with packed.open(member) as source, target.open("wb") as out:
        while piece := source.read(_PIECE):
            written += len(piece)
            if written > left:
                raise _too_much(Path(str(packed.filename)).name, left)
            out.write(piece)
    return written


def _too_much(name: str, most_bytes: int) -> UploadTooLarge:
    return UploadTooLarge(f"{name} unpacks to more than {most_bytes // 10**6:,} MB: send less at once.")
