"""Messy files: every one is read, no value is lost, and the reading is reported."""

from __future__ import annotations

import bz2
import gzip
import lzma
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from messy_files import Open, ask, opening
from openpyxl import Workbook  # type: ignore[import-untyped]

from executors.errors import DatabaseUnavailable, DiskFull
from executors.workers.process import WorkerReply, pack, unpack

GERMAN = "Ort;Brutto Betrag;Tag\nMünchen;1.307,81 €;03.04.2024\nKöln;12,50 €;28.04.2024\nMünchen;-3,00 €;01.05.2024\n"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with opening(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_german_money_in_any_encoding_is_a_number_with_its_unit(opened: Open, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "data" / "umsatz.csv").write_bytes(GERMAN.encode(encoding))
    executor = opened()
    (table,) = executor.schema().tables

    assert {it.name: it.type for it in table.columns} == {
        "Ort": "VARCHAR",
        "Brutto Betrag": "DECIMAL(18,2)",
        "Tag": "DATE",
    }
    assert table.columns[1].comment == "Read as a number with a decimal comma, in €."
    total = ask(executor, "SELECT CAST(sum(\"Brutto Betrag\") AS VARCHAR) FROM umsatz WHERE Ort = 'München'")
    assert total == [("1304.81",)]
    assert table.row_count == 3


@pytest.mark.parametrize(
    "encoding, text",
    [("cp1251", "Москва"), ("cp949", "서울특별시"), ("gb18030", "北京的订单"), ("shift_jis", "こんにちは")],
)
def test_other_scripts_are_known_by_their_letters(opened: Open, tmp_path: Path, encoding: str, text: str) -> None:
    rows = "".join(f"{number},{text} {text}\n" for number in range(60))
    (tmp_path / "data" / "a.csv").write_bytes(f"id,name\n{rows}".encode(encoding))
    assert ask(opened(), "SELECT DISTINCT name FROM a") == [(f"{text} {text}",)]


@pytest.mark.parametrize("encoding, byte", [("utf-8", b"\xff"), ("utf-8", b"\x00"), ("cp1252", b"\x00")])
def test_a_broken_byte_is_marked_and_counted(opened: Open, tmp_path: Path, encoding: str, byte: bytes) -> None:
    good = "".join(f"{number},Zoë Größe\n" for number in range(50)).encode(encoding)
    (tmp_path / "data" / "a.csv").write_bytes(b"id,name\n" + good + b"50,Z" + byte + b"e\n")
    executor = opened()

    assert ask(executor, "SELECT count(*) FROM a") == [(51,)]
    assert ask(executor, "SELECT name FROM a WHERE id = 50") == [("Z�e",)]
    assert executor.warnings == ("a.csv: 1 line holds bytes that no text explains; each is shown as �.",)


@pytest.mark.parametrize(
    "content, rows, warned, why",
    [
        ("id,name,n\n1,a,2\n2,b\n3,c,4\n", 3, "1 row has fewer fields than 3", "a short row"),
        ("id,name,n\n1,a,2\n2,b,3,4\n3,c,4\n", 3, "1 row has more fields than 3; the rest is in _more", "a long row"),
        ("id,name\n1,a,extra\n2,b,extra\n", 2, "fewer fields than 3", "a header that is short"),
    ],
)
def test_uneven_rows_are_kept_and_counted(
    opened: Open, tmp_path: Path, content: str, rows: int, warned: str, why: str
) -> None:
    (tmp_path / "data" / "a.csv").write_text(content, encoding="utf-8")
    executor = opened()

    assert executor.schema().tables[0].row_count == rows, why
    assert any(warned in it for it in executor.warnings), executor.warnings
    if "_more" in warned:
        assert ask(executor, "SELECT _more FROM a WHERE id = 2") == [(4,)]


def test_packed_files_and_workbooks_are_read(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "data" / "orders.csv.gz").write_bytes(gzip.compress(b"id,total\n1,5\n2,6\n"))
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["id", "name", "since"], [1, "Ä", "2024-01-01"], [2, "B", "2024-02-01"]):
        sheet.append(row)
    book.save(tmp_path / "data" / "people.xlsx")
    executor = opened()

    assert {it.name: it.row_count for it in executor.schema().tables} == {"orders": 2, "people": 2}
    assert ask(executor, "SELECT o.total, p.name FROM orders o JOIN people p USING (id) ORDER BY 1") == [
        (5, "Ä"),
        (6, "B"),
    ]


