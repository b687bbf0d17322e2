"""Schema linking: what of a schema, and which stored values, a question is about.

What the index found near the question and near its phrases (dense), the words that names, docs and samples share with
it (lexical), the documents retrieved for it, and the values that it spells out: each is a ranking of columns, and ranks
are what is fused. Nothing here is tuned to a model's scores.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, get_args

from executors.base import Frozen, Schema
from rag.documents import Document, Retrieved
from rag.fusion import Glossary
from rag.lexical import TABLE, LexicalIndex, column_scores
from rag.lexical import table_scores as lexical_table_scores
from rag.schema_ranking import Name, Ranking, document_scores, fuse_rankings
from rag.values import LinkedValue, StoredValues, ValueIndex, quoted
from rag.words import words

Signal = Literal["dense", "lexical", "documents", "values"]
EVERY_SIGNAL: frozenset[Signal] = frozenset(get_args(Signal))

MAX_VALUES, MAX_OFFERS = 12, 6  # shown: more of them say less
LEAST_MEANT = 0.5  # cosine from which a value may be what a phrase means
_COLUMNS_EACH, _OFFERS_EACH = 3, 2  # columns that hold what was said, and that hold what it may mean
_VALUES_EACH = 2  # of a column, for one said
_WORD_CHARS = 5  # of a word all in capitals; shorter ones are abbreviations, whose vectors say nothing
_RELEVANT = 20  # tables in which values are looked for that say little by themselves
_SURE = 0.5  # score from which a value says something about its table


class NearColumn(Frozen):
    """A column, or a table where `column` is empty, whose passage is near to a text; `score` is the cosine."""

    table: str
    column: str
    score: float


class NearValue(Frozen):
    """A stored value that is near in meaning to words of the question; `score` is the cosine."""

    table: str
    column: str
    value: str
    said: str
    score: float


class Near(Frozen):
    """What an index of vectors found.

    question: columns near the whole question.
    phrases: for each of its phrases, the columns near that.
    values: near a phrase.
    warnings: why there is less, where there is.
    """

    question: tuple[NearColumn, ...] = ()
    phrases: tuple[tuple[NearColumn, ...], ...] = ()
    values: tuple[NearValue, ...] = ()
    warnings: tuple[str, ...] = ()


class Linked(Frozen):
    """What a question is about: tables and columns, best first, and stored values, surest first.

    rules: those that explain a term of the question, and were not among the retrieved documents.
    """

    ranking: Ranking = Ranking()
    values: tuple[LinkedValue, ...] = ()
    rules: tuple[Document, ...] = ()


class SchemaLinker:
    """Links questions to one schema; made once for a schema, its docs and its values.

    Args:
        schema: what can be asked of.
        documents: all docs; of rules, those that explain a term of the question are heard.
        stored: distinct values of text columns; never of private ones.
    """

    def __init__(self, schema: Schema, documents: Iterable[Document] = (), stored: Iterable[StoredValues] = ()) -> None:
        self._schema = schema
        documents = tuple(documents)
        self._lexical = LexicalIndex(schema, documents)
        self._glossary = Glossary(documents)
        self._values = ValueIndex(stored, names=self._lexical.names)

    def link(
        self,
        question: str,
        *,
        near: Near = Near(),  # noqa: B008  immutable
        relevant: Sequence[Retrieved] = (),
        signals: Collection[Signal] = EVERY_SIGNAL,
    ) -> Linked:
        """What the question is about. Depends on nothing but the arguments, in every order of ties.

        Args:
            question: as asked.
            near: what an index of vectors found; empty where there is none.
            relevant: documents that retrieval found: what they are about, or mention, is near the question, and values
                that a rule spells out are looked up, too.
            signals: which of them are heard; all but for measuring.
        """
        known = {hit.document.id for hit in relevant}
        if "documents" in signals:
            relevant = self._glossary.with_terms(question, relevant)
        rankings: list[tuple[dict[Name, float], dict[str, float] | None, float]] = []
        if "dense" in signals:
            rankings.append((_near_scores(near.question), None, 1.0))
            rankings += [(_near_scores(phrase), None, 1.0 / len(near.phrases)) for phrase in near.phrases]
        if "lexical" in signals:
            rankings.append((*self._lexical_scores(question), 1.0))
        if "documents" in signals:
            rankings.append((document_scores(self._schema, relevant), None, 1.0))
        found: list[LinkedValue] = []
        if "values" in signals:
            found = self._values.find(question)
            rankings.append((_value_scores([*found, *self._by_meaning(near)]), None, 1.0))
        ranking = fuse_rankings(rankings)
        return Linked(
            ranking=ranking,
            values=self._chosen(found, near, relevant, ranking) if "values" in signals else (),
            rules=tuple(hit.document for hit in relevant if hit.document.id not in known),
        )

    def _lexical_scores(self, question: str) -> tuple[dict[Name, float], dict[str, float]]:
        found = self._lexical.search(question)
        tables = self._schema.tables
        columns = {
            (tables[table].name, tables[table].columns[column].name): score
            for (table, column), score in column_scores(found).items()
            if column != TABLE
        }
        return columns, {tables[table].name: score for table, score in lexical_table_scores(found).items()}

    def _chosen(
        self, found: Sequence[LinkedValue], near: Near, relevant: Sequence[Retrieved], ranking: Ranking
    ) -> tuple[LinkedValue, ...]:
        """The values that are shown: sure ones before offers, and of each said the columns the question is about."""
        places = {ranked.table: place for place, ranked in enumerate(ranking.tables)}

        def place(value: LinkedValue) -> int:
            return places.get(value.table, len(places))

        sure = [it for it in [*found, *self._in_rules(relevant)] if it.is_sure]
        sure = [it for it in sure if it.score >= _SURE or place(it) < _RELEVANT]
        best: dict[str, int] = {}  # by what was said: the best place of a table that surely holds it
        for value in sure:
            best[value.said.casefold()] = min(best.get(value.said.casefold(), len(places)), place(value))
        offers = [
            it
            for it in [*(it for it in found if not it.is_sure), *self._by_meaning(near)]
            if place(it) < min(_RELEVANT, best.get(it.said.casefold(), _RELEVANT))
        ]
        order = [*_of_each_said(sure, place, _COLUMNS_EACH), *_of_each_said(offers, place, _OFFERS_EACH)[:MAX_OFFERS]]
        return tuple({(it.table, it.column, it.value): it for it in reversed(order[:MAX_VALUES])}.values())[::-1]

    def _in_rules(self, relevant: Sequence[Retrieved]) -> list[LinkedValue]:
        """Values that the question's rules have in quotes: `status = 'success'`."""
        rules = [hit.document.text for hit in relevant if hit.document.kind == "rule"]
        return [value for rule in rules for said in quoted(rule) for value in self._values.find(said) if value.is_sure]

    def _by_meaning(self, near: Near) -> list[LinkedValue]:
        """What is near in meaning to words that name nothing in the schema, and are no numbers or abbreviations."""
        return [
            LinkedValue(how="meaning", **value.model_dump())
            for value in near.values
            if value.score >= LEAST_MEANT
            and not any(character.isdigit() for character in value.said)
            and not (value.said.isupper() and len(value.said) < _WORD_CHARS)
            and not words(value.said) <= self._lexical.names
        ]


