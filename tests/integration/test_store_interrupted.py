"""An index on disk while it is written: runs that are interrupted, and others that read or wait meanwhile."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock
from index_fixtures import ALL, CITY, GUEST, NOW, TOTAL, FailingEmbedder, numbered

from rag.errors import EmbedderUnavailable, IndexBusy, IndexingStopped
from rag.index.revision import Turn, slug_of
from rag.index.store import BATCH, Store, SyncReport
from testbed.embedder import HashingEmbedder

ROOT = Path(__file__).parents[2]
PATIENCE_S = 120.0

# -- interrupted -------------------------------------------------------------------------------------------


def test_an_interrupted_sync_goes_on_where_it_stopped(store: Store, embedder: HashingEmbedder) -> None:
    documents = numbered(100)
    with pytest.raises(EmbedderUnavailable):
        store.sync("shop", documents, FailingEmbedder(works_for=BATCH))
    assert not store.is_indexed("shop")
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


# -- readers and writers, all at once ----------------------------------------------------------------------

READ = """
import sys, time
from pathlib import Path
from rag.index.store import Store
from testbed.embedder import HashingEmbedder

store, embedder = Store(Path(sys.argv[1])), HashingEmbedder()
(vector,) = embedder.embed(["fact"])
seen, searches = set(), 0
while "generation 5" not in seen:
    texts = {document.text.rpartition(" of ")[2] for document in store.documents("shop")}
    assert len(texts) <= 1, f"parts of several revisions: {texts}"
    found = {hit.document.text.rpartition(" of ")[2] for hit in store.search("shop", vector, 20)}
    assert len(found) <= 1, f"parts of several revisions: {found}"
    assert not (texts and found) or min(found) >= min(texts), "what is found is older than what was listed"
    seen |= texts
    searches += 1
print(searches, sorted(seen))
"""
WRITE = """
import sys
from pathlib import Path
from rag.docs.documents import make_document
from rag.index.revision import Turn
from rag.index.store import Store
from testbed.embedder import HashingEmbedder

store, embedder = Store(Path(sys.argv[1])), HashingEmbedder()
for generation in range(1, 6):
    documents = [make_document("rule", f"fact {n} of generation {generation}") for n in range(300)]
    store.sync("shop", documents, embedder, turn=Turn(wait_s=None))
"""


async def test_several_processes_read_while_others_write_and_each_sees_whole_revisions(tmp_path: Path) -> None:
    async def run(code: str) -> tuple[int, str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, str(tmp_path / "index"), cwd=ROOT,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        try:
            out, _ = await asyncio.wait_for(process.communicate(), 2 * PATIENCE_S)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return process.returncode or 0, out.decode()

    *readers, writer = await asyncio.gather(run(READ), run(READ), run(READ), run(WRITE))

    assert writer == (0, "")
    for code, said in readers:
        assert code == 0, said
        assert "generation 5" in said
    home = tmp_path / "index" / slug_of("shop")
    assert len(list(home.glob("r-*"))) == 1
