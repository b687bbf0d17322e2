"""Checks sums, means, rates, shares and units of time."""

from __future__ import annotations

import re

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among
from agent.checks.grounding.wording.context import Checks, WordingContext

_TIMES = frozenset(["time", "zeit", "temps", "tiempo", "tempo"])
_DURATIONS = frozenset(["hour", "hours", "h", "minute", "minutes", "min", "second", "seconds", "s", "day", "days"])
_THAT = frozenset({"that", "same", "this", "diesem", "dieser", "diesen", "jenem", "jener", "ce", "cette", "ese", "esa"})
_THAT |= {"este", "esta", "quel", "quella", "quell", "questo", "questa"}
_RATES = frozenset({"per", "pro", "je"})
_RATE_OF = re.compile(r"per_([a-z]+)$")
_MEAN = re.compile(
    r"(?<![a-z])(?:average|avg|mean)(?![a-z])|durchschnitt|mittlere|moyenn|promedi|\bmedi[ao]\b", re.IGNORECASE
)
_RATED = re.compile(r"\b(?:per|of an?|pro|je|par|por|a)\s+([^\W\d_]+)")
_A = frozenset({"a", "an", "par", "por", "al", "alla", "pro", "per"})

_COUNTED = 3  # items from a count to "in total"


class Totals:
    """Checks sums, means, rates, shares and units of time against the rows."""

    def __init__(self, context: WordingContext) -> None:
        self._context, self._facts = context, context.facts
        self.checks: Checks = {
            Class.DIFFERENCE: self._check_calculated,
            Class.TIMES: self._check_calculated,
            Class.SUM: self._check_summed,
            Class.MEAN: self._check_summed,
            Class.PER: self._per,
            Class.SHARE: self._share,
            Class.TIME: self._time,
            Class.BEFORE: self._check_as_asked,
            Class.AFTER: self._check_as_asked,
        }

    def _check_calculated(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        if self._context.is_calculated(segment) or item.cls in self._context.question_classes:
            return ""
        before, after = segment.items[place - 1 : place], segment.items[place + 1 : place + 2]
        support = self._context.supports.get(before[0].start) if before else None
        if item.cls is Class.TIMES and support is not None and support.column is not None:
            counts = self._facts.columns[support.column].projection.aggregate == "count"
            compares = after and after[0].cls in (Class.EQUAL, Class.MORE, Class.LESS)
            if counts and not compares:
                return ""  # "was lent 31 times"
        return "" if is_among(item.text.lower(), self._context.known) else "no number in it is one"

    def _check_summed(self, segment: Segment, place: int) -> str:
        """A sum or mean: computed here, computed by the query, or requested by the question."""
        item = segment.items[place]
        columns = self._context.columns_of_numbers(segment)
        means = bool(columns) and all(it.projection.aggregate == "avg" for it in columns)
        if item.cls is Class.SUM and means and Class.MEAN not in segment.classes:
            return "the rows hold means"
        if item.cls in self._context.question_classes or is_among(item.text.lower(), self._context.known):
            return ""
        before = [it for it in segment.items[max(0, place - _COUNTED) : place] if it.kind == "number"]
        ends = place + 1 == len(segment.items)
        if item.cls is Class.SUM and ends and any(self._context.origin(it) == "row count" for it in before):
            return ""  # "there are 23 players in total"
        if any(self._context.cls(it) in (item.cls, Class.SHARE) for it in segment.numbers):
            return ""  # computed, or a share "of the total"
        told = self._context.columns_of_numbers(segment)
        if item.cls is Class.MEAN and told and all(_MEAN.search(" ".join(it.told)) for it in told):
            return ""  # the column holds means
        names = ("avg",) if item.cls is Class.MEAN else ("sum", "count")
        own = self._context.numbers.rows_of(segment) is not None
        own = own or any(it.projection.aggregate in names for it in self._context.columns_of_numbers(segment))
        return "" if own and self._context.aggregates(*names) else "no row and no calculation says it"

    def _per(self, segment: Segment, place: int) -> str:
        """A rate: from the question, computed, or for rows that are reported individually."""
        item = segment.items[place]
        after = segment.items[place + 1] if place + 1 < len(segment.items) else None
        told = self._context.is_calculated(segment)
        docs = {
            word for it in self._context.columns_of_numbers(segment) for one in it.told for word in _RATED.findall(one)
        }
        if after is not None and is_among(after.text.lower(), docs):
            return ""  # "passengers per day", "the average handling time of a ticket"
        if not told and not self._facts.query.of_each and after is not None and self._is_of_each(after.text.lower()):
            return "the rows have one value for all of them together"
        if item.text.lower() not in _RATES:
            return ""
        if after is not None and after.cls is Class.TIME and not self._is_of_each(after.text.lower()):
            return "no row is of one"
        per = after.text.lower() if after is not None and after.kind == "word" and not told else ""
        if per and Class.PER in self._context.question_classes and not self._is_of_each(per):
            return "the question asks for it per something else"
        if {Class.PER, Class.EACH, Class.MEAN} & self._context.question_classes:
            return ""
        meant = any(self._context.cls(it) is Class.MEAN for it in segment.numbers) or len(self._facts.rows) > 1
        return "" if meant or self._context.aggregates("avg") else "the rows hold no rate"

    def _is_of_each(self, unit: str) -> bool:
        """Whether the question asks for each such unit of time, or the rows are grouped by it."""
        places = [at for at, it in enumerate(self._context.asked) if it.cls in (Class.EACH, Class.PER)]
        asked = {it.text.lower() for at in places for it in self._context.asked[at + 1 : at + 3]}
        rows = {word for it in self._facts.columns if it.kind == "dimension" for word in it.words}
        rates = {rate for it in self._facts.measures for rate in _RATE_OF.findall(it.name.lower())}
        return is_among(unit, asked | rows | rates)  # `litres_per_day`

    def _share(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        if item.cls in self._context.question_classes or any(it.percent for it in segment.numbers):
            return ""
        word = item.text.lower()
        return "" if is_among(word, self._context.known) or self._context.is_head(word) else "no row says a share"

    def _time(self, segment: Segment, place: int) -> str:
        """Check a word for a time. It is a unit if a number precedes it: 66 months."""
        item = segment.items[place]
        if self._context.is_converted(segment, place):
            return ""
        if is_among(item.text.lower(), self._context.known) or Class.NO_VALUE in segment.classes:
            return ""
        if _is_that(segment, place):
            return ""  # "on that date"
        lasts = {unit for it in self._facts.measures for unit in it.units} & _DURATIONS
        if item.text.lower() in _TIMES and lasts:
            return ""  # "the waiting time"
        before = segment.items[place - 1] if place else None
        if place > 1 and before is not None and before.text.lower() in _A and segment.items[place - 2].kind == "number":
            return (
                "" if {Class.PER, Class.EACH} & self._context.question_classes else "the rows hold no rate"
            )  # "40 a month"
        beside = segment.items[max(0, place - 2) : place + 3]
        dated = any(it.kind == "date" or it.is_year for it in beside) or (
            self._context.names.dated and len(segment.names) > 0
        )
        counts = before is not None and before.kind == "number" and not before.is_year
        return "" if dated and not counts else "no row is counted in it"

    def _check_as_asked(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        following = segment.items[place + 1] if place + 1 < len(segment.items) else None
        if item.cls is Class.AFTER and following is not None and self._context.origin(following) == "result":
            return ""  # "after 420 in 2019"
        timed = following is not None and bool(self._context.names.dated & following.places.keys())
        timed = timed and bool({Class.RISE, Class.FALL} & segment.classes)  # "has risen since 2019"
        if following is not None and ((following.kind == "date" and following.places) or timed):
            return ""  # "since February 1, 1998"
        return (
            ""
            if item.cls in self._context.question_classes or self._context.is_in_question(item)
            else "the question does not say so"
        )


def _is_that(segment: Segment, place: int) -> bool:
    """Whether a unit of time refers to the time just mentioned: "that date"."""
    return place > 0 and segment.items[place - 1].text.lower() in _THAT
