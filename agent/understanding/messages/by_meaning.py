"""Classifies messages by meaning: their similarity to examples of small talk, data questions and SQL questions.

The multilingual model compares. It decides if the word tables do not, in any language.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from agent.understanding.clarification.nearness import PATIENCE_S
from agent.understanding.followups.words import LANGUAGES as FUNCTION_WORDS
from agent.understanding.messages.examples import DATA, TALK, TOPICS
from agent.understanding.messages.kinds import AboutData, Talk, Topic
from agent.understanding.messages.reading import SUBJECT, DataQuestion, language_of
from agent.understanding.messages.words import LANGUAGES
from executors.base import Schema
from rag.docs.documents import Document
from rag.errors import RetrievalError
from rag.identity_cache import IdentityCache
from rag.linking.fusion import term_of
from rag.linking.values import find_quoted
from rag.words import telling_words, tokens, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rag.embedding.embedder import Embedder

# Least margin of questions about the data: a difference of mean cosines, each of the two nearest examples.
ABOUT = 0.10
_NEAREST = 2
_MOST_WORDS = 15  # words in a message that is classified by its meaning alone
_COLUMN = "this column"  # replaces a column name in a message, as in the examples
_MOST_UNKNOWN = 2
# With a column name, these ask for a computation.
_COMPUTES = re.compile(
    r"\b(?:how (?:many|much)|number of|count|total|average|sum|each|every|per|(?<!meant )by|je|pro|jede[rsnm]?|chaque"
    r"|cada|ogni)\b"
    r"|^\W*(?:calculate|compute|berechne|calcul\w+)",
    re.IGNORECASE,
)
_LONG, _ALIKE = 5, 85.0  # letters of a word that may be misspelled; its least similarity
_NAMED = 2  # least number of words from the schema or values; they must be most of the informative words


class Nearness(NamedTuple):
    """How much nearer a message is to small talk, and to questions about the data, than to the other kinds.

    Both are differences of cosines. talk, topic: the kind and the topic of the nearest examples.
    """

    to_talk: float
    talk: Talk
    to_topic: float = 0.0
    topic: Topic = Topic.OVERVIEW


async def nearness(text: str, meaning: Embedder) -> Nearness | None:
    """The kinds that a message is near to. None if it is too long, or the model fails or is slow."""
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
    """The vectors of each side's examples, one per row. They are computed once. Raises EmbedderUnavailable."""
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
    """The stems of names and sampled values. A message with one of them may be about the data."""
    texts: list[str] = []
    for table in schema.tables:
        texts.append(table.parts[-1])
        for column in table.columns:
            texts += [column.name, *(() if column.private else column.samples)]
    return words(" ".join(texts))


def is_named_enough(text: str, schema: Schema) -> bool:
    """Whether a message mostly names the data. Such a message does not need the model, which takes time to load."""
    telling = telling_words(text)
    named = telling & words_of_data(schema)
    return len(named) >= _NAMED and len(named) > len(telling) / 2


def may_be_about_data_by_meaning(text: str) -> bool:
    """Whether a message may be about the data. If so, it is compared with schema and docs."""
    return len(text.split()) <= _MOST_WORDS and not find_quoted(text)


async def about_data_by_meaning(
    text: str, schema: Schema, documents: Sequence[Document], meaning: Embedder
) -> DataQuestion | None:
    """What a message asks about the data. None if it may be a question for SQL.

    Each of its words must be a name that the topic expects or a word that is typical of such questions. Any other word
    may be a value, a filter or a computation.
    """
    if not may_be_about_data_by_meaning(text):
        return None
    named = _Named(text, schema, documents)
    if named.has_more_words or (is_named_enough(text, schema) and not named.spelled):
        return None
    if named.spelled and _COMPUTES.search(text):
        return None
    near = await nearness(named.masked, meaning)
    if near is None or near.to_topic < ABOUT:
        return None
    about = named.as_question(near.topic)
    return DataQuestion(about, language_of(text)) if about is not None else None


