"""Functions of MySQL and MariaDB that are known to be pure, beyond those of their rows' own lists."""

from executors.dialects.row import words

BOTH = words(
    "aes_decrypt aes_encrypt bit_xor char_length charset coercibility collation compress concat_ws crc32",
    "geometrycollection ifnull is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 json_arrayagg json_merge",
    "json_objectagg json_schema_valid linestring lower mbrcontains mbrcoveredby mbrcovers mbrdisjoint mbrequals",
    "mbrintersects mbroverlaps mbrtouches mbrwithin md5 multilinestring multipoint multipolygon nullif",
    "octet_length point polygon quote rand row sha2 st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt",
    "st_boundary st_buffer st_buffer_strategy st_centroid st_collect st_contains st_convexhull st_crosses",
    "st_difference st_dimension st_disjoint st_distance st_distance_sphere st_endpoint st_envelope st_equals",
    "st_exteriorring st_frechetdistance st_geohash st_geomcollfromtext st_geometrycollectionfromtext",
    "st_geometryfromtext st_geometryn st_geometrytype st_geomfromgeojson st_geomfromtext st_geomfromwkb",
    "st_hausdorffdistance st_interiorringn st_intersection st_intersects st_isclosed st_isempty st_isring",
    "st_issimple st_isvalid st_latfromgeohash st_latitude st_length st_linefromtext st_linefromwkb",
    "st_lineinterpolatepoint st_lineinterpolatepoints st_longfromgeohash st_longitude st_makeenvelope",
    "st_mlinefromtext st_mpointfromtext st_mpolyfromtext st_numgeometries st_numinteriorring st_numinteriorrings",
    "st_numpoints st_overlaps st_pointatdistance st_pointfromgeohash st_pointfromtext st_pointfromwkb st_pointn",
    "st_pointonsurface st_polyfromtext st_polygonfromtext st_relate st_simplify st_srid st_startpoint st_swapxy",
    "st_symdifference st_touches st_transform st_union st_validate st_within st_x st_y time_format",
    "uncompressed_length upper uuid uuid_short weight_string",
)

MYSQL_ONLY = words(
    "any_value distance format_bytes format_pico_time from_vector grouping json_schema_validation_report",
    "json_storage_free regexp_like st_collect string_to_vector to_vector vector_dim vector_distance",
    "vector_to_string",
)

MARIADB_ONLY = words(
    "add_months column_check column_create column_exists column_get column_json column_list crc32c",
    "format_pico_time json_array_intersect json_key_value json_object_filter_keys json_object_to_array",
    "json_overlaps json_pretty sys_guid to_number uuid_v4 uuid_v7 vec_distance",
    "vec_distance_cosine vec_distance_euclidean vec_fromtext vec_totext",
)
