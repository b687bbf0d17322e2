"""ClickHouse."""

from executors.dialects.row import (
    COMMON,
    COMMON_AGGREGATES,
    Dialect,
    NameCase,
    Probe,
    SchemaQueries,
    SessionSetup,
    map_codes,
    read_words,
    words,
)
from executors.errors import ErrorKind

_WORDS = read_words(__file__)


_OWN = "('system', 'INFORMATION_SCHEMA', 'information_schema')"

_READS = SchemaQueries(
    default_schema="SELECT currentDatabase()",
    tables=f"""
        SELECT database, name, toUInt8(engine LIKE '%View'), comment, total_rows
        FROM system.tables
        WHERE database NOT IN {_OWN} AND NOT is_temporary AND name NOT LIKE '.inner%'
        ORDER BY database, name
    """,
    columns=f"""
        SELECT database, table, name, type, toUInt8(type LIKE 'Nullable(%' OR type LIKE 'LowCardinality(Nullable(%'),
               comment
        FROM system.columns
        WHERE database NOT IN {_OWN} AND default_kind <> 'EPHEMERAL'
        ORDER BY database, table, position
    """,
    primary_keys=f"""
        WITH splitByString(', ', t.primary_key) AS places
        SELECT c.database, c.table, c.name
        FROM system.columns AS c JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
        WHERE c.is_in_primary_key AND c.database NOT IN {_OWN}
        ORDER BY c.database, c.table, if(has(places, c.name), indexOf(places, c.name),
                 arrayFirstIndex(part -> position(part, c.name) > 0, places))
    """,
    head="substringUTF8(toString({column}), 1, {n})",
)

# One setting per statement; over HTTP, every query carries them. They follow standard SQL: a join or an aggregate
# without rows gives NULL, a bare UNION drops duplicates, and a name means a column rather than an alias.
_SETTINGS = (
    "SET join_use_nulls = 1",
    "SET aggregate_functions_null_for_empty = 1",
    "SET prefer_column_name_to_alias = 1",
    "SET union_default_mode = 'DISTINCT'",
    "SET readonly = 1",
)

_CODES = map_codes(
    {
        ErrorKind.TABLE_NOT_FOUND: "60 81",
        ErrorKind.COLUMN_NOT_FOUND: "8 10 16 47",
        ErrorKind.AMBIGUOUS_COLUMN: "207 352",
        ErrorKind.FUNCTION_NOT_FOUND: "46 63",
        ErrorKind.SYNTAX_ERROR: "48 62 73 80 115 179 258 403 558",
        ErrorKind.GROUPING: "184 215",
        ErrorKind.TYPE_MISMATCH: "6 27 36 38 41 42 43 44 53 69 70 72 349 386 407",
        ErrorKind.SEVERAL_ROWS: "125",
        ErrorKind.DIVISION_BY_ZERO: "153",
        ErrorKind.NOT_READ_ONLY: "164",
        ErrorKind.PERMISSION: "192 291 452 497 516",
        ErrorKind.TIMEOUT: "159 160 394",
        ErrorKind.RESOURCE: "158 191 202 241 307 396",
    }
)


_AGGREGATES = COMMON_AGGREGATES | _WORDS["aggregates"]
# Suffixes of an aggregate's name, as in `sumIf`, `avgOrNull`, `uniqArrayIf`.
_COMBINATORS = words(
    "if array arrayif ornull ordefault ornullif ifornull distinct distinctif foreach map state stateif merge mergeif",
    "mergestate simplestate argmin argmax",
)


