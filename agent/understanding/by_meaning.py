"""Kinds of messages by meaning: how near one is to examples of small talk, of questions about the data and for SQL.

The multilingual model compares. It decides where the tables of words do not, in any language.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.core.kinds import AboutData, Talk, Topic
from agent.understanding.clarification.languages import is_english
from agent.understanding.clarification.mentions import list_mentioned
from agent.understanding.clarification.wanted import content_words
from agent.understanding.examples import DATA, TALK, TOPICS
from agent.understanding.reading import DataQuestion, language_of
from executors.base import Schema
from rag.docs.documents import Document
from rag.errors import RetrievalError
from rag.identity_cache import IdentityCache
from rag.linking.fusion import term_of
from rag.linking.values import find_quoted
from rag.words import telling_words, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rag.embedding.embedder import Embedder

PATIENCE_S = 5.0  # for the model; where it takes longer, the message is a question for SQL
# How much nearer a message is to questions about the data, by the mean cosine of the two nearest examples of each side.
ABOUT = 0.10
_NEAREST = 2
_MOST_WORDS = 15  # of a message that is known by its meaning alone
_COLUMN = "this column"  # what the examples call a name that the schema writes so
_MOST_UNKNOWN = 2  # words of what is looked for
_ASKING = words(
    "about regarding anything something nothing stored kept recorded saved find found tracked available exist data"
    " database information info daten datenbank informationen données base datos dati"
)
_NAMED = 2  # words of the schema or values, and more than half of those that tell something


class Nearness(NamedTuple):
    """How much nearer a message is to small talk than to all else, and to questions about the data than to all else.

    Both are differences of cosines. talk, topic: the kind and the topic of the nearest examples.
    """

    to_talk: float
    talk: Talk
    to_topic: float = 0.0
    topic: Topic = Topic.OVERVIEW


async def nearness(text: str, meaning: Embedder) -> Nearness | None:
    """What a message is near to; None where nobody can tell, or it is too long."""
    if len(text.split()) > _MOST_WORDS:
        return None
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await asyncio.to_thread(_nearness, text, meaning)
    except (RetrievalError, TimeoutError):
        return None


def _nearness(text: str, meaning: Embedder) -> Nearness:
    """Blocks. Raises EmbedderUnavailable."""
    import numpy as np

    vector = np.asarray(meaning.embed([text])[0])
    sides = [examples @ vector for examples in _examples(meaning)]
    to_talk, to_topic, to_data = (float(np.sort(side)[-_NEAREST:].mean()) for side in sides)
    talks = [kind for kind, lines in TALK.items() for _ in lines]
    topics = [topic for topic, lines in TOPICS.items() for _ in lines]
    talk, topic = talks[int(sides[0].argmax())], topics[int(sides[1].argmax())]
    return Nearness(to_talk - max(to_topic, to_data), talk, to_topic - max(to_talk, to_data), topic)


_VECTORS: dict[str, tuple[NDArray[np.float64], ...]] = {}  # by the model's name


def _examples(meaning: Embedder) -> tuple[NDArray[np.float64], ...]:
    """The vectors of each side's examples, a row for each; computed once. Raises EmbedderUnavailable."""
    import numpy as np

    if meaning.name not in _VECTORS:
        sides = [
            [it for lines in TALK.values() for it in lines],
            [it for lines in TOPICS.values() for it in lines],
            DATA,
        ]
        vectors = np.asarray(meaning.embed([it for side in sides for it in side]))
        ends = np.cumsum([len(side) for side in sides])[:-1]
        _VECTORS[meaning.name] = tuple(np.split(vectors, ends))
    return _VECTORS[meaning.name]


@IdentityCache
def words_of_data(schema: Schema) -> frozenset[str]:
    """The stems of names and of sampled values: a message that has one of them may well be about the data."""
    texts: list[str] = []
    for table in schema.tables:
        texts.append(table.parts[-1])
        for column in table.columns:
            texts += [column.name, *(() if column.private else column.samples)]
    return words(" ".join(texts))


