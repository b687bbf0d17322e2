"""Retrieval for the loop and for other agents: real index, small embedder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rag.docs.documents import make_document
from rag.embedding.embedder import QuestionVectors
from rag.errors import EmbedderUnavailable, StoreUnavailable
from rag.index.store import Store
from rag.retriever import Retrieval, Retriever
from testbed.embedder import HashingEmbedder

TOTAL = make_document("column", "amount of an order without tax", table="orders", column="total")
ORDERS = make_document("table", "one row for each order", table="orders")
CITY = make_document("column", "where the customer lives", table="customers", column="city")
GUEST = make_document("rule", "a guest is an order without customer")
UTC = make_document("rule", "all times are UTC")
COUNT = make_document("query", "How many orders?", sql="SELECT count(*)\nFROM orders")


class NoEmbedder(HashingEmbedder):
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise EmbedderUnavailable("The embedding model is not there. Install it.")


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def store(tmp_path: Path, embedder: HashingEmbedder) -> Iterator[Store]:
    store = Store(tmp_path)
    store.sync("shop", (TOTAL, ORDERS, CITY, GUEST, UTC, COUNT), embedder)
    embedder.embedded.clear()
    yield store
    store.close()


@pytest.fixture
def damaged(tmp_path: Path, embedder: HashingEmbedder) -> Store:
    folder = tmp_path / "damaged"
    whole = Store(folder)
    whole.sync("shop", (TOTAL,), embedder)
    whole.close()
    (file,) = folder.rglob("chroma.sqlite3")
    file.write_bytes(b"not a database" * 1000)
    return Store(folder)


async def test_each_sort_of_document_has_its_place(store: Store, embedder: HashingEmbedder) -> None:
    found = await Retriever(store, embedder).retrieve("How many orders, in total, by each guest?", "shop", top_k=2)
    assert [hit.document for hit in found.rules] == [GUEST]  # what says nothing about the question stays away
    assert {hit.document for hit in found.columns} == {TOTAL}
    assert [hit.document for hit in found.queries] == [COUNT]
    assert len(found.all) == 3
    assert found.warnings == ()


async def test_a_question_is_embedded_once(store: Store, embedder: HashingEmbedder) -> None:
    retriever = Retriever(store, QuestionVectors(embedder))
    first = await retriever.retrieve("city", "shop", top_k=1)
    assert await retriever.retrieve("city", "shop", top_k=1) == first
    assert embedder.embedded == ["city"]


async def test_a_database_without_docs_needs_no_embedder(store: Store) -> None:
    assert await Retriever(store, NoEmbedder()).retrieve("city", "other", top_k=1) == Retrieval()


async def test_without_an_embedder_there_is_a_warning_and_no_error(store: Store) -> None:
    found = await Retriever(store, NoEmbedder()).retrieve("city", "shop", top_k=1)
    assert found.all == ()
    assert found.warnings == (
        "Answered without the docs of this database: The embedding model is not there. Install it.",
    )


async def test_with_a_damaged_index_there_is_a_warning_and_no_error(damaged: Store, embedder: HashingEmbedder) -> None:
    found = await Retriever(damaged, embedder).retrieve("city", "shop", top_k=1)
    assert found.all == ()
    assert "index again" in found.warnings[0]


async def test_an_index_of_another_model_is_a_warning(store: Store) -> None:
    found = await Retriever(store, HashingEmbedder("other")).retrieve("city", "shop", top_k=1)
    assert "Index again" in found.warnings[0]


async def test_the_tool_finds_documents_of_every_kind(store: Store, embedder: HashingEmbedder) -> None:
    hits = await Retriever(store, embedder).search("How many orders?", "shop")
    assert hits[0].document == COUNT
    assert len(hits) == 5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def test_the_tool_raises_what_went_wrong(damaged: Store, embedder: HashingEmbedder) -> None:
    with pytest.raises(StoreUnavailable, match="index again"):
        await Retriever(damaged, embedder).search("city", "shop")
