"""Words that mark questions without SQL, one row per language of words.toml.

Small talk is matched sentence by sentence and in full: `talk` has a pattern for each kind. A question about the data is
matched by cues, which must all occur, in any order. The words left without its cues and `fillers` must be names of the
schema or terms of the docs; otherwise it is a question for SQL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from agent.core.texts.data_files import read_tables, unfold_pattern
from agent.understanding.messages.kinds import Talk, Topic


@dataclass(frozen=True)
class Cue:
    """Patterns that all match a question of this topic. The words that they match are not names."""

    topic: Topic
    patterns: tuple[re.Pattern[str], ...]


@dataclass(frozen=True)
class Language:
    """One language.

    talk: a pattern per kind of small talk, for a whole sentence, case-folded and without its final punctuation.
    cues: in the order in which they are tried.
    fillers: case-folded words that name nothing.
    endings: particles attached to a name, for languages that have them.
    """

    code: str
    talk: Mapping[Talk, re.Pattern[str]]
    cues: tuple[Cue, ...]
    fillers: frozenset[str]
    endings: re.Pattern[str] | None = None


def pattern(text: str) -> re.Pattern[str]:
    """A case-insensitive pattern. A blank matches any white space, ` ?` any or none."""
    return re.compile(text.replace(" ?", r"\s*").replace(" ", r"\s+"), re.IGNORECASE)


def _language(
    code: str,
    *,
    talk: Mapping[str, str],
    cues: Sequence[Sequence[str]],
    fillers: str,
    endings: str = "",
    parts: Mapping[str, str] = MappingProxyType({}),
) -> Language:
    """A row from its table in words.toml. Raises TypeError for a missing or an unknown key."""

    def read(text: str) -> re.Pattern[str]:
        return pattern(unfold_pattern(text, parts))

    return Language(
        code,
        {Talk(kind): read(text) for kind, text in talk.items()},
        tuple(Cue(Topic(topic), tuple(map(read, patterns))) for topic, *patterns in cues),
        frozenset(fillers.split()),
        read(endings) if endings else None,
    )


LANGUAGES = tuple(_language(code, **table) for code, table in read_tables(__file__, "words.toml").items())
