"""Databricks: Spark SQL and Unity Catalog."""

from executors.dialects.row import (
    COMMON,
    COMMON_AGGREGATES,
    Dialect,
    SchemaQueries,
    SessionSetup,
    read_words,
    words,
)
from executors.errors import ErrorKind

_WORDS = read_words(__file__)


# Only schemas of the connection's catalog are read, not those of other catalogs.
_READS = SchemaQueries(
    default_schema="SELECT current_schema()",
    tables="""
        SELECT table_schema, table_name, CASE WHEN table_type IN ('VIEW', 'MATERIALIZED_VIEW') THEN 1 ELSE 0 END,
               comment, CAST(NULL AS BIGINT)
        FROM information_schema.tables
        WHERE table_schema <> 'information_schema'
        ORDER BY table_schema, table_name
    """,
    columns="""
        SELECT table_schema, table_name, column_name, full_data_type,
               CASE WHEN is_nullable = 'NO' THEN 0 ELSE 1 END, comment
        FROM information_schema.columns
        WHERE table_schema <> 'information_schema'
        ORDER BY table_schema, table_name, ordinal_position
    """,
    primary_keys="""
        SELECT k.table_schema, k.table_name, k.column_name
        FROM information_schema.table_constraints c
        JOIN information_schema.key_column_usage k
          ON k.constraint_schema = c.constraint_schema AND k.constraint_name = c.constraint_name
         AND k.table_schema = c.table_schema AND k.table_name = c.table_name
        WHERE c.constraint_type = 'PRIMARY KEY'
        ORDER BY k.table_schema, k.table_name, k.ordinal_position
    """,
    foreign_keys="""
        SELECT k.table_schema, k.table_name, k.constraint_name, k.column_name, u.table_schema, u.table_name,
               u.column_name
        FROM information_schema.referential_constraints r
        JOIN information_schema.key_column_usage k
          ON k.constraint_schema = r.constraint_schema AND k.constraint_name = r.constraint_name
        JOIN information_schema.key_column_usage u
          ON u.constraint_catalog = r.unique_constraint_catalog AND u.constraint_schema = r.unique_constraint_schema
         AND u.constraint_name = r.unique_constraint_name AND u.ordinal_position = k.position_in_unique_constraint
        WHERE r.unique_constraint_catalog = r.constraint_catalog
        ORDER BY k.table_schema, k.table_name, k.constraint_name, k.ordinal_position
    """,
)

