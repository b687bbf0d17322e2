"""Finds what a gold query needs: the tables and columns that it reads, and the texts that it filters on.

Names are resolved scope by scope, as the engine does: CTEs before tables, a query's own sources before those of the
enclosing query. sqlglot's `qualify` is not used: it lowercases names, including the words in double quotes that SQLite
reads as texts, and it rejects queries that run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import OptimizeError, SqlglotError

from agent.evaluation.harness import EvaluationInvalid
from executors.base import Frozen, Schema, Table
from executors.dialects.table import DIALECTS
from executors.sql.names.tables import find_tables

if TYPE_CHECKING:
    from sqlglot.optimizer.scope import Scope

ColumnName = tuple[str, str]  # table and column, as the schema spells them


class GoldNames(Frozen):
    """The names in one query.

    tables: real tables, no CTEs.
    columns: columns of these tables; `*` adds none.
    literals: texts, without the `%` at the ends of a LIKE pattern; distinct, in their order.
    """

    tables: frozenset[str] = frozenset()
    columns: frozenset[ColumnName] = frozenset()
    literals: tuple[str, ...] = ()


def gold_names(sql: str, schema: Schema) -> GoldNames:
    """The names in a SELECT that runs on this schema. Raises EvaluationInvalid: it cannot be parsed."""
    try:
        tree = sqlglot.parse_one(sql, read=DIALECTS[schema.dialect].sqlglot)
    except SqlglotError as error:
        raise EvaluationInvalid(f"This gold query cannot be parsed: {sql}") from error
    return _Reader(schema).read(tree)


class _Reader:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._tables: dict[str, Table] = {}
        self._columns: set[ColumnName] = set()
        self._texts: list[str] = []

    def read(self, tree: exp.Expr) -> GoldNames:
        from sqlglot.optimizer.scope import traverse_scope

        try:
            for scope in traverse_scope(tree):
                self._read_scope(scope)
        except OptimizeError:
            self._read_at_large(tree)
        self._texts += [literal.this for literal in tree.find_all(exp.Literal) if literal.is_string]
        texts = (text.strip("%").strip() for text in self._texts)
        return GoldNames(
            tables=frozenset(self._tables),
            columns=frozenset(self._columns),
            literals=tuple(dict.fromkeys(filter(None, texts))),
        )

    def _read_scope(self, scope: Scope) -> None:
        nodes = [source for _, source in scope.selected_sources.values() if isinstance(source, exp.Table)]
        sources = [table for node in nodes for table in self._real(node)]
        for table in sources:
            self._tables[table.name] = table
        for column in scope.find_all(exp.Column):
            if not isinstance(column.this, exp.Star):
                self._add(column, self._owners(column, scope))
        for join in scope.find_all(exp.Join):
            shared = [name.name for name in join.args.get("using") or ()]
            if join.method == "NATURAL":
                shared = [column.name for table in sources[:1] for column in table.columns]
            for name in shared:
                holders = [table for table in sources if table.column(name)]
                if len(holders) > 1 or join.method != "NATURAL":
                    self._columns |= {_find_column_name(table, name) for table in holders}

    def _add(self, column: exp.Column, owners: Sequence[Table]) -> None:
        for table in owners[:1]:
            self._columns.add(_find_column_name(table, column.name))
        is_named = any(table.column(column.name) for table in self._tables.values())  # a column has that name
        if not owners and not column.table and column.this.args.get("quoted") and not is_named:
            self._texts.append(column.name)  # SQLite reads a "word" that is no column as a text

    def _owners(self, column: exp.Column, scope: Scope | None) -> list[Table]:
        """The tables that a column can belong to, the most probable first; none if no table has it."""
        while scope is not None:
            found = self._find_inside(column.name, column.table, scope)
            if found is not None:
                return found
            scope = scope.parent
        return []

    def _find_inside(self, name: str, qualifier: str, scope: Scope) -> list[Table] | None:
        """The owners among this query's sources; empty if a subquery computes the column, None if no source has it."""
        owners: list[Table] = []
        is_made = False
        for alias, (_, source) in scope.selected_sources.items():
            if qualifier and alias.lower() != qualifier.lower():
                continue
            if isinstance(source, exp.Table):
                owners += [table for table in self._real(source) if table.column(name)]
                continue
            made = self._find_inside_subquery(name, source)
            is_made |= made is not None
            owners += made or ()
        return owners if owners or is_made else None

    def _find_inside_subquery(self, name: str, query: Scope) -> list[Table] | None:
        """As `_find_inside`, for a column of a subquery or CTE. A star stands for the columns of its sources."""
        for part in query.set_operation_scopes[:1]:
            return self._find_inside_subquery(name, part)
        made = query.expression
        given = {selected.lower() for selected in made.named_selects} if isinstance(made, exp.Query) else set()
        if name.lower() in given:
            return []
        return self._find_inside(name, "", query) if "*" in given else []

    def _real(self, node: exp.Table) -> tuple[Table, ...]:
        return find_tables(node, self._schema)[:1]

    def _read_at_large(self, tree: exp.Expr) -> None:
        """Read every name that fits a table of the query; for queries whose scopes cannot be resolved."""
        sources: list[tuple[str, Table]] = []
        for node in tree.find_all(exp.Table):
            sources += [(node.alias_or_name.lower(), table) for table in self._real(node)]
        self._tables |= {table.name: table for _, table in sources}
        for column in tree.find_all(exp.Column):
            owner = column.table.lower()
            self._add(column, [it for alias, it in sources if owner in {"", alias} and it.column(column.name)])


def _find_column_name(table: Table, name: str) -> ColumnName:
    column = table.column(name)
    return table.name, column.name if column is not None else name
