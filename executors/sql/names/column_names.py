"""Checks whether a query's columns exist and have the engine's spelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from executors.base import Schema
from executors.dialects.row import NameCase
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from executors.sql.names import diagnose
from executors.sql.names.tables import is_default

# The columns of a source or a query. None if the text does not show them.
Columns = tuple[str, ...] | None


@dataclass(frozen=True)
class Cte:
    """A visible common table expression: the identifier that names it, and its columns."""

    identifier: exp.Identifier
    columns: Columns


@dataclass(frozen=True)
class FromSource:
    """A source in FROM.

    alias, columns: Names as the engine knows them. They may differ from the query's only in case.
    table: The real table's name, if it is a table.
    parts: The parts of that name, if the source has no alias.
    """

    alias: str
    columns: Columns
    table: str | None = None
    parts: tuple[str, ...] = ()

    def has(self, column: str) -> bool:
        """Whether the source has a column of that name, in any case."""
        return self.find_column(column) is not None

    def find_column(self, column: str) -> str | None:
        """The column's real name: the same, or the only one that differs just in case. None if there is none."""
        if self.columns is None:
            return None
        alike = {name for name in self.columns if name.lower() == column.lower()}
        return next(iter(alike)) if len(alike) == 1 else column if alike else None


@dataclass
class Frame:
    """The scope of one query: its sources, then those of the outer query."""

    outer: Frame | None = None
    sources: list[FromSource] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)  # name in lower case -> name as the engine knows it
    merged: set[str] = field(default_factory=set)  # columns that USING merged
    local: set[str] = field(default_factory=set)  # variables of list comprehensions
    merges_all: bool = False  # NATURAL, SEMI, ANTI: merged and hidden columns are not determined

    @property
    def open(self) -> bool:
        return any(source.columns is None for source in self.sources)

    def source(self, alias: str) -> FromSource | None:
        found = next((source for source in self.sources if source.alias.lower() == alias.lower()), None)
        return found or (self.outer.source(alias) if self.outer else None)

    def frames(self) -> Iterable[Frame]:
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.outer


