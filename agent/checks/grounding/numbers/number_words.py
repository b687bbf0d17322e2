"""Reads numbers in words: "two million", "zweihundertsiebenundsechzig", "soixante-dix"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

_EN = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen"""
_DE = """null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
    siebzehn achtzehn neunzehn"""
_FR = """zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit
    dix-neuf"""
_ES = """cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete
    dieciocho diecinueve"""
_IT = """zero - due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici
    diciassette diciotto diciannove"""
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante - - -",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
}
_LARGE: Mapping[str, Mapping[str, int]] = {
    "en": {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9},
    "de": {"hundert": 100, "tausend": 10**3, "million": 10**6, "millionen": 10**6, "milliarde": 10**9,
           "milliarden": 10**9, "ein": 1, "dreissig": 30},
    "fr": {"cent": 100, "cents": 100, "mille": 10**3, "million": 10**6, "millions": 10**6, "milliard": 10**9,
           "milliards": 10**9, "vingts": 20, "un": 1},
    "es": {"cien": 100, "ciento": 100, "doscientos": 200, "doscientas": 200, "trescientos": 300, "trescientas": 300,
           "cuatrocientos": 400, "cuatrocientas": 400, "quinientos": 500, "quinientas": 500, "seiscientos": 600,
           "seiscientas": 600, "setecientos": 700, "setecientas": 700, "ochocientos": 800, "ochocientas": 800,
           "novecientos": 900, "novecientas": 900, "mil": 10**3, "millón": 10**6, "millones": 10**6, "veintiuno": 21,
           "veintiún": 21, "veintidós": 22, "veintitrés": 23, "veinticuatro": 24, "veinticinco": 25, "veintiséis": 26,
           "veintisiete": 27, "veintiocho": 28, "veintinueve": 29, "uno": 1, "un": 1},
    "it": {"cento": 100, "mille": 10**3, "mila": 10**3, "milione": 10**6, "milioni": 10**6, "miliardo": 10**9,
           "miliardi": 10**9, "vent": 20, "trent": 30, "quarant": 40, "cinquant": 50, "sessant": 60, "settant": 70,
           "ottant": 80, "novant": 90, "uno": 1, "tré": 3, "un": 1},
}  # fmt: skip
_BELOW_TWENTY = {"en": _EN, "de": _DE, "fr": _FR, "es": _ES, "it": _IT}
_AND = {"en": "and", "de": "und", "fr": "et", "es": "y", "it": "e"}
_COMPOUND = {"de", "it"}
_ALONE = {"fr": {"cent"}}  # "pour cent"
_ONLY_INSIDE = {"ein", "un", "uno", "vent", "trent"}


def below_twenty(language: str) -> Mapping[int, str]:
    """The words for numbers below twenty, except those that are also articles."""
    return {value: word for value, word in enumerate(_BELOW_TWENTY[language].split()) if word != "-"}


@lru_cache(maxsize=8)
def _atoms(language: str) -> Mapping[str, int]:
    found = {word: value for value, word in below_twenty(language).items()}
    found |= {word: 10 * (place + 2) for place, word in enumerate(_TENS[language].split()) if word != "-"}
    return found | dict(_LARGE[language])


def read_number_words(words: Sequence[str], place: int, language: str) -> tuple[int, int] | None:
    """The number that begins at a position in a list of lower-case words, and its length in words.

    None if there is none. Articles such as "ein" and "un" are numbers only before another number.
    """
    if language not in _BELOW_TWENTY:
        return None
    values: list[int] = []
    at = place
    while at < len(words):
        found = _parts(words[at], language)
        if found is None:
            joined = values and words[at] == _AND[language] and at + 1 < len(words)
            if not joined or not _goes_on(values, words, at, language):
                break
            at += 1
            continue
        if at > place and values and not _continues(values[-1], found[0], language):
            break
        values += found
        at += 1
    length = at - place
    if not values or (length == 1 and words[place] in _ONLY_INSIDE):
        return None
    if length == 1 and words[place] in _ALONE.get(language, ()):
        return None
    return _total(values), length


def _goes_on(values: Sequence[int], words: Sequence[str], at: int, language: str) -> bool:
    """Whether "and" is inside a number, as in "one hundred and two", and not between two numbers."""
    following = _parts(words[at + 1], language)
    if following is None:
        return False
    if language in ("en", "it"):
        after = _parts(words[at + 2], language) if at + 2 < len(words) else None
        another = after is not None and after[0] >= 100  # "two hundred and three hundred" are two
        return values[-1] >= 100 and following[0] < 100 and not another
    if language == "fr":
        return 20 <= values[-1] < 100 and following[0] in (1, 11)  # vingt et un, soixante et onze
    return language == "es" and 30 <= values[-1] < 100 and following[0] < 10  # German writes one word


def _continues(last: int, following: int, language: str) -> bool:
    if language == "fr" and last == 10 and 7 <= following <= 9:  # dix-sept
        return True
    return following >= 100 or last >= 100 or (20 <= last < 100 and following < 20) or (last == 4 and following == 20)


def _parts(word: str, language: str) -> list[int] | None:
    atoms = _atoms(language)
    if word in atoms:
        return [atoms[word]]
    pieces = re.split(r"[-‐]", word)
    if len(pieces) > 1 and all(piece in atoms or piece == _AND[language] for piece in pieces):
        return [atoms[piece] for piece in pieces if piece in atoms]
    if language not in _COMPOUND or len(word) < 6:
        return None
    found = _compound(word, language, sorted(atoms, key=len, reverse=True))
    return found if found is not None and len(found) > 1 else None


def _compound(word: str, language: str, atoms: Iterable[str]) -> list[int] | None:
    """The parts of `zweihundertsiebenundsechzig`: 2, 100, 7, 60."""
    if not word:
        return []
    if language == "de" and word.startswith("und"):
        word = word[3:]
    for atom in atoms:
        if word.startswith(atom):
            rest = _compound(word[len(atom) :], language, atoms)
            if rest is not None:
                return [_atoms(language)[atom], *rest]
    return None


def _total(values: Sequence[int]) -> int:
    total = current = 0
    for value in values:
        if value >= 1000:
            total, current = total + max(1, current) * value, 0
        elif value == 100:
            current = max(1, current) * 100
        elif value == 20 and current % 100 == 4:  # quatre-vingts
            current += 76
        else:
            current += value
    return total + current


_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_DIGIT_BEFORE = re.compile(r"\d[\s-]?$")


def find_number_words(text: str, language: str) -> Iterator[tuple[int, int, int]]:
    """The position and value of each number in words. "One" alone is skipped, because it is often a pronoun.

    Words that belong to digits are skipped too: "2 million".
    """
    words = list(_WORD.finditer(text))
    spelled = [it[0].lower() for it in words]
    at = 0
    while at < len(words):
        found = read_number_words(spelled, at, language)
        if found is None:
            at += 1
            continue
        value, length = found
        start, end = words[at].start(), words[at + length - 1].end()
        at += length
        if value != 1 and not _DIGIT_BEFORE.search(text, 0, start) and not re.search(r"[^\w\s-]", text[start:end]):
            yield start, end, value
