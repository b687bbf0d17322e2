"""The index on disk: incremental, whole or not there, and clear about what is wrong."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock

from rag import exact
from rag.documents import Document, make_document
from rag.errors import EmbedderUnavailable, IndexBusy, IndexDamaged, IndexingStopped, IndexOutdated, StoreUnavailable
from rag.revision import Turn, slug_of
from rag.store import BATCH, Store, SyncReport
from rag.testing import HashingEmbedder

TOTAL = make_document("column", "amount without tax", table="orders", column="total", source="shop.md")
CITY = make_document("column", "where the customer lives", table="customers", column="city", source="shop.md")
GUEST = make_document("rule", "a guest is an order without customer", source="shop.md")
COUNT = make_document("query", "How many orders?", sql="SELECT count(*)\nFROM orders", source="shop.md")
ALL = (TOTAL, CITY, GUEST, COUNT)
NOW = Turn(wait_s=0)


class FailingEmbedder(HashingEmbedder):
    """Works for the first texts, then no more."""

    def __init__(self, works_for: int) -> None:
        super().__init__()
        self._left = works_for

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self._left -= len(texts)
        if self._left < 0:
            raise EmbedderUnavailable("no more")
        return super().embed(texts)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "index")
    yield store
    store.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of the index `shop`."""
    return tmp_path / "index" / slug_of("shop")


def numbered(count: int) -> list[Document]:
    return [make_document("rule", f"rule {number}") for number in range(count)]


def revision(home: Path) -> Path:
    (folder,) = [path for path in home.iterdir() if path.name.startswith("r-") and "corrupt" not in path.name]
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# -- what is found -----------------------------------------------------------------------------------------


def test_what_was_indexed_comes_back_as_it_was(store: Store, embedder: HashingEmbedder) -> None:
    assert store.sync("shop", ALL, embedder) == SyncReport(added=4, embedded=4)
    assert set(store.documents("shop")) == set(ALL)
    assert store.indexed("shop")


