"""Which tables and columns of a schema a question is about: several rankings, fused by rank; and what joins tables."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Mapping, Sequence
from heapq import nsmallest
from typing import TypeVar

from executors.base import Frozen, Schema, Table
from rag.documents import Retrieved
from rag.fusion import fuse_ranks

_MENTIONED = 0.6  # of what a document says that is about the table itself: a rule or query that mentions it
_FURTHER = 0.3  # of what a table's best column says: each of its next two
_FURTHER_COLUMNS = 2
_MOST_TABLES, _MOST_COLUMNS = 500, 2000  # in a ranking: more than any prompt has room for
_LONGEST_JOIN = 3  # foreign keys between two chosen tables, at most

Name = tuple[str, str]  # table and column; the column is empty where the table itself is meant
Scores = Mapping[Name, float]
Key = TypeVar("Key", str, Name)


class RankedTable(Frozen):
    """A table that matters to a question, with the fused score of its ranks: only its order means something."""

    table: str
    score: float


class RankedColumn(Frozen):
    """A column that matters to a question; see `RankedTable`."""

    table: str
    column: str
    score: float


class Ranking(Frozen):
    """The tables and the columns that matter to a question, best first; others are not in it."""

    tables: tuple[RankedTable, ...] = ()
    columns: tuple[RankedColumn, ...] = ()


def fuse_rankings(rankings: Sequence[tuple[Scores, Mapping[str, float] | None, float]]) -> Ranking:
    """One ranking of tables and one of columns, from several.

    Args:
        rankings: each with the scores of what it found; the scores of whole tables, where it has them (else they come
            from its columns); and the weight of its say.
    """
    tables = fuse_ranks(
        (by_table if by_table is not None else table_scores(found), weight) for found, by_table, weight in rankings
    )
    columns = fuse_ranks(
        ({name: score for name, score in found.items() if name[1]}, weight) for found, _, weight in rankings
    )
    return Ranking(
        tables=tuple(RankedTable(table=name, score=tables[name]) for name in _best_first(tables, _MOST_TABLES)),
        columns=tuple(
            RankedColumn(table=name[0], column=name[1], score=columns[name])
            for name in _best_first(columns, _MOST_COLUMNS)
        ),
    )


def table_scores(found: Scores) -> dict[str, float]:
    """Of each table: its best score, its own or a column's, and a part of the next two, for what is asked of a table
    is seldom in one column."""
    by_table: dict[str, list[float]] = defaultdict(list)
    for (table, _), score in found.items():
        by_table[table].append(score)
    scores: dict[str, float] = {}
    for table, said in by_table.items():
        said.sort(reverse=True)
        scores[table] = said[0] + _FURTHER * sum(said[1 : 1 + _FURTHER_COLUMNS])
    return scores


def document_scores(schema: Schema, relevant: Sequence[Retrieved]) -> dict[Name, float]:
    """What retrieved documents point to: the table or column they are about, and those that rules and queries name."""
    scores: dict[Name, float] = {}

    def note(table: Table, column: str, score: float) -> None:
        for name in {(table.name, ""), (table.name, column)}:
            scores[name] = max(scores.get(name, 0.0), score)

    for found in relevant:
        document, score = found.document, max(found.score, 0.0)
        about = schema.table(document.table) if document.table else None
        if about is not None:
            column = about.column(document.column) if document.column else None
            note(about, column.name if column else "", score)
        if document.kind in {"rule", "query"}:
            for table, column_name in _mentions(schema, f"{document.text} {document.sql}"):
                note(table, column_name, _MENTIONED * score)
    return scores


def _mentions(schema: Schema, text: str) -> list[tuple[Table, str]]:
    """The tables that a text names, with those of their columns that it names, too."""
    said = {part for name in re.findall(r"[\w.]+", text.lower()) for part in (name, *name.split("."))}
    found: list[tuple[Table, str]] = []
    for name in sorted(said):
        table = schema.table(name)
        for owner in [table] if table is not None else schema.tables_named(name):
            found.append((owner, ""))
            found += [(owner, column.name) for column in owner.columns if column.name.lower() in said]
    return found


def _best_first(scores: Mapping[Key, float], most: int) -> list[Key]:
    return nsmallest(most, scores, key=lambda key: (-scores[key], key))


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


_KEPT = 8  # schemas whose joins are remembered
_known: deque[tuple[Schema, Joins]] = deque(maxlen=_KEPT)


def joins_of(schema: Schema) -> Joins:
    """The schema's joins, made once: a schema is the same object until it is read again."""
    for known, joins in tuple(_known):
        if known is schema:
            return joins
    joins = Joins(schema)
    _known.append((schema, joins))
    return joins
