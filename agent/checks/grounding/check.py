"""Compares a text with its rows. A claim without support is a problem."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import NamedTuple

from agent.checks.grounding.claims.claims import Segment, find_crossed, groups_of, pair_parallel, segments_of
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import NameIndex, Places
from agent.checks.grounding.claims.reading import items_of
from agent.checks.grounding.claims.roles import with_roles
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.evidence.limits import find_widened
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.language import language_of, split_words
from agent.checks.grounding.languages.polar_words import VERDICT
from agent.checks.grounding.languages.vocabulary import LANGUAGES, Class, vocabulary
from agent.checks.grounding.languages.words import is_among
from agent.checks.grounding.numbers.dates import find_dates
from agent.checks.grounding.question.exchanged import find_exchanged
from agent.checks.grounding.question.nouns import find_misnamed
from agent.checks.grounding.question.omissions import (
    affirms,
    find_foreign_names,
    find_left_times,
    find_miscounted,
    find_omissions,
    find_other_counts,
    find_other_side,
    find_turned_round,
)
from agent.checks.grounding.question.polar import check_polar
from agent.checks.grounding.question.swapped import find_swapped
from agent.checks.grounding.question.unconverted import find_unconverted
from agent.checks.grounding.support.bounds import list_settled_items, settle
from agent.checks.grounding.support.calculations import Calculations
from agent.checks.grounding.support.found import Support
from agent.checks.grounding.support.listed import find_listed_rows
from agent.checks.grounding.support.support import Numbers
from agent.checks.grounding.wording.causes import causes
from agent.checks.grounding.wording.context import WordingContext
from agent.checks.grounding.wording.excluded import blank_excluded
from agent.checks.grounding.wording.flags import find_denied_flags
from agent.checks.grounding.wording.korean import korean_problems
from agent.checks.grounding.wording.ordering import check_ordering
from agent.checks.grounding.wording.words import Wording
from agent.core.answers import Correction
from rag.words import denies

MAX_CHARS = 2000
MAX_PROBLEMS = 6
_NEAR = 3  # items between a day and its time of day
_FEW_WORDS = 2  # common words that languages share
_MARKUP = re.compile(
    r"```|<\s*/?\s*[a-zA-Z][^>]*>|\[\[|\]\]"  # code, HTML, an unfilled placeholder
    r"|^\s*(?:\|.*\||#{1,6}\s.*|[-=]{3,}|[{\[].*[}\]])\s*$",  # tables, headings, rules, JSON
    re.MULTILINE,
)


class Checked(NamedTuple):
    """The result of checking a text.

    numbers: each with its support, or None without any.
    names: those found in the rows.
    problems: unsupported claims. read: whether its words could be read, that is, its language is known.
    """

    numbers: tuple[tuple[Item, Support | None], ...]
    names: tuple[Item, ...]
    problems: tuple[Problem, ...]
    read: bool


def check(text: str, facts: Facts, filled: Sequence[Correction] = ()) -> Checked:
    """Split a text into claims and support each of them.

    Args:
        text: an answer with its placeholders filled in.
        filled: the placeholders and their values.
    """
    if unfit := _find_unfit(text):
        return Checked((), (), (unfit,), read=False)
    names = NameIndex(facts)
    text = blank_excluded(text, facts)
    items = items_of(text, facts, names)
    asked = items_of(facts.question, facts, names)
    found = Calculations(text, _list_conditions_repeated(items, asked), facts, filled)
    items = with_roles(found.items, facts, names)
    segments = segments_of(items)
    numbers = Numbers(facts, asked, segments, items)
    paired = {number.start: name.rows for name, number in pair_parallel(segments)}
    paired |= {number.start: rows for rows, number in find_crossed(segments)}
    listed = find_listed_rows(items, facts, numbers)
    supports: dict[int, Support] = {}
    told: list[tuple[Item, Support | None]] = []
    settled = set(listed.settled)
    problems: list[Problem] = []
    for segment in segments:
        bounds = settle(facts, numbers, segment) if facts.language in LANGUAGES else None
        if bounds is not None:
            settled |= list_settled_items(segment)
            if not bounds.holds:
                problems.append(
                    Problem(" ".join(it.text for it in segment.items), "the rows do not say so about these")
                )
        for item in segment.numbers:
            support = bounds.supports.get(item.start) if bounds is not None and bounds.holds else None
            support = support or numbers.find_support(segment, item, rows=paired.get(item.start))
            support = support or found.support(segment, item, numbers) or listed.supports.get(item.start)
            told.append((item, support))
            if support is not None:
                supports[item.start] = support
    problems += [
        Problem(item.text, "no row of that name, no calculation and no condition has this value")
        for item, it in told
        if it is None
    ]
    problems += found.problems
    problems += _find_apart(segments, listed.names)
    problems += _find_torn(text, items, facts)
    read, decided = facts.language in LANGUAGES, False
    rows_named = [item for segment in segments for item in segment.names]
    problems += _find_unplaced(items, facts, asked)
    problems += _find_other_days(segments, facts, names.dated)
    problems += find_widened(text, facts)
    problems += find_unconverted(text, facts)
    if read:
        context = WordingContext(facts, names, asked, numbers, supports, segments)
        polar = check_polar(text, items, segments, asked, facts, numbers)
        settled, decided = settled | polar.settled, bool(polar.settled)
        problems += polar.problems
        ordering = check_ordering(text, items, supports, facts)
        settled |= ordering.settled
        problems += ordering.problems
        problems += Wording(context, frozenset(settled)).problems()
        problems += find_foreign_names(segments, facts, asked)
        problems += find_turned_round(text, facts)
        problems += find_other_side(items, asked)
        problems += find_other_counts(text, facts)
        problems += find_exchanged(items, asked, facts)
        problems += find_swapped(text, items, asked, facts)
        problems += find_omissions([it for it in items if it.start != polar.no], facts, asked, supports)
        problems += find_miscounted(segments, facts, supports)
        problems += find_denied_flags(segments, facts, numbers)
        problems += [
            Problem(it, "its column is about something else")
            for it in find_misnamed(facts, asked, numbers, segments, supports)
        ]
    else:
        problems += _find_unread(text, items, segments, facts, asked, supports)
    stated = {it.text.lower() for it in problems}
    problems += [it for it in causes(text, facts) if it.text.lower().split()[0] not in stated]
    if not problems and not decided and not _says_something(supports, rows_named, items, asked, facts):
        problems.append(Problem("the sentence", "it says nothing about the rows"))
    unique = tuple(dict.fromkeys(problems))[:MAX_PROBLEMS]
    return Checked(tuple(told), tuple(rows_named), unique, read)  # fmt: skip


def names_rows(text: str, facts: Facts) -> bool:
    """Whether a text contains a name or a time of a row."""
    return any(it.kind in ("name", "date") and it.places for it in items_of(text, facts, NameIndex(facts)))


def _find_unread(
    text: str,
    items: Sequence[Item],
    segments: Sequence[Segment],
    facts: Facts,
    asked: Sequence[Item],
    supports: Mapping[int, Support],
) -> Iterator[Problem]:
    """Problems that can be found without reading the words: in numbers, names, language and denials."""
    named = any(segment.names for segment in segments)
    told = any(it.origin != "question" for it in supports.values())
    if facts.language == "ko":
        cells = {start: it.column for start, it in supports.items() if it.column is not None}
        computed = frozenset(it.cls for it in supports.values() if it.cls is not None)
        yield from korean_problems(text, segments, facts, cells, computed)
    elif named and not told and len(facts.rows) > 1 and facts.measures:  # it would compare or deny
        yield Problem("the sentence", "it says no number of the rows, and its words cannot be read")
    if not facts.rows and facts.conditions:
        said = {reading for it in find_dates(text) for reading in it.readings}
        for date in (it for it in find_dates(facts.question) if denies(text)):
            if said.isdisjoint(date.readings) and len(items) > _FEW_WORDS:
                yield Problem(facts.question[date.start : date.end], "the question asks for this time")
    if facts.language == "ko" and named and not any(it.kind == "date" for it in items):
        yield from find_left_times(items, facts, asked)
    chosen = frozenset(row for it in segments for name in it.names for row in name.rows) or range(len(facts.rows))
    whole = bool(facts.rows) and all(cell for row in chosen for cell in facts.rows[row])
    if facts.language == "ko" and not facts.rows and not denies(text):
        yield Problem("the sentence", "nothing was found, and it does not say so")
    if facts.rows and VERDICT.match(text):
        yield Problem("yes or no", "it is unclear whether the rows say so")
    if _is_of_another_language(text, facts, items):
        yield Problem("the sentence", "it is not in the language of the question")
    elif denies(text) and whole and not denies(facts.question):
        yield Problem("the denial", "the rows have it")


def _is_of_another_language(text: str, facts: Facts, items: Sequence[Item]) -> bool:
    """Whether a text is in one of `LANGUAGES` although its question is not. Its words would not be checked."""
    if facts.language == "ko":
        return not re.search(r"[\uac00-\ud7a3]", text) and any(it.kind == "word" for it in items)
    found = language_of(text)
    if found not in LANGUAGES:
        return False
    common = vocabulary(found).common
    asked = len(common & set(split_words(facts.question)))  # Portuguese shares words with Spanish
    return len(common & set(split_words(text))) > _FEW_WORDS + asked


def _find_unfit(text: str) -> Problem | None:
    if len(text) > MAX_CHARS:
        return Problem("the reply", "it is too long for an answer; one or two sentences are wanted")
    if markup := _MARKUP.search(text):
        return Problem(markup[0][:40], "plain sentences are wanted, without markup, tables or code")
    return None


def _list_conditions_repeated(items: Sequence[Item], asked: Sequence[Item]) -> list[Item]:
    """The items without false names: "since 2022" in the question is a condition on all rows, not the row of 2022."""

    def find_side(words: Sequence[Item], at: int) -> tuple[Class, str] | None:
        side = words[at - 1].cls if at else None
        return (side, words[at].text.lower()) if side in (Class.AFTER, Class.BEFORE) else None

    said = [find_side(asked, at) for at in range(len(asked))]
    return [
        replace(it, places={}) if (found := find_side(items, at)) is not None and found in said else it
        for at, it in enumerate(items)
    ]


def _find_apart(segments: Sequence[Segment], listed: Collection[int]) -> Iterator[Problem]:
    """Names that the text combines although no row does.

    Args:
        listed: start positions of names that a list gives with their rows.
    """
    for group in groups_of(segments):
        if all(it.start in listed for names in group for it in names):
            continue
        longest = max(map(len, group))
        if all(len(it) in (1, longest) for it in group):
            pairs = [[it[0] if len(it) == 1 else it[at] for it in group] for at in range(longest)]
        else:
            pairs = [list(it) for it in product(*group)]
            if any(_stand_together(pair) for pair in pairs):
                continue
        for pair in pairs:
            if not _stand_together(pair):
                yield Problem(" ".join(it.text for it in pair), "no single row has all of these")


def _find_torn(text: str, items: Sequence[Item], facts: Facts) -> Iterator[Problem]:
    """Adjacent single words from different names: the first name of one and the last name of another."""
    for one, other in pairwise(items):
        if facts.language == "en" and _is_of_other_name(text, one, other, facts):
            yield Problem(f"{one.text} {other.text}", "no row has this name")
        if one.kind == other.kind == "name" and text[one.end : other.start].isspace():
            parts = [it for it in (one, other) if not _is_whole(it, facts)]
            shared = one.places.keys() & other.places.keys()
            if len(parts) == 2 and not any(one.places[it] & other.places[it] for it in shared):
                yield Problem(f"{one.text} {other.text}", "no row has this name")


def _is_of_other_name(text: str, one: Item, other: Item, facts: Facts) -> bool:
    """Whether a capitalized word follows a part of a name and is not of it: "Project Leader" for "Project Manager"."""
    if one.kind != "name" or other.kind not in ("word", "phrase") or not text[one.end : other.start].isspace():
        return False
    word = other.text.casefold()
    cells = (str(facts.rows[row][column]).casefold() for column, rows in one.places.items() for row in rows)
    if any(is_among(word, it.words) for it in facts.columns):
        return False
    return other.text[:1].isupper() and not _is_whole(one, facts) and not any(word in it for it in cells)


def _is_whole(name: Item, facts: Facts) -> bool:
    cells = (str(facts.rows[row][column]).casefold() for column, rows in name.places.items() for row in rows)
    said = name.text.casefold()
    return any(said.startswith(it) if facts.language == "ko" else said == it for it in cells)


def _stand_together(names: Sequence[Item]) -> bool:
    rows = names[0].rows
    for name in names[1:]:
        rows &= name.rows
    return bool(rows)


def _find_other_days(segments: Sequence[Segment], facts: Facts, dated: Collection[int]) -> Iterator[Problem]:
    """Days from one of several date columns beside a word of another or of none: "launched" for "landed"."""
    days = [facts.columns[at] for at in dated]
    shared = frozenset.intersection(*(it.words for it in days)) if days else frozenset[str]()
    for segment in segments if len(days) > 1 else ():
        for place, item in enumerate(segment.items):
            own = [it for it in days if it.index in item.places] if item.kind == "date" else []
            if own and not any(_is_told_by(segment.items, place, it, days, shared) for it in own):
                yield Problem(item.text, "the rows have several days, and no word beside it says which this is")


def _is_told_by(
    items: Sequence[Item], place: int, column: ColumnFacts, days: Sequence[ColumnFacts], shared: frozenset[str]
) -> bool:
    """Whether the nearest word that identifies a date column identifies this one. Words before the day come first."""
    telling = {it.index: it.words - shared for it in days}
    others = {word for it in days if it is not column for word in telling[it.index]}
    for item in (*reversed(items[:place]), *items[place + 1 :]):
        if item.kind in ("word", "phrase"):
            word = item.text.lower()
            mine, theirs = is_among(word, telling[column.index]), is_among(word, others)
            if mine is theirs and item.kind == "word":
                mine = is_among(word, column.mentioned)
                theirs = any(is_among(word, it.mentioned) for it in days if it is not column)
            if mine is not theirs:
                return mine
    return False


def _find_unplaced(items: Sequence[Item], facts: Facts, asked: Sequence[Item]) -> Iterator[Problem]:
    """Dates and clock times that are neither in the rows nor in the question or the query's conditions."""
    bounds = " ; ".join(value for it in facts.conditions for value in it.bounds)
    known = {reading for it in asked if it.date for reading in it.date.readings}
    known |= {(int(it.value), None, None, None) for it in asked if it.kind == "number"}
    known |= {reading for date in find_dates(bounds) for reading in date.readings}
    years = {it[0] for it in known if it[0]}
    quarters = {it.period[1] for it in facts.measures if it.period and it.period[1]}
    known |= {(year, None, None, quarter) for year in (None, *years) for quarter in quarters}
    for at, item in enumerate(items):
        if item.kind != "date" or item.date is None:
            continue
        of_day = item.places or set(item.date.readings) & known or not item.date.readings
        if not of_day or (item.date.clock is not None and not _is_told_time(items, at, facts, asked)):
            yield Problem(item.text, "no row has this time, and the question does not name it")


