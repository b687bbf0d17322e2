"""Files as programs export them: each value, row and header is read as it is, or the report says what was done."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from messy_files import Open, ask, opening
from openpyxl import Workbook  # type: ignore[import-untyped]

from executors.engines.files import file_tables
from executors.errors import DatabaseUnavailable


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with opening(tmp_path) as opened:
        yield opened


def write(tmp_path: Path, text: str, name: str = "a.csv") -> None:
    (tmp_path / "data" / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("last, read", [("7.25", "7.25"), ("04711", "04711"), ("8", "8")])
@pytest.mark.parametrize("is_large", [False, True])
def test_values_after_the_first_lines_are_not_rounded(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, read: str, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr(file_tables, "WHOLE_BYTES", 100)
    lines = "".join(f"{number};{number}\n" for number in range(21_000))
    write(tmp_path, f"nr;bestand\n{lines}21000;{last}\n")
    assert ask(opened(), "SELECT CAST(bestand AS VARCHAR) FROM a WHERE nr = 21000") == [(read,)]


@pytest.mark.parametrize(
    "text, columns, rows, why",
    [
        ("nr;wo\n1;Ufer 3, Mainz, DE\n2;Hof 1, Ulm, DE\n", ["nr", "wo"], 2, "commas in texts"),
        ('nr,tags\n1,"x;y;z;w"\n2,"u;v;w;x"\n', ["nr", "tags"], 2, "semicolons in quotes"),
        ("nr\tdaten\n1\t5,6,7\n2\t8,9,1\n", ["nr", "daten"], 2, "commas between tabs"),
        ("Titel\n\nnr;wo\n1;a\n2;b\n3;c\n", ["nr", "wo"], 3, "a title"),
        ("nr,notiz\n1,a\n#2,b\n3,#c\n# Ende,d\n", ["nr", "notiz"], 4, "lines that begin with #"),
    ],
)
def test_delimiters_in_texts_and_comments_cost_no_row(
    opened: Open, tmp_path: Path, text: str, columns: list[str], rows: int, why: str
) -> None:
    write(tmp_path, text)
    table = opened().schema().tables[0]
    assert ([it.name for it in table.columns], table.row_count) == (columns, rows), why


def test_a_tsv_file_has_tabs_whatever_its_texts_hold(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "nr\tdaten\n1\t5;6;7;8\n2\t8;9;1;2\n", "a.tsv")
    table = opened().schema().tables[0]
    assert ([it.name for it in table.columns], table.row_count) == (["nr", "daten"], 2)


def lines_of(opened: Open) -> tuple[int | None, list[str], list[str]]:
    """The number of rows, the names of the columns, and the sentences of the first table's report."""
    executor = opened()
    table = executor.schema().tables[0]
    return table.row_count, [column.name for column in table.columns], list(executor.reports[0].problems)


@pytest.mark.parametrize(
    "text, names",
    [
        ("Land,2019,2020\nAT,5,6\nCH,7,8\n", ["Land", "2019", "2020"]),
        ("Land;1;2;3\nAT;5;9;7\nCH;7;8;9\n", ["Land", "1", "2", "3"]),
        ("Absatz;;\nUlm;1;2\nBonn;4;7\n", ["Absatz", "column1", "column2"]),
        (";2021;2020\nAT;5,5;6\nCH;7;8\n", ["column0", "2021", "2020"]),
        ("Absatz\n\nLand;2021;2022\nAT;5;6\nCH;7;8\n", ["Land", "2021", "2022"]),
        ("Ada,1990,2020\nBo,1985,2019\n", ["column0", "column1", "column2"]),
        ("2021,2022,2023\n5,6,7\n", ["column0", "column1", "column2"]),
    ],
)
def test_years_and_numbers_are_a_header_after_a_text(opened: Open, tmp_path: Path, text: str, names: list[str]) -> None:
    write(tmp_path, text)
    rows, found, problems = lines_of(opened)
    assert (rows, found) == (2, names)
    assert ("a.csv: it has no header; its columns are named column0 to column2." in problems) == (
        names[0] == "column0" and names[1] == "column1"
    )


def test_a_header_that_only_texts_follow_is_told(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "Rot,Ulm\nBlau,Trier\n")
    assert lines_of(opened)[2] == ["a.csv: the first line was read as the header: Rot, Ulm."]


SALES = "ort;stück;umsatz\nUlm;2;10,5\nTrier;3;20\nEssen;4;2,25\n"
SUMS = "a.csv: its last row has the sums of the others, and is not read as one."


