"""Functions of Databricks and Spark that are known to be pure, beyond those of their row's own list."""

from executors.dialects.row import words

MORE_FUNCTIONS = words(
    "acos aes_decrypt aes_encrypt approx_top_k approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate",
    "array_repeat arrays_overlap bitmap_and_agg bitmap_bit_position bitmap_bucket_number bitmap_construct_agg",
    "bitmap_count bitmap_or_agg bround collate collation concat_ws count_min_sketch",
    "current_date current_time date_diff dateadd dayname decode div e endswith equal_null expm1 getbit",
    "h3_boundaryasgeojson h3_boundaryaswkb h3_boundaryaswkt h3_centerasgeojson h3_centeraswkb h3_centeraswkt",
    "h3_compact h3_coverash3 h3_coverash3string h3_distance h3_h3tostring h3_hexring h3_ischildof h3_ispentagon",
    "h3_isvalid h3_kring h3_kringdistances h3_longlatash3 h3_longlatash3string h3_maxchild h3_minchild",
    "h3_pointash3 h3_pointash3string h3_polyfillash3 h3_polyfillash3string h3_resolution h3_stringtoh3",
    "h3_tessellateaswkb h3_tochildren h3_toparent h3_try_distance h3_try_validate h3_uncompact h3_validate",
    "hll_sketch_agg hll_sketch_estimate hll_union hll_union_agg ilike is_valid_utf8 is_variant_null",
    "kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float ltrim luhn_check make_valid_utf8",
    "map_contains_key mask mode monotonically_increasing_id nullif octet_length overlay percent_rank quote random",
    "regexp_substr replace rtrim schema_of_csv schema_of_json_agg schema_of_variant schema_of_variant_agg",
    "session_window sha shuffle spark_partition_id st_addpoint st_area st_asbinary st_asewkb st_asewkt",
    "st_asgeojson st_astext st_aswkb st_aswkt st_azimuth st_boundary st_buffer st_centroid st_closestpoint",
    "st_concavehull st_contains st_convexhull st_coveredby st_covers st_difference st_dimension st_disjoint",
    "st_distance st_distancesphere st_distancespheroid st_dwithin st_endpoint st_envelope st_envelope_agg",
    "st_equals st_exteriorring st_flipcoordinates st_geogfromgeojson st_geogfromtext st_geogfromwkb",
    "st_geogfromwkt st_geohash st_geometryn st_geometrytype st_geomfromewkb st_geomfromewkt st_geomfromgeohash",
    "st_geomfromgeojson st_geomfromtext st_geomfromwkb st_geomfromwkt st_interiorringn st_intersection",
    "st_intersects st_isempty st_isvalid st_length st_m st_makeline st_makepolygon st_multi st_ndims st_npoints",
    "st_numgeometries st_numinteriorrings st_perimeter st_point st_pointfromgeohash st_pointn st_removepoint",
    "st_reverse st_rotate st_scale st_setpoint st_setsrid st_simplify st_srid st_startpoint st_touches",
    "st_transform st_translate st_union st_union_agg st_within st_x st_xmax st_xmin st_y st_ymax st_ymin st_z",
    "st_zmax st_zmin startswith timestampadd to_geography to_geometry to_json to_variant_object try_aes_decrypt",
    "try_avg try_make_interval try_make_timestamp try_make_timestamp_ltz try_make_timestamp_ntz try_parse_url",
    "try_reverse try_sum try_to_binary try_to_geography try_to_geometry try_url_decode",
    "try_validate_utf8 typeof ucase unbase64 uniform validate_utf8 variant_explode window",
)
