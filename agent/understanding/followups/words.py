"""Words that mark a follow-up, one row per language of words.toml.

The rows hold function words only. Every other word names something and counts as content.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.core.texts.data_files import read_tables, unfold_pattern


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


@dataclass(frozen=True)
class Language:
    """One language that puts spaces between its words. All words are case-folded.

    asks: question words, and verbs that ask for data.
    which: those that need a noun after them and ask nothing with it alone.
    many: those, or words with them, that need something to count after them.
    verbs: forms of be, have and do, which make a message a sentence.
    changes: verbs that change the last result (sort, filter), at the beginning of a message.
    joins: words that link a sentence to the one before it.
    only: words that narrow the last result.
    divides: prepositions that group what precedes them.
    prepositions: those that never begin a self-contained message, unless it asks further on.
    pronouns: those that refer to something named before, here or earlier.
    owners: possessives that do the same.
    pointers: demonstratives that need a noun after them and refer to an earlier message.
    generic: nouns and adjectives that name nothing of the data: ranks, amounts, time spans, numerals.
    function: other words that name nothing.
    always: a pattern for signs that suffice by themselves.
    """

    code: str
    asks: frozenset[str]
    which: frozenset[str]
    verbs: frozenset[str]
    changes: frozenset[str]
    joins: frozenset[str]
    only: frozenset[str]
    divides: frozenset[str]
    prepositions: frozenset[str]
    pronouns: frozenset[str]
    owners: frozenset[str]
    pointers: frozenset[str]
    generic: frozenset[str]
    function: frozenset[str]
    always: re.Pattern[str]
    many: frozenset[str] = frozenset()

    def hits(self, words: list[str]) -> int:
        """The number of words that belong to this language."""
        return sum(word in self.naming_nothing or word in self.changes for word in words)

    @property
    def naming_nothing(self) -> frozenset[str]:
        """All words that are not content."""
        named = (self.asks, self.verbs, self.joins, self.only, self.prepositions, self.pronouns, self.owners)
        return frozenset().union(*named, self.pointers, self.generic, self.function)


def _language(code: str, *, always: str, **listed: str) -> Language:
    """A row from its table in words.toml. Raises TypeError for a missing or an unknown key."""
    words = {name: words_of(text) for name, text in listed.items()}
    return Language(code=code, always=re.compile(unfold_pattern(always), re.IGNORECASE), **words)


LANGUAGES = {code: _language(code, **table) for code, table in read_tables(__file__, "words.toml").items()}
