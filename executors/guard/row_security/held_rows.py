"""Applies a row filter to a query's tree, so that it reads only the principal's rows of each table.

Each reference to a table becomes `(SELECT its columns FROM table WHERE filter) AS the same name`. References are found
by the meaning that the guard determined, not by spelling. CTEs get names that no table has: a filter may contain
queries, and a CTE with the name of one of their tables would replace that table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from executors.base import Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, ErrorKind, SqlRefused
from executors.guard.row_security.row_conditions import RowCondition, exact
from executors.guard.row_security.row_filter import ALL, FilterInvalid, RowFilter, Values
from executors.sql import grammar
from executors.sql.names.existence import NameCheck
from executors.sql.tree import keep_name, read_through

_MOST_ROWS = exp.Limit(expression=exp.Literal.number(2**63 - 1))
# Clauses that prevent an engine from evaluating the query's own conditions on rows that the filter removes. A condition
# that fails, such as a cast, would reveal them. For other engines no such clause is known; see `is_fenced`.
_FENCES: Mapping[str, tuple[str, exp.Expr]] = {
    "sqlite": ("limit", exp.Limit(expression=exp.Neg(this=exp.Literal.number(1)))),
    "postgresql": ("offset", exp.Offset(expression=exp.Literal.number(0))),
    **dict.fromkeys(("duckdb", "mysql", "mariadb", "clickhouse", "hana", "sqlserver"), ("limit", _MOST_ROWS)),
}


class RowRules:
    """A row filter, checked against a schema.
    Raises DatabaseUnavailable: it names a table or column that does not exist, or cannot be parsed."""

    def __init__(self, row_filter: RowFilter, schema: Schema) -> None:
        self.row_filter, self.whole = row_filter, schema
        try:
            self.conditions = dict(_conditions(row_filter, schema))
            for name, values in row_filter.principals.items():
                for condition in filter(None, self.conditions.values()):
                    if values is not None:
                        condition.check_values(values, of=name)
        except FilterInvalid as error:
            raise DatabaseUnavailable(f"The `row_filter` of {schema.database!r} in databases.yaml: {error}.") from error
        # Without stored values and row counts, because these include hidden rows.
        seen = [_filter_table(it, self.conditions) for it in schema.tables if it.name in self.conditions]
        self.visible = schema.model_copy(update={"tables": tuple(seen)})

    def of(self, values: Values) -> HeldRows:
        """The rules for a principal. Args: values: the values of all `:names`, from `RowFilter.values_of`."""
        return HeldRows(self, values)


class HeldRows:
    """What one principal may see: the `visible` part of the schema, and the matching rows of each table.

    Args: values: the values of the conditions' `:names`.
    """

    def __init__(self, rules: RowRules, values: Values) -> None:
        self.rules, self.values, self.visible = rules, values, rules.visible
        self._whole, self._conditions = rules.whole, rules.conditions
        self._dialect = DIALECTS[rules.whole.dialect]

    def hold(self, root: exp.Query, names: NameCheck) -> tuple[str, ...]:
        """Insert the conditions into a query's tree, which the guard has accepted against `visible`.

        Returns what is withheld from the principal, one sentence per table that is read, in order of appearance.
        Raises SqlRefused: it is not certain which tables the query reads.
        """
        self._check_forms(root)
        tables = [node for node in root.find_all(exp.Table) if isinstance(node.this, exp.Identifier)]
        meanings = [(node, self._meaning(node, names)) for node in tables]
        renamed = self._rename_ctes(root)
        # Columns may qualify a table without an alias by its schema and its name.
        unaliased = [it for node, it in meanings if isinstance(it, Table) and not node.alias]
        self._drop_schemas(root, {(it.namespace.lower(), it.parts[-1].lower()) for it in unaliased})
        for node, meaning in meanings:
            if isinstance(meaning, Table):
                self._filter(node, meaning)
            elif meaning is not None:
                keep_name(node)
                node.set("this", renamed[id(meaning)].copy())
        return tuple(filter(None, map(self._sentence, names.tables)))

    def filters(self, name: str) -> bool:
        """Whether rows of a table are withheld. Args: name: of a visible table."""
        return self._conditions[name] is not None

    def _meaning(self, node: exp.Table, names: NameCheck) -> Table | exp.Identifier | None:
        """The table, or the name of the CTE. None for the one-row table that every database has. Raises SqlRefused."""
        found = names.meaning.get(id(node))
        if found is None and (id(node) in names.meaning or node.name.lower() != self._dialect.one_row_table):
            message = f"It is not certain which table {node.name} means here."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Give the WITH a name that no table has.")
        return found

    def _check_forms(self, root: exp.Query) -> None:
        """Refuse ClickHouse syntax in which a name may be a table, or a filter's column may change its meaning."""
        if self._dialect.name != "clickhouse":
            return
        if any(node.args.get("field") for node in root.find_all(exp.In)):
            message = "IN without parentheses may name a table."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Write IN (SELECT column FROM table) or IN (value, ...).")
        if any(node.args.get("scalar") for node in root.find_all(exp.CTE)):
            message = "WITH gives a name to a value, which is not taken beside a row filter."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Write the value where it is needed.")

    def _rename_ctes(self, root: exp.Query) -> dict[int, exp.Identifier]:
        """Rename all CTEs. Return the new names by the `id` of the original identifiers."""
        taken = {table.parts[-1].lower() for table in self._whole.tables}
        new: dict[int, exp.Identifier] = {}
        number = 0
        for cte in list(root.find_all(exp.CTE)):
            number += 1
            while f"cte_{number}" in taken:
                number += 1
            alias = cte.args["alias"]
            new[id(alias.this)] = exp.to_identifier(f"cte_{number}", quoted=True)
            alias.set("this", new[id(alias.this)].copy())
        return new

    def _drop_schemas(self, root: exp.Query, bare: set[tuple[str, str]]) -> None:
        """Write `sales.orders.amount` as `orders.amount`, the name of the table's replacement."""
        default = {self._whole.namespace.lower(), *self._dialect.schemas}
        for column in root.find_all(exp.Column):
            schema = column.args.get("db")
            if schema is None:
                continue
            last, of = column.table.lower(), schema.name.lower()
            if (of, last) in bare or (of in default and ("", last) in bare):
                column.set("db", None)
                column.set("catalog", None)

    def _filter(self, node: exp.Table, table: Table) -> None:
        condition = self._conditions[table.name]
        keep_name(node)
        whole_name = exact(table, self._whole)
        for part in ("this", "db", "catalog"):
            node.set(part, whole_name.args.get(part))
        if condition is None:
            return
        columns = [exp.column(column.name, quoted=True) for column in table.columns]
        rows = exp.Select(expressions=columns, where=exp.Where(this=condition.bind(self.values)))
        self._fence(rows)
        read_through(node, rows)

    def _fence(self, rows: exp.Select) -> None:
        if self._dialect.kin == "oracle":
            numbered = exp.GT(this=exp.column("ROWNUM"), expression=exp.Literal.number(0))
            rows.set("where", exp.Where(this=exp.and_(rows.args["where"].this, numbered, copy=False)))
        elif self._dialect.kin in _FENCES:
            part, fence = _FENCES[self._dialect.kin]
            rows.set(part, fence.copy())

    def _sentence(self, name: str) -> str:
        condition = self._conditions[name]
        if condition is None:
            return ""
        if condition.reads_tables:  # the principal may not see some of them
            return f"Of {name} only the rows that you may see were read."
        shown = grammar.write(condition.bind(self.values).this, self._dialect.sqlglot)
        return f"Of {name} only the rows that you may see were read: {shown}."