@pytest.mark.parametrize(
    "after, rows, sentence",
    [
        ("Summe;9;32,75\n", 3, SUMS),
        ("Gesamtergebnis;9;32,75\n\nQuelle: SAP\n", 3, SUMS),
        (";;\nDurchschnitt;3;10,92\n", 3, SUMS),
        ("Zwischensumme;;32,75\n", 3, SUMS),
        ("Summe;9;40\n", 4, "a.csv: 1 row looks like a total (Summe); it is counted."),
        ("Köln;9;32,75\n", 4, ""),
        (
            "Stand: März\nQuelle: SAP\n",
            3,
            "a.csv: 2 lines below the data were not read as rows: “Stand: März”, “Quelle: SAP”.",
        ),
        ("* vorläufig;;\n", 3, "a.csv: 1 line below the data was not read as rows: “* vorläufig”."),
        ("Köln;;\n", 4, ""),
    ],
)
def test_totals_and_footnotes_are_set_aside_if_they_are_proven(
    opened: Open, tmp_path: Path, after: str, rows: int, sentence: str
) -> None:
    write(tmp_path, SALES + after)
    found, _, problems = lines_of(opened)
    assert (found, sentence in problems if sentence else problems == []) == (rows, True), problems


def test_a_total_between_the_rows_is_told(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "ort,monat,n\nUlm,1. Mai,5\nUlm,2. Mai,6\nUlm Ergebnis,,11\nBonn,1. Mai,3\nBonn,2. Mai,9\n")
    rows, _, problems = lines_of(opened)
    assert (rows, problems) == (5, ["a.csv: 1 row looks like a total (Ulm Ergebnis); it is counted."])


def test_rows_of_delimiters_are_no_rows(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "ort;n;m\nUlm;1;2\n;;\nBonn;;4\n;;\n;;\n")
    rows, _, problems = lines_of(opened)
    assert (rows, problems) == (2, ["a.csv: 3 rows without any value are left out."])


def types_of(opened: Open) -> dict[str, dict[str, str]]:
    return {table.name: {it.name: it.type for it in table.columns} for table in opened().schema().tables}


def test_a_file_with_one_column_more_is_of_the_same_table(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "id,Menge\n1,2\n", "lager_01.csv")
    write(tmp_path, "id,menge\n2,3\n", "lager_02.csv")
    write(tmp_path, "id,menge,ort\n3,4,Ulm\n", "lager_03.csv")
    executor = opened()
    (table,) = executor.schema().tables
    assert ask(executor, "SELECT id, menge, ort FROM lager ORDER BY id") == [(1, 2, None), (2, 3, None), (3, 4, "Ulm")]
    assert "lager: ort: It is only in 1 of 3 files." in executor.warnings
    assert table.columns[2].comment == "It is only in 1 of 3 files."


def test_a_file_without_values_takes_the_types_of_the_others(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "id;wert;tag\n1;;\n2;k. A.;\n", "messung_1.csv")
    write(tmp_path, "id;wert;tag\n3;4,5;03.02.2024\n4;6;28.02.2024\n", "messung_2.csv")
    assert types_of(opened) == {"messung": {"id": "BIGINT", "wert": "DOUBLE", "tag": "DATE"}}


def test_the_file_that_makes_a_column_text_is_named(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "id,wert\n1,2\n", "m_1.csv")
    write(tmp_path, "id,wert\n1,etwa drei\n", "m_2.csv")
    executor = opened()
    executor.schema()
    assert "m: wert: It is text because of m_2.csv." in executor.warnings


def test_numbers_of_several_units_stay_texts(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "id;preis\n1;2,50 €\n", "p_1.csv")
    write(tmp_path, "id;preis\n2;3,00 $\n", "p_2.csv")
    executor = opened()
    executor.schema()
    assert ask(executor, "SELECT preis FROM p ORDER BY id") == [("2,50 €",), ("3,00 $",)]
    assert "p: preis: Its files have several units, so it stays text: € in 1, $ in 1." in executor.warnings


