"""Reads dates as people write them, in columns of texts: `31.12.23`, `04/13/2024 2:05 PM`, `3 Mar 2024`, or a mixture.

A column is read as dates only if all values are dates with the same order of day, month and year; ISO dates may be
among them. If several orders fit, the column's note names the one that was used.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from executors.engines.duckdb.engine import literal
from executors.engines.files.file_table import absent_note, fetch_row, value_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Names of months and days in English, German, French, Spanish and Italian. Korean, Chinese and Japanese dates have
# signs. A month without a day is not a date, and neither is `Jan-24`.
_NAMES = (
    "january januar jänner janvier enero gennaio jan jän janv ene gen",
    "february februar feber février febrero febbraio feb fév févr",
    "march märz maerz mars marzo mar mär mrz",
    "april avril abril aprile apr avr abr",
    "may mai mayo maggio mag",
    "june juni juin junio giugno jun giu",
    "july juli juillet julio luglio jul juil lug",
    "august août agosto aug ago",
    "september septembre septiembre setiembre settembre sep sept set",
    "october oktober octobre octubre ottobre oct okt ott",
    "november novembre noviembre nov",
    "december dezember décembre diciembre dicembre dec dez déc dic",
)
_WEEKDAYS = (
    "monday mon montag mo lundi lun lunes lunedì tuesday tues tue dienstag di mardi mar martes martedì wednesday wed "
    "mittwoch mi mercredi mer miércoles mié mercoledì thursday thurs thur thu donnerstag do jeudi jeu jueves jue "
    "giovedì gio friday fri freitag fr vendredi ven viernes vie venerdì saturday sat samstag sonnabend sa samedi sam "
    "sábado sáb sabato sab sunday sun sonntag so dimanche dim domingo domenica dom"
)


def _bare(name: str) -> str:
    return "".join(it for it in unicodedata.normalize("NFD", name) if not unicodedata.combining(it))


def _spellings(names: str) -> list[str]:
    return sorted({spelling for name in names.split() for spelling in (name, _bare(name))})


def _any_of(names: str) -> str:
    return "|".join(sorted(_spellings(names), key=len, reverse=True))


_NUMBERS = {spelling: number for number, names in enumerate(_NAMES, 1) for spelling in _spellings(names)}
_MONTH = rf"(?:{_any_of(' '.join(_NAMES))})"
_WEEKDAY = rf"(?:(?:{_any_of(_WEEKDAYS)})\.?,? )?"
_ORDINAL = "(?:st|nd|rd|th|er|[.º°ª])?"
_OF = "(?: of| de| del)?"
OFFSET = r"(?: ?(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))"  # a time's offset from UTC
_NAMED_TIME = (
    rf"(?:(?:,| at| um| a| à)? (\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,6}})?)?(?: ?[ap]\.?m\.?)?)(?: Uhr|{OFFSET})?)?"
)
_DAY_FIRST = (
    rf"{_WEEKDAY}(\d{{1,2}}){_ORDINAL}{_OF}[ ./-]{{0,2}}({_MONTH})\.?,?{_OF}[ ./-]{{0,2}}(\d{{4}}|\d{{2}}){_NAMED_TIME}"
)
_MONTH_FIRST = rf"{_WEEKDAY}({_MONTH})\.?[ -](\d{{1,2}}){_ORDINAL}(?:, ?| |-)(\d{{4}}){_NAMED_TIME}"
_YEAR_FIRST = rf"(\d{{4}})[ ./-]({_MONTH})\.?[ ./-](\d{{1,2}}){_NAMED_TIME}"
_SIGNS = rf"(\d{{4}}) ?[年년] ?(\d{{1,2}}) ?[月월] ?(\d{{1,2}}) ?[日일](?: ?\([^)]{{1,3}}\))?{_NAMED_TIME}"
# The pattern of a date with a named month, and the pattern of such a date with a two-digit year.
NAMED_DATE = rf"(?i)^(?:{_DAY_FIRST}|{_MONTH_FIRST}|{_YEAR_FIRST}|{_SIGNS})$"
SHORT_NAMED_DATE = (
    rf"(?i)^{_WEEKDAY}(\d{{1,2}}){_ORDINAL}{_OF}[ ./-]{{0,2}}{_MONTH}\.?,?{_OF}[ ./-]{{0,2}}(\d{{2}}){_NAMED_TIME}$"
)
# `Jan-24`, `March 2024`, `3 March`: a month, and either a year or a day.
MONTH_ALONE = rf"(?i)^(?:{_MONTH}\.?{_OF}[ ./'-]{{0,2}}(?:\d{{4}}|\d{{2}})|\d{{1,2}}{_ORDINAL}[ ./-]{{0,2}}{_MONTH})$"


def as_iso(text: str) -> str:
    """SQL that converts a date with a named month to an ISO date, and returns other texts unchanged.

    Two-digit years are from 1969 to 2068, as in POSIX, and follow the day.
    """
    parts = text
    for pattern, order in ((_DAY_FIRST, r"\3 \2 \1 \4"), (_MONTH_FIRST, r"\3 \1 \2 \4"), (_YEAR_FIRST, r"\1 \2 \3 \4")):
        parts = f"regexp_replace({parts}, {literal(f'(?i)^{pattern}$')}, '{order}')"
    parts = f"regexp_replace({parts}, {literal(f'(?i)^{_SIGNS}$')}, '\\1 \\2월 \\3 \\4')"
    year, name, day, time = (
        f"regexp_extract({parts}, {literal(it)}, 1)"
        for it in (r"^(\d+)", r"^\d+ ([^ \d]+|\d+월) ", r"^\d+ [^ ]+ (\d+)", r"^\d+ [^ ]+ \d+ (.+)$")
    )
    century = f"CASE WHEN length({year}) = 4 THEN '' WHEN {year} < '69' THEN '20' ELSE '19' END"
    names = ", ".join(f"{literal(name)}: {number}" for name, number in _ALL.items())
    month = f"MAP {{{names}}}[lower({name})]"
    iso = f"trim(concat({century}, {year}, '-', {month}, '-', {day}, ' ', {time}))"
    return f"CASE WHEN regexp_matches({text}, {literal(NAMED_DATE)}) THEN {iso} ELSE {text} END"


_ALL = _NUMBERS | {f"{number:0{width}d}월": number for number in range(1, 13) for width in (1, 2)}


_HALF = r"(?i) ?([ap])\.?m\.?$"  # AM or PM after a time of twelve hours
_TIME = rf"(?:[ T]\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,6}})?)?(?: ?[AaPp]\.?[Mm]\.?)?{OFFSET}?)?"
_BEHIND = rf"(:\d{{2}}(?:\.\d+)?(?: ?[AaPp]\.?[Mm]\.?)?)({OFFSET})$"  # the end of a time, and its offset
_TWELVE = "['%Y-%m-%d %I:%M %p', '%Y-%m-%d %I:%M:%S %p', '%Y-%m-%d %I:%M:%S.%f %p']"
_SHAPE = "^(?:" + "|".join(
    rf"\d{{4}}{it}\d{{1,2}}{it}\d{{1,2}}|\d{{1,2}}{it}\d{{1,2}}{it}\d{{4}}|\d{{{least},2}}{it}\d{{{least},2}}{it}\d{{2}}"
    for it, least in ((r"\.", 2), ("-", 1), ("/", 1))  # 1.2.10 is a version or a chapter
) + f"){_TIME}$"  # fmt: skip
_SHORT = r"^\d{1,2}\D\d{1,2}\D\d{2}(?:\D.*)?$"
_DOTTED = r"^\d{1,2}\.\d{1,2}\.\d{4}"
_YEAR = r"^\d{4}\D"
_MOST_OFFSETS = 2
# Positions of the year, the month and the day in a date of three parts.
_ORDERS = {"day": (3, 2, 1), "month": (3, 1, 2), "year": (1, 2, 3)}


class WrittenDate(NamedTuple):
    """A column read as dates.

    type: Empty if the column stays text because its values have several orders. expression: SQL over the column.
    order: The first part, "day", "month" or "year". Empty if all values begin with a four-digit year.
    note: How the column is read, without values. problem: The same if the reading is a guess, or is impossible.
    """

    type: str
    expression: str
    order: str
    note: str = ""
    problem: str = ""


class DateColumns(NamedTuple):
    """Text columns whose values all have the form of a date.

    numbered: All values have only digits. named: Some months have names. months: All values are months without a day or
    without a year, which are not dates. zoned: Dates with times that have an offset from UTC. valueless: Columns that
    have no value.
    """

    numbered: tuple[str, ...]
    named: tuple[str, ...]
    months: tuple[str, ...]
    zoned: tuple[str, ...]
    valueless: tuple[str, ...]


def columns_of_dates(connection: DuckDBPyConnection, reader: str, columns: Sequence[str]) -> DateColumns:
    """Find the columns of dates among text columns, in one scan."""
    if not columns:
        return DateColumns((), (), (), (), ())
    texts = [value_of(name) for name in columns]
    tests = (("and", _SHAPE), ("and", f"{_SHAPE}|{NAMED_DATE}"), ("and", MONTH_ALONE), ("or", _BEHIND))
    shaped = ", ".join(
        f"bool_{all_or_any}(regexp_matches({it}, {literal(test)})) FILTER ({it} <> '')"
        for it in texts
        for all_or_any, test in tests
    )
    row = fetch_row(connection, f"SELECT {shaped} FROM {reader}")
    found = list(zip(columns, zip(*[iter(row)] * len(tests), strict=True), strict=True))
    return DateColumns(
        tuple(name for name, (numbered, _, _, _) in found if numbered),
        tuple(name for name, (numbered, either, _, _) in found if either and not numbered),
        tuple(name for name, (_, _, alone, _) in found if alone),
        tuple(name for name, (_, either, _, zoned) in found if either and zoned),
        tuple(name for name, (numbered, _, _, _) in found if numbered is None),
    )


def detect_date_format(
    connection: DuckDBPyConnection,
    reader: str,
    column: str,
    *,
    named: bool = False,
    zoned: bool = False,
    first: str = "",
) -> WrittenDate | None:
    """How to read a column of texts that look like dates. None if they are not dates.
    Args: reader: the table function, or a query in parentheses; named: whether months have names; zoned: whether times
    have an offset from UTC; first: "day" or "month", which wins if several orders fit."""
    text = value_of(column)
    zone, moved = _zone(connection, reader, text) if zoned else ("", None)
    text = f"regexp_replace({text}, {literal(_BEHIND)}, '\\1')" if zoned else text
    if named and _has_year_first(connection, reader, text):
        problem = "Its dates may have a day of two digits first, or a year; it is kept as text."
        return WrittenDate("", text, "", problem, problem)
    text = as_iso(text) if named else text
    readings = {order: _moment(_reading(text, order)) for order in _ORDERS}
    valid = {order: f"{it} IS NOT NULL" for order, it in readings.items()}
    short = f"regexp_matches({text}, '{_SHORT}')"
    count, *fitting, with_year, shorts, timed, either, firsts, lasts = fetch_row(
        connection,
        f"SELECT count(*), {', '.join(f'count(*) FILTER ({it})' for it in valid.values())}, "
        f"count(*) FILTER (regexp_matches({text}, '{_YEAR}')), count(*) FILTER ({short}), "
        f"count(*) FILTER (contains({text}, ':')), "
        f"count(*) FILTER ({valid['day']} OR {valid['month']}), "
        rf"count(DISTINCT regexp_extract({text}, '^\d+')) FILTER ({short}), "
        rf"count(DISTINCT regexp_extract({text}, '^\d+\D\d+\D(\d+)', 1)) FILTER ({short}) "
        f"FROM {reader} WHERE {text} <> ''",
    )
    absent = absent_note(connection, reader, column)
    possible = [order for order, found in zip(_ORDERS, fitting, strict=True) if found == count]
    if not count or not possible:
        problem = "Some of its dates have the day first and others the month first; it is kept as text."
        return WrittenDate("", text, "", problem, problem) if count and either == count else None
    kind = "TIMESTAMP" if timed else "DATE"
    absent = " ".join(filter(None, (zone, absent)))
    if with_year == count:
        return WrittenDate(kind, _shift(f"CAST({readings['day']} AS {kind})", moved), "", absent)
    if "year" in possible and len(possible) > 1 and firsts > lasts:
        possible.remove("year")  # days vary more than years
    order = "year" if "year" in possible and firsts < lasts else possible[0]
    guess = remedy = ""
    if len(possible) > 1 and order == "day":
        dotted = f"SELECT bool_and(regexp_matches({text}, '{_DOTTED}')) FROM {reader} WHERE {text} <> ''"
        possible = ["day"] if fetch_row(connection, dotted)[0] else possible  # nobody writes 12.31.2024
    if first in possible:
        possible, order = [first], first
    if len(possible) > 1:
        guess = (
            f"Every value can be read with the {' or the '.join(possible)} first; it is read with the {order} first."
        )
        remedy = other_order(*(it for it in possible if it != order))
    notes = [guess] if guess else [f"Years have two digits; read with the {order} first."] if shorts else []
    if with_year:
        notes.append(f"Some dates have the year first, the others the {order}.")
    problem = " ".join(filter(None, (*notes, remedy))) if guess or with_year else ""
    note = " ".join([*notes, absent] if absent else notes)
    return WrittenDate(kind, _shift(f"CAST({readings[order]} AS {kind})", moved), order, note, problem)


def other_order(*orders: str) -> str:
    """What to do if a guess is wrong. Args: orders: those that fit, too. Empty if no setting chooses them."""
    ways = [f"`dates: {it}_first`" for it in orders if it != "year"]
    return f"Give {' or '.join(ways)} if that is wrong." if ways else ""


def _zone(connection: DuckDBPyConnection, reader: str, text: str) -> tuple[str, str | None]:
    """A sentence on a column's offsets from UTC, and the SQL of an offset in minutes if times are converted to UTC.

    One zone has at most two offsets, for summer and winter. Its times are read as local times.
    """
    offset = f"upper(trim(regexp_extract({text}, {literal(_BEHIND)}, 2)))"
    count, least, most = fetch_row(
        connection, f"SELECT count(DISTINCT {offset}), min({offset}), max({offset}) FROM {reader} WHERE {text} <> ''"
    )
    if count <= _MOST_OFFSETS and least:
        return f"Times are as written; offset from UTC: {', '.join(dict.fromkeys((least, most)))}.", None
    digits = f"regexp_extract({offset}, '^([+-]\\d{{2}})', 1)"
    minutes = (
        f"coalesce(TRY_CAST(concat(left({offset}, 1), regexp_extract({offset}, '\\d{{2}}:?(\\d{{2}})$', 1)) AS INT), 0)"
    )
    return "Times are converted to UTC.", f"(60 * coalesce(TRY_CAST({digits} AS INT), 0) + {minutes})"


def _shift(moment: str, minutes: str | None) -> str:
    return moment if minutes is None else f"({moment} - to_minutes({minutes}))"


def _has_year_first(connection: DuckDBPyConnection, reader: str, text: str) -> bool:
    """Whether the numbers after named months vary more than those before them, if both have at most two digits."""
    pattern = literal(SHORT_NAMED_DATE)
    first, last = (f"regexp_extract({text}, {pattern}, {group})" for group in (1, 2))
    counts = f"SELECT count(DISTINCT {first}), count(DISTINCT {last})"
    before, behind = fetch_row(connection, f"{counts} FROM {reader} WHERE regexp_matches({text}, {pattern})")
    return bool(before < behind)


def _moment(text: str) -> str:
    """SQL that converts an ISO date with a time, also of twelve hours, to a timestamp, or NULL if it is invalid."""
    twelve = f"try_strptime(upper(regexp_replace({text}, '{_HALF}', ' \\1M')), {_TWELVE})"
    return f"CASE WHEN regexp_matches({text}, '{_HALF}') THEN {twelve} ELSE TRY_CAST({text} AS TIMESTAMP) END"


def _reading(text: str, order: str) -> str:
    """SQL that converts a text to an ISO date. Two-digit years are from 1969 to 2068, as in POSIX."""
    year, month, day = (rf"\{place}" for place in _ORDERS[order])
    parts = [r"(\d{1,2})"] * 3
    found = rf"regexp_replace({text}, '^(\d{{4}})\D(\d{{1,2}})\D(\d{{1,2}})', '\1-\2-\3')"
    if order != "year":
        found = rf"regexp_replace({found}, '^(\d{{1,2}})\D(\d{{1,2}})\D(\d{{4}})', '{year}-{month}-{day}')"
    for century, decades in ((20, "[0-5][0-9]|6[0-8]"), (19, "69|[7-9][0-9]")):
        parts[_ORDERS[order][0] - 1] = f"({decades})"
        pattern = rf"^{parts[0]}\D{parts[1]}\D{parts[2]}(\D.*)?$"
        found = rf"regexp_replace({found}, '{pattern}', '{century}{year}-{month}-{day}\4')"
    return found
