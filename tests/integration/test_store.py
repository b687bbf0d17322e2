"""The index on disk: incremental, shared between processes, and clear about what is wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from filelock import FileLock

from rag.documents import Document, make_document
from rag.errors import EmbedderUnavailable, IndexOutdated, StoreUnavailable
from rag.store import Store, SyncReport
from rag.testing import HashingEmbedder

TOTAL = make_document("column", "amount without tax", table="orders", column="total", source="shop.md")
CITY = make_document("column", "where the customer lives", table="customers", column="city", source="shop.md")
GUEST = make_document("rule", "a guest is an order without customer", source="shop.md")
COUNT = make_document("query", "How many orders?", sql="SELECT count(*)\nFROM orders", source="shop.md")
ALL = (TOTAL, CITY, GUEST, COUNT)


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


def numbered(count: int) -> list[Document]:
    return [make_document("rule", f"rule {number}") for number in range(count)]


def test_what_was_indexed_comes_back_as_it_was(store: Store, embedder: HashingEmbedder) -> None:
    assert store.sync("shop", ALL, embedder) == SyncReport(added=4)
    assert set(store.documents("shop")) == set(ALL)
    assert store.indexed("shop")


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


def test_a_search_may_ask_for_some_kinds_only(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    (vector,) = embedder.embed(["order"])
    assert {hit.document for hit in store.search("shop", vector, 9, ("rule", "query"))} == {GUEST, COUNT}


def test_only_new_documents_are_embedded(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", (TOTAL, CITY), embedder)
    embedder.embedded.clear()
    assert store.sync("shop", (CITY, GUEST), embedder) == SyncReport(added=1, removed=1, unchanged=1)
    assert embedder.embedded == [GUEST.passage]
    assert set(store.documents("shop")) == {CITY, GUEST}


def test_an_unchanged_database_costs_nothing(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    embedder.embedded.clear()
    assert store.sync("shop", ALL, embedder) == SyncReport(unchanged=4)
    assert embedder.embedded == []


def test_progress_is_told_batch_by_batch(store: Store, embedder: HashingEmbedder) -> None:
    told: list[tuple[int, int]] = []
    store.sync("shop", numbered(150), embedder, lambda done, total: told.append((done, total)))
    assert told == [(64, 150), (128, 150), (150, 150)]


def test_databases_do_not_see_each_other(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", (TOTAL,), embedder)
    store.sync("a name of any kind: 'Ü' / ☃", (CITY,), embedder)
    assert store.documents("shop") == (TOTAL,)
    assert store.documents("a name of any kind: 'Ü' / ☃") == (CITY,)
    assert store.search("shop", embedder.embed(["city"])[0], 9)[0].document == TOTAL


def test_a_database_that_was_never_indexed_has_nothing(store: Store, tmp_path: Path) -> None:
    assert store.documents("shop") == ()
    assert store.search("shop", [1.0], 3) == []
    assert not store.indexed("shop")
    assert not (tmp_path / "index").exists()


def test_documents_come_in_an_order_of_their_own(tmp_path: Path, embedder: HashingEmbedder) -> None:
    found = []
    for name, documents in (("a", ALL), ("b", ALL[::-1])):
        store = Store(tmp_path / name)
        store.sync("shop", documents, embedder)
        found.append(store.documents("shop"))
        store.close()
    assert found[0] == found[1]


def test_another_embedding_model_makes_the_index_anew(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", ALL, embedder)
    other = HashingEmbedder("other", dimension=32)
    assert store.sync("shop", ALL, other) == SyncReport(added=4)
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


def test_an_interrupted_sync_goes_on_where_it_stopped(store: Store, embedder: HashingEmbedder) -> None:
    documents = numbered(100)
    with pytest.raises(EmbedderUnavailable):
        store.sync("shop", documents, FailingEmbedder(works_for=64))
    assert not store.indexed("shop")
    assert store.sync("shop", documents, embedder) == SyncReport(added=36, unchanged=64)


def test_an_embedder_that_never_works_leaves_the_index_alone(store: Store, embedder: HashingEmbedder) -> None:
    store.sync("shop", (TOTAL,), embedder)
    with pytest.raises(EmbedderUnavailable):
        store.sync("shop", ALL, FailingEmbedder(works_for=0))
    assert store.documents("shop") == (TOTAL,)


def test_another_store_on_the_same_folder_finds_the_index(tmp_path: Path, embedder: HashingEmbedder) -> None:
    first = Store(tmp_path)
    first.sync("shop", ALL, embedder)
    first.close()
    again = Store(tmp_path)
    assert again.sync("shop", ALL, embedder) == SyncReport(unchanged=4)
    again.close()


SYNC_ELSEWHERE = """
import sys
from pathlib import Path
from rag.documents import make_document
from rag.store import Store
from rag.testing import HashingEmbedder
Store(Path(sys.argv[1])).sync("shop", [make_document("rule", text) for text in sys.argv[2:]], HashingEmbedder())
"""


def test_what_another_process_indexes_is_seen(store: Store, embedder: HashingEmbedder, tmp_path: Path) -> None:
    store.sync("shop", (make_document("rule", "times are UTC"),), embedder)
    (vector,) = embedder.embed(["fiscal year"])
    assert store.search("shop", vector, 1)[0].document.text == "times are UTC"
    texts = ["times are UTC", "the fiscal year starts in February"]
    subprocess.run([sys.executable, "-c", SYNC_ELSEWHERE, str(tmp_path / "index"), *texts], check=True, cwd=Path.cwd())
    assert store.search("shop", vector, 1)[0].document.text == texts[1]
    assert {document.text for document in store.documents("shop")} == set(texts)


def test_two_do_not_index_at_once(tmp_path: Path, embedder: HashingEmbedder) -> None:
    store = Store(tmp_path, lock_timeout_s=0.01)
    with FileLock(tmp_path / "index.lock"), pytest.raises(StoreUnavailable, match="Another process is indexing"):
        store.sync("shop", ALL, embedder)
    store.close()


def test_a_damaged_index_says_what_to_do_and_shows_no_path(tmp_path: Path, embedder: HashingEmbedder) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    store = Store(tmp_path)
    for use in (lambda: store.indexed("shop"), lambda: store.sync("shop", ALL, embedder)):
        with pytest.raises(StoreUnavailable, match="delete it and index again") as caught:
            use()
        assert str(tmp_path.parent) not in str(caught.value)


def test_an_index_that_is_mended_can_be_used_again(tmp_path: Path, embedder: HashingEmbedder) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    store = Store(tmp_path)
    with pytest.raises(StoreUnavailable):
        store.sync("shop", ALL, embedder)
    (tmp_path / "chroma.sqlite3").unlink()
    assert store.sync("shop", ALL, embedder) == SyncReport(added=4)
    store.close()


def test_damaged_vectors_say_what_to_do(tmp_path: Path, embedder: HashingEmbedder) -> None:
    store = Store(tmp_path)
    store.sync("shop", numbered(1100), embedder)  # beyond a thousand, Chroma writes its vectors to files
    store.close()
    for file in tmp_path.rglob("*.bin"):
        file.write_bytes(b"damaged")
    with pytest.raises(StoreUnavailable, match="delete it and index again"):
        store.search("shop", embedder.embed(["rule"])[0], 1)
    store.close()


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path, embedder: HashingEmbedder) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="Check that the folder can be written") as caught:
        Store(tmp_path / "file" / "index").sync("shop", ALL, embedder)
    assert str(tmp_path) not in str(caught.value)


def test_without_chromadb_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chromadb.errors", None)
    with pytest.raises(StoreUnavailable, match="pip install"):
        Store(tmp_path).indexed("shop")
