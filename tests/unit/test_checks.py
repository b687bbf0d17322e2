"""Checks of a result without a model, and the cases that are left to the judge."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent.checks.rules.lookup import look_up
from agent.core.models import Attempt, Check, Verdict
from agent.databases.database import Database
from agent.pipeline.steps.judge import verdict_of_checks
from agent.understanding.shape import read_requested_count, shape_checks
from executors.base import Cancel, CheckedSql, Column, QueryResult, Schema, Table
from executors.dialects.table import DIALECTS
from executors.engines.sqlite.executor import SqliteExecutor
from executors.errors import ErrorKind, SqlFailed
from executors.guard import guard
from executors.sql.tree import tree_to_change


@pytest.mark.parametrize(
    "question, wanted, why",
    [
        ("What are the top 5 orders?", 5, "top N"),
        ("Top 10 customers", 10, "at the start, in any case"),
        ("Show the first three orders", 3, "a number in words"),
        ("Which were the last 2 orders?", 2, "last N of rows"),
        ("the bottom 4 products", 4, "bottom N"),
        ("a top-5 list of the products", 5, "with a hyphen"),
        ("Who are the 3 best customers?", 3, "the N best"),
        ("Five largest orders", 5, "N largest at the start"),
        ("List 2 oldest orders", 2, "after a verb that asks"),
        ("Give me seven cheapest products", 7, "after 'me'"),
        ("Which 3 customers most often cancel?", 3, "one word between"),
        ("How many orders are there?", None, "no number"),
        ("Orders over 100", None, "a number that is a value"),
        ("What did we sell in the last 3 months?", None, "a span of months"),
        ("Sales of the first two quarters", None, "quarters"),
        ("the last 7 days", None, "days"),
        ("the last 12 calendar months", None, "a word before the unit"),
        ("a last 24-hour summary", None, "hours, with a hyphen"),
        ("revenue of the top 3 years", None, "years may be rows or a span"),
        ("the first 6 weeks of 2024", None, "weeks"),
        ("the top 10% of customers", None, "a share"),
        ("the top 10 % of customers", None, "a share, set apart"),
        ("the top 5 percent", None, "a share in words"),
        ("the top 1,000 customers", None, "a part of a longer number"),
        ("the first 2 letters of the name", None, "letters are no rows"),
        ("the 2 days with the highest revenue, the 7 day highest", None, "a unit between number and superlative"),
        ("Top 3 products for each country", None, "so many of each group"),
        ("Top 3 products per country", None, "the same"),
        ("In every country, the 2 best customers", None, "the same"),
        ("Top 2 customers by revenue", 2, "by says how they are ordered"),
        ("Which product did store one best sell?", None, "a number that is a name"),
        ("What does customer 3 most often buy?", None, "a key"),
    ],
)
def test_the_number_of_rows_that_a_question_asks_for(question: str, wanted: int | None, why: str) -> None:
    assert read_requested_count(question) == wanted, why


def test_fewer_rows_than_asked_for_are_fine_and_more_are_not() -> None:
    def passed(rows: int) -> bool | None:
        result = QueryResult(columns=("n",), rows=tuple((n,) for n in range(rows)))
        return next(c.passed for c in shape_checks("the top 2 orders", result) if c.name == "asked_row_count")

    assert [passed(1), passed(2), passed(3)] == [True, True, False]


def test_a_value_that_cannot_be_computed_is_not_blamed_on_the_filters_alone() -> None:
    rows, empty = shape_checks("What is the share?", QueryResult(columns=("n",), rows=((None,),)))
    assert (rows.detail, empty.passed) == ("1 row.", False)
    assert "a divisor is 0" in empty.detail


@pytest.fixture
def shop(shop_file: Path) -> SqliteExecutor:
    return SqliteExecutor("shop", shop_file, sample_values=0)


async def looked_up(executor: SqliteExecutor, sql: str) -> Check:
    database = Database(executor, limit=1, timeout_s=10)
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    return (await look_up(tree, await database.schema(), database)).check


@pytest.mark.parametrize(
    "sql, passed, why",
    [
        ("SELECT COUNT(*) FROM customers WHERE name = 'Ada'", True, "stored"),
        ("SELECT COUNT(*) FROM customers WHERE name = 'Eve'", False, "not stored"),
        ("SELECT COUNT(*) FROM customers WHERE 'Eve' = name", False, "the other way round"),
        ("SELECT COUNT(*) FROM customers WHERE name IN ('Ada', 'Eve')", False, "one of two"),
        ("SELECT COUNT(*) FROM customers WHERE name NOT IN ('Eve')", True, "what is kept out need not be there"),
        ("SELECT COUNT(*) FROM customers WHERE name <> 'Eve'", True, "the same"),
        ("SELECT COUNT(*) FROM customers WHERE NOT name = 'Eve'", True, "the same"),
        (
            "SELECT COUNT(*) FROM customers AS c WHERE NOT EXISTS "
            "(SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id AND o.status = 'Q')",
            False,
            "a NOT around a query is none of its filter",
        ),
        ("SELECT COUNT(*) FROM orders WHERE order_id = 'Q'", False, "no number is a text"),
        ("SELECT COUNT(*) FROM orders WHERE order_id = '1'", True, "but it may be written as one"),
        ("SELECT COUNT(*) FROM customers AS c JOIN orders AS o ON o.status = 'Q'", False, "in ON, by its alias"),
        (
            "SELECT (SELECT COUNT(*) FROM customers AS t WHERE t.name = 'Ada') FROM orders AS t WHERE t.status = 'C'",
            True,
            "an alias that is used twice means a table of its own in each SELECT",
        ),
        (
            "SELECT (SELECT COUNT(*) FROM customers AS t WHERE t.country = 'X') FROM orders AS t WHERE t.status = 'C'",
            False,
            "and is looked up there",
        ),
        (
            "SELECT COUNT(*) FROM customers AS c WHERE EXISTS (SELECT 1 FROM orders AS o WHERE c.name = 'Eve')",
            False,
            "an alias of the query around",
        ),
        (
            "WITH customers AS (SELECT 'Eve' AS name) SELECT name FROM customers WHERE name = 'Eve'",
            True,
            "a CTE that goes by a table's name",
        ),
        (
            "SELECT name FROM (SELECT 'Eve' AS name) AS s JOIN customers AS c USING (name) WHERE name = 'Eve'",
            True,
            "a name that may be a subquery's",
        ),
    ],
)
async def test_texts_that_a_query_filters_on(shop: SqliteExecutor, sql: str, passed: bool, why: str) -> None:
    assert (await looked_up(shop, sql)).passed is passed, why


@pytest.mark.parametrize(
    "type_, looked",
    [
        ("VARCHAR(20)", True),
        ("text", True),
        ("NVARCHAR(MAX)", True),
        ("CLOB", True),
        ("ENUM('a', 'b')", True),
        ("STRING", True),
        ("DATE", False),
        ("TIMESTAMP WITH TIME ZONE", False),
        ("UUID", False),
        ("VARCHAR[]", False),
        ("STRUCT(name VARCHAR)", False),
        ("", False),
    ],
)
async def test_only_text_columns_are_looked_up(shop: SqliteExecutor, type_: str, looked: bool) -> None:
    database = Database(shop, limit=1, timeout_s=10)
    tree = tree_to_change("SELECT name FROM customers WHERE name = 'Eve'", "sqlite")
    assert tree is not None
    columns = (Column(name="name", type=type_),)
    schema = Schema(database="shop", dialect="sqlite", tables=(Table(name="customers", columns=columns),))

    check = (await look_up(tree, schema, database)).check

    assert check.passed is not looked


@pytest.mark.parametrize("said", ["Germany", "Allemagne", "DEU"])
async def test_a_country_is_the_same_by_its_name_and_its_code(shop: SqliteExecutor, said: str) -> None:
    check = await looked_up(shop, f"SELECT 1 FROM customers WHERE country = '{said}'")

    assert check.detail == f"customers.country holds no {said!r}; nearest stored: 'DE'."


@pytest.mark.parametrize(
    "stored, said, is_near",
    [
        ("English oak", "Oak", True),
        ("Rowan", "Oak", False),
        ("Medusa", "Meduse", True),
        ("Sven", "Meduse", False),
        ("MAN", "Scania", False),
        ("ACT", "active", True),
        ("Köln", "Koln", True),
        ("서울특별시", "서울", True),
        ("University of Oslo", "Bank of Norway", False),
        ("cancelled", "canceled", True),
    ],
)
async def test_a_stored_text_is_named_only_if_it_is_near(tmp_path: Path, stored: str, said: str, is_near: bool) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE things (name TEXT)")
        connection.execute("INSERT INTO things VALUES (?)", (stored,))

    check = await looked_up(
        SqliteExecutor("a", tmp_path / "a.sqlite", sample_values=0), f"SELECT 1 FROM things WHERE name = '{said}'"
    )

    assert check.detail == f"things.name holds no {said!r}{f'; nearest stored: {stored!r}' if is_near else ''}."


async def test_a_look_up_that_times_out_is_a_check_that_was_not_made(shop_file: Path) -> None:
    class TooSlow(SqliteExecutor):
        looked_up = 0

        def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
            self.looked_up += 1
            raise SqlFailed(ErrorKind.TIMEOUT, "The query took longer than 30 s.")

    executor = TooSlow("shop", shop_file, sample_values=0)
    check = await looked_up(executor, "SELECT 1 FROM customers WHERE name = 'Ada' AND country = 'DE'")

    assert check.passed is None
    assert "longer than 30 s" in check.detail
    assert executor.looked_up == 1


QUERY = CheckedSql(sql="SELECT 1", executable="SELECT 1", row_limit=1, tables=())
NO_ROWS = Check(name="has_rows", passed=False, detail="The query returned no rows.")
ROWS = Check(name="has_rows", passed=True)


def tried(sql: str, verdict: Verdict) -> Attempt:
    return Attempt(sql=sql, executed_sql=sql, verdict=verdict)


REFUSED = Verdict(reason=NO_ROWS.detail, correct=False, source="checks")
JUDGED = Verdict(reason="not what was asked", correct=False)


@pytest.mark.parametrize(
    "found, earlier, verdict, why",
    [
        (NO_ROWS, [], REFUSED, "a failed check refuses at first"),
        (NO_ROWS, [tried("SELECT 2", REFUSED)], None, "and leaves it to the judge when the next query fares the same"),
        (NO_ROWS, [tried("SELECT 1", REFUSED)], None, "even if it is the same query: nobody has judged that yet"),
        (NO_ROWS, [tried("SELECT 2", JUDGED)], REFUSED, "what the judge said of another query is no check"),
        (ROWS, [tried("SELECT 1", JUDGED)], JUDGED, "a query that was judged is not judged again"),
        (ROWS, [tried("SELECT 1", REFUSED)], None, "a verdict of the checks is not used again"),
        (ROWS, [tried("SELECT 2", JUDGED)], None, "another query is judged"),
    ],
)
def test_what_is_known_without_the_judge(
    found: Check, earlier: list[Attempt], verdict: Verdict | None, why: str
) -> None:
    assert verdict_of_checks([found], QUERY, earlier) == verdict, why


@pytest.mark.parametrize("stored", [("mW", "MW"), ("aB3", "AB3"), ("Good", "gOOd")])
async def test_case_tells_ids_and_units_apart(tmp_path: Path, stored: tuple[str, str]) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE things (state TEXT)")
        connection.executemany("INSERT INTO things VALUES (?)", [(it,) for it in stored])
    database = Database(SqliteExecutor("a", tmp_path / "a.sqlite", sample_values=0), limit=1, timeout_s=10)
    tree = tree_to_change(f"SELECT COUNT(*) FROM things WHERE state = '{stored[0]}'", "sqlite")
    assert tree is not None

    assert (await look_up(tree, await database.schema(), database)).variants == {}


@pytest.mark.parametrize(
    ("stored", "said", "same"),
    [
        (("Emergency repair", "Frame repair"), "Emergency repairs", "Emergency repair"),
        (("berries", "nuts"), "berry", "berries"),
        (("William", "Adam"), "Williams", None),  # another name
        (("A+", "A-"), "A", None),
        (("Emergency repair", "emergency repairs "), "Emergency  Repairs", "emergency repairs "),
        (("Repair", "repair"), "Repairs", None),  # which of them is unknown
        (("Gas",), "Ga", None),
    ],
)
async def test_the_singular_or_plural_of_the_only_stored_text_is_the_same(
    tmp_path: Path, stored: tuple[str, ...], said: str, same: str | None
) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE things (name TEXT)")
        connection.executemany("INSERT INTO things VALUES (?)", [(it,) for it in stored])
    database = Database(SqliteExecutor("a", tmp_path / "a.sqlite", sample_values=0), limit=1, timeout_s=10)
    tree = tree_to_change(f"SELECT 1 FROM things WHERE name = '{said}'", "sqlite")
    assert tree is not None

    found = await look_up(tree, await database.schema(), database)

    assert found.same.get(("things", "name", said)) == same


@pytest.mark.parametrize("said", ["Good", "GOOD", "gooD"])
async def test_spellings_of_a_stored_text_are_found(tmp_path: Path, said: str) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE things (state TEXT)")
        connection.executemany("INSERT INTO things VALUES (?)", [("Good",), ("GOOD",), ("good ",), ("poor",), (None,)])
    database = Database(SqliteExecutor("a", tmp_path / "a.sqlite", sample_values=0), limit=1, timeout_s=10)
    tree = tree_to_change(f"SELECT COUNT(*) FROM things WHERE state = '{said}' OR state = 'poor'", "sqlite")
    assert tree is not None

    found = await look_up(tree, await database.schema(), database)

    assert found.variants == {("things", "state", said): ("GOOD", "Good", "good ")}


@pytest.mark.parametrize(
    ("counted", "spellings"),
    [
        ("COUNT(DISTINCT state) FROM things", (("GOOD", "good "), ("poor", "poor "))),
        ("state FROM things GROUP BY state ORDER BY COUNT(*) DESC LIMIT 1", (("GOOD", "good "), ("poor", "poor "))),
        ("COUNT(*) FROM things GROUP BY state LIMIT 1", (("GOOD", "good "), ("poor", "poor "))),
        ("DISTINCT state FROM things LIMIT 1", (("GOOD", "good "), ("poor", "poor "))),
        ("state FROM things GROUP BY state", None),
        ("COUNT(state) FROM things", None),
        ("COUNT(DISTINCT unit) FROM things", None),
        ("COUNT(DISTINCT id) FROM things", None),
        ("COUNT(DISTINCT parent) FROM things", None),
        ("COUNT(DISTINCT colour) FROM things", None),
        ("COUNT(DISTINCT state) FROM seen", None),
    ],
)
async def test_spellings_of_what_is_counted_apart_are_found(
    tmp_path: Path, counted: str, spellings: tuple[tuple[str, str], ...] | None
) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        connection.executescript(
            "CREATE TABLE things (id TEXT PRIMARY KEY, state TEXT, unit TEXT, colour TEXT,"
            " parent TEXT REFERENCES things (id));"
            "INSERT INTO things VALUES ('a', 'Good', 'mW', 'red', 'a'), ('A', 'GOOD', 'MW', 'blue', 'A'),"
            " ('b', 'good ', 'kW', NULL, NULL), ('c', 'poor', 'good', 'green', NULL), ('d', 'poor ', 'GOOD', '', NULL);"
            "CREATE VIEW seen AS SELECT * FROM things"
        )
    database = Database(SqliteExecutor("a", tmp_path / "a.sqlite", sample_values=0), limit=1, timeout_s=10)
    tree = tree_to_change(f"SELECT {counted}", "sqlite")
    assert tree is not None

    found = await look_up(tree, await database.schema(), database)

    assert list(found.spellings.values()) == ([spellings] if spellings is not None else [])


class Recorder:
    """A database of a dialect that lets the guard check each query, and has no rows."""

    def __init__(self, schema: Schema) -> None:
        self.schema, self.asked = schema, list[str]()

    async def check(self, sql: str, row_limit: int) -> CheckedSql:
        return guard.check(sql, self.schema, row_limit=row_limit)

    async def run(self, query: CheckedSql, timeout_s: float | None = None) -> QueryResult:
        self.asked.append(query.executable)
        return QueryResult(columns=("x",), rows=())


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
async def test_what_is_counted_apart_is_looked_up_in_every_dialect(dialect: str) -> None:
    table = Table(name="things", columns=(Column(name="state", type="VARCHAR(9)"),))
    schema = Schema(database="a", dialect=dialect, tables=(table,))
    database = Recorder(schema)
    tree = tree_to_change("SELECT COUNT(DISTINCT state) FROM things", DIALECTS[dialect].sqlglot)
    assert tree is not None

    assert (await look_up(tree, schema, database)).spellings == {}  # type: ignore[arg-type]
    assert ["100000" in sql for sql in database.asked] == [True], "of the first rows only"


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
async def test_spellings_are_looked_up_in_every_dialect(dialect: str) -> None:
    columns = (Column(name="state", type="VARCHAR(9)"), Column(name="level", type="ENUM('a', 'B')"))
    schema = Schema(database="a", dialect=dialect, tables=(Table(name="things", columns=columns),))
    database = Recorder(schema)
    tree = tree_to_change("SELECT 1 FROM things WHERE state = 'x'", DIALECTS[dialect].sqlglot)
    assert tree is not None

    assert (await look_up(tree, schema, database)).variants == {}  # type: ignore[arg-type]

    folded = [sql for sql in database.asked if "LOWER" in sql]
    assert len(folded) == 1
    assert all("100000" in sql for sql in folded), "of the first rows only"
