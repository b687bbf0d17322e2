"""A rewritten query means the same: same rows on the real engines."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import pytest
from guard_shop import duckdb_shop, schema, sqlite_shop

from executors.dialects.table import DIALECTS
from executors.errors import SqlRefused
from executors.guard import guard

SQLITE = [
    ("SELECT 7 / 2, 7 / 2.0, 7 % 3, -7 / 2, 1 / 0", "integer division"),
    ("SELECT id / 2, id * 1.0 / 2, CAST(id AS REAL) / 2, CAST('7' AS DECIMAL) / 2 FROM orders", "division by type"),
    ("SELECT CAST('12abc' AS INTEGER), CAST('1.5' AS BOOLEAN), CAST('2024-01-05' AS DATE)", "affinity of odd types"),
    ("SELECT CAST(65 AS VARCHAR(10)), typeof(CAST('1' AS NUMERIC)), typeof(CAST(1 AS STRING))", "affinity of odd types"),
    ("SELECT strftime('%Y-%m', created_at), strftime('%s', created_at, '+1 day') FROM orders ORDER BY id", "dates"),
    ("SELECT date(created_at, 'start of month', '-2 months'), datetime(created_at, '+1 hour') FROM orders", "dates"),
    ("SELECT date('2024-01-31', '+1 month'), time('12:00', '-30 minutes'), julianday('2024-01-01')", "dates"),
    ("SELECT 'a' || 1 || NULL, 'a' || 'b' || 1 + 2, 1 || 2 * 3", "joining text binds tighter"),
    ("SELECT NULL IS NULL, 1 IS 1, 1 IS NOT 2, NULL IS NOT 1, 1 IS TRUE, 0 IS NOT TRUE, 2 = TRUE", "IS"),
    ("SELECT 1 = 1 = 1, 3 > 2 > 1, NOT 1 = 2, NOT 0 + 1, - - 3, ~5, 1 << 3 | 1, 6 & 3", "precedence"),
    ("SELECT id FROM orders WHERE NOT status = 'paid' AND id > 1 OR id = 1", "precedence"),
    ("SELECT customer_id FROM orders ORDER BY customer_id", "NULLs come first"),
    ("SELECT customer_id FROM orders ORDER BY customer_id DESC, id", "NULLs come last"),
    ("SELECT customer_id FROM orders ORDER BY customer_id NULLS LAST, id DESC", "NULLs as said"),
    ("SELECT name FROM customers ORDER BY name COLLATE NOCASE DESC", "collation"),
    ("SELECT name FROM customers WHERE name = 'ANN' COLLATE NOCASE", "collation"),
    ('SELECT id FROM orders WHERE status = "paid" ORDER BY "id"', "double quotes are text or a name"),
    ("SELECT \"category name\", [update], `name` FROM products", "quoted names"),
    ("SELECT id FROM orders WHERE status LIKE 'P%' OR status LIKE '50\\%' ESCAPE '\\'", "LIKE ignores case"),
    ("SELECT id FROM orders WHERE status GLOB 'p*'", "GLOB does not"),
    ("SELECT 'it''s', x'41', 0x10, 1e3, .5, 5., '\\n', ''", "literals"),
    ("SELECT count(*), count(email), count(DISTINCT country), sum(NULL), total(NULL) FROM customers", "aggregates"),
    ("SELECT group_concat(DISTINCT country), group_concat(name, '; ') FROM customers", "aggregates"),
    ("SELECT max(1, 2, NULL), min('a', 'b'), max(id), min(name) FROM customers", "one name, two functions"),
    ("SELECT sum(id) FILTER (WHERE status = 'paid'), avg(total_amount) FROM orders", "FILTER"),
    ("SELECT iif(id > 2, 'a', 'b'), ifnull(total_amount, -1), nullif(id, 2), coalesce(NULL, id) FROM orders", "NULL"),
    ("SELECT round(2.5), round(2.345, 2), round(-1.5), abs(-3), substr('hello', -3, 2), substr('hello', 0, 2)", "numbers"),
    ("SELECT trim('xxaxx', 'x'), ltrim('  a'), replace('aXa', 'X', '-'), instr('abc', 'c'), length('né')", "text"),
    ("SELECT printf('%05.1f|%s|%d', 3.14159, 'x', 7), char(65, 66), unicode('A'), hex('a'), quote('a''b')", "text"),
    ("SELECT details -> 'a.b', details ->> 'tags', details ->> '$.tags[1]', details -> '$.tags' FROM products", "JSON"),
    ("SELECT json_extract(details, '$.tags[0]', '$.none'), json_array(1, 'a', NULL) FROM products", "JSON"),
    ("SELECT '[10, 20]' -> 1, '{\"a.b\": {\"c\": 3}}' -> 'a.b' ->> 'c'", "JSON keys with dots, and indices"),
    ("SELECT json_array_length(details -> 'tags'), upper(details -> 'tags' ->> 0) FROM products", "an arrow in a call"),
    ("SELECT p.id, j.key, j.value FROM products p, json_each(p.details) j ORDER BY 1, 2", "JSON rows"),
    ("SELECT id, row_number() OVER w, sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM orders WINDOW w AS (ORDER BY id)", "windows"),
    ("SELECT id, lag(id, 1, -1) OVER (PARTITION BY status ORDER BY id), ntile(2) OVER (ORDER BY id) FROM orders", "windows"),
    ("SELECT rank() OVER (ORDER BY total_amount DESC NULLS LAST), first_value(id) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM orders", "windows"),
    ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT group_concat(i) FROM n", "recursion"),
    ("WITH RECURSIVE n AS (SELECT 1 AS i UNION SELECT i * 2 FROM n LIMIT 5) SELECT i FROM n", "a limit inside"),
    ("SELECT c.name, o.id FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status = 'paid' ORDER BY 1, 2", "joins"),
    ("SELECT c.name, o.id FROM customers c, orders o WHERE c.id = o.customer_id ORDER BY 2", "joins"),
    ("SELECT * FROM customers JOIN products USING (id)", "USING"),
    ("SELECT name FROM customers UNION SELECT name FROM products EXCEPT SELECT 'Pen' ORDER BY 1", "set operations go left to right"),
    ("SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 2", "set operations go left to right"),
    ("SELECT id FROM orders ORDER BY id LIMIT 1, 2", "offset first"),
    ("SELECT id FROM orders ORDER BY id LIMIT 2 OFFSET 1", "offset last"),
    ("SELECT * FROM (SELECT id FROM orders ORDER BY id DESC LIMIT 2) ORDER BY id", "a limit inside"),
    ("SELECT status, count(*) AS n FROM orders GROUP BY 1 HAVING n >= 1 ORDER BY n DESC, 1", "aliases and positions"),
    ("SELECT id FROM orders WHERE (id, status) IN (VALUES (1, 'paid'), (2, 'x'))", "rows"),
    ("SELECT CASE status WHEN 'paid' THEN 1 WHEN NULL THEN 2 END, CASE WHEN id > 2 THEN 'x' ELSE 'y' END FROM orders", "CASE"),
    ("SELECT EXISTS (SELECT 1 FROM orders WHERE id > 4), (SELECT max(id) FROM orders), 3 IN (SELECT id FROM orders)", "subqueries"),
    ("SELECT id BETWEEN 2 AND 3, id NOT BETWEEN 2 AND 3, customer_id NOT IN (1, 2) FROM orders", "NULL in NOT IN"),
    ("SELECT rowid, name FROM customers WHERE oid > 1", "row ids"),
    ("SELECT status, max(total_amount), id FROM orders GROUP BY status ORDER BY status", "a bare column goes with max"),
]  # fmt: skip

DUCKDB = [
    ("SELECT 7 / 2, 7 // 2, 7 % 3, -7 // 2, 7.5 // 2, 2 ** 3, 2 ^ 3, 1 / 0", "division"),
    ("SELECT 7::DECIMAL / 2, CAST(2.345 AS DECIMAL(10, 2)), 1.5::INT, '3'::BIGINT + 1, CAST('x' AS VARCHAR(1))", "casts"),
    ("SELECT TRY_CAST('x' AS INT), CAST([1, 2] AS VARCHAR[]), {'a': 1}::STRUCT(a BIGINT), 1::BOOLEAN", "casts"),
    ("SELECT date_trunc('month', created_at), strftime(created_at, '%Y-%m'), year(created_at) FROM orders ORDER BY id", "dates"),
    ("SELECT created_at + INTERVAL 2 MONTH, created_at - INTERVAL '3 days', created_at + 1 FROM orders ORDER BY id", "dates"),
    ("SELECT created_at + INTERVAL (id) DAY, date_diff('month', created_at, DATE '2024-06-01') FROM orders", "dates"),
    ("SELECT extract(dow FROM created_at), extract(epoch FROM created_at), extract(week FROM created_at) FROM orders", "dates"),
    ("SELECT date_part('isodow', created_at), dayname(created_at), last_day(created_at), quarter(created_at) FROM orders", "dates"),
    ("SELECT strptime('05/02/2024', '%d/%m/%Y'), make_date(2024, 2, 29), age(DATE '2024-02-01', DATE '2023-01-15')", "dates"),
    ("SELECT INTERVAL 1 YEAR, INTERVAL '1' DAY, INTERVAL '1 hour 30 minutes', to_days(3), TIMESTAMP '2024-01-01 10:00:00'", "intervals"),
    ("SELECT time_bucket(INTERVAL 1 MONTH, created_at), count(*) FROM orders GROUP BY ALL ORDER BY ALL", "buckets"),
    ("SELECT 'a' || 1, concat('a', NULL, 'b'), 'a' || NULL, concat_ws('-', 'a', NULL, 'b')", "NULL in text"),
    ("SELECT customer_id FROM orders ORDER BY customer_id, id", "NULLs come last"),
    ("SELECT customer_id FROM orders ORDER BY customer_id DESC NULLS FIRST, id", "NULLs as said"),
    ("SELECT NULL IS NULL, 1 IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM NULL, true IS TRUE, NOT NULL IS TRUE", "IS"),
    ("SELECT name ILIKE 'A%', name LIKE 'A%', name SIMILAR TO 'A.*', name ~ 'n', name !~ 'n', name GLOB 'A*' FROM customers", "patterns"),
    ("SELECT regexp_matches('abc', 'B', 'i'), regexp_replace('aaa', 'a', 'b'), regexp_replace('aaa', 'a', 'b', 'g')", "patterns"),
    ("SELECT regexp_extract('2024-05', '(\\d+)-(\\d+)', 2), string_split('a,b', ','), split_part('a-b', '-', 2)", "text"),
    ("SELECT substring('hello', 2, 3), 'hello'[2:3], 'hello'[-1], left('hello', 2), right('hello', 2), lpad('1', 3, '0')", "text"),
    ("SELECT trim('xxaxx', 'x'), trim(both 'x' from 'xax'), position('l' IN 'hello'), instr('hello', 'l'), 'abc'.upper()", "text"),
    ("SELECT substring('hello' FROM 2 FOR 3), overlay('abcdef' PLACING 'xx' FROM 2 FOR 1), e'a\\nb', $$it's$$", "text"),
    ("SELECT list(id ORDER BY id DESC), string_agg(name, '; ' ORDER BY name), array_agg(id) FILTER (id > 1) FROM customers", "ordered aggregates"),
    ("SELECT count(*), count(DISTINCT country), sum(id), avg(id), median(id), mode(country) FROM customers", "aggregates"),
    ("SELECT quantile_cont(total_amount, 0.5), quantile_disc(id, [0.25, 0.75]), percentile_cont(0.5) WITHIN GROUP (ORDER BY id) FROM orders", "quantiles"),
    ("SELECT arg_max(name, id), arg_min(name, id), max(id, 2), first(id ORDER BY id), any_value(country) FROM customers", "aggregates"),
    ("SELECT stddev(id), var_pop(id), corr(id, customer_id), bool_and(id > 0), product(id), histogram(status) FROM orders", "statistics"),
    ("SELECT id, lag(id IGNORE NULLS) OVER (ORDER BY id), last_value(total_amount IGNORE NULLS) OVER (ORDER BY id) FROM orders", "windows"),
    ("SELECT sum(id) OVER (ORDER BY created_at RANGE BETWEEN INTERVAL 40 DAY PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM orders ORDER BY id", "windows"),
    ("SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY status ORDER BY id DESC) = 1 ORDER BY id", "QUALIFY"),
    ("SELECT total_amount AS t, t * 2 AS u FROM orders WHERE t > 8 ORDER BY u", "aliases beside their definition"),
    ("SELECT * EXCLUDE (email) REPLACE (upper(name) AS name) FROM customers ORDER BY id", "stars"),
    ("SELECT COLUMNS('id|name'), COLUMNS(lambda c: c LIKE 'cou%') FROM customers ORDER BY id", "columns by pattern"),
    ("SELECT min(COLUMNS(* EXCLUDE (name))) FROM customers", "columns inside a call"),
    ("FROM orders SELECT id WHERE id > 2 ORDER BY id", "FROM first"),
    ("SELECT {'a': 1, 'b': [1, 2]}.b[2], struct_pack(x := 1, y := 'z').y, MAP {'k': 5}['k'], [1, 2, 3][2:]", "nested values"),
    ("SELECT list_transform([1, 2], lambda x: x * 10), list_filter([1, 2, 3], lambda x: x > 1), [x + 1 FOR x IN [1, 2] IF x > 1]", "lambdas"),
    ("SELECT list_reduce([1, 2, 3], lambda a, b: a + b), list_sort([3, 1, 2], 'DESC'), list_aggregate([1, 2], 'sum'), len([1])", "lists"),
    ("SELECT unnest([1, 2]), i FROM range(2) AS r(i), unnest(['a']) AS u(v)", "lists as rows"),
    ("SELECT details::JSON -> 'a.b', details::JSON ->> '$.tags[0]', json_extract_string(details, '$.tags[1]') FROM products ORDER BY id", "JSON"),
    ("SELECT '{\"a\": {\"b\": 1}}'::JSON -> 'a' -> 'b', ('[1, 2]'::JSON -> 1)::INT + 1", "JSON"),
    ("SELECT json_array_length(j -> 'tags'), upper(j -> 'tags' ->> 0) FROM (SELECT details::JSON AS j FROM products)", "an arrow in a call"),
    ("SELECT s.x, s FROM (SELECT {'x': id} AS s FROM orders) ORDER BY 1", "fields of a column"),
    ("SELECT o.status, o FROM orders o ORDER BY o.id", "a row as a value"),
    ("SELECT status, country, count(*) FROM orders JOIN customers c ON c.id = customer_id GROUP BY GROUPING SETS ((status), (country), ()) ORDER BY ALL", "grouping sets"),
    ("SELECT status, sum(id), grouping(status) FROM orders GROUP BY ROLLUP (status) ORDER BY ALL", "rollup"),
    ("SELECT * FROM (SELECT status, id FROM orders) PIVOT (sum(id) FOR status IN ('paid', 'open'))", "PIVOT"),
    ("SELECT * FROM (UNPIVOT (SELECT id, customer_id FROM orders) ON id, customer_id INTO NAME n VALUE v) ORDER BY ALL", "UNPIVOT"),
    ("SELECT DISTINCT ON (status) status, id FROM orders ORDER BY status, id DESC", "DISTINCT ON"),
    ("SELECT c.name, n FROM customers c, (SELECT count(*) AS n FROM orders WHERE customer_id = c.id) ORDER BY 1", "lateral"),
    ("SELECT c.id FROM customers c SEMI JOIN orders o ON o.customer_id = c.id ORDER BY 1", "SEMI JOIN"),
    ("SELECT c.id FROM customers c ANTI JOIN orders o ON o.customer_id = c.id ORDER BY 1", "ANTI JOIN"),
    ("SELECT o.id, p.id FROM orders o ASOF JOIN products p ON o.id >= p.id ORDER BY 1", "ASOF JOIN"),
    ("SELECT * FROM customers POSITIONAL JOIN (SELECT 'x' AS x)", "POSITIONAL JOIN"),
    ("SELECT id, name FROM customers UNION ALL BY NAME SELECT name, id FROM products ORDER BY ALL", "BY NAME"),
    ("SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 2", "INTERSECT binds tighter"),
    ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n", "recursion"),
    ("SELECT id FROM orders WHERE id = ANY ([1, 2]) OR id > ALL (SELECT id FROM customers) ORDER BY 1", "ANY and ALL"),
    ("SELECT x: 1, CASE WHEN true THEN 'a' END, if(1 > 2, 'a', 'b'), ifnull(NULL, 3), greatest(1, 2), 5 BETWEEN 1 AND 9", "the rest"),
    ("SELECT id FROM orders WHERE created_at BETWEEN '2024-01-01' AND '2024-02-28' ORDER BY id LIMIT 1 OFFSET 1", "text as a date"),
]  # fmt: skip


@pytest.mark.parametrize("sql, why", SQLITE)
def test_sqlite_gives_the_same_rows(sql: str, why: str) -> None:
    shop = sqlite_shop()
    checked = guard.check(sql, schema("sqlite"), row_limit=500)
    expected = repr(shop.execute(sql).fetchall())
    assert repr(shop.execute(checked.executable).fetchall()) == expected, why
    assert repr(shop.execute(checked.sql).fetchall()) == expected, why


@pytest.mark.parametrize("sql, why", DUCKDB)
def test_duckdb_gives_the_same_rows(sql: str, why: str) -> None:
    shop = duckdb_shop()
    checked = guard.check(sql, schema("duckdb"), row_limit=500)
    expected = repr(shop.execute(sql).fetchall())
    assert repr(shop.execute(checked.executable).fetchall()) == expected, why
    assert repr(shop.execute(checked.sql).fetchall()) == expected, why


def test_one_row_more_than_the_cap_comes_when_there_are_more() -> None:
    shop = sqlite_shop()
    checked = guard.check("SELECT id FROM orders", schema("sqlite"), row_limit=3)
    assert len(shop.execute(checked.sql).fetchall()) == 3
    assert len(shop.execute(checked.executable).fetchall()) == 4


@pytest.mark.parametrize("dialect, number", [
    *((dialect, "1e3-2e3") for dialect in sorted(DIALECTS)),
    ("sqlite", "1_000"), ("postgresql", "1_000"), ("oracle", "1_000"), ("postgresql", "0x1F"), ("postgresql", "0b101"),
    ("postgresql", "0o17"), ("oracle", "1.5d"),
])  # fmt: skip
def test_a_number_that_would_become_another_is_refused(dialect: str, number: str) -> None:
    with pytest.raises(SqlRefused):
        guard.check(f"SELECT {number} FROM orders", schema(dialect), row_limit=9)


def test_other_numbers_are_not() -> None:
    sql = "SELECT 'é😀', 1e3 - 2e3, 1.e3, .5E-1, 5., 1e3-id, 7-2 AS x, 1AND 1 FROM orders"
    assert guard.check(sql, schema("sqlite"), row_limit=9)
    with pytest.raises(SqlRefused, match="The number 1_000 can be read"):
        guard.check("SELECT 'é😀', 1_000 FROM orders", schema("sqlite"), row_limit=9)


def test_columns_without_a_name_are_called_as_without_quotes() -> None:
    shop = sqlite_shop()
    sql = "SELECT CAST(id AS TEXT), details -> '$.a', (id), id FROM products"
    checked = guard.check(sql, schema("sqlite"), row_limit=9)
    names = [column[0] for column in shop.execute(checked.executable).description]
    assert names == ["CAST(id AS TEXT)", "details -> '$.a'", "id", "id"]
