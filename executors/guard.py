"""Is this SQL allowed?

The one place that every query goes through before a database sees it. It fails closed: what does not parse whole, what
has a node or a function that is on no list, what reads a table that the schema does not have, is refused. What passes
is written anew from the checked tree, so the database never sees a character that was not understood here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError, UnsupportedError
from sqlglot.tokenizer_core import Token, TokenType

from executors.base import CheckedSql, Parameters, Schema
from executors.dialects import DIALECTS, Dialect
from executors.errors import ErrorKind, SqlRefused
from executors.rows.row import words
from executors.sql import diagnose, grammar
from executors.sql.names import NameCheck
from executors.sql.parameters import bind
from executors.sql.row_limit import limited

MAX_CHARS = 20_000
MAX_NESTING = 60
MAX_JOINS = 40
MAX_SET_OPERATIONS = 40
MAX_BUILT_CHARS = 9_999
MAX_NODES = 5_000

# Everything that a tree may consist of. A node's arguments are nodes, so what is not here cannot hide in one that is.
NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        # queries
        *(exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.With, exp.CTE, exp.Values, exp.Tuple),
        *(exp.From, exp.Join, exp.Lateral, exp.Table, exp.TableAlias, exp.TableSample, exp.Unnest),
        *(exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit, exp.LimitOptions),
        *(exp.Offset, exp.Fetch, exp.Distinct, exp.Rollup, exp.Cube, exp.GroupingSets, exp.Pivot, exp.PivotAlias),
        *(exp.PivotAny, exp.UnpivotColumns, exp.Star, exp.Window, exp.WindowSpec, exp.Filter, exp.WithinGroup),
        *(exp.IgnoreNulls, exp.RespectNulls),
        # names and values
        *(exp.Alias, exp.Aliases, exp.Column, exp.Identifier, exp.Dot, exp.Literal, exp.National, exp.HexString),
        *(
            exp.ByteString,
            exp.BitString,
            exp.RawString,
            exp.UnicodeString,
            exp.Null,
            exp.Boolean,
            exp.Var,
            exp.Interval,
        ),
        *(exp.IntervalSpan, exp.PositionalColumn, exp.DataType, exp.DataTypeParam, exp.ColumnDef, exp.Paren, exp.Kwarg),
        *(exp.Array, exp.Struct, exp.PropertyEQ, exp.Map, exp.ToMap, exp.Bracket, exp.Slice, exp.Lambda),
        *(exp.Comprehension, exp.ForClause),
        # operators
        *(exp.And, exp.Or, exp.Xor, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ),
        *(exp.NullSafeNEQ, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.Escape),
        *(exp.RegexpLike, exp.RegexpILike, exp.RegexpFullMatch, exp.Match, exp.Exists, exp.Any, exp.All, exp.Overlaps),
        *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Neg, exp.DPipe, exp.Collate, exp.Abs),
        *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift),
        *(exp.AtTimeZone, exp.Case, exp.If, exp.Cast, exp.TryCast, exp.Convert, exp.StartsWith),
        *(exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar, exp.JSONBContains),
        *(exp.JSONBContainsTopKey, exp.JSONBContainsAnyTopKeys, exp.JSONBContainsAllTopKeys, exp.ArrayContainsAll),
        *(exp.ArrayContainedBy, exp.ArrayOverlaps, exp.JSON, exp.MatchAgainst),
        # functions with a syntax of their own; the others are calls by name, held against the list of the dialect
        *(exp.Anonymous, exp.Extract, exp.Trim, exp.Substring, exp.StrPosition, exp.Overlay, exp.CurrentDate),
        *(exp.CurrentTime, exp.CurrentTimestamp, exp.Localtime, exp.Localtimestamp),
        *(exp.Systimestamp, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript),
        # ClickHouse
        *(exp.Final, exp.PreWhere, exp.WithFill, exp.CastToStrType, exp.ParameterizedAgg),
    }
)

_QUERY_WORDS = words("select with from (")
WRITE_WORDS = words(
    "insert update delete merge replace upsert truncate create drop alter rename comment grant revoke deny copy export",
    "import unload bulk backup restore vacuum reindex analyze cluster refresh",
)
_OTHER_WORDS = words(
    "explain describe desc show summarize pragma set reset use attach detach load install force checkpoint call exec",
    "execute do declare begin start commit end rollback savepoint release prepare deallocate listen notify lock kill",
    "dbcc waitfor print if while go pivot unpivot table handler flush purge change optimize signal resignal help",
    "system exchange undrop watch exists",
)
_WRITE_NODES: dict[type[exp.Expr], str] = {
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


def check(
    sql: str, schema: Schema, *, row_limit: int, check_names: bool = True, parameters: Parameters | None = None
) -> CheckedSql:
    """Let a query through, capped, or refuse it.

    Args:
        sql: one SELECT, as a model or a person wrote it; a semicolon at its end and comments do no harm.
        schema: what may be read; its dialect is the one that is spoken.
        row_limit: rows at most.
        check_names: False leaves tables and columns unchecked; everything else still holds.
        parameters: what the placeholders stand for; they become literals of the tree. None: there are none.

    Returns:
        The query written anew: for people, and as it runs (see `CheckedSql`).

    Raises:
        SqlRefused: with the kind of error, a sentence, and what would mend it.
    """
    dialect = DIALECTS[schema.dialect]
    root = _parsed(sql, dialect)
    if parameters is not None:
        bind(root, parameters)
    check_nodes(root, dialect)
    names = NameCheck(schema, sql)
    try:
        if check_names:
            names.run(root)
        shown, run = limited(root, row_limit, dialect)
        text = grammar.write(shown, dialect.sqlglot)
        executable = text if run is shown else grammar.write(run, dialect.sqlglot)
    except UnsupportedError as error:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, f"{dialect.title} cannot say this: {error}", _form(dialect)) from error
    except RecursionError as error:
        raise _too_big("It is nested too deeply.") from error
    return CheckedSql(sql=text, executable=executable, row_limit=row_limit, tables=names.tables)


# ------------------------------------------------------------------------------------------------- one query


def _parsed(sql: str, dialect: Dialect) -> exp.Query:
    """The tree of the one query in `sql`."""
    root = read(sql, dialect, _check_words, _form(dialect))
    while isinstance(root, exp.Subquery) and not any(value for key, value in root.args.items() if key != "this"):
        root = root.this
    if not isinstance(root, exp.Query):
        check_nodes(root, dialect)
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "This is not a query.", _form(dialect))
    return root


def read(sql: str, dialect: Dialect, check_words: Callable[[list[Token], Dialect], None], form: str) -> exp.Expr:
    """The tree of the one statement in `sql`; nothing of it is checked but its size, and what `check_words` does.

    Args:
        check_words: sees the words before they are parsed.
        form: what to write instead, where `sql` cannot be read.

    Raises:
        SqlRefused: it is too big, or cannot be parsed whole.
    """
    if len(sql) > MAX_CHARS:
        raise _too_big(f"It has {len(sql)} characters, and {MAX_CHARS} are allowed.")
    if "\x00" in sql:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "The query holds a NUL character.")
    try:
        tokens = grammar.tokenize(sql, dialect.sqlglot)
        check_words(tokens, dialect)
        trees = grammar.parse(tokens, sql, dialect.sqlglot)
    except (TokenError, ParseError) as error:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, _syntax_message(error), form) from error
    except RecursionError as error:
        raise _too_big("It is nested too deeply.") from error
    return trees[0] if len(trees) == 1 else exp.Null()


def _check_words(tokens: list[Token], dialect: Dialect) -> None:
    """One statement, that starts as a query does. Says what it is where it is something else."""
    firsts = first_tokens(tokens)
    if not firsts:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "There is no query.", _form(dialect))
    for token in firsts:
        word = token.text.lower().partition(" ")[0]
        if word in WRITE_WORDS:
            raise _not_read_only(word.upper())
        if word in _OTHER_WORDS:
            raise SqlRefused(
                ErrorKind.PERMISSION, f"Only a SELECT may be run; {word.upper()} was refused.", _form(dialect)
            )
        if word not in _QUERY_WORDS:
            message = f"A query starts with SELECT or WITH, not with {token.text[:40]!r}."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, _form(dialect))
    if len(firsts) > 1:
        message = f"One statement is allowed, and there are {len(firsts)}."
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, "Write one SELECT; use WITH for steps.")


def first_tokens(tokens: list[Token]) -> list[Token]:
    """The first word of every statement. Raises SqlRefused where one is nested too deeply to be parsed."""
    starts, nesting = [0], 0
    for index, token in enumerate(tokens):
        if token.token_type is TokenType.SEMICOLON:
            starts.append(index + 1)
        nesting += token.token_type in _OPENING
        nesting -= token.token_type in _CLOSING
        if nesting > MAX_NESTING:
            raise _too_big(f"It is nested more than {MAX_NESTING} deep.")
    firsts = [tokens[start] for start in starts if start < len(tokens)]
    return [token for token in firsts if token.token_type is not TokenType.SEMICOLON]


_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})


# ------------------------------------------------------------------------------------------------- the lists


def check_nodes(root: exp.Expr, dialect: Dialect) -> None:
    """Every node is on the list, every function called is, and there are not too many of anything."""
    count = joins = set_operations = 0
    for node in list(root.walk()):
        count += 1
        joins += isinstance(node, exp.Join)
        set_operations += isinstance(node, exp.SetOperation)
        if type(node) in _WRITE_NODES:
            raise _not_read_only(_WRITE_NODES[type(node)])
        if isinstance(node, exp.WithTableHint) and _is_harmless(node):
            if node.parent is not None:
                node.parent.set("hints", None)
        elif type(node) not in NODES:
            raise _refused_node(node, dialect)
        elif isinstance(node, exp.Table):
            _check_table(node, dialect)
        elif isinstance(node, exp.Anonymous | exp.ParameterizedAgg):
            _check_function(node, dialect)
        elif isinstance(node, exp.In) and dialect.name == "sqlite" and node.args.get("field"):
            message = f"IN {node.args['field'].sql()} without parentheses names a table."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, "Write IN (SELECT column FROM table) or IN (value, ...).")
    for many, limit, what in (
        (count, MAX_NODES, "parts"),
        (joins, MAX_JOINS, "joins"),
        (set_operations, MAX_SET_OPERATIONS, "set operations"),
    ):
        if many > limit:
            raise _too_big(f"It has {many} {what}, and {limit} are allowed.")


def _check_table(node: exp.Table, dialect: Dialect) -> None:
    """A table's name has at most three parts, and a function that makes rows has one."""
    call = isinstance(node.this, exp.Anonymous)
    if (call and node.args.get("db")) or not (call or isinstance(node.this, exp.Identifier)):
        message = f"{node.sql(dialect.sqlglot)[:80]} is not in this database."
        raise SqlRefused(ErrorKind.PERMISSION, message, "Write a table's name alone.")