@pytest.mark.parametrize(
    "folders, kind",
    [
        (["kst=0815", "kst=4711"], "VARCHAR"),
        (["month=01", "month=10"], "BIGINT"),
        (["kst=7", "kst=12"], "BIGINT"),
        (["kst=7", "kst=7a"], "VARCHAR"),
        (["kst=__HIVE_DEFAULT_PARTITION__", "kst=2024-01-31"], "DATE"),
    ],
)
def test_all_values_of_a_partition_decide(opened: Open, tmp_path: Path, folders: list[str], kind: str) -> None:
    for folder in folders:
        (tmp_path / "data" / folder).mkdir()
        write(tmp_path, "n\n1\n", f"{folder}/x.csv")
    assert list(types_of(opened)["data"].values()) == ["BIGINT", kind]


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
@pytest.mark.parametrize("is_large", [False, True])
def test_times_with_an_offset_keep_their_day(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr(file_tables, "WHOLE_BYTES", 10)
    times = ["2024-05-31T00:30:00+02:00", "2024-12-31T00:15:00+01:00"]
    lines = ["wann,n", *(f"{it},1" for it in times)] if name == "a.csv" else [f'{{"wann": "{it}"}}' for it in times]
    write(tmp_path, "\n".join(lines) + "\n", name)
    assert ask(opened(), "SELECT CAST(CAST(wann AS DATE) AS VARCHAR) FROM a ORDER BY 1") == [
        ("2024-05-31",),
        ("2024-12-31",),
    ]


def test_nan_and_infinity_are_no_values(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "id,x\n1,2.5e-3\n2,nan\n3,-inf\n4,4\n")
    executor = opened()
    assert executor.schema().tables[0].columns[1].comment == "Read as empty: 2 values such as nan or inf."
    assert ask(executor, "SELECT sum(x), max(x), count(x) FROM a") == [(4.0025, 4.0, 2)]


@pytest.mark.parametrize(
    "values, kind, why",
    [
        (["2E7", "31E2"], "VARCHAR", "codes with an E"),
        (["2.5E7", "31E2"], "DOUBLE", "decimals show that they are numbers"),
        (["1E-7", "2E-2"], "DOUBLE", "negative powers"),
        (["0x2A", "0x10"], "VARCHAR", "addresses"),
        (["+43 664 123456", "+43 1 98765"], "VARCHAR", "phones"),
        (["664 123 456", "650 987 654"], "VARCHAR", "phones without a prefix"),
        (["2 500", "6 000"], "BIGINT", "thousands"),
        (["1.2.1", "1.3.1"], "VARCHAR", "versions that a year may begin"),
        (["1 234 567", "12"], "BIGINT", "a shorter value"),
        (["1 234 567 €", "2 345 678 €"], "BIGINT", "a unit"),
        (["+3 %", "+12 %"], "BIGINT", "growth"),
        (["3.1.12", "3.1.13"], "VARCHAR", "versions"),
        (["03.01.12", "31.01.13"], "DATE", "dates"),
        (["3.1.2012", "31.1.2013"], "DATE", "dates with long years"),
        (["5", "#NV", "#DIV/0!", "#WERT!", "#BEZUG!", "#ZAHL!", "#REF!", "keine Angabe"], "BIGINT", "no values"),
    ],
)
def test_codes_stay_texts_and_numbers_do_not(
    opened: Open, tmp_path: Path, values: list[str], kind: str, why: str
) -> None:
    write(tmp_path, "id;v\n" + "".join(f"{number};{it}\n" for number, it in enumerate(values)))
    assert opened().schema().tables[0].columns[1].type == kind, why


def test_long_numbers_in_json_keep_their_digits(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, '[{"id": 1234567890123456789, "x": 1.5}, {"id": 2.5, "x": 2}]', "a.json")
    executor = opened()
    assert [it.type for it in executor.schema().tables[0].columns] == ["VARCHAR", "DOUBLE"]
    assert ask(executor, "SELECT id FROM a") == [("1234567890123456789",), ("2.5",)]


def test_values_without_the_unit_of_the_others_are_told(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "id;masse;anteil\n1;12 kg;5 %\n2;7;0,07\n3;3 kg;9 %\n")
    executor = opened()
    columns = executor.schema().tables[0].columns
    assert [it.type for it in columns] == ["BIGINT", "BIGINT", "VARCHAR"]
    assert columns[1].comment == "Read as a number, in kg. 1 of 3 values have no unit."
    assert "a.csv: masse: 1 of 3 values have no unit." in executor.warnings
    assert "and 1 of 3 have no %" in executor.reports[0].columns[2].note


@pytest.mark.parametrize(
    "lines, texts, how",
    [
        (['1,"12" Rohr",5', '2,"x",6'], ['12" Rohr', "x"], "one is not closed or not doubled"),
        (['1,"offen,5', "2,zu,6", "3,auf,7"], ['"offen', "zu", "auf"], "they stay in the texts"),
    ],
)
def test_a_stray_quote_costs_no_row(opened: Open, tmp_path: Path, lines: list[str], texts: list[str], how: str) -> None:
    write(tmp_path, "\n".join(["nr,was,n", *lines, ""]))
    executor = opened()
    executor.schema()
    assert ask(executor, "SELECT was FROM a ORDER BY nr") == [(it,) for it in texts]
    assert f"a.csv: its quotes are wrong: {how}. Check them." in executor.warnings


def test_a_line_that_is_not_json_costs_only_itself(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, '{"id": 1}\n{"id": \n{"id": 3}\n', "a.jsonl")
    executor = opened()
    executor.schema()
    assert ask(executor, "SELECT id FROM a ORDER BY id") == [(1,), (3,)]
    assert executor.warnings == ("a.jsonl: 1 line is not valid JSON and is left out.",)


def test_formats_of_cells_show_codes_units_and_durations(opened: Open, tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["plz", "preis", "quote", "dauer", "nr", "masse"])
    sheet.append([1234, 2.5, 0.25, timedelta(hours=30, minutes=5), "17", 3])
    sheet.append([99, 4, 0.5, timedelta(minutes=7), "18", 4])
    for row in sheet.iter_rows(min_row=2):
        for cell, shown in zip(row, ["00000", '#,##0.00 "€"', "0 %", "[h]:mm", "General", '0 "kg"'], strict=True):
            cell.number_format = shown
    other = book.create_sheet("Alt")
    other.append(["n", "m"])
    other.append([1, 2])
    other.sheet_state = "hidden"
    book.save(tmp_path / "data" / "w.xlsx")
    executor = opened()
    table = next(it for it in executor.schema().tables if it.name == "w_Sheet")
    assert ask(executor, "SELECT plz, dauer, nr FROM w_Sheet ORDER BY nr") == [
        ("01234", "30:05:00", "17"),
        ("00099", "00:07:00", "18"),
    ]
    comments = {it.name: it.comment for it in table.columns}
    assert comments["preis"] == "Its cells are shown in €."
    assert comments["quote"] == "Its cells are shown in %: 0.5 is 50 %."
    assert comments["masse"] == "Its cells are shown in kg."
    reports = {it.table: it for it in executor.reports}
    assert "w.xlsx: Alt: it is hidden in Excel, and is read." in reports["w_Alt"].problems
    assert {it.delimiter for it in reports.values()} == {""}


def test_a_workbook_named_csv_is_told(opened: Open, tmp_path: Path) -> None:
    Workbook().save(tmp_path / "data" / "w.csv")
    with pytest.raises(DatabaseUnavailable, match="is not text but an Excel workbook: name it"):
        opened().schema()


def test_names_that_are_there_twice_are_told(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "nr,preis,preis\n1,2,3\n")
    assert lines_of(opened)[2] == ["a.csv: columns are renamed: preis to preis_1."]


def test_dots_between_the_parts_of_a_date_leave_no_guess(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "tag;n\n03.04.2024;1\n05.06.2024;2\n")
    executor = opened()
    assert [it.type for it in executor.schema().tables[0].columns] == ["DATE", "BIGINT"]
    assert executor.warnings == ()


def test_a_file_with_uneven_rows_and_a_footnote_can_be_asked(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "ort;n;m\nUlm;1;2\nTrier;3\nEssen;4;5;6\nBonn;7;8\n\nQuelle: SAP\n")
    executor = opened()
    executor.schema()
    assert ask(executor, "SELECT count(*), sum(n) FROM a") == [(4, 15)]


@pytest.mark.parametrize(
    "files, problem",
    [
        ({"one.csv": "id,name\n"}, "one.csv has no rows."),
        ({"one.csv": "id,name\n", "two.csv": "town\nUlm\nBonn\n"}, "one.csv has no rows."),
        ({"m_2024_01.csv": "id,name\n", "m_2024_02.csv": "id,name\n"}, "m_2024_01.csv, m_2024_02.csv have no rows."),
    ],
    ids=["alone", "beside another", "a table of two files"],
)
def test_a_table_without_rows_is_told(opened: Open, tmp_path: Path, files: dict[str, str], problem: str) -> None:
    for name, text in files.items():
        write(tmp_path, text, name)
    executor = opened()
    executor.schema()
    assert executor.warnings == (problem,)
    assert [it.problems[-1] for it in executor.reports if it.rows == 0] == [problem]


def test_a_sheet_without_rows_is_told_by_its_table(opened: Open, tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(["id", "name"])
    book.active.append([1, "a"])
    book.create_sheet("Later").append(["id", "name"])
    book.save(tmp_path / "data" / "book.xlsx")
    executor = opened()
    empty = [it.name for it in executor.schema().tables if not it.row_count]
    assert executor.warnings == tuple(f"{name} has no rows." for name in empty)
