"""Reads numbers as people write them, in columns of texts: `1.307,81 €`, `($1,200.50)`, `12 kg`, `15 %`.

A column is read as numbers only if every value is one, all values have the same sign or unit, and at least one has more
than digits, which shows that it is not a code. Codes such as `01234` stay text. If every value can be read in two ways,
as `1.234` can, the other columns of the file decide. A column that looks like numbers but stays text gets a sentence
with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.engines.common.local.files import quote_name
from executors.engines.duckdb.engine import literal
from executors.engines.files.file_table import fetch_row, value_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COMMA, POINT = ",", "."
_MONEY = r"\p{Sc}|EUR|USD|GBP|CHF|JPY|CNY|KRW|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|INR|BRL|MXN|TRY|Fr\.|zł|Kč|kr|Ft|TL"
_UNIT = (
    rf"{_MONEY}|%|°[CF]?|kg|mg|g|t|lbs?|oz|km|cm|mm|m|mi|ft|m²|m³|l|ml|kWh|MWh|kW|MW|km/h|h|min|ms|s|pcs|Stk\.?|Stück"
)
_SPACES = r" \x{00A0}\x{2009}\x{202F}"  # including non-breaking and thin spaces
_BLANKS = rf"[\s{_SPACES}]*"
_MINUS = r"-\x{2212}"
_NUMBERS = {
    mark: rf"(?:[1-9]\d{{0,2}}(?:[{other}'’{_SPACES}]\d{{3}})+{indian}|\d+)(?:[{mark}]\d+)?"
    for mark, other, indian in ((COMMA, POINT, ""), (POINT, COMMA, r"|[1-9]\d?(?:,\d{2})+,\d{3}"))
}
_OPEN = r"^\D*[1-9]\d{0,2}[.,]\d{3}\D*$"  # thousands, or three decimals
# The pattern of a text that looks like a number, with anything around it.
LOOKS_LIKE_NUMBER = (
    rf"^{_BLANKS}[^\w\s]{{0,3}}(?:(?:{_MONEY}){_BLANKS})?[{_MINUS}+(]{{0,2}}\d[\d.,'’{_SPACES}]*"
    rf"(?:(?:{_UNIT})|\D{{0,4}}){_BLANKS}[{_MINUS})]?$"
)
_OPEN_DOUBLE = r"^[-+]?(?:[1-9]\d{0,2}[.,]\d{3}|\d{1,3})$"
# A DOUBLE keeps only fifteen digits, and no zeros before them. DuckDB reads 0x1F as 31.
_CODE = r"^[-+]?(?:\d{16,}|0\d+|0[xXbB].*)$"
_POWER = r"^\d+[eE]\d+$"  # 12E3 is a code where no value has decimals
_AT_ONCE = 40  # columns in one query
_LONGEST = 18  # digits of a BIGINT or a DECIMAL(18)


class WrittenNumber(NamedTuple):
    """A column read as numbers. expression: SQL over the column; note: how it is read, with its unit, without values.

    type: Empty if the column stays text. unit: As in the texts. Empty if they have none.
    problem: A sentence if the reading is a guess. reason: Why a column that looks like numbers stays text.
    """

    type: str = ""
    expression: str = ""
    note: str = ""
    unit: str = ""
    problem: str = ""
    reason: str = ""


class TextShape(NamedTuple):
    """Counts of a column of texts that look like numbers.

    values: Values that are not empty. comma, point, either: Values that are numbers with that decimal mark, or either.
    open: Values with one mark and three digits after it. telling: Values with more than digits. codes: Values that
    begin with a zero.
    phones: Values with + before them, or with blanks between digits, and without decimals.
    units: Number of different units; first, last: two of them; money: values with a currency; bare: values without any.
    comma_digits, point_digits: Most digits after that mark. digits: Most digits of a value.
    """

    values: int
    comma: int
    point: int
    either: int
    open: int
    telling: int
    codes: int
    phones: int
    bare: int
    units: int
    first: str | None
    last: str | None
    money: int
    comma_digits: int | None
    point_digits: int | None
    digits: int

    @property
    def is_number(self) -> bool:
        """Whether all values are numbers with one unit and one decimal mark, and are certainly not codes."""
        of_one = self.values in (self.comma, self.point) and self.units <= 1
        return bool(of_one and self.telling and not self.codes and not self.are_phones and self.digits <= _LONGEST)

    @property
    def are_phones(self) -> bool:
        """Whether all values may be phone numbers: `+49 151 234567`."""
        return self.phones == self.values > 0 and not self.units

    @property
    def mark(self) -> str:
        """The decimal mark that the values show. Empty if they show none."""
        if self.comma == self.point or not self.is_number:
            return ""
        return COMMA if self.comma > self.point else POINT

    @property
    def is_open(self) -> bool:
        """Whether all values can be read with either mark, and the numbers would differ."""
        return self.comma == self.point and self.open > 0


def shapes_of(connection: DuckDBPyConnection, reader: str, columns: Sequence[str]) -> dict[str, TextShape]:
    """The shapes of the text columns whose values all look like numbers.
    Args: reader: the table function, or a query in parentheses."""
    texts = {name: value_of(name) for name in columns}
    looks = [
        f"bool_and(regexp_matches({it}, {literal(LOOKS_LIKE_NUMBER)})) FILTER ({it} <> '')" for it in texts.values()
    ]
    alike = [name for name, (like,) in zip(texts, _each(connection, reader, looks, 1), strict=True) if like]
    counts = [part for name in alike for part in _counts(texts[name])]
    each = _each(connection, reader, counts, len(TextShape._fields))
    return {name: TextShape(*row) for name, row in zip(alike, each, strict=True)}


def open_doubles(connection: DuckDBPyConnection, reader: str, columns: Sequence[str], *, thousands: bool) -> list[str]:
    """The columns that DuckDB reads as numbers but must not, because they have codes.
    Args: reader: reads the columns as texts; thousands: whether to include columns whose values may have thousands
    separators."""
    tests = []
    for text in (f"trim({quote_name(name)})" for name in columns):
        code = (
            f"bool_or(regexp_matches({text}, '{_CODE}')) OR (bool_or(regexp_matches({text}, '{_POWER}')) "
            f"AND NOT bool_or(regexp_matches({text}, '[.,]')))"
        )
        either = f"bool_and(regexp_matches({text}, '{_OPEN_DOUBLE}')) FILTER ({text} <> '')"
        tests.append(f"{either} OR {code}" if thousands else code)
    each = _each(connection, reader, tests, 1)
    return [name for name, (found,) in zip(columns, each, strict=True) if found]


def not_integers(connection: DuckDBPyConnection, reader: str, columns: Sequence[str]) -> list[str]:
    """The columns that DuckDB reads as integers though they have other values: it rounds 2.5, and reads 007 as 7.
    Args: reader: reads the columns as texts."""
    texts = [f"trim({quote_name(name)})" for name in columns]
    tests = [f"bool_and(CAST(TRY_CAST({it} AS BIGINT) AS VARCHAR) IS NOT DISTINCT FROM {it})" for it in texts]
    tests = [f"{test} FILTER ({it} <> '')" for test, it in zip(tests, texts, strict=True)]
    each = _each(connection, reader, tests, 1)
    return [name for name, (alike,) in zip(columns, each, strict=True) if alike is False]


def _each(
    connection: DuckDBPyConnection, reader: str, aggregates: Sequence[str], size: int
) -> Iterable[tuple[Any, ...]]:
    """The results of aggregates over all rows, in tuples of `size`. One scan computes those of several columns."""
    for start in range(0, len(aggregates), _AT_ONCE * size):
        some = aggregates[start : start + _AT_ONCE * size]
        row = fetch_row(connection, f"SELECT {', '.join(some)} FROM {reader}")
        yield from (row[at : at + size] for at in range(0, len(row), size))


def _counts(text: str) -> Iterable[str]:
    comma, point = (f"regexp_matches({text}, {literal(_whole(mark))})" for mark in (COMMA, POINT))
    beside = rf"[{_MINUS}+()0-9.,'’\s{_SPACES}]"
    unit = f"regexp_replace({text}, {literal(beside)}, '', 'g')"
    conditions = (
        f"{text} <> ''",
        comma,
        point,
        f"({comma}) OR ({point})",
        f"regexp_matches({text}, {literal(_OPEN)})",
        f"{text} <> '' AND NOT regexp_matches({text}, '^[-+]?\\d+$')",
        f"regexp_matches({text}, '^0[0-9]')",
        rf"regexp_matches({text}, '^(?:\+[\d{_SPACES}]+|[1-9]\d{{0,2}}(?:[{_SPACES}]\d{{3}}){{2,}})$')",
        f"{text} <> '' AND {unit} = ''",
    )
    yield from (f"count(*) FILTER ({it})" for it in conditions)
    yield f"count(DISTINCT {unit}) FILTER ({unit} <> '')"
    yield f"min({unit}) FILTER ({unit} <> '')"
    yield f"max({unit}) FILTER ({unit} <> '')"
    yield f"count(*) FILTER (regexp_matches({unit}, {literal(f'^(?:{_MONEY})$')}))"
    yield rf"max(length(regexp_extract({text}, ',(\d+)[^\d.,]*$', 1)))"
    yield rf"max(length(regexp_extract({text}, '\.(\d+)[^\d.,]*$', 1)))"
    yield f"max(length(regexp_replace({text}, '[^0-9]', '', 'g')))"


def _whole(mark: str) -> str:
    """The pattern of a number, with a sign before or after it, or in parentheses as accountants write."""
    number = _NUMBERS[mark]
    before, after = rf"(?:(?:{_MONEY}){_BLANKS})?", rf"(?:{_BLANKS}(?:{_UNIT}))?"
    ways = (
        rf"(?:[{_MINUS}+]{_BLANKS})?{before}{number}{after}",
        rf"{before}[{_MINUS}+]{_BLANKS}{number}{after}",
        rf"{before}{number}{_BLANKS}[{_MINUS}]{after}",
        rf"{before}{number}{after}{_BLANKS}[{_MINUS}]",
        rf"\({before}{number}{after}\)",
        rf"{before}\({number}\){after}",
    )
    return rf"^{_BLANKS}(?:{'|'.join(ways)}){_BLANKS}$"


def mark_of(shapes: Iterable[TextShape], marks: Iterable[str]) -> str:
    """The decimal mark of a file. Empty if its columns show none, or both.
    Args: shapes: of its text columns; marks: of the columns that DuckDB reads as numbers."""
    found = {it.mark for it in shapes if it.mark} | set(marks)
    return found.pop() if len(found) == 1 else ""


def detect_number_format(
    column: str, shape: TextShape, mark: str, *, usual: str = "", absent: str = ""
) -> WrittenNumber:
    """How to read a column of texts that look like numbers.
    Args: mark: the decimal mark of the other columns, if they show one; usual: the mark to use if nothing shows one;
    absent: the sentence on texts that mean a missing value."""
    chosen = (mark or _guess(shape, usual)) if shape.is_open else shape.mark or POINT
    if reason := _reason(shape, chosen, telling=bool(shape.telling or absent)):
        return WrittenNumber(reason=f"Kept as text: all {shape.values:,} values look like numbers, {reason}.")
    digits = (shape.comma_digits if chosen == COMMA else shape.point_digits) or 0
    how = " with a decimal comma" if chosen == COMMA and digits else ""
    note = f"Read as a number{how}{f', in {shape.last}' if shape.last else ''}."
    problem = ""
    if shape.units and shape.bare:
        problem = f"{shape.bare:,} of {shape.values:,} values have no unit."
        note = f"{note} {problem}"
    if shape.is_open and not mark:
        way = "decimals" if digits else "thousands"
        note = problem = f"{note} Every value can be read with thousands or with decimals; it is read with {way}."
    kind = "BIGINT" if not digits else f"DECIMAL(18,{digits})" if shape.digits + digits <= _LONGEST else "DOUBLE"
    text = value_of(column)
    bare = rf"regexp_replace({text}, '[^0-9{chosen}]', '', 'g')"
    bare = f"replace({bare}, ',', '.')" if chosen == COMMA else bare
    sign = f"CASE WHEN regexp_matches({text}, '[{_MINUS}(]') THEN '-' ELSE '' END"
    note = f"{note} {absent}" if absent else note
    return WrittenNumber(kind, f"CAST({sign} || nullif({bare}, '') AS {kind})", note, shape.last or "", problem)


def _guess(shape: TextShape, usual: str) -> str:
    """The likelier decimal mark of ambiguous values, if no other column shows it. Empty if neither is likelier."""
    if shape.comma_digits and shape.point_digits:
        return ""
    if shape.money:  # money has two decimals, if any
        return POINT if shape.comma_digits else COMMA
    if shape.units:
        return ""
    return usual or (COMMA if shape.comma_digits else POINT)


def _reason(shape: TextShape, mark: str, *, telling: bool) -> str:
    """Why a column stays text. Empty if it does not. Args: telling: whether its values are certainly not codes."""
    if shape.codes:
        return "and some begin with 0, as codes do"
    if shape.are_phones:
        return "and all begin with + or are grouped, as phone numbers are"
    if shape.last == "%" and shape.bare:
        return f"and {shape.bare:,} of {shape.values:,} have no %"
    if not telling:
        return "and have digits alone, as codes do"
    if shape.either < shape.values:
        return "and some have signs, letters or groups of digits that no number has"
    if shape.values not in (shape.comma, shape.point):
        return "some with a decimal comma and some with a decimal point"
    if shape.units > 1:
        return f"in {shape.units:,} units, such as {shape.first} and {shape.last}"
    if shape.digits > _LONGEST:
        return f"and some have more than {_LONGEST} digits"
    return "" if mark else "with thousands or with three decimals, and no other column shows which"
