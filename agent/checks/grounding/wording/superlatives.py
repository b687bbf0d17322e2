"""Checks superlatives and ranks: "the most", "the latest", "second"."""

from __future__ import annotations

import re
from fractions import Fraction

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import ColumnFacts, is_fraction
from agent.checks.grounding.evidence.kinds import are_of_one_kind, fits, is_adjective
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.wording.context import CHANGE, Checks, WordingContext

_OPPOSITE = {
    Class.MOST: Class.LEAST,
    Class.LEAST: Class.MOST,
    Class.LATEST: Class.EARLIEST,
    Class.EARLIEST: Class.LATEST,
}
_SPEED = re.compile(r"quickest|fastest|slowest|schnellst|langsamst", re.IGNORECASE)
_FAST = re.compile(r"rápid[oa]s?|veloc[ei]|rapides?|vite|schnell", re.IGNORECASE)
_DURATION = re.compile(
    r"\b(?:hours?|h|minut[eo]?[sni]?|min|seconds?|sec|s|days?|time|dauer|stunden|tage|horas|días|ore|giorni|heures|jours"
    r"|d[ée]lai)\b"
)
_OF_AGE = frozenset({"youngest", "jüngste", "jüngster", "jüngstes"})
_BY_FAR = frozenset(["by far", "mit abstand", "de loin", "con diferencia", "di gran lunga"])
_FOLLOWED = frozenset(["followed", "gefolgt", "suivi", "suivie", "seguido", "seguida", "seguito", "seguita"])
_FAR = Fraction(5, 4)
_THE = frozenset(["the", "der", "die", "das", "den", "le", "la", "el", "il", "l"])
_FOR = frozenset(["for", "of", "from", "für", "von", "bei", "pour", "de", "para", "per", "di"])
_ENDS = frozenset({Class.MOST, Class.LEAST})
_SIGNED = frozenset({Class.FALL, Class.NEGATIVE})
# These refer to the distance of a change from zero. "The highest" also depends on its sign.
_OF_SIZE = re.compile(
    r"(?:larg|bigg|great|small)est|(?:größt|kleinst|stärkst)\w*|mayor|menor|grande?s?|petite?s?|forte?s?|maggiore|minore"
)


