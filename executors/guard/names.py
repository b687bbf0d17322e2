"""Checks names that may not be columns: bare names, and names after a dot.

Some words are calls without parentheses: `SELECT user` returns the login. In Oracle, every bare name is a call if no
column has that name. In ClickHouse, a name after IN may be a table. In PostgreSQL, a table's name is a type whose
fields are its columns.

After a dot, PostgreSQL reads `(value).name` as `name(value)` if the value has no such field, and `x.name` as `name(x)`
if `x` is a function in FROM that returns single values: `('/etc/passwd'::text).pg_read_file`. In Oracle, `package.name`
is a call without parentheses. Such names look harmless, so they are compared with the known names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from sqlglot import exp

from executors.dialects.row import Dialect, words
from executors.errors import Because, ErrorKind, SqlRefused
from executors.guard.refusals import build_function_refusal, form
from executors.sql.plain.clauses import Phrase

_LOGINS = words("user current_user session_user current_role current_catalog current_schema")
# Words that each engine reads as a call if they are bare and no column has that name.
_CALLS = {
    "postgresql": _LOGINS | {"system_user"},
    "sqlserver": _LOGINS | {"system_user"},
    "oracle": words("user uid current_user session_user"),
    "hana": words("current_user session_user session_context current_schema current_connection"),
    "databricks": words("user current_user session_user current_catalog current_database current_schema"),
    "duckdb": _LOGINS,
    "mysql": words("current_user current_role"),
}
# Types of PostgreSQL that sqlglot does not know. With a schema, such a name may be a table's.
_BUILT_IN = words("tsvector tsquery macaddr macaddr8 varbit box circle lseg line path polygon jsonpath pg_lsn char")
# Types of PostgreSQL's extensions. Any other type that is not built in belongs to the schema, or is a table's row type.
_TYPES = words(
    "citext hstore ltree lquery ltxtquery vector halfvec sparsevec cube earth seg isbn isbn13 issn issn13 ismn ean13",
    "upc geometry geography box2d box3d raster topogeometry intarray query_int tablefunc_crosstab_2 uint8",
)
_NAMED = (exp.TableAlias, exp.Alias, exp.PivotAlias, exp.ColumnDef, exp.JSONColumnDef, exp.OpenJSONColumnDef)
_SET = (exp.RecursiveWithSearch,)  # SEARCH ... SET and CYCLE ... SET add columns
_NAME = re.compile(r"\w+")
# Fields of the results of PostgreSQL's functions and its extensions'. None of them is the name of a harmful function.
_FIELDS = words(
    "key value ordinality f1 f2 f3 f4 f5 f6 f7 f8 f9 column1 column2 column3 lexeme positions weights alias",
    "description token dictionaries dictionary lexemes tokid geom path valid reason location",
    "center radius i j message detail hint",
)
# An operator is a function of its schema. Any user may have defined those of schemas other than these.
_OPERATOR = re.compile(r'(?:OPERATOR\(\s*(?:"?(?:pg_catalog|public)"?\s*\.\s*)?)?[-+*/<>=~!@#%^&|`?]+\s*\)?')
_ROWS = words("json_table xmltable")  # return rows, never single values
_SAMPLES = words("bernoulli system reservoir block")


class NameUse:
    """Checks the names of one tree that may be something other than columns.

    columns: Columns of the database's tables, in lower case. They are also the fields of whole rows.
    types, functions: Types and functions of the database, in lower case. Without types, names are not checked against a
        schema.
    """

    def __init__(
        self, dialect: Dialect, columns: frozenset[str], types: frozenset[str], functions: frozenset[str]
    ) -> None:
        self._dialect, self._columns, self._types, self._functions = dialect, columns, types, functions
        self._calls = _CALLS.get(dialect.kin, frozenset[str]())

    def run(self, root: exp.Expr) -> None:
        """Refuse a name that may be a call, a table or a table's row. Raises SqlRefused."""
        if isinstance(root, exp.Query):  # only a query shows its sources
            self._check_fields(root)
        self._check_bare(root)

    def _check_fields(self, root: exp.Query) -> None:
        """Check the names after a dot."""
        if self._dialect.kin == "postgresql":
            self._check_postgres_fields(root)
        elif self._dialect.kin == "oracle":
            sources = set(map(_name, root.find_all(exp.Table, exp.TableAlias)))
            for column in root.find_all(exp.Column):
                before = [part.name.lower() for part in column.parts[:-1]]
                if before and sources.isdisjoint(before):
                    raise build_function_refusal(".".join(part.name for part in column.parts), self._dialect)

    def _check_postgres_fields(self, root: exp.Expr) -> None:
        for dot in root.find_all(exp.Dot):
            if isinstance(dot.expression, exp.Identifier):
                self._check_field(dot.expression)
        plain, makers = _sources(root)
        for column in root.find_all(exp.Column):
            before = column.table.lower()
            if not before or isinstance(column.this, exp.Star) or (before in plain and before not in makers):
                continue
            if _fold_name(column.this) not in makers.get(before, ()):
                self._check_field(column.this)
        for operator in root.find_all(exp.Operator):
            written = str(operator.args["operator"])
            if not _OPERATOR.fullmatch(written):
                raise build_function_refusal(written, self._dialect)
        for sample in root.find_all(exp.TableSample):
            if (method := sample.text("method").lower()) and method not in _SAMPLES:
                raise build_function_refusal(method, self._dialect)

    def _check_field(self, name: exp.Expr) -> None:
        field = name.name.lower()
        if any(field in known for known in (_FIELDS, self._columns, self._functions)):
            return
        if self._dialect.may_call(field, in_from=False):
            return
        refused = build_function_refusal(name.name, self._dialect)
        if refused.because is not Because.FUNCTION:
            raise refused
        message = f"What stands behind a dot may be a function, and {name.name[:80]} is not known."
        hint = "Name the columns of a function in FROM: FROM f(1) AS x(a, b). Fields may be listed under `functions`."
        raise SqlRefused(ErrorKind.FUNCTION_NOT_FOUND, message, hint, because=Because.FUNCTION)

    def _check_bare(self, root: exp.Expr) -> None:
        if self._dialect.kin == "postgresql":
            self._check_types(root)
        if self._dialect.kin == "clickhouse":
            _name_tables(root)
        bare = [it for it in root.find_all(exp.Column) if not it.table and isinstance(it.this, exp.Identifier)]
        is_oracle = self._dialect.kin == "oracle" and bool(self._types)
        if not bare or not (self._calls or is_oracle):
            return
        known = self._columns | _find_given_names(root)
        for column in bare:
            name = column.name.lower()
            if name in known:
                continue
            quoted = bool(column.this.args.get("quoted")) and self._dialect.kin != "duckdb"
            if name in self._calls and not quoted:
                raise build_function_refusal(column.name, self._dialect)
            if is_oracle and not _is_name(column) and not self._may_call(name):
                message = f"There is no column {column.name[:80]}: Oracle would call a function of that name."
                raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, message, because=Because.NAME)

    def _may_call(self, name: str) -> bool:
        return name in self._dialect.row_ids or name in self._functions or self._dialect.may_call(name, in_from=False)

    def _check_types(self, root: exp.Expr) -> None:
        for kind in root.find_all(exp.DataType):
            if kind.this is not exp.DataType.Type.USERDEFINED:
                continue
            name = _NAME.findall(str(kind.args.get("kind") or "").lower())
            if name and (name[-1] in _TYPES or name[-1] in self._types or (len(name) == 1 and name[0] in _BUILT_IN)):
                continue
            if self._types or _is_record(kind):
                message = f"There is no type {'.'.join(name)[:80] or '?'}: a table's name as a type tells its columns."
                raise SqlRefused(ErrorKind.TYPE_MISMATCH, message, form(self._dialect), because=Because.NAME)