def is_named_enough(text: str, schema: Schema) -> bool:
    """Whether a message mostly names the data: the first question of a process then does without loading the model."""
    telling = telling_words(text)
    named = telling & words_of_data(schema)
    return len(named) >= _NAMED and len(named) > len(telling) / 2


async def about_data_by_meaning(
    text: str, schema: Schema, documents: Sequence[Document], meaning: Embedder
) -> DataQuestion | None:
    """What a message asks about the data; None where it is a question for SQL, as it is in doubt.

    A number or a text in quotes makes it a question for SQL, and so does a column or a value that its topic does not
    ask for.
    """
    named = _Named(text, schema, documents)
    if (
        re.search(r"[\d@=]", named.rest)
        or find_quoted(text)
        or (is_named_enough(text, schema) and not named.is_spelled)
    ):
        return None
    near = await nearness(named.masked, meaning)
    if near is None or near.to_topic < ABOUT:
        return None
    about = named.as_question(near.topic)
    return DataQuestion(about, language_of(text)) if about is not None else None


class _Named:
    """What a message names of a schema and its docs. is_spelled: whether a name stands in it as the schema writes it.

    rest, masked: the message without names that the schema writes so, and with what the examples call them.
    """

    def __init__(self, text: str, schema: Schema, documents: Sequence[Document]) -> None:
        stems = words(text)
        written = {it.casefold() for it in re.findall(r"\w+", text)}
        self.tables = tuple(it.name for it in schema.tables if words(it.parts[-1]) <= stems)
        places = [(table, column.name) for table in schema.tables for column in table.columns]
        self.columns = tuple((table.name, name) for table, name in places if words(name) and words(name) <= stems)
        spelled = {name.casefold() for _, name in places if not name.isalpha() and name.casefold() in written}
        self.is_spelled = bool(spelled)
        self.rest = re.sub(r"\w+", lambda it: "" if it[0].casefold() in spelled else it[0], text)
        self.masked = re.sub(r"\w+", lambda it: _COLUMN if it[0].casefold() in spelled else it[0], text)
        self.columns = tuple(it for it in self.columns if it[1].casefold() in spelled) or self.columns
        terms = (term_of(it.text) for it in documents if it.kind == "rule")
        self.term = next((it for it in terms if it and words(it) <= stems), "")
        self._schema = schema

    def as_question(self, topic: Topic) -> AboutData | None:
        """The question of a topic about what is named; None where the two do not fit."""
        match topic:
            case Topic.TABLES | Topic.OVERVIEW:
                fits = not (self.tables or self.columns or self.term)
                return AboutData(topic=topic) if fits else None
            case Topic.SIZES | Topic.FRESHNESS | Topic.KEYS | Topic.COLUMNS:
                return None if self.columns or self.term else AboutData(topic=topic, tables=self.tables)
            case Topic.DESCRIBE:
                fits = bool(self.tables) and not self.columns and not self.term
                return AboutData(topic=topic, tables=self.tables) if fits else None
            case Topic.MEANING | Topic.DEFINED | Topic.VALUES:
                if self.term and topic is not Topic.VALUES:
                    return AboutData(topic=topic, term=self.term)
                return AboutData(topic=topic, columns=self.columns) if self.columns else None
            case Topic.WHERE:
                if self.columns or self.term:
                    return AboutData(topic=topic, columns=self.columns, term=self.term) if self.columns else None
                return self._find_place()

    def _find_place(self) -> AboutData | None:
        """Where something is: the columns whose names have a word of it, else that nothing is known of it."""
        is_known = is_english(self.rest)
        said = content_words(self.rest) if is_known else list_mentioned(self.rest, language_of(self.rest))
        unknown = [it for it in said if words(it) - _ASKING]
        stems = words(" ".join(unknown))
        if not unknown or len(unknown) > _MOST_UNKNOWN:
            return None
        term = " ".join(unknown)
        places = [(table.name, it.name) for table in self._schema.tables for it in table.columns]
        columns = tuple(it for it in places if words(it[1]) & stems)
        if columns:
            return AboutData(topic=Topic.WHERE, columns=columns, term=term)
        return AboutData(topic=Topic.MEANING, unknown=term)