@pytest.mark.parametrize(
    "path, content, column, values, why",
    [
        ("a.json", b'\xef\xbb\xbf[{"v": 1}, {"v": 2}]', "v", [1, 2], "a mark before JSON"),
        ("a.jsonl", b'\xef\xbb\xbf{"v": 1}\n{"v": 2}\n', "v", [1, 2], "and before its lines"),
        ("a.csv", b"v\n1,5\n2,5\n", "v", [1.5, 2.5], "a decimal comma, no two fields"),
        ("a/city=K%C3%B6ln/p.csv", b"n\n1\n", "city", ["Köln"], "a folder's name as Hive writes it"),
    ],
)
def test_signs_are_read_as_what_they_stand_for(
    opened: Open, tmp_path: Path, path: str, content: bytes, column: str, values: list[object], why: str
) -> None:
    (tmp_path / "data" / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "data" / path).write_bytes(content)
    executor = opened()
    executor.schema()
    assert ask(executor, f"SELECT {column} FROM a ORDER BY 1") == [(it,) for it in values], why
    assert executor.warnings == executor.reports[0].problems == ()


def test_formulas_that_nobody_computed_are_a_problem(opened: Open, tmp_path: Path) -> None:
    book = Workbook()
    for row in (["id", "total"], [1, 5], [2, "=B2*2"]):
        book.worksheets[0].append(row)
    book.save(tmp_path / "data" / "a.xlsx")
    executor = opened()
    assert executor.schema().tables[0].row_count == 2
    (problem,) = executor.warnings
    assert problem.startswith("a.xlsx: Sheet has cells with a formula and no value, which are empty: 1.")


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_packed_file_in_another_encoding_is_read(opened: Open, tmp_path: Path, encoding: str) -> None:
    (tmp_path / "data" / "umsatz.csv.gz").write_bytes(gzip.compress(GERMAN.encode(encoding)))
    executor = opened()
    assert ask(executor, "SELECT count(*), min(Ort) FROM umsatz") == [(3, "Köln")]
    assert executor.warnings == ()


def test_sheets_of_a_workbook_share_neither_units_nor_remarks(opened: Open, tmp_path: Path) -> None:
    book = Workbook()
    for title, above, amount in (("here", "Sales of 2024", "5.50 EUR"), ("there", "", "6.50 USD")):
        sheet = book.create_sheet(title)
        for row in ([above], ["id", "amount"], [1, amount], [2, amount]) if above else (["id", "amount"], [1, amount]):
            sheet.append(row)
    book.save(tmp_path / "data" / "sales.xlsx")
    executor = opened()

    here, there = executor.schema().tables
    assert [it.columns[1].comment for it in (here, there)] == ["Read as a number, in EUR.", "Read as a number, in USD."]
    assert "Sales of 2024" in executor.reports[0].problems[0]
    assert executor.reports[1].problems == ()


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.ndjson.bz2", "a.json.xz"])
def test_packed_json_in_a_folder_is_read(opened: Open, tmp_path: Path, name: str) -> None:
    packers: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    (tmp_path / "data" / "b.csv").write_text("id\n1\n")
    (tmp_path / "data" / name).write_bytes(
        packers[Path(name).suffix](b'{"id": 1, "city": "Lyon"}\n{"id": 2, "city": "Porto"}\n')
    )

    assert ask(opened(), "SELECT city FROM a ORDER BY id") == [("Lyon",), ("Porto",)]
    assert ask(opened(f"data/{name}"), "SELECT count(*) FROM a") == [(2,)]


