"""Changes of SQLite and DuckDB files: tried and undone, made exactly, or not made at all."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import duckdb
import pytest

from executors.base import Cancel, CheckedWrite, Executor, WriteResult
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.engines.files.executor import FilesExecutor
from executors.engines.sqlite.executor import SqliteExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused
from executors.guard.guard import check
from executors.guard.write import check_write

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), status VARCHAR);
INSERT INTO customers VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cem');
INSERT INTO orders VALUES (1, 1, 'open'), (2, 1, 'open'), (3, 2, 'paid'), (4, 2, 'open');
"""
MANY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT MAX(i) FROM n"

Make = Callable[..., Executor]


@pytest.fixture(params=["sqlite", "duckdb"])
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(dialect: str, tmp_path: Path) -> Path:
    path = tmp_path / f"shop.{dialect}"
    script(path, SHOP)
    return path


@pytest.fixture
def make(path: Path, dialect: str, request: pytest.FixtureRequest) -> Make:
    def make(*, writable: bool = True) -> Executor:
        if dialect == "sqlite":
            return SqliteExecutor("shop", path, sample_values=3, writable=writable)
        executor = DuckdbExecutor("shop", path, memory="256MB", threads=1, sample_values=3, writable=writable)
        request.addfinalizer(executor.close)
        return executor

    return make


@pytest.fixture
def shop(make: Make) -> Executor:
    return make()


def script(path: Path, sql: str) -> None:
    """Run some statements on a file, by its engine's own driver."""
    if path.suffix == ".sqlite":
        connection = sqlite3.connect(path)
        connection.executescript(sql)
        connection.close()
    else:
        with duckdb.connect(str(path)) as database:
            database.execute(sql)


def write(
    shop: Executor,
    sql: str,
    *,
    commit: bool = True,
    max_rows: int = 100,
    timeout_s: float = 30,
    exactly: int | None = None,
) -> WriteResult:
    """Through the guard, as the agent writes."""
    checked = check_write(sql, shop.schema(), row_limit=max_rows)
    return shop.write(checked, timeout_s=timeout_s, commit=commit, max_rows=max_rows, exactly=exactly)


def rows(shop: Executor, sql: str) -> list[tuple[object, ...]]:
    query = check(sql, shop.schema(), row_limit=500)
    return list(shop.run(query, timeout_s=30).rows)


def statuses(shop: Executor) -> list[tuple[object, ...]]:
    return rows(shop, "SELECT id, status FROM orders ORDER BY id")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


AS_IT_WAS = [(1, "open"), (2, "open"), (3, "paid"), (4, "open")]

# ------------------------------------------------------------------------------------------------ as it should be


@pytest.mark.parametrize(
    "sql, count",
    [
        ("UPDATE orders SET status = 'sent' WHERE status = 'open'", 3),
        ("DELETE FROM orders WHERE id = 3", 1),
        ("DELETE FROM orders WHERE id = 99", 0),
        ("INSERT INTO orders VALUES (5, 3, 'open'), (6, 3, 'open')", 2),
        ("INSERT INTO orders SELECT id + 10, customer_id, status FROM orders WHERE id < 4", 3),
    ],
)
def test_a_dry_run_counts_and_leaves_the_file_as_it_is(shop: Executor, path: Path, sql: str, count: int) -> None:
    before = digest(path)
    result = write(shop, sql, commit=False)
    assert (result.rows_affected, result.committed) == (count, False)
    assert statuses(shop) == AS_IT_WAS
    shop.close()
    assert digest(path) == before, "to the byte"
    assert [file.name for file in path.parent.iterdir()] == [path.name], "nothing is left beside it"


def test_a_commit_changes_exactly_the_rows_it_is_about(shop: Executor) -> None:
    result = write(shop, "UPDATE orders SET status = 'sent' WHERE customer_id = 1")
    assert (result.rows_affected, result.committed) == (2, True)
    assert statuses(shop) == [(1, "sent"), (2, "sent"), (3, "paid"), (4, "open")]
    write(shop, "DELETE FROM orders WHERE id = 2")
    write(shop, "INSERT INTO orders VALUES (7, 3, 'new')")
    assert statuses(shop) == [(1, "sent"), (3, "paid"), (4, "open"), (7, "new")]


