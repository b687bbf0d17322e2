"""PostgreSQL: each layer under the guard with all the others off, on a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from alone import attempt, change_session, held, lone_statements, reader_of
from unguarded import unguarded

from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor
from executors.engines.postgresql.executor import PostgresExecutor
from executors.errors import ErrorKind, SqlError, SqlFailed
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed.postgres import PASSWORD, READER, READER_PASSWORD, USER, PostgresServer

READ_ONLY, CURSOR, STATEMENT, IDLE, LOGIN = (
    *("read-only transaction", "a cursor's query", "statement timeout", "idle timeout"),
    "reader's login",
)
MADE = """
CREATE TABLE orders (id integer PRIMARY KEY, amount integer);
INSERT INTO orders VALUES (1, 10), (2, 20), (3, 30);
CREATE SEQUENCE numbers;
CREATE FUNCTION writes_a_row() RETURNS integer LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO orders VALUES (99, 0); RETURN 1; END $$;
CREATE ROLE reader LOGIN PASSWORD 'only reads';
GRANT SELECT ON orders TO reader;
"""
# Each ends the transaction that it is in, so that what it did would stay.
WRITES = (
    "INSERT INTO orders VALUES (9, 9); COMMIT",
    "UPDATE orders SET amount = 0; COMMIT",
    "DELETE FROM orders; COMMIT",
    "TRUNCATE orders; COMMIT",
    "SELECT writes_a_row(); COMMIT",
    "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone; COMMIT",
    "DROP TABLE orders; COMMIT",
    "CREATE TABLE loot AS SELECT * FROM orders; COMMIT",
    "SELECT * INTO loot FROM orders; COMMIT",
    "ALTER TABLE orders ADD COLUMN loot integer; COMMIT",
    "GRANT ALL ON orders TO reader; COMMIT",
    "CREATE ROLE eve SUPERUSER; COMMIT",
    "SELECT nextval('numbers'); COMMIT",
    "COPY orders TO PROGRAM 'cat'",
)
LARGE_OBJECT = "SELECT lo_from_bytea(0, 'x'); COMMIT"  # any login may make one
STATE = """
    SELECT (SELECT md5(string_agg(o::text, ',' ORDER BY id)) FROM orders o),
           (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_attribute), (SELECT count(*) FROM pg_roles),
           (SELECT relacl::text FROM pg_class WHERE relname = 'orders'), (SELECT is_called FROM numbers),
           (SELECT count(*) FROM pg_largeobject_metadata)
"""

Only = Callable[..., PostgresExecutor]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        with server.admin() as admin:
            admin(MADE)
        yield server


@pytest.fixture
def only(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Only]:
    """The executor with none but the layers that are named; without `LOGIN`, a superuser's."""
    lone_statements(monkeypatch)
    with ExitStack() as opened:

        def only(*layers: str) -> PostgresExecutor:
            login = (READER, READER_PASSWORD) if LOGIN in layers else (USER, PASSWORD)
            executor = PostgresExecutor("shop", Address.parse(server.url("postgres", *login)), options=ServerOptions())
            session = executor.row.session
            off = {
                "read_only": session.read_only if READ_ONLY in layers else (),
                "setup": tuple(it for it in session.setup if IDLE in layers or "idle_in" not in it),
                "timeout": session.timeout if STATEMENT in layers else "",
            }
            change_session(executor, off, monkeypatch)
            if CURSOR not in layers:
                plainly = SqlAlchemyExecutor._execute.__get__(executor)
                monkeypatch.setattr(executor, "_execute", plainly)
            opened.callback(executor.close)
            return executor

        yield only


@pytest.fixture
def state(server: PostgresServer) -> Callable[[], object]:
    return reader_of(server, STATE)


def test_without_any_layer_a_write_gets_through(
    only: Only, server: PostgresServer, state: Callable[[], object]
) -> None:
    before = state()
    executor = only()

    attempt(executor, ("INSERT INTO orders VALUES (7, 7); COMMIT",))

    assert state() != before
    assert held(executor) == set()
    with server.admin() as admin:
        admin("DELETE FROM orders WHERE id = 7")
    assert state() == before


