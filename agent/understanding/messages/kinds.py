"""The topics of messages that need no SQL."""

from __future__ import annotations

from enum import StrEnum

from executors.base import Frozen


class Talk(StrEnum):
    """The topic of small talk."""

    GREETING = "greeting"
    WELLBEING = "wellbeing"
    THANKS = "thanks"
    FAREWELL = "farewell"
    AGREEMENT = "agreement"
    WHO = "who"
    HELP = "help"
    CHATTER = "chatter"


class Topic(StrEnum):
    """The topic of a question about the data."""

    TABLES = "tables"
    OVERVIEW = "overview"
    COLUMNS = "columns"
    DESCRIBE = "describe"
    KEYS = "keys"
    MEANING = "meaning"
    DEFINED = "defined"
    WHERE = "where"
    VALUES = "values"
    SIZES = "sizes"
    FRESHNESS = "freshness"


class AboutData(Frozen):
    """A question about the data. columns: (table, column); term: of the glossary; unknown: a name that nothing has."""

    topic: Topic
    tables: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    term: str = ""
    unknown: str = ""
