"""A row filter in the text that runs: for every dialect, and against every way around it."""

from __future__ import annotations

from typing import Any

import pytest
from bare_names import bare
from sqlglot import exp, parse_one

from executors.base import CheckedSql, Column, Schema, Table
from executors.dialects.row import NameCase
from executors.dialects.table import DIALECTS
from executors.errors import SqlRefused
from executors.guard.guard import check
from executors.guard.row_security.held_rows import RowRules, is_fenced
from executors.guard.row_security.row_filter import FilterValue, RowFilter

OF_ORDERS = "order_id IN (SELECT order_id FROM orders WHERE region = :region)"
FILTER = RowFilter(
    tables={"orders": "region = :region", "items": OF_ORDERS, "countries": "all"}, principals={"*": {"region": "EU"}}
)
NAMESPACES = {"postgresql": "public", "sqlserver": "dbo"}


def shop(dialect: str) -> Schema:
    written = str.upper if DIALECTS[dialect].case is NameCase.UPPER else str.lower

    def table(name: str, *columns: str) -> Table:
        return Table(name=written(name), columns=tuple(Column(name=written(it), type="TEXT") for it in columns))

    tables = (
        table("orders", "order_id", "region", "amount"), table("items", "item_id", "order_id", "qty"),
        table("countries", "code"), table("hidden", "order_id", "region"),
    )  # fmt: skip
    sales = Table(name="sales.targets", namespace="sales", columns=(Column(name="amount", type="INT"),))
    return Schema(database="shop", dialect=dialect, namespace=NAMESPACES.get(dialect, ""), tables=(*tables, sales))


def held(sql: str, dialect: str = "sqlite", row_filter: RowFilter = FILTER, **values: FilterValue) -> CheckedSql:
    rows = RowRules(row_filter, shop(dialect)).of(values or {"region": "EU"})
    return check(sql, rows.visible, row_limit=10, rows=rows)


QUERIES = (
    "SELECT o.region, COUNT(*) FROM orders o JOIN items i ON i.order_id = o.order_id GROUP BY o.region",
    "WITH orders AS (SELECT code FROM countries) SELECT orders.code FROM orders, items",
    "SELECT code FROM countries WHERE EXISTS (SELECT 1 FROM orders WHERE orders.region = countries.code)",
    "SELECT amount FROM orders UNION ALL SELECT qty FROM items",
    "SELECT amount FROM (SELECT amount FROM orders WHERE amount > 3) t WHERE amount < 9",
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", QUERIES)
def test_every_dialect_can_say_it(dialect: str, sql: str) -> None:
    query = held(sql, dialect)
    tree = parse_one(query.executable, read=DIALECTS[dialect].sqlglot)

    assert_only_filtered(tree)
    assert "EU" not in query.sql
    assert query.executable.count("'EU'") >= 1


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_app_over_there_takes_it(dialect: str) -> None:
    """What runs is what another deployment's guard is sent."""
    for sql in QUERIES:
        again = check(held(sql, dialect).executable, shop(dialect), row_limit=10)
        assert "'EU'" in again.executable


def assert_only_filtered(tree: exp.Expr) -> None:
    """Every orders and items stands in a SELECT with the filter, or inside the filter itself."""
    for table in tree.find_all(exp.Table):
        if table.name.lower() in {"orders", "items"}:
            select = table.find_ancestor(exp.Select)
            assert select is not None
            where = select.args.get("where")
            assert where is not None, tree.sql()
            assert "EU" in {literal.name for literal in where.find_all(exp.Literal)}, tree.sql()


@pytest.mark.parametrize(("dialect", "fence"), [
    ("sqlite", "LIMIT -1)"), ("duckdb", "LIMIT 9223372036854775807)"), ("postgresql", "OFFSET 0)"),
    ("sqlserver", "SELECT TOP 9223372036854775807 "), ("mysql", "LIMIT 9223372036854775807)"),
    ("oracle", "AND ROWNUM > 0)"), ("clickhouse", "LIMIT 9223372036854775807)"),
])  # fmt: skip
def test_an_engine_asks_the_filter_first(dialect: str, fence: str) -> None:
    assert fence in held("SELECT amount FROM orders", dialect).executable
    assert is_fenced(dialect)


def test_where_nothing_is_known_to_do_that_errors_tell_nothing() -> None:
    assert [name for name in DIALECTS if not is_fenced(name)] == ["databricks"]


# -- names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dialect", "sql", "run"), [
    ("postgresql", "SELECT public.orders.amount FROM public.orders", "SELECT orders.amount FROM (SELECT"),
    ("sqlserver", "SELECT dbo.orders.amount FROM dbo.orders", "orders.amount FROM (SELECT"),
    ("sqlite", "SELECT main.orders.amount FROM main.orders", "SELECT orders.amount FROM (SELECT"),
    ("duckdb", "SELECT main.orders.amount FROM main.orders", "SELECT orders.amount FROM (SELECT"),
])  # fmt: skip
def test_a_column_with_its_schema_goes_by_the_table(dialect: str, sql: str, run: str) -> None:
    executable = bare(held(sql, dialect).executable)
    assert run in executable
    assert ") AS orders" in executable


