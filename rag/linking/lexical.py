"""The words of a schema as an inverted index: which tables and columns contain the words of a question.

Built once for a schema and its docs. A search reads the postings of the question's own words, so it hardly takes longer
where there are more tables.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from executors.base import Schema
from rag.docs.documents import Document
from rag.words import stem_of, telling_words, tokens, words

# What a word is worth by where it stands. A name is what people ask for; its description, or a value stored in it, may
# use the word in passing.
_NAME, _TEXT = 1.0, 0.6
_PIECE = 0.5  # a word that is only a piece of a name (`order` in `salesorders`), or that the name shortens (`qty`)
_GRAM = 4  # letters of the shortest such piece: shorter ones stand in any name by chance
_SHORT = range(3, 6)  # letters of a shortened word
_POSTINGS = 5000  # read for one text; the rarest words come first, for what all columns have says nothing

TABLE = -1  # in the place of a column: the table itself

Place = tuple[int, int]  # table and column, as positions in the schema


class LexicalIndex:
    """Words of names, comments, docs of columns and tables, and samples, each with the places that hold it."""

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
        self._holding: dict[str, list[str]] = defaultdict(list)  # by four letters: the names' words with them
        self._short: dict[str, list[str]] = defaultdict(list)  # by first letter: the names' short words
        for name in sorted(self.names):
            for gram in {name[at : at + _GRAM] for at in range(len(name) - _GRAM + 1)}:
                self._holding[gram].append(name)
            if len(name) in _SHORT:
                self._short[name[0]].append(name)

    def search(self, text: str) -> dict[str, dict[Place, float]]:
        """For each telling word of a text the places that hold it, and how much that says: rarity times worth."""
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
        """Where a word stands, the first of `names`; for less, where it is a piece of a name or shortened in it."""
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
    """Of each column that holds any word: the sum of what they say there. Args: tables: only of these; None: of all."""
    scores: dict[Place, float] = defaultdict(float)
    for places in found.values():
        for place, says in places.items():
            if place[1] != TABLE and (tables is None or place[0] in tables):
                scores[place] += says
    return scores


def table_scores(found: Mapping[str, Mapping[Place, float]]) -> dict[int, float]:
    """Of each table, what the words say in its name, docs and columns; each word counts once, where it says most."""
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
    """Every table and column with its name and description."""
    descriptions: dict[tuple[str, str], list[str]] = defaultdict(list)
    for document in documents:
        if document.kind in {"column", "table"} and document.table:
            descriptions[document.table.lower(), document.column.lower()].append(document.text)
    for at, table in enumerate(schema.tables):
        own = table.name.lower()
        yield (at, TABLE), table.parts[-1], [table.comment, *descriptions.get((own, ""), ())]
        for position, column in enumerate(table.columns):
            samples = () if column.private else column.samples
            texts = [column.comment, *descriptions.get((own, column.name.lower()), ()), *samples]
            yield (at, position), column.name, texts


def _shortens(name: str, word: str) -> bool:
    """Whether a name is a longer word with letters left out, as `emp`, `dept` or `qty`; the first one stays."""
    letters = iter(word)
    return all(letter in letters for letter in name)
