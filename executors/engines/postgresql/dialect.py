"""PostgreSQL."""

from executors.dialects import reserved
from executors.dialects.row import (
    ASK_AGAIN,
    COMMON,
    COMMON_AGGREGATES,
    READERS_LOGIN,
    Dialect,
    NameCase,
    Probe,
    SchemaQueries,
    SessionSetup,
    map_codes,
    words,
)
from executors.errors import ErrorKind

_MORE_AGGREGATES = words(
    "json_agg_strict json_arrayagg json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict",
    "json_objectagg jsonb_agg_strict jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict",
    "range_intersect_agg st_3dextent st_asflatgeobuf st_asgeobuf st_asmvt st_extent st_memunion xmlagg",
)

_OWN = words(
    "abbrev acosd area array_reverse array_sample array_shuffle array_sort array_to_tsvector asind atan2d atand",
    "bit_count bound_box box bytea casefold center cidr circle convert convert_from convert_to cosd cotd crc32 crc32c",
    "date_add date_subtract datemultirange diagonal diameter enum_first enum_last enum_range erf erfc family gamma",
    "gen_random_uuid get_bit get_byte get_current_ts_config height host hostmask inet_merge inet_same_family interval",
    "is_normalized isclosed ishorizontal isopen isparallel isperp isvertical json_array json_exists",
    "json_populate_record json_populate_recordset json_query json_scalar json_serialize json_to_record",
    "json_to_recordset json_to_tsvector json_value jsonb_insert jsonb_path_exists_tz jsonb_path_match",
    "jsonb_path_match_tz jsonb_path_query_array_tz jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record",
    "jsonb_populate_record_valid jsonb_populate_recordset jsonb_set_lax jsonb_to_record jsonb_to_recordset",
    "jsonb_to_tsvector lgamma line lseg macaddr macaddr8 masklen multirange netmask network normalize npoints numeric",
    "nummultirange numnode parse_ident path pg_collation_for pg_column_size pg_input_error_info pg_input_is_valid",
    "pg_size_bytes pg_size_pretty point polygon quote_ident radius random_normal repeat set_bit set_byte set_masklen",
    "setweight sha224 sha384 sha512 sind slope strip tand time timeofday timestamp timestamptz timetz to_ascii to_bin",
    "to_oct to_regtype trim_array ts_debug ts_delete ts_filter ts_lexize ts_parse ts_token_type tsmultirange",
    "tsquery_phrase tstzmultirange tsvector_to_array unicode_assigned unicode_version unistr uuid_extract_timestamp",
    "uuid_extract_version uuidv4 uuidv7 width xml_is_well_formed xml_is_well_formed_content",
    "xml_is_well_formed_document xmlattributes xmlcomment xmlconcat xmlelement xmlforest xmlroot xmltext xpath",
    "xpath_exists",
)
_TEXT_AND_DIGESTS = words(
    "daitch_mokotoff difference digest dmetaphone dmetaphone_alt hmac levenshtein levenshtein_less_equal",
    "metaphone show_trgm similarity soundex strict_word_similarity text_soundex unaccent uuid_generate_v1",
    "uuid_generate_v3 uuid_generate_v4 uuid_generate_v5 uuid_nil uuid_ns_dns uuid_ns_url word_similarity",
)
_KEYS_AND_TREES = words(
    "akeys avals cube cube_dim cube_distance cube_enlarge cube_inter cube_is_point cube_ll_coord cube_subset",
    "cube_union cube_ur_coord defined delete each earth earth_box earth_distance exist gc_to_sec hstore",
    "hstore_to_array hstore_to_json hstore_to_json_loose hstore_to_jsonb hstore_to_jsonb_loose hstore_to_matrix icount",
    "idx index intset isdefined isexists latitude lca ll_to_earth longitude lquery ltree2text ltxtquery nlevel",
    "normal_rand sec_to_gc skeys slice sort sort_asc sort_desc subarray subltree subpath svals tconvert text2ltree",
    "uniq",
)
_VECTORS_AND_TIME = words(
    "binary_quantize cosine_distance hamming_distance inner_product interpolate jaccard_distance l1_distance",
    "l2_distance l2_norm l2_normalize locf subvector time_bucket time_bucket_gapfill vector_avg vector_dims",
    "vector_norm",
)
_GEOMETRY = words(
    "box2d box3d geography geometry geometrytype st_3darea st_3dclosestpoint st_3ddfullywithin st_3ddistance",
    "st_3ddwithin st_3dintersects st_3dlength st_3dlineinterpolatepoint st_3dlongestline st_3dmakebox st_3dmaxdistance",
    "st_3dperimeter st_3dshortestline st_addpoint st_affine st_angle st_area st_area2d st_asbinary",
    "st_asencodedpolyline st_asewkb st_asewkt st_asgeojson st_asgml st_ashexewkb st_askml st_aslatlontext st_asmvtgeom",
    "st_assvg st_astext st_astwkb st_asx3d st_azimuth st_bdmpolyfromtext st_bdpolyfromtext st_boundary",
    "st_boundingdiagonal st_box2dfromgeohash st_buffer st_buildarea st_centroid st_chaikinsmoothing st_cleangeometry",
    "st_clipbybox2d st_closestpoint st_closestpointofapproach st_clusterdbscan st_clusterintersecting",
    "st_clusterintersectingwin st_clusterkmeans st_clusterwithin st_clusterwithinwin st_collect st_collectionextract",
    "st_collectionhomogenize st_combinebbox st_concavehull st_contains st_containsproperly st_convexhull st_coorddim",
    "st_coverageclean st_coverageinvalidedges st_coveragesimplify st_coverageunion st_coveredby st_covers st_cpawithin",
    "st_crosses st_curvetoline st_delaunaytriangles st_dfullywithin st_difference st_dimension st_disjoint st_distance",
    "st_distancecpa st_distancesphere st_distancespheroid st_dump st_dumppoints st_dumprings st_dumpsegments",
    "st_dwithin st_endpoint st_envelope st_equals st_expand st_exteriorring st_filterbym st_flipcoordinates st_force2d",
    "st_force3d st_force3dm st_force3dz st_force4d st_forcecollection st_forcecurve st_forcepolygonccw",
    "st_forcepolygoncw st_forcerhr st_forcesfs st_frechetdistance st_fromflatgeobuf st_generatepoints st_geogfromtext",
    "st_geogfromwkb st_geographyfromtext st_geohash st_geomcollfromtext st_geometricmedian st_geometryfromtext",
    "st_geometryn st_geometrytype st_geomfromewkb st_geomfromewkt st_geomfromgeohash st_geomfromgeojson st_geomfromgml",
    "st_geomfromkml st_geomfromtext st_geomfromtwkb st_geomfromwkb st_gmltosql st_hasarc st_hasm st_hasz",
    "st_hausdorffdistance st_hexagon st_hexagongrid st_interiorringn st_interpolatepoint st_intersection st_intersects",
    "st_inversetransformpipeline st_isclosed st_iscollection st_isempty st_ispolygonccw st_ispolygoncw st_isring",
    "st_issimple st_isvalid st_isvaliddetail st_isvalidreason st_isvalidtrajectory st_largestemptycircle st_length",
    "st_length2d st_lengthspheroid st_linecrossingdirection st_lineextend st_linefromencodedpolyline",
    "st_linefrommultipoint st_linefromtext st_linefromwkb st_lineinterpolatepoint st_lineinterpolatepoints",
    "st_linelocatepoint st_linemerge st_linestringfromwkb st_linesubstring st_linetocurve st_locatealong",
    "st_locatebetween st_locatebetweenelevations st_longestline st_m st_makebox2d st_makeenvelope st_makeline",
    "st_makepoint st_makepointm st_makepolygon st_makevalid st_maxdistance st_maximuminscribedcircle st_memsize",
    "st_minimumboundingcircle st_minimumboundingradius st_minimumclearance st_minimumclearanceline st_mlinefromtext",
    "st_mpointfromtext st_mpolyfromtext st_multi st_ndims st_node st_normalize st_npoints st_nrings st_numgeometries",
    "st_numinteriorring st_numinteriorrings st_numpatches st_numpoints st_offsetcurve st_orderingequals",
    "st_orientedenvelope st_overlaps st_patchn st_perimeter st_perimeter2d st_point st_pointfromgeohash",
    "st_pointfromtext st_pointfromwkb st_pointinsidecircle st_pointm st_pointn st_pointonsurface st_points st_pointz",
    "st_pointzm st_polygon st_polygonfromtext st_polygonize st_project st_quantizecoordinates st_reduceprecision",
    "st_relate st_relatematch st_removeirrelevantpointsforview st_removepoint st_removerepeatedpoints st_reverse",
    "st_rotate st_rotatex st_rotatey st_rotatez st_roundx st_scale st_scroll st_segmentize st_seteffectivearea",
    "st_setpoint st_setsrid st_sharedpaths st_shiftlongitude st_shortestline st_simplify st_simplifypolygonhull",
    "st_simplifypreservetopology st_simplifyvw st_snap st_snaptogrid st_split st_square st_squaregrid st_srid",
    "st_startpoint st_subdivide st_summary st_swapordinates st_symdifference st_tileenvelope st_touches st_transform",
    "st_transformpipeline st_translate st_transscale st_triangulatepolygon st_unaryunion st_union st_voronoilines",
    "st_voronoipolygons st_within st_wkbtosql st_wkttosql st_wrapx st_x st_xmax st_xmin st_y st_ymax st_ymin st_z",
    "st_zmax st_zmflag st_zmin",
)

