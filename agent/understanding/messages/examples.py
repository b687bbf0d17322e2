"""Examples of small talk, of questions about the data and of questions for SQL, in six languages.

The multilingual model compares a message with all of them (`by_meaning`).
"""

from __future__ import annotations

from agent.core.texts.data_files import read_tables
from agent.understanding.messages.kinds import Talk, Topic


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip().splitlines())


_TABLES = read_tables(__file__, "examples.toml")
TALK = {Talk(kind): _lines(text) for kind, text in _TABLES["talk"].items()}
TOPICS = {Topic(topic): _lines(text) for topic, text in _TABLES["topics"].items()}
DATA = _lines(_TABLES["data"])
