"""Shares and multiples in words: "half of", "ein Drittel", "le double"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_SHARES: Mapping[str, str] = {  # "a quarter" alone is a time
    "en": "1/2 half one_half; 1/3 a_third_of one_third; 2/3 two_thirds; 1/4 a_quarter_of one_quarter;"
    "3/4 three_quarters; 1/5 one_fifth a_fifth_of; 2/5 two_fifths; 3/5 three_fifths; 4/5 four_fifths;"
    "1/6 one_sixth a_sixth_of; 1/8 one_eighth an_eighth_of; 1/10 one_tenth a_tenth_of",
    "de": "1/2 hälfte; 1/3 ein_drittel; 2/3 zwei_drittel; 1/4 ein_viertel; 3/4 drei_viertel dreiviertel;"
    "1/5 ein_fünftel; 2/5 zwei_fünftel; 1/10 ein_zehntel",
    "fr": "1/2 moitié; 1/3 un_tiers le_tiers; 2/3 deux_tiers; 1/4 un_quart le_quart; 3/4 trois_quarts;"
    "1/5 un_cinquième; 1/10 un_dixième",
    "es": "1/2 mitad; 1/3 un_tercio la_tercera_parte; 2/3 dos_tercios; 1/4 un_cuarto la_cuarta_parte;"
    "3/4 tres_cuartos tres_cuartas_partes; 1/5 un_quinto la_quinta_parte; 1/10 la_décima_parte un_décimo",
    "it": "1/2 metà; 1/3 un_terzo; 2/3 due_terzi; 1/4 un_quarto; 3/4 tre_quarti; 1/5 un_quinto; 1/10 un_decimo",
}
_MULTIPLES: Mapping[str, str] = {
    "en": "2 twice double; 3 triple thrice; 5/2 two_and_a_half_times; 1/2 half_as_many half_as_much;"
    "1/3 a_third_as_many a_third_as_much one_third_as_many; 1/4 a_quarter_as_many a_quarter_as_much",
    "de": "2 doppelt zweimal; 3 dreifach dreimal; 4 vierfach viermal;"
    "5 fünffach fünfmal; 6 sechsfach sechsmal; 8 achtfach achtmal; 10 zehnfach zehnmal; 5/2 zweieinhalbmal; 1/2 halb",
    "fr": "2 double; 3 triple; 4 quadruple; 5/2 deux_fois_et_demie",
    "es": "2 doble; 3 triple; 5/2 dos_veces_y_media",
    "it": "2 doppio; 3 triplo; 5/2 due_volte_e_mezzo",
}


_GROWN: Mapping[str, str] = {  # the ratio of a later value to an earlier one
    "en": "2 doubled doubling; 3 tripled tripling; 4 quadrupled; 1/2 halved",
    "de": "2 verdoppelt verdoppelte verdoppelten; 3 verdreifacht verdreifachte; 1/2 halbiert halbierte",
    "fr": "2 doublé doublée; 3 triplé; 4 quadruplé",
    "es": "2 duplicado duplicó duplicaron; 3 triplicado triplicó",
    "it": "2 raddoppiato raddoppiata raddoppiati; 3 triplicato triplicata",
}


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
    for listed, share, grows in ((_SHARES, True, False), (_MULTIPLES, False, False), (_GROWN, False, True)):
        for line in filter(None, listed.get(language, "").split(";")):
            value, *phrases = line.split()
            for phrase in (tuple(it.split("_")) for it in phrases):
                found.append((phrase, Ratio(Fraction(value), len(phrase), share, grows)))
    return tuple(found)