_MORE_FUNCTIONS = _OWN | _TEXT_AND_DIGESTS | _KEYS_AND_TREES | _VECTORS_AND_TIME | _GEOMETRY


# What can be asked: what the user may read a column of, but not the server's own, nor a partition of something that can
# be asked whole. `whole`: every column may be read.
_VISIBLE = """
    WITH visible AS MATERIALIZED (
        SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltuples,
               has_table_privilege(c.oid, 'SELECT') AS whole
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
          AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
          AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
    )
"""

_SESSION = SessionSetup(
    setup=(
        "SET intervalstyle = 'iso_8601'; SET datestyle = 'ISO'",
        "SET standard_conforming_strings = on",  # quotes in a query mean what they mean to the guard
        "SET row_security = on",
        "SET cursor_tuple_fraction = 1",  # all rows are wanted, not the first ones soon
        "SET idle_in_transaction_session_timeout = '60s'",  # a process that hangs holds no snapshot and no lock
    ),
    read_only=("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",),
    timeout="SET SESSION statement_timeout = {ms}",
    connection_id="SELECT pg_backend_pid()",
    cancel="SELECT pg_cancel_backend({id})",
)

_RESET = (
    "A pooler between may reset what a session sets: let it pool sessions, or set it for the role (ALTER ROLE ... SET)."
)
_PROBES = (
    Probe(
        layer="read-only transaction",
        sql="SELECT (current_setting('transaction_read_only') = 'on')::int",
        advice=_RESET,
    ),
    Probe(layer="statement timeout", sql="SELECT (current_setting('statement_timeout') <> '0')::int", advice=_RESET),
    Probe(
        layer="idle timeout",
        sql="SELECT (current_setting('idle_in_transaction_session_timeout') <> '0')::int",
        advice=_RESET,
    ),
    Probe(
        layer=READERS_LOGIN,
        sql="""
            SELECT (NOT EXISTS (
                SELECT 1 FROM pg_catalog.pg_roles
                WHERE rolname = current_user AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication)
            ) AND NOT EXISTS (
                SELECT 1 FROM pg_catalog.pg_roles
                WHERE rolname IN ('pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program')
                  AND pg_has_role(oid, 'MEMBER')
            ) AND NOT EXISTS (
                SELECT 1 FROM pg_catalog.pg_namespace
                WHERE nspname NOT LIKE 'pg\\_%' AND has_schema_privilege(oid, 'CREATE')
            ) AND NOT EXISTS (
                SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
                  AND c.relkind IN ('r', 'p', 'v', 'f')
                  AND (has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
                       OR has_any_column_privilege(c.oid, 'INSERT, UPDATE'))
            ))::int
        """,
        advice="This login can write: use a reader's, that has SELECT on the tables and owns nothing.",
    ),
)

