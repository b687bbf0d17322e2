"""Small indexes are searched without Chroma, and find what Chroma finds."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.docs.documents import Document, Kind, Retrieved, make_document
from rag.index import exact
from rag.index.exact import ExactVectors
from rag.index.revision import slug_of
from rag.index.store import Store, SyncReport
from testbed.embedder import HashingEmbedder

ROOT = Path(__file__).parents[2]
WORDS = ["order", "customer", "city", "product", "price", "tax", "refund", "month", "region", "stock", "delivery"]
DIMENSION = 48
KINDS: tuple[tuple[Kind, ...], ...] = ((), ("rule",), ("column", "table"), ("query",))


def some_documents(count: int) -> list[Document]:
    chosen = random.Random(7)
    texts = [f"{number} {' '.join(chosen.sample(WORDS, 5))}" for number in range(count)]
    kinds: Sequence[Kind] = [chosen.choice(("rule", "column", "table")) for _ in texts]
    return [make_document(kind, text, table="orders") for kind, text in zip(kinds, texts, strict=True)]


DOCUMENTS = some_documents(300)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder(dimension=DIMENSION)


def files_of(path: Path) -> set[str]:
    """The names of all files of the index `shop`."""
    return {file.name for file in (path / slug_of("shop")).rglob("*") if file.is_file()}


@pytest.fixture
def small(tmp_path: Path, embedder: HashingEmbedder) -> Path:
    """The folder of a small index."""
    store = Store(tmp_path / "small")
    store.sync("shop", DOCUMENTS, embedder)
    store.close()
    return tmp_path / "small"


@pytest.fixture
def large(tmp_path: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same documents, in an index that counts as large, as those that an earlier release has made."""
    with monkeypatch.context() as patch:
        patch.setattr(exact, "MOST_NUMBERS", len(DOCUMENTS) * DIMENSION - 1)
        store = Store(tmp_path / "large")
        store.sync("shop", DOCUMENTS, embedder)
        store.close()
    return tmp_path / "large"


def found_in(path: Path, vectors: Sequence[Sequence[float]], kinds: Sequence[Kind]) -> list[list[Retrieved]]:
    store = Store(path)
    found = [store.search("shop", vector, 12, kinds) for vector in vectors]
    store.close()
    return found


@pytest.mark.parametrize("kinds", KINDS, ids=str)
def test_it_finds_what_chroma_finds(
    small: Path, large: Path, embedder: HashingEmbedder, kinds: tuple[Kind, ...]
) -> None:
    chosen = random.Random(11)
    vectors = embedder.embed([" ".join(chosen.sample(WORDS, 4)) for _ in range(20)])
    for ours, theirs in zip(found_in(small, vectors, kinds), found_in(large, vectors, kinds), strict=True):
        assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs], abs=2e-6)
        least = ours[-1].score if ours else 0.0
        # What is as near as the last one may be another one.
        assert {hit.document for hit in ours if hit.score > least + 2e-6} <= {hit.document for hit in theirs}


def test_both_hold_the_same(small: Path, large: Path) -> None:
    assert {"vectors.npy", "documents.json"} <= files_of(small)
    assert not {"vectors.npy", "documents.json"} & files_of(large)
    ours, theirs = Store(small), Store(large)
    assert ours.documents("shop") == theirs.documents("shop")
    some = [DOCUMENTS[0].id, DOCUMENTS[-1].id, "gone"]
    assert ours.documents_by_id("shop", some) == theirs.documents_by_id("shop", some)
    ours.close()
    theirs.close()


def test_a_vector_without_direction_is_like_nothing(small: Path) -> None:
    (found,) = found_in(small, [[0.0] * DIMENSION], ())
    assert [hit.score for hit in found] == [0.0] * 12


def test_of_what_is_equally_near_the_first_ids_are_taken() -> None:
    import numpy as np

    vectors = ExactVectors(DOCUMENTS[:40], np.ones((40, 3), dtype=np.float32))
    (found,) = vectors.nearest([[2.0, 2.0, 2.0]], 5)
    assert found == [(key, 1.0) for key in sorted(document.id for document in DOCUMENTS[:40])[:5]]


SEARCH = """
import sys
from pathlib import Path
from rag.index.store import Store
store = Store(Path(sys.argv[1]))
store.load(["shop"])
print(len(store.search("shop", [0.5] * 48, 3)), len(store.documents("shop")), "chromadb" in sys.modules)
store.close()
"""


@pytest.mark.parametrize("which, loads", [("small", False), ("large", True)])
def test_chroma_is_imported_where_it_is_needed_and_not_else(
    request: pytest.FixtureRequest, which: str, loads: bool
) -> None:
    command = [sys.executable, "-c", SEARCH, str(request.getfixturevalue(which))]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["3", str(len(DOCUMENTS)), str(loads)]


def test_an_index_that_grows_is_left_to_chroma_and_one_that_shrinks_is_not(
    small: Path, embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "MOST_NUMBERS", len(DOCUMENTS) * DIMENSION)
    more = make_document("rule", "a guest is an order without customer")
    store = Store(small)
    assert store.sync("shop", [*DOCUMENTS, more], embedder) == SyncReport(added=1, unchanged=300, embedded=1)
    assert "vectors.npy" not in files_of(small)
    (found,) = store.search("shop", embedder.embed([more.passage])[0], 1)
    assert found.document == more
    assert store.sync("shop", DOCUMENTS[5:], embedder) == SyncReport(removed=6, unchanged=295)
    assert "vectors.npy" in files_of(small)
    assert set(store.documents("shop")) == set(DOCUMENTS[5:])
    store.close()


def test_what_is_known_of_a_small_index_is_not_embedded_again(small: Path, embedder: HashingEmbedder) -> None:
    (small / "vectors.sqlite").unlink()  # what an interrupted run would go on with
    embedder.embedded.clear()
    store = Store(small)
    assert store.sync("shop", [*DOCUMENTS[200:], *some_documents(310)[300:]], embedder).embedded == 10
    (found,) = store.search("shop", embedder.embed([DOCUMENTS[250].passage])[0], 1)
    assert found.document == DOCUMENTS[250]
    assert found.score == pytest.approx(1.0, abs=1e-5)
    store.close()
