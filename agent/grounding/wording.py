"""Claims that are made in words: denials, quantifiers, superlatives, comparisons, changes, and words nobody checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile
from typing import NamedTuple

from agent.grounding.claims.claims import BOTH, Segment
from agent.grounding.claims.names import NameIndex, Rows
from agent.grounding.claims.reading import Item
from agent.grounding.evidence.facts import ColumnFacts, Facts, currencies_in, number_of
from agent.grounding.kinds import fits, is_adjective
from agent.grounding.languages.language import known_words
from agent.grounding.languages.vocabulary import LANGUAGES, Class, vocabulary
from agent.grounding.languages.words import is_among, same_word, words_of
from agent.grounding.support.support import Numbers, Support
from executors.base import JsonValue

_OPPOSITE = {
    Class.MOST: Class.LEAST,
    Class.LEAST: Class.MOST,
    Class.LATEST: Class.EARLIEST,
    Class.EARLIEST: Class.LATEST,
}
_CHANGE = re.compile(
    r"change|growth|increase|decrease|diff|delta|develop|veränder|entwick|évol|variaci|cambi", re.IGNORECASE
)


_COMPARING = frozenset({Class.MOST, Class.LEAST, Class.MORE, Class.LESS, Class.EQUAL, Class.TIMES})
_AS = frozenset(["as", "so", "aussi", "tan"])
_SIZE = re.compile(
    r"larg(?:er|est)|big(?:ger|gest)|small(?:er|est)|größ\w*|klein\w*|grande?s?|petite?s?|pequeñ[oa]s?|piccol[oaie]"
)
_EVERYONE = frozenset(["everyone", "everybody", "jeder", "chacun", "chacune", "ciascuno"])
_ZERO = frozenset(["nothing", "nichts", "rien", "nada", "niente", "nulla", "zero", "zéro", "cero"])
_NONE = frozenset(
    ["no", "none", "kein", "keine", "keinen", "aucun", "aucune", "ningún", "ninguna", "nessun", "nessuna"]
)
_TIMES = frozenset(["time", "zeit", "temps", "tiempo", "tempo"])
_HOW = frozenset(["hoch", "groß", "high", "large", "long", "lang", "qual"])
_DURATIONS = frozenset(["hour", "hours", "h", "minute", "minutes", "min", "second", "seconds", "s", "day", "days"])
_ENDS = 2  # numbers of a range
_RATES = frozenset({"per", "pro", "je"})
_A = frozenset({"a", "an", "par", "por", "al", "alla", "pro", "per"})
_AGES = frozenset({"age", "alter", "âge", "edad", "età", "old", "alt"})
_YEARS_OLD = frozenset(
    {"years", "year", "old", "jahre", "jahren", "alt", "ans", "âgés", "âgées", "años", "anni", "anno", "año"}
)


class Problem(NamedTuple):
    """Something that nothing supports: as written, and why."""

    text: str
    why: str


class Wording:
    """Checks the words of a text.

    Args:
        asked: the items of the question.
        supports: of the numbers that were found, by where they start.
        settled: where words start that were recomputed with a bound.
    """

    def __init__(
        self,
        facts: Facts,
        names: NameIndex,
        asked: Sequence[Item],
        numbers: Numbers,
        supports: Mapping[int, Support],
        settled: frozenset[int] = frozenset(),
    ) -> None:
        self._settled = settled
        self._facts, self._names, self._asked = facts, names, asked
        self._numbers, self._supports = numbers, supports
        self._segments: Sequence[Segment] = ()
        self._asked_classes = frozenset(it.cls for it in asked if it.cls is not None)
        words = vocabulary(facts.language).polar if facts.language in LANGUAGES else frozenset[str]()
        first = known_words(facts.question)[:1]
        self._polar = bool(first) and first[0] in words
        self._known = _known_words(facts) | {it.text.lower() for it in asked if it.kind == "word"}
        self._checks: Mapping[Class, Callable[[Segment, int], str]] = {
            Class.NOT: self._denial, Class.NOTHING: self._denial, Class.ALL: self._all, Class.EACH: self._each,
            Class.ONLY: self._only,
            Class.MOST: self._extreme, Class.LEAST: self._extreme, Class.LATEST: self._latest,
            Class.EARLIEST: self._latest, Class.MORE: self._comparison, Class.LESS: self._comparison,
            Class.OVER: self._bound, Class.UNDER: self._bound, Class.RISE: self._change, Class.FALL: self._change,
            Class.DIFFERENCE: self._calculated, Class.TIMES: self._calculated, Class.SUM: self._summed,
            Class.MEAN: self._summed, Class.YES: self._yes, Class.NO_VALUE: self._no_value, Class.RANK: self._rank,
            Class.TIME: self._time, Class.AFTER: self._as_asked, Class.BEFORE: self._as_asked,
            Class.SHARE: self._share, Class.PER: self._per, Class.EQUAL: self._equal, Class.RANGE: self._range,
            Class.NO_OTHER: self._no_other, Class.ALL_BUT: self._all_but,
            Class.MULTIPLIED: self._multiplied, Class.NEGATIVE: self._negative, Class.STABLE: self._stable,
            Class.SOME: self._some, Class.ASKED: self._asked_only, Class.POINTS: self._points,
        }  # fmt: skip

    def problems(self, segments: Sequence[Segment]) -> Iterator[Problem]:
        """What nothing supports, in order."""
        self._segments = segments
        for segment in segments:
            for place, item in enumerate(segment.items):
                if item.kind == "word" and not self._is_known(segment, place):
                    yield Problem(item.text, "it stands neither in the question nor in the rows")
                elif item.kind in ("word", "phrase") and not self._fits(segment, place):
                    yield Problem(item.text, "no column that is shown is of that kind")
                check = self._checks.get(item.cls) if item.cls is not None and item.start not in self._settled else None
                if check is not None and (why := check(segment, place)):
                    yield Problem(item.text, why)

    # -- words --------------------------------------------------------------------------------------------

    def _is_known(self, segment: Segment, place: int) -> bool:
        word = segment.items[place].text.lower()
        if currencies := currencies_in(word):
            known = {it.currency for it in self._facts.measures} - {""} or currencies_in(self._facts.question)
            number = segment.items[place - 1] if place else None
            support = self._supports.get(number.start) if number is not None else None
            if support is not None and support.column is not None:
                column = self._facts.columns[support.column]
                if column.projection.aggregate == "count":
                    return False
                known = {column.currency} - {""} or known
            return currencies <= known
        before = segment.items[place - 1] if place else None
        if is_adjective(word) and before is not None and (before.cls in _COMPARING or before.text.lower() in _AS):
            return True
        if word == "s" and place and segment.items[place - 1].kind != "number":
            return True
        if segment.items[place].text in "$€£¥%+×÷*<>±":
            return False
        told = (self._supports.get(it.start) for it in segment.numbers)
        if any(support is not None and is_among(word, support.words) for support in told):
            return True
        return is_among(word, self._known) or self._is_compound(word)

    def _fits(self, segment: Segment, place: int) -> bool:
        """Whether "expensive" or "popular" can be said of a column that is meant."""
        text = segment.items[place].text
        if is_among(text.lower(), self._known):
            return True
        columns = self._measured_by(segment, place) or self._facts.measures
        if _SIZE.fullmatch(text.lower().split()[-1]):  # "the largest city" is not the one that sells most
            beside = segment.items[max(0, place - 1) : place] + segment.items[place + 1 : place + 2]
            counts = any(it.projection.aggregate == "count" for it in columns) and bool(segment.numbers)
            told = {word for it in self._facts.columns if it.kind == "dimension" for word in it.words}
            if not counts and any(it.kind == "word" and is_among(it.text.lower(), told) for it in beside):
                return False
        known = [it.words for it in (self._supports.get(one.start) for one in segment.numbers) if it is not None]
        if any(fits(text, [*words], counts=False) for words in known if words):
            return True  # of a column of the records
        return not columns or any(
            fits(text, it.told or (it.name,), counts=it.projection.aggregate == "count") for it in columns
        )

    def _is_compound(self, word: str) -> bool:
        """German: `Kundenanzahl` of `Kunden` and `Anzahl`."""
        if self._facts.language != "de" or len(word) < 8:
            return False
        listed = vocabulary("de")
        for cut in range(4, len(word) - 2):
            head, tail = word[:cut], word[cut:].removeprefix("s")
            known = [is_among(part, self._known) or self._plain(listed.at([part], 0)) for part in (head, tail)]
            if all(known):
                return True
        return False

    @staticmethod
    def _plain(found: object) -> bool:
        return getattr(found, "cls", None) in (Class.FILLER, Class.SUM, Class.TIME)

    # -- claims; each gives why it is not supported, or nothing ------------------------------------------

    def _denial(self, segment: Segment, place: int) -> str:
        facts = self._facts
        if not facts.rows:
            return ""
        denied = {Class.NOT, Class.NOTHING} & self._asked_classes
        if denied and (segment.names or segment.numbers or self._said(segment.items[place])):
            return ""  # "no taxi has passed" denies more than "which have not passed"
        rows = self._numbers.rows_of(segment)
        chosen = sorted(rows) if rows else (range(len(facts.rows)) if len(facts.rows) == 1 else ())
        cells = [(facts.rows[row][it.index], it) for row in chosen for it in facts.columns]
        empty = [it for cell, it in cells if cell is None or self._is_none(cell, it)]
        zeros = any(cell is not None and self._is_none(cell, it) for cell, it in cells)
        counted = zeros or any(it.projection.aggregate in ("count", "sum") for it in empty)
        words = [it.text.lower() for it in segment.items if it.kind == "word"]
        missing = bool(empty) and not zeros and not counted
        numbers = [value for it in empty if it.kind == "measure" for value in facts.values(it.index)]
        nothing = {*_ZERO, *_NONE} if numbers and all(it.denominator == 1 for it in numbers) else _ZERO
        if (
            missing
            and Class.NO_VALUE not in segment.classes
            and any(it.text.lower() in nothing for it in segment.items)
        ):
            return "a value that is missing is not nothing"
        named = any(is_among(it, {*column.words, *self._asked_first()}) for it in words for column in empty)
        others = {word for it in facts.measures if it not in empty for word in it.words}
        if empty and others:  # of 0 goals in 270 minutes: "no goals", not "no minutes", not "did not play"
            own = {word for it in empty for word in it.words} - others
            after = next((it.text.lower() for it in segment.items[place + 1 :] if it.kind == "word"), "")
            alone = not words and len(facts.measures) == len({it.index for it in empty}) + len(segment.numbers)
            if is_among(after, others - own) or not (alone or any(is_among(it, own) for it in words)):
                return "the rows do not say that there is none of it"
        if empty and (counted or named or Class.NO_VALUE in segment.classes or self._denies_only(segment)):
            return ""
        return "the rows do not say that there is none"

    def _is_none(self, cell: JsonValue, column: ColumnFacts) -> bool:
        """Whether a cell says that there is none: zero of what is counted, not zero degrees."""
        if column.kind == "dimension" or cell is None or not _is_nothing(cell):
            return False
        if cell is False:
            return True
        values = self._facts.values(column.index)
        missing = len(values) < len(self._facts.rows)
        measured = any(it.denominator != 1 for it in values) or missing
        return not measured or column.projection.aggregate in ("count", "sum")

    def _asked_of_each(self) -> list[str]:
        """What the question asks for each of: "team" of "in each team"; every word where it does not say."""
        words = [it.text.lower() for it in self._asked if it.kind == "word"]
        places = [at for at, it in enumerate(self._asked) if it.cls in (Class.EACH, Class.PER)]
        found = [it.text.lower() for at in places for it in self._asked[at + 1 : at + 3] if it.kind == "word"]
        return found or words

    def _is_of_each(self, unit: str) -> bool:
        """Whether a unit of time is what the question asks for each of, or what the rows are of."""
        places = [at for at, it in enumerate(self._asked) if it.cls in (Class.EACH, Class.PER)]
        asked = {it.text.lower() for at in places for it in self._asked[at + 1 : at + 3]}
        rows = {word for it in self._facts.columns if it.kind == "dimension" for word in it.words}
        return is_among(unit, asked | rows)

    def _asked_first(self) -> list[str]:
        """What the question asks for, in its own language: "mileage" of "What is the mileage of truck 12?"."""
        words = [it.text.lower() for it in self._asked if it.kind == "word"]
        asking = vocabulary(self._facts.language).common if self._facts.language in LANGUAGES else frozenset[str]()
        tables = self._facts.query.tables
        about = {word for it in self._facts.conditions for value in it.values for word in words_of(value)}
        found = [it for it in words if it not in asking | _HOW | about and not is_among(it, tables)]
        return found[:1]

    def _denies_only(self, segment: Segment) -> bool:
        """Whether a denial says nothing of its own: "none", "there is no value"."""
        words = [it.text.lower() for it in segment.items if it.kind == "word"]
        return not words or all(is_among(it, ("value", "wert", "valeur", "valor", "valore")) for it in words)

    def _all(self, segment: Segment, place: int) -> str:
        after = segment.items[place + 1 : place + 4]
        if not self._polar and Class.ALL in self._asked_classes:
            return ""
        if any(it.kind == "number" and self._origin(it) == "row count" for it in after):
            return ""
        if any(it.percent and it.start in self._supports for it in segment.numbers):
            return ""  # "12 % of all trips"
        if segment.items[place].text.lower() in BOTH and len(self._numbers.named(segment) or ()) == 2:
            return ""  # what is said of them is held against each
        total = Class.SUM in segment.classes and (len(self._facts.rows) > 1 or self._aggregates("sum", "count"))
        return "" if total and not segment.own() else "the rows do not say so of all"

    def _all_but(self, _segment: Segment, _: int) -> str:
        return "the rows do not say so of the others"  # what a bound settles does not come here

    def _no_other(self, segment: Segment, place: int) -> str:
        """ "No other has more than Ada": then she has the most."""
        turned = [cls for cls in (Class.MORE, Class.LESS) if cls in segment.classes]
        rows = self._numbers.rows_of(segment)
        if len(turned) != 1 or not rows or len(self._facts.rows) < 2:
            return "the rows do not say so of the others"
        most = Class.MOST if turned[0] is Class.MORE else Class.LEAST
        return "" if self._holds_extreme(segment, place, most, rows) else "another row has a value beyond it"

    def _range(self, segment: Segment, _: int) -> str:
        """ "Range from 12 to 48": the least and the most of a column, or of a query that asks for both."""
        told = [it for one in self._segments if one.sentence == segment.sentence for it in one.numbers]
        told = list(segment.numbers) if len(segment.numbers) == _ENDS else told
        found = [it for it in (self._supports.get(one.start) for one in told) if it is not None]
        found = [it for it in found if it.origin != "question"]
        if len(found) != 2 or any(it.column is None for it in found):
            return "the least and the most are not these two"
        columns = [self._facts.columns[it.column] for it in found if it.column is not None]
        if len(self._facts.rows) == 1:
            named = [it.projection.aggregate for it in columns] == ["min", "max"]
        else:
            values = self._facts.values(columns[0].index)
            limited = self._facts.query.limit is not None and len(self._facts.rows) >= self._facts.query.limit
            named = columns[0] is columns[1] and not limited and not self._facts.result.truncated
            named = named and {it.value for it in found} == {min(values), max(values)}
        return "" if named else "the least and the most are not these two"

    def _each(self, segment: Segment, place: int) -> str:
        before = segment.items[place - 1] if place else None
        if before is not None and before.kind == "number":
            return ""
        two = segment.items[max(0, place - 2) : place]
        if two and two[0].kind == "number" and self._origin(two[0]) == "result" and len(segment.names) > 1:
            return ""  # "Ada and Bo have 12 trips each"
        asked = {Class.EACH, Class.PER} & self._asked_classes
        after = segment.items[place + 1] if place + 1 < len(segment.items) else None
        told = any(it.start < segment.items[place].start for it in segment.names)  # "Ada and Bo each sold 3"
        if (
            not told
            and after is not None
            and after.kind == "word"
            and not is_among(after.text.lower(), self._asked_of_each())
        ):
            return "the question does not ask for each of these"
        if segment.items[place].text.lower() in _EVERYONE and not self._said(segment.items[place]):
            return "the rows do not say so of each"
        return "" if asked and segment.numbers else "the rows do not say so of each"

    def _only(self, segment: Segment, place: int) -> str:
        if Class.ONLY in self._asked_classes or any(it.kind == "number" for it in segment.items[place + 1 : place + 3]):
            return ""
        alone = len(self._facts.rows) == 1 and self._facts.query.limit is None and not self._facts.query.aggregates
        return "" if alone and segment.names else "the rows do not say so"

    def _extreme(self, segment: Segment, place: int) -> str:
        cls = segment.items[place].cls
        if cls is None:
            return ""
        rows = self._numbers.rows_of(segment) or self._numbers.nearby(segment)
        if any(self._cls(it) is cls for it in segment.numbers) or self._is_column(segment, place, cls):
            return ""
        if not self._is_measured(segment, place, cls):
            return "it does not say by what"
        if self._is_of_means(segment, place):
            return "the rows hold means"
        if len(self._facts.rows) > 1 and rows and (segment.own() or segment.inherited or segment.nearby):
            held = self._holds_extreme(segment, place, cls, rows)
            if held is not None:
                return "" if held else "another row has a value beyond it"
        if cls in self._asked_classes:
            return ""
        return "" if self._chosen_by(cls) else "the query does not look for it"

    def _holds_extreme(self, segment: Segment, place: int, cls: Class, rows: Rows) -> bool | None:
        """Whether the rows named are the first by a measure; None where it cannot be told."""
        facts = self._facts
        columns = self._measured_by(segment, place)
        ordered = dict(facts.query.order)
        chosen = [it for it in columns if it.name.lower() in ordered] or list(columns)
        if not chosen or (facts.result.truncated and chosen[0].name.lower() not in ordered):
            return None
        column, limit = chosen[0], facts.query.limit
        if (
            limit is not None
            and len(facts.rows) >= limit > 1
            and ordered.get(column.name.lower()) is not (cls is Class.MOST)
        ):
            return False  # the last of the first three is not the last of all
        others = [it for it in range(len(facts.rows)) if it not in rows]
        inside, outside = facts.values(column.index, rows), facts.values(column.index, others)
        if not inside or not outside:
            return None
        return min(inside) >= max(outside) if cls is Class.MOST else max(inside) <= min(outside)

    def _columns_told(self, segment: Segment) -> list[ColumnFacts]:
        """The columns of the cells that its numbers are."""
        told = (self._supports.get(it.start) for it in segment.numbers)
        return [self._facts.columns[it.column] for it in told if it is not None and it.column is not None]

    def _with_numbers(self, segment: Segment) -> Segment:
        """The segment that tells the number of one that tells none: "is the longest" before ", at 63.8"."""
        at = next(at for at, it in enumerate(self._segments) if it is segment)
        following = self._segments[at + 1] if at + 1 < len(self._segments) else None
        ends = following is None or following.sentence != segment.sentence or following.own()
        return segment if segment.numbers or following is None or ends else following

    def _measured_by(self, segment: Segment, place: int) -> Sequence[ColumnFacts]:
        """The columns that a superlative may be of: by the words after it, else those of the number told with it."""
        after = takewhile(lambda it: it.kind != "number", segment.items[place + 1 :])
        for item in after:
            if found := self._numbers.labelled(item):
                return found
        told = self._with_numbers(segment).numbers
        beside = [it for it in told if it.start > segment.items[place].start] or told
        for item in beside:
            support = self._supports.get(item.start)
            if support is not None and support.column is not None:
                return [self._facts.columns[support.column]]
        return self._numbers.columns(segment, place)

    def _is_column(self, segment: Segment, place: int, cls: Class) -> bool:
        """Whether a superlative is what a column holds: "the highest salary in Design", of MAX(salary) by team."""
        items, wanted = segment.items, "max" if cls is Class.MOST else "min"
        at = [items.index(it) for it in segment.names]
        leads = at and at[0] < place and not (at[0] and items[at[0] - 1].cls is Class.FILLER)
        columns = self._columns_told(segment)
        return not leads and bool(columns) and all(it.projection.aggregate == wanted for it in columns)

    def _is_measured(self, segment: Segment, place: int, cls: Class) -> bool:
        """Whether a sentence says by what something is the first: by a number, a column's name or as the question."""
        if cls in self._asked_classes or self._with_numbers(segment).numbers:
            return True
        known = {word for it in self._facts.measures for word in it.words}
        sentence = [it for one in self._segments if one.sentence == segment.sentence for it in one.items]
        return any(
            it.kind in ("word", "phrase") and is_among(it.text.lower(), known) for it in sentence
        ) or is_adjective(segment.items[place].text.lower().split()[-1])

    def _is_of_means(self, segment: Segment, place: int) -> bool:
        """Whether a superlative speaks of single values, where the column that is meant holds means of them."""
        columns = self._measured_by(segment, place)
        if not columns or any(it.projection.aggregate != "avg" for it in columns):
            return False
        if Class.MEAN in self._asked_classes and len(self._facts.measures) == 1:
            return False
        return not any(Class.MEAN in it.classes for it in self._segments if it.sentence == segment.sentence)

    def _chosen_by(self, cls: Class) -> bool:
        """Whether the query picks the rows so: the first by an order, or MAX and MIN."""
        query = self._facts.query
        if self._aggregates("max" if cls is Class.MOST else "min") and _OPPOSITE[cls] not in self._asked_classes:
            return True
        if _OPPOSITE[cls] in self._asked_classes or not query.order or query.limit is None:
            return False
        return query.order[0][1] is (cls is Class.MOST)

    def _latest(self, segment: Segment, place: int) -> str:
        cls = segment.items[place].cls
        if cls is None:
            return ""
        if cls in self._asked_classes or self._said(segment.items[place]):
            return ""
        rows = self._numbers.rows_of(segment)
        dated = sorted(self._names.dated)
        if rows and dated and len(self._facts.rows) > 1 and not self._facts.result.truncated:
            cells = {row: str(self._facts.rows[row][dated[0]]) for row in range(len(self._facts.rows))}
            end = max(cells.values()) if cls is Class.LATEST else min(cells.values())
            return "" if all(cells[row] == end for row in rows) else "another row is beyond it"
        return "the question does not ask for it"

    def _comparison(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        if item.cls in self._asked_classes or any(self._origin(it) == "calculation" for it in segment.numbers):
            return ""
        if Class.NO_OTHER in segment.classes:
            return ""  # held there
        names = segment.names
        if len(names) == len(segment.before) == 1:  # "Ada, ahead of Bo with 12"
            ahead = [it for one in segment.before.values() for it in one]
            pair = self._pair_of(segment, place, [ahead, sorted(_rows_of(names[0]))])
            if pair is not None:
                right = pair[0] > pair[1] if item.cls is Class.MORE else pair[0] < pair[1]
                return "" if right else "the rows say the opposite"
        if len(names) == 1:  # "higher (900) than Ada (600)"
            names = [it for one in self._segments if one.sentence == segment.sentence for it in one.names]
        if len(names) == 2 and (pair := self._pair(segment, place, names)) is not None:
            first, second = pair
            right = first > second if item.cls is Class.MORE else first < second
            return "" if right else "the rows say the opposite"
        return "the rows do not compare this"

    def _equal(self, segment: Segment, place: int) -> str:
        """ "As many as": of two names with one value, or after a number of times."""
        if Class.EQUAL in self._asked_classes:
            return ""
        if Class.TIMES in segment.classes and any(self._origin(it) == "calculation" for it in segment.numbers):
            return ""
        names = [it for one in self._segments if one.sentence == segment.sentence for it in one.names]
        pairs = [self._pair(segment, place, [names[0], other]) for other in names[1:]]
        equal = bool(pairs) and all(it is not None and it[0] == it[1] for it in pairs)
        return "" if equal else "the rows do not say that they are equal"

    def _pair(self, segment: Segment, place: int, names: Sequence[Item]) -> tuple[Fraction, Fraction] | None:
        """The values of two names that are compared, in the order in which they are named."""
        return self._pair_of(segment, place, [sorted(_rows_of(name)) for name in names])

    def _pair_of(self, segment: Segment, place: int, rows: Sequence[Sequence[int]]) -> tuple[Fraction, Fraction] | None:
        columns = self._numbers.columns(segment, place)
        if not columns or any(len(it) != 1 for it in rows):
            return None
        values = [number_of(self._facts.rows[it[0]][columns[0].index]) for it in rows]
        return (values[0], values[1]) if values[0] is not None and values[1] is not None else None

    def _bound(self, segment: Segment, place: int) -> str:
        if any(it.kind == "number" for it in segment.items[place + 1 : place + 2]):
            return ""
        return "" if self._said(segment.items[place]) else "no number follows it"

    def _change(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        numbers = [it for it in (self._supports.get(one.start) for one in segment.numbers) if it is not None]
        if any(it.origin == "calculation" for it in numbers):
            return ""
        names = [it for it in segment.names if it.start > item.start][:2]
        names = segment.names if len(names) < 2 or len(segment.names) == 2 else names
        if len(names) == len(segment.before) == 1 and self._is_timed(names[0]):  # "420 in 2019 fell to 380 in 2020"
            earlier = [sorted(rows) for rows in segment.before.values()]
            pair = self._pair_of(segment, place, [*earlier, sorted(_rows_of(names[0]))])
            if pair is not None:
                right = pair[0] < pair[1] if item.cls is Class.RISE else pair[0] > pair[1]
                return "" if right else "the rows say the opposite"
        timed = all(self._is_timed(it) for it in names)
        if len(names) == 2 and not timed and not {Class.RISE, Class.FALL} & self._asked_classes:
            return "no row is a later time of another"
        if len(names) == 2 and (pair := self._pair(segment, place, names)) is not None:
            right = pair[0] < pair[1] if item.cls is Class.RISE else pair[0] > pair[1]
            return "" if right else "the rows say the opposite"
        if (pair := self._since_before(segment.names, segment, place)) is not None:  # "fell to 120 in 2021"
            right = pair[0] < pair[1] if item.cls is Class.RISE else pair[0] > pair[1]
            return "" if right else "the rows say the opposite"
        cells = [it.value for it in numbers if it.origin == "result"]
        asked = {Class.RISE, Class.FALL} & self._asked_classes or _CHANGE.search(
            " ".join((self._facts.question, *self._facts.result.columns))
        )
        rises = item.cls is Class.RISE
        first = len(segment.names) == 1 and self._is_timed(segment.names[0]) and len(self._facts.rows) > 1
        if cells and asked and not first:
            fits = cells[0] > 0 if rises else cells[0] < 0
            return "" if fits or (item.cls in self._asked_classes and cells[0] > 0) else "the sign says the opposite"
        return "the rows do not say so"

    def _negative(self, segment: Segment, place: int) -> str:
        """ "A loss of 12": of a number below zero."""
        item = segment.items[place]
        cells = [self._supports[it.start] for it in segment.numbers if it.start in self._supports]
        if self._said(item) or any(it.value < 0 for it in cells):
            return ""
        return "no number in it is below zero"

    def _stable(self, segment: Segment, place: int) -> str:
        """ "Stayed at 66 in 2020": as much as the time before, or between two times."""
        if self._said(segment.items[place]):
            return ""
        names, facts = segment.names, self._facts
        columns = self._numbers.columns(segment, place)
        if len(names) == 2 and all(self._is_timed(it) for it in names):
            pair = self._pair(segment, place, names)
        elif names:
            pair = self._since_before(names, segment, place)
        else:
            values = facts.values(columns[0].index) if len(columns) == 1 and self._names.dated else []
            whole = len(values) == len(facts.rows) > 1 and not facts.result.truncated
            pair = (min(values), max(values)) if whole else None
        return "" if pair is not None and pair[0] == pair[1] else "the rows do not say that it stayed the same"

    def _some(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        before = segment.items[place - 1].text.lower() if place else ""
        return "" if before in _AS or self._said(item) else "it says no number, and the question does not say so"

    def _asked_only(self, segment: Segment, place: int) -> str:
        return "" if self._said(segment.items[place]) else "the question does not say so"

    def _points(self, segment: Segment, _: int) -> str:
        told = any(self._origin(it) == "calculation" for it in segment.numbers)
        return "" if told else "it is no difference of two percentages"

    def _is_timed(self, name: Item) -> bool:
        return name.kind == "date" or bool(self._names.dated & name.places.keys())

    def _multiplied(self, segment: Segment, _: int) -> str:
        """ "Doubled": of an earlier time."""
        names = [it for one in self._segments if one.sentence == segment.sentence for it in one.names]
        timed = all(self._is_timed(it) for it in names) or {Class.RISE, Class.FALL} & self._asked_classes
        return "" if timed else "no row is a later time of another"

    def _since_before(self, names: Sequence[Item], segment: Segment, place: int) -> tuple[Fraction, Fraction] | None:
        """The values of the time before the one that is named, and of that one; None where another claim is made."""
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

    def _calculated(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        if any(self._origin(it) == "calculation" for it in segment.numbers) or item.cls in self._asked_classes:
            return ""
        before, after = segment.items[place - 1 : place], segment.items[place + 1 : place + 2]
        support = self._supports.get(before[0].start) if before else None
        if item.cls is Class.TIMES and support is not None and support.column is not None:
            counts = self._facts.columns[support.column].projection.aggregate == "count"
            compares = after and after[0].cls in (Class.EQUAL, Class.MORE, Class.LESS)
            if counts and not compares:
                return ""  # "was lent 31 times"
        return "" if is_among(item.text.lower(), self._known) else "no number in it is one"

    def _summed(self, segment: Segment, place: int) -> str:
        """A sum or mean: computed, or what the query computes, or what the question asks for."""
        item = segment.items[place]
        if item.cls in self._asked_classes or is_among(item.text.lower(), self._known):
            return ""
        if any(self._cls(it) in (item.cls, Class.SHARE) for it in segment.numbers):
            return ""  # computed, or a share "of the total"
        names = ("avg",) if item.cls is Class.MEAN else ("sum", "count")
        own = self._numbers.rows_of(segment) is not None
        own = own or any(it.projection.aggregate in names for it in self._columns_told(segment))
        return "" if own and self._aggregates(*names) else "no row and no calculation says it"

    def _per(self, segment: Segment, place: int) -> str:
        """A rate: as asked, computed, or of rows that are told one by one."""
        item = segment.items[place]
        if item.text.lower() not in _RATES:
            return ""
        after = segment.items[place + 1] if place + 1 < len(segment.items) else None
        if after is not None and after.cls is Class.TIME and not self._is_of_each(after.text.lower()):
            return "no row is of one"
        if {Class.PER, Class.EACH, Class.MEAN} & self._asked_classes:
            return ""
        meant = any(self._cls(it) is Class.MEAN for it in segment.numbers) or len(self._facts.rows) > 1
        return "" if meant or self._aggregates("avg") else "the rows hold no rate"

    def _share(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        if item.cls in self._asked_classes or any(it.percent for it in segment.numbers):
            return ""
        return "" if is_among(item.text.lower(), self._known) else "no row says a share"

    def _yes(self, _segment: Segment, _: int) -> str:
        cells = [cell for row in self._facts.rows for cell in row]
        told = self._polar and bool(cells) and not any(_is_nothing(cell) for cell in cells)
        return "" if told else "the rows do not say yes"

    def _no_value(self, segment: Segment, _: int) -> str:
        rows = self._numbers.rows_of(segment)
        empty = [row for row in rows or () if any(cell is None for cell in self._facts.rows[row])]
        return "" if empty else "the rows have a value"

    def _rank(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        if self._said(item):
            return ""
        if not self._is_sorted():
            return "the rows have no order"
        rows = self._numbers.rows_of(segment)
        return "" if rows == frozenset({item.rank - 1}) else "another row has that place"

    def _is_sorted(self) -> bool:
        for column in self._facts.measures:
            values = self._facts.values(column.index)
            if len(values) > 1 and values in (sorted(values), sorted(values, reverse=True)):
                return True
        return False

    def _time(self, segment: Segment, place: int) -> str:
        """A unit of time is one where a number stands before it: 66 months."""
        item = segment.items[place]
        if is_among(item.text.lower(), self._known) or Class.NO_VALUE in segment.classes:
            return ""
        lasts = {unit for it in self._facts.measures for unit in it.units} & _DURATIONS
        if item.text.lower() in _TIMES and lasts:
            return ""  # "the waiting time"
        before = segment.items[place - 1] if place else None
        if place > 1 and before is not None and before.text.lower() in _A and segment.items[place - 2].kind == "number":
            return "" if {Class.PER, Class.EACH} & self._asked_classes else "the rows hold no rate"  # "40 a month"
        beside = segment.items[max(0, place - 2) : place + 3]
        dated = any(it.kind == "date" or _is_year(it) for it in beside) or (
            self._names.dated and len(segment.names) > 0
        )
        counts = before is not None and before.kind == "number" and not _is_year(before)
        return "" if dated and not counts else "no row is counted in it"

    def _as_asked(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        following = segment.items[place + 1] if place + 1 < len(segment.items) else None
        if item.cls is Class.AFTER and following is not None and self._origin(following) == "result":
            return ""  # "after 420 in 2019"
        if following is not None and following.kind == "date" and following.places:
            return ""  # "since February 1, 1998"
        return "" if item.cls in self._asked_classes or self._said(item) else "the question does not say so"

    # -- what they share ----------------------------------------------------------------------------------

    def _said(self, item: Item) -> bool:
        return any(same_word(item.text.lower(), it.text.lower()) for it in self._asked)

    def _origin(self, item: Item) -> str | None:
        support = self._supports.get(item.start)
        return support.origin if support is not None else None

    def _cls(self, item: Item) -> Class | None:
        support = self._supports.get(item.start)
        return support.cls if support is not None else None

    def _aggregates(self, *names: str) -> bool:
        return any(it.aggregate in names for it in self._facts.query.projections)


def _rows_of(name: Item) -> Rows:
    return frozenset(row for it in name.places.values() for row in it)


def _is_year(item: Item) -> bool:
    return item.numeral is not None and len(item.numeral.raw) == 4 and item.numeral.raw.isdigit()


def _known_words(facts: Facts) -> frozenset[str]:
    """The words that a sentence may use: of the question, the columns and units, and the values compared with."""
    found = {*facts.question_words, *known_words(facts.question), *known_words(facts.earlier)}
    for column in facts.columns:
        found |= _words_of_column(column)
    for condition in facts.conditions:
        for value in condition.bounds:
            if not condition.denied:
                found |= {*words_of(value), value.lower()}
    if _AGES & found:
        found |= _YEARS_OLD
    found |= {word for said, _ in facts.linked for word in words_of(said)}
    return frozenset(found)


def _words_of_column(column: ColumnFacts) -> set[str]:
    return {*column.words, *column.units, *words_of(column.name)}


def _is_nothing(cell: JsonValue) -> bool:
    """Whether a cell is a reason to deny something: empty, zero or false."""
    return not cell.strip() if isinstance(cell, str) else not cell