def _check_function(node: exp.Anonymous | exp.ParameterizedAgg, dialect: Dialect) -> None:
    name = node.name.lower()
    makes_table = isinstance(node.parent, exp.Table | exp.Lateral)
    if isinstance(node.parent, exp.Dot) and node.arg_key == "expression" and dialect.name != "duckdb":
        message = f"Functions of a schema are not available: {node.parent.sql(dialect.sqlglot)[:80]}."
        raise SqlRefused(ErrorKind.FUNCTION_NOT_FOUND, message, diagnose.function_hint(name, dialect))
    if not dialect.may_call(name, in_from=makes_table):
        what = "as a table" if makes_table else "here"
        message = f"The function {node.name} is not available {what}."
        raise SqlRefused(ErrorKind.FUNCTION_NOT_FOUND, message, diagnose.function_hint(name, dialect))
    _check_built_length(node, name, dialect)
    for part in node.expressions[:1] if name in dialect.units else ():
        bare = isinstance(part, exp.Column) and not part.table and not part.this.args.get("quoted")
        if bare and part.name.lower() in _UNITS:
            part.replace(exp.var(part.name))  # DATEADD(month, ...): a keyword, and no column


def _check_built_length(node: exp.Anonymous | exp.ParameterizedAgg, name: str, dialect: Dialect) -> None:
    """What makes long text must say how long: nothing interrupts it, and DuckDB's memory limit does not hold it."""
    arguments = node.expressions
    if name in _BUILDERS and len(arguments) > _BUILDERS[name]:
        length = arguments[_BUILDERS[name]]
        written = length.is_int and isinstance(length, exp.Literal)
        if not written or int(length.name) > MAX_BUILT_CHARS:
            raise _too_long(node)
    elif name in dialect.formatters and arguments:
        pattern = arguments[0]
        written = isinstance(pattern, exp.Literal) and pattern.is_string
        if not written or "*" in pattern.name or any(len(run) > 4 for run in re.findall(r"\d+", pattern.name)):
            raise _too_long(node)


