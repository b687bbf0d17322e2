"""MySQL and MariaDB, which share a grammar but have different functions, timeouts and messages."""

from executors.dialects.row import (
    ASK_AGAIN,
    COMMON,
    COMMON_AGGREGATES,
    READERS_LOGIN,
    Dialect,
    Lexis,
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


# Quotes, backslashes and || then mean the same on every server, and a column that is not grouped is an error, not a
# guess. The read-only session allows statements that change no rows: SET, FLUSH, SELECT INTO OUTFILE, and CALL, which
# may end it.
_SESSION = SessionSetup(
    setup=(
        "SET SESSION sql_mode = "
        "'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
        "SET SESSION group_concat_max_len = 1048576",  # MySQL's default is 1024, and longer text is cut silently
    ),
    read_only=("SET SESSION TRANSACTION READ ONLY",),
    begin=("START TRANSACTION READ ONLY",),
    connection_id="SELECT CONNECTION_ID()",
    cancel="KILL QUERY {id}",
    statement_words=words("into lock update"),
    first_words=words("select with values table"),
    lexis=Lexis.MYSQL,
)

_RESET = "A proxy between may reset what a session sets: let it keep sessions apart, or set it for all on the server."
# Grants of the user and of the active roles, one line each. Any grant that is not on this list allows changes.
_READS_ONLY = (
    r"GRANT (?:(?:USAGE|SELECT|SHOW VIEW|SHOW DATABASES|PROCESS|(?:REPLICATION|BINLOG|SLAVE|REPLICA) (?:CLIENT|MONITOR)"
    r"|LOCK TABLES)(?: \([^)]*\))?(?:, )?)+ ON .*|GRANT [`'\"].* TO .*|SET DEFAULT ROLE .*"
)
_READER = Probe(
    layer=READERS_LOGIN,
    sql="SHOW GRANTS",
    pattern=_READS_ONLY,
    advice="This login can write: use a reader's, that has SELECT on the tables and no other right.",
)

_READS = SchemaQueries(
    default_schema="SELECT DATABASE()",
    tables="""
        SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE LIKE '%VIEW', IF(TABLE_TYPE LIKE '%VIEW', '', TABLE_COMMENT),
               TABLE_ROWS
        FROM information_schema.TABLES
        WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE <> 'SEQUENCE'
        ORDER BY TABLE_NAME
    """,
    columns="""
        SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE = 'YES', COLUMN_COMMENT
        FROM information_schema.COLUMNS
        WHERE TABLE_SCHEMA = DATABASE()
        ORDER BY TABLE_NAME, ORDINAL_POSITION
    """,
    primary_keys="""
        SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME
        FROM information_schema.STATISTICS
        WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME = 'PRIMARY'
        ORDER BY TABLE_NAME, SEQ_IN_INDEX
    """,
    foreign_keys="""
        SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME,
               REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
        FROM information_schema.KEY_COLUMN_USAGE
        WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME IS NOT NULL
        ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION
    """,
)

_CODES = map_codes(
    {
        ErrorKind.TABLE_NOT_FOUND: "1046 1049 1051 1109 1146",
        ErrorKind.COLUMN_NOT_FOUND: "1054",
        ErrorKind.AMBIGUOUS_COLUMN: "1052",
        ErrorKind.FUNCTION_NOT_FOUND: "1128 1305 1370 1630",
        ErrorKind.SYNTAX_ERROR: "1060 1064 1066 1149 1222 1235 1248",
        ErrorKind.GROUPING: "1055 1056 1111 1140 1247 3065 3593 4015 4016",
        ErrorKind.TYPE_MISMATCH: "1115 1241 1253 1264 1267 1271 1292 1366 1411 1525 1582 1690 3141 4038",
        ErrorKind.SEVERAL_ROWS: "1242",
        ErrorKind.DIVISION_BY_ZERO: "1365",
        ErrorKind.PERMISSION: "1044 1045 1142 1143 1227 1290",
        ErrorKind.CONSTRAINT: "1048 1062 1364 1406 1451 1452 1644 3819 4025",
        ErrorKind.NOT_READ_ONLY: "1792",
        ErrorKind.RESOURCE: "1020 1021 1028 1037 1038 1041 1104 1114 1213 1436 3636",
        ErrorKind.TIMEOUT: "1205 1317 1969 3024",
    }
)

_ERRORS = (
    (r"Table '(?P<name>[^']+)' doesn't exist", ErrorKind.TABLE_NOT_FOUND),
    (r"Unknown table '(?P<name>[^']+)'|Unknown database '(?P<table>[^']+)'", ErrorKind.TABLE_NOT_FOUND),
    (r"Unknown column '(?P<name>[^']+)'", ErrorKind.COLUMN_NOT_FOUND),
    (r"Column '(?P<name>[^']+)' in .+ is ambiguous", ErrorKind.AMBIGUOUS_COLUMN),
    (r"FUNCTION (?:\S+\.)?(?P<name>\w+) does not exist", ErrorKind.FUNCTION_NOT_FOUND),
    (r"for routine '(?:[^'.]+\.)?(?P<name>[^']+)'", ErrorKind.FUNCTION_NOT_FOUND),  # also if it does not exist
    (r"nonaggregated column '(?P<name>[^']+)'", ErrorKind.GROUPING),
    (r"'(?P<name>[^']+)' isn't in GROUP BY", ErrorKind.GROUPING),
    (r"Invalid use of group function|Mixing of GROUP columns|Can't group on", ErrorKind.GROUPING),
    (r"reference to group function|[Ww]indow function", ErrorKind.GROUPING),
    (r"parameter count in the call to native function '(?P<name>[^']+)'", ErrorKind.TYPE_MISMATCH),
    (r"Truncated incorrect|Incorrect \S+ value|value is out of range|Division by 0", ErrorKind.TYPE_MISMATCH),
    (r"Subquery returns more than 1 row|Operand should contain|Illegal mix of collations", ErrorKind.TYPE_MISMATCH),
    (r"Invalid JSON|Syntax error in JSON|Incorrect type for argument", ErrorKind.TYPE_MISMATCH),
    (r"execution was interrupted|execution time exceeded|Lock wait timeout", ErrorKind.TIMEOUT),
    (r"READ ONLY transaction", ErrorKind.NOT_READ_ONLY),
    (r"command denied|[Aa]ccess denied|--read-only|--secure-file-priv", ErrorKind.PERMISSION),
    (r"[Oo]ut of (?:sort )?memory|MAX_JOIN_SIZE|is full|stack overrun", ErrorKind.RESOURCE),
    (r"error in your SQL syntax|different number of columns|must have its own alias", ErrorKind.SYNTAX_ERROR),
    (r"doesn't yet support|Duplicate column name|Not unique table/alias", ErrorKind.SYNTAX_ERROR),
)


_AGGREGATES = COMMON_AGGREGATES | _WORDS["aggregates"]
_FUNCTIONS = COMMON | _WORDS["functions"]

MYSQL = Dialect(
    ignores_case=True,
    name="mysql",
    title="MySQL",
    sqlglot="mysql",
    reserved=_WORDS["reserved by MySQL"],
    named_by_text=True,
    quote=("`", "`"),
    case=NameCase.EXACT,
    truncate_month="DATE_FORMAT({column}, '%Y-%m-01')",
    hints=(
        "Year: YEAR(col); month as text: DATE_FORMAT(col, '%Y-%m'). There is no date_trunc and no strftime.",
        "Join text with CONCAT(a, ' ', b): || is not allowed. Text has 'single quotes', names have `backticks`.",
        "Date arithmetic: CURRENT_DATE - INTERVAL 2 MONTH; days between: DATEDIFF(later, earlier).",
        "There is no FULL JOIN: LEFT JOIN ... UNION ... RIGHT JOIN. Every subquery in FROM needs an alias.",
    ),
    instead={
        "date_trunc": "DATE_FORMAT(col, '%Y-%m-01')",
        **dict.fromkeys(words("strftime to_char"), "DATE_FORMAT(col, '%Y-%m')"),
        "to_date": "STR_TO_DATE(text, '%Y-%m-%d')",
        "dateadd": "col + INTERVAL 1 MONTH",
        **dict.fromkeys(words("date_diff julianday"), "DATEDIFF(later, earlier)"),
        "age": "TIMESTAMPDIFF(MONTH, earlier, later)",
        "getdate": "NOW()",
        "today": "CURRENT_DATE",
        "len": "CHAR_LENGTH(col)",
        "nvl": "IFNULL(col, value)",
        "iif": "IF(condition, a, b)",
        **dict.fromkeys(words("string_agg listagg"), "GROUP_CONCAT(col SEPARATOR ', ')"),
        "array_agg": "JSON_ARRAYAGG(col)",
        **dict.fromkeys(words("strpos charindex"), "LOCATE(part, text)"),
        "split_part": "SUBSTRING_INDEX(text, ',', 1)",
        "trunc": "TRUNCATE(col, 0)",
        **dict.fromkeys(words("median percentile_cont"), "AVG over the middle rows, found with ROW_NUMBER()"),
        "eomonth": "LAST_DAY(col)",
    },
    codes=_CODES,
    deadlocks=frozenset({"1020", "1213"}),
    lock_waits=frozenset({"1205"}),
    advice=dict.fromkeys(("1020", "1213"), ASK_AGAIN),
    errors=_ERRORS,
    schemas=frozenset(),
    catalogue=r"(?:mysql|information_schema|performance_schema|sys)$",
    aggregates=_AGGREGATES | {"any_value"},
    functions=_FUNCTIONS | _WORDS["functions of MySQL alone"],
    table_functions=words("json_table"),
    units=words("timestampadd timestampdiff"),
    formatters=frozenset(),
    variables=words(
        "time_zone system_time_zone sql_mode lc_time_names default_week_format div_precision_increment autocommit",
        "character_set_client character_set_connection character_set_database character_set_results timestamp",
        "character_set_server collation_connection collation_database collation_server group_concat_max_len",
    ),
    session=_SESSION.model_copy(update={"timeout": "SET SESSION max_execution_time = {ms}"}),
    reads=_READS,
    probes=(
        Probe(layer="read-only transaction", sql="SELECT @@SESSION.transaction_read_only", advice=_RESET),
        Probe(layer="statement timeout", sql="SELECT @@SESSION.max_execution_time > 0", advice=_RESET),
        _READER,
    ),
)

MARIADB = MYSQL.model_copy(
    update={
        "name": "mariadb",
        "title": "MariaDB",
        "made_tables": r"seq_\d+_to_\d+(_step_\d+)?",
        "made_columns": ("seq",),
        "reserved": _WORDS["reserved by MariaDB"],
        "instead": {
            **MYSQL.instead,
            "regexp_like": "col REGEXP 'pattern'",
            "any_value": "MIN(col)",
            "to_char": "DATE_FORMAT(col, '%Y-%m')",
        },
        "aggregates": _AGGREGATES,
        "functions": _FUNCTIONS | _WORDS["functions of MariaDB alone"],
        "session": _SESSION.model_copy(
            update={
                # Otherwise a recursion stops after 1000 steps and returns the rows so far as if they were complete.
                "setup": (*_SESSION.setup, "SET SESSION max_recursive_iterations = 4294967295"),
                "timeout": "SET SESSION max_statement_time = {s}",
            }
        ),
        "probes": (
            Probe(layer="read-only transaction", sql="SELECT @@SESSION.tx_read_only", advice=_RESET),
            Probe(layer="statement timeout", sql="SELECT @@SESSION.max_statement_time > 0", advice=_RESET),
            _READER,
        ),
    }
)
