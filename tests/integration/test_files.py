"""Files as a database: CSV, TSV, Parquet, JSON, and folders of them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from executors.base import CheckedSql, Table
from executors.engines.files import executor as files
from executors.engines.files import file_tables
from executors.engines.files.executor import FilesExecutor
from executors.engines.files.file_table import FileTable
from executors.engines.files.unreadable import unreadable
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed

Open = Callable[..., FilesExecutor]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens a path of the temporary folder; the folder itself where none is named."""
    made: list[FilesExecutor] = []

    def opened(name: str = ".", memory: str = "200MB") -> FilesExecutor:
        made.append(FilesExecutor("data", tmp_path / name, memory=memory, threads=2, sample_values=3))
        return made[-1]

    yield opened
    for executor in made:
        executor.close()


def ask(executor: FilesExecutor, sql: str, row_limit: int = 100) -> list[tuple[object, ...]]:
    query = CheckedSql(sql=sql, executable=sql, row_limit=row_limit, tables=())
    return list(executor.run(query, timeout_s=60).rows)


def names(executor: FilesExecutor) -> list[str]:
    return [table.name for table in executor.schema().tables]


def types(executor: FilesExecutor) -> dict[str, str]:
    return {column.name: column.type for column in executor.schema().tables[0].columns}


# -- what is read ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, content, expected", [
    ("a.csv", b"id,day,at,price,ok,note\n1,2024-02-29,2024-01-01 10:00:00,1.5,true,x\n",
     {"id": "BIGINT", "day": "DATE", "at": "TIMESTAMP", "price": "DOUBLE", "ok": "BOOLEAN", "note": "VARCHAR"}),
    ("a.csv", b"\xef\xbb\xbfid,name\r\n1,x\r\n", {"id": "BIGINT", "name": "VARCHAR"}),
    ("a.csv", b"zip,name\n01234,a\n", {"zip": "VARCHAR", "name": "VARCHAR"}),
    ("a.csv", b"1,a\n2,b\n", {"column0": "BIGINT", "column1": "VARCHAR"}),
    ("a.csv", b",name\n0,x\n1,y\n", {"column0": "BIGINT", "name": "VARCHAR"}),
    ("a.csv", b"id,id,Name,name\n1,2,a,b\n",
     {"id": "BIGINT", "id_1": "BIGINT", "Name": "VARCHAR", "name_1": "VARCHAR"}),
    ("a.csv", b"id,name\n", {"id": "VARCHAR", "name": "VARCHAR"}),
    ("a.csv", b"name\nalice\nbob\n", {"name": "VARCHAR"}),
    ("a.csv", b"id;price\n1;2,5\n2;3,75\n", {"id": "BIGINT", "price": "DOUBLE"}),
    ("a.csv", b"day\n31/12/2024\n", {"day": "DATE"}),
    ("a.CSV", b"id,name\n1,x\n", {"id": "BIGINT", "name": "VARCHAR"}),
    ("a.tsv", b"id\tname\n1\tx,y\n", {"id": "BIGINT", "name": "VARCHAR"}),
    ("a.json", b'[{"id": 1, "tags": ["x"]}, {"id": 2.5}]', {"id": "DOUBLE", "tags": "VARCHAR[]"}),
    ("a.jsonl", b'{"id": 1, "to": {"city": "x"}}\n{"id": 2, "to": null}\n',
     {"id": "BIGINT", "to": "STRUCT(city VARCHAR)"}),
    ("a.ndjson", b'{"id": 1}\n', {"id": "BIGINT"}),
])  # fmt: skip
def test_types_are_inferred(opened: Open, tmp_path: Path, name: str, content: bytes, expected: dict[str, str]) -> None:
    (tmp_path / name).write_bytes(content)

    assert types(opened(name)) == expected


def test_a_type_is_true_of_the_last_line_too(opened: Open, tmp_path: Path) -> None:
    lines = "".join(f"{i}\n" for i in range(50_000))
    (tmp_path / "a.csv").write_text(f"n\n{lines}none at all\n", encoding="utf-8")

    executor = opened("a.csv")

    assert types(executor) == {"n": "VARCHAR"}
    assert ask(executor, "SELECT count(*), count(TRY_CAST(n AS INTEGER)) FROM a") == [(50_001, 50_000)]


