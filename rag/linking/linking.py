"""Schema linking: the parts of a schema, and the stored values, that a question is about.

There are four kinds of evidence: what the index found near the question and its phrases (dense), the words shared with
names, docs and samples (lexical), the documents retrieved, and the values that the question contains. Each ranks
columns, and only ranks are fused. Nothing here is tuned to a model's scores.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain, islice
from typing import Literal, NamedTuple, get_args

from executors.base import Frozen, Schema
from rag.docs.documents import Document, Retrieved, descriptions_of
from rag.linking.dates import periods_in
from rag.linking.fusion import Glossary
from rag.linking.relative_dates import relative_periods
from rag.linking.schema_ranking import Name, Opinion, Ranking, document_scores, fuse_rankings, opinion
from rag.linking.values import LinkedValue, StoredValues, ValueIndex, by_mention, find_quoted, places_meant
from rag.words import stem_of, telling_words, tokens, words

# The weight of a word by its place. People ask for names; a description or a stored value may use the word in passing.
_NAME, _TEXT = 1.0, 0.6
_PIECE = 0.5  # a word that is only a part of a name (`order` in `salesorders`), or that the name abbreviates (`qty`)
_GRAM = 4  # least letters of such a part; shorter ones occur in any name by chance
_SHORT = range(3, 6)  # letters of an abbreviation
_POSTINGS = 5000  # read per text, rarest words first, because words in all columns are uninformative

TABLE = -1  # column index for the table itself

Place = tuple[int, int]  # table and column, as positions in the schema


class LexicalIndex:
    """The words of a schema, its docs and samples as an inverted index: each word with the places that contain it.

    A search reads only the postings of the question's words, so it takes hardly longer for more tables.
    """

    def __init__(self, schema: Schema, documents: Iterable[Document] = ()) -> None:
        self._tables = max(len(schema.tables), 1)
        self._postings: dict[str, dict[Place, float]] = defaultdict(dict)
        self.names: set[str] = set()
        for place, name, texts in _entries(schema, documents):
            own = words(name)
            self.names |= own
            for word in own:
                self._postings[word][place] = _NAME
            for text in texts:
                for word in words(text) - own:
                    self._postings[word].setdefault(place, _TEXT)
        self._holding: dict[str, list[str]] = defaultdict(list)  # by four letters: the words of names that contain them
        self._short: dict[str, list[str]] = defaultdict(list)  # by first letter: short words of names
        for name in sorted(self.names):
            for gram in {name[at : at + _GRAM] for at in range(len(name) - _GRAM + 1)}:
                self._holding[gram].append(name)
            if len(name) in _SHORT:
                self._short[name[0]].append(name)

    def search(self, text: str) -> dict[str, dict[Place, float]]:
        """For each informative word of a text, the places that contain it, with rarity times weight."""
        written = {stem_of(word): word.folded for word in tokens(text)}
        holding = {term: [term, *self._alike(term, written.get(term, term))] for term in sorted(telling_words(text))}
        counts = {term: sum(len(self._postings.get(name, ())) for name in names) for term, names in holding.items()}
        weights: dict[str, dict[Place, float]] = {}
        left = _POSTINGS
        for term in sorted(holding, key=lambda term: (counts[term], term)):
            if counts[term] and left > 0:
                places = self._places(holding[term], left)
                rarity = math.log1p(self._tables / len({table for table, _ in places}))
                weights[term] = {place: rarity * worth for place, worth in places.items()}
                left -= counts[term]
        return weights

    def _places(self, names: Sequence[str], most: int) -> dict[Place, float]:
        """The places of a word, the first of `names`. Parts of names and abbreviations have less weight."""
        places = dict(islice(self._postings.get(names[0], {}).items(), most))
        for name in names[1:]:
            for place, worth in islice(self._postings[name].items(), most):
                if worth == _NAME and places.get(place, 0.0) < _PIECE:
                    places[place] = _PIECE
        return places

    def _alike(self, term: str, word: str) -> list[str]:
        alike: list[str] = []
        if len(term) >= _GRAM:
            grams = (term[at : at + _GRAM] for at in range(len(term) - _GRAM + 1))
            candidates: Collection[str] = min((self._holding.get(gram, []) for gram in grams), key=len)
            alike = [name for name in candidates if term in name and name != term]
        if len(word) > max(_SHORT):
            alike += [name for name in self._short.get(word[0], []) if name != term and _shortens(name, word)]
        return alike


def column_scores(
    found: Mapping[str, Mapping[Place, float]], tables: Collection[int] | None = None
) -> dict[Place, float]:
    """The summed scores of each column that contains a word. Args: tables: only these. None: all."""
    scores: dict[Place, float] = defaultdict(float)
    for places in found.values():
        for place, says in places.items():
            if place[1] != TABLE and (tables is None or place[0] in tables):
                scores[place] += says
    return scores


def lexical_table_scores(found: Mapping[str, Mapping[Place, float]]) -> dict[int, float]:
    """The score of each table from its name, docs and columns. Each word counts once, with its highest score."""
    scores: dict[int, float] = defaultdict(float)
    for places in found.values():
        best: dict[int, float] = {}
        for (table, _), says in places.items():
            if says > best.get(table, 0.0):
                best[table] = says
        for table, says in best.items():
            scores[table] += says
    return scores


def _entries(schema: Schema, documents: Iterable[Document]) -> Iterable[tuple[Place, str, Sequence[str]]]:
    """Each table and column with its name and descriptions."""
    descriptions = descriptions_of(documents)
    for at, table in enumerate(schema.tables):
        own = table.name.lower()
        yield (at, TABLE), table.parts[-1], [table.comment, *descriptions.get((own, ""), ())]
        for position, column in enumerate(table.columns):
            samples = () if column.private else column.samples
            texts = [column.comment, *descriptions.get((own, column.name.lower()), ()), *samples]
            yield (at, position), column.name, texts


def _shortens(name: str, word: str) -> bool:
    """Whether a name abbreviates a longer word, such as `emp`, `dept` or `qty`. The first letters must be equal."""
    letters = iter(word)
    return all(letter in letters for letter in name)


Signal = Literal["dense", "lexical", "documents", "values"]
EVERY_SIGNAL: frozenset[Signal] = frozenset(get_args(Signal))

MAX_VALUES, MAX_OFFERS = 12, 6  # shown; further ones add little
LEAST_MEANT = 0.5  # least cosine of a value that a phrase may mean
_COLUMNS_EACH, _OFFERS_EACH = 3, 2  # columns per mention: for sure values, and for offered ones
_VALUES_EACH = 2  # per column and mention
_WORD_CHARS = 5  # least letters of a word in all capitals; shorter ones are abbreviations with uninformative vectors
_RELEVANT = 20  # tables that are searched for values of low score
_PERIOD_TABLES, _PERIOD_COLUMNS = 5, 2  # most tables with dates, and date columns of each, for a time in the question
_DATE_TYPE = re.compile(r"date|time", re.IGNORECASE)
_SURE = 0.5  # least score of a value that is evidence for its table


class NearColumn(NamedTuple):
    """A column whose passage is near a text, or a table if `column` is empty. `score` is the cosine."""

    table: str
    column: str
    score: float


class NearValue(NamedTuple):
    """A stored value that is near in meaning to words of the question. `score` is the cosine."""

    table: str
    column: str
    value: str
    mention: str
    score: float


@dataclass(frozen=True)
class Near:
    """The results of a vector index.

    question: columns near the whole question.
    phrases: for each phrase, the columns near it.
    values: values near a phrase.
    warnings: why results are missing, if any are.
    """

    question: tuple[NearColumn, ...] = ()
    phrases: tuple[tuple[NearColumn, ...], ...] = ()
    values: tuple[NearValue, ...] = ()
    warnings: tuple[str, ...] = ()


NOTHING_NEAR = Near()


class LinkedPeriod(Frozen):
    """A day, month, quarter or year in the question, for date and time columns. Their values are not read.

    mention: the question's own words.
    first, last, after: its first and last day, and the day after that, in ISO 8601.
    columns: date columns in the tables that the question is about, likeliest first: table and column.
    """

    mention: str
    first: str
    last: str
    after: str
    columns: tuple[tuple[str, str], ...]


class Linked(Frozen):
    """What a question is about: tables and columns, best first, and stored values, surest first.

    periods: times in the question, for the date columns that it may be about.
    rules: those that define a term of the question and were not among the retrieved documents.
    """

    ranking: Ranking = Ranking()
    values: tuple[LinkedValue, ...] = ()
    periods: tuple[LinkedPeriod, ...] = ()
    rules: tuple[Document, ...] = ()


class SchemaLinker:
    """Links questions to one schema. It is created once for a schema, its docs and its values, except private ones.
    Only rules that define a term of the question are used."""

    def __init__(self, schema: Schema, documents: Iterable[Document] = (), stored: Iterable[StoredValues] = ()) -> None:
        self._schema = schema
        self._names = [table.name for table in schema.tables]
        documents = tuple(documents)
        self._lexical = LexicalIndex(schema, documents)
        self._glossary = Glossary(documents)
        held = [it for it in stored if _has_public(schema, it.table, it.column)]
        self._values = ValueIndex(held, names=self._lexical.names)

    def link(
        self,
        question: str,
        *,
        near: Near = NOTHING_NEAR,
        relevant: Sequence[Retrieved] = (),
        signals: Collection[Signal] = EVERY_SIGNAL,
        today: date | None = None,
    ) -> Linked:
        """What the question is about. The result depends only on the arguments, including the order of ties.

        The subjects of the relevant documents count as near the question, and values quoted in rules are looked up too.
        `today` is the reference for `last month`; without it, such times are ignored.
        """
        known = {hit.document.id for hit in relevant}
        if "documents" in signals:
            relevant = self._glossary.with_terms(question, relevant)
        opinions: list[Opinion] = []
        if "dense" in signals:
            opinions.append(opinion(_near_scores(near.question)))
            opinions += [opinion(_near_scores(phrase), 1.0 / len(near.phrases)) for phrase in near.phrases]
        if "lexical" in signals:
            opinions.append(self._by_words(question))
        if "documents" in signals:
            opinions.append(opinion(document_scores(self._schema, relevant)))
        found: list[LinkedValue] = []
        if "values" in signals:
            found = self._values.find(question)
            opinions.append(opinion(_value_scores([*found, *self._by_meaning(near)])))
        ranking = fuse_rankings(opinions)
        return Linked(
            ranking=ranking,
            values=self._choose(question, found, near, relevant, ranking) if "values" in signals else (),
            periods=self._periods(question, ranking, today),
            rules=tuple(hit.document for hit in relevant if hit.document.id not in known),
        )

    def _by_words(self, question: str) -> Opinion:
        found = self._lexical.search(question)
        found_tables = lexical_table_scores(found)
        tables = {self._names[table]: score for table, score in found_tables.items()}

        def columns(among: Collection[str]) -> dict[Name, float]:
            scores = column_scores(found, {table for table in found_tables if self._names[table] in among})
            return {
                (self._names[table], self._schema.tables[table].columns[column].name): score
                for (table, column), score in scores.items()
            }

        return Opinion(tables, columns)

    def _choose(
        self,
        question: str,
        found: Sequence[LinkedValue],
        near: Near,
        relevant: Sequence[Retrieved],
        ranking: Ranking,
    ) -> tuple[LinkedValue, ...]:
        """The values to show: sure ones before offers, and for each mention the columns that the question is about."""
        places = {ranked.table: place for place, ranked in enumerate(ranking.tables)}

        def place(value: LinkedValue) -> int:
            return places.get(value.table, len(places))

        spelled = places_meant([it for it in found if it.is_sure], question)
        sure = [*spelled, *(it for it in self._in_rules(relevant) if it.is_sure)]
        sure = [it for it in sure if it.score >= _SURE or place(it) < _RELEVANT]
        best: dict[str, int] = {}  # by mention: the best place of a table that surely contains it
        for value in sure:
            best[value.mention.casefold()] = min(best.get(value.mention.casefold(), len(places)), place(value))
        meant = [it for it in self._by_meaning(near) if not self._is_explained(it.mention, [*sure, *found])]
        offers = [
            it
            for it in [*(it for it in found if not it.is_sure), *meant]
            if place(it) < min(_RELEVANT, best.get(it.mention.casefold(), _RELEVANT))
        ]
        order = [
            *_of_each_mention(sure, place, _COLUMNS_EACH),
            *_of_each_mention(offers, place, _OFFERS_EACH)[:MAX_OFFERS],
        ]
        once = {(it.table, it.column, it.value): it for it in reversed(order[:MAX_VALUES])}
        return tuple(reversed(once.values()))

    def _periods(self, question: str, ranking: Ranking, today: date | None) -> tuple[LinkedPeriod, ...]:
        """The question's times, if a table that it is about has date columns."""
        counted = relative_periods(question, today) if today is not None else []
        periods = {period.mention: period for period in (*periods_in(question), *counted) if period.last < date.max}
        columns = self._date_columns(ranking) if periods else ()
        return tuple(
            LinkedPeriod(
                mention=mention,
                first=period.first.isoformat(),
                last=period.last.isoformat(),
                after=(period.last + timedelta(days=1)).isoformat(),
                columns=columns,
            )
            for mention, period in periods.items()
            if columns
        )

    def _date_columns(self, ranking: Ranking) -> tuple[Name, ...]:
        places = {(ranked.table, ranked.column): place for place, ranked in enumerate(ranking.columns)}
        found: list[list[Name]] = []
        for ranked in ranking.tables[:_RELEVANT]:
            table = self._schema.table(ranked.table)
            dated = [it for it in table.columns if _DATE_TYPE.search(it.type) and not it.private] if table else []
            names = [(ranked.table, column.name) for column in dated]
            found += [sorted(names, key=lambda name: places.get(name, len(places)))[:_PERIOD_COLUMNS]] if names else []
        return tuple(chain.from_iterable(found[:_PERIOD_TABLES]))

    def _in_rules(self, relevant: Sequence[Retrieved]) -> list[LinkedValue]:
        """Values in quotes in the question's rules: `status = 'success'`."""
        rules = [hit.document.text for hit in relevant if hit.document.kind == "rule"]
        return [
            value
            for rule in rules
            for mention in find_quoted(rule)
            for value in self._values.find(mention)
            if value.is_sure
        ]

    def _by_meaning(self, near: Near) -> list[LinkedValue]:
        """Values near in meaning to words that may mean a value."""
        return [
            LinkedValue(value.table, value.column, value.value, value.mention, "meaning", value.score)
            for value in near.values
            if value.score >= LEAST_MEANT
            and _has_public(self._schema, value.table, value.column)
            and self.may_mean(value.mention)
        ]

    def _is_explained(self, mention: str, spelled: Sequence[LinkedValue]) -> bool:
        """Whether values with the same or similar spelling, and names of the schema, explain all of the words.

        For example "neutral heroes", "good female heroes", or "blonde hair" if 'Blond' is stored.
        """
        own, held = words(mention), [words(it.mention) for it in spelled]
        rest = own - self._lexical.names
        return rest <= frozenset().union(*held) and (rest < own or own not in held)

    def may_mean(self, mention: str) -> bool:
        """Whether words may mean a value with another spelling: they are no name of the schema and have no number."""
        is_short = mention.isupper() and len(mention) < _WORD_CHARS  # an abbreviation
        return not (is_short or any(map(str.isdigit, mention)) or words(mention) <= self._lexical.names)


