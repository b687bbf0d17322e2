"""Private columns in a query of any form: the query that runs reads only those that it names."""

from __future__ import annotations

import re

import duckdb
import pytest

from agent.databases.database import find_hidden_columns
from executors.base import CheckedSql, Column, Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import SqlRefused
from executors.guard.guard import check

PRIVATE = ("ann-priv@mail.example", "bo-priv@mail.example")
PLAIN = "How many customers are there in each city?"
CUSTOMERS = Table(
    name="customers",
    columns=(
        Column(name="id", type="INTEGER"),
        Column(name="email", type="TEXT", private=True),
        Column(name="city", type="TEXT"),
    ),
    primary_key=("id",),
)
STAFF = Table(name="staff", columns=(Column(name="id", type="INTEGER"), Column(name="email", type="TEXT")))
DATA = f"""
CREATE TABLE customers (id INTEGER, email TEXT, city TEXT);
INSERT INTO customers VALUES (1, '{PRIVATE[0]}', 'Bonn'), (2, '{PRIVATE[1]}', 'Köln');
CREATE TABLE staff (id INTEGER, email TEXT);
INSERT INTO staff VALUES (1, 'staff@shop.example');
"""

# Forms that stand for a whole row, or for a column without its name; each is refused, fails, or gives no private value.
FORMS = [
    "SELECT * FROM customers",
    "SELECT c.* FROM customers c",
    "SELECT #2 FROM customers",
    "SELECT #3 FROM (SELECT 1, c.* FROM customers c)",
    "SELECT c FROM customers c",
    "SELECT customers FROM customers",
    "SELECT to_json(c) FROM customers c",
    "SELECT to_json(c.*) FROM customers c",
    "SELECT row(c.*) FROM customers c",
    "SELECT row_to_json(c) FROM customers c",
    "SELECT concat(c.*) FROM customers c",
    "SELECT concat_ws(',', *COLUMNS(*)) FROM customers",
    "SELECT ARRAY[c.*] FROM customers c",
    "SELECT c.*::text FROM customers c",
    "SELECT (c.*)::text FROM customers c",
    "SELECT c::text FROM customers c",
    "SELECT CAST(c AS VARCHAR) FROM customers c",
    "SELECT x.to_json FROM (SELECT 1 + 1, c.* FROM customers c) x",
    "SELECT (c).email FROM customers c",
    "SELECT struct_pack(a := c) FROM customers c",
    "SELECT COLUMNS('e.*') FROM customers",
    "SELECT COLUMNS(*) FROM customers",
    "SELECT * EXCLUDE (id) FROM customers",
    "SELECT array_agg(c) FROM customers c",
    "SELECT json_agg(c) FROM customers c",
    "SELECT max(c) FROM customers c",
    "SELECT list(c) FROM customers c",
    "SELECT mode() WITHIN GROUP (ORDER BY email) FROM customers",
    "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY email) FROM customers",
    "SELECT quantile_disc(email, 0.5) FROM customers",
    "SELECT first(email) FROM customers",
    "SELECT arg_max(email, id) FROM customers",
    "SELECT array_agg(email ORDER BY id) FROM customers",
    "SELECT string_agg(email, ',' ORDER BY id) FROM customers",
    "SELECT lag(email) OVER (ORDER BY id) FROM customers",
    "SELECT DISTINCT ON (city) email FROM customers",
    "SELECT s.id, x.* FROM staff s, LATERAL (SELECT * FROM customers c WHERE c.id = s.id) x",
    "SELECT * FROM staff JOIN customers USING (id)",
    "SELECT * FROM staff JOIN customers USING (email)",
    "SELECT * FROM customers c WHERE c.email IS NOT NULL",
    "SELECT c.* FROM customers c WHERE email LIKE '%'",
    "SELECT to_json(c) FROM customers c WHERE email IS NOT NULL",
    "SELECT c::text FROM customers c WHERE c.email > ''",
    "SELECT #2 FROM customers WHERE email > ''",
    "SELECT s.id, (SELECT c FROM customers c WHERE c.email > '' LIMIT 1) FROM staff s",
    "WITH t AS (SELECT * FROM customers) SELECT t FROM t",
    "WITH t AS (SELECT c FROM customers c) SELECT * FROM t",
    "WITH customers AS (SELECT * FROM customers) SELECT * FROM customers",
    "SELECT * FROM customers UNION ALL SELECT 1, 'x', 'y'",
    "SELECT x[2] FROM (SELECT [id::text, c::text] AS x FROM customers c)",
    "SELECT * FROM (FROM customers)",
    "FROM customers",
    "SELECT unnest(c) FROM customers c",
    "SELECT * FROM customers PIVOT (count(*) FOR email IN ('a'))",
    "SELECT * FROM customers UNPIVOT (v FOR n IN (email, city))",
    "SELECT CASE WHEN true THEN c END FROM customers c",
    "SELECT coalesce(c, NULL) FROM customers c",
    "SELECT hash(c) FROM customers c GROUP BY c",
    "SELECT min(to_json(c)) FILTER (WHERE email > '') FROM customers c",
    "SELECT j.email FROM (customers c JOIN staff s ON c.id = s.id AND c.email > '') AS j",
    "SELECT * FROM (customers c JOIN staff s ON c.id = s.id AND c.email > '') AS j",
    "SELECT j FROM (customers c JOIN staff s ON c.id = s.id AND c.email > '') AS j",
    "SELECT j.email FROM (staff s JOIN (customers c JOIN staff t ON c.email > '') ON s.id = c.id) AS j",
]
RUN = [
    ("SELECT city, count(*) FROM customers GROUP BY city ORDER BY city", [("Bonn", 1), ("Köln", 1)]),
    (f"SELECT id FROM customers WHERE email = '{PRIVATE[0]}'", [(1,)]),
    ("SELECT count(email), count(DISTINCT email) FROM customers", [(2, 2)]),
    ("SELECT * FROM customers WHERE email LIKE 'bo-%'", [(2, "Köln")]),
    ("SELECT c.*, 1 AS one FROM customers c WHERE c.email LIKE 'bo-%'", [(2, "Köln", 1)]),
    ("SELECT c.id FROM customers c LEFT JOIN staff s ON s.email = c.email ORDER BY c.email DESC", [(2,), (1,)]),
    ("SELECT s.email, c.city FROM staff s JOIN customers c ON c.id = s.id", [("staff@shop.example", "Bonn")]),
    ("SELECT count(*) FROM (SELECT * FROM customers) AS c", [(2,)]),
    ("SELECT main.customers.city FROM main.customers WHERE main.customers.id = 2", [("Köln",)]),
    ("WITH t AS (SELECT id FROM customers WHERE email IS NOT NULL) SELECT * FROM t ORDER BY 1", [(1,), (2,)]),
    ("SELECT *, (SELECT count(*) FROM customers d WHERE d.email < c.email) AS n FROM customers c ORDER BY id",
     [(1, "Bonn", 0), (2, "Köln", 1)]),
]  # fmt: skip


