"""An index of an older Plumbline is rebuilt in the background; until then the old one answers, or none."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from index_fixtures import RULE

from agent.databases.database import Database
from agent.databases.knowledge.added_documents import AddedDocuments
from agent.databases.knowledge.indexing import PATIENCE_S
from agent.databases.knowledge.knowledge import Knowledge
from agent.platform.storage.sqlite import MemoryStore
from rag.docs.documents import make_document
from rag.index.chroma_folder import MANIFEST
from rag.index.revision import INDEX_VERSION
from rag.index.store import Store
from testbed.embedder import HashingEmbedder

QUESTION = "What is the revenue of orders?"


class HeldEmbedder(HashingEmbedder):
    """Embeds a question at once, and documents when the test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.may_embed = threading.Event()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if texts[0] != QUESTION:
            assert self.may_embed.wait(60)
        return super().embed(texts)


@pytest.fixture
def embedder() -> HeldEmbedder:
    return HeldEmbedder()


@pytest.fixture
async def knowledge(tmp_path: Path, rule_docs: Path, embedder: HeldEmbedder) -> AsyncIterator[Knowledge]:
    """Of a new process: it knows the index's folder and nothing else."""
    store, impatient = Store(tmp_path / "index"), itertools.count(0, PATIENCE_S).__next__
    made = Knowledge(
        store,
        embedder,
        names=lambda: ("shop",),
        docs_of=lambda _: (rule_docs,),
        clock=impatient,
        added=AddedDocuments(MemoryStore()),
    )
    yield made
    embedder.may_embed.set()
    await made.close()


def manifest(folder: Path) -> Path:
    """Of the one index there is."""
    (found,) = folder.rglob(MANIFEST)
    return found


@pytest.fixture
def old_index(tmp_path: Path) -> Path:
    """As another version made it."""
    store = Store(tmp_path / "index")
    store.sync("shop", [make_document("rule", RULE, database="shop", source="shop.md")], HashingEmbedder())
    store.close()
    path = manifest(tmp_path / "index")
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert kept["content"]["index_version"] == INDEX_VERSION
    kept["content"]["index_version"] = "1"
    path.write_text(json.dumps(kept), encoding="utf-8")
    return path


async def rebuilt(knowledge: Knowledge, database: Database, embedder: HeldEmbedder) -> None:
    """Rebuild the index and return its answer."""
    embedder.may_embed.set()
    await knowledge.index(database)
    after = await knowledge.find(QUESTION, database, 5)
    assert [hit.document.text for hit in after.found.rules] == [RULE]
    assert not any("being indexed" in warning for warning in after.warnings)


async def test_the_old_index_answers_until_the_new_one_is_whole(
    old_index: Path, knowledge: Knowledge, database: Database, embedder: HeldEmbedder, tmp_path: Path
) -> None:
    before = await knowledge.find(QUESTION, database, 5)

    assert [hit.document.text for hit in before.found.rules] == [RULE]
    assert "being indexed" in before.warnings[0]
    assert json.loads(old_index.read_text(encoding="utf-8"))["content"]["index_version"] == "1"
    await rebuilt(knowledge, database, embedder)
    content = json.loads(manifest(tmp_path / "index").read_text(encoding="utf-8"))["content"]
    assert content["index_version"] == INDEX_VERSION


async def test_where_the_old_index_cannot_be_read_the_raw_schema_answers(
    old_index: Path, knowledge: Knowledge, database: Database, embedder: HeldEmbedder
) -> None:
    old_index.write_text(json.dumps({"format": "of another time"}), encoding="utf-8")

    before = await knowledge.find(QUESTION, database, 5)

    assert (before.found.all, before.documents) == ((), ())
    assert before.warnings != ()
    await rebuilt(knowledge, database, embedder)
