"""Messy numbers, dates and times: each gets its type, or its column reports why not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from messy_files import Open, ask, opening

from executors.engines.files import file_tables


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with opening(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(
    "values, kind, why",
    [
        (["$1,200.50", "$3"], "DECIMAL(18,2)", "thousands and a sign before"),
        (["12 kg", "7 kg"], "BIGINT", "a unit"),
        (["3,5 %", "15 %"], "DECIMAL(18,1)", "per cent"),
        (["01234", "99999"], "VARCHAR", "codes"),
        (["Q1", "Q2"], "VARCHAR", "no unit"),
        (["5 EUR", "7 USD"], "VARCHAR", "two currencies are not added up"),
        (["5,5 kg", "five"], "VARCHAR", "not every value is one"),
    ],
)
def test_texts_are_numbers_where_all_of_them_are(
    opened: Open, tmp_path: Path, values: list[str], kind: str, why: str
) -> None:
    lines = "".join(f'{number};"{value}"\n' for number, value in enumerate(values))
    (tmp_path / "data" / "a.csv").write_text(f"id;v\n{lines}", encoding="utf-8")
    assert opened().schema().tables[0].columns[1].type == kind, why


@pytest.mark.parametrize(
    "values, total, why",
    [
        (["-$1,200.50", "$3.00"], "-1197.50", "a sign before the currency"),
        (["$-1,200.50", "$3.00"], "-1197.50", "a sign behind the currency"),
        (["($1,200.50)", "$3.00"], "-1197.50", "parentheses, as accountants write"),
        (["1.200,50-", "3,00"], "-1197.50", "a sign behind the number"),
        (["1.200,50- €", "3,00 €"], "-1197.50", "a sign behind the number, and a currency"),
        (["\u22121.200,50", "3,00"], "-1197.50", "the sign of mathematicians"),
        (["€1.234,50", "€2,00"], "1236.50", "a currency before the number"),
        (["CHF 1'234.50", "CHF 2.00"], "1236.50", "as in Switzerland"),
        (["1\u202f234,56", "2,00"], "1236.56", "a narrow space that breaks no line"),
        (["1\u2009234,56\u00a0€", "2,00\u00a0€"], "1236.56", "a thin one, and one before the unit"),
        (["12,5 %", "2 %"], "14.5", "per cent"),
        (["1.234.567", "1.234"], "1235801", "thousands twice"),
        (["₹1,23,456.50", "₹12,34,567.00"], "1358023.50", "lakhs, as in India"),
        (["0.512", "1.234"], "1.746", "no thousands begin with a zero"),
    ],
)
def test_numbers_are_read_as_people_write_them(
    opened: Open, tmp_path: Path, values: list[str], total: str, why: str
) -> None:
    lines = "".join(f'{number};"{value}"\n' for number, value in enumerate(values))
    (tmp_path / "data" / "a.csv").write_text(f"id;v\n{lines}", encoding="utf-8")
    executor = opened()
    assert ask(executor, "SELECT CAST(round(sum(v), 3) AS VARCHAR) FROM a") == [(total,)], why
    assert executor.warnings == ()


GUESS = "Every value can be read with thousands or with decimals; it is read with"


@pytest.mark.parametrize(
    "header, rows, total, guess, why",
    [
        ("n;b", ["1.234;12,50", "5.678;3,10"], "6912", "", "a decimal comma in another column"),
        ("n;b", ["1.234;12,50 €", "5.678;3,10 €"], "6912", "", "the same with a unit"),
        ("n;b", ["1.234;12.5", "5.678;3.1"], "6.912", "", "a decimal point in another column"),
        ("n;b", ["1,234;12.5", "5,678;3.1"], "6912", "", "thousands with a comma"),
        ("n;b", ["1.234 kg;1,5", "5.678 kg;2,5"], "6912", "", "of a unit"),
        ("n;b", ["1.234;x", "5.678;y"], "6.912", f"{GUESS} decimals.", "nothing decides"),
        ("n;b", ["1.234;1,5", "5.678;2.5"], "6.912", f"{GUESS} decimals.", "another column has both"),
        ("n;b", ["1.234 €;x", "5.678 €;y"], "6912", f"{GUESS} thousands.", "money has two decimals"),
        ("n,b", ['"1,234",x', '"5,678",y'], "6912", f"{GUESS} thousands.", "a comma between fields"),
        ("n,b", ["1.234,x", "5.678,y"], "6.912", "", "as nearly all such files are"),
    ],
)
def test_thousands_are_decided_by_the_whole_file(
    opened: Open, tmp_path: Path, header: str, rows: list[str], total: str, guess: str, why: str
) -> None:
    (tmp_path / "data" / "a.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    executor = opened()
    (table,) = executor.schema().tables

    assert ask(executor, "SELECT CAST(sum(n) AS VARCHAR) FROM a") == [(total,)], why
    assert [guess in it for it in executor.warnings] == ([True] if guess else []), why
    assert guess in table.columns[0].comment
    assert guess in executor.reports[0].columns[0].note


@pytest.mark.parametrize(
    "values, reason",
    [
        (["5 EUR", "7 USD"], "in 2 units, such as EUR and USD"),
        (["01234", "99999"], "and some begin with 0, as codes do"),
        (["1.234 kg", "5.678 kg"], "with thousands or with three decimals, and no other column shows which"),
        (["1.234,5", "5,678.5"], "some with a decimal comma and some with a decimal point"),
        (["12a", "7b"], "and some have signs, letters or groups of digits that no number has"),
        (["1234567890123456789,5", "1,5"], "and some have more than 18 digits"),
    ],
)
def test_a_column_that_looks_like_numbers_and_stays_text_says_why(
    opened: Open, tmp_path: Path, values: list[str], reason: str
) -> None:
    lines = "".join(f'{number}|"{value}"\n' for number, value in enumerate(values))
    (tmp_path / "data" / "a.csv").write_text(f"id|v\n{lines}", encoding="utf-8")
    executor = opened()
    executor.schema()
    column = executor.reports[0].columns[1]

    assert (column.type, column.unlike) == ("VARCHAR", 0)
    assert column.note == f"Kept as text: all 2 values look like numbers, {reason}."
    assert ask(executor, "SELECT v FROM a ORDER BY id") == [(it,) for it in values]


@pytest.mark.parametrize(
    "values, kind, read, why",
    [
        (["12.5", "N/A", "13.0", "-"], "DECIMAL(18,1)", ["12.5", None, "13.0", None], "decimals"),
        (["5", "n/a", "7"], "BIGINT", ["5", None, "7"], "whole numbers"),
        (["$5.00", "k.A."], "DECIMAL(18,2)", ["5.00", None], "money"),
        (["2024-01-31", "null"], "DATE", ["2024-01-31", None], "days"),
        (["01067", "N/A"], "VARCHAR", ["01067", "N/A"], "codes stay as they are"),
        (["NA", "-", "AB"], "VARCHAR", ["NA", "-", "AB"], "so do texts"),
    ],
)
def test_words_for_no_value_are_empty_in_numbers_and_dates_and_reported(
    opened: Open, tmp_path: Path, values: list[str], kind: str, read: list[str | None], why: str
) -> None:
    lines = "".join(f"{number},{value}\n" for number, value in enumerate(values))
    (tmp_path / "data" / "a.csv").write_text(f"id,v\n{lines}", encoding="utf-8")
    executor = opened()
    column = executor.schema().tables[0].columns[1]

    assert column.type == kind, why
    assert ask(executor, "SELECT CAST(v AS VARCHAR) FROM a ORDER BY id") == [(it,) for it in read]
    absent = read.count(None)
    assert (f"Read as empty: {absent} value" in column.comment) == bool(absent)
    assert executor.reports[0].columns[1].empty == absent


def test_long_codes_far_down_in_a_file_keep_their_digits(opened: Open, tmp_path: Path) -> None:
    lines = "".join(f"{number},1.5,{number}\n" for number in range(30_000))
    text = f"id,amount,code\n{lines}30000,2.5,12345678901234567891\n"  # more than a DOUBLE keeps
    (tmp_path / "data" / "a.csv").write_text(text, encoding="utf-8")
    executor = opened()
    executor.schema()
    assert ask(executor, "SELECT code FROM a WHERE id = 30000") == [("12345678901234567891",)]
    assert "have digits alone, as codes do" in executor.reports[0].columns[2].note


def test_days_that_can_be_read_either_way_are_told(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "data" / "a.csv").write_text("id,day\n1,03/04/2024\n2,05/06/2024\n", encoding="utf-8")
    executor = opened()
    executor.schema()
    assert any("with the day or the month first" in it for it in executor.warnings)


@pytest.mark.parametrize(
    "values, read, note",
    [
        (["31.12.23", "30.11.23"], ["2023-12-31", "2023-11-30"], "Years have two digits; read with the day first."),
        (["12/31/23", "3/1/99"], ["2023-12-31", "1999-03-01"], "Years have two digits; read with the month first."),
        (["23-12-30", "23-12-29", "23-11-28"], ["2023-12-30", "2023-12-29", "2023-11-28"], "the year first"),
        (["03/04/24", "05/06/24"], ["2024-04-03", "2024-06-05"], "with the day or the month first"),
        (["2024-04-13", "13.04.2024"], ["2024-04-13", "2024-04-13"], "Some dates have the year first"),
        (["31.12.23 10:00", "30.11.23 9:05"], ["2023-12-31T10:00:00", "2023-11-30T09:05:00"], "the day first"),
        (["03/04/2024 10:00:00"], ["2024-04-03T10:00:00"], "with the day or the month first"),
        (["13/04/2024", "04/13/2024"], ["13/04/2024", "04/13/2024"], "it is kept as text"),
        (["31/12/2023 10:00:00"], ["2023-12-31T10:00:00"], ""),
        (["31.12.2023", "30.11.2023"], ["2023-12-31", "2023-11-30"], ""),
        (["12/31/2023 10:00:00 PM"], ["2023-12-31T22:00:00"], ""),
        (["12/31/2023 12:05 am", "12/30/2023 2:05 p.m."], ["2023-12-31T00:05:00", "2023-12-30T14:05:00"], ""),
    ],
)
def test_dates_have_the_order_of_all_values_of_their_column(
    opened: Open, tmp_path: Path, values: list[str], read: list[str], note: str
) -> None:
    lines = "".join(f"{number},{value}\n" for number, value in enumerate(values))
    (tmp_path / "data" / "a.csv").write_text(f"id,day\n{lines}", encoding="utf-8")
    executor = opened()
    comment = executor.schema().tables[0].columns[1].comment

    assert ask(executor, "SELECT day FROM a ORDER BY id") == [(it,) for it in read]
    assert note in comment
    assert bool(note) == bool(comment)
    is_guess = bool(note) and not comment.startswith("Years")
    other = "day" if "the day or the year" in comment else "month"
    remedy = f" Give `dates: {other}_first` if that is wrong." if comment.startswith("Every") else ""
    assert executor.warnings == ((f"a.csv: day: {comment}{remedy}",) if is_guess else ())


@pytest.mark.parametrize(
    "values, read",
    [
        (["03/04/2024", "05/06/2024"], ["2024-03-04", "2024-05-06"]),
        (["3/4/24", "5/6/24"], ["2024-03-04", "2024-05-06"]),
        (["03-04-2024 10:00:00", "05-06-2024 11:00:00"], ["2024-03-04T10:00:00", "2024-05-06T11:00:00"]),
        (["03.04.2024", "05.06.2024"], ["2024-04-03", "2024-06-05"]),
        (["03/04/2024", "25/06/2024"], ["2024-04-03", "2024-06-25"]),
    ],
    ids=["slashes", "short", "times", "dotted dates have the day first", "a value decides"],
)
@pytest.mark.parametrize("large", [False, True])
def test_a_setting_decides_dates_that_fit_both_ways(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: list[str], read: list[str], large: bool
) -> None:
    monkeypatch.setattr(file_tables, "WHOLE_BYTES", 1 if large else 1_000_000)
    lines = "".join(f"{number},{value}\n" for number, value in enumerate(values))
    (tmp_path / "data" / "a.csv").write_text(f"id,day\n{lines}", encoding="utf-8")
    executor = opened(dates="month_first")
    executor.schema()

    assert ask(executor, "SELECT day FROM a ORDER BY id") == [(it,) for it in read]
    assert executor.warnings == ()


@pytest.mark.parametrize(
    "values, kind, read",
    [
        (["3 Mar 2024", "12. März 2024", "15-Jan-24"], "DATE", ["2024-03-03", "2024-03-12", "2024-01-15"]),
        (["lundi 4 mars 2024", "1er août 2023", "5 févr. 2023"], "DATE", ["2024-03-04", "2023-08-01", "2023-02-05"]),
        (["3 de mayo de 2024", "12 dic 2023"], "DATE", ["2024-05-03", "2023-12-12"]),
        (["giovedì 6 giugno 2024", "7 gen. 2024"], "DATE", ["2024-06-06", "2024-01-07"]),
        (["2024년 3월 3일", "2024年12月31日"], "DATE", ["2024-03-03", "2024-12-31"]),
        (["June 3rd, 2024", "2024-05-02", "N/A"], "DATE", ["2024-06-03", "2024-05-02", None]),
        (
            ["Oct 9, 2023 2:05 PM", "12. Dezember 2023 um 9:30 Uhr"],
            "TIMESTAMP",
            ["2023-10-09 14:05:00", "2023-12-12 09:30:00"],
        ),
        (["03-FEB-69", "04-MAR-68"], "DATE", ["1969-02-03", "2068-03-04"]),
        (["24-Jan-15", "24-Jan-16"], "VARCHAR", None),
        (["30 Feb 2024", "1 Mar 2024"], "VARCHAR", None),
        (["due 3 Mar 2024", "4 Mar 2024"], "VARCHAR", None),
        (["Jan-24", "Feb-24"], "VARCHAR", None),
        (["May", "June"], "VARCHAR", None),
    ],
)
@pytest.mark.parametrize("kind_of_file", ["csv", "jsonl"])
def test_dates_with_names_of_months_are_dates(
    opened: Open, tmp_path: Path, values: list[str], kind: str, read: list[str | None] | None, kind_of_file: str
) -> None:
    path = tmp_path / "data" / f"a.{kind_of_file}"
    if kind_of_file == "csv":
        path.write_text("id;day\n" + "".join(f"{number};{value}\n" for number, value in enumerate(values)))
    else:
        path.write_text("".join(json.dumps({"id": number, "day": it}) + "\n" for number, it in enumerate(values)))
    executor = opened()
    (table,) = executor.schema().tables

    assert table.columns[1].type == kind
    stored = [value for (value,) in ask(executor, "SELECT CAST(day AS VARCHAR) FROM a ORDER BY id")]
    assert stored == (values if read is None else read)


def test_a_month_alone_stays_text_and_says_why(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "data" / "a.csv").write_text("id,month\n1,Jan-24\n2,Feb-24\n")
    executor = opened()
    executor.schema()
    (report,) = executor.reports
    assert report.columns[1].note == "Kept as text: all values are a month with a year or a day, and no whole dates."


def test_a_year_of_two_digits_is_not_a_day_in_a_file_read_as_it_streams(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tables, "WHOLE_BYTES", 10)
    (tmp_path / "data" / "a.csv").write_text("id;day\n1;31.12.23\n2;30.11.23\n", encoding="utf-8")
    assert ask(opened(), "SELECT day FROM a ORDER BY id") == [("2023-12-31",), ("2023-11-30",)]


@pytest.mark.parametrize(
    "values, read, note",
    [
        (["2024-01-01 10:00:00 +0100", "2024-07-01 09:30:00 +0200"], ["2024-01-01 10:00:00", "2024-07-01 09:30:00"],
         "Times are as written; offset from UTC: +0100, +0200."),
        (["Mon, 04 Mar 2024 14:05:00 GMT", "Tue, 5 Mar 2024 00:00:00 GMT"],
         ["2024-03-04 14:05:00", "2024-03-05 00:00:00"], "Times are as written; offset from UTC: GMT."),
        (["01.02.2024 10:00 +01:00", "13.02.2024 10:00 +0530", "14.02.2024 10:00 -0330"],
         ["2024-02-01 09:00:00", "2024-02-13 04:30:00", "2024-02-14 13:30:00"], "Times are converted to UTC."),
    ],
)  # fmt: skip
def test_times_with_an_offset_are_times(
    opened: Open, tmp_path: Path, values: list[str], read: list[str], note: str
) -> None:
    path = tmp_path / "data" / "a.csv"
    path.write_text("id;seen\n" + "".join(f"{number};{value}\n" for number, value in enumerate(values)))
    executor = opened()
    (table,) = executor.schema().tables

    assert (table.columns[1].type, table.columns[1].comment) == ("TIMESTAMP", note)
    assert [value for (value,) in ask(executor, "SELECT CAST(seen AS VARCHAR) FROM a ORDER BY id")] == read
