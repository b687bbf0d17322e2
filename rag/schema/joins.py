"""The joins between the tables of a schema: its foreign keys, and joins that the docs describe."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from executors.base import ForeignKey, Schema, Table
from rag.docs.documents import Document
from rag.identity_cache import IdentityCache
from rag.words import words

if TYPE_CHECKING:
    from rag.docs.names import Names

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_LIST = rf"{_NAME}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+){_NAME})*"
_WORDS = r"(?:(?:either|both|the|tables?|columns?|fields?)\s+)*"
_ON = rf"(?:\s+tables?)?\s+(?:on|by|using|via|through|over)\s+{_WORDS}(?P<on>{_NAME}\s*=\s*{_NAME}|{_LIST})"


def _side(name: str) -> str:
    """Names, or columns `from` tables."""
    return rf"{_WORDS}(?P<{name}>{_LIST})(?:\s+(?:from|of|in)\s+{_WORDS}(?P<{name}_of>{_LIST}))?"


_ADVERB = r"(?:\s+(?:also|only|directly|always|usually|then))?"
_JOINED = rf"(?:(?:can|could|may|must|should){_ADVERB}\s+be|is|are){_ADVERB}\s+(?:joined|linked)"
_REFERS = (
    r"references|refers\s+to|points\s+to|links\s+to|joins(?:\s+(?:to|with))?"
    r"|is\s+(?:a|the)\s+foreign\s+key\s+(?:to|of|for|into|referencing)"
)
_SENTENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_side('left')}\s+(?:{_JOINED}\s+(?:to|with)|{_REFERS})\s+{_side('right')}(?:{_ON})?",
        rf"(?<!not )(?<!never )\bjoin\s+{_side('left')}\s+(?:to|with)\s+{_side('right')}{_ON}",
        rf"(?P<left>{_NAME})\s+and\s+(?P<right>{_NAME})\s+{_JOINED}{_ON}",
        r"(?<![\w.])(?P<left>{0}\.{0})\s*==?\s*(?P<right>{0}\.{0})(?![\w.(])".format(r"[^\W\d]\w*(?:\.[^\W\d]\w*)?"),
    )
)
_TELLS = re.compile(r"join|link|refer|points\s+to|foreign\s+key|=", re.IGNORECASE)
_QUOTES = str.maketrans("", "", "`\"'[]“”‘’")
_ENDS = re.compile(r"[.;!?](?:\s+|$)")
_CALLED = re.compile(rf"(\breferences\s+{_NAME})\s*\(\s*(\w+)\s*\)", re.IGNORECASE)  # REFERENCES customers(id)
_PARTS = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)
_SENTENCE_CHARS = 400  # a longer text is a list or a query, not a sentence


class _Place(NamedTuple):
    """A table that a sentence names, or one of its columns."""

    table: Table
    column: str = ""


def find_described_joins(schema: Schema, documents: Iterable[Document]) -> list[tuple[Table, ForeignKey]]:
    """Joins that the docs describe, in order, as keys: `orders can be joined to customers on customer_id`.

    Only an explicit sentence with names of the schema makes a join. A doubtful one makes none.
    """
    from rag.docs.names import Names

    names: Names | None = None
    found: dict[frozenset[tuple[str, str]], tuple[_Place, _Place]] = {}
    for document in documents:
        if document.kind == "rule" and _TELLS.search(document.text):
            for sentence in _sentences(document.text):
                for match in _matches(sentence):
                    names = names or Names(schema)
                    for pair in _find_pairs(match, names):
                        if pair[0].table is not pair[1].table:
                            found.setdefault(frozenset((place.table.name, place.column) for place in pair), pair)
    return [
        (left.table, ForeignKey(columns=(left.column,), table=right.table.name, referenced=(right.column,)))
        for left, right in found.values()
    ]


def _sentences(text: str) -> list[str]:
    plain = _CALLED.sub(r"\1.\2", text.translate(_QUOTES))
    return [sentence for sentence in _ENDS.split(plain) if len(sentence) <= _SENTENCE_CHARS]


def _matches(sentence: str) -> Iterator[dict[str, str]]:
    for pattern in _SENTENCES:
        for match in pattern.finditer(sentence):
            yield {name: text for name, text in match.groupdict().items() if text}


def _find_pairs(groups: dict[str, str], names: Names) -> list[tuple[_Place, _Place]]:
    """The pairs of columns that a sentence joins."""
    pairs: list[tuple[_Place, _Place]] = []
    for left, right in product(_places(groups, "left", names), _places(groups, "right", names)):
        if left.column and right.column:
            pairs.append((left, right))
        elif left.column:  # orders.customer_id references customers
            pairs += [(left, key) for key in _key(right.table)]
        elif not left.column and not right.column and "on" in groups:
            pairs += _on(groups["on"], left.table, right.table, names)
    return pairs


def _places(groups: dict[str, str], side: str, names: Names) -> list[_Place]:
    """The names on one side of a sentence. A bare name is a table, or else a column that exactly one table has."""
    parts = _PARTS.split(groups.get(side, ""))
    owners = [names.table(owner) for owner in _PARTS.split(groups.get(f"{side}_of", "")) if owner]
    places: list[_Place] = []
    for part in parts:
        if owners:
            places += [place for owner in owners if owner for place in _column(owner, part, names)]
        elif (column := names.find_qualified(part)) is not None:
            places.append(_Place(column[0], column[1].name))
        elif (table := names.table(part)) is not None:
            places.append(_Place(table))
        elif (only := names.only_column(part)) is not None:
            places.append(_Place(only[0], only[1].name))
    return places


def _on(text: str, left: Table, right: Table, names: Names) -> list[tuple[_Place, _Place]]:
    """The column pairs: the same name in both tables, a name in one and the key of the other, or `a = b`."""
    pairs: list[tuple[_Place, _Place]] = []
    for part in _PARTS.split(text):
        one, equal, other = (name.strip() for name in part.partition("="))
        if equal and names.find_qualified(one) and _column(right, one, names):
            one, other = other, one  # reversed
        ours, theirs = _column(left, one, names), _column(right, other or one, names)
        if not equal:
            ours, theirs = ours or _key_as(one, left, theirs), theirs or _key_as(one, right, ours)
        pairs += product(ours, theirs)
    return pairs


def _key_as(name: str, table: Table, others: list[_Place]) -> list[_Place]:
    """The table's key, if the other table has a column of that name which refers to this table: customer_id."""
    return _key(table) if others and words(name) & words(table.parts[-1]) else []


def _key(table: Table) -> list[_Place]:
    return [_Place(table, table.primary_key[0])] if len(table.primary_key) == 1 else []


def _column(table: Table, name: str, names: Names) -> list[_Place]:
    column = names.column(table, name)
    return [_Place(table, column.name)] if column is not None else []


_LONGEST_JOIN = 3  # most joins between two chosen tables


class Joins:
    """The foreign keys of a schema and the joins in rules, as a graph, with the columns that they need."""

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
        """The tables with these names, in the order of the schema."""
        return [self._schema.tables[place] for place in sorted(self._places[name] for name in names)]

    def keys(self, table: Table) -> frozenset[str]:
        """The columns that identify or join a table's rows, in lower case."""
        return frozenset(self._keys.get(table.name, ()))

    def beside(self, name: str) -> list[str]:
        """The tables linked with this one by a key, in either direction."""
        return self._beside.get(name, [])

    def between(self, start: Table, chosen: Collection[str]) -> list[Table]:
        """The tables on the shortest path from `start` to a chosen one. Empty if there is no short path."""
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
    """The schema with undeclared foreign keys added: first those that the docs describe, then those implied by names.

    A column with the name of exactly one other table's key is taken to refer to it. That is a guess: good enough to
    propose a join, not to state one.
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
