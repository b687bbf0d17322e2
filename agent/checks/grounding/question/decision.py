"""Whether the rows say yes or no to a question: "Did Ann sell more than Bo?", "Are there overdue loans?"

Each kind of question has its own evidence: a flag, a number and a bound, the values of two things, the first row of an
order, two times, or that something was found. What the rows do not decide is neither yes nor no.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from agent.checks.grounding.claims.claims import segments_of
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import NameIndex
from agent.checks.grounding.claims.reading import items_of
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.languages.polar_words import REQUEST
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.question.asked import EVERY, QUANTIFYING, Asked
from agent.checks.grounding.question.compared import Comparison
from agent.checks.grounding.question.thresholds import Thresholds
from agent.checks.grounding.support.support import Numbers
from agent.checks.grounding.wording.flags import is_flag, read_flag

_CHANGES = frozenset({Class.RISE, Class.FALL})
_ENDS = frozenset({Class.MOST, Class.LEAST})
_DAY = re.compile(r"(?:^|_)(?:on|at|dt|ts|date|day|time|datum|am|fecha|data)(?:$|_)", re.IGNORECASE)
_TIME = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?|-?[Qq][1-4])?(?:[T ].*)?")


class Decision:
    """What the rows say to one question. thresholds, comparison: the numbers and the things that it compares."""

    def __init__(self, items: Sequence[Item], facts: Facts, numbers: Numbers) -> None:
        self._asked, self._facts = Asked(items, facts), facts
        self.thresholds = Thresholds(self._asked, facts, numbers)
        flag = self._read_flag()
        self._flag = flag
        self.comparison = Comparison(self._asked, facts, says=True if flag is None and facts.query.ranks else flag)

    @property
    def is_comparison(self) -> bool:
        """Whether the question compares values, with each other or with a number."""
        return bool(self._asked.comparatives or self.thresholds.free)

    @property
    def is_by_values(self) -> bool:
        """Whether values decide the question, not the existence of rows."""
        by_words = _ENDS | _CHANGES | {Class.EQUAL, Class.EXACT, Class.ONLY}
        return self.is_comparison or bool(self._asked.classes & by_words)

    @property
    def knows_question(self) -> bool:
        """Whether all words of the question are in the query, its rows or the docs of its columns."""
        return not self._asked.unknown_items

    @cached_property
    def holds(self) -> bool | None:
        """Yes or no. None if neither is certain."""
        classes, query = self._asked.classes, self._facts.query
        denies = Class.NOT in classes and not any(it.denied for it in query.conditions)  # "Is there no order?"
        dated = classes & {Class.BEFORE, Class.AFTER} and not query.bounds
        if denies or self.thresholds.are_near:
            return None
        if self._flag is not None or dated:
            return self._flag
        if self._asked.comparatives:
            is_plain = not self.thresholds.free and not classes & QUANTIFYING
            return self.comparison.holds() if is_plain else None
        if self.thresholds.free:
            return self.thresholds.hold()
        if Class.EQUAL in classes:
            return self.comparison.are_equal()
        if Class.EXACT in classes:
            return self.thresholds.is_exact()
        if Class.ONLY in classes:
            return self._is_only()
        if classes & _ENDS:
            return self._is_first()
        if classes & _CHANGES:
            return self._changes()
        return self._exists() if self._asked.claims_only() else None

    def _read_flag(self) -> bool | None:
        """The yes or no that the query itself computes or selects."""
        facts = self._facts
        flags = [it for it in facts.columns if is_flag(it, facts)]
        alone = facts.columns[0] if len(facts.columns) == 1 else None
        if alone is not None and not flags and len(facts.rows) == 1:
            cell = facts.rows[0][0]
            counted = alone.projection.aggregate or self._asked.bounds or self._asked.comparatives
            if alone.projection.compared or isinstance(cell, str | bool) or not counted:
                return read_flag(cell)
        if len(flags) != 1 or (self.is_comparison and len(facts.columns) > 1):
            return None
        cells = [read_flag(row[flags[0].index]) for row in facts.rows]
        if self._asked.says_any:
            return True if any(cells) else None if None in cells or not facts.is_whole else False
        if len(cells) > 1 and not (self._asked.classes & EVERY and facts.is_whole):
            return None
        return None if None in cells else all(cells)

    def _is_first(self) -> bool | None:
        """Whether the row that an order puts first is the one that the question names."""
        facts, order, most = self._facts, self._facts.query.order, Class.MOST in self._asked.classes
        if len(self._asked.classes & _ENDS) != 1 or not self._asked.claims_only():
            return None
        named = [it.rows for it in self._asked.items if it.kind in ("name", "date") and it.rows]
        unknown = self._asked.unknown_items
        if any(it.text[0].islower() for it in unknown):
            return None  # "the most loyal"
        if len(facts.rows) == facts.query.limit == len(order) == 1 and order[0][1] is most:
            return True if named and not unknown else False if not named and len(unknown) == 1 else None
        measure = self._asked.measure
        values = facts.values(measure.index) if measure is not None else []
        if not facts.is_whole or len(values) != len(facts.rows) or len(values) < 2 or len(named) != 1 or unknown:
            return None
        chosen = {column for it in facts.conditions for column in it.columns}
        if len(named[0]) != 1 or any(it.name.lower() in chosen for it in facts.columns):
            return None  # of two cities that the query chose
        first = max(values) if most else min(values)
        if values.count(first) > 1:
            return None
        return values[min(named[0])] == first

    def _changes(self) -> bool | None:
        """Whether the last one of several times has more, or less, than the first one; with "every", each step."""
        facts, measures = self._facts, self._facts.measures
        stepwise = self._asked.classes & (EVERY | {Class.STEADY})
        if not self._asked.claims_only(*stepwise) or len(self._asked.classes & _CHANGES) != 1 or not facts.is_whole:
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
        if not all(map(_TIME.fullmatch, times)) or len(set(times)) != len(values):
            return None
        ordered = [value for _, value in sorted(zip(times, values, strict=True))]
        steps = pairwise(ordered if stepwise else (ordered[0], ordered[-1]))
        return all(
            later > earlier if Class.RISE in self._asked.classes else later < earlier for earlier, later in steps
        )

    def _is_only(self) -> bool | None:
        """Whether the row that the question names is the only one."""
        facts = self._facts
        named = {row for it in self._asked.items if it.kind == "name" for row in it.rows}
        if facts.measures or not facts.is_whole or len(named) != 1 or not self._asked.claims_only(Class.ONLY):
            return None
        return len(facts.rows) == 1

    def _exists(self) -> bool | None:
        """Whether something was found, if that is all that the question asks."""
        facts = self._facts
        unknown = self._asked.unknown_items
        if not self._asked.asks_existence or not facts.conditions:
            if unknown:
                return None
        elif facts.language != "de" and any(it.text[0].isupper() or it.kind == "number" for it in unknown):
            return None
        denied = {word for it in facts.conditions if _is_denied(it.values) or it.denied for word in it.columns}
        words = [part for it in denied for part in words_of(it)]
        if Class.NOT not in self._asked.classes and any(is_among(it.text.lower(), words) for it in self._asked.items):
            return None  # "Are the invoices paid?", with those that are not
        amounts = [it for it in facts.measures if it.projection.aggregate in ("count", "sum")]
        if amounts:
            values = facts.values(amounts[0].index)
            return None if not values or min(values) < 0 else max(values) > 0
        said = [it for it in facts.columns if any(is_among(word, it.words) for word in facts.question_words)]
        if len(facts.rows) == 1 and len(facts.measures) == len(facts.columns):
            return None  # the value says how much, also a mean of what the query chose by it
        if any(it.kind == "measure" for it in said) and not self._asked.bounds:
            return None
        empty = [it for it in said for row in facts.rows if row[it.index] is None]
        if empty:  # "Was it returned?", without a day
            return False if len(empty) == len(facts.rows) == 1 and _DAY.search(empty[0].name) else None
        return any(cell is not None for row in facts.rows for cell in row) or None


def decide(facts: Facts) -> bool | None:
    """Whether the rows say yes or no to a question that expects it. None for others, and where they do not decide.

    The query has to know all words of the question, since nobody else reads whether it answers it.
    """
    if not facts.is_polar or not facts.rows or REQUEST.match(facts.question):
        return None
    asked = items_of(facts.question, facts, NameIndex(facts))
    decision = Decision(asked, facts, Numbers(facts, asked, segments_of(asked), asked))
    return decision.holds if decision.knows_question else None


def _is_denied(values: Sequence[str]) -> bool:
    return len(values) == 1 and values[0].lower() in ("0", "false")
