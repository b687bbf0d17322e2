"""The nodes that a query's tree may contain, and the check of each.

The list is an allow-list. A node's arguments are nodes, so an unlisted node cannot hide in a listed one. Function calls
are compared with the functions of the dialect. The few nodes that may do harm in some places have their own checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from executors.dialects.row import Dialect, words
from executors.errors import Because, ErrorKind, SqlRefused
from executors.guard.functions import FunctionCheck
from executors.guard.names import NameUse
from executors.guard.refusals import (
    build_function_refusal,
    build_paste_refusal,
    form,
    not_read_only,
    sets_variable,
    too_big,
)
from executors.sql.plain.clauses import Phrase
from executors.sql.tree import conjuncts

MAX_JOINS = 40
MAX_SET_OPERATIONS = 40
MAX_NODES = 5_000
MAX_COUNTED = 10_000

NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        # queries
        *(exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.With, exp.CTE, exp.Values, exp.Tuple),
        *(exp.From, exp.Join, exp.Lateral, exp.Table, exp.TableAlias, exp.TableSample, exp.Unnest, exp.OpenJSON),
        *(exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit, exp.LimitOptions),
        *(exp.Offset, exp.Fetch, exp.Distinct, exp.Rollup, exp.Cube, exp.GroupingSets, exp.Pivot, exp.PivotAlias),
        *(exp.PivotAny, exp.UnpivotColumns, exp.Star, exp.Window, exp.WindowSpec, exp.Filter, exp.WithinGroup),
        *(exp.IgnoreNulls, exp.RespectNulls, exp.Connect, exp.Prior, exp.ConnectByRoot, exp.Partition, exp.Version),
        *(exp.Cluster, exp.Distribute, exp.Sort, exp.RecursiveWithSearch, exp.QueryOption, exp.XMLKeyValueOption),
        # names and values
        *(exp.Alias, exp.Aliases, exp.Column, exp.Identifier, exp.Dot, exp.Literal, exp.National, exp.HexString),
        *(exp.ByteString, exp.BitString, exp.RawString, exp.UnicodeString, exp.Null, exp.Boolean, exp.Var),
        *(exp.Interval, exp.IntervalSpan, exp.PositionalColumn, exp.DataType, exp.DataTypeParam, exp.ColumnDef),
        *(exp.OpenJSONColumnDef, exp.Paren, exp.Kwarg, exp.Variadic, Phrase, exp.SessionParameter),
        *(exp.Array, exp.Struct, exp.PropertyEQ, exp.Map, exp.ToMap, exp.Bracket, exp.Slice, exp.Lambda),
        *(exp.Comprehension, exp.ForClause),
        # operators
        *(exp.And, exp.Or, exp.Xor, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ),
        *(exp.NullSafeNEQ, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.Escape),
        *(exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch, exp.Match, exp.Exists, exp.Any, exp.All, exp.Overlaps),
        *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Neg, exp.DPipe, exp.Collate, exp.Abs),
        *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift),
        *(exp.AtTimeZone, exp.Case, exp.If, exp.Cast, exp.TryCast, exp.Convert, exp.StartsWith, exp.Sqrt, exp.Cbrt),
        *(exp.Soundex, exp.JSONArrayContains, exp.Introducer),
        *(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar, exp.JSONBContains),
        *(exp.JSONBContainsTopKey, exp.JSONBContainsAnyTopKeys, exp.JSONBContainsAllTopKeys, exp.ArrayContainsAll),
        *(exp.ArrayContainedBy, exp.ArrayOverlaps, exp.JSON, exp.MatchAgainst, exp.JSONBDeleteAtPath),
        *(exp.JSONBPathExists, exp.Operator, exp.Distance, exp.DistanceNd, exp.ExtendsLeft, exp.ExtendsRight),
        *(exp.Adjacent,),
        # functions with special syntax; all others are calls by name, compared with the dialect's list
        *(exp.Anonymous, exp.Extract, exp.Trim, exp.Substring, exp.StrPosition, exp.Overlay, exp.CurrentDate),
        *(exp.CurrentTime, exp.CurrentTimestamp, exp.Localtime, exp.Localtimestamp),
        *(exp.Systimestamp, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript),
        exp.JSONPathWildcard,
        # ClickHouse
        *(exp.Final, exp.PreWhere, exp.WithFill, exp.CastToStrType, exp.ParameterizedAgg),
    }
)

_WRITES: dict[type[exp.Expr], str] = {
    exp.Insert: "INSERT",
    exp.Update: "UPDATE",
    exp.Delete: "DELETE",
    exp.Merge: "MERGE",
    exp.Create: "CREATE",
    exp.Drop: "DROP",
    exp.Alter: "ALTER",
    exp.TruncateTable: "TRUNCATE",
    exp.Into: "SELECT INTO",
    exp.Lock: "FOR UPDATE",
    exp.Copy: "COPY",
    exp.Returning: "RETURNING",
}
# Places of a name or a type. A placeholder there is refused, because its later value would not be checked.
_NAME_PLACES = (
    *(exp.Table, exp.TableAlias, exp.From, exp.Join, exp.Lateral, exp.Dot, exp.Column, exp.Identifier, exp.DataType),
    *(exp.CTE, exp.Parameter, exp.Placeholder),
)
_NO_QUALIFY = words("sqlite postgresql sqlserver mysql mariadb oracle hana")
_NO_DISTINCT_ON = words("sqlite sqlserver mysql mariadb oracle hana databricks")
_ARITHMETIC = (
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe, exp.Collate, exp.BitwiseAnd, exp.BitwiseOr),
    *(exp.BitwiseXor, exp.BitwiseLeftShift, exp.BitwiseRightShift),
)
_BRACKETS = "Put NOT and what it is about in brackets."
_NAME_KEYS = words("alias to db catalog kind")


class NodeCheck:
    """Checks the nodes of a tree, for one database.
    Args: functions: see `FunctionCheck`; columns, types: see `NameUse`; open_parameters: whether placeholders may stay
    in the tree and get their values later."""

    def __init__(
        self,
        dialect: Dialect,
        functions: frozenset[str] = frozenset(),
        *,
        open_parameters: bool = False,
        columns: frozenset[str] = frozenset(),
        types: frozenset[str] = frozenset(),
    ) -> None:
        self._dialect, self._open_parameters = dialect, open_parameters
        self._names = NameUse(dialect, columns, types, functions)
        self._functions = FunctionCheck(dialect, functions)
        self._checks: dict[type[exp.Expr], Callable[..., None]] = {
            exp.Table: self._functions.check_table,
            exp.Anonymous: self._functions.check,
            exp.ParameterizedAgg: self._functions.check,
            exp.In: self._check_in,
            exp.Placeholder: self._check_parameter,
            exp.Parameter: self._check_parameter,
            exp.SessionParameter: self._check_variable,
            exp.PropertyEQ: self._check_assignment,
            exp.Partition: self._check_partition,
            exp.Connect: self._check_connect,
            exp.ForClause: self._check_for,
            exp.From: self._check_from,
            exp.Interval: self._check_interval,
            exp.Qualify: self._check_qualify,
            exp.Distinct: self._check_distinct,
            exp.Fetch: self._check_fetch,
            exp.Summarize: self._check_summarize,
            exp.Dot: self._check_dot,
            exp.Unnest: self._check_unnest,
            exp.Not: self._check_not,
        }

    def run(self, root: exp.Expr) -> None:
        """Check that all nodes and functions are on their lists, and that the tree is not too big. Remove hints on how
        to run the query from the tree.
        Raises SqlRefused: with what was refused, and why."""
        try:
            self._walk(root)
        except RecursionError as error:
            raise too_big("It is nested too deeply.") from error

    def _walk(self, root: exp.Expr) -> None:
        _drop_advice(root)
        count = joins = set_operations = 0
        for node in list(root.walk()):
            count += 1
            joins += isinstance(node, exp.Join)
            set_operations += isinstance(node, exp.SetOperation)
            if type(node) in _WRITES:
                raise not_read_only(_WRITES[type(node)])
            check = self._checks.get(type(node))
            if check is not None:
                check(node)
            elif type(node) not in NODES:
                raise self._build_refusal(node)
        for many, limit, what in (
            (count, MAX_NODES, "parts"),
            (joins, MAX_JOINS, "joins"),
            (set_operations, MAX_SET_OPERATIONS, "set operations"),
        ):
            if many > limit:
                raise too_big(f"It has {many} {what}, and {limit} are allowed.")
        self._names.run(root)

    def _check_in(self, node: exp.In) -> None:
        if self._dialect.kin == "sqlite" and node.args.get("field"):
            message = f"IN {node.args['field'].sql()} without parentheses names a table."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, "Write IN (SELECT column FROM table) or IN (value, ...).")

    def _check_parameter(self, node: exp.Placeholder | exp.Parameter) -> None:
        """Refuse a parameter that is not a value to be read: one that is a name, or that is set."""
        parent, written = node.parent, node.sql(self._dialect.sqlglot)
        if isinstance(node, exp.Parameter) and self._dialect.kin == "databricks":
            raise build_paste_refusal(written)
        if self._is_set(node):
            raise sets_variable(written)
        if not self._open_parameters:
            message, hint = f"{node.sql()} has no value.", "Write the value itself, or send it in `parameters`."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, hint, because=Because.PARAMETER)
        if isinstance(parent, _NAME_PLACES) or node.arg_key in _NAME_KEYS:
            message = f"{written} stands where a name has to be written."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, form(self._dialect), because=Because.PARAMETER)

    def _is_set(self, node: exp.Expr) -> bool:
        """Whether T-SQL sets the variable: `SELECT @name = value` is an assignment, not a comparison."""
        parent = node.parent
        if self._dialect.name != "sqlserver" or not isinstance(parent, exp.EQ) or node.arg_key != "this":
            return False
        return parent.arg_key == "expressions" and isinstance(parent.parent, exp.Select)

    def _check_variable(self, node: exp.SessionParameter) -> None:
        name = node.name.lower()
        if name not in self._dialect.variables:
            message = f"The server's variable {node.sql(self._dialect.sqlglot)} may not be read."
            raise SqlRefused(ErrorKind.PERMISSION, message, form(self._dialect), because=Because.DANGEROUS)

    def _check_assignment(self, node: exp.PropertyEQ) -> None:
        """Allow `name := value`, which names an argument. Refuse `@name := value`, which sets a session variable."""
        if isinstance(node.this, exp.Parameter | exp.SessionParameter):
            raise sets_variable(node.this.sql(self._dialect.sqlglot))

    def _check_partition(self, node: exp.Partition) -> None:
        """Convert the names of partitions, which sqlglot reads as columns, to identifiers."""
        for part in node.expressions:
            if not isinstance(part, exp.Column) or part.table:
                raise SqlRefused(ErrorKind.SYNTAX_ERROR, "A partition is chosen by its name.", form(self._dialect))
            part.replace(part.this)

    def _check_for(self, node: exp.ForClause) -> None:
        """Allow T-SQL's FOR XML and FOR JSON only in a subquery. They turn rows into one text, which would hide the
        cap at the end of a query."""
        if self._dialect.name != "sqlserver":
            return  # DuckDB's [x FOR x IN list]
        if node.text("kind") not in ("XML", "JSON") or node.parent is None or node.parent.parent is None:
            message = f"FOR {node.text('kind')} is taken in a subquery alone."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Select the columns themselves.")

    def _check_from(self, node: exp.From) -> None:
        """Refuse `FROM FROM t`, which sqlglot parses as a query but cannot generate again."""
        if isinstance(node.this, exp.Query) and not isinstance(node.this, exp.Subquery):
            message = "A query in FROM needs parentheses."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, form(self._dialect))

    def _check_interval(self, node: exp.Interval) -> None:
        """Refuse `interval()` and `interval(1, 2)`, which would be generated as a column of that name. The type
        INTERVAL needs no length."""
        if isinstance(node.parent, exp.DataType):
            return
        if self._dialect.sqlglot == "mysql" and isinstance(node.this, exp.Tuple) and node.args.get("unit") is None:
            # In MySQL, INTERVAL(n, ...) is a function: it returns the interval that contains the first number.
            node.replace(exp.Anonymous(this="INTERVAL", expressions=node.this.expressions))
            return
        if node.this is None or isinstance(node.this, exp.Tuple):
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, "INTERVAL needs one length.", form(self._dialect))

    def _check_qualify(self, _node: exp.Qualify) -> None:
        """Refuse QUALIFY if the engine lacks it: sqlglot would move the selected rows into a query with the LIMIT."""
        if self._dialect.name in _NO_QUALIFY:
            message = f"{self._dialect.title} has no QUALIFY."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, "Filter in a query around this one.")

    def _check_distinct(self, node: exp.Distinct) -> None:
        """Refuse DISTINCT ON if the engine lacks it, for the same reason."""
        if node.args.get("on") and self._dialect.name in _NO_DISTINCT_ON:
            message = f"{self._dialect.title} has no DISTINCT ON."
            raise SqlRefused(
                ErrorKind.SYNTAX_ERROR, message, "Number the rows with ROW_NUMBER() in a query, and filter."
            )

    def _check_fetch(self, node: exp.Fetch) -> None:
        """Refuse a name after FETCH FIRST. It takes a number, and a name there would not be checked."""
        if isinstance(node.args.get("count"), exp.Column | exp.Var | exp.Identifier):
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, "FETCH FIRST takes a number of rows.", form(self._dialect))

    def _check_dot(self, node: exp.Dot) -> None:
        """Refuse a dot without two names, as in `CROSS APPLY .f(1)`."""
        if node.args.get("this") is None or node.args.get("expression") is None:
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, "A dot stands between two names.", form(self._dialect))

    def _check_unnest(self, _node: exp.Unnest) -> None:
        """Refuse UNNEST in Databricks, which lacks it: sqlglot generates EXPLODE with the alias as an argument."""
        if self._dialect.kin == "databricks":
            message = "Databricks has no UNNEST."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, "Write FROM explode(items) AS t(item).")

    def _check_not(self, node: exp.Not) -> None:
        """Refuse `NOT a ISNULL + b`, which is parsed as `(NOT a ISNULL) + b` and generated as something else."""
        if isinstance(node.parent, _ARITHMETIC) and node.arg_key == "this":
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, "What NOT is about can be read in more than one way.", _BRACKETS)

    def _check_summarize(self, node: exp.Summarize) -> None:
        """Allow DuckDB's SUMMARIZE, which gives statistics of a query, only for a query and in FROM."""
        if not isinstance(node.this, exp.Query) or not isinstance(node.parent, exp.Subquery):
            raise SqlRefused(ErrorKind.PERMISSION, "SUMMARIZE takes a table or a query.", form(self._dialect))

    def _check_connect(self, node: exp.Connect) -> None:
        """Allow CONNECT BY only if it follows a hierarchy, or counts up to a literal from one row. Else it may generate
        rows without end."""
        conditions = [part.unnest() for part in conjuncts(node.args["connect"])]
        counts = _is_one_row(node.parent) and any(map(_counts, conditions))
        if not counts and not any(map(_follows, conditions)):
            message = f"CONNECT BY needs `PRIOR column = column`, or FROM dual LEVEL <= {MAX_COUNTED} at most."
            raise SqlRefused(ErrorKind.PERMISSION, message, form(self._dialect), because=Because.DANGEROUS)

    def _build_refusal(self, node: exp.Expr) -> SqlRefused:
        if isinstance(node, exp.Func):
            return build_function_refusal(node.sql_name(), self._dialect)
        for call in node.find_all(exp.Anonymous):  # a call inside it gives a better reason
            self._functions.check(call)
        message = f"{type(node).__name__} is not allowed in a query."
        return SqlRefused(ErrorKind.PERMISSION, message, form(self._dialect))


