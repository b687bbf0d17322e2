"""Numbers as people write them, in columns that are text to DuckDB: `1.307,81 €`, `($1,200.50)`, `12 kg`, `15 %`.

A column is read as numbers only if every value is one, all with the same sign or unit, and at least one value shows by
more than its digits that it is not a code: codes such as `01234` stay text. If every value can be read in two ways, as
`1.234` can, the other columns of the file decide. A column that looks like numbers and stays text gets a sentence with
the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.engines.duckdb.engine import literal
from executors.engines.files.file_table import fetch_row, value_of
from executors.engines.local.files import quote_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COMMA, POINT = ",", "."
_MONEY = r"\p{Sc}|EUR|USD|GBP|CHF|JPY|CNY|KRW|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|INR|BRL|MXN|TRY|Fr\.|zł|Kč|kr|Ft|TL"
_UNIT = (
    rf"{_MONEY}|%|°[CF]?|kg|mg|g|t|lbs?|oz|km|cm|mm|m|mi|ft|m²|m³|l|ml|kWh|MWh|kW|MW|km/h|h|min|ms|s|pcs|Stk\.?|Stück"
)
_SPACES = r" \x{00A0}\x{2009}\x{202F}"  # also the narrow ones that do not break a line
_BLANKS = rf"[\s{_SPACES}]*"
_MINUS = r"-\x{2212}"
_NUMBERS = {
    mark: rf"(?:[1-9]\d{{0,2}}(?:[{other}'’{_SPACES}]\d{{3}})+{indian}|\d+)(?:[{mark}]\d+)?"
    for mark, other, indian in ((COMMA, POINT, ""), (POINT, COMMA, r"|[1-9]\d?(?:,\d{2})+,\d{3}"))
}
_OPEN = r"^\D*[1-9]\d{0,2}[.,]\d{3}\D*$"  # thousands, or three decimals
# What looks like a number, whatever is around it.
LOOKS_LIKE_NUMBER = (
    rf"^{_BLANKS}[^\w\s]{{0,3}}(?:(?:{_MONEY}){_BLANKS})?[{_MINUS}+(]{{0,2}}\d[\d.,'’{_SPACES}]*"
    rf"(?:(?:{_UNIT})|\D{{0,4}}){_BLANKS}[{_MINUS})]?$"
)
_OPEN_DOUBLE = r"^[-+]?(?:[1-9]\d{0,2}[.,]\d{3}|\d{1,3})$"
_LONG_CODE = r"^[-+]?\d{16,}$"  # a DOUBLE keeps fifteen digits
_AT_ONCE = 40  # columns in one query
_LONGEST = 18  # digits of a BIGINT or a DECIMAL(18)


class WrittenNumber(NamedTuple):
    """A column read as a number. expression: over the column; note: how, with its unit, and without any value.

    type: empty where it stays text. unit: as its texts name it; empty where they have none.
    problem: a sentence where the reading is a guess. reason: why a column that looks like numbers stays text.
    """

    type: str = ""
    expression: str = ""
    note: str = ""
    unit: str = ""
    problem: str = ""
    reason: str = ""


class TextShape(NamedTuple):
    """Counts of a column of texts that look like numbers.

    values: that are not empty. comma, point, either: those that are numbers with that decimal mark, or one of them.
    open: those with one mark and three digits behind it. telling: that are more than digits. codes: begin with a zero.
    units: how many there are; first, last: two of them; money: values with a currency.
    comma_digits, point_digits: behind the mark, at most. digits: of a value, at most.
    """

    values: int
    comma: int
    point: int
    either: int
    open: int
    telling: int
    codes: int
    units: int
    first: str | None
    last: str | None
    money: int
    comma_digits: int | None
    point_digits: int | None
    digits: int

    @property
    def is_number(self) -> bool:
        """Whether every value is one, of one unit and one decimal mark, and something shows that they are no codes."""
        of_one = self.values in (self.comma, self.point) and self.units <= 1
        return bool(of_one and self.telling and not self.codes and self.digits <= _LONGEST)

    @property
    def mark(self) -> str:
        """The decimal mark that the values show; empty where they show none."""
        if self.comma == self.point or not self.is_number:
            return ""
        return COMMA if self.comma > self.point else POINT

    @property
    def is_open(self) -> bool:
        """Whether every value can be read with either mark, and the numbers would differ."""
        return self.comma == self.point and self.open > 0


def shapes_of(connection: DuckDBPyConnection, reader: str, columns: Sequence[str]) -> dict[str, TextShape]:
    """The shapes of those columns of texts of which every value looks like a number.
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
    """Those of columns that DuckDB reads as DOUBLE which it may not: codes with more digits than a DOUBLE keeps.
    Args: reader: of them as texts; thousands: also those that may be thousands."""
    tests = []
    for text in (f"trim({quote_name(name)})" for name in columns):
        long = f"bool_or(length({text}) > 15 AND regexp_matches({text}, '{_LONG_CODE}'))"
        either = f"bool_and(regexp_matches({text}, '{_OPEN_DOUBLE}')) FILTER ({text} <> '')"
        tests.append(f"{either} OR {long}" if thousands else long)
    each = _each(connection, reader, tests, 1)
    return [name for name, (found,) in zip(columns, each, strict=True) if found]


def _each(
    connection: DuckDBPyConnection, reader: str, aggregates: Sequence[str], size: int
) -> Iterable[tuple[Any, ...]]:
    """Aggregates over all that is read, `size` at a time, computed for several columns in one scan."""
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
    """The pattern of a text that is a number: a sign before or behind it, or parentheses, as accountants write."""
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
    """The decimal mark of a file, of its columns of texts (`shapes`) and of those that DuckDB reads as numbers
    (`marks`); empty where they show none, or both."""
    found = {it.mark for it in shapes if it.mark} | set(marks)
    return found.pop() if len(found) == 1 else ""


def detect_number_format(
    column: str, shape: TextShape, mark: str, *, usual: str = "", absent: str = ""
) -> WrittenNumber:
    """How a column of texts that look like numbers is read.
    Args: mark: the decimal mark of the other columns, if they show one; usual: the one to take where nothing does;
    absent: the sentence on texts that say that there is no value."""
    chosen = (mark or _guess(shape, usual)) if shape.is_open else shape.mark or POINT
    if reason := _reason(shape, chosen, telling=bool(shape.telling or absent)):
        return WrittenNumber(reason=f"Kept as text: all {shape.values:,} values look like numbers, {reason}.")
    digits = (shape.comma_digits if chosen == COMMA else shape.point_digits) or 0
    how = " with a decimal comma" if chosen == COMMA and digits else ""
    note = f"Read as a number{how}{f', in {shape.last}' if shape.last else ''}."
    problem = ""
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
    """The decimal mark of values that may have either, where no other column shows it; empty where none is likelier."""
    if shape.comma_digits and shape.point_digits:
        return ""
    if shape.money:  # has two decimals, if any
        return POINT if shape.comma_digits else COMMA
    if shape.units:
        return ""
    return usual or (COMMA if shape.comma_digits else POINT)


def _reason(shape: TextShape, mark: str, *, telling: bool) -> str:
    """Why a column stays text; empty where it does not. Args: telling: whether something shows that it has no codes."""
    if shape.codes:
        return "and some begin with 0, as codes do"
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
