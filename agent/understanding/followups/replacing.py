"""Follow-ups that only name another stored value, year or month: "and momart express?", "and 2023?".

Small models add it to the question before: "in 2023 and in 2024". If the question has exactly one of its kind, that is
replaced, without a model. Values are of one kind if one column stores them. A year stands behind a word for time or at
an end of the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from agent.understanding.followups.leaning import content_words
from agent.understanding.followups.words import words_of
from rag.linking.month_names import MONTHS, NAMES
from rag.linking.values import LinkedValue

_JOINS = r"(?:and|what about|how about|und|was ist mit|et|y|e)"
_SMALL = (
    r"(?:in|for|of|from|with|at|by|during|the|im|für|von|aus|mit|bei|en|pour|de|du|la|le|les|para|por|el|los|las|nel|per"
    r"|di|il|lo|i|gli)"
)
_MESSAGE = re.compile(rf"\W*{_JOINS} (?:{_SMALL} ){{0,3}}(?P<named>[^\W_][^?!.]{{0,60}}?)[\s?!.]*", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\w/.-])(?:19|20)\d\d(?:/\d\d)?(?![\w/]|[.-]\d)")
_OF_TIME = words_of(
    "in of since during for year season from until im jahr seit von bis en de depuis année desde año nel del dal anno"
)
_UNSURE = words_of("may mars march")  # also a verb, a planet, a walk
_MONTH_NAMES = {*(it.lower() for it in NAMES["en"].split()), *MONTHS}
_MONTH = re.compile(rf"\b(?:{'|'.join(sorted(_MONTH_NAMES, key=len, reverse=True))})\b", re.IGNORECASE)
_JOINED = re.compile(rf"\W*{_JOINS}\b", re.IGNORECASE)
_SAYS_NOTHING = words_of("because due owing one ones wegen aufgrund")
_LONGEST = 80  # characters of a message
_LAST_WORD = re.compile(r"(\w+) $")
_WINDOW = 40  # characters before a place that are looked at


FindValues = Callable[[str], Sequence[LinkedValue]]


def find_no_values(_text: str) -> Sequence[LinkedValue]:
    return ()


def put_in_place(message: str, question: str, find_values: FindValues = find_no_values) -> str | None:
    """The question before with the value, year or month of the message instead of its own. None if it has none, or
    several, or if the message says more. Args: find_values: the stored values that a text surely means."""
    message = " ".join(message.split())
    return _put_value(message, question, find_values) or _put_word(message, question)


def _put_value(message: str, question: str, find_values: FindValues) -> str | None:
    """The question before with the only stored value of the message, in place of the only one of its column."""
    if len(message) > _LONGEST or _JOINED.match(message) is None:
        return None
    new = find_values(message)
    mentions = {it.mention.casefold() for it in new}
    rest = content_words(re.sub(re.escape(new[0].mention), " ", message, flags=re.IGNORECASE)) if new else ["?"]
    if len(mentions) != 1 or any(word not in _SAYS_NOTHING for word in rest):
        return None
    columns = {(it.table, it.column) for it in new}
    old = [it for it in find_values(question) if (it.table, it.column) in columns]
    replaced = {it.mention.casefold() for it in old}
    if len(replaced) != 1 or replaced & mentions or {it.value for it in old} & {it.value for it in new}:
        return None
    place = re.compile(rf"(?<!\w){re.escape(old[0].mention)}(?!\w)", re.IGNORECASE)
    return place.sub(lambda _: new[0].mention, question) if len(place.findall(question)) == 1 else None


def _put_word(message: str, question: str) -> str | None:
    """The question before with the year or the month of the message, in place of the only one that it has."""
    found = _MESSAGE.fullmatch(message)
    named = found["named"] if found is not None else ""
    kind = next((it for it in (_YEAR, _MONTH) if it.fullmatch(named)), None)
    places = list(kind.finditer(question)) if kind is not None else []
    if len({it[0].casefold() for it in places}) != 1 or places[0][0].casefold() == named.casefold():
        return None
    place = places[0][0]
    if not _UNSURE.isdisjoint((named.lower(), place.lower())) or ("/" in named) is not ("/" in place):
        return None  # a year is no season
    if kind is _YEAR and not _are_times(question, places):
        return None  # "over 2000 euros"
    return re.sub(rf"(?<!\w){re.escape(place)}(?!\w)", lambda _: named, question)


def _are_times(question: str, places: list[re.Match[str]]) -> bool:
    """Whether years stand behind a word for time, a month, or at an end of the question."""
    at_end = [not question[: it.start()].strip() or not question[it.end() :].strip(" ?!.") for it in places]
    befores = [_word_before(question, it.start()) for it in places]
    ends = zip(at_end, befores, strict=True)
    return all(is_end or before in _OF_TIME or _MONTH.fullmatch(before) is not None for is_end, before in ends)


def _word_before(question: str, start: int) -> str:
    found = _LAST_WORD.search(question[max(0, start - _WINDOW) : start])
    return found[1].lower() if found is not None else ""
