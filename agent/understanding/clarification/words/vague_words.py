"""Vague times, such as "recently", in the languages of vague_words.toml, which explains a row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from agent.core.texts.data_files import read_tables, unfold_pattern


class Vague(NamedTuple):
    mention: re.Pattern[str]
    ordering: re.Pattern[str]
    spans: re.Pattern[str]


def _row(mention: str, ordering: str, spans: str, parts: Mapping[str, str] = MappingProxyType({})) -> Vague:
    """A row from its table in vague_words.toml. Raises TypeError for a missing or an unknown key."""
    return Vague(*(re.compile(unfold_pattern(it, parts), re.IGNORECASE) for it in (mention, ordering, spans)))


ROWS = tuple(_row(**table) for table in read_tables(__file__, "vague_words.toml").values())


def vague_words(text: str) -> re.Match[str] | None:
    """The first time without a number. None if there is none, or if the text states an order of rows or a span."""
    if any(row.ordering.search(text) or row.spans.search(text) for row in ROWS):
        return None
    return first_time_word(text)


def first_time_word(text: str) -> re.Match[str] | None:
    """The first words for a time without a number, whatever the rest of the text states."""
    return next((match for row in ROWS if (match := row.mention.search(text))), None)
