"""Explains how to repair a failed query, in words that a small model can act on.

For a column: the actual columns of the named table, its dates if a date is missing, the table that has the missing
column, and the join that leads there; a name that is only alike is a question. For a table: the nearest real names. For
a function: its equivalent in the dialect.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from executors.base import Column, Schema, Table, dialect_row
from executors.dialects.row import Dialect
from executors.dialects.table import DIALECTS, match_error
from executors.errors import ErrorKind, SqlFailed
from executors.sql.driver_words import without_values

MAX_COLUMNS = 25
MAX_NEAREST = 3
MAX_HOLDERS = 2
MAX_JOINS = 2  # a table that more joins lead to is seldom meant
NEAR_ENOUGH = 70.0
VERY_NEAR = 90.0
NEAR_ELSEWHERE = 85.0  # least likeness of whole names, for a column of a table that the query does not read
MAX_DATES = 3
MAX_MESSAGE_CHARS = 500
# The class of an error that a driver puts before its message: `Binder Error: `, `DB::Exception: `.
_CLASS = re.compile(r"^(?:Code: \d+\. )?(?:\w+(?:::|\.))*(?:\w+ ){0,3}\w*(?:Error|Exception): ")

_DATE_TYPE = re.compile(r"date|time", re.IGNORECASE)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_DATE_NAME = re.compile(
    r"(?:^|_)(?:date|datetime|day|time|timestamp|when|at|on|datum|tag|zeit|jour|fecha|d[ií]a|giorno)(?:_|$)"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s.-]+")
_PLURAL = re.compile(r"(?<=.{3})(?:(?<=ss|sh|ch)es|(?<=x|z)es|(?<!s)s)\b")
_PLURAL_OF_Y = re.compile(r"(?<=.{2})ies\b")

# DuckDB and PostgreSQL say how to group, and the hint says it again.
_UNGROUPED = re.compile(r"column \"(?P<name>[^\"]+)\" must appear in the GROUP BY.*", re.DOTALL)
# DuckDB's advice, which the guard would refuse. The hint has our own.
_ADVICE = re.compile(r" Use TRY\(\.\.\.\) to .*|\s+Use \"SET .*", re.DOTALL)


def sql_failed(message: str, sql: str, schema: Schema, kind: ErrorKind | None = None) -> SqlFailed:
    """A driver's error as SqlFailed: classified by its code or its words, without values, with a hint."""
    matched, names = match_error(schema.dialect, message)
    kind = kind or matched
    error = _ADVICE.sub("", _CLASS.sub("", message))
    told = _UNGROUPED.sub(r"\g<name> is neither grouped nor aggregated.", without_values(error, sql, schema))
    return SqlFailed(kind, _shorten(told), _hint(kind, names, sql, schema))


def column_hint(name: str, schema: Schema, used: Mapping[str, str], *, table: str | None = None) -> str:
    """How to reach a column that is not in the table where the query looks for it.
    Args: used: real tables that the query reads -> their names in the query; table: the real table that the query names
    for the column, if it names one."""
    dialect = dialect_row(schema)
    owners = [found for found in (schema.table(t) for t in ([table] if table else used)) if found]
    parts = [f"{entry.name} has only: {_list(entry, dialect)}." for entry in owners[:3]]
    holders = [entry for entry in schema.tables if entry.column(name) and entry not in owners]
    joins = _count_joins(schema, used)
    holders.sort(key=lambda entry: joins.get(entry.name, MAX_JOINS + 1))
    here = _nearest(name, [column.name for entry in owners for column in entry.columns])
    if here and not (holders and holders[0].name in joins):
        parts.append(f"Nearest: {', '.join(dialect.quote_name(column) for column in here)}.")
    if _DATE_NAME.search(_HUMP.sub("_", name).lower()) or any(_is_date(it.column(name)) for it in holders):
        parts += [_dates_hint(entry, used.get(entry.name), dialect) for entry in owners[:MAX_HOLDERS]]
    parts += [_holder_hint(name, holder, schema, used, dialect) for holder in holders[:MAX_HOLDERS]]
    if not holders:
        near = _find_near(name, owners, schema, joins, VERY_NEAR if here else 0)
        parts += [_near_hint(name, *it, schema, used, dialect) for it in near[:MAX_HOLDERS]]
    return " ".join(filter(None, parts))


def table_hint(name: str, schema: Schema) -> str:
    """The nearest real tables, or all of them if none is near."""
    dialect = dialect_row(schema)
    names = [entry.name for entry in schema.tables]
    if not names:
        return "No tables are known here."
    near = _nearest(name, names)
    entries = filter(None, map(schema.table, near or names[:MAX_COLUMNS]))
    quoted = [dialect.qualify(entry.parts) for entry in entries]
    return f"Nearest: {', '.join(quoted)}." if near else f"The tables are: {', '.join(quoted)}."


