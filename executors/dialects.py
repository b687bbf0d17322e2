"""The one table of dialects: how each is parsed, what a model must know of it, and what its errors mean.

Adding a dialect is adding a row here, and its functions to `guard_functions`.
"""

from __future__ import annotations

import re
from enum import StrEnum

from executors.base import Frozen
from executors.errors import ErrorKind


class Limit(StrEnum):
    """The words that cap the rows of a query."""

    LIMIT = "LIMIT"
    TOP = "TOP"


class Dialect(Frozen):
    """One dialect.

    sqlglot: the parser's name of it.
    quote: what stands before and after a name that needs quoting.
    months_ago, truncate_month: templates with the holes `{n}` and `{column}`.
    hints: what a model must be told, one example each, most important first.
    instead: function of another dialect -> what to write here.
    errors: pattern of the driver's message -> its kind, first match counts; `(?P<name>...)` is the name it is about.
    schemas: qualifiers that mean "here".
    catalogue: pattern of names, or schemas, that describe the database itself.
    row_ids: columns that every table has, unlisted.
    """

    name: str
    title: str
    sqlglot: str
    quote: tuple[str, str] = ('"', '"')
    limit: Limit = Limit.LIMIT
    months_ago: str
    truncate_month: str
    hints: tuple[str, ...]
    instead: dict[str, str] = {}
    errors: tuple[tuple[str, ErrorKind], ...]
    schemas: frozenset[str]
    catalogue: str
    row_ids: frozenset[str] = frozenset()

    def quoted(self, name: str) -> str:
        """`name` as it can stand in a query: quoted only where it must be."""
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            return name
        before, after = self.quote
        return before + name.replace(after, after * 2) + after


SQLITE = Dialect(
    name="sqlite",
    title="SQLite",
    sqlglot="sqlite",
    months_ago="datetime('now', '-{n} months')",
    truncate_month="strftime('%Y-%m', {column})",
    hints=(
        "Dates are text. Year: strftime('%Y', col), month: strftime('%Y-%m', col); compare with text: = '2024'.",
        "There is no date_trunc, EXTRACT, YEAR() or INTERVAL; date arithmetic is date(col, '-2 months').",
        "Integer division cuts: write 100.0 * a / b for a ratio.",
        "Quote text with 'single' quotes; join text with ||.",
    ),
    instead={
        "date_trunc": "strftime('%Y-%m', col)",
        "datetrunc": "strftime('%Y-%m', col)",
        "year": "strftime('%Y', col)",
        "month": "strftime('%m', col)",
        "day": "strftime('%d', col)",
        "extract": "strftime('%Y', col)",
        "date_part": "strftime('%Y', col)",
        "datepart": "strftime('%Y', col)",
        "to_char": "strftime('%Y-%m', col)",
        "date_format": "strftime('%Y-%m', col)",
        "now": "datetime('now')",
        "getdate": "datetime('now')",
        "current_date": "date('now')",
        "dateadd": "date(col, '+1 month')",
        "date_add": "date(col, '+1 month')",
        "date_sub": "date(col, '-1 month')",
        "datediff": "julianday(later) - julianday(earlier)",
        "date_diff": "julianday(later) - julianday(earlier)",
        "concat": "a || b",
        "left": "substr(col, 1, n)",
        "right": "substr(col, -n)",
        "greatest": "max(a, b)",
        "least": "min(a, b)",
        "isnull": "ifnull(col, value)",
        "if": "iif(condition, a, b)",
        "len": "length(col)",
        "median": "avg over the middle rows, found with row_number()",
        "lpad": "printf('%05d', col)",
        "stddev": "avg(x*x) - avg(x)*avg(x), then sqrt",
    },
    errors=(
        (r"no such table: (?P<name>.+)", ErrorKind.TABLE_NOT_FOUND),
        (r"no such column: (?P<name>.+)", ErrorKind.COLUMN_NOT_FOUND),
        (r"cannot join using column (?P<name>.+?) - column not present", ErrorKind.COLUMN_NOT_FOUND),
        (r"ambiguous column name: (?P<name>.+)", ErrorKind.AMBIGUOUS_COLUMN),
        (r"no such function: (?P<name>.+)", ErrorKind.FUNCTION_NOT_FOUND),
        (r"wrong number of arguments to function (?P<name>\w+)", ErrorKind.TYPE_MISMATCH),
        (r"datatype mismatch|integer overflow|malformed JSON", ErrorKind.TYPE_MISMATCH),
        (r"misuse of (?:aliased )?(?:aggregate|window)(?: function|:)? (?P<name>\w+)", ErrorKind.GROUPING),
        (r"(?:GROUP|ORDER) BY term out of range|aggregate functions are not allowed", ErrorKind.GROUPING),
        (r"syntax error|incomplete input|unrecognized token|parser stack overflow", ErrorKind.SYNTAX_ERROR),
        (r"sub-select returns|same number of result columns|row value misused", ErrorKind.SYNTAX_ERROR),
        (r"no such window|circular reference|does not match any column in the result", ErrorKind.SYNTAX_ERROR),
        (r"interrupted", ErrorKind.TIMEOUT),
        (r"not authorized|prohibited|readonly database|unsafe use of", ErrorKind.PERMISSION),
        (r"string or blob too big|out of memory|too many|too complex|disk is full", ErrorKind.RESOURCE),
    ),
    schemas=frozenset({"main"}),
    catalogue=r"sqlite_|pragma_|dbstat|sqlite$|temp$",
    row_ids=frozenset({"rowid", "oid", "_rowid_"}),
)