@pytest.mark.parametrize("layer", [READ_ONLY, CURSOR, LOGIN])
def test_each_layer_alone_lets_no_write_through(only: Only, state: Callable[[], object], layer: str) -> None:
    before = state()
    executor = only(layer)

    attempt(executor, WRITES if layer == LOGIN else (*WRITES, LARGE_OBJECT))

    assert state() == before
    assert held(executor) == {layer} - {CURSOR}, "a cursor's query is no state of the connection"


def test_rolling_back_alone_undoes_what_does_not_commit(only: Only, state: Callable[[], object]) -> None:
    before = state()

    through = attempt(only(), ("DELETE FROM orders RETURNING id", "SELECT writes_a_row()"))

    assert len(through) == 2
    assert state() == before


def test_who_leaves_a_read_only_transaction_by_a_second_statement_is_held_by_the_next_layer(
    only: Only, state: Callable[[], object]
) -> None:
    leaving = ("SET TRANSACTION READ WRITE; DELETE FROM orders; COMMIT",)
    before = state()

    for layers in ((READ_ONLY, CURSOR), (READ_ONLY, LOGIN)):
        attempt(only(*layers), leaving)
        assert state() == before


def test_the_statement_timeout_alone_ends_a_query(only: Only) -> None:
    executor = only(STATEMENT)

    with pytest.raises(SqlFailed) as raised:
        executor.run(unguarded("SELECT pg_sleep(600)"), timeout_s=1)

    assert raised.value.kind is ErrorKind.TIMEOUT
    assert held(executor) == {STATEMENT}


def test_the_idle_timeout_alone_ends_a_transaction_that_nobody_goes_on_with(only: Only, server: PostgresServer) -> None:
    executor = only(IDLE)
    assert held(executor) == {IDLE}
    setup = tuple(it.replace("60s", "200ms") for it in executor.row.session.setup)
    executor.close()
    executor.row = executor.row.model_copy(update={"session": executor.row.session.model_copy(update={"setup": setup})})

    with executor._lease(writable=False) as lease:
        cursor = lease.cursor()
        cursor.execute("SELECT 1")
        with server.admin() as admin:
            gone = f"SELECT pg_sleep(0.1), count(*) = 0 FROM pg_stat_activity WHERE pid = {lease.info['id']}"
            assert any(admin.rows(gone)[0][1] for _ in range(100))
        with pytest.raises(executor._driver_error()):
            cursor.execute("SELECT 1")
        lease.invalidate()


@pytest.mark.parametrize(
    "right",
    [
        "GRANT INSERT ON orders TO writer",
        "GRANT UPDATE (amount) ON orders TO writer",
        "GRANT TRUNCATE ON orders TO writer",
        "GRANT CREATE ON SCHEMA public TO writer",
        "GRANT pg_write_all_data TO writer",
        "GRANT pg_execute_server_program TO writer",
        "ALTER ROLE writer CREATEROLE",
        "ALTER TABLE orders OWNER TO writer",
    ],
)
def test_a_login_that_can_write_is_no_readers(server: PostgresServer, right: str) -> None:
    with server.admin() as admin:
        admin("CREATE ROLE writer LOGIN PASSWORD 'x'; GRANT SELECT ON orders TO writer")
        executor = PostgresExecutor(
            "shop", Address.parse(server.url("postgres", "writer", "x")), options=ServerOptions()
        )
        try:
            assert LOGIN in held(executor)
            admin(right)
            assert held(executor) == {READ_ONLY, STATEMENT, IDLE}
        finally:
            executor.close()
            admin("ALTER TABLE orders OWNER TO postgres; DROP OWNED BY writer; DROP ROLE writer")


def test_all_of_them_let_a_query_through(only: Only) -> None:
    executor = only(READ_ONLY, CURSOR, STATEMENT, IDLE, LOGIN)

    assert executor.run(unguarded("SELECT count(*) FROM orders"), timeout_s=10).rows == ((3,),)
    assert held(executor) == {READ_ONLY, STATEMENT, IDLE, LOGIN}
    with pytest.raises(SqlError):
        executor.run(unguarded("DELETE FROM orders"), timeout_s=10)
