"""Yes or no: "Did Ann sell more than Bo?", "Is product A profitable?"

Rows that were found say yes to a question whether there are any. If the query of another question selects values and
leaves the comparison to the reader, the values decide. If they do not, neither yes nor no is supported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from agent.checks.grounding.claims.claims import Segment, segments_of
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.support.bounds import find_rows_beyond
from agent.checks.grounding.support.support import Numbers

_THAN: Mapping[str, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:\w+er|more|less|worse|as \w+)\b.* (?:than|as)\b", re.IGNORECASE),
    "de": re.compile(r"\b(?:\w+er|mehr)\b.* als\b|\bso \w+ wie\b", re.IGNORECASE),
    "fr": re.compile(r"\b(?:plus|moins|aussi|autant|meilleure?s?)\b.* qu(?:e\b|['’])", re.IGNORECASE),
    "es": re.compile(r"\b(?:más|menos|mayor|menor|mejor|tan|tant[oa]s?)\b.* (?:que|como)\b", re.IGNORECASE),
    "it": re.compile(r"\b(?:più|meno|maggiore|minore|migliore)\b.* (?:di|del\w*|che)\b", re.IGNORECASE),
}
_TOKEN = re.compile(r"[^\W_]+")
_NO = frozenset({"no", "nein", "non"})
_COMPARING = frozenset({Class.MORE, Class.LESS, Class.OVER, Class.UNDER})
_CLAIMS = frozenset(
    {Class.MOST, Class.LEAST, Class.ALL, Class.ONLY, Class.EACH, Class.RISE, Class.FALL, Class.EQUAL, Class.MULTIPLIED}
)
_ANY = frozenset({"any", "irgendein", "irgendeine", "irgendeinen", "irgendwelche", "quelque", "quelques", "algún"})
_ANY |= {"alguna", "algunos", "algunas", "qualche", "alcuni", "alcune"}
_OF_AGE = re.compile(r"\b(?:old|young|ält|jüng)", re.IGNORECASE)
_AGES = frozenset({"age", "ages", "alter"})
_UNDECIDED = "the rows do not decide it; say what they show"


class Polar(NamedTuple):
    """The verdict on a sentence that answers yes or no. settled: start positions of items that need no other check."""

    settled: frozenset[int] = frozenset()
    problems: tuple[Problem, ...] = ()


class _Side(NamedTuple):
    """One of two compared things. at: its position in the question. words: that identify it there."""

    at: int
    words: frozenset[str]
    value: Fraction


def check_polar(
    text: str, items: Sequence[Item], segments: Sequence[Segment], asked: Sequence[Item], facts: Facts, numbers: Numbers
) -> Polar:
    """Check a yes, a no or a repeated comparison against the values. Empty if the query itself compares them."""
    if not facts.is_polar or not facts.rows or not items:
        return Polar()
    bound, than, first = _find_bound(asked), _THAN[facts.language or "en"], items[0]
    verdict = True if first.cls is Class.YES else False if first.text.lower() in _NO else None
    if _is_flag(facts):
        return Polar()
    if bound is None and not than.search(facts.question):
        bare = _find_bare_yes(items, asked, facts)
        if verdict is True and not bare and not _exist_as_asked(asked, facts):
            return Polar(problems=(Problem(first.text, _UNDECIDED),))
        return Polar(problems=bare)
    if _is_decided_by_query(asked, facts):
        return Polar(problems=_find_bare_yes(items, asked, facts))
    told = [it for it in items if it.cls in _COMPARING]
    if verdict is None and not told and not than.search(text):
        return Polar()
    sides = _find_sides(asked, facts) if bound is None else []
    if bound is not None:
        holds = _is_beyond(segments_of(asked), asked[bound], facts, numbers)
    else:
        holds = _compare(asked, [it for it in asked if it.cls in _COMPARING][:1], sides)
    if holds is None:
        return Polar(problems=(Problem(first.text, _UNDECIDED),))
    wrong, settled = [], {first.start} if verdict is not None else set[int]()
    if verdict is not None and verdict is not holds:
        wrong.append(Problem(first.text, "the rows say no" if verdict else "the rows say yes"))
    for item in told:
        beyond = _is_beyond(segments, item, facts, numbers) if bound is not None else None
        claim = beyond if bound is not None else _compare(items, [item], sides)
        denials = [it.start for it in items if it.cls is Class.NOT and first.start < it.start < item.start]
        settled |= {item.start, *denials}
        if claim is None or claim is bool(denials):
            wrong.append(Problem(item.text, "the rows say the opposite"))
    return Polar(frozenset(settled), tuple(wrong))


def _is_decided_by_query(asked: Sequence[Item], facts: Facts) -> bool:
    """Whether the query compares two values, or something with a number of the question."""
    numbers = (int(it.value) for it in asked if it.kind == "number" and it.value.denominator == 1)
    if any(str(number + step) in facts.query.bounds for number in numbers for step in (-1, 0, 1)):
        return True  # "more than 9" is also "at least 10"
    return facts.query.ranks


def _is_flag(facts: Facts) -> bool:
    """Whether the rows are yes or no themselves."""
    column = facts.columns[0]
    if any(it.kind == "flag" for it in facts.columns):
        return True
    return len(facts.columns) == 1 and not column.projection.aggregate and all(it in (0, 1) for (it,) in facts.rows)


def _exist_as_asked(asked: Sequence[Item], facts: Facts) -> bool:
    """Whether the question is answered by rows that exist, not by the values of what it names."""
    if any(it.text.lower() in _ANY for it in asked):
        return all(it >= 0 for column in facts.measures for it in facts.values(column.index))
    named = [it.rows for it in asked if it.kind in ("name", "date") and len(it.rows) == 1]
    if len(facts.rows) == 2 and len(frozenset[int]().union(*named)) == 2:
        return False  # "Was Ann born before Bob?"
    values = [it for it in facts.measures if it.projection.aggregate != "count"]
    alone = len(facts.rows) == 1 and (len(facts.measures) == len(facts.columns) or bool(named))
    return not alone or (not values and len(facts.measures) < 2)


def _find_bare_yes(items: Sequence[Item], asked: Sequence[Item], facts: Facts) -> tuple[Problem, ...]:
    """The problems of a yes without a sentence: what the question claims, it claims too."""
    if any(it.cls is not Class.YES and it.kind != "mark" for it in items):
        return ()
    if {it.cls for it in asked} & _CLAIMS or any(it.projection.aggregate != "count" for it in facts.measures):
        return (Problem(items[0].text, _UNDECIDED),)
    known = " ".join((facts.sql, *(str(cell) for row in facts.rows for cell in row))).casefold()
    names = (it for it in asked[1:] if it.kind in ("word", "name") and it.text[0].isupper())
    return tuple(Problem(it.text, "no row is about it") for it in names if it.text.casefold() not in known)


def _find_bound(items: Sequence[Item]) -> int | None:
    """The position of the bound before a number: "more than 50", "exceed 50"."""
    for at, item in enumerate(items[:-1]):
        if item.cls in _COMPARING and items[at + 1].kind == "number" and not items[at + 1].cls:
            return at
    return None


def _is_beyond(segments: Sequence[Segment], bound: Item, facts: Facts, numbers: Numbers) -> bool | None:
    """Whether the only number of the rows is beyond a bound. None if there is no such number, or no bound follows."""
    measures = facts.measures
    if len(facts.rows) != 1 or len(measures) != 1:
        return None
    for segment in segments:
        for place, item in enumerate(segment.items[:-1]):
            if item.start == bound.start and segment.items[place + 1].kind == "number":
                beyond = find_rows_beyond(facts, numbers, segment, place, measures[0])
                return None if beyond is None else bool(beyond)
    return None


def _find_sides(asked: Sequence[Item], facts: Facts) -> list[_Side]:
    """The two things that the question compares, in its order. Empty if the rows do not have exactly two values."""
    measures = facts.measures
    if len(facts.rows) == 2 and len(measures) == 1:
        found = [_find_row(row, asked, facts, measures[0]) for row in range(2)]
    elif len(facts.rows) == 1 and len(measures) == 2:
        names = [frozenset(_TOKEN.findall(it.name.lower())) | it.words for it in measures]
        told = [names[0] - names[1], names[1] - names[0]]
        found = [_find_column(it, asked, column, facts) for it, column in zip(told, measures, strict=True)]
    else:
        return []
    sides = sorted(it for it in found if it is not None)
    if _OF_AGE.search(facts.question) and not all(it.words & _AGES for it in measures):
        return []  # who was born later is younger
    return sides if len(sides) == 2 and sides[0].at < sides[1].at else []


def _find_row(row: int, asked: Sequence[Item], facts: Facts, measure: ColumnFacts) -> _Side | None:
    names = [it for it in asked if it.kind in ("name", "date") and it.rows == {row}]
    values = facts.values(measure.index, [row])
    if len(names) != 1 or len(values) != 1:
        return None
    return _Side(names[0].start, frozenset({names[0].text.lower()}), values[0])


def _find_column(words: frozenset[str], asked: Sequence[Item], column: ColumnFacts, facts: Facts) -> _Side | None:
    at = [it.start for it in asked if it.text.lower() in words]
    values = facts.values(column.index)
    return _Side(at[0], words, values[0]) if len(at) == 1 and len(values) == 1 else None


def _compare(items: Sequence[Item], comparing: Sequence[Item], sides: Sequence[_Side]) -> bool | None:
    """Whether the side that a text names first has more, or less, as its word says. None if this is not decided."""
    if len(sides) != 2 or not comparing:
        return None
    named = [next((it.start for it in items if it.text.lower() in side.words), None) for side in sides]
    one, other = (side.value for side in sides)
    if named[0] is not None and named[1] is not None and named[1] < named[0]:
        one, other = other, one
    elif None in named and any(it is not None for it in named):
        return None
    return one > other if comparing[0].cls in (Class.MORE, Class.OVER) else one < other
