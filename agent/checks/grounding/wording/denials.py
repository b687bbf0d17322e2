"""Checks negations, quantifiers, yes and no: "none", "all", "each", "only"."""

from __future__ import annotations

import re

from agent.checks.grounding.claims.claims import BOTH, Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import ColumnFacts
from agent.checks.grounding.languages.vocabulary import LANGUAGES, Class, vocabulary
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.support.across import whole_of
from agent.checks.grounding.support.beside import are_flagged, list_words_behind
from agent.checks.grounding.support.bounds import EXCEPT
from agent.checks.grounding.wording.context import Checks, WordingContext
from agent.checks.grounding.wording.series import is_steady, says_each_step
from executors.base import JsonValue

_AS = frozenset(["as", "so", "aussi", "tan"])
_EVERYONE = frozenset(["everyone", "everybody", "jeder", "chacun", "chacune", "ciascuno"])
_ZERO = frozenset(["none", "nothing", "keiner", "keines", "nichts", "rien", "ninguno", "nada", "nessuno", "niente"])
_ZERO |= {"nulla", "zero", "zéro", "cero"}
# Words for a missing value, as opposed to its subject.
_VALUE_WORDS = """
    value values figure figures data entry recorded available entered known wert werte angabe angaben eintrag datum
    eingetragen verfügbar erfasst bekannt valeur donnée données chiffre renseigné disponible valor dato datos cifra
    registrado registrada valore dati registrata
"""
_VALUES = frozenset(_VALUE_WORDS.split())
_NO = re.compile(r"no$|kein|aucun|ning[uú]n|nessun", re.IGNORECASE)  # precedes the noun that it denies
_HOW = frozenset(["hoch", "groß", "high", "large", "long", "lang", "qual"])


_NEAR = 4  # items between "each" and its number


_ALONE = frozenset({"each", "every"})
_OF_THE = 2  # items


def _is_each(item: Item) -> bool:
    return item.text.lower().startswith(("each", "every"))


