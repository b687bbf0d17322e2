"""Words of questions and of names, made comparable: `orderItems`, `order_items` and "order items" share theirs."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_SILENT_WORDS = """
    a all also an and any are as at be been between both but by can did do does each every find for from get give had
    has have how id ids if in into is it its less list many me more most much no not number of on one only or our per
    please show tell than that the their them there these they this to under us use was we were what when where which
    who whose why with you your
"""
_SILENT = frozenset(_SILENT_WORDS.split())


def words(text: str) -> frozenset[str]:
    """The stems of all words, in small letters; parts of snake_case and camelCase names are words of their own."""
    return frozenset(_stem(word.lower()) for word in _WORD.findall(text))


def telling_words(question: str) -> frozenset[str]:
    """The stems of a question's words, without those that say nothing of what is asked for."""
    found = (word.lower() for word in _WORD.findall(question))
    return frozenset(_stem(word) for word in found if word not in _SILENT and len(word) > 1)


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """The part that singular and plural share: category and categories, box and boxes, order and orders."""
    if len(word) <= 3 or not word.isascii():
        return word
    for ending in ("ies", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    if re.search(r"(?:x|ch|sh|ss|z)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
