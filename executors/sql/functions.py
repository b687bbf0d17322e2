"""The functions that a query may call, by dialect: pure ones, named as the engines' documentation names them.

Anything absent is refused, so that a function which reads a file, sleeps, changes a sequence or a setting, runs SQL
given as text or fills the memory needs no list of its own.
"""

from __future__ import annotations


def words(*lines: str) -> frozenset[str]:
    """The words of some lines, as a set."""
    return frozenset(name for line in lines for name in line.split())


_COMMON = words(
    "abs acos asin atan atan2 ceil ceiling cos degrees exp floor log log10 pi power radians round sign sin sqrt tan",
    "coalesce concat concat_ws lower ltrim nullif replace rtrim substring trim upper",
    "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value",
)

_COMMON_AGGREGATES = words("avg count max min sum")

AGGREGATES: dict[str, frozenset[str]] = {
    "sqlite": _COMMON_AGGREGATES | words("group_concat json_group_array json_group_object string_agg total"),
    "duckdb": _COMMON_AGGREGATES
    | words(
        "any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_max_null arg_min",
        "arg_min_null argmax argmin array_agg bit_and bit_or bit_xor bool_and bool_or corr count_if count_star",
        "countif",
        "covar_pop covar_samp entropy favg first fsum geomean geometric_mean group_concat histogram json_group_array",
        "json_group_object kahan_sum kurtosis kurtosis_pop last list listagg mad max_by mean median min_by mode",
        "percentile_cont percentile_disc product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count",
        "regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy reservoir_quantile sem skewness stddev",
        "stddev_pop stddev_samp string_agg sumkahan var_pop var_samp variance wavg weighted_avg",
    ),
    "postgresql": _COMMON_AGGREGATES
    | words(
        "any_value array_agg bit_and bit_or bit_xor bool_and bool_or corr covar_pop covar_samp every json_agg",
        "json_object_agg jsonb_agg jsonb_object_agg mode percentile_cont percentile_disc range_agg regr_avgx",
        "regr_avgy",
        "regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp",
        "string_agg var_pop var_samp variance",
    ),
    "sqlserver": _COMMON_AGGREGATES
    | words(
        "approx_count_distinct checksum_agg count_big percentile_cont percentile_disc stdev stdevp string_agg",
        "var varp",
    ),
}

