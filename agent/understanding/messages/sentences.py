"""The sentences of replies that need no query, in the languages of sentences.toml. Other languages get English."""

from __future__ import annotations

import re

from agent.core.texts.data_files import read_texts
from executors.base import Frozen

_BY_COUNT = re.compile(r"\[(\w+)\|(\w+)\]")  # [row|rows]


def write_count(phrase: str, count: int, **names: str) -> str:
    """Fill a phrase that counts: `{count} [row|rows]` as "1 row" or "1,200 rows"."""
    return _BY_COUNT.sub(r"\1" if count == 1 else r"\2", phrase).format(count=f"{count:,}", **names)


class Sentences(Frozen):
    """Sentences with named placeholders. Names of tables and columns, and texts of docs, are inserted unchanged.

    `write_count` fills those with `{count}`.
    """

    language: str
    greeting: str
    wellbeing: str
    thanks: str
    farewell: str
    agreement: str
    who: str
    help: str
    chatter: str
    examples: str
    tables: str
    no_tables: str
    more: str
    rows: str
    columns: str
    primary_key: str
    no_primary_key: str
    refers: str
    no_references: str
    is_a: str
    values: str
    and_more: str
    undocumented: str
    unknown: str
    where: str
    goes: str
    no_dates: str
    source: str
    from_schema: str
    from_data: str
    from_comment: str


_BY_LANGUAGE = {
    code: Sentences(language=code, **texts) for code, texts in read_texts(__file__, "sentences.toml").items()
}


def sentences_of(language: str) -> Sentences:
    """The sentences of a language by its code."""
    return _BY_LANGUAGE.get(language, _BY_LANGUAGE["en"])
