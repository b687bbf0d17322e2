"""What an English question asks for: the things after `how many`, `per` and such, and its words that may name one."""

from __future__ import annotations

import itertools
import re

from rag.words import is_silent, stem_of, tokens, words

# ruff: noqa: E501
_PHRASE = 3  # words of what is asked for
_CUES = (
    r"\bhow many\s+",
    r"\b(?:the\s+)?(?:total\s+)?number of\s+(?:all\s+)?",
    r"\b(?:average|mean|median|total|highest|lowest|maximum|minimum|avg|sum of(?: all)?)\s+(?:the\s+)?",
    r"(?:^|[.;:?!]\s+|\b(?:please|you)\s+)(?:list|show(?:\s+me)?|give\s+me|display|name|find|count)\s+"
    r"(?:(?:all|the|our|every)\s+)*",
    r"\bwhich\s+",
    r"\bwho\s+(?:is|are|was|were)\s+(?:our|the)\s+",
    r"\bwhat\s+(?:is|are|was|were)\s+(?:all\s+)?(?:our|the)\s+",
    r"\b(?:by|per|for each|of each|by each|each|every)\s+(?:the\s+)?",
    r"\b(?:and|with|together with)\s+(?:their|its|his|her)\s+",
    r"\bthe\s+(?=\w+(?:\s+\w+)?\s+of\b)",
    r"\bof\s+(?:all|our)\s+(?:different\s+)?",
)
_CUE = re.compile("|".join(_CUES), re.IGNORECASE)
_STOPS = words(
    "above across against along around away back behind below beyond despite down except inside near off onto out over"
    " past through throughout toward up upon via versus will would should could must may might shall ever never still"
    " already yet there here today yesterday not now currently made make makes sold get gets got exist exists come comes"
    " came go goes went gone"
)
# What can be computed of anything, or says nothing of what it is: neither known nor missing.
GENERIC = words(
    "average mean median total number sum count amount value size length duration time delay age growth rate ratio"
    " share percentage percent change difference distribution trend result results data record records row rows entry"
    " entries"
    " item items thing things kind kinds type types one ones list name names year years month months week weeks day"
    " days hour hours weekday weekdays"
    " quarter quarters date dates times period people person details information info overview summary"
    " statistics stat figures top best worst most least highest lowest largest smallest biggest first last next new old"
    " full whole entire alphabetical alphabetically sorted ordered"
    " different distinct unique single other same profit margin gap combination pair group range level cumulative"
    " ascending descending increasing decreasing minimum maximum min max avg greatest fewest corresponding cheapest respective following category code order"
    " kinds total totals way title place two three four five six seven eight nine ten twenty hundred"
    " information table tables column columns database field fields question answer way ways case cases part parts"
)
_NUMBER_NOUNS = words("dozen pair couple half third quarter hundred thousand million billion")
# In these amounts are told; the words before them say how ("full hours", "complete weeks"), and name nothing.
_UNITS = words(
    "second minute hour day week month year gram kilo kilogram ton tonne pound ounce litre liter gallon metre meter"
    " kilometre kilometer mile hectare acre percent cent euro dollar"
)
_COUNTS = ("how many", "number of")
_SHARES = frozenset({"by", "per", "each", "every"})
# After these comes what somebody does or how something is, and no thing: "who failed", "have been lent".
_AUXILIARIES = """
    who that which what have has had having be been being is are was were do does did to not never we they i you it he
    she ever always usually often still
"""
_BEFORE_VERBS = frozenset(_AUXILIARIES.split())
_COORDINATORS = ("or ", "and ", ", ")


def find_wanted_phrases(question: str) -> list[str]:
    """The things that a question asks for, each as its last few words: after `how many`, `average`, `per` and such."""
    found: list[str] = []
    for match in _CUE.finditer(question):
        mention: list[str] = []
        rest = question[match.end() :]
        end = 0
        for word in tokens(rest):
            between = rest[end : word.start]
            if is_silent(word) or stem_of(word) in _STOPS or (mention and between.strip()) or len(mention) == _PHRASE:
                break
            if not word.text.isalpha() or word.text[:1].isupper():
                mention = []  # a number, a name, or an abbreviation, which may stand for anything
                break
            mention.append(word.text)
            end = word.end
            if word.folded != word.singular:
                break  # the plural is what is counted; after it comes what is said of it
        cue = match[0].casefold().strip()
        if cue.startswith("which"):
            mention = mention[:1]  # the plain form may stand before what it does: "which supplier delivers"
        if mention and _is_measure(cue, words(mention[-1])):
            continue
        if cue == "of all" and end < len(rest) and rest[end:].lstrip().startswith(_COORDINATORS):
            continue  # an adjective, whose noun comes later: "of all complete or shipped orders"
        if any(not words(it) <= GENERIC for it in mention):
            found.append(" ".join(mention))
    return list(dict.fromkeys(found))


def _is_measure(cue: str, head: frozenset[str]) -> bool:
    """Whether the last word of a phrase is what is counted in: "how many full dozens", "per calendar week"."""
    counted = any(it in cue for it in _COUNTS) and head <= _NUMBER_NOUNS | _UNITS
    return counted or (bool(_SHARES & set(cue.split())) and head <= _UNITS)


def content_words(question: str) -> list[str]:
    """The words of a question that may name something; not names of their own, and not what says nothing."""
    return [
        it.text
        for it in tokens(question)
        if it.text.isalpha()
        and not is_silent(it)
        and stem_of(it) not in _STOPS | GENERIC
        and (it.leads or it.text.islower())
    ]


def find_presumed_words(question: str) -> list[str]:
    """What a question may be about though it asks for it in no such words: "Revenue by month" can be another name's."""
    parts = tokens(question)
    acting = {it.text for before, it in itertools.pairwise(parts) if before.folded in _BEFORE_VERBS}
    return [it for it in content_words(question)[:1] if it not in acting]
