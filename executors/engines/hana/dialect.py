"""SAP HANA."""

from executors.dialects.row import (
    ASK_AGAIN,
    COMMON,
    COMMON_AGGREGATES,
    Dialect,
    NameCase,
    SchemaQueries,
    SessionSetup,
    map_codes,
    read_words,
    words,
)
from executors.errors import ErrorKind

_WORDS = read_words(__file__)

# The server's own schemas are left out, except the views of activated models.
_VISIBLE = """
    (schema_name NOT LIKE '\\_SYS%' ESCAPE '\\' OR schema_name = '_SYS_BIC')
    AND schema_name NOT LIKE 'SAP\\_%' ESCAPE '\\' AND schema_name NOT LIKE 'HANA\\_XS%' ESCAPE '\\'
    AND schema_name NOT IN ('SYS', 'SYSTEM', 'UIS', 'PUBLIC', 'SAPDBCTRL')
"""
_TYPE = """
    CASE WHEN data_type_name IN ('VARCHAR', 'NVARCHAR', 'CHAR', 'NCHAR', 'ALPHANUM', 'VARBINARY')
         THEN data_type_name || '(' || length || ')'
         WHEN data_type_name = 'DECIMAL' AND scale IS NOT NULL
         THEN 'DECIMAL(' || length || ',' || scale || ')'
         ELSE data_type_name END
"""
_NULLABLE = "CASE WHEN is_nullable = 'FALSE' THEN 0 ELSE 1 END"

_READS = SchemaQueries(
    default_schema="SELECT CURRENT_SCHEMA FROM DUMMY",
    tables=f"""
        SELECT o.schema_name, o.name, o.is_view, o.comments, m.record_count
        FROM (
            SELECT schema_name, table_name AS name, 0 AS is_view, comments FROM SYS.TABLES
            WHERE is_user_defined_type = 'FALSE' AND {_VISIBLE}
            UNION ALL
            SELECT schema_name, view_name, 1, comments FROM SYS.VIEWS WHERE is_valid = 'TRUE' AND {_VISIBLE}
        ) o
        LEFT JOIN SYS.M_TABLES m ON m.schema_name = o.schema_name AND m.table_name = o.name
        ORDER BY o.schema_name, o.name
    """,
    columns=f"""
        SELECT c.schema_name, c.name, c.column_name, c.type, c.nullable, c.comments
        FROM (
            SELECT schema_name, table_name AS name, column_name, {_TYPE} AS type, {_NULLABLE} AS nullable, comments,
                   position
            FROM SYS.TABLE_COLUMNS WHERE {_VISIBLE}
            UNION ALL
            SELECT schema_name, view_name, column_name, {_TYPE}, {_NULLABLE}, comments, position
            FROM SYS.VIEW_COLUMNS WHERE {_VISIBLE}
        ) c
        ORDER BY c.schema_name, c.name, c.position
    """,
    primary_keys=f"""
        SELECT schema_name, table_name, column_name FROM SYS.CONSTRAINTS
        WHERE is_primary_key = 'TRUE' AND {_VISIBLE}
        ORDER BY schema_name, table_name, position
    """,
    foreign_keys=f"""
        SELECT schema_name, table_name, constraint_name, column_name, referenced_schema_name, referenced_table_name,
               referenced_column_name
        FROM SYS.REFERENTIAL_CONSTRAINTS
        WHERE {_VISIBLE}
        ORDER BY schema_name, table_name, constraint_name, position
    """,
)

# Common functions that HANA does not have. A schema may have functions with these names.
_ELSEWHERE = words("ceiling concat_ws degrees log10 pi radians")

