"""Paths between tables along the foreign keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from executors.base import Schema, Table

_LONGEST = 3  # joins


class Edge(NamedTuple):
    """A foreign key, walked in either direction: columns here, the table there, its columns."""

    columns: tuple[str, ...]
    to: Table
    referenced: tuple[str, ...]


class Way(NamedTuple):
    """From the table of this name, edge by edge; none where that is the one to be reached."""

    start: str
    edges: tuple[Edge, ...] = ()


def ways(start: Sequence[str], target: Table, schema: Schema) -> list[Way]:
    """The shortest ways from any of these tables, all of the same length; none where more than three joins are needed.

    Args:
        start: names of tables.
        target: where to.
        schema: whose keys are walked, in either direction.
    """
    if target.name in start:
        return [Way(target.name)]
    found = [Way(name) for name in start]
    for _ in range(_LONGEST):
        found = [
            Way(way.start, (*way.edges, edge))
            for way in found
            for edge in edges(way.edges[-1].to.name if way.edges else way.start, schema)
            if edge.to.name not in {*start, *(it.to.name for it in way.edges)}
        ]
        if there := [way for way in found if way.edges[-1].to.name == target.name]:
            return there
    return []


def edges(name: str, schema: Schema) -> Iterator[Edge]:
    """The keys of a table, and those that lead to it."""
    table = schema.table(name)
    for key in table.foreign_keys if table is not None else ():
        if (other := schema.table(key.table)) is not None:
            yield Edge(key.columns, other, key.referenced)
    for other in schema.tables:
        for key in other.foreign_keys:
            if key.table.lower() == name.lower() and other.name != name:
                yield Edge(key.referenced, other, key.columns)
