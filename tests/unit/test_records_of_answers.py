"""The records behind an answer are those of the groups that it shows: made into groups again, they give its rows."""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from executors.base import Column, QueryResult, Schema, Table
from executors.records.raw_records import RawQuery, derive, strays

Row = tuple[Any, ...]

SCHEMA = Schema(
    database="shop",
    dialect="duckdb",
    tables=(
        Table(
            name="customers",
            columns=tuple(
                Column(name=n, type="TEXT", private=n == "secret") for n in ("id", "name", "country", "secret")
            ),
            primary_key=("id",),
        ),
        Table(
            name="orders",
            columns=tuple(
                Column(name=n, type="TEXT") for n in ("id", "customer_id", "day", "status", "amount", "note")
            ),
            primary_key=("id",),
        ),
    ),
)
CREATE = (
    "CREATE TABLE customers (id INTEGER, name VARCHAR, country VARCHAR, secret VARCHAR)",
    "CREATE TABLE orders (id INTEGER, customer_id INTEGER, day VARCHAR, status VARCHAR, amount INTEGER, note VARCHAR)",
)


class Engine:
    """A database of a few rows. Args: dialect: `sqlite` or `duckdb`."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        if dialect == "sqlite":
            self._connection: Any = sqlite3.connect(":memory:")
        else:
            import duckdb

            # Several threads may choose other groups that tie for the last place each time a query runs.
            self._connection = duckdb.connect(":memory:", config={"threads": 1})
        for statement in CREATE:
            self._connection.execute(statement)

    def fill(self, customers: list[Row], orders: list[Row]) -> None:
        for table, rows in (("customers", customers), ("orders", orders)):
            self._connection.execute(f"DELETE FROM {table}")
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def run(self, sql: str) -> QueryResult:
        cursor = self._connection.execute(sql)
        return QueryResult(columns=tuple(d[0] for d in cursor.description), rows=tuple(map(tuple, cursor.fetchall())))

    def again(self, records: str, sql: str) -> QueryResult:
        """A query of the records alone, as the table `raw`. Args: records: their query."""
        self._connection.execute(f"CREATE TEMP TABLE raw AS {records}")
        try:
            return self.run(sql)
        finally:
            self._connection.execute("DROP TABLE raw")

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    made = Engine(request.param)
    yield made
    made.close()


@dataclass(frozen=True)
class Key:
    """A grouping key: as the query writes it, and whether it needs the customers."""

    sql: str
    joined: bool = False


KEYS = (
    Key("o.status"),
    Key("o.customer_id"),
    Key("substr(o.day, 1, 7)"),
    Key("o.amount / 100"),
    Key("CASE WHEN o.amount > 100 THEN 'large' WHEN o.amount > 50 THEN 'middle' END"),
    Key("COALESCE(o.status, '?')"),
    Key("c.country", joined=True),
    Key("c.name", joined=True),
)
AGGREGATES = (
    "COUNT(*)",
    "SUM(o.amount)",
    "COUNT(DISTINCT o.customer_id)",
    "MIN(o.day)",
    "MAX(o.amount) - MIN(o.amount)",
    "SUM(CASE WHEN o.status = 'paid' THEN o.amount ELSE 0 END)",
    "COUNT(*) FILTER (WHERE o.status = 'open')",
    "COUNT(o.amount)",
)
WHERE = ("", "o.amount > 20", "o.status <> 'void'", "o.note IS NULL OR o.amount < 300")
HAVING = ("", "COUNT(*) > 1", "SUM(o.amount) > 100", "MAX(o.day) > '2024-02' AND COUNT(*) < 9", "MIN(o.amount) IS NULL")
FROM = "orders o"
JOIN = ("orders o JOIN customers c ON c.id = o.customer_id", "orders o LEFT JOIN customers c ON c.id = o.customer_id")


@dataclass(frozen=True)
class Asked:
    """A query that groups, and the same groups made of nothing but its records.

    shows: whether the result has all keys; else only the aggregates.
    """

    sql: str
    again: str
    shows: bool = True


@st.composite
def questions(draw: st.DrawFn) -> Asked:
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=2, unique=True))
    aggregates = draw(st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3, unique=True))
    source = draw(st.sampled_from(JOIN)) if any(key.joined for key in keys) else FROM
    where, having = draw(st.sampled_from(WHERE)), draw(st.sampled_from(HAVING))
    names = [f"k{n}" for n in range(len(keys))]
    shown = [f"{key.sql} AS {name}" for key, name in zip(keys, names, strict=True)]
    totals = [f"{one} AS a{n}" for n, one in enumerate(aggregates)]
    grouped = ", ".join(key.sql for key in keys)
    inner = (
        f"FROM {source}" + f" WHERE {where}" * bool(where) + f" GROUP BY {grouped}" + f" HAVING {having}" * bool(having)
    )
    way = draw(st.sampled_from(("DESC", "ASC")))
    order = draw(st.sampled_from(("a0 {way}, " + ", ".join(names), "a0 {way}", "SUM(o.amount) {way}"))).format(way=way)
    limit = draw(st.sampled_from(("", " LIMIT 1", " LIMIT 2", " LIMIT 2 OFFSET 1", " LIMIT 500")))
    all_of = ", ".join([*shown, *totals])
    outer = ", ".join([*names, *(f"a{n}" for n in range(len(totals)))])
    shape = draw(st.sampled_from(("plain", "hidden", "cte", "from", "ranked", "renamed", "cut")))
    plain_order = order.replace("SUM(o.amount)", "a0")
    match shape:
        case "plain":
            sql = f"SELECT {all_of} {inner} ORDER BY {order}{limit}"
        case "hidden":
            sql = f"SELECT {', '.join(totals)} {inner} ORDER BY {order.split(',')[0]}{limit}"
        case "cte":
            sql = f"WITH m AS (SELECT {all_of} {inner}) SELECT {outer} FROM m WHERE a0 IS NOT NULL"
            sql += f" ORDER BY {plain_order}{limit}"
        case "from":
            sql = f"SELECT * FROM (SELECT {all_of} {inner}) AS q WHERE a0 IS NULL OR k0 IS NOT NULL"
            sql += f" ORDER BY {plain_order}{limit}"
        case "ranked":
            ranked = f"SELECT m.*, DENSE_RANK() OVER (ORDER BY a0 {way}) AS r FROM m"
            sql = f"WITH m AS (SELECT {all_of} {inner}), w AS ({ranked}) SELECT {outer} FROM w WHERE r <= 2"
        case "renamed":
            renamed = "SELECT k0 AS key, a0 AS total FROM m"
            sql = (
                f"WITH m AS (SELECT {all_of} {inner}), n AS ({renamed}) SELECT total FROM n ORDER BY total {way}{limit}"
            )
        case _:
            sql = f"SELECT {outer} FROM (SELECT {all_of} {inner} ORDER BY {order}{limit}) AS q WHERE a0 IS NOT NULL"
    # A key that is a plain column is among the records under the name that the answer gives it.
    plain = {} if shape == "hidden" else {key.sql: name for key, name in zip(keys, names, strict=True)}
    columns = "".join(f", {name} AS {_of_raw(key)}" for key, name in plain.items() if re.fullmatch(r"\w\.\w+", key))
    by = [_of_raw(key.sql) for key in keys]
    made = [_of_raw(one) for one in (aggregates[:1] if shape == "renamed" else aggregates)]
    items = made if shape in ("hidden", "renamed") else [*by, *made]
    again = f"SELECT {', '.join(items)} FROM (SELECT *{columns} FROM raw) AS r GROUP BY {', '.join(by)}"
    return Asked(sql, again, shows=shape not in ("hidden", "renamed"))


def _of_raw(sql: str) -> str:
    return sql.replace("o.", "").replace("c.", "")


customers = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bob", None]), st.sampled_from(["FR", "DE", None])), max_size=4
).map(lambda rows: [(n, *row, "private") for n, row in enumerate(rows, 1)])
orders = st.lists(
    st.tuples(
        st.sampled_from([1, 2, 3, 4, 9, None]),
        st.sampled_from(["2024-01-05", "2024-02-05", "2024-03-05", None]),
        st.sampled_from(["paid", "open", "void", None]),
        st.sampled_from([None, 10, 10, 50, 120, 300]),
        st.sampled_from([None, "x"]),
    ),
    max_size=14,
).map(lambda rows: [(n, *row) for n, row in enumerate(rows, 1)])


def test_records_of_another_spelling_are_of_the_group_only_where_the_database_ignores_case() -> None:
    raw = RawQuery(sql="", reason="", needed=True, keys=("name",))
    shown = QueryResult(columns=("name", "n"), rows=(("ab", 2),))
    records = QueryResult(columns=("name",), rows=(("ab",), ("AB ",)))
    assert not strays(raw, shown, records, ignores_case=True)
    assert strays(raw, shown, records)


def of(engine: Engine, sql: str, result: QueryResult) -> tuple[RawQuery, QueryResult]:
    """The records as they are fetched: of the groups by their values where several tie for the last place."""
    found = derive(sql, engine.dialect, schema=SCHEMA, result=result)
    assert found.sql is not None, found.reason
    records = engine.run(found.sql)
    if strays(found, result, records):
        found = derive(sql, engine.dialect, schema=SCHEMA, result=result, groups=result.records())
        assert found.sql is not None, found.reason
        records = engine.run(found.sql)
    return found, records


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=questions(), people=customers, bought=orders)
def test_the_records_give_exactly_the_rows_of_the_answer(
    engine: Engine, asked: Asked, people: list[Row], bought: list[Row]
) -> None:
    engine.fill(people, bought)
    result = engine.run(asked.sql)
    if not result.rows:
        assert derive(asked.sql, engine.dialect, schema=SCHEMA, result=result).sql is None
        return

    found, records = of(engine, asked.sql, result)

    assert Counter(engine.again(found.sql or "", asked.again).rows) == Counter(result.rows), found.sql
    if asked.shows:  # a second run may choose others of the groups that tie for the last place
        found = derive(asked.sql, engine.dialect, schema=SCHEMA, result=result, groups=result.records())
    if asked.shows or " LIMIT " not in asked.sql:
        assert engine.run(found.count or "").rows == ((records.row_count,),)
    assert len(set(records.columns)) == len(records.columns)
    assert "secret" not in records.columns


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(asked=questions().filter(lambda one: one.shows), people=customers, bought=orders, at=st.integers(0, 13))
def test_the_records_of_one_row_give_that_row(
    engine: Engine, asked: Asked, people: list[Row], bought: list[Row], at: int
) -> None:
    engine.fill(people, bought)
    result = engine.run(asked.sql)
    if not result.rows:
        return
    row = result.records()[at % result.row_count]

    found = derive(asked.sql, engine.dialect, schema=SCHEMA, result=result, groups=[row])

    assert found.sql is not None, found.reason
    assert engine.again(found.sql, asked.again).rows == (tuple(row.values()),)


# -- shapes of their own -----------------------------------------------------------------------------------

_SPENT = "(SELECT customer_id, SUM(amount) AS t FROM orders GROUP BY customer_id)"
_MONTHLY = "WITH m AS (SELECT substr(day, 1, 7) AS month, SUM(amount) AS s FROM orders GROUP BY substr(day, 1, 7)) "
_EACH = "SELECT country, customer_id, SUM(amount) AS t FROM raw GROUP BY country, customer_id"
# The query, and the same result made anew from nothing but the records.
SHAPES = [
    (f"SELECT c.name, s.t FROM customers c JOIN {_SPENT} s ON s.customer_id = c.id ORDER BY s.t DESC LIMIT 1",
     "SELECT name, SUM(amount) FROM raw GROUP BY name"),
    (f"SELECT c.name, s.t FROM customers c JOIN {_SPENT} s ON s.customer_id = c.id WHERE s.t > 150 AND c.id < 9",
     "SELECT name, SUM(amount) FROM raw GROUP BY name"),
    (f"SELECT c.country, AVG(s.t) FROM customers c JOIN {_SPENT} s ON s.customer_id = c.id GROUP BY c.country "
     "HAVING AVG(s.t) > 100", f"SELECT country, AVG(t) FROM ({_EACH}) AS e GROUP BY country"),
    (f"SELECT c.country, AVG(s.t) FROM customers c JOIN {_SPENT} s ON s.customer_id = c.id WHERE s.t < 3500 "
     "GROUP BY c.country ORDER BY 2 LIMIT 1", f"SELECT country, AVG(t) FROM ({_EACH}) AS e GROUP BY country"),
    (f"WITH s AS {_SPENT}, j AS (SELECT c.name, s.t FROM customers c JOIN s ON s.customer_id = c.id) "
     "SELECT name FROM j ORDER BY t DESC LIMIT 2", "SELECT name FROM raw GROUP BY name"),
    (_MONTHLY + "SELECT AVG(s) FROM m WHERE s > 500",
     "SELECT AVG(s) FROM (SELECT SUM(amount) AS s FROM raw GROUP BY substr(day, 1, 7)) AS q"),
    (_MONTHLY + "SELECT month, s FROM m WHERE s > (SELECT AVG(s) FROM m)",
     "SELECT month, SUM(amount) FROM raw GROUP BY month"),
    (_MONTHLY + "SELECT b.s - a.s FROM m a JOIN m b ON a.month = '2024-01' AND b.month = '2024-02'",
     "SELECT SUM(CASE month WHEN '2024-02' THEN amount WHEN '2024-01' THEN -amount ELSE 10000 END) FROM raw"),
    (_MONTHLY + "SELECT (SELECT s FROM m WHERE month = '2024-03') - (SELECT s FROM m WHERE month = '2024-01')",
     "SELECT SUM(CASE month WHEN '2024-03' THEN amount WHEN '2024-01' THEN -amount ELSE 10000 END) FROM raw"),
    (_MONTHLY + "SELECT month, s - LAG(s) OVER (ORDER BY month) AS d FROM m WHERE month <> '2024-06' "
     "ORDER BY month DESC LIMIT 1",
     "SELECT '2024-05', SUM(CASE month WHEN '2024-05' THEN amount WHEN '2024-04' THEN -amount END) FROM raw "
     "HAVING MAX(month) < '2024-06'"),
    ("SELECT status, MAX(s) FROM (SELECT status, substr(day, 1, 7) AS month, SUM(amount) AS s FROM orders "
     "GROUP BY status, substr(day, 1, 7)) AS q GROUP BY status ORDER BY 2 DESC LIMIT 1",
     "SELECT status, MAX(s) FROM (SELECT status, SUM(amount) AS s FROM raw GROUP BY status, month) AS q "
     "GROUP BY status"),
    ("SELECT status, COUNT(*) FROM (SELECT status, customer_id FROM orders GROUP BY status, customer_id "
     "HAVING COUNT(*) > 2) AS q GROUP BY status",
     "SELECT status, COUNT(DISTINCT COALESCE(customer_id, 0)) FROM raw GROUP BY status"),
    ("SELECT * FROM (SELECT status, SUM(amount) AS s FROM orders GROUP BY status ORDER BY s DESC LIMIT 1) AS a "
     "UNION ALL SELECT * FROM (SELECT status, SUM(amount) AS s FROM orders GROUP BY status ORDER BY s LIMIT 1) AS b",
     "SELECT status, SUM(amount) FROM raw GROUP BY status"),
    ("SELECT o.status, COUNT(*) FROM orders o, customers c WHERE c.id = o.customer_id GROUP BY o.status "
     "HAVING COUNT(*) > 20 ORDER BY 2 LIMIT 1", "SELECT status, COUNT(*) FROM raw GROUP BY status"),
    ("SELECT c.name, (SELECT COUNT(*) FROM customers) AS of, SUM(o.amount) AS s FROM orders o "
     "JOIN customers c ON c.id = o.customer_id GROUP BY c.name ORDER BY s DESC LIMIT 1",
     "SELECT name, 12, SUM(amount) FROM raw GROUP BY name"),
]  # fmt: skip
ONLY_IN_DUCKDB = [
    ("SELECT c.name, z.s FROM customers c, LATERAL (SELECT SUM(amount) AS s FROM orders o "
     "WHERE o.customer_id = c.id) z WHERE z.s > 150", "SELECT name, SUM(amount) FROM raw GROUP BY name"),
    ("SELECT status, substr(day, 1, 7) AS m, SUM(amount) AS s FROM orders GROUP BY ALL ORDER BY s DESC LIMIT 3",
     "SELECT status, m, SUM(amount) FROM raw GROUP BY ALL"),
    ("SELECT status, SUM(amount) AS s FROM orders GROUP BY status QUALIFY ROW_NUMBER() OVER (ORDER BY s) = 1",
     "SELECT status, SUM(amount) FROM raw GROUP BY status"),
]  # fmt: skip


def _rows() -> tuple[list[Row], list[Row]]:
    chance = random.Random(7)
    people = [(n, f"name {n}", chance.choice(["FR", "DE", "IT"]), "private") for n in range(1, 13)]
    bought = [
        (
            n,
            chance.choice([*range(1, 11), None]),
            f"2024-{chance.randint(1, 6):02}-{chance.randint(1, 28):02}",
            chance.choice(["paid", "open", "void"]),
            chance.choice([None, *range(5, 500)]),
            None,
        )
        for n in range(1, 121)
    ]
    return people, bought


@pytest.mark.parametrize("sql, again", SHAPES)
def test_the_records_give_the_answer_again(engine: Engine, sql: str, again: str) -> None:
    engine.fill(*_rows())
    result = engine.run(sql)
    assert result.rows

    found, _ = of(engine, sql, result)

    assert Counter(engine.again(found.sql or "", again).rows) == Counter(result.rows), found.sql


@pytest.mark.parametrize("engine", ["duckdb"], indirect=True)
@pytest.mark.parametrize("sql, again", ONLY_IN_DUCKDB)
def test_the_records_give_the_answer_again_in_duckdb(engine: Engine, sql: str, again: str) -> None:
    test_the_records_give_the_answer_again(engine, sql, again)


@pytest.mark.parametrize("sql, first", [
    ("SELECT c.country, COUNT(*) FROM customers c GROUP BY c.country", ["country", "id", "name"]),
    ("SELECT COUNT(*) FROM orders WHERE note IS NULL AND amount > 3",
     ["id", "note", "amount", "customer_id", "day", "status"]),
    ("SELECT o.status, SUM(o.amount) AS s FROM orders o JOIN customers c ON c.id = o.customer_id "
     "WHERE c.country = 'FR' GROUP BY o.status ORDER BY s DESC LIMIT 1",
     ["status", "id", "c_id", "amount", "customer_id", "country", "day", "note", "name"]),
    ("WITH p AS (SELECT * FROM orders WHERE status = 'paid') SELECT substr(day, 1, 7) AS m, SUM(amount) FROM p "
     "GROUP BY 1", ["m", "id", "amount", "day", "customer_id", "status", "note"]),
])  # fmt: skip
def test_keys_come_first_then_what_is_read_then_the_others(engine: Engine, sql: str, first: list[str]) -> None:
    engine.fill(*_rows())

    assert list(of(engine, sql, engine.run(sql))[1].columns) == first


def test_what_a_limit_did_not_cut_is_not_asked_again(engine: Engine) -> None:
    engine.fill(*_rows())
    sql = "SELECT status, SUM(amount) FROM orders GROUP BY status LIMIT 500"

    found = derive(sql, engine.dialect, schema=SCHEMA, result=engine.run(sql))

    assert found.sql is not None
    assert "JOIN" not in found.sql
    assert "JOIN" in (derive(sql, engine.dialect, schema=SCHEMA).sql or "")


@pytest.mark.parametrize("sql, row, reason", [
    ("SELECT SUM(amount) AS s FROM orders GROUP BY status", {"s": 1}, "does not show what its rows are grouped by"),
    ("SELECT status, SUM(amount) AS s FROM orders GROUP BY status", {"s": 1}, "says nothing of 'status'"),
    ("SELECT status, SUM(amount) AS s FROM orders GROUP BY status", {"status": [1]}, "nested values"),
    (_MONTHLY + "SELECT month, s - LAG(s) OVER (ORDER BY month) AS d FROM m", {"month": "2024-02"}, "several groups"),
])  # fmt: skip
def test_where_a_row_does_not_say_its_group_there_is_a_reason(sql: str, row: dict[str, Any], reason: str) -> None:
    found = derive(sql, "sqlite", schema=SCHEMA, groups=[row])

    assert found.sql is None
    assert reason in found.reason
