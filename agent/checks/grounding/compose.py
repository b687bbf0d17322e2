"""Composes an answer from the rows if no model's sentence is supported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agent.checks.grounding.evidence.facts import ColumnFacts, Facts, is_fraction, number_of, spell_out
from agent.checks.grounding.evidence.limits import limits_of
from agent.checks.grounding.numbers.display import (
    MAX_DECIMALS,
    ColumnFormat,
    column_formats,
    format_duration,
    format_number,
    is_number,
)
from agent.checks.grounding.question.nouns import find_counted_noun
from agent.core.answers import AnswerNumber
from agent.core.texts.data_files import read_texts
from agent.core.texts.units import UNIT_OF_NAME
from agent.databases.ties import write_tie_count
from agent.platform.llm.prompting import templates
from agent.platform.llm.prompting.fences import one_line
from executors.base import JsonValue
from rag.linking.month_names import NAMES

SHORT_LIST = 10  # most rows that are all listed; of more, only the first and the last
SOME = 3  # rows of a longer list without an order, whose last row tells nothing
MOST_COLUMNS = 8
_MOST_LISTED = 6  # columns of several rows; of more, a list is harder to read than the rows
_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "KRW": "₩"}
_PREFIXED = {"en", "ko"}
_UNITS = {"celsius": "°C", "mwh": "MWh", "kwh": "kWh", "gwh": "GWh", "kw": "kW", "mw": "MW", "gb": "GB", "mb": "MB"}
_UNITS |= {"m2": "m²", "sqm": "m²"}
_COUNTED_UNITS = {"second", "minute", "hour", "day", "week", "month", "year", "mile"}
_YEARS = range(1500, 2101)
_TIME = re.compile(r"\d{4}(?:-\d{2}){0,2}(?:[T ].*)?")
_MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0+)?)?")
_NAMELESS = re.compile(
    r"(?:_?col(?:umn)?_?\d*|expr\w*|_c\d+|n|c|x|cnt|value|result|\W*|count\W.*|\W*\w+\(.*"
    r"|[\W\d]*(?:sum|count|avg|min|max|cast|round)\(.*"  # `1.0 * SUM(...) / COUNT(*)`
    r"|[\w\"`]+\.[\w\"`]+ *[<>=]{1,2} *[\w\"`.']+)",  # `a.opened > b.opened`
    re.IGNORECASE,
)
# The column in a single aggregate without an alias: `MAX(t.unit_price)`.
_AGGREGATED = re.compile(
    r"(?P<how>avg|sum|min|max)\((?:\w+\.)*(?:[\"`\[](?P<quoted>[^\"`\]]+)[\"`\]]|(?P<plain>[^\W\d]\w*))\)",
    re.IGNORECASE,
)
_AGGREGATES = {"avg": "average", "sum": "total", "min": "minimum", "max": "maximum"}


_MONTH = re.compile(r"([12]\d{3})-(0[1-9]|1[0-2])")
_FIRST_OF_MONTH = re.compile(r"([12]\d{3})-(0[1-9]|1[0-2])-01(?:[T ]00:00(?::00(?:\.0+)?)?)?")
# A given name and a family name, and what they are together.
_PERSON = re.compile(
    r"(?:first|given|fore) ?name (?:last|family|sur) ?name|vorname (?:nach|familien)?name|pr[eé]nom nom(?: de famille)?"
    r"|nombre apellidos?|nome cognome"
)
_MONTH_NAME = re.compile(r"(?:^|_)(?:month|monat|mois|mes|mese)(?:$|_)", re.IGNORECASE)


class Frames(NamedTuple):
    """The texts of one language. wide: of rows with many columns. name: of a given and a family name together."""

    nothing: str
    no_value: str
    yes: str
    no: str
    by: str
    wide: str
    first: str
    last: str
    number: str
    result: str
    month: str
    tie_of_one: str
    tie_of_list: str
    average: str
    total: str
    minimum: str
    maximum: str
    found: str
    share: str
    different: str
    name: str
    month_of_year: str


FRAMES = {code: Frames(**texts) for code, texts in read_texts(__file__, "compose.toml").items()}


class Composed(NamedTuple):
    """A text, and its numbers with their cells."""

    text: str
    numbers: tuple[AnswerNumber, ...]


def one_value(facts: Facts) -> str | None:
    """The only value of the rows as an answer writes it. None if it is NULL, boolean or not the only one."""
    rows = facts.rows
    if len(rows) != 1 or len(facts.columns) != 1 or rows[0][0] is None or isinstance(rows[0][0], bool):
        return None
    return _Composer(facts).show_cell(rows[0][0], facts.columns[0])


def compose(facts: Facts) -> Composed:
    """State one value, one row, a short list, the first and last row of a long one, or that nothing was found.

    The text is in the question's language if supported, otherwise in English. Columns are called by their labels in the
    docs or by their names. Units and currencies are written if the docs state them.
    """
    return _Composer(facts).write_sentence()


def holds_years(facts: Facts, column: ColumnFacts) -> bool:
    """Whether all numbers of a column may be years, and nothing indicates otherwise."""
    if column.projection.aggregate not in ("", "min", "max") or column.units or column.currency or column.percent:
        return False
    cells = [row[column.index] for row in facts.rows]
    return all(cell is None or (type(cell) is int and cell in _YEARS) for cell in cells)


def write_ties(facts: Facts, ties: int) -> str:
    """A sentence stating that `ties` further rows tie with the last one, to follow the answer. Empty for none."""
    frames = FRAMES.get(facts.language or "en", FRAMES["en"])
    frame = frames.tie_of_one if len(facts.rows) == 1 else frames.tie_of_list
    return f" {frame.format(count=write_tie_count(ties))}" if ties else ""


def show_cell(facts: Facts, row: int, column: ColumnFacts) -> str:
    """A cell as a composed answer writes it, with the unit or currency of its column."""
    return _Composer(facts).show_cell(facts.rows[row][column.index], column)


def label_columns(facts: Facts) -> tuple[str, ...]:
    """The label of each column, as inside a sentence: "average price" for `AVG(t.price)`."""
    composer = _Composer(facts)
    return tuple(composer._inside(composer._label(column)) for column in facts.columns)


def are_names_of_person(given: str, family: str) -> bool:
    """Whether two column names are those of the given name and the family name of a person."""
    return _PERSON.fullmatch(f"{given} {family}".lower().replace("_", " ")) is not None


@dataclass
class _Composer:
    facts: Facts
    _text: str = ""
    _numbers: list[AnswerNumber] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._language = self.facts.language or "en"
        self._frames = FRAMES.get(self._language, FRAMES["en"])
        result = self.facts.result
        self._formats: Sequence[ColumnFormat] = column_formats(result.columns, result.rows)

    def write_sentence(self) -> Composed:
        facts = self.facts
        columns = facts.columns[:MOST_COLUMNS]
        if not facts.rows:
            self._text = self._frames.nothing
        elif counted := self._find_count(columns):
            self._say_count(*counted)
        elif len(facts.rows) == 1:
            for place, column in enumerate(columns):
                label = self._label(column)
                limits = "" if place else self._limits(columns)
                self._add(f"; {self._inside(label)}: " if place else f"{_capital(label)}{limits}: ")
                self._add_cell(0, column)
            self._end()
        elif len(columns) > _MOST_LISTED and len(facts.rows) > SOME:
            self._list_columns(columns)
        else:
            self._list(columns)
        return Composed(self._text, tuple(self._numbers))

    def _find_count(self, columns: Sequence[ColumnFacts]) -> tuple[ColumnFacts, ColumnFacts, str] | None:
        """A name, a count, and the question's noun for what is counted. None if the rows have another form.

        The noun is a plural, so it does not fit a count of one. A query with conditions counts fewer of them.
        """
        if len(self.facts.rows) != 1 or len(columns) != 2 or len(self.facts.columns) != 2:
            return None
        (name, count), row = columns, self.facts.rows[0]
        if self.facts.query.conditions or self.facts.query.joined or row[count.index] == 1:
            return None
        if name.kind != "dimension" or not str(row[name.index] or "").strip():
            return None
        noun = find_counted_noun(count, self.facts) if type(row[count.index]) is int else ""
        return (name, count, noun) if noun else None

    def _say_count(self, name: ColumnFacts, count: ColumnFacts, noun: str) -> None:
        """ "DE: 1,533 customers." """
        self._add_cell(0, name)
        self._add(f"{self._limits((name, count))}: ")
        self._add_cell(0, count)
        self._add(f" {self._inside(noun)}")
        self._end()

    def _list_columns(self, columns: Sequence[ColumnFacts]) -> None:
        """ "The rows show id, plate, starts, …" """
        more = ", …" if len(self.facts.columns) > len(columns) else ""
        labels = ", ".join(self._inside(self._label(it)) for it in columns)
        self._add(f"{self._frames.wide.format(columns=f'{labels}{more}')}{self._limits(columns)}")
        self._end()

    def _list(self, columns: Sequence[ColumnFacts]) -> None:
        keys = [it for it in columns if it.kind == "dimension"]
        others = [it for it in columns if it.kind != "dimension"]
        key = ", ".join(self._list_keys(keys))
        label = ", ".join(self._inside(self._label(it)) for it in others) or key
        if keys and others:
            label = self._frames.by.format(measure=label, key=key)
        self._add(f"{_capital(label)}{self._limits(columns)}: ")
        count = len(self.facts.rows)
        ordered, is_sorted = self._sort_times(keys)
        ends = count > SHORT_LIST and is_sorted
        rows = ordered if count <= SHORT_LIST else [ordered[0], ordered[-1]] if ends else ordered[:SOME]
        for place, row in enumerate(rows):
            self._add("; " if place else "")
            if ends:
                self._add(f"{self._frames.last if place else self._frames.first} ")
            self._row(row, keys, others)
        self._add("; …" if len(rows) == SOME < count else "")
        self._end()

    def _sort_times(self, keys: Sequence[ColumnFacts]) -> tuple[list[int], bool]:
        """The row indexes, and whether they have ends: the first and last time, or those of the query's order.

        Times in another order have none: of years by amount, the first row is not the first year. So have names in
        their own order: the first of the alphabet is no first.
        """
        rows, order = self.facts.rows, [name for name, _ in self.facts.query.order[:1]]
        names = [it for it in keys if it.name.lower() in order or {*order} & {*it.projection.sources}]
        ordered = bool(order) and not any(_is_name(row[it.index]) for it in names[:1] for row in rows)
        times = [str(row[keys[0].index]) for row in rows] if keys else []
        if times and all(_TIME.fullmatch(time) for time in times):
            in_time = sorted(range(len(rows)), key=times.__getitem__)
            if not ordered or (len(rows) > SHORT_LIST and sorted(times) in (times, times[::-1])):
                return in_time, True
            ordered = False
        return list(range(len(rows))), ordered

    def _limits(self, columns: Sequence[ColumnFacts]) -> str:
        """The limits in the question's own words, if no shown column states them."""
        cells = [(row[it.index], it) for row in self.facts.rows[:SHORT_LIST] for it in columns]
        shown = " ".join(text for cell, it in cells for text in (str(cell), self.show_cell(cell, it))).lower()
        shown += " ".join(("", *(self._label(it).lower() for it in columns)))
        found = [it for it in limits_of(self.facts) if it.lower() not in shown]
        return f" ({', '.join(found)})" if found else ""

    def _list_keys(self, keys: Sequence[ColumnFacts]) -> Iterator[str]:
        """The labels of the columns that name the rows; a given name and the family name behind it are one."""
        for place, column in enumerate(keys):
            if place and _are_one_name(keys[place - 1], column):
                continue
            is_person = _are_one_name(column, *keys[place + 1 : place + 2])
            yield self._frames.name if is_person else self._inside(self._label(column))

    def _row(self, row: int, keys: Sequence[ColumnFacts], others: Sequence[ColumnFacts]) -> None:
        cells = self.facts.rows[row]
        for place, column in enumerate(keys):
            is_family = place > 0 and _are_one_name(keys[place - 1], column)
            whole = is_family and None not in (cells[keys[place - 1].index], cells[column.index])
            self._add(" " if whole else ", " if place else "")
            self._add_cell(row, column)
        self._add(": " if keys and others else "")
        for place, column in enumerate(others):
            self._add(", " if place else "")
            self._add(f"{self._inside(self._label(column))} " if len(others) > 1 else "")
            self._add_cell(row, column)

    def _label(self, column: ColumnFacts) -> str:
        if noun := find_counted_noun(column, self.facts):
            return noun
        if _NAMELESS.fullmatch(column.name):
            if aggregated := _AGGREGATED.fullmatch(column.name):
                frame: str = getattr(self._frames, _AGGREGATES[aggregated["how"].lower()])
                return frame.format(column=spell_out(aggregated["quoted"] or aggregated["plain"]))
            if column.projection.aggregate == "count":
                is_alone = len(self.facts.rows) == len(self.facts.columns) == 1
                return self._label_count(column) if is_alone else self._frames.number
            return self._frames.result
        if self._language != "en" and column.kind == "dimension" and self._months(column):
            return self._frames.month
        own = column.name.replace("_", " ")
        is_own = self._language == "de" and own.casefold() == column.label.casefold()
        return own if is_own else column.label

    def _label_count(self, column: ColumnFacts) -> str:
        """What a count without a name counts: the records of the query's tables, or different values."""
        computed, tables = column.projection, ", ".join(it.replace("_", " ") for it in self.facts.query.read)
        if computed.counts == "records" and computed.distinct and len(computed.sources) == 1:
            return self._frames.different.format(column=spell_out(computed.sources[0]))
        if computed.counts == "records" and not computed.distinct and tables:
            return self._frames.found.format(tables=tables)
        if computed.counts == "share" and tables and is_fraction(self.facts, column):
            return self._frames.share.format(tables=tables)
        return self._frames.number

    def _inside(self, label: str) -> str:
        """A label inside a sentence. German nouns stay capitalized."""
        return label if self._language == "de" else _lower(label)

    def _add(self, text: str) -> None:
        self._text += text

    def _end(self) -> None:
        self._text += "" if self._text.endswith((".", "!", "?", "…")) else "."

    def _add_cell(self, row: int, column: ColumnFacts) -> None:
        cell = self.facts.rows[row][column.index]
        shown, name = self.show_cell(cell, column), self.facts.key_names.get(column.index, {}).get(str(cell), "")
        start = len(self._text)
        self._add(shown)
        if any(char.isdigit() for char in shown):
            key = self.facts.result.columns[column.index]
            self._numbers.append(
                AnswerNumber(text=shown, start=start, end=len(self._text), source="result", row=row, column=key)
            )
        self._add(f" ({templates.cut(one_line(name), templates.CELL_CHARS)})" if name else "")

    def show_cell(self, cell: JsonValue, column: ColumnFacts) -> str:
        if cell is None:
            return self._frames.no_value
        if isinstance(cell, bool) or (column.kind == "flag" and column.name.lower().startswith(("is_", "has_"))):
            return self._frames.yes if cell else self._frames.no
        if (month := self._months(column)) and (found := month.fullmatch(str(cell))):
            return _write_month(int(found[1]), int(found[2]), self._language)
        if not is_number(cell):
            value = number_of(cell) if column.kind == "measure" else None
            if value is None and (duration := format_duration(str(cell), self._language)):
                return duration
            if value is None:
                return templates.cut(one_line(_MIDNIGHT.sub(r"\1", str(cell))), templates.CELL_CHARS)
            return self._with_unit(format_number(value, self._language), column)
        if (column.currency and column.scale != 1) or column.scale > 1:  # cents, or millions of anything
            whole = number_of(cell)
            cell = float(whole * column.scale) if whole is not None and not column.names_scale else cell
        return self._with_unit(format_number(cell, self._language, self._format(column)), column)

    def _months(self, column: ColumnFacts) -> re.Pattern[str] | None:
        """The pattern of a column's months, if all its values are months."""
        cells = [row[column.index] for row in self.facts.rows if row[column.index] is not None]
        holds_days = column.projection.monthly or _MONTH_NAME.search(column.name)
        for pattern in (_MONTH, _FIRST_OF_MONTH) if holds_days else (_MONTH,):
            if cells and all(isinstance(it, str) and pattern.fullmatch(it) for it in cells):
                return pattern
        return None

    def _format(self, column: ColumnFacts) -> ColumnFormat:
        found = self._formats[column.index]
        if column.kind == "dimension":
            return ColumnFormat(grouped=False, decimals=found.decimals)
        if holds_years(self.facts, column):
            return ColumnFormat(grouped=False, decimals=0)
        money = column.currency and column.currency not in ("JPY", "KRW") and not column.names_scale
        stored = column.projection.aggregate in ("", "sum", "min", "max") and not column.projection.quotient
        exact = stored and column.projection.sources != () and set(column.projection.sources) <= self.facts.hundredths
        if money or exact:
            return ColumnFormat(grouped=found.grouped, decimals=2)
        return found if found.decimals is not None else self._round(column, found)

    def _round(self, column: ColumnFacts, found: ColumnFormat) -> ColumnFormat:
        """Round computed numbers with many decimals as a person would: "42.67", "0.3333"."""
        sizes = [abs(cell) for row in self.facts.rows if is_number(cell := row[column.index]) and cell]
        plain = column.projection.aggregate in ("", "min", "max") and not column.projection.quotient
        most = 2 if column.percent else MAX_DECIMALS  # a share of 32 bits has few decimals, too
        if plain or all(round(it, most) == it for it in sizes):
            return found
        return ColumnFormat(grouped=found.grouped, decimals=2 if min(sizes) >= 1 else 4 if min(sizes) >= 0.01 else None)

    def _with_unit(self, digits: str, column: ColumnFacts) -> str:
        if column.kind != "measure":
            return digits
        if column.percent:
            return f"{digits}%" if self._language in _PREFIXED else f"{digits} %"
        if column.currency and column.names_scale:
            return digits  # "price cents: 1,250", "gross millions: 412.7"
        if column.currency:
            symbol = _SYMBOLS.get(column.currency, column.currency)
            if self._language in _PREFIXED and not symbol.isalpha():
                return f"-{symbol}{digits[1:]}" if digits.startswith("-") else f"{symbol}{digits}"
            return f"{digits} {symbol}"
        computed = column.projection  # its unit is that of its source only if it is not converted to another
        is_other = computed.product or (computed.scaled and not UNIT_OF_NAME.search(f"_{column.name}"))
        if not column.units or column.units[0] == "%" or column.rate or is_other:
            return digits
        unit = _UNITS.get(column.units[0], column.units[0])
        if unit.removesuffix("s") in _COUNTED_UNITS:
            unit = unit.removesuffix("s") + ("" if digits == "1" else "s")
        return f"{digits} {unit}"


def _is_name(cell: JsonValue) -> bool:
    """Whether a cell is a text that is no time: "2024-Q1" is one."""
    return isinstance(cell, str) and not cell[:4].isdigit()


def _are_one_name(given: ColumnFacts, *family: ColumnFacts) -> bool:
    """Whether two columns are the given name and the family name of a person."""
    return any(are_names_of_person(given.name, it.name) for it in family)


def _write_month(year: int, number: int, language: str) -> str:
    """`March 2024`, `marzo de 2024`, `2024년 3월`. Args: number: from 1."""
    names = NAMES.get(language, NAMES["en"]).split()
    frame = FRAMES.get(language, FRAMES["en"]).month_of_year
    return frame.format(year=year, number=number, month=names[number - 1])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    """A label inside a sentence: its first letter in lower case, except in an abbreviation."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
