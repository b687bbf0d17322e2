"""Detects the language of a question among those with a vocabulary, and whether it may contain negations of another."""

from __future__ import annotations

import re

from agent.checks.grounding.languages.vocabulary import LANGUAGES, vocabulary
from agent.core.texts.data_files import read_words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_KOREAN = re.compile(r"[\uac00-\ud7a3]")
_LATIN = re.compile(r"[a-zà-öø-ÿœß]+", re.IGNORECASE)
_OTHERS = {code: listed for code, listed in read_words(__file__, "languages.txt").items() if code != "supported"}


def split_words(text: str) -> list[str]:
    """The words of a text in lower case. Elided words of French and Italian are separated."""
    found = (part for word in _WORD.findall(text.lower().replace("’", "'")) for part in _split_elision(word))
    return list(found)


def _split_elision(word: str) -> list[str]:
    head, quote, tail = word.partition("'")
    if quote and head in {"l", "d", "qu", "n", "s", "c", "j", "m", "t", "un", "dell", "all", "nell", "sull", "dall"}:
        return [head, tail]
    return [word]


def language_of(question: str) -> str | None:
    """`en`, `de`, `fr`, `es`, `it` or `ko`. None if the language is another one or cannot be determined."""
    if _KOREAN.search(question):
        return "ko"
    words = split_words(question)
    if not words:
        return "en"
    if sum(bool(_LATIN.fullmatch(word.replace("'", ""))) for word in words) * 2 < len(words):
        return None
    counts = {name: sum(word in vocabulary(name).common for word in words) for name in LANGUAGES}
    others = {name: sum(word in listed for word in words) for name, listed in _OTHERS.items()}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    if max(others.values()) > counts[best]:
        return None
    if counts[best] == 0:
        return "en" if question.isascii() and len(words) < 4 else None
    return best
