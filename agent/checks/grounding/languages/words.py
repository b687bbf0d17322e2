"""Compares words of a sentence and a question: recognizes forms of one word without knowing the language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from agent.core.texts.data_files import read_sections

WORD = re.compile(r"[A-Z]+(?![a-zß-öø-ÿ])|[A-Z]?[a-zß-öø-ÿ]+|[^\W\d_]+")
_LISTS = read_sections(__file__, "words.txt")
_ENDINGS = frozenset({"", *" ".join(_LISTS["endings"]).split()})
_LONG = 5  # letters
_SETS: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_LISTS["sets"]):
    for _word in (form for it in _line.split() for form in {it, it.replace("-", " ")}):
        _SETS[_word] = _SETS.get(_word, frozenset()) | {_number}
# Units of two words, with or without a hyphen.
COMPOUND_UNITS = frozenset(tuple(it.split(" ")) for it in _SETS if " " in it)


def words_of(text: str) -> list[str]:
    """The words of a text or a name, in lower case. Parts of snake_case and camelCase names count as words."""
    return [word.lower() for word in WORD.findall(text)]


def have_one_meaning(one: str, other: str) -> bool:
    """Whether the list of synonyms contains two lower-case words together: "km" and "kilometres"."""
    return bool(_SETS.get(one, frozenset()) & _SETS.get(other, frozenset()))


@lru_cache(maxsize=8192)
def fold_word(word: str) -> str:
    """A word in lower case, without accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@lru_cache(maxsize=65536)
def is_same_word(one: str, other: str) -> bool:
    """Whether two words are forms of one: "storniert" and "stornierte", "sold" and "sell", "km" and "kilometres"."""
    if one == other or have_one_meaning(one, other):
        return True
    one, other = fold_word(one), fold_word(other)
    if one == other or _participle(one) == other or one == _participle(other):
        return True
    shared = next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), None)
    shared = min(len(one), len(other)) if shared is None else shared
    least = 3 if min(len(one), len(other)) < 6 else 4
    # The endings may begin alike: "member-s", "member-ship".
    stems = (at for at in (shared, shared - 1) if at >= least)
    return any(one[at:] in _ENDINGS and other[at:] in _ENDINGS for at in stems)


def _participle(word: str) -> str:
    """German: `leitet` for `geleitet`."""
    return word[2:] if word.startswith("ge") and word.endswith("t") and len(word) > _LONG else word


def is_among(word: str, known: Iterable[str]) -> bool:
    """Whether a word is a form of one of these."""
    return any(is_same_word(word, it) for it in known)
