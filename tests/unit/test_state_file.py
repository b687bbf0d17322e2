"""The service's state in SQLite files that several processes share."""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path

import pytest

from agent.errors import StateUnavailable
from agent.state.sqlite import SqliteStore
from agent.state.store import Place
from agent.state_file import StateFile

TABLES = (
    "CREATE TABLE IF NOT EXISTS people (name TEXT PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS visits (person TEXT REFERENCES people (name) ON DELETE CASCADE)",
)


def state(path: Path) -> StateFile:
    return StateFile(path, TABLES, "Sessions", StateUnavailable)


def names(path: Path) -> list[str]:
    with state(path).transaction() as connection:
        return [str(row[0]) for row in connection.execute("SELECT name FROM people ORDER BY name")]


def add_some(path: Path, first: int) -> None:
    for number in range(first, first + 20):
        with state(path).transaction() as connection:
            (count,) = connection.execute("SELECT count(*) FROM people").fetchone()
            connection.execute("INSERT INTO people VALUES (?)", (f"{count:03}-{number}",))


def test_what_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "state.sqlite"

    def fails() -> None:
        with state(path).transaction() as connection:
            connection.execute("INSERT INTO people VALUES ('Ada')")
            raise KeyError("the caller's own")

    with pytest.raises(KeyError):
        fails()

    assert names(path) == []


def test_what_goes_takes_with_it_what_belongs_to_it(tmp_path: Path) -> None:
    with state(tmp_path / "state.sqlite").transaction() as connection:
        connection.execute("INSERT INTO people VALUES ('Ada')")
        connection.execute("INSERT INTO visits VALUES ('Ada')")
        connection.execute("DELETE FROM people")
        assert connection.execute("SELECT count(*) FROM visits").fetchone() == (0,)


def test_processes_write_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=add_some, args=(path, first)) for first in (0, 100, 200)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert [name.partition("-")[0] for name in names(path)] == [f"{count:03}" for count in range(60)]


def test_a_file_that_is_no_database_is_told_without_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    path.write_text("no database", encoding="utf-8")

    with pytest.raises(StateUnavailable, match="is damaged") as raised, state(path).transaction():
        pass

    assert path.name in str(raised.value)
    assert str(tmp_path) not in str(raised.value)
    assert isinstance(raised.value.__cause__, sqlite3.Error)


def test_others_of_this_machine_cannot_read_it(tmp_path: Path) -> None:
    held, kept = tmp_path / "held.sqlite", tmp_path / "kept.sqlite"
    names(held)
    SqliteStore(kept).records(Place(kind="session", partition="one"))

    assert [path.stat().st_mode & 0o077 for path in (held, kept)] == [0, 0]
