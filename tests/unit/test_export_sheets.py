"""Rows as Excel and Markdown: values are text, nothing is lost or executed."""

from __future__ import annotations

import datetime as dt
import io
import json
import zipfile

import openpyxl  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent.api.schemas.common import ANSWER_EXAMPLE
from agent.core.answers import Answer
from agent.core.errors import NotAcceptable
from agent.present.export.formats import MARKDOWN, XLSX
from agent.present.export.markdown_file import answer_chunks
from agent.present.export.xlsx_file import MAX_COLUMNS, MAX_TEXT
from executors.base import JsonValue, QueryResult

BIG = "9007199254740993"  # 2**53 + 1, as JSON has it here
HTML = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")


def result_of(*values: JsonValue, name: str = "a") -> QueryResult:
    return QueryResult(columns=(name,), rows=tuple((value,) for value in values))


def sheet_of(result: QueryResult) -> list[tuple[object, ...]]:
    """The cells as openpyxl reads them, formulas as formulas."""
    book = openpyxl.load_workbook(io.BytesIO(b"".join(XLSX.chunks(result))))
    (sheet,) = book.worksheets
    assert sheet.freeze_panes == "A2"
    return [tuple(row) for row in sheet.iter_rows(values_only=True)]


def table_of(result: QueryResult) -> str:
    return b"".join(MARKDOWN.chunks(result)).decode()


# -- Excel -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values, cells, why", [
    ([1, None, -2], [1, None, -2], "whole numbers"),
    ([1, BIG], [1, BIG], "more digits than Excel keeps: a text"),
    ([1.5, 2], [1.5, 2], "numbers"),
    ([1.5, "NaN"], [1.5, "NaN"], "what is no number"),
    ([0.5, "12345678901234567.89"], [0.5, "12345678901234567.89"], "exact decimals"),
    ([True, None, False], [True, None, False], "truth values"),
    (["2024-02-29", None, "2024-03-01"], [dt.datetime(2024, 2, 29), None, dt.datetime(2024, 3, 1)], "dates"),
    (["2024-02-29T10:30:00"], [dt.datetime(2024, 2, 29, 10, 30)], "moments"),
    (["2024-02-29T10:30:00+02:00"], [dt.datetime(2024, 2, 29, 8, 30)], "instants, in UTC"),
    (["9999-12-31T23:59:59-01:00"], ["9999-12-31T23:59:59-01:00"], "an instant after the year 9999 in UTC"),
    (["1899-12-31", "2024-01-01"], ["1899-12-31", dt.datetime(2024, 1, 1)], "older than Excel's calendar"),
    (["a", "007", "", " x "], ["a", "007", None, " x "], "texts"),
    ([[1, {"b": None}]], ['[1, {"b": null}]'], "nested values as JSON"),
])  # fmt: skip
def test_a_value_keeps_its_type(values: list[JsonValue], cells: list[object], why: str) -> None:
    assert [row[0] for row in sheet_of(result_of(*values))[1:]] == cells, why


@pytest.mark.parametrize("text", [
    "=1+1", "=HYPERLINK(\"https://host.example\",\"x\")", "=cmd|'/c calc'!A1",
    "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "=",
])  # fmt: skip
def test_no_text_is_a_formula(text: str) -> None:
    file = b"".join(XLSX.chunks(result_of(text, name=text)))
    cells = openpyxl.load_workbook(io.BytesIO(file)).worksheets[0]["A"]

    assert [(cell.data_type, cell.value) for cell in cells] == [("s", text)] * 2
    with zipfile.ZipFile(io.BytesIO(file)) as parts:
        assert b"<f>" not in parts.read("xl/worksheets/sheet1.xml")


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), min_size=1, max_size=30))
def test_every_text_can_be_written(text: str) -> None:
    (_, (read,)) = sheet_of(result_of(text))

    assert isinstance(read, str)
    unescaped = read.replace("_x005F_", "_")  # Excel does so; openpyxl reads what stands there
    assert unescaped == text or any(ord(sign) < 32 or ord(sign) > 0xFFFD for sign in text) or "_x" in text


