"""Words of questions that expect yes or no, and of their answers, in all supported languages, from polar_words.toml."""

from __future__ import annotations

import re

from agent.core.texts.data_files import read_tables, unfold_pattern

_TABLES = read_tables(__file__, "polar_words.toml")
_WORDS: dict[str, frozenset[str]] = {name: frozenset(text.split()) for name, text in _TABLES["words"].items()}
_PATTERNS: dict[str, str] = {name: unfold_pattern(text) for name, text in _TABLES["patterns"].items()}


def _compile(name: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[name], re.IGNORECASE)


NO = _WORDS["no"]
VERDICT = _compile("verdict")
ANY = _WORDS["any"]
THAN: dict[str, re.Pattern[str]] = {
    language: re.compile(text, re.IGNORECASE) for language, text in _TABLES["than"].items()
}
QUANTITATIVE = _WORDS["quantitative"]
EXISTENCE = _compile("existence")
EVER, YET = _WORDS["ever"], _WORDS["yet"]
SIZES = _compile("sizes")
OF_SIZE = re.compile(_PATTERNS["of_size"])
OF_AGE = _compile("of_age")
AGES = _WORDS["ages"]
OF_RANK = _WORDS["of_rank"]
THE_ONLY = _compile("the_only")
UNREAD = _WORDS["unread"]
ONE_OF = _compile("one_of")
NOTHING = _WORDS["nothing"]
