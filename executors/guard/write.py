"""Checks whether a statement may change the data.

The check uses the same allow-list as for queries. In addition, a statement must be one INSERT, UPDATE or DELETE of one
table, and its condition must select rows. The statement that runs is built from the checked parts (table, columns,
values, condition, or query), so nothing else of the original reaches the database.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from sqlglot import exp
from sqlglot.errors import UnsupportedError
from sqlglot.tokenizer_core import Token

from executors.base import CheckedSql, CheckedWrite, ReadBack, Schema, Table, dialect_row
from executors.dialects.row import Dialect, NameCase, words
from executors.errors import ErrorKind, SqlRefused
from executors.guard import guard
from executors.guard.nodes import NodeCheck
from executors.sql import expected_rows, grammar
from executors.sql.grammar import with_quotes
from executors.sql.names import diagnose
from executors.sql.names.existence import NameCheck

if TYPE_CHECKING:
    from executors.guard.held_columns import Hidden


Kind = Literal["insert", "update", "delete"]

FORM = "Write one INSERT, UPDATE or DELETE of one table, with a WHERE."

_KINDS: dict[type[exp.Expr], Kind] = {exp.Insert: "insert", exp.Update: "update", exp.Delete: "delete"}
_ROW_WRITES = words("insert update delete")
_OTHER_ROW_WRITES = words("merge replace upsert")  # these change rows too, but are not supported
# The arguments that a statement may have, and the names of the others in messages.
_ARGUMENTS: dict[Kind, frozenset[str]] = {
    "insert": words("this expression"),
    "update": words("this expressions where"),
    "delete": words("this where"),
}
_CALLED = {
    "with_": "WITH before it",
    "returning": "RETURNING",
    "conflict": "ON CONFLICT",
    "alternative": "OR",
    "source": "TABLE",
    "from_": "a second table",
    "using": "a second table",
    "tables": "a table before FROM",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "default": "DEFAULT VALUES",
}


def check_write(
    sql: str,
    schema: Schema,
    *,
    row_limit: int,
    functions: frozenset[str] = frozenset(),
    hidden: Hidden | None = None,
) -> CheckedWrite:
    """Accept or refuse a write: one INSERT, UPDATE or DELETE, as a model or a person wrote it.

    Args: row_limit: maximum number of rows of the preview; functions, hidden: see `guard.check`. A private column may
    not be copied into a column that is not private.
    Returns the regenerated statement, for display and to run, and a query of the rows that it would change (or insert).
    Raises SqlRefused: with the kind of error, one sentence, and a way to repair it. NOT_READ_ONLY: it would change more
    than rows, which is never allowed.
    """
    dialect = dialect_row(schema)
    root = guard.read(sql, dialect, _check_words, FORM)
    kind = _KINDS.get(type(root))
    if kind is None:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "This is not an INSERT, UPDATE or DELETE.", FORM)
    for name, value in root.args.items():
        if value and name not in _ARGUMENTS[kind]:
            called = _CALLED.get(name, name.replace("_", " ").strip().upper())
            raise SqlRefused(ErrorKind.PERMISSION, f"{kind.upper()} is not taken with {called}.", FORM)
    try:
        return _Rebuilt(root, kind, sql, schema, row_limit, functions, hidden or {}).check()
    except UnsupportedError as error:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, f"{dialect.title} cannot say this: {error}", FORM) from error
    except RecursionError as error:
        raise SqlRefused(ErrorKind.RESOURCE, "It is nested too deeply.", "Write a shorter statement.") from error


def _check_words(tokens: list[Token], _dialect: Dialect) -> None:
    """Check that there is one statement and that it starts like a write. Raises SqlRefused."""
    firsts = [token.text.lower().partition(" ")[0] for token in guard.first_tokens(tokens)]
    for word in firsts:
        if word in guard.WRITE_WORDS - _ROW_WRITES - _OTHER_ROW_WRITES:
            message = f"{word.upper()} is never allowed: rows can be changed, but not what holds them."
            raise SqlRefused(ErrorKind.NOT_READ_ONLY, message, FORM)
        if word in _OTHER_ROW_WRITES:
            raise SqlRefused(ErrorKind.PERMISSION, f"{word.upper()} is not allowed.", FORM)
        if word not in _ROW_WRITES:
            message = f"A change starts with INSERT, UPDATE or DELETE, not with {word.upper()[:40]}."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, FORM)
    if len(firsts) != 1:
        message = f"One statement is allowed, and there are {len(firsts)}."
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, FORM)


class _Rebuilt:
    """One statement, whose parts are checked and put together again."""

    def __init__(
        self,
        root: exp.Expr,
        kind: Kind,
        sql: str,
        schema: Schema,
        row_limit: int,
        functions: frozenset[str],
        hidden: Hidden,
    ) -> None:
        self._root, self._kind, self._sql = root, kind, sql
        self._schema, self._dialect, self._row_limit = schema, dialect_row(schema), row_limit
        self._functions, self._hidden = functions, hidden
        target = root.this.this if isinstance(root.this, exp.Schema) else root.this
        self._target, self._table = self._entry(self._plain_table(target))

    def check(self) -> CheckedWrite:
        build = {"insert": self._insert, "update": self._update, "delete": self._delete}[self._kind]
        tree, shown = build()
        preview = None if shown is None else self._query(shown)
        plan = self._read_back(tree, preview)
        written, runs = (with_quotes(tree, self._dialect, every=every) for every in (False, True))
        sql = grammar.write(written, self._dialect.sqlglot, spent=True)
        executable = grammar.write(runs, self._dialect.sqlglot, spent=True, exact=True)
        return CheckedWrite(
            sql=sql,
            executable=executable,
            kind=self._kind,
            table=self._table.name,
            preview=preview,
            read_back=plan,
            unread="" if plan else self._unread(tree),
        )

    def _query(self, tree: exp.Expr) -> CheckedSql:
        text = grammar.write(tree, self._dialect.sqlglot)
        return guard.check(text, self._schema, row_limit=self._row_limit, functions=self._functions)

    def _read_back(self, tree: exp.Expr, preview: CheckedSql | None) -> ReadBack | None:
        """How the rows of the statement are read back. None if that is impossible."""
        table, dialect = self._table, self._dialect
        if not table.primary_key:
            return None
        if isinstance(tree, exp.Insert):
            into = tree.this
            columns: tuple[str, ...] = tuple(column.name for column in into.expressions) or tuple(
                column.name for column in table.columns
            )
            source = tree.expression
            if not isinstance(source, exp.Values):
                known = preview is not None and expected_rows.of_query(source, columns, table)
                return self._plan(preview, columns) if known else None
            rows = [row.expressions for row in source.expressions]
            query, columns = expected_rows.of_values(rows, columns, table, dialect)
        else:
            sets = {item.this.name: item.expression for item in tree.args.get("expressions") or ()}
            where = tree.args["where"]
            query, columns = expected_rows.of_update(self._target, where, sets, table, dialect)
        return None if query is None else self._plan(self._query(query), columns)

    def _plan(self, before: CheckedSql | None, columns: Sequence[str]) -> ReadBack | None:
        if before is None:
            return None
        found = [self._table.column(name) if name else None for name in columns]
        return ReadBack(
            before=before,
            packed=self._kind == "insert" and self._root.find(exp.Values) is self._root.expression,
            table=self._table.parts,
            key=self._table.primary_key,
            columns=tuple(column.name if column else "" for column in found),
            types=tuple(column.type if column else "" for column in found),
        )

    def _unread(self, tree: exp.Expr) -> str:
        if not self._table.primary_key:
            return f"{self._table.name} has no primary key that is known"
        if isinstance(tree, exp.Insert):
            return "it does not say the keys of the new rows"
        return "which rows it is about depends on when it runs"

    def _update(self) -> tuple[exp.Expr, exp.Expr]:
        query = self._probe(self._root.expressions)
        assignments = query.expressions
        columns = [self._find_assigned(item) for item in assignments]
        names = [column.name for column in columns]
        self._check_columns(names)
        self._check_copied(query, [item.expression for item in assignments], names)
        sets = [
            exp.EQ(this=exp.Column(this=column.this.copy()), expression=item.expression.copy())
            for column, item in zip(columns, assignments, strict=True)
        ]
        where = query.args["where"]
        tree = exp.Update(this=self._target.copy(), expressions=sets, where=where.copy())
        return tree, self._rows_of(where)

    def _delete(self) -> tuple[exp.Expr, exp.Expr]:
        where = self._probe([exp.Star()]).args["where"]
        return exp.Delete(this=self._target.copy(), where=where.copy()), self._rows_of(where)

    def _insert(self) -> tuple[exp.Expr, exp.Expr | None]:
        listed = self._root.this.expressions if isinstance(self._root.this, exp.Schema) else []
        if not all(isinstance(column, exp.Identifier) for column in listed):
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, "The list of columns holds more than names.", FORM)
        self._check_columns([column.name for column in listed])
        into: exp.Expr = self._target.copy()
        if listed:
            into = exp.Schema(this=into, expressions=[self._spell(column) for column in listed])
        source = self._root.expression
        if isinstance(source, exp.Values):
            width = len(listed) or len(self._table.columns)
            values = self._values(source, width)
            for row in values.expressions:
                self._check_copied(exp.Select(), row.expressions, self._columns_of(listed))
            return exp.Insert(this=into, expression=values), None
        if not isinstance(source, exp.Query):
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, "INSERT takes VALUES or a SELECT.", FORM)
        query = source.copy()
        self._check(query)
        if isinstance(query, exp.Select):
            self._check_copied(query, query.expressions, self._columns_of(listed))
        else:
            self._check_copied(query, None, ())
        return exp.Insert(this=into, expression=query.copy()), query

    def _values(self, source: exp.Values, width: int) -> exp.Values:
        rows = [row if isinstance(row, exp.Tuple) else exp.Tuple(expressions=[row]) for row in source.expressions]
        for row in rows:
            if len(row.expressions) != width:
                message = f"{len(row.expressions)} values are given for {width} columns."
                hint = f"{self._table.name} has: {', '.join(column.name for column in self._table.columns)}."
                raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, hint)
        probe = exp.Select(expressions=[row.copy() for row in rows])
        self._check(probe)
        return exp.Values(expressions=[row.copy() for row in probe.expressions])

    def _columns_of(self, listed: Sequence[exp.Expr]) -> list[str]:
        """The columns that are inserted into, in order."""
        return [it.name for it in listed] or [it.name for it in self._table.columns]

    def _check_copied(self, query: exp.Query, values: Sequence[exp.Expr] | None, columns: Sequence[str]) -> None:
        """Refuse to copy a private column into one that is not private.
        Args: values: the values that are copied; None: all that the query selects; columns: the target of each value.
        If their numbers differ, the targets are unknown.
        Raises SqlRefused."""
        if not self._hidden:
            return
        from executors.guard.held_columns import HeldColumns

        probe = query.copy()
        if values is not None:
            private = self._hidden.get(self._table.name, frozenset())
            aligned = len(values) == len(columns) and not any(value.is_star for value in values)
            copied = [it for at, it in enumerate(values) if not aligned or columns[at].lower() not in private]
            probe.set("expressions", [it.copy() for it in copied] or [exp.Literal.number(1)])
        names = NameCheck(self._schema, self._sql)
        names.run(probe)
        HeldColumns(self._hidden, self._schema, names).refuse(probe)

    def _plain_table(self, node: exp.Expr) -> exp.Table:
        given = {name for name, value in node.args.items() if value}
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier) or given - _NAME_PARTS:
            message = f"{self._kind.upper()} takes the name of one table, alone: no alias, no join, no hint."
            raise SqlRefused(ErrorKind.PERMISSION, message, FORM)
        return node

    def _entry(self, target: exp.Table) -> tuple[exp.Table, Table]:
        """The table in the schema's spelling, and its schema entry. Raises SqlRefused: it is a view, or unknown."""
        names, spelled = NameCheck(self._schema, self._sql), target.copy()
        names.run(exp.Select(expressions=[exp.Star()], from_=exp.From(this=spelled)))
        entry = self._schema.table(names.tables[0])
        if entry is None or entry.is_view:
            message = f"{target.name} is a view; only tables can be changed."
            raise SqlRefused(ErrorKind.PERMISSION, message, diagnose.table_hint(target.name, self._schema))
        return spelled.copy(), entry

    def _spell(self, column: exp.Identifier) -> exp.Identifier:
        """A column of INSERT's list in the table's spelling: collations of SQL Server may distinguish `ID` and `id`."""
        entry = self._table.column(column.name)
        if entry is None or entry.name == column.name or (self._dialect.fold(column.name) == entry.name):
            return column.copy()
        return exp.to_identifier(entry.name, quoted=self._dialect.case is not NameCase.ANY)

    def _find_assigned(self, item: exp.Expr) -> exp.Column:
        """The column that one item of SET assigns. Raises SqlRefused: the item is not `column = value`."""
        column: exp.Expr | None = item.this if isinstance(item, exp.EQ) else None
        own = {"", self._target.name.lower()}
        if (
            not isinstance(column, exp.Column)
            or not isinstance(column.this, exp.Identifier)
            or column.table.lower() not in own
        ):
            message = f"SET takes `column = value`, not {item.sql(self._dialect.sqlglot)[:80]}."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, FORM)
        return column

    def _check_columns(self, names: Sequence[str]) -> None:
        """Check that the columns belong to the table and that none is repeated. Raises SqlRefused."""
        for name in names:
            if self._table.column(name) is None:
                hint = f"{self._table.name} has: {', '.join(column.name for column in self._table.columns)}."
                raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, f"{self._table.name} has no column {name}.", hint)
        if len({name.lower() for name in names}) < len(names):
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, "A column is given twice.", FORM)

    def _probe(self, items: Sequence[exp.Expr]) -> exp.Select:
        """A query of the table with the condition and the assignments, checked. Raises SqlRefused."""
        where = self._root.args.get("where")
        if where is None:
            message = f"{self._kind.upper()} without a WHERE would change every row and was refused."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Name the rows in WHERE.")
        query = exp.Select(
            expressions=[item.copy() for item in items],
            from_=exp.From(this=self._target.copy()),
            where=where.copy(),
        )
        self._check(query)
        if not _chooses(query.args["where"].this, self._depends):
            message = "The WHERE is the same for every row, so every row would change; that was refused."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Name the rows in WHERE.")
        return query

    def _check(self, query: exp.Expr) -> None:
        """Check a query's nodes and functions, then its names. Raises SqlRefused."""
        try:
            columns, types = self._schema.column_names, self._schema.type_names
            NodeCheck(self._dialect, self._functions, columns=columns, types=types).run(query)
        except SqlRefused as error:
            if error.kind is not ErrorKind.NOT_READ_ONLY:
                raise
            message = "Inside a change only reading is allowed, and here is a second change."
            raise SqlRefused(ErrorKind.PERMISSION, message, FORM) from error
        NameCheck(self._schema, self._sql).run(query)

    def _depends(self, query: exp.Query) -> bool:
        """Whether a query inside the condition reads the outer row: without it, some of its columns do not exist."""
        try:
            NameCheck(self._schema, self._sql).run(query.copy())
        except SqlRefused:
            return True
        return False

    def _rows_of(self, where: exp.Where) -> exp.Select:
        return exp.Select(expressions=[exp.Star()], from_=exp.From(this=self._target.copy()), where=where.copy())


