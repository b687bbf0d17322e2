"""Support of a number: a cell of the named row, an aggregate, the row count, the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from agent.checks.grounding.claims.claims import BETWEEN, Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import NameIndex, Rows
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts, number_of, scales_in_name
from agent.checks.grounding.languages.currencies import are_same, find_currencies
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.support.beside import (
    COMPARED,
    FROM,
    PART_OF,
    all_of,
    currencies,
    have_same_beside,
    interval,
    is_compared_with_second,
    list_in_order,
    says_aggregate,
    span_of,
)
from agent.checks.grounding.support.columns import Columns
from agent.checks.grounding.support.conversion import find_factor
from agent.checks.grounding.support.counts import Counts
from agent.checks.grounding.support.found import Support

_NAMED = 5  # items in which a column is named
_KEY_WORDS = 4  # "supplier with the id"
_TIMES_OFF = Fraction(1, 20)  # tolerance of a ratio without "about"
# These refer to single rows, so that no sum is intended.
_OF_ONE = frozenset({Class.EACH, Class.PER, Class.MEAN, Class.MOST, Class.LEAST, Class.OVER, Class.UNDER, Class.ALL})
_OF_ONE |= COMPARED | {Class.SUM, Class.SHARE, Class.NOT, Class.ONLY, Class.RANK}
_OUT_OF = frozenset({"out of", "of", "von", "sur", "de", "su"})
_FAR = {Class.MORE: Class.OVER, Class.LESS: Class.UNDER}
_THAN = 4  # items in which a bound and its "than" stand before a number
_BOUNDS = (Class.OVER, Class.UNDER)
_INCLUSIVE = frozenset(
    """at least|at most|up to|no more than|no less than|no fewer than|mindestens|höchstens|bis zu|au moins|au plus
    |jusqu à|al menos|como máximo|hasta|almeno|al massimo|fino a""".replace("\n    ", "").split("|")
)


def is_counted_in(item: Item, column: ColumnFacts) -> bool:
    """Whether a number includes a column's scale: "412.7 million", not "412.7"."""
    scaled = item.numeral is not None and item.numeral.scale != 1
    return column.scale != 1 and (scaled or abs(item.value) >= column.scale)


def _is_less_than_part(items: Sequence[Item], place: int) -> bool:
    """Whether a number is called the whole of a greater one: "150 out of 141"."""
    told = [it for it in items[:place] if it.kind == "number"][-1:]
    leads = " ".join(it.text.lower() for it in items[max(0, place - 2) : place]) == "out of"
    return leads and any(not it.percent and it.value > items[place].value for it in told)


