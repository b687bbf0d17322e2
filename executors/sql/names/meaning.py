"""Resolves what a query's columns mean if they are not where the query looks for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from executors.base import Schema, Table
from executors.sql.names.known_names import plain_letters
from executors.sql.names.tables import tables_of, ways

_WHOLE = 6  # letters of a name per wrong letter that is tolerated
_SLIPS = 2  # most wrong letters that are tolerated
_OTHERS = frozenset({"by", "not", "previous", "next"})  # words that change the meaning of the words beside them
_PART = re.compile(r"[^\W_]+|[%‰°#$€£¥]")  # a word of a name, or the sign of a unit


class Unclear(Exception):
    """The query does not show what it means."""


class ColumnResolver:
    """Finds the tables of the columns in one SELECT.

    sources: The sources in FROM and its joins, in order.
    tables: The table of each source, by its name in the query in lower case. None if it is no table of the schema.
    own: The columns of this SELECT, without those of queries inside it.
    """

    def __init__(self, select: exp.Select, schema: Schema) -> None:
        self._select, self._schema = select, schema
        self.joins: list[exp.Join] = list(select.args.get("joins") or [])
        from_ = [select.args["from_"]] if select.args.get("from_") else []
        self.sources: list[exp.Expr] = [part.this for part in [*from_, *self.joins]]
        self.tables = {alias.lower(): table for alias, table in tables_of(select, schema).items()}
        self._read = [table for table in self.tables.values() if table is not None]
        self._aliases = {it.alias.lower() for it in select.expressions if isinstance(it, exp.Alias)}
        columns = (it for it in select.find_all(exp.Column) if not isinstance(it.this, exp.Star))
        self.own = [it for it in columns if it.find_ancestor(exp.Select) is select]

    def holds(self, column: exp.Column) -> bool:
        """Whether a column is where the query looks for it. A column of an outer query is not checked here."""
        name, of = column.name, column.table.lower()
        looked_in = [table for alias, table in self.tables.items() if of in {"", alias}]
        here = any(table is None or table.column(name) for table in looked_in)
        return here or (not of and name.lower() in self._aliases) or self._is_outer(column)

    def _is_outer(self, column: exp.Column) -> bool:
        """Whether a column may belong to an outer query."""
        around = self._select.parent_select
        if around is None or column.table:
            return around is not None and column.table.lower() not in self.tables
        return any(table is None or table.column(column.name) for table in tables_of(around, self._schema).values())

    def check_sources(self) -> None:
        """Check that the sources are tables of the schema, each used once, and joined by conditions. Raises Unclear.

        A table that is not in the schema is not replaced by another: an amount of `invoices` is not one of `orders`.
        """
        names = {source.name.lower() for source in self.sources}
        if not names or len(names) < len(self.sources) or len(self._read) < len(self.sources):
            raise Unclear
        if any(join.args.get("using") or join.args.get("method") for join in self.joins):
            raise Unclear

    def meaning(self, column: exp.Column) -> tuple[Table | None, str]:
        """The table and the real name of a column. The table is None if the column is correct. Raises Unclear."""
        name, of = column.name, column.table.lower()
        if self._is_outer(column) or (not of and name.lower() in self._aliases):
            return None, name
        named = self._find_table(of)
        if named is not None and named.column(name) is not None:
            return named, name
        if named is not None and (key := self._find_key(named, name)) is not None:
            return named, key
        if named is not None and (whole := self._find_whole(named, of)) is not None:
            return whole, name
        if named is not None and self._refers_further(named, name):
            raise Unclear
        holders = [it for it in self._read if it.column(name)]
        for tables in () if holders else ([named] if named is not None else [], self._read):
            near = [(table, real) for table in tables if (real := _near(name, table)) is not None]
            if len(near) == 1:  # a typo is likelier than a table that the query does not read
                return near[0]
        holders = holders or [it for it in self._schema.tables if it.column(name)]
        holders = self._drop_listed(column, holders)
        if len(holders) > 1:
            holders = self._nearest(holders)
        if len(holders) != 1:
            raise Unclear
        return holders[0], name

    def _find_table(self, qualifier: str) -> Table | None:
        """The table that a qualifier names, even if the query does not read it. Without qualifier, the only source."""
        if not qualifier:
            return self._read[0] if len(self._read) == len(self.tables) == 1 else None
        here = self.tables.get(qualifier)
        found = [here] if here is not None else self._schema.tables_named(qualifier)
        return found[0] if len(found) == 1 else None

    def _find_key(self, table: Table, name: str) -> str | None:
        """The table's key, if the name is the one that other tables use for it: `turbine_no` for `Anlagen_Nr`."""
        if len(table.primary_key) == 1 and _plain(name) == f"{_plain(table.parts[-1]).removesuffix('s')}id":
            return table.primary_key[0]
        keys = [it for other in self._schema.tables for it in other.foreign_keys if it.table == table.name]
        called = {(*it.columns, *it.referenced) for it in keys if it.columns != it.referenced}
        ((column, key), *others) = called if called and all(len(it) == 2 for it in called) else [("", "")]
        return key if not others and key and column.lower() == name.lower() else None

    def _find_whole(self, named: Table, of: str) -> Table | None:
        """The unread table that has all columns that a table lacks, if they are several and one key of it leads there.

        In a query of `copy` and `branch`, `copy.name, copy.pages` are those of the title, although a branch has a name.
        """
        own = (it for it in self.own if of and it.table.lower() == of and named.column(it.name) is None)
        lost = {it.name.lower() for it in own if not isinstance(it.find_ancestor(exp.Join, exp.Select), exp.Join)}
        whole = [it for it in self._schema.tables if len(lost) > 1 and all(map(it.column, lost))]
        keys = [key.table for key in named.foreign_keys if any(it.name == key.table for it in whole)]
        if len(keys) != 1 or any(it in self._read for it in whole):
            return None
        return self._schema.table(keys[0])

    def _refers_further(self, table: Table, name: str) -> bool:
        """Whether a table that the query reads, and one that it does not but `table` references, both have the column.

        Beside the company, `employment.name` may be the name of the person.
        """
        further = [self._schema.table(key.table) for key in table.foreign_keys]
        unread = [it for it in further if it is not None and it not in self._read]
        return all(any(it.column(name) for it in tables) for tables in (self._read, unread))

    def _drop_listed(self, column: exp.Column, holders: Sequence[Table]) -> list[Table]:
        """The tables whose column of that name is not selected already, because a query does not select it twice."""
        items = [item.unalias() for item in self._select.expressions]
        others = [it for it in items if isinstance(it, exp.Column) and it is not column and it.name == column.name]
        listed = [self.tables.get(it.table.lower()) for it in others] if any(it is column for it in items) else []
        return [it for it in holders if it not in listed]

    def _nearest(self, holders: Sequence[Table]) -> list[Table]:
        """The tables that are reached by the fewest joins."""
        read = [table.name for table in self._read]
        lengths = [(len(way.edges), it) for it in holders for way in ways(read, it, self._schema)[:1]]
        least = min((length for length, _ in lengths), default=0)
        return [holder for length, holder in lengths if length == least]


