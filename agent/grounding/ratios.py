"""Shares and multiples that are written in words: "half of", "ein Drittel", "le double"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_SHARES: Mapping[str, str] = {  # "a quarter" alone is a time
    "en": "1/2 half one_half; 1/3 a_third_of one_third_of; 2/3 two_thirds_of; 1/4 a_quarter_of one_quarter_of;"
    "3/4 three_quarters_of",
    "de": "1/2 hälfte; 1/3 ein_drittel; 2/3 zwei_drittel; 1/4 ein_viertel; 3/4 drei_viertel",
    "fr": "1/2 moitié; 1/3 un_tiers le_tiers; 2/3 deux_tiers; 1/4 un_quart le_quart; 3/4 trois_quarts",
    "es": "1/2 mitad; 1/3 un_tercio la_tercera_parte; 2/3 dos_tercios; 1/4 un_cuarto la_cuarta_parte;"
    "3/4 tres_cuartos tres_cuartas_partes",
    "it": "1/2 metà; 1/3 un_terzo; 2/3 due_terzi; 1/4 un_quarto; 3/4 tre_quarti",
}
_MULTIPLES: Mapping[str, str] = {
    "en": "2 twice double; 3 triple thrice; 1/2 half_as_many half_as_much",
    "de": "2 doppelt zweimal; 3 dreifach dreimal; 4 vierfach viermal; 1/2 halb",
    "fr": "2 double; 3 triple; 4 quadruple",
    "es": "2 doble; 3 triple",
    "it": "2 doppio; 3 triplo",
}


class Ratio(NamedTuple):
    """A part or a multiple. length: in words. share: of a whole; else of another value."""

    value: Fraction
    length: int
    share: bool


def ratio_in_words(words: Sequence[str], place: int, language: str) -> Ratio | None:
    """The longest ratio that begins at a place of a list of words, in small letters."""
    found = (ratio for phrase, ratio in _listed(language) if tuple(words[place : place + len(phrase)]) == phrase)
    return max(found, key=lambda it: it.length, default=None)


@lru_cache(maxsize=8)
def _listed(language: str) -> tuple[tuple[tuple[str, ...], Ratio], ...]:
    found = []
    for listed, share in ((_SHARES, True), (_MULTIPLES, False)):
        for line in filter(None, listed.get(language, "").split(";")):
            value, *phrases = line.split()
            for phrase in (tuple(it.split("_")) for it in phrases):
                found.append((phrase, Ratio(Fraction(value), len(phrase), share)))
    return tuple(found)
