"""Follow-ups that only name another year, month or name: "and 2023?", "and the River Wolves?".

Small models add it to the question before: "in 2023 and in 2024". If the question has exactly one of its kind, that is
replaced, without a model. A name is of its kind behind the same small word: "the", "in". German capitalizes all nouns,
so there only times are replaced.
"""

from __future__ import annotations

import re

from agent.understanding.followups.words import LANGUAGES, words_of
from rag.linking.month_names import MONTHS, NAMES

_JOINS = r"(?:and|what about|how about|und|was ist mit|et|y|e)"
_SMALL = (
    r"(?:in|for|of|from|with|at|by|during|the|im|für|von|aus|mit|bei|en|pour|de|du|la|le|les|para|por|el|los|las|nel|per"
    r"|di|il|lo|i|gli)"
)
_MESSAGE = re.compile(rf"\W*{_JOINS}\s+(?P<small>(?:{_SMALL}\s+)*)(?P<named>[^\W_].*?)[\s?!.]*", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\w/.-])(?:19|20)\d\d(?:/\d\d)?(?![\w/]|[.-]\d)")
_MONTH_NAMES = {*(it.lower() for it in NAMES["en"].split()), *MONTHS} - words_of("may mars march")
_MONTH = re.compile(rf"\b(?:{'|'.join(sorted(_MONTH_NAMES, key=len, reverse=True))})\b", re.IGNORECASE)
_CAPITAL = r"[^\W\d_a-zß-ÿ]"
_NAME = re.compile(rf"{_CAPITAL}[\w&'’-]*(?: {_CAPITAL}[\w&'’-]*| \d+)*")
_BEGINS = re.compile(r"(?:^|[.?!:;])\W*$")
_LAST_WORD = re.compile(r"(\w+) $")


def put_in_place(message: str, question: str) -> str | None:
    """The question before with the year, month or name of the message instead of its own. None if it has none, or
    several, or if the message says more."""
    found = _MESSAGE.fullmatch(message)
    named = found["named"] if found is not None else ""
    kind = next((it for it in (_YEAR, _MONTH, _NAME) if it.fullmatch(named)), None)
    if found is None or kind is None or (kind is _NAME and _is_german(question)):
        return None
    places = list(kind.finditer(question))
    if kind is _NAME:  # the first word of a sentence is a capital, too
        places = [it for it in places if not _MONTH.fullmatch(it[0]) and not _BEGINS.search(question, 0, it.start())]
    if len({it[0].casefold() for it in places}) != 1 or places[0][0].casefold() == named.casefold():
        return None
    if ("/" in named) is not ("/" in places[0][0]):
        return None  # a year is no season
    before = _LAST_WORD.search(question[: places[0].start()])
    if kind is _NAME and (before is None or before[1].lower() != (found["small"].lower().split() or [""])[-1]):
        return None
    return re.sub(rf"(?<!\w){re.escape(places[0][0])}(?!\w)", lambda _: named, question)


def _is_german(text: str) -> bool:
    words = re.findall(r"\w+", text.casefold())
    return max(LANGUAGES.values(), key=lambda it: it.hits(words)).code == "de"