def test_the_schema_knows_of_the_change(shop: Executor) -> None:
    def count() -> int | None:
        table = shop.schema().table("orders")
        return table.row_count if table else None

    assert count() == 4
    write(shop, "DELETE FROM orders WHERE status = 'open'")
    assert count() == 1


def test_another_opening_of_the_file_sees_the_change(shop: Executor, make: Make) -> None:
    write(shop, "DELETE FROM orders WHERE id = 1")
    shop.close()
    assert len(statuses(make(writable=False))) == 3


@pytest.mark.parametrize("exactly, committed", [(3, True), (2, False), (4, False), (None, True)])
def test_a_commit_that_is_to_affect_so_many_rows_affects_so_many_or_none(
    shop: Executor, exactly: int | None, committed: bool
) -> None:
    result = write(shop, "UPDATE orders SET status = 'sent' WHERE status = 'open'", exactly=exactly)
    assert (result.rows_affected, result.committed) == (3, committed)
    assert (statuses(shop) == AS_IT_WAS) is not committed


# -------------------------------------------------------------------------------------------------- and if it is not


@pytest.mark.parametrize("commit", [True, False])
def test_a_database_that_is_not_writable_is_not_written_whatever_the_guard_says(
    make: Make, path: Path, commit: bool
) -> None:
    before = digest(path)
    with pytest.raises(SqlRefused, match="reading only") as caught:
        write(make(writable=False), "DELETE FROM orders WHERE id = 1", commit=commit)
    assert caught.value.kind is ErrorKind.NOT_READ_ONLY
    assert digest(path) == before


