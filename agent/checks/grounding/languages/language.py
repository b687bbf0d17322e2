"""Detects the language of a question among those with a vocabulary, and whether it may contain negations of another."""

from __future__ import annotations

import re

from agent.checks.grounding.languages.vocabulary import LANGUAGES, vocabulary

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_KOREAN = re.compile(r"[\uac00-\ud7a3]")
_LATIN = re.compile(r"[a-zà-öø-ÿœß]+", re.IGNORECASE)
# Words of other languages that share some with the supported ones, to avoid confusing the two.
_OTHERS = {
    "pt": "não é são foi foram os as dos das em uma um mais quantos quantas qual quais por e do da no na há tem têm",
    "nl": "het een van zijn is hoeveel welke er en op met voor aan wij ons onze heeft hebben per wat de in",
    "pl": "ile jest są w z na się i do dla który która które jaki jaka od po za",
    "sv": "hur många är det en ett och av som för på med vilka vilken vi har finns i",
    "da": "hvor mange er det en et og af som for på med hvilke hvilken vi har i",
    "tr": "kaç ve bir bu ne için ile olan hangi var en toplam nedir",
    "ro": "câți câte este sunt și în din cu care ce pe la de o un",
    "fi": "kuinka monta on ja mikä mitkä ovat kun se",
    "cs": "kolik je jsou v a na se z pro který která které",
}


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
    others = {name: sum(word in listed.split() for word in words) for name, listed in _OTHERS.items()}
    best = max(counts, key=lambda name: (counts[name], name == "en"))
    if max(others.values()) > counts[best]:
        return None
    if counts[best] == 0:
        return "en" if question.isascii() and len(words) < 4 else None
    return best
