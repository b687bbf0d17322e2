"""Values of a driver as JSON has them."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executors import values
from executors.base import JsonValue
from executors.values import (
    MAX_CELL_CHARS,
    MAX_DEPTH,
    RowTooLarge,
    collect,
    interval_from_text,
    parse_nested,
    timestamp_from_text,
    to_json,
)


class Colour(Enum):
    RED = "red"


UTC_2 = dt.timezone(dt.timedelta(hours=2))


@pytest.mark.parametrize("stored, expected, why", [
    (None, None, "NULL"),
    (True, True, "a boolean is no number"),
    (0, 0, "an integer"),
    (2**53 - 1, 2**53 - 1, "the last integer that JavaScript keeps"),
    (2**53, "9007199254740992", "beyond it, text"),
    (-(2**53), "-9007199254740992", "on the other side too"),
    (2**127 - 1, "170141183460469231731687303715884105727", "HUGEINT"),
    (1.5, 1.5, "a float"),
    (float("nan"), "NaN", "JSON has no NaN, and null means something else"),
    (float("inf"), "Infinity", "nor this"),
    (float("-inf"), "-Infinity", "nor this"),
    (Decimal("12.00"), 12, "a whole decimal"),
    (Decimal("19.99"), 19.99, "fifteen digits survive a double"),
    (Decimal("0.1234567890123456789"), "0.1234567890123456789", "nineteen do not"),
    (Decimal(9007199254740993), "9007199254740993", "a whole decimal that a double would round"),
    (Decimal("1E+400"), "1E+400", "no million digits are written out"),
    (Decimal("1E-400"), "1E-400", "a double would make it zero"),
    (Decimal("-0.50"), -0.5, "negative"),
    (Decimal("NaN"), "NaN", "as a float"),
    (Decimal("sNaN"), "NaN", "a signalling one must not signal"),
    (dt.date(2024, 2, 29), "2024-02-29", "ISO 8601"),
    (dt.datetime(2024, 2, 29, 13, 5, 1), "2024-02-29T13:05:01", "without zone"),
    (dt.datetime(2024, 2, 29, 13, 5, tzinfo=UTC_2), "2024-02-29T13:05:00+02:00", "with its offset"),
    (dt.time(13, 5), "13:05:00", "time of day"),
    (dt.timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=500_000), "P1DT2H3M4.5S", "a duration"),
    (dt.timedelta(0), "PT0S", "no time at all"),
    (-dt.timedelta(hours=36), "-P1DT12H", "backwards"),
    (b"\x00\xff", "0x00ff", "bytes"),
    (bytearray(b"a"), "0x61", "bytes"),
    (memoryview(b"a"), "0x61", "bytes"),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001", "UUID"),
    (Colour.RED, "red", "enum"),
    ([1, None, Decimal("1.5")], [1, None, 1.5], "a list"),
    ((1, 2), [1, 2], "a fixed-size array"),
    ({"a": {"b": dt.date(2024, 1, 1)}}, {"a": {"b": "2024-01-01"}}, "a struct in a struct"),
    ({1: "a", dt.date(2024, 1, 1): "b"}, {"1": "a", "2024-01-01": "b"}, "a map whose keys are no text"),
    ("größe", "größe", "text"),
])  # fmt: skip
def test_becomes(stored: Any, expected: Any, why: str) -> None:
    found = to_json(stored)

    assert found == expected, why
    assert type(found) is type(expected), why
    json.dumps(found, allow_nan=False)


@given(st.decimals(allow_nan=False, allow_infinity=False) | st.integers() | st.floats(allow_nan=False))
def test_a_number_is_exact_after_the_way_through_json(number: Decimal | int | float) -> None:
    back = json.loads(json.dumps(to_json(number)))

    assert Decimal(str(back)) == Decimal(str(number)) if not isinstance(number, float) else float(back) == number


def test_long_text_is_cut_and_says_so() -> None:
    found = to_json("x" * (MAX_CELL_CHARS + 1))

    assert found == "x" * MAX_CELL_CHARS + "… [cut: 100,001 characters]"


def test_long_bytes_are_cut_and_say_so() -> None:
    assert to_json(bytes(200_000)).endswith("… [cut: 200,000 bytes]")


@pytest.mark.parametrize("text, expected", [
    (None, None),
    ("1 month", "P1M"),
    ("14 days", "P14D"),
    ("1 year 2 months 3 days 04:05:06.5", "P1Y2M3DT4H5M6.5S"),
    ("-1 year -2 months 3 days -04:05:06", "P-1Y-2M3DT-4H-5M-6S"),
    ("00:00:00", "PT0S"),
    ("00:10:00", "PT10M"),
    ("00:00:00.25", "PT0.25S"),
    ("100:00:00", "PT100H"),
])  # fmt: skip
def test_an_interval_keeps_its_months(text: str | None, expected: str | None) -> None:
    assert interval_from_text(text) == expected


@pytest.mark.parametrize("text, expected", [
    (None, None),
    ("2024-01-01 10:00:00+00", "2024-01-01T10:00:00+00:00"),
    ("2024-01-01 10:00:00.5-05:30", "2024-01-01T10:00:00.5-05:30"),
    ("2024-01-01 10:00:00.123456789", "2024-01-01T10:00:00.123456789"),
    ("10:00:00+02", "10:00:00+02:00"),
    ("infinity", "infinity"),
])  # fmt: skip
def test_a_timestamp_in_iso_8601(text: str | None, expected: str | None) -> None:
    assert timestamp_from_text(text) == expected


def test_nested_json_keeps_its_numbers() -> None:
    assert parse_nested('{"a": 0.1234567890123456789, "b": [NaN, 9007199254740993]}') == {
        "a": "0.1234567890123456789",
        "b": ["NaN", "9007199254740993"],
    }
    assert parse_nested(None) is None


def test_half_a_surrogate_pair_is_no_character() -> None:
    found = parse_nested('{"\\udfff": ["a\\ud800é", "\\ud83d\\ude00"]}')
    assert found == {"\ufffd": ["a\ufffdé", "😀"]}
    json.dumps(found, ensure_ascii=False).encode()


def test_very_many_levels_are_cut() -> None:
    deep: JsonValue = dt.datetime(2024, 1, 1, 10)
    for _ in range(900):
        deep = [{"a": deep}]
    found = json.dumps(to_json(deep), ensure_ascii=False)
    assert found.count("[{") == MAX_DEPTH // 2
    assert f"more than {MAX_DEPTH} levels" in found
    assert to_json([{"a": dt.datetime(2024, 1, 1, 10)}]) == [{"a": "2024-01-01T10:00:00"}]


class Cursor:
    """Rows, and how many of them were given away."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self._rows, self.given = rows, 0

    def fetchmany(self, count: int) -> list[tuple[Any, ...]]:
        batch, self._rows = self._rows[:count], self._rows[count:]
        self.given += len(batch)
        return batch


