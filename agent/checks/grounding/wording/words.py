"""Checks the words of a sentence: each must be known, and the check for its class examines its claim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.evidence.kinds import fits, is_adjective
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.currencies import are_same, find_currencies
from agent.checks.grounding.languages.near_words import is_near
from agent.checks.grounding.languages.vocabulary import Class, vocabulary
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.wording.comparisons import Comparisons
from agent.checks.grounding.wording.context import WordingContext
from agent.checks.grounding.wording.denials import Denials
from agent.checks.grounding.wording.superlatives import Superlatives
from agent.checks.grounding.wording.totals import Totals

UNLISTED = "it stands neither in the question nor in the rows"
_COMPARING = frozenset({Class.MOST, Class.LEAST, Class.MORE, Class.LESS, Class.EQUAL, Class.TIMES})
_PROFITS = frozenset(["profit", "surplus", "gewinn", "überschuss", "bénéfice", "excédent", "beneficio", "ganancia"])
_PROFITS |= {"superávit", "utile", "profitto", "avanzo"}
_AS = frozenset(["as", "so", "aussi", "tan"])
_SUPERLATIVE = re.compile(r"[a-z]{3,}est")
_SIZE = re.compile(
    r"larg(?:er|est)|big(?:ger|gest)|small(?:er|est)|größ\w*|klein\w*|grande?s?|petite?s?|pequeñ[oa]s?|piccol[oaie]"
)


class Wording:
    """Checks the words of a text.

    Args:
        settled: start positions of words that were recomputed with a bound.
    """

    def __init__(self, context: WordingContext, settled: frozenset[int] = frozenset()) -> None:
        self._context, self._facts, self._settled = context, context.facts, settled
        checks = [kind(context).checks for kind in (Denials, Superlatives, Comparisons, Totals)]
        self._checks = {cls: check for found in checks for cls, check in found.items()}

    def problems(self) -> Iterator[Problem]:
        """The unsupported words, in order."""
        for segment in self._context.segments:
            for place, item in enumerate(segment.items):
                if item.kind == "word" and not self._is_known(segment, place):
                    yield Problem(item.text, UNLISTED)
                elif item.kind in ("word", "phrase") and not self._fits(segment, place):
                    yield Problem(item.text, "no column that is shown is of that kind")
                check = self._checks.get(item.cls) if item.cls is not None and item.start not in self._settled else None
                if check is not None and (why := check(segment, place)):
                    yield Problem(item.text, why)

    def _is_known(self, segment: Segment, place: int) -> bool:
        word = segment.items[place].text.lower()
        if currencies := self._currencies(segment, place):
            known = {it.currency for it in self._facts.measures} - {""} or set(find_currencies(self._facts.question))
            number = next((it for it in segment.items[max(0, place - 2) : place][::-1] if it.kind == "number"), None)
            support = self._context.supports.get(number.start) if number is not None else None
            if support is not None and support.column is not None:
                column = self._facts.columns[support.column]
                if column.projection.aggregate == "count":
                    return False
                known = {column.currency} - {""} or known
            return are_same(currencies, known)
        if self._context.is_converted(segment, place) or (word in _PROFITS and self._is_gained(segment, place)):
            return True
        before = segment.items[place - 1] if place else None
        if is_adjective(word) and before is not None and (before.cls in _COMPARING or before.text.lower() in _AS):
            return True
        if self._is_of_name(segment, place) or (word == "+" and self._is_rise(segment, place)):
            return True
        if "-" in word and all(is_among(part, self._context.known) for part in words_of(word)):
            return True
        if segment.items[place].text in "$€£¥%+×÷*<>±" or self._is_unheld(word):
            return False
        told = (self._context.supports.get(it.start) for it in segment.numbers)
        if any(support is not None and is_among(word, support.words) for support in told):
            return True
        if is_among(word, self._context.known) or self._is_compound(word) or self._context.is_head(word):
            return True
        if is_near(word, self._context.known):
            return True
        # For a table `classes`, "60 participants per class" is a mean. For one of trips, "3 trips" may count vehicles.
        counted = before is not None and (before.cls is Class.PER or before.kind == "number")
        return not counted and is_among(word, self._context.queried)

    @staticmethod
    def _is_of_name(segment: Segment, place: int) -> bool:
        """Whether a word only belongs to the name before it: "Ada's", "Ada alone sold 12"."""
        word, before = segment.items[place].text.lower(), segment.items[place - 1] if place else None
        if before is None:
            return False
        alone = word == "alone" and before.kind == "name" and not {Class.OVER, Class.UNDER} & segment.classes
        return alone or (word == "s" and before.kind != "number")

    def _is_rise(self, segment: Segment, place: int) -> bool:
        """Whether the number behind a plus sign is a change above zero."""
        behind = segment.items[place + 1 : place + 2]
        support = self._context.supports.get(behind[0].start) if behind else None
        column = self._facts.columns[support.column] if support is not None and support.column is not None else None
        return support is not None and column is not None and column.is_change and support.value > 0

    def _is_unheld(self, word: str) -> bool:
        """Whether a word is a superlative that no check covers: "the fullest", from "full"."""
        return self._facts.language == "en" and word not in self._context.known and bool(_SUPERLATIVE.fullmatch(word))

    @staticmethod
    def _currencies(segment: Segment, place: int) -> frozenset[str]:
        """The currency that a word names, alone or with an adjacent word: "Mexican pesos"."""
        words = [
            segment.items[at].text.lower() if 0 <= at < len(segment.items) else "" for at in range(place - 1, place + 2)
        ]
        for one, other in pairwise(words):
            both = find_currencies(f"{one} {other}")
            if both and both != find_currencies(one) | find_currencies(other):
                return both
        return find_currencies(words[1])

    def _is_gained(self, segment: Segment, place: int) -> bool:
        """Whether a profit refers to a number above zero in a column that also has losses."""
        number = next((it for it in segment.items[place:] if it.kind == "number"), None)
        support = self._context.supports.get(number.start) if number is not None else None
        if support is None or support.column is None or support.origin != "result":
            return False
        return support.value > 0 > min(self._facts.values(support.column))

    def _fits(self, segment: Segment, place: int) -> bool:
        """Whether "expensive" or "popular" fits a column that may be meant."""
        text = segment.items[place].text
        asked = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self._facts.question, re.IGNORECASE)
        if asked or is_among(text.lower(), self._context.known):
            return True
        columns = self._context.find_measures(segment, place) or self._facts.measures
        if _SIZE.fullmatch(text.lower().split()[-1]):  # "the largest city" is not the one with the most sales
            beside = segment.items[max(0, place - 1) : place] + segment.items[place + 1 : place + 2]
            counts = any(it.projection.aggregate == "count" for it in columns) and bool(segment.numbers)
            told = {word for it in self._facts.columns if it.kind == "dimension" for word in it.words}
            if not counts and any(it.kind == "word" and is_among(it.text.lower(), told) for it in beside):
                return False
        known = [
            it.words for it in (self._context.supports.get(one.start) for one in segment.numbers) if it is not None
        ]
        if any(fits(text, [*words], counts=False) for words in known if words):
            return True  # a column of the records
        return not columns or any(
            fits(text, it.told or (it.name,), counts=it.projection.aggregate == "count") for it in columns
        )

    def _is_compound(self, word: str) -> bool:
        """German: `Kundenanzahl` from `Kunden` and `Anzahl`."""
        if self._facts.language != "de" or len(word) < 8:
            return False
        listed = vocabulary("de")
        for cut in range(4, len(word) - 2):
            head, tail = word[:cut], word[cut:].removeprefix("s")
            known = [
                is_among(part, self._context.known) or self._is_plain(listed.find_phrase([part], 0))
                for part in (head, tail)
            ]
            if all(known):
                return True
        return False

    @staticmethod
    def _is_plain(found: object) -> bool:
        return getattr(found, "cls", None) in (Class.FILLER, Class.SUM, Class.TIME)
