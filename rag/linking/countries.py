"""Country codes and names in five languages: a table contains DE, and a question or a sentence Germany.

A name with the same spelling in two languages is listed once. Codes are ISO 3166-1, with two and three letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

_NAMES = """
AE ARE United Arab Emirates|Vereinigte Arabische Emirate|Émirats arabes unis|Emiratos Árabes Unidos|Emirati Arabi Uniti
AR ARG Argentina|Argentinien|Argentine
AT AUT Austria|Österreich|Autriche
AU AUS Australia|Australien|Australie
BE BEL Belgium|Belgien|Belgique|Bélgica|Belgio
BG BGR Bulgaria|Bulgarien|Bulgarie
BR BRA Brazil|Brasilien|Brésil|Brasil|Brasile
CA CAN Canada|Kanada|Canadá
CH CHE Switzerland|Schweiz|Suisse|Suiza|Svizzera
CL CHL Chile|Chili|Cile
CN CHN China|Chine|Cina
CO COL Colombia|Kolumbien|Colombie
CZ CZE Czechia|Czech Republic|Tschechien|Tchéquie|République tchèque|Chequia|República Checa|Cechia|Repubblica Ceca
DE DEU Germany|Deutschland|Allemagne|Alemania|Germania
DK DNK Denmark|Dänemark|Danemark|Dinamarca|Danimarca
EE EST Estonia|Estland|Estonie
EG EGY Egypt|Ägypten|Égypte|Egipto|Egitto
ES ESP Spain|Spanien|Espagne|España|Spagna
FI FIN Finland|Finnland|Finlande|Finlandia
FR FRA France|Frankreich|Francia
GB GBR United Kingdom|Great Britain|UK|Vereinigtes Königreich|Großbritannien|Royaume-Uni|Reino Unido|Regno Unito
GR GRC Greece|Griechenland|Grèce|Grecia
HR HRV Croatia|Kroatien|Croatie|Croacia|Croazia
HU HUN Hungary|Ungarn|Hongrie|Hungría|Ungheria
IE IRL Ireland|Irland|Irlande|Irlanda
IL ISR Israel|Israël|Israele
IN IND India|Indien|Inde
IT ITA Italy|Italien|Italie|Italia
JP JPN Japan|Japon|Japón|Giappone
KR KOR South Korea|Korea|Südkorea|Corée du Sud|Corea del Sur|Corea del Sud|대한민국|한국
LT LTU Lithuania|Litauen|Lituanie|Lituania
LU LUX Luxembourg|Luxemburg|Luxemburgo|Lussemburgo
LV LVA Latvia|Lettland|Lettonie|Letonia|Lettonia
MX MEX Mexico|Mexiko|Mexique|México|Messico
NL NLD Netherlands|Holland|Niederlande|Niederlanden|Pays-Bas|Países Bajos|Paesi Bassi
NO NOR Norway|Norwegen|Norvège|Noruega|Norvegia
NZ NZL New Zealand|Neuseeland|Nouvelle-Zélande|Nueva Zelanda|Nuova Zelanda
PL POL Poland|Polen|Pologne|Polonia
PT PRT Portugal|Portogallo
RO ROU Romania|Rumänien|Roumanie|Rumania
RU RUS Russia|Russland|Russie|Rusia
SE SWE Sweden|Schweden|Suède|Suecia|Svezia
SG SGP Singapore|Singapur|Singapour
SI SVN Slovenia|Slowenien|Slovénie|Eslovenia
SK SVK Slovakia|Slowakei|Slovaquie|Eslovaquia|Slovacchia
TR TUR Turkey|Türkei|Turquie|Turquía|Turchia
UA UKR Ukraine|Ucrania|Ucraina
US USA United States|America|Vereinigte Staaten|Vereinigten Staaten|États-Unis|Estados Unidos|Stati Uniti
ZA ZAF South Africa|Südafrika|Afrique du Sud|Sudáfrica|Sudafrica
"""


_COLUMNS = frozenset({"country", "land", "pays", "país", "paese", "nation", "market", "region"})
# Columns whose codes look the same: CA is California, DE a language, IT a department.
_OTHER_CODES = """
    state st province bundesland language lang sprache langue idioma lingua locale department dept division carrier
    airline currency size
"""
_OTHERS = frozenset(_OTHER_CODES.split())
# Words before a name that make it another place: Northern Ireland, South America, New Mexico.
_BEFORE = "north south east west northern southern eastern western new latin central nord süd sud"
_PARTS = frozenset(_BEFORE.split(" "))
_SPOKEN = frozenset({"UK", "USA"})
_CODE = re.compile("[A-Z]{2,3}")
LEAST_CODES = 5  # values of a column whose name does not say that they are countries


@lru_cache(maxsize=1)
def country_names() -> Mapping[str, tuple[str, ...]]:
    """The names of each code, of two or three capital letters. The codes of a country share them."""
    found: dict[str, tuple[str, ...]] = {}
    for line in _NAMES.strip().splitlines():
        two, three, names = line.split(" ", 2)
        every = tuple(names.split("|"))
        found[two] = (*every, three)
        found[three] = (*every, two)
        if two == "GB":
            found["UK"] = found[two]
    return found


def hold_country_codes(words_of_name: Collection[str], values: Collection[str], *, least: int = 1) -> bool:
    """Whether a column holds codes of countries.

    All values look like one. If the column's name says so, half of them must be known, else all, and at least `least`.
    """
    if not values or not all(_CODE.fullmatch(value) for value in values):
        return False
    known = sum(value in country_names() for value in values)
    if not _COLUMNS.isdisjoint(words_of_name):
        return 2 * known >= len(values)
    return _OTHERS.isdisjoint(words_of_name) and known == len(values) >= least


def is_part_of_another(word_before: str) -> bool:
    """Whether a word before a country's name, in lower case, makes it the name of another place."""
    return word_before in _PARTS


def full_names(code: str) -> tuple[str, ...]:
    """The names of a code's country, with those codes that people use as names. Empty for an unknown code."""
    return tuple(name for name in country_names().get(code, ()) if name not in country_names() or name in _SPOKEN)


def find_same_country(text: str, words_of_name: Collection[str], values: Collection[str]) -> list[str]:
    """The values of a column of countries that mean the same country as a text. Each may be a code or a name."""
    if _COLUMNS.isdisjoint(words_of_name) and not hold_country_codes(words_of_name, values, least=LEAST_CODES):
        return []
    countries = _countries()
    meant = countries.get(text.casefold())
    return [value for value in values if meant is not None and countries.get(value.casefold()) == meant]


@lru_cache(maxsize=1)
def _countries() -> Mapping[str, str]:
    """The first name of the country that a code or a name means, by its text in lower case."""
    found: dict[str, str] = {}
    for code, names in country_names().items():
        found |= dict.fromkeys((code.casefold(), *map(str.casefold, names)), names[0])
    return found
