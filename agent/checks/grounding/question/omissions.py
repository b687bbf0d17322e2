"""Finds what a sentence omits of its question, the counted noun or a condition, so that it claims too much."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import Facts, is_fraction
from agent.checks.grounding.evidence.query_facts import Condition
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.currencies import find_currencies
from agent.checks.grounding.languages.near_words import is_derived
from agent.checks.grounding.languages.plain_words import list_transfer_words
from agent.checks.grounding.languages.vocabulary import LANGUAGES, Class, vocabulary
from agent.checks.grounding.languages.words import is_among, is_same_word, words_of
from agent.checks.grounding.numbers.dates import DateInText
from agent.checks.grounding.support.found import Support
from rag.linking.countries import country_names
from rag.linking.relative_dates import counts_from_today

LEFT_OUT = "the question speaks of it, and the answer leaves it out"
TIME_LEFT_OUT = "the question asks for this time, and the answer leaves it out"
YEAR_LEFT_OUT = "the row says its year, and the answer leaves it out"
NAME_LEFT_OUT = "the question asks for it, and the answer names none"
_NAME = re.compile(r"(?<=[^\W\d_] )[A-ZÀ-Þ][^\W\d_]+")
_DIRECTION = dict.fromkeys(("to", "into", "nach", "vers", "hacia", "verso"), 1)
_DIRECTION |= dict.fromkeys(("from", "von", "aus", "ab", "depuis", "desde", "da"), -1)
_DIRECTED = re.compile(rf"\b({'|'.join(_DIRECTION)})\s+([^\W\d_]+)", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_STARTS_WITH_YEAR = re.compile(rf"{_YEAR.pattern}-")
_SAYS_YEAR = re.compile(rf"(?<!\d){_YEAR.pattern}(?!\d)|\b(?:FY|['’])\s?\d\d\b", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})-(\d\d)-\d\d")
_A_YEAR = 13  # most months between the bounds of one year, both of which may be exclusive
_DATE = re.compile(r"\d{4}-\d\d")
_PREPOSITIONS = frozenset({*_DIRECTION, "in", "at", "of", "for", "by", "with", "on", "à", "en", "au", "de", "di"})
# "On that date" refers to the time in the question.
_THAT_TIME = re.compile(
    r"\b(?:(?:that|the same) (?:date|day|week|month|quarter|year|time|moment|period)"
    r"|(?:diese[mrn]|jene[mrn]) (?:tag|datum|woche|monat|quartal|jahr|zeitraum)"
    r"|ce(?:tte)? (?:jour|date|semaine|mois|trimestre|année|période)"
    r"|es[ea] (?:día|fecha|semana|mes|trimestre|año|periodo|período)"
    r"|quel(?:l[ao]|l')? ?(?:giorno|data|settimana|mese|trimestre|anno|periodo))\b",
    re.IGNORECASE,
)
_AS_ASKED = frozenset(
    {"such", "solche", "solchen", "solcher", "tel", "telle", "tels", "telles", "tal", "tales", "tali"}
)
# These claim more about a row if the question's limit is omitted: "the highest" of those above 60.
_OF_OTHERS = frozenset({Class.MOST, Class.LEAST, Class.LATEST, Class.EARLIEST, Class.RANK, Class.ALL, Class.ONLY})
_COMPARING = frozenset({Class.MORE, Class.LESS, Class.OVER, Class.UNDER})
_THESE = frozenset({"these", "those", "diesen", "davon", "ceux", "celles", "estos", "estas", "questi", "queste"})
_FLAGS = frozenset({"0", "1", "true", "false"})
_HOW_MUCH = frozenset(["much", "many", "viel", "viele", "cuánto", "cuánta", "quanto", "quanta"])
_ANY_NAME = frozenset(["matching", "filtered", "selected", "relevant", "total", "count", "number", "result"])
_REQUESTS = frozenset(["return", "retrieve", "fetch", "output", "select"])
_IN = frozenset(["in", "during", "between", "im", "zwischen", "en", "entre", "nel", "tra"])
_NUMBER_OF = re.compile(
    r"\b(?:number of|anzahl (?:der|an|von)|nombre (?:de|des|d['’])|número de|numero (?:di|dei|delle|degli)) ?(\w+)",
    re.IGNORECASE,
)
# A question that wants a row named. "Quel est le total ?" wants its number.
_WHICH = re.compile(
    r"\W*(?:(?:which|who|wer|welche[rsmn]?)\b"
    r"|(?:quel(?:le)?s?|cu[aá]l(?:es)?|qual[ei]?) (?!est\b|sont\b|es\b|son\b|è|sono\b))",
    re.IGNORECASE,
)
_PER_OF = re.compile(r"_per_([a-z]{3,})$")
_FRAGMENT = 2  # most words of an answer that is not a sentence
_SHORT = 3  # most letters of a word that may be omitted
_HEAD = 3  # words in which the counted noun occurs


def find_omissions(
    items: Sequence[Item],
    facts: Facts,
    asked: Sequence[Item],
    supports: Mapping[int, Support],
) -> Iterator[Problem]:
    """Conditions of the question that a sentence omits, if it names its subject at all.

    "It was 267." fits any question. "267 customers ordered." claims more than "267 customers from Spain ordered."
    """
    yield from _find_left_years(items, facts)
    yield from _find_left_name(items, facts, supports)
    said = [word for it in items if it.kind in ("word", "phrase") for word in words_of(it.text)]
    fragment = len(said) <= _FRAGMENT and not any(it.kind == "phrase" for it in items)
    if fragment or _AS_ASKED & set(said):  # "267 customers."; "There are no such customers."
        return
    yield from _find_left_mean(items, facts, asked, supports)
    content = [it.text.lower() for it in asked if it.kind == "word" and len(it.text) > 1]
    if facts.language not in LANGUAGES:
        return
    words = [word for it in items if it.kind == "word" for word in words_of(it.text)]
    if not any(is_among(word, content) for word in words):
        if any(it.kind == "name" and it.places for it in items):  # "Ada has lost 12"
            yield from find_left_times(items, facts, asked)
            years = [it for it in asked if _YEAR.fullmatch(it.text)]
            yield from _find_left_numbers(items, facts, years)
        return
    text = {*said, *(it.text.lower() for it in items), *(word for it in items for word in words_of(it.text))}
    replaced = bool(list_transfer_words(facts.language) & text)
    for needed in _list_needed(facts, content, verbs=replaced):
        if not any(is_among(word, text) or is_derived(word, text) for word in needed):
            yield Problem(needed[0], LEFT_OUT)
    told = [it for it in items if it.kind == "date"]
    head = list_counted_words(facts)
    others = [word for word in content if not is_among(word, head)]
    says_where = bool(told) or any(it.kind == "name" for it in items)
    unsaid = head and not says_where and not any(is_among(word, text) for word in others)
    if unsaid and others and facts.query.aggregates:
        yield Problem(others[0], LEFT_OUT)
    yield from _find_untold_tests(facts, supports, text)
    yield from _find_left_rate(facts, supports, text)
    yield from find_left_times(items, facts, asked)
    yield from _find_left_numbers(items, facts, asked)
    denials = sum(it.cls is Class.NOT for it in items)
    if denials > sum(it.cls is Class.NOT for it in asked) and facts.conditions:
        why = "the question asks about some, and the answer denies all"
        yield from (Problem(it, why) for it in _find_dropped(asked, text, polar=facts.is_polar))
    none = not facts.rows  # an empty result adds a denial: "no supplier has never been late"
    if _asks_denied(asked, facts) and denials < 1 + none:
        yield Problem("not", "the question denies something, and the answer does not")


def _find_left_years(items: Sequence[Item], facts: Facts) -> Iterator[Problem]:
    """Months stated without the year of their row, if neither question nor query determines the year."""
    told = [reading for it in items if it.date for reading in it.date.readings]
    if _SAYS_YEAR.search(facts.question) or counts_from_today(facts.question) or any(year for year, *_ in told):
        return
    values = [value for it in facts.conditions for value in it.values]
    months = sorted(12 * int(found[1]) + int(found[2]) for value in values if (found := _DAY.match(value)))
    if any(map(_YEAR.fullmatch, values)) or (months and months[-1] - months[0] <= _A_YEAR):
        return
    for item in items:
        readings = item.date.readings if item.date else ()
        cells = [str(facts.rows[row][column]) for column, rows in item.places.items() for row in rows]
        if any(month and not day for _, month, day, _ in readings) and any(map(_STARTS_WITH_YEAR.match, cells)):
            yield Problem(item.text, YEAR_LEFT_OUT)


def _find_left_name(items: Sequence[Item], facts: Facts, supports: Mapping[int, Support]) -> Iterator[Problem]:
    """The only row of a question for a name, told without it: "The customer with the most orders has 34 orders"."""
    asked = _WHICH.match(facts.question)
    names = {it.index for it in facts.columns if it.kind == "dimension"}
    told = any(it.kind in ("name", "date") and it.places for it in items)
    if asked is None or not names or told or len(facts.rows) != 1 or any(facts.rows[0][at] is None for at in names):
        return
    if not any(it.column in names for it in supports.values()):
        yield Problem(asked[0].strip(), NAME_LEFT_OUT)


def _find_left_mean(
    items: Sequence[Item], facts: Facts, asked: Sequence[Item], supports: Mapping[int, Support]
) -> Iterator[Problem]:
    """A mean that is reported for a row as if it were a single value or the total."""
    told = [it.column for it in supports.values() if it.column is not None]
    means = [it for it in told if facts.columns[it].projection.aggregate == "avg"]
    means = [it for it in means if not is_fraction(facts, facts.columns[it])]
    mean = next((it.text for it in asked if it.cls is Class.MEAN), None)
    named = any(it.kind in ("name", "date") and it.places for it in items)
    if means and named and mean is not None and not any(it.cls is Class.MEAN for it in items):
        yield Problem(mean, "the question asks for it, and the answer leaves it out")


def find_left_times(items: Sequence[Item], facts: Facts, asked: Sequence[Item]) -> Iterator[Problem]:
    """Times of the question that a sentence omits."""
    told = [it for it in items if it.kind == "date"]
    dates = [it for it in asked if it.kind == "date" and not _THAT_TIME.search(" ".join(it.text for it in items))]
    for item in asked:  # "last year", which the query contains as dates
        timed = any(_DATE.match(value) for it in facts.conditions for value in it.values)
        if item.cls is Class.ASKED and timed and not any(it.text.lower() == item.text.lower() for it in items):
            yield Problem(item.text, TIME_LEFT_OUT)
    for date in dates:
        of_rows = date.places and any(it.places for it in told)
        if date.date and not of_rows and not any(it.date and _says(it.date, date.date) for it in told):
            yield Problem(date.text, TIME_LEFT_OUT)


def _find_left_numbers(items: Sequence[Item], facts: Facts, asked: Sequence[Item]) -> Iterator[Problem]:
    """Numbers in the query's conditions that a sentence omits."""
    told = [it for it in items if it.kind == "date"]
    numbers = {it.value for it in items if it.kind == "number"}
    numbers |= {Fraction(year) for it in told if it.date for year, *_ in it.date.readings if year is not None}
    numbers |= {Fraction(digits) for it in items if it.kind == "word" for digits in re.findall(r"\d+", it.text)}
    numbers |= {Fraction(year) for it in items if it.kind == "name" for year in _YEAR.findall(it.text)}  # "2024-Q1"
    limit = facts.query.limit
    tells = any(it.kind in ("name", "date") and it.places for it in items)
    if any(it.text.lower() in _THESE for it in items):
        return  # "the highest of these"
    compares = bool(_COMPARING & {it.cls for it in items})
    for number in (it for it in asked if it.kind == "number"):
        if tells and not _OF_OTHERS & {it.cls for it in items} and _is_of_shown(number, facts):
            continue  # "31.5 hours", of those above 20; the key of a named row
        if number.value not in numbers and number.value != limit and _is_compared(number, facts):
            yield Problem(number.text, LEFT_OUT)
        share = replace(number, value=number.value / 100) if number.percent and compares else None
        if share is not None and number.value not in numbers and _is_compared(share, facts):
            yield Problem(number.text, LEFT_OUT)  # `cost > 0.1 * price`