class _Named:
    """The names of a schema and its docs that a message contains.

    spelled: columns written as in the schema, with their tables. masked: the message with these columns replaced by the
    examples' placeholder. has_more_words: whether neither a name nor the vocabulary of data questions explains a word.
    """

    def __init__(self, text: str, schema: Schema, documents: Sequence[Document]) -> None:
        said = re.findall(r"\w+", text)
        written, stems = {it.casefold() for it in said}, words(text)
        names = _names_of(schema)
        self.tables = tuple(table for table, own in names.tables if own <= stems)
        self.spelled = tuple(it for name in sorted(written) for it in names.columns.get(name, ()))
        self.masked = re.sub(r"\w+", lambda it: _COLUMN if it[0].casefold() in names.columns else it[0], text)
        terms = (term_of(it.text) for it in documents if it.kind == "rule")
        self.term = next((it for it in terms if it and words(it) <= stems), "")
        explained = frozenset().union(*(own for table, own in names.tables if table in self.tables), words(self.term))
        rest = [it for it in said if it.casefold() not in names.columns and not words(it) <= explained]
        unknown = [it for it in rest if not _is_asking(it.casefold())]
        # If nothing is named, a few chatty words are harmless ("anyway"). A word after "about" is a subject.
        names_nothing = not (self.tables or self.spelled or self.term) and not telling_words(text) & words_of_data(
            schema
        )
        things = (
            it for it in tokens(text) if it.text in unknown and (it.folded != it.singular or not it.text.islower())
        )
        harmless = names_nothing and len(unknown) <= _MOST_UNKNOWN and not any(things)
        self.has_more_words = bool(unknown) and (not harmless or SUBJECT.search(text) is not None)

    def as_question(self, topic: Topic) -> AboutData | None:
        """A question with this topic about these names. None if topic and names do not fit."""
        match topic:
            case Topic.TABLES | Topic.OVERVIEW:
                fits = not (self.tables or self.spelled or self.term)
                return AboutData(topic=topic) if fits else None
            case Topic.SIZES | Topic.FRESHNESS | Topic.KEYS | Topic.COLUMNS:
                return None if self.spelled or self.term else AboutData(topic=topic, tables=self.tables)
            case Topic.DESCRIBE:
                fits = bool(self.tables) and not self.spelled and not self.term
                return AboutData(topic=topic, tables=self.tables) if fits else None
            case Topic.WHERE | Topic.VALUES:
                return AboutData(topic=topic, columns=self.spelled) if self.spelled else None
            case Topic.MEANING | Topic.DEFINED:
                if self.term:
                    return AboutData(topic=topic, term=self.term)
                return AboutData(topic=topic, columns=self.spelled) if self.spelled else None


class _Names(NamedTuple):
    """The tables of a schema with their words, and the columns whose names are not plain words, by name."""

    tables: tuple[tuple[str, frozenset[str]], ...]
    columns: dict[str, tuple[tuple[str, str], ...]]


@IdentityCache
def _names_of(schema: Schema) -> _Names:
    columns: dict[str, tuple[tuple[str, str], ...]] = {}
    for table in schema.tables:
        for column in table.columns:
            if not column.name.isalpha():
                name = column.name.casefold()
                columns[name] = (*columns.get(name, ()), (table.name, column.name))
    tables = ((it.name, words(it.parts[-1])) for it in schema.tables)
    return _Names(tuple((name, own) for name, own in tables if own), columns)


@cache
def _asking_words() -> frozenset[str]:
    """The vocabulary of questions about the data: the words of the examples, and words that name nothing."""
    examples = re.findall(r"\w+", " ".join(line for lines in TOPICS.values() for line in lines).casefold())
    silent = (it.naming_nothing - it.generic for it in FUNCTION_WORDS.values())
    return frozenset(examples).union(*(it.fillers for it in LANGUAGES), *silent)


def _is_asking(word: str) -> bool:
    """Whether a word belongs to this vocabulary or is a misspelling of one that does."""
    from rapidfuzz import fuzz, process

    known = _asking_words()
    if word in known or (len(word) == 1 and word.isalpha()):
        return True
    if len(word) < _LONG:
        return False
    return process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=_ALIKE) is not None
