"""Small words that change the meaning of the words and numbers beside them, from particles.txt, which explains them."""

from __future__ import annotations

from agent.checks.grounding.languages.vocabulary import Class
from agent.core.texts.data_files import read_words

_WORDS = {
    name: frozenset(word.replace("_", " ") for word in listed)
    for name, listed in read_words(__file__, "particles.txt").items()
}
ONE = {"en": "one", "de": "eins", "es": "uno", "it": "uno"}
NOT_ONE_AFTER, NOT_ONE_BEFORE = _WORDS["not one after"], _WORDS["not one before"]
BOUNDS_OF_NUMBERS = _WORDS["bounds of numbers"]
ARTICLES, DEFINITE = _WORDS["articles"], _WORDS["definite"]
DURING = _WORDS["during"]
BEFORE_YEARS = _WORDS["before years"]
FISCAL = _WORDS["fiscal"]
BUT = _WORDS["but"]
UP_BY = {"up": Class.RISE, "down": Class.FALL}
ARTICLED = {"più": Class.MOST, "más": Class.MOST, "meno": Class.LEAST, "menos": Class.LEAST}
THAN, THAN_OF = _WORDS["than"], _WORDS["than of"]
JOINED = THAN | _WORDS["joined"]