class Denials:
    """Checks negations, quantifiers, yes and no against the rows."""

    def __init__(self, context: WordingContext) -> None:
        self._context, self._facts = context, context.facts
        self.checks: Checks = {
            Class.NOT: self._denial,
            Class.ALL: self._all,
            Class.ALL_BUT: self._all_but,
            Class.EACH: self._each,
            Class.ONLY: self._only,
            Class.SOME: self._some,
            Class.ASKED: self._is_only_asked,
            Class.YES: self._yes,
            Class.NO_VALUE: self._no_value,
            Class.NEGATIVE: self._negative,
        }

    def _denial(self, segment: Segment, place: int) -> str:
        facts = self._facts
        if not facts.rows:
            return ""
        if any(self._context.cls(it) is Class.NOT for it in segment.numbers):
            return ""  # computed: "9 beds were not occupied"
        denied = segment.names or segment.numbers or self._is_denied_so(segment, place)
        if denied and Class.NOT in self._context.question_classes:
            return ""  # "no taxi has passed" denies more than "which have not passed"
        rows = self._context.numbers.rows_of(segment)
        chosen = sorted(rows) if rows else (range(len(facts.rows)) if len(facts.rows) == 1 else ())
        cells = [(facts.rows[row][it.index], it) for row in chosen for it in facts.columns]
        empty = [it for cell, it in cells if cell is None or self._is_none(cell, it)]
        zeros = any(cell is not None and self._is_none(cell, it) for cell, it in cells)
        counted = zeros or any(it.projection.aggregate in ("count", "sum") for it in empty)
        words = [it.text.lower() for it in segment.items if it.kind == "word"]
        missing = bool(empty) and not counted
        numbers = [value for it in empty if it.kind == "measure" for value in facts.values(it.index)]
        whole = bool(numbers) and all(it.denominator == 1 for it in numbers)
        after = next((it.text.lower() for it in segment.items[place + 1 :] if it.kind == "word"), "")
        of_column = any(is_among(after, {*column.words, *self._list_asked_first()}) for column in empty)
        zero = whole or not of_column or any(it.text.lower() in _ZERO for it in segment.items)
        told = {it.text.lower() for it in segment.items[place + 1 :]}
        no_value = Class.NO_VALUE in segment.classes or self._only_denies(segment) or bool(told & _VALUES)
        if missing and zero and not no_value:
            return "a missing value does not mean zero or none"
        named = any(is_among(it, {*column.words, *self._list_asked_first()}) for it in words for column in empty)
        others = {word for it in facts.measures if it not in empty for word in it.words}
        if empty and others:  # for 0 goals in 270 minutes: "no goals", not "no minutes" or "did not play"
            own = {word for it in empty for word in it.words} - others
            alone = not words and len(facts.measures) == len({it.index for it in empty}) + len(segment.numbers)
            if is_among(after, others - own) or not (alone or any(is_among(it, own) for it in words)):
                return "the rows do not say that there is none of it"
        if empty and (counted or named or no_value):
            return ""
        return "the rows do not say that there is none"

    def _is_denied_so(self, segment: Segment, place: int) -> bool:
        """Whether the question denies in the same words. "No car has one" denies more than "which have no tag"."""
        item = segment.items[place]
        if not _NO.match(item.text) or not self._context.is_in_question(item):
            return self._context.is_in_question(item)
        following = [it.text.lower() for it in segment.items[place + 1 :] if it.kind == "word"][:1]
        denied = list_words_behind(self._context.asked, Class.NOT)
        return all(is_among(it, denied) for it in following)

    def _is_none(self, cell: JsonValue, column: ColumnFacts) -> bool:
        """Whether a cell means that there is none: zero of something counted, not zero degrees."""
        if column.kind == "dimension" or not _is_nothing(cell):
            return False
        if cell is False:
            return True
        values = self._facts.values(column.index)
        missing = len(values) < len(self._facts.rows)
        measured = any(it.denominator != 1 for it in values) or missing
        return not measured or column.projection.aggregate in ("count", "sum")

    def _list_asked_first(self) -> list[str]:
        """What the question asks for, in its own words: "mileage" in "What is the mileage of truck 12?"."""
        words = [it.text.lower() for it in self._context.asked if it.kind == "word"]
        asking = vocabulary(self._facts.language).common if self._facts.language in LANGUAGES else frozenset[str]()
        tables = self._facts.query.tables
        about = {word for it in self._facts.conditions for value in it.values for word in words_of(value)}
        found = [it for it in words if it not in asking | _HOW | about and not is_among(it, tables)]
        return found[:1]

    def _only_denies(self, segment: Segment) -> bool:
        """Whether a denial has no content of its own: "none", "there is no value"."""
        words = [it.text.lower() for it in segment.items if it.kind == "word"]
        return not words or all(is_among(it, ("value", "wert", "valeur", "valor", "valore")) for it in words)

    def _all(self, segment: Segment, place: int) -> str:
        after = segment.items[place + 1 : place + 4]
        if not self._facts.is_polar and self._asks_for_all(segment.items[place]):
            return ""
        if _is_each(segment.items[place]) and self._holds_of_each(segment, place):
            return ""
        if {Class.MOST, Class.LEAST} & {it.cls for it in segment.items[max(0, place - 2) : place]}:
            return ""  # "the most of all" is checked as a superlative
        if any(it.kind == "number" and self._context.origin(it) == "row count" for it in after):
            return ""
        named = self._context.numbers.find_named(segment) or frozenset()
        if any(it.text.lower() in EXCEPT for it in segment.items) and are_flagged(self._facts, segment, named):
            return ""  # "all flags except B are enabled"
        if any(it.percent and it.start in self._context.supports for it in segment.numbers):
            return ""  # "12 % of all trips"
        if any(self._is_whole(segment, it.start) for it in after if it.kind == "number"):
            return ""  # "all 18 beds were occupied"
        if segment.items[place].text.lower() in BOTH and len(self._context.numbers.find_named(segment) or ()) == 2:
            return ""  # claims about them are checked for each
        if segment.items[place].text.lower() in BOTH and self._are_both_named(segment):
            return ""  # "both races: Oslo in 129 minutes and Rome in 131.5"
        total = Class.SUM in segment.classes and (len(self._facts.rows) > 1 or self._context.aggregates("sum", "count"))
        return "" if total and not segment.map_own_rows() else "the rows do not say so about all"

    def _are_both_named(self, segment: Segment) -> bool:
        """Whether there are two rows, and a sentence names both or states their sum."""
        if len(self._facts.rows) != 2 or self._facts.is_limited:
            return False
        named = self._context.numbers.sentences.get(segment.sentence, frozenset())
        return len(named) == 2 or any(self._context.cls(it) is Class.SUM for it in segment.numbers)

    def _is_whole(self, segment: Segment, start: int) -> bool:
        """Whether a number is both the named part and its whole."""
        support = self._context.supports.get(start)
        if support is None or support.row is None or support.column is None:
            return False
        for part in (it for item in segment.items for it in self._context.numbers.columns.list_labelled(item)[:1]):
            whole = whole_of(self._facts, part)
            if whole is not None and support.column in (part.index, whole.index):
                cells = [self._facts.values(it.index, [support.row]) for it in (part, whole)]
                return cells == [[support.value], [support.value]]
        return False

    def _asks_for_all(self, item: Item) -> bool:
        """Whether the question says "all", too; "each of" is another word."""
        return any(it.cls is Class.ALL and _is_each(it) is _is_each(item) for it in self._context.asked)

    def _holds_of_each(self, segment: Segment, place: int) -> bool | None:
        """Whether a value is that of every row that the sentence counts or names: "A, B and C have 2 each".

        The value is a condition of the question, or the number after the word, else the only one of the sentence. None
        if there is no such value, or the sentence only names some rows and they differ.
        """
        context, items = self._context, segment.items
        start = place + 1 if items[place].text.lower() in _ALONE else place + 1 + _OF_THE  # not "each of the 8 rooms"
        after = [at for at in range(start, min(len(items), place + 1 + _NEAR)) if items[at].kind == "number"]
        sentence = [it for one in context.list_sentence(segment) for it in one.numbers]
        counted = any(it.start < items[place].start and context.origin(it) == "row count" for it in sentence)
        everything = frozenset(range(len(self._facts.rows)))
        rows = everything if counted else context.numbers.sentences.get(segment.sentence, frozenset())
        named_before = any(it.start < items[place].start for it in context.list_sentence_names(segment))
        if after and named_before and context.numbers.is_condition(segment, after[0]):
            return True
        told = [items[it] for it in after[:1]] or [it for it in sentence if it not in items[place:start]]
        support = context.supports.get(told[0].start) if len(told) == 1 else None
        if support is None or support.column is None or len(rows) < 2:
            return None
        values = self._facts.values(support.column, rows)
        if len(values) == len(rows) and set(values) == {support.value}:
            return True
        return False if counted else None

    def _all_but(self, _segment: Segment, _: int) -> str:
        return "the rows do not say so about the others"  # settled bounds do not reach this check

    def _each(self, segment: Segment, place: int) -> str:
        if not self._facts.query.of_each:
            return "the rows have one value for all of them together"
        if says_each_step(segment, place) and not {Class.RISE, Class.FALL} & self._context.question_classes:
            held = is_steady(self._context, segment, place)  # "grew every month"
            return "" if held else "the rows do not change this way at each step"
        means = [it.projection.aggregate == "avg" for it in self._context.columns_of_numbers(segment)]
        if means and all(means) and Class.MEAN in segment.classes:
            return ""  # "each took 14.8 hours on average"
        if (of_each := self._holds_of_each(segment, place)) is not None:
            return "" if of_each else "the rows do not say so about each"
        counted = any(it.kind == "number" for it in segment.items[max(0, place - 2) : place])
        if counted:  # "Ada and Bo have 12 trips each", not "20 people have 12 trips each"
            several = len(self._context.list_sentence_names(segment)) > 1
            return "" if several and len(segment.numbers) == 1 else "the rows do not say so about each"
        asked = {Class.EACH, Class.PER} & self._context.question_classes
        after = segment.items[place + 1] if place + 1 < len(segment.items) else None
        named_before = any(it.start < segment.items[place].start for it in segment.names)  # "Ada and Bo each sold 3"
        if (
            not named_before
            and after is not None
            and after.kind == "word"
            and not is_among(after.text.lower(), self._list_asked_of_each())
        ):
            return "the question does not ask for each of these"
        if segment.items[place].text.lower() in _EVERYONE and not self._context.is_in_question(segment.items[place]):
            return "the rows do not say so about each"
        return "" if asked and segment.numbers else "the rows do not say so about each"

    def _list_asked_of_each(self) -> list[str]:
        """What the question asks for each of: "team" in "in each team". All words if it does not specify."""
        asked = self._context.asked
        found = list_words_behind(asked, Class.EACH, Class.PER)
        return found or [it.text.lower() for it in asked if it.kind == "word"]

    def _only(self, segment: Segment, place: int) -> str:
        if Class.ONLY in self._context.question_classes or any(
            it.kind == "number" for it in segment.items[place + 1 : place + 3]
        ):
            return ""
        if Class.NEGATIVE in segment.classes and not segment.numbers:  # "only Growth is negative"
            named = self._context.numbers.find_named(segment)
            return "" if self._facts.is_whole and named == self._find_below_zero() else "the rows do not say so"
        named = self._context.numbers.sentences.get(segment.sentence, frozenset())
        if are_flagged(self._facts, segment, named):
            return ""  # "only South and Hill are organic"
        alone = len(self._facts.rows) == 1 and not self._facts.is_limited and not self._facts.query.aggregates
        return "" if alone and (segment.names or named) else "the rows do not say so"

    def _some(self, segment: Segment, place: int) -> str:
        item = segment.items[place]
        before = segment.items[place - 1].text.lower() if place else ""
        if before in _AS or self._context.is_in_question(item):
            return ""
        return "it says no number, and the question does not say so"

    def _is_only_asked(self, segment: Segment, place: int) -> str:
        return "" if self._context.is_in_question(segment.items[place]) else "the question does not say so"

    def _yes(self, _segment: Segment, _: int) -> str:
        cells = [cell for row in self._facts.rows for cell in row]
        holds = self._facts.is_polar and bool(cells) and not any(_is_nothing(cell) for cell in cells)
        return "" if holds else "the rows do not say yes"

    def _no_value(self, segment: Segment, _: int) -> str:
        rows = self._context.numbers.rows_of(segment)
        empty = [row for row in rows or () if any(cell is None for cell in self._facts.rows[row])]
        return "" if empty else "the rows have a value"

    def _negative(self, segment: Segment, place: int) -> str:
        """ "A loss of 12": a number below zero."""
        item = segment.items[place]
        cells = [self._context.supports[it.start] for it in segment.numbers if it.start in self._context.supports]
        if self._context.is_in_question(item) or any(it.value < 0 for it in cells):
            return ""
        rows = self._context.numbers.find_named(segment) or frozenset()
        return "" if rows and rows <= self._find_below_zero() else "no number in it is below zero"

    def _find_below_zero(self) -> Rows:
        """The rows with a number below zero."""
        columns = [it.index for it in self._facts.measures]
        rows = range(len(self._facts.rows))
        return frozenset(row for row in rows if any(it < 0 for at in columns for it in self._facts.values(at, [row])))


def _is_nothing(cell: JsonValue) -> bool:
    """Whether a cell justifies a denial: empty, zero or false."""
    return not cell.strip() if isinstance(cell, str) else not cell
