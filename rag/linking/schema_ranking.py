"""Ranks the tables and columns of a schema for a question: several rankings are fused by rank."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import NamedTuple, TypeVar

from executors.base import Schema, Table
from rag.docs.documents import Retrieved
from rag.linking.fusion import fuse_ranks

_MENTIONED = 0.6  # weight of a table that a rule or query only mentions, relative to the document's subject
_FURTHER = 0.3  # weight of a table's next two columns, relative to its best
_FURTHER_COLUMNS = 2
_MOST_TABLES, _MOST_COLUMNS = 500, 2000  # per ranking: more than any prompt can hold

Name = tuple[str, str]  # table and column; the column is empty for the table itself
Scores = Mapping[Name, float]
Key = TypeVar("Key", str, Name)


class RankedTable(NamedTuple):
    """A table relevant to a question, with its fused score. Only the order of scores is meaningful."""

    table: str
    score: float


class RankedColumn(NamedTuple):
    """A column relevant to a question. See `RankedTable`."""

    table: str
    column: str
    score: float


@dataclass(frozen=True)
class Ranking:
    """The tables and columns relevant to a question, best first. Others are not included."""

    tables: tuple[RankedTable, ...] = ()
    columns: tuple[RankedColumn, ...] = ()


class Opinion(NamedTuple):
    """One ranking of tables and of the columns in given tables, with its weight."""

    tables: Mapping[str, float]
    columns: Callable[[Collection[str]], Scores]
    weight: float = 1.0


def opinion(found: Scores, weight: float = 1.0) -> Opinion:
    """An opinion from scores of one kind for columns and tables. A table's score comes from its columns too."""

    def columns(tables: Collection[str]) -> Scores:
        return {name: score for name, score in found.items() if name[1] and name[0] in tables}

    return Opinion(table_scores(found), columns, weight)


def fuse_rankings(opinions: Sequence[Opinion]) -> Ranking:
    """Fuse rankings into one of tables and one of the columns of these tables."""
    tables = fuse_ranks((it.tables, it.weight) for it in opinions)
    best = _best_first(tables, _MOST_TABLES)
    among = frozenset(best)
    columns = fuse_ranks((it.columns(among), it.weight) for it in opinions)
    return Ranking(
        tables=tuple(RankedTable(name, tables[name]) for name in best),
        columns=tuple(RankedColumn(*name, columns[name]) for name in _best_first(columns, _MOST_COLUMNS)),
    )


def table_scores(found: Scores) -> dict[str, float]:
    """The score of each table: the best of its own and its columns' scores, and a part of the next two.

    Questions seldom ask for one column of a table."""
    by_table: dict[str, list[float]] = defaultdict(list)
    for (table, _), score in found.items():
        by_table[table].append(score)
    scores: dict[str, float] = {}
    for table, column_scores in by_table.items():
        column_scores.sort(reverse=True)
        scores[table] = column_scores[0] + _FURTHER * sum(column_scores[1 : 1 + _FURTHER_COLUMNS])
    return scores


def document_scores(schema: Schema, relevant: Sequence[Retrieved]) -> dict[Name, float]:
    """Scores from retrieved documents: for their subjects, and for tables and columns that rules and queries name."""
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
    """The tables that a text names, with their columns that it names too."""
    names = {part for name in re.findall(r"[\w.]+", text.lower()) for part in (name, *name.split("."))}
    found: list[tuple[Table, str]] = []
    for name in sorted(names):
        table = schema.table(name)
        for owner in [table] if table is not None else schema.tables_named(name):
            found.append((owner, ""))
            found += [(owner, column.name) for column in owner.columns if column.name.lower() in names]
    return found


def _best_first(scores: Mapping[Key, float], most: int) -> list[Key]:
    """The keys by score. Equal scores are ordered by name, also at the cutoff."""
    least = min(nlargest(most, scores.values()), default=0.0)
    at_least = [(-score, key) for key, score in scores.items() if score >= least]
    return [key for _, key in sorted(at_least)[:most]]
