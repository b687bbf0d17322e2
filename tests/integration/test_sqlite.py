"""Features of SQLite alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from executors.base import CheckedSql, ForeignKey, Schema, Table
from executors.engines.sqlite import schema as sqlite_schema
from executors.engines.sqlite.executor import MAX_VALUE_BYTES, SqliteExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed
from executors.values import MAX_CELL_CHARS

Make = Callable[[str], SqliteExecutor]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make(script: str) -> SqliteExecutor:
        path = tmp_path / "data.sqlite"
        connection = sqlite3.connect(path)
        connection.executescript(script)
        connection.close()
        return SqliteExecutor("data", path, sample_values=3)

    return make


def ask(executor: SqliteExecutor, sql: str, row_limit: int = 100) -> list[tuple[object, ...]]:
    query = CheckedSql(sql=sql, executable=sql, row_limit=row_limit, tables=())
    return list(executor.run(query, timeout_s=30).rows)


def table(schema: Schema, name: str) -> Table:
    found = schema.table(name)
    assert found is not None
    return found


def test_the_schema_has_what_sqlite_knows(make: Make) -> None:
    schema = make("""
        CREATE TABLE parent (a INTEGER, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE TABLE "child" (
            id INTEGER PRIMARY KEY, -- of the child
            a INT,
            b VARCHAR(20) NOT NULL,
            other REFERENCES child,
            made_up INTEGER GENERATED ALWAYS AS (a * 2) VIRTUAL, -- twice a
            kept REAL AS (a / 2.0) STORED,
            FOREIGN KEY (a, b) REFERENCES PARENT
        );
        CREATE VIEW seen AS SELECT id, b FROM child;
        CREATE VIEW broken AS SELECT * FROM nowhere;
        CREATE INDEX i ON child (b);
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT);
    """).schema()

    assert [(t.name, t.is_view) for t in schema.tables] == [
        ("parent", False), ("child", False), ("seen", True), ("counted", False),
    ]  # fmt: skip
    assert table(schema, "parent").primary_key == ("a", "b")
    child = table(schema, "CHILD")
    assert [(c.name, c.type, c.nullable, c.comment) for c in child.columns] == [
        ("id", "INTEGER", False, "of the child"),
        ("a", "INT", True, ""),
        ("b", "VARCHAR(20)", False, ""),
        ("other", "", True, ""),
        ("made_up", "INTEGER", True, "twice a"),
        ("kept", "REAL", True, ""),
    ]
    assert child.foreign_keys == (
        ForeignKey(columns=("other",), table="child", referenced=("id",)),
        ForeignKey(columns=("a", "b"), table="parent", referenced=("a", "b")),
    )


def test_a_broken_view_is_left_out_with_a_warning(make: Make) -> None:
    executor = make("CREATE TABLE t (a INTEGER); CREATE VIEW broken AS SELECT * FROM nowhere;")

    assert [t.name for t in executor.schema().tables] == ["t"]
    assert "broken" in executor.warnings[0]


def test_full_text_and_rtree_tables_can_be_asked_and_hide_their_own(make: Make) -> None:
    executor = make(
        "CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('green tea'), ('coffee');"
        "CREATE VIRTUAL TABLE old USING fts4(body); INSERT INTO old VALUES ('black tea');"
        "CREATE VIRTUAL TABLE box USING rtree(id, low, high); INSERT INTO box VALUES (1, 2, 3);"
    )

    assert [t.name for t in executor.schema().tables] == ["notes", "old", "box"]
    assert ask(executor, "SELECT body FROM notes WHERE notes MATCH 'tea'") == [("green tea",)]
    assert ask(executor, "SELECT body FROM old WHERE old MATCH 'tea'") == [("black tea",)]
    assert ask(executor, "SELECT high FROM box WHERE low > 1") == [(3.0,)]


def test_samples_are_the_most_frequent_texts_cut(make: Make) -> None:
    executor = make(
        "CREATE TABLE t (city TEXT, n INTEGER, born DATE, free); INSERT INTO t VALUES "
        f"('B', 1, '2024-01-01', 5), ('A', 1, '2024-01-01', 'x'), ('A', 2, NULL, NULL), ('', 3, NULL, '{'y' * 99}')"
    )

    samples = {column.name: column.samples for column in executor.schema().tables[0].columns}

    assert samples == {"city": ("A", "B"), "n": (), "born": ("2024-01-01",), "free": ("x", "y" * 39 + "…")}


def test_a_view_that_cannot_be_counted_in_time_has_no_count(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_schema, "COUNTING_S", 1.0)  # in which the other table is counted on any machine
    monkeypatch.setattr(sqlite_schema, "SAMPLING_S", 0.1)
    executor = make(
        "CREATE TABLE t (a TEXT); CREATE VIEW endless AS WITH RECURSIVE n(i) AS "
        "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'x' AS a FROM n WHERE i < 0;"
    )

    assert [(t.name, t.row_count) for t in executor.schema().tables] == [("t", 0), ("endless", None)]


def test_a_change_is_noticed(make: Make) -> None:
    executor = make("CREATE TABLE t (a INTEGER)")
    before = executor.schema()

    make("CREATE TABLE u (a INTEGER); INSERT INTO t VALUES (1)")

    assert [t.name for t in before.tables] == ["t"]
    assert [(t.name, t.row_count) for t in executor.schema().tables] == [("t", 1), ("u", 0)]


def test_a_database_with_a_log_is_read_and_left_as_it_is(make: Make, tmp_path: Path) -> None:
    executor = make("PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1);")

    assert ask(executor, "SELECT a FROM t") == [(1,)]
    assert [path.name for path in tmp_path.iterdir()] == ["data.sqlite"]

    writer = sqlite3.connect(tmp_path / "data.sqlite", isolation_level=None)
    writer.execute("INSERT INTO t VALUES (2)")
    assert ask(executor, "SELECT a FROM t") == [(1,), (2,)], "what is still in the log counts"
    assert executor.schema().tables[0].row_count == 2
    writer.close()


def test_text_that_is_not_utf8_does_not_harm(make: Make) -> None:
    executor = make("CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'4dfc6c6c6572' AS TEXT))")

    assert ask(executor, "SELECT a FROM t") == [("M\ufffdller",)]
    assert executor.schema().tables[0].columns[0].samples == ("M\ufffdller",)


def test_values_of_all_kinds(make: Make) -> None:
    executor = make("CREATE TABLE t (a)")

    assert ask(executor, "SELECT 1, 1.5, 'a', x'00ff', NULL, 9223372036854775807, 9e999, 1 = 1") == [
        (1, 1.5, "a", "0x00ff", None, "9223372036854775807", "Infinity", 1)
    ]


@pytest.mark.parametrize("sql", [
    "SELECT zeroblob(2000000000)",
    "SELECT replace(hex(zeroblob(1000000)), '0', '0123456789')",
    "SELECT group_concat(hex(zeroblob(1000000))) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10))",
])  # fmt: skip
def test_a_huge_value_is_not_even_made(make: Make, sql: str) -> None:
    with pytest.raises(SqlFailed) as raised:
        ask(make("CREATE TABLE t (a)"), sql)

    assert raised.value.kind is ErrorKind.RESOURCE


def test_a_stored_value_that_is_too_large_spares_the_rest_of_its_row(make: Make) -> None:
    size = MAX_VALUE_BYTES + 1
    executor = make(f"CREATE TABLE t (a INTEGER, big BLOB); INSERT INTO t VALUES (1, zeroblob({size}))")

    assert ask(executor, "SELECT a, length(big) FROM t") == [(1, size)]
    with pytest.raises(SqlFailed, match="too big"):
        ask(executor, "SELECT big FROM t")


def test_a_long_text_is_cut(make: Make) -> None:
    (row,) = ask(make("CREATE TABLE t (a)"), "SELECT hex(zeroblob(1000000))")

    assert str(row[0]).startswith("0" * MAX_CELL_CHARS + "… [cut: 2,000,000")


@pytest.mark.parametrize("content, said", [
    (b"", "has no tables"),
    (b"not a database at all, just text" * 100, "cannot be read as an SQLite database"),
    (b"SQLite format 3\x00" + b"\xff" * 5000, "cannot be read as an SQLite database"),
])  # fmt: skip
def test_a_file_that_is_no_database_says_so_by_its_name(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "bad.sqlite"
    path.write_bytes(content)

    with pytest.raises(DatabaseUnavailable) as raised:
        SqliteExecutor("bad", path, sample_values=3).schema()

    assert said in str(raised.value)
    assert "bad.sqlite" in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


def test_a_file_that_has_gone_is_told(make: Make, tmp_path: Path) -> None:
    executor = make("CREATE TABLE t (a)")
    executor.schema()
    (tmp_path / "data.sqlite").unlink()

    with pytest.raises(DatabaseUnavailable, match=r"data\.sqlite does not exist"):
        ask(executor, "SELECT a FROM t")


def test_a_question_mark_in_a_path_is_not_a_parameter(tmp_path: Path) -> None:
    folder = tmp_path / "100%?mode=rwc&x#y"
    folder.mkdir()
    connection = sqlite3.connect(folder / "a?b.db")
    connection.execute("CREATE TABLE t (a)")
    connection.close()

    executor = SqliteExecutor("odd", folder / "a?b.db", sample_values=3)

    assert ask(executor, "SELECT count(*) FROM t") == [(0,)]
    assert [path.name for path in folder.iterdir()] == ["a?b.db"]


def test_the_tables_that_json_makes_can_be_read(make: Make) -> None:
    executor = make("CREATE TABLE t (doc TEXT); INSERT INTO t VALUES ('[1, {\"a\": 2}]')")
    assert ask(executor, "SELECT e.key, e.type FROM t, json_each(t.doc) AS e") == [(0, "integer"), (1, "object")]
    assert ask(executor, "SELECT fullkey FROM t, json_tree(t.doc) WHERE atom = 2") == [("$[1].a",)]
    with pytest.raises(SqlFailed):  # the authorizer is there all the same
        ask(executor, "CREATE VIRTUAL TABLE x USING rtree(a, b, c)")
