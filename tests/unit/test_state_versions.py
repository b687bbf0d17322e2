"""State that an older Plumbline wrote is brought up to date: in a SQLite file, and in Azure Table Storage."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from agent.core.errors import StateUnavailable
from agent.databases.knowledge.added_documents import AddedDocuments
from agent.databases.knowledge.verified_queries import Key, VerifiedQueries, VerifiedQuery
from agent.people.feedback.shelf import Shelf
from agent.people.sessions.sessions import HEAD, KIND, Sessions
from agent.pipeline.steps.write_plans import WritePlans
from agent.platform.storage.azure_tables import AzureTablesStore
from agent.platform.storage.build import META, VERSION, Migration, VersionedStore, import_files
from agent.platform.storage.sqlite import MemoryStore, SqliteStore
from agent.platform.storage.store import Insert, Place, Replace, StateStore, insert_missing
from testbed.azurite import Azurite

DUMPS = Path(__file__).parents[1] / "state_v1"
NOW = 4_000_000_000.0  # when the dumps were made, as they tell it
TOKEN = "j8E9o8LVj6G49M6Df6wNpmjEosJv72V_"  # of the change that waits in them
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
ANN = "ann@example.org"
QUERY = VerifiedQuery(sql="SELECT SUM(amount) FROM orders", tables=("orders",), fingerprint="f1")

_tables = (f"versions{number}" for number in itertools.count())


def clock() -> float:
    return NOW


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of version 1."""
    for dump in DUMPS.glob("*.sql"):
        connection = sqlite3.connect(tmp_path / f"{dump.stem}.sqlite")
        connection.executescript(dump.read_text(encoding="utf-8"))
        connection.close()
    assert {path.name for path in tmp_path.iterdir()} == {
        "state.sqlite", "verified.sqlite", "writes.sqlite", "documents.sqlite",
    }  # fmt: skip
    return tmp_path


@pytest.fixture
def in_sqlite(folder: Path) -> SqliteStore:
    return SqliteStore(folder / "state.sqlite", clock)


@pytest.fixture
def in_azure(folder: Path, azurite_server: Azurite) -> Iterator[AzureTablesStore]:
    """With the records of version 1, as that version wrote them: their shape is the same in both stores."""
    store = AzureTablesStore(connection=azurite_server.connection_string, table=next(_tables), clock=clock)
    before = SqliteStore(folder / "state.sqlite", clock)
    for kind in ("session", "review", "answer"):
        for record in before.everywhere(kind):
            insert = Insert(key=record.key, value=record.value, expires_at=record.expires_at)
            insert_missing(store, record.place, [insert])
    yield store
    store.close()


@pytest.fixture(params=["in_sqlite", "in_azure"])
def old(request: pytest.FixtureRequest) -> StateStore:
    """A store of version 1."""
    store: StateStore = request.getfixturevalue(request.param)
    return store


@pytest.fixture
def up_to_date(old: StateStore, folder: Path) -> VersionedStore:
    return VersionedStore(old, (partial(import_files, folder),))


def test_everything_of_version_1_is_there(up_to_date: VersionedStore) -> None:
    (head,) = up_to_date.everywhere(KIND, key=HEAD)
    session = Sessions(up_to_date, timeout_s=3600, clock=clock).get(head.place.partition, ANN)
    assert [exchange.answer for exchange in session.exchanges] == ["460.5"]
    assert session.pending is not None
    shelf = Shelf(up_to_date, review_days=90, feedback_days=30, clock=clock)
    (kept,) = shelf.answers(TRACE_ID)
    assert (kept.answer.sql, kept.answer.answer_id) == (QUERY.sql, TRACE_ID), "answers had no ids of their own"
    shelf.link(kept, "r1")
    assert [kept.answer.review_id for kept in shelf.answers(TRACE_ID)] == ["r1"], "in its place"
    assert [review.trace_id for review in shelf.reviews(["shop"], lambda _: True, limit=9)[0]] == [TRACE_ID]

    question = "what is the total of all orders"
    verified = VerifiedQueries(up_to_date, clock=clock)
    assert verified.find(Key("shop", "", question)) == verified.find(Key("shop", ANN, question)) == QUERY
    documents = AddedDocuments(up_to_date).of("shop")
    assert [document.text[:7] for document in documents] == ["Revenue", "A guest"], "in their order"
    plans = WritePlans(up_to_date, lifetime_s=600, clock=clock)
    assert plans.claim(TOKEN, "shop", ANN).sql == "DELETE FROM orders"


