"""Times relative to today: `last month`, `letzte Woche`, `les 3 derniers mois`, `지난달`.

A calendar unit is whole: last month is the calendar month before this one, and a week is Monday to Sunday. `The last 30
days` are thirty days that end today. Only days are counted, never hours, so clock changes have no effect.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from typing import NamedTuple

from rag.linking.dates import Period, in_order

# Expressions whose meaning changes each day, in the supported languages.
_RELATIVE = re.compile(
    r"\b(?:today|yesterday|tomorrow|tonight|now|currently|ago|recent(?:ly)?|so far|to date|up to now|[ymqw]td"
    r"|(?:this|last|past|previous|prior|next|current|coming|present|latest|trailing|rolling)\s+(?:\w+\s+){0,2}?"
    r"(?:hours?|days?|nights?|weeks?|weekend|months?|quarters?|seasons?|years?|decades?|semesters?|period"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)"
    r"|heute|gestern|morgen|derzeit|aktuell\w*|bisher|(?:letzt|vorig|vergangen|dies|nächst|laufend)e[nmrs]?"
    r"|aujourd'hui|hier|demain|derni[eè]re?s?|cette|prochaine?|hoy|ayer|mañana|últim[oa]s?|pasad[oa]s?|est[ea]|actual"
    r"|oggi|ieri|scors[oa]|quest[oa])\b",
    re.IGNORECASE,
)


def counts_from_today(question: str) -> bool:
    """Whether the meaning of a question changes each day."""
    return bool(_RELATIVE.search(question) or relative_periods(question, date(2000, 1, 1)))


_UNITS = ("day", "week", "month", "quarter", "year")
_MOST = 1_000  # most units counted back


class _Tongue(NamedTuple):
    """Patterns of one language, with the placeholders `{unit}` and `{n}`.

    units: names of the units. numbers: in words, from two on. today, yesterday: words for them.
    this, last, following: phrases with a unit. counted: a number of units back from today.
    words: words for one unit, such as `올해`: the kind of phrase, the unit, the words.
    """

    units: dict[str, str]
    today: str
    yesterday: str
    this: str
    last: str
    following: str
    counted: str
    to_date: str = ""
    numbers: str = ""
    words: tuple[tuple[str, str, str], ...] = ()


_ENGLISH = _Tongue(
    units={"day": "days?", "week": "weeks?", "month": "months?", "quarter": "quarters?", "year": "years?"},
    today=r"today",
    yesterday=r"yesterday",
    this=r"(?:this|the\s+current)\s+{unit}(?!\s+(?:of|in|to)\b)",
    last=r"(?:last|the\s+previous|previous)\s+{unit}(?!\s+(?:of|in|before)\b)",
    following=r"next\s+{unit}(?!\s+(?:of|in)\b)",
    counted=r"(?:last|past|previous)\s+{n}\s+{unit}",
    to_date=r"{unit}[-\s]to[-\s]date",
    numbers="two three four five six seven eight nine ten eleven twelve",
)
_GERMAN = _Tongue(
    units={
        "day": "Tage?n?",
        "week": "Wochen?",
        "month": "Monate?n?s?",
        "quarter": "Quartale?n?s?",
        "year": "Jahre?n?s?",
    },
    today=r"heute",
    yesterday=r"gestern",
    this=r"(?:diese[nmrs]?|aktuelle[nmrs]?|laufende[nmrs]?)\s+{unit}",
    last=r"(?:letzte|vorige|vergangene)[nmrs]?\s+{unit}",
    following=r"nächste[nmrs]?\s+{unit}",
    counted=r"(?:letzten|vergangenen)\s+{n}\s+{unit}",
    numbers="zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
)
_FRENCH = _Tongue(
    units={"day": "jours?", "week": "semaines?", "month": "mois", "quarter": "trimestres?", "year": "(?:an(?:née)?s?)"},
    today=r"aujourd['’]hui",
    yesterday=r"hier",
    this=r"(?:ce|cette)\s+{unit}|(?:le|la|l['’])\s*{unit}\s+en\s+cours",
    last=r"(?:le|la|l['’])\s*{unit}\s+(?:derni[eè]re?|pass[eé]e?|pr[eé]c[eé]dente?)",
    following=r"(?:le|la|l['’])\s*{unit}\s+prochaine?",
    counted=r"(?:{n}\s+derni[eè]re?s|derni[eè]re?s\s+{n})\s+{unit}",
    numbers="deux trois quatre cinq six sept huit neuf dix onze douze",
)
_SPANISH = _Tongue(
    units={"day": "d[ií]as?", "week": "semanas?", "month": "mes(?:es)?", "quarter": "trimestres?", "year": "años?"},
    today=r"hoy",
    yesterday=r"ayer",
    this=r"(?:este|esta)\s+{unit}",
    last=r"(?:el|la|del)\s+{unit}\s+(?:pasad[oa]|anterior)|(?:el|la|del)\s+últim[oa]\s+{unit}",
    following=r"(?:el|la|del)\s+(?:próxim[oa]\s+{unit}|{unit}\s+(?:próxim[oa]|que\s+viene))",
    counted=r"(?:últim[oa]s\s+{n}|{n}\s+últim[oa]s)\s+{unit}",
    numbers="dos tres cuatro cinco seis siete ocho nueve diez once doce",
)
_ITALIAN = _Tongue(
    units={
        "day": "giorn[oi]",
        "week": "settiman[ae]",
        "month": "mes[ei]",
        "quarter": "trimestr[ei]",
        "year": "ann[oi]",
    },
    today=r"oggi",
    yesterday=r"ieri",
    this=r"quest(?:o\s+|a\s+|['’])\s*{unit}|(?:il|la|del|della)\s+{unit}\s+(?:corrente|in\s+corso)",
    last=r"{unit}\s+(?:scors[oa]|passat[oa]|precedente)|(?:lo\s+|la\s+)?(?:scors[oa]|passat[oa])\s+{unit}",
    following=r"(?:il|la|l['’]|del|della)\s*{unit}\s+prossim[oa]|(?:il|la)\s+prossim[oa]\s+{unit}",
    counted=r"(?:ultim[ie]\s+{n}|{n}\s+ultim[ie])\s+{unit}",
    numbers="due tre quattro cinque sei sette otto nove dieci undici dodici",
)
_KOREAN = _Tongue(
    units={
        "day": "일(?!요)",
        "week": "주(?!문)일?",
        "month": "(?:개월|달(?!러))",
        "quarter": r"(?:개\s?)?분기",
        "year": "(?:년|해(?!외))",
    },
    today=r"오늘",
    yesterday=r"어제",
    this=r"이번\s?{unit}",
    last=r"(?:지난|저번)\s?{unit}(?!\s?(?:간|동안))",
    following=r"다음\s?{unit}",
    counted=r"(?:지난|최근)\s?{n}\s?{unit}",
    words=(
        ("this", "month", "이달|금월"),
        ("this", "year", "올해|금년"),
        ("last", "month", "전월"),
        ("last", "year", "작년|전년"),
        ("following", "year", "내년"),
    ),
)
_CHINESE = _Tongue(
    units={"day": "[天日]", "week": "(?:个?星期|周)", "month": "个?月", "quarter": "个?季度", "year": "年"},
    today=r"今[天日]",
    yesterday=r"昨[天日]",
    this=r"(?:这|本)(?!日){unit}",
    last=r"上(?!日){unit}",
    following=r"下(?!日){unit}",
    counted=r"(?:最近|过去)\s?{n}\s?{unit}",
    words=(("this", "year", "今年"), ("last", "year", "去年"), ("following", "year", "明年")),
)
_SPACED = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN)


def _compile(tongue: _Tongue, *, spaced: bool) -> list[tuple[str, str, re.Pattern[str]]]:
    """The kind, unit and pattern of each phrase. Counted phrases come first because they contain the others."""
    number = "|".join((r"\d{1,4}", *tongue.numbers.split()))
    found: list[tuple[str, str, str]] = []
    for name in ("counted", "to_date", "this", "last", "following"):
        pattern = getattr(tongue, name).replace("{n}", f"(?:{number})")
        found += [(name, unit, pattern.replace("{unit}", tongue.units[unit])) for unit in _UNITS if pattern]
    found += [*tongue.words, ("today", "day", tongue.today), ("yesterday", "day", tongue.yesterday)]
    first, last = (r"(?<!\w)(?:", r")(?!\w)") if spaced else ("(?:", ")")
    return [(name, unit, re.compile(f"{first}{it}{last}", re.IGNORECASE)) for name, unit, it in found]


_NUMBERS = {word: at for tongue in _SPACED for at, word in enumerate(tongue.numbers.split(), start=2)}
_PATTERNS = [one for tongue in _SPACED for one in _compile(tongue, spaced=True)]
_PATTERNS += [one for tongue in (_KOREAN, _CHINESE) for one in _compile(tongue, spaced=False)]


def relative_periods(text: str, today: date) -> list[Period]:
    """All times in a text that are relative to today, in order."""
    return in_order(
        (match, Period(match[0], *days))
        for name, unit, pattern in _PATTERNS
        for match in pattern.finditer(text)
        if (days := _days(name, unit, _count(match[0]) if name == "counted" else 1, today))
    )


def _count(mention: str) -> int:
    digits = re.search(r"\d+", mention)
    words = (_NUMBERS[word] for word in mention.casefold().split() if word in _NUMBERS)
    return int(digits[0]) if digits else next(words, 0)


def _days(name: str, unit: str, count: int, today: date) -> tuple[date, date] | None:
    """The first and last day. None if the calendar does not contain them."""
    if not 1 <= count <= _MOST:
        return None
    try:
        match name:
            case "today":
                return today, today
            case "yesterday":
                return _whole("day", today - timedelta(days=1))
            case "counted":
                return _back(unit, count, today) + timedelta(days=1), today
            case "to_date":
                return _whole(unit, today)[0], today
            case "this":
                return _whole(unit, today)
            case "last":
                return _whole(unit, _whole(unit, today)[0] - timedelta(days=1))
            case _:
                return _whole(unit, _whole(unit, today)[1] + timedelta(days=1))
    except (ValueError, OverflowError):
        return None


def _whole(unit: str, day: date) -> tuple[date, date]:
    """The first and last day of the unit that contains a day."""
    if unit == "day":
        return day, day
    if unit == "week":
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=6)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = day.month - (day.month - 1) % months
    last = first + months - 1
    return date(day.year, first, 1), date(day.year, last, calendar.monthrange(day.year, last)[1])


def _back(unit: str, count: int, day: date) -> date:
    """The day `count` units earlier. In a month that is too short, its last day."""
    if unit in ("day", "week"):
        return day - timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 - count * {"month": 1, "quarter": 3, "year": 12}[unit]
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
