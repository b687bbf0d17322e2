"""databases.yaml, and the way from a name to a database."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from executors.base import Executor
from executors.errors import DatabaseUnavailable, RegistryInvalid, UnknownDatabase
from executors.local.kinds import kind_of, local_path
from executors.registry import Registry, load_registry
from executors.router import Router

Load = Callable[..., Registry]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load(text: str, **environment: str) -> Registry:
        path = tmp_path / "databases.yaml"
        path.write_text(text, encoding="utf-8")
        return load_registry(path, environment)

    return load


@pytest.fixture
def router(load: Load, tmp_path: Path) -> Iterator[Router]:
    _sqlite(tmp_path / "shop.sqlite")
    (tmp_path / "orders.csv").write_text("id,amount\n1,2.5\n", encoding="utf-8")
    text = (
        "shop: shop.sqlite\norders: orders.csv\ngone: gone.duckdb\nsample: samples/gone.duckdb\n"
        "server: postgresql://user:secret@host.example/sales\nodd: notes.txt\n"
    )
    (tmp_path / "notes.txt").write_text("notes", encoding="utf-8")
    router = Router(load(text), sample_values=3, duckdb_memory="100MB", duckdb_threads=1)
    yield router
    router.close()


def _sqlite(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a INTEGER)")
    connection.close()


# -- the file ----------------------------------------------------------------------------------------------


def test_a_path_alone_is_an_entry_relative_to_the_file(load: Load, tmp_path: Path) -> None:
    entry = load("shop: data/shop.duckdb").entry("shop")

    assert entry.path == tmp_path / "data/shop.duckdb"
    assert (entry.docs, entry.description, entry.dialect) == ((), "", None)


def test_a_mapping_says_more(load: Load, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("a.md", "b.md", "c.txt"):
        (tmp_path / "docs" / name).write_text("x", encoding="utf-8")

    entry = load(
        "sales: {url: '${FOLDER}/x.db', dialect: sqlite, docs: [docs, docs/*.md], description: Orders}", FOLDER="/data"
    ).entry("sales")

    assert entry.path == Path("/data/x.db")
    assert entry.docs == (tmp_path / "docs", tmp_path / "docs/a.md", tmp_path / "docs/b.md")
    assert (entry.dialect, entry.description) == ("sqlite", "Orders")


def test_an_empty_registry_is_one(load: Load) -> None:
    assert load("").names() == ()


def test_the_order_is_the_files(load: Load) -> None:
    assert load("b: b.csv\na: a.csv").names() == ("b", "a")


@pytest.mark.parametrize("text, said, why", [
    ("shop: {ulr: x.db}", "did you mean `url`", "an unknown key"),
    ("shop: {url: x.db, docs: [nowhere.md]}", "shop: docs: there is no nowhere.md", "docs that are not there"),
    ("shop: {url: x.db, docs: [nowhere/*.md]}", "there is no nowhere/*.md", "a glob that matches nothing"),
    ("shop: {url: x.db, docs: 5}", "`docs` wants a list", "docs of the wrong shape"),
    ("shop: {url: x.db, dialect: mysql}", "dialect 'mysql' is none of sqlite, duckdb, files", "an unknown dialect"),
    ("shop: {url: 5}", "`url` wants a text", "a number for a path"),
    ("shop: {description: x}", "has no `url`", "nothing to open"),
    ("shop:", "wants a path", "nothing at all"),
    ("shop: [a, b]", "wants a path", "a list"),
    ("'../shop': x.db", "a name is made of", "a name that is a path"),
    ("shop: ${NOPE}/x.db", "no variable 'NOPE'", "a variable that is not set"),
    ("- a\n- b", "wants one `name: path`", "a list of databases"),
    ("shop: [", "is not YAML", "broken YAML"),
    ("shop: a.db\nshop: b.db", "given twice: shop", "a name twice"),
])  # fmt: skip
def test_a_registry_that_cannot_be_used_says_why(load: Load, text: str, said: str, why: str) -> None:
    with pytest.raises(RegistryInvalid) as raised:
        load(text)

    assert said in str(raised.value), why


def test_all_that_is_wrong_is_said_at_once_by_entry(load: Load) -> None:
    with pytest.raises(RegistryInvalid) as raised:
        load("a: {ulr: x}\nb: ${NOPE}\nc: {url: c.db, descripton: x, docs: [gone]}")

    lines = str(raised.value).splitlines()[1:]
    assert [line.split(":")[0].strip() for line in lines] == ["a", "a", "b", "c", "c"]


def test_no_registry_says_which_setting_names_it(tmp_path: Path) -> None:
    with pytest.raises(RegistryInvalid, match="PLUMBLINE_REGISTRY"):
        load_registry(tmp_path / "nowhere.yaml")


def test_a_password_is_not_shown(load: Load) -> None:
    registry = load("sales: postgresql://user:secret@host.example/sales")

    assert "secret" not in repr(registry)


def test_the_projects_own_registry_names_the_sample_three_ways() -> None:
    registry = load_registry(Path(__file__).parents[2] / "databases.yaml")

    assert registry.names() == ("shop", "shop_sqlite", "shop_csv")
    assert all(entry.is_sample and entry.docs for entry in registry.entries)


# -- the router --------------------------------------------------------------------------------------------


def test_a_database_is_opened_once_whoever_asks(router: Router) -> None:
    start = threading.Barrier(8)

    def get(_: int) -> Executor:
        start.wait()
        return router.get("shop")

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(get, range(8)))

    assert len(found) == 1


def test_an_unknown_name_carries_the_known_ones(router: Router) -> None:
    with pytest.raises(UnknownDatabase) as raised:
        router.get("shpo")

    assert raised.value.known == router.names()


@pytest.mark.parametrize("name", ["../shop.sqlite", "shop.sqlite", "/etc/passwd", ""])
def test_a_name_is_never_a_path(router: Router, name: str) -> None:
    with pytest.raises(UnknownDatabase):
        router.get(name)


@pytest.mark.parametrize("name, said", [
    ("gone", "There is no gone.duckdb: check the path in databases.yaml."),
    ("sample", "There is no gone.duckdb: run `make data` to build the samples."),
    ("odd", "notes.txt is nothing that can be read"),
    ("server", "The database 'server' is on a server; this version reads files only"),
])  # fmt: skip
def test_what_cannot_be_opened_says_what_to_do(router: Router, tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(DatabaseUnavailable) as raised:
        router.get(name)

    assert said in str(raised.value)
    assert "secret" not in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


def test_the_command_line_adds_a_path_under_a_name_of_its_own(router: Router, tmp_path: Path) -> None:
    doc = tmp_path / "doc.md"
    doc.write_text("x", encoding="utf-8")

    name = router.add(tmp_path / "orders.csv", docs=[doc])

    assert name == "orders-2", "the registry has another `orders`"
    assert router.entry(name).docs == (doc,)
    assert router.add(tmp_path / "orders.csv", docs=[doc]) == name
    assert [table.name for table in router.get(name).schema().tables] == ["orders"]


def test_a_path_is_opened_by_what_it_is(router: Router, tmp_path: Path) -> None:
    assert router.open_path(tmp_path / "shop.sqlite").dialect == "sqlite"
    assert router.open_path(tmp_path).dialect == "duckdb"
    assert router.open_path(tmp_path / "*.csv").schema().table("orders")


def test_a_path_that_is_nothing_is_not_added(router: Router, tmp_path: Path) -> None:
    before = router.names()

    for name in ("nowhere.csv", "notes.txt"):
        with pytest.raises(DatabaseUnavailable):
            router.add(tmp_path / name)

    assert router.names() == before


@pytest.mark.parametrize("name, content, kind", [
    ("a.sqlite", b"", "sqlite"),
    ("a.db3", b"", "sqlite"),
    ("a.duckdb", b"", "duckdb"),
    ("a.TSV", b"", "files"),
    ("a.ndjson", b"", "files"),
    ("a.db", b"SQLite format 3\x00", "sqlite"),
    ("a.db", b"12345678DUCKxxxx", "duckdb"),
    ("a.data", b"SQLite format 3\x00", "sqlite"),
])  # fmt: skip
def test_a_files_kind_is_read_from_its_name_or_its_first_bytes(
    tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    assert kind_of(path) == kind


@pytest.mark.parametrize("url, path", [
    ("a/b.db", Path("a/b.db")),
    ("/a/b.db", Path("/a/b.db")),
    ("sqlite:///b.db", Path("b.db")),
    ("sqlite:////a/b.db", Path("/a/b.db")),
    ("duckdb:///b.duckdb", Path("b.duckdb")),
    ("C:/data/b.db", Path("C:/data/b.db")),
    ("postgresql://host.example/b", None),
    ("mssql+pyodbc://host.example/b", None),
])  # fmt: skip
def test_an_address_is_a_path_or_a_server(url: str, path: Path | None) -> None:
    assert local_path(url) == path
