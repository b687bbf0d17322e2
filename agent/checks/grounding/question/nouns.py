"""Checks what a number counts: the noun next to it must fit its column and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, takewhile

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.currencies import find_currencies
from agent.checks.grounding.languages.near_words import is_synonym
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, is_same_word, words_of
from agent.checks.grounding.question.omissions import list_counted_words
from agent.checks.grounding.support.beside import PLURAL
from agent.checks.grounding.support.conversion import find_factor
from agent.checks.grounding.support.found import Support
from agent.checks.grounding.support.support import Numbers, is_counted_in

_QUANTIFYING = frozenset(
    {Class.MOST, Class.LEAST, Class.MORE, Class.LESS, Class.OVER, Class.UNDER, Class.SUM, Class.MEAN}
)
_NUMBER_OF = frozenset(
    ["number", "numbers", "count", "anzahl", "zahl", "nombre", "número", "cantidad", "numero", "quantità"]
)
# Column names that do not indicate what is counted.
_GENERIC = frozenset(
    words_of(
        """n c x cnt count num number total sum amount value values result anzahl zahl summe gesamt nombre somme número
        suma cantidad numero somma totale how many avg average mean max min"""
    )
)
_ENDING = 2  # most letters that a plural adds
_THOUSAND = 1000
_NEAR = 3  # items after a quantifier in which its noun follows
_COMPOUND = 5  # least letters of a German word that ends another one


def find_misnamed(
    facts: Facts,
    asked: Sequence[Item],
    numbers: Numbers,
    segments: Sequence[Segment],
    supports: Mapping[int, Support],
) -> Iterator[str]:
    """The nouns beside a number that belong to another column: "120 terraces" for 120 seats."""
    quantified = frozenset((*_find_quantified(asked), *list_counted_words(facts)))
    for segment in segments:
        for place, item in enumerate(segment.items):
            support = supports.get(item.start)
            if item.percent and support is not None and support.column is not None:
                yield from _find_shared(segment.items, place, facts.columns[support.column], numbers)
            if item.kind != "number" or item.percent or item.currency or item.cls or support is None:
                continue
            if support.origin not in ("result", "calculation") or support.words or support.cls is Class.TIMES:
                continue
            if support.expression.startswith("count("):
                continue  # of rows
            if support.column is not None and facts.columns[support.column].kind == "dimension":
                continue  # a key in a list: in "131 (wage 3300)", the word is of the next number
            nouns = _list_words_after(segment.items, place) or _number_of(segment.items, place)
            columns = (
                [facts.columns[support.column]] if support.column is not None else numbers.columns.find(segment, place)
            )
            if not nouns or len(columns) != 1:
                continue
            if find_factor(segment.items, place, columns[0]) is not None:
                continue  # its unit was converted
            scaled = columns[0].scale < _THOUSAND or is_counted_in(item, columns[0])  # "251 visitors", of thousands
            scaled = scaled or bool(find_currencies(" ".join(nouns)))  # money is compared in its scale
            own = [it for it in nouns if is_own(it, columns[0], facts, quantified)]
            by_docs = is_among(
                nouns[0], columns[0].mentioned
            )  # "858 agents closed tickets", for tickets closed by agents
            if not scaled or not own or (by_docs and nouns[0] not in own and not find_currencies(" ".join(nouns))):
                yield " ".join((item.text, *nouns))


def find_counted_noun(column: ColumnFacts, facts: Facts) -> str:
    """The question's plural for what a column counts: "customers" for `customer_count`. Empty if it has none."""
    own = [it for it in words_of(column.label) if it not in _GENERIC]
    if not own and not column.projection.sources and not facts.query.joined and len(facts.query.tables) == 1:
        own = words_of(facts.query.tables[0])  # COUNT(*) of a table
    if column.projection.aggregate != "count" or column.units or column.percent or len(own) != 1:
        return ""
    counted = list_counted_words(facts)[:1]  # "how many customers"
    if facts.language in ("en", None):  # "the most customers"
        plurals = (it for it in words_of(facts.question) if PLURAL.search(it))
        counted += [it for it in plurals if it in (own[0], f"{own[0]}s")]
    # "owners" does not match `ownership`.
    noun = next((it for it in counted if is_same_word(it, own[0]) and abs(len(it) - len(own[0])) <= _ENDING), "")
    written = re.search(rf"(?<!\w){re.escape(noun)}(?!\w)", facts.question, re.IGNORECASE) if noun else None
    return written[0] if written is not None else ""


