"""Files with stored values or questions, which only their owner may read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600


def make_folder(path: Path) -> None:
    """Make a folder, with its parents, that only its owner may enter; close an existing one to others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=FOLDER, exist_ok=True)
    _close(path, FOLDER)


def make_file(path: Path) -> None:
    """Make an empty file that only its owner may read, before it is filled; close an existing one to others."""
    path.touch(mode=FILE)
    _close(path, FILE)


def close_tree(folder: Path) -> None:
    """Close a folder and its content to others, whatever its rights were."""
    for path in folder.rglob("*"):
        _close(path, FOLDER if path.is_dir() else FILE)
    _close(folder, FOLDER)


def keep_others_out(folder: Path) -> None:
    """Take the rights of everybody but the owner from a folder and all that is in it; the owner's stay as they are."""
    for root, _, files in os.walk(folder):  # passes over a folder that another process removes meanwhile
        for path in (Path(root), *(Path(root, file) for file in files)):
            with suppress(OSError):  # as in `_close`, or a file that is gone by now
                _close(path, path.stat().st_mode & 0o700)


def _close(path: Path, mode: int) -> None:
    with suppress(OSError):  # a share that has no modes, or a file of another user, who has to close it
        if path.stat().st_mode & 0o777 != mode:
            path.chmod(mode)