_READS = SchemaQueries(
    default_schema="SELECT current_schema()",
    tables=f"""{_VISIBLE}
        SELECT v.nspname, v.relname, (v.relkind IN ('v', 'm'))::int, d.description,
               CASE WHEN v.relkind IN ('r', 'p', 'm') AND v.reltuples >= 0 THEN v.reltuples::bigint END
        FROM visible v LEFT JOIN pg_catalog.pg_description d
             ON d.objoid = v.oid AND d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = 0
        ORDER BY v.oid
    """,
    columns=f"""{_VISIBLE}
        SELECT v.nspname, v.relname, a.attname, format_type(a.atttypid, a.atttypmod), (NOT a.attnotnull)::int,
               d.description, (t.typcategory IN ('S', 'E'))::int
        FROM visible v
        JOIN pg_catalog.pg_attribute a ON a.attrelid = v.oid AND a.attnum > 0 AND NOT a.attisdropped
        JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_catalog.pg_description d
             ON d.objoid = v.oid AND d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = a.attnum
        WHERE v.whole OR has_column_privilege(v.oid, a.attnum, 'SELECT')
        ORDER BY v.oid, a.attnum
    """,
    primary_keys=f"""{_VISIBLE}
        SELECT v.nspname, v.relname, a.attname
        FROM pg_catalog.pg_constraint k JOIN visible v ON v.oid = k.conrelid
        CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS part (attnum, position)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = v.oid AND a.attnum = part.attnum
        WHERE k.contype = 'p'
        ORDER BY v.oid, part.position
    """,
    foreign_keys=f"""{_VISIBLE}
        SELECT v.nspname, v.relname, k.conname, a.attname, r.nspname, r.relname, ra.attname
        FROM pg_catalog.pg_constraint k JOIN visible v ON v.oid = k.conrelid JOIN visible r ON r.oid = k.confrelid
        CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS part (attnum, refnum, position)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = v.oid AND a.attnum = part.attnum
        JOIN pg_catalog.pg_attribute ra ON ra.attrelid = r.oid AND ra.attnum = part.refnum
        WHERE k.contype = 'f'
        ORDER BY v.oid, k.conname, part.position
    """,
    # Enums, ranges, and domains over these or over a type of the server's own, where no CHECK calls a function that
    # somebody made. Rows of tables are none of them, nor what is called as a table is anywhere: its fields are columns.
    types="""
        SELECT DISTINCT t.typname
        FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
        LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
          AND has_schema_privilege(n.oid, 'USAGE') AND has_type_privilege(t.oid, 'USAGE')
          AND (t.typtype IN ('e', 'r', 'm') OR (t.typtype = 'd' AND (b.oid < 16384 OR b.typtype IN ('e', 'r', 'm'))))
          AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.relname = t.typname)
          AND NOT EXISTS (
              SELECT 1 FROM pg_catalog.pg_constraint k
              JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_constraint'::regclass AND d.objid = k.oid
              WHERE k.contypid = t.oid AND d.refclassid = 'pg_catalog.pg_proc'::regclass
          )
        ORDER BY 1
    """,
    # Of a partitioned table there are statistics of all its rows alone; of one with heirs, both: those come last.
    samples="""
        SELECT s.schemaname, s.tablename, s.attname,
               array_to_json((s.most_common_vals::text::text[])[1:{n}])::text
        FROM pg_catalog.pg_stats s
        WHERE s.schemaname NOT IN ('pg_catalog', 'information_schema')
        ORDER BY s.inherited
    """,
    head="substr({column}::text, 1, {n})",
)

