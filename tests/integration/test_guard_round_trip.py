"""A query that the guard rewrites gives the same rows, on every available engine."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pytest

from executors.base import Schema
from executors.guard import guard
from testbed import mariadb
from testbed.clickhouse import ClickHouseServer
from testbed.mariadb import MariadbServer
from testbed.postgres import PostgresServer

Run = Callable[[str], Any]

SQLITE = [
    "VALUES (1, 'a'), (2, 'b')",
    "SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]'), '{\"a\": 1}' -> 'a', '{\"a\": 1}' ->> '$.a', sign(-3)",
    'SELECT key, value FROM json_each(\'{"a": 1, "b": 2}\')',
]
DUCKDB = [
    "VALUES (1, 'a'), (2, 'b')",
    "SELECT 5!, @(-5), 2 ** 3, 3! != 6, 5! + 1",
    "SELECT 'abc' !~~ 'a%', 'abc' ~~ 'a%', repeat('ab', 3), list_resize([1, 2], 3, 0)",
    "SELECT list_cosine_similarity([1.0, 2.0], [2.0, 4.0]), parse_filename('/a/b.csv')",
    "SELECT histogram_exact(x, [1, 2]) FROM (VALUES (1), (2), (2)) t(x)",
]
CLICKHOUSE = [
    "SELECT number FROM numbers(3) SETTINGS max_threads = 1",
    "SELECT a.number FROM numbers(4) AS a LEFT SEMI OUTER JOIN numbers(2) AS b ON a.number = b.number ORDER BY 1",
    "SELECT a.number FROM numbers(3) AS a FULL ALL OUTER JOIN numbers(4) AS b ON a.number = b.number ORDER BY 1",
    "SELECT a.number FROM numbers(4) AS a ALL LEFT JOIN numbers(2) AS b ON a.number = b.number ORDER BY 1",
    "SELECT sequenceMatch('(?1)(?2)')(t, e = 1, e = 2) FROM (SELECT toDateTime(number) AS t, number AS e FROM numbers(4))",
    "SELECT sumMerge(s) FROM (SELECT sumState(number) AS s FROM numbers(5))",
    "SELECT geohashEncode(10.5, 20.5), toIPv4('1.2.3.4'), leftPad('a', 5, '*'), cosineDistance([1., 2.], [2., 3.])",
]
POSTGRESQL = [
    "VALUES (1, 2), (3, 4) ORDER BY 1 DESC LIMIT 1 OFFSET 1",
    "SELECT * FROM lower('ABC'), substring('Thomas' FROM 2 FOR 3)",
    "SELECT U&'d\\0061t', U&'d!0061t' UESCAPE '!', U&\"d\\0061t\" FROM (SELECT 1 AS dat) x",
    "SELECT x FROM (VALUES (3), (1), (NULL)) t(x) ORDER BY x USING >",
    "SELECT x FROM (VALUES (3), (1), (NULL)) t(x) ORDER BY x USING < NULLS FIRST",
    "SELECT x FROM (VALUES (3), (1), (NULL)) t(x) ORDER BY x USING OPERATOR(pg_catalog.>)",
    "SELECT 1 OPERATOR(pg_catalog.+) 2 * 3, 1 OPERATOR(pg_catalog.<) 2, 'a' OPERATOR(pg_catalog.||) 'b'",
    "SELECT json_value('{\"p\": 9.5}'::jsonb, '$.p' RETURNING numeric), json_query('{\"a\": [1]}'::jsonb, '$.a' WITH WRAPPER)",
    "SELECT json_value('{}'::jsonb, '$.x' DEFAULT 'none' ON EMPTY), json_object('a' VALUE 1, 'b': 2 ABSENT ON NULL), json_array(1, NULL NULL ON NULL)",
    "SELECT json_arrayagg(x ORDER BY x DESC), json_objectagg(x : x + 1) FROM (VALUES (1), (2)) t(x)",
    "SELECT j.* FROM json_table('[{\"n\": \"a\", \"p\": [1, 2]}, {\"n\": \"b\"}]'::jsonb, '$[*]' COLUMNS (id FOR ORDINALITY, name text PATH '$.n', has boolean EXISTS PATH '$.p', NESTED PATH '$.p[*]' COLUMNS (q int PATH '$'))) AS j",
    "SELECT json_extract_path_text('{\"foo\": 1}'::json, VARIADIC ARRAY['foo'::text]), concat_ws('-', VARIADIC ARRAY['a', 'b'])",
    "SELECT int4range(1, 3) && int4range(2, 5), int4range(1, 3) &< int4range(2, 5), int4range(1, 3) -|- int4range(3, 5), int4range(1, 3) << int4range(5, 6)",
    "SELECT inet '10.0.0.1' << inet '10.0.0.0/8', inet '10.0.0.0/8' >>= inet '10.0.0.0/8', 1 << 4, 256 >> 2",
    "SELECT point(1, 1) <-> point(4, 5), point(1, 2) ~= point(1, 2), circle(point(0, 0), 1) |>> circle(point(0, -5), 1)",
    "SELECT 'abc' ~<~ 'abd', 'abc' ^@ 'ab', '{\"a\": 1}'::jsonb @? '$.a', '{\"a\": 1, \"b\": 2}'::jsonb #- '{a}', |/ 25, @ -5, 5 # 3",
    "SELECT a.x, b.y FROM json_to_recordset('[{\"x\": 1}]') AS a(x int), jsonb_to_record('{\"y\": 2}') AS b(y int)",
    "SELECT repeat('ab', 3), sha512('a'), array_reverse(ARRAY[1, 2]), regexp_count('aaa', 'a')",
    "SELECT 'a'\n 'b' AS two",
]
MARIADB = [
    "VALUES (1, 'a'), (2, 'b')",
    "SELECT 'foo' 'bar', \"a\" \"b\", (1 = 2) || 1, 1 || 0, 0 || 0",
    "SELECT * FROM JSON_TABLE('[{\"n\": \"a\", \"p\": [1, 2]}, {\"n\": \"b\"}]', '$[*]' COLUMNS (id FOR ORDINALITY, name VARCHAR(10) PATH '$.n' DEFAULT 'x' ON EMPTY, has INT EXISTS PATH '$.p', NESTED PATH '$.p[*]' COLUMNS (q INT PATH '$'))) AS j",
    "SELECT SQL_NO_CACHE JSON_VALUE('{\"a\": 1}', '$.a'), @@session.time_zone, IS_IPV4('1.2.3.4'), REPEAT('ab', 2)",
    "SELECT ST_Distance(POINT(0, 0), POINT(3, 4)), MBRContains(ST_GeomFromText('POLYGON((0 0,0 2,2 2,2 0,0 0))'), POINT(1, 1))",
    "SELECT a FROM parted USE INDEX (i) WHERE a = 1",
    "SELECT a FROM parted FORCE INDEX FOR ORDER BY (i) ORDER BY a",
    "SELECT a FROM parted PARTITION (p0) AS x",
    "SELECT a FROM kept FOR SYSTEM_TIME ALL ORDER BY a",
    "SELECT a FROM kept FOR SYSTEM_TIME BETWEEN '2000-01-01' AND NOW(6) ORDER BY a",
]
MARIADB_TABLES = (
    "CREATE DATABASE round_trip",
    "USE round_trip",
    "CREATE TABLE parted (a INT, KEY i (a)) PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)",
    "INSERT INTO parted VALUES (1), (20)",
    "CREATE TABLE kept (a INT) WITH SYSTEM VERSIONING",
    "INSERT INTO kept VALUES (1)",
    "UPDATE kept SET a = 2",
)


def written_anew(dialect: str, sql: str) -> str:
    nothing = Schema(database="nothing", dialect=dialect, tables=())
    return guard.check(sql, nothing, row_limit=100, check_names=False).executable


def assert_the_same(dialect: str, sql: str, run: Run) -> None:
    rows = run(sql)
    assert rows, "a case without rows would prove nothing"
    assert run(written_anew(dialect, sql)) == rows


@pytest.mark.parametrize("sql", SQLITE)
def test_sqlite(sql: str) -> None:
    connection = sqlite3.connect(":memory:")
    assert_the_same("sqlite", sql, lambda text: connection.execute(text).fetchall())
    connection.close()


@pytest.mark.parametrize("sql", DUCKDB)
def test_duckdb(sql: str) -> None:
    with duckdb.connect() as connection:
        assert_the_same("duckdb", sql, lambda text: connection.execute(text).fetchall())


@pytest.fixture(scope="module")
def clickhouse() -> Iterator[Run]:
    with ClickHouseServer() as server, server.admin() as admin:
        yield admin.rows


@pytest.mark.parametrize("sql", CLICKHOUSE)
def test_clickhouse(clickhouse: Run, sql: str) -> None:
    assert_the_same("clickhouse", sql, clickhouse)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Run]:
    with PostgresServer() as server, server.admin() as admin:
        yield lambda sql: [tuple(map(shown, row)) for row in admin.rows(sql)]


def shown(value: object) -> str:
    """In words; the driver's bytes would show where in memory they lie."""
    return str(value.tobytes() if isinstance(value, memoryview) else value)


@pytest.mark.parametrize("sql", POSTGRESQL)
def test_postgresql(postgres: Run, sql: str) -> None:
    assert_the_same("postgresql", sql, postgres)


@pytest.fixture(scope="module")
def maria() -> Iterator[Run]:
    if reason := mariadb.missing():
        pytest.skip(reason)
    with MariadbServer() as server, server.admin() as admin:
        for statement in MARIADB_TABLES:
            admin(statement)
        yield admin.rows


@pytest.mark.parametrize("sql", MARIADB)
def test_mariadb(maria: Run, sql: str) -> None:
    assert_the_same("mariadb", sql, maria)