def affirms(items: Sequence[Item], asked: Sequence[Item], facts: Facts) -> bool:
    """Whether a sentence repeats a yes-no question, and the only cell confirms it."""
    cells = [cell for row in facts.rows for cell in row]
    said = {word for it in items for word in words_of(it.text)}
    repeats = all(is_among(word, said) for it in asked if it.kind == "word" for word in words_of(it.text))
    return facts.is_polar and repeats and len(cells) == 1 and (cells[0] is True or cells[0] == 1)


def _find_dropped(asked: Sequence[Item], said: set[str], *, polar: bool) -> Iterator[str]:
    """Words of the question that limit a denial: "overdue" in "overdue loans". In a yes-no question, all words do."""
    asked = [it for it in asked[asked[0].text.lower() in _REQUESTS :] if it.text.lower() not in _HOW_MUCH]
    if polar:
        words = [it for it in asked if it.kind == "word" and it.cls is None and len(it.text) > _SHORT]
        words = [it for it in words if not find_currencies(it.text)]  # "$12" says "dollars"
        yield from (it.text for it in words if not is_among(it.text.lower(), said))
        return
    grouped = {asked[at + 1].start for at, it in enumerate(asked[:-1]) if it.cls in (Class.EACH, Class.PER)}
    for one, other in pairwise(asked):
        if one.start in grouped:
            continue  # "in each hotel tonight"
        if one.kind == other.kind == "word" and one.cls is None and other.cls is None and one.end + 1 == other.start:
            repeats = is_among(other.text.lower(), said) and not is_among(one.text.lower(), said)
            if repeats and len(one.text) > _SHORT:
                yield one.text


