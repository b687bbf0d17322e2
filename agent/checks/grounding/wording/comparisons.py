"""Comparisons, changes, bounds and ranges: "more than", "rose", "the same as before"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.support.beside import is_compared_with_second
from agent.checks.grounding.support.found import Support
from agent.checks.grounding.wording.context import CHANGE, Checks, WordingContext
from agent.checks.grounding.wording.series import is_steady, says_each_step

_COSTS = re.compile(r"fäll|fiel")
_PLACED = frozenset(["ahead of", "behind", "vor"])
_ENDS = 2  # numbers of a range


class Comparisons:
    """Checks comparisons, changes, bounds and ranges against the rows."""

    def __init__(self, context: WordingContext) -> None:
        self._context, self._facts = context, context.facts
        self.checks: Checks = {
            Class.MORE: self._comparison,
            Class.LESS: self._comparison,
            Class.EQUAL: self._check_equal,
            Class.OVER: self._check_bound,
            Class.UNDER: self._check_bound,
            Class.RANGE: self._range,
            Class.RISE: self._check_change,
            Class.FALL: self._check_change,
            Class.STEADY: self._check_steady,
            Class.STABLE: self._check_stable,
            Class.MULTIPLIED: self._check_multiplied,
            Class.POINTS: self._points,
        }

    def _comparison(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        if self._context.is_calculated(segment):
            return ""
        if self._is_end(segment, place):
            return ""
        if Class.NO_OTHER in segment.classes:
            return ""  # checked as NO_OTHER
        names = segment.names
        if len(names) == len(segment.before) == 1:  # "Ada, ahead of Bo with 12"
            ahead = [it for one in segment.before.values() for it in one]
            pair = self._pair_of(segment, place, [ahead, sorted(names[0].rows)])
            if pair is not None:
                return _hold(item, *pair)
        if len(names) == 1:  # "higher (900) than Ada (600)"
            names = self._context.list_sentence_names(segment)
        if len(names) == 2 and (pair := self._pair(segment, place, names)) is not None:
            return _hold(item, *pair)
        if item.cls not in self._context.question_classes:
            return "the rows do not compare this"
        other = self._find_other_asked(segment)
        pair = self._pair(segment, place, [names[0], other]) if other is not None else None
        return _hold(item, *pair) if pair is not None else ""

    def _find_other_asked(self, segment: Segment) -> Item | None:
        """The other one of two rows that the question names: "Berlin has more", of Berlin and Hamburg."""
        asked = [it for it in self._context.asked if it.kind in ("name", "date") and len(it.rows) == 1]
        named = [it.rows for it in segment.names]
        others = [it for it in asked if it.rows not in named]
        return others[0] if len(asked) == 2 and len(named) == len(others) == 1 else None

    def _is_end(self, segment: Segment, place: int) -> bool:
        """Whether it follows a number that is the most or the least: "118 minutes at most", for MAX(minutes)."""
        ends = {"at most": "max", "höchstens": "max", "au plus": "max", "como máximo": "max", "al massimo": "max"}
        wanted = ends.get(segment.items[place].text.lower())
        before = [it for it in segment.items[max(0, place - 2) : place] if it.kind == "number"]
        support = self._context.supports.get(before[-1].start) if before else None
        if support is None or support.column is None:
            return False
        return self._facts.columns[support.column].projection.aggregate == wanted

    def _check_equal(self, segment: Segment, place: int) -> str:
        """ "As many as": two names with equal values, or after a ratio."""
        if Class.STABLE in segment.classes:
            return ""  # "stayed the same" is checked as STABLE
        if Class.TIMES in segment.classes and self._context.is_calculated(segment):
            return ""
        names = self._context.list_sentence_names(segment)
        pairs = [self._pair(segment, place, [names[0], other]) for other in names[1:]]
        equal = bool(pairs) and all(it is not None and it[0] == it[1] for it in pairs)
        if Class.EQUAL in self._context.question_classes and (not pairs or None in pairs):
            return ""
        return "" if equal else "the rows do not say that they are equal"

    def _range(self, segment: Segment, _: int) -> str:
        """ "Range from 12 to 48": the least and most of a column, or of a query that computes both."""
        told = [it for one in self._context.list_sentence(segment) for it in one.numbers]
        told = list(segment.numbers) if len(segment.numbers) == _ENDS else told
        found = [it for it in (self._context.supports.get(one.start) for one in told) if it is not None]
        found = [it for it in found if it.origin != "question"]
        if len(found) != 2 or any(it.column is None for it in found):
            return "the least and the most are not these two"
        columns = [self._facts.columns[it.column] for it in found if it.column is not None]
        if len(self._facts.rows) == 1:
            named = [it.projection.aggregate for it in columns] == ["min", "max"]
        else:
            values = self._facts.values(columns[0].index)
            named = columns[0] is columns[1] and self._facts.is_whole
            named = named and {it.value for it in found} == {min(values), max(values)}
        return "" if named else "the least and the most are not these two"

    def _pair(self, segment: Segment, place: int, names: Sequence[Item]) -> tuple[Fraction, Fraction] | None:
        """The values of two compared names, in the order of mention."""
        columns = {column for name in names for column in name.places}
        others = [
            rows for column, rows in {**segment.inherited, **segment.map_own_rows()}.items() if column not in columns
        ]
        rows = [frozenset.intersection(name.rows, *others) for name in names]
        return self._pair_of(segment, place, [sorted(it) for it in rows])

    def _pair_of(self, segment: Segment, place: int, rows: Sequence[Sequence[int]]) -> tuple[Fraction, Fraction] | None:
        columns = self._context.numbers.columns.find(segment, place)
        if not columns or any(len(it) != 1 for it in rows):
            return None
        ascends = dict(self._facts.query.order).get(columns[0].name.lower()) is False
        if ascends and segment.items[place].text.lower() in _PLACED:
            rows = rows[::-1]  # the first took the least time
        rate = self._context.find_rate(segment, place)
        values = [value for it in rows for value in self._context.values_of(columns[0], rate, it)]
        return (values[0], values[1]) if len(values) == len(rows) == 2 else None

    def _check_bound(self, segment: Segment, place: int) -> str:
        if any(it.kind == "number" for it in segment.items[place + 1 : place + 2]):
            return ""
        return "" if self._context.is_in_question(segment.items[place]) else "no number follows it"

    def _change(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        numbers = [it for it in (self._context.supports.get(one.start) for one in segment.numbers) if it is not None]
        if any(it.origin == "calculation" for it in numbers) or self._changes_steadily(segment):
            return ""
        if _COSTS.match(item.text.lower()) and segment.items[-1].text.lower() == "an":
            return ""  # "Kosten fielen an"
        if (pair := self._two_cells(numbers)) is not None:  # "rose from 3 to 4", for rows of two times
            return _hold(item, *pair[::-1])
        names = [it for it in segment.names if it.start > item.start][:2]
        names = segment.names if len(names) < 2 or len(segment.names) == 2 else names
        if len(names) == len(segment.before) == 1 and self._is_timed(names[0]):  # "420 in 2019 fell to 380 in 2020"
            earlier = [sorted(rows) for rows in segment.before.values()]
            pair = self._pair_of(segment, place, [*earlier, sorted(names[0].rows)])
            if pair is not None:
                return _hold(item, *pair[::-1])
        if is_compared_with_second(segment):
            names = names[::-1]
        timed = all(self._is_timed(it) for it in names)
        if len(names) == 2 and not timed and not {Class.RISE, Class.FALL} & self._context.question_classes:
            return "no two rows are the same thing at different times"
        if len(names) == 2 and (pair := self._pair(segment, place, names)) is not None:
            return _hold(item, *pair[::-1])
        if (pair := self._find_since_before(segment.names, segment, place)) is not None:  # "fell to 120 in 2021"
            return _hold(item, *pair[::-1])
        cells = [it.value for it in numbers if it.origin == "result"]
        asked = {Class.RISE, Class.FALL} & self._context.question_classes or CHANGE.search(
            " ".join((self._facts.question, *self._facts.result.columns))
        )
        rises = item.cls is Class.RISE
        first = len(segment.names) == 1 and self._is_timed(segment.names[0]) and len(self._facts.rows) > 1
        if not numbers and segment.names and {Class.MOST, Class.LEAST} & segment.classes:  # "the largest decrease"
            columns = self._context.numbers.columns.find(segment, place)
            rows = self._context.numbers.find_named(segment)
            cells = self._facts.values(columns[0].index, rows) if len(columns) == 1 and rows else []
        if cells and asked and not first:
            fits = cells[0] > 0 if rises else cells[0] < 0
            return (
                ""
                if fits or (item.cls in self._context.question_classes and cells[0] > 0)
                else "the sign says the opposite"
            )
        return "the rows do not say so"

    def _check_change(self, segment: Segment, place: int) -> str:
        """A rise or a fall: by the sign of the number behind it if its column holds changes, or else by two values."""
        item = segment.items[place]
        number = next((it for it in segment.items[place + 1 :] if it.kind == "number" and not it.is_year), None)
        support = self._context.supports.get(number.start) if number is not None else None
        column = self._facts.columns[support.column] if support is not None and support.column is not None else None
        if support is None or column is None or not column.is_change:
            return self._change(segment, place)
        named = is_among(item.text.lower(), words_of(column.name))  # "the growth was -3 %"
        fits = named or (support.value > 0 if item.cls is Class.RISE else support.value < 0)
        return "" if fits else "the sign says the opposite"

    def _check_steady(self, segment: Segment, place: int) -> str:
        if segment.items[place].text.lower() in self._facts.question.lower():
            return ""
        return "" if is_steady(self._context, segment, place) else "the rows do not change this way at each step"

    def _changes_steadily(self, segment: Segment) -> bool:
        return any(
            is_steady(self._context, segment, place)
            for place, it in enumerate(segment.items)
            if it.cls is Class.STEADY or (it.cls is Class.EACH and says_each_step(segment, place))
        )

    def _two_cells(self, numbers: Sequence[Support]) -> tuple[Fraction, Fraction] | None:
        """The values of two cells of one column that differ only in time, the earlier one first."""
        told = [it for it in numbers if it.origin == "result" and it.row is not None]
        dated = sorted(self._context.names.dated)
        if len(told) == 2 and told[0].row == told[1].row:  # in `sales_2023` and `sales_2024`
            times = [self._facts.columns[it.column].period or (0, 0) for it in told if it.column is not None]
            ordered = len(times) == 2 and (0, 0) < times[0] < times[1]
            return (told[0].value, told[1].value) if ordered else None
        if len(told) != 2 or told[0].column != told[1].column or not dated or len(told) != len(numbers):
            return None
        one, other = (self._facts.rows[it.row] for it in told if it.row is not None)
        same = all(
            one[it.index] == other[it.index]
            for it in self._facts.columns
            if it.kind == "dimension" and it.index not in dated
        )
        days = [[str(row[at]) for at in dated] for row in (one, other)]
        return (told[0].value, told[1].value) if same and days[0] < days[1] else None

    def _check_stable(self, segment: Segment, place: int) -> str:
        """ "Stayed at 66 in 2020": equal to the previous time, or between two times."""
        bounds = {it.cls for it in segment.items[place:]} & {Class.OVER, Class.UNDER}
        if self._context.is_in_question(segment.items[place]) or (bounds and not self._context.names.dated):
            return ""  # "two of the four stayed below 4 %", for one time
        names, facts = segment.names, self._facts
        yearly = [it.index for it in facts.measures if it.period is not None]
        rows = self._context.numbers.find_named(segment)
        if len(yearly) > 1 and len(yearly) == len(facts.measures) and rows:
            same = all(len({facts.rows[row][at] for at in yearly}) == 1 for row in rows)
            return "" if same else "the rows do not say that it stayed the same"
        columns = self._context.numbers.columns.find(segment, place)
        if len(names) == 2 and all(self._is_timed(it) for it in names):
            pair = self._pair(segment, place, names)
        elif names:
            pair = self._find_since_before(names, segment, place)
        else:
            values = facts.values(columns[0].index) if len(columns) == 1 and self._context.names.dated else []
            whole = len(values) == len(facts.rows) > 1 and not facts.result.truncated
            pair = (min(values), max(values)) if whole else None
        return "" if pair is not None and pair[0] == pair[1] else "the rows do not say that it stayed the same"

    def _find_since_before(
        self, names: Sequence[Item], segment: Segment, place: int
    ) -> tuple[Fraction, Fraction] | None:
        """The values of the time before the named one, and of the named one. None if the claim has another form."""
        if len(names) != 1 or not self._is_timed(names[0]) or len(self._facts.rows) < 2 or self._facts.result.truncated:
            return None
        column, rows = next(iter(names[0].places.items()))
        order = sorted(range(len(self._facts.rows)), key=lambda row: str(self._facts.rows[row][column]))
        if len(rows) != 1:
            return None
        at = order.index(min(rows))
        if not at:
            return None
        return self._pair_of(segment, place, [[order[at - 1]], [order[at]]])

    def _check_multiplied(self, segment: Segment, _: int) -> str:
        """ "Doubled": relative to an earlier time."""
        names = self._context.list_sentence_names(segment)
        timed = all(self._is_timed(it) for it in names) or {Class.RISE, Class.FALL} & self._context.question_classes
        return "" if timed else "no two rows are the same thing at different times"

    def _is_timed(self, name: Item) -> bool:
        return name.kind == "date" or bool(self._context.names.dated & name.places.keys())

    def _points(self, segment: Segment, _: int) -> str:
        return "" if self._context.is_calculated(segment) else "it is not a difference of two percentages"


def _hold(item: Item, one: Fraction, other: Fraction) -> str:
    """The reason why one value is not more, or less, than another, as a word claims. Empty if it is."""
    right = one > other if item.cls in (Class.MORE, Class.RISE) else one < other
    return "" if right else "the rows say the opposite"