def test_files_of_rows_are_never_written(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("id\n1\n", encoding="utf-8")
    files = FilesExecutor("orders", tmp_path / "orders.csv", memory="256MB", threads=1, sample_values=3)
    with pytest.raises(SqlRefused, match="reading only"):
        write(files, "DELETE FROM orders WHERE id = 1")
    files.close()


@pytest.mark.parametrize("commit", [True, False])
def test_more_rows_than_may_change_change_nothing(shop: Executor, commit: bool) -> None:
    with pytest.raises(SqlFailed, match="3 rows, and 2 are allowed") as caught:
        write(shop, "DELETE FROM orders WHERE status = 'open'", commit=commit, max_rows=2)
    assert caught.value.kind is ErrorKind.RESOURCE
    assert statuses(shop) == AS_IT_WAS


@pytest.mark.parametrize(
    "sql, why",
    [
        ("INSERT INTO orders VALUES (9, 1, 'new'), (1, 1, 'again')", "a key that is taken, in the second row"),
        ("UPDATE customers SET name = NULL WHERE id = 1", "a column that wants a value"),
        ("UPDATE orders SET customer_id = 99 WHERE id = 4", "no such customer"),
        ("DELETE FROM customers WHERE id IN (1, 3)", "a customer with orders, and one without"),
    ],
)
@pytest.mark.parametrize("commit", [True, False])
def test_a_constraint_keeps_everything_as_it_was(shop: Executor, sql: str, why: str, commit: bool) -> None:
    with pytest.raises(SqlFailed) as caught:
        write(shop, sql, commit=commit)
    assert "onstraint" in caught.value.message, why
    assert statuses(shop) == AS_IT_WAS
    assert rows(shop, "SELECT name FROM customers ORDER BY id") == [("Ann",), ("Bob",), ("Cem",)]


def test_a_change_that_takes_too_long_is_undone(shop: Executor) -> None:
    with pytest.raises(SqlFailed) as caught:
        write(shop, f"UPDATE orders SET customer_id = ({MANY}) WHERE id = 1", timeout_s=0.2)
    assert caught.value.kind is ErrorKind.TIMEOUT
    assert statuses(shop) == AS_IT_WAS
    assert write(shop, "DELETE FROM orders WHERE id = 1").committed, "the next one finds nothing in its way"


@pytest.mark.parametrize(
    "sql, kind, table, why",
    [
        ("DROP TABLE orders", "delete", "orders", "DDL"),
        ("CREATE TABLE t (a INTEGER)", "insert", "t", "DDL"),
        ("SELECT 1", "update", "orders", "changes nothing"),
        ("DELETE FROM orders WHERE id = 1", "update", "orders", "another kind"),
        ("DELETE FROM orders WHERE id = 1; DELETE FROM orders WHERE id = 2", "delete", "orders", "two statements"),
        ("COMMIT", "delete", "orders", "would keep what was only tried"),
    ],
)
def test_with_the_guard_off_only_the_write_that_was_asked_for_runs(
    shop: Executor, path: Path, sql: str, kind: Literal["insert", "update", "delete"], table: str, why: str
) -> None:
    shop.schema()
    before = digest(path)
    with pytest.raises(SqlFailed):
        shop.write(CheckedWrite(sql=sql, kind=kind, table=table), timeout_s=5, commit=True, max_rows=100)
    shop.close()
    assert digest(path) == before, why


def test_of_a_missing_file_nothing_is_made(make: Make, path: Path) -> None:
    shop = make()
    checked = check_write("DELETE FROM orders WHERE id = 1", shop.schema(), row_limit=9)
    shop.close()
    path.unlink()
    with pytest.raises(DatabaseUnavailable):
        shop.write(checked, timeout_s=5, commit=True, max_rows=9)
    assert not path.exists()


# ------------------------------------------------------------------------------------------------------ at once


def test_queries_and_changes_at_once_see_whole_changes(shop: Executor) -> None:
    flip = "UPDATE orders SET status = CASE WHEN status = 'a' THEN 'b' ELSE 'a' END WHERE id > 0"
    write(shop, flip)

    def look(_: int) -> list[tuple[object, ...]]:
        return rows(shop, "SELECT DISTINCT status FROM orders")

    with ThreadPoolExecutor(6) as threads:
        looks = [threads.submit(look, number) for number in range(20)]
        changes = [threads.submit(write, shop, flip) for _ in range(6)]
        assert all(change.result().rows_affected == 4 for change in changes)
        assert all(seen.result() in ([("a",)], [("b",)]) for seen in looks)
    assert look(0) == [("a",)], "seven changes later"


def test_a_query_that_runs_is_not_cut_off_by_a_change(shop: Executor) -> None:
    query = check("SELECT COUNT(*) FROM orders a, orders b, orders c, orders d", shop.schema(), row_limit=9)
    begun = threading.Barrier(2)

    def count() -> object:
        begun.wait()
        return shop.run(query, timeout_s=30).rows[0][0]

    with ThreadPoolExecutor(1) as thread:
        counted = thread.submit(count)
        begun.wait()
        assert write(shop, "UPDATE orders SET status = 'sent' WHERE id = 1").committed
        assert counted.result() == 256


# -------------------------------------------------------------------------------------------- what one engine has


@pytest.mark.parametrize("dialect", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "rule, sql, why",
    [
        (
            "CREATE TABLE log (id INTEGER); CREATE TRIGGER t AFTER UPDATE ON orders BEGIN "
            "INSERT INTO log VALUES (new.id); END",
            "UPDATE orders SET status = 'x' WHERE id = 1",
            "a trigger that writes elsewhere",
        ),
        (
            "CREATE TRIGGER t AFTER DELETE ON orders BEGIN DELETE FROM orders WHERE customer_id = old.customer_id; END",
            "DELETE FROM orders WHERE id = 1",
            "a trigger that takes more of the same table along",
        ),
        (
            "CREATE TABLE items (order_id INTEGER REFERENCES orders (id) ON DELETE CASCADE); "
            "INSERT INTO items VALUES (1), (1)",
            "DELETE FROM orders WHERE id = 1",
            "a key that takes rows of another table along",
        ),
    ],
)
def test_what_would_change_more_than_its_rows_changes_nothing(
    shop: Executor, path: Path, rule: str, sql: str, why: str
) -> None:
    script(path, rule)
    before = digest(path)
    with pytest.raises(SqlFailed, match="more rows") as caught:
        write(shop, sql)
    assert caught.value.kind is ErrorKind.PERMISSION, why
    assert digest(path) == before


@pytest.mark.parametrize("dialect", ["sqlite"], indirect=True)
def test_a_cascade_that_meets_no_rows_is_none(shop: Executor, path: Path) -> None:
    script(path, "CREATE TABLE items (order_id INTEGER REFERENCES orders (id) ON DELETE CASCADE)")
    assert write(shop, "DELETE FROM orders WHERE id = 1").rows_affected == 1


@pytest.mark.parametrize("dialect", ["sqlite"], indirect=True)
def test_a_file_in_wal_mode_is_written_like_any_other(shop: Executor, path: Path) -> None:
    script(path, "PRAGMA journal_mode = WAL")
    assert write(shop, "DELETE FROM orders WHERE id = 1", commit=False).rows_affected == 1
    assert len(statuses(shop)) == 4
    assert write(shop, "DELETE FROM orders WHERE id = 1").committed
    assert len(statuses(shop)) == 3


@pytest.mark.parametrize("dialect", ["sqlite"], indirect=True)
def test_a_file_that_another_program_writes_says_so(shop: Executor, path: Path) -> None:
    shop.schema()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseUnavailable, match="try again") as caught:
        write(shop, "DELETE FROM orders WHERE id = 1", timeout_s=0.05)
    assert str(path.parent) not in str(caught.value)
    other.execute("ROLLBACK")
    other.close()
    assert write(shop, "DELETE FROM orders WHERE id = 1").committed


