"""The closed vocabulary of sentences about rows, by language, and the claim of each word.

The lists are in the folder vocabulary, one file per language. A word in none must come from the question, the columns,
their docs or the rows. Otherwise its claim is unchecked.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from agent.checks.grounding.languages.plain_words import list_words, plain_words
from agent.core.texts.data_files import read_words

MAX_PHRASE = 5  # words
_WORD = re.compile(r"[^\W\d_]+")
_ASKS = re.compile(r"\b(?:combien|\w*quel\w*|qui|que|quand|où|comment|pourquoi)\b", re.IGNORECASE)
_INVERTED = re.compile(r"\w-(?:t-)?(?:il|elle|ils|elles|on)\b|^est-ce\b", re.IGNORECASE)


class Class(StrEnum):
    """The function of a vocabulary word in a sentence. All except `FILLER` make a claim."""

    FILLER = "filler"
    JOIN = "join"  # begins a new item: "and", "while"
    SUM = "sum"
    MEAN = "mean"
    MOST = "most"
    LEAST = "least"
    LATEST = "latest"
    EARLIEST = "earliest"
    MORE = "more"
    LESS = "less"
    OVER = "over"  # a bound: the number is a little less than the actual value
    UNDER = "under"
    ABOUT = "about"
    RISE = "rise"
    FALL = "fall"
    NEGATIVE = "negative"  # a loss: below zero
    STEADY = "steady"  # with each step of a series: "month after month"
    LAST_PLACE = "last place"
    STABLE = "stable"  # as much as the time before
    POINTS = "points"  # the difference of two percentages
    EXACT = "exact"
    SOME = "some"  # a quantity without a number
    ASKED = "asked"  # allowed only if the question contains it
    EQUAL = "equal"  # "as many as"
    DIFFERENCE = "difference"
    TIMES = "times"
    SHARE = "share"
    PER = "per"
    EACH = "each"
    NOT = "not"
    ALL = "all"
    NO_OTHER = "no other"  # "no other has more than"
    ALL_BUT = "all but"  # "all but one"
    RANGE = "range"  # from the least to the most
    MULTIPLIED = "multiplied"  # "doubled": a later value of an earlier one
    ONLY = "only"
    RANK = "rank"
    YES = "yes"
    NO_VALUE = "no value"
    ROWS = "rows"
    TIME = "time"  # year, month: beside a date
    AFTER = "after"
    BEFORE = "before"
    EXISTS = "exists"


class Phrase(NamedTuple):
    """Words that form a unit. rank: of an ordinal, from 1."""

    cls: Class
    length: int
    rank: int = 0


class Vocabulary:
    """The closed vocabulary of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._whole: dict[tuple[str, ...], Phrase] = {}
        self._begins: dict[str, Phrase] = {}
        self.common = frozenset(list_words(language, "common"))
        self.polar = frozenset(list_words(language, "polar"))
        self.how_many = tuple(tuple(it.split("_")) for it in list_words(language, "how many"))
        for phrase in self.how_many:
            self._whole[phrase] = Phrase(Class.FILLER, len(phrase))
        for cls in Class:
            listed = plain_words(language) if cls is Class.FILLER else list_words(language, cls.value)
            for place, word in enumerate(listed):
                rank = place + 1 if cls is Class.RANK else 0
                for spelled in word.split("|"):
                    self._add(spelled, cls, rank)

    def _add(self, spelled: str, cls: Class, rank: int) -> None:
        words = tuple(spelled.split("_"))
        if spelled.endswith("*"):
            self._begins.setdefault(spelled[:-1], Phrase(cls, 1, rank))
        else:
            self._whole.setdefault(words, Phrase(cls, len(words), rank))

    def is_polar(self, question: str) -> bool:
        """Whether a question expects yes or no, judging by its first word, or in French by its verb, "a-t-il"."""
        first = _WORD.findall(question.lower())[:1]
        if self.language == "fr" and not _ASKS.search(question) and _INVERTED.search(question):
            return True
        return bool(first) and first[0] in self.polar

    def find_phrase(self, words: list[str], place: int) -> Phrase | None:
        """The longest phrase that begins at a position in a list of lower-case words."""
        for length in range(min(MAX_PHRASE, len(words) - place), 0, -1):
            if found := self._whole.get(tuple(words[place : place + length])):
                return found
        word = words[place]
        for length in range(len(word), 3, -1):
            if found := self._begins.get(word[:length]):
                return found
        return None


LANGUAGES = tuple(read_words(__file__, "languages.txt")["supported"])


@lru_cache(maxsize=len(LANGUAGES))
def vocabulary(language: str) -> Vocabulary:
    """The vocabulary of one of `LANGUAGES`."""
    return Vocabulary(language)


def find_classes(text: str, language: str | None) -> frozenset[Class]:
    """The claims of a text's words. Empty for an unsupported language."""
    if language not in LANGUAGES:
        return frozenset()
    words, listed = _WORD.findall(text.lower()), vocabulary(language)
    return frozenset(it.cls for at in range(len(words)) if (it := listed.find_phrase(words, at)) is not None)