def _find_shared(items: Sequence[Item], place: int, column: ColumnFacts, numbers: Numbers) -> Iterator[str]:
    """The noun of which a percentage is called a part, if it names only another column: bookings for an occupancy."""
    after = dropwhile(lambda it: it.cls is Class.FILLER, items[place + 1 :])
    of = next(after, None) if items[place + 1 : place + 2] and items[place + 1].cls is Class.FILLER else None
    labelled = numbers.columns.list_labelled(of) if of is not None and of.kind == "word" else []
    if of is not None and labelled and not any(column in numbers.columns.list_labelled(it) for it in items):
        yield f"{items[place].text} {of.text}"


def is_own(noun: str, column: ColumnFacts, facts: Facts, quantified: frozenset[str]) -> bool:
    """Whether a noun describes the numbers of a column."""
    own = {*column.words, *column.units} - _GENERIC
    if any(is_same_word(noun, it) for it in column.units):
        return True
    if find_currencies(noun) or is_among(noun, {*own, *column.units}) or is_synonym(noun, own):
        return True
    others = {word for it in facts.measures if it is not column for word in it.words}
    others |= {word for it in facts.columns if it.kind == "dimension" for word in words_of(it.name)}
    if column.projection.distinct and _is_of_table(noun, column):
        return False  # 47 different customers are no "47 rentals"
    if is_among(noun, quantified - others) or _has_ending(noun, own):
        return True
    if column.projection.aggregate == "count" and (counted := (*column.projection.tables, *facts.query.tables)):
        table = words_of(counted[0])
        keyed = (it == "id" or is_among(next(iter(words_of(it)), ""), table) for it in column.projection.sources)
        if is_among(noun, table) and all(keyed):
            return True  # COUNT(*) of a table, COUNT of its key
    return not own and not is_among(noun, others)


def _is_of_table(noun: str, column: ColumnFacts) -> bool:
    """Whether a noun is of the table of a counted column, not of the column."""
    tables, sources = words_of(" ".join(column.projection.tables)), words_of(" ".join(column.projection.sources))
    return not noun.endswith("ed") and is_among(noun, tables) and not is_among(noun, sources)


def _has_ending(noun: str, words: set[str]) -> bool:
    """ "Überstunden" for a column `stunden`."""
    return any(len(it) >= _COMPOUND and noun.endswith(it) for it in words)


def _list_words_after(items: Sequence[Item], place: int) -> list[str]:
    following = takewhile(lambda it: it.kind in ("word", "name"), items[place + 1 :])
    return [it.text.lower() for it in following if it.kind == "word"]


def _number_of(items: Sequence[Item], place: int) -> list[str]:
    """ "The number of museums is 12"."""
    before = list(items[:place])
    start = max((at for at, it in enumerate(before) if it.text.lower() in _NUMBER_OF), default=None)
    if start is None or any(it.kind == "number" for it in before[start:]):
        return []
    return [it.text.lower() for it in before[start + 1 : start + 1 + _NEAR] if it.kind == "word"]


def _find_quantified(asked: Sequence[Item]) -> Iterator[str]:
    """The nouns that the question quantifies: "parcels" in "how many parcels", "visitors" in "the fewest visitors"."""
    for at, item in enumerate(asked):
        counts = item.kind == "phrase" and (item.cls in _QUANTIFYING or item.text.lower() in _NUMBER_OF)
        if item.kind == "number" or counts:
            following = dropwhile(lambda it: it.kind == "phrase", asked[at + 1 : at + 1 + _NEAR])
            yield from (it.text.lower() for it in takewhile(lambda it: it.kind == "word", following))
