"""Undeclared foreign keys, derived from the data: a column whose values are all values of a key.

Warehouses and folders of files declare no keys. Without keys, a model joins on columns that do not exist.
A name alone is no proof, so the values decide (an inclusion dependency; Bauckmann et al., ICDE 2007): every value of
the column, or of the first thousand distinct ones, must occur in the key. Files declare no primary keys either: a
column called `id`, or after its table (`Room No` of `Rooms`), is one if its values are unique. So is the first column
of a table, in any language, for a column of the same name: `wohnung_nr` of `wohnungen`.

A name may also be a part of the table's (`p_id` of `plr`, `home_club`, `physician`), and names of texts may differ
entirely (`turbine_no` and `Anlagen_Nr`). Such a column refers to a key if several different values occur in it, and in
no other.
`bench.implied_keys` hides the declared keys of databases and counts how many are found.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from agent.core.resilience.tasks import cancel_tasks
from agent.databases.knowledge.values import is_small, to_source
from executors.base import Column, ForeignKey, Schema, Table
from executors.errors import ErrorKind, ExecutorError, SqlError

if TYPE_CHECKING:
    from agent.databases.database import Database


# Columns that are named after a key: pairs that may be foreign keys, judged by their names only.
#
# Keys are looked up by the names that columns use for them, not compared with each column: for 10,000 tables of ten
# columns each, that would be a billion comparisons.
_LEAST_CHARS = 5  # of a key's name as a suffix; shorter names, such as `id`, prove nothing
_FILES = frozenset({"sqlite", "duckdb"})
_NAMESAKES = 8  # most tables whose first column has the name of a key: the key's own, and some that refer to it
_WORDS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
_NUMBERED = (
    "no",
    "nr",
    "num",
    "nbr",
    "number",
    "nummer",
    "code",
    "cd",
    "kz",
    "key",
)  # other names of ids, after the table's name
LARGEST = 2_000_000  # maximum rows of a table that is checked on a server


class Pair(NamedTuple):
    """A column that may refer to a key of `owner`.

    matched_letters: letters that it shares with the key's name. 0 if only the values can decide: they must occur in one
        owner alone.
    """

    table: Table
    column: Column
    owner: Table
    key: Column
    matched_letters: int


def candidates(schema: Schema, most: int) -> list[Pair]:
    """At most `most` pairs: those with the most letters in common first, then those that only values can decide."""
    read = [it for it in schema.tables if is_small(it, schema, LARGEST)]
    names = [_plain(it.parts[-1]) for it in schema.tables]
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    prefix = "".join(letters[0] for letters in same) if len(names) > 2 else ""
    keys = _Keys([(it, key) for it in read if (key := _key(it) or next(iter(it.columns), None))], prefix)
    pairs = (pair for table in read for pair in _pairs_of(table, keys, schema))
    named = heapq.nsmallest(most, pairs, key=lambda it: (-it.matched_letters, it.table.name, it.column.name))
    places = {(it.table.name, it.column.name) for it in named}
    return [*named, *_pairs_by_values(read, keys, places, most - len(named), schema)]


def _pairs_by_values(
    tables: list[Table], keys: _Keys, taken: set[tuple[str, str]], most: int, schema: Schema
) -> list[Pair]:
    """Columns named like the first one of a table (`wohnung_nr`) or after a part of it (`p_id`, `home_club`), then all
    texts with the first texts of tables.

    A column comes with all keys that it may mean or not at all: else nobody knows that its values occur in no other.
    """
    firsts = [(it, it.columns[0]) for it in tables if it.columns and it.primary_key in {(), (it.columns[0].name,)}]
    texts = [(owner, key) for owner, key in firsts if _family(key.type) == "text"]
    called = defaultdict[str, list[tuple[Table, Column]]](list)
    for owner, key in firsts:
        called[_plain(key.name)].append((owner, key))
    free = [
        (table, column, [*_few(called.get(_plain(column.name), [])), *keys.find_abbreviated(column.name)])
        for table in tables
        for column in _free_columns(table)
        if (table.name, column.name) not in taken
    ]
    pairs: list[Pair] = []
    for table, column, named in sorted(free, key=lambda it: all(owner is it[0] for owner, _ in it[2])):
        alike = texts if _family(column.type) == "text" else []
        owners = {(owner.name, key.name): (owner, key) for owner, key in (*named, *alike)}
        new = [
            Pair(table, column, owner, key, 0)
            for owner, key in owners.values()
            if owner is not table and not key.private and _are_comparable(key, column, schema)
        ]
        pairs += new if len(pairs) + len(new) <= most else []
    return pairs


def _few(owners: list[tuple[Table, Column]]) -> list[tuple[Table, Column]]:
    """The owners, unless so many tables begin with a column of that name that it refers to none of them: `id`."""
    return owners if len(owners) <= _NAMESAKES else []


def _free_columns(table: Table, *, with_key: bool = False) -> Iterator[Column]:
    """The columns that may refer to a key and do not yet."""
    taken = {name for key in table.foreign_keys for name in key.columns}
    for column in table.columns:
        is_free = with_key or (column.name,) != table.primary_key
        if is_free and column.name not in taken and not column.private:
            yield column


def _pairs_of(table: Table, keys: _Keys, schema: Schema) -> Iterator[Pair]:
    for column in _free_columns(table, with_key=True):
        for owner, key, matched_letters in keys.find_owners(column.name):
            is_other = owner is not table and ((column.name,) != table.primary_key or _is_after(column, owner, table))
            if is_other and not key.private and _are_comparable(key, column, schema):
                yield Pair(table, column, owner, key, matched_letters)


def _is_after(column: Column, owner: Table, table: Table) -> bool:
    """Whether a key is named after another table than its own: `city_id` of `temperatures`."""
    name = _plain(column.name)
    named = [it for it in (owner, table) if any(map(name.startswith, _singulars(_plain(it.parts[-1]))))]
    return named == [owner]


class _Keys:
    """Keys of one column, by the names that other columns may use for them.

    `customer_id` is named after `customers.id` and `customers.customer_id`, `sbTxCustId` after `sbCustId` if `sb` is
    the prefix of all tables, `home_team_id` after `teams.id`. A name of many keys is that of none.
    """

    def __init__(self, owners: list[tuple[Table, Column]], prefix: str) -> None:
        self._owners = owners
        self._spelled: dict[str, list[int]] = defaultdict(list)
        self._endings: dict[str, list[int]] = defaultdict(list)
        self._roles: dict[str, list[int]] = defaultdict(list)
        self._parts: dict[str, list[int]] = defaultdict(list)
        for at, (owner, key) in enumerate(owners):
            own, plain = _plain(owner.parts[-1]), _plain(key.name)
            forms = _singulars(own)
            for name in forms - ({own} if own.endswith("s") else set()):  # `rooms` counts them
                self._parts[name].append(at)
            if key != _key(owner):  # the first column: only a column called like the table may refer to it
                continue
            self._spelled[plain].append(at)
            short = plain.removeprefix(prefix)
            if len(short) >= _LEAST_CHARS:
                self._endings[short].append(at)
            for name in {f"{one}{it}" for one in forms for it in (plain, "id")} - {plain}:
                self._spelled[name].append(at)
                self._roles[name].append(at)
            for name in {f"{own[:end]}id" for end in range(1, len(own))}:
                self._parts[name].append(at)
        for names in (self._spelled, self._endings, self._roles, self._parts):
            for name in [it for it, places in names.items() if len(places) > _NAMESAKES]:
                del names[name]

    def find_owners(self, column: str) -> list[tuple[Table, Column, int]]:
        """Owners and keys that a column is named after, and the number of matched letters."""
        name = _plain(column)
        matched_letters: dict[int, int] = {}
        for start in range(len(name) - _LEAST_CHARS + 1):
            for at in self._endings.get(name[start:], ()):
                matched_letters[at] = len(name) - start
        words = [it.casefold() for it in _WORDS.split(column) if it]
        for start in range(1, len(words)):
            role = "".join(words[start:])
            matched_letters |= dict.fromkeys(self._roles.get(role, ()), len(role))
        if len(name) > 2:
            matched_letters |= dict.fromkeys(self._spelled.get(name, ()), len(name))
        return [(*self._owners[at], letters) for at, letters in sorted(matched_letters.items())]

    def find_abbreviated(self, column: str) -> list[tuple[Table, Column]]:
        """Owners and keys whose table a column may mean: `p_id` the table `plr`, `home_club` the table `clubs`."""
        last = _WORDS.split(column)[-1].casefold()
        return [self._owners[at] for name in {_plain(column), last} for at in self._parts.get(name, ())]


def _are_comparable(key: Column, column: Column, schema: Schema) -> bool:
    """Whether their values can be compared. In files, numbers may be stored as texts; other databases refuse to compare
    them, or read '12 cm' as 12."""
    families = {_family(key.type), _family(column.type)}
    return len(families) == 1 or (families == {"number", "text"} and schema.dialect in _FILES)


def _key(table: Table) -> Column | None:
    """The column that is the declared key or is named like a key; None if there is none or several.

    An id is preferred to a number or code: `id` to `Room No`.
    """
    if table.primary_key:
        return table.column(table.primary_key[0]) if len(table.primary_key) == 1 else None
    own = _singulars(_plain(table.parts[-1]))
    ids = {"id", *(f"{one}id" for one in own)}
    for called in (ids, {f"{one}{ending}" for one in own for ending in _NUMBERED}):
        named = [column for column in table.columns if _plain(column.name) in called]
        if named:
            return named[0] if len(named) == 1 else None
    first = _plain(table.columns[0].name) if table.columns else ""
    stems = [first.removesuffix(it) for it in ("id", *_NUMBERED) if first.endswith(it) and first != it]
    starts = any(one.startswith(stem) for one in own for stem in stems)  # `tech_id` of `technicians`
    ends = any(one.endswith(stem) for one in own for stem in stems if len(stem) > 2)  # `method_code` of `ref_methods`
    return table.columns[0] if starts or ends else None


def _singulars(name: str) -> set[str]:
    """A table's name and its possible singular forms."""
    return {name, name.removesuffix("s"), name.removesuffix("es"), f"{name.removesuffix('ies')}y"}