def _follows(node: exp.Expr) -> bool:
    """Whether a condition is like `PRIOR id = parent_id`, which leads from a row to its children only."""
    if not isinstance(node, exp.EQ):
        return False
    sides = [(side, side.find(exp.Prior)) for side in (node.this, node.expression)]
    prior = [side for side, found in sides if found is not None and found.find(exp.Column) is not None]
    own = [side for side, found in sides if found is None and side.find(exp.Column) is not None]
    return len(prior) == 1 and len(own) == 1


def _is_one_row(node: exp.Expr | None) -> bool:
    """Whether a SELECT reads one row: that of `dual`, or of such a SELECT."""
    if not isinstance(node, exp.Select) or node.args.get("joins") or node.args.get("laterals"):
        return False
    from_ = node.args.get("from_")
    source = from_.this if from_ is not None else None
    if isinstance(source, exp.Subquery):
        return _is_one_row(source.this) and not source.args.get("joins")
    return source is None or (isinstance(source, exp.Table) and not source.db and source.name.lower() == "dual")


def _counts(node: exp.Expr) -> bool:
    """Whether a condition is like `LEVEL <= 12`."""
    if not isinstance(node, exp.LTE | exp.LT):
        return False
    counter, end = node.this, node.expression
    is_counter = isinstance(counter, exp.Column) and counter.name.upper() in ("LEVEL", "ROWNUM")
    return is_counter and isinstance(end, exp.Literal) and end.is_int and int(end.name) <= MAX_COUNTED


