"""Rows as CSV, Parquet and Arrow: a round trip keeps all values."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.present.export.columns import CellKind, columns_of
from agent.present.export.formats import ARROW, CSV, PARQUET, Format
from executors.base import JsonValue, QueryResult
from executors.values import to_json

BIG = "9007199254740993"  # 2**53 + 1, as JSON has it here


def result_of(*columns: list[JsonValue]) -> QueryResult:
    return QueryResult(columns=tuple(f"c{i}" for i in range(len(columns))), rows=tuple(zip(*columns, strict=True)))


def written(form: Format, result: QueryResult) -> bytes:
    return b"".join(form.chunks(result))


def read_arrow(file: bytes) -> pa.Table:
    return pa.ipc.open_stream(file).read_all()


def read_parquet(file: bytes) -> pa.Table:
    return pa.parquet.read_table(io.BytesIO(file))


def as_json(table: pa.Table) -> list[tuple[JsonValue, ...]]:
    """Rows as `executors.values` would have them, had a database given them."""
    return [tuple(to_json(value) for value in row.values()) for row in table.to_pylist()]


# -- types -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values, kind, why", [
    ([1, None, -2], CellKind.INTEGER, "whole numbers"),
    ([1, BIG], CellKind.INTEGER, "some too big for JavaScript"),
    ([1, "9223372036854775808"], CellKind.DECIMAL, "some too big for 64 bits"),
    ([1, "9" * 39], CellKind.TEXT, "some too big for any type"),
    ([BIG, BIG], CellKind.TEXT, "nothing but long numbers: they may be account numbers"),
    ([1.5, 2], CellKind.DOUBLE, "numbers"),
    ([1.5, "NaN", "-Infinity"], CellKind.DOUBLE, "with what JSON has no numbers for"),
    (["NaN"], CellKind.TEXT, "a word"),
    ([0.5, "12345678901234567.89"], CellKind.DECIMAL, "some with more digits than a double keeps"),
    ([1, "007"], CellKind.TEXT, "no number is written so"),
    ([1, "12"], CellKind.TEXT, "a number of two digits would have come as a number"),
    ([True, None], CellKind.BOOLEAN, "true and false"),
    ([True, 1], CellKind.TEXT, "a mixture"),
    (["a", "b"], CellKind.TEXT, "text"),
    ([None, None], CellKind.TEXT, "nothing is known"),
    ([[1], None], CellKind.TEXT, "nested: its JSON"),
    (["1.5", "NaN", "3.0"], CellKind.DOUBLE, "numbers of which one is not finite, so that all are text in JSON"),
    (["1.5", "0.1234567890123456789"], CellKind.DECIMAL, "numbers of which one is too long for JSON"),
    (["7", "9007199254740993"], CellKind.INTEGER, "the same of whole ones"),
    (["007", "9007199254740993"], CellKind.TEXT, "no number is written so"),
    (["1.5", "2"], CellKind.TEXT, "numbers that JSON has, so they are text in the database"),
    (["2024-02-29", None], CellKind.DATE, "dates"),
    (["2023-02-29"], CellKind.TEXT, "no such day"),
    (["2024-03"], CellKind.TEXT, "a month is no date"),
    (["2024-01-01", "infinity"], CellKind.TEXT, "no date has this value"),
    (["2024-01-01T10:00:00", "2024-01-01T10:00:00.25"], CellKind.TIMESTAMP, "date-times"),
    (["2024-01-01T10:00:00.1234567"], CellKind.TEXT, "finer than microseconds"),
    (["2024-01-01T10:00:00+02:00"], CellKind.INSTANT, "with an offset"),
    (["2024-01-01T10:00:00+02:00", "2024-01-01T10:00:00"], CellKind.TEXT, "only some with an offset"),
    (["0001-01-01T00:00:00+02:00"], CellKind.INSTANT, "in UTC the year before the first one"),
    (["2024-01-01 10:00:00"], CellKind.TEXT, "not as this service writes one, so it is a text of the database's"),
])  # fmt: skip
def test_the_type_is_what_all_values_have_in_common(values: list[JsonValue], kind: CellKind, why: str) -> None:
    assert columns_of(result_of(values))[0].kind is kind, why


@pytest.mark.parametrize("names, found", [
    (["a", "b"], ("a", "b")),
    (["a", "a", "a"], ("a", "a_2", "a_3")),
    (["a", "a", "a_2"], ("a", "a_2", "a_2_2")),
    (["a", "A"], ("a", "A")),
])  # fmt: skip
def test_no_two_columns_have_one_name(names: list[str], found: tuple[str, ...]) -> None:
    assert QueryResult(columns=tuple(names), rows=()).columns == found


def test_parquet_tells_names_apart_by_more_than_their_case() -> None:
    result = QueryResult(columns=("a", "A", "a"), rows=((1, 2, 3),))
    assert read_parquet(written(PARQUET, result)).to_pylist() == [{"a": 1, "A_2": 2, "a_2_2": 3}]


# -- round trips -------------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
safe = st.integers(-(2**53) + 1, 2**53 - 1)
CELLS: dict[str, st.SearchStrategy[JsonValue]] = {
    "integers": safe,
    "big integers": (safe | st.integers(-(2**63), 2**63 - 1)).map(to_json),
    "decimals": st.decimals(-(10**20), 10**20, places=4).map(to_json),
    "doubles": st.floats().map(to_json),
    "texts": texts,
    "booleans": st.booleans(),
    "dates": st.dates().map(to_json),
    "timestamps": st.datetimes().map(to_json),
    "anything": safe | texts | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.lists(safe),
}


def columns(kind: str) -> st.SearchStrategy[list[JsonValue]]:
    return st.lists(st.none() | CELLS[kind], max_size=30)


def as_sent(result: QueryResult) -> list[tuple[JsonValue, ...]]:
    """The rows, with the JSON of what is no text in a column of text."""
    kinds = [column.kind for column in columns_of(result)]
    return [
        tuple(
            value if kind is not CellKind.TEXT or value is None or isinstance(value, str) else json.dumps(value)
            for kind, value in zip(kinds, row, strict=True)
        )
        for row in result.rows
    ]


@pytest.mark.parametrize("kind", CELLS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_arrow_and_parquet_give_back_what_was_sent(kind: str, data: st.DataObject) -> None:
    result = result_of(data.draw(columns(kind)))
    assert as_json(read_arrow(written(ARROW, result))) == as_sent(result)
    assert as_json(read_parquet(written(PARQUET, result))) == as_sent(result)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.none() | texts, st.none() | texts), max_size=20))
def test_csv_gives_back_every_text(rows: list[tuple[str | None, str | None]]) -> None:
    result = QueryResult(columns=("a", "b"), rows=tuple(rows))
    read = list(csv.reader(io.StringIO(written(CSV, result).decode(), newline=""), strict=True))
    assert read[0] == ["a", "b"]
    assert [tuple(row) for row in read[1:]] == [(a or "", b or "") for a, b in rows]


def test_csv_tells_null_from_an_empty_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(written(CSV, result_of([None, "", "x"], [1, None, 2])))
    with duckdb.connect() as connection:
        read = connection.execute(
            "SELECT * FROM read_csv(?, all_varchar=true, allow_quoted_nulls=false)", [str(path)]
        ).fetchall()
    assert read == [(None, "1"), ("", None), ("x", "2")]


@pytest.mark.parametrize("value, field, why", [
    ("plain", "plain", "no quotes without need"),
    ('say "hi"', '"say ""hi"""', "quotes are doubled"),
    ("a,b", '"a,b"', "a comma"),
    ("a\r\nb", '"a\r\nb"', "a line break"),
    (" a", '" a"', "a space that a reader might drop"),
    ("=1+1", "=1+1", "a formula to a spreadsheet is a text here"),
    (True, "true", "as JSON has it"),
    (1.5, "1.5", "as JSON has it"),
    (1e300, "1e+300", "as JSON has it"),
    (BIG, BIG, "every digit"),
    ({"a": [1, "ü"]}, '"{""a"": [1, ""ü""]}"', "nested: its JSON"),
    (None, '""', "NULL alone in its row: an empty line would be skipped"),
])  # fmt: skip
def test_a_field_of_csv(value: JsonValue, field: str, why: str) -> None:
    assert written(CSV, result_of([value])).decode() == f"c0\r\n{field}\r\n", why