@pytest.mark.parametrize("stored, truncated", [(99, False), (100, False), (101, True), (5000, True)])
def test_rows_are_fetched_up_to_the_cap_and_one_more(stored: int, truncated: bool) -> None:
    cursor = Cursor([(i,) for i in range(stored)])

    rows, more = collect(cursor.fetchmany, 100)

    assert (len(rows), more) == (min(stored, 100), truncated)
    assert cursor.given <= 101


def test_a_large_result_is_truncated_by_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_RESULT_BYTES", 1000)

    rows, more = collect(Cursor([("x" * 300,)] * 10).fetchmany, 100)

    assert (len(rows), more) == (3, True)


def test_a_row_that_is_too_large_alone_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_RESULT_BYTES", 1000)

    with pytest.raises(RowTooLarge):
        collect(Cursor([(["x" * 300, {"a": "y" * 800}],)]).fetchmany, 100)


@pytest.mark.parametrize("stored, expected, why", [
    ([Decimal("3.00"), None, Decimal("2.50")], [3.0, None, 2.5], "decimals, whole ones among them"),
    ([3, Decimal("0.1234567890123456789")], ["3", "0.1234567890123456789"], "one is too long for a number"),
    ([7, 2**53], ["7", "9007199254740992"], "one is too large for a number"),
    ([1.5, float("nan"), None], ["1.5", "NaN", None], "one is not finite"),
    ([1e-7, float("inf")], ["0.0000001", "Infinity"], "digits, no exponent"),
    ([1, "x", b"\x01"], ["1", "x", "0x01"], "SQLite keeps any kind of value in any column"),
    ([True, 2], ["true", "2"], "a boolean is no number"),
    ([[1], {"a": None}, "b"], ["[1]", '{"a": null}', "b"], "nested values as their JSON"),
    ([1, 2, None], [1, 2, None], "integers stay"),
    ([None, None], [None, None], "NULLs stay"),
    ([dt.datetime(2024, 3, 1), None, dt.datetime(2024, 4, 1)], ["2024-03-01", None, "2024-04-01"], "months"),
    ([dt.datetime(2024, 3, 1, tzinfo=UTC_2)], ["2024-03-01"], "what date_trunc makes of a date in PostgreSQL"),
    ([dt.datetime(2024, 3, 1), dt.datetime(2024, 4, 1, 9)], ["2024-03-01T00:00:00", "2024-04-01T09:00:00"], "times"),
    (["2024-03-01T00:00:00"], ["2024-03-01T00:00:00"], "a text is as it is stored"),
    ([dt.date(2024, 3, 1), dt.datetime(2024, 3, 1)], ["2024-03-01", "2024-03-01T00:00:00"], "dates beside times"),
    ([[dt.datetime(2024, 3, 1)]], [["2024-03-01T00:00:00"]], "inside of others as they are"),
])  # fmt: skip
def test_a_column_has_one_json_type(stored: list[Any], expected: list[Any], why: str) -> None:
    rows, _ = collect(Cursor([(value, "beside") for value in stored]).fetchmany, 100)

    assert rows == tuple((value, "beside") for value in expected), why
    assert [type(value) for value, _ in rows] == [type(value) for value in expected], why