def find_turned_round(text: str, facts: Facts) -> Iterator[Problem]:
    """A direction opposite to the question's: "from Lima" for "to Lima"."""
    asked = {(_DIRECTION[it[1].lower()], it[2].lower()) for it in _DIRECTED.finditer(facts.question)}
    for found in _DIRECTED.finditer(text):
        way, name = _DIRECTION[found[1].lower()], found[2].lower()
        if (-way, name) in asked and (way, name) not in asked:
            yield Problem(found[0], "the question says the other direction")


def _find_untold_tests(facts: Facts, supports: Mapping[int, Support], said: set[str]) -> Iterator[Problem]:
    """Counts of some rows that read as those of all: "2,873 orders", from `free_shipping_orders`."""
    tables = {word for it in facts.query.tables for word in words_of(it)}
    for at in dict.fromkeys(it.column for it in supports.values() if it.column is not None):
        column = facts.columns[at]
        others = {word for it in facts.columns if it is not column for word in it.words}
        telling = [
            it for it in words_of(column.name) if len(it) > _SHORT and not is_among(it, tables | others | _ANY_NAME)
        ]
        counts = column.projection.tested and column.projection.aggregate == "count" and not column.percent
        if counts and telling and not any(is_among(it, said) or is_derived(it, said) for it in telling):
            yield Problem(telling[0], LEFT_OUT)


