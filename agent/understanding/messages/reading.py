"""Detects the kind of a question from its words, the schema and the docs, without a model.

In doubt it is a question for SQL, so a wrong guess never withholds an answer from the data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent.understanding.clarification.words.languages import frames_of, is_english
from agent.understanding.messages.kinds import AboutData, Talk, Topic
from agent.understanding.messages.words import LANGUAGES, Cue, Language
from executors.base import Schema
from rag.docs.documents import Document
from rag.linking.fusion import term_of
from rag.words import words

LONGEST = 25  # words; a longer message asks for more than these questions do

_SENTENCE = re.compile(r"[.!?;,:…。！？¡¿\n]+|\s[-–—]\s")
_JOINED = re.compile(r"\s(?:and|but|und|aber|et|mais|y|pero|e|ed|ma|그리고)\s")
_SMILEYS = re.compile(r"[:;]-?[()DP]|[^\w\s'’.!?;,:…。！？¡¿–—-]+")
_WORD = re.compile(r"[\w$#@]+(?:[.'’-][\w$#@]+)*")
_QUOTED = re.compile(r"[\"'`“„«‘]([^\"'`”“»’]+)[\"'`”“»’]")
_NEED_TABLE = frozenset({Topic.DESCRIBE})
_NEED_NAME = frozenset({Topic.MEANING, Topic.DEFINED, Topic.WHERE})
_NO_NAMES = frozenset({Topic.TABLES, Topic.OVERVIEW})
_MOST_UNKNOWN = 3  # most words of an unknown name
SUBJECT = re.compile(
    r"\b(?:about|on|regarding|concerning|over|über|sur|sobre|su|sul|sulla|riguardo)\s+\w", re.IGNORECASE
)
_ALIKE = 85.0  # least similarity of a misspelled table name


class SmallTalk(NamedTuple):
    talk: Talk
    language: str


class DataQuestion(NamedTuple):
    about: AboutData
    language: str


def small_talk(text: str) -> SmallTalk | None:
    """The kind of small talk. None if any sentence of the message is something else.

    Of several kinds, the last one that expects a reply counts: "Thanks! What can you do?" asks for help.
    """
    parts = [" ".join(_SMILEYS.sub(" ", it).split()) for it in _SENTENCE.split(text.casefold())]
    whole = " ".join(parts).strip()
    if not whole or len(whole.split()) > LONGEST:
        return None
    found: list[SmallTalk | None] = []
    for part in filter(None, parts):  # a sentence, or each of its parts: "who are you and what can you do"
        talk = _talk_of(part)
        found += [talk] if talk is not None else [_talk_of(it) for it in _JOINED.split(part)]
    if all(found):
        talks = [it for it in found if it is not None]
        telling = [it for it in talks if it.talk not in {Talk.GREETING, Talk.AGREEMENT}] or talks
        return telling[-1]
    return _talk_of(whole)


def language_of(text: str) -> str:
    """The code of a message's language, detected by function words. English if two are equally likely.

    Short messages have few of them, so this uses more words than the detection for a whole question.
    """
    code = frames_of(text).language
    if code != "en" or is_english(text):
        return code
    spoken = re.findall(r"[^\W\d_]+", text.casefold())
    scores = {it.code: sum(word in it.fillers for word in spoken) for it in LANGUAGES}
    likely = [code for code, score in scores.items() if score == max(scores.values())]
    return likely[0] if len(likely) == 1 else "en"


def _talk_of(sentence: str) -> SmallTalk | None:
    for language in LANGUAGES:
        for talk, looks in language.talk.items():
            if looks.fullmatch(sentence):
                return SmallTalk(talk, language.code)
    return None


def may_be_about_data(text: str) -> bool:
    """Whether a question's words may ask about the data. If so, it is compared with schema and docs."""
    plain = _plain(text)
    return len(plain.split()) <= LONGEST and any(_fits(cue, plain) for it in LANGUAGES for cue in it.cues)