def ambiguous_hint(name: str, schema: Schema, candidates: Iterable[str]) -> str:
    """The qualified names of an ambiguous column. Args: candidates: names or aliases of the sources that have it."""
    dialect = dialect_row(schema)
    ways = [f"{dialect.quote_name(candidate)}.{dialect.quote_name(name)}" for candidate in candidates]
    return f"Say which: {' or '.join(ways)}." if ways else ""


def function_hint(name: str, dialect: Dialect) -> str:
    """The dialect's equivalent of a function, or general hints on the dialect."""
    instead = dialect.instead.get(name.lower())
    if instead:
        return f"In {dialect.title} write {instead}."
    return f"{dialect.title}: {' '.join(dialect.hints[:2])}"


def join_path(schema: Schema, used: Mapping[str, str], goal: str) -> tuple[str, ...]:
    """The joins that lead from a table of the query to `goal`: the shortest path over foreign keys, in both directions.

    Returns `JOIN ... ON ...`, one text per step. Empty if the query reads `goal` already, or no short path leads there.
    Args: used: real tables that the query reads -> their names in the query.
    """
    links = _links(schema)
    came_from: dict[str, tuple[str, tuple[tuple[str, str], ...]] | None] = dict.fromkeys(used)
    queue = deque(used)
    while queue and goal not in came_from:
        here = queue.popleft()
        for there, pairs in links.get(here, ()):
            if there not in came_from:
                came_from[there] = (here, pairs)
                queue.append(there)
    dialect, steps = DIALECTS[schema.dialect], list[str]()
    while (step := came_from.get(goal)) is not None:
        before, pairs = step
        left, right = dialect.quote_name(used.get(before) or _parts(schema, before)[-1]), _parts(schema, goal)
        on = " AND ".join(
            f"{left}.{dialect.quote_name(a)} = {dialect.quote_name(right[-1])}.{dialect.quote_name(b)}"
            for a, b in pairs
        )
        steps.append(f"JOIN {dialect.qualify(right)} ON {on}")
        goal = before
    return tuple(reversed(steps)) if len(steps) <= MAX_JOINS else ()


def tables_in(sql: str, schema: Schema) -> dict[str, str]:
    """Real tables that a query reads -> their names in the query. Empty if the query cannot be parsed."""
    from sqlglot import exp
    from sqlglot.errors import ParseError, TokenError

    from executors.sql import grammar
    from executors.sql.names.tables import find_tables

    name = DIALECTS[schema.dialect].sqlglot
    try:
        trees = grammar.parse(grammar.tokenize(sql, name), sql, name)
    except (ParseError, TokenError, RecursionError):
        return {}
    found = (table for tree in trees for table in tree.find_all(exp.Table))
    return {entry.name: table.alias_or_name for table in found for entry in find_tables(table, schema)[:1]}


def _hint(kind: ErrorKind, names: Mapping[str, str], sql: str, schema: Schema) -> str:
    """The hint for a kind of error, from the names in the driver's message."""
    dialect = dialect_row(schema)
    qualifier, _, name = names.get("name", "").rpartition(".")
    if kind is ErrorKind.TABLE_NOT_FOUND and name:
        return table_hint(name, schema)
    if kind is ErrorKind.COLUMN_NOT_FOUND and name:
        used = tables_in(sql, schema)
        by_alias = {alias.lower(): table for table, alias in used.items()}
        owners = by_alias.get(names.get("table", qualifier).strip("\"'[]`").lower())
        return column_hint(name.strip("\"'[]`"), schema, used, table=owners)
    if kind is ErrorKind.AMBIGUOUS_COLUMN and name:
        used = tables_in(sql, schema)
        has = (alias for table, alias in used.items() if (entry := schema.table(table)) and entry.column(name))
        return ambiguous_hint(name, schema, has)
    if kind is ErrorKind.FUNCTION_NOT_FOUND and name:
        return function_hint(name, dialect)
    return _GENERAL.get(kind, "").format(title=dialect.title, hints=" ".join(dialect.hints[:2]))