def test_the_folder_may_be_named_from_where_one_stands(
    tmp_path: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(Store(Path(".state"))) as here:
        here.sync("shop", numbered(3), embedder)
    with closing(Store(Path(".state"))) as again:
        assert again.sync("shop", numbered(3), embedder).unchanged == 3
        assert len(again.documents("shop")) == 3


def test_the_nearest_document_is_first(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    (vector,) = embedder.embed(["city: where does a customer live"])
    hits = store.search("shop", vector, 3)
    assert hits[0].document == CITY
    assert len(hits) == 3
    assert hits[0].score > hits[1].score
    assert 0 < hits[0].score <= 1


def test_the_same_text_has_a_score_of_one(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    assert store.search("shop", embedder.embed([GUEST.passage])[0], 1)[0].score == pytest.approx(1.0, abs=1e-5)


def test_several_searches_at_once_find_what_each_would(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    vectors = embedder.embed([GUEST.passage, CITY.passage])
    assert store.search_all("shop", vectors, 2) == [store.search("shop", vector, 2) for vector in vectors]
    assert store.search_all("shop", [], 2) == []


def test_a_search_may_ask_for_some_kinds_only(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    (vector,) = embedder.embed(["order"])
    assert {hit.document for hit in store.search("shop", vector, 9, ("rule", "query"))} == {GUEST, COUNT}


def test_databases_do_not_see_each_other(store: Store, embedder: HashingEmbedder) -> None:
    strange = "a name of any kind: '../Ü' / ☃"
    store.sync("shop", (TOTAL,), embedder)
    store.sync(strange, (CITY,), embedder)
    assert store.documents("shop") == (TOTAL,)
    assert store.documents(strange) == (CITY,)
    assert store.search("shop", embedder.embed(["city"])[0], 9)[0].document == TOTAL


def test_a_database_that_was_never_indexed_has_nothing(store: Store, tmp_path: Path) -> None:
    assert store.documents("shop") == ()
    assert store.search("shop", [1.0], 3) == []
    assert not store.indexed("shop")
    assert not (tmp_path / "index").exists(), "reading makes no folders"


def test_documents_come_in_an_order_of_their_own(tmp_path: Path, embedder: HashingEmbedder) -> None:
    found = []
    for name, documents in (("a", ALL), ("b", ALL[::-1])):
        store = Store(tmp_path / name)
        store.sync("shop", documents, embedder)
        found.append(store.documents("shop"))
        store.close()
    assert found[0] == found[1]


def test_what_was_taken_out_is_in_no_file_any_more(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    secret = make_document("rule", "Ann Xylander owes 500")
    store.sync("shop", (*ALL, *numbered(20), secret), embedder)
    assert any(b"Xylander" in content for content in contents(home).values())
    store.sync("shop", (*ALL, *numbered(20)), embedder)
    assert not [name for name, content in contents(home).items() if b"xylander" in content.lower()]
    assert set(store.documents("shop")) == {*ALL, *numbered(20)}


def test_more_indexes_than_are_kept_open_are_all_found(store: Store, embedder: HashingEmbedder) -> None:
    names = [f"shop {number}" for number in range(20)]
    for name in names:
        store.sync(name, (make_document("rule", f"this is {name}"),), embedder)
    assert [store.documents(name)[0].text for name in names] == [f"this is {name}" for name in names]


# -- only what is new --------------------------------------------------------------------------------------


def test_only_new_documents_are_embedded(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", (TOTAL, CITY), embedder)
    embedder.embedded.clear()
    report = store.sync("shop", (CITY, GUEST), embedder)
    assert report == SyncReport(added=1, removed=1, unchanged=1, embedded=1)
    assert embedder.embedded == [GUEST.passage]
    assert set(store.documents("shop")) == {CITY, GUEST}


def test_a_small_change_to_a_large_index_changes_a_copy(store: Store, embedder: HashingEmbedder) -> None:
    documents = numbered(1200)
    store.sync("shop", documents, embedder)
    changed = [*documents[3:], GUEST]
    assert store.sync("shop", changed, embedder) == SyncReport(added=1, removed=3, unchanged=1197, embedded=1)
    assert set(store.documents("shop")) == set(changed)
    assert store.search("shop", embedder.embed([GUEST.passage])[0], 1)[0].document == GUEST


def test_an_unchanged_database_costs_nothing(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    store.sync("shop", ALL, embedder)
    embedder.embedded.clear()
    before = revision(home)
    assert store.sync("shop", ALL, embedder) == SyncReport(unchanged=4)
    assert embedder.embedded == []
    assert revision(home) == before


def test_all_documents_may_go(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    assert store.sync("shop", (), embedder) == SyncReport(removed=4)
    assert store.indexed("shop")
    assert store.documents("shop") == ()
    assert store.search("shop", embedder.embed(["order"])[0], 3) == []


def test_a_text_that_two_documents_share_is_embedded_once(store: Store, embedder: HashingEmbedder) -> None:
    twins = [make_document("rule", "the same words", database=name) for name in ("a", "b")]
    assert store.sync("shop", twins, embedder) == SyncReport(added=2, embedded=1)
    assert embedder.embedded == ["the same words"]


def test_progress_is_told_batch_by_batch(store: Store, embedder: HashingEmbedder) -> None:
    told: list[tuple[int, int]] = []
    store.sync("shop", numbered(150), embedder, lambda done, total: told.append((done, total)))
    assert told == [(64, 150), (128, 150), (150, 150)]


def test_only_one_revision_is_kept(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    for count in (1, 2, 3):
        store.sync("shop", numbered(count), embedder)
        assert len(store.documents("shop")) == count
    assert [path.name[:8] for path in home.glob("r-*")] == ["r-000003"]
    assert list(home.glob("draft-*")) == []


def test_who_reads_changes_no_file_of_vectors(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    store.sync("shop", ALL, embedder)
    before = contents(revision(home))
    assert len(store.search("shop", embedder.embed(["order"])[0], 3)) == 3
    store.close()
    after = contents(revision(home))
    assert after.keys() == before.keys()
    assert {name for name in after if after[name] != before[name]} <= {"chroma.sqlite3"}, "a mark that it was opened"


@pytest.mark.parametrize("most", [0, exact.MOST_NUMBERS], ids=["large", "small"])
def test_a_folder_that_cannot_be_written_is_read_all_the_same(
    tmp_path: Path, embedder: HashingEmbedder, home: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(exact, "MOST_NUMBERS", most)
    first = Store(tmp_path / "index")
    first.sync("shop", ALL, embedder)
    first.close()
    before = contents(revision(home))
    monkeypatch.setattr("rag.chroma_folder.os.access", lambda *_: False)  # to the superuser every folder is open
    deployed = Store(tmp_path / "index")
    assert set(deployed.documents("shop")) == set(ALL)
    assert deployed.sync("shop", ALL, embedder) == SyncReport(unchanged=4)
    deployed.close()
    assert contents(revision(home)) == before


# -- another model -----------------------------------------------------------------------------------------


def test_another_embedding_model_makes_the_index_anew(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    other = HashingEmbedder("other", dimension=32)
    assert store.sync("shop", ALL, other) == SyncReport(added=4, embedded=4)
    assert store.search("shop", other.embed([GUEST.passage])[0], 1, model="other")[0].document == GUEST


@pytest.mark.parametrize(
    "other, why", [(HashingEmbedder("other"), "another name"), (HashingEmbedder(dimension=8), "another dimension")]
)
def test_vectors_of_another_model_are_not_compared(
    store: Store, embedder: HashingEmbedder, other: HashingEmbedder, why: str
) -> None:
    store.sync("shop", ALL, embedder)
    with pytest.raises(IndexOutdated, match="Index again"):
        store.search("shop", other.embed(["x"])[0], 1, model=other.name)
    assert set(store.documents("shop")) == set(ALL), f"{why}: what the docs say depends on no model"


def test_the_old_index_answers_while_another_model_reads_the_docs(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    (vector,) = embedder.embed([GUEST.passage])
    found: list[Document] = []

    class Other(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            found.append(store.search("shop", vector, 1, model="hashing")[0].document)
            return super().embed(texts)

    store.sync("shop", ALL, Other("other"))
    assert found == [GUEST]
    with pytest.raises(IndexOutdated):
        store.search("shop", vector, 1, model="hashing")


# -- interrupted -------------------------------------------------------------------------------------------


def test_an_interrupted_sync_goes_on_where_it_stopped(store: Store, embedder: HashingEmbedder) -> None:
    documents = numbered(100)
    with pytest.raises(EmbedderUnavailable):
        store.sync("shop", documents, FailingEmbedder(works_for=BATCH))
    assert not store.indexed("shop")
    assert store.sync("shop", documents, embedder) == SyncReport(added=100, embedded=100 - BATCH)
    assert len(embedder.embedded) == 100 - BATCH


def test_a_sync_that_is_stopped_ends_after_its_batch(store: Store, embedder: HashingEmbedder) -> None:
    stop = threading.Event()
    with pytest.raises(IndexingStopped, match="kept"):
        store.sync("shop", numbered(200), embedder, lambda done, total: stop.set(), Turn(stop=stop))
    assert len(embedder.embedded) == BATCH
    assert store.sync("shop", numbered(200), embedder).embedded == 200 - BATCH


def test_an_embedder_that_never_works_leaves_the_index_alone(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", (TOTAL,), embedder)
    with pytest.raises(EmbedderUnavailable):
        store.sync("shop", ALL, FailingEmbedder(works_for=0))
    assert store.documents("shop") == (TOTAL,)


def test_vectors_of_what_is_no_longer_wanted_are_not_kept(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    store.sync("shop", ALL, HashingEmbedder("other"))
    store.sync("shop", (TOTAL, CITY), embedder)
    store.sync("shop", (CITY,), embedder)
    store.close()
    connection = sqlite3.connect(home.parent / "vectors.sqlite")
    kept = connection.execute("SELECT count(*), min(model) FROM vectors").fetchall()
    connection.close()
    assert kept == [(1, "hashing/256")]


def test_kept_vectors_that_are_damaged_are_set_aside(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    cache = home.parent / "vectors.sqlite"
    cache.parent.mkdir()
    cache.write_bytes(b"not a database" * 1000)
    report = store.sync("shop", ALL, embedder)
    assert report.added == 4
    assert "set aside as 'vectors.sqlite.corrupt-" in report.notes[0]
    (aside,) = cache.parent.glob("vectors.sqlite.corrupt-*")
    assert aside.read_bytes().startswith(b"not a database")


def test_where_vectors_cannot_be_kept_the_index_is_made_all_the_same(
    store: Store, embedder: HashingEmbedder, home: Path
) -> None:
    (home.parent / "vectors.sqlite").mkdir(parents=True)
    report = store.sync("shop", ALL, embedder)
    assert report.added == 4
    assert "Vectors cannot be kept (SQLITE_CANTOPEN)" in report.notes[0]


# -- who else is there -------------------------------------------------------------------------------------


def test_another_store_on_the_same_folder_finds_the_index(tmp_path: Path, embedder: HashingEmbedder) -> None:
    first = Store(tmp_path)
    first.sync("shop", ALL, embedder)
    first.close()
    again = Store(tmp_path)
    assert again.sync("shop", ALL, embedder) == SyncReport(unchanged=4)
    again.close()


def test_a_reader_goes_on_where_the_revision_is_replaced(tmp_path: Path, embedder: HashingEmbedder) -> None:
    reader, writer = Store(tmp_path), Store(tmp_path)
    writer.sync("shop", (TOTAL,), embedder)
    assert reader.documents("shop") == (TOTAL,)
    writer.sync("shop", ALL, embedder)
    assert set(reader.documents("shop")) == set(ALL)
    assert reader.search("shop", embedder.embed([GUEST.passage])[0], 1)[0].document == GUEST
    shutil.rmtree(tmp_path / slug_of("shop"))
    assert reader.documents("shop") == ()
    reader.close()
    writer.close()


def test_two_do_not_index_the_same_at_once(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    home.mkdir(parents=True)
    with FileLock(home / "index.lock"):
        with pytest.raises(IndexBusy, match="Another process is indexing"):
            store.sync("shop", ALL, embedder, turn=NOW)
        assert store.sync("another shop", ALL, embedder, turn=NOW).added == 4


def test_who_waits_is_told_and_has_its_turn(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    home.mkdir(parents=True)
    lock = FileLock(home / "index.lock")
    lock.acquire()
    told: list[str] = []

    def waiting() -> None:
        told.append("waiting")
        lock.release()

    assert store.sync("shop", ALL, embedder, turn=Turn(wait_s=None, waiting=waiting)).added == 4
    assert told == ["waiting"]


def test_who_waits_can_be_stopped(store: Store, embedder: HashingEmbedder, home: Path) -> None:
    home.mkdir(parents=True)
    stop = threading.Event()
    with FileLock(home / "index.lock"), pytest.raises(IndexingStopped):
        store.sync("shop", ALL, embedder, turn=Turn(wait_s=None, waiting=stop.set, stop=stop))


# -- damage ------------------------------------------------------------------------------------------------


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
    assert not store.indexed("shop")
    assert store.sync("shop", ALL, embedder).notes == ()
    assert not left.exists()


def test_a_new_index_that_is_not_what_was_written_does_not_replace_the_old(
    store: Store, embedder: HashingEmbedder, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.sync("shop", (TOTAL,), embedder)
    with monkeypatch.context() as patch:
        patch.setattr("rag.chroma.write", lambda *_: None)
        with pytest.raises(StoreUnavailable, match="the old one is kept"):
            store.sync("shop", ALL, embedder)
    assert store.documents("shop") == (TOTAL,)
    assert list(home.glob("draft-*")) == []


ON_A_FULL_DISK = """
import resource, sys
from pathlib import Path
from rag.documents import make_document
from rag.errors import StoreUnavailable
from rag.store import Store
from rag.testing import HashingEmbedder
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

    def refuse(*_: object) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)  # to the superuser every folder is open
    with pytest.raises(StoreUnavailable, match="Permission denied"):
        store.indexed("shop")


def test_without_chromadb_the_message_says_what_to_install(
    tmp_path: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb.errors", None)  # as if the import failed
    with pytest.raises(StoreUnavailable, match="pip install"):
        Store(tmp_path).sync("shop", ALL, embedder)
