"""The contract, on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest
from contract_suite import ROWS, Run, fill
from server_suite import ByAdmin, Outages, Pooling, Writing, ask
from unguarded import unguarded

from executors.base import CheckedWrite, Executor
from executors.dialects.table import DIALECTS
from executors.engines.postgresql.executor import PostgresExecutor
from executors.errors import ErrorKind, SqlError, SqlFailed
from executors.guard import guard
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed.postgres import PASSWORD, READER, READER_PASSWORD, USER, PostgresServer

MORE = """
COMMENT ON TABLE people IS 'Who visits us';
COMMENT ON COLUMN people.city IS 'where they live; NULL: unknown';
CREATE SCHEMA sales;
CREATE TABLE sales.people (id integer PRIMARY KEY, seller_id integer REFERENCES public.people (id));
INSERT INTO sales.people VALUES (1, 2);
CREATE TABLE sales.regions (region text PRIMARY KEY);
INSERT INTO sales.regions VALUES ('North'), ('South');
CREATE MATERIALIZED VIEW sales.cities AS SELECT city, count(*) AS people FROM public.people GROUP BY city;
CREATE TABLE parted (id integer, at date) PARTITION BY RANGE (at);
CREATE TABLE parted_2024 PARTITION OF parted FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE hidden (secret text);
CREATE DOMAIN few AS integer CHECK (value < 10);
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TYPE pair AS (secret text, other integer);
CREATE TYPE spans AS RANGE (subtype = real);
CREATE DOMAIN letter AS hidden;
CREATE FUNCTION is_odd(integer) RETURNS boolean LANGUAGE sql AS 'SELECT $1 % 2 = 1';
CREATE DOMAIN odd AS integer CHECK (is_odd(value));
CREATE SEQUENCE numbers;
CREATE TABLE half_hidden (id integer, open text, secret text);
CREATE SCHEMA sealed;
CREATE TABLE sealed.letters (body text);
CREATE SCHEMA "Ünï";
CREATE TABLE "Ünï"."Select" ("Größe" integer);
INSERT INTO "Ünï"."Select" VALUES (7);
INSERT INTO parted VALUES (1, '2024-05-01');
CREATE FUNCTION writes_a_row() RETURNS integer LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO hidden VALUES ('written'); RETURN 1; END $$;
CREATE PROCEDURE writes() LANGUAGE sql AS 'DELETE FROM hidden';
CREATE ROLE reader LOGIN PASSWORD 'only reads';
GRANT USAGE ON SCHEMA sales, "Ünï" TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA "Ünï", sealed TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public, sales TO reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO reader;
REVOKE ALL ON hidden, half_hidden FROM reader;
GRANT SELECT (id, open) ON half_hidden TO reader;
ANALYZE;
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        with server.admin() as admin:
            fill(admin, DIALECTS["postgresql"])
            admin(MORE)
        yield server


def connect(
    server: PostgresServer, user: str = READER, password: str = READER_PASSWORD, database: str = "postgres",
    port: int | None = None, **changes: Any,
) -> Executor:  # fmt: skip
    """An executor. Args: changes: to `ServerOptions`."""
    address = Address.parse(server.url(database, user, password))
    address = address.model_copy(update={"port": port or server.port})
    return PostgresExecutor("people", address, options=ServerOptions(**changes))


@pytest.fixture(scope="module")
def executor(server: PostgresServer) -> Iterator[Executor]:
    executor = connect(server)
    yield executor
    executor.close()


# What needs more rights than a reader has.
FOR_SUPERUSERS = (
    "SELECT writes_a_row()",
    "SELECT setval('numbers', 7)",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "CREATE ROLE other SUPERUSER",
    "ALTER SYSTEM SET work_mem = '1MB'",
    "GRANT SELECT ON hidden TO reader",
    "CALL writes()",
    "LOCK people",
    "NOTIFY people",
    "REFRESH MATERIALIZED VIEW sales.cities",
)