def check_no_files(root: exp.Expr, dialect: Dialect) -> None:
    """Refuse a table's name that is a file, which some engines would read. For names that are not checked against a
    schema. Raises SqlRefused: PERMISSION."""
    for table in root.find_all(exp.Table) if dialect.file_names else ():
        if re.search(dialect.file_names, table.name):
            message = f"{table.name[:80]!r} is a file, and no table."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Write a table's name.", because=Because.DANGEROUS)


# Parts of a query that only control how rows are read or returned are removed: the session and the driver decide that.
#
# These are hints that name an index or a plan, NOLOCK, OPTION, FORMAT, and ClickHouse's settings about speed. A part
# that takes a lock or changes the rows is refused.
_HINTS = words(
    "nolock readuncommitted readcommitted readpast snapshot index forceseek forcescan noexpand nowait fastfirstrow",
    "spatial_window_max_cells",
)
_SETTINGS = re.compile(
    r"max_threads|max_block_size|max_insert_threads|allow_experimental_\w+|enable_\w+|optimize_\w+|log_comment|priority"
    r"|(?:output_)?format_\w+|use_(?:uncompressed_cache|query_cache|skip_indexes\w*)|max_bytes_before_external_\w+"
    r"|(?:min|max)_bytes_to_use_\w+|compile_\w+|query_plan_\w+|join_algorithm"
)


