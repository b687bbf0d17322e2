"""The index on disk: incremental, complete or absent, with clear errors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from index_fixtures import ALL, CITY, COUNT, GUEST, TOTAL, contents, numbered, revision

from rag.docs.documents import Document, make_document
from rag.errors import IndexOutdated
from rag.index import exact
from rag.index.store import Store, SyncReport
from testbed.embedder import HashingEmbedder

# -- what is found -----------------------------------------------------------------------------------------


def test_what_was_indexed_comes_back_as_it_was(store: Store, embedder: HashingEmbedder) -> None:
    assert store.sync("shop", ALL, embedder) == SyncReport(added=4, embedded=4)
    assert set(store.documents("shop")) == set(ALL)
    assert store.is_indexed("shop")


def test_the_folder_may_be_named_from_where_one_stands(
    tmp_path: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(Store(Path(".state"))) as here:
        here.sync("shop", numbered(3), embedder)
    with closing(Store(Path(".state"))) as again:
        assert again.sync("shop", numbered(3), embedder).unchanged == 3
        assert len(again.documents("shop")) == 3


@pytest.mark.parametrize("numbers", [exact.MOST_NUMBERS, 0], ids=["small", "large"])
def test_what_is_stored_of_a_database_is_its_owners_alone(
    store: Store, home: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch, numbers: int
) -> None:
    monkeypatch.setattr(exact, "MOST_NUMBERS", numbers)
    before = os.umask(0)
    try:
        store.sync("shop", ALL, embedder)
        store.sync("shop", ALL[:-1], embedder)  # a copy of the first, with its rights
    finally:
        os.umask(before)
    folders = [home, *(path for path in home.iterdir() if path.is_dir())]
    assert {oct(path.stat().st_mode & 0o777) for path in folders} == {"0o700"}
    files = [path for folder in folders[1:] for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "chroma.sqlite3" for path in files)
    assert any(path.name == "documents.json" for path in files) is bool(numbers)
    assert {path.name for path in files if path.stat().st_mode & 0o077} == set()
    caches = [path for path in home.parent.parent.rglob("*.sqlite*") if path.parent not in folders]
    assert {path.name for path in caches if path.stat().st_mode & 0o077} == set()


def test_an_index_that_others_could_read_is_closed_when_it_is_opened(
    store: Store, home: Path, embedder: HashingEmbedder
) -> None:
    store.sync("shop", ALL, embedder)
    store.close()
    for path in (home, *home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)

    assert set(store.documents("shop")) == set(ALL)

    assert {path.name for path in (home, *home.rglob("*")) if path.stat().st_mode & 0o077} == set()


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
    assert not store.is_indexed("shop")
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
    assert store.is_indexed("shop")
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
    monkeypatch.setattr("rag.index.chroma_folder.os.access", lambda *_: False)  # to the superuser every folder is open
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
