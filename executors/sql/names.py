"""Do the tables and columns of a query exist?

One walk over the tree, scope by scope, as the engines resolve names: CTEs before tables, a query's own sources before
those of the query around it. Tables fail closed: one that this walk did not meet, or cannot place, is refused. Columns
are refused only where their table's columns are known for certain; else the engine decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from executors.base import Schema
from executors.dialects import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from executors.sql import diagnose
from executors.sql.scopes import Columns, Cte, Frame, Source, anchor_columns, renamed


class NameCheck:
    """Checks one query against a schema, and mends what can only be meant one way.

    After `run`, `tables` has the real tables in order of appearance. In SQLite a "double-quoted" word that is no column
    has become the text that the engine takes it for.
    """

    def __init__(self, schema: Schema, sql: str) -> None:
        self._schema, self._sql = schema, sql
        self._dialect = DIALECTS[schema.dialect]
        self._met: set[int] = set()
        self._aliases: dict[str, str] = {}
        self._tables: list[str] = []

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._tables))

    def run(self, root: exp.Expr) -> None:
        """Check a query.

        Raises:
            SqlRefused: TABLE_NOT_FOUND, COLUMN_NOT_FOUND, AMBIGUOUS_COLUMN or PERMISSION, with a hint.
        """
        # The tables first, so that a hint about a column knows all that the query reads.
        for table in root.find_all(exp.Table):
            entry = self._schema.table(table.name)
            if entry:
                self._aliases.setdefault(entry.name, table.alias_or_name)
        self._query(root, {}, None)
        for table in root.find_all(exp.Table):
            if id(table) not in self._met:
                raise SqlRefused(ErrorKind.PERMISSION, f"{table.sql()} stands where no table can be checked.")

    # ------------------------------------------------------------------------------------------ queries

    def _query(self, node: exp.Expr, ctes: Mapping[str, Cte], outer: Frame | None) -> Columns:
        """Check a query; the names of its columns."""
        if isinstance(node, exp.Select):
            return self._select(node, ctes, outer)
        ctes = self._with(node, ctes, outer)
        if isinstance(node, exp.SetOperation):
            columns = self._query(node.this, ctes, outer)
            self._query(node.expression, ctes, outer)
            columns = None if node.args.get("by_name") else columns
        elif isinstance(node, exp.Subquery):
            columns = self._query(node.this, ctes, outer)
        else:
            columns = None
        unknown = Frame(outer, [Source("", None)])
        for key, value in node.args.items():
            if key not in {"this", "expression", "with_", "alias"}:
                self._expressions(value, ctes, unknown)
        if isinstance(node, exp.Values):
            self._expressions(node.expressions, ctes, unknown)
        return columns

    def _with(self, node: exp.Expr, ctes: Mapping[str, Cte], outer: Frame | None) -> dict[str, Cte]:
        """The CTEs in sight inside `node`: those around it, and its own, each seeing the earlier ones."""
        seen = dict(ctes)
        with_ = node.args.get("with_")
        if with_ is None:
            return seen
        for cte in with_.expressions:
            alias: exp.TableAlias = cte.args["alias"]
            given = tuple(column.name for column in alias.columns) or None
            key = self._cte_key(alias.this)
            inside = dict(seen)
            if with_.args.get("recursive") or not self._dialect.recursive_word:
                inside[key] = Cte(alias.this, given or anchor_columns(cte.this))
            columns = self._query(cte.this, inside, outer)
            seen[key] = Cte(alias.this, renamed(columns, given))
        return seen

    def _select(self, node: exp.Select, ctes: Mapping[str, Cte], outer: Frame | None) -> Columns:
        ctes = self._with(node, ctes, outer)
        frame = Frame(outer)
        from_ = node.args.get("from_")
        if from_ is not None:
            self._source(from_.this, ctes, frame)
        self._joins(node, ctes, frame)
        for lateral in node.args.get("laterals") or ():
            self._source(lateral, ctes, frame)
        frame.aliases = {item.alias.lower() for item in node.expressions if isinstance(item, exp.Alias)}
        for key, value in node.args.items():
            if key not in {"with_", "from_", "joins", "laterals"}:
                self._expressions(value, ctes, frame)
        return self._output(node, frame)

    def _joins(self, node: exp.Expr, ctes: Mapping[str, Cte], frame: Frame) -> None:
        joins: list[exp.Join] = node.args.get("joins") or []
        for join in joins:
            self._source(join.this, ctes, frame)
            frame.merged |= {column.name.lower() for column in join.args.get("using") or ()}
            frame.merges_all |= bool(join.method) or join.kind in {"SEMI", "ANTI"}
        for join in joins:
            # An ON sees only what stands before it; to hold it to that is left to the engine.
            self._expressions(join.args.get("on"), ctes, frame, in_join=True)

    def _output(self, node: exp.Select, frame: Frame) -> Columns:
        """The names of a select list; None where one cannot be told."""
        names: list[str] = []
        for item in node.expressions:
            if isinstance(item, exp.Alias) or (isinstance(item, exp.Column) and not isinstance(item.this, exp.Star)):
                names.append(item.alias_or_name)
                continue
            star = item.this if isinstance(item, exp.Column) else item
            if not isinstance(star, exp.Star) or any(star.args.values()):
                return None
            found = frame.source(item.table) if isinstance(item, exp.Column) else None
            for source in [found] if found else frame.sources:
                if source.columns is None:
                    return None
                names += source.columns
        return tuple(names)

    # ------------------------------------------------------------------------------------------ sources

    def _source(self, node: exp.Expr, ctes: Mapping[str, Cte], frame: Frame) -> None:
        """Add to the frame what stands in FROM or JOIN."""
        alias = node.args.get("alias")
        given = tuple(column.name for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()
        name = node.alias if alias is not None else ""
        if isinstance(node, exp.Table):
            self._table(node, given, ctes, frame)
        elif isinstance(node, exp.Subquery):
            self._derived(node, given, ctes, frame)
        elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
            columns = self._query(node.this, ctes, frame)
            frame.sources.append(Source(name, renamed(columns, given)))
        elif isinstance(node, exp.Values | exp.Unnest | exp.Lateral | exp.Func):
            for key, value in node.args.items():
                if key not in {"alias", "pivots", "joins"}:
                    self._expressions(value, ctes, frame)
            frame.sources.append(Source(name, given if given and isinstance(node, exp.Values) else None))
        elif isinstance(node, exp.Pivot) and isinstance(node.this, exp.Table | exp.Subquery):
            self._source(node.this, ctes, Frame(frame.outer))
            frame.sources.append(Source(name, None))
        else:
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, f"{node.sql()[:80]} cannot be read from.")
        if not isinstance(node, exp.Table):
            self._joins(node, ctes, frame)

    def _derived(self, node: exp.Subquery, given: tuple[str, ...], ctes: Mapping[str, Cte], frame: Frame) -> None:
        """A query in FROM, or tables joined in parentheses."""
        if isinstance(node.this, exp.Query):
            # Only DuckDB lets a query in FROM see the sources beside it without LATERAL.
            outer = frame if self._schema.dialect == "duckdb" else frame.outer
            columns = self._query(node.this, ctes, outer)
            columns = None if node.args.get("pivots") else renamed(columns, given)
            frame.sources.append(Source(node.alias, columns))
        elif node.alias:
            self._source(node.this, ctes, Frame(frame.outer))
            frame.sources.append(Source(node.alias, None))
        else:
            self._source(node.this, ctes, frame)

    def _table(self, node: exp.Table, given: tuple[str, ...], ctes: Mapping[str, Cte], frame: Frame) -> None:
        self._met.add(id(node))
        if not isinstance(node.this, exp.Identifier):  # a table function: the list of functions has let it through
            self._expressions(node.this, ctes, frame)
            frame.sources.append(Source(node.alias or node.name, None))
        else:
            cte = None if node.args.get("db") else ctes.get(self._cte_key(node.this))
            written = node.alias_or_name
            if cte is not None:
                # The CTE's own spelling: no other reading of this name is left to the engine.
                node.set("this", cte.identifier.copy())
                columns, real = cte.columns, None
            else:
                real = self._real(node)
                entry = self._schema.table(real)
                columns = tuple(column.name for column in entry.columns) if entry else None
            columns = None if node.args.get("pivots") else renamed(columns, given)
            frame.sources.append(Source(written, columns, real))
        self._joins(node, ctes, frame)

    def _real(self, node: exp.Table) -> str:
        """The schema's name for a table."""
        name, dialect = node.name, self._dialect
        entry = self._schema.table(name)
        qualifiers = [part.name for part in node.parts[:-1]]
        for spelled in [*qualifiers, *([] if entry else [name])]:
            if re.match(dialect.catalogue, spelled.lower()):
                message = f"{node.sql(dialect.sqlglot)} describes the database itself and may not be read."
                raise SqlRefused(ErrorKind.PERMISSION, message, diagnose.table_hint(name, self._schema))
        if len(qualifiers) > 1 or any(qualifier.lower() not in dialect.schemas for qualifier in qualifiers):
            message = f"There is no {node.sql(dialect.sqlglot)} here: write a table's name alone."
            raise SqlRefused(ErrorKind.TABLE_NOT_FOUND, message, diagnose.table_hint(name, self._schema))
        if entry is None:
            message = f"There is no table {name}."
            raise SqlRefused(ErrorKind.TABLE_NOT_FOUND, message, diagnose.table_hint(name, self._schema))
        self._tables.append(entry.name)
        return entry.name

    def _cte_key(self, identifier: exp.Expr) -> str:
        """PostgreSQL tells "A" from a; for the others case does not count."""
        exact = self._schema.dialect == "postgresql" and identifier.args.get("quoted")
        return identifier.name if exact else identifier.name.lower()

    # ------------------------------------------------------------------------------------------ columns

    def _expressions(self, value: object, ctes: Mapping[str, Cte], frame: Frame, *, in_join: bool = False) -> None:
        """Check all columns in an argument of a node, and the queries inside it."""
        for root in value if isinstance(value, list) else [value]:
            if not isinstance(root, exp.Expr):
                continue
            frame.local |= {item.expression.name.lower() for item in root.find_all(exp.Comprehension)}
            for node in list(root.walk(prune=lambda n: isinstance(n, exp.Query | exp.Values | exp.Pivot))):
                if isinstance(node, exp.Query | exp.Values):
                    self._query(node, ctes, frame)
                elif isinstance(node, exp.Column):
                    self._column(node, frame, in_join=in_join)

    def _column(self, node: exp.Column, frame: Frame, *, in_join: bool) -> None:
        if node.args.get("db"):
            return  # schema.table.column, or a field of a field: its table stands in FROM or the engine says no
        if node.table:
            self._qualified(node, frame)
        elif not isinstance(node.this, exp.Star) and not self._resolves(node.name.lower(), frame, in_join=in_join):
            self._missing(node)

    def _qualified(self, node: exp.Column, frame: Frame) -> None:
        source = frame.source(node.table)
        if source is None:
            if self._dialect.has_fields and self._resolves(node.table.lower(), frame, in_join=True):
                return
            raise self._no_such_qualifier(node, frame)
        if source.columns is None or isinstance(node.this, exp.Star) or source.has(node.name.lower()):
            return
        if node.name.lower() in self._dialect.row_ids:
            return
        hint = diagnose.column_hint(node.name, self._schema, self._aliases, table=source.table)
        if source.table is None:
            hint = f"{source.alias} has only: {', '.join(source.columns)}."
        raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, f"{source.alias} has no column {node.name}.", hint)

    def _resolves(self, name: str, start: Frame, *, in_join: bool) -> bool:
        """Whether an unqualified name is a column, or may be one."""
        for frame in start.frames():
            holders = [source for source in frame.sources if source.has(name)]
            if len(holders) > 1 and not (
                in_join or frame.open or frame.merges_all or name in frame.merged | frame.aliases
            ):
                hint = diagnose.ambiguous_hint(name, self._schema, [source.alias for source in holders])
                raise SqlRefused(ErrorKind.AMBIGUOUS_COLUMN, f"Column {name} is in more than one table.", hint)
            if holders or frame.open or name in frame.aliases | frame.local | self._dialect.row_ids:
                return True
            if self._dialect.has_fields and any(source.alias.lower() == name for source in frame.sources):
                return True
        return False

    def _missing(self, node: exp.Column) -> None:
        """A name that is no column: in SQLite, text where it is written "so" and not itself shown; else an error."""
        start = node.this.meta.get("start")
        quoted = start is not None and self._sql[start : start + 1] == '"'
        shown = isinstance(node.parent, exp.Select | exp.Group | exp.Ordered | exp.Alias)
        if self._schema.dialect == "sqlite" and quoted and not shown:
            node.replace(exp.Literal.string(node.name))
            return
        hint = diagnose.column_hint(node.name, self._schema, self._aliases)
        if quoted:
            hint = f"Text has 'single' quotes. {hint}"
        raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, f"There is no column {node.name}.", hint)

    def _no_such_qualifier(self, node: exp.Column, frame: Frame) -> SqlRefused:
        known = [source.alias for level in frame.frames() for source in level.sources if source.alias]
        entry = self._schema.table(node.table)
        hint = f"The query reads: {', '.join(known)}." if known else ""
        if entry is not None:
            joins = diagnose.join_path(self._schema, self._aliases, entry.name)
            hint = f"{hint} Add {' '.join(joins)}." if joins else hint
        message = f"{node.table} is not in FROM, so {node.table}.{node.name} cannot be read."
        return SqlRefused(ErrorKind.COLUMN_NOT_FOUND, message, hint)
