"""Converts driver rows to JSON values. No other module does.

| in the database             | in JSON                                                                           |
|-----------------------------|-----------------------------------------------------------------------------------|
| NULL                        | null                                                                              |
| integer                     | number; beyond ±(2**53 - 1), which JavaScript would round, a string               |
| decimal                     | number if that is exact (at most 15 significant digits), else a string            |
| float                       | number; NaN and infinities are strings, because JSON has no such numbers and null |
|                             | means "no value"                                                                  |
| date, time, timestamp       | ISO 8601, with an offset if it has a time zone; before the year 1 and for         |
|                             | infinity, which ISO 8601 does not define, the database's own text:                |
|                             | `0044-03-15 BC`, `infinity`                                                       |
| interval                    | ISO 8601 duration: `P1Y2M3DT4H5M6.5S`                                             |
| bytes                       | `0x` and hexadecimal digits                                                       |
| UUID, enum                  | string                                                                            |
| list, struct, map           | array, object; keys that are not text become text                                 |
| text over `MAX_CELL_CHARS`  | cut, with a note of its full length                                               |
| half a surrogate pair       | U+FFFD, because it is no character                                                |
| levels below `MAX_DEPTH`    | cut, with a note                                                                  |

Every value of a column has the same JSON type, or is null:

| values of the column        | in JSON                                                                           |
|-----------------------------|-----------------------------------------------------------------------------------|
| timestamps, all at midnight | dates: `2024-03-01`; they were truncated to days, months or years                 |
| integers and other numbers  | numbers with a decimal point: `3.0`, `2.5`                                        |
| any other mixture of types  | text; numbers become their digits, nested values their JSON                       |
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any

from executors.base import JsonValue

MAX_SAFE_INTEGER = 2**53 - 1
MAX_EXACT_DIGITS = 15  # every decimal of that many digits survives the conversion to a double and back
MAX_CELL_CHARS = 100_000
MAX_DEPTH = 100  # levels of lists and objects; most readers of JSON take few more
MAX_RESULT_BYTES = 32 * 1024 * 1024
_BATCH = 64  # rows
_BATCH_BYTES = 4 * 1024 * 1024
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)T00:00:00(Z|[+-]\d\d:\d\d)?")


class _Moment(str):
    """A timestamp in ISO 8601, as long as it is unknown whether its column has times."""

    __slots__ = ()


class RowTooLarge(Exception):
    """A single row exceeds `MAX_RESULT_BYTES`."""


def to_json(value: Any) -> JsonValue:
    """One value of a driver as a JSON value; see the module's table."""
    found = _cell(value)
    return str(found) if type(found) is _Moment else found


def _cell(value: Any) -> JsonValue:
    kind = type(value)
    if kind is str:  # the most common type comes first, because there are thousands of values
        return _cut(value)
    if kind is float and math.isfinite(value):
        return float(value)
    return _convert(value)


def _convert(value: Any, depth: int = 0) -> JsonValue:
    match value:
        case None | bool():
            return value
        case Enum():
            return _cell(value.value)
        case str():
            return _cut(value)
        case int():
            return value if abs(value) <= MAX_SAFE_INTEGER else str(value)
        case float():
            return _float(value)
        case Decimal():
            return _decimal(value)
        case dt.datetime() | dt.date() | dt.time():
            return _Moment(value.isoformat()) if isinstance(value, dt.datetime) else value.isoformat()
        case dt.timedelta():
            return _duration(value)
        case bytes() | bytearray() | memoryview():
            return _bytes(bytes(value))
        case dict() | list() | tuple() | set() | frozenset():
            return _convert_nested(value, depth + 1)
    return _cut(str(value))


def _convert_nested(value: Any, depth: int) -> JsonValue:
    if depth > MAX_DEPTH:
        return f"… [cut: more than {MAX_DEPTH} levels]"
    if isinstance(value, dict):
        return {_key(key): _item(item, depth) for key, item in value.items()}
    return [_item(item, depth) for item in value]


def _item(value: Any, depth: int) -> JsonValue:
    found = _convert(value, depth)
    return str(found) if type(found) is _Moment else found