DUCKDB = Dialect(
    name="duckdb",
    title="DuckDB",
    sqlglot="duckdb",
    months_ago="CURRENT_DATE - INTERVAL {n} MONTH",
    truncate_month="date_trunc('month', {column})",
    hints=(
        "Year: year(col); month: date_trunc('month', col), or as text strftime(col, '%Y-%m').",
        "There is no DATEADD; add an INTERVAL: col + INTERVAL 2 MONTH. Days between: date_diff('day', a, b).",
        "A column that is text must be cast before date functions: CAST(col AS DATE).",
        "Every selected column that is not aggregated must be in GROUP BY.",
    ),
    instead={
        "dateadd": "col + INTERVAL 1 MONTH",
        "julianday": "date_diff('day', earlier, later)",
        "datetime": "CAST(col AS TIMESTAMP)",
        "to_char": "strftime(col, '%Y-%m')",
        "date_format": "strftime(col, '%Y-%m')",
        "getdate": "CURRENT_DATE",
        "isnull": "ifnull(col, value)",
        "iif": "if(condition, a, b)",
        "charindex": "strpos(text, part)",
        "eomonth": "last_day(col)",
        "to_date": "strptime(text, '%Y-%m-%d')",
        "total": "sum(col)",
    },
    errors=(
        (r"Table with name \"?(?P<name>[^\"]+?)\"? does not exist", ErrorKind.TABLE_NOT_FOUND),
        (r"Referenced table \"(?P<name>[^\"]+)\" not found", ErrorKind.TABLE_NOT_FOUND),
        (r"Referenced column \"(?P<name>[^\"]+)\" (?:was )?not found", ErrorKind.COLUMN_NOT_FOUND),
        (r"Table \"(?P<table>[^\"]+)\" does not have a column named \"(?P<name>[^\"]+)\"", ErrorKind.COLUMN_NOT_FOUND),
        (r"Column \"(?P<name>[^\"]+)\" does not exist on", ErrorKind.COLUMN_NOT_FOUND),
        (r"Ambiguous reference to column name \"(?P<name>[^\"]+)\"", ErrorKind.AMBIGUOUS_COLUMN),
        (r"Function with name \"?(?P<name>\w+)\"? does not exist", ErrorKind.FUNCTION_NOT_FOUND),
        (r"column \"(?P<name>[^\"]+)\" must appear in the GROUP BY", ErrorKind.GROUPING),
        (r"cannot contain (?:aggregates|window)|cannot be nested|term out of range", ErrorKind.GROUPING),
        (r"No function matches the given name and argument types '(?P<name>[^(]+)\(", ErrorKind.TYPE_MISMATCH),
        (r"Could not choose a best candidate function.*?\"(?P<name>[^(]+)\(", ErrorKind.TYPE_MISMATCH),
        (r"Cannot compare values of type|Conversion Error|Cannot mix values", ErrorKind.TYPE_MISMATCH),
        (r"Out of Range Error|More than one row returned by a subquery|Invalid Input Error", ErrorKind.TYPE_MISMATCH),
        (r"INTERRUPT Error|[Ii]nterrupted", ErrorKind.TIMEOUT),
        (r"Permission Error|disabled by configuration|read-only mode", ErrorKind.PERMISSION),
        (r"Out of Memory Error|memory limit|OutOfMemory", ErrorKind.RESOURCE),
        (r"Parser Error|Binder Error|syntax error", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset({"main"}),
    catalogue=r"duckdb_|pragma_|sqlite_(master|schema|temp)|pg_|information_schema|system$|temp$",
    row_ids=frozenset({"rowid"}),
)

POSTGRESQL = Dialect(
    name="postgresql",
    title="PostgreSQL",
    sqlglot="postgres",
    months_ago="CURRENT_DATE - INTERVAL '{n} months'",
    truncate_month="date_trunc('month', {column})",
    hints=(
        "Year: EXTRACT(YEAR FROM col); month: date_trunc('month', col), or as text to_char(col, 'YYYY-MM').",
        "There is no DATEADD; subtract an interval: CURRENT_DATE - INTERVAL '2 months'.",
        'Names with capitals need double quotes: "Order"; text has single quotes.',
        "round(x, 2) wants numeric: round(x::numeric, 2). Integer division cuts: 100.0 * a / b.",
    ),
    instead={
        "dateadd": "col + INTERVAL '1 month'",
        "date_add": "col + INTERVAL '1 month'",
        "datediff": "later::date - earlier::date",
        "strftime": "to_char(col, 'YYYY-MM')",
        "date_format": "to_char(col, 'YYYY-MM')",
        "year": "EXTRACT(YEAR FROM col)",
        "month": "EXTRACT(MONTH FROM col)",
        "day": "EXTRACT(DAY FROM col)",
        "getdate": "now()",
        "julianday": "later::date - earlier::date",
        "ifnull": "coalesce(col, value)",
        "isnull": "coalesce(col, value)",
        "group_concat": "string_agg(col, ', ')",
        "iif": "CASE WHEN condition THEN a ELSE b END",
        "if": "CASE WHEN condition THEN a ELSE b END",
        "len": "length(col)",
        "median": "percentile_cont(0.5) WITHIN GROUP (ORDER BY col)",
        "total": "sum(col)",
    },
    errors=(
        (r"relation \"(?P<name>[^\"]+)\" does not exist", ErrorKind.TABLE_NOT_FOUND),
        (r"missing FROM-clause entry for table \"(?P<name>[^\"]+)\"", ErrorKind.TABLE_NOT_FOUND),
        (r"invalid reference to FROM-clause entry for table \"(?P<name>[^\"]+)\"", ErrorKind.TABLE_NOT_FOUND),
        (r"column reference \"(?P<name>[^\"]+)\" is ambiguous", ErrorKind.AMBIGUOUS_COLUMN),
        (r"column \"(?P<name>[^\"]+)\" must appear in the GROUP BY", ErrorKind.GROUPING),
        (r"aggregate function|window function|GROUP BY position", ErrorKind.GROUPING),
        (r"column \"?(?P<name>[^\"]+?)\"?(?: of relation .*)? does not exist", ErrorKind.COLUMN_NOT_FOUND),
        (r"column \"(?P<name>[^\"]+)\" specified in USING", ErrorKind.COLUMN_NOT_FOUND),
        (r"function (?P<name>[\w.]+)\(\) does not exist", ErrorKind.FUNCTION_NOT_FOUND),
        (r"function (?P<name>[\w.]+)\(.*?\) does not exist", ErrorKind.FUNCTION_NOT_FOUND),
        (r"operator does not exist|invalid input syntax|cannot be cast|cannot cast", ErrorKind.TYPE_MISMATCH),
        (r"is not unique|cannot be matched|out of range|division by zero", ErrorKind.TYPE_MISMATCH),
        (r"must be type|but expression is of type|more than one row returned", ErrorKind.TYPE_MISMATCH),
        (r"statement timeout|canceling statement due to|lock timeout", ErrorKind.TIMEOUT),
        (r"permission denied|read-only transaction|must be superuser", ErrorKind.PERMISSION),
        (r"out of memory|temp_file_limit|too many|No space left|stack depth", ErrorKind.RESOURCE),
        (r"syntax error|unterminated|must have the same number of columns", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset({"public"}),
    catalogue=r"pg_|information_schema",
    row_ids=frozenset({"ctid"}),
)

SQLSERVER = Dialect(
    name="sqlserver",
    title="SQL Server",
    sqlglot="tsql",
    quote=("[", "]"),
    limit=Limit.TOP,
    months_ago="DATEADD(month, -{n}, GETDATE())",
    truncate_month="DATETRUNC(month, {column})",
    hints=(
        "There is no LIMIT; write SELECT TOP 10 ... ORDER BY ...",
        "Date arithmetic: DATEADD(month, -2, GETDATE()); days between: DATEDIFF(day, a, b).",
        "Year: YEAR(col); month: DATETRUNC(month, col), or as text FORMAT(col, 'yyyy-MM').",
        "There are no booleans: col = 1. Join text with CONCAT(a, b).",
    ),
    instead={
        "date_trunc": "DATETRUNC(month, col)",
        "strftime": "FORMAT(col, 'yyyy-MM')",
        "to_char": "FORMAT(col, 'yyyy-MM')",
        "now": "GETDATE()",
        "length": "LEN(col)",
        "ifnull": "ISNULL(col, value)",
        "group_concat": "STRING_AGG(col, ', ')",
        "extract": "DATEPART(year, col)",
        "strpos": "CHARINDEX(part, text)",
        "instr": "CHARINDEX(part, text)",
        "substr": "SUBSTRING(col, 1, n)",
        "stddev": "STDEV(col)",
        "julianday": "DATEDIFF(day, earlier, later)",
    },
    errors=(
        (r"Invalid object name '(?P<name>[^']+)'", ErrorKind.TABLE_NOT_FOUND),
        (r"Ambiguous column name '(?P<name>[^']+)'", ErrorKind.AMBIGUOUS_COLUMN),
        (r"Invalid column name '(?P<name>[^']+)'", ErrorKind.COLUMN_NOT_FOUND),
        (r"multi-part identifier \"(?P<name>[^\"]+)\" could not be bound", ErrorKind.COLUMN_NOT_FOUND),
        (r"'(?P<name>\w+)' is not a recognized (?:built-in )?function name", ErrorKind.FUNCTION_NOT_FOUND),
        (r"Column '(?P<name>[^']+)' is invalid in the (?:select|HAVING|ORDER)", ErrorKind.GROUPING),
        (r"An aggregate may not appear|Windowed functions can only|GROUP BY clause", ErrorKind.GROUPING),
        (r"Conversion failed|Error converting|Operand type clash|overflow error", ErrorKind.TYPE_MISMATCH),
        (r"is invalid for argument|Divide by zero|incompatible|more than 1 value", ErrorKind.TYPE_MISMATCH),
        (r"HYT00|timeout expired|Operation cancell?ed|HY008", ErrorKind.TIMEOUT),
        (r"permission was denied|permission denied|not able to access the database", ErrorKind.PERMISSION),
        (r"insufficient system memory|insufficient disk space|query processor ran out", ErrorKind.RESOURCE),
        (r"Incorrect syntax|Unclosed quotation|is not valid in this context|is invalid in", ErrorKind.SYNTAX_ERROR),
        (r"No column name was specified|equal number of expressions", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset({"dbo"}),
    catalogue=r"sys|information_schema|INFORMATION_SCHEMA|master$|msdb$|tempdb$|model$",
)

DIALECTS: dict[str, Dialect] = {row.name: row for row in (SQLITE, DUCKDB, POSTGRESQL, SQLSERVER)}


def classify(dialect: str, message: str) -> ErrorKind:
    """The kind of a driver's error. Args: dialect: a key of `DIALECTS`; message: as the driver gave it."""
    return match_error(dialect, message)[0]


def match_error(dialect: str, message: str) -> tuple[ErrorKind, dict[str, str]]:
    """The kind of a driver's error, and the names the message holds (`name`, `table`), without their quotes."""
    for pattern, kind in DIALECTS[dialect].errors:
        found = re.search(pattern, message)
        if found:
            return kind, {key: value.strip("\"'[]` ") for key, value in found.groupdict().items() if value}
    return ErrorKind.OTHER, {}