_GENERAL: dict[ErrorKind, str] = {
    ErrorKind.SYNTAX_ERROR: "Write one {title} SELECT statement. {hints}",
    ErrorKind.TYPE_MISMATCH: "Cast the argument to the type that is wanted, or use another function. {hints}",
    ErrorKind.DIVISION_BY_ZERO: "Divide by NULLIF(divisor, 0): what cannot be divided is NULL then.",
    ErrorKind.SEVERAL_ROWS: "A subquery that stands for one value gives several rows: compare with IN, aggregate it, "
    "or join it instead.",
    ErrorKind.GROUPING: "Put every selected column that is not aggregated into GROUP BY; "
    "conditions on aggregates belong in HAVING.",
    ErrorKind.CONSTRAINT: "A rule of the database stands against it: write other values, or change first what the rule "
    "is about.",
    ErrorKind.TIMEOUT: "Read less: filter earlier, join on keys, and do not join tables without a condition.",
    ErrorKind.RESOURCE: "Read less: filter earlier, join on keys, and do not join tables without a condition.",
}


def _holder_hint(name: str, holder: Table, schema: Schema, used: Mapping[str, str], dialect: Dialect) -> str:
    """The table that has the column, and the join that leads there."""
    entry = holder.column(name)
    table, column = dialect.qualify(holder.parts), dialect.quote_name(entry.name if entry else name)
    if holder.name in used:
        return f"{column} is in {table}: write {dialect.quote_name(used[holder.name])}.{column}."
    joins = join_path(schema, used, holder.name)
    return f"{column} is in {table}" + (f": add {' '.join(joins)}." if joins else ".")


def _find_near(
    name: str, owners: Sequence[Table], schema: Schema, joins: Mapping[str, int], cutoff: float
) -> list[tuple[str, Table]]:
    """The columns of other tables that are nearest to a name, none farther than one of `owners`.

    `customer_name` is also near the column `name` of the table `customers`.
    """
    from rapidfuzz import fuzz

    own = [it for entry in owners for column in entry.columns for it in _spell(entry, column)]
    least = max((fuzz.WRatio(_comparable(name), _comparable(it)) for it in own), default=0) if cutoff else 0
    return _columns_of(schema).nearest(name, owners, max(least, cutoff, NEAR_ENOUGH), joins)


def _near_hint(name: str, column: str, holder: Table, schema: Schema, used: Mapping[str, str], dialect: Dialect) -> str:
    """The column of another table if its name is the same but for its form; a question if it is only alike, with the
    join only if the missing name begins with the table's. Empty if it is not alike enough."""
    quoted, place = dialect.quote_name(column), dialect.qualify(holder.parts)
    words, here, other = _words(name), _words(holder.parts[-1]), _words(column)
    own = words[len(here) :] if words[: len(here)] == here else []
    if "".join(words) in ("".join(other), "".join([*here, *other])):
        return _holder_hint(column, holder, schema, used, dialect)
    if holder.name in used:
        return f"Did you mean {dialect.quote_name(used[holder.name])}.{quoted}?"
    if own and (set(own) <= set(other) or _likeness(own, other) >= NEAR_ELSEWHERE):
        joins = join_path(schema, used, holder.name)
        way = f": add {' '.join(joins)}" if joins else ""
        return f"Did you mean {quoted}? It is in {place}{way}."
    is_alike = _likeness(words, other) >= NEAR_ELSEWHERE
    return f"Did you mean {quoted}, which is in {place}?" if is_alike else ""


def _is_date(column: Column | None) -> bool:
    """Whether a column holds dates or times, by its type, or by its values where dates are texts."""
    if column is None:
        return False
    written = [it for it in column.samples if it]
    return bool(_DATE_TYPE.search(column.type)) or (bool(written) and all(map(_ISO_DATE.match, written)))


def _dates_hint(table: Table, called: str | None, dialect: Dialect) -> str:
    """The dates and times of a table, as the query must write them. Empty if it has none. Args: called: its name in the
    query."""
    alias = dialect.quote_name(called or table.parts[-1])
    dates = [f"{alias}.{dialect.quote_name(it.name)}" for it in table.columns if _is_date(it)][:MAX_DATES]
    return f"The date{'s' if len(dates) > 1 else ''} of {table.name}: write {' or '.join(dates)}." if dates else ""


def _words(name: str) -> list[str]:
    """The words of a name, in lower case and singular: `CustomerNames` and `customers_name` have the same."""
    return _PLURAL.sub("", _PLURAL_OF_Y.sub("y", _comparable(_HUMP.sub(" ", name)))).split()


def _likeness(words: Sequence[str], others: Sequence[str]) -> float:
    from rapidfuzz import fuzz

    return fuzz.ratio(" ".join(words), " ".join(others))


def _spell(table: Table, column: Column) -> tuple[str, str]:
    """The names that people may use for a column."""
    return column.name, f"{table.parts[-1]} {column.name}"


