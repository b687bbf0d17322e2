"""What an English question asks for: the things after `how many`, `per` and so on, and words that may name one."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from rag.words import Token, is_silent, stem_of, tokens, words

# ruff: noqa: E501
_PHRASE = 3  # most words of a requested thing
# Limits above any real question. Each cue's rest is read again for a list, so a text of cues alone would take long.
_PHRASE_CHARS, _MOST_CUES, _MOST_LISTED = 120, 40, 12
_CUES = (
    r"\bhow many\s+",
    r"\b(?:the\s+)?(?:total\s+)?number of\s+(?:all\s+)?",
    r"\b(?:average|mean|median|total|highest|lowest|maximum|minimum|avg|sum of(?: all)?)\s+(?:the\s+)?",
    r"\bhow much\s+",
    r"(?:^|[.;:?!]\s+|\b(?:please|you)\s+)(?:list|show(?:\s+me)?|give(?:\s+me)?|return|select|display|name|find|count)\s+"
    r"(?:(?:all|the|our|every)\s+)*",
    r"\bwhich\s+",
    r"\bwhat\s+(?=\w+\s+(?:is|are|was|were|do|does|did|has|have|had)\b)",
    r"(?<!\bat )\b(?:the\s+)?(?:most|fewest|least)\s+",
    r"\bwho\s+(?:is|are|was|were)\s+(?:our|the)\s+",
    r"\bwhat\s+(?:is|are|was|were)\s+(?:all\s+)?(?:our|the)\s+",
    r"\b(?:by|per|for each|of each|by each|each|every)\s+(?:the\s+)?",
    r"\b(?:and|with|together with)\s+(?:their|its|his|her)\s+",
    r"\bthe\s+(?=\w+(?:\s+\w+)?\s+of\b)",
    r"\bof\s+(?:all|our)\s+(?:different\s+)?",
    r"\bwhose\s+",
    r"\border\s+of\s+(?:(?:the|their|its)\s+)?",
    r"\b(?:an?|any)\s+",
)
_CUE = re.compile("|".join(_CUES), re.IGNORECASE)
_STOPS = words(
    "above across against along around away back behind below beyond despite down except inside near off onto out over"
    " past through throughout toward up upon via versus will would should could must may might shall ever never still"
    " already yet there here today yesterday not now currently made make makes sold get gets got exist exists come comes"
    " came go goes went gone contain contains start starts starting begin begins beginning end ends ending non"
)
# Computable for anything, or without content: neither known nor missing.
GENERIC = words(
    "average mean median total number sum count amount value size length duration time delay age growth rate ratio"
    " share percentage percent change difference distribution trend result results data record records row rows entry"
    " entries"
    " item items thing things kind kinds type types one ones list name names year years month months week weeks day"
    " days hour hours weekday weekdays"
    " quarter quarters date dates times period people person details information info overview summary"
    " statistics stat figures top best worst most least highest lowest largest smallest biggest first last next new old"
    " busiest quietest"
    " full whole entire alphabetical alphabetically sorted ordered"
    " different distinct unique single other same profit margin gap combination pair group range level cumulative"
    " ascending descending increasing decreasing minimum maximum min max avg greatest fewest corresponding cheapest respective following category code order"
    " kinds total totals way title place two three four five six seven eight nine ten twenty hundred"
    " information table tables column columns database field fields question answer way ways case cases part parts"
    " integer decimal float string boolean join left inclusive exclusive"
)
_NUMBER_NOUNS = words("dozen pair couple half third quarter hundred thousand million billion")
# Units of amounts. The words before them qualify them ("full hours", "complete weeks") and name nothing.
_UNITS = words(
    "second minute hour day week month year gram kilo kilogram ton tonne pound ounce litre liter gallon metre meter"
    " kilometre kilometer mile hectare acre percent cent euro dollar"
)
_COUNTS = ("how many", "number of")
_BEFORE_UNITS = frozenset({"by", "per", "each", "every", "a", "an", "any"})
# These precede an action or a state, not a thing: "who failed", "have been lent".
_AUXILIARIES = """
    who that which what have has had having be been being is are was were do does did to not never we they i you it he
    she ever always usually often still