def _find_left_rate(facts: Facts, supports: Mapping[int, Support], said: set[str]) -> Iterator[Problem]:
    """What a rate is per, if its column and the question name it: `revenue_per_machine` told as revenue."""
    for at in dict.fromkeys(it.column for it in supports.values() if it.column is not None):
        for noun in _PER_OF.findall(facts.columns[at].name):
            if is_among(noun, facts.question_words) and not is_among(noun, said):
                yield Problem(noun, LEFT_OUT)


def find_other_counts(text: str, facts: Facts) -> Iterator[Problem]:
    """A number of things, where no column has whole numbers and the question asks for none."""
    found = None if _NUMBER_OF.search(facts.question) else _NUMBER_OF.search(text)
    counted = [
        it for it in facts.measures if not it.percent and all(v.denominator == 1 for v in facts.values(it.index))
    ]
    if found is not None and facts.measures and not counted:
        yield Problem(found[0], "no column that is shown counts")


def find_other_side(items: Sequence[Item], asked: Sequence[Item]) -> Iterator[Problem]:
    """Times that the question excludes: "in 2015" for "after 2015"."""
    sides = {it.value: asked[at - 1].cls for at, it in enumerate(asked) if at and it.kind == "number" and it.is_year}
    sides |= {
        Fraction(year): asked[at - 1].cls
        for at, it in enumerate(asked)
        for year, *rest in (it.date.readings if at and it.date else ())
        if year and not any(rest)
    }
    for one, item in pairwise(items):
        years = [it[0] for it in item.date.readings if it[0] and not any(it[1:])] if item.date else []
        said = Fraction(years[0]) if years else item.value if item.kind == "number" and item.is_year else None
        behind = next((it.text.lower() for it in items if it.start > item.start), "")
        if behind.startswith("or") or one.text.lower() not in _IN:
            continue  # "in 2022 or later"
        if said is not None and sides.get(said) in (Class.AFTER, Class.BEFORE):
            yield Problem(f"{one.text} {item.text}", "the question asks for another time")