FUNCTIONS: dict[str, frozenset[str]] = {
    "sqlite": _COMMON
    | AGGREGATES["sqlite"]
    | words(
        "acosh asinh atanh cosh ln log2 mod pow sinh tanh trunc random",
        "char format glob hex ifnull iif instr length like likelihood likely octet_length printf quote soundex",
        "substr",
        "typeof unhex unicode unlikely",
        "current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch",
        "json json_array json_array_length json_error_position json_extract json_insert json_object json_patch",
        "json_quote",
        "json_remove json_replace json_set json_type json_valid nth_value",
    ),
    "duckdb": _COMMON
    | AGGREGATES["duckdb"]
    | words(
        "acosh add asinh atanh bit_count cbrt cosh cot divide even factorial fdiv fmod gamma gcd",
        "greatest_common_divisor isfinite isinf isnan lcm least_common_multiple lgamma ln log2 mod multiply",
        "nextafter pow",
        "random round_even sinh subtract tanh trunc width_bucket xor equi_width_bins nth_value fill grouping",
        "grouping_id",
        "if ifnull greatest least hash md5 sha1 sha256 typeof columns constant_or_null",
        "array_to_string ascii bar base64 bin bit_length char_length character_length chr contains",
        "damerau_levenshtein",
        "editdist3 ends_with format format_bytes formatreadabledecimalsize formatreadablesize from_base64",
        "hamming hex",
        "ilike_escape instr jaccard jaro_similarity jaro_winkler_similarity lcase left left_grapheme len length",
        "length_grapheme levenshtein like_escape lpad mismatches nfc_normalize ord position prefix printf",
        "regexp_escape",
        "regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array",
        "regexp_split_to_table reverse right right_grapheme rpad split split_part starts_with str_split",
        "str_split_regex",
        "string_split string_split_regex string_to_array strip_accents strlen strpos substr substring_grapheme",
        "suffix",
        "to_base to_base64 to_binary to_hex translate ucase unbin unhex unicode url_decode url_encode",
        "age ago century current_date current_localtime current_localtimestamp current_time current_timestamp date",
        "date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth",
        "dayofweek dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us era get_current_timestamp",
        "hour isodow",
        "isoyear julian last_day localtime localtimestamp make_date make_time make_timestamp make_timestamp_ms",
        "make_timestamp_ns make_timestamptz microsecond millennium millisecond minute month monthname nanosecond now",
        "quarter second strftime strptime time_bucket timezone timezone_hour timezone_minute to_centuries to_days",
        "to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters",
        "to_seconds",
        "to_timestamp to_weeks to_years today transaction_timestamp try_strptime week weekday weekofyear year",
        "yearweek",
        "aggregate apply array array_aggr array_aggregate array_append array_apply array_cat array_concat",
        "array_contains",
        "array_distinct array_extract array_filter array_has array_has_all array_has_any array_indexof",
        "array_intersect",
        "array_length array_position array_prepend array_reduce array_reverse array_reverse_sort array_select",
        "array_slice array_sort array_transform array_unique array_value array_where array_zip cardinality",
        "element_at",
        "filter flatten generate_series list_aggr list_aggregate list_any_value list_append list_apply list_avg",
        "list_cat list_concat list_contains list_count list_distinct list_element list_extract list_filter",
        "list_first",
        "list_has list_has_all list_has_any list_indexof list_intersect list_last list_max list_median list_min",
        "list_mode",
        "list_pack list_position list_prepend list_product list_reduce list_reverse list_reverse_sort list_select",
        "list_slice list_sort list_stddev_pop list_stddev_samp list_sum list_transform list_unique list_value",
        "list_var_pop list_var_samp list_where list_zip map map_concat map_contains map_contains_entry",
        "map_contains_value map_entries map_extract map_extract_value map_from_entries map_keys map_values",
        "range reduce",
        "row struct_concat struct_contains struct_extract struct_extract_at struct_has struct_insert struct_keys",
        "struct_pack struct_position struct_update struct_values unnest union_extract union_tag union_value",
        "enum_code enum_first enum_last enum_range enum_range_boundary",
        "array_to_json from_json json json_array json_array_length json_contains json_exists json_extract",
        "json_extract_path json_extract_path_text json_extract_string json_keys json_merge_patch json_object",
        "json_pretty",
        "json_quote json_structure json_transform json_type json_valid json_value row_to_json to_json",
    ),
    "postgresql": _COMMON
    | AGGREGATES["postgresql"]
    | words(
        "acosh asinh atanh cbrt cosh cot div factorial gcd lcm ln min_scale mod pow random scale sinh tanh",
        "trim_scale",
        "trunc width_bucket nth_value grouping greatest least num_nonnulls num_nulls md5 sha256 pg_typeof",
        "ascii bit_length btrim char_length character_length chr decode encode ends_with format initcap left",
        "length lpad",
        "octet_length overlay position quote_literal quote_nullable regexp_count regexp_instr regexp_like",
        "regexp_match",
        "regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr reverse right rpad",
        "split_part starts_with string_to_array string_to_table strpos substr to_hex translate unaccent similarity",
        "word_similarity levenshtein soundex",
        "age clock_timestamp current_date current_time current_timestamp date date_bin date_part date_trunc extract",
        "isfinite justify_days justify_hours justify_interval localtime localtimestamp make_date make_interval",
        "make_time",
        "make_timestamp make_timestamptz now statement_timestamp timezone to_char to_date to_number to_timestamp",
        "transaction_timestamp",
        "array array_append array_cat array_dims array_length array_lower array_ndims array_position array_positions",
        "array_prepend array_remove array_replace array_to_string array_upper cardinality generate_series",
        "generate_subscripts unnest isempty lower_inc lower_inf range_merge upper_inc upper_inf daterange int4range",
        "int8range numrange tsrange tstzrange row",
        "array_to_json json_array_elements json_array_elements_text json_array_length json_build_array",
        "json_build_object",
        "json_each json_each_text json_extract_path json_extract_path_text json_object json_object_keys",
        "json_strip_nulls",
        "json_typeof jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array",
        "jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object",
        "jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_path_query_array jsonb_path_query_first",
        "jsonb_pretty",
        "jsonb_set jsonb_strip_nulls jsonb_typeof row_to_json to_json to_jsonb",
        "plainto_tsquery phraseto_tsquery to_tsquery to_tsvector ts_headline ts_rank ts_rank_cd websearch_to_tsquery",
    ),
    "sqlserver": _COMMON
    | AGGREGATES["sqlserver"]
    | words(
        "atn2 cot rand square choose greatest least iif isnull isnumeric grouping grouping_id checksum",
        "binary_checksum",
        "hashbytes newid",
        "ascii char charindex difference format left len datalength nchar patindex quotename reverse right",
        "soundex str",
        "string_escape stuff translate unicode",
        "current_timestamp datefromparts date_bucket dateadd datediff datediff_big datename datepart",
        "datetime2fromparts datetimefromparts datetimeoffsetfromparts datetrunc day eomonth getdate getutcdate",
        "isdate",
        "month smalldatetimefromparts switchoffset sysdatetime sysdatetimeoffset sysutcdatetime timefromparts",
        "todatetimeoffset year",
        "isjson json_array json_modify json_object json_path_exists json_query json_value",
    ),
}

# Functions that stand in FROM: they make rows out of their arguments alone.
TABLE_FUNCTIONS: dict[str, frozenset[str]] = {
    "sqlite": words("generate_series json_each json_tree"),
    "duckdb": words("generate_series json_each json_tree range unnest"),
    "postgresql": words(
        "generate_series generate_subscripts json_array_elements json_array_elements_text json_each json_each_text",
        "json_object_keys jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text",
        "jsonb_object_keys",
        "jsonb_path_query regexp_matches regexp_split_to_table string_to_table unnest",
    ),
    "sqlserver": words("generate_series string_split"),
}

# Functions that turn one row into several when they stand in a select list.
ROW_MAKERS = words(
    "generate_series generate_subscripts json_array_elements json_array_elements_text json_each json_each_text",
    "json_object_keys jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys",
    "jsonb_path_query regexp_matches regexp_split_to_table string_to_table unnest",
)
