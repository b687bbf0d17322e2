"""The limits that a question sets for its rows, in its own words: a time, and values in the query's filters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.words import is_among, is_same_word
from agent.checks.grounding.numbers.dates import MONTHS, find_dates
from rag.words import denies

_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PART = re.compile(
    r"(?:^|_)(?:quarter|qtr|quart\w*|trim\w*|month|monat|mois|mes|mese|week|woche|semaine|semana)", re.IGNORECASE
)
_QUARTER = re.compile(r"quart|trimestre|분기", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
# A time includes the word that states on which side of it the rows are.
_SIDE_BEFORE = re.compile(
    r"\b(?:before|after|since|until|till|vor|nach|seit|ab|bis|avant|après|depuis|antes de|después de|desde|hasta"
    r"|prima del|dopo il|dal|fino al)\s+$",
    re.IGNORECASE,
)
_SIDE_AFTER = re.compile(r"\s*년?\s*(?:이전|이후|까지|부터|전|후)")


def limits_of(facts: Facts) -> list[str]:
    """The question's words for conditions of the query, in order.

    Empty if the question or the query contains a negation, or the query has a subquery: the conditions of a subquery
    limit other rows.
    """
    if denies(facts.question) or any(it.denied for it in facts.conditions):
        return []
    if len(re.findall(r"\bselect\b", facts.sql, re.IGNORECASE)) != 1:
        return []
    kept: list[tuple[int, int]] = []
    days = _days_alone(facts)
    for start, end in sorted({*(() if days else _time(facts)), *_values(facts)}):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return [*(facts.question[start:end] for start, end in kept), *days]


def find_widened(text: str, facts: Facts) -> Iterator[Problem]:
    """Months, quarters and years in a text, if the query reads only one day: "in March 2024" for `= '2024-03-01'`."""
    dates = list(find_dates(text))
    wide = [(it.start, it.end) for it in dates if not any(day for _, _, day, _ in it.readings)]
    wide += [it.span() for it in _YEAR.finditer(text) if not any(date.start <= it.start() < date.end for date in dates)]
    for day in _days_alone(facts):
        yield from (
            Problem(text[slice(*it)], f"the query reads only {day}") for it in wide if day[:4] in text[slice(*it)]
        )


def is_name(facts: Facts, limit: str) -> bool:
    """Whether a limit is a value in the query's conditions, not a time."""
    values = {value.lower() for it in facts.conditions for value in it.values if not value.isdigit()}
    return is_among(limit.lower(), values | {mention.lower() for mention, _ in facts.linked})


def _time(facts: Facts) -> Iterator[tuple[int, int]]:
    """The only time in the question that a condition covers. Empty if there are several."""
    text = facts.question
    years = set(_YEAR.findall(" ".join(value for it in facts.conditions for value in it.values)))
    dates = [(it.start, it.end) for it in find_dates(text)]
    alone = [it.span() for it in _YEAR.finditer(text) if not any(start <= it.start() < end for start, end in dates)]
    spans = [*dates, *alone]
    if len(spans) != 1 or not any(year in text[slice(*spans[0])] for year in years):
        return
    start, end = spans[0]
    if _QUARTER.search(text, start, end) and not _is_of_quarter(text[start:end], facts):
        return
    if _YEAR.fullmatch(text[start:end]) and not _is_whole(text[start:end], facts):
        return
    if any(it.group().lower() in MONTHS for it in _WORD.finditer(text[:start] + " " + text[end:])):
        return  # "between April and June 2025" is not June
    if before := _SIDE_BEFORE.search(text[:start]):
        start = before.start()
    if after := _SIDE_AFTER.match(text, end):
        end = after.end()
    yield start, end


def _days_alone(facts: Facts) -> list[str]:
    """Days that the query reads, if the question states none: `= '2024-03-01'` is not "in March 2024"."""
    if any(day for date in find_dates(facts.question) for _, _, day, _ in date.readings):
        return []
    return [
        it.values[0] for it in facts.conditions if it.equal and len(it.values) == 1 and _DAY.fullmatch(it.values[0])
    ]


def _is_of_quarter(time: str, facts: Facts) -> bool:
    """Whether the query selects the quarter that a time states, by its name or by its first month."""
    readings = [it for date in find_dates(time) for it in date.readings if it[0] and it[3]]
    begins = [begin for year, _, _, at in readings if at for begin in (f"{year}-q{at}", f"{year}-{3 * at - 2:02}")]
    values = [value.lower() for it in facts.conditions for value in it.values]
    return bool(begins) and any(value.startswith(begin) for value in values for begin in begins)


def _is_whole(year: str, facts: Facts) -> bool:
    """Whether the query selects a whole year, not a quarter or season."""
    whole = re.compile(rf"{year}(?:$|-?%|-01-01|-12-31|-01$|-12$)|{int(year) + 1}-01-01|{int(year) - 1}-12-31")
    dated = [value for it in facts.conditions for value in it.values if _YEAR.match(value)]
    numbered = (it for it in facts.conditions if any(re.fullmatch(r"\d{1,2}", value) for value in it.values))
    parts = any(_PART.search(name) for it in numbered for name in it.columns)
    return not parts and all(whole.match(value) or not value.startswith(year) for value in dated)


def _values(facts: Facts) -> Iterator[tuple[int, int]]:
    """The spans of words in the question that stand for values in the query's conditions."""
    compared = {value.lower() for it in facts.conditions for value in it.values}
    words = {mention for mention, value in facts.linked if value.lower() in compared} | compared
    for word in words:
        if len(word) > 1 and not re.fullmatch(r"[\d.,%:T -]+", word):
            at = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", facts.question, re.IGNORECASE)
            forms = (it for it in _WORD.finditer(facts.question) if is_same_word(it.group().lower(), word.lower()))
            if at := at or next(forms, None):
                yield at.span()