def test_a_table_of_another_schema_is_filtered_by_its_own_name() -> None:
    row_filter = RowFilter(tables={"sales.targets": "amount > :least"}, principals={"*": {"least": 3}})
    query = held("SELECT sales.targets.amount FROM sales.targets", "postgresql", row_filter, least=3)

    assert query.tables == ("sales.targets",)
    assert 'FROM "sales"."targets" WHERE ("amount" > 3) OFFSET 0) AS "targets"' in query.executable
    assert query.executable.startswith('SELECT "targets"."amount" FROM')


def test_a_table_that_is_not_seen_gives_its_name_to_nothing() -> None:
    for sql in (
        "SELECT * FROM hidden",
        'SELECT * FROM "Hidden"',
        "SELECT * FROM main.hidden",
        "SELECT * FROM [hidden]",
    ):
        with pytest.raises(SqlRefused, match="There is no"):
            held(sql)


def test_no_cte_answers_for_a_table_of_the_filter() -> None:
    executable = held("WITH orders(order_id, region) AS (SELECT 1, 'EU') SELECT qty FROM items, orders").executable
    executable = bare(executable)

    assert "WITH cte_1(order_id, region)" in executable
    assert "JOIN cte_1 AS orders" in executable or ", cte_1 AS orders" in executable
    assert "SELECT order_id FROM orders WHERE region = 'EU'" in executable


def test_a_cte_is_not_renamed_to_a_table() -> None:
    schema = Schema(database="d", dialect="sqlite", tables=(
        Table(name="cte_1", columns=(Column(name="x", type="INT"),)), *shop("sqlite").tables,
    ))  # fmt: skip
    rows = RowRules(FILTER, schema).of({"region": "EU"})
    query = check("WITH a AS (SELECT 1 AS x) SELECT * FROM a, orders", rows.visible, row_limit=9, rows=rows)

    assert "cte_2 AS (SELECT 1 AS x)" in bare(query.executable).replace("WITH ", "")


@pytest.mark.parametrize(("dialect", "sql", "why"), [
    ("clickhouse", "WITH 'EU' AS region SELECT amount FROM orders", "a value that is named as the filter's column"),
    ("postgresql", "WITH RECURSIVE orders AS (SELECT amount FROM orders UNION ALL SELECT 1 FROM orders) "
     "SELECT * FROM orders",
     "read as the table by one, as itself by another"),
    ("postgresql", "SELECT query_to_xml('select * from orders', true, true, '')", "a query in a text"),
    ("duckdb", "SELECT * FROM query_table('orders')", "a name in a text"),
    ("duckdb", "SELECT * FROM query('SELECT * FROM orders')", "a query in a text"),
    ("sqlite", "SELECT amount FROM orders WHERE amount IN hidden", "a table after IN"),
    ("mysql", "TABLE hidden", "not a SELECT"),
    ("duckdb", "FROM hidden", "a SELECT without its first word"),
    ("duckdb", "SUMMARIZE hidden", "minima and maxima of all rows"),
])  # fmt: skip
def test_refuses(dialect: str, sql: str, why: str) -> None:
    with pytest.raises(SqlRefused):
        held(sql, dialect)


