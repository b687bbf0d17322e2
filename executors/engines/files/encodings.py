"""Detects the encoding of a text that is not UTF-8, by the letters that it would have in each encoding.

An encoding explains a word if all its letters belong to one language that uses the encoding, no sign is between
letters, and capitals are only at the beginning. If several encodings explain all words of a short text, the most common
one is used, and the report names another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from executors.errors import DatabaseUnavailable

_WORD = re.compile(r"\w+(?:[^\s\x00-\x7f]+\w+)*[^\s\x00-\x7f]*|[^\s\x00-\x7f]+\w*")
_EQUAL = 0.02  # encodings whose scores differ by less are equally likely
_EXPLAINED = 0.45  # a lower score means that no encoding explains the text
_MOST_WORDS = 2_000
_FOREIGN = 0.05  # deduction for an ASCII letter that a language does not use
_MIXED = 0.9  # factor for words whose letters belong to several languages of one encoding
_QUOTES, _AFTER, _BEFORE = "‘’“”«»‹›–—…•·", "²³®™©ªº°", "°µ¡¿§‚„"
_ALONE = "€£¥§°²³µ¼½¾×÷±©®™†‰\xa0"


class Encoding(NamedTuple):
    """An encoding. `other`: an equally likely encoding that gives another text; `is_explained`: whether enough words
    fit."""

    name: str
    other: str = ""
    is_explained: bool = True


class _Language(NamedTuple):
    """A language. letters: lower-case letters beyond ASCII; lacks: ASCII letters that occur only in foreign words."""

    letters: str
    lacks: str = ""


def _range(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


_LANGUAGES: Mapping[str, _Language] = {
    "German": _Language("äöüß"),
    "French": _Language("àâæçéèêëîïôœùûüÿ", "kw"),
    "Spanish": _Language("áéíñóúü", "kw"),
    "Portuguese": _Language("áâãàçéêíóôõúü", "kwy"),
    "Italian": _Language("àèéìíîòóùú", "jkwxy"),
    "Swedish": _Language("åäöé"),
    "Danish": _Language("æøåé"),
    "Dutch": _Language("éëïóöüè"),
    "Icelandic": _Language("áéíóúýþæöð", "cqwz"),
    "Polish": _Language("ąćęłńóśźż", "qvx"),
    "Czech": _Language("áčďéěíňóřšťúůýž", "qwx"),
    "Slovak": _Language("áäčďéíĺľňóôŕšťúýž", "qwx"),
    "Hungarian": _Language("áéíóöőúüű", "qwx"),
    "Croatian": _Language("čćđšž", "qwxy"),
    "Albanian": _Language("ëç", "w"),
    "Romanian": _Language("ăâîşţșț", "kqwy"),
    "Turkish": _Language("çğıöşüâîû", "qwx"),
    "Lithuanian": _Language("ąčęėįšųūž", "qwx"),
    "Latvian": _Language("āčēģīķļņšūž", "qwxy"),
    "Estonian": _Language("äõöüšž", "cqwxy"),
    "Russian": _Language(_range("а", "я") + "ё"),
    "Ukrainian": _Language((_range("а", "я") + "іїєґ").translate(dict.fromkeys(map(ord, "ыэъё")))),
    "Greek": _Language(_range("ά", "ώ") + "ΐ"),
    "Hebrew": _Language(_range("א", "ת")),
    "Arabic": _Language(_range("ء", "ْ") + "پچژگ"),
    "Thai": _Language((_range("ก", "ฺ") + _range("เ", "๛")).translate(dict.fromkeys(map(ord, "ฃฅ")))),
}
_WESTERN = ("German", "French", "Spanish", "Portuguese", "Italian", "Swedish", "Danish", "Dutch", "Icelandic")
_EASTERN = ("Czech", "Polish", "Hungarian", "Slovak", "Croatian", "Romanian", "German", "Albanian")
_RUSSIAN = ("Russian", "Ukrainian")
# The languages of each encoding, the more common encodings first.
_WRITTEN: Mapping[str, tuple[str, ...]] = {
    "cp1252": _WESTERN, "cp1251": _RUSSIAN, "cp1250": _EASTERN, "cp1254": ("Turkish",), "cp1253": ("Greek",),
    "iso8859_15": _WESTERN, "iso8859_2": _EASTERN, "iso8859_5": _RUSSIAN, "iso8859_7": ("Greek",),
    "koi8_r": _RUSSIAN, "cp866": _RUSSIAN, "cp1257": ("Lithuanian", "Latvian", "Estonian"), "cp1255": ("Hebrew",),
    "cp1256": ("Arabic",), "cp874": ("Thai",), "cp850": _WESTERN, "cp852": _EASTERN, "mac_roman": _WESTERN,
}  # fmt: skip
_PREFERRED = ("Turkish",)  # preferred among equally likely languages, because many more people use them
_JAPANESE = ("shift_jis", "euc_jp")
_KOREAN = ("euc_kr", "cp949")
_WIDE: Mapping[str, str] = {
    "euc_kr": "Korean", "shift_jis": "Japanese", "gb18030": "Chinese", "big5": "Chinese", "euc_jp": "Japanese",
    "cp949": "Korean",
}  # fmt: skip
# Range of first bytes of common characters in each standard: the Korean syllables, and the first level of the others.
_FIRST_LEVEL: Mapping[str, tuple[int, int]] = {
    "euc_kr": (0xB0, 0xC8), "shift_jis": (0x88, 0x97), "gb18030": (0xB0, 0xD7), "big5": (0xA4, 0xC6),
    "euc_jp": (0xB0, 0xCF), "cp949": (0xB0, 0xC8),
}  # fmt: skip
_COMMON = 0.93
_TELLING = 8  # characters
NO_NORMALIZER = "To read text that is not UTF-8, install charset-normalizer: pip install -r requirements-local.txt"


def likeliest(sample: bytes) -> Encoding:
    """The encoding of text that is not UTF-8. Args: sample: the complete lines that contain bytes beyond ASCII."""
    found = list(_score_encodings(sample))
    if not found:
        return Encoding("cp1252", is_explained=False)
    best, _, text = max(found, key=lambda it: it[0])  # the first of equal ones
    name = next(it for _, it, read in found if read == text)
    found.sort(key=lambda it: -it[0])
    other = next((it for score, it, read in found if best - score < _EQUAL and read != text), "")
    return Encoding(name, other, is_explained=best >= _EXPLAINED)


def _score_encodings(sample: bytes) -> Iterator[tuple[float, str, str]]:
    """The score and name of each encoding that can decode the sample, and the decoded words."""
    for name in (*_WRITTEN, *_WIDE):
        try:
            text = sample.decode(name)
        except UnicodeDecodeError:
            continue
        words = list(dict.fromkeys(word for word in _WORD.findall(text) if not word.isascii()))[:_MOST_WORDS]
        if not words:
            continue
        score = _wide_score(name, words) if name in _WIDE else _score(name, words)
        yield score, name, "\n".join(words)


def _score(name: str, words: list[str]) -> float:
    """The share of words that an encoding explains, in the language that explains most."""
    languages = [_LANGUAGES[it] for it in _WRITTEN[name]]
    shares = [sum(_rate_word(word, it) for word in words) / len(words) for it in languages]
    every = _Language("".join(it.letters for it in languages))
    mixed = _MIXED * sum(_rate_word(word, every) for word in words) / len(words)
    preferred = _EQUAL / 2 if set(_PREFERRED) & set(_WRITTEN[name]) else 0
    return max(*shares, mixed) + preferred


@cache
def _rate_word(word: str, language: _Language) -> float:
    """How well a language explains a word: 1, less for letters of other languages, or 0 if it does not."""
    letters = "".join(it for it in word if it.isalpha())
    if not _signs_fit(word):
        return 0
    if letters.isascii() or len(letters) == 1:
        return 0.5  # a single sign or letter is weak evidence
    if not (letters.isupper() or letters[1:] == letters[1:].lower()):
        return 0
    small = letters.lower().replace("i̇", "i")  # the lower case of İ
    strange = [it for it in small if not it.isascii()]
    if any(it not in language.letters for it in strange):
        return 0
    if any(not it.isascii() and ord(it) > 0x36F for it in small) and any(it.isascii() for it in small):
        return 0  # the word mixes two scripts
    return 1 - _FOREIGN if set(language.lacks) & set(small) else 1


def _signs_fit(word: str) -> bool:
    """Whether the signs in a word are in their usual places."""
    for at, sign in enumerate(word):
        if sign.isascii() or (sign.isalpha() and sign not in "ªºƒµ"):
            continue
        before, after = word[at - 1 : at].isalpha(), word[at + 1 : at + 2].isalpha()
        if sign in "’·" or (not (before or after) and sign in _ALONE + _QUOTES + "‚„¡¿"):
            continue
        if (before and after) or sign not in (_AFTER if before else _BEFORE) + _QUOTES:
            return False
    return True


def _wide_score(name: str, words: list[str]) -> float:
    """The share of characters beyond ASCII that are common in a two-byte encoding."""
    signs = [it for word in words for it in word if not it.isascii()]
    foreign = any(re.search(r"[A-Za-z][^\W\x00-\x7f]|[^\W\x00-\x7f][a-z]", it) for it in words) and name != "gb18030"
    if name in _JAPANESE:
        foreign = foreign or not any("\u3041" <= it <= "\u30ff" for it in signs)  # Japanese has kana
    if name == "gb18030" and len(signs) >= _TELLING:
        # Chinese uses its whole first level; Korean decoded as Chinese has no characters of its later half.
        foreign = all(it.encode(name)[0] <= _FIRST_LEVEL["euc_kr"][1] for it in signs)
    return sum(_usual(name, it) for it in signs) / len(signs) - (0.1 if foreign else 0)


def _usual(name: str, sign: str) -> float:
    """How common a character is in the language of an encoding, from 0 to 1."""
    code = sign.encode(name)
    if len(code) == 1:
        return 0.3  # a narrow kana
    if "\u3000" <= sign <= "\u303f" or "\uff01" <= sign <= "\uff5e":
        return 0.8  # punctuation of all these languages
    if name in _JAPANESE and "\u3041" <= sign <= "\u30ff":
        return 1
    first, last = ("가", "힣") if name in _KOREAN else ("\u4e00", "\u9fff")
    if not first <= sign <= last:
        return 0.2
    if sign in _frequent(_WIDE[name]):
        return 1
    lead, level = code[0], _FIRST_LEVEL[name]
    return _COMMON if level[0] <= lead <= level[1] and (code[1] >= 0xA1 or name in ("shift_jis", "big5")) else 0.4


@cache
def _frequent(language: str) -> frozenset[str]:
    """The most frequent characters of a language, from charset-normalizer."""
    try:
        from charset_normalizer.constant import FREQUENCIES
    except ImportError as error:
        raise DatabaseUnavailable(NO_NORMALIZER) from error
    return frozenset(FREQUENCIES[language])
