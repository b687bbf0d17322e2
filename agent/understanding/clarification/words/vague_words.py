"""Vague times in seven languages: words that state one, and words that only resemble one.

`mention` is a time: recently, in den letzten Wochen, 最近. `ordering` is an order of rows or a comparison: the most
recent order, 5 recent orders. `spans` state how recent is meant.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Vague(NamedTuple):
    mention: re.Pattern[str]
    ordering: re.Pattern[str]
    spans: re.Pattern[str]


def _row(mention: str, ordering: str, spans: str) -> Vague:
    return Vague(*(re.compile(it, re.IGNORECASE) for it in (mention, ordering, spans)))


_YEAR = r"\b(?:1[5-9]|2[01])\d\d\b"
_IN = r"(?:(?:in|over|during|for|within|from|since)\s+)?"
_UNITS = r"(?:days|weeks|months|quarters|years|times)"
_DE_UNITS = r"(?:tagen?|wochen?|monaten?|quartalen?|jahren?)"
_FR_UNITS = r"(?:jours|semaines|mois|trimestres|années|ans|temps)"
_ES_UNITS = r"(?:d[ií]as|semanas|meses|trimestres|años|tiempos)"
_IT_UNITS = r"(?:giorni|settimane|mesi|trimestri|anni|tempi)"

ROWS = (
    _row(  # English
        rf"\b{_IN}(?:the\s+)?(?:last|past|previous)\s+(?:few|couple(?:\s+of)?|several|some)\s+{_UNITS}\b"
        rf"|\b{_IN}(?:the\s+)?recent\s+{_UNITS}\b|\b{_IN}the\s+recent\s+past\b"
        rf"|\b{_IN}the\s+(?:latest|last|most\s+recent|recent)\s+(?:time\s+)?period\b"
        r"|\b(?:recently|lately|of\s+late|these\s+days|nowadays)\b|\brecent\b(?!\s+(?:\d|first|one\b))",
        r"\b(?:most|more|less|least|how|as|so|very|too|(?:top|last|first)\s+\w+|\d+|one|two|three|four|five|ten)\s+recent"
        r"(?:ly)?\b(?!\s+(?:time\s+)?period)|\brecent\s+(?:to|than)\b|\b(?:sort|order)(?:ed)?\s+by\b",
        rf"\b\d+\s*-?\s*(?:hours?|days?|weeks?|months?|quarters?|years?)\b|{_YEAR}",
    ),
    _row(  # German
        r"\bin\s+(?:letzter|jüngster)\s+zeit\b|\b(?:kürzlich|neulich|neuerdings|jüngst|in\s+der\s+letzten\s+zeit|zuletzt)\b"
        rf"|\b(?:in|während|seit)\s+den\s+(?:letzten|vergangenen)\s+(?:paar\s+)?{_DE_UNITS}\b|\bder\s+(?:letzten|vergangenen)\s+{_DE_UNITS}\b"
        r"|\bkürzliche[nrsm]?\b|\bjüngere\s+vergangenheit\b|\bjüngeren\s+vergangenheit\b",
        r"\b(?:am|wie)\s+kürzlich\w*|\b(?:wann|wer|welche[rs]?)\b[^.?]*\bzuletzt\b|\bzuletzt\s+\w+(?:t|en)\b|\bjüngste[ns]?\b|\bjüngster\b(?!\s+zeit)|\bneu(?:e)?ste[nrs]?\b|\b\d+\s+kürzliche",
        rf"\b\d+\s*(?:stunden|{_DE_UNITS}|quartale?|jahre?)\b|{_YEAR}",
    ),
    _row(  # French
        rf"\b(?:récemment|dernièrement|ces\s+derniers\s+temps|depuis\s+peu)\b|\b(?:ces|les|des|durant\s+les|au\s+cours\s+des)\s+(?:derniers|dernières|quelques\s+derni(?:ers|ères))\s+{_FR_UNITS}\b"
        rf"|\brécente?s?\b",
        r"\b(?:plus|moins|aussi|très|\d+|deux|trois|cinq|dix)\s+récente?s?\b|\b\d+\s+(?:\w+\s+){1,2}(?:les\s+plus\s+)?récente?s?\b|\b(?:les|derni(?:ers|ères))\s+\d+\b",
        rf"\b\d+\s+(?:derniers\s+|dernières\s+)?(?:heures|{_FR_UNITS})\b|{_YEAR}",
    ),
    _row(  # Spanish
        rf"\b(?:recientemente|últimamente|hace\s+poco)\b|\b(?:en|de|durante)\s+(?:los|las)\s+últim[oa]s\s+{_ES_UNITS}\b|\brecientes?\b",
        r"\b(?:más|menos|tan|muy|\d+|dos|tres|cinco|diez)\s+recientes?\b|\b\d+\s+(?:\w+\s+){1,2}(?:más\s+)?recientes?\b",
        rf"\b\d+\s+(?:últim[oa]s\s+)?(?:horas|{_ES_UNITS})\b|\búltim[oa]s\s+\d+\b|{_YEAR}",
    ),
    _row(  # Italian
        rf"\b(?:recentemente|ultimamente|di\s+recente|da\s+poco)\b|\b(?:negli|nelle|degli|delle)\s+ultim[ie]\s+{_IT_UNITS}\b|\brecent[ei]\b",
        r"\b(?:più|meno|così|molto|\d+|due|tre|cinque|dieci)\s+recent[ei]\b|\b\d+\s+(?:\w+\s+){1,2}(?:più\s+)?recent[ei]\b",
        rf"\b\d+\s+(?:ultim[ie]\s+)?(?:ore|{_IT_UNITS})\b|\bultim[ie]\s+\d+\b|{_YEAR}",
    ),
    _row(  # Korean
        r"최근에?(?!\s*[\d일한두세네])|요즘|요새|근래에?",
        r"가장\s*최근|최근\s*순|최근\s+(?:\S+\s+){0,2}?\S*?\d+\s*(?:건|개(?!월)|명|행|줄|곳)|\d+\s*(?:건|개|명|행|줄|곳)의?\s*최근",
        r"\d+\s*(?:시간|일|주|개월|달|년)",
    ),
    _row(  # Chinese
        r"最近(?!\s*[\d一二三四五六七八九十两]+\s*(?:天|周|个星期|个月|年|小时))|近期|近来|近日|这段时间|前段时间",
        r"最近的?一(?:个|次|笔|条)|最近的?\s*\d+\s*(?:个(?!月)|笔|条|位|名|次|份)|按\S*最近\S*排",
        r"[\d一二三四五六七八九十两]+\s*(?:小时|天|周|个星期|个月|年)|(?:1[5-9]|2[01])\d\d\s*年?",
    ),
)  # fmt: skip


def vague_words(text: str) -> re.Match[str] | None:
    """The first time without a number. None if there is none, or if the text states an order of rows or a span."""
    if any(row.ordering.search(text) or row.spans.search(text) for row in ROWS):
        return None
    return first_time_word(text)


def first_time_word(text: str) -> re.Match[str] | None:
    """The first words for a time without a number, whatever the rest of the text states."""
    return next((match for row in ROWS if (match := row.mention.search(text))), None)