@pytest.mark.parametrize(("dialect", "sql"), [
    ("duckdb", "FROM orders"),
    ("duckdb", "SELECT * FROM orders TABLESAMPLE 50%"),
    ("duckdb", "PIVOT orders ON region USING SUM(amount)"),
    ("duckdb", "SELECT * FROM orders PIVOT (SUM(amount) FOR region IN ('EU'))"),
    ("duckdb", "SELECT * FROM countries, LATERAL (SELECT amount FROM orders WHERE region = code) t"),
    ("postgresql", "SELECT * FROM countries CROSS JOIN LATERAL (SELECT amount FROM orders WHERE region = code) t"),
    ("duckdb", "UNPIVOT orders ON amount INTO NAME n VALUE v"),
    ("mysql", "TABLE orders"),
    ("mysql", "SELECT * FROM items WHERE qty IN (TABLE orders)"),
    ("postgresql", "TABLE orders"),
    ("postgresql", "SELECT * FROM ONLY orders"),
    ("postgresql", "SELECT * FROM (orders o JOIN items i USING (order_id))"),
    ("postgresql", "SELECT amount FROM orders AS o(a, b, amount)"),
    ("sqlserver", "SELECT amount FROM orders WITH (NOLOCK)"),
    ("sqlserver", "SELECT code, t.amount FROM countries CROSS APPLY (SELECT amount FROM orders WHERE region = code) t"),
    ("clickhouse", "SELECT amount FROM orders FINAL"),
    ("clickhouse", "SELECT amount FROM orders WHERE amount IN items"),
    ("clickhouse", "SELECT o.amount FROM orders AS o FINAL PREWHERE o.amount > 1"),
    ("mysql", "SELECT STRAIGHT_JOIN amount FROM orders JOIN items USING (order_id)"),
    ("oracle", "SELECT amount FROM orders SAMPLE (10)"),
])  # fmt: skip
def test_forms_of_one_dialect(dialect: str, sql: str) -> None:
    """Filtered, or refused; never let through as it is."""
    try:
        query = held(sql, dialect)
    except SqlRefused:
        return
    assert_only_filtered(parse_one(query.executable, read=DIALECTS[dialect].sqlglot))


def test_a_summary_is_of_the_filtered_rows() -> None:
    executable = held("SUMMARIZE orders", "duckdb").executable
    assert "(SUMMARIZE SELECT * FROM (SELECT" in executable
    assert executable.count('FROM "orders"') == executable.count("""FROM "orders" WHERE ("region" = 'EU')""") == 1


# -- values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", ["it's", "' OR 1=1 --", "\\' OR 1=1 --", "back\\", 'say "so"', "`x`", "Łódź", "", "%"])
def test_a_text_stays_one_value(dialect: str, text: str) -> None:
    tree = parse_one(held("SELECT amount FROM orders", dialect, region=text).executable, read=DIALECTS[dialect].sqlglot)
    values = [node.name for node in tree.find_all(exp.EQ) for node in [node.expression]]

    assert values == [text]


@pytest.mark.parametrize(("dialect", "given", "written"), [
    ("sqlite", 7, "region = 7"), ("sqlite", -7, "region = (-7)"), ("sqlite", 1.5, "region = 1.5"),
    ("sqlite", True, "region = TRUE"), ("sqlserver", True, "region = 1"), ("oracle", False, "REGION = 0"),
    ("sqlserver", "Łódź", "region = N'Łódź'"),
])  # fmt: skip
def test_values_are_written_as_what_they_are(dialect: str, given: Any, written: str) -> None:
    assert written in bare(held("SELECT amount FROM orders", dialect, region=given).executable)


@pytest.mark.parametrize(("given", "written"), [
    (("EU", "UK"), "region IN ('EU', 'UK')"), (("EU",), "region IN ('EU')"), ("EU", "region IN ('EU')"),
    ((), "region IN (NULL)"), ((1, True), "region IN (1, TRUE)"),
])  # fmt: skip
@pytest.mark.parametrize("form", ["region IN :region", "region IN (:region)"])
def test_lists(form: str, given: Any, written: str) -> None:
    row_filter = RowFilter(tables={"orders": form}, principals={"*": {"region": given}})
    assert written in bare(held("SELECT amount FROM orders", "sqlite", row_filter, region=given).executable)


# -- what is told -----------------------------------------------------------------------------------------


def test_what_is_kept_back_is_told() -> None:
    query = held("SELECT COUNT(*) FROM orders JOIN items USING (order_id) JOIN countries ON code = region")

    assert query.held == (
        "Of orders only the rows that you may see were read: region = 'EU'.",
        "Of items only the rows that you may see were read.",
    ), "a filter that reads tables is not shown, for they may not be seen"
    assert query.sql == "SELECT COUNT(*) FROM orders JOIN items USING (order_id) JOIN countries ON code = region"


def test_nothing_is_told_where_nothing_is_kept_back() -> None:
    assert held("SELECT code FROM countries").held == ()


def test_row_ids_of_a_filtered_table_are_not_available() -> None:
    with pytest.raises(SqlRefused, match="ROWID is not available here"):
        held("SELECT COUNT(DISTINCT o.ROWID) FROM orders o")
    assert held("SELECT rowid FROM countries")
