"""MariaDB: each layer under the guard with all the others off, on a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from alone import attempt, change_session, held, lone_statements, make_tables, reader_of
from unguarded import unguarded

from executors.engines.mysql.executor import MysqlExecutor
from executors.errors import ErrorKind, SqlFailed
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed import mariadb
from testbed.mariadb import PASSWORD, READER, READER_PASSWORD, USER, MariadbServer

READ_ONLY, STATEMENT, LOGIN = "read-only transaction", "statement timeout", "reader's login"
MADE = (
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, amount INTEGER)",
    "INSERT INTO orders VALUES (1, 10), (2, 20), (3, 30)",
    "CREATE TABLE isam (a INTEGER) ENGINE = MyISAM",
    "CREATE FUNCTION emptied() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM orders; RETURN 1; END",
    "CREATE SEQUENCE numbers",
    f"CREATE USER {READER} IDENTIFIED BY '{READER_PASSWORD}'",
    f"GRANT SELECT ON people.orders TO {READER}",
)
# What nobody has to commit: it stays at once.
WRITES = (
    "INSERT INTO isam VALUES (9)",
    "DELETE FROM isam",
    "DROP TABLE orders",
    "TRUNCATE TABLE orders",
    "CREATE TABLE loot AS SELECT * FROM orders",
    "ALTER TABLE orders ADD COLUMN loot INTEGER",
    "CREATE INDEX i ON orders (amount)",
    "RENAME TABLE orders TO lost",
    "GRANT ALL ON people.* TO reader",
    "CREATE USER eve",
    "SELECT NEXTVAL(numbers)",
)
UNDONE = ("DELETE FROM orders", "UPDATE orders SET amount = 0", "SELECT emptied()")
STATE = """
    SELECT (SELECT GROUP_CONCAT(id, ':', amount ORDER BY id) FROM orders), (SELECT COUNT(*) FROM isam),
           (SELECT COUNT(*) FROM information_schema.TABLES), (SELECT COUNT(*) FROM information_schema.COLUMNS),
           (SELECT COUNT(*) FROM information_schema.STATISTICS), (SELECT COUNT(*) FROM mysql.global_priv),
           (SELECT COUNT(*) FROM mysql.db), (SELECT next_not_cached_value FROM numbers)
"""

Only = Callable[..., MysqlExecutor]


@pytest.fixture(scope="module")
def server() -> Iterator[MariadbServer]:
    if reason := mariadb.missing():
        pytest.skip(reason)
    with MariadbServer() as server:
        make_tables(server, MADE)
        yield server


@pytest.fixture
def only(server: MariadbServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Only]:
    """The executor with none but the layers that are named; without `LOGIN`, of a user who may do everything."""
    lone_statements(monkeypatch)
    with ExitStack() as opened:

        def only(*layers: str) -> MysqlExecutor:
            login = (READER, READER_PASSWORD) if LOGIN in layers else (USER, PASSWORD)
            executor = MysqlExecutor("shop", Address.parse(server.url("people", *login)), options=ServerOptions())
            session = executor.row.session
            off = {
                "read_only": session.read_only if READ_ONLY in layers else (),
                "begin": session.begin if READ_ONLY in layers else (),
                "timeout": session.timeout if STATEMENT in layers else "",
            }
            change_session(executor, off, monkeypatch)
            opened.callback(executor.close)
            return executor

        yield only


@pytest.fixture
def state(server: MariadbServer) -> Callable[[], object]:
    return reader_of(server, STATE)


def test_without_any_layer_a_write_gets_through(only: Only, server: MariadbServer, state: Callable[[], object]) -> None:
    before = state()
    executor = only()

    attempt(executor, ("CREATE TABLE mine (a INTEGER)",))

    assert state() != before
    assert held(executor) == set()
    with server.admin() as admin:
        admin("DROP TABLE mine")
    assert state() == before


@pytest.mark.parametrize("layer", [READ_ONLY, LOGIN])
def test_each_layer_alone_lets_no_write_through(only: Only, state: Callable[[], object], layer: str) -> None:
    before = state()
    executor = only(layer)

    attempt(executor, (*WRITES, *UNDONE))

    assert state() == before
    assert held(executor) == {layer}


def test_rolling_back_alone_undoes_what_can_be_undone(only: Only, state: Callable[[], object]) -> None:
    before = state()

    assert attempt(only(), UNDONE[2:]) == list(UNDONE[2:])
    attempt(only(), UNDONE[:2])

    assert state() == before


def test_the_words_alone_let_nothing_but_queries_through(
    only: Only, state: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state()
    executor = only()
    monkeypatch.undo()

    through = attempt(executor, (*WRITES, *UNDONE[:2], "SELECT 1; DELETE FROM isam", "SELECT 1 /*! INTO @a */"))

    assert through == ["SELECT NEXTVAL(numbers)"], "a function is the business of the guard and of the other layers"
    assert state()[0][:-1] == before[0][:-1]  # type: ignore[index]  # rows of an administrator


def test_the_statement_timeout_alone_ends_a_query(only: Only) -> None:
    executor = only(STATEMENT)

    with pytest.raises(SqlFailed) as raised:
        executor.run(
            unguarded("SELECT COUNT(*) FROM seq_1_to_100000000 a, seq_1_to_100000000 b WHERE a.seq + b.seq = 7"),
            timeout_s=1,
        )

    assert raised.value.kind is ErrorKind.TIMEOUT
    assert held(executor) == {STATEMENT}


@pytest.mark.parametrize(
    "rights",
    [
        ("GRANT INSERT ON people.orders TO writer",),
        ("GRANT UPDATE (amount) ON people.orders TO writer",),
        ("GRANT FILE ON *.* TO writer",),
        ("GRANT EXECUTE ON people.* TO writer",),
        ("GRANT DELETE ON people.orders TO deleter", "GRANT deleter TO writer", "SET DEFAULT ROLE deleter FOR writer"),
    ],
)
def test_a_login_that_can_write_is_no_readers(server: MariadbServer, rights: tuple[str, ...]) -> None:
    with server.admin() as admin:
        admin("CREATE ROLE deleter")
        admin("CREATE USER writer IDENTIFIED BY 'x'")
        admin("GRANT SELECT (id) ON people.orders TO writer")
        address = Address.parse(server.url("people", "writer", "x"))
        reading, writing = (MysqlExecutor("shop", address, options=ServerOptions()) for _ in range(2))
        try:
            assert LOGIN in held(reading)
            for right in rights:
                admin(right)
            assert held(writing) == {READ_ONLY, STATEMENT}
        finally:
            reading.close()
            writing.close()
            admin("DROP USER writer")
            admin("DROP ROLE deleter")