def check_row_ids(root: exp.Expr, tables: Set[str], row_ids: Mapping[int, Set[str | None]], dialect: Dialect) -> None:
    """Refuse row ids of tables that are replaced by queries: SQLite gives NULL for those of a query.
    Args: tables: the replaced tables; row_ids: see `NameCheck`. Raises SqlRefused: COLUMN_NOT_FOUND."""
    unclear = {None, *tables}
    for column in root.find_all(exp.Column) if tables else ():
        if column.name.lower() not in dialect.row_ids or _is_output_name(column):
            continue
        if not unclear.isdisjoint(row_ids.get(id(column), unclear)):
            message = f"{column.name} is not available here, because a part of the table is withheld."
            raise SqlRefused(ErrorKind.COLUMN_NOT_FOUND, message, "Use the table's own columns.", because=Because.NAME)


def _is_output_name(column: exp.Column) -> bool:
    """Whether a column is a term of ORDER BY that names a column of the result. In other places, and inside a term,
    SQLite takes the name for the row id."""
    order = column.parent.parent if isinstance(column.parent, exp.Ordered) else None
    query = order.parent if isinstance(order, exp.Order) else None
    if column.table or not isinstance(query, exp.Query):
        return False
    return any(it.alias.lower() == column.name.lower() for it in query.selects if isinstance(it, exp.Alias))