class Superlatives:
    """Checks superlatives, ranks and "latest" against the rows."""

    def __init__(self, context: WordingContext) -> None:
        self._context, self._facts = context, context.facts
        self.checks: Checks = {
            Class.MOST: self._extreme,
            Class.LEAST: self._extreme,
            Class.LATEST: self._latest,
            Class.EARLIEST: self._latest,
            Class.RANK: self._rank,
            Class.LAST_PLACE: self._check_last_place,
            Class.NO_OTHER: self._no_other,
        }

    def _extreme(self, segment: Segment, place: int) -> str:
        cls = segment.items[place].cls
        if cls is None:
            return ""
        after = " ".join(it.text for it in segment.items[place + 1 : place + 2])
        fast = _SPEED.match(segment.items[place].text) or _FAST.match(after)
        if fast and self._is_duration(segment, place):
            cls = _OPPOSITE[cls]  # the fastest took the least time
        if place and segment.items[place - 1].cls is Class.RANK and segment.items[place - 1].rank > 1:
            return ""  # "the second highest" is checked as a rank
        rows = self._find_listed(segment, place) or self._context.numbers.rows_of(segment)
        rows = rows or self._context.numbers.find_nearby(segment)
        if self._is_by_far(segment, place) and not self._stands_out(segment, place, rows):
            return "the rows do not say that it is so by far"
        if any(self._context.cls(it) is cls for it in segment.numbers) or self._is_column(segment, place, cls):
            return ""
        if any(self._context.cls(it) is Class.DIFFERENCE for it in segment.numbers) and segment.classes >= _ENDS:
            return ""  # "between the highest and the lowest"
        if not self._is_measured(segment, place, cls):
            return "it does not say by what"
        if self._is_of_means(segment, place):
            return "the rows hold means"
        if len(self._facts.rows) > 1 and rows and (segment.map_own_rows() or segment.inherited or segment.nearby):
            held = self._holds_extreme(segment, place, cls, rows)
            if held is not None:
                return "" if held else "another row has a value beyond it"
        if cls in self._context.question_classes:
            return self._compare_with_question(segment, segment.items[place])
        return "" if self._is_chosen_by(cls) else "the query does not look for it"

    def _is_duration(self, segment: Segment, place: int) -> bool:
        columns = self._context.columns_of_numbers(segment) or self._context.find_measures(segment, place)
        names = [" ".join((it.name.replace("_", " "), *it.units)) for it in columns]
        return bool(names) and all(_DURATION.search(it) for it in names)

    def _is_end(self, segment: Segment, item: Item) -> bool:
        """Whether a time beside it is in a column with such a name: "the first" for `first_on`."""
        columns = {column for it in segment.items if it.kind == "date" for column in it.places}
        return any(is_among(item.text.lower(), self._facts.columns[it].words) for it in columns)

    def _find_listed(self, segment: Segment, place: int) -> Rows | None:
        """The rows of a sentence that lists as many as it announces: "the five highest are A (9), B (8), …"."""
        named = self._context.numbers.sentences.get(segment.sentence, frozenset())
        beside = segment.items[max(0, place - 1) : place] + segment.items[place + 1 : place + 2]
        counts = any(it.kind == "number" and it.value == len(named) > 1 and not it.percent for it in beside)
        return named if counts else None

    def _holds_extreme(self, segment: Segment, place: int, cls: Class, rows: Rows) -> bool | None:
        """Whether the named rows are the first by a measure. None if it cannot be determined."""
        facts = self._facts
        columns = self._context.find_measures(segment, place)
        ordered = dict(facts.query.order)
        chosen = [it for it in columns if it.name.lower() in ordered] or list(columns)
        if not chosen or (facts.result.truncated and chosen[0].name.lower() not in ordered):
            return None
        column = chosen[0]
        others = [it for it in range(len(facts.rows)) if it not in rows]
        labelled = [
            found for it in segment.items[place + 1 :] for found in self._context.numbers.columns.list_labelled(it)
        ]
        by_order = not labelled or any(it.name.lower() in ordered for it in labelled)
        if not others and facts.is_limited and by_order and self._is_chosen_by(cls):
            return None  # "the top three": they were chosen by another column
        first = facts.is_limited and len(facts.rows) > 1
        if first and ordered.get(column.name.lower()) is not (cls is Class.MOST):
            return False  # the last of the first three is not the last of all
        rate = self._context.find_rate(segment, place)
        inside, outside = (self._context.values_of(column, rate, it) for it in (rows, others))
        if not inside or not outside:
            return None
        if len({*inside, *outside}) == 1:  # every row has it
            named = self._context.numbers.sentences.get(segment.sentence, frozenset())
            words = {it.text.lower() for one in self._context.list_sentence(segment) for it in one.items}
            return len(named) == len(facts.rows) and not _FOLLOWED & words
        if _SIGNED & segment.classes and max(inside) < 0:  # "the smallest loss" compares only losses
            inside, outside = [-it for it in inside], [-it for it in outside if it < 0]
        elif Class.RISE in segment.classes and min(inside) > 0:
            outside = [it for it in outside if it > 0]
        elif CHANGE.search(column.name) and _OF_SIZE.fullmatch(segment.items[place].text.lower().split()[-1]):
            inside, outside = [abs(it) for it in inside], [abs(it) for it in outside]  # "the largest change"
        if cls is Class.MOST:
            return min(inside) >= max(outside, default=min(inside))
        return max(inside) <= min(outside, default=max(inside))

    def _compare_with_question(self, segment: Segment, item: Item) -> str:
        if self._facts.is_polar and self._is_only_named(segment):
            return "the query compares it with nothing"
        return "" if self._is_as_asked(item) else "the question asks for another superlative"

    def _is_only_named(self, segment: Segment) -> bool:
        """Whether the query selects by name what a sentence names: Austria, of `country = 'AT'`."""
        fixed = {column for it in self._facts.conditions if it.equal for column in it.columns}
        named = {column for it in segment.names for column in it.places}
        return any(self._facts.columns[it].name.lower() in fixed for it in named)

    def _is_as_asked(self, item: Item) -> bool:
        """Whether the question compares what a superlative compares: not "tallest" for "heaviest"."""
        asked = [it.text for it in self._context.asked if it.cls in _ENDS]
        names = (self._facts.question, *(name for name, _ in self._facts.query.order))
        return any(are_of_one_kind(item.text, it) for it in asked) or fits(item.text, names, counts=True)

    @staticmethod
    def _is_by_far(segment: Segment, place: int) -> bool:
        return any(it.text.lower() in _BY_FAR for it in segment.items[max(0, place - 2) : place])

    def _stands_out(self, segment: Segment, place: int, rows: Rows | None) -> bool:
        """Whether each named value is at least `_FAR` times each other one, or the reverse."""
        columns = self._context.find_measures(segment, place)
        if not rows or len(columns) != 1:
            return False
        others = [it for it in range(len(self._facts.rows)) if it not in rows]
        inside, outside = (self._facts.values(columns[0].index, it) for it in (rows, others))
        if not inside or not outside or min(*inside, *outside) < 0:
            return False
        return min(inside) >= _FAR * max(outside) or _FAR * max(inside) <= min(outside)

    def _is_column(self, segment: Segment, place: int, cls: Class) -> bool:
        """Whether a column holds the superlative: "the highest salary in Design", for MAX(salary) by team."""
        items, wanted = segment.items, "max" if cls is Class.MOST else "min"
        at = [items.index(it) for it in segment.names]
        leads = at and at[0] < place and not (at[0] and items[at[0] - 1].cls is Class.FILLER)
        columns = self._context.columns_of_numbers(segment)
        return not leads and bool(columns) and all(it.projection.aggregate == wanted for it in columns)

    def _is_measured(self, segment: Segment, place: int, cls: Class) -> bool:
        """Whether a sentence states its measure: by a number, by a column's name, or as in the question."""
        if cls in self._context.question_classes or self._context.with_numbers(segment).numbers:
            return True
        changes = Class.FALL in segment.classes and all(CHANGE.search(it.name) for it in self._facts.measures)
        if len(self._facts.measures) == 1 and (changes or Class.NEGATIVE in segment.classes):
            return True  # "the largest loss"
        known = {word for it in self._facts.measures for word in it.words}
        sentence = [it for one in self._context.list_sentence(segment) for it in one.items]
        return any(
            it.kind in ("word", "phrase") and is_among(it.text.lower(), known) for it in sentence
        ) or is_adjective(segment.items[place].text.lower().split()[-1])

    def _is_of_means(self, segment: Segment, place: int) -> bool:
        """Whether a superlative refers to single values although its column holds means."""
        columns = self._context.find_measures(segment, place)
        if not columns or any(it.projection.aggregate != "avg" for it in columns):
            return False
        if Class.MEAN in self._context.question_classes and len(self._facts.measures) == 1:
            return False
        if any(self._is_named(segment, it) for it in columns):
            return False
        if all(is_fraction(self._facts, it) for it in columns):
            return False  # a rate of yes and no covers all: "the highest pass rate"
        return not any(Class.MEAN in it.classes for it in self._context.list_sentence(segment))

    @staticmethod
    def _is_named(segment: Segment, column: ColumnFacts) -> bool:
        """Whether a sentence uses a name that the query made up: "ASP" for an average selling price."""
        stored = {word for it in column.projection.sources for word in words_of(it)}
        said = [it.text.lower() for it in segment.items if it.kind == "word"]
        return any(is_among(word, said) for word in set(words_of(column.name)) - stored)

    def _is_chosen_by(self, cls: Class) -> bool:
        """Whether the query selects the rows accordingly: the first in an order, or MAX and MIN."""
        query = self._facts.query
        if (
            self._context.aggregates("max" if cls is Class.MOST else "min")
            and _OPPOSITE[cls] not in self._context.question_classes
        ):
            return True
        if _OPPOSITE[cls] in self._context.question_classes or not query.order or query.limit is None:
            return False
        return query.order[0][1] is (cls is Class.MOST)

    def _latest(self, segment: Segment, place: int) -> str:
        cls = segment.items[place].cls
        if cls is None:
            return ""
        if self._context.is_in_question(segment.items[place]):
            return ""
        if cls in self._context.question_classes and not self._is_of_all(segment, place):
            return ""
        if self._is_end(segment, segment.items[place]):
            return ""
        if cls is Class.LATEST and self._is_picked_by_date(segment.items[place].text.lower()):
            return ""  # "Who joined most recently?": the newest member
        rows = self._context.numbers.rows_of(segment)
        dated = sorted(self._context.names.dated)
        if rows and dated and len(self._facts.rows) > 1 and not self._facts.result.truncated:
            cells = {row: str(self._facts.rows[row][dated[0]]) for row in range(len(self._facts.rows))}
            end = max(cells.values()) if cls is Class.LATEST else min(cells.values())
            return "" if all(cells[row] == end for row in rows) else "another row is beyond it"
        sentence = self._context.list_sentence(segment)
        if cls is Class.LATEST and not dated and any(Class.RANK in it.classes for it in sentence):
            return self._check_last_place(segment, place)  # "Ada is first, Bo second and Cy last"
        return "the question does not ask for it"

    def _is_of_all(self, segment: Segment, place: int) -> bool:
        """Whether the sentence claims the latest of all for one of several rows: "Ada placed the most recent order"."""
        before = segment.items[place - 1].text.lower() if place else ""
        named = [at for at, it in enumerate(segment.items[:place]) if it.kind == "name"]
        leads = segment.items[named[0] - 1].text.lower() if named and named[0] else ""
        return len(self._facts.rows) > 1 and before in _THE and bool(named) and leads not in _FOR

    def _is_picked_by_date(self, word: str) -> bool:
        """Whether the only row is the last by a date, and the question asks for an end."""
        query, facts = self._facts.query, self._facts
        if len(facts.rows) != 1 or query.limit != 1 or not query.order or not query.order[0][1] or word in _OF_AGE:
            return False
        dated = {source for at in self._context.names.dated for source in facts.columns[at].projection.sources}
        asked = {Class.MOST, Class.LEAST, Class.LATEST, Class.EARLIEST} & self._context.question_classes
        return query.order[0][0] in dated and bool(asked)

    def _rank(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        if self._context.is_in_question(item) or self._is_end(segment, item):
            return ""
        if len(self._facts.rows) == 1 and any(it.rank == item.rank for it in self._context.asked):
            return ""  # "3rd" for "third"
        rows = self._context.numbers.rows_of(segment)
        places = [it.index for it in self._facts.columns if it.projection.aggregate == "rank"]
        if len(places) == 1 and rows:
            cells = {self._facts.rows[row][places[0]] for row in rows}
            return "" if cells == {item.rank} else "another row has that place"
        if self._is_sorted() and rows == frozenset({item.rank - 1}):
            return ""
        if not self._is_sorted() and not self._facts.is_whole:
            return "the rows have no order"
        return "" if rows and self._has_place(segment, place, rows) else "another row has that place"

    def _check_last_place(self, segment: Segment, place: int) -> str:
        """ "Came last": the end of an order. That is the least, unless the question orders from the least."""
        facts, rows = self._facts, self._context.numbers.rows_of(segment)
        if self._context.is_in_question(segment.items[place]) and len(facts.rows) == 1:
            return ""
        columns = self._context.find_measures(segment, place)
        if not rows or len(columns) != 1 or len(facts.rows) < 2 or not facts.is_whole:
            return "the rows do not say so"
        values, own = facts.values(columns[0].index), facts.values(columns[0].index, rows)
        ordered = dict(facts.query.order).get(columns[0].name.lower(), True)
        from_least = not ordered and bool(_ENDS & self._context.question_classes)
        end = max(values) if from_least else min(values)
        return "" if len(own) == len(rows) and set(own) == {end} else "another row has that place"

    def _has_place(self, segment: Segment, place: int, rows: Rows) -> bool:
        """Whether rows have a rank by the only reported column: "second highest", "the third lowest"."""
        columns = self._context.columns_of_numbers(segment) or list(self._context.find_measures(segment, place))
        after = segment.items[place + 1].cls if place + 1 < len(segment.items) else None
        if len({it.index for it in columns}) != 1 or self._facts.result.truncated:
            return False
        values = self._facts.values(columns[0].index)
        own = self._facts.values(columns[0].index, rows)
        beyond = [sum(it < one if after is Class.LEAST else it > one for it in values) for one in own]
        return bool(own) and len(own) == len(rows) and all(it + 1 == segment.items[place].rank for it in beyond)

    def _is_sorted(self) -> bool:
        for column in self._facts.measures:
            values = self._facts.values(column.index)
            if len(values) > 1 and values in (sorted(values), sorted(values, reverse=True)):
                return True
        return False

    def _no_other(self, segment: Segment, place: int) -> str:
        """ "No other has more than Ada" means that Ada has the most."""
        turned = [cls for cls in (Class.MORE, Class.LESS) if cls in segment.classes]
        rows = self._context.numbers.rows_of(segment)
        if len(turned) != 1 or not rows or len(self._facts.rows) < 2:
            return "the rows do not say so about the others"
        most = Class.MOST if turned[0] is Class.MORE else Class.LEAST
        return "" if self._holds_extreme(segment, place, most, rows) else "another row has a value beyond it"
