"""Harmless queries that are easily refused: each is accepted and keeps its meaning."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import pytest
from guard_shop import schema

from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from executors.guard import guard
from executors.guard.refusals import harm_of


def written(dialect: str, sql: str, *, check_names: bool = True, open_parameters: bool = False) -> str:
    checked = guard.check(sql, schema(dialect), row_limit=9, check_names=check_names, open_parameters=open_parameters)
    again = guard.check(
        checked.sql, schema(dialect), row_limit=9, check_names=check_names, open_parameters=open_parameters
    )
    assert again.sql == checked.sql
    return checked.sql


@pytest.mark.parametrize(
    "dialect, sql, shown",
    [
        # VALUES alone
        ("sqlite", "VALUES (1, 'a'), (2, 'b')", "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS listed LIMIT 9"),
        ("postgresql", "VALUES (1), (2) ORDER BY 1 DESC LIMIT 1 OFFSET 1", "SELECT * FROM (VALUES (1), (2)) AS listed ORDER BY 1 DESC LIMIT 1 OFFSET 1"),
        ("mysql", "VALUES ROW(1, 2), ROW(3, 4)", "SELECT * FROM (VALUES ROW(1, 2), ROW(3, 4)) AS listed LIMIT 9"),
        ("mariadb", "VALUES (1, 2), (3, 4) LIMIT 1", "SELECT * FROM (VALUES (1, 2), (3, 4)) AS listed LIMIT 1"),
        ("databricks", "VALUES 1, 2 LIMIT 1", "SELECT * FROM VALUES (1), (2) AS listed LIMIT 1"),
        # advice about how to read is left out
        ("sqlserver", "SELECT id FROM orders WITH (NOLOCK, INDEX = (ix), FORCESEEK(ix(id)))", "SELECT TOP 9 id FROM orders"),
        ("mysql", "SELECT id FROM orders USE INDEX (a) FORCE INDEX FOR ORDER BY (b)", "SELECT id FROM orders LIMIT 9"),
        ("mysql", "SELECT /*+ MAX_EXECUTION_TIME(1) */ SQL_NO_CACHE id FROM orders", "SELECT id FROM orders LIMIT 9"),
        ("mysql", "SELECT STRAIGHT_JOIN id FROM orders", "SELECT STRAIGHT_JOIN id FROM orders LIMIT 9"),
        ("clickhouse", "SELECT id FROM orders FORMAT CSV", "SELECT id FROM orders LIMIT 9"),
        ("clickhouse", "SELECT id FROM orders SETTINGS max_threads = 1, optimize_read_in_order = 1 FORMAT JSON", "SELECT id FROM orders LIMIT 9"),
        ("sqlserver", "SELECT id FROM orders OPTION (RECOMPILE, MAXDOP 1, MAXRECURSION 50)", "SELECT TOP 9 id FROM orders OPTION(MAXRECURSION 50)"),
        ("oracle", "SELECT /*+ FULL(o) */ id FROM orders o", 'SELECT "id" FROM "orders" o FETCH FIRST 9 ROWS ONLY'),
        # SQL's own functions with words in them
        ("postgresql", "SELECT json_value(details::jsonb, '$.a' RETURNING numeric NULL ON EMPTY) FROM products", "SELECT JSON_VALUE(CAST(details AS JSONB), '$.a' RETURNING NUMERIC NULL ON EMPTY) FROM products LIMIT 9"),
        ("postgresql", "SELECT json_object('n': name, 'i' VALUE id ABSENT ON NULL) FROM products", "SELECT JSON_OBJECT('n' : name, 'i' VALUE id ABSENT ON NULL) FROM products LIMIT 9"),
        ("postgresql", "SELECT j.x FROM products p, json_table(p.details::jsonb, '$[*]' COLUMNS (n FOR ORDINALITY, x int PATH '$.x', NESTED PATH '$.y' COLUMNS (z text PATH '$'))) AS j", "SELECT j.x FROM products AS p, JSON_TABLE(CAST(p.details AS JSONB), '$[*]' COLUMNS (n FOR ORDINALITY, x INT PATH '$.x', NESTED PATH '$.y' COLUMNS (z TEXT PATH '$'))) AS j LIMIT 9"),
        ("postgresql", "SELECT xmlelement(NAME item, xmlattributes(id AS no), name) FROM products", "SELECT XMLELEMENT(NAME item, XMLATTRIBUTES(id AS no), name) FROM products LIMIT 9"),
        ("mysql", "SELECT JSON_VALUE(details, '$.a' RETURNING DECIMAL(4, 2) DEFAULT '0' ON EMPTY) FROM products", "SELECT JSON_VALUE(details, '$.a' RETURNING DECIMAL(4,2) DEFAULT '0' ON EMPTY) FROM products LIMIT 9"),
        ("mysql", "SELECT j.x FROM products p, JSON_TABLE(p.details, '$[*]' COLUMNS (x INT PATH '$.x' DEFAULT '1' ON EMPTY)) j", "SELECT j.x FROM products AS p, JSON_TABLE(p.details, '$[*]' COLUMNS (x INT PATH '$.x' DEFAULT '1' ON EMPTY)) AS j LIMIT 9"),
        ("sqlserver", "SELECT JSON_OBJECTAGG(name : id ABSENT ON NULL), JSON_ARRAYAGG(id NULL ON NULL RETURNING json) FROM products", "SELECT JSON_OBJECTAGG(name : id ABSENT ON NULL), JSON_ARRAYAGG(id NULL ON NULL RETURNING JSON) FROM products"),
        ("sqlserver", "SELECT o.x FROM products CROSS APPLY OPENJSON(details, '$.a') WITH (x int '$.x') AS o", "SELECT TOP 9 o.x FROM products CROSS APPLY OPENJSON(details, '$.a') WITH (x INTEGER '$.x') AS o"),
        ("oracle", "SELECT LISTAGG(name, ', ' ON OVERFLOW TRUNCATE '...' WITHOUT COUNT) WITHIN GROUP (ORDER BY name) FROM customers", "SELECT LISTAGG(\"name\", ', ' ON OVERFLOW TRUNCATE '...' WITHOUT COUNT) WITHIN GROUP (ORDER BY \"name\") FROM \"customers\""),
        ("oracle", "SELECT JSON_OBJECT(KEY 'n' VALUE name FORMAT JSON) FROM customers", "SELECT JSON_OBJECT(KEY 'n' VALUE \"name\" FORMAT JSON) FROM \"customers\" FETCH FIRST 9 ROWS ONLY"),
        ("sqlserver", "SELECT STUFF((SELECT ', ' + name FROM customers FOR XML PATH('')), 1, 2, '')", "SELECT STUFF((SELECT ', ' + name FROM customers FOR XML PATH('')), 1, 2, '')"),
        ("sqlserver", "SELECT details.value('(/a)[1]', 'int') FROM products", "SELECT TOP 9 details.value('(/a)[1]', 'int') FROM products"),
        ("sqlserver", "SELECT id FROM products WHERE CONTAINS(name, 'x')", "SELECT TOP 9 id FROM products WHERE CONTAINS(name, 'x')"),
        # operators
        ("postgresql", "SELECT name <-> 'x', name <=> 'x', name %> 'x', name <<<-> 'x', id << 2 FROM customers", "SELECT name <-> 'x', name <=> 'x', name %> 'x', name <<<-> 'x', id << 2 FROM customers LIMIT 9"),
        ("postgresql", "SELECT id FROM orders WHERE id OPERATOR(pg_catalog.>) 1", "SELECT id FROM orders WHERE id OPERATOR(pg_catalog.>) 1 LIMIT 9"),
        ("postgresql", "SELECT @ -5, |/ 25.0, 'a' @> 'b', details::jsonb @? '$.a', details::jsonb #- '{a}' FROM products", "SELECT ABS(-5), SQRT(25.0), 'a' @> 'b', CAST(details AS JSONB) @? '$.a', CAST(details AS JSONB) #- '{a}' FROM products LIMIT 9"),
        ("duckdb", "SELECT 5!, 3! <> 6, name !~~ 'a%' FROM customers", "SELECT 5 !, 3 ! <> 6, name NOT LIKE 'a%' FROM customers LIMIT 9"),
        ("mysql", "SELECT (id = 1) || (total_amount > 2), 1 || 0 FROM orders", "SELECT (id = 1) OR (total_amount > 2), 1 OR 0 FROM orders LIMIT 9"),
        ("mysql", "SELECT name SOUNDS LIKE 'x', 3 MEMBER OF('[3]'), _utf8mb4'x' FROM customers", "SELECT SOUNDEX(name) = SOUNDEX('x'), 3 MEMBER OF('[3]'), _utf8mb4 'x' FROM customers LIMIT 9"),
        ("mysql", "SELECT DISTINCTROW status FROM orders", "SELECT DISTINCT status FROM orders LIMIT 9"),
        ("oracle", "SELECT id FROM orders WHERE id > = 2", 'SELECT "id" FROM "orders" WHERE "id" >= 2 FETCH FIRST 9 ROWS ONLY'),
        # orders, names and texts
        ("postgresql", "SELECT id FROM orders ORDER BY id USING >, status USING OPERATOR(pg_catalog.<)", "SELECT id FROM orders ORDER BY id DESC, status ASC LIMIT 9"),
        ("postgresql", "SELECT U&\"\\0069d\", U&'d!0061t' UESCAPE '!' FROM orders", "SELECT \"id\", U&'d!0061t' UESCAPE '!' FROM orders LIMIT 9"),
        ("mysql", "SELECT 'a' 'b', \"c\" \"d\"", "SELECT 'ab', 'cd'"),
        # what stands in FROM
        ("postgresql", "SELECT * FROM lower('A'), json_to_recordset('[]') AS r(a int)", "SELECT * FROM LOWER('A'), JSON_TO_RECORDSET('[]') AS r(a INT) LIMIT 9"),
        ("postgresql", "SELECT * FROM substring('Thomas' FROM 2 FOR 3)", "SELECT * FROM SUBSTRING('Thomas' FROM 2 FOR 3) LIMIT 9"),
        ("mysql", "SELECT id FROM orders PARTITION (p0, p1) AS o", "SELECT id FROM orders PARTITION(p0, p1) AS o LIMIT 9"),
        ("mariadb", "SELECT id FROM orders FOR SYSTEM_TIME BETWEEN '2020-01-01' AND NOW()", "SELECT id FROM orders FOR SYSTEM_TIME BETWEEN '2020-01-01' AND NOW() LIMIT 9"),
        ("sqlserver", "SELECT id FROM orders FOR SYSTEM_TIME AS OF '2020-01-01'", "SELECT TOP 9 id FROM orders FOR SYSTEM_TIME AS OF '2020-01-01'"),
        ("databricks", "SELECT id FROM orders VERSION AS OF 3", "SELECT id FROM orders VERSION AS OF 3 LIMIT 9"),
        ("databricks", "SELECT id FROM orders DISTRIBUTE BY status SORT BY id", "SELECT id FROM orders DISTRIBUTE BY status SORT BY id LIMIT 9"),
        ("databricks", "SELECT id FROM orders CLUSTER BY id", "SELECT id FROM orders CLUSTER BY id LIMIT 9"),
        ("clickhouse", "SELECT o.id FROM orders AS o INNER ALL JOIN customers AS c ON c.id = o.customer_id", "SELECT o.id FROM orders AS o INNER JOIN customers AS c ON c.id = o.customer_id LIMIT 9"),
        ("clickhouse", "SELECT o.id FROM orders AS o ANY INNER JOIN customers AS c ON c.id = o.customer_id", "SELECT o.id FROM orders AS o INNER ANY JOIN customers AS c ON c.id = o.customer_id LIMIT 9"),
        ("sqlite", "SELECT 8 | ~ ~ ~4", "SELECT 8 | ~ ~ ~4"),
        ("oracle", "SELECT CAST('1 2' AS INTERVAL DAY TO SECOND) FROM dual", "SELECT CAST('1 2' AS INTERVAL DAY TO SECOND) FROM dual FETCH FIRST 9 ROWS ONLY"),
        ("clickhouse", "SELECT o.id FROM orders AS o GLOBAL ALL INNER JOIN customers AS c ON c.id = o.customer_id", "SELECT o.id FROM orders AS o GLOBAL INNER JOIN customers AS c ON c.id = o.customer_id LIMIT 9"),
        ("clickhouse", "SELECT o.id FROM orders AS o LEFT SEMI OUTER JOIN customers AS c ON c.id = o.customer_id", "SELECT o.id FROM orders AS o LEFT SEMI JOIN customers AS c ON c.id = o.customer_id LIMIT 9"),
        ("oracle", "SELECT LEVEL, SYS_CONNECT_BY_PATH(name, '/') FROM customers START WITH id = 1 CONNECT BY PRIOR id = id", "SELECT LEVEL, SYS_CONNECT_BY_PATH(\"name\", '/') FROM \"customers\" START WITH \"id\" = 1 CONNECT BY PRIOR \"id\" = \"id\" FETCH FIRST 9 ROWS ONLY"),
        ("oracle", "SELECT LEVEL FROM dual CONNECT BY LEVEL <= 12", "SELECT LEVEL FROM dual CONNECT BY LEVEL <= 12 FETCH FIRST 9 ROWS ONLY"),
        # variables that say how values are compared and written
        ("mysql", "SELECT @@session.time_zone, @@sql_mode", "SELECT @@session.time_zone, @@sql_mode"),
        ("sqlserver", "SELECT @@DATEFIRST", "SELECT @@DATEFIRST"),
    ],
)  # fmt: skip
def test_lets_through(dialect: str, sql: str, shown: str) -> None:
    assert written(dialect, sql) == shown


@pytest.mark.parametrize(
    "dialect, sql",
    [
        ("postgresql", "SELECT st_distance(a, b), st_asgeojson(a), ts_rank(a, b), hstore_to_json(a), time_bucket('1 day', a) FROM t"),
        ("mysql", "SELECT ST_Distance_Sphere(a, b), IS_IPV4(a), RAND(), JSON_SCHEMA_VALID(a, b) FROM t"),
        ("mariadb", "SELECT ST_Buffer(a, 1), VEC_DISTANCE_COSINE(a, b), UUID_V7() FROM t"),
        ("sqlserver", "SELECT REGEXP_REPLACE(a, 'x', 'y'), BIT_COUNT(a), PARSENAME(a, 1), REPLICATE(a, 3) FROM t"),
        ("oracle", "SELECT STATS_T_TEST_ONE(a, 1), XMLAGG(XMLELEMENT(\"x\", a)) FROM t"),
        ("databricks", "SELECT h3_longlatash3(a, b, 5), st_area(a), bitmap_count(a), session_window(a, '5 minutes') FROM t"),
        ("clickhouse", "SELECT geoToH3(a, b, 5), SHA512(a), sumMerge(a), sequenceMatch('(?1)')(a, b) FROM t"),
        ("duckdb", "SELECT list_cosine_similarity(a, b), json_set(a, '$.x', 1), histogram_exact(a, b) FROM t"),
        ("sqlite", "SELECT jsonb_extract(a, '$.x'), concat_ws('-', a, b), sign(a) FROM t"),
    ],
)  # fmt: skip
def test_knows_the_pure_functions_of_the_engines_and_their_usual_extensions(dialect: str, sql: str) -> None:
    assert written(dialect, sql, check_names=False)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_function_that_is_known_to_do_harm_is_on_a_list(dialect: str) -> None:
    row = DIALECTS[dialect]
    listed = row.functions | row.aggregates | row.table_functions
    # SQLite's glob compares text; it is DuckDB's that lists files.
    assert {name for name in listed if harm_of(name)} <= ({"glob"} if dialect == "sqlite" else set())


@pytest.mark.parametrize(
    "dialect, sql, shown",
    [
        ("postgresql", "SELECT id FROM orders WHERE id = $1 AND status = :s AND id < @n", "SELECT id FROM orders WHERE id = $1 AND status = :s AND id < @n LIMIT 9"),
        ("sqlserver", "SELECT ISJSON(@j) FROM orders WHERE @x = id", "SELECT TOP 9 ISJSON(@j) FROM orders WHERE @x = id"),
        ("databricks", "SELECT :a FROM orders LIMIT :n", "SELECT * FROM (SELECT :a FROM orders LIMIT :n) AS limited LIMIT 9"),
        ("clickhouse", "SELECT {x:String} FROM orders", "SELECT {x: String} FROM orders LIMIT 9"),
        ("mysql", "SELECT id FROM orders WHERE id = ?", "SELECT id FROM orders WHERE id = ? LIMIT 9"),
    ],
)  # fmt: skip
def test_a_parameter_that_is_only_read_may_stay_open(dialect: str, sql: str, shown: str) -> None:
    assert written(dialect, sql, open_parameters=True) == shown
    with pytest.raises(SqlRefused, match="has no value"):
        written(dialect, sql)


@pytest.mark.parametrize(
    "dialect, sql, kind, why",
    [
        ("duckdb", "SELECT repeat(repeat('x', 1001), 1001)", ErrorKind.PERMISSION, "a million times as long"),
        ("databricks", "SELECT array_repeat(id, 100000) FROM orders", ErrorKind.PERMISSION, "a list of that length"),
        ("clickhouse", "SELECT rightPad(status, id) FROM orders", ErrorKind.PERMISSION, "a length that a row decides"),
        ("oracle", "SELECT LEVEL FROM dual CONNECT BY LEVEL <= 10001", ErrorKind.PERMISSION, "more rows than are counted to"),
        ("mysql", "SELECT name || country FROM customers", ErrorKind.SYNTAX_ERROR, "OR is said where text was meant"),
        ("postgresql", "SELECT 1 OPERATOR(public.@#@) 2", ErrorKind.SYNTAX_ERROR, "an operator that nobody knows"),
        ("mysql", "SELECT id FROM orders PARTITION ((SELECT 1))", ErrorKind.SYNTAX_ERROR, "a partition without a name"),
        ("sqlserver", "SELECT id FROM orders WITH (NOLOCK", ErrorKind.SYNTAX_ERROR, "hints that never end"),
        ("postgresql", "SELECT json_value(details, '$.a' RETURNING numeric; DROP TABLE x) FROM products", ErrorKind.NOT_READ_ONLY, "a statement among the clauses"),
        ("sqlite", "SELECT id FROM orders QUALIFY row_number() OVER (ORDER BY id) = 1 LIMIT 3", ErrorKind.SYNTAX_ERROR, "the limit would come before the filter"),
        ("oracle", "SELECT DISTINCT ON (status) status, id FROM orders ORDER BY status LIMIT 3", ErrorKind.SYNTAX_ERROR, "and here too"),
        ("postgresql", "SELECT interval(1, 2) FROM orders", ErrorKind.SYNTAX_ERROR, "an interval that would become a column"),
        ("duckdb", "FROM FROM orders SELECT id", ErrorKind.SYNTAX_ERROR, "a query that cannot be written again"),
        ("sqlite", "SELECT id FROM orders FETCH FIRST status ROWS ONLY", ErrorKind.SYNTAX_ERROR, "a column for a number of rows"),
        ("postgresql", "SELECT U&\"\\zzzz\" FROM orders", ErrorKind.COLUMN_NOT_FOUND, "letters without numbers stay as they are"),
    ],
)  # fmt: skip
def test_refuses_what_goes_beyond(dialect: str, sql: str, kind: ErrorKind, why: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        written(dialect, sql)
    assert caught.value.kind is kind, f"{why}: {caught.value.message}"