def collect(
    fetch: Callable[[int], Sequence[Sequence[Any]]],
    row_limit: int,
    decoders: Sequence[Callable[[Any], JsonValue]] | None = None,
) -> tuple[tuple[tuple[JsonValue, ...], ...], bool]:
    """Fetch rows up to the cap or up to `MAX_RESULT_BYTES`. Return the rows, and whether there were more.

    Args: fetch: the cursor's `fetchmany`; decoders: one per column; None: `to_json` for every column.
    Raises RowTooLarge: not even the first row fits.
    """
    rows: list[tuple[JsonValue, ...]] = []
    size, count = 0, 1
    if decoders is not None:
        decoders = [_cell if decode is to_json else decode for decode in decoders]
    while batch := fetch(min(count, row_limit + 1 - len(rows))):
        for raw in batch:
            if len(rows) == row_limit:
                return alike(rows), True
            if decoders is None:
                row = tuple(map(_cell, raw))
            else:
                row = tuple(decode(value) for decode, value in zip(decoders, raw, strict=True))
            size += sum([_size(value) for value in row])
            if size > MAX_RESULT_BYTES:
                if not rows:
                    raise RowTooLarge
                return alike(rows), True
            rows.append(row)
        # The driver's values may be longer than the part that is kept, so the size of the last batch limits the next.
        longest = max(sum(map(_bulk, raw)) for raw in batch)
        count = max(1, min(_BATCH, 2 * count, _BATCH_BYTES // (longest + 1)))
    return alike(rows), False


def alike(rows: Sequence[tuple[JsonValue, ...]]) -> tuple[tuple[JsonValue, ...], ...]:
    """The rows with one JSON type in each column; see the module's table. Args: rows: of values from `to_json`."""
    changed: dict[int, Sequence[JsonValue]] = {}
    for place, column in enumerate(zip(*rows, strict=True)):
        kinds = set(map(type, column)) - {type(None)}
        if len(kinds) > 1 or kinds == {_Moment}:
            changed[place] = _column(column, kinds)
    if not changed:
        return tuple(rows)
    whole = [changed.get(place, column) for place, column in enumerate(zip(*rows, strict=True))]
    return tuple(zip(*whole, strict=True))


def _column(column: Sequence[JsonValue], kinds: set[type]) -> list[JsonValue]:
    convert: Callable[[Any], JsonValue] = as_text
    if kinds == {_Moment}:
        days = [None if value is None else _MIDNIGHT.fullmatch(value) for value in column]
        dates = all(day or value is None for day, value in zip(days, column, strict=True))
        convert = (lambda text: text[: text.index("T")]) if dates else str
    elif kinds == {int, float}:
        convert = float
    return [None if value is None else convert(value) for value in column]


def as_text(value: JsonValue) -> str:
    """A JSON value as text: a string unchanged, a float as its digits, anything else as JSON."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return _plain(Decimal(repr(value)))
    return json.dumps(value, ensure_ascii=False)


def interval_from_text(text: str | None) -> JsonValue:
    """DuckDB's text of an interval (`1 year 2 months 3 days 04:05:06.5`) as an ISO 8601 duration. The driver's value
    counts a month as 30 days; the text keeps months."""
    if text is None:
        return None
    units = {unit: int(count) for count, unit in re.findall(r"(-?\d+) (year|month|day)s?", text)}
    date = "".join(f"{units[unit]}{unit[0].upper()}" for unit in ("year", "month", "day") if units.get(unit))
    clock = re.search(r"(-?)(\d+):(\d\d):(\d\d(?:\.\d+)?)$", text)
    time = ""
    if clock:
        sign, hours, minutes, seconds = clock.groups()
        seconds = seconds.rstrip("0").rstrip(".") if "." in seconds else seconds
        parts = ((hours, "H"), (minutes, "M"), (seconds, "S"))
        time = "".join(f"{sign}{part.lstrip('0')}{unit}" for part, unit in parts if float(part))
        time = re.sub(r"(^|[HM]|-)\.", r"\g<1>0.", time)
    return f"P{date}T{time}" if time else f"P{date or 'T0S'}"


def timestamp_from_text(text: str | None) -> JsonValue:
    """DuckDB's or PostgreSQL's text of a timestamp or time (`2020-01-01 10:00:00+02`) in ISO 8601; see the table."""
    if text is None or "BC" in text:
        return text
    text = re.sub(r"^(-?\d+-\d\d-\d\d) ", r"\1T", text)
    return _Moment(re.sub(r"([+-]\d\d)$", r"\1:00", text) if ":" in text else text)


def parse_nested(text: str | None) -> JsonValue:
    """DuckDB's JSON of a nested value, converted. Its numbers are as exact as those of a plain column."""
    if text is None:
        return None
    return to_json(json.loads(text, parse_float=Decimal))


def _key(key: Any) -> str:
    value = to_json(key)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _float(value: float) -> JsonValue:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _decimal(value: Decimal) -> JsonValue:
    if not value.is_finite():
        return _float(float(value)) if not value.is_snan() else "NaN"
    if value == value.to_integral_value():
        # The exponent may be huge, so the number of digits is checked before the integer is built.
        return int(value) if value.adjusted() < 16 and abs(value) <= MAX_SAFE_INTEGER else _cut(_plain(value))
    if len(value.normalize().as_tuple().digits) <= MAX_EXACT_DIGITS and Decimal(repr(float(value))) == value:
        return float(value)
    return _plain(value)


def _plain(value: Decimal) -> str:
    return format(value, "f") if abs(value.adjusted()) < 100 else str(value)


def _duration(value: dt.timedelta) -> str:
    sign = "-" if value < dt.timedelta(0) else ""
    value = abs(value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{value.microseconds:06d}".rstrip("0").rstrip(".")
    time = (
        f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes) + f"{seconds}{fraction}S" * bool(seconds or fraction)
    )
    days = f"{value.days}D" if value.days else ""
    return f"{sign}P{days}T{time}" if time else f"{sign}P{days or 'T0S'}"


def _bytes(value: bytes) -> str:
    shown = value[: MAX_CELL_CHARS // 2]
    more = f"… [cut: {len(value):,} bytes]" if len(shown) < len(value) else ""
    return f"0x{shown.hex()}{more}"


def _cut(text: str) -> str:
    if not text.isascii() and _HALF_PAIR.search(text):
        text = _HALF_PAIR.sub("\ufffd", text)
    return text if len(text) <= MAX_CELL_CHARS else f"{text[:MAX_CELL_CHARS]}… [cut: {len(text):,} characters]"


def _bulk(value: Any) -> int:
    """Approximate size of a driver's value, in bytes."""
    return len(value) if isinstance(value, (str, bytes, bytearray, list, dict)) else 8


def _size(value: JsonValue) -> int:
    """Approximate size of a JSON value, in bytes."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, list):
        return 2 + sum(map(_size, value))
    if isinstance(value, dict):
        return 2 + sum(len(key) + 3 + _size(item) for key, item in value.items())
    return 8
