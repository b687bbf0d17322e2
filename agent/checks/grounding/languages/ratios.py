"""Shares and multiples in words: "half of", "ein Drittel", "le double"."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from agent.checks.grounding.languages.plain_words import read_vocabulary
from agent.checks.grounding.languages.vocabulary import LANGUAGES

_SECTIONS = (("shares", True, False), ("multiples", False, False), ("grown", False, True))


class Ratio(NamedTuple):
    """A share or multiple. length: in words. share: of a whole, else of another value. grows: of an earlier one."""

    value: Fraction
    length: int
    share: bool
    grows: bool = False


def read_ratio(words: Sequence[str], place: int, language: str) -> Ratio | None:
    """The longest ratio that begins at a position in a list of lower-case words."""
    found = (ratio for phrase, ratio in _list_ratios(language) if tuple(words[place : place + len(phrase)]) == phrase)
    return max(found, key=lambda it: it.length, default=None)


@lru_cache(maxsize=8)
def _list_ratios(language: str) -> tuple[tuple[tuple[str, ...], Ratio], ...]:
    found = []
    lists = read_vocabulary(language) if language in LANGUAGES else {}
    for section, share, grows in _SECTIONS:
        for line in lists.get(section, ()):
            value, *phrases = line.split()
            for phrase in (tuple(it.split("_")) for it in phrases):
                found.append((phrase, Ratio(Fraction(value), len(phrase), share, grows)))
    return tuple(found)