def _is_told_time(items: Sequence[Item], at: int, facts: Facts, asked: Sequence[Item]) -> bool:
    """Whether a clock time is that of the day beside it, of a row's only time, or of a condition in the question."""
    said = items[at].date
    near = sorted(range(max(0, at - _NEAR), min(len(items), at + _NEAR + 1)), key=lambda place: abs(place - at))
    days = [items[it] for it in near if items[it].kind == "date" and items[it].places]
    is_dated = said is not None and bool(said.readings)
    if items[at].places or (days and not is_dated):
        places = _narrow(items, at, days[0].places, facts)
        cells = [facts.rows[row][column] for column, rows in places.items() for row in rows]
        if len({str(cell) for cell in cells}) > 1:
            return False
    elif is_dated or _repeats_side(items, at, asked):
        cells = [facts.question]
    else:
        cells = [cell for row in facts.rows for cell in row if any(it.clock for it in find_dates(str(cell)))]
        cells = cells if len(cells) == 1 else []
    clocks = (it.clock for cell in cells for it in find_dates(str(cell)))
    return said is not None and any(clock is not None and said.is_at(clock) for clock in clocks)


def _narrow(items: Sequence[Item], at: int, places: Places, facts: Facts) -> Places:
    """The places of a day in the rows of the preceding name, and in the column that a preceding word identifies."""
    for item in reversed(items[:at]):
        if item.kind == "name" and any(item.rows & rows for rows in places.values()):
            return {column: rows & item.rows for column, rows in places.items()}
        told = [it for it in places if item.kind == "word" and is_among(item.text.lower(), facts.columns[it].words)]
        if len(told) == 1:
            places = {told[0]: places[told[0]]}
    return places


def _repeats_side(items: Sequence[Item], at: int, asked: Sequence[Item]) -> bool:
    """Whether the word before a time also precedes a time in the question: "before 9:00"."""
    side = items[at - 1].text.lower() if at else ""
    return any(one.text.lower() == side and other.date for one, other in pairwise(asked))


def _says_something(
    supports: dict[int, Support], names: Sequence[Item], items: Sequence[Item], asked: Sequence[Item], facts: Facts
) -> bool:
    """Whether any part of the text comes from the rows."""
    repeated = [it.text.lower() for it in asked if it.cls is Class.NOT]
    denied = False
    for item in items:
        if item.cls is Class.NOT and item.text.lower() in repeated:
            repeated.remove(item.text.lower())  # "failed" in "How many failed?" denies nothing
        else:
            denied = denied or item.cls in (Class.NOT, Class.NO_VALUE)
    if not facts.rows:
        return denied or facts.language not in LANGUAGES
    if denied or names or any(it.origin != "question" for it in supports.values()):
        return True
    return any(it.cls in (Class.YES, Class.RISE, Class.FALL) for it in items) or affirms(items, asked, facts)