def _near(name: str, table: Table) -> str | None:
    """The one column of nearly that name. It may differ in case, blanks, accents, added words, or a typo."""
    names = [column.name for column in table.columns]
    keys = {*table.primary_key, *(it for key in table.foreign_keys for it in key.columns)}
    others = [it for it in names if it not in keys]
    same = [it for it in names if plain_letters(_plain(it)) & plain_letters(_plain(name))]
    within = [it for it in others if _is_within(name, it)]
    # a table with one column besides its keys has no other name
    only = others if name.lower() in {"name", "title", "label"} and len(others) == 1 else []
    return next(
        (it[0] for it in (same, within, [it for it in names if _is_slip(name, it)], only) if len(it) == 1), None
    )


def _split_words(name: str) -> list[str]:
    """The words of `net_price` or `Net price (€)`, without blanks, underscores, brackets and stops."""
    return _PART.findall(name.lower())


def _plain(name: str) -> str:
    return "".join(_split_words(name)) or name


def _is_within(one: str, other: str) -> bool:
    """Whether one name has all words of the other and more, but none that changes the meaning, as `by` does."""
    words, others = set(_split_words(one)), set(_split_words(other))
    least, most = sorted((words, others), key=len)
    return bool(least) and least < most and not (words ^ others) & _OTHERS


def _is_slip(written: str, name: str) -> bool:
    """Whether two names differ only in a few missing or doubled letters, or in two swapped letters.

    Different letters and digits make different names (`net_max` and `net_tax`, `price_2023` and `price_2024`). So do a
    different first letter (`import`, `export`) and an added ending, except a plural: `close` is not `closed`.
    """
    from rapidfuzz.distance import DamerauLevenshtein, Indel

    one, other = _plain(written), _plain(name)
    most = min(_SLIPS, len(one) // _WHOLE)
    if not most or one[:1] != other[:1] or [c for c in one if not c.isalpha()] != [c for c in other if not c.isalpha()]:
        return False
    short, long = sorted((one, other), key=len)
    if long != short and long.startswith(short) and long[len(short) :] not in {"s", "es", short[-1]}:
        return False
    swapped = sorted(one) == sorted(other) and DamerauLevenshtein.distance(one, other) == 1
    return swapped or (len(long) > len(short) and Indel.distance(one, other) <= most)