def test_values_with_quotes_and_line_breaks(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,note\n1,"a\nb, c"\n2,"say ""hi"""\n3,\n', encoding="utf-8")

    assert ask(opened(), "SELECT note FROM a ORDER BY id") == [("a\nb, c",), ('say "hi"',), (None,)]


def test_a_cast_that_fails_is_the_querys_fault(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,code\n1,C\n", encoding="utf-8")

    with pytest.raises(SqlFailed) as raised:
        ask(opened(), "SELECT CAST(code AS INTEGER) FROM a")

    assert raised.value.kind is ErrorKind.TYPE_MISMATCH


@pytest.mark.parametrize("stems, expected", [
    (["orders"], ["orders"]),
    (["2024 Q1 (final)"], ["t_2024_Q1_final"]),
    (["Umsätze"], ["Umsätze"]),
    (["---"], ["data"]),
    (["a b", "a-b", "A_B"], ["A_B", "a_b_2", "a_b_3"]),
    (["b", "a"], ["a", "b"]),
    (["it's [1]"], ["it_s_1"]),
])  # fmt: skip
def test_a_table_is_named_after_its_file(opened: Open, tmp_path: Path, stems: list[str], expected: list[str]) -> None:
    for stem in stems:
        (tmp_path / f"{stem}.csv").write_text("id\n1\n", encoding="utf-8")

    executor = opened()

    assert names(executor) == expected
    assert all(ask(executor, f'SELECT id FROM "{name}"') == [(1,)] for name in expected)


def test_a_folder_gives_its_data_files_and_a_glob_some_of_them(opened: Open, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", ".hidden.csv", "~lock.csv", "notes.md"):
        (tmp_path / name).write_text("id\n1\n", encoding="utf-8")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "c.csv").write_text("id\n1\n", encoding="utf-8")

    assert names(opened()) == ["a", "b", "c"]
    assert names(opened("**/c.csv")) == ["c"]
    assert names(opened("a*.csv")) == ["a"]
    assert names(opened("b.csv")) == ["b"]


# -- what cannot be read -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name, content, said", [
    ("a.csv", b"", "a.csv is empty: put data into it"),
    ("a.csv", b"\n \n\n", "a.csv is empty"),
    ("a.json", b"", "a.json is empty"),
    ("a.csv", bytes(range(256)) * 20, "a.csv is not text"),
    ("a.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), "a.csv is not text"),
    ("a.csv", b"PK\x03\x04" + bytes(100), "a.csv is not text but a ZIP or Excel file: export it as CSV"),
    ("a.csv", gzip.compress(b"id\n1\n", mtime=0), "a.csv is not text but compressed"),
    ("a.csv", b"a,b\n1,2\n3," + b"x" * 5_000_000 + b"\n4,y\n", "a line of 5,000,003 bytes (line 3): break it up"),
    ("a.csv", b'a,b\n1,"' + b"x" * 5_000_000 + b'"\n4,y\n', "a.csv has a line of 5,000,0"),
    ("a.csv", b'a,b\n1,"op,en\n2,x\n3,y\n', "a.csv has a quote that is not closed in line 2"),
    ("a.json", b'{"a": 1', "a.json is not valid JSON (record 1: "),
    ("a.jsonl", b'{"a": 1}\n{"a": \n', "a.jsonl is not valid JSON (record 2: "),
    ("a.parquet", b"id,name\n1,x\n", "a.parquet cannot be read as Parquet"),
    ("a.parquet", b"PAR1" + bytes(100) + b"PAR1", "a.parquet cannot be read as Parquet"),
])  # fmt: skip
def test_a_file_that_cannot_be_read_says_why_by_its_name(
    opened: Open, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(DatabaseUnavailable) as raised:
        opened(name).schema()

    assert said in str(raised.value)
    assert str(tmp_path) not in str(raised.value)


def test_a_value_that_does_not_fit_is_not_told(tmp_path: Path) -> None:
    """It may be of a private column."""
    (tmp_path / "a.csv").write_text("id,phone\nx,ann-priv@mail.example\n", encoding="utf-8")
    reader = f"read_csv('{tmp_path}/a.csv', columns={{'id': 'VARCHAR', 'phone': 'BIGINT'}})"
    with pytest.raises(duckdb.Error, match="ann-priv") as raised:
        duckdb.connect().sql(f"SELECT * FROM {reader}").fetchall()
    told = str(unreadable(tmp_path / "a.csv", str(raised.value)))
    assert told.startswith("a.csv has a value in column phone in line 2 that is no BIGINT")
    assert "ann-priv" not in told


def test_one_bad_file_leaves_the_others_and_a_warning(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("id\n1\n", encoding="utf-8")
    (tmp_path / "bad.csv").write_bytes(b"")
    (tmp_path / "worse.csv").write_bytes(bytes(range(256)))
    executor = opened()

    assert names(executor) == ["good"]
    assert [warning.split()[0] for warning in executor.warnings] == ["bad.csv", "worse.csv"]


@pytest.mark.parametrize("name", ["gone.csv", "gone", "*.parquet", "."])
def test_nothing_to_read_says_what_is_wanted(opened: Open, name: str) -> None:
    with pytest.raises(DatabaseUnavailable, match=r"use files of \.csv, \.tsv, .*\.parquet.*packed \(\.gz"):
        opened(name).schema()


def test_a_folder_of_very_many_files_is_refused(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 2)
    for i in range(3):
        (tmp_path / f"{i}.csv").write_text("id\n1\n", encoding="utf-8")

    with pytest.raises(DatabaseUnavailable, match="3 files of data; at most 2"):
        opened().schema()


# -- what changes ------------------------------------------------------------------------------------------


def test_a_changed_new_or_removed_file_is_noticed(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n", encoding="utf-8")
    executor = opened()
    assert names(executor) == ["a"]

    (tmp_path / "b.csv").write_text("n\n5\n", encoding="utf-8")
    assert names(executor) == ["a", "b"]
    assert ask(executor, "SELECT n FROM b") == [(5,)]

    (tmp_path / "b.csv").write_text("n,more\nx,1\n", encoding="utf-8")
    assert ask(executor, "SELECT n, more FROM b") == [("x", 1)]

    (tmp_path / "a.csv").unlink()
    assert names(executor) == ["b"]
    with pytest.raises(SqlFailed) as raised:
        ask(executor, "SELECT id FROM a")
    assert raised.value.kind is ErrorKind.TABLE_NOT_FOUND


def test_a_file_is_inferred_once(opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inspected: list[str] = []
    real = file_tables.inspect

    def inspect(*args: object, **options: object) -> FileTable:
        inspected.append(Path(str(args[1])).name)
        return real(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(file_tables, "inspect", inspect)
    for name in ("a.csv", "b.csv", "bad.csv"):
        (tmp_path / name).write_text("id\n1\n" * (name != "bad.csv"), encoding="utf-8")
    executor = opened()
    for _ in range(3):
        executor.schema()
        ask(executor, "SELECT * FROM a")
    assert inspected == ["a.csv", "b.csv", "bad.csv"]

    (tmp_path / "b.csv").write_text("id\n1\n2\n", encoding="utf-8")
    assert ask(executor, "SELECT count(*) FROM b") == [(2,)]
    assert inspected[3:] == ["b.csv"]


def test_a_line_that_does_not_fit_a_large_files_types_has_it_looked_at_whole(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tables, "WHOLE_BYTES", 100)
    monkeypatch.setattr(files, "WHOLE_BYTES", 100)
    monkeypatch.setattr(file_tables, "SAMPLED_LINES", 2048)
    lines = "".join(f"{i}\n" for i in range(50_000))
    (tmp_path / "a.csv").write_text(f"n\n{lines}none at all\n", encoding="utf-8")
    executor = opened()
    assert types(executor) == {"n": "BIGINT"}
    assert executor.schema().tables[0].row_count is None, "a large file of text is not counted"

    assert ask(executor, "SELECT max(n) FROM a") == [("none at all",)]
    assert types(executor) == {"n": "VARCHAR"}


def test_a_large_file_that_turns_out_uneven_is_written_anew(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tables, "WHOLE_BYTES", 100)
    monkeypatch.setattr(file_tables, "SAMPLED_LINES", 2048)
    (tmp_path / "a.csv").write_text("n,m\n" + "1,2\n" * 50_000 + "1\n", encoding="utf-8")
    executor = opened()
    executor.schema()

    assert ask(executor, "SELECT sum(n), sum(m) FROM a") == [(50_001, 100_000)]
    assert executor.warnings == ("a.csv: 1 row has fewer fields than 2, the rest is empty.",)


# -- keys --------------------------------------------------------------------------------------------------


def test_keys_are_inferred_from_names_and_values(opened: Open, tmp_path: Path) -> None:
    for name, content in {
        "customers": "customer_id,name\n1,x\n2,y\n",
        "categories": "id,name\n1,x\n",
        "boxes": "box_id\n1\n",
        "orders": "order_id,customer_id,category_id,box_id\n1,1,1,a\n2,1,1,b\n",
        "returns": "return_id,order_id\n1,1\n1,1\n",
        "lines": "order_id,n\n1,1\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")

    tables = {table.name: table for table in opened().schema().tables}

    assert {name: table.primary_key for name, table in tables.items()} == {
        "boxes": ("box_id",),
        "categories": ("id",),
        "customers": ("customer_id",),
        "lines": (),
        "orders": ("order_id",),
        "returns": (),  # the same number twice
    }
    assert _keys(tables["orders"]) == ["customer_id > customers.customer_id", "category_id > categories.id"], (
        "box_id is text here, and a number there"
    )
    assert _keys(tables["lines"]) == ["order_id > orders.order_id"]


def test_keys_are_found_however_their_names_are_spelled(opened: Open, tmp_path: Path) -> None:
    for name, content in {
        "members": "Member No,name\n1,x\n2,x\n",
        "countries": "CountryCode,name\nAT,Austria\nFR,France\n",
        "kunden": "Kunden-Nr,ort\n7,Wien\n8,Graz\n",
        "loans": "loan_id,member_no,country_code,KundenNr,number\n1,2,AT,7,1\n2,2,FR,8,2\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")

    tables = {table.name: table for table in opened().schema().tables}

    assert {name: table.primary_key for name, table in tables.items()} == {
        "countries": ("CountryCode",),
        "kunden": ("Kunden-Nr",),
        "loans": ("loan_id",),
        "members": ("Member No",),
    }
    assert _keys(tables["loans"]) == [
        "member_no > members.Member No",
        "country_code > countries.CountryCode",
        "KundenNr > kunden.Kunden-Nr",
    ]


def _keys(table: Table) -> list[str]:
    return [f"{key.columns[0]} > {key.table}.{key.referenced[0]}" for key in table.foreign_keys]


# -- bounds ------------------------------------------------------------------------------------------------


def test_only_the_listed_files_can_be_read(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("id\n1\n", encoding="utf-8")
    (tmp_path / "secret.csv").write_text("id\n42\n", encoding="utf-8")
    (tmp_path / "data" / "notes.txt").write_text("42\n", encoding="utf-8")
    executor = opened("data")

    for path in ("secret.csv", "data/../secret.csv", "data/notes.txt", "data/a.csv/../../secret.csv"):
        with pytest.raises(SqlFailed) as raised:
            ask(executor, f"SELECT * FROM read_csv('{tmp_path}/{path}')")
        assert raised.value.kind is ErrorKind.PERMISSION
        assert str(tmp_path) not in raised.value.message


def test_a_file_larger_than_the_memory_is_aggregated_within_it(opened: Open, tmp_path: Path) -> None:
    rows = 1_100_000
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT i AS id, 'name ' || (i % 1000) AS name, i % 7 AS kind, "
            f"'some text to fill the line with ' || i AS note FROM range({rows}) t(i)) TO '{tmp_path / 'big.csv'}'"
        )
    assert (tmp_path / "big.csv").stat().st_size > 60_000_000
    executor = opened(memory="100MB")
    before = _resident_bytes()

    found = ask(executor, "SELECT kind, count(*), max(note) FROM big GROUP BY kind ORDER BY kind")

    assert sum(int(str(row[1])) for row in found) == rows
    assert _resident_bytes() - before < 200_000_000
    assert [path.name for path in tmp_path.iterdir()] == ["big.csv"]


def _resident_bytes() -> int:
    """Memory of this process (Linux)."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_what_was_written_of_a_version_of_a_file_goes_with_it(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "data").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    executor = opened("data")
    for rows in range(1, 5):
        (tmp_path / "data" / "a.csv").write_bytes(("name\n" + "München\n" * rows).encode("cp1252"))
        assert ask(executor, "SELECT count(*) FROM a") == [(rows,)]

    left = [it.name for it in (tmp_path / "scratch").rglob("*") if it.is_file()]
    assert sorted(it.partition(".")[2] for it in left) == ["csv", "duckdb"], left