def schema(dialect: str) -> Schema:
    return Schema(database="people", dialect=dialect, tables=(CUSTOMERS, STAFF), namespace="")


def held(sql: str, dialect: str = "duckdb", question: str = PLAIN, *, leave_out: bool = False) -> CheckedSql:
    known = schema(dialect)
    return check(sql, known, row_limit=100, hidden=find_hidden_columns(known, question), leave_out=leave_out)


def check_with(sql: str, dialect: str, table: Table) -> CheckedSql:
    """Check a query of the people's database with one more table."""
    known = schema(dialect).model_copy(update={"tables": (*schema(dialect).tables, table)})
    return check(sql, known, row_limit=100, hidden=find_hidden_columns(known, PLAIN))


@pytest.fixture(scope="module")
def shop() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(DATA)
    return connection


@pytest.mark.parametrize("sql", FORMS)
def test_no_form_shows_a_private_value(shop: duckdb.DuckDBPyConnection, sql: str) -> None:
    try:
        rows = shop.execute(held(sql).executable).fetchall()
    except (SqlRefused, duckdb.Error) as error:
        told = str(error)
        assert not any(value in told for value in PRIVATE)
    else:
        assert not any(value in str(rows) for value in PRIVATE)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("sql", FORMS)
def test_in_no_dialect_does_such_a_form_read_the_column(sql: str, dialect: str) -> None:
    try:
        query = held(sql, dialect)
    except SqlRefused:
        return
    read = re.findall(r"\(select ([^()]*) from [`\"\[]?customers", query.executable.lower())
    assert read or "customers" not in query.executable, "where # begins a comment, nothing is read"
    if any("email" in columns for columns in read):  # it is compared, and nothing stands for all columns
        assert not re.search(r"\bc\.\*|to_json|#|customers\.\*|\(c\)", query.executable.lower()), query.executable


