"""The joins between the tables of a schema: its foreign keys, and joins from the docs."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Sequence

from executors.base import ForeignKey, Schema, Table
from rag.docs.documents import Document
from rag.identity_cache import IdentityCache
from rag.schema.described_joins import find_described_joins

_LONGEST_JOIN = 3  # joins between two chosen tables, at most


class Joins:
    """The foreign keys of a schema, and those that rules tell of, as a graph, and the columns that they need."""

    def __init__(self, schema: Schema, documents: Sequence[Document] = ()) -> None:
        self._schema = schema
        self._beside: dict[str, list[str]] = defaultdict(list)
        self._keys: dict[str, set[str]] = defaultdict(set)
        self._places: dict[str, int] = {}
        for place, table in enumerate(schema.tables):
            self._places[table.name] = place
            self._keys[table.name].update(name.lower() for name in table.primary_key)
            for key in table.foreign_keys:
                self._add(table, key)
        for table, key in find_described_joins(schema, documents):
            self._add(table, key)

    def _add(self, table: Table, key: ForeignKey) -> None:
        self._keys[table.name].update(name.lower() for name in key.columns)
        other = self._schema.table(key.table)
        if other is not None:
            self._keys[other.name].update(name.lower() for name in key.referenced)
            self._beside[table.name].append(other.name)
            self._beside[other.name].append(table.name)

    def in_order(self, names: Collection[str]) -> list[Table]:
        """The tables of these names as the schema orders them."""
        return [self._schema.tables[place] for place in sorted(self._places[name] for name in names)]

    def keys(self, table: Table) -> frozenset[str]:
        """Columns that identify or join its rows, in small letters."""
        return frozenset(self._keys.get(table.name, ()))

    def beside(self, name: str) -> list[str]:
        """The tables that a key leads to from this one, or from which one leads here."""
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


joins_of = IdentityCache(Joins)


def add_undeclared_keys(schema: Schema, documents: Sequence[Document]) -> Schema:
    """The schema with the foreign keys that it does not declare: those that the docs tell of, then those of names.

    A column that is named like the key of exactly one other table is taken to refer to it. That is a
    guess: good enough to propose a join, not to state one.
    """
    more: dict[str, list[ForeignKey]] = defaultdict(list)
    for table, key in find_described_joins(schema, documents):
        more[table.name].append(key)
    owners: dict[str, list[Table]] = defaultdict(list)
    for table in schema.tables:
        if len(table.primary_key) == 1:
            owners[table.primary_key[0].lower()].append(table)
    for table in schema.tables:
        referring = {name for key in (*table.foreign_keys, *more[table.name]) for name in key.columns}
        for column in table.columns:
            (owner, *others) = owners.get(column.name.lower(), [table])
            if not others and owner is not table and column.name not in referring | {*table.primary_key}:
                key = ForeignKey(columns=(column.name,), table=owner.name, referenced=owner.primary_key)
                more[table.name].append(key)
    tables = tuple(
        table.model_copy(update={"foreign_keys": (*table.foreign_keys, *more[table.name])})
        if more[table.name]
        else table
        for table in schema.tables
    )
    return schema.model_copy(update={"tables": tables})


keyed_of = IdentityCache(add_undeclared_keys)
"""The joins of a schema and its docs, made once: they are the same objects until they are read again."""