def _too_long(node: exp.Anonymous | exp.ParameterizedAgg) -> SqlRefused:
    message = f"{node.name} needs a written length of at most {MAX_BUILT_CHARS}."
    return SqlRefused(ErrorKind.PERMISSION, message, "Write the length as a number, or leave the function out.")


# The argument that says how long the text becomes, counted from 0.
_BUILDERS = {"repeat": 1, "replicate": 1, "lpad": 1, "rpad": 1, "array_resize": 1, "list_resize": 1, "space": 0}

_UNITS = words(
    "nanosecond microsecond millisecond second minute hour day dayofyear weekday week isoweek month quarter year",
    "ns mcs ms ss s mi n hh dd d dy y dw w wk ww isowk isoww mm m qq q yyyy yy tzoffset tz",
    "sql_tsi_second sql_tsi_minute sql_tsi_hour sql_tsi_day sql_tsi_week sql_tsi_month sql_tsi_quarter sql_tsi_year",
)


def _is_harmless(hint: exp.WithTableHint) -> bool:
    """NOLOCK says how the server reads, not what; the session decides that, so it is dropped."""
    return all(item.name.upper() == "NOLOCK" for item in hint.expressions)


# ------------------------------------------------------------------------------------------------- refusals


def _not_read_only(what: str) -> SqlRefused:
    message = f"Only reading is allowed; {what} would change the database and was refused."
    return SqlRefused(ErrorKind.NOT_READ_ONLY, message, "Write one SELECT that reads the answer.")