def about_data(text: str, schema: Schema, documents: Sequence[Document]) -> DataQuestion | None:
    """What a question asks about the data that the caller may see. None if it is a question for SQL."""
    if len(text.split()) > LONGEST or re.search(r"\d", _QUOTED.sub(" ", text)):
        return None
    names = _Names(schema, documents)
    plain = _plain(text)
    for language in LANGUAGES:
        for cue in language.cues:
            matches = _fits(cue, plain)
            if not matches or names.are_named(matches) or names.is_column(matches, plain):
                continue
            if about := _read(cue, plain, matches, language, names):
                return DataQuestion(about, language.code)
    return None


def _plain(text: str) -> str:
    return re.sub(r"^\W+|[\s.?!。？！]+$", "", text)


def _fits(cue: Cue, text: str) -> list[re.Match[str]]:
    found = [match for it in cue.patterns if (match := it.search(text))]
    return found if len(found) == len(cue.patterns) else []


def _read(cue: Cue, text: str, matches: Sequence[re.Match[str]], language: Language, names: _Names) -> AboutData | None:
    """The question with its names resolved. None if some of its words are no names, or if names are missing."""
    rest = text
    for match in matches:
        rest = rest[: match.start()] + " " * (match.end() - match.start()) + rest[match.end() :]
    spoken = [it for it in _WORD.findall(rest) if it.casefold() not in language.fillers]
    if language.endings is not None:
        spoken = [language.endings.sub("", it) or it for it in spoken]
        spoken = [it for it in spoken if it not in language.fillers]
    topic = cue.topic
    if not spoken:
        whole = topic in _NO_NAMES or topic in {Topic.COLUMNS, Topic.KEYS, Topic.SIZES, Topic.FRESHNESS}
        return AboutData(topic=topic) if whole else None
    if topic in _NO_NAMES:
        subject = SUBJECT.search(rest) if topic is Topic.TABLES else None  # "which tables are about wells?"
        before = _WORD.findall(rest[: subject.start()]) if subject is not None else spoken
        return None if any(it.casefold() not in language.fillers for it in before) else AboutData(topic=topic)
    found = names.find(spoken)
    if topic is Topic.WHERE and not found.columns and (found.left or not found.tables):
        found = names.find_by_parts(spoken, found)
    if topic in {Topic.COLUMNS, Topic.KEYS, Topic.SIZES, Topic.FRESHNESS} | _NEED_TABLE:
        return AboutData(topic=topic, tables=found.tables) if found.tables and not found.left else None
    if topic in _NEED_NAME and not found.left and (found.columns or found.term or found.tables):
        if topic is Topic.WHERE and not found.columns:
            return None
        return AboutData(topic=topic, tables=found.tables, columns=found.columns, term=found.term)
    return _answer_unknown(cue, spoken, found, names)


def _answer_unknown(cue: Cue, spoken: Sequence[str], found: _Found, names: _Names) -> AboutData | None:
    """A request to define a part of a column's name, or an unknown one. None unless it asks for a definition."""
    asks_for_it = cue.topic is Topic.DEFINED or (cue.topic is Topic.MEANING and len(cue.patterns) > 1)
    if not asks_for_it or len(spoken) > _MOST_UNKNOWN:
        return None
    if found.left and (columns := names.find_by_parts(spoken, found).columns):
        return AboutData(topic=Topic.MEANING, columns=columns)
    nothing = not (found.tables or found.columns or found.term)
    return AboutData(topic=Topic.MEANING, unknown=" ".join(spoken)) if nothing else None


class _Found(NamedTuple):
    """The names found in some words. left: words that name nothing."""

    tables: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    term: str = ""
    left: tuple[str, ...] = ()