def test_the_files_are_read_once(up_to_date: VersionedStore, folder: Path) -> None:
    assert len(up_to_date.everywhere("verified")) == 2
    assert sorted(path.name for path in folder.glob("*.imported")) == [
        "documents.sqlite.imported", "verified.sqlite.imported", "writes.sqlite.imported",
    ]  # fmt: skip
    record = up_to_date.get(META, VERSION)
    assert record is not None
    assert record.value == {"version": 2}
    assert len(VersionedStore(up_to_date.store, (_never,)).everywhere("verified")) == 2


def _never(store: StateStore) -> None:
    raise AssertionError("the state is up to date")


def test_processes_that_start_at_once_make_one_state_of_it(old: StateStore, folder: Path) -> None:
    stores = [VersionedStore(old, (partial(import_files, folder),)) for _ in range(4)]
    with ThreadPoolExecutor(len(stores)) as threads:
        assert list(threads.map(lambda store: len(store.everywhere("document")), stores)) == [2] * 4


def test_what_the_store_knows_already_is_newer(old: StateStore, folder: Path) -> None:
    key = Key("shop", "", "what is the total of all orders")
    newer = QUERY.model_copy(update={"sql": "SELECT 2"})
    VerifiedQueries(old, clock=clock).keep(key, newer)
    up_to_date = VersionedStore(old, (partial(import_files, folder),))
    assert VerifiedQueries(up_to_date, clock=clock).find(key) == newer
    assert len(up_to_date.everywhere("verified")) == 2


def test_a_migration_that_fails_is_tried_again(old: StateStore, folder: Path) -> None:
    tried: list[int] = []

    def fails_once(store: StateStore) -> None:
        tried.append(1)
        if len(tried) == 1:
            raise StateUnavailable("not now")
        import_files(folder, store)

    store = VersionedStore(old, (fails_once,))
    with pytest.raises(StateUnavailable, match="not now"):
        store.everywhere("session")
    assert (len(store.everywhere("session", key=HEAD)), len(store.everywhere("document")), len(tried)) == (1, 2, 2)


def test_versions_are_gone_through_in_order(old: StateStore, folder: Path) -> None:
    seen: list[str] = []
    steps: tuple[Migration, ...] = (lambda _: seen.append("1 to 2"), lambda _: seen.append("2 to 3"))
    VersionedStore(old, steps[:1]).everywhere("session")
    VersionedStore(old, steps).everywhere("session")
    assert seen == ["1 to 2", "2 to 3"]


def test_the_state_of_a_newer_plumbline_is_left_alone(up_to_date: VersionedStore) -> None:
    up_to_date.store.commit(META, [Replace(key=VERSION, value={"version": 3})])
    for use in (lambda: up_to_date.everywhere("a"), lambda: up_to_date.commit(Place(kind="a", partition="b"), [])):
        with pytest.raises(StateUnavailable, match=r"version 3, this one knows 2.*PLUMBLINE_STATE_DIR"):
            use()


@pytest.mark.parametrize(
    "name, spoil, why",
    [
        ("documents.sqlite", lambda path: path.write_bytes(b"no database" * 100), "damaged"),
        ("documents.sqlite", lambda path: path.write_bytes(b""), "no table"),
    ],
)
def test_documents_that_cannot_be_taken_over_are_not_passed_over(
    folder: Path, name: str, spoil: Callable[[Path], object], why: str
) -> None:
    spoil(folder / name)
    store = VersionedStore(MemoryStore(clock), (partial(import_files, folder),))
    with pytest.raises(StateUnavailable, match=rf"{name} .* cannot be migrated") as caught:
        store.everywhere("document")
    assert str(folder) not in str(caught.value), why
    (folder / name).unlink()
    assert len(store.everywhere("verified")) == 2


def test_verified_queries_that_cannot_be_taken_over_are_not_missed(folder: Path) -> None:
    (folder / "verified.sqlite").write_bytes(b"no database" * 100)
    store = VersionedStore(MemoryStore(clock), (partial(import_files, folder),))
    assert (len(store.everywhere("verified")), len(store.everywhere("document"))) == (0, 2)
    assert (folder / "verified.sqlite").exists()
