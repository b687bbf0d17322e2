"""The nouns of questions in languages other than English, found by function words.

A noun follows an article, a preposition or a question word. In German it is capitalized. In Korean it is not a verb and
loses its particle. Adjectives in the same position are taken for nouns.
"""
# ruff: noqa: E501  patterns are read best in one piece

from __future__ import annotations

import re
import unicodedata

from agent.understanding.followups.words import LANGUAGES
from rag.words import tokens

_ANY_DATA = """
    month, year, week, day, quarter, hour, minute, second, today, yesterday, half, third, number, count, average,
    total amount, sum, percentage, share, value, ratio, revenue, sales, turnover, profit, price, cost, money, euro,
    dollar, tax, people, person, home, name, kind, category, age, time, duration, how often, date, period, summer,
    January, February, March, April, May, June, July, August, September, October, November, December, Germany, Austria,
    Italy, Spain, Turkey, Japan, Berlin, Vienna, Paris, Rome, London, Anna, Müller, Smith, the largest, the smallest,
    the best, the oldest, the cheapest, difference, growth, popularity, yield, surface area, length, size,
    square meters, piece, business, together, question, answer, data, table, result, case, most, least, every, other
"""
# Any data may be asked for these, be used to compute them or contain them as values, so no database lacks them. One
# language is enough: the multilingual model finds the words of other languages similar.
ANYTHING = tuple(" ".join(it.split()) for it in _ANY_DATA.split(","))

_NOUN = r"(?P<noun>[^\W\d_]{4,})"
_BEFORE_NOUNS = {
    "fr": r"combien d(?:e\s|['’])|(?:quels?|quelles?|par|chaque|les?|la|une?|des|du|de|aux?|en|dans|sur|sans|avec|nos|vos|leurs?)\s"
    r"|[ldLD]['’]",
    "es": r"(?:cu[aá]nt(?:os|as?)|qu[eé]|por|cada|el|la|los|las|una?|unos|unas|del?|al|en|con|sin|nuestr[oa]s|sus?)\s",
    "it": r"(?:quant[ie]|qual[ei]|per|ogni|il|lo|la|i|gli|le|una?|uno|di|del|dello|della|dei|degli|delle|nel|nella|nei|nelle"
    r"|al|alla|ai|alle|dal|dalla|in|con|senza|nostr[ioae])\s|\b(?:l|d|un|dell|nell|all|dall)['’]",
}  # fmt: skip
_PATTERNS = {
    code: re.compile(rf"(?=\b(?:{before})\s*{_NOUN})", re.IGNORECASE) for code, before in _BEFORE_NOUNS.items()
}
_POSSESSIVE = re.compile(r"(?:nostr|vostr|lor|nuestr|vuestr)[oaie]s?|notre|votre|leurs?", re.IGNORECASE)
_PARTICLE = re.compile(r"(?:들은|들이|들을|에서|에게|으로|별로|은|는|이|가|을|를|의|별|에|도|와|과|로|들)$")
_VERB = re.compile(
    r"(?:요|줘|까|니|다|하는|있는|없는|되는|된|한|할|린|싼|진|긴|난|많은|많이|가장|모든|평균|몇|얼마나?|무엇|어느|어떤)$"
)
_BEFORE_ASKING = re.compile(r"[가-힣]+(?=\s+(?:주|줄|줘|줬))")  # the verb of a request: "알려 주세요"
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_WRITTEN_OUT = re.compile(r"ae|oe|(?<![aeq])ue")
_UMLAUTS = {"ae": "ä", "oe": "ö", "ue": "ü"}
_LETTERS = 4  # least length of a word in Latin letters; shorter ones are rarely nouns


def list_mentioned(text: str, language: str) -> list[str]:
    """The distinct nouns of a question, as written. Empty for an unsupported language code."""
    if language == "ko":
        said = tokens(_BEFORE_ASKING.sub(" ", text))
        found = [without_particle(it.text) for it in said if it.text.isalpha() and not _VERB.search(it.text)]
        found = [it for it in found if len(it) > 1]  # one syllable is mostly a verb stem or a counter
    elif language == "de":
        found = [it.text for it in tokens(text) if it.text[:1].isupper() and not it.leads and len(it.text) >= _LETTERS]
    elif language in _PATTERNS:
        found = [match["noun"] for match in _PATTERNS[language].finditer(text)]
        found = [it for it in found if not _POSSESSIVE.fullmatch(it)]
    else:
        return []
    spoken = LANGUAGES[language].naming_nothing if language in LANGUAGES else frozenset[str]()
    return list(dict.fromkeys(it for it in found if it and it.casefold() not in spoken))


def without_particle(word: str) -> str:
    """A Korean noun without its particle: `고객` for "고객은"."""
    return _PARTICLE.sub("", word)


def spellings(word: str) -> tuple[str, ...]:
    """A word and its spellings without accents: `gaeste` for "gäste", `puntuacion` for "puntuación"."""
    bare = "".join(it for it in unicodedata.normalize("NFD", word) if not unicodedata.combining(it))
    return tuple(dict.fromkeys((word, word.translate(_TWO_LETTERS), unicodedata.normalize("NFC", bare))))


def with_umlauts(name: str) -> tuple[str, ...]:
    """A name and its German spelling with umlauts: `bücher` for "buecher".

    The multilingual model does not know the other spelling: "libros" has 0.36 to "buecher" and 0.87 to "bücher".
    """
    return tuple(dict.fromkeys((name, _WRITTEN_OUT.sub(lambda it: _UMLAUTS[it[0]], name))))
