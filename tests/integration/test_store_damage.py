"""A damaged index on disk, or a full disk: reported, set aside, and rebuilt."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from index_fixtures import ALL, TOTAL, contents, numbered, revision

from rag.errors import IndexDamaged, StoreUnavailable
from rag.index.store import Store, SyncReport
from testbed.embedder import HashingEmbedder


def vectors_file(folder: Path, name: str) -> Path:
    (found,) = folder.rglob(name)
    return found


def overwrite(name: str, at: int = 0) -> Callable[[Path], object]:
    def damage(folder: Path) -> None:
        path = vectors_file(folder, name)
        size = path.stat().st_size
        path.write_bytes(path.read_bytes()[:at] + b"\xa5" * (size - at))

    return damage


def cut(name: str, share: float) -> Callable[[Path], object]:
    def damage(folder: Path) -> None:
        path = vectors_file(folder, name)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    return damage


def without(name: str) -> Callable[[Path], object]:
    return lambda folder: vectors_file(folder, name).unlink()


def forget_rows(folder: Path) -> None:
    connection = sqlite3.connect(folder / "chroma.sqlite3")
    connection.execute("DELETE FROM embeddings WHERE id = 1")
    connection.commit()
    connection.close()


DAMAGES = [
    (overwrite("data_level0.bin"), "ends the process, if Chroma reads it"),
    (cut("data_level0.bin", 0.5), "finds the wrong documents, and says nothing"),
    (without("data_level0.bin"), "a file of the vectors is missing"),
    (without("index_metadata.pickle"), "finds one document only, and says nothing"),
    (lambda folder: shutil.rmtree(vectors_file(folder, "header.bin").parent), "no vectors at all"),
    (overwrite("chroma.sqlite3"), "no database"),
    (overwrite("chroma.sqlite3", at=20_000), "a database with damaged pages, in which Chroma's code panics"),
    (cut("chroma.sqlite3", 0.5), "half a database"),
    (cut("chroma.sqlite3", 0.0), "an empty file, which is an empty database"),
    (without("chroma.sqlite3"), "no file"),
    (forget_rows, "a sound database that has not all documents"),
    (overwrite("vectors.npy", at=128), "other vectors, and a search finds other documents"),
    (without("vectors.npy"), "a small index without what is searched in it"),
    (cut("documents.json", 0.5), "half of its documents"),
    (without("manifest.json"), "a folder that was never whole"),
    (overwrite("manifest.json"), "what it held cannot be read"),
]


@pytest.mark.parametrize("damage, why", DAMAGES, ids=[why for _, why in DAMAGES])
def test_a_damaged_index_is_not_trusted_and_the_next_sync_sets_it_aside(
    tmp_path: Path, embedder: HashingEmbedder, home: Path, damage: Callable[[Path], object], why: str
) -> None:
    documents = numbered(60)
    whole = Store(tmp_path / "index")
    whole.sync("shop", documents, embedder)
    whole.close()
    damage(revision(home))
    damaged = contents(revision(home))
    embedder.embedded.clear()

    store = Store(tmp_path / "index")
    with pytest.raises(IndexDamaged, match="index again") as caught:
        store.search("shop", embedder.embed(["rule"])[0], 1)
    assert str(tmp_path) not in str(caught.value), "no path is told"
    with pytest.raises(IndexDamaged):
        store.documents("shop")

    embedder.embedded.clear()
    report = store.sync("shop", documents, embedder)

    assert (report.added, report.embedded) == (60, 0), "vectors that were kept are not computed again"
    assert "is damaged" in report.notes[0]
    (aside,) = home.glob("*.corrupt-*")
    assert aside.name in report.notes[0]
    assert contents(aside) == damaged, "nothing is deleted"
    assert set(store.documents("shop")) == set(documents)
    assert store.sync("shop", documents, embedder) == SyncReport(unchanged=60)
    store.close()


def test_what_a_killed_process_left_is_no_index_and_goes(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    left = home / "draft-0123456789ab"
    left.mkdir(parents=True)
    (left / "chroma.sqlite3").write_bytes(b"half")
    assert not store.is_indexed("shop")
    assert store.sync("shop", ALL, embedder).notes == ()
    assert not left.exists()


def test_a_new_index_that_is_not_what_was_written_does_not_replace_the_old(
    store: Store, embedder: HashingEmbedder, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.sync("shop", (TOTAL,), embedder)
    with monkeypatch.context() as patch:
        patch.setattr("rag.index.chroma.write", lambda *_: None)
        with pytest.raises(StoreUnavailable, match="the old one is kept"):
            store.sync("shop", ALL, embedder)
    assert store.documents("shop") == (TOTAL,)
    assert list(home.glob("draft-*")) == []


ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from rag.docs.documents import make_document
from rag.errors import StoreUnavailable
from rag.index.store import Store
from testbed.embedder import HashingEmbedder
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    documents = [make_document("rule", f"rule {n}") for n in range(3000)]
    Store(Path(sys.argv[1])).sync("shop", documents, HashingEmbedder(dimension=384))
except StoreUnavailable as error:
    print(error)
"""


@pytest.mark.parametrize(
    "most, why",
    [(300_000, "no room for the texts"), (3_000_000, "none for the vectors"), (5_000_000, "none for the last of them")],
)
def test_a_file_that_cannot_grow_leaves_the_old_index(
    tmp_path: Path, embedder: HashingEmbedder, home: Path, most: int, why: str
) -> None:
    store = Store(tmp_path / "index")
    store.sync("shop", ALL, embedder)
    command = [sys.executable, "-c", ON_A_FULL_DISK, str(tmp_path / "index"), str(most)]
    ended = subprocess.run(command, cwd=Path.cwd(), capture_output=True, text=True, check=True)
    assert "Check that the folder can be written and that the disk has room" in ended.stdout, why
    assert list(home.glob("draft-*")) == []
    assert set(store.documents("shop")) == set(ALL)
    assert store.sync("shop", ALL, embedder) == SyncReport(unchanged=4)
    store.close()


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path, embedder: HashingEmbedder) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="Check that the folder can be written") as caught:
        Store(tmp_path / "file" / "index").sync("shop", ALL, embedder)
    assert str(tmp_path) not in str(caught.value)


def test_a_folder_that_may_not_be_read_says_so(
    store: Store, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.sync("shop", ALL, embedder)

    def refuse(*_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rag.index.chroma_folder.os.listdir", refuse)  # to the superuser every folder is open
    with pytest.raises(StoreUnavailable, match="Permission denied"):
        store.is_indexed("shop")


def test_without_chromadb_the_message_says_what_to_install(
    tmp_path: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb.errors", None)  # as if the import failed
    with pytest.raises(StoreUnavailable, match="pip install"):
        Store(tmp_path).sync("shop", ALL, embedder)
