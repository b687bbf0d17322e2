"""Features of DuckDB files alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from executors.base import CheckedSql, ForeignKey
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed

Make = Callable[..., DuckdbExecutor]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[DuckdbExecutor] = []

    def make(script: str = "CREATE TABLE t (a INTEGER)", memory: str = "200MB") -> DuckdbExecutor:
        write(tmp_path / "data.duckdb", script)
        made.append(DuckdbExecutor("data", tmp_path / "data.duckdb", memory=memory, threads=2, sample_values=3))
        return made[-1]

    yield make
    for executor in made:
        executor.close()


def write(path: Path, script: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(script)


def ask(executor: DuckdbExecutor, sql: str, row_limit: int = 100) -> list[tuple[object, ...]]:
    query = CheckedSql(sql=sql, executable=sql, row_limit=row_limit, tables=())
    return list(executor.run(query, timeout_s=30).rows)


def test_the_schema_has_what_duckdb_knows(make: Make) -> None:
    schema = make("""
        CREATE TYPE mood AS ENUM ('glad', 'sad');
        CREATE TABLE parent (a INTEGER, b VARCHAR, PRIMARY KEY (a, b));
        CREATE TABLE child (id INTEGER PRIMARY KEY, a INTEGER, b VARCHAR NOT NULL, mood mood, price DECIMAL(10, 2),
                            twice INTEGER AS (a * 2), FOREIGN KEY (a, b) REFERENCES parent (a, b));
        CREATE VIEW seen AS SELECT id FROM child;
        COMMENT ON TABLE child IS 'Children';
        COMMENT ON COLUMN child.b IS 'The name';
        COMMENT ON VIEW seen IS 'Seen';
        INSERT INTO parent VALUES (1, 'x');
        INSERT INTO child (id, a, b, mood) VALUES (1, 1, 'x', 'sad');
    """).schema()

    assert [(t.name, t.is_view, t.row_count, t.comment) for t in schema.tables] == [
        ("parent", False, 1, ""), ("child", False, 1, "Children"), ("seen", True, 1, "Seen"),
    ]  # fmt: skip
    child = schema.tables[1]
    assert [(c.name, c.type, c.nullable, c.comment, c.samples) for c in child.columns] == [
        ("id", "INTEGER", False, "", ()),
        ("a", "INTEGER", True, "", ()),
        ("b", "VARCHAR", False, "The name", ("x",)),
        ("mood", "ENUM('glad', 'sad')", True, "", ("sad",)),
        ("price", "DECIMAL(10,2)", True, "", ()),
        ("twice", "INTEGER", True, "", ()),
    ]
    assert schema.tables[0].primary_key == ("a", "b")
    assert child.foreign_keys == (ForeignKey(columns=("a", "b"), table="parent", referenced=("a", "b")),)


def test_tables_of_all_duckdb_schemas_go_by_their_bare_names(make: Make) -> None:
    executor = make("""
        CREATE SCHEMA raw; CREATE SCHEMA "my stage";
        CREATE TABLE t (a INTEGER); CREATE TABLE raw.t (b INTEGER); CREATE TABLE raw.u (c INTEGER);
        CREATE TABLE "my stage".v (d INTEGER); INSERT INTO "my stage".v VALUES (4);
    """)

    assert [t.name for t in executor.schema().tables] == ["t", "v", "u"]
    assert executor.warnings == ("The table raw.t is left out: another schema has one of the same name.",)
    assert ask(executor, "SELECT d, a, c FROM v LEFT JOIN t ON true LEFT JOIN u ON true") == [(4, None, None)]


@pytest.mark.parametrize("sql, expected", [
    ("170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"),
    ("12345678901234567890.123456789::DECIMAL(38, 9)", "12345678901234567890.123456789"),
    ("9.99::DECIMAL(5, 2)", 9.99),
    ("'nan'::DOUBLE", "NaN"),
    ("DATE '2024-02-29'", "2024-02-29"),
    ("TIMESTAMP '2024-02-29 10:00:00.5'", "2024-02-29T10:00:00.5"),
    ("TIMESTAMP '294247-01-10 04:00:54'", "294247-01-10T04:00:54"),
    ("TIMESTAMP '-infinity'", "-infinity"),
    ("DATE 'infinity'", "infinity"),
    ("DATE '0044-03-15 (BC)'", "0044-03-15 (BC)"),
    ("0.1::FLOAT", 0.1),
    ("'-inf'::FLOAT", "-Infinity"),
    ("TIMESTAMPTZ '2024-02-29 10:00:00+02'", "2024-02-29T08:00:00+00:00"),
    ("TIMESTAMP_NS '2024-02-29 10:00:00.123456789'", "2024-02-29T10:00:00.123456789"),
    ("TIME '10:00:00'", "10:00:00"),
    ("INTERVAL '14 months'", "P1Y2M"),
    ("age(DATE '2024-03-31', DATE '2024-01-30')", "P2M1D"),
    ("'\\x00\\xFF'::BLOB", "0x00ff"),
    ("'00000000-0000-0000-0000-000000000001'::UUID", "00000000-0000-0000-0000-000000000001"),
    ("[1, NULL, 3]", [1, None, 3]),
    ("{'a': 1, 'b': ['x']}", {"a": 1, "b": ["x"]}),
    ("MAP {1: 'x'}", {"1": "x"}),
    ("{'a': INTERVAL 1 MONTH, 'b': 0.10}", {"a": "1 month", "b": 0.1}),
    ("[TIMESTAMPTZ '2024-02-29 10:00:00Z']", ["2024-02-29 10:00:00+00"]),
    ("'{\"a\": 1}'::JSON", '{"a": 1}'),
    ("'glad'::ENUM('glad', 'sad')", "glad"),
    ("true", True),
    ("NULL::INTERVAL", None),
    ("NULL::TIMESTAMPTZ[]", None),
])  # fmt: skip
def test_values_of_all_kinds(make: Make, sql: str, expected: object) -> None:
    assert ask(make(), f"SELECT {sql} AS value") == [(expected,)]


def test_a_pivot_without_its_values_says_what_it_needs(make: Make) -> None:
    executor = make()
    with pytest.raises(SqlFailed, match="PIVOT needs the values") as raised:
        ask(executor, "SELECT * FROM (PIVOT (SELECT 1 AS a, 'x' AS k) ON k USING sum(a))")
    assert "IN (" in raised.value.hint
    assert ask(executor, "SELECT * FROM (PIVOT (SELECT 1 AS a, 'x' AS k) ON k IN ('x') USING max(a))") == [(1,)]


def test_the_order_of_rows_survives_what_a_value_needs(make: Make) -> None:
    rows = ask(make(), "SELECT i, INTERVAL (i) DAY AS i FROM range(5000) t(i) ORDER BY i DESC", 5000)

    assert [row[0] for row in rows] == list(range(4999, -1, -1))
    assert rows[0] == (4999, "P4999D")


def test_times_are_utc_whatever_the_machine_says(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")

    assert ask(make(), "SELECT TIMESTAMPTZ '2024-01-01 00:00:00Z'::VARCHAR") == [("2024-01-01 00:00:00+00",)]


def test_two_of_one_file_do_not_get_in_each_others_way(make: Make, tmp_path: Path) -> None:
    first = make()
    first.schema()
    second = DuckdbExecutor("other", tmp_path / "data.duckdb", memory="100MB", threads=1, sample_values=1)

    assert ask(second, "SELECT count(*) FROM t") == ask(first, "SELECT count(*) FROM t") == [(0,)]
    second.close()


def test_a_replaced_file_is_noticed(make: Make, tmp_path: Path) -> None:
    executor = make()
    executor.schema()
    write(tmp_path / "new.duckdb", "CREATE TABLE u AS SELECT 5 AS b")
    (tmp_path / "new.duckdb").replace(tmp_path / "data.duckdb")

    assert [t.name for t in executor.schema().tables] == ["u"]
    assert ask(executor, "SELECT b FROM u") == [(5,)]


def test_more_memory_than_allowed_is_an_error_of_its_own(make: Make) -> None:
    executor = make(memory="20MB")

    with pytest.raises(SqlFailed) as raised:
        ask(executor, "SELECT list(i) FROM range(50000000) t(i)")

    assert raised.value.kind is ErrorKind.RESOURCE
    assert ask(executor, "SELECT 1") == [(1,)]


def test_a_result_larger_than_the_memory_is_streamed(make: Make) -> None:
    executor = make(memory="50MB")
    query = "SELECT i, repeat('x', 1000) AS x FROM range(10000000) t(i)"

    result = executor.run(CheckedSql(sql=query, executable=query, row_limit=10, tables=()), timeout_s=30)

    assert (result.row_count, result.truncated) == (10, True)


def test_pythons_variables_are_no_tables(make: Make) -> None:
    secret = duckdb.connect().sql("SELECT 42 AS answer")
    assert secret is not None

    with pytest.raises(SqlFailed) as raised:
        ask(make(), "SELECT * FROM secret")

    assert raised.value.kind is ErrorKind.TABLE_NOT_FOUND
    assert secret.fetchall() == [(42,)]


@pytest.mark.parametrize("content", [b"", b"not a database", b"12345678DUCK" + b"\xff" * 20_000])
def test_a_file_that_is_no_database_says_so_by_its_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.duckdb"
    path.write_bytes(content)
    executor = DuckdbExecutor("bad", path, memory="100MB", threads=1, sample_values=3)

    with pytest.raises(DatabaseUnavailable, match=r"bad\.duckdb") as raised:
        executor.schema()

    assert str(tmp_path) not in str(raised.value)
    assert path.read_bytes() == content


def test_an_empty_database_says_so(make: Make) -> None:
    with pytest.raises(DatabaseUnavailable, match="has no tables"):
        make("SELECT 1").schema()


def test_a_file_that_has_gone_is_told(make: Make, tmp_path: Path) -> None:
    executor = make()
    executor.schema()
    (tmp_path / "data.duckdb").unlink()

    with pytest.raises(DatabaseUnavailable, match=r"data\.duckdb does not exist"):
        ask(executor, "SELECT a FROM t")


def test_a_file_that_another_program_writes_says_so(make: Make, tmp_path: Path) -> None:
    executor = make()
    program = (
        f"import duckdb, sys; c = duckdb.connect({str(tmp_path / 'data.duckdb')!r}); print('open', flush=True); "
        "sys.stdin.read(); c.close()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        with pytest.raises(DatabaseUnavailable, match="open for writing in another program"):
            executor.schema()
        writer.communicate()

    assert executor.schema().tables
