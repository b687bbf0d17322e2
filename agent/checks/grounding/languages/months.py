"""A month of a year in words, as a composed answer writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping

MONTH = re.compile(r"([12]\d{3})-(0[1-9]|1[0-2])")
FIRST_OF_MONTH = re.compile(r"([12]\d{3})-(0[1-9]|1[0-2])-01(?:[T ]00:00(?::00(?:\.0+)?)?)?")

_NAMES: Mapping[str, str] = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
}
_PHRASES: Mapping[str, str] = {"es": "{month} de {year}", "ko": "{year}년 {number}월"}


def month_in_words(year: int, number: int, language: str) -> str:
    """`March 2024`, `marzo de 2024`, `2024년 3월`. Args: number: from 1; language: of which the words are known."""
    names = _NAMES.get(language, _NAMES["en"]).split()
    return _PHRASES.get(language, "{month} {year}").format(year=year, number=number, month=names[number - 1])
