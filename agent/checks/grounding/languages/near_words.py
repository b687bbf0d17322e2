"""Words with the same meaning, by the groups of near_words.txt. A sentence may use any word of a group."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from agent.checks.grounding.languages.words import fold_word, is_same_word
from agent.core.texts.data_files import read_sections

_STEM, _LONG_STEM, _SHARE = 4, 6, 0.6  # letters that two forms share; of long ones; share of the shorter one

_LISTS = read_sections(__file__, "near_words.txt")
_ANYBODY = " ".join(_LISTS["anybody"]).split()
_SETS: tuple[tuple[str, ...], ...] = (
    *(tuple(line.split()) for line in _LISTS["groups"]),
    *((one, *_ANYBODY) for line in _LISTS["people"] for one in line.split()),
)


@lru_cache(maxsize=8192)
def _groups_of(word: str) -> frozenset[int]:
    return frozenset(at for at, group in enumerate(_SETS) if any(is_same_word(word, it) for it in group))


@lru_cache(maxsize=65536)
def _have_one_stem(one: str, other: str) -> bool:
    one, other = fold_word(one), fold_word(other)
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    least = min(len(one), len(other))
    return (
        shared >= _STEM and shared >= _SHARE * least and (shared >= _LONG_STEM or abs(len(one) - len(other)) <= _STEM)
    )


def is_near(word: str, known: Iterable[str]) -> bool:
    """Whether a word shares its stem with one of these or can replace it."""
    groups = _groups_of(word)
    return any(_have_one_stem(word, it) or (groups and groups & _groups_of(it)) for it in known)


def is_synonym(word: str, known: Iterable[str]) -> bool:
    """Whether a word can replace one of these, in its own language or another one."""
    groups = _groups_of(word)
    return bool(groups) and any(groups & _groups_of(it) for it in known)


def is_derived(word: str, known: Iterable[str]) -> bool:
    """Whether a word shares its stem with one of these: "Norwegian" and "Norway"."""
    return any(_have_one_stem(word, it) for it in known)