def _says(told: DateInText, asked: DateInText) -> bool:
    """Whether a time of the answer includes the question's time: "January 2024" includes "January"."""
    if not asked.readings:
        return asked.clock is not None and told.is_at(asked.clock)
    return any(
        all(part is None or part == said for part, said in zip(one, other, strict=True))
        for one in asked.readings
        for other in told.readings
    )


def _list_needed(facts: Facts, content: Sequence[str], *, verbs: bool) -> Iterator[list[str]]:
    """For each condition of the query, the words of the question that express it. Skipped if there are none.

    Args:
        verbs: whether names of range columns count too: "shipped" for `shipped_on`, if the answer has "received".
    """
    linked = {value.lower(): said for said, value in facts.linked}
    codes = {code.lower(): words_of(meaning) for column in facts.columns for code, meaning in column.codes}
    shown = {it.name.lower() for it in facts.columns if it.kind == "dimension"} | {
        source for it in facts.columns if it.kind == "dimension" for source in it.projection.sources
    }
    for condition in facts.conditions:
        if condition.present and facts.measured_names.issuperset(condition.columns):
            continue  # only rows with a value can be computed
        words: list[str] = []
        for value in condition.values:
            words += words_of(linked.get(value.lower(), "")) or codes.get(value.lower(), [])
            words += [word for name in country_names().get(value, ()) for word in words_of(name)]
            words += words_of(value)
        found = [word for word in content if is_among(word, words)]
        joins = len(condition.columns) > 1 and not condition.values
        if not found and not joins and (verbs or _is_flag(condition)) and not set(condition.columns) & shown:
            names = [word for column in condition.columns for word in words_of(column) if len(word) > 2]
            found = [word for word in content if is_among(word, names)]
        if found:
            yield found
    columns = {word for it in facts.columns for word in it.words}
    for name in _NAME.findall(facts.question) if facts.language != "de" else ():
        said = {word for it in facts.conditions for value in it.values for word in words_of(value)}
        meant = {word for one, _ in facts.linked for word in words_of(one)}
        if (
            len(name) >= _SHORT
            and name.lower() in content
            and not is_among(name.lower(), columns)
            and is_among(name.lower(), said | meant)
        ):
            yield [name.lower()]


def _is_flag(condition: Condition) -> bool:
    """Whether a condition means what its column is called: `rejected = 1`, `returned_on IS NULL`. Ranges are times."""
    return all(value.lower() in _FLAGS for value in condition.values)


def _is_compared(number: Item, facts: Facts) -> bool:
    """Whether the query's conditions contain this number."""
    values = {value for condition in facts.conditions for value in condition.values}
    digits = number.numeral is not None
    return digits and any(
        number.value == Fraction(it) for value in values for it in re.findall(r"\d+(?:\.\d+)?", value)
    )


def _is_number(value: str, number: Item) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+)?", value) is not None and Fraction(value) == number.value


def _is_of_shown(number: Item, facts: Facts) -> bool:
    """Whether all conditions with a number are about a shown measure, or select one row by its key."""
    found = [it for it in facts.conditions if any(_is_number(value, number) for value in it.values)]
    keys = all(re.search(r"(?:^|_)(?:id|no|nr|code|key)$", name) for it in found for name in it.columns)
    measured = all(facts.measured_names.issuperset(it.columns) for it in found)
    return bool(found) and (measured or (keys and len(facts.rows) == 1))


def _asks_denied(asked: Sequence[Item], facts: Facts) -> bool:
    """Whether the question asks for the negated case: "not serviced since 2024". If polar, the query decides."""
    flags = any(set(it.values) & {"0", "false", "FALSE"} for it in facts.conditions)
    denied = flags or any(it.denied for it in facts.conditions)
    return any(it.cls is Class.NOT for it in asked) and (denied or not facts.is_polar)


def find_miscounted(segments: Sequence[Segment], facts: Facts, supports: Mapping[int, Support]) -> Iterator[Problem]:
    """Counted nouns that differ from the one in the question's "how many".

    Numbers from the question do not count: "10 products that cost more than 50 euros".
    """
    head = list_counted_words(facts)
    if not head or len(facts.rows) != 1 or not facts.query.aggregates:
        return
    words = facts.question_words
    for segment in segments:
        for place, item in enumerate(segment.items):
            support = supports.get(item.start)
            if item.kind != "number" or (support is not None and support.origin == "question"):
                continue
            after: list[str] = []
            for following in segment.items[place + 1 : place + 1 + _HEAD]:
                if following.kind != "word":
                    break
                after.append(following.text.lower())
            asked = [word for word in after if is_among(word, words)]
            if asked and not any(is_among(word, head) for word in asked) and len(after) == len(asked):
                yield Problem(" ".join(after), "the question asks for the number of something else")