_AGGREGATES = (
    COMMON_AGGREGATES
    | _MORE_AGGREGATES
    | words(
        "string_agg any_value array_agg bit_and bit_or bit_xor bool_and bool_or corr covar_pop covar_samp mode",
        "percentile_cont percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx",
        "regr_sxy regr_syy stddev stddev_pop stddev_samp var_pop var_samp variance every json_agg json_object_agg",
        "jsonb_agg jsonb_object_agg range_agg",
    )
)

_FUNCTIONS = (
    COMMON
    | _MORE_FUNCTIONS
    | words(
        "acosh asinh atanh cosh ln mod pow sinh tanh trunc random format length octet_length soundex substr",
        "current_date current_time current_timestamp date json_array_length json_object nth_value cbrt cot factorial",
        "gcd isfinite lcm width_bucket grouping greatest least md5 sha256 array_to_string ascii bit_length char_length",
        "character_length chr ends_with left levenshtein lpad position regexp_matches regexp_replace",
        "regexp_split_to_array regexp_split_to_table reverse right rpad split_part starts_with string_to_array strpos",
        "to_hex translate age date_part date_trunc localtime localtimestamp make_date make_time make_timestamp",
        "make_timestamptz now timezone to_timestamp transaction_timestamp array array_append array_cat array_length",
        "array_position array_prepend cardinality generate_series row unnest array_to_json json_extract_path",
        "json_extract_path_text row_to_json to_json div min_scale scale trim_scale num_nonnulls num_nulls pg_typeof",
        "btrim decode encode initcap overlay quote_literal quote_nullable regexp_count regexp_instr regexp_like",
        "regexp_match regexp_substr string_to_table unaccent similarity word_similarity clock_timestamp date_bin",
        "extract justify_days justify_hours justify_interval make_interval statement_timestamp to_char to_date",
        "to_number array_dims array_lower array_ndims array_positions array_remove array_replace array_upper",
        "generate_subscripts isempty lower_inc lower_inf range_merge upper_inc upper_inf daterange int4range int8range",
        "numrange tsrange tstzrange json_array_elements json_array_elements_text json_build_array json_build_object",
        "json_each json_each_text json_object_keys json_strip_nulls json_typeof jsonb_array_elements",
        "jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text",
        "jsonb_extract_path jsonb_extract_path_text jsonb_object jsonb_object_keys jsonb_path_exists jsonb_path_query",
        "jsonb_path_query_array jsonb_path_query_first jsonb_pretty jsonb_set jsonb_strip_nulls jsonb_typeof to_jsonb",
        "plainto_tsquery phraseto_tsquery to_tsquery to_tsvector ts_headline ts_rank ts_rank_cd websearch_to_tsquery",
    )
)

