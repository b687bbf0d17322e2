"""Whether the rows say yes or no to a question: "Did Ann sell more than Bo?", "Are there overdue loans?"

Each kind of question has its own evidence and the claims that it reads: a flag, a number and a bound, the values of two
things, the first row of an order, two times, or that something was found. A question with any other claim is neither
yes nor no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.polar_words import NOTHING, OF_RANK, ONE_OF, THAN, THE_ONLY, UNREAD
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.question.asked import COMPARING, EVERY, GREATER, Asked
from agent.checks.grounding.question.compared import Comparison
from agent.checks.grounding.question.thresholds import Thresholds
from agent.checks.grounding.support.support import Numbers
from agent.checks.grounding.wording.flags import is_flag, read_flag

_CHANGES = frozenset({Class.RISE, Class.FALL})
_ENDS = frozenset({Class.MOST, Class.LEAST})
# Words that claim nothing here, or that other checks hold against the rows.
_PLAIN = frozenset({Class.FILLER, Class.EXISTS, Class.TIME, Class.NOT})
_AGGREGATES = {Class.MEAN: {"avg"}, Class.SUM: {"sum", "count"}}
_UNSURE = re.compile(r"not|no|out|without|un\w+|in\w+")  # `is_out_of_stock`
_DAY = re.compile(r"(?:^|_)(?:on|at|dt|ts|date|day|time|datum|am|fecha|data)(?:$|_)", re.IGNORECASE)
_TIME = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?|-?[Qq][1-4])?(?:[T ].*)?")


class Decision:
    """What the rows say to one question. thresholds, comparison: the numbers and the things that it compares."""

    def __init__(self, items: Sequence[Item], facts: Facts, numbers: Numbers) -> None:
        self._asked, self._facts = Asked(items, facts), facts
        self.thresholds = Thresholds(self._asked, facts, numbers)
        self._flags = [it for it in facts.columns if is_flag(it, facts) or self._is_lone_flag(it)]
        self._flag = self._read_flag()
        ranked = self._is_compared_so(facts.query.ranks) and bool(facts.rows)
        self.comparison = Comparison(self._asked, facts, says=True if ranked and self._flag is None else self._flag)

    @property
    def is_comparison(self) -> bool:
        """Whether the question compares values, with each other or with a number."""
        return bool(self._asked.comparatives or self.thresholds.free)

    @property
    def is_by_values(self) -> bool:
        """Whether values decide the question, not the existence of rows."""
        by_words = _ENDS | _CHANGES | {Class.EQUAL, Class.EXACT, Class.ONLY}
        return self.is_comparison or bool(self._asked.classes & by_words)

    @cached_property
    def holds(self) -> bool | None:
        """Yes or no. None if neither is certain."""
        denials = sum(it.cls is Class.NOT for it in self._asked.items)
        if denials != sum(it.denied for it in self._facts.conditions) and denials:
            return None  # "Is there no order?"
        if self.thresholds.are_near or not UNREAD.isdisjoint(self._facts.question_words):
            return None
        if self._flag is not None or self._flags or any(it.projection.compared for it in self._facts.columns):
            return self._flag
        reads, decide = self._choose_evidence()
        return decide() if self._asked.classes <= _PLAIN | reads | self._list_aggregates() else None

    def _choose_evidence(self) -> tuple[frozenset[Class], Callable[[], bool | None]]:
        """The claims that the evidence for this kind of question reads, and what it says."""
        classes, bounds = self._asked.classes, COMPARING if self._asked.bounds else frozenset[Class]()
        since = frozenset({Class.AFTER, Class.BEFORE}) if self._facts.query.bounds else frozenset[Class]()
        if self._asked.comparatives and not self.thresholds.free:
            return COMPARING, self.comparison.holds
        if self.thresholds.free:
            joins = {Class.JOIN} if len(self._asked.bounds) > 1 else set[Class]()  # "more than 10 but fewer than 20"
            return COMPARING | EVERY | since | joins, self.thresholds.hold
        if Class.EQUAL in classes:
            return frozenset({Class.EQUAL}), self.comparison.are_equal
        if Class.EXACT in classes:
            return frozenset({Class.EXACT}), self.thresholds.is_exact
        if Class.ONLY in classes:
            return frozenset({Class.ONLY}), self._is_only
        if classes & _ENDS:
            return _ENDS | bounds, self._is_first
        if classes & _CHANGES:
            return _CHANGES | EVERY | {Class.STEADY} | bounds, self._changes
        return bounds | since, self._exists

    def _list_aggregates(self) -> frozenset[Class]:
        """The claims about an aggregate that the measure meets: "average" of AVG, a share of a percentage."""
        column = self._asked.measure
        if column is None:
            return frozenset()
        found = {cls for cls, known in _AGGREGATES.items() if column.projection.aggregate in known}
        return frozenset(found | ({Class.SHARE} if column.percent or column.projection.quotient else set()))

    # -- a flag --------------------------------------------------------------------------------------------

    def _read_flag(self) -> bool | None:
        """The yes or no that the query itself computes or selects. None if there is none that the question names."""
        facts = self._facts
        if len(facts.rows) == len(facts.columns) == 1 and (compared := facts.columns[0].projection.compared):
            return read_flag(facts.rows[0][0]) if self._is_compared_so(compared) else None
        if len(self._flags) != 1 or (self.is_comparison and len(facts.columns) > 1) or not self._names(self._flags[0]):
            return None
        cells = [read_flag(row[self._flags[0].index]) for row in facts.rows]
        if None in cells or not facts.is_whole:
            return None
        if self._asked.says_any:
            return any(cells)
        return all(cells) if len(cells) == 1 or self._asked.classes & EVERY else None

    def _is_lone_flag(self, column: ColumnFacts) -> bool:
        """Whether the only column is stored as 0 or 1: `open_sunday`."""
        compares = column.projection.aggregate or self._asked.bounds or self._asked.comparatives
        cells = [row[column.index] for row in self._facts.rows]
        return not compares and len(self._facts.columns) == 1 and bool(cells) and all(it in (0, 1) for it in cells)

    def _is_compared_so(self, kind: str) -> bool:
        """Whether the query compares as the question does: "above" by >."""
        asked = {it.cls in GREATER for it in self._asked.items if it.cls in COMPARING}
        same = len(asked) == 1 and kind in (("gt", "gte") if asked.pop() else ("lt", "lte"))
        return kind == "exists" or (same and self._are_in_order())

    def _are_in_order(self) -> bool:
        """Whether the query has the words before and behind "than" in the same order, as far as it has them."""
        told = [re.findall(r"\w+", it.lower()) for it in THAN[self._facts.language or "en"].split(self._facts.question)]
        written = re.findall(r"\w+", self._facts.sql.lower())
        first = [it for it in told[0] if it in written and it not in told[-1]]
        last = [it for it in told[-1] if it in written and it not in told[0]]
        return not first or not last or written.index(first[-1]) < written.index(last[0])

    def _names(self, flag: ColumnFacts) -> bool:
        """Whether the question asks for what a flag says, so that 1 is yes: not `is_out_of_stock` for "in stock"."""
        words = words_of(flag.name)
        chosen = any(flag.name.lower() in it.columns for it in self._facts.conditions)
        named = any(is_among(it, self._facts.question_words) for it in words if it not in ("is", "has"))
        codes = any(isinstance(row[flag.index], str) and row[flag.index].isupper() for row in self._facts.rows)
        written = codes and not words[-1].startswith(("yn", "jn", "flag"))  # `NO` may be Norway
        return named and not chosen and not written and not any(_UNSURE.fullmatch(it) for it in words)

    # -- what is first, later or found ---------------------------------------------------------------------

    def _is_first(self) -> bool | None:
        """Whether the row that an order puts first is the one that the question names."""
        facts, order, measure = self._facts, self._facts.query.order, self._asked.measure
        ends = [it for it in self._asked.items if it.cls in _ENDS]
        names = [it for it in self._asked.items if it.kind in ("name", "date") and it.rows]
        if len(ends) != 1 or any(it.start > ends[0].start for it in names) or measure is None:
            return None  # "Are most customers from Berlin?"
        fixed = {column for it in facts.conditions for column in it.columns}
        if ONE_OF.search(facts.question) or any(it.name.lower() in fixed for it in facts.columns):
            return None  # of two cities that the query chose
        most = ends[0].cls is Class.MOST
        if self._asked.unknown_items or not self.comparison.measures(self._asked.items, ends[0]):
            return None  # "the most loyal", "the fastest"
        if len(facts.rows) == facts.query.limit == len(order) == 1:  # another name may mean the same: Wien and Vienna
            return True if names and order[0] == (measure.name.lower(), most) else None
        values = facts.values(measure.index)
        if not facts.is_whole or len(values) != len(facts.rows) or len(values) < 2 or len(names) != 1:
            return None
        if len(names[0].rows) != 1:
            return None
        first = max(values) if most else min(values)
        return values[min(names[0].rows)] == first if values.count(first) == 1 else None

    def _changes(self) -> bool | None:
        """Whether the last one of several times has more, or less, than the first one, and no step goes back."""
        facts, measures, classes = self._facts, self._facts.measures, self._asked.classes
        numbers = [it for it in self._asked.items if it.kind == "number" and not it.is_year]
        if len(classes & _CHANGES) != 1 or not facts.is_whole or self._asked.asks_existence or numbers:
            return None
        if len(facts.rows) > 1 and len(measures) == 1 and len(facts.columns) == 2:
            at = next(it.index for it in facts.columns if it is not measures[0])
            times = [str(row[at]) for row in facts.rows]
            values = facts.values(measures[0].index)
        elif len(facts.rows) == 1 and len(measures) == 2:
            times = ["-".join(f"{part:04}" for part in it.period or ()) for it in measures]
            values = [value for it in measures for value in facts.values(it.index)]
        else:
            return None
        if not all(map(_TIME.fullmatch, times)) or len(set(times)) != len(values) or min(values) < 0:
            return None
        if any(it.words & OF_RANK for it in measures):
            return None
        named = {times[row] for it in self._asked.items if len(it.rows) == 1 for row in it.rows}
        ordered = sorted(zip(times, values, strict=True))
        if not named <= ({ordered[-1][0]} if len(named) == 1 and len(times) == 2 else {ordered[0][0], ordered[-1][0]}):
            return None  # "Did it rise in 2023?", of the rows until 2025
        if len(named) == 1 and len(times) > 2 and named != {ordered[0][0]}:
            return None
        steps = {later > earlier for (_, earlier), (_, later) in pairwise(ordered) if later != earlier}
        level = any(later == earlier for (_, earlier), (_, later) in pairwise(ordered))
        if classes & (EVERY | {Class.STEADY}):
            return not level and steps == {Class.RISE in classes}
        return steps == {Class.RISE in classes} if len(steps) == 1 else None

    def _is_only(self) -> bool | None:
        """Whether the row that the question names is the only one: "Is Ann the only manager?" """
        facts = self._facts
        named = [it for it in self._asked.items if it.kind == "name" and it.rows]
        chosen = {value.lower() for it in facts.conditions for value in it.values}
        if facts.measures or not facts.is_whole or len(named) != 1 or named[0].text.lower() in chosen:
            return None
        return len(facts.rows) == 1 if THE_ONLY.search(facts.question) else None

    def _exists(self) -> bool | None:
        """Whether something was found, if that is all that the question asks."""
        facts, asked, unknown = self._facts, self._asked, self._asked.unknown_items
        strict = not asked.asks_existence or not facts.conditions
        names = any(it.text[0].isupper() or it.kind == "number" for it in unknown)
        if (unknown and strict) or (names and facts.language != "de") or self._denies_condition():
            return None
        if len(facts.rows) > 1 and any(it.rows or it.kind == "date" for it in asked.items):
            return None  # the row that is named decides
        counts = [it for it in facts.measures if it.projection.aggregate in ("count", "sum")]
        if counts:
            values = facts.values(counts[0].index)
            chosen = {word for it in facts.conditions for value in it.values for word in words_of(value)}
            is_chosen = any(is_among(word, chosen) for word in facts.question_words)  # "Did Ann order?"
            if len(counts) > 1 or not values or min(values) < 0 or not (asked.asks_existence or is_chosen):
                return None
            return max(values) > 0
        return self._is_listed() if asked.asks_existence else self._is_stored()

    def _is_listed(self) -> bool | None:
        """Yes, if rows were found and none of their values answers the question instead."""
        facts = self._facts
        measured = any(is_among(word, it.words) for it in facts.measures for word in facts.question_words)
        alone = len(facts.rows) == 1 and len(facts.measures) == len(facts.columns)
        alone = alone or any(str(cell).lower() in NOTHING for row in facts.rows for cell in row)
        if alone or (measured and not self._asked.bounds):
            return None
        return any(cell is not None for row in facts.rows for cell in row) or None

    def _is_stored(self) -> bool | None:
        """Whether the only row has what the question names: "Does Ann work in Rome?", "Was it returned?" """
        facts, fixed = self._facts, {column for it in self._facts.conditions for column in it.columns}
        columns = [it for it in facts.columns if it.name.lower() not in fixed]
        if len(facts.rows) != 1:
            return None
        named = [it for it in self._asked.items if it.places and it.text.lower() not in facts.sql.lower()]
        if len(columns) == 1 and any(columns[0].index in it.places for it in named):
            return True
        days = [it for it in columns if any(is_among(word, it.words) for word in facts.question_words)]
        if len(days) != 1 or not _DAY.search(days[0].name):
            return None
        return facts.rows[0][days[0].index] is not None

    def _denies_condition(self) -> bool:
        """Whether the query reads the opposite: "Are the invoices paid?", with those that are not."""
        denied = [it for it in self._facts.conditions if it.denied or _is_denied(it.values)]
        words = [word for it in denied for text in (*it.columns, *it.values) for word in words_of(text)]
        said = [it.text.lower() for it in self._asked.items if it.kind == "word"]
        read = [
            word for it in self._facts.conditions if it not in denied for text in it.columns for word in words_of(text)
        ]
        turned = any(it.startswith(("un", "in")) and is_among(it[2:], read) for it in said)  # "unpaid", of `paid = 1`
        return turned or (any(is_among(it, words) for it in said) and Class.NOT not in self._asked.classes)


def _is_denied(values: Sequence[str]) -> bool:
    return len(values) == 1 and values[0].lower() in ("0", "false", "no", "n", "f", "nein", "non")
