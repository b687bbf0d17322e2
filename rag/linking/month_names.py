"""The names of months, in full. Executors import nothing of this package: files have a table with abbreviations."""

from __future__ import annotations

import unicodedata

NAMES = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
}


def _bare(name: str) -> str:
    return "".join(it for it in unicodedata.normalize("NFD", name) if not unicodedata.combining(it))


# Each spelling in the languages other than English, with accents and without, with its number from 1.
MONTHS = {
    spelling: number
    for language, names in NAMES.items()
    if language != "en"
    for number, name in enumerate(names.lower().split(), 1)
    for spelling in (name, _bare(name))
} | {"jänner": 1, "maerz": 3, "setiembre": 9}
