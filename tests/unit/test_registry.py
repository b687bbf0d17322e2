"""databases.yaml, and the way from a name to a database."""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from executors.base import Cancel, CheckedSql, Executor, QueryResult, Schema
from executors.engines.common.servers.patient import PatientExecutor
from executors.engines.remote.executor import RemoteExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, RegistryInvalid, SqlFailed, UnknownDatabase
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from executors.registry.openers import OPENERS
from executors.registry.registry import EntryLimits, Registry, load_registry
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
    entry = load("shop: data/shop.duckdb").entries[0]

    assert entry.path == tmp_path / "data/shop.duckdb"
    assert (entry.docs, entry.description, entry.dialect) == ((), "", None)


def test_a_mapping_says_more(load: Load, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("a.md", "b.md", "c.txt"):
        (tmp_path / "docs" / name).write_text("x", encoding="utf-8")

    entry = load(
        "sales: {url: '${FOLDER}/x.db', dialect: sqlite, docs: [docs, docs/*.md], description: Orders}", FOLDER="/data"
    ).entries[0]

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
    ("a: ftp://host.example/x", "a: its address begins with none of postgresql://", "no server that is known"),
    ("a: postgresql://host.example:x/y", "a: its address cannot be read", "a port that is none"),
    ("a: {url: 'postgresql://host.example', dialect: mysql}", "does not match its address", "two dialects"),
    ("a: {url: 'postgresql://host.example', dialect: duckdb}", "'duckdb' is none of postgresql", "a file's dialect"),
    ("a: {url: x.db, schemas: [s]}", "`schemas` are a server's", "a file has none"),
    ("a: {url: x.csv, encoding: cp1253x}", "encoding 'cp1253x' is unknown", "an unknown encoding"),
    ("a: {url: x.csv, encoding: rot13}", "encoding 'rot13' is unknown", "no encoding of text"),
    ("a: {url: x.csv, encoding: 5}", "`encoding` wants a text", "a number for an encoding"),
    ("a: {url: 'postgresql://host.example', encoding: cp1252}", "`encoding` is of files", "a server's encoding"),
    ("a: {url: x.csv, dates: american}", "`dates` wants day_first or month_first", "an unknown order of dates"),
    ("a: {url: 'postgresql://host.example', dates: day_first}", "`dates` is of files", "a server's order of dates"),
    ("a: {url: x.db, limits: 5}", "`limits` wants a mapping of row_limit", "limits of the wrong shape"),
    ("a: {url: x.db, limits: {rows: 5}}", "limits.rows: there is no such limit", "an unknown limit"),
    ("a: {url: x.db, limits: {row_limit: 0}}", "limits.row_limit: Input should be greater", "no rows at all"),
    ("a: {url: x.db, limits: {query_timeout_s: soon}}", "limits.query_timeout_s: Input should be a", "no number"),
    ("a: {url: x.db, writable: 1}", "`writable` wants true or false", "a number for a switch"),
    ("a: {url: x.db, owners: {x: y}}", "`owners` wants a list of texts", "owners of the wrong shape"),
    ("a: {url: x.db, allowed: [1]}", "`allowed` wants a list of texts", "a principal is a text"),
    ("a: {via: 'http://app.example'}", "`via` wants https://", "the key would travel in the open"),
    ("a: {via: 'https://u:p@app.example'}", "`via` wants https://host, and no user", "a password in the address"),
    ("a: {via: 'https://app.example?code=x'}", "the key belongs into `key`", "a key in the address"),
    ("a: {via: 'https://['}", "`via` is not an address", "no address at all"),
    ("a: {via: 5}", "`via` wants a text", "a number for an address"),
    ("a: {via: 'https://app.example', url: x.db}", "has both `url` and `via`", "two places"),
    ("a: {via: 'https://app.example', key: k, identity: 'api://x'}", "has both `key` and `identity`", "two secrets"),
    ("a: {via: 'https://app.example', key: '${EMPTY}'}", "`key` is empty", "a key that was forgotten"),
    ("a: {via: 'https://app.example', dialect: dbase}", "dialect 'dbase' is none of sqlite", "an unknown dialect"),
    ("a: {via: 'https://app.example', database: ../x}", "`database` is not the name", "a path for a name"),
    ("a: {url: x.db, catalogue: ['sqlite_master; DROP']}", "not the name of a table; write sqlite_master", "no name"),
    ("a: {url: x.db, key: k}", "`key` goes with `via`", "a key without an app"),
])  # fmt: skip
def test_a_registry_that_cannot_be_used_says_why(load: Load, text: str, said: str, why: str) -> None:
    with pytest.raises(RegistryInvalid) as raised:
        load(text, EMPTY="")

    assert said in str(raised.value), why


