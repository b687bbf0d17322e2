"""Small talk by words, then by meaning: a message that is nearer to small talk than to a question about data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.understanding.messages.by_meaning import is_named_enough, nearness, words_of_data
from agent.understanding.messages.reading import SmallTalk, language_of, small_talk
from rag.words import telling_words

if TYPE_CHECKING:
    from agent.core.models import Question
    from agent.databases.database import Database
    from rag.embedding.embedder import Embedder

# Minimum margins of small talk, measured by `python -m bench.multilingual`. SURE applies to a message that contains a
# word of the schema or values, or follows another one.
NEARER, SURE = 0.10, 0.30
_COMPUTED = re.compile(r"\b(?:how (?:many|much)|number of|total|average|for each)\b", re.IGNORECASE)


async def read_small_talk(question: Question, database: Database, meaning: Embedder | None) -> SmallTalk | None:
    """The kind of small talk, by a message's words, or by its meaning if the multilingual model is installed.

    The words of a confirmation are not read. Meaning is not used for a reply to a clarification or "Ask anyway". A
    number asks for a query, and so does a message that mostly names the data, or that names some of it and a count,
    total or average. Raises DatabaseUnavailable if the schema cannot be read: its words make a message a question.
    """
    if question.options.confirm is not None:
        return None
    found = small_talk(question.text)
    if found is not None or meaning is None or question.pending is not None or question.options.clarify is False:
        return found
    if re.search(r"\d", question.text):
        return None
    schema = await database.schema()
    named = telling_words(question.text) & words_of_data(schema)
    if is_named_enough(question.text, schema) or (named and _COMPUTED.search(question.text)):
        return None
    near = await nearness(question.text, meaning)
    if near is None or near.to_talk < NEARER:
        return None
    if near.to_talk < SURE and (named or question.history):
        return None
    return SmallTalk(near.talk, language_of(question.text))
