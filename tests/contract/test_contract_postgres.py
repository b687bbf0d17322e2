"""The contract, on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from contract_suite import ServerContract, fill, unguarded

from executors.base import Executor
from executors.dialects import DIALECTS
from executors.postgres import PostgresExecutor
from executors.server.address import Address
from executors.server.options import ServerOptions
from testbed.postgres import READER, READER_PASSWORD, PostgresServer

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
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE ROLE reader LOGIN PASSWORD 'only reads';
GRANT USAGE ON SCHEMA sales TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public, sales TO reader;
REVOKE ALL ON hidden FROM reader;
ANALYZE;
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        with server.admin() as admin:
            fill(admin, DIALECTS["postgresql"])
            admin(MORE)
        yield server


def connect(server: PostgresServer, user: str = READER, password: str = READER_PASSWORD, **changes: Any) -> Executor:
    query = {key: changes.pop(key) for key in ("sslmode", "sslrootcert") if key in changes}
    url = server.url(changes.pop("database", "postgres"), user, password, **query)
    return PostgresExecutor("people", Address.parse(url), options=ServerOptions(**changes))


@pytest.fixture(scope="module")
def executor(server: PostgresServer) -> Iterator[Executor]:
    executor = connect(server)
    yield executor
    executor.close()


class TestPostgres(ServerContract):
    engine = "PostgreSQL"
    endless = "SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 100000000) b WHERE a + b = 7"
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

    def connect(self, server: PostgresServer, **changes: Any) -> Executor:
        return connect(server, **changes)

    def version(self, executor: Executor) -> str:
        return str(executor.run(unguarded("SHOW server_version"), timeout_s=9).rows[0][0])

    def running(self, server: PostgresServer) -> list[str]:
        with server.admin() as admin:
            return [
                str(row[0])
                for row in admin.rows(
                    "SELECT query FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() "
                    "AND backend_type = 'client backend'"
                )
            ]
