"""The names of months in German, French, Spanish and Italian, with accents and without."""

from __future__ import annotations

import unicodedata

_NAMES = (
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
)


def _bare(name: str) -> str:
    return "".join(it for it in unicodedata.normalize("NFD", name) if not unicodedata.combining(it))


# Each spelling, with its number from 1.
MONTHS = {
    spelling: number
    for names in _NAMES
    for number, name in enumerate(names.split(), 1)
    for spelling in (name, _bare(name))
} | {"jänner": 1, "maerz": 3, "setiembre": 9}