@pytest.mark.parametrize("form", (CSV, PARQUET, ARROW), ids=lambda form: form.suffix)
def test_many_rows_come_in_many_chunks(form: Format) -> None:
    rows = tuple((number, f"{number:x}" * 9) for number in range(9_001))
    result = QueryResult(columns=("n", "text"), rows=rows)

    chunks = list(form.chunks(result))

    assert len(chunks) > 1
    file = b"".join(chunks)
    if form is CSV:
        read = [(int(row[0]), row[1]) for row in list(csv.reader(file.decode().splitlines()))[1:]]
    else:
        read = as_json(read_arrow(file) if form is ARROW else read_parquet(file))
    assert tuple(read) == rows


@pytest.mark.parametrize("form", (CSV, PARQUET, ARROW), ids=lambda form: form.suffix)
def test_no_rows_still_have_columns(form: Format) -> None:
    file = written(form, QueryResult(columns=("a", "b"), rows=()))
    if form is CSV:
        assert file == b"a,b\r\n"
    else:
        table = read_arrow(file) if form is ARROW else read_parquet(file)
        assert (table.column_names, table.num_rows) == (["a", "b"], 0)


def test_an_instant_is_the_same_moment_in_utc() -> None:
    result = result_of(["2024-01-01T10:00:00+02:00", None])
    for table in (read_arrow(written(ARROW, result)), read_parquet(written(PARQUET, result))):
        assert as_json(table) == [("2024-01-01T08:00:00+00:00",), (None,)]