def _count_joins(schema: Schema, used: Mapping[str, str]) -> dict[str, int]:
    """How many joins lead to each table from the nearest one that the query reads, up to `MAX_JOINS`."""
    links, found = _links(schema), dict.fromkeys(used, 0)
    for joins in range(MAX_JOINS):
        for name in [it for it, least in found.items() if least == joins]:
            for other, _ in links.get(name, ()):
                found.setdefault(other, joins + 1)
    return found


class _Columns:
    """All columns of a schema by the names that people may use, prepared for comparison."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        holders: dict[str, dict[str, tuple[str, Table]]] = {}
        for entry in schema.tables:
            for column in entry.columns:
                for spelled in _spell(entry, column):
                    holders.setdefault(spelled, {})[entry.name] = column.name, entry
        self._holders = list(holders.values())
        self._spelled = [_comparable(spelled) for spelled in holders]

    def nearest(
        self, name: str, without: Sequence[Table], cutoff: float, joins: Mapping[str, int]
    ) -> list[tuple[str, Table]]:
        """The columns most similar to `name`, best first, each with the table that the fewest joins lead to.
        Args: without: tables to leave out; joins: the number of joins by table."""
        from rapidfuzz import fuzz, process

        left_out = {entry.name for entry in without}
        choices = [  # None is skipped
            None if left_out.issuperset(tables) else spelled
            for spelled, tables in zip(self._spelled, self._holders, strict=True)
        ]
        found = process.extract(_comparable(name), choices, scorer=fuzz.WRatio, limit=MAX_NEAREST, score_cutoff=cutoff)
        places = [place for _, _, place in found]
        ones = [[one for table, one in self._holders[place].items() if table not in left_out] for place in places]
        first = [min(them, key=lambda it: joins.get(it[1].name, MAX_JOINS + 1)) for them in ones]
        return list({(entry.name, column): (column, entry) for column, entry in first}.values())


_MAX_READY = 4  # schemas whose prepared columns are kept: 100,000 columns take half a second to prepare
_ready: deque[_Columns] = deque(maxlen=_MAX_READY)


def _columns_of(schema: Schema) -> _Columns:
    """The prepared columns of a schema, cached: a schema is the same object until it is read again."""
    for columns in tuple(_ready):
        if columns.schema is schema:
            return columns
    columns = _Columns(schema)
    _ready.append(columns)
    return columns


def _comparable(text: str) -> str:
    from rapidfuzz import utils

    return utils.default_process(text.replace("_", " "))


def _nearest(name: str, choices: Sequence[str], cutoff: float = NEAR_ENOUGH) -> list[str]:
    """The choices most similar to `name`, best first, without distant ones."""
    from rapidfuzz import fuzz, process

    found = process.extract(
        name,
        list(dict.fromkeys(choices)),
        scorer=fuzz.WRatio,
        processor=_comparable,
        limit=MAX_NEAREST,
        score_cutoff=cutoff,
    )
    return [choice for choice, _, _ in found]


def _parts(schema: Schema, name: str) -> tuple[str, ...]:
    """The parts of a table's name."""
    entry = schema.table(name)
    return entry.parts if entry else (name,)


def _list(table: Table, dialect: Dialect) -> str:
    names = [dialect.quote_name(column.name) for column in table.columns]
    more = len(names) - MAX_COLUMNS
    return ", ".join(names[:MAX_COLUMNS]) + (f" and {more} more" if more > 0 else "")


def _links(schema: Schema) -> dict[str, list[tuple[str, tuple[tuple[str, str], ...]]]]:
    """Each table's neighbours over foreign keys, in both directions, with the pairs of columns that must be equal."""
    links: dict[str, list[tuple[str, tuple[tuple[str, str], ...]]]] = {}
    for table in schema.tables:
        for key in table.foreign_keys:
            other = schema.table(key.table)
            # In SQLite, a key may omit the referenced columns. It then references the other table's primary key.
            referenced = key.referenced or (other.primary_key if other else ())
            if other is None or len(referenced) != len(key.columns):
                continue
            pairs = tuple(zip(key.columns, referenced, strict=True))
            links.setdefault(table.name, []).append((other.name, pairs))
            links.setdefault(other.name, []).append((table.name, tuple((b, a) for a, b in pairs)))
    return links


def _shorten(message: str) -> str:
    """The part of a driver's message that explains the error, without candidate lists and excerpts of the query."""
    text = message.strip().split("\n\nLINE ")[0].split("\n\tCandidate functions:")[0]
    return text if len(text) <= MAX_MESSAGE_CHARS else text[: MAX_MESSAGE_CHARS - 1] + "…"