CLICKHOUSE = Dialect(
    name="clickhouse",
    title="ClickHouse",
    sqlglot="clickhouse",
    quote=("`", "`"),
    case=NameCase.EXACT,
    truncate_month="toStartOfMonth({column})",
    hints=(
        "Year: toYear(col); month: toStartOfMonth(col), or as text formatDateTime(col, '%Y-%m').",
        "Functions and names are case-sensitive: countIf(x > 1), uniqExact(col), toDate('2024-01-31').",
        "Date arithmetic: today() - INTERVAL 2 MONTH; days between: dateDiff('day', earlier, later).",
        "Give a result a name that no column has: sum(amount) AS total ... ORDER BY total DESC.",
        "Write UNION ALL or UNION DISTINCT. Do not write FORMAT or SETTINGS.",
    ),
    instead={
        **dict.fromkeys(words("strftime to_char"), "formatDateTime(col, '%Y-%m')"),
        "to_date": "toDate(text)",
        "getdate": "now()",
        "julianday": "dateDiff('day', earlier, later)",
        "len": "length(col)",
        "nvl": "ifNull(col, value)",
        "iif": "if(condition, a, b)",
        "listagg": "arrayStringConcat(groupArray(col), ', ')",
        **dict.fromkeys(words("strpos charindex"), "position(text, part)"),
        "split_part": "splitByChar(',', text)[1]",
        "percentile_cont": "quantile(0.5)(col)",
        "percentile_disc": "quantileExact(0.5)(col)",
        "count_if": "countIf(condition)",
        "eomonth": "toLastDayOfMonth(col)",
        "generate_series": "numbers(n)",
        "regexp_matches": "match(text, 'pattern')",
    },
    codes=_CODES,
    errors=(
        (r"Unknown table expression identifier '(?P<name>[^']+)'", ErrorKind.TABLE_NOT_FOUND),
        (r"Table (?P<name>\S+) does(?:n't| not) exist|Database \S+ does(?:n't| not) exist", ErrorKind.TABLE_NOT_FOUND),
        (r"Unknown expression(?: or function)? identifier [`'](?P<name>[^`']+)[`']", ErrorKind.COLUMN_NOT_FOUND),
        (r"Identifier '(?P<name>[^']+)' cannot be resolved", ErrorKind.COLUMN_NOT_FOUND),
        (r"Missing columns: '(?P<name>[^']+)'|UNKNOWN_IDENTIFIER", ErrorKind.COLUMN_NOT_FOUND),
        (r"[Aa]mbiguous (?:identifier|column)s? '?(?P<name>[\w.]+)|AMBIGUOUS_", ErrorKind.AMBIGUOUS_COLUMN),
        (r"(?:Function with name|Unknown (?:aggregate )?function) [`']?(?P<name>\w+)", ErrorKind.FUNCTION_NOT_FOUND),
        (r"Column '?`?(?P<name>[^'`]+)'?`? is not under aggregate", ErrorKind.GROUPING),
        (r"NOT_AN_AGGREGATE|ILLEGAL_AGGREGATION|is found (?:inside|in WHERE)", ErrorKind.GROUPING),
        (r"\((?:TIMEOUT_EXCEEDED|TOO_SLOW|QUERY_WAS_CANCELLED)\)|Timeout exceeded", ErrorKind.TIMEOUT),
        (r"in readonly mode|\(READONLY\)", ErrorKind.NOT_READ_ONLY),
        (r"Not enough privileges|\((?:ACCESS_DENIED|AUTHENTICATION_FAILED)\)", ErrorKind.PERMISSION),
        (r"\((?:MEMORY_LIMIT_EXCEEDED|TOO_MANY_\w+|SET_SIZE_LIMIT_EXCEEDED)\)", ErrorKind.RESOURCE),
        (r"arguments? (?:of|for) (?:aggregate )?function (?P<name>\w+)", ErrorKind.TYPE_MISMATCH),
        (r"\((?:ILLEGAL_\w+|TYPE_MISMATCH|BAD_ARGUMENTS|NO_COMMON_TYPE|CANNOT_\w+)\)", ErrorKind.TYPE_MISMATCH),
        (
            r"\((?:NUMBER_OF_ARGUMENTS_\w+|INCORRECT_RESULT_\w+|DECIMAL_OVERFLOW|\w+_OUT_OF_\w+)\)",
            ErrorKind.TYPE_MISMATCH,
        ),
        (r"Syntax error|Expected (?:one of|ALL or DISTINCT)|UNION_ALL_RESULT_STRUCTURES", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset(),
    catalogue=r"(?:system|information_schema)$",
    has_fields=True,
    file_names=r"[/\\:*?]|\.\w+$",
    recursive_word=True,
    aggregates=_AGGREGATES | {f"{name}{suffix}" for name in _AGGREGATES for suffix in _COMBINATORS},
    functions=COMMON | _WORDS["functions"],
    table_functions=words("numbers generate_series generateseries"),
    units=words("age date_add date_diff date_sub dateadd datediff datesub timestampadd timestampdiff timestampsub"),
    session=SessionSetup(
        read_only=_SETTINGS,
        timeout="SET max_execution_time = {s}",
        cancel="KILL QUERY WHERE query_id = '{id}' ASYNC",
        first_words=words("select with"),
        transactions=False,
    ),
    reads=_READS,
    probes=(
        Probe(
            layer="read-only setting",
            sql="SELECT toUInt8(getSetting('readonly') > 0)",
            advice="The user's profile fixes `readonly` at 0: give it a profile with readonly = 1, or leave it to us.",
        ),
        Probe(
            layer="statement timeout",
            sql="SELECT toUInt8(toFloat64(getSetting('max_execution_time')) > 0)",
            advice="The user's profile fixes `max_execution_time` at 0: give it a number of seconds.",
        ),
    ),
)
