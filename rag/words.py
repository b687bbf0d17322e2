"""Normalises words of questions and names: `orderItems`, `order_items` and "order items" have the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_SILENT_WORDS = """
    a after all also among an and any are as at be before been between both but by calculate can compute describe
    determine did display do does during each every find for from get give had has have how id ids identify if in
    into is it its less list many me more most much no not number of on one only or our per please provide return
    s show since t tell than that the their them there these they this to under until us use was we were what when
    where which while who whose why with within without you your
"""
_SILENT = frozenset(_SILENT_WORDS.split())
_ENDS_IN_ES = re.compile(r"(?:x|ch|sh|ss|z|\w\w\wo)es$")  # boxes, heroes, but shoes
_DENIED = re.compile(
    r"\b(?:no(?!\.?\s*\d|\s+of\b|\s+(?:more|less|fewer)\s+than\b)|not|none|never|nobody|neither|nor|without|lack\w*|missing|except"
    r"|nicht|kein\w*|nie|ohne|pas|jamais|aucune?|sans|sin|nunca|nadie|ning[uú]n\w*)\b|n['’]t\b|없|않",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"[^\w\s'’.&/-]|[.](?:\s|$)")  # what ends a phrase, except signs inside names


class Token(NamedTuple):
    """A word at its position in a text: as written, case-folded, and without its plural ending.

    leads: whether it begins a sentence, so that its capital is not significant.
    """

    text: str
    folded: str
    singular: str
    start: int
    end: int
    leads: bool


def words(text: str) -> frozenset[str]:
    """The stems of all words, in lower case. Parts of snake_case and camelCase names count as words."""
    return frozenset(_stem(word.lower()) for word in _WORD.findall(text))


def split_name(name: str) -> str:
    """A name as words: `orderItems_2` is "order items 2"."""
    return " ".join(word.lower() for word in _WORD.findall(name)) or name


def telling_words(question: str) -> frozenset[str]:
    """The stems of a question's words, except those without content."""
    found = (word.lower() for word in _WORD.findall(question))
    return frozenset(_stem(word) for word in found if word not in _SILENT and len(word) > 1)


def tokens(text: str) -> list[Token]:
    """The words of a text or value in order, without separators. Words are not split further."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        folded = match[0].casefold()
        before = text[found[-1].end if found else 0 : match.start()].strip()
        leads = not found or before.endswith((".", "?", "!", ":"))
        found.append(Token(match[0], folded, _singular(folded), match.start(), match.end(), leads))
    return found


def join_folded(parts: Sequence[Token]) -> str:
    """A key that is equal for texts that differ only in case, punctuation and white space."""
    return " ".join(part.folded for part in parts)


def stem_of(word: Token) -> str:
    """The stem of a word, as `words` returns it."""
    return _stem(word.folded)


def is_silent(word: Token) -> bool:
    """Whether a word carries no content."""
    return word.folded in _SILENT


def denies(question: str) -> bool:
    """Whether a question denies something: "without", "have not"."""
    return _DENIED.search(question) is not None


def phrases(question: str) -> list[str]:
    """The phrases of a question, in order: runs of words between those without content."""
    found: list[str] = []
    start = end = -1
    for word in tokens(question):
        parted = end >= 0 and (is_silent(word) or _BREAK.search(question, end, word.start))
        if parted:
            found.append(question[start:end])
            start = end = -1
        if not is_silent(word):
            start, end = (word.start if start < 0 else start), word.end
    if end >= 0:
        found.append(question[start:end])
    return list(dict.fromkeys(found))


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """The stem shared by singular and plural: of category and categories, movie and movies, box and boxes."""
    for ending in ("ies", "ie", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and len(word) > 3 and word.isascii():
            return word[: -len(ending)]
    return _singular(word)


@lru_cache(maxsize=8192)
def _singular(word: str) -> str:
    """The word without the ending of a regular plural: cities, boxes, orders."""
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if _ENDS_IN_ES.search(word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
