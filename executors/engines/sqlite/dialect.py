"""SQLite."""

from executors.dialects.row import COMMON, COMMON_AGGREGATES, Dialect, Probe, read_words, words
from executors.errors import ErrorKind

_WORDS = read_words(__file__)

_OURS = "This is a fault of the service, not of the file: report it, and use the database no further."

_PROBES = (
    Probe(layer="query_only", sql="PRAGMA query_only", advice=_OURS),
    Probe(layer="mode=ro", sql="PRAGMA user_version = 1", refused=True, advice=_OURS),
    Probe(layer="authorizer", sql="PRAGMA schema_version", refused=True, advice=_OURS),
)

SQLITE = Dialect(
    name="sqlite",
    title="SQLite",
    sqlglot="sqlite",
    reserved=_WORDS["reserved"],
    named_by_text=True,
    truncate_month="strftime('%Y-%m', {column})",
    hints=(
        "Dates are text. Year: strftime('%Y', col), month: strftime('%Y-%m', col); compare with text: = '2024'.",
        "There is no date_trunc, EXTRACT, YEAR() or INTERVAL; date arithmetic is date(col, '-2 months').",
        "Integer division cuts: write 100.0 * a / b for a ratio.",
        "Quote text with 'single' quotes; join text with ||.",
    ),
    instead={
        **dict.fromkeys(words("date_trunc datetrunc to_char date_format"), "strftime('%Y-%m', col)"),
        **dict.fromkeys(words("year extract date_part datepart"), "strftime('%Y', col)"),
        "month": "strftime('%m', col)",
        "day": "strftime('%d', col)",
        **dict.fromkeys(words("now getdate"), "datetime('now')"),
        "current_date": "date('now')",
        **dict.fromkeys(words("dateadd date_add"), "date(col, '+1 month')"),
        "date_sub": "date(col, '-1 month')",
        **dict.fromkeys(words("datediff date_diff"), "julianday(later) - julianday(earlier)"),
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
        (r"constraint failed", ErrorKind.CONSTRAINT),
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
    recursive_word=False,
    integer_division=True,
    aggregates=COMMON_AGGREGATES | _WORDS["aggregates"],
    functions=COMMON | _WORDS["functions"],
    table_functions=words(
        "generate_series json_each json_tree jsonb_each jsonb_tree",
    ),
    probes=_PROBES,
)
