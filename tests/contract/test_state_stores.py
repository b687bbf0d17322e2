"""The contract of state in memory, in a SQLite file and in Azure Table Storage, and features of each."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from manual_clock import Clock
from state_suite import HERE, StateContract, keys, put
from state_suite_many import ManyContract

from agent.core.errors import StateUnavailable
from agent.core.problems import problem_of
from agent.platform.storage.azure_tables import AzureTablesStore
from agent.platform.storage.sqlite import SCHEMA, MemoryStore, SqliteStore
from agent.platform.storage.store import Insert, StateStore
from testbed import azurite
from testbed.azurite import ACCOUNT, KEY, Azurite
from testbed.ports import free_port

_names = (f"state{number}" for number in itertools.count())


class TestMemory(StateContract, ManyContract):
    engine = "state in memory"

    @pytest.fixture
    def store(self, clock: Clock) -> MemoryStore:
        return MemoryStore(clock)

    @pytest.fixture
    def other(self, store: MemoryStore) -> MemoryStore:
        return store

    def version(self, store: StateStore) -> str:
        import platform

        return f"Python {platform.python_version()}"


class TestSqlite(StateContract, ManyContract):
    engine = "state in SQLite"

    @pytest.fixture
    def store(self, tmp_path: Path, clock: Clock) -> SqliteStore:
        return SqliteStore(tmp_path / "state" / "state.sqlite", clock)

    @pytest.fixture
    def other(self, store: SqliteStore, clock: Clock) -> SqliteStore:
        return SqliteStore(store.path, clock)

    def version(self, store: StateStore) -> str:
        return f"SQLite {sqlite3.sqlite_version}"

    def test_a_file_of_a_newer_version_is_left_alone(self, store: SqliteStore) -> None:
        put(store, "k")
        with sqlite3.connect(store.path) as connection:
            connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        connection.close()
        before = store.path.read_bytes()

        with pytest.raises(StateUnavailable, match=r"another version of Plumbline \(format 2, this one knows 1\)"):
            put(store, "other")

        assert store.path.read_bytes() == before

    def test_a_damaged_file_is_reported_without_its_folder(self, store: SqliteStore, tmp_path: Path) -> None:
        store.path.parent.mkdir()
        store.path.write_bytes(b"this is no database" * 100)

        with pytest.raises(StateUnavailable, match=r"If state.sqlite is damaged, remove it") as caught:
            store.get(HERE, "k")

        assert str(tmp_path) not in str(caught.value)
        problem = problem_of(caught.value)
        assert problem is not None
        assert problem.status == 503

    def test_a_folder_that_cannot_be_made_is_reported(self, store: SqliteStore, tmp_path: Path) -> None:
        store.path.parent.write_text("a file, where a folder is wanted", encoding="utf-8")

        with pytest.raises(StateUnavailable, match="PLUMBLINE_STATE_DIR is writable") as caught:
            put(store, "k")

        assert str(tmp_path) not in str(caught.value)

    def test_a_file_that_was_removed_meanwhile_is_made_again(self, store: SqliteStore) -> None:
        put(store, "k")
        store.path.unlink()
        assert store.records(HERE) == []
        put(store, "k")


class TestAzureTables(StateContract, ManyContract):
    engine = "state in Azure Table Storage"

    @pytest.fixture
    def store(self, azurite_server: Azurite, clock: Clock) -> Iterator[AzureTablesStore]:
        store = AzureTablesStore(connection=azurite_server.connection_string, table=next(_names), clock=clock)
        yield store
        store.close()

    @pytest.fixture
    def other(self, azurite_server: Azurite, store: AzureTablesStore, clock: Clock) -> Iterator[AzureTablesStore]:
        other = AzureTablesStore(connection=azurite_server.connection_string, table=store.table, clock=clock)
        yield other
        other.close()

    def version(self, store: StateStore) -> str:
        return azurite.version()

    def test_nothing_is_there_before_the_first_commit(self, store: AzureTablesStore) -> None:
        assert store.get(HERE, "k") is None
        assert store.records(HERE) == store.everywhere("visit") == []
        assert store.purge() == 0

    def test_what_was_stored_is_there_after_a_restart(self, clock: Clock) -> None:
        if reason := azurite.missing():
            pytest.skip(reason)
        with Azurite() as own:
            store = AzureTablesStore(connection=own.connection_string, table="kept", clock=clock)
            put(store, "k")
            own.stop()
            with pytest.raises(StateUnavailable, match="does not answer"):
                store.get(HERE, "k")
            own.start()
            assert keys(store.records(HERE)) == ["k"]
            store.close()

    def test_a_wrong_key_is_reported_without_it(self, azurite_server: Azurite) -> None:
        wrong = "d3Jvbmc=" + KEY[8:]
        store = AzureTablesStore(connection=azurite_server.connection_string.replace(KEY, wrong), table="refused")

        with pytest.raises(StateUnavailable, match="Storage Table Data Contributor") as caught:
            put(store, "k")

        assert wrong not in str(caught.value)
        store.close()


@pytest.mark.parametrize(
    "connection, why",
    [
        ("AccountName=me", "no key"),
        ("nonsense", "no pairs"),
        (f"AccountName=me;AccountKey=SECRET!;TableEndpoint=http://127.0.0.1:1/{ACCOUNT}", "a key that is no Base64"),
    ],
)
def test_a_connection_string_that_cannot_be_used_is_reported_without_it(connection: str, why: str) -> None:
    store = AzureTablesStore(connection=connection, table="plumbline")

    with pytest.raises(StateUnavailable, match="PLUMBLINE_AZURE_TABLES_CONNECTION") as caught:
        store.commit(HERE, [Insert(key="k", value={})])

    assert "SECRET" not in str(caught.value), why
    store.close()


def test_an_account_that_does_not_answer_is_reported() -> None:
    address = f"http://127.0.0.1:{free_port()}/{ACCOUNT}"
    store = AzureTablesStore(
        connection=f"AccountName={ACCOUNT};AccountKey={KEY};TableEndpoint={address}", table="plumbline"
    )

    with pytest.raises(StateUnavailable, match="does not answer") as caught:
        store.everywhere("visit")

    assert KEY not in str(caught.value)
    store.close()