def _of_each_said(
    values: Sequence[LinkedValue], place: Callable[[LinkedValue], int], columns_each: int
) -> list[LinkedValue]:
    """Of each said the values in so many columns, in tables the question is about first; the surest said first."""
    by_said: dict[str, list[LinkedValue]] = defaultdict(list)
    for value in values:
        by_said[value.said.casefold()].append(value)
    kept: list[LinkedValue] = []
    for one in by_said.values():
        columns: dict[Name, int] = {}
        for value in sorted(one, key=lambda it: (_is_within(it), place(it), -it.score, it.table, it.column, it.value)):
            name = (value.table, value.column)
            if name in columns or len(columns) < columns_each:
                columns[name] = columns.get(name, 0) + 1
                kept += [value] if columns[name] <= _VALUES_EACH else []
    return sorted(kept, key=lambda it: (-it.score, place(it), it.table, it.column, it.value))


def _is_within(value: LinkedValue) -> bool:
    """Whether a value is only a part of the time that was said; the columns that hold it as such come first."""
    return value.how == "date" and value.score < 1


def _near_scores(near: Sequence[NearColumn]) -> dict[Name, float]:
    return {(hit.table, hit.column): hit.score for hit in near}


def _value_scores(found: Sequence[LinkedValue]) -> dict[Name, float]:
    """Of each column the values that the question spells out in it; one that many tables hold says less of each."""
    holders: dict[str, set[str]] = defaultdict(set)
    for value in found:
        holders[value.said].add(value.table)
    best: dict[tuple[Name, str], float] = {}
    for value in found:
        if value.score >= _SURE:
            says = value.score / math.sqrt(len(holders[value.said]))
            key = (value.table, value.column), value.said
            best[key] = max(best.get(key, 0.0), says)
    scores: dict[Name, float] = defaultdict(float)
    for (name, _), says in best.items():
        scores[name] += says
    return scores
