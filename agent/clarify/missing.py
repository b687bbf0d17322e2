"""Questions about things that a database does not hold: which thing that is, and what could be asked instead.

Only English questions over a schema that speaks, for a name that says nothing may be a name of anything. The words of
names, docs, comments, samples, linked values and the session are known; what is asked for is missing where it is a
kind of thing of which no name is a word, or where its words are known to nobody and near in meaning to nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from agent.clarify.asked import Asked, text_of
from agent.clarify.choice import Choice, Clarification
from agent.clarify.languages import is_english, listed
from agent.suggest import suggestions
from executors.base import Schema
from rag.documents import Document
from rag.errors import RetrievalError
from rag.fusion import term_of
from rag.remembered import Remembered
from rag.words import is_silent, split_name, stem_of, tokens, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rag.embedder import Embedder

PATIENCE_S = 5.0  # for the embedder; where it takes longer, nobody can tell
FAR = 0.36  # cosine under which a phrase has nothing to do with a name; synonyms seldom fall under it
_TABLES_TOLD = 6
_MOST_TERMS = 600  # embedded once for a schema: seconds, on one core; a larger one has some word for anything
_ALIKE, _BEGINNING = 84.0, 5
_PHRASE = 3  # words of what is asked for
_CUES = (
    r"\bhow many\s+",
    r"\b(?:the\s+)?(?:total\s+)?number of\s+(?:all\s+)?",
    r"\b(?:average|mean|median|total|highest|lowest|maximum|minimum|avg|sum of(?: all)?)\s+(?:the\s+)?",
    r"(?:^|[.;:?!]\s+|\b(?:please|you)\s+)(?:list|show(?:\s+me)?|give\s+me|display|name|find|count)\s+"
    r"(?:(?:all|the|our|every)\s+)*",
    r"\bwhich\s+",
    r"\bwho\s+(?:is|are|was|were)\s+(?:our|the)\s+",
    r"\bwhat\s+(?:is|are|was|were)\s+(?:our|the)\s+",
)
_CUE = re.compile("|".join(_CUES), re.IGNORECASE)
_STOPS = words(
    "above across against along around away back behind below beyond despite down except inside near off onto out over"
    " past through throughout toward up upon via versus will would should could must may might shall ever never still"
    " already yet there here today yesterday not now currently made make makes sold get gets got exist exists"
)
# What can be computed of anything, or says nothing of what it is: neither known nor missing.
_GENERIC = words(
    "average mean median total number sum count amount value size length duration time delay age growth rate ratio"
    " share percentage percent change difference distribution trend result results data record records row rows entry"
    " entries"
    " item items thing things kind kinds type types one ones list name names year years month months week weeks day"
    " days hour hours weekday weekdays"
    " quarter quarters date dates times period people person details information info overview summary"
    " statistics stat figures top best worst most least highest lowest largest smallest biggest first last next new old"
    " different distinct unique single other same profit margin gap combination pair group range level cumulative"
    " information table tables column columns database field fields question answer way ways case cases part parts"
)


async def missing_data(asked: Asked, embedder: Embedder | None) -> Clarification | None:
    """What the question asks for, where the database has nothing like it.

    Args:
        asked: the question.
        embedder: where vectors are in use for this database; without it only the known kinds of things are told.
    """
    if not is_english(asked.text) or not _speaks(asked.schema):
        return None
    for phrase in asked_for(asked.text):
        if await _is_missing(asked, phrase, embedder):
            return _missing(asked, phrase)
    return None


def asked_for(question: str) -> list[str]:
    """The things that a question asks for, each as its last few words: after `how many`, `average`, `list` and such."""
    found: list[str] = []
    for match in _CUE.finditer(question):
        said: list[str] = []
        rest = question[match.end() :]
        end = 0
        for word in tokens(rest):
            between = rest[end : word.start]
            if is_silent(word) or stem_of(word) in _STOPS or (said and between.strip()) or len(said) == _PHRASE:
                break
            if not word.text.isalpha() or word.text[:1].isupper():
                said = []  # a number, a name, or an abbreviation, which may stand for anything
                break
            said.append(word.text)
            end = word.end
            if word.folded != word.singular:
                break  # the plural is what is counted; after it comes what is said of it
        if match[0].casefold().lstrip().startswith("wh"):
            # What can be computed is asked for in these words, too ("which weekday"): only a kind of thing is missed,
            # of which the plain form may stand before what it does ("which supplier delivers").
            said = said[:1] if said and _related(said[0]) else said if said and _related(said[-1]) else []
        if said:
            found.append(" ".join(said))
    return list(dict.fromkeys(found))


async def _is_missing(asked: Asked, phrase: str, embedder: Embedder | None) -> bool:
    parts = [it for it in tokens(phrase) if stem_of(it) not in _GENERIC]
    if not parts or parts[-1].folded != tokens(phrase)[-1].folded:
        return False  # what is asked for is a number of something, or nothing that one could miss
    known = _known_words(asked)
    head = parts[-1].folded
    if _is_known(head, known):
        return False
    related = _related(head)
    if related:
        named = asked.names | words(" ".join(term_of(it.text) for it in asked.context.known))
        return not any(_is_known(word, named, loosely=False) for word in related)
    if any(_is_known(it.folded, known) for it in parts) or embedder is None:
        return False
    return await _is_far([phrase, head], asked, embedder)


def _known_words(asked: Asked) -> frozenset[str]:
    """The stems of all that the schema, its docs and samples, the linked values and the session say."""
    texts = [asked.said, *(f"{it.said} {it.value}" for it in asked.context.linked.values)]
    return _words_of(asked.schema) | _words_in(asked.context.known) | words(" ".join(texts))


@Remembered
def _words_in(documents: tuple[Document, ...]) -> frozenset[str]:
    return words(text_of(documents))


@Remembered
def _words_of(schema: Schema) -> frozenset[str]:
    texts: list[str] = []
    for table in schema.tables:
        texts += [table.name, table.comment]
        for column in table.columns:
            texts += [column.name, column.comment, *(() if column.private else column.samples)]
    return words(" ".join(texts))


def _is_known(word: str, known: frozenset[str], *, loosely: bool = True) -> bool:
    """Whether a word, or a form of it, is among the known ones; loosely, a piece or a misspelling counts as well."""
    stem = next(iter(words(word)), word)
    if stem in known:
        return True
    begins = len(stem) >= _BEGINNING and any(it.startswith(stem[:_BEGINNING]) for it in known)
    if not loosely or begins or len(stem) < _BEGINNING - 1:
        return begins
    from rapidfuzz import fuzz, process

    pieces = any((stem in it or it in stem) for it in known if len(it) >= _BEGINNING - 1)
    return pieces or process.extractOne(stem, known, scorer=fuzz.ratio, score_cutoff=_ALIKE) is not None


@cache
def _concepts() -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """The kinds of things: the stems that ask for one, and all words that may stand for it."""
    lines = (Path(__file__).parent / "concepts.txt").read_text(encoding="utf-8").splitlines()
    kinds = [line.partition("|") for line in lines if line.strip() and not line.startswith("#")]
    return tuple((words(own), tuple({*own.split(), *others.split()})) for own, _, others in kinds)


def _related(word: str) -> set[str]:
    """All words for the kinds of things that a word asks for; none where it is no known kind."""
    stem = next(iter(words(word)), word)
    return {other for own, others in _concepts() if stem in own for other in others}


@Remembered
def _speaks(schema: Schema) -> bool:
    """Whether most names of tables are words, and no codes."""
    names = [split_name(table.parts[-1]) for table in schema.tables]
    spoken = [any(len(it) > 3 and re.search("[aeiouy]", it) for it in name.split()) for name in names]
    return bool(names) and sum(spoken) * 2 > len(spoken)


# -- meaning ---------------------------------------------------------------------------------------------------------


class _Terms:
    """The vectors of what a database is about, for the schema and docs that were last asked about."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[tuple[str, ...], NDArray[np.float64]]] = {}

    def vectors(self, terms: tuple[str, ...], database: str, embedder: Embedder) -> NDArray[np.float64]:
        """A row for each term; blocks. Raises EmbedderUnavailable."""
        import numpy as np

        key = (database, embedder.name)
        kept = self._kept.get(key)
        if kept is None or kept[0] != terms:
            kept = self._kept[key] = (terms, np.asarray(embedder.embed(terms), dtype=np.float64))
        return kept[1]


