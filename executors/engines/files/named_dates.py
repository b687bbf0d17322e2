"""Dates with the name of a month: `3 Mar 2024`, `12. März 2024`, `15-Jan-24`, `Oct 9, 2023 2:05 PM`, `2024년 3월 3일`.

English, German, French, Spanish, Italian, Korean, Chinese and Japanese. They are read as ISO dates. A month without a
day and `Jan-24` are not dates.
"""

from __future__ import annotations

import unicodedata

from executors.engines.duckdb.engine import literal

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
OFFSET = r"(?: ?(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))"  # of a time from UTC
_TIME = (
    rf"(?:(?:,| at| um| a| à)? (\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,6}})?)?(?: ?[ap]\.?m\.?)?)(?: Uhr|{OFFSET})?)?"
)
_DAY_FIRST = (
    rf"{_WEEKDAY}(\d{{1,2}}){_ORDINAL}{_OF}[ ./-]{{0,2}}({_MONTH})\.?,?{_OF}[ ./-]{{0,2}}(\d{{4}}|\d{{2}}){_TIME}"
)
_MONTH_FIRST = rf"{_WEEKDAY}({_MONTH})\.?[ -](\d{{1,2}}){_ORDINAL}(?:, ?| |-)(\d{{4}}){_TIME}"
_YEAR_FIRST = rf"(\d{{4}})[ ./-]({_MONTH})\.?[ ./-](\d{{1,2}}){_TIME}"
_SIGNS = rf"(\d{{4}}) ?[年년] ?(\d{{1,2}}) ?[月월] ?(\d{{1,2}}) ?[日일](?: ?\([^)]{{1,3}}\))?{_TIME}"
# The pattern of a date with a named month, and that of such a date with a year of two digits.
NAMED_DATE = rf"(?i)^(?:{_DAY_FIRST}|{_MONTH_FIRST}|{_YEAR_FIRST}|{_SIGNS})$"
SHORT_NAMED_DATE = (
    rf"(?i)^{_WEEKDAY}(\d{{1,2}}){_ORDINAL}{_OF}[ ./-]{{0,2}}{_MONTH}\.?,?{_OF}[ ./-]{{0,2}}(\d{{2}}){_TIME}$"
)
# `Jan-24`, `March 2024`, `3 March`: a month, and either a year or a day.
MONTH_ALONE = rf"(?i)^(?:{_MONTH}\.?{_OF}[ ./'-]{{0,2}}(?:\d{{4}}|\d{{2}})|\d{{1,2}}{_ORDINAL}[ ./-]{{0,2}}{_MONTH})$"


def as_iso(text: str) -> str:
    """The expression of a text as an ISO date where it is one with a named month, else as it is.

    Years of two digits are those from 1969 to 2068, as in POSIX, and stand behind the day.
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