@pytest.mark.parametrize("sql, rows", RUN)
def test_what_shows_none_runs_as_before(
    shop: duckdb.DuckDBPyConnection, sql: str, rows: list[tuple[object, ...]]
) -> None:
    assert shop.execute(held(sql).executable).fetchall() == rows


def test_a_question_that_names_the_column_gets_it(shop: duckdb.DuckDBPyConnection) -> None:
    query = held("SELECT * FROM customers WHERE id = 1", question="What is the e-mail of customer 1?")
    assert shop.execute(query.executable).fetchall() == [(1, PRIVATE[0], "Bonn")]


def test_records_come_without_what_a_derived_query_selects(shop: duckdb.DuckDBPyConnection) -> None:
    query = held("SELECT customers.id, customers.email FROM customers ORDER BY 1", leave_out=True)
    assert shop.execute(query.executable).fetchall() == [(1,), (2,)]
    assert query.left_out == ("customers.email",)


@pytest.mark.parametrize("sql", [
    "SELECT e FROM customers WHERE length(email AS e) > 0",
    "SELECT count(email AS e), e FROM customers GROUP BY e",
    "WITH (SELECT email FROM customers LIMIT 1) AS e SELECT e",
])  # fmt: skip
def test_a_name_that_clickhouse_gives_in_passing_shows_nothing(sql: str) -> None:
    with pytest.raises(SqlRefused):
        held(sql, "clickhouse")


@pytest.mark.parametrize("sql", [
    "SELECT count(email), max(email) FROM customers",
    "SELECT count(email), lower(email) FROM customers GROUP BY email",
    "SELECT count(DISTINCT c.email), min(c.email) FROM customers c",
    "SELECT city, count(email) AS n, upper(max(email)) FROM customers GROUP BY city",
    "SELECT sum(1), string_agg(email, ',') FROM customers WHERE email > ''",
])  # fmt: skip
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgresql", "mariadb", "clickhouse", "sqlserver"])
def test_what_is_harmless_beside_it_hides_nothing(sql: str, dialect: str) -> None:
    with pytest.raises(SqlRefused):
        held(sql, dialect)


@pytest.mark.parametrize("sql", [
    "SELECT email.host FROM customers WHERE email IS NOT NULL",
    "SELECT c.email.host FROM customers c WHERE c.email IS NOT NULL",
    "SELECT customers.email.host FROM customers WHERE email IS NOT NULL",
    "SELECT c.email.host.name FROM customers c WHERE c.email IS NOT NULL",
    "SELECT count(email), email.host FROM customers GROUP BY email",
    "SELECT city, count(email), max(email.host) FROM customers GROUP BY city",
    "SELECT email.* FROM customers WHERE email IS NOT NULL",
    "SELECT u.host FROM customers c, (SELECT c.email.host AS host) u WHERE c.email IS NOT NULL",
])  # fmt: skip
@pytest.mark.parametrize("dialect", ["duckdb", "databricks", "clickhouse"])
def test_a_field_of_a_private_record_is_private(sql: str, dialect: str) -> None:
    with pytest.raises(SqlRefused):
        held(sql, dialect)


def test_a_star_of_an_array_join_is_of_the_other_columns() -> None:
    query = held("SELECT id FROM customers ARRAY JOIN customers.*", "clickhouse")
    assert "email" not in query.executable.lower()
    assert query.executable.count("*") == 1


@pytest.mark.parametrize("sql", [
    "SELECT [ｅmail] FROM customers c CROSS APPLY STRING_SPLIT(c.city, ' ') s WHERE c.email > ''",
    "SELECT [émail] FROM customers c CROSS APPLY STRING_SPLIT(c.city, ' ') s WHERE c.email > ''",
    "SELECT CAST('<a/>' AS xml).query('sql:column(\"c.email\")') FROM customers c WHERE c.email > ''",
    "SELECT x.d.value('sql:column (\"c.email\")', 'varchar(9)') FROM customers c "
    "CROSS APPLY (SELECT CAST('<a/>' AS xml) AS d) x WHERE c.email > ''",
])  # fmt: skip
def test_what_sql_server_takes_for_its_name_shows_nothing(sql: str) -> None:
    with pytest.raises(SqlRefused):
        held(sql, "sqlserver")


def test_a_name_that_only_resembles_it_is_another_column() -> None:
    table = CUSTOMERS.model_copy(update={"columns": (*CUSTOMERS.columns, Column(name="émail", type="TEXT"))})
    known = Schema(database="people", dialect="sqlserver", tables=(table,))
    hidden = find_hidden_columns(known, PLAIN)
    assert check(
        "SELECT émail, COUNT(email) AS [émail ] FROM customers GROUP BY émail", known, row_limit=9, hidden=hidden
    )