class ColumnNames:
    """Checks the columns of one query.

    If case counts, a name that exists only in another case is replaced by the real name in quotes: many write
    `CustomerId` for "CustomerId", and PostgreSQL looks for customerid. Names that the query itself defines do not
    change.

    Args:
        sql: The text of the query, which shows quotes that its tree has lost.
        used: Real tables that the query reads -> their names in the query.
    """

    def __init__(self, schema: Schema, sql: str, used: Mapping[str, str]) -> None:
        self._schema, self._sql, self._used = schema, sql, used
        self._dialect = DIALECTS[schema.dialect]
        self.anywhere: set[str] = set()  # names of values given by a WITH (ClickHouse), in lower case
        self.row_ids: dict[int, set[str | None]] = {}  # see `NameCheck.row_ids`

    def effective(self, identifier: exp.Expr) -> str:
        """The name that the engine looks up for an identifier."""
        return identifier.name if identifier.args.get("quoted") else self._dialect.fold(identifier.name)

    def respell(self, identifier: exp.Expr | None, real: str | None) -> None:
        """Replace a name by the real name of its table or column. Args: real: None if it is unknown."""
        if real is None or identifier is None or self.effective(identifier) == real:
            return
        if self._dialect.case is NameCase.ANY:
            # SQL Server's collation decides whether case counts. In a Turkish one, `ID` and `id` always differ.
            if self._dialect.kin == "sqlserver" and identifier.name.lower() == real.lower():
                identifier.set("this", real)
            return
        identifier.set("this", real)
        identifier.set("quoted", True)

    def find_name(self, item: exp.Expr) -> str:
        """The engine's name of an item of a select list. Empty if it has none of its own."""
        name = item.args.get("alias") if isinstance(item, exp.Alias) else item.this
        if isinstance(item, exp.Alias | exp.Column) and isinstance(name, exp.Identifier):
            return self.effective(name)
        return item.alias_or_name

    def check_using(self, join: exp.Join, frame: Frame) -> None:
        """Give the columns of USING the spelling of the joined tables."""
        for identifier in join.args.get("using") or ():
            found = {source.find_column(identifier.name) for source in frame.sources} - {None}
            self.respell(identifier, found.pop() if len(found) == 1 else None)
            frame.merged.add(identifier.name.lower())

    def check(self, node: exp.Column, frame: Frame, *, in_join: bool) -> None:
        """Check one column. Raises SqlRefused: COLUMN_NOT_FOUND or AMBIGUOUS_COLUMN, with a hint."""
        if node.name.lower() in self._dialect.row_ids:
            self.row_ids.setdefault(id(node), set()).update(_find_row_id_tables(node, frame))
        if node.args.get("db"):
            self._of_schema(node, frame)
        elif node.table:
            self._qualify(node, frame)
        elif not isinstance(node.this, exp.Star):
            spelled = self._resolve(node.this, frame, in_join=in_join)
            if spelled is None:
                self._check_from(node, frame)
                self._missing(node)
            self.respell(node.this, spelled or None)

    def check_text(self, node: exp.Literal, frame: Frame) -> None:
        """Refuse a string in "double quotes" with the name of a column: MySQL does not read it as that column."""
        if any(source.has(node.name) for level in frame.frames() for source in level.sources):
            hint = f"Write {self._dialect.always_quote(node.name)} for the column; text has 'single' quotes."
            raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, f'"{node.name}" is text here, not a column.', hint)

    def check_number(self, node: exp.Alias, frame: Frame) -> None:
        """Refuse `2024_total` or `2024 total` without quotes if a column has that name: it is a number and an alias."""
        start = node.args["alias"].meta.get("start")
        before = self._sql[: start or 0]
        if not before.rstrip().endswith(node.this.name):
            return  # with AS, or in quotes
        name = f"{node.this.name}{' ' if before[-1:].isspace() else ''}{node.alias}"
        if any(source.has(name.lower()) for level in frame.frames() for source in level.sources):
            hint = f"Write {self._dialect.always_quote(name)} for the column."
            raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, f"{name} is a number under an alias here, no column.", hint)

    def _of_schema(self, node: exp.Column, frame: Frame) -> None:
        """Check `sales.orders.amount`. If no such table is read, it is a nested field, or the engine refuses it."""
        schema, table = node.args["db"].name, node.args["table"].name
        for level in frame.frames():
            for source in level.sources:
                last = source.parts[-1].lower() if source.parts else ""
                there = source.parts[0].lower() == schema.lower() if len(source.parts) > 1 else False
                if last == table.lower() and (there or (len(source.parts) == 1 and is_default(schema, self._schema))):
                    self.respell(node.args["db"], source.parts[0] if there else None)
                    self._of_source(node, source)
                    return
        holder = frame.source(schema) if self._dialect.kin == "oracle" else None
        if holder is not None and holder.has(table):
            self.respell(node.args["db"], holder.alias or None)
            self.respell(node.args["table"], holder.find_column(self.effective(node.args["table"])))
            node.this.set("quoted", True)  # a key of the column's JSON, spelled as written
        elif not self._dialect.has_fields:
            self._qualify(node, frame)

    def _qualify(self, node: exp.Column, frame: Frame) -> None:
        source = frame.source(node.table)
        if source is not None:
            self._of_source(node, source)
        elif self._dialect.has_fields:
            spelled = self._resolve(node.args["table"], frame, in_join=True)
            if spelled is None:
                raise self._no_such_qualifier(node, frame)
            self.respell(node.args["table"], spelled or None)
        else:
            raise self._no_such_qualifier(node, frame)

    def _of_source(self, node: exp.Column, source: FromSource) -> None:
        self.respell(node.args["table"], source.alias or None)
        if source.columns is None or isinstance(node.this, exp.Star):
            return
        spelled = source.find_column(node.name)
        self.respell(node.this, spelled)
        if spelled is not None or node.name.lower() in self._dialect.row_ids:
            return
        hint = diagnose.column_hint(node.name, self._schema, self._used, table=source.table)
        if source.table is None:
            hint = f"{source.alias} has only: {', '.join(source.columns)}."
        raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, f"{source.alias} has no column {node.name}.", hint)

    def _resolve(self, identifier: exp.Expr, start: Frame, *, in_join: bool) -> str | None:
        """The column that an unqualified name means. Empty if it may be one, None if it cannot be one."""
        name = identifier.name.lower()
        for frame in start.frames():
            holders = [source for source in frame.sources if source.has(name)]
            merged = frame.open or frame.merges_all or name in frame.merged or name in frame.aliases
            if len(holders) > 1 and not (in_join or merged):
                hint = diagnose.ambiguous_hint(name, self._schema, [source.alias for source in holders])
                raise SqlRefused(ErrorKind.AMBIGUOUS_COLUMN, f"Column {name} is in more than one table.", hint)
            if holders:
                known = {source.find_column(self.effective(identifier)) or "" for source in holders}
                return known.pop() if len(known) == 1 else ""
            if name in frame.aliases:
                return frame.aliases[name]
            if frame.open or name in frame.local or name in self._dialect.row_ids | self.anywhere:
                return ""
            if self._dialect.has_fields and any(source.alias.lower() == name for source in frame.sources):
                return ""
        return None

    def _check_from(self, node: exp.Column, frame: Frame) -> None:
        """Refuse `SELECT FORM orders`, which parses as a column and an alias, but is a misspelt FROM."""
        from rapidfuzz.distance import OSA

        aliased = isinstance(node.parent, exp.Alias) and isinstance(node.parent.parent, exp.Select)
        if not aliased or any(level.sources for level in frame.frames()) or OSA.distance(node.name.lower(), "from") > 1:
            return
        hint = f"Write SELECT columns FROM {node.parent.alias}." if node.parent is not None else ""
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, f"{node.name} stands where FROM is expected.", hint)

    def _missing(self, node: exp.Column) -> None:
        """Handle a name that is no column. In SQLite, a name in "double quotes" becomes a string, unless it is
        selected, grouped by or ordered by. Any other name raises SqlRefused."""
        start = node.this.meta.get("start")
        quoted = start is not None and self._sql[start : start + 1] == '"'
        shown = isinstance(node.parent, exp.Select | exp.Group | exp.Ordered | exp.Alias)
        if self._schema.dialect == "sqlite" and quoted and not shown:
            node.replace(exp.Literal.string(node.name))
            return
        hint = diagnose.column_hint(node.name, self._schema, self._used)
        if quoted and not shown:
            hint = f"If it is text, write it in 'single' quotes. {hint}"
        raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, f"There is no column {node.name}.", hint)

    def _no_such_qualifier(self, node: exp.Column, frame: Frame) -> SqlRefused:
        known = [source.alias for level in frame.frames() for source in level.sources if source.alias]
        entries = self._schema.tables_named(node.table)
        hint = f"The query reads: {', '.join(known)}." if known else ""
        if len(entries) == 1:
            joins = diagnose.join_path(self._schema, self._used, entries[0].name)
            hint = f"{hint} Add {' '.join(joins)}." if joins else hint
        message = f"{node.table} is not in FROM, so {node.table}.{node.name} cannot be read."
        return SqlRefused(ErrorKind.COLUMN_NOT_FOUND, message, hint)


def _find_row_id_tables(node: exp.Column, frame: Frame) -> Iterator[str | None]:
    """The tables whose row id a name may be; None for a source that is no table, or an unknown one. A real column comes
    before a row id of its own scope and of outer ones."""
    known = False
    for level in frame.frames():
        met = [it for it in level.sources if not node.table or it.alias.lower() == node.table.lower()]
        if not node.table and any(source.has(node.name) for source in met):
            return
        yield from (source.table for source in met if not source.has(node.name))
        known |= bool(met)
    if not known:
        yield None