HANA = Dialect(
    name="hana",
    title="SAP HANA",
    sqlglot="hana",
    reserved=_WORDS["reserved"],
    named_by_text=True,
    case=NameCase.UPPER,
    truncate_month="ADD_DAYS(LAST_DAY(ADD_MONTHS({column}, -1)), 1)",
    hints=(
        "Date arithmetic: ADD_MONTHS(CURRENT_DATE, -2), ADD_DAYS(col, 7); days between: DAYS_BETWEEN(earlier, later).",
        "Year: YEAR(col); month: TO_VARCHAR(col, 'YYYY-MM').",
        "First day of the month: ADD_DAYS(LAST_DAY(ADD_MONTHS(col, -1)), 1).",
        "Values without a table come FROM DUMMY: SELECT CURRENT_DATE FROM DUMMY. There are no booleans: col = 1.",
        'Names with lower-case letters need double quotes: "orderItems"; text has single quotes.',
    ),
    instead={
        **dict.fromkeys(words("date_trunc trunc strftime date_format to_char"), "TO_VARCHAR(col, 'YYYY-MM')"),
        "dateadd": "ADD_MONTHS(col, 1), or ADD_DAYS(col, 7)",
        "date_add": "ADD_DAYS(col, 7)",
        **dict.fromkeys(words("datediff julianday"), "DAYS_BETWEEN(earlier, later)"),
        **dict.fromkeys(words("getdate sysdate"), "CURRENT_DATE"),
        **dict.fromkeys(words("isnull nvl"), "IFNULL(col, value)"),
        **dict.fromkeys(words("iif if"), "CASE WHEN condition THEN a ELSE b END"),
        "len": "LENGTH(col)",
        **dict.fromkeys(words("instr strpos charindex"), "LOCATE(text, part)"),
        "substr": "SUBSTRING(col, 1, n)",
        "ceiling": "CEIL(col)",
        "log10": "LOG(10, col)",
        "concat_ws": "a || ', ' || b",
        "group_concat": "STRING_AGG(col, ', ')",
        "listagg": "STRING_AGG(col, ', ' ORDER BY col)",
        "total": "SUM(col)",
    },
    deadlocks=frozenset({"133", "138"}),
    lock_waits=frozenset({"131"}),
    advice=dict.fromkeys(("133", "138"), ASK_AGAIN),
    codes=map_codes(
        {
            ErrorKind.CONSTRAINT: "274 287 301 461 462 677",
            ErrorKind.TIMEOUT: "131 139 613",
            ErrorKind.RESOURCE: "4 132 133 138",
            ErrorKind.TABLE_NOT_FOUND: "259 321 362 397",
            ErrorKind.COLUMN_NOT_FOUND: "260 263",
            ErrorKind.AMBIGUOUS_COLUMN: "268 387",
            ErrorKind.FUNCTION_NOT_FOUND: "328",
            ErrorKind.SYNTAX_ERROR: "257 262 265 269 270 383 398 426",
            ErrorKind.GROUPING: "275 276 277 278 279 280",
            ErrorKind.TYPE_MISMATCH: "264 266 292 293 302 303 307 314 316 339 348 407",
            ErrorKind.DIVISION_BY_ZERO: "304",
            ErrorKind.SEVERAL_ROWS: "305",
            ErrorKind.PERMISSION: "258",
        }
    ),
    errors=(
        (r"invalid table name: +Could not find table/view (?P<name>\S+)", ErrorKind.TABLE_NOT_FOUND),
        (r"invalid (?:table|view|schema) name", ErrorKind.TABLE_NOT_FOUND),
        (r"invalid column name: +(?:(?P<table>[^\s.]+)\.)?(?P<name>[^\s.:]+)(?::| |'|$)", ErrorKind.COLUMN_NOT_FOUND),
        (r"invalid column name|invalid alias name", ErrorKind.COLUMN_NOT_FOUND),
        (r"column ambiguously defined: +(?:\S+\.)?(?P<name>[^\s.:]+)", ErrorKind.AMBIGUOUS_COLUMN),
        (r"ambiguously defined", ErrorKind.AMBIGUOUS_COLUMN),
        (r"invalid name of function or procedure: +(?P<name>[^\s:]+)", ErrorKind.FUNCTION_NOT_FOUND),
        (
            r"not a GROUP BY expression|missing aggregation|aggregat\w+ (?:function )?(?:is )?not allowed",
            ErrorKind.GROUPING,
        ),
        (r"group function|ORDER BY item", ErrorKind.GROUPING),
        (
            r"inconsistent datatype|argument type mismatch|wrong number of arguments|invalid number",
            ErrorKind.TYPE_MISMATCH,
        ),
        (r"invalid DATE|invalid datetime|invalid date format|overflow", ErrorKind.TYPE_MISMATCH),
        (r"numeric value out of range|invalid datatype", ErrorKind.TYPE_MISMATCH),
        (r"aborted by timeout|cancelled by request|lock wait timeout|lock timeout", ErrorKind.TIMEOUT),
        (r"read-only|read only|read-enabled replication", ErrorKind.NOT_READ_ONLY),
        (r"insufficient privilege|not authorized", ErrorKind.PERMISSION),
        (r"OutOfMemory|enough memory|Allocation failed|unavailable resource|memory limit", ErrorKind.RESOURCE),
        (
            r"sql syntax error|incorrect syntax|too many values|not enough values|columns mismatch",
            ErrorKind.SYNTAX_ERROR,
        ),
    ),
    schemas=frozenset(),
    catalogue=r"sys$|_sys_(?!bic)|public$|m_(?:cs_|rs_|table|connection|session|service|host|sql|active|database)\w*$",
    row_ids=frozenset({"$rowid$"}),
    one_row_table="dummy",
    aggregates=COMMON_AGGREGATES | _WORDS["aggregates"],
    functions=(COMMON - _ELSEWHERE) | _WORDS["functions"],
    table_functions=words(
        "series_generate_date series_generate_decimal series_generate_integer series_generate_seconddate",
        "series_generate_smallint series_generate_time series_generate_timestamp series_generate_tinyint json_table",
    ),
    # DDL commits any transaction, so no statement may begin with it.
    session=SessionSetup(begin=("SET TRANSACTION READ ONLY",), first_words=words("select with")),
    reads=_READS,
)
