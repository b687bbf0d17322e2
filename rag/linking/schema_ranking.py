"""Which tables and columns of a schema a question is about: several rankings, fused by rank."""

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

_MENTIONED = 0.6  # of what a document says that is about the table itself: a rule or query that mentions it
_FURTHER = 0.3  # of what a table's best column says: each of its next two
_FURTHER_COLUMNS = 2
_MOST_TABLES, _MOST_COLUMNS = 500, 2000  # in a ranking: more than any prompt has room for

Name = tuple[str, str]  # table and column; the column is empty where the table itself is meant
Scores = Mapping[Name, float]
Key = TypeVar("Key", str, Name)


class RankedTable(NamedTuple):
    """A table that matters to a question, with the fused score of its ranks: only its order means something."""

    table: str
    score: float


class RankedColumn(NamedTuple):
    """A column that matters to a question; see `RankedTable`."""

    table: str
    column: str
    score: float


@dataclass(frozen=True)
class Ranking:
    """The tables and the columns that matter to a question, best first; others are not in it."""

    tables: tuple[RankedTable, ...] = ()
    columns: tuple[RankedColumn, ...] = ()


class Opinion(NamedTuple):
    """One ranking of tables, and of the columns in given tables, not of all; and the weight of its say."""

    tables: Mapping[str, float]
    columns: Callable[[Collection[str]], Scores]
    weight: float = 1.0


def opinion(found: Scores, weight: float = 1.0) -> Opinion:
    """One that found columns and tables by scores of one kind: what it says of a table comes from its columns."""

    def columns(tables: Collection[str]) -> Scores:
        return {name: score for name, score in found.items() if name[1] and name[0] in tables}

    return Opinion(table_scores(found), columns, weight)


def fuse_rankings(opinions: Sequence[Opinion]) -> Ranking:
    """One ranking of tables from several, and one of the columns of these tables."""
    tables = fuse_ranks((it.tables, it.weight) for it in opinions)
    best = _best_first(tables, _MOST_TABLES)
    among = frozenset(best)
    columns = fuse_ranks((it.columns(among), it.weight) for it in opinions)
    return Ranking(
        tables=tuple(RankedTable(name, tables[name]) for name in best),
        columns=tuple(RankedColumn(*name, columns[name]) for name in _best_first(columns, _MOST_COLUMNS)),
    )


def table_scores(found: Scores) -> dict[str, float]:
    """The score of each table: its best, its own or a column's, and a part of the next two.

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
    names = {part for name in re.findall(r"[\w.]+", text.lower()) for part in (name, *name.split("."))}
    found: list[tuple[Table, str]] = []
    for name in sorted(names):
        table = schema.table(name)
        for owner in [table] if table is not None else schema.tables_named(name):
            found.append((owner, ""))
            found += [(owner, column.name) for column in owner.columns if column.name.lower() in names]
    return found


def _best_first(scores: Mapping[Key, float], most: int) -> list[Key]:
    """Equal scores in the order of their names, also at the end, where only some of them have a place."""
    least = min(nlargest(most, scores.values()), default=0.0)
    at_least = [(-score, key) for key, score in scores.items() if score >= least]
    return [key for _, key in sorted(at_least)[:most]]
