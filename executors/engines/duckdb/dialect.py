"""DuckDB."""

from executors.dialects.row import COMMON, COMMON_AGGREGATES, Dialect, Probe, read_words, words
from executors.errors import ErrorKind

_WORDS = read_words(__file__)

_OURS = "This is a fault of the service, not of the file: report it, and use the database no further."

_PROBES = (
    Probe(
        layer="read-only",
        sql="SELECT bool_and(readonly) FROM duckdb_databases() WHERE database_name = current_database()",
        advice=_OURS,
    ),
    Probe(
        layer="no external access",
        sql="SELECT NOT CAST(current_setting('enable_external_access') AS BOOLEAN)",
        advice=_OURS,
    ),
    Probe(
        layer="no extensions",
        sql="SELECT NOT (CAST(current_setting('autoinstall_known_extensions') AS BOOLEAN)"
        " OR CAST(current_setting('autoload_known_extensions') AS BOOLEAN)"
        " OR CAST(current_setting('allow_community_extensions') AS BOOLEAN))",
        advice=_OURS,
    ),
    Probe(
        layer="configuration locked", sql="SELECT CAST(current_setting('lock_configuration') AS BOOLEAN)", advice=_OURS
    ),
)

DUCKDB = Dialect(
    name="duckdb",
    title="DuckDB",
    sqlglot="duckdb",
    reserved=_WORDS["reserved"],
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
        **dict.fromkeys(words("to_char date_format"), "strftime(col, '%Y-%m')"),
        "getdate": "CURRENT_DATE",
        "isnull": "ifnull(col, value)",
        "iif": "if(condition, a, b)",
        "charindex": "strpos(text, part)",
        "eomonth": "last_day(col)",
        "to_date": "strptime(text, '%Y-%m-%d')",
        "total": "sum(col)",
    },
    errors=(
        (r"^Constraint Error", ErrorKind.CONSTRAINT),
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
        (r"Out of Range Error|Invalid Input Error", ErrorKind.TYPE_MISMATCH),
        (r"INTERRUPT Error|[Ii]nterrupted", ErrorKind.TIMEOUT),
        (r"Permission Error|disabled by configuration|read-only mode", ErrorKind.PERMISSION),
        (r"Out of Memory Error|memory limit|OutOfMemory", ErrorKind.RESOURCE),
        (r"Parser Error|Binder Error|syntax error", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset({"main"}),
    catalogue=r"duckdb_|pragma_|sqlite_(master|schema|temp)|pg_|information_schema|system$|temp$",
    row_ids=frozenset({"rowid"}),
    file_names=r"[./\\:*?]",
    has_fields=True,
    aggregates=COMMON_AGGREGATES | _WORDS["aggregates"],
    functions=COMMON | _WORDS["functions"],
    table_functions=words(
        "generate_series range unnest json_each json_tree",
    ),
    probes=_PROBES,
)