def is_fenced(dialect: str) -> bool:
    """Whether the engine evaluates no conditions on rows that a filter removes. Else its errors may reveal them."""
    kin = DIALECTS[dialect].kin
    return kin in _FENCES or kin == "oracle"


def _conditions(row_filter: RowFilter, schema: Schema) -> Iterator[tuple[str, RowCondition | None]]:
    """The visible tables' names, each with its condition, or None for every row. Raises FilterInvalid."""
    if row_filter.every:
        yield from _by_columns(row_filter, schema)
        return
    for given, text in row_filter.tables.items():
        table = _table(given, schema)
        yield table.name, None if text == ALL else RowCondition(text, schema.dialect).fit(table, schema)


def _by_columns(row_filter: RowFilter, schema: Schema) -> Iterator[tuple[str, RowCondition | None]]:
    condition = RowCondition(row_filter.every, schema.dialect)
    unfiltered = {_table(given, schema).name for given in row_filter.unfiltered}
    having = [it for it in schema.tables if all(it.column(name) for name in condition.columns)]
    if not having:
        columns = ", ".join(condition.columns)
        raise FilterInvalid(f"{row_filter.every!r} cannot be used: no table has {columns}")
    for table in schema.tables:
        if table.name in unfiltered:
            yield table.name, None
        elif table in having:
            yield table.name, condition.fit(table, schema)


def _table(given: str, schema: Schema) -> Table:
    found = schema.table(given)
    named = (found,) if found is not None else schema.tables_named(given)
    if len(named) != 1:
        raise FilterInvalid(f"there is {'more than one' if named else 'no'} table {given!r}")
    return named[0]


def _filter_table(table: Table, conditions: Mapping[str, object]) -> Table:
    seen = {name.lower() for name in conditions}
    keys = tuple(key for key in table.foreign_keys if key.table.lower() in seen)
    columns = tuple(it.model_copy(update={"samples": ()}) if it.samples else it for it in table.columns)
    return table.model_copy(update={"foreign_keys": keys, "columns": columns, "row_count": None})