@dataclass
class Numbers:
    """Supports the numbers of a text.

    Args:
        asked: the items of the question.
        segments, items: of the text.

    sentences: the rows that each sentence names, by sentence index. counts: supports numbers that count rows.
    columns: finds the columns that a number may belong to. listed: columns of numbers in lists, by start position.
    """

    facts: Facts
    asked: Sequence[Item]
    segments: Sequence[Segment] = ()
    items: Sequence[Item] = ()
    sentences: Mapping[int, Rows] = field(init=False, default_factory=dict)
    counts: Counts = field(init=False)
    columns: Columns = field(init=False)
    listed: Mapping[int, ColumnFacts] = field(init=False)

    def __post_init__(self) -> None:
        found: dict[int, Rows] = {}
        for segment in self.segments:
            for item in segment.names:
                found[segment.sentence] = found.get(segment.sentence, frozenset()) | item.rows
        self.sentences = found
        self.counts = Counts(self.facts, self.asked, self.items, found)
        self.columns = Columns(self.facts)
        self.listed = self.columns.pair_lists(self.items, self.asked)

    def find_support(self, segment: Segment, item: Item, *, rows: Rows | None = None) -> Support | None:
        """The support of one number of a segment, from the first source that has one; else None.

        Args:
            rows: those of its name, if the sentence pairs lists.
        """
        place = segment.items.index(item)
        if _is_less_than_part(segment.items, place):
            return None
        bound = self._find_bound(segment.items, place)
        found = self._condition(segment, place, bound)
        if found is not None and bound is not None:
            return found  # "more than 5 trips", as the question says
        listed = self.listed.get(item.start)
        columns = [listed] if listed is not None else self.columns.find(segment, place)
        named = rows if rows is not None else self.rows_of(segment)
        if named is None and columns and says_aggregate(segment, columns[0]):
            named = self.find_nearby(segment)  # "Rome is the cheapest, at 200 on average"
        if item.cls is Class.MULTIPLIED:
            return self._aggregate(segment, item, columns, bound)
        return (
            self._cell(segment, item, columns, named, bound)  # "Ada sold 12"
            or self._aggregate(segment, item, columns, bound)  # "the shops sold 35 in total"
            or self._find_across(segment, item, named, bound)  # "75 % of the candidates passed"
            or self._whole(segment, place, columns)  # "27 of the 36 beds"
            or found  # "3 stars", as the question says
            or self._find_scale_end(segment, place, columns)  # "8.3 out of 10"
            or self.counts.find_counted(segment, place, bound)  # "6 countries"
            or self.counts.find_listed(segment, place)  # "two regions, North and South"
            or self._end(segment, place, columns)  # "between 12 and 48 a month"
            or self._find_over_records(segment, place, named, bound)  # "over 9 records", of those behind the result
        )

    def is_condition(self, segment: Segment, place: int) -> bool:
        """Whether a number and its bound repeat a condition of the question: "more than 5 trips"."""
        bound = self._find_bound(segment.items, place)
        return bound is not None and self._condition(segment, place, bound) is not None

    # -- which rows ----------------------------------------------------------------------------------------

    def rows_of(self, segment: Segment) -> Rows | None:
        """The rows that a segment refers to. None if it names none and there are several."""
        found = {**segment.inherited, **segment.map_own_rows()}
        if not found:
            return frozenset({0}) if len(self.facts.rows) == 1 else None
        return all_of(found.values())

    def find_named(self, segment: Segment) -> Rows | None:
        """The rows that a segment names itself. None if it names none."""
        own = segment.map_own_rows()
        return all_of(own.values()) if own else None

    @staticmethod
    def find_nearby(segment: Segment) -> Rows | None:
        """The rows named earlier in the sentence, for a segment without names."""
        return all_of(segment.nearby.values()) or None

    # -- cells --------------------------------------------------------------------------------------------

    def _cell(
        self, segment: Segment, item: Item, columns: Sequence[ColumnFacts], rows: Rows | None, bound: Class | None
    ) -> Support | None:
        if not rows:
            return None
        for column in columns:
            found = [(row, number_of(self.facts.rows[row][column.index])) for row in sorted(rows)]
            if all(value is not None and self.says(segment, item, value, column, bound) for _, value in found):
                row, value = found[0]
                return Support("result", value or Fraction(0), row, column.index)
        return None

    def says(
        self, segment: Segment, item: Item, value: Fraction, column: ColumnFacts | None, bound: Class | None
    ) -> bool:
        """Whether a number of the text states a value of a column, in its unit, rounded by at most half a digit."""
        if not self.currency_fits(item, column):
            return False
        if (
            column is not None
            and column.percent
            and not item.percent
            and not {Class.SHARE, Class.POINTS} & segment.classes
            and not self._ends_with_name(segment, item, column)
        ):
            return False  # 12.5 % of the vehicles is not 12.5 vehicles
        if item.percent and column is not None and not column.percent:
            if abs(value) > 1 and not {Class.SHARE, Class.RISE, Class.FALL} & segment.classes:
                return False
            value *= 100
        if Class.POINTS in segment.classes and column is not None and not column.percent and abs(value) <= 1:
            value *= 100
        said, place = item.value, segment.items.index(item)
        if column is not None and (is_counted_in(item, column) or self.is_money_of(segment.items, place, column)):
            value *= column.scale
        if (factor := find_factor(segment.items, place, column)) is not None:
            value *= factor
        losing = {Class.FALL, Class.LESS, Class.NEGATIVE} & segment.classes or self._carries(segment, Class.NEGATIVE)
        listed = not losing and column is not None and self._lists_losses(segment)
        if listed and value > 0:
            return False  # "Ada lost 12 and Bo 30", if Bo gained it
        if value < 0 < said and (losing or listed):
            value = -value
        if place and segment.items[place - 1].cls is Class.EXACT and value != said:
            return False
        low, high = interval(item, said, bound)
        beyond = bound is Class.OVER or bound is Class.UNDER
        if beyond and column is not None and column.projection.aggregate == "avg" and Class.MEAN not in segment.classes:
            return False  # "at least 2.5 nights" refers to each value
        return low <= value <= high and not (beyond and value == said and not self.reaches(segment, item))

    @staticmethod
    def is_money_of(items: Sequence[Item], place: int, column: ColumnFacts) -> bool:
        """Whether a number is an amount of money without the column's scale: "2.14 euros" is not 2.14 million."""
        after = items[place + 1].text if place + 1 < len(items) else ""
        return column.scale > 1 and bool(currencies(items, place)) and not scales_in_name(after)

    @staticmethod
    def reaches(segment: Segment, item: Item) -> bool:
        """Whether the bound before a number includes the number: "at least"."""
        place = segment.items.index(item)
        return place > 0 and segment.items[place - 1].text.lower() in _INCLUSIVE

    def _ends_with_name(self, segment: Segment, item: Item, column: ColumnFacts) -> bool:
        """Whether the column's own name precedes a number that counts nothing: "an active rate of 12.5"."""
        place = segment.items.index(item)
        before = [it.text.lower() for it in segment.items[max(0, place - _NAMED) : place]]
        return place + 1 == len(segment.items) and all(is_among(word, before) for word in words_of(column.name))

    def currency_fits(self, item: Item, column: ColumnFacts | None) -> bool:
        if not item.currency:
            return True
        said = find_currencies(item.currency)
        known = {column.currency} - {""} if column is not None else {it.currency for it in self.facts.measures} - {""}
        if not known and not (column is not None and column.projection.aggregate == "count"):
            known = set(find_currencies(self.facts.question))
        return bool(said) and are_same(said, known)

    # -- aggregates ---------------------------------------------------------------------------------------

    def _aggregate(
        self, segment: Segment, item: Item, columns: Sequence[ColumnFacts], bound: Class | None
    ) -> Support | None:
        """The sum, mean, most, least, difference, share, growth or ratio of a shown column, recomputed."""
        from agent.checks.grounding.support.aggregates import candidates

        if not self.facts.calculate or len(self.facts.rows) < 2:
            return None
        own = segment.map_own_rows()
        if item.percent and not own and not COMPARED & segment.classes:
            segment = self._add_change(segment)
        of_all = segment.nearby if item.percent and not own else {}
        names = own or of_all or (segment.inherited if not {Class.SUM, Class.MEAN} & segment.classes else {})
        rows = all_of(names.values()) if names else frozenset(range(len(self.facts.rows)))
        ordered = list_in_order(segment, rows) if names else sorted(rows)
        before = all_of(segment.before.values()) if own.keys() == segment.before.keys() else frozenset()
        others = [segment.inherited[it] for it in segment.inherited.keys() - own] if own else []
        if others and COMPARED & segment.classes:
            within = frozenset.intersection(*others)
            before, ordered = before & within, [row for row in ordered if row in within]
        if len(ordered) == len(before) == 1 and COMPARED & segment.classes and before != rows:
            at = segment.items.index(segment.names[0])
            base = at > 0 and segment.items[at - 1].text.lower() in FROM
            ordered = [*ordered, *before] if base else [*before, *ordered]  # "Ada has 3, 2 more than Bo"
        elif len(ordered) == 2 and {Class.RISE, Class.FALL} & segment.classes and is_compared_with_second(segment):
            ordered = ordered[::-1]
        elif span := span_of(self.facts, segment):
            ordered = span
        summed = self._is_summed(segment, item, rows)
        for column in columns:
            for found in candidates(self.facts, segment, item, column, ordered, named=bool(names), summed=summed):
                shares = found.cls in (Class.SHARE, Class.RISE, Class.FALL)
                if item.percent is not (shares or (item.percent and column.percent)):
                    continue
                # A share or a ratio is not a value of the column.
                plain = None if item.percent or found.cls is Class.TIMES else column
                if found.cls is Class.TIMES and bound is None and abs(found.value - item.value) > _TIMES_OFF:
                    continue  # 2.5 times is not three times
                over = found.cls is Class.TIMES and bound is Class.OVER and item.value < found.value < item.value + 1
                if over or (self.currency_fits(item, column) and self.says(segment, item, found.value, plain, bound)):
                    converted = find_factor(segment.items, segment.items.index(item), plain) is not None
                    unit = segment.items[segment.items.index(item) + 1].text.lower() if converted else ""
                    words = frozenset({unit}) if converted else frozenset[str]()
                    return Support("calculation", found.value, None, None, found.expression, found.cls, words)
        return None

    def _find_before(self, segment: Segment) -> Segment | None:
        """The previous segment of the same sentence."""
        at = next((at for at, it in enumerate(self.segments) if it is segment), 0)
        before = self.segments[at - 1] if at else None
        return before if before is not None and before.sentence == segment.sentence else None

    def _add_change(self, segment: Segment) -> Segment:
        """A segment with the change stated by the previous one: "rose by 150, or 18.5 %"."""
        before = self._find_before(segment)
        if before is None:
            return segment
        change = [it for it in before.items if it.cls in (Class.RISE, Class.FALL)]
        return replace(segment, items=[*change[:1], *segment.items])

    def _find_across(self, segment: Segment, item: Item, rows: Rows | None, bound: Class | None) -> Support | None:
        """A value over the columns of one row or their sums: "75 % of the candidates passed", "28 medals in total"."""
        from agent.checks.grounding.support.across import compute_across, values_of

        if not self.facts.calculate:
            return None
        if rows is not None and len(rows) > 1:  # "dogs and rabbits had the same rate, 80%"
            found_of = [self._find_across(segment, item, frozenset({row}), bound) for row in sorted(rows)]
            return found_of[0] if all(it is not None for it in found_of) else None
        values = values_of(self.facts, sorted(rows) if rows is not None else None)
        named = self._list_columns_named(segment) if values else []
        for found in compute_across(self.facts, segment, item, named, values):
            exact = found.cls is not Class.TIMES or bound is not None or abs(found.value - item.value) <= _TIMES_OFF
            if exact and self.says(segment, item, found.value, None, bound):
                return Support("calculation", found.value, None, None, found.expression, found.cls)
        return None

    def _list_columns_named(self, segment: Segment) -> list[ColumnFacts]:
        """The columns that single words identify, in order of mention: in the segment, or else in the sentence."""
        sentence = [it for one in self.segments if one.sentence == segment.sentence for it in one.items]
        named: list[ColumnFacts] = []
        for items in (segment.items, sentence):
            for item in items:
                found = self.columns.list_labelled(item)
                named += [it for it in found if len(found) == 1 and it not in named]
            if len(named) > 1:
                break
        return named

    def _is_summed(self, segment: Segment, item: Item, rows: Rows) -> bool:
        """Whether a number covers several rows at once: "the three shops sold 12", "since 2022, Ada sold 35"."""
        if not self.facts.is_whole or not self.facts.query.grouped or _OF_ONE & segment.classes:
            return False
        own = segment.map_own_rows()
        if self._carries(segment, Class.SUM) and not own and not segment.inherited:
            return True
        if len(segment.names) == 1:
            return len(rows) > 1 and not segment.inherited
        before = [at for at, it in enumerate(segment.items) if it.kind == "number" and it.start < item.start]
        return not own and len(before) == 1 and self.counts.find_counted(segment, before[0], None) is not None

    def _carries(self, segment: Segment, cls: Class) -> bool:
        """Whether a word of the previous segment applies to one without names: "in total 12 nights and 300 francs"."""
        before = self._find_before(segment)
        if before is None or segment.map_own_rows() or len(segment.numbers) != 1:
            return False
        return cls in before.classes and not (_OF_ONE - {Class.SUM}) & segment.classes

    def _lists_losses(self, segment: Segment) -> bool:
        """Whether a name and its number continue a list that begins with "lost": "Ada lost 12, Bo 30"."""
        before: Segment | None = segment
        while before is not None and all(it.kind in ("name", "number") for it in before.items):
            before = self._find_before(before)
        return before is not None and before is not segment and Class.NEGATIVE in before.classes

    def _whole(self, segment: Segment, place: int, columns: Sequence[ColumnFacts]) -> Support | None:
        """The whole after its part: the total in "2 of the 4 vehicles", another column in "27 of the 36 beds"."""
        from agent.checks.grounding.support.across import values_of, whole_of
        from agent.checks.grounding.support.aggregates import total

        items, item = segment.items, segment.items[place]
        before = place - 1
        while before >= 0 and items[before].kind in ("word", "phrase"):
            before -= 1
        between = {it.text.lower() for it in items[before + 1 : place]}
        if not self.facts.calculate or not PART_OF & between or item.percent:
            return None
        if before < 0 or items[before].kind != "number":
            return None
        rows = self.rows_of(segment)
        values = values_of(self.facts, sorted(rows) if rows is not None else None)
        for part in self._list_columns_named(segment):
            whole = whole_of(self.facts, part)
            if whole is not None and {part.index, whole.index} <= values.keys():
                told = self.says(segment, items[before], values[part.index], part, None)
                if told and self.says(segment, item, values[whole.index], whole, None):
                    row = min(rows) if rows else None
                    return Support("result" if rows else "calculation", values[whole.index], row, whole.index)
        one_dimension = sum(it.kind == "dimension" for it in self.facts.columns) == 1
        for column in columns if one_dimension else ():
            found = total(self.facts, column)
            if found is not None and self.says(segment, item, found.value, column, None):
                return Support("calculation", found.value, None, None, found.expression)
        return None

    def _find_over_records(
        self, segment: Segment, place: int, rows: Rows | None, bound: Class | None
    ) -> Support | None:
        from agent.checks.grounding.support.records import compute_over_records

        for (value, expression, cls), column, words in compute_over_records(self.facts, segment, place, rows):
            if self.says(segment, segment.items[place], value, column, bound):
                return Support("calculation", value, None, None, expression, cls, words)
        return None

    # -- ends, the question ---------------------------------------------------------------------------------

    def _end(self, segment: Segment, place: int, columns: Sequence[ColumnFacts]) -> Support | None:
        """The least and most of a column, "between 12 and 48 a month", or the ends of a series, "from 48 to 12"."""
        facts, told = self.facts, segment.numbers
        changes = bool({Class.RISE, Class.FALL} & segment.classes) and Class.RANGE not in segment.classes
        changes = changes and any(it.text.lower() in FROM for it in segment.items)
        spans = changes or Class.RANGE in segment.classes or any(it.text.lower() in BETWEEN for it in segment.items)
        if (
            not spans
            or len(told) != 2
            or (segment.map_own_rows() and not changes)
            or not facts.is_whole
            or len(columns) != 1
        ):
            return None
        values = facts.values(columns[0].index)
        if len(values) < max(2, len(facts.rows)):
            return None
        rows = [values.index(min(values)), values.index(max(values))]
        if changes:
            series = NameIndex(facts).list_in_time(range(len(facts.rows)))
            rows = [*series[:1], *series[-1:]]
            if not rows or not all(it <= {*rows} for it in segment.map_own_rows().values()):
                return None
        ends = [values[row] for row in rows]
        if not all(self.says(segment, it, end, columns[0], None) for it, end in zip(told, ends, strict=True)):
            return None
        at = told.index(segment.items[place])
        return Support("result", ends[at], rows[at], columns[0].index)

    def _condition(self, segment: Segment, place: int, bound: Class | None) -> Support | None:
        """A number from the question, beside the same word as there."""
        item = segment.items[place]
        if place and segment.items[place - 1].cls is Class.EXISTS:
            return None
        for at, said in enumerate(self.asked):
            if said.kind != "number" or said.value != item.value or said.percent != item.percent:
                continue
            if self._find_bound(self.asked, at) is not bound or not are_same(
                currencies(segment.items, place), currencies(self.asked, at)
            ):
                continue
            if item.is_year or item.currency or self._is_key_asked(at, segment, place):
                return Support("question", item.value)
            if have_same_beside(self.asked, at, segment.items, place):
                return Support("question", item.value)
        return None

    def _is_key_asked(self, at: int, segment: Segment, place: int) -> bool:
        """Whether a number is a key of the question, called by its owner: "supplier 2" for "the supplier with id 2"."""
        owner = segment.items[place - 1].text.lower() if place else ""
        before = [it.text.lower() for it in self.asked[max(0, at - _KEY_WORDS) : at]]
        return before[-1:] == ["id"] and is_among(owner, before[:-1])

    @staticmethod
    def _find_scale_end(segment: Segment, place: int, columns: Sequence[ColumnFacts]) -> Support | None:
        """The end of a column's scale, according to its docs: "8.3 out of 10"."""
        before = segment.items[place - 1].text.lower() if place else ""
        end = rf"(?:\b(?:of|to|von|bis|sur|de|a|su)\s|[-–/])\s?{segment.items[place].text}(?!\d)"
        told = any(re.search(end, text) for it in columns for text in it.told)
        return Support("question", segment.items[place].value) if told and before in _OUT_OF else None

    def _find_bound(self, items: Sequence[Item], place: int) -> Class | None:
        beside = items[place - 1].cls if place else None
        if place > 1 and items[place - 1].text.lower() == "than":  # "cost more in service than 10 %"
            before = next((it.cls for it in reversed(items[max(0, place - _THAN) : place - 1]) if it.cls in _FAR), None)
            beside = _FAR[before] if before is not None else beside
        if self.facts.language == "ko":  # "20시간 미만"
            beside = next((it.cls for it in items[place + 1 : place + 3] if it.cls in _BOUNDS), beside)
        return beside if beside in (*_BOUNDS, Class.ABOUT) else None