def _is_name(column: exp.Column) -> bool:
    """Whether a column is the name of an XML element: the first argument of XMLELEMENT."""
    call = column.parent
    return isinstance(call, exp.Anonymous) and call.name.lower() == "xmlelement" and call.expressions[0] is column


def _is_record(kind: exp.DataType) -> bool:
    """Whether a value of that type is expanded into fields, by a function of records or by `.*`."""
    at: exp.Expr | None = kind
    while at is not None and not isinstance(at, exp.Query):
        if isinstance(at, exp.Dot) or (isinstance(at, exp.Anonymous) and "record" in at.name.lower()):
            return True
        at = at.parent
    return False


def _find_given_names(root: exp.Expr) -> frozenset[str]:
    """Names that the query itself defines for columns, in lower case."""
    found = {it.name.lower() for node in root.find_all(*_NAMED) for it in node.find_all(exp.Identifier)}
    within = {it.name.lower() for node in root.find_all(exp.Pivot, Phrase) for it in node.find_all(exp.Identifier)}
    searched = {it.name.lower() for node in root.find_all(*_SET) for it in node.find_all(exp.Identifier)}
    return frozenset(found | within | searched)


def _name_tables(root: exp.Expr) -> None:
    """Rewrite ClickHouse's `IN t` and `IN (t)` as `IN (SELECT * FROM t)`, so that the table is checked like others."""
    for node in list(root.find_all(exp.In)):
        field, listed = node.args.get("field"), node.expressions
        if field is not None and isinstance(field, exp.Column):
            _as_query(node, field)
        elif field is not None:
            continue  # an array, or the result of a function
        elif len(listed) == 1 and isinstance(listed[0], exp.Column) and not _is_source(root, listed[0]):
            _as_query(node, listed[0])


def _is_source(root: exp.Expr, column: exp.Column) -> bool:
    """Whether a column is qualified by a source of the query."""
    sources = {it.alias_or_name.lower() for it in root.find_all(exp.Table, exp.Subquery, exp.CTE)}
    return bool(column.table) and not column.args.get("db") and column.table.lower() in sources


def _as_query(node: exp.In, column: exp.Column) -> None:
    table = exp.Table(this=column.this.copy(), db=column.args["table"].copy() if column.table else None)
    if column.args.get("db"):
        table.set("catalog", column.args["db"].copy())
    node.set("field", None)
    node.set("expressions", None)
    query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=table))
    node.set("query", exp.Subquery(this=query))


def _sources(root: exp.Expr) -> tuple[set[str], dict[str, set[str]]]:
    """Names in FROM that refer to rows, and names that refer to a function's result, with the names of its columns."""
    plain: set[str] = set()
    makers: dict[str, set[str]] = {}
    for node in root.find_all(exp.Table, exp.Subquery, exp.CTE, exp.Values, exp.Lateral, exp.Unnest):
        name, alias = _name(node), node.args.get("alias")
        held = node.this if isinstance(node, exp.Table | exp.Lateral) else node
        if isinstance(held, exp.Func) and held.name.lower() not in _ROWS:
            named = alias.columns if isinstance(alias, exp.TableAlias) else []
            columns = {_fold_name(it.this if isinstance(it, exp.ColumnDef) else it) for it in named}
            if isinstance(offset := node.args.get("offset"), exp.Identifier):
                columns.add(_fold_name(offset))  # the column of WITH ORDINALITY
            columns = columns or {_fold_name(alias.this) if isinstance(alias, exp.TableAlias) else name}
            makers[name] = columns & makers.get(name, columns)  # another source of that name may have other columns
        else:
            plain.add(name)
    return plain, makers


def _fold_name(name: exp.Expr) -> str:
    """The name that PostgreSQL looks up."""
    return name.name if name.args.get("quoted") else name.name.lower()


def _name(node: exp.Expr) -> str:
    """The name of a source, in lower case. Empty if it has none."""
    return (node.alias or (node.name if isinstance(node, exp.Table | exp.TableAlias) else "")).lower()