_NAME_PARTS = words("this db catalog")


# Does a condition select rows, or is it the same for every row of the table?
#
# The functions below recognize what people and models write for "all rows": `1 = 1`, `TRUE`, `id = id`, `name LIKE
# '%'`, `x IS NULL OR x IS NOT NULL`. A condition may be true of every row in ways that the text does not show. The
# limit on affected rows bounds such a write.

# Comparisons that are the same for every row if both sides are equal; and pairs of opposite comparisons.
_SAME = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.GTE, exp.LTE, exp.GT, exp.LT, exp.Like, exp.ILike, exp.Is)
_OPPOSITES: dict[type[exp.Expr], type[exp.Expr]] = {exp.EQ: exp.NEQ, exp.GT: exp.LTE, exp.LT: exp.GTE}
_OPPOSITES |= {second: first for first, second in _OPPOSITES.items()}


def _chooses(node: exp.Expr, depends: Callable[[exp.Query], bool], *, negated: bool = False) -> bool:
    """Whether a condition can be true of one row and false of another.
    Args: depends: whether a query inside the condition reads columns of the outer row."""
    if isinstance(node, exp.Paren):
        return _chooses(node.this, depends, negated=negated)
    if isinstance(node, exp.Not):
        return _chooses(node.this, depends, negated=not negated)
    if isinstance(node, exp.And | exp.Or):
        sides = [side.unnest() for side in node.flatten()]
        chosen = [_chooses(side, depends, negated=negated) for side in sides]
        # An OR is true of every row if one side is; an AND is as narrow as its narrowest side.
        if isinstance(node, exp.And) is not negated:
            return any(chosen)
        return all(chosen) and set(sides).isdisjoint(map(_opposite, sides))
    if isinstance(node, _SAME) and (node.this == node.expression or _matches_any_text(node)):
        return False
    return any(
        isinstance(part, exp.Column) or (isinstance(part, exp.Query) and depends(part))
        for part in node.walk(prune=lambda part: isinstance(part, exp.Query))
    )


def _matches_any_text(node: exp.Expr) -> bool:
    pattern = node.args.get("expression")
    if not isinstance(node, exp.Like | exp.ILike) or not isinstance(pattern, exp.Literal):
        return False
    return bool(pattern.name) and not pattern.name.strip("%")


def _opposite(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Not):
        inner: exp.Expr = node.this.unnest()
        return inner
    if isinstance(node, exp.Is) and node.args.get("negate"):  # PostgreSQL's IS NOT
        return exp.Is(this=node.this, expression=node.expression)
    kind = _OPPOSITES.get(type(node))
    return kind(this=node.this, expression=node.expression) if kind else exp.Not(this=node)
