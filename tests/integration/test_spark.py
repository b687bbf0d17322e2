"""The Databricks dialect on a real Spark, whose SQL Databricks speaks."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from executors.base import Column, ForeignKey, Schema, Table
from executors.dialects.table import DIALECTS, match_error
from executors.engines.common.servers import failures
from executors.engines.common.servers.failures import error_code
from executors.errors import ErrorKind
from executors.guard import guard
from executors.records.raw_records import derive
from executors.values import to_json

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed: pip install pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java 17", allow_module_level=True)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROW = DIALECTS["databricks"]

# Spark's own client leaves the socket of each result to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

TABLES = (
    ("customers", "id INT, name STRING, country STRING", "(1, 'Ann', 'DE'), (2, 'Bob', 'FR'), (3, 'Bob\\'s', NULL)"),
    (
        "orders",
        "id INT, customer_id INT, total DECIMAL(10,2), status STRING, created_at DATE, tags ARRAY<STRING>, address STRUCT<city: STRING, zip: STRING>",
        "(1, 1, 10.50, 'paid', DATE '2024-01-05', array('a', 'b'), named_struct('city', 'Bonn', 'zip', '53')), "
        "(2, 1, 20.00, 'open', DATE '2024-02-10', array(), NULL), "
        "(3, 2, 7.25, 'paid', DATE '2024-02-11', array('b'), named_struct('city', 'Metz', 'zip', '57')), "
        "(4, NULL, 99.00, 'paid', DATE '2023-12-31', NULL, NULL)",
    ),
    ("order_items", "order_id INT, quantity INT, `unit price` DOUBLE", "(1, 3, 2.5), (2, 8, 2.5), (3, 2, 3.625)"),
)


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    home = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local[1]")
        .appName("contract")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "512m")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={home}")
        .config("spark.local.dir", str(home / "local"))
        .config("spark.sql.warehouse.dir", str(home / "warehouse"))
        .config("spark.sql.catalogImplementation", "in-memory")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    for name, columns, rows in TABLES:
        session.sql(f"CREATE TABLE {name} ({columns}) USING parquet")
        session.sql(f"INSERT INTO {name} VALUES {rows}")
    yield session
    session.stop()


@pytest.fixture
def shop() -> Schema:
    """What the catalogue would say of the tables."""
    return Schema(
        database="shop",
        dialect="databricks",
        tables=(
            _table("customers", "id", "name", "country"),
            _table(
                "orders",
                "id",
                "customer_id",
                "total",
                "status",
                "created_at",
                "tags",
                "address",
                customer_id="customers",
            ),
            _table("order_items", "order_id", "quantity", "unit price", order_id="orders"),
        ),
    )


def _table(name: str, *columns: str, **references: str) -> Table:
    keys = (ForeignKey(columns=(column,), table=table, referenced=("id",)) for column, table in references.items())
    return Table(name=name, columns=tuple(Column(name=c, type="STRING") for c in columns), foreign_keys=tuple(keys))


def rows(spark: SparkSession, sql: str) -> list[list[Any]]:
    return [[to_json(value) for value in row] for row in spark.sql(sql).collect()]


QUERIES: list[tuple[str, list[list[Any]], str]] = [
    ("SELECT status, sum(total) AS t FROM orders GROUP BY status ORDER BY t DESC", [["paid", 116.75], ["open", 20]], "a group"),
    ("SELECT status, count(*) FROM orders GROUP BY ALL ORDER BY ALL", [["open", 1], ["paid", 3]], "ALL"),
    ("SELECT c.name, sum(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name ORDER BY 1", [["Ann", 30.5], ["Bob", 7.25]], "a join"),
    ("SELECT c.name FROM customers c LEFT ANTI JOIN orders o ON o.customer_id = c.id", [["Bob's"]], "who has none"),
    ("SELECT c.name FROM customers c LEFT SEMI JOIN orders o ON o.customer_id = c.id ORDER BY 1", [["Ann"], ["Bob"]], "who has some"),
    ("SELECT name FROM customers WHERE name = 'Bob''s'", [["Bob's"]], "an apostrophe is doubled, as everywhere"),
    ("SELECT name FROM customers WHERE name = \"Bob's\"", [["Bob's"]], "text in double quotes"),
    ("SELECT 'a\\tb', r'a\\tb', 'x' || 'y'", [["a\tb", "a\\tb", "xy"]], "backslashes"),
    ("SELECT date_format(created_at, 'yyyy-MM') AS m, sum(total) FROM orders GROUP BY 1 ORDER BY 1 LIMIT 2", [["2023-12", 99], ["2024-01", 10.5]], "by month"),
    ("SELECT date_trunc('MONTH', created_at) FROM orders WHERE id = 2", [["2024-02-01T00:00:00"]], "the month"),
    ("SELECT trunc(created_at, 'MM'), year(created_at), quarter(created_at) FROM orders WHERE id = 2", [["2024-02-01", 2024, 1]], "parts of a date"),
    ("SELECT dateadd(MONTH, 2, created_at), datediff(DAY, created_at, DATE '2024-03-01') FROM orders WHERE id = 2", [["2024-04-10T00:00:00", 20]], "units are words, no columns"),
    ("SELECT add_months(created_at, -2), date_add(created_at, 3), datediff(DATE '2024-03-01', created_at) FROM orders WHERE id = 2", [["2023-12-10", "2024-02-13", 20]], "without units"),
    ("SELECT created_at - INTERVAL 2 MONTHS, created_at + INTERVAL '1' DAY FROM orders WHERE id = 2", [["2023-12-10", "2024-02-11"]], "intervals"),
    ("SELECT extract(MONTH FROM created_at), CAST(TIMESTAMP '2024-01-01 10:30:00' AS STRING) FROM orders WHERE id = 2", [[2, "2024-01-01 10:30:00"]], "literals"),
    ("SELECT 7 / 2, 7 DIV 2, 7 % 3, try_divide(1, 0)", [[3.5, 3, 1, None]], "division"),
    ("SELECT id FROM orders WHERE customer_id <=> NULL", [[4]], "equal, NULL included"),
    ("SELECT id FROM orders WHERE status RLIKE '^p' AND status ILIKE 'P%' ORDER BY id DESC", [[4], [3], [1]], "patterns"),
    ("SELECT id, explode(tags) AS tag FROM orders WHERE id < 4 ORDER BY 1, 2", [[1, "a"], [1, "b"], [3, "b"]], "rows of an array"),
    ("SELECT o.id, t.tag FROM orders o LATERAL VIEW OUTER explode(o.tags) t AS tag WHERE o.id IN (3, 4) ORDER BY 1", [[3, "b"], [4, None]], "LATERAL VIEW"),
    ("SELECT tags[0], array(1, 2)[1], size(tags), address.city, map('k', 2)['k'] FROM orders WHERE id = 1", [["a", 2, 2, "Bonn", 2]], "elements and fields"),
    ("SELECT transform(tags, x -> upper(x)), filter(tags, x -> x > 'a'), aggregate(array(1, 2), 0, (a, x) -> a + x) FROM orders WHERE id = 1", [[["A", "B"], ["b"], 3]], "lambdas"),
    ("SELECT count(*) FILTER (WHERE status = 'paid'), count_if(total > 10), max_by(id, total), percentile_approx(total, 0.5) FROM orders", [[3, 3, 4, 10.5]], "aggregates"),
    ("SELECT array_join(sort_array(collect_list(name)), ', '), listagg(country, '+') WITHIN GROUP (ORDER BY country) FROM customers", [["Ann, Bob, Bob's", "DE+FR"]], "lists"),
    ("SELECT status, count(*) FROM orders GROUP BY ROLLUP (status) ORDER BY 1 NULLS LAST", [["open", 1], ["paid", 3], [None, 4]], "subtotals"),
    ("SELECT customer_id FROM orders ORDER BY customer_id", [[None], [1], [1], [2]], "NULLs come first"),
    ("SELECT customer_id FROM orders ORDER BY customer_id DESC NULLS FIRST, id LIMIT 2", [[None], [2]], "NULLs as said"),
    ("SELECT id, row_number() OVER (PARTITION BY status ORDER BY total DESC) FROM orders ORDER BY id", [[1, 2], [2, 1], [3, 3], [4, 1]], "a window"),
    ("SELECT id, lag(id) OVER (ORDER BY id), sum(total) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM orders ORDER BY id LIMIT 2", [[1, None, 10.5], [2, 1, 30.5]], "frames"),
    ("WITH t AS (SELECT status, sum(total) AS s FROM orders GROUP BY status) SELECT status FROM t WHERE s = (SELECT max(s) FROM t)", [["paid"]], "a CTE"),
    ("SELECT * EXCEPT (country, name) FROM customers ORDER BY 1", [[1], [2], [3]], "all columns but some"),
    ("SELECT `unit price` FROM order_items WHERE quantity = 8", [[2.5]], "names in backticks"),
    ("SELECT * FROM (SELECT status, customer_id, total FROM orders) PIVOT (sum(total) FOR status IN ('paid' AS paid, 'open' AS open_)) ORDER BY 1", [[None, 99, None], [1, 10.5, 20], [2, 7.25, None]], "a pivot"),
    ("SELECT id FROM orders WHERE id < 3 UNION ALL SELECT id FROM customers EXCEPT SELECT 3 ORDER BY 1", [[1], [2]], "set operations"),
    ("SELECT /*+ BROADCAST(c) */ count(*) FROM customers c", [[3]], "a hint is a comment"),
    ("SELECT CAST(total AS INT), total::STRING, try_cast(status AS INT), CAST('1' AS DECIMAL(10,2)) FROM orders WHERE id = 1", [[10, "10.50", None, 1]], "casts"),
    ("SELECT v.a FROM VALUES (1, 'x'), (2, 'y') AS v(a, b) WHERE v.b = 'y'", [[2]], "rows of values"),
]  # fmt: skip


@pytest.mark.parametrize("sql, expected, why", QUERIES, ids=[why for _, _, why in QUERIES])
def test_what_the_guard_writes_anew_gives_what_was_meant(
    spark: SparkSession, shop: Schema, sql: str, expected: list[list[Any]], why: str
) -> None:
    checked = guard.check(sql, shop, row_limit=100)
    assert rows(spark, checked.sql) == expected, why
    assert rows(spark, checked.executable) == expected, why


@pytest.mark.parametrize(
    "sql, cap, shown, run",
    [
        ("SELECT id FROM orders", 2, 2, 3),  # one row more is asked for than is shown
        ("SELECT id FROM orders LIMIT 1", 2, 1, 1),
        ("SELECT id FROM orders LIMIT ALL", 2, 2, 3),
        ("SELECT id FROM orders LIMIT 9 OFFSET 3", 2, 1, 1),
        ("SELECT id FROM orders UNION ALL SELECT id FROM customers", 5, 5, 6),
        ("SELECT explode(array(1, 2, 3))", 2, 2, 3),  # several rows without a table
        ("SELECT count(*) FROM orders", 2, 1, 1),
    ],
)
def test_the_limit_caps_the_rows(spark: SparkSession, shop: Schema, sql: str, cap: int, shown: int, run: int) -> None:
    checked = guard.check(sql, shop, row_limit=cap)
    assert (len(rows(spark, checked.sql)), len(rows(spark, checked.executable))) == (shown, run)


@pytest.mark.parametrize(
    "expression",
    [
        "year(col)",
        "date_trunc('MONTH', col)",
        "date_format(col, 'yyyy-MM')",
        "add_months(current_date(), -2)",
        "date_add(col, 7)",
        "datediff(current_date(), col)",
        "try_divide(1, 0)",
        "7 div 2",
    ],
)
def test_the_examples_of_the_hints_run(spark: SparkSession, expression: str) -> None:
    assert any(expression.partition("(")[0] in hint for hint in ROW.hints)
    assert len(rows(spark, f"SELECT {expression} FROM (SELECT created_at AS col FROM orders)")) == 4


@pytest.mark.parametrize("name", sorted(ROW.instead))
def test_what_is_offered_instead_of_a_function_runs(spark: SparkSession, name: str) -> None:
    known = {
        "json_extract": "'{\"key\": 1}' AS col", "json_value": "'{\"key\": 1}' AS col", "unnest": "tags AS col", "to_json_string": "address AS col",
        "total": "total AS col",
    }  # fmt: skip
    columns = "created_at AS earlier, current_date() AS later, id > 1 AS condition, 1 AS a, 2 AS b, 'b' AS part, 'abc' AS text"
    column = known.get(name, "created_at AS col")
    assert rows(spark, f"SELECT {ROW.instead[name]} FROM (SELECT {columns}, {column} FROM orders)")


def test_dates_are_reckoned_in_the_rows_own_words(spark: SparkSession) -> None:
    month, ago = ROW.truncate_month.format(column="created_at"), "add_months(current_date(), -2)"
    found = rows(spark, f"SELECT {month} FROM orders WHERE created_at < {ago} ORDER BY id")
    assert [value for (value,) in found][:2] == ["2024-01-01T00:00:00", "2024-02-01T00:00:00"]


def _connectors(message: str) -> BaseException:
    """The error as the connector to Databricks raises it."""
    from databricks.sql import exc

    kind: Any = exc.ServerOperationError
    error: BaseException = kind(message)
    return error


ERRORS = [
    ("SELECT * FROM nowhere", ErrorKind.TABLE_NOT_FOUND, "nowhere"),
    ("SELECT * FROM nosuch.orders", ErrorKind.TABLE_NOT_FOUND, "orders"),
    ("SELECT price FROM orders", ErrorKind.COLUMN_NOT_FOUND, "price"),
    ("SELECT o.price FROM orders o", ErrorKind.COLUMN_NOT_FOUND, "price"),
    ("SELECT address.street FROM orders", ErrorKind.COLUMN_NOT_FOUND, "street"),
    ("SELECT * FROM orders JOIN customers USING (total)", ErrorKind.COLUMN_NOT_FOUND, "total"),
    ("SELECT id FROM orders, customers", ErrorKind.AMBIGUOUS_COLUMN, "id"),
    ("SELECT strftime(created_at, '%Y') FROM orders", ErrorKind.FUNCTION_NOT_FOUND, "strftime"),
    ("SELECT * FROM no_rows(1)", ErrorKind.FUNCTION_NOT_FOUND, "no_rows"),
    ("SELECT id, FROM orders", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT id FORM orders WHERE", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT TOP 5 id FROM orders", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT 1 UNION SELECT 1, 2", ErrorKind.SYNTAX_ERROR, None),
    ("SELECT id, sum(total) FROM orders GROUP BY status", ErrorKind.GROUPING, None),
    ("SELECT id, sum(total) FROM orders", ErrorKind.GROUPING, None),
    ("SELECT id FROM orders WHERE sum(total) > 1", ErrorKind.GROUPING, None),
    ("SELECT sum(sum(total)) FROM orders", ErrorKind.GROUPING, None),
    ("SELECT id FROM orders ORDER BY 9", ErrorKind.GROUPING, None),
    ("SELECT CAST(status AS INT) FROM orders", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT sum(created_at) FROM orders", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT total / 0 FROM orders", ErrorKind.DIVISION_BY_ZERO, None),
    ("SELECT tags[9] FROM orders", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT upper(status, 1) FROM orders", ErrorKind.TYPE_MISMATCH, None),
    ("SELECT DATE '2024-13-45'", ErrorKind.TYPE_MISMATCH, None),
]


@pytest.mark.parametrize("sql, kind, name", ERRORS)
def test_sparks_errors_are_classified(
    spark: SparkSession, shop: Schema, sql: str, kind: ErrorKind, name: str | None
) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException) as caught:
        spark.sql(sql).collect()
    code, message = error_code(caught.value), str(caught.value)
    assert ROW.codes[code] is kind
    assert match_error("databricks", message)[1].get("name") == name
    failed = failures.translate(caught.value, ROW, sql, lambda: shop)
    assert failed.kind is kind
    # As the connector gives it, the class is in the text alone.
    text = message if message.lstrip().startswith("[") else f"[{code}] {message}"
    assert error_code(_connectors(text.strip())) == code


def test_an_error_while_it_runs_is_classified_by_the_class_in_its_text(spark: SparkSession) -> None:
    from py4j.protocol import Py4JJavaError

    with pytest.raises(Py4JJavaError) as caught:
        spark.sql("SELECT (SELECT id FROM orders)").collect()
    assert ROW.codes[error_code(_connectors(str(caught.value)))] is ErrorKind.SEVERAL_ROWS


def test_the_hint_names_the_columns_that_there_are(spark: SparkSession, shop: Schema) -> None:
    from pyspark.errors import AnalysisException

    sql = "SELECT o.name FROM orders o"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql).collect()
    failed = failures.translate(caught.value, ROW, sql, lambda: shop)
    assert "name is in customers: add JOIN customers ON o.customer_id = customers.id." in failed.hint


RAW = [
    ("SELECT status, sum(total) AS t FROM orders GROUP BY status ORDER BY t DESC", 4, "a group"),
    ("SELECT date_trunc('MONTH', created_at) AS m, count(*) FROM orders WHERE status = 'paid' GROUP BY 1", 3, "by month"),
    ("SELECT c.name, sum(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name", 3, "a join"),
    ("WITH t AS (SELECT status, try_sum(total) AS s FROM orders GROUP BY status) SELECT max(s) FROM t", 4, "nested"),
    ("SELECT count_if(total > 10), max_by(id, total) FROM orders WHERE `status` = 'paid'", 3, "aggregates of Spark"),
]  # fmt: skip


@pytest.mark.parametrize("sql, count, why", RAW)
def test_the_rows_behind_an_aggregate(spark: SparkSession, shop: Schema, sql: str, count: int, why: str) -> None:
    raw = derive(guard.check(sql, shop, row_limit=10).sql, ROW.sqlglot)
    assert raw.sql is not None, raw.reason
    assert len(rows(spark, guard.check(raw.sql, shop, row_limit=100).sql)) == count, why


VALUES: list[tuple[str, Any, str]] = [
    ("CAST(1.10 AS DECIMAL(10,2))", 1.1, "a decimal that a double keeps"),
    (
        "CAST('12345678901234567890.123456789' AS DECIMAL(38,9))",
        "12345678901234567890.123456789",
        "one that it does not",
    ),
    ("9007199254740993", "9007199254740993", "an integer beyond JavaScript's"),
    ("CAST(42 AS SMALLINT)", 42, "a small one"),
    ("double('NaN')", "NaN", "no number"),
    ("-double('Infinity')", "-Infinity", "an infinity"),
    ("DATE '2024-02-29'", "2024-02-29", "a date"),
    ("TIMESTAMP_NTZ '2024-02-29 10:11:12.5'", "2024-02-29T10:11:12.500000", "a timestamp"),
    ("INTERVAL '1 02:03:04' DAY TO SECOND", "P1DT2H3M4S", "an interval"),
    ("X'00FF'", "0x00ff", "bytes"),
    ("array(1, NULL, 3)", [1, None, 3], "an array"),
    ("array(CAST(0.1 AS DECIMAL(3,1)), CAST(9.9 AS DECIMAL(3,1)))", [0.1, 9.9], "decimals in an array"),
    ("map('a', 1, 'b', 2)", {"a": 1, "b": 2}, "a map"),
    ("named_struct('a', 1, 'b', array('x'))", [1, ["x"]], "a struct: Spark's row is a tuple"),
    ("'😀 naïve'", "😀 naïve", "emoji"),
    ("true", True, "a boolean"),
    ("CAST(NULL AS STRING)", None, "nothing"),
]


@pytest.mark.parametrize("expression, expected, why", VALUES)
def test_values_become_json(spark: SparkSession, expression: str, expected: Any, why: str) -> None:
    assert rows(spark, f"SELECT {expression} AS v") == [[expected]], why


def test_python_keeps_what_json_is_made_of(spark: SparkSession) -> None:
    value = spark.sql("SELECT CAST(1.10 AS DECIMAL(10,2)), DATE '2024-01-31'").collect()[0]
    assert tuple(value) == (Decimal("1.10"), dt.date(2024, 1, 31))


def test_every_listed_function_is_one_of_sparks_or_of_databricks_alone(spark: SparkSession) -> None:
    known = {row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    alone = {"charindex", "getdate", "iff", "timediff", "timestampadd", "timestampdiff", "schema_of_json_agg"}
    alone |= {"to_geography", "to_geometry", "try_to_geography", "try_to_geometry", "try_reverse"}
    later = {"bitmap_and_agg", "current_time", "quote"}  # of Spark 4.1
    listed = ROW.functions | ROW.aggregates | ROW.table_functions
    geometry = {name for name in listed if name.startswith(("st_", "h3_"))}  # of Databricks alone
    later |= {name for name in listed if name.startswith(("approx_top_k", "kll_sketch_agg_"))}
    alone |= geometry | later
    # `weekofyear` and its like are there; what is missing has a syntax of its own.
    assert listed - known - alone <= {"trim", "substring", "extract"}


DANGEROUS = "reflect try_reflect java_method read_files secret ai_query http_request input_file_name current_user session_user assert_true raise_error version"


@pytest.mark.parametrize("name", DANGEROUS.split())
def test_what_reaches_beyond_the_data_is_not_listed(name: str) -> None:
    assert not ROW.may_call(name, in_from=False)
    assert not ROW.may_call(name, in_from=True)