def _refused_node(node: exp.Expr, dialect: Dialect) -> SqlRefused:
    name = type(node).__name__
    if isinstance(node, exp.Placeholder | exp.Parameter | exp.SessionParameter):
        return SqlRefused(ErrorKind.SYNTAX_ERROR, f"{node.sql()} has no value: queries take no parameters.")
    if isinstance(node, exp.Func):
        message = f"The function {node.sql_name()} is not available here."
        return SqlRefused(ErrorKind.FUNCTION_NOT_FOUND, message, diagnose.function_hint(node.sql_name(), dialect))
    return SqlRefused(ErrorKind.PERMISSION, f"{name} is not allowed in a query.", _form(dialect))


def _too_big(why: str) -> SqlRefused:
    return SqlRefused(ErrorKind.RESOURCE, f"The query is too big. {why}", "Write a shorter query.")


def _syntax_message(error: TokenError | ParseError) -> str:
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        near = f"{first.get('start_context', '')}{first.get('highlight', '')}"[-60:].replace("\n", " ")
        return f"Syntax error near the end of: {near}" if near else "Syntax error."
    return "Syntax error: a string, name or comment never ends."


def _form(dialect: Dialect) -> str:
    return f"Write one {dialect.title} SELECT statement. {' '.join(dialect.hints[:2])}"
