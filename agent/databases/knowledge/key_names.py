"""Columns that are named after a key: pairs that may be foreign keys, by their names alone.

Keys are looked up by what a column may call them, not compared with each column: of 10,000 tables with ten columns
each, that would be a thousand million comparisons.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from executors.base import Column, Schema, Table

LEAST_CHARS = 5  # of a key's name that another name may end with; shorter ones, as `id`, say nothing
LARGEST = 2_000_000  # rows of a table on a server that is looked at


class Pair(NamedTuple):
    """A column that may refer to a key of `owner`; `letters` is how many letters of the key's name it has."""

    table: Table
    column: Column
    owner: Table
    key: Column
    matched_letters: int


def candidates(schema: Schema, most: int) -> list[Pair]:
    """Pairs whose names fit, those with the most letters in common first; at most `most`."""
    read = [table for table in schema.tables if _may_be_read(table, schema)]
    keys = _Keys([(table, key) for table in read if (key := _key(table)) is not None], _common_prefix(schema))
    pairs = (pair for table in read for pair in _of_table(table, keys))
    return heapq.nsmallest(most, pairs, key=lambda pair: (-pair.matched_letters, pair.table.name, pair.column.name))


def _of_table(table: Table, keys: _Keys) -> Iterator[Pair]:
    taken = {name for key in table.foreign_keys for name in key.columns}
    for column in table.columns:
        if column.name in taken or column.private or (column.name,) == table.primary_key:
            continue
        for owner, key, matched_letters in keys.named_by(column.name):
            if owner is not table and not key.private and _family(key.type) == _family(column.type):
                yield Pair(table, column, owner, key, matched_letters)


class _Keys:
    """Keys by the names that a column may call them.

    `customer_id` is named after `customers.id` and `customers.customer_id`, `sbTxCustId` after `sbCustId` where all
    tables begin with `sb`.

    Args:
        owners: tables with the one column that is their key.
        prefix: letters that all tables begin with.
    """

    def __init__(self, owners: list[tuple[Table, Column]], prefix: str) -> None:
        self._owners = owners
        self._spelled: dict[str, list[int]] = defaultdict(list)
        self._endings: dict[str, list[int]] = defaultdict(list)
        for at, (owner, key) in enumerate(owners):
            own, plain = _plain(owner.parts[-1]), _plain(key.name)
            for name in {plain, *(f"{one}{it}" for one in _singulars(own) for it in (plain, "id"))}:
                self._spelled[name].append(at)
            short = plain.removeprefix(prefix)
            if len(short) >= LEAST_CHARS:
                self._endings[short].append(at)

    def named_by(self, column: str) -> list[tuple[Table, Column, int]]:
        """Owners and keys that a column is named after, and how many letters say so."""
        name = _plain(column)
        matched_letters: dict[int, int] = {}
        for start in range(len(name) - LEAST_CHARS + 1):
            for at in self._endings.get(name[start:], ()):
                matched_letters[at] = len(name) - start
        if len(name) > 2:
            matched_letters |= dict.fromkeys(self._spelled.get(name, ()), len(name))
        return [(*self._owners[at], letters) for at, letters in sorted(matched_letters.items())]


def _key(table: Table) -> Column | None:
    """The one column that is declared to be the key, or that is called like one; None where there is none."""
    if table.primary_key:
        return table.column(table.primary_key[0]) if len(table.primary_key) == 1 else None
    own = _plain(table.parts[-1])
    called = {"id", *(f"{one}id" for one in _singulars(own))}
    named = [column for column in table.columns if _plain(column.name) in called]
    return named[0] if len(named) == 1 else None


def _common_prefix(schema: Schema) -> str:
    names = [_plain(table.parts[-1]) for table in schema.tables]
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in same) if len(names) > 2 else ""


def _singulars(name: str) -> set[str]:
    """A table's name, and what one of its rows may be called."""
    return {name, name.removesuffix("s"), name.removesuffix("es"), f"{name.removesuffix('ies')}y"}


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def _family(declared: str) -> str:
    """Numbers with numbers, texts with texts; what has neither name is compared with its like alone."""
    plain = declared.casefold()
    if any(word in plain for word in ("int", "num", "dec", "serial")):
        return "number"
    return "text" if any(word in plain for word in ("char", "text", "string", "clob", "uuid", "varbinary")) else plain


def _may_be_read(table: Table, schema: Schema) -> bool:
    from agent.databases.knowledge.values import LOCAL_DIALECTS

    small = not table.is_view and table.row_count is not None and table.row_count <= LARGEST
    return small or schema.dialect in LOCAL_DIALECTS  # where files are views