_KINDS: dict[ErrorKind, frozenset[str]] = {
    ErrorKind.TABLE_NOT_FOUND: words(
        "TABLE_OR_VIEW_NOT_FOUND VIEW_NOT_FOUND SCHEMA_NOT_FOUND CATALOG_NOT_FOUND UC_CATALOG_NOT_FOUND",
        "NO_SUCH_CATALOG_EXCEPTION",
    ),
    ErrorKind.COLUMN_NOT_FOUND: words(
        "UNRESOLVED_COLUMN UNRESOLVED_FIELD FIELD_NOT_FOUND COLUMN_NOT_FOUND UNRESOLVED_USING_COLUMN_FOR_JOIN",
        "UNRESOLVED_MAP_KEY CANNOT_RESOLVE_STAR_EXPAND COLUMN_NOT_DEFINED_IN_TABLE",
    ),
    ErrorKind.AMBIGUOUS_COLUMN: words(
        "AMBIGUOUS_REFERENCE AMBIGUOUS_COLUMN_OR_FIELD AMBIGUOUS_COLUMN_REFERENCE AMBIGUOUS_LATERAL_COLUMN_ALIAS",
        "AMBIGUOUS_REFERENCE_TO_FIELDS",
    ),
    ErrorKind.FUNCTION_NOT_FOUND: words(
        "UNRESOLVED_ROUTINE UNRESOLVABLE_TABLE_VALUED_FUNCTION ROUTINE_NOT_FOUND NOT_A_SCALAR_FUNCTION",
        "NOT_A_TABLE_FUNCTION",
    ),
    ErrorKind.SYNTAX_ERROR: words(
        "PARSE_SYNTAX_ERROR PARSE_EMPTY_STATEMENT INVALID_SQL_SYNTAX INVALID_IDENTIFIER UNCLOSED_BRACKETED_COMMENT",
        "NUM_COLUMNS_MISMATCH INVALID_STATEMENT_OR_CLAUSE INVALID_ESC TRAILING_COMMA_IN_SELECT INVALID_INLINE_TABLE",
        "DUPLICATED_CTE_NAMES INVALID_SUBQUERY_EXPRESSION UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY REPEATED_CLAUSE",
        "DUPLICATE_CLAUSES INVALID_LIMIT_LIKE_EXPRESSION WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
    ),
    ErrorKind.GROUPING: words(
        "MISSING_AGGREGATION MISSING_GROUP_BY GROUP_BY_AGGREGATE GROUP_BY_POS_AGGREGATE GROUP_BY_POS_OUT_OF_RANGE",
        "ORDER_BY_POS_OUT_OF_RANGE NESTED_AGGREGATE_FUNCTION INVALID_WHERE_CONDITION UNSUPPORTED_EXPR_FOR_WINDOW",
        "UNRESOLVED_ALL_IN_GROUP_BY GROUPING_COLUMN_MISMATCH GROUPING_ID_COLUMN_MISMATCH UNSUPPORTED_EXPR_FOR_OPERATOR",
        "UNSUPPORTED_GROUPING_EXPRESSION MISSING_WINDOW_SPECIFICATION INVALID_AGGREGATE_FILTER",
    ),
    ErrorKind.TYPE_MISMATCH: words(
        "DATATYPE_MISMATCH CAST_INVALID_INPUT CAST_OVERFLOW CONVERSION_INVALID_INPUT CANNOT_PARSE_TIMESTAMP",
        "CANNOT_PARSE_DECIMAL ARITHMETIC_OVERFLOW BINARY_ARITHMETIC_OVERFLOW NUMERIC_VALUE_OUT_OF_RANGE",
        "INVALID_ARRAY_INDEX INVALID_ARRAY_INDEX_IN_ELEMENT_AT",
        "WRONG_NUM_ARGS INVALID_PARAMETER_VALUE INCOMPATIBLE_COLUMN_TYPE UNEXPECTED_INPUT_TYPE",
        "INVALID_DATETIME_PATTERN DATETIME_OVERFLOW DATETIME_FIELD_OUT_OF_BOUNDS INVALID_EXTRACT_BASE_FIELD_TYPE",
        "INVALID_EXTRACT_FIELD CANNOT_CAST_DATATYPE INVALID_TYPED_LITERAL EXPRESSION_TYPE_IS_NOT_ORDERABLE",
        "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE INVALID_FORMAT INVALID_VARIANT_CAST UNSUPPORTED_DATATYPE INVALID_TIMEZONE",
        "CANNOT_PARSE_INTERVAL",
    ),
    ErrorKind.DIVISION_BY_ZERO: words("DIVIDE_BY_ZERO INTERVAL_DIVIDED_BY_ZERO"),
    ErrorKind.SEVERAL_ROWS: words("SCALAR_SUBQUERY_TOO_MANY_ROWS"),
    ErrorKind.PERMISSION: words(
        "INSUFFICIENT_PERMISSIONS INSUFFICIENT_PERMISSIONS_EXT_LOC INSUFFICIENT_TABLE_PROPERTY PERMISSION_DENIED",
        "UNAUTHORIZED_ACCESS UC_NOT_ENABLED INSUFFICIENT_PERMISSIONS_OWNERSHIP_SCHEMA",
    ),
    ErrorKind.TIMEOUT: words("OPERATION_CANCELED QUERY_EXECUTION_TIMEOUT_EXCEEDED QUERY_WATCHDOG STATEMENT_TIMEOUT"),
    ErrorKind.RESOURCE: words(
        "UNABLE_TO_ACQUIRE_MEMORY COLLECTION_SIZE_LIMIT_EXCEEDED GROUPING_SIZE_LIMIT_EXCEEDED EXCEED_LIMIT_LENGTH",
        "FAILED_TO_PARSE_TOO_COMPLEX KRYO_BUFFER_OVERFLOW RECURSION_LEVEL_LIMIT_EXCEEDED RECURSION_ROW_LIMIT_EXCEEDED",
        "QUERY_RESULT_TOO_LARGE",
    ),
}

