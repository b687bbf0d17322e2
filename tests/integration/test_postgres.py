"""PostgreSQL: encryption, Entra ID, stored values from statistics, and results that never travel whole."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError
from until import until

from executors.base import Cancel, CheckedSql, CheckedWrite, Column
from executors.engines.common.servers.tokens import POSTGRESQL_SCOPE, TokenSource
from executors.engines.postgresql.executor import PostgresExecutor
from executors.errors import DatabaseUnavailable, SqlFailed
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed.postgres import PASSWORD, PostgresServer
from testbed.tls_front import TlsFront, make_certificate

TABLES = """
CREATE TYPE state AS ENUM ('open', 'in doubt', 'closed');
CREATE DOMAIN label AS text;
CREATE TABLE counted (id integer PRIMARY KEY, state state, city text, label label, code char(4), unlike text,
                      amount numeric, tags text[]);
INSERT INTO counted SELECT i, CASE WHEN i % 4 = 0 THEN 'in doubt' ELSE 'open' END::state,
    (ARRAY['say "hi"', 'a,b', '{c}', 'Łódź, 東京', 'it''s', 'back\\slash'])[1 + i % 6],
    CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END, 'ab', 'only ' || i, i % 2, ARRAY['t'] FROM generate_series(1, 600) i;