def test_what_no_sheet_takes_is_refused_with_a_way_out() -> None:
    with pytest.raises(NotAcceptable, match="Ask for text/csv"):
        list(XLSX.chunks(result_of("x" * (MAX_TEXT + 1))))
    wide = QueryResult(columns=tuple(f"c{number}" for number in range(MAX_COLUMNS + 1)), rows=())
    with pytest.raises(NotAcceptable, match="Ask for text/csv"):
        list(XLSX.chunks(wide))


def test_no_rows_still_have_columns() -> None:
    empty = QueryResult(columns=("a", "b"), rows=())

    assert sheet_of(empty) == [("a", "b")]
    assert table_of(empty) == "| a | b |\n| --- | --- |\n"


def test_many_rows_come_in_many_pieces() -> None:
    rows = QueryResult(columns=("n",), rows=tuple((number,) for number in range(9_001)))

    assert [row[0] for row in sheet_of(rows)[1:]] == list(range(9_001))
    assert len(list(XLSX.chunks(rows))) > 1
    assert len(list(MARKDOWN.chunks(rows))) == 19
    assert table_of(rows).count("\n") == 9_003


# -- Markdown ----------------------------------------------------------------------------------------------


def test_numbers_stand_to_the_right() -> None:
    result = QueryResult(columns=("month", "total"), rows=(("2024-03", 50000), ("2024-04", None)))

    assert table_of(result) == "| month | total |\n| --- | ---: |\n| 2024-03 | 50000 |\n| 2024-04 |  |\n"


@pytest.mark.parametrize("text", [
    "a | b", "line\nline", "![pixel](https://host.example/p.png)", "[link](https://host.example)",
    "<img src=x onerror=y>",
    "**bold** _it_ ~~no~~ `code`", "&lt;script&gt;", "\\", "|", "a\\|b", "<https://host.example>", "# head",
])  # fmt: skip
def test_what_stands_in_the_data_is_text(text: str) -> None:
    html = HTML.render(table_of(result_of(text, name="c")))

    assert html.count("<td>") == 1
    for tag in ("<img", "<a ", "<strong", "<em", "<code", "<s>", "<script", "<h1"):
        assert tag not in html


ANSWER = Answer.model_validate(ANSWER_EXAMPLE)
ROWS = QueryResult(columns=("month", "total"), rows=(("2024-03", 50000),))


def told(**changes: object) -> str:
    return b"".join(answer_chunks(ANSWER.model_copy(update=changes), ROWS)).decode()


def test_an_answer_has_its_rows_its_sureness_and_its_query() -> None:
    assert told(question="What was our highest revenue month?", warnings=["Two rows were left out."]) == (
        "**What was our highest revenue month?**\n\n"
        "The highest revenue month was March 2024 with $50,000 in sales.\n\n"
        "| month | total |\n| --- | ---: |\n| 2024-03 | 50000 |\n\n"
        "Verified; confidence 97%\n\n"
        "> Two rows were left out.\n\n"
        f"```sql\n{ANSWER.sql}\n```\n"
    )


def test_a_cut_and_a_doubt_are_seen() -> None:
    text = told(truncated=True, verified=False, confidence=None)

    assert "_The first 1 rows; there are more._" in text
    assert "\nNot verified\n" in text


@pytest.mark.parametrize("answer", [
    "# Head\n1. one\n- two\n+ three", "Text\n===", "![p](https://host.example)", "<b>x</b>", "1) one",
])  # fmt: skip
def test_a_sentence_has_no_markup(answer: str) -> None:
    html = HTML.render(told(answer=answer, sql=None, results=[]).partition("| month")[0])

    assert "<" not in html.replace("<p>", "").replace("</p>", "").replace("&lt;", "")


def test_a_query_cannot_end_its_block() -> None:
    sql = "SELECT '```\n# out' AS `a`"
    assert f"````sql\n{sql}\n````" in told(sql=sql)
    assert json.dumps(sql)  # it is as it was