def _has_public(schema: Schema, table: str, column: str) -> bool:
    """Whether values of a column may be shown. A column that was indexed before may be gone or private now."""
    owner = schema.table(table)
    found = owner.column(column) if owner is not None else None
    return found is not None and not found.private


def _of_each_mention(
    values: Sequence[LinkedValue], place: Callable[[LinkedValue], int], columns_each: int
) -> list[LinkedValue]:
    """For each mention, values in up to `columns_each` columns, relevant tables first. Surest mentions come first."""
    chosen: list[LinkedValue] = []
    for one in by_mention(values):
        columns: dict[Name, int] = {}
        for value in sorted(one, key=lambda it: (_is_within(it), place(it), -it.score, it.table, it.column, it.value)):
            name = (value.table, value.column)
            if name in columns or len(columns) < columns_each:
                columns[name] = columns.get(name, 0) + 1
                chosen += [value] if columns[name] <= _VALUES_EACH else []
    return sorted(chosen, key=lambda it: (-it.score, place(it), it.table, it.column, it.value))


def _is_within(value: LinkedValue) -> bool:
    """Whether a value is only a part of the mentioned period. Columns that contain the period itself come first."""
    return value.how == "date" and value.score < 1


def _near_scores(near: Sequence[NearColumn]) -> dict[Name, float]:
    return {(hit.table, hit.column): hit.score for hit in near}


def _value_scores(found: Sequence[LinkedValue]) -> dict[Name, float]:
    """The score of each column from the values in it that the question contains, less if many tables hold a value."""
    holders: dict[str, set[str]] = defaultdict(set)
    for value in found:
        holders[value.mention].add(value.table)
    best: dict[tuple[Name, str], float] = {}
    for value in found:
        if value.score >= _SURE:
            says = value.score / math.sqrt(len(holders[value.mention]))
            key = (value.table, value.column), value.mention
            best[key] = max(best.get(key, 0.0), says)
    scores: dict[Name, float] = defaultdict(float)
    for (name, _), says in best.items():
        scores[name] += says
    return scores