POSTGRESQL = Dialect(
    name="postgresql",
    title="PostgreSQL",
    sqlglot="postgres",
    reserved=reserved.POSTGRESQL,
    truncate_month="date_trunc('month', {column})",
    hints=(
        "Year: EXTRACT(YEAR FROM col); month: date_trunc('month', col), or as text to_char(col, 'YYYY-MM').",
        "There is no DATEADD; subtract an interval: CURRENT_DATE - INTERVAL '2 months'.",
        'Names with capitals need double quotes: "Order"; text has single quotes.',
        "round(x, 2) wants numeric: round(x::numeric, 2). Integer division cuts: 100.0 * a / b.",
    ),
    instead={
        **dict.fromkeys(words("dateadd date_add"), "col + INTERVAL '1 month'"),
        **dict.fromkeys(words("datediff julianday"), "later::date - earlier::date"),
        **dict.fromkeys(words("strftime date_format"), "to_char(col, 'YYYY-MM')"),
        "year": "EXTRACT(YEAR FROM col)",
        "month": "EXTRACT(MONTH FROM col)",
        "day": "EXTRACT(DAY FROM col)",
        "getdate": "now()",
        **dict.fromkeys(words("ifnull isnull"), "coalesce(col, value)"),
        "group_concat": "string_agg(col, ', ')",
        **dict.fromkeys(words("iif if"), "CASE WHEN condition THEN a ELSE b END"),
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
        (r"is not unique|cannot be matched|out of range", ErrorKind.TYPE_MISMATCH),
        (r"must be type|but expression is of type", ErrorKind.TYPE_MISMATCH),
        (r"statement timeout|canceling statement due to|lock timeout", ErrorKind.TIMEOUT),
        (r"permission denied|read-only transaction|must be superuser", ErrorKind.PERMISSION),
        (r"out of memory|temp_file_limit|too many|No space left|stack depth", ErrorKind.RESOURCE),
        (r"syntax error|unterminated|must have the same number of columns", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset({"public"}),
    catalogue=r"pg_|information_schema",
    row_ids=frozenset({"ctid"}),
    codes=map_codes(
        {
            ErrorKind.TABLE_NOT_FOUND: "3F000 42P01",
            ErrorKind.COLUMN_NOT_FOUND: "42703",
            ErrorKind.AMBIGUOUS_COLUMN: "42702",
            ErrorKind.FUNCTION_NOT_FOUND: "42883",
            ErrorKind.SYNTAX_ERROR: "42601",
            ErrorKind.GROUPING: "42803 42P20",
            ErrorKind.TYPE_MISMATCH: "22003 22007 22008 22P02 42725 42804 42846",
            ErrorKind.DIVISION_BY_ZERO: "22012",
            ErrorKind.SEVERAL_ROWS: "21000",
            ErrorKind.PERMISSION: "42501",
            ErrorKind.CONSTRAINT: "22001 23502 23503 23505 23514 23P01 P0001",
            ErrorKind.NOT_READ_ONLY: "25006",
            ErrorKind.RESOURCE: "40001 40P01 53000 53100 53200 53400 54000 54001",
            ErrorKind.TIMEOUT: "55P03 57014",
        }
    ),
    deadlocks=frozenset({"40001", "40P01"}),
    lock_waits=frozenset({"55P03"}),
    advice=dict.fromkeys(("40001", "40P01"), ASK_AGAIN),
    session=_SESSION,
    reads=_READS,
    case=NameCase.LOWER,
    has_fields=True,
    integer_division=True,
    aggregates=_AGGREGATES,
    functions=_FUNCTIONS,
    table_functions=_FUNCTIONS | {"json_table"},  # any function can stand in FROM, where it makes one row or more
    probes=_PROBES,
)