def test_all_that_is_wrong_is_said_at_once_by_line(load: Load) -> None:
    with pytest.raises(RegistryInvalid) as raised:
        load("""\
# What there is
a: {ulr: x}
b: ${NOPE}
c:
  url: c.db
  descripton: x
  docs:
    - .
    - gone
  limits:
    row_limit: 10
    quries: 3
    query_timeout_s: 0
  row_filter: "region = :region"
  principals:
    anna: 5
  private: [email]
d e: x.db
a2: [x.db]
""")

    lines = str(raised.value).splitlines()[1:]
    assert [line.strip().split(": ", 2) for line in lines] == [
        ["line 2", "a", "there is no key 'ulr'; did you mean `url`?"],
        ["line 2", "a", "has no `url`"],
        ["line 3", "b", "the environment has no variable 'NOPE'"],
        ["line 6", "c", "there is no key 'descripton'; did you mean `description`?"],
        ["line 9", "c", "docs: there is no gone"],
        ["line 12", "c", "limits.quries: there is no such limit; did you mean `queries`?"],
        ["line 13", "c", "limits.query_timeout_s: Input should be greater than 0"],
        ["line 15", "c", "principals: 'anna' wants `name: value` for each `:name`, or `all`"],
        ["line 17", "c", "private: 'email' is not a column; write table.column, or *.column for every table"],
        ["line 18", "'d e'", "a name is made of letters, digits, '_', '-' and '.'"],
        ["line 19", "a2", "wants a path, or a mapping with `url`"],
    ]


@pytest.mark.parametrize("text, line", [("a: x.db\nb: [", 2), ("a: x.db\n\na: y.db", 1), ("a: 'x.db\nb: c", 2)])
def test_what_is_no_yaml_is_said_by_line(load: Load, text: str, line: int) -> None:
    with pytest.raises(RegistryInvalid, match=rf"cannot be used:\n  line {line}: this is not YAML"):
        load(text)


def test_an_alias_within_itself_is_read_to_its_end(load: Load) -> None:
    with pytest.raises(RegistryInvalid, match="line 1: a: wants a path"):
        load("a: &a [*a]")


