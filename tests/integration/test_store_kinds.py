"""Searching a store by kinds and by ids, and lookups without known ids."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest

from executors.base import Column, Schema, Table
from rag.docs.documents import Document, Kind, make_document
from rag.index import exact
from rag.index.store import Store
from rag.linking.column_index import ColumnIndex
from rag.linking.values import StoredValues
from testbed.embedder import HashingEmbedder

COLUMNS = tuple(make_document("column", f"colour {n} of a car", table="cars", column=f"c{n}") for n in range(30))
RULES = tuple(make_document("rule", f"rule {n}: a car has a colour") for n in range(12))
QUERY = make_document("query", "Which cars are red?", sql="SELECT 1")
EVERY = (*COLUMNS, *RULES, QUERY)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture(params=["small", "large"])
def store(
    tmp_path: Path, embedder: HashingEmbedder, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Store]:
    if request.param == "large":  # what Chroma searches, and not `rag.index.exact`
        monkeypatch.setattr(exact, "MOST_NUMBERS", 0)
    store = Store(tmp_path / "index")
    store.sync("cars", EVERY, embedder)
    yield store
    store.close()


def by_likeness(documents: Sequence[Document], text: str) -> list[float]:
    """The similarities of all documents to a text, best first."""
    asked, *vectors = HashingEmbedder().embed([text, *(document.passage for document in documents)])
    return sorted((sum(a * b for a, b in zip(asked, one, strict=True)) for one in vectors), reverse=True)


@pytest.mark.parametrize(
    "kinds, of, why",
    [
        ((), EVERY, "no kind is every kind"),
        (("column", "rule", "query"), EVERY, "so are all of them"),
        (("column",), COLUMNS, "most documents"),
        (("rule",), RULES, "fewer of them than are near"),
        (("query",), (QUERY,), "only one"),
        (("table",), (), "none"),
    ],
)
def test_the_nearest_of_some_kinds_are_those_a_comparison_with_each_finds(
    store: Store, embedder: HashingEmbedder, kinds: tuple[Kind, ...], of: Sequence[Document], why: str
) -> None:
    text = "colour 7 of which car"
    found = store.search("cars", embedder.embed([text])[0], 10, kinds)
    assert {hit.document.id for hit in found} <= {document.id for document in of}, why
    assert [hit.score for hit in found] == pytest.approx(by_likeness(of, text)[:10], abs=1e-4), why


def test_ids_are_found_as_documents_are(store: Store, embedder: HashingEmbedder) -> None:
    vectors = embedder.embed(["colour 7", "red cars"])
    ids = store.search_ids("cars", vectors, 5)
    documents = [store.search("cars", vector, 5) for vector in vectors]
    assert ids == [[(hit.document.id, hit.score) for hit in hits] for hits in documents]


def test_documents_are_looked_up_by_id_and_unknown_ones_are_left_out(store: Store) -> None:
    assert store.documents_by_id("cars", [QUERY.id, "gone"]) == {QUERY.id: QUERY}
    assert store.documents_by_id("nothing", [QUERY.id]) == {}


SCHEMA = Schema(
    database="garage",
    dialect="sqlite",
    tables=(Table(name="cars", columns=(Column(name="colour", type="TEXT"), Column(name="plate", type="TEXT"))),),
)


def test_who_has_not_indexed_finds_the_same_as_who_has(
    store: Store, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexer, reader = ColumnIndex(store, embedder), ColumnIndex(store, embedder)
    indexer.sync(SCHEMA)
    indexer.sync_values(SCHEMA, [StoredValues(table="cars", column="colour", values=("dark red", "blue"))])
    looked_up: list[int] = []
    real = Store.documents_by_id

    def counted(store: Store, name: str, ids: Collection[str]) -> dict[str, Document]:
        looked_up.append(len(ids))
        return real(store, name, ids)

    monkeypatch.setattr(Store, "documents_by_id", counted)
    known = indexer.near("Which cars have a dark red colour?", "garage")
    assert {(hit.table, hit.column) for hit in known.question} == {("cars", ""), ("cars", "colour"), ("cars", "plate")}
    assert "dark red" in {value.value for value in known.values}
    assert looked_up == []
    assert reader.near("Which cars have a dark red colour?", "garage") == known
    assert sum(looked_up) == 5
    assert reader.near("Which cars have a dark red colour?", "garage") == known
    assert sum(looked_up) == 5