def _plain(name: str) -> str:
    """The letters and digits of a name: `roomno` for `Room_No`, `Room No` and `room-no`."""
    return re.sub(r"[\W_]", "", name).casefold()


def _family(declared: str) -> str:
    """`number`, `text`, or the type itself: only columns of the same family are compared."""
    plain = declared.casefold()
    if any(word in plain for word in ("int", "num", "dec", "serial")):
        return "number"
    return "text" if any(word in plain for word in ("char", "text", "string", "clob", "uuid", "varbinary")) else plain


MAX_CHECKS = 60  # pairs of columns per database whose values are compared
LEAST_VALUES = 5  # different values of a column that is not named after the key: a few may coincide
DISTINCT = 1000  # distinct values of a column that are compared
QUERY_S, TOTAL_S = 2.0, 20.0  # seconds for one comparison, and for all of a database
PATIENCE_S = 5.0  # how long a question waits for the comparisons

log = logging.getLogger(__name__)


class ImpliedKeys:
    """Adds implied keys to schemas. Each database is examined once per state of its schema."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Schema, asyncio.Task[Schema]]] = {}

    async def of(self, database: Database, schema: Schema) -> Schema:
        """The schema with the implied keys; unchanged while they are unknown, and for a filtered database."""
        if database.is_filtered:
            return schema
        known = self._known.get(database.name)
        if known is None or known[0] is not schema:
            if known is not None:
                known[1].cancel()
            known = (schema, asyncio.create_task(add_keys(database, schema)))
            self._known[database.name] = known
        done, _ = await asyncio.wait([known[1]], timeout=PATIENCE_S)
        return known[1].result() if done and not known[1].cancelled() else schema

    async def close(self) -> None:
        await cancel_tasks(*(task for _, task in self._known.values()))
        self._known.clear()


async def add_keys(database: Database, schema: Schema) -> Schema:
    """The schema with the implied keys. If the database fails, with the keys found until then."""
    until = time.monotonic() + TOTAL_S
    found: dict[str, list[ForeignKey]] = defaultdict(list)
    settled: set[tuple[str, str]] = set()
    by_values: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    unknown: set[tuple[str, str]] = set()  # columns that were not compared with every key
    unique = _Unique(database, schema)
    for pair in await asyncio.to_thread(candidates, schema, MAX_CHECKS):
        place = (pair.table.name, pair.column.name)
        if place in settled:
            continue
        if time.monotonic() > until:
            unknown.add(place)
            continue
        try:
            holds = await unique.has(pair.owner, pair.key) and await _holds(database, schema, pair)
            if holds and not pair.matched_letters and pair.column == pair.table.columns[0]:
                holds = not await unique.has(pair.table, pair.column)  # else it is a key itself
        except ExecutorError as error:
            if isinstance(error, SqlError) and error.kind is ErrorKind.TYPE_MISMATCH:  # a text is no number
                continue
            log.info("Whether %s.%s refers to %s is not known: %s", *place, pair.owner.name, error)
            unknown.add(place)
            continue
        if holds and pair.matched_letters:
            settled.add(place)
            found[pair.table.name].append(_foreign_key(pair))
        elif holds:
            by_values[place].append(pair)
    for place, (only, *others) in by_values.items():
        if not others and place not in unknown:
            found[only.table.name].append(_foreign_key(only))
    tables = tuple(
        it.model_copy(update={"foreign_keys": (*it.foreign_keys, *found[it.name])}) if it.name in found else it
        for it in schema.tables
    )
    return schema.model_copy(update={"tables": tables}) if found else schema


def _foreign_key(pair: Pair) -> ForeignKey:
    return ForeignKey(columns=(pair.column.name,), table=pair.owner.name, referenced=(pair.key.name,))


class _Unique:
    """Whether the values of a key are unique; checked only for undeclared keys."""

    def __init__(self, database: Database, schema: Schema) -> None:
        self._database, self._schema = database, schema
        self._known: dict[tuple[str, str], bool] = {}

    async def has(self, owner: Table, key: Column) -> bool:
        """Whether the key is unique. Raises ExecutorError."""
        if owner.primary_key == (key.name,):
            return True
        place = (owner.name, key.name)
        if place not in self._known:
            query = await self._database.check(_counts(self._schema, owner, key), 1)
            (n, different) = (await self._database.run(query, timeout_s=QUERY_S)).rows[0]
            self._known[place] = n == different
        return self._known[place]


async def _holds(database: Database, schema: Schema, pair: Pair) -> bool:
    """Whether the column has values, several if its name says nothing, and all of them occur in the key.

    Raises ExecutorError.
    """
    query = await database.check(_comparison(schema, pair), 1)
    n, found = (await database.run(query, timeout_s=QUERY_S)).rows[0]
    is_same = _plain(pair.column.name) == _plain(pair.key.name) and _is_named_as_key(pair.key.name)
    return bool(n == found and n >= (1 if pair.matched_letters or is_same else LEAST_VALUES))


def _is_named_as_key(name: str) -> bool:
    """Whether a name says of what it is the number: `wohnung_nr`, and not `nr`, `level` or `name`."""
    parts = [it.lower() for it in _WORDS.split(name) if it]
    return len(parts) > 1 and parts[-1] in {"id", *_NUMBERED}


def _comparison(schema: Schema, pair: Pair) -> str:
    """SQL that counts the distinct values of the column, and how many of them occur in the key."""
    from sqlglot import exp

    from executors.dialects.table import DIALECTS

    value = exp.column(pair.column.name, table="a", quoted=True)
    values = (
        exp.select(exp.alias_(value, "v"))
        .distinct()
        .from_(to_source(pair.table, "a"))
        .where(exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())))
        .limit(DISTINCT)
        .subquery("d")
    )
    key = exp.column(pair.key.name, table="b", quoted=True)
    one = exp.column("v", table="d")
    select = exp.select(exp.alias_(exp.Count(this=one), "n"), exp.alias_(exp.Count(this=key), "found")).from_(values)
    is_key = exp.EQ(this=key.copy(), expression=one.copy())
    select = select.join(to_source(pair.owner, "b"), on=is_key, join_type="left")
    return select.sql(dialect=DIALECTS[schema.dialect].sqlglot)


def _counts(schema: Schema, owner: Table, key: Column) -> str:
    """SQL that counts the rows of a table and the distinct values of a column."""
    from sqlglot import exp

    from executors.dialects.table import DIALECTS

    value = exp.column(key.name, table="b", quoted=True)
    different = exp.Count(this=exp.Distinct(expressions=[value]))
    select = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n"), exp.alias_(different, "different"))
    return select.from_(to_source(owner, "b")).sql(dialect=DIALECTS[schema.dialect].sqlglot)