CREATE TABLE parted (id integer, city text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (100);
INSERT INTO parted SELECT i, 'Köln' FROM generate_series(1, 50) i;
ANALYZE;
CREATE TABLE uncounted (id integer, city text, state state) WITH (autovacuum_enabled = off);
INSERT INTO uncounted SELECT i, CASE WHEN i > 1000 THEN 'late' WHEN i % 2 = 0 THEN '' ELSE 'early' END, 'closed'
    FROM generate_series(1, 100000) i;
"""

ENDLESS = "SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 100000000) b WHERE a + b = 7"


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        with server.admin() as admin:
            admin(TABLES)
        yield server


def connect(
    server: PostgresServer, *, host: str = "127.0.0.1", port: int | None = None, **query: str
) -> PostgresExecutor:
    url = server.url(**query)
    address = Address.parse(url).model_copy(update={"host": host, "port": port or server.port})
    return PostgresExecutor("shop", address, options=ServerOptions(connect_timeout_s=5))


def ask(executor: PostgresExecutor, sql: str, row_limit: int = 500) -> Any:
    query = CheckedSql(sql=sql, executable=sql, row_limit=row_limit, tables=())
    return executor.run(query, timeout_s=30).rows[0][0]


# -- encryption --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def front(server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsFront]:
    certificate = make_certificate(tmp_path_factory.mktemp("tls"), "server")
    with TlsFront((server.host, server.port), certificate) as front:
        front.certificate = certificate[0]  # type: ignore[attr-defined]
        yield front


def test_a_connection_that_must_be_encrypted_is(server: PostgresServer, front: TlsFront) -> None:
    before = front.handshakes
    with closing(connect(server, port=front.port, sslmode="require")) as executor:
        assert ask(executor, "SELECT 1") == 1

    assert front.handshakes == before + 1


def test_a_query_is_cancelled_over_an_encrypted_connection(server: PostgresServer, front: TlsFront) -> None:
    with closing(connect(server, port=front.port, sslmode="require")) as executor:
        query = CheckedSql(sql=ENDLESS, executable=ENDLESS, row_limit=1, tables=())
        with pytest.raises(SqlFailed, match=r"within 0\.3 seconds"):
            executor.run(query, timeout_s=0.3)
        assert ask(executor, "SELECT 1") == 1


def silent_under_a_query(server: PostgresServer, front: TlsFront) -> None:
    running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'FETCH%'"
    with server.admin() as admin:
        until(lambda: admin.value(running) == 1)
    front.silent = True


def test_a_server_that_falls_silent_under_a_query_is_not_waited_for(server: PostgresServer) -> None:
    query = CheckedSql(sql=ENDLESS, executable=ENDLESS, row_limit=1, tables=())
    address = Address.parse(server.url())
    with TlsFront((server.host, server.port), None) as front:
        address = address.model_copy(update={"port": front.port})
        with closing(PostgresExecutor("shop", address, options=ServerOptions(connect_timeout_s=2))) as executor:
            assert ask(executor, "SELECT 1") == 1
            silencing = threading.Thread(target=silent_under_a_query, args=(server, front))
            silencing.start()
            with pytest.raises(SqlFailed, match="within 3 seconds"):
                executor.run(query, timeout_s=3)
            silencing.join()


def test_a_server_is_known_by_its_certificate(server: PostgresServer, front: TlsFront) -> None:
    root = str(front.certificate)  # type: ignore[attr-defined]
    with closing(
        connect(server, host="localhost", port=front.port, sslmode="verify-full", sslrootcert=root)
    ) as executor:
        assert ask(executor, "SELECT 1") == 1


def test_a_server_with_another_certificate_is_refused(server: PostgresServer, front: TlsFront, tmp_path: Path) -> None:
    root = str(make_certificate(tmp_path, "other")[0])
    executor = connect(server, host="localhost", port=front.port, sslmode="verify-full", sslrootcert=root)
    with closing(executor), pytest.raises(DatabaseUnavailable, match="certificate") as raised:
        ask(executor, "SELECT 1")

    assert not any(secret in str(raised.value) for secret in ("localhost", str(front.port), PASSWORD, str(tmp_path)))


def test_a_server_elsewhere_is_never_spoken_to_in_the_clear(server: PostgresServer) -> None:
    # Another address of this machine: not one that is known to be this machine.
    with (
        TlsFront((server.host, server.port), None, host="127.0.0.2") as plain,
        closing(connect(server, host=plain.host, port=plain.port)) as executor,
        pytest.raises(DatabaseUnavailable, match="no encrypted connection"),
    ):
        ask(executor, "SELECT 1")


def test_a_server_elsewhere_is_spoken_to_encrypted_without_being_told(server: PostgresServer, tmp_path: Path) -> None:
    with (
        TlsFront((server.host, server.port), make_certificate(tmp_path, "far"), host="127.0.0.2") as far,
        closing(connect(server, host=far.host, port=far.port)) as executor,
    ):
        assert ask(executor, "SELECT 1") == 1
        assert far.handshakes == 1


# -- writing -----------------------------------------------------------------------------------------------


def test_a_connection_that_breaks_at_the_commit_leaves_nobody_in_false_certainty(server: PostgresServer) -> None:
    with server.admin() as admin:

        class Broken(PostgresExecutor):
            def _commit(self, lease: Any) -> None:
                admin(f"SELECT pg_terminate_backend({lease.info['id']})")
                super()._commit(lease)

        address = Address.parse(server.url())
        with closing(Broken("shop", address, options=ServerOptions(writable=True))) as executor:
            write = CheckedWrite(sql="UPDATE counted SET amount = 5 WHERE id = 1", kind="update", table="counted")
            with pytest.raises(DatabaseUnavailable, match="may have been made or not"):
                executor.write(write, timeout_s=10, commit=True, max_rows=1)

            assert ask(executor, "SELECT amount FROM counted WHERE id = 1") == 1


# -- Entra ID ----------------------------------------------------------------------------------------------


class Clerk:
    """A credential whose tokens are passwords of a role on the server, each good for one login."""

    def __init__(self) -> None:
        self.token = "first token"
        self.refuses = False
        self._ends = 0.0

    @property
    def expired(self) -> bool:
        """Whether the last token is over."""
        return time.time() >= self._ends

    def get_token(self, *scopes: str, **_: object) -> AccessToken:
        if self.refuses:
            raise ClientAuthenticationError("DefaultAzureCredential failed for tenant 1234")
        self._ends = round(time.time()) + 1
        return AccessToken(self.token, round(self._ends))


def test_a_token_is_the_password_and_each_new_connection_has_a_fresh_one(server: PostgresServer) -> None:
    clerk = Clerk()
    address = Address.parse(server.url(user="app@tenant", password="", auth="entra"))
    executor = PostgresExecutor(
        "shop", address, options=ServerOptions(pool_size=1), token=TokenSource(POSTGRESQL_SCOPE, clerk)
    )
    with closing(executor), server.admin() as admin:
        admin("CREATE ROLE \"app@tenant\" LOGIN PASSWORD 'first token'")
        assert ask(executor, "SELECT current_user") == "app@tenant"
        admin("ALTER ROLE \"app@tenant\" PASSWORD 'second token'")
        clerk.token = "second token"
        assert ask(executor, "SELECT 1") == 1, "a connection outlives the token it was opened with"
        admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app@tenant'")

        assert ask(executor, "SELECT 2") == 2


def test_a_query_that_cannot_be_cancelled_for_want_of_a_token_is_waited_for_no_longer(server: PostgresServer) -> None:
    clerk = Clerk()
    address = Address.parse(server.url(user="late@tenant", password="", auth="entra"))
    executor = PostgresExecutor("shop", address, options=ServerOptions(), token=TokenSource(POSTGRESQL_SCOPE, clerk))
    cancel = Cancel()
    with closing(executor), server.admin() as admin:
        admin("CREATE ROLE \"late@tenant\" LOGIN PASSWORD 'first token'")
        assert ask(executor, "SELECT 1") == 1
        clerk.refuses = True
        until(lambda: clerk.expired)
        canceller = threading.Timer(0.2, cancel.cancel)
        canceller.start()
        with pytest.raises(SqlFailed, match="no longer wanted"):
            executor.run(
                CheckedSql(sql=ENDLESS, executable=ENDLESS, row_limit=5, tables=()), timeout_s=30, cancel=cancel
            )
        canceller.join()
        admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'late@tenant'")


def test_without_a_token_the_database_is_unavailable(server: PostgresServer) -> None:
    clerk = Clerk()
    clerk.refuses = True
    address = Address.parse(server.url(user="app@tenant", password="", auth="entra"))
    token = TokenSource(POSTGRESQL_SCOPE, clerk)
    executor = PostgresExecutor("shop", address, options=ServerOptions(), token=token)
    with closing(executor), pytest.raises(DatabaseUnavailable, match="no Entra ID token") as raised:
        ask(executor, "SELECT 1")

    assert "1234" not in str(raised.value)


# -- stored values -----------------------------------------------------------------------------------------


def columns(executor: PostgresExecutor, table: str) -> dict[str, Column]:
    found = executor.schema().table(table)
    assert found is not None
    return {column.name: column for column in found.columns}


def rows_read(server: PostgresServer, table: str) -> int:
    """How many rows of a table were ever read, by any scan, once all connections but this one have reported it."""
    with server.admin() as admin:
        until(lambda: admin.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plumbline'") == 0)
        admin("SELECT pg_stat_clear_snapshot()")
        return int(str(admin.value(f"SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables "
                                   f"WHERE relname = '{table}'")))  # fmt: skip


def test_stored_values_come_from_statistics_and_no_table_is_read(server: PostgresServer) -> None:
    before = rows_read(server, "counted")
    with closing(connect(server)) as executor:
        found = columns(executor, "counted")

    assert rows_read(server, "counted") == before
    assert found["state"].samples == ("open", "in doubt")
    assert found["label"].samples == ("y", "x")
    assert found["code"].samples == ("ab",)
    assert set(found["city"].samples) < {'say "hi"', "a,b", "{c}", "Łódź, 東京", "it's", "back\\slash"}
    assert len(found["city"].samples) == 3
    assert len(found["unlike"].samples) == 3, "values that are all different are in the histogram"
    assert all(it.startswith("only ") for it in found["unlike"].samples)
    assert [found[name].samples for name in ("id", "amount", "tags")] == [()] * 3


def test_a_partitioned_table_has_the_values_of_its_partitions(server: PostgresServer) -> None:
    with closing(connect(server)) as executor:
        assert columns(executor, "parted")["city"].samples == ("Köln",)


def test_of_a_table_without_statistics_the_first_rows_are_read_and_no_more(server: PostgresServer) -> None:
    before = rows_read(server, "uncounted")
    with closing(connect(server)) as executor:
        found = columns(executor, "uncounted")

    assert found["city"].samples == ("early",)
    assert found["state"].samples == ("closed",)
    assert 0 < rows_read(server, "uncounted") - before <= 1000


def test_a_schema_is_there_though_stored_values_may_not_be_read(server: PostgresServer) -> None:
    with server.admin() as admin:
        admin("CREATE FUNCTION fails(text) RETURNS boolean LANGUAGE plpgsql AS "
              "$$ BEGIN RAISE EXCEPTION 'not for you'; END $$")  # fmt: skip
        admin("CREATE ROLE plain LOGIN PASSWORD 'plain'")
        admin("CREATE TABLE guarded (city text)")
        admin("INSERT INTO guarded VALUES ('Köln')")
        admin("ALTER TABLE guarded ENABLE ROW LEVEL SECURITY")
        admin("CREATE POLICY p ON guarded USING (fails(city))")
        admin("GRANT SELECT ON ALL TABLES IN SCHEMA public TO plain")
    try:
        address = Address.parse(server.url(user="plain", password="plain"))
        with closing(PostgresExecutor("shop", address, options=ServerOptions())) as executor:
            found = columns(executor, "guarded")
            assert columns(executor, "uncounted")["city"].samples == ("early",)
    finally:
        with server.admin() as admin:
            admin("DROP TABLE guarded")

    assert found["city"].samples == ()
    assert executor.warnings == ("No values of guarded could be read; see the service's log.",)


# -- results -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sql", [
    "SELECT n, repeat('x', 1000) FROM (SELECT generate_series(1, 1000000000000) AS n) numbers",
    "SELECT a.id, b.city FROM uncounted a CROSS JOIN uncounted b CROSS JOIN uncounted c",
])  # fmt: skip
def test_what_is_over_the_cap_is_never_made(server: PostgresServer, sql: str) -> None:
    query = CheckedSql(sql=sql, executable=sql, row_limit=10, tables=())
    with closing(connect(server)) as executor:
        result = executor.run(query, timeout_s=30)

    assert (result.row_count, result.truncated) == (10, True)


def test_five_million_rows_do_not_fill_the_memory_of_this_process(server: PostgresServer) -> None:
    sql = "SELECT n, repeat('x', 100) FROM generate_series(1, 5000000) n"
    query = CheckedSql(sql=sql, executable=sql, row_limit=10, tables=())
    with closing(connect(server)) as executor:
        ask(executor, "SELECT 1")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert executor.run(query, timeout_s=30).truncated
        grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert grown_kb < 20_000, "all of it would be over 500 MB"


def test_a_type_made_after_the_connection_is_read_as_text_until_the_next_one(server: PostgresServer) -> None:
    with server.admin() as admin, closing(connect(server)) as executor:
        ask(executor, "SELECT 1")
        admin("CREATE TYPE late AS ENUM ('a')")
        assert ask(executor, "SELECT ARRAY['a']::late[]") == "{a}"
        executor.close()
        assert ask(executor, "SELECT ARRAY['a']::late[]") == ["a"]
