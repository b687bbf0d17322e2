"""Schema linking without a model: which tables and columns a question is about, and what joins them.

Two signals are added up: the question's words in the names of tables and columns (rare words count for more), and the
documents that retrieval found, with the names that their texts and queries mention.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Sequence

from executors.base import Schema, Table
from rag.documents import Retrieved
from rag.words import telling_words, words

_IN_TABLE, _IN_COLUMN = 3.0, 1.0  # a word of the question in a table's, a column's name
_GLUED = 0.5  # the part of it that counts where the word is only a piece of a name, as `order` in `orderitems`
_GLUED_CHARS = 4
_DOCUMENT, _MENTIONED = 4.0, 2.5  # a document about the table, a rule or query that mentions it; times its score
_LONGEST_JOIN = 3  # foreign keys between two chosen tables, at most


class Ranking:
    """How much each table matters to a question.

    scores: by table name, the tables that matter at all.
    columns: by table name, the columns that do, in small letters.
    """

    def __init__(self, schema: Schema, question: str, relevant: Sequence[Retrieved]) -> None:
        self._schema = schema
        self.scores: dict[str, float] = defaultdict(float)
        self.columns: dict[str, set[str]] = defaultdict(set)
        self._read_question(question)
        for found in relevant:
            self._read_document(found)

    def best_first(self) -> list[Table]:
        """The tables that matter; where none does, all of them, those with the most foreign keys first."""
        if self.scores:
            known = [table for table in self._schema.tables if self.scores.get(table.name, 0.0) > 0]
            return sorted(known, key=lambda table: -self.scores[table.name])
        return sorted(self._schema.tables, key=lambda table: -len(table.foreign_keys))

    def _read_question(self, question: str) -> None:
        terms = telling_words(question)
        if not terms:
            return
        anywhere = re.compile("|".join(sorted(map(re.escape, terms), key=len, reverse=True)))
        hits: list[tuple[Table, dict[str, float]]] = []
        for table in self._schema.tables:
            if weights := self._weights(table, anywhere):
                hits.append((table, weights))
        tables_with = Counter(term for _, weights in hits for term in weights)
        total = math.log1p(len(self._schema.tables))
        for table, weights in hits:
            for term, weight in weights.items():
                rarity = math.log1p(len(self._schema.tables) / tables_with[term]) / total
                self.scores[table.name] += weight * rarity

    def _weights(self, table: Table, anywhere: re.Pattern[str]) -> dict[str, float]:
        """What each term of the question is worth in this table's names; notes the columns that have one."""
        weights: dict[str, float] = {}
        for name, worth in [(table.name, _IN_TABLE), *((column.name, _IN_COLUMN) for column in table.columns)]:
            pieces = anywhere.findall(name.lower())
            own = words(name) if pieces else frozenset()
            for term in pieces:
                glued = worth * _GLUED if len(term) >= _GLUED_CHARS else 0.0
                found = worth if term in own else glued
                if found:
                    weights[term] = max(weights.get(term, 0.0), found)
                    if worth == _IN_COLUMN:
                        self.columns[table.name].add(name.lower())
        return weights

    def _read_document(self, found: Retrieved) -> None:
        document, score = found.document, max(found.score, 0.0)
        about = self._schema.table(document.table) if document.table else None
        if about is not None:
            self.scores[about.name] += _DOCUMENT * score
            if document.column:
                self.columns[about.name].add(document.column.lower())
        if document.kind in {"rule", "query"}:
            self._read_mentions(f"{document.text} {document.sql}", score)

    def _read_mentions(self, text: str, score: float) -> None:
        said = {part for name in re.findall(r"[\w.]+", text.lower()) for part in (name, *name.split("."))}
        for name in sorted(said):
            table = self._schema.table(name)
            if table is not None:
                self.scores[table.name] += _MENTIONED * score
                self.columns[table.name] |= said & {column.name.lower() for column in table.columns}


class Joins:
    """The foreign keys of a schema as a graph, and the columns that they need."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._beside: dict[str, list[str]] = defaultdict(list)
        self._keys: dict[str, set[str]] = defaultdict(set)
        for table in schema.tables:
            self._keys[table.name].update(name.lower() for name in table.primary_key)
            for key in table.foreign_keys:
                self._keys[table.name].update(name.lower() for name in key.columns)
                other = schema.table(key.table)
                if other is not None:
                    self._keys[other.name].update(name.lower() for name in key.referenced)
                    self._beside[table.name].append(other.name)
                    self._beside[other.name].append(table.name)

    def keys(self, table: Table) -> frozenset[str]:
        """Columns that identify or join its rows, in small letters."""
        return frozenset(self._keys.get(table.name, ()))

    def beside(self, name: str) -> list[str]:
        """The tables that a foreign key leads to from this one, or from which one leads here."""
        return self._beside.get(name, [])

    def between(self, start: Table, chosen: Collection[str]) -> list[Table]:
        """The tables on the shortest way from `start` to a chosen one; none where there is no short way."""
        came_from: dict[str, str] = {start.name: ""}
        queue = deque([(start.name, 0)])
        while queue:
            name, distance = queue.popleft()
            if name in chosen and name != start.name:
                return self._way(came_from, came_from[name])
            if distance < _LONGEST_JOIN:
                for other in self.beside(name):
                    if other not in came_from:
                        came_from[other] = name
                        queue.append((other, distance + 1))
        return []

    def _way(self, came_from: dict[str, str], name: str) -> list[Table]:
        way: list[Table] = []
        while came_from[name]:
            table = self._schema.table(name)
            way += [table] if table else []
            name = came_from[name]
        return way