class TestPostgres(ByAdmin, Outages, Pooling, Writing):
    engine = "PostgreSQL"
    endless = "SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 100000000) b WHERE a + b = 7"
    watched = (
        "CREATE TABLE audit (id INTEGER)",
        "CREATE FUNCTION noticed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO audit VALUES (NEW.id), (OLD.id); RETURN NULL; END $$",
        "CREATE TRIGGER noisy AFTER UPDATE ON ledger FOR EACH ROW EXECUTE FUNCTION noticed()",
    )
    unwatched = ("DROP TRIGGER noisy ON ledger", "DROP FUNCTION noticed()", "DROP TABLE audit")
    rewriting = (
        "CREATE FUNCTION acts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.amount := 77; RETURN NEW; END $$",
        "CREATE TRIGGER acting BEFORE UPDATE ON ledger FOR EACH ROW EXECUTE FUNCTION acts()",
    )
    raising = (
        "CREATE FUNCTION acts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'Not now'; END $$",
        "CREATE TRIGGER acting AFTER UPDATE ON ledger FOR EACH ROW EXECUTE FUNCTION acts()",
    )
    unrewriting = ("DROP TRIGGER acting ON ledger", "DROP FUNCTION acts()")
    types = (
        ("1::smallint", 1),
        ("9007199254740993::bigint", "9007199254740993"),
        ("-9007199254740991::bigint", -9007199254740991),
        ("12.50::numeric(10, 2)", 12.5),
        ("123456789012345678.123456789::numeric", "123456789012345678.123456789"),
        ("'NaN'::numeric", "NaN"),
        ("0.1::double precision", 0.1),
        ("'NaN'::double precision", "NaN"),
        ("'-Infinity'::real", "-Infinity"),
        ("true", True),
        ("'😀 ünï'", "😀 ünï"),
        ("'ab'::char(5)", "ab   "),
        ("DATE '2024-02-29'", "2024-02-29"),
        ("DATE '0044-03-15 BC'", "0044-03-15 BC"),
        ("DATE 'infinity'", "infinity"),
        ("TIME '10:20:30.5'", "10:20:30.5"),
        ("TIMESTAMP '2024-02-29 10:20:30'", "2024-02-29T10:20:30"),
        ("TIMESTAMPTZ '2024-02-29 10:20:30.123456+05:30' AT TIME ZONE 'UTC'", "2024-02-29T04:50:30.123456"),
        ("TIMESTAMPTZ '2024-02-29 10:20:30Z'", "2024-02-29T10:20:30+00:00"),
        ("INTERVAL '1 year 2 months 3 days 4 hours 5 minutes 6.5 seconds'", "P1Y2M3DT4H5M6.5S"),
        ("'\\xdeadbeef'::bytea", "0xdeadbeef"),
        ("TIMESTAMP '0044-03-15 10:00:00 BC'", "0044-03-15 10:00:00 BC"),
        ("TIMESTAMPTZ '-infinity'", "-infinity"),
        ("INTERVAL '-1 month 3 days'", "P-1M3D"),
        ("'\"\\ud800\"'::json", "\ufffd"),
        ("ARRAY['happy', NULL, 'sad']::mood[]", ["happy", None, "sad"]),
        ("ARRAY[7]::few[]", [7]),
        ("7::few", 7),
        ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("ARRAY[1, 2, NULL]", [1, 2, None]),
        ("ARRAY[ARRAY['a', 'b'], ARRAY['c', NULL]]", [["a", "b"], ["c", None]]),
        ("ARRAY[DATE '2024-01-01']", ["2024-01-01"]),
        ("ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid]", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
        ("ARRAY[1.5::numeric]", [1.5]),
        ("""'{"a": [1, 2.50, null], "b": 12345678901234567890}'::jsonb""",
         {"a": [1, 2.5, None], "b": "12345678901234567890"}),
        ("'[1]'::json", [1]),
        ("'happy'::mood", "happy"),
        ("'192.168.0.1/24'::inet", "192.168.0.1/24"),
        ("int4range(1, 5)", "[1,5)"),
        ("B'101'", "101"),
        ("NULL::interval", None),
    )  # fmt: skip
    writes = (
        "INSERT INTO people VALUES (1000, 'x', 'y', 1)",
        "UPDATE people SET name = 'x'",
        "DELETE FROM people",
        "DROP TABLE people",
        "TRUNCATE people",
        "CREATE TABLE mine (a integer)",
        "CREATE TEMP TABLE mine (a integer)",
        "SELECT * INTO mine FROM people",
        "SELECT * FROM people FOR UPDATE",
        "WITH x AS (DELETE FROM people RETURNING *) SELECT * FROM x",
        "COPY people TO PROGRAM 'cat'",
        "COPY people TO '/tmp/people.csv'",
        "DO $$ BEGIN DELETE FROM people; END $$",
        "SET default_transaction_read_only = off",
        "SELECT 1; COMMIT; SET default_transaction_read_only = off; DELETE FROM people",
        "SELECT 1 -- '\n; COMMIT; DELETE FROM people; --'",
        "SELECT $$ ' $$; DELETE FROM people; SELECT $$ ' $$",
        "SELECT nextval('numbers')",
        "BEGIN",
        "VACUUM",
        "",
    )

    secrets = ("127.0.0.1", READER, READER_PASSWORD, "no such password", "nowhere")
    connection = "SELECT pg_backend_pid()"

    def connect(self, server: PostgresServer, **changes: Any) -> Executor:
        return connect(server, **changes)

    def connect_writer(self, server: PostgresServer) -> Executor:
        return connect(server, USER, PASSWORD, writable=True)

    def connections(self, server: PostgresServer) -> int:
        with server.admin() as admin:
            found = admin.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plumbline'")
        assert isinstance(found, int)
        return found

    def version(self, executor: Executor) -> str:
        return str(executor.run(unguarded("SELECT current_setting('server_version')"), timeout_s=9).rows[0][0])

    def running(self, server: PostgresServer) -> list[str]:
        with server.admin() as admin:
            return [
                str(row[0])
                for row in admin.rows(
                    "SELECT query FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
                    "AND backend_type = 'client backend'"
                )
            ]

    # -- several schemas -------------------------------------------------------------------------------------

    def test_tables_of_several_schemas_are_told_apart(self, executor: Executor) -> None:
        here, there = self.table(executor, "people"), self.table(executor, "sales.people")

        assert (here.namespace, here.parts) == ("", ("people",))
        assert (there.namespace, there.parts) == ("sales", ("sales", "people"))
        assert [column.name for column in there.columns] == ["id", "seller_id"]
        assert [(key.table, key.columns) for key in there.foreign_keys] == [("people", ("seller_id",))]
        assert executor.schema().namespace == "public"

    @pytest.mark.parametrize("sql, expected", [
        ("SELECT count(*) FROM people", ROWS),
        ("SELECT count(*) FROM public.people", ROWS),
        ("SELECT count(*) FROM sales.people", 1),
        ("SELECT p.name FROM sales.people s JOIN people p ON p.id = s.seller_id", "name 2"),
        ("SELECT max(people) FROM sales.cities", 180),
        ("SELECT count(*) FROM locals", 180),
        ("SELECT count(*) FROM parted", 1),
        ('SELECT "Größe" FROM "Ünï"."Select"', 7),
    ])  # fmt: skip
    def test_each_is_asked_by_its_name(self, executor: Executor, sql: str, expected: object) -> None:
        query = guard.check(sql, executor.schema(), row_limit=5)

        assert executor.run(query, timeout_s=30).rows == ((expected,),)
        assert ask(executor, sql) == expected

    def test_only_the_schemas_that_were_named_are_read(self, server: PostgresServer) -> None:
        with closing(connect(server, schemas=("Sales",))) as executor:
            names = [table.name for table in executor.schema().tables]

        assert names == ["sales.people", "sales.regions", "sales.cities"]

    def test_views_are_marked_and_partitions_are_one_table(self, executor: Executor) -> None:
        tables = {table.name: table for table in executor.schema().tables}

        assert [name for name, table in tables.items() if table.is_view] == ["locals", "sales.cities"]
        assert tables["parted"].row_count == 1
        assert "parted_2024" not in tables

    def test_what_the_user_may_not_read_is_not_in_the_schema(self, executor: Executor, server: PostgresServer) -> None:
        assert executor.schema().table("hidden") is None
        assert [column.name for column in self.table(executor, "half_hidden").columns] == ["id", "open"]
        assert "sealed.letters" not in {table.name for table in executor.schema().tables}
        with closing(connect(server, USER, PASSWORD)) as superuser:
            assert superuser.schema().table("hidden")
            assert superuser.schema().table("sealed.letters")

    def test_types_that_only_make_values_are_in_the_schema(self, executor: Executor) -> None:
        """Neither rows under any name nor calls of user-defined functions."""
        assert {"few", "mood", "spans"} <= {*executor.schema().types}
        assert not {"pair", "letter", "odd", "hidden", "letters"} & {*executor.schema().types}

    def test_a_table_that_may_not_be_read_is_refused_by_the_server(self, run: Run) -> None:
        with pytest.raises(SqlFailed) as raised:
            run("SELECT * FROM hidden")

        assert raised.value.kind is ErrorKind.PERMISSION

    # -- reading only ------------------------------------------------------------------------------------------

    def test_even_a_superuser_writes_nothing(self, server: PostgresServer) -> None:
        accepted = []
        with closing(connect(server, USER, PASSWORD)) as executor:
            for sql in (*self.writes, *FOR_SUPERUSERS):
                try:
                    executor.run(unguarded(sql), timeout_s=30)
                except SqlError:
                    continue
                accepted.append(sql)
            assert ask(executor, "SELECT count(*) FROM people") == ROWS

        assert accepted == []

    @pytest.mark.parametrize("setting", ["default_transaction_read_only", "transaction_read_only"])
    def test_a_query_that_switches_reading_only_off_opens_nothing(self, server: PostgresServer, setting: str) -> None:
        with closing(connect(server, USER, PASSWORD, pool_size=1)) as executor:
            with suppress(SqlFailed):
                ask(executor, f"SELECT set_config('{setting}', 'off', false)")
            for _ in range(2):
                with pytest.raises(SqlFailed) as raised:
                    ask(executor, "SELECT writes_a_row()")
                assert raised.value.kind is ErrorKind.NOT_READ_ONLY

    def test_an_error_repeats_nothing_of_what_was_really_sent(self, run: Run) -> None:
        with pytest.raises(SqlFailed) as raised:
            run("SELECT id + city FROM people")

        assert raised.value.kind in {ErrorKind.TYPE_MISMATCH, ErrorKind.FUNCTION_NOT_FOUND}
        assert "CURSOR" not in raised.value.message
        assert "LINE" not in raised.value.message

    def test_half_a_character_is_refused_and_not_sent(self, run: Run) -> None:
        with pytest.raises(SqlFailed, match="half of a character"):
            run("SELECT '\ud800'")


def test_a_trigger_that_skips_a_row_is_seen_in_the_count(server: PostgresServer) -> None:
    """BEFORE ... RETURN NULL leaves the row as it was, and PostgreSQL does not count it."""
    with server.admin() as admin:
        admin("CREATE TABLE stock (id INTEGER PRIMARY KEY, n INTEGER)")
        admin("INSERT INTO stock VALUES (1, 1), (2, 2)")
        admin("CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
              "IF OLD.id = 1 THEN RETURN NULL; END IF; RETURN NEW; END $$")  # fmt: skip
        admin("CREATE TRIGGER keeps BEFORE UPDATE ON stock FOR EACH ROW EXECUTE FUNCTION kept()")
    statement = CheckedWrite(sql="UPDATE stock SET n = 0 WHERE id > 0", kind="update", table="stock")
    with closing(TestPostgres().connect_writer(server)) as writer:
        result = writer.write(statement, timeout_s=9, commit=True, max_rows=9, exactly=2)

    assert (result.rows_affected, result.committed) == (1, False), "another count than was agreed: undone"
    with server.admin() as admin:
        for gone in ("DROP TABLE stock", "DROP FUNCTION kept()"):
            admin(gone)