def test_no_registry_says_which_setting_names_it(tmp_path: Path) -> None:
    with pytest.raises(RegistryInvalid, match="PLUMBLINE_REGISTRY"):
        load_registry(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("text", [
    "sales: postgresql://user:${SECRET}@host.example/sales",
    "sales: 'Driver={X};Server=host.example;Uid=user;Pwd=${SECRET}'",
    "sales: {via: 'https://app.example', key: '${SECRET}'}",
])  # fmt: skip
def test_a_password_is_not_shown(load: Load, text: str) -> None:
    registry = load(text, SECRET="hunter2")

    assert "hunter2" not in repr(registry)
    assert "hunter2" not in str(registry.entries[0])


@pytest.mark.parametrize("text", [
    "a: postgresql://u:hunter2@host.example:x/y",
    "a: {url: 'postgresql://u:hunter2@host.example', dialect: oracle}",
    "a: ftp://u:hunter2@host.example",
    "a: {via: 'https://u:hunter2@app.example'}",
    "a: {via: 'http://app.example', key: hunter2}",
    "a: {via: 'https://app.example', key: [hunter2]}",
    "a: {postgresql://u:hunter2@host.example}",
    "a: postgresql://u:hunter2@host.example\nb: [",
    "a: 'postgresql://u:hunter2@host.example\nb: c",
])  # fmt: skip
def test_what_is_wrong_is_said_without_a_password(load: Load, text: str) -> None:
    with pytest.raises(RegistryInvalid) as raised:
        load(text)

    assert "hunter2" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_a_server_may_be_given_by_its_address_alone(load: Load) -> None:
    entry = load("warehouse: ${WAREHOUSE_URL}", WAREHOUSE_URL="mssql://u:p@host.example/sales").entries[0]

    assert (entry.address.dialect, entry.address.host, entry.is_file) == ("sqlserver", "host.example", False)
    with pytest.raises(DatabaseUnavailable, match="not in a file"):
        _ = entry.path


def test_a_server_may_say_more(load: Load) -> None:
    entry = load("""
warehouse:
  url: mysql://host.example/sales
  dialect: mariadb
  schemas: [sales, stock]
  owners: Ada <ada@example.org>
  limits: {row_limit: 100, query_timeout_s: 5, queries: 2, schema_ttl_s: 60.5}
  writable: true
  writers: [ada]
  allowed: [ada, bo]
""").entries[0]

    assert entry.address.dialect == "mariadb"
    assert entry.schemas == ("sales", "stock")
    assert entry.owners == ("Ada <ada@example.org>",)
    assert entry.limits == EntryLimits(row_limit=100, query_timeout_s=5, queries=2, schema_ttl_s=60.5)
    assert (entry.writable, entry.writers, entry.allowed) == (True, ("ada",), ("ada", "bo"))


def test_a_database_of_another_deployment_needs_no_url(load: Load) -> None:
    registry = load("""
sales: {via: 'https://app.example/', key: '${KEY}', database: warehouse}
stock: {via: 'http://localhost:7071', identity: 'api://app'}
""", KEY="k")  # fmt: skip
    sales, stock = registry.entries

    assert sales.key is not None
    assert (sales.via, sales.key.get_secret_value(), sales.database) == ("https://app.example", "k", "warehouse")
    assert (stock.via, stock.identity, stock.database) == ("http://localhost:7071", "api://app", "stock")
    assert not sales.is_file


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
    ("odd", "notes.txt cannot be read"),
    ("server", "the driver for PostgreSQL is missing; install it: pip install -r requirements.txt."),
])  # fmt: skip
def test_what_cannot_be_opened_says_what_to_do(
    router: Router, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg2", None)  # as where it is not installed

    with pytest.raises(DatabaseUnavailable) as raised:
        router.get(name)

    assert said in str(raised.value)
    assert "secret" not in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


class Opened(Executor):
    """A server's executor that only remembers what it was opened with."""

    def __init__(self, name: str, address: Address, *, options: ServerOptions) -> None:
        self.name, self.dialect, self.address, self.options = name, address.dialect, address, options
        self.refreshed = 0

    def schema(self) -> Schema:
        return Schema(database=self.name, dialect=self.dialect, tables=())

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        raise SqlFailed(ErrorKind.OTHER, "nothing runs here")

    def refresh(self) -> None:
        self.refreshed += 1


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of PostgreSQL are opened by `Opened`, which needs no driver."""
    fake = OPENERS["postgresql"]._replace(module=__name__, executor="Opened", driver="json")
    monkeypatch.setitem(OPENERS, "postgresql", fake)


def _server_router(registry: Registry, **options: object) -> Router:
    server = ServerOptions.model_validate({"pool_size": 4, "schema_ttl_s": 600, **options})
    return Router(registry, sample_values=7, duckdb_memory="100MB", duckdb_threads=1, server=server)


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize("entry, settings, changed, why", [
    ("{}", {}, {}, "the settings hold"),
    ("{limits: {queries: 2, schema_ttl_s: 5}}", {}, {"pool_size": 2, "schema_ttl_s": 5}, "an entry narrows them"),
    ("{limits: {queries: 50, schema_ttl_s: 9000}}", {}, {}, "and never widens them"),
    ("{schemas: [a, b]}", {}, {"schemas": ("a", "b")}, "the schemas to read"),
    ("{writable: true}", {}, {}, "the settings do not allow writes"),
    ("{}", {"writable": True}, {"writable": False}, "the entry does not"),
    ("{writable: true}", {"writable": True}, {"writable": True}, "both do"),
])  # fmt: skip
def test_a_server_is_opened_with_the_settings_narrowed_by_its_entry(
    load: Load, entry: str, settings: dict[str, object], changed: dict[str, object], why: str
) -> None:
    text = f"sales: {entry.replace('{', '{url: postgresql://u:p@host.example/x, ', 1)}"

    found = _server_router(load(text), **settings).get("sales")

    assert isinstance(found, PatientExecutor), why
    found = found.inner
    assert isinstance(found, Opened), why
    assert found.address.host == "host.example"
    assert found.options == ServerOptions(sample_values=7).model_copy(update=changed), why


@pytest.mark.usefixtures("opened")
def test_a_schema_is_refreshed_where_it_was_read(load: Load) -> None:
    router = _server_router(load("sales: postgresql://host.example/x\nshop: shop.sqlite"))
    router.refresh("sales")
    found = router.get("sales")
    assert isinstance(found, PatientExecutor)
    found = found.inner
    assert isinstance(found, Opened)
    assert found.refreshed == 0, "it was not open"

    router.refresh("sales")

    assert found.refreshed == 1
    with pytest.raises(UnknownDatabase):
        router.refresh("nowhere")


def test_another_deployments_database_is_opened_by_name(load: Load) -> None:
    router = _server_router(load("sales: {via: 'https://app.example', key: k, dialect: postgresql}"))

    found = router.get("sales")

    assert isinstance(found, RemoteExecutor)
    assert (found.name, found.dialect) == ("sales", "postgresql"), "nothing was asked yet"


@pytest.mark.parametrize("dialect", OPENERS)
def test_a_missing_driver_says_what_installs_it(load: Load, monkeypatch: pytest.MonkeyPatch, dialect: str) -> None:
    monkeypatch.setitem(sys.modules, OPENERS[dialect].driver, None)
    router = _server_router(load(f"sales: {dialect}://u:hunter2@host.example/x"))

    with pytest.raises(DatabaseUnavailable) as raised:
        router.get("sales")

    assert f"pip install -r {OPENERS[dialect].requirements}" in str(raised.value)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("principal, names", [
    ("ada", ("shop", "secret")),
    ("bo", ("shop",)),
    (None, ("shop", "secret")),
])  # fmt: skip
def test_who_may_not_ask_does_not_learn_that_it_exists(
    load: Load, principal: str | None, names: tuple[str, ...]
) -> None:
    router = _server_router(load("shop: shop.sqlite\nsecret: {url: x.sqlite, allowed: [ada]}"))

    assert router.names(principal) == names
    if "secret" in names:
        assert router.entry("secret", principal).allowed == ("ada",)
        return
    with pytest.raises(UnknownDatabase) as raised:
        router.entry("secret", principal)
    assert raised.value.known == names


def test_docs_may_be_added_to_a_database_that_is_no_file(load: Load, tmp_path: Path) -> None:
    router = _server_router(load("sales: {via: 'https://app.example', description: Orders}"))

    name = router.with_docs("sales", [tmp_path / "doc.md"])

    assert name == "sales-2"
    assert router.entry(name).docs == (tmp_path / "doc.md",)
    assert router.entry(name).via == router.entry("sales").via
    assert router.with_docs("sales", [tmp_path / "doc.md"]) == name, "the second time it is known"


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
