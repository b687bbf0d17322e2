"""Ambiguous times: `recently`, or a month if a table has two dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from agent.core.models import Choice, Clarification
from agent.understanding.clarification.inquiry import Inquiry, Place, ask, words_of_names
from agent.understanding.clarification.lookups import DateRange, Lookups, days_before, months_before
from agent.understanding.clarification.main_date import has_deed, list_plausible, main_date
from agent.understanding.clarification.words.vague_words import first_time_word, vague_words
from rag.linking.dates import periods_in
from rag.words import words

_VAGUE_STEMS = words("recent recently lately period periods")
# The spans to offer, by the unit in the question: numbers of days, then numbers of months.
_OFFERED: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "day": ((3, 7, 14), ()),
    "week": ((14, 28, 56), ()),
    "month": ((), (3, 6, 12)),
    "quarter": ((), (6, 9, 12)),
    "year": ((), (24, 36, 60)),
    "": ((30, 90), (12,)),
}


async def vague_time(inquiry: Inquiry, lookups: Lookups) -> Clarification | None:
    """Ask about a time without a number: which span of the dates that the column holds does it mean?"""
    match = vague_words(inquiry.text)
    if match is None or periods_in(inquiry.text):
        return None
    if first_time_word(inquiry.known_text) or words_of_names(inquiry.schema) & words(match[0]) & _VAGUE_STEMS:
        return None  # the docs define it, or it is a name
    place = main_date(inquiry)
    if place is None:
        return None
    frames, known, mention = inquiry.frames, await lookups.date_range(place), " ".join(match[0].split())
    choices = [
        Choice(label=label, question=_write_with_dates(inquiry, match, f"{when} ({place.name})"))
        for label, when in _spans(inquiry, known, _unit(mention))
    ]
    text = frames.vague_time_unknown.format(mention=mention, column=place.name)
    if known is not None:
        text = frames.vague_time.format(mention=mention, column=place.name, first=known.first, last=known.last)
    meant = f"{choices[0].label}, {place.name}"
    return ask("vague_time", text, choices, frames.assumed.format(mention=mention, meant=meant))


async def two_dates(inquiry: Inquiry, lookups: Lookups) -> Clarification | None:
    """Ask about a period of a named table with several equally plausible dates, if they select different rows."""
    periods = inquiry.context.linked.periods
    if len({it.mention for it in periods}) != 1 or has_deed(inquiry.text):
        return None
    dated = [(table, found) for table in inquiry.in_play if (found := list_plausible(inquiry, table))]
    if len(dated) != 1 or dated[0][0] not in inquiry.named_tables or len(dated[0][1]) < 2:
        return None
    period, places = periods[0], dated[0][1]
    if await lookups.same_rows(places, period.first, period.after) is not False:
        return None
    choices, ranges = await date_choices(inquiry, places, lookups)
    text = inquiry.frames.two_dates.format(mention=period.mention, ranges="; ".join(ranges))
    assumption = inquiry.frames.assumed.format(mention=period.mention, meant=choices[0].label)
    return ask("two_dates", text, choices, assumption)


async def date_choices(inquiry: Inquiry, places: Sequence[Place], lookups: Lookups) -> tuple[list[Choice], list[str]]:
    """One choice per possible date column, and sentences with the range of each column."""
    choices: list[Choice] = []
    ranges: list[str] = []
    for place in places:
        label = inquiry.frames.by_date.format(name=place.column.name.replace("_", " "))
        choices.append(Choice(label=label, question=inquiry.with_ending(f"{label} ({place.name})")))
        if known := await lookups.date_range(place):
            ranges.append(inquiry.frames.days.format(column=place.name, first=known.first, last=known.last))
    return choices, ranges


def span_choices(inquiry: Inquiry, place: Place, known: DateRange | None) -> list[Choice]:
    """The usual spans before the last day of a column, each added to the question."""
    spans = _spans(inquiry, known)
    return [Choice(label=label, question=inquiry.with_ending(f"{when} ({place.name})")) for label, when in spans]


def _spans(inquiry: Inquiry, known: DateRange | None, unit: str = "") -> list[tuple[str, str]]:
    """Labels of the usual spans, and their wording in questions. Spans must begin within the stored range."""
    frames, (days, months) = inquiry.frames, _OFFERED[unit]
    labels = [*(frames.last_days.format(n=n) for n in days), *(frames.last_months.format(n=n) for n in months)]
    if known is None:
        return [(label, label) for label in labels]
    firsts = [*(days_before(known.last, n) for n in days), *(months_before(known.last, n) for n in months)]
    found = [
        (f"{label} ({first} – {known.last})", _period(inquiry, first, known.last))
        for label, first in zip(labels, firsts, strict=True)
        if first >= known.first
    ]
    whole = _period(inquiry, known.first, known.last)
    return found if len(found) > 1 else [*found, (whole, whole)]


def _unit(mention: str) -> str:
    """The unit of time in the words, as a key of `_OFFERED`. Empty for `these days`."""
    spoken = mention.casefold()
    if spoken.startswith("these"):
        return ""
    forms = {
        "day": "day tag jour día dia giorn",
        "week": "week woche semaine semana settiman",
        "month": "month monat mois mes",
        "quarter": "quarter quartal trimestr",
        "year": "year jahr année ans año anni",
    }
    return next((unit for unit, listed in forms.items() if any(it in spoken for it in listed.split())), "")


def _period(inquiry: Inquiry, first: date, last: date) -> str:
    return inquiry.frames.period.format(first=first, last=last)


def _write_with_dates(inquiry: Inquiry, match: re.Match[str], when: str) -> str:
    """The question with its vague time made precise: in place in Korean and Chinese, otherwise at the end."""
    before, after = inquiry.text[: match.start()], inquiry.text[match.end() :]
    if inquiry.frames.language in {"ko", "zh"}:
        return f"{before}{when}{after}"
    rest = re.sub(r"\s+([.?!,])", r"\1", " ".join(f"{before} {after}".split()))
    return Inquiry(rest, inquiry.context).with_ending(when).lstrip(", ")
