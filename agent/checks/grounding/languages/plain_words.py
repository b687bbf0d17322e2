"""The word lists of each language, and its words without a claim.

The files are in the folder vocabulary; en.txt explains their sections. `_` stands for a space, `*` for any ending.
"""

from __future__ import annotations

from functools import lru_cache

from agent.core.texts.data_files import read_sections

_PLAIN = "plain "  # begins the names of sections with words that make no claim


@lru_cache
def read_vocabulary(language: str) -> dict[str, list[str]]:
    """The lines of each section of a supported language's file."""
    return read_sections(__file__, f"vocabulary/{language}.txt")


def list_words(language: str, section: str) -> list[str]:
    """The words of a section of a language's file. Raises KeyError if it has no such section."""
    return " ".join(read_vocabulary(language)[section]).split()


def plain_words(language: str) -> list[str]:
    """The words of a language that make no claim."""
    sections = (section for section in read_vocabulary(language) if section.startswith(_PLAIN))
    return [word for section in sections for word in list_words(language, section)]


def list_doing_words(language: str) -> frozenset[str]:
    """Verbs without a claim, unless a question asks for them: "not used since 2023"."""
    return frozenset(list_words(language, f"{_PLAIN}doing"))


def list_transfer_words(language: str) -> frozenset[str]:
    """Verbs without a claim that state the opposite when they replace another verb: "received" for "shipped"."""
    return frozenset(list_words(language, f"{_PLAIN}transferring"))