_TERMS = _Terms()


async def _is_far(phrases: Sequence[str], asked: Asked, embedder: Embedder) -> bool:
    """Whether no phrase is near in meaning to anything that the database is about; False where nobody can tell."""
    terms = tuple(dict.fromkeys(_terms_of(asked)))
    if len(terms) > _MOST_TERMS:
        return False

    def nearest() -> float:
        import numpy as np

        about = _TERMS.vectors(terms, asked.schema.database, embedder)
        return float((np.asarray(embedder.embed(phrases)) @ about.T).max())

    try:
        async with asyncio.timeout(PATIENCE_S):
            return await asyncio.to_thread(nearest) < FAR
    except (RetrievalError, TimeoutError):
        return False


def _terms_of(asked: Asked) -> Iterable[str]:
    for table in asked.schema.tables:
        yield split_name(table.parts[-1])
        for column in table.columns:
            yield split_name(column.name)
            yield from () if column.private else column.samples
    yield from filter(None, (term_of(it.text) for it in asked.context.known if it.kind == "rule"))


def _missing(asked: Asked, phrase: str) -> Clarification:
    ranked = [it.table for it in asked.context.linked.ranking.tables]
    names = list(dict.fromkeys([*ranked, *(table.name for table in asked.schema.tables)]))
    questions = suggestions(asked.schema, tuple(ranked))
    frames = asked.frames
    about = ", ".join(name.replace("_", " ") for name in names[:_TABLES_TOLD])
    text = frames.missing.format(said=phrase, tables=about + (", …" if len(names) > _TABLES_TOLD else ""))
    return Clarification(
        reason="missing_data",
        text=listed(f"{text} {frames.instead}", list(questions)),
        choices=tuple(Choice(label=question, question=question) for question in questions),
        assumption=f"Nothing in this database seems to be about “{phrase}”.",
    )