def list_counted_words(facts: Facts) -> list[str]:
    """The words after "how many" in the question: what is to be counted."""
    if facts.language not in LANGUAGES:
        return []
    listed = vocabulary(facts.language)
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", facts.question)]
    for at in range(len(words)):
        for phrase in listed.how_many:
            if tuple(words[at : at + len(phrase)]) == phrase:
                found: list[str] = []
                for place in range(at + len(phrase), min(at + len(phrase) + _HEAD, len(words))):
                    known = listed.find_phrase(words, place)
                    if known is not None and found:
                        break
                    if known is None:
                        found.append(words[place])
                return found
    return []


def find_foreign_names(segments: Sequence[Segment], facts: Facts, asked: Sequence[Item]) -> Iterator[Problem]:
    """Names of the question for values that distinguish rows but occur in none: "Spain has most", of a row DE."""
    dimensions = {
        source for it in facts.columns if it.kind == "dimension" for source in (it.name.lower(), *it.projection.sources)
    }
    values = {value.lower() for it in facts.conditions for value in it.values}
    own = (it for it in facts.conditions if set(it.columns) & dimensions and not _is_of_another_table(it, facts))
    compared = {value.lower() for it in own for value in it.values}
    names = {name.lower() for name in _NAME.findall(facts.question)} if facts.language != "de" else set()
    names |= {word for said, _ in facts.linked for word in words_of(said) if said[:1].isupper()}
    told_apart = any(it.kind == "name" and it.places for it in asked) or any(it.codes for it in facts.columns)
    told_apart = told_apart or any(_are_countries(it.index, facts) for it in facts.columns)
    for segment in segments:
        for place, item in enumerate(segment.items):
            word = item.text.lower()
            if item.kind != "word" or not item.text[0].isupper() or not any(is_same_word(word, it) for it in names):
                continue
            if not told_apart and _is_repeated(segment.items, place, asked):
                continue  # "closest to the Earth", as in the question
            if is_same_word(word, "id") or any(is_among(word, it.words) for it in facts.columns):
                continue
            if re.search(rf"\bthe {re.escape(word)} (?:for|of|per|by)\b", facts.question, re.IGNORECASE):
                continue  # "the ASP of each model": a measure
            meant = _list_meant(word, facts)
            if not dimensions or not facts.rows:
                continue
            if meant & compared or (dimensions and not meant & values and not _is_in_text(word, values)):
                yield Problem(item.text, "no row is about it")  # fmt: skip


def _is_of_another_table(condition: Condition, facts: Facts) -> bool:
    """Whether a condition is about another table's column with the same name: no row contains its only value."""
    cells = {str(cell).lower() for row in facts.rows for cell in row}
    return len(condition.values) == 1 and not condition.denied and condition.values[0].lower() not in cells


def _is_repeated(items: Sequence[Item], place: int, asked: Sequence[Item]) -> bool:
    """Whether a word follows the same preposition as in the question: "into Dutch"."""

    def find_word_before(words: Sequence[Item], at: int) -> str:
        found = [it.text.lower() for it in words[max(0, at - 2) : at]]
        return next((it for it in found if it in _PREPOSITIONS), "")

    said = {find_word_before(asked, at) for at, it in enumerate(asked) if it.text.lower() == items[place].text.lower()}
    return find_word_before(items, place) in said - {""}


def _are_countries(column: int, facts: Facts) -> bool:
    known = country_names()
    names = {name for one in known.values() for name in one}
    cells = {str(row[column]) for row in facts.rows}
    return bool(cells) and all(cell in known or cell in names for cell in cells)


def _list_meant(word: str, facts: Facts) -> set[str]:
    """The values that a name in the question stands for, in lower case."""
    found = {word} | {value.lower() for said, value in facts.linked if word in words_of(said)}
    codes = (it for condition in facts.conditions for it in facts.codes_of(condition.columns))
    found |= {code.lower() for code, meaning in codes if word in words_of(meaning)}
    return found | {
        code.lower() for code, names in country_names().items() if any(is_same_word(word, it.lower()) for it in names)
    }


def _is_in_text(word: str, values: set[str]) -> bool:
    return any(is_among(word, words_of(value)) for value in values)
