"""Databricks: Spark's SQL and Unity's catalogue."""

from executors.dialects.row import COMMON, COMMON_AGGREGATES, Dialect, SchemaQueries, SessionSetup, words
from executors.errors import ErrorKind

_MORE_FUNCTIONS = words(
    "aes_decrypt aes_encrypt approx_top_k approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate",
    "bitmap_and_agg bitmap_bit_position bitmap_bucket_number bitmap_construct_agg bitmap_count bitmap_or_agg collate",
    "collation count_min_sketch current_time div h3_boundaryasgeojson h3_boundaryaswkb h3_boundaryaswkt",
    "h3_centerasgeojson h3_centeraswkb h3_centeraswkt h3_compact h3_coverash3 h3_coverash3string h3_distance",
    "h3_h3tostring h3_hexring h3_ischildof h3_ispentagon h3_isvalid h3_kring h3_kringdistances h3_longlatash3",
    "h3_longlatash3string h3_maxchild h3_minchild h3_pointash3 h3_pointash3string h3_polyfillash3",
    "h3_polyfillash3string h3_resolution h3_stringtoh3 h3_tessellateaswkb h3_tochildren h3_toparent h3_try_distance",
    "h3_try_validate h3_uncompact h3_validate hll_sketch_agg hll_sketch_estimate hll_union hll_union_agg ilike",
    "kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float make_valid_utf8 mode monotonically_increasing_id",
    "overlay quote random schema_of_csv schema_of_json_agg schema_of_variant schema_of_variant_agg session_window",
    "shuffle spark_partition_id st_addpoint st_area st_asbinary st_asewkb st_asewkt st_asgeojson st_astext st_aswkb",
    "st_aswkt st_azimuth st_boundary st_buffer st_centroid st_closestpoint st_concavehull st_contains st_convexhull",
    "st_coveredby st_covers st_difference st_dimension st_disjoint st_distance st_distancesphere st_distancespheroid",
    "st_dwithin st_endpoint st_envelope st_envelope_agg st_equals st_exteriorring st_flipcoordinates",
    "st_geogfromgeojson st_geogfromtext st_geogfromwkb st_geogfromwkt st_geohash st_geometryn st_geometrytype",
    "st_geomfromewkb st_geomfromewkt st_geomfromgeohash st_geomfromgeojson st_geomfromtext st_geomfromwkb",
    "st_geomfromwkt st_interiorringn st_intersection st_intersects st_isempty st_isvalid st_length st_m st_makeline",
    "st_makepolygon st_multi st_ndims st_npoints st_numgeometries st_numinteriorrings st_perimeter st_point",
    "st_pointfromgeohash st_pointn st_removepoint st_reverse st_rotate st_scale st_setpoint st_setsrid st_simplify",
    "st_srid st_startpoint st_touches st_transform st_translate st_union st_union_agg st_within st_x st_xmax st_xmin",
    "st_y st_ymax st_ymin st_z st_zmax st_zmin to_geography to_geometry to_variant_object try_aes_decrypt try_avg",
    "try_make_interval try_make_timestamp try_make_timestamp_ltz try_make_timestamp_ntz try_parse_url try_reverse",
    "try_sum try_to_geography try_to_geometry try_url_decode try_validate_utf8 uniform validate_utf8 variant_explode",
    "window",
)


# The catalog is the connection's own; its schemas are read, not those of other catalogs.
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
    aggregates=COMMON_AGGREGATES
    | words(
        "any any_value approx_count_distinct approx_percentile array_agg bit_and bit_or bit_xor bool_and bool_or",
        "collect_list collect_set corr count_if covar_pop covar_samp every first first_value histogram_numeric",
        "kurtosis last last_value listagg max_by mean median min_by mode percentile percentile_approx percentile_cont",
        "percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy",
        "skewness some std stddev stddev_pop stddev_samp string_agg try_avg try_sum var_pop var_samp variance",
    ),
    functions=COMMON
    | _MORE_FUNCTIONS
    | words(
        "acosh add_months aggregate array array_append array_compact array_contains array_distinct array_except",
        "array_insert array_intersect array_join array_max array_min array_position array_prepend array_remove",
        "array_repeat array_size array_sort array_union arrays_overlap arrays_zip ascii asinh atanh base64 bigint bin",
        "binary bit_count bit_get bit_length boolean bround btrim cardinality cbrt char char_length character_length",
        "chr contains conv convert_timezone cosh cot crc32 csc curdate current_date current_timestamp current_timezone",
        "date date_add date_diff date_format date_from_unix_date date_part date_sub date_trunc dateadd datediff",
        "datepart day dayname dayofmonth dayofweek dayofyear decimal decode double e element_at elt encode endswith",
        "equal_null exists explode explode_outer expm1 extract factorial filter find_in_set flatten float forall",
        "format_number format_string from_csv from_json from_unixtime from_utc_timestamp get get_json_object getbit",
        "getdate greatest grouping grouping_id hash hex hour hypot if iff ifnull initcap inline inline_outer instr int",
        "is_valid_utf8 is_variant_null isnan isnotnull isnull json_array_length json_object_keys json_tuple last_day",
        "lcase least left len length levenshtein like ln locate log1p log2 lpad luhn_check make_date make_dt_interval",
        "make_interval make_timestamp make_timestamp_ltz make_timestamp_ntz make_ym_interval map map_concat",
        "map_contains_key map_entries map_filter map_from_arrays map_from_entries map_keys map_values map_zip_with",
        "mask md5 minute mod month monthname months_between named_struct nanvl negative next_day now nth_value",
        "nullifzero nvl nvl2 octet_length parse_json parse_url pmod posexplode posexplode_outer position positive pow",
        "printf quarter rand randn reduce regexp regexp_count regexp_extract regexp_extract_all regexp_instr",
        "regexp_like regexp_replace regexp_substr repeat reverse right rint rlike rpad schema_of_json sec second",
        "sentences sequence sha sha1 sha2 shiftleft shiftright shiftrightunsigned signum sinh size slice smallint",
        "sort_array soundex space split split_part stack startswith str_to_map string struct substr substring_index",
        "tanh timediff timestamp timestamp_micros timestamp_millis timestamp_seconds timestampadd timestampdiff",
        "tinyint to_binary to_char to_csv to_date to_json to_number to_timestamp to_timestamp_ltz to_timestamp_ntz",
        "to_unix_timestamp to_utc_timestamp to_varchar transform transform_keys transform_values translate trunc",
        "try_add try_divide try_element_at try_mod try_multiply try_parse_json try_subtract try_to_binary",
        "try_to_number try_to_timestamp try_variant_get typeof ucase unbase64 unhex unix_date unix_micros unix_millis",
        "unix_seconds unix_timestamp url_decode url_encode uuid variant_get weekday weekofyear width_bucket",
        "window_time xxhash64 year zeroifnull zip_with",
    ),
    table_functions=words(
        "explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple range variant_explode",
        "variant_explode_outer",
    ),
    units=words("dateadd date_add datediff date_diff timediff timestampadd timestampdiff"),
    formatters=words("printf format_string"),
    # No session is read-only, and a WITH may begin a write.
    session=SessionSetup(
        timeout="SET STATEMENT_TIMEOUT = {s:.0f}",
        first_words=words("select with values"),
        statement_words=words("insert update delete") | {"merge into"},
        transactions=False,
    ),
    reads=_READS,
)
