"""Detects whether a file has changed since it was last read."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class FileState(NamedTuple):
    """What tells one version of a file from the next."""

    size: int
    modified_ns: int
    inode: int


def state_of(path: Path) -> FileState | None:
    """The state of a file now; None where there is none to see."""
    try:
        found = path.stat()
    except OSError:
        return None
    return FileState(found.st_size, found.st_mtime_ns, found.st_ino)