def test_timestamps_that_come_as_text_are_dates_where_none_has_a_time() -> None:
    rows, _ = collect(Cursor([("2024-03-01 00:00:00+00",)]).fetchmany, 100, [timestamp_from_text])

    assert rows == (("2024-03-01",),)


MIXED = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.decimals(), st.text(), st.binary(), st.datetimes(),
    st.dates(), st.lists(st.integers()), st.dictionaries(st.text(), st.integers()),
)  # fmt: skip


@given(st.lists(st.tuples(MIXED, MIXED), max_size=20))
def test_whatever_a_database_gives_each_column_has_one_type_and_its_nulls(stored: list[tuple[Any, Any]]) -> None:
    rows, _ = collect(Cursor(list(stored)).fetchmany, 100)

    for place in range(2 if rows else 0):
        column = [row[place] for row in rows]
        assert len({type(value) for value in column} - {type(None)}) <= 1
        assert [value is None for value in column] == [row[place] is None for row in stored]


def test_few_rows_of_long_values_are_fetched_at_once() -> None:
    """The driver's own values, 16 MB each, would take far more memory than what is kept of them."""
    asked: list[int] = []

    def fetch(count: int) -> list[tuple[bytes, ...]]:
        asked.append(count)
        return [(bytes(5 * 1024 * 1024),)] * count

    rows, truncated = collect(fetch, 20)
    assert (len(rows), truncated, set(asked)) == (20, True, {1})

    def fetch_short(count: int) -> list[tuple[int, ...]]:
        asked.append(count)
        return [(1,)] * count

    asked.clear()
    collect(fetch_short, 500)
    assert max(asked) == 64
