"""The types of a result's columns, inferred from their JSON values.

A result has passed `executors.values`, which keeps every value but not the name of its type. The common form of a
column's values is enough to restore most types. If it is not, the column is text, which loses nothing:

| values of the column                                          | type                           |
|---------------------------------------------------------------|--------------------------------|
| true, false                                                   | boolean                        |
| whole numbers, some beyond 2**53 (strings in JSON)            | 64-bit integer, or decimal     |
| numbers; `NaN`, `Infinity` among them (then all strings)      | double                         |
| numbers, some with more digits than a double keeps (the same) | decimal                        |
| ISO 8601 dates; date-times; date-times with an offset         | date; timestamp; instant (UTC) |
| lists, objects, a mixture, nothing but NULL, anything else    | text; nested values as JSON    |

A column with only numbers too long for a double is also text: they may be account numbers.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum

from executors.base import Frozen, JsonValue, QueryResult
from executors.values import MAX_SAFE_INTEGER, to_json
from executors.values import as_text as as_json_text

MAX_DECIMAL_DIGITS = 38
NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})
_NUMBER = re.compile(r"-?\d{1,100}(\.\d{1,100})?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?")


class CellKind(StrEnum):
    """The types that a column of an exported file can have."""

    TEXT = "text"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    DOUBLE = "double"
    DECIMAL = "decimal"
    DATE = "date"
    TIMESTAMP = "timestamp"
    INSTANT = "instant"


class ExportColumn(Frozen):
    """A column of an exported file. `digits`, `scale`: for decimals, all digits and those after the point."""

    name: str
    kind: CellKind
    digits: int = 0
    scale: int = 0


def columns_of(result: QueryResult) -> tuple[ExportColumn, ...]:
    """The columns of a result, with the common types of their values."""
    cells = zip(*result.rows, strict=True) if result.rows else ((),) * len(result.columns)
    return tuple(_column(name, values) for name, values in zip(result.columns, cells, strict=True))


def as_text(value: JsonValue) -> str | None:
    """A value as text: strings unchanged, anything else as JSON; None for NULL."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _column(name: str, values: Sequence[JsonValue]) -> ExportColumn:
    known = [value for value in values if value is not None]
    types = {type(value) for value in known}
    if not types or not types <= {bool, int, float, str}:
        return ExportColumn(name=name, kind=CellKind.TEXT)
    if types == {bool}:
        return ExportColumn(name=name, kind=CellKind.BOOLEAN)
    if types == {str}:
        numbers = _numbers_of(known)
        return _of_numbers(name, numbers) if numbers else ExportColumn(name=name, kind=_of_texts(known))
    return _of_numbers(name, known) if bool not in types else ExportColumn(name=name, kind=CellKind.TEXT)


def _numbers_of(texts: Sequence[str]) -> list[JsonValue] | None:
    """The numbers of a column that is text only because some of them are too long for JSON, or not finite.

    None if all are long or all are short: then the column is probably text in the database.
    """
    found: list[JsonValue] = []
    for text in texts:
        number: JsonValue = text
        if text not in NOT_FINITE:
            number = to_json(Decimal(text)) if _NUMBER.fullmatch(text) else None
            if number is None or text not in {as_json_text(number), as_json_text(float(number))}:
                return None
        found.append(number)
    kinds = {type(number) for number in found}
    return found if str in kinds and len(kinds) > 1 else None


def _of_texts(texts: Sequence[str]) -> CellKind:
    if all(_DATE.fullmatch(text) for text in texts):
        return CellKind.DATE if all(map(_is_real, texts)) else CellKind.TEXT
    matches = [_TIMESTAMP.fullmatch(text) for text in texts]
    if not all(matches) or not all(map(_is_real, texts)):
        return CellKind.TEXT
    zoned = {bool(match[2]) for match in matches if match}
    return CellKind.TEXT if len(zoned) == 2 else CellKind.INSTANT if zoned == {True} else CellKind.TIMESTAMP


def _is_real(text: str) -> bool:
    """Whether the date or time exists."""
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _of_numbers(name: str, values: Sequence[JsonValue]) -> ExportColumn:
    """The type of numbers, some of which may be texts too long for JSON numbers."""
    texts = {value for value in values if isinstance(value, str)}
    exact = texts - NOT_FINITE
    floats = any(isinstance(value, float) for value in values)
    if not exact and (floats or texts):
        large = any(isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER for value in values)
        return ExportColumn(name=name, kind=CellKind.TEXT if large else CellKind.DOUBLE)
    if texts - exact or not all(_NUMBER.fullmatch(text) and to_json(Decimal(text)) == text for text in exact):
        return ExportColumn(name=name, kind=CellKind.TEXT)
    return _exact(name, [as_decimal(value) for value in values])


def _exact(name: str, numbers: Sequence[Decimal]) -> ExportColumn:
    """Integers, or decimals with as many digits as the values need."""
    scale = max(max(0, -int(number.as_tuple().exponent)) for number in numbers)
    if scale == 0 and all(-(2**63) <= number < 2**63 for number in numbers):
        return ExportColumn(name=name, kind=CellKind.INTEGER)
    digits = max(number.adjusted() + 1 for number in numbers if number) + scale
    if digits > MAX_DECIMAL_DIGITS:
        return ExportColumn(name=name, kind=CellKind.TEXT)
    return ExportColumn(name=name, kind=CellKind.DECIMAL, digits=max(digits, scale, 1), scale=scale)


def as_decimal(value: JsonValue) -> Decimal:
    """The exact decimal of a number or its text."""
    return Decimal(repr(value) if isinstance(value, float) else value)
