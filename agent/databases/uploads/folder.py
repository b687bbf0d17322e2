"""Folders of uploads: each is written next to its place and then moved into it as a whole."""

from __future__ import annotations

import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.core.errors import StorageFull, UploadTooLarge
from executors.errors import is_disk_full

RESERVED = 64 * 1024**2  # bytes of the disk that are left to everything else
LEFT_AFTER_S = 86_400.0  # what nobody has put in its place for so long is left over
DATA = "data"


class UploadFolder:
    """The folders of uploads; their root is made when the first comes. Methods block."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def path(self, place: str) -> Path:
        """Where the data of an upload lies, or would."""
        return self._root / "kept" / place

    def incoming(self, place: str) -> Path:
        """Where the data of an upload lies until it is kept."""
        return self._root / "incoming" / place / DATA

    def begin(self, place: str, size: int) -> Path:
        """A new folder for so many bytes that come: what is put into its folder `data` is kept by `keep`.

        Raises StorageFull.
        """
        folder = self._root / "incoming" / place
        with disk_watched():
            (folder / DATA).mkdir(parents=True)
            if shutil.disk_usage(folder).free < size + RESERVED:
                raise StorageFull(NO_ROOM)
        return folder

    def end(self, place: str) -> None:
        """Delete what is left of data that came."""
        shutil.rmtree(self._root / "incoming" / place, ignore_errors=True)

    def keep(self, place: str, final: str = "") -> None:
        """Put what came in its place, as a whole. Args: final: that place, where it is not the one it came to."""
        target = self.path(final or place)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.incoming(place).rename(target)
        except OSError:
            if not final or not target.is_dir():
                raise  # else somebody else has put the same there

    def remove(self, place: str) -> None:
        """Delete the data of an upload, where it is there."""
        shutil.rmtree(self.path(place), ignore_errors=True)

    def sweep(self, known: Collection[str], *, now: float | None = None) -> int:
        """Delete what belongs to none of these places any more. Returns how many folders."""
        before, removed = (time.time() if now is None else now) - LEFT_AFTER_S, 0
        for folder in (*self._root.glob("incoming/*"), *self._root.glob("kept/*")):
            is_known = folder.parent.name == "kept" and folder.name in known
            if not is_known and folder.stat().st_mtime < before:
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
        return removed


class Incoming:
    """A file that is written as it comes, of at most so many bytes."""

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
    """A disk that is full, as StorageFull."""
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