class _Names:
    """The names of a database: tables, columns and glossary terms."""

    def __init__(self, schema: Schema, documents: Sequence[Document]) -> None:
        self._schema = schema
        self._terms = {
            words(term): term for it in documents if it.kind == "rule" and (term := term_of(it.text)) and words(term)
        }

    def are_named(self, matches: Iterable[re.Match[str]]) -> bool:
        """Whether a cue's words are a table's whole name: a restaurant may have a table `tables`."""
        spoken = [stem for match in matches for stem in words(match[0])]
        named = {words(table.parts[-1]) for table in self._schema.tables}
        return any(frozenset({stem}) in named for stem in spoken)

    def is_column(self, matches: Iterable[re.Match[str]], text: str) -> bool:
        """Whether a cue is a word of a column that the question names in full: "description of the outcomes"."""
        spoken, cues = words(text), {stem for match in matches for stem in words(match[0])}
        columns = (words(column.name) for table in self._schema.tables for column in table.columns)
        return any(len(own) > 1 and own <= spoken and own & cues for own in columns)

    def find(self, spoken: Sequence[str]) -> _Found:
        """The names among some words. Glossary terms come before tables and columns, whole names before parts."""
        whole = frozenset().union(*(words(it) or {it.casefold()} for it in spoken))
        if term := self._terms.get(whole):
            return _Found(term=term, columns=self._columns(whole, spoken), tables=self._tables(whole))
        exact = self._tables(whole)
        if exact:
            return _Found(tables=exact, columns=self._columns(whole, spoken))
        if columns := self._columns(whole, spoken):
            return _Found(columns=columns)
        if tables := self._several(spoken):
            return self._with_rest(spoken, tables)
        return _Found(tables=near) if (near := self._find_misspelled(spoken)) else _Found(left=tuple(spoken))

    def find_by_parts(self, spoken: Sequence[str], found: _Found) -> _Found:
        """The columns that some words name in part: `monthly_fee` for "the fee of a plan". Otherwise `found`."""
        parts = found.left or spoken
        stems = frozenset().union(*(words(it) for it in parts))
        columns = tuple(
            (table.name, column.name)
            for table in self._schema.tables
            for column in table.columns
            if stems and stems <= words(column.name) and (not found.tables or table.name in found.tables)
        )
        return _Found(tables=found.tables, columns=columns, term=" ".join(parts)) if columns else found

    def _tables(self, stems: frozenset[str]) -> tuple[str, ...]:
        """The tables whose whole name is these words."""
        return tuple(it.name for it in self._schema.tables if words(it.parts[-1]) == stems or words(it.name) == stems)

    def _columns(self, stems: frozenset[str], spoken: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The columns named by these words, alone or with their table: `orders.status`, "status of orders"."""
        found = [
            (table.name, column.name)
            for table in self._schema.tables
            for column in table.columns
            if words(column.name) == stems or (len(spoken) > 1 and words(f"{table.parts[-1]} {column.name}") == stems)
            or f"{table.name}.{column.name}".casefold() in {it.casefold() for it in spoken}
        ]  # fmt: skip
        return tuple(found)

    def _several(self, spoken: Sequence[str]) -> tuple[str, ...]:
        """The tables named among other words, longest names first."""
        stems = frozenset().union(*(words(it) for it in spoken))
        found = sorted(
            (it for it in self._schema.tables if words(it.parts[-1]) and words(it.parts[-1]) <= stems),
            key=lambda it: -len(words(it.parts[-1])),
        )
        found_tables: list[str] = []
        taken: frozenset[str] = frozenset()
        for table in found:
            own = words(table.parts[-1])
            if not own <= taken:
                found_tables.append(table.name)
                taken |= own
        return tuple(found_tables)

    def _with_rest(self, spoken: Sequence[str], tables: tuple[str, ...]) -> _Found:
        taken = frozenset().union(*(words(name.rpartition(".")[2]) for name in tables))
        left = tuple(it for it in spoken if not words(it) <= taken)
        if not left:
            return _Found(tables=tables)
        stems = frozenset().union(*(words(it) for it in left))
        columns = tuple(it for it in self._columns(stems, left) if it[0] in tables)
        return _Found(tables=tables, columns=columns) if columns else _Found(tables=tables, left=left)

    def _find_misspelled(self, spoken: Sequence[str]) -> tuple[str, ...]:
        from rapidfuzz import fuzz, process

        names = {it.parts[-1].casefold(): it.name for it in self._schema.tables}
        written = "_".join(spoken).casefold()
        found = process.extractOne(written, list(names), scorer=fuzz.ratio, score_cutoff=_ALIKE)
        return (names[found[0]],) if found and len(written) > 3 else ()