def test_files_of_data_that_are_not_read_are_told(opened: Open, tmp_path: Path) -> None:
    for name in ("a.csv", "old.xls", "more.zip", "club.sqlite", "notes.md", "dump.bz2", ".hidden.zip"):
        (tmp_path / "data" / name).write_text("id\n1\n")
    executor = opened()

    assert [it.name for it in executor.schema().tables] == ["a"]
    assert executor.warnings == (
        "Not read: club.sqlite (ask it by itself, as a database), dump.bz2 (unpack it), more.zip (unpack it) "
        "and 1 more.",
    )
    (tmp_path / "data" / "a.csv").unlink()
    with pytest.raises(DatabaseUnavailable, match=r"no data that can be read.*\.csv.*Not read: club\.sqlite"):
        opened().schema()


def test_a_packed_file_that_is_none_says_so(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "data" / "a.csv.gz").write_bytes(b"id\n1\n")
    with pytest.raises(DatabaseUnavailable, match="pack it again"):
        opened().schema()


@pytest.mark.parametrize("at", ["data", "data/*.parquet", "**/*.parquet"])
def test_monthly_files_of_one_schema_are_one_table(opened: Open, tmp_path: Path, at: str) -> None:
    for month in range(1, 13):
        path = tmp_path / "data" / f"rides_2024-{month:02}.parquet"
        query = f"SELECT range AS ride_id, DATE '2024-{month:02}-01' AS day FROM range({month * 10})"
        duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    executor = opened(at)

    assert [(it.name, it.row_count) for it in executor.schema().tables] == [("rides", 780)]
    assert ask(executor, "SELECT count(*) FROM rides WHERE year(day) = 2024") == [(780,)]


def test_partitions_are_columns_and_nested_folders_are_read(opened: Open, tmp_path: Path) -> None:
    for year in (2023, 2024):
        folder = tmp_path / "data" / "sales" / f"year={year}" / "region=EU"
        folder.mkdir(parents=True)
        (folder / "part.csv").write_text(f"id,amount\n1,{year}\n", encoding="utf-8")
    executor = opened()

    assert [it.name for it in executor.schema().tables] == ["sales"]
    assert ask(executor, "SELECT year, region, amount FROM sales ORDER BY year") == [
        (2023, "EU", 2023),
        (2024, "EU", 2024),
    ]


def test_tables_that_only_look_alike_stay_two(opened: Open, tmp_path: Path) -> None:
    for name in ("customers", "suppliers"):
        (tmp_path / "data" / f"{name}.csv").write_text("id,name\n1,a\n", encoding="utf-8")
    assert [it.name for it in opened().schema().tables] == ["customers", "suppliers"]


@pytest.mark.parametrize(
    "values, sentence",
    [
        (
            (["13/04/2024"], ["04/13/2024"]),
            "Its files have dates in several orders: the day first in 1, the month first in 1.",
        ),
        ((["$5.00"], ["6.00 €"]), "Its files have several units, so it stays text: $ in 1, € in 1."),
    ],
)
def test_files_of_one_table_that_differ_in_order_or_unit_are_a_problem(
    opened: Open, tmp_path: Path, values: tuple[list[str], ...], sentence: str
) -> None:
    for month, lines in enumerate(values, 1):
        rows = "".join(f"{number},{line}\n" for number, line in enumerate(lines))
        (tmp_path / "data" / f"a_{month:02}.csv").write_text(f"id,v\n{rows}", encoding="utf-8")
    executor = opened()

    assert executor.schema().tables[0].columns[1].comment == sentence
    assert f"a: v: {sentence}" in executor.warnings
    assert f"a: v: {sentence}" in executor.reports[0].problems


@pytest.mark.parametrize(
    "above, sentence",
    [
        ("Umsatzbericht 2024\n\n", "2 lines before the header were not read as rows: “Umsatzbericht 2024”."),
        ("Umsatz;;\nStand: 01.02.2024;;\n;;\n", "3 lines … not read as rows: “Umsatz”, “Stand: 01.02.2024”."),
        ("\n\n", "2 lines before the header were not read as rows: they are empty."),
        ("# a\n# b\n# c\n# d\n", "4 lines … not read as rows: “# a”, “# b”, “# c” and 1 more."),
        ("sep=;\n", "1 line before the header was not read as rows: “sep=”."),
    ],
)
@pytest.mark.parametrize("torn", ["", "9;d;4;5\n"], ids=["even", "uneven"])
def test_lines_before_the_header_are_no_rows_and_are_reported(
    opened: Open, tmp_path: Path, above: str, sentence: str, torn: str
) -> None:
    rows = f"id;name;n\n1;a;2\n2;b;3\n3;c;4\n4;d;5\n5;e;6\n{torn}"
    (tmp_path / "data" / "a.csv").write_text(above + rows, encoding="utf-8")
    executor = opened()
    (table,) = executor.schema().tables

    assert [it.name for it in table.columns][:3] == ["id", "name", "n"]
    assert table.columns[0].type == "BIGINT"
    assert table.row_count == 5 + bool(torn)
    expected = sentence.replace("…", "before the header were")
    assert f"a.csv: {expected}" in executor.reports[0].problems
    assert not any(sentence[-10:] in it for it in executor.warnings), "which stand beside every answer"


