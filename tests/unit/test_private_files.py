from __future__ import annotations

import os
from pathlib import Path

import pytest

from rag.index.vector_cache import keep_others_out


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for revision in ("r-1", "r-2"):
        folder = tmp_path / "home" / revision
        folder.mkdir(parents=True)
        (folder / "data").write_text(revision, encoding="utf-8")
        (folder / "data").chmod(0o644)
    return tmp_path / "home"


def modes(home: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in (home, *home.rglob("*"))}


def test_others_lose_their_rights_and_the_owner_keeps_theirs(home: Path) -> None:
    keep_others_out(home)

    assert modes(home) == {0o700, 0o600}


def test_a_folder_that_another_process_removes_is_passed_over(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed, kept = home / "r-1", home / "r-2"
    scan = os.scandir

    def remove_then_scan(path: str) -> os._ScandirIterator[str]:
        if Path(path) == removed:
            removed.rename(home.parent / "elsewhere")
        return scan(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", remove_then_scan)
        keep_others_out(home)

    assert not removed.exists()
    assert modes(kept) == {0o700, 0o600}