@pytest.mark.parametrize("dialect", ["duckdb"], indirect=True)
def test_a_change_waits_no_longer_than_it_may_for_a_query(shop: Executor) -> None:
    checked = check_write("DELETE FROM orders WHERE id = 1", shop.schema(), row_limit=9)
    query = check(MANY, shop.schema(), row_limit=9)
    cancel = Cancel()
    with ThreadPoolExecutor(1) as thread:
        long_one = thread.submit(shop.run, query, timeout_s=60, cancel=cancel)

        def write_while_it_runs() -> None:
            while not long_one.done():  # before it has begun, the change finds nobody in its way
                shop.write(checked, timeout_s=1, commit=False, max_rows=9)

        with pytest.raises(DatabaseUnavailable, match="later"):
            write_while_it_runs()
        cancel.cancel()
        assert isinstance(long_one.exception(), SqlFailed)
    assert shop.write(checked, timeout_s=5, commit=True, max_rows=9).committed


@pytest.mark.parametrize("dialect", ["duckdb"], indirect=True)
@pytest.mark.parametrize(
    "sql, why",
    [
        ("INSERT INTO orders SELECT 9, 1, content FROM read_text('{secret}')", "reads a file"),
        ("INSERT INTO orders SELECT * FROM '{secret}'", "reads a file by its name"),
        ("WITH c AS (COPY orders TO '{secret}') DELETE FROM orders WHERE id = 1", "writes a file"),
    ],
)
def test_with_the_guard_off_duckdb_still_touches_no_other_file(
    shop: Executor, tmp_path: Path, sql: str, why: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("id,customer_id,status\n9,1,secret\n", encoding="utf-8")
    kind: Literal["insert", "delete"] = "delete" if "DELETE" in sql else "insert"
    statement = CheckedWrite(sql=sql.format(secret=secret), kind=kind, table="orders")
    with pytest.raises(SqlFailed):
        shop.write(statement, timeout_s=5, commit=True, max_rows=100)
    assert statuses(shop) == AS_IT_WAS, why
    assert secret.read_text(encoding="utf-8").endswith("9,1,secret\n")
