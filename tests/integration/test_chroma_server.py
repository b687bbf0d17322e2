"""The index on a Chroma server: a real `chroma run`, stopped and started, shared, silent, and not there at all."""

from __future__ import annotations

import http.server
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from chroma_process import Running
from pydantic import SecretStr

from rag.docs.documents import Document, make_document
from rag.errors import EmbedderUnavailable, IndexBusy, IndexDamaged, IndexOutdated, StoreUnavailable
from rag.index import chroma_server
from rag.index.chroma_server import ChromaServer
from rag.index.revision import Turn, slug_of
from rag.index.store import BATCH, Store, SyncReport
from testbed.embedder import HashingEmbedder

TOTAL = make_document("column", "amount without tax", table="orders", column="total", source="shop.md")
GUEST = make_document("rule", "a guest is an order without customer", source="shop.md")
COUNT = make_document("query", "How many orders?", sql="SELECT count(*)\nFROM orders", source="shop.md")
ALL = (TOTAL, GUEST, COUNT)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    server = Running(tmp_path_factory.mktemp("chroma"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def server(shared: Running) -> Iterator[Running]:
    yield shared
    if not shared.runs:
        shared.start()
    with shared.client() as client:
        for collection in client.list_collections():
            client.delete_collection(collection.name)


@pytest.fixture
def open_store(server: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Store]]:
    """Stores of machines that share the server; each looks at the server at every search."""
    stores: list[Store] = []
    monkeypatch.setattr(chroma_server, "TRUSTED_S", 0.0)

    def open_store(machine: str = "here") -> Store:
        stores.append(Store(tmp_path / machine, ChromaServer(url=server.url)))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    return open_store()


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


def numbered(count: int) -> list[Document]:
    return [make_document("rule", f"rule {number}") for number in range(count)]


# -- as in a folder ----------------------------------------------------------------------------------------


def test_what_was_indexed_is_found(store: Store, embedder: HashingEmbedder, server: Running) -> None:
    assert not store.is_indexed("shop")
    assert store.search("shop", [1.0], 3) == []
    assert store.sync("shop", ALL, embedder) == SyncReport(added=3, embedded=3)
    assert set(store.documents("shop")) == set(ALL)
    assert store.search("shop", embedder.embed([GUEST.passage])[0], 1)[0].document == GUEST
    assert server.collections() == {"-head", "-r000001"}


def test_only_what_is_new_is_embedded(store: Store, embedder: HashingEmbedder, server: Running) -> None:
    store.sync("shop", (TOTAL, GUEST), embedder)
    embedder.embedded.clear()
    assert store.sync("shop", (GUEST, COUNT), embedder) == SyncReport(added=1, removed=1, unchanged=1, embedded=1)
    assert embedder.embedded == [COUNT.passage]
    assert store.sync("shop", (GUEST, COUNT), embedder) == SyncReport(unchanged=2)
    assert server.collections() == {"-head", "-r000002"}, "the old revision is gone"


def test_a_machine_without_the_vectors_takes_them_from_the_server(
    open_store: Callable[..., Store], embedder: HashingEmbedder
) -> None:
    open_store("here").sync("shop", (TOTAL, GUEST), embedder)
    embedder.embedded.clear()
    assert open_store("there").sync("shop", ALL, embedder).embedded == 1
    assert embedder.embedded == [COUNT.passage]


def test_a_changed_model_reads_the_docs_anew_while_the_old_index_answers(
    store: Store, embedder: HashingEmbedder
) -> None:
    store.sync("shop", ALL, embedder)
    (vector,) = embedder.embed([GUEST.passage])
    other = HashingEmbedder("other", dimension=32)
    with pytest.raises(IndexOutdated, match="Index again"):
        store.search("shop", other.embed(["x"])[0], 1, model="other")
    assert store.search("shop", vector, 1, model="hashing")[0].document == GUEST
    assert store.sync("shop", ALL, other) == SyncReport(added=3, embedded=3)
    assert store.search("shop", other.embed([GUEST.passage])[0], 1, model="other")[0].document == GUEST


def test_an_interrupted_sync_goes_on_and_leaves_the_old_index(
    store: Store, embedder: HashingEmbedder, server: Running
) -> None:
    class Failing(HashingEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if self.embedded:
                raise EmbedderUnavailable("no more")
            return super().embed(texts)

    store.sync("shop", (TOTAL,), embedder)
    with pytest.raises(EmbedderUnavailable):
        store.sync("shop", numbered(300), Failing())
    assert store.documents("shop") == (TOTAL,)
    assert server.collections() == {"-head", "-r000001"}, "the draft is gone"
    assert store.sync("shop", numbered(300), embedder).embedded == 300 - BATCH
    assert len(store.documents("shop")) == 300


# -- shared ------------------------------------------------------------------------------------------------


def test_another_machine_sees_the_new_revision(open_store: Callable[..., Store], embedder: HashingEmbedder) -> None:
    reader, writer = open_store("here"), open_store("there")
    writer.sync("shop", (TOTAL,), embedder)
    assert reader.documents("shop") == (TOTAL,)
    writer.sync("shop", ALL, embedder)
    assert set(reader.documents("shop")) == set(ALL)
    assert reader.search("shop", embedder.embed([GUEST.passage])[0], 1)[0].document == GUEST


def test_machines_take_turns(open_store: Callable[..., Store], embedder: HashingEmbedder) -> None:
    """While one embeds, the other is refused; afterwards it has its turn."""
    first, second, refused = open_store("here"), open_store("there"), list[str]()

    def meanwhile(done: int, total: int) -> None:
        with pytest.raises(IndexBusy, match="Another process is indexing") as caught:
            second.sync("shop", ALL, embedder, turn=Turn(wait_s=0))
        refused.append(str(caught.value))

    assert first.sync("shop", numbered(3), HashingEmbedder(), meanwhile).added == 3
    assert len(refused) == 1
    assert second.sync("shop", ALL, embedder, turn=Turn(wait_s=0)) == SyncReport(added=3, removed=3, embedded=3)


def test_the_turn_of_a_machine_that_is_gone_ends(store: Store, embedder: HashingEmbedder, server: Running) -> None:
    long_ago = {"owner": "somebody", "touched": time.time() - 3600}
    server.make("draft", long_ago)
    assert store.sync("shop", ALL, embedder, turn=Turn(wait_s=0)).added == 3


def test_what_a_killed_process_of_this_machine_left_does_not_stop_the_next(
    store: Store, embedder: HashingEmbedder, server: Running, tmp_path: Path
) -> None:
    store.sync("shop", (TOTAL,), embedder)
    mine = {"owner": (tmp_path / "here" / "owner").read_text(), "touched": time.time()}
    for left in ("draft", "r000002"):
        server.make(left, mine)
    assert store.sync("shop", ALL, embedder, turn=Turn(wait_s=0)).added == 2
    assert server.collections() == {"-head", "-r000002"}


# -- stopped, started, damaged -----------------------------------------------------------------------------


def test_a_server_that_is_started_again_is_used_again(store: Store, embedder: HashingEmbedder, server: Running) -> None:
    store.sync("shop", (TOTAL, GUEST), embedder)
    (vector,) = embedder.embed([GUEST.passage])
    server.stop()
    for use in (
        lambda: store.search("shop", vector, 1),
        lambda: store.documents("shop"),
        lambda: store.is_indexed("shop"),
        lambda: store.sync("shop", ALL, embedder),
    ):
        with pytest.raises(StoreUnavailable, match="Check that the Chroma server is running") as caught:
            use()
        assert str(server.port) not in str(caught.value), "no address is told"

    server.start()
    assert store.search("shop", vector, 1)[0].document == GUEST
    assert store.sync("shop", ALL, embedder) == SyncReport(added=1, unchanged=2, embedded=1)


def test_a_server_that_stops_while_it_is_written_keeps_the_old_index(
    store: Store, embedder: HashingEmbedder, server: Running
) -> None:
    store.sync("shop", (TOTAL,), embedder)

    def stop(done: int, total: int) -> None:
        if done == 2 * BATCH:
            server.stop()

    documents = numbered(600)
    with pytest.raises(StoreUnavailable):
        store.sync("shop", documents, embedder, stop)
    server.start()
    assert store.documents("shop") == (TOTAL,)
    embedder.embedded.clear()
    report = store.sync("shop", documents, embedder)
    assert report.added == 600
    assert 0 < report.embedded < 600 - 2 * BATCH, "what was embedded before is not embedded again"
    assert len(embedder.embedded) == report.embedded
    assert set(store.documents("shop")) == set(documents)


def test_a_revision_that_is_gone_is_told_and_made_anew(
    store: Store, embedder: HashingEmbedder, server: Running
) -> None:
    store.sync("shop", ALL, embedder)
    with server.client() as client:
        client.delete_collection(f"{slug_of('shop')}-r000001")
    with pytest.raises(IndexDamaged, match="Index again"):
        store.documents("shop")
    report = store.sync("shop", ALL, embedder)
    assert (report.added, report.embedded) == (3, 0)
    assert "is incomplete" in report.notes[0]
    assert set(store.documents("shop")) == set(ALL)


def test_a_head_that_cannot_be_understood_is_told_and_made_anew(
    store: Store, embedder: HashingEmbedder, server: Running
) -> None:
    store.sync("shop", ALL, embedder)
    with server.client() as client:
        head = client.get_collection(f"{slug_of('shop')}-head", embedding_function=None)
        head.modify(metadata={"number": "seven"})
    with pytest.raises(IndexDamaged):
        store.is_indexed("shop")
    assert store.sync("shop", ALL, embedder).added == 3
    assert set(store.documents("shop")) == set(ALL)


# -- others that answer ------------------------------------------------------------------------------------


class Reply(http.server.BaseHTTPRequestHandler):
    """Gives scripted responses and records the headers of requests."""

    status, body = 200, b"{}"
    asked: list[dict[str, str]] = []

    def do_GET(self) -> None:
        self.asked.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    do_POST = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Quiet."""


@contextmanager
def answering(status: int, body: bytes) -> Iterator[tuple[str, list[dict[str, str]]]]:
    asked: list[dict[str, str]] = []
    handler = type("Handler", (Reply,), {"status": status, "body": body, "asked": asked})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "status, body, why",
    [
        (401, b"<html>sign in</html>", "a proxy that wants a password"),
        (502, b"bad gateway", "a proxy in front of a server that is down"),
        (200, b"<html>hello</html>", "no Chroma server at all"),
        (200, b"{}", "another service"),
    ],
)
def test_what_is_no_chroma_server_is_told(tmp_path: Path, status: int, body: bytes, why: str) -> None:
    with answering(status, body) as (url, _), pytest.raises(StoreUnavailable, match="CHROMA_URL"):
        Store(tmp_path, ChromaServer(url=url)).is_indexed("shop")


def test_the_token_is_sent_and_never_shown(tmp_path: Path) -> None:
    with answering(403, b"no") as (url, asked):
        server = ChromaServer(url=url, token=SecretStr("hush-hush"))
        with pytest.raises(StoreUnavailable) as caught:
            Store(tmp_path, server).is_indexed("shop")
    assert asked[0]["authorization"] == "Bearer hush-hush"
    assert asked[0]["x-chroma-token"] == "hush-hush"
    assert "hush" not in str(caught.value) + repr(server)


def test_a_server_that_never_answers_is_given_up_and_left_alone_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chroma_server, "READ_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = Store(tmp_path, ChromaServer(url=f"http://127.0.0.1:{silent.getsockname()[1]}"))
        with pytest.raises(StoreUnavailable):
            store.is_indexed("shop")
        silent.settimeout(1.0)
        silent.accept()[0].close()
        silent.setblocking(False)
        with pytest.raises(StoreUnavailable, match="does not answer"):
            store.is_indexed("shop")
        with pytest.raises(BlockingIOError):
            silent.accept()