"""
_BEFORE_VERBS = frozenset(_AUXILIARIES.split())
# An action, not a thing: "signing up", "joining the tables", "based on", "sorted by".
_ACTION = re.compile(
    r"\w+(?:ing\s+(?:up|off|out|an?|the)|\w[^\We]ed\s+(?:on|by|from|with|as|in|to|at|up))\b", re.IGNORECASE
)
# A substance by its formula: CO2, NO2, PM10. Quarters and half years are written alike.
_FORMULA = re.compile(r"(?!(?:q|h|w|fy)\d)[a-z]{1,3}\d{1,2}", re.IGNORECASE)
_COORDINATORS = ("or ", "and ", ", ")
_ONE_WORD = ("which", "what")
_SUPERLATIVES = ("most", "fewest", "least")
# Links between listed things, words that may follow the last one, and verbs that begin another request.
_LINK = re.compile(
    r"\s*(?:(?P<of>\bof)|,(?:\s*(?:and|or)\b)?|\band|\bor|\bas well as|\balong with|\btogether with)\s+"
    r"(?:(?:the|all|our|each|every|these|those|different|any|an?|their|its|his|her|of)\s+)*",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\s*(?:$|[,.?!;:)]|(?:of|for|in|from|on|by|with|that|which|who|whose|and|or|are|is|to|at|do|does|did|has|have)\b)",
    re.IGNORECASE,
)
_VERBS = "sort order rank group list show return give find count display sum print compare tell"
_BEGINS_ORDER, _ORDERS = frozenset(_VERBS.split()), words(_VERBS)


def find_wanted_phrases(question: str) -> list[str]:
    """The things that a question asks for, each as its last few words: after `how many`, `average`, `per` and so on.

    The things in a list count too, and so does the owner: "the name, grape and price of the wines".
    """
    found: list[str] = []
    for match in itertools.islice(_CUE.finditer(question), _MOST_CUES):
        cue, rest = match[0].casefold().strip(), question[match.end() :]
        if cue == "which" and _follows_a_noun(question[: match.start()]):
            continue  # "departments which contain"
        mention, end = _read_phrase(rest)
        if cue in _ONE_WORD:
            mention = mention[:1]  # a verb may follow: "which supplier delivers"
        if cue.endswith(_SUPERLATIVES) and _says_how(mention):
            continue
        if mention and _is_measure(cue, words(mention[-1])):
            continue
        if cue == "of all" and end < len(rest) and rest[end:].lstrip().startswith(_COORDINATORS):
            continue  # an adjective whose noun comes later: "of all complete or shipped orders"
        found.append(" ".join(mention))
        if mention and cue not in _ONE_WORD:
            found += _list_following(rest[end:])
    return [it for it in dict.fromkeys(found) if not words(it) <= GENERIC]


def _list_following(rest: str) -> list[str]:
    """The things listed after a requested one: ", grape and price", "of the wines"."""
    found: list[str] = []
    while len(found) < _MOST_LISTED and (link := _LINK.match(rest)) is not None:
        rest = rest[link.end() :]
        mention, end = _read_phrase(rest)
        ends = link["of"] or _ENDS.match(rest[end:])
        if not mention or not ends or words(mention[0]) & _ORDERS:
            break
        if not _is_plural(mention[-1]) and rest[end:].lstrip().startswith("or "):
            break  # an adjective whose noun comes later: "the amount of complete or shipped orders"
        found += [] if words(mention[-1]) <= GENERIC else [" ".join(mention)]
        rest = rest[end:]
    return found


def _read_phrase(rest: str) -> tuple[list[str], int]:
    """The words at the start of a text that name one thing, and their end position.

    There are none if they include a number, a name or an abbreviation, which may stand for anything. A formula alone
    stands for a substance.
    """
    mention: list[str] = []
    end = 0
    listed = tokens(rest[:_PHRASE_CHARS])
    if listed and _FORMULA.fullmatch(listed[0].text) and (len(listed) == 1 or _is_outside(listed[1])):
        return [listed[0].text], listed[0].end
    for word in listed:
        if _is_outside(word) or rest[end : word.start].strip(" -") or len(mention) == _PHRASE:
            break
        if not word.text.isalpha() or word.text[:1].isupper():
            return [], end
        if _ACTION.match(rest, word.start):
            break
        mention.append(word.text)
        end = word.end
        if _is_plural(word.text):
            break  # the plural noun is counted; what follows describes it
    return mention, end


def _is_outside(word: Token) -> bool:
    """Whether a word is in no phrase that names a thing."""
    return is_silent(word) or stem_of(word) in _STOPS


def _says_how(mention: Sequence[str]) -> bool:
    """Whether the words after a superlative are an attribute: "the most expensive", "the most expensive item"."""
    return not mention or (len(mention) == 1 and not _is_plural(mention[0])) or words(mention[-1]) <= GENERIC


def _follows_a_noun(before: str) -> bool:
    """Whether a text ends with a word that a relative clause may describe."""
    last = tokens(before[-_PHRASE_CHARS:])[-1:]
    return (
        bool(last)
        and last[0].end == len(before[-_PHRASE_CHARS:].rstrip())
        and not _is_outside(last[0])
        and (stem_of(last[0]) not in _ORDERS)
    )


def _is_plural(word: str) -> bool:
    return any(it.folded != it.singular for it in tokens(word))


def _is_measure(cue: str, head: frozenset[str]) -> bool:
    """Whether a phrase ends with a unit: "how many full dozens", "per calendar week", "a million"."""
    counted = any(it in cue for it in _COUNTS) and head <= _NUMBER_NOUNS | _UNITS
    return counted or (bool(_BEFORE_UNITS & set(cue.split())) and head <= _UNITS | _NUMBER_NOUNS)


def content_words(question: str) -> list[str]:
    """The words of a question that may name something, except proper names and generic words."""
    return [
        it.text
        for it in tokens(question)
        if it.text.isalpha()
        and not is_silent(it)
        and stem_of(it) not in _STOPS | GENERIC
        and (it.leads or it.text.islower())
    ]


def find_presumed_words(question: str) -> list[str]:
    """The word that a question without a cue may be about: "Revenue" in "Revenue by month"."""
    parts = tokens(question)
    acting = {it.text for before, it in itertools.pairwise(parts) if before.folded in _BEFORE_VERBS}
    named = content_words(question)
    if named and named[0].casefold() in _BEGINS_ORDER:
        del named[0]
    return [it for it in named[:1] if it not in acting]