def _drop_advice(root: exp.Expr) -> None:
    """Remove such parts from a tree. Raises SqlRefused: PERMISSION, if a part does more."""
    for node in list(root.walk()):
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and node.args.get("hints"):
            for hint in node.args["hints"]:
                _check_hint(hint)
            node.set("hints", None)
        elif isinstance(node, exp.Table) and isinstance(node.args.get("indexed"), exp.Table):
            node.set("indexed", None)
        elif isinstance(node, exp.Hint):
            node.pop()
        elif isinstance(node, exp.Query):
            _check_settings(node)
            for part in ("settings", "format"):
                node.set(part, None)
            options = node.args.get("options") or ()
            node.set("options", [it for it in options if it.name.upper() == "MAXRECURSION"])
            modifiers = node.args.get("operation_modifiers") or ()
            node.set("operation_modifiers", [it for it in modifiers if it.name.upper() == "STRAIGHT_JOIN"])


def _check_hint(hint: exp.Expr) -> None:
    if isinstance(hint, exp.IndexTableHint):
        return
    for item in hint.expressions:
        if not isinstance(hint, exp.WithTableHint) or item.name.lower() not in _HINTS:
            message = f"The table hint {item.name.upper()} is not allowed in a query."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Leave it out: how tables are read is for the server.")


def _check_settings(query: exp.Query) -> None:
    for setting in query.args.get("settings") or ():
        name = setting.this.name if isinstance(setting, exp.EQ) else setting.name
        if not _SETTINGS.fullmatch(name) or not isinstance(setting, exp.EQ):
            message = f"A query may not change the setting {name}."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Leave SETTINGS out: the connection decides them.")
