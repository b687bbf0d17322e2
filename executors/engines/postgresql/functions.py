"""Functions of PostgreSQL that are known to be pure, beyond those of its row's own list.

The server's own, and those of its extensions for text (pg_trgm, fuzzystrmatch, unaccent), keys and trees (hstore,
ltree, intarray, cube, earthdistance), digests (pgcrypto, uuid-ossp), vectors (pgvector), time (TimescaleDB) and
geometry (PostGIS, without its rasters, which may be read from files and addresses).
"""

from executors.dialects.row import words

MORE_AGGREGATES = words(
    "any_value json_agg json_agg_strict json_arrayagg json_object_agg json_object_agg_strict",
    "json_object_agg_unique json_object_agg_unique_strict json_objectagg jsonb_agg jsonb_agg_strict",
    "jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict range_agg",
    "range_intersect_agg st_3dextent st_asflatgeobuf st_asgeobuf st_asmvt st_extent st_memunion xmlagg",
)

_OWN = words(
    "abbrev acosd acosh area array_lower array_reverse array_sample array_shuffle array_sort array_to_string",
    "array_to_tsvector array_upper ascii asind asinh atan2d atand atanh bit_count bound_box box bytea casefold",
    "cbrt center chr cidr circle convert convert_from convert_to cosd cosh cotd crc32 crc32c date_add",
    "date_subtract datemultirange diagonal diameter enum_first enum_last enum_range erf erfc factorial family",
    "format gamma gcd gen_random_uuid get_bit get_byte get_current_ts_config height host hostmask inet_merge",
    "inet_same_family interval is_normalized isclosed ishorizontal isopen isparallel isperp isvertical json_array",
    "json_array_length json_exists json_object json_populate_record json_populate_recordset json_query",
    "json_scalar json_serialize json_to_record json_to_recordset json_to_tsvector json_value jsonb_array_elements",
    "jsonb_insert jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query_array_tz",
    "jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record jsonb_populate_record_valid",
    "jsonb_populate_recordset jsonb_set_lax jsonb_to_record jsonb_to_recordset jsonb_to_tsvector lcm lgamma line",
    "ln log10 lower lpad lseg macaddr macaddr8 masklen md5 mod multirange netmask network normalize npoints",
    "num_nulls numeric nummultirange numnode overlay parse_ident path pg_collation_for pg_column_size",
    "pg_input_error_info pg_input_is_valid pg_size_bytes pg_size_pretty point polygon position quote_ident radius",
    "random random_normal regexp_matches regexp_replace repeat rpad set_bit set_byte set_masklen setweight sha224",
    "sha256 sha384 sha512 sind sinh slope starts_with string_to_array strip tand tanh time timeofday timestamp",
    "timestamptz timetz to_ascii to_bin to_oct to_regtype trim_array ts_debug ts_delete ts_filter ts_lexize",
    "ts_parse ts_token_type tsmultirange tsquery_phrase tstzmultirange tsvector_to_array unicode_assigned",
    "unicode_version unistr upper uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7 width width_bucket",
    "xml_is_well_formed xml_is_well_formed_content xml_is_well_formed_document xmlattributes xmlcomment xmlconcat",
    "xmlelement xmlforest xmlroot xmltext xpath xpath_exists",
)
_TEXT_AND_DIGESTS = words(
    "daitch_mokotoff difference digest dmetaphone dmetaphone_alt hmac levenshtein levenshtein_less_equal",
    "metaphone show_trgm similarity soundex strict_word_similarity text_soundex unaccent uuid_generate_v1",
    "uuid_generate_v3 uuid_generate_v4 uuid_generate_v5 uuid_nil uuid_ns_dns uuid_ns_url word_similarity",
)
_KEYS_AND_TREES = words(
    "akeys avals cube cube_dim cube_distance cube_enlarge cube_inter cube_is_point cube_ll_coord cube_subset",
    "cube_union cube_ur_coord defined delete each earth earth_box earth_distance exist gc_to_sec hstore",
    "hstore_to_array hstore_to_json hstore_to_json_loose hstore_to_jsonb hstore_to_jsonb_loose hstore_to_matrix",
    "icount idx index intset isdefined isexists latitude lca ll_to_earth longitude lquery ltree2text ltxtquery",
    "nlevel normal_rand sec_to_gc skeys slice sort sort_asc sort_desc subarray subltree subpath svals tconvert",
    "text2ltree uniq",
)
_VECTORS_AND_TIME = words(
    "binary_quantize cosine_distance hamming_distance inner_product interpolate jaccard_distance l1_distance",
    "l2_distance l2_norm l2_normalize locf subvector time_bucket time_bucket_gapfill vector_avg vector_dims",
    "vector_norm",
)
_GEOMETRY = words(
    "box2d box3d geography geometry geometrytype st_3darea st_3dclosestpoint st_3ddfullywithin st_3ddistance",
    "st_3ddwithin st_3dintersects st_3dlength st_3dlineinterpolatepoint st_3dlongestline st_3dmakebox",
    "st_3dmaxdistance st_3dperimeter st_3dshortestline st_addpoint st_affine st_angle st_area st_area2d",
    "st_asbinary st_asencodedpolyline st_asewkb st_asewkt st_asgeojson st_asgml st_ashexewkb st_askml",
    "st_aslatlontext st_asmvtgeom st_assvg st_astext st_astwkb st_asx3d st_azimuth st_bdmpolyfromtext",
    "st_bdpolyfromtext st_boundary st_boundingdiagonal st_box2dfromgeohash st_buffer st_buildarea st_centroid",
    "st_chaikinsmoothing st_cleangeometry st_clipbybox2d st_closestpoint st_closestpointofapproach",
    "st_clusterdbscan st_clusterintersecting st_clusterintersectingwin st_clusterkmeans st_clusterwithin",
    "st_clusterwithinwin st_collect st_collectionextract st_collectionhomogenize st_combinebbox st_concavehull",
    "st_contains st_containsproperly st_convexhull st_coorddim st_coverageclean st_coverageinvalidedges",
    "st_coveragesimplify st_coverageunion st_coveredby st_covers st_cpawithin st_crosses st_curvetoline",
    "st_delaunaytriangles st_dfullywithin st_difference st_dimension st_disjoint st_distance st_distancecpa",
    "st_distancesphere st_distancespheroid st_dump st_dumppoints st_dumprings st_dumpsegments st_dwithin",
    "st_endpoint st_envelope st_equals st_expand st_exteriorring st_filterbym st_flipcoordinates st_force2d",
    "st_force3d st_force3dm st_force3dz st_force4d st_forcecollection st_forcecurve st_forcepolygonccw",
    "st_forcepolygoncw st_forcerhr st_forcesfs st_frechetdistance st_fromflatgeobuf st_generatepoints",
    "st_geogfromtext st_geogfromwkb st_geographyfromtext st_geohash st_geomcollfromtext st_geometricmedian",
    "st_geometryfromtext st_geometryn st_geometrytype st_geomfromewkb st_geomfromewkt st_geomfromgeohash",
    "st_geomfromgeojson st_geomfromgml st_geomfromkml st_geomfromtext st_geomfromtwkb st_geomfromwkb st_gmltosql",
    "st_hasarc st_hasm st_hasz st_hausdorffdistance st_hexagon st_hexagongrid st_interiorringn",
    "st_interpolatepoint st_intersection st_intersects st_inversetransformpipeline st_isclosed st_iscollection",
    "st_isempty st_ispolygonccw st_ispolygoncw st_isring st_issimple st_isvalid st_isvaliddetail st_isvalidreason",
    "st_isvalidtrajectory st_largestemptycircle st_length st_length2d st_lengthspheroid st_linecrossingdirection",
    "st_lineextend st_linefromencodedpolyline st_linefrommultipoint st_linefromtext st_linefromwkb",
    "st_lineinterpolatepoint st_lineinterpolatepoints st_linelocatepoint st_linemerge st_linestringfromwkb",
    "st_linesubstring st_linetocurve st_locatealong st_locatebetween st_locatebetweenelevations st_longestline",
    "st_m st_makebox2d st_makeenvelope st_makeline st_makepoint st_makepointm st_makepolygon st_makevalid",
    "st_maxdistance st_maximuminscribedcircle st_memsize st_minimumboundingcircle st_minimumboundingradius",
    "st_minimumclearance st_minimumclearanceline st_mlinefromtext st_mpointfromtext st_mpolyfromtext st_multi",
    "st_ndims st_node st_normalize st_npoints st_nrings st_numgeometries st_numinteriorring st_numinteriorrings",
    "st_numpatches st_numpoints st_offsetcurve st_orderingequals st_orientedenvelope st_overlaps st_patchn",
    "st_perimeter st_perimeter2d st_point st_pointfromgeohash st_pointfromtext st_pointfromwkb",
    "st_pointinsidecircle st_pointm st_pointn st_pointonsurface st_points st_pointz st_pointzm st_polygon",
    "st_polygonfromtext st_polygonize st_project st_quantizecoordinates st_reduceprecision st_relate",
    "st_relatematch st_removeirrelevantpointsforview st_removepoint st_removerepeatedpoints st_reverse st_rotate",
    "st_rotatex st_rotatey st_rotatez st_roundx st_scale st_scroll st_segmentize st_seteffectivearea st_setpoint",
    "st_setsrid st_sharedpaths st_shiftlongitude st_shortestline st_simplify st_simplifypolygonhull",
    "st_simplifypreservetopology st_simplifyvw st_snap st_snaptogrid st_split st_square st_squaregrid st_srid",
    "st_startpoint st_subdivide st_summary st_swapordinates st_symdifference st_tileenvelope st_touches",
    "st_transform st_transformpipeline st_translate st_transscale st_triangulatepolygon st_unaryunion st_union",
    "st_voronoilines st_voronoipolygons st_within st_wkbtosql st_wkttosql st_wrapx st_x st_xmax st_xmin st_y",
    "st_ymax st_ymin st_z st_zmax st_zmflag st_zmin",
)

MORE_FUNCTIONS = _OWN | _TEXT_AND_DIGESTS | _KEYS_AND_TREES | _VECTORS_AND_TIME | _GEOMETRY