def test_row_ids_are_not_those_of_the_query_that_takes_its_place() -> None:
    for sql in ("SELECT COUNT(DISTINCT rowid) FROM customers", "SELECT c.rowid FROM customers c WHERE email > ''"):
        with pytest.raises(SqlRefused, match="rowid is not available here"):
            held(sql, "sqlite")
    assert held("SELECT rowid FROM staff", "sqlite")


NUMBERED = Table(name="numbered", columns=(Column(name="id", type="INTEGER"), Column(name="rowid", type="INTEGER")))


@pytest.mark.parametrize("sql", [
    "SELECT id AS rowid FROM customers ORDER BY rowid",
    "SELECT n.rowid FROM numbered n JOIN customers c ON c.id = n.id",
    "SELECT rowid FROM numbered n JOIN customers c ON c.id = n.id",
    "SELECT id FROM customers WHERE id IN (SELECT rowid FROM numbered)",
    "SELECT x.rowid FROM (SELECT ROW_NUMBER() OVER (ORDER BY id) AS rowid FROM customers) x",
    "WITH x AS (SELECT id AS rowid FROM customers) SELECT rowid FROM x WHERE rowid > 1",
    "SELECT s.rowid FROM staff s JOIN customers c ON c.id = s.id",
])  # fmt: skip
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_name_that_is_no_row_id_of_a_replaced_table_stays(sql: str, dialect: str) -> None:
    assert check_with(sql, dialect, NUMBERED)


@pytest.mark.parametrize("sql", [
    "SELECT id AS rowid FROM customers WHERE rowid > 1",
    "SELECT id AS rowid FROM customers ORDER BY rowid + 1",
    "SELECT COUNT(*) AS rowid FROM customers GROUP BY rowid",
    "SELECT city AS rowid, ROW_NUMBER() OVER (ORDER BY rowid) FROM customers",
    "SELECT c.rowid FROM numbered n JOIN customers c ON c.id = n.id",
    "SELECT rowid FROM numbered WHERE id IN (SELECT rowid FROM customers)",
    "SELECT x.rowid FROM (SELECT * FROM customers) x",
    "WITH x AS (SELECT id FROM customers) SELECT rowid FROM x",
    "SELECT customers.rowid FROM customers, (SELECT id AS rowid FROM staff) x",
    "SELECT main.customers.rowid FROM main.customers",
    "SELECT id FROM staff UNION SELECT id FROM customers ORDER BY rowid",
])  # fmt: skip
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_name_that_may_be_the_row_id_of_a_replaced_table_is_refused(sql: str, dialect: str) -> None:
    with pytest.raises(SqlRefused):
        check_with(sql, dialect, NUMBERED)


CVS = Table(name="cv", columns=(Column(name="id", type="INTEGER"), Column(name="émail", type="TEXT")))


@pytest.mark.parametrize("sql", [
    "SELECT cv.émail FROM cv JOIN customers c ON c.id = cv.id",
    "SELECT émail FROM cv WHERE id IN (SELECT id FROM customers WHERE email > '')",
])  # fmt: skip
@pytest.mark.parametrize("dialect", ["mysql", "sqlserver"])
def test_a_name_that_resembles_it_may_be_a_column_of_another_table(sql: str, dialect: str) -> None:
    assert check_with(sql, dialect, CVS)


@pytest.mark.parametrize("sql", [
    "SELECT émail FROM cv LEFT JOIN customers USING (email)",
    "SELECT émail FROM cv, customers c WHERE c.email > ''",
    "SELECT c.émail FROM cv, customers c WHERE c.email > ''",
    "SELECT émail FROM cv JOIN staff s JOIN customers c ON c.id = s.id AND c.email > '' ON cv.id = s.id",
    "SELECT (SELECT émail) FROM customers c WHERE c.email > '' AND EXISTS (SELECT émail FROM cv)",
    "SELECT cv.émail FROM customers cv WHERE cv.email > '' AND EXISTS (SELECT cv.émail FROM cv)",
])  # fmt: skip
@pytest.mark.parametrize("dialect", ["mysql", "sqlserver"])
def test_a_name_that_resembles_it_is_refused_where_it_may_be_the_private_one(sql: str, dialect: str) -> None:
    with pytest.raises(SqlRefused):
        check_with(sql, dialect, CVS)
