"""Checks whether a query's tables and columns exist.

The check walks the tree once, scope by scope, and resolves names as the engines do: CTEs before tables, a query's own
sources before those of the outer query. Tables fail closed: a table that the walk does not reach, or cannot resolve, is
refused. A column is refused only if all columns of its table are known; else the engine decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set

from sqlglot import exp

from executors.base import Schema, Table
from executors.dialects.row import NameCase
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from executors.sql import grammar
from executors.sql.names import diagnose
from executors.sql.names.column_names import ColumnNames, Columns, Cte, Frame, FromSource
from executors.sql.names.tables import find_tables


class NameCheck:
    """Checks one query against a schema, and repairs unambiguous mistakes.

    After `run`, `tables` has the real tables in order of appearance, and `meaning` has the meaning of each name in
    FROM: a table, the identifier of a CTE, or None if two readings of the query differ. In SQLite, a "double-quoted"
    word that is not a column has become a string, as the engine reads it. If case counts, names have the schema's
    spelling. A table that exists only outside the default schema is qualified by its schema. `row_ids` has the tables
    whose row id a column may be, by the column's `id`, with None for what is no table: empty if it is a real column.

    Args:
        sql: The original text, for hints.
        catalogue: Tables that describe the database itself and may be read nevertheless, in lower case.
    """

    def __init__(self, schema: Schema, sql: str, catalogue: frozenset[str] = frozenset()) -> None:
        self._schema, self._catalogue = schema, catalogue
        self._dialect = DIALECTS[schema.dialect]
        self._met: set[int] = set()
        self.meaning: dict[int, Table | exp.Identifier | None] = {}  # by the node's `id`
        self._aliases: dict[str, str] = {}
        self._tables: list[str] = []
        self._columns = ColumnNames(schema, sql, self._aliases)

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._tables))

    @property
    def row_ids(self) -> Mapping[int, Set[str | None]]:
        return self._columns.row_ids

    def run(self, root: exp.Expr) -> None:
        """Check a query.
        Raises SqlRefused: TABLE_NOT_FOUND, COLUMN_NOT_FOUND, AMBIGUOUS_COLUMN or PERMISSION, with a hint."""
        # Tables come first, so that a hint about a column knows all tables that the query reads.
        for table in root.find_all(exp.Table):
            for entry in find_tables(table, self._schema)[:1]:
                self._aliases.setdefault(entry.name, table.alias_or_name)
        self._query(root, {}, None)
        for table in root.find_all(exp.Table):
            if id(table) not in self._met:
                raise SqlRefused(ErrorKind.PERMISSION, f"{self._text(table)} stands where no table can be checked.")

    def _query(self, node: exp.Expr, ctes: Mapping[str, Cte], outer: Frame | None) -> Columns:
        """Check a query. Return the names of its columns."""
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
        unknown = Frame(outer, [FromSource("", None)])
        for key, value in node.args.items():
            if key not in {"this", "expression", "with_", "alias"}:
                self._expressions(value, ctes, unknown)
        if isinstance(node, exp.Values):
            self._expressions(node.expressions, ctes, unknown)
        return columns

    def _with(self, node: exp.Expr, ctes: Mapping[str, Cte], outer: Frame | None) -> dict[str, Cte]:
        """Check the CTEs of `node`, each of which sees earlier ones. Return all that are visible inside it."""
        seen = dict(ctes)
        with_ = node.args.get("with_")
        if with_ is None:
            return seen
        if search := with_.args.get("search"):  # SET adds a column
            self._columns.anywhere |= {it.name.lower() for it in search.find_all(exp.Identifier)}
        for cte in with_.expressions:
            alias: exp.TableAlias = cte.args["alias"]
            if cte.args.get("scalar"):  # ClickHouse: a value, whose name is known in the whole query
                self._columns.anywhere.add(alias.name.lower())
                self._expressions(cte.this, seen, Frame(outer, [FromSource("", None)]))
                continue
            given = self._read_column_aliases(alias) or None
            key = self._cte_key(alias.this)
            inside = dict(seen)
            if with_.args.get("recursive") or not self._dialect.recursive_word:
                if self._dialect.case is not NameCase.ANY and isinstance(cte.this, exp.SetOperation):
                    self._query(_anchor(cte.this), seen, outer)  # spell its columns before they are named
                inside[key] = Cte(alias.this, given or _anchor_columns(cte.this, self._columns.find_name))
            columns = self._query(cte.this, inside, outer)
            seen[key] = Cte(alias.this, _rename(columns, given))
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
        if self._dialect.kin == "databricks":  # GROUP BY window(...) adds a column of that name
            calls = (it.name.lower() for it in node.find_all(exp.Anonymous))
            frame.local |= {name for name in calls if name in ("window", "session_window")}
        for item in (found for root in node.expressions for found in root.walk(prune=_is_query)):
            if isinstance(item, exp.Alias):
                frame.aliases[item.alias.lower()] = self._columns.find_name(item)
        if self._dialect.kin == "postgresql":  # a call without an alias is named by its function
            for item in node.expressions:
                if isinstance(item, exp.Func):
                    name = item.name if isinstance(item, exp.Anonymous) else item.sql_name()
                    frame.aliases.setdefault(name.lower(), name.lower())
        for key, value in node.args.items():
            if key not in {"with_", "from_", "joins", "laterals"}:
                self._expressions(value, ctes, frame)
        return self._output(node, frame)

    def _joins(self, node: exp.Expr, ctes: Mapping[str, Cte], frame: Frame) -> None:
        joins: list[exp.Join] = node.args.get("joins") or []
        for join in joins:
            if join.kind == "ARRAY":  # ClickHouse: one row per element, named by the column or an alias
                self._expressions([join.this, *join.expressions], ctes, frame)
                names = tuple(self._columns.find_name(item) for item in (join.this, *join.expressions) if item.alias)
                frame.sources.append(FromSource("", names))
                frame.merged |= {name.lower() for name in names}
                continue
            self._source(join.this, ctes, frame)
            self._columns.check_using(join, frame)
            frame.merges_all |= bool(join.method) or join.kind in {"SEMI", "ANTI"}
        for join in joins:
            # An ON sees only earlier sources. The engine checks that.
            self._expressions(join.args.get("on"), ctes, frame, in_join=True)

    def _output(self, node: exp.Select, frame: Frame) -> Columns:
        """The names of a select list. None if one is unknown."""
        names: list[str] = []
        for item in node.expressions:
            if isinstance(item, exp.Alias) or (isinstance(item, exp.Column) and not isinstance(item.this, exp.Star)):
                names.append(self._columns.find_name(item))
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

    def _source(self, node: exp.Expr, ctes: Mapping[str, Cte], frame: Frame) -> None:
        """Check a source in FROM or JOIN, and add it to the frame."""
        if isinstance(node, exp.Final):
            node = node.this
        given, name = self._read_column_aliases(node.args.get("alias")), self._goes_by(node)
        if isinstance(node, exp.Table):
            self._table(node, given, ctes, frame)
        elif isinstance(node, exp.Subquery):
            self._derive(node, given, ctes, frame)
        elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
            columns = self._query(node.this, ctes, frame)
            frame.sources.append(FromSource(name, _rename(columns, given)))
        elif isinstance(node, exp.Values | exp.Unnest | exp.Lateral | exp.Func):
            for key, value in node.args.items():
                if key not in {"alias", "pivots", "joins"}:
                    self._expressions(value, ctes, frame)
            frame.sources.append(FromSource(name, given if given and isinstance(node, exp.Values) else None))
        elif isinstance(node, exp.Pivot) and isinstance(node.this, exp.Table | exp.Subquery):
            self._source(node.this, ctes, Frame(frame.outer))
            frame.sources.append(FromSource(name, None))
        else:
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, f"{self._text(node)[:80]} cannot be read from.")
        if not isinstance(node, exp.Table):
            self._joins(node, ctes, frame)

    def _derive(self, node: exp.Subquery, given: tuple[str, ...], ctes: Mapping[str, Cte], frame: Frame) -> None:
        """Check a query in FROM, or tables joined in parentheses, and add it to the frame."""
        if isinstance(node.this, exp.Query):
            # Only in DuckDB, a query in FROM sees the sources beside it without LATERAL.
            outer = frame if self._schema.dialect == "duckdb" else frame.outer
            columns = self._query(node.this, ctes, outer)
            columns = None if node.args.get("pivots") else _rename(columns, given)
            frame.sources.append(FromSource(self._goes_by(node), columns))
            self._pivot(node, frame)
        elif isinstance(node.this, exp.Summarize):
            self._query(node.this.this, ctes, frame.outer)
            frame.sources.append(FromSource(self._goes_by(node), None))
        elif node.alias:
            self._source(node.this, ctes, Frame(frame.outer))
            frame.sources.append(FromSource(self._goes_by(node), None))
        else:
            self._source(node.this, ctes, frame)

    def _table(self, node: exp.Table, given: tuple[str, ...], ctes: Mapping[str, Cte], frame: Frame) -> None:
        self._met.add(id(node))
        if not isinstance(node.this, exp.Identifier):  # a table function, which the list of functions allows
            self._expressions(node.this, ctes, frame)
            name = node.alias or self._dialect.fold(node.this.name)  # a function's name is its alias
            frame.sources.append(FromSource(name, None))
        else:
            frame.sources.append(self._find_table(node, given, ctes))
            self._pivot(node, frame)
        self._joins(node, ctes, frame)

    def _pivot(self, node: exp.Expr, frame: Frame) -> None:
        """Add the result of PIVOT or UNPIVOT to the frame, under its alias."""
        for pivot in node.args.get("pivots") or ():
            if pivot.alias:
                frame.sources.append(FromSource(self._goes_by(pivot), None))

    def _find_table(self, node: exp.Table, given: tuple[str, ...], ctes: Mapping[str, Cte]) -> FromSource:
        """Resolve a name in FROM: a CTE, or a table of the schema."""
        cte = None if node.args.get("db") else ctes.get(self._cte_key(node.this))
        columns: Columns = ()
        real, parts = None, tuple[str, ...]()
        if cte is not None:
            # The name gets the CTE's spelling, so that the engine cannot resolve it differently.
            node.set("this", cte.identifier.copy())
            self._note(node, cte.identifier)
            columns = cte.columns
        elif self._is_open(node):
            columns = None  # the engine knows them
        elif self._is_made(node):
            columns = self._dialect.made_columns
        elif node.args.get("db") or node.name.lower() != self._dialect.one_row_table:
            entry = self._real(node)
            self._note(node, entry)
            self._spell(node, entry)
            columns, real = tuple(column.name for column in entry.columns), entry.name
            parts = () if node.alias else entry.parts
        columns = None if node.args.get("pivots") else _rename(columns, given)
        return FromSource(self._goes_by(node) or self._columns.effective(node.this), columns, real, parts)

    def _is_open(self, node: exp.Table) -> bool:
        """Whether a table describes the database itself and may be read."""
        name = ".".join(part.name for part in node.parts).lower()
        return name in self._catalogue and any(re.match(self._dialect.catalogue, part) for part in name.split("."))

    def _is_made(self, node: exp.Table) -> bool:
        """Whether the server generates a table from its name, and the schema has no table of that name."""
        pattern = self._dialect.made_tables
        return bool(pattern and re.fullmatch(pattern, node.name.lower())) and not find_tables(node, self._schema)

    def _note(self, node: exp.Table, found: Table | exp.Identifier) -> None:
        known = self.meaning.setdefault(id(node), found)
        self.meaning[id(node)] = found if known is found else None

    def _real(self, node: exp.Table) -> Table:
        """The schema's entry for a table. Raises SqlRefused: there is none, or more than one."""
        name, found = node.name, find_tables(node, self._schema)
        qualifiers = [part.name for part in node.parts[:-1]]
        for spelled in [*qualifiers, *([] if found else [name])]:
            if re.match(self._dialect.catalogue, spelled.lower()):
                message = f"{self._text(node)} describes the database itself and may not be read."
                raise SqlRefused(ErrorKind.PERMISSION, message, diagnose.table_hint(name, self._schema))
        if len(found) == 1:
            self._tables.append(found[0].name)
            return found[0]
        message, hint = f"There is no table {name}.", diagnose.table_hint(name, self._schema)
        if found:
            message = f"There is a table {name} in more than one schema."
            hint = f"Say which: {' or '.join(map(self._schema.quote_table, found))}."
        elif qualifiers:
            written = ".".join(part.name for part in node.parts)
            message = f"There is no {written} here: write a table's name alone."
        raise SqlRefused(ErrorKind.TABLE_NOT_FOUND, message, hint)

    def _spell(self, node: exp.Table, entry: Table) -> None:
        """Give a table's name the schema's spelling, and qualify it if its schema is not the default."""
        self._columns.respell(node.this, entry.parts[-1])
        if node.args.get("db"):
            real = entry.namespace or self._schema.namespace
            self._columns.respell(node.args["db"], real if real.lower() == node.db.lower() else None)
        elif entry.namespace:
            node.set("db", exp.to_identifier(entry.namespace, quoted=True))

    def _read_column_aliases(self, alias: object) -> tuple[str, ...]:
        """The names that an alias gives to columns."""
        return tuple(map(self._columns.effective, alias.columns)) if isinstance(alias, exp.TableAlias) else ()

    def _goes_by(self, node: exp.Expr) -> str:
        """The alias of a source in FROM. Empty without one."""
        alias = node.args.get("alias")
        return self._columns.effective(alias.this) if isinstance(alias, exp.TableAlias) and alias.this else node.alias

    def _text(self, node: exp.Expr) -> str:
        return grammar.write(node, self._dialect.sqlglot)

    def _cte_key(self, identifier: exp.Expr) -> str:
        """The key of a CTE's name. Engines that fold names distinguish "A" from a; for others, case is ignored."""
        folds = self._dialect.case in {NameCase.LOWER, NameCase.UPPER}
        return self._columns.effective(identifier) if folds else identifier.name.lower()

    def _expressions(self, value: object, ctes: Mapping[str, Cte], frame: Frame, *, in_join: bool = False) -> None:
        """Check all columns in an argument of a node, and the queries inside it."""
        for root in value if isinstance(value, list) else [value]:
            if not isinstance(root, exp.Expr):
                continue
            frame.local |= {item.expression.name.lower() for item in root.find_all(exp.Comprehension)}
            for node in list(root.walk(prune=_is_query)):
                if isinstance(node, exp.Query | exp.Values):
                    self._query(node, ctes, frame)
                elif isinstance(node, exp.Literal) and node.meta.get("double"):
                    self._columns.check_text(node, frame)
                elif isinstance(node, exp.Alias) and node.this.is_number:
                    self._columns.check_number(node, frame)
                elif isinstance(node, exp.Column):
                    self._columns.check(node, frame, in_join=in_join)


def _is_query(node: exp.Expr) -> bool:
    """Whether a node is checked separately."""
    return isinstance(node, exp.Query | exp.Values | exp.Pivot)


def _rename(columns: Columns, given: tuple[str, ...] | None) -> Columns:
    """The columns, the first of which are renamed by an alias."""
    if not given:
        return columns
    return given + columns[len(given) :] if columns is not None else None


def _anchor_columns(query: exp.Expr, named: Callable[[exp.Expr], str]) -> Columns:
    """The columns of a recursive CTE, as its first part names them. None if that part has a star or a bare value."""
    query = _anchor(query)
    names = [named(item) for item in query.expressions] if isinstance(query, exp.Select) else []
    return tuple(names) if names and all(names) and "*" not in names else None


def _anchor(query: exp.Expr) -> exp.Expr:
    """The first part of a recursive CTE."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    return query