@pytest.mark.parametrize(
    "content, why",
    [
        ("name;;\n1;2;3\n4;5;6\n", "names that are left out"),
        (";a;b\n0;x;y\n1;z;w\n", "an index without a name"),
        ("a,b\nx,y\nz,w\n", "texts alone"),
        ("2023,2024\n5,6\n7,8\n", "years as names"),
    ],
)
def test_a_header_is_no_title(opened: Open, tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "data" / "a.csv").write_text(content, encoding="utf-8")
    executor = opened()
    executor.schema()
    assert not any("before the header" in it for it in executor.reports[0].problems), why


def test_a_title_in_a_sheet_is_reported_under_the_name_of_its_file(opened: Open, tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Sales of 2024"], [], ["id", "name", "n"], [1, "a", "5 EUR"], [2, "b", "6 USD"]):
        sheet.append(row)
    book.save(tmp_path / "data" / "people.xlsx")
    executor = opened()

    assert executor.schema().tables[0].row_count == 2
    (problem,) = executor.reports[0].problems
    assert problem.startswith("people.xlsx: Sheet: 1 line before the header was not read as rows: “Sales of 2024”")


@pytest.mark.parametrize(
    "text, rows, remark",
    [
        ('{"count": 2, "data": [{"id": 1, "day": "3 Mar 2024"}, {"id": 2, "day": "4 Mar 2024"}]}',
         [(1, "2024-03-03"), (2, "2024-03-04")], "a.json: its rows are the records of data; left out: count."),
        ('{"Orders": [{"id": 7, "day": "2024-03-04"}]}', [(7, "2024-03-04")],
         "a.json: its rows are the records of Orders."),
    ],
)  # fmt: skip
def test_the_records_of_a_list_in_one_record_are_the_rows(
    opened: Open, tmp_path: Path, text: str, rows: list[tuple[object, ...]], remark: str
) -> None:
    (tmp_path / "data" / "a.json").write_text(text)
    executor = opened()

    assert ask(executor, "SELECT id, CAST(day AS VARCHAR) FROM a ORDER BY id") == rows
    executor.schema()
    assert executor.reports[0].problems == (remark,)


@pytest.mark.parametrize(
    "name, text, columns",
    [
        ("a.json", '[{"id": 1, "tags": [{"t": "x"}]}, {"id": 2, "tags": []}]', ["id", "tags"]),
        ("a.json", '{"id": 1, "tags": ["x", "y"]}', ["id", "tags"]),
        ("a.json", '{"a": [{"id": 1}], "b": [{"id": 2}]}', ["a", "b"]),
        ("a.jsonl", '{"id": 1, "tags": [{"t": "x"}]}', ["id", "tags"]),
    ],
)
def test_a_list_beside_other_records_stays_a_column(
    opened: Open, tmp_path: Path, name: str, text: str, columns: list[str]
) -> None:
    (tmp_path / "data" / name).write_text(text)
    assert [column.name for column in opened().schema().tables[0].columns] == columns


Sheet = list[list[object]]
QUARTERS: Sheet = [
    ["Region", "Manager", "Q1", None, "Q2", None],
    [None, None, "Units", "Revenue", "Units", "Revenue"],
    ["North", "Ada", 120, 2400.5, 130, 2600],
    ["South", "Bo", 80, 1600, 95, 1900.25],
    ["East", "Cy", 60, 1200, 70, 1400],
]


def workbook(path: Path, rows: Sheet) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    book.save(path)


@pytest.mark.parametrize("title", [[], [["Sales by region"], []]])
def test_a_header_of_two_rows_is_one_and_a_row_of_sums_is_no_row(opened: Open, tmp_path: Path, title: Sheet) -> None:
    workbook(tmp_path / "data" / "s.xlsx", [*title, *QUARTERS, ["Total", None, 260, 5200.5, 295, 5900.25]])
    executor = opened()
    (table,) = executor.schema().tables

    names = ["Region", "Manager", "Q1 Units", "Q1 Revenue", "Q2 Units", "Q2 Revenue"]
    assert [column.name for column in table.columns] == names
    assert ask(executor, 'SELECT count(*), sum("Q1 Units"), sum("Q2 Revenue") FROM s') == [(3, 260, 5900.25)]
    assert {
        "s.xlsx: Sheet: its header has two rows, whose names are joined.",
        "s.xlsx: Sheet: its last row has the sums of the others, and is not read as one.",
    } <= set(executor.reports[0].problems)


@pytest.mark.parametrize(
    "rows, count",
    [
        ([["id", "n"], [1, 10], [2, 20], [3, 30]], 3),
        ([["id", "name", "n"], [1, "a", 10], [2, "b", 20], [3, None, 30]], 3),
        ([["city", "n"], ["Lyon", 2], ["Porto", 3], ["Turin", 4], ["Total", 10]], 4),
        ([["city", "n"], ["Lyon", 2], ["Porto", 3], ["Turin", 4], ["Nice", 9]], 4),
        ([["city", "n"], ["Lyon", 2], ["Porto", 3], ["Turin", 4], ["Summe", 9]], 3),
        ([["city", "chef", "n"], ["Lyon", "A", 2], ["Porto", "B", 3], ["Turin", "C", 4], ["alle", None, 9]], 3),
        ([["city", "n"], ["Lyon", 0], ["Porto", 0], ["Total", 0]], 3),
    ],
)
def test_a_last_row_is_left_out_only_where_it_is_a_sum(opened: Open, tmp_path: Path, rows: Sheet, count: int) -> None:
    workbook(tmp_path / "data" / "s.xlsx", rows)
    assert ask(opened(), "SELECT count(*) FROM s") == [(count,)]


@pytest.mark.parametrize(
    "rows, names",
    [
        ([["a", "b"], ["x", "y"], ["z", "w"], ["v", "u"]], ["a", "b"]),  # texts alone
        ([["city", "n"], ["Lyon", 2], ["Porto", 3]], ["city", "n"]),
        ([["city", None, "n"], ["Lyon", "a", 3], ["Porto", "b", 3]], ["city", "column1", "n"]),
        ([["Q1", None, "Q2", None], ["a", "b", "a", "b"], [1, 2, 3, 4]], ["Q1 a", "Q1 b", "Q2 a", "Q2 b"]),
    ],
)
def test_two_rows_are_a_header_only_where_both_are_needed(
    opened: Open, tmp_path: Path, rows: Sheet, names: list[str]
) -> None:
    workbook(tmp_path / "data" / "s.xlsx", rows)
    assert [column.name for column in opened().schema().tables[0].columns] == names


@pytest.mark.parametrize("most", [1_000_000, 10_000], ids=["of the text", "of the catalogue"])
def test_a_full_disk_is_reported_and_not_remembered(opened: Open, tmp_path: Path, most: int) -> None:
    (tmp_path / "data" / "a.csv").write_bytes(("id;ort\n" + "1;München\n" * 200_000).encode("cp1252"))
    executor = opened()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))  # the system refuses what is more
    try:
        with pytest.raises(DiskFull, match=r"no room on the disk to read (a\.csv|data): make some") as failed:
            executor.schema()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert failed.value.retry_after_s
    assert executor.schema().tables[0].row_count == 200_000


def test_a_full_disk_goes_from_a_worker_to_the_service_as_it_is() -> None:
    reply = unpack(pack(WorkerReply(b"", DiskFull("no room", 60))))
    assert isinstance(reply.error, DiskFull)
    assert (str(reply.error), reply.error.retry_after_s) == ("no room", 60)
