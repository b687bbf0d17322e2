"""MySQL, MariaDB and ClickHouse: reads are rewritten unchanged, all else is refused."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import pytest
from guard_shop import schema

from executors.dialects.table import DIALECTS, match_error
from executors.errors import ErrorKind, SqlRefused
from executors.guard import guard
from executors.records.raw_records import derive
from executors.sql import grammar


def check(dialect: str, sql: str, row_limit: int = 500) -> str:
    return guard.check(sql, schema(dialect), row_limit=row_limit).sql


def refusal(dialect: str, sql: str) -> SqlRefused:
    with pytest.raises(SqlRefused) as caught:
        check(dialect, sql)
    return caught.value


# ------------------------------------------------------------------------------------------- as it was written

BOTH = [
    "SELECT COUNT(*) FROM orders",
    "SELECT status, COUNT(*) AS n, SUM(total_amount) AS total FROM orders GROUP BY status ORDER BY n DESC, status",
    "SELECT c.name, SUM(o.total_amount) AS s FROM customers AS c JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name",
    "SELECT c.name, COUNT(o.id) AS n FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id GROUP BY c.name HAVING COUNT(o.id) > 1",
    "WITH t AS (SELECT customer_id, SUM(total_amount) AS s FROM orders GROUP BY customer_id) SELECT c.name, t.s FROM t JOIN customers AS c ON c.id = t.customer_id",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
    "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'paid')",
    "SELECT id, RANK() OVER (ORDER BY total_amount DESC) AS r FROM orders",
    "SELECT id, SUM(total_amount) OVER (PARTITION BY customer_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run FROM orders",
    "SELECT CASE WHEN total_amount > 10 THEN 'big' ELSE 'small' END AS k, COUNT(*) AS n FROM orders GROUP BY k",
    "SELECT name FROM customers WHERE name LIKE 'A%' OR email IS NULL",
    "SELECT COUNT(DISTINCT customer_id) FROM orders",
    "SELECT o.id FROM orders AS o WHERE EXISTS(SELECT 1 FROM order_items AS i WHERE i.order_id = o.id)",
    "SELECT id FROM orders WHERE created_at BETWEEN '2024-01-01' AND '2024-02-28'",
    "SELECT 'it''s' AS a, 'back\\\\slash' AS b",
    "SELECT EXTRACT(YEAR FROM created_at) AS y, COUNT(*) AS n FROM orders GROUP BY EXTRACT(YEAR FROM created_at)",
    "SELECT COALESCE(email, 'none'), UPPER(name), LENGTH(name), SUBSTRING(name, 1, 2), ROUND(id / 3, 2) FROM customers",
]

MYSQL = [
    "SELECT DATE_FORMAT(created_at, '%Y-%m') AS m, SUM(total_amount) AS s FROM orders GROUP BY m ORDER BY m",
    "SELECT YEAR(created_at) AS y, MONTH(created_at) AS m, DAYNAME(created_at) AS d, WEEK(created_at, 1) AS w FROM orders",
    "SELECT id FROM orders WHERE created_at >= DATE_SUB(CURDATE(), INTERVAL '1' MONTH)",
    "SELECT id FROM orders WHERE created_at > CURRENT_DATE - INTERVAL '2' MONTH AND created_at < NOW()",
    "SELECT DATEDIFF(NOW(), created_at) AS d, TIMESTAMPDIFF(MONTH, created_at, NOW()) AS m, TIMESTAMPADD(DAY, 1, created_at) AS x FROM orders",
    "SELECT GROUP_CONCAT(DISTINCT name ORDER BY name DESC SEPARATOR '; ') AS n FROM customers",
    "SELECT GROUP_CONCAT(name) AS n FROM customers",
    "SELECT CONCAT(name, ' (', country, ')') AS n, IF(country = 'DE', 1, 0) AS de, IFNULL(email, 'none') AS e FROM customers",
    "SELECT `id`, `total_amount` AS `Total Amount` FROM `orders`",
    "SELECT name FROM customers WHERE name REGEXP '^A' AND NOT name REGEXP 'o$'",
    "SELECT country, COUNT(*) AS n FROM customers GROUP BY country WITH ROLLUP",
    "SELECT CAST(total_amount AS SIGNED) AS i, CAST(id AS CHAR(5)) AS d, CAST(id AS UNSIGNED) AS u, CAST(id AS DECIMAL(10,2)) AS x FROM orders",
    "SELECT id DIV 2 AS d, id % 2 AS m, MOD(id, 3) AS n, TRUNCATE(total_amount, 1) AS t, FORMAT(total_amount, 2) AS f FROM orders",
    "SELECT id FROM orders WHERE status <=> NULL OR (status = 'paid' XOR id = 1)",
    "SELECT LEFT(name, 1), RIGHT(name, 1), CHAR_LENGTH(name), SUBSTRING_INDEX(name, 'n', 1), LPAD(name, 5, '*') FROM customers",
    "SELECT STR_TO_DATE('2024-01-31', '%Y-%m-%d') AS d, LAST_DAY('2024-02-01') AS l, QUARTER('2024-02-01') AS q",
    "SELECT STRAIGHT_JOIN o.id FROM orders AS o STRAIGHT_JOIN customers AS c ON c.id = o.customer_id",
    "SELECT JSON_EXTRACT(details, '$.a') AS a, JSON_UNQUOTE(JSON_EXTRACT(details, '$.b')) AS b FROM products",
    "SELECT name, ROW_NUMBER() OVER w AS rn FROM customers WINDOW w AS (PARTITION BY country ORDER BY id)",
    "SELECT STDDEV(total_amount), VARIANCE(total_amount), STD(total_amount), BIT_OR(id) FROM orders",
    "SELECT EXTRACT(YEAR_MONTH FROM created_at) AS ym FROM orders",
    "SELECT COUNT(IF(status = 'paid', 1, NULL)) AS n, SUM(status = 'paid') AS m FROM orders",
    "SELECT id FROM orders WHERE MATCH(status) AGAINST('paid' IN BOOLEAN MODE)",
]

CLICKHOUSE = [
    "SELECT toStartOfMonth(created_at) AS m, sum(total_amount) AS s FROM orders GROUP BY m ORDER BY m",
    "SELECT formatDateTime(created_at, '%Y-%m') AS m, count() AS n FROM orders GROUP BY m",
    "SELECT uniqExact(customer_id) AS u, countIf(status = 'paid') AS p, sumIf(total_amount, status = 'paid') AS s FROM orders",
    "SELECT quantile(0.9)(total_amount) AS q, quantiles(0.1, 0.9)(total_amount) AS qs, median(total_amount) AS m FROM orders",
    "SELECT topK(3)(status) AS t, argMax(id, total_amount) AS a, any(status) AS x, groupConcat(', ')(status) AS c FROM orders",
    "SELECT dateDiff('day', created_at, today()) AS d, created_at + INTERVAL '2' MONTH AS x, addDays(created_at, 3) AS y FROM orders",
    "SELECT date_diff(DAY, created_at, now()) AS d, date_add(MONTH, 1, created_at) AS e FROM orders",
    "SELECT id FROM orders WHERE created_at >= today() - INTERVAL '1' MONTH",
    "SELECT id, tag FROM products ARRAY JOIN details AS tag",
    "SELECT id, tag, n FROM products LEFT ARRAY JOIN details AS tag, arrayEnumerate(details) AS n",
    "SELECT arrayMap(x -> upper(x), details) AS t, arrayFilter(x -> x <> 'a', details) AS f, details[1] AS one FROM products",
    "SELECT id, arrayJoin(details) AS tag FROM products",
    "WITH (SELECT avg(total_amount) FROM orders) AS a SELECT id FROM orders WHERE total_amount > a",
    "WITH 10 AS least_amount, toYear(created_at) AS y SELECT y, count() AS n FROM orders WHERE total_amount > least_amount GROUP BY y",
    "SELECT o.id, c.name FROM orders AS o LEFT ANY JOIN customers AS c ON c.id = o.customer_id",
    "SELECT o.id FROM orders AS o ASOF JOIN customers AS c ON c.id = o.customer_id AND o.id >= c.id",
    "SELECT o.id FROM orders AS o GLOBAL INNER JOIN customers AS c ON c.id = o.customer_id WHERE o.customer_id GLOBAL IN (SELECT id FROM customers)",
    "SELECT c.name FROM customers AS c LEFT ANTI JOIN orders AS o ON o.customer_id = c.id",
    "SELECT id FROM orders AS o FINAL PREWHERE status = 'paid' WHERE total_amount > 1",
    "SELECT status, count() AS n FROM orders GROUP BY status WITH TOTALS",
    "SELECT multiIf(id = 1, 'a', id = 2, 'b', 'c') AS m, if(id > 1, 'x', 'y') AS i, toDecimal64(total_amount, 2) AS d FROM orders",
    "SELECT CAST(id AS String), CAST(id AS Nullable(Int32)), CAST(id, 'String') FROM orders",
    "SELECT * EXCEPT (email) FROM customers",
    "SELECT number FROM numbers(3)",
    "SELECT tuple(1, 'a').1 AS t, (1, 2).2 AS u, map('a', 1)['a'] AS m, [1, 2, 3][2] AS x",
    "SELECT created_at AS d, count() AS n FROM orders GROUP BY d ORDER BY d WITH FILL STEP INTERVAL '1' DAY",
    "SELECT sumIf(id, id > 1) OVER (ORDER BY id) AS q, lagInFrame(id, 1) OVER (ORDER BY id) AS l FROM orders",
    "SELECT toStartOfInterval(created_at, INTERVAL '1' WEEK) AS w, uniqIf(id, id > 1) AS u FROM orders GROUP BY w",
    "SELECT name || '-' || country AS y, splitByChar('n', name) AS c, position(name, 'n') > 0 AS p FROM customers",
    'SELECT "category name" FROM products WHERE "update" = 1',
]


@pytest.mark.parametrize(
    "dialect, sql",
    [
        *((dialect, sql) for dialect in ("mysql", "mariadb", "clickhouse") for sql in BOTH),
        *((dialect, sql) for dialect in ("mysql", "mariadb") for sql in MYSQL),
        *(("clickhouse", sql) for sql in CLICKHOUSE),
    ],
)
def test_a_query_is_written_again_as_it_was(dialect: str, sql: str) -> None:
    capped = check(dialect, sql).removesuffix(" LIMIT 500")
    name = DIALECTS[dialect].sqlglot
    assert capped.lower() == sql.lower()
    assert grammar.write(grammar.parse(grammar.tokenize(capped, name), capped, name)[0], name) == capped


@pytest.mark.parametrize(
    "dialect, sql, written, why",
    [
        ("mysql", "SELECT id FROM orders LIMIT 5, 10", "SELECT id FROM orders LIMIT 10 OFFSET 5", "the offset comes first"),
        ("mysql", "SELECT id FROM orders LIMIT 9999", "SELECT id FROM orders LIMIT 500", "the cap"),
        ("mysql", 'SELECT id FROM orders WHERE status = "pa\\"id"', "SELECT id FROM orders WHERE status = 'pa\"id' LIMIT 500", "double quotes are text"),
        ("mysql", "SELECT details->'$.a' FROM products", "SELECT JSON_EXTRACT(details, '$.a') FROM products LIMIT 500", "an arrow leads into JSON"),
        ("mariadb", "SELECT details->>'$.a' FROM products", "SELECT JSON_UNQUOTE(JSON_EXTRACT(details, '$.a')) FROM products LIMIT 500", "MariaDB has no arrows"),
        ("mysql", "SELECT id FROM orders # all\n", "SELECT id FROM orders LIMIT 500", "a comment"),
        ("mysql", "SELECT 'a\\\\' AS x, ' -- ' AS y", "SELECT 'a\\\\' AS x, ' -- ' AS y", "a backslash stays inside its text"),
        ("clickhouse", "SELECT status FROM orders UNION SELECT name FROM customers", "SELECT * FROM (SELECT status FROM orders UNION DISTINCT SELECT name FROM customers) AS _l_0", "which UNION is said"),
        ("clickhouse", "SELECT status FROM orders UNION ALL SELECT name FROM customers ORDER BY 1 LIMIT 3", "SELECT * FROM (SELECT status FROM orders UNION ALL SELECT name FROM customers) AS _l_0 ORDER BY 1 LIMIT 3", "the order is of the whole"),
        ("clickhouse", "SELECT id FROM orders LIMIT 2 BY status", "SELECT * FROM (SELECT id FROM orders LIMIT 2 BY status) AS limited LIMIT 500", "a limit of groups is no cap"),
        ("clickhouse", "SELECT id FROM orders LIMIT 1, 2 BY status", "SELECT * FROM (SELECT id FROM orders LIMIT 2 OFFSET 1 BY status) AS limited LIMIT 500", "nor with an offset"),
        ("clickhouse", "SELECT id FROM orders LIMIT 2 BY status LIMIT 7", "SELECT * FROM (SELECT id FROM orders LIMIT 2 BY status) AS limited LIMIT 7", "both limits"),
        ("clickhouse", "SELECT id > 1 ? 'a' : 'b' AS x FROM orders", "SELECT CASE WHEN id > 1 THEN 'a' ELSE 'b' END AS x FROM orders LIMIT 500", "a question mark"),
        ("clickhouse", "SELECT 'a\\'; DROP TABLE x --'", "SELECT 'a''; DROP TABLE x --'", "a quote stays inside its text"),
    ],
)  # fmt: skip
def test_what_has_several_forms_is_written_in_one(dialect: str, sql: str, written: str, why: str) -> None:
    text = check(dialect, sql)
    assert text.removesuffix(" LIMIT 500") == written.removesuffix(" LIMIT 500"), why


# ------------------------------------------------------------------------------------------------- no reading


@pytest.mark.parametrize(
    "dialect, sql, kind, why",
    [
        ("mysql", "SELECT 1 /*! , (SELECT password FROM mysql.user) */", ErrorKind.SYNTAX_ERROR, "a comment that is run"),
        ("mysql", "SELECT /*!50000 1 */", ErrorKind.SYNTAX_ERROR, "a comment that is run from a version on"),
        ("mariadb", "SELECT 1 /*M!100000 + 1 */", ErrorKind.SYNTAX_ERROR, "a comment that MariaDB runs"),
        ("mysql", "/*! DELETE FROM orders */", ErrorKind.SYNTAX_ERROR, "a write in a comment that is run"),
        ("mysql", "SELECT id INTO OUTFILE '/tmp/x' FROM orders", ErrorKind.NOT_READ_ONLY, "writes a file"),
        ("mysql", "SELECT id FROM orders INTO OUTFILE '/tmp/x'", ErrorKind.NOT_READ_ONLY, "writes a file"),
        ("mysql", "SELECT id INTO DUMPFILE '/tmp/x' FROM orders", ErrorKind.NOT_READ_ONLY, "writes a file"),
        ("mysql", "SELECT id INTO @v FROM orders", ErrorKind.NOT_READ_ONLY, "sets a variable"),
        ("mysql", "SELECT id FROM orders INTO @v", ErrorKind.SYNTAX_ERROR, "sets a variable"),
        ("mysql", "SELECT @x := 1", ErrorKind.NOT_READ_ONLY, "sets a variable"),
        ("mysql", "SELECT @@datadir", ErrorKind.PERMISSION, "reads a setting"),
        ("mysql", "SELECT id FROM orders FOR UPDATE", ErrorKind.NOT_READ_ONLY, "locks rows"),
        ("mysql", "SELECT id FROM orders LOCK IN SHARE MODE", ErrorKind.NOT_READ_ONLY, "locks rows"),
        ("mysql", "HANDLER orders OPEN", ErrorKind.PERMISSION, "reads past the queries"),
        ("mysql", "DO SLEEP(5)", ErrorKind.PERMISSION, "runs without a result"),
        ("mysql", "FLUSH TABLES", ErrorKind.PERMISSION, "steers the server"),
        ("mysql", "SELECT SLEEP(5)", ErrorKind.FUNCTION_NOT_FOUND, "sleeps"),
        ("mysql", "SELECT BENCHMARK(1000000, MD5('a'))", ErrorKind.FUNCTION_NOT_FOUND, "burns time"),
        ("mysql", "SELECT LOAD_FILE('/etc/passwd')", ErrorKind.FUNCTION_NOT_FOUND, "reads a file"),
        ("mysql", "SELECT GET_LOCK('a', 1)", ErrorKind.FUNCTION_NOT_FOUND, "takes a lock"),
        ("mysql", "SELECT CURRENT_USER()", ErrorKind.FUNCTION_NOT_FOUND, "tells of the server"),
        ("mysql", "SELECT shop.f(1)", ErrorKind.FUNCTION_NOT_FOUND, "a stored function may do anything"),
        ("mysql", "SELECT REPEAT('a', 100000000)", ErrorKind.PERMISSION, "fills the memory"),
        ("mysql", "SELECT * FROM mysql.user", ErrorKind.PERMISSION, "the catalogue"),
        ("mysql", "SELECT * FROM INFORMATION_SCHEMA.TABLES", ErrorKind.PERMISSION, "the catalogue, in capitals"),
        ("mariadb", "SELECT * FROM sys.session", ErrorKind.PERMISSION, "the catalogue"),
        ("mysql", "SELECT * FROM other.orders", ErrorKind.TABLE_NOT_FOUND, "another database"),
        ("mysql", "SELECT name || country FROM customers", ErrorKind.SYNTAX_ERROR, "it would say OR, and is meant as text"),
        ("mysql", 'SELECT "name" FROM customers', ErrorKind.COLUMN_NOT_FOUND, "it would be the same text in every row"),
        ("mysql", "SELECT * FROM orders FULL JOIN customers ON true", ErrorKind.SYNTAX_ERROR, "FULL would be an alias"),
        ("mysql", "SELECT id FROM orders QUALIFY id = 1", ErrorKind.SYNTAX_ERROR, "there is none"),
        ("mysql", "SELECT TIMESTAMPDIFF(`MONTH, NOW(), NOW()), SLEEP(9`, NOW(), NOW()) FROM orders", ErrorKind.COLUMN_NOT_FOUND, "a quoted name is no unit of time"),
        ("mariadb", "SELECT REGEXP_LIKE(status, 'x') FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "MySQL's alone"),
        ("clickhouse", "SELECT id FROM orders SETTINGS readonly = 0", ErrorKind.PERMISSION, "steers the server"),
        ("clickhouse", "SELECT id FROM (SELECT id FROM orders SETTINGS max_execution_time = 0)", ErrorKind.PERMISSION, "steers the server, inside"),
        ("clickhouse", "SELECT id FROM orders UNION ALL SELECT 1 SETTINGS readonly = 0", ErrorKind.PERMISSION, "steers the server, at the end"),
        ("clickhouse", "SELECT id FROM orders INTO OUTFILE '/tmp/x'", ErrorKind.NOT_READ_ONLY, "writes a file"),
        ("clickhouse", "SELECT * FROM remote('host', 'db', 't')", ErrorKind.FUNCTION_NOT_FOUND, "opens a connection"),
        ("clickhouse", "SELECT * FROM url('http://x', CSV)", ErrorKind.FUNCTION_NOT_FOUND, "opens a connection"),
        ("clickhouse", "SELECT * FROM s3('x')", ErrorKind.FUNCTION_NOT_FOUND, "opens a connection"),
        ("clickhouse", "SELECT * FROM mysql('h', 'd', 't', 'u', 'p')", ErrorKind.FUNCTION_NOT_FOUND, "opens a connection"),
        ("clickhouse", "SELECT * FROM cluster('c', system.tables)", ErrorKind.FUNCTION_NOT_FOUND, "the catalogue of others"),
        ("clickhouse", "SELECT * FROM file('/etc/passwd')", ErrorKind.FUNCTION_NOT_FOUND, "reads a file"),
        ("clickhouse", "SELECT * FROM executable('x', CSV)", ErrorKind.FUNCTION_NOT_FOUND, "runs a program"),
        ("clickhouse", "SELECT * FROM merge('db', '.*')", ErrorKind.FUNCTION_NOT_FOUND, "names tables by text"),
        ("clickhouse", "SELECT * FROM system.tables", ErrorKind.PERMISSION, "the catalogue"),
        ("clickhouse", "WITH (SELECT count() FROM system.tables) AS x SELECT x", ErrorKind.PERMISSION, "the catalogue, in a value"),
        ("clickhouse", "SELECT sleep(3)", ErrorKind.FUNCTION_NOT_FOUND, "sleeps"),
        ("clickhouse", "SELECT sumIf(sleep(3), 1)", ErrorKind.FUNCTION_NOT_FOUND, "sleeps inside"),
        ("clickhouse", "SELECT arrayMap(x -> sleep(1), [1])", ErrorKind.FUNCTION_NOT_FOUND, "sleeps in a lambda"),
        ("clickhouse", "WITH sleep(3) AS x SELECT x", ErrorKind.FUNCTION_NOT_FOUND, "sleeps in a value"),
        ("clickhouse", "SELECT evil(0.5)(id) FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "parameters make no function known"),
        ("clickhouse", "SELECT dictGet('d', 'a', 1)", ErrorKind.FUNCTION_NOT_FOUND, "reads what is no table of the schema"),
        ("clickhouse", "SELECT hostName()", ErrorKind.FUNCTION_NOT_FOUND, "tells of the server"),
        ("clickhouse", "SELECT {x:Int32}", ErrorKind.SYNTAX_ERROR, "a parameter without a value"),
        ("clickhouse", "SELECT * APPLY(sum) FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "calls by a bare name"),
        ("clickhouse", "SELECT id FROM orders ARRAY JOIN nothing AS x", ErrorKind.COLUMN_NOT_FOUND, "no such array"),
        ("clickhouse", "SELECT id FROM orders.*", ErrorKind.SYNTAX_ERROR, "a star is of an ARRAY JOIN alone"),
        ("clickhouse", "SELECT id FROM orders ARRAY JOIN nothing.*", ErrorKind.COLUMN_NOT_FOUND, "of a table that is read"),
        ("clickhouse", "SYSTEM SHUTDOWN", ErrorKind.PERMISSION, "steers the server"),
        ("clickhouse", "OPTIMIZE TABLE orders", ErrorKind.PERMISSION, "rewrites a table"),
    ],
)  # fmt: skip
def test_what_is_no_reading_is_refused(dialect: str, sql: str, kind: ErrorKind, why: str) -> None:
    assert refusal(dialect, sql).kind is kind, why


def test_what_a_comment_runs_is_named() -> None:
    assert (
        refusal("mysql", "SELECT 1 /*! + 1 */").message == "A comment that the server would run is not allowed: /*! + 1"
    )


def test_a_column_in_double_quotes_is_shown_in_backticks() -> None:
    assert refusal("mysql", 'SELECT "name" FROM customers').hint.startswith("Write `name` for the column")


# ------------------------------------------------------------------------------------------------- raw records


@pytest.mark.parametrize(
    "dialect, sql, raw",
    [
        ("mysql", "SELECT DATE_FORMAT(created_at, '%Y-%m') AS m, SUM(total_amount) FROM orders GROUP BY m", "SELECT DATE_FORMAT(created_at, '%Y-%m') AS m, total_amount FROM orders"),
        ("mysql", "SELECT GROUP_CONCAT(name SEPARATOR ';') FROM customers", "SELECT name FROM customers"),
        ("clickhouse", "SELECT quantile(0.9)(total_amount), countIf(status = 'paid') FROM orders PREWHERE id > 1", "SELECT total_amount, status FROM orders PREWHERE id > 1"),
        ("clickhouse", "SELECT status, uniqExact(customer_id) FROM orders FINAL GROUP BY status", "SELECT status, customer_id FROM orders FINAL"),
        ("clickhouse", "WITH 10 AS least_amount SELECT count() FROM orders WHERE total_amount > least_amount", "WITH 10 AS least_amount SELECT orders.* FROM orders WHERE total_amount > least_amount"),
    ],
)  # fmt: skip
def test_the_rows_behind_an_aggregate(dialect: str, sql: str, raw: str) -> None:
    found = derive(sql, DIALECTS[dialect].sqlglot)
    assert found.sql == raw
    assert check(dialect, raw) == f"{raw} LIMIT 500"


# ------------------------------------------------------------------------------------------------------ messages


@pytest.mark.parametrize(
    "dialect, code, message, kind, name",
    [
        ("mariadb", "1146", "Table 'shop.ordrs' doesn't exist", ErrorKind.TABLE_NOT_FOUND, "shop.ordrs"),
        ("mysql", "1054", "Unknown column 'o.price' in 'field list'", ErrorKind.COLUMN_NOT_FOUND, "o.price"),
        ("mysql", "1052", "Column 'id' in field list is ambiguous", ErrorKind.AMBIGUOUS_COLUMN, "id"),
        ("mysql", "1305", "FUNCTION shop.date_trunc does not exist", ErrorKind.FUNCTION_NOT_FOUND, "date_trunc"),
        ("mariadb", "1370", "execute command denied to user 'ro'@'localhost' for routine 'shop.nope'", ErrorKind.FUNCTION_NOT_FOUND, "nope"),
        ("mariadb", "1055", "'shop.c.name' isn't in GROUP BY", ErrorKind.GROUPING, "shop.c.name"),
        ("mysql", "1055", "Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'shop.o.id'", ErrorKind.GROUPING, "shop.o.id"),
        ("mariadb", "1140", "Mixing of GROUP columns (MIN(),MAX(),COUNT(),...) with no GROUP columns is illegal", ErrorKind.GROUPING, None),
        ("mysql", "1111", "Invalid use of group function", ErrorKind.GROUPING, None),
        ("mysql", "1582", "Incorrect parameter count in the call to native function 'lpad'", ErrorKind.TYPE_MISMATCH, "lpad"),
        ("mysql", "1242", "Subquery returns more than 1 row", ErrorKind.SEVERAL_ROWS, None),
        ("mysql", "1064", "You have an error in your SQL syntax; check the manual", ErrorKind.SYNTAX_ERROR, None),
        ("mysql", "3024", "Query execution was interrupted, maximum statement execution time exceeded", ErrorKind.TIMEOUT, None),
        ("mariadb", "1969", "Query execution was interrupted (max_statement_time exceeded)", ErrorKind.TIMEOUT, None),
        ("mysql", "1142", "SELECT command denied to user 'ro'@'localhost' for table 'salaries'", ErrorKind.PERMISSION, None),
        ("mysql", "1792", "Cannot execute statement in a READ ONLY transaction.", ErrorKind.NOT_READ_ONLY, None),
        ("mysql", "1038", "Out of sort memory, consider increasing server sort buffer size", ErrorKind.RESOURCE, None),
        ("clickhouse", "60", "Code: 60. DB::Exception: Unknown table expression identifier 'nope' in scope SELECT. (UNKNOWN_TABLE)", ErrorKind.TABLE_NOT_FOUND, "nope"),
        ("clickhouse", "47", "Code: 47. DB::Exception: Unknown expression identifier `nope` in scope SELECT. (UNKNOWN_IDENTIFIER)", ErrorKind.COLUMN_NOT_FOUND, "nope"),
        ("clickhouse", "47", "Code: 47. DB::Exception: Identifier 'o.nope' cannot be resolved from table with name o. (UNKNOWN_IDENTIFIER)", ErrorKind.COLUMN_NOT_FOUND, "o.nope"),
        ("clickhouse", "207", "Code: 207. DB::Exception: JOIN ambiguous identifier 'id'. (AMBIGUOUS_IDENTIFIER)", ErrorKind.AMBIGUOUS_COLUMN, "id"),
        ("clickhouse", "46", "Code: 46. DB::Exception: Function with name `nope` does not exist. (UNKNOWN_FUNCTION)", ErrorKind.FUNCTION_NOT_FOUND, "nope"),
        ("clickhouse", "215", "Code: 215. DB::Exception: Column 'shop.orders.id' is not under aggregate function and not in GROUP BY keys. (NOT_AN_AGGREGATE)", ErrorKind.GROUPING, "shop.orders.id"),
        ("clickhouse", "43", "Code: 43. DB::Exception: Illegal types UInt8 and String of arguments of function plus. (ILLEGAL_TYPE_OF_ARGUMENT)", ErrorKind.TYPE_MISMATCH, "plus"),
        ("clickhouse", "62", "Code: 62. DB::Exception: Syntax error: failed at position 7. (SYNTAX_ERROR)", ErrorKind.SYNTAX_ERROR, None),
        ("clickhouse", "159", "Code: 159. DB::Exception: Timeout exceeded: elapsed 1001 ms. (TIMEOUT_EXCEEDED)", ErrorKind.TIMEOUT, None),
        ("clickhouse", "241", "Code: 241. DB::Exception: Query memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)", ErrorKind.RESOURCE, None),
        ("clickhouse", "164", "Code: 164. DB::Exception: default: Cannot execute query in readonly mode. (READONLY)", ErrorKind.NOT_READ_ONLY, None),
        ("clickhouse", "497", "Code: 497. DB::Exception: ro: Not enough privileges. (ACCESS_DENIED)", ErrorKind.PERMISSION, None),
    ],
)  # fmt: skip
def test_code_and_message_mean_the_same(
    dialect: str, code: str, message: str, kind: ErrorKind, name: str | None
) -> None:
    found, names = match_error(dialect, message)
    assert (DIALECTS[dialect].codes[code], found, names.get("name")) == (kind, kind, name)


@pytest.mark.parametrize(
    "dialect, earlier",
    [
        ("mysql", "CURRENT_DATE - INTERVAL 2 MONTH"),
        ("mariadb", "CURRENT_DATE - INTERVAL 2 MONTH"),
        ("clickhouse", "today() - INTERVAL 2 MONTH"),
    ],
)
def test_the_examples_of_the_hints_pass_the_guard(dialect: str, earlier: str) -> None:
    row = DIALECTS[dialect]
    month = row.truncate_month.format(column="created_at")
    sql = f"SELECT {month} FROM orders WHERE created_at < {earlier}"
    assert check(dialect, sql).startswith(f"SELECT {month} FROM orders WHERE created_at < ")