DATABRICKS = Dialect(
    name="databricks",
    title="Databricks SQL",
    sqlglot="databricks",
    quote=("`", "`"),
    truncate_month="date_trunc('MONTH', {column})",
    hints=(
        "Year: year(col); month: date_trunc('MONTH', col), or as text date_format(col, 'yyyy-MM').",
        "Date arithmetic: add_months(current_date(), -2), date_add(col, 7); days between: datediff(later, earlier).",
        "Names with spaces have backticks: `unit price`; text has quotes: 'open'.",
        "1 / 0 is an error: try_divide(a, b) gives NULL. Whole numbers are divided with div: 7 div 2.",
    ),
    instead={
        "strftime": "date_format(col, 'yyyy-MM')",
        "julianday": "datediff(later, earlier)",
        "eomonth": "last_day(col)",
        "iif": "if(condition, a, b)",
        "group_concat": "array_join(collect_list(col), ', ')",
        **dict.fromkeys(words("charindex strpos"), "locate(part, text)"),
        "generate_series": "explode(sequence(1, 10))",
        "unnest": "explode(col)",
        **dict.fromkeys(words("json_extract json_value"), "get_json_object(col, '$.key')"),
        "to_json_string": "to_json(col)",
        "total": "sum(col)",
    },
    codes={code: kind for kind, codes in _KINDS.items() for code in codes},
    errors=(
        (r"[Tt]able or view (?:`[^`]+`\.)*`(?P<name>[^`]+)` cannot be found", ErrorKind.TABLE_NOT_FOUND),
        (r"(?:schema|catalog) (?:`[^`]+`\.)*`(?P<name>[^`]+)` (?:cannot be|was not) found", ErrorKind.TABLE_NOT_FOUND),
        (
            r"with name (?:`[^`]+`\.)*?(?:`(?P<table>[^`]+)`\.)?`(?P<name>[^`]+)` cannot be resolved",
            ErrorKind.COLUMN_NOT_FOUND,
        ),
        (r"USING column `(?P<name>[^`]+)` cannot be resolved", ErrorKind.COLUMN_NOT_FOUND),
        (r"No such struct field `(?P<name>[^`]+)`", ErrorKind.COLUMN_NOT_FOUND),
        (r"Reference (?:`[^`]+`\.)*`(?P<name>[^`]+)` is ambiguous", ErrorKind.AMBIGUOUS_COLUMN),
        (r"Cannot resolve routine (?:`[^`]+`\.)*`(?P<name>[^`]+)`", ErrorKind.FUNCTION_NOT_FOUND),
        (r"Could not resolve `(?P<name>[^`]+)` to a table-valued function", ErrorKind.FUNCTION_NOT_FOUND),
        (
            r"not participating in the GROUP BY|does not include a GROUP BY|out of range \(valid range",
            ErrorKind.GROUPING,
        ),
        (r"WHERE clause contains|aggregate function in the argument of another", ErrorKind.GROUPING),
        (r"due to data type mismatch|cannot be cast to|overflow", ErrorKind.TYPE_MISMATCH),
        (r"out of bounds|requires \d+ parameters", ErrorKind.TYPE_MISMATCH),
        (r"timed? ?out|timeout|has been canceled|was cancell?ed", ErrorKind.TIMEOUT),
        (r"[Ii]nsufficient (?:privileges|permissions)|does not have .* on|PERMISSION_DENIED", ErrorKind.PERMISSION),
        (r"OutOfMemory|Unable to acquire \d+ bytes|maxResultSize", ErrorKind.RESOURCE),
        (r"Syntax error at or near|PARSE_SYNTAX_ERROR|ParseException", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset(),
    catalogue=r"information_schema|system$|global_temp$",
    row_ids=frozenset({"_metadata"}),
    file_names=r"[/\\:]",
    has_fields=True,
    aggregates=COMMON_AGGREGATES | _WORDS["aggregates"],
    functions=COMMON | _WORDS["functions"],
    table_functions=words(
        "explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple range variant_explode",
        "variant_explode_outer",
    ),
    units=words("dateadd date_add datediff date_diff timediff timestampadd timestampdiff"),
    formatters=words("printf format_string"),
    # There are no read-only sessions, and WITH may begin a write.
    session=SessionSetup(
        timeout="SET STATEMENT_TIMEOUT = {s:.0f}",
        first_words=words("select with values"),
        statement_words=words("insert update delete") | {"merge into"},
        transactions=False,
    ),
    reads=_READS,
)
