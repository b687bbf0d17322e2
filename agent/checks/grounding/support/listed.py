"""Numbers in a list of rows: "the ids are 3, 5 and 8", "133 (salary 3,300) and 134 (2,900)"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product, takewhile
from math import prod
from typing import NamedTuple

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts, number_of
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.support.beside import all_of
from agent.checks.grounding.support.counts import APART
from agent.checks.grounding.support.found import Support
from agent.checks.grounding.support.support import Numbers

_MOST_ROWS = 100  # of a list
_MOST_VALUES = 6  # of one row
_MOST_READINGS = 200  # assignments of columns that are tried
_ENDS = frozenset(".!?\n")
# Words that make a number something else than the value of a row.
_BOUNDS = frozenset({Class.OVER, Class.UNDER, Class.ABOUT, Class.MORE, Class.LESS, Class.PER, Class.NOT, Class.EXISTS})
_COMPUTED = frozenset({Class.SUM, Class.MEAN, Class.EACH, Class.DIFFERENCE, Class.TIMES, Class.SHARE}) | _BOUNDS
_LEADS = frozenset(["by", "from", "per", "than", "von", "um", "par", "por", "di", "da"])
_OR = frozenset(["or", "oder", "ou", "o", "u"])
_NUMBERS = frozenset(["number", "numbers"])
_Element = Sequence[Item]


class ListedRows(NamedTuple):
    """What lists of rows support.

    supports: of numbers, by start position. settled: start positions of words that a list decides.
    names: start positions of names that stand with values of their own row.
    """

    supports: Mapping[int, Support]
    settled: frozenset[int] = frozenset()
    names: frozenset[int] = frozenset()


def find_listed_rows(items: Sequence[Item], facts: Facts, numbers: Numbers) -> ListedRows:
    """The lists that end sentences and give the same columns of each row, in the same order.

    A list is evidence if it has all rows, or the first ones and says so: "the first three are A, B and C". Each of its
    rows must be another one, and the words before the list and in it must name no other column.
    """
    supports: dict[int, Support] = {}
    settled: set[int] = set()
    names: set[int] = set()
    reader = _Reader(facts, numbers)
    for sentence in _sentences(items) if len(facts.rows) > 1 else ():
        opening = _find_opening(sentence, len(facts.rows))
        if opening is None and facts.result.truncated:
            continue
        start = opening + 2 if opening is not None else 0
        count = int(sentence[opening + 1].value) if opening is not None else len(facts.rows)
        if count > _MOST_ROWS:
            continue
        for lead, elements in _lists_of(sentence[start:], count):
            if opening is not None and not _only_presents(lead):
                continue
            found = reader.read(lead, elements, range(count))
            if found is None:
                continue
            supports |= found
            names |= {it.start for element in elements for it in element if it.places}
            if opening is not None:
                settled.add(sentence[opening].start)
                supports[sentence[opening + 1].start] = Support("row count", Fraction(count))
                supports |= _support_row_count(sentence[:opening], facts, numbers)
            break
    return ListedRows(supports, frozenset(settled), frozenset(names))


def _sentences(items: Sequence[Item]) -> Iterator[list[Item]]:
    sentence: list[Item] = []
    for item in items:
        if item.kind == "mark" and _ENDS.intersection(item.text):
            yield sentence
            sentence = []
        else:
            sentence.append(item)
    yield sentence


def _find_opening(sentence: Sequence[Item], rows: int) -> int | None:
    """The position of "first" in "the first three", where a clause begins with it and fewer than all rows follow.

    None if there is none, or a row is named before it: "Ada's first two orders".
    """
    for at, (one, other) in enumerate(pairwise(sentence)):
        if one.cls is Class.RANK and one.rank == 1 and other.kind == "number" and 1 < other.value < rows:
            begins = at < 2 or sentence[at - 2].kind == "mark" or sentence[at - 2].cls is Class.JOIN
            return at if begins and not any(it.places for it in sentence[:at]) else None
    return None


def _only_presents(lead: Sequence[Item]) -> bool:
    """Whether the words between "the first three" and its list set no condition: "listed are", "have the ids"."""
    return all(
        it.kind == "word" or (it.cls is Class.FILLER and it.text.lower() not in {*_LEADS, "to", "in", "for"})
        for it in lead
        if it.kind != "mark"
    )


def _support_row_count(before: Sequence[Item], facts: Facts, numbers: Numbers) -> dict[int, Support]:
    """The number of all rows, before the first ones are listed: "there are 12 students; the first three are"."""
    rows = len(facts.rows)
    apart = len({str(row) for row in facts.rows}) == rows or not any(it.text.lower() in APART for it in before)
    for at, item in enumerate(before if facts.is_whole and apart else ()):
        if item.kind == "number" and item.value == rows and not item.percent and not item.currency:
            exists = at > 0 and before[at - 1].cls is Class.EXISTS
            if exists or any(it.cls is Class.ROWS or numbers.counts.is_counted(it) for it in before[at + 1 : at + 2]):
                return {item.start: Support("row count", item.value)}
    return {}


def _is_value(item: Item) -> bool:
    return (item.kind == "number" and item.cls is None) or (item.kind in ("name", "date") and bool(item.places))


def _lists_of(sentence: Sequence[Item], count: int) -> Iterator[tuple[Sequence[Item], list[_Element]]]:
    """The lists of so many elements that a sentence may end with; the longest elements first.

    Each with the items before it. An element is a slice of the sentence from one of its values to the next element.
    """
    places = [at for at, item in enumerate(sentence) if _is_value(item)]
    for length in range(min(_MOST_VALUES, len(places) // count), 0, -1):
        first = len(places) - count * length
        if any(sentence[at].places for at in places[:first]):
            continue  # in "Ada and Bo have 3 and 5", the numbers are of the names
        begins = [places[at] for at in range(first, len(places), length)]
        elements = [sentence[start:end] for start, end in pairwise([*begins, len(sentence)])]
        if all(_is_separated(element, length) for element in elements[:-1]):
            yield sentence[: begins[0]], elements


def _is_separated(element: _Element, length: int) -> bool:
    """Whether a mark or "and" ends an element, and, in a list of single values, nothing else does."""
    values = [at for at, item in enumerate(element) if _is_value(item)]
    rest = element[values[-1] + 1 :]
    parts = [it.kind == "mark" or it.cls is Class.JOIN for it in rest]
    return any(parts) and (length > 1 or all(parts)) and not any(it.text.lower() in _OR for it in rest)


class _Reader:
    def __init__(self, facts: Facts, numbers: Numbers) -> None:
        self._facts, self._numbers = facts, numbers

    def read(
        self, lead: Sequence[Item], elements: Sequence[_Element], rows: Sequence[int]
    ) -> dict[int, Support] | None:
        """The supports of the numbers, if each element is another one of the rows. None if they are not.

        Args:
            lead: the items of the sentence before the list.
        """
        values = [[it for it in element if _is_value(it)] for element in elements]
        if any(it.kind == "number" for it in values[0]) and not self._states_values(lead, elements):
            return None
        options: list[list[tuple[ColumnFacts, list[Rows]]]] = []
        for place in range(len(values[0])):
            held = [(it, [self._find_rows(own[place], it, rows) for own in values]) for it in self._facts.columns]
            options.append([(column, found) for column, found in held if all(found)])
        if prod(map(len, options)) > _MOST_READINGS:
            return None
        for chosen in product(*options):
            columns = [column for column, _ in chosen]
            if len({it.index for it in columns}) < len(columns) or not self._are_labelled(lead, elements, columns):
                continue
            apart = _choose_apart([all_of(found) for found in zip(*(held for _, held in chosen), strict=True)])
            if apart is not None:
                return self._support(values, columns, apart)
        return None

    @staticmethod
    def _states_values(lead: Sequence[Item], elements: Sequence[_Element]) -> bool:
        """Whether no word turns the numbers into bounds, differences, counts or the like."""
        before = [*takewhile(lambda it: it.kind != "mark", reversed(lead))]
        if any(it.cls in _BOUNDS or it.text.lower() in _LEADS for it in before[:1]):
            return False
        single = sum(map(_is_value, elements[0])) == 1
        if single and any(it.cls in _COMPUTED - {Class.OVER, Class.UNDER, Class.NOT} for it in lead):
            return False
        return not any(other.kind == "number" and one.cls in _BOUNDS for it in elements for one, other in pairwise(it))

    def _find_rows(self, item: Item, column: ColumnFacts, rows: Sequence[int]) -> Rows:
        """The rows whose cell in a column a value states."""
        if item.kind != "number":
            told = {row for row in rows if str(self._facts.rows[row][column.index]) == item.text}
            return item.places.get(column.index, frozenset()) & frozenset(rows) | told
        if not self._numbers.currency_fits(item, column) or (column.percent and not item.percent):
            return frozenset()
        unit = 100 if item.percent and not column.percent else 1
        cells = ((row, number_of(self._facts.rows[row][column.index])) for row in rows)
        return frozenset(row for row, it in cells if it is not None and abs(it * unit - item.value) <= item.half)

    def _are_labelled(self, lead: Sequence[Item], elements: Sequence[_Element], columns: Sequence[ColumnFacts]) -> bool:
        """Whether the words before the list and beside its values name no other columns than theirs, in this order.

        A key is named before its number, never after it: "7 and 9 customers" counts.
        """
        unnamed = [self._list_unnamed(element, columns) for element in elements]
        heading = [found for it in lead if (found := self._list_named(it))]
        if any(it is None for it in unnamed):
            return False
        if heading and elements[0][0].kind == "number" and columns[0] not in heading[-1]:
            return False  # "products 2 (101)"
        told = list(dict.fromkeys(it.index for found in heading if len(found) == 1 for it in found))
        if len(columns) == 1:
            after = [it.text.lower() for it in lead if it.kind in ("word", "phrase")]
            if columns[0].kind == "dimension" and _NUMBERS.intersection(after) and "of" in after:
                return False  # "the numbers of late orders are 14 and 3"
            return not told or columns[0].index in told
        measures = [it.index for it in (unnamed[0] or ()) if it.kind == "measure"]
        of_measures = [at for at in told if self._facts.columns[at].kind == "measure"]
        if of_measures:
            return measures == [at for at in of_measures if at in measures]
        return measures == sorted(measures)

    def _list_unnamed(self, element: _Element, columns: Sequence[ColumnFacts]) -> list[ColumnFacts] | None:
        """The columns of the numbers beside which no word names theirs. None if one names another."""
        own = iter(columns)
        before: list[Item] = []
        last: ColumnFacts | None = None
        unnamed: list[ColumnFacts] = []
        for place, item in enumerate(element):
            if not _is_value(item):
                is_of_last = last is not None and last.kind == "measure" and last in self._list_named(item)
                before += [] if is_of_last else [item]
                continue
            last = next(own)
            following = [it for it in element[place + 1 : place + 2] if it.kind == "word"]
            if item.kind == "number":
                if any(it.cls in (Class.PER, Class.EACH) for it in element[place + 1 : place + 2]):
                    return None
                if self._numbers.is_money_of(element, place, last):
                    return None  # "A has 2.14 euros", of millions
                if any(last.kind == "dimension" or not self._is_of(it, last) for it in following):
                    return None
                named = [found for it in (*before, *following) if (found := self._list_named(it))]
                if named and all(last not in it for it in named):
                    return None
                unnamed += [] if named else [last]
            before = []
        rest = [found for it in before if (found := self._list_named(it))]
        return unnamed if all(any(it in columns for it in found) for found in rest) else None

    def _is_of(self, item: Item, column: ColumnFacts) -> bool:
        """Whether a word after a number is of its column: its name, its unit, or what it counts."""
        word = item.text.lower()
        counted = column.projection.aggregate == "count" and is_among(word, self._facts.question_words)
        return column in self._list_named(item) or word in column.units or is_among(word, column.words) or counted

    def _list_named(self, item: Item) -> list[ColumnFacts]:
        """The columns that a word names, keys included, by words that no other column has."""
        if item.kind not in ("word", "phrase"):
            return []
        found = self._numbers.columns.list_labelled(item)
        word, columns = item.text.lower(), self._facts.columns
        for column in (it for it in columns if it.kind == "dimension"):
            others = {name for it in columns if it is not column for name in words_of(it.name)}
            if is_among(word, set(words_of(column.name)) - others):
                found = [*found, column]
        return found

    @staticmethod
    def _support(
        values: Sequence[Sequence[Item]], columns: Sequence[ColumnFacts], rows: Sequence[int]
    ) -> dict[int, Support]:
        return {
            item.start: Support("result", item.value, row, column.index)
            for own, row in zip(values, rows, strict=True)
            for item, column in zip(own, columns, strict=True)
            if item.kind == "number"
        }


def _choose_apart(options: Sequence[Rows]) -> list[int] | None:
    """One row for each of the options, none twice. None if there are too few. Options are equal or apart."""
    chosen: dict[int, int] = {}
    for at in sorted(range(len(options)), key=lambda it: len(options[it])):
        left = options[at] - set(chosen.values())
        if not left:
            return None
        chosen[at] = min(left)
    return [chosen[at] for at in range(len(options))]
