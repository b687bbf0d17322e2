"""ClickHouse."""

from collections.abc import Set

from executors.dialects.row import (
    COMMON,
    COMMON_AGGREGATES,
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
    "analysisofvariance anova any_respect_nulls any_value_respect_nulls anylast_respect_nulls anylastrespectnulls",
    "anyrespectnulls anyvaluerespectnulls approx_top_count approx_top_sum argandmax argandmin array_concat_agg",
    "boundingratio categoricalinformationvalue contingency corrmatrix corrstable covarpopmatrix covarpopstable",
    "covarsampmatrix covarsampstable cramersv cramersvbiascorrected deltasumtimestamp distinctdynamictypes",
    "distinctjsonpaths distinctjsonpathsandtypes exponentialtimedecayedcount exponentialtimedecayedmax",
    "exponentialtimedecayedsum first_value_respect_nulls firstvaluerespectnulls gini grouparrayinsertat",
    "grouparrayintersect groupbitmap groupbitmapand groupbitmapor groupbitmapxor groupformat groupnumericindexedvector",
    "intervallengthsum kolmogorovsmirnovtest largesttrianglethreebuckets last_value_respect_nulls",
    "lastvaluerespectnulls lttb mannwhitneyutest maxintersections maxintersectionsposition maxmappedarrays meanztest",
    "medianbfloat16 medianbfloat16weighted mediandd mediandeterministic medianexacthigh medianexactlow",
    "medianexactweighted medianexactweightedinterpolated mediangk medianinterpolatedweighted mediantdigestweighted",
    "mediantiming mediantimingweighted mergedjsonpatch minmappedarrays mvtencode quantilebfloat16",
    "quantilebfloat16weighted quantiledd quantileexactexclusive quantileexactinclusive",
    "quantileexactweightedinterpolated quantilegk quantileinterpolatedweighted quantileprometheushistogram",
    "quantilesbfloat16 quantilesbfloat16weighted quantilesdd quantilesdeterministic quantilesexactexclusive",
    "quantilesexacthigh quantilesexactinclusive quantilesexactlow quantilesexactweighted",
    "quantilesexactweightedinterpolated quantilesgk quantilesinterpolatedweighted quantilesprometheushistogram",
    "quantilestdigestweighted quantilestimingweighted quantiletdigestweighted quantiletimingweighted regr_avgx",
    "regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy sequencecount sequencematch",
    "sequencematchevents sequencenextnode singlevalueornull sparkbar st_asmvt stddevpopstable stddevsampstable",
    "studentttest studentttestonesample summapfiltered summapfilteredwithoverflow summappedarrays summapwithoverflow",
    "theilsu varpopstable varsampstable welchttest",
)

_WHOLE = words("int8 int16 int32 int64 int128 int256 uint8 uint16 uint32 uint64 uint128 uint256")


def _with_endings(names: Set[str], *endings: str) -> frozenset[str]:
    """The names, and each of them with each ending."""
    return frozenset(names | {name + ending for name in names for ending in endings})


# Functions of one thing for each type, for what fails, or for each way to compare texts.
_FAMILIES = (
    _with_endings(
        {f"to{kind}" for kind in _WHOLE | words("float32 float64 decimal32 decimal64 decimal128 decimal256")}
        | words("todate todate32 todatetime todatetime64 toipv4 toipv6 touuid"),
        *("ornull", "orzero", "ordefault"),
    )
    | _with_endings(
        words(
            "parsedatetime parsedatetime64 parsedatetimebesteffort parsedatetime32besteffort parsedatetime64besteffort",
            "parsedatetimebesteffortus parsedatetime64besteffortus parsedatetimeinjodasyntax",
            "parsedatetime64injodasyntax parsereadablesize tobfloat16 totime totime64",
        ),
        *("ornull", "orzero"),
    )
    | {f"reinterpretas{kind}" for kind in _WHOLE | words("float32 float64 date datetime fixedstring string uuid")}
    | _with_endings(
        words(
            "multisearchallpositions multisearchany multisearchfirstindex multisearchfirstposition ngramdistance",
            "ngramminhash ngramminhasharg ngramsearch ngramsimhash wordshingleminhash wordshingleminhasharg",
            "wordshinglesimhash hassubsequence position startswith endswith",
        ),
        *("caseinsensitive", "utf8", "caseinsensitiveutf8"),
    )
    | _with_endings(
        words(
            "jsonextract jsonextractarrayraw jsonextractbool jsonextractfloat jsonextractint jsonextractkeys",
            "jsonextractkeysandvalues jsonextractkeysandvaluesraw jsonextractraw jsonextractstring jsonextractuint",
        ),
        "caseinsensitive",
    )
)

_MORE_FUNCTIONS = words(
    "addinterval addmicroseconds addmilliseconds addnanoseconds addtupleofintervals alphatokens areacartesian",
    "areaspherical array_remove arrayauc arrayaucpr arrayautocorrelation arraybottomk arraycumsumnonnegative",
    "arraydotproduct arrayelementornull arrayenumeratedense arrayenumeratedenseranked arrayenumerateuniqranked",
    "arrayfirstornull arrayflattenedlength arrayjaccardindex arraylastornull arraylevenshteindistance",
    "arraylevenshteindistanceweighted arraynormalizedgini arraypartialreversesort arraypartialshuffle arraypartialsort",
    "arraypopback arraypopfront arrayprauc arrayrandomsample arrayreduce arrayreduceinranges arrayremove",
    "arrayreversefill arrayreversesplit arrayrocauc arrayrotateleft arrayrotateright arrayshiftleft arrayshiftright",
    "arrayshingles arrayshuffle arraysimilarity arraysymmetricdifference arraytopk arraytranspose arrayunion",
    "arrayzipunaligned bar base32decode base32encode base58decode base58encode base64urldecode base64urlencode",
    "bithammingdistance bitmapand bitmapandcardinality bitmapandnot bitmapandnotcardinality bitmapbuild",
    "bitmapcardinality bitmapcontains bitmaphasall bitmaphasany bitmapmax bitmapmin bitmapor bitmaporcardinality",
    "bitmapsubsetinrange bitmapsubsetlimit bitmaptoarray bitmaptransform bitmapxor bitmapxorcardinality bitmasktoarray",
    "bitmasktolist bitpositionstoarray bitrotateleft bitrotateright bitslice bittestall bittestany bytehammingdistance",
    "bytesize byteslice byteswap casefoldutf8 casewithexpr casewithoutexpr casewithoutexpression cast changeday",
    "changehour changeminute changemonth changesecond changeyear coloroklabtosrgb coloroklchtosrgb colorsrgbtooklab",
    "colorsrgbtooklch comparesubstrings concatassumeinjective concatwithseparatorassumeinjective cosinedistance",
    "cosinedistancetransposed cosinedistancetransposedquantized countdigits countmatchescaseinsensitive",
    "countsubstringscaseinsensitiveutf8 crc32ieee crc64 cutipv6 cutquerystringandfragment",
    "cuttofirstsignificantsubdomaincustom cuttofirstsignificantsubdomaincustomrfc",
    "cuttofirstsignificantsubdomaincustomwithwww cuttofirstsignificantsubdomaincustomwithwwwrfc",
    "cuttofirstsignificantsubdomainrfc cuttofirstsignificantsubdomainwithwww cuttofirstsignificantsubdomainwithwwwrfc",
    "cuturlparameter dameraulevenshteindistance date_bin datetime64tosnowflakeid datetimetosnowflakeid",
    "datetimetouuidv7 decodehtmlcomponent decodeurlformcomponent decodexmlcomponent defaultvalueofargumenttype",
    "defaultvalueoftypename digits distancecosine distancecosinetransposed distancel1 distancel2 distancel2squared",
    "distancel2transposed distancelinf distancelp dividedecimal domainrfc domainwithoutwwwrfc dotproduct",
    "dotproducttransposed dotproducttransposedquantized dynamicelement dynamictype editdistanceutf8 emptyarraydate",
    "emptyarraydatetime emptyarrayfloat32 emptyarrayfloat64 emptyarrayint16 emptyarrayint32 emptyarrayint64",
    "emptyarrayint8 emptyarraystring emptyarraytosingle emptyarrayuint16 emptyarrayuint32 emptyarrayuint64",
    "emptyarrayuint8 encodeurlformcomponent encodexmlcomponent extractallgroups extractallgroupshorizontal",
    "extractallgroupsvertical extractgroups extractkeyvaluepairs extractkeyvaluepairswithescaping extracttextfromhtml",
    "extracturlparameternames extracturlparameters farmfingerprint64 financialinternalrateofreturn",
    "financialinternalrateofreturnextended financialnetpresentvalue financialnetpresentvalueextended firstline",
    "firstnondefault firstsignificantsubdomain firstsignificantsubdomaincustom firstsignificantsubdomaincustomrfc",
    "firstsignificantsubdomainrfc flattentuple flipcoordinates format_bytes formatdatetimeinjodasyntax formatrow",
    "formatrownonewline fragment from_days from_utc_timestamp fromdayssinceyearzero fromdayssinceyearzero32",
    "frommodifiedjulianday frommodifiedjuliandayornull fromunixtimestamp64micro fromunixtimestamp64nano",
    "fromunixtimestamp64second fromunixtimestampinjodasyntax fromutctimestamp gccmurmurhash generateuuidv4",
    "generateuuidv7 geohashdecode geohashencode geohashesinbox geometryintersectcartesian geometryintersectspherical",
    "geotoh3 geotomgrs geotoutm getsizeofenumtype getsubcolumn greatcircleangle h3cellaream2 h3cellarearads2",
    "h3distance h3edgeangle h3edgelengthkm h3edgelengthm h3exactedgelengthkm h3exactedgelengthm h3exactedgelengthrads",
    "h3getbasecell h3getdestinationindexfromunidirectionaledge h3getfaces h3getindexesfromunidirectionaledge",
    "h3getoriginindexfromunidirectionaledge h3getpentagonindexes h3getres0indexes h3getresolution",
    "h3getunidirectionaledge h3getunidirectionaledgeboundary h3getunidirectionaledgesfromhexagon h3hexareakm2",
    "h3hexaream2 h3hexring h3indexesareneighbors h3ispentagon h3isresclassiii h3isvalid h3kring h3line h3numhexagons",
    "h3pointdistkm h3pointdistm h3pointdistrads h3polygontocells h3polygontocellswithcontainment h3tocenterchild",
    "h3tochildren h3togeo h3togeoboundary h3toparent h3tostring h3unidirectionaledgeisvalid halfmd5 hasalltoken",
    "hasalltokens hasanytoken hasanytokens hasphrase hastokencaseinsensitive hastokencaseinsensitiveornull",
    "hastokenornull highlight hilbertdecode hilbertencode hivehash hop hopend hopstart identity ignore indexhint",
    "indexofassumesorted inet6_aton inet6_ntoa inet_aton inet_ntoa initcaputf8 intexp10 intexp2 ipv4cidrtorange",
    "ipv4numtostringclassc ipv4stringtonumordefault ipv4stringtonumornull ipv4toipv6 ipv6cidrtorange",
    "ipv6stringtonumordefault ipv6stringtonumornull isascii isconstant isdecimaloverflow isdynamicelementinshareddata",
    "isipaddressinrange isnotdistinctfrom isnullable isprime isprobableprime isvalidascii isvalidutf8 javahash",
    "javahashutf16le json_array_length jsonallpaths jsonallpathswithtypes jsonallvalues jsondynamicpaths",
    "jsondynamicpathswithtypes jsonkey jsonmergepatch jsonshareddatapaths jsonshareddatapathswithtypes",
    "jumpconsistenthash kafkamurmurhash keccak256 kostikconsistenthash kqlbin kqlbinat kqldatetimebinat kqldivide",
    "kqlmultiply kqlparametercast kqlrangecount kqltotimespan l1distance l1norm l1normalize l2distance",
    "l2distancetransposed l2distancetransposedquantized l2norm l2normalize l2squareddistance l2squarednorm leftpadutf8",
    "levenshteindistanceutf8 linfdistance linfnorm linfnormalize localtime localtimestamp lpdistance lpnorm",
    "lpnormalize macnumtostring macstringtonum macstringtooui makedate32 makedatetime64 map_from_arrays mapadd mapall",
    "mapapply mapconcat mapcontainskeylike mapcontainsvalue mapcontainsvaluelike mapexists mapextractkeylike",
    "mapextractvaluelike mapfilter mapfromstring mappartialreversesort mappartialsort mapreversesort mapsort",
    "mapsubtract mapupdate matchcaseinsensitive matchphrase materialize md4 metrohash64 mgrstogeo microsecond",
    "millisecond minsamplesizecontinous minsamplesizecontinuous minsamplesizeconversion mismatches modornull",
    "modulolegacy mortondecode mortonencode multifuzzymatchallindices multifuzzymatchany multifuzzymatchanyindex",
    "multimatchallindices multimatchany multimatchanyindex multiplydecimal murmurhash2_32 murmurhash2_64",
    "murmurhash3_128 mvtboundingbox mvtboundingboxmercator mvtencodegeom nanosecond natural_sort_key naturalsortkey",
    "neighbor netloc ngrams normalizel1 normalizel2 normalizelinf normalizelp normalizeutf8nfc normalizeutf8nfd",
    "normalizeutf8nfkc normalizeutf8nfkccasefold normalizeutf8nfkd norml1 norml2 norml2squared normlinf normlp nothas",
    "notmatch notmatchcaseinsensitive nowinblock nowinblock64 overlay overlayutf8 parseiso8601duration parsetimedelta",
    "pathfull perimetercartesian perimeterspherical pmod pmodornull pointinellipses polygonareacartesian",
    "polygonareaspherical polygonconvexhullcartesian polygonperimetercartesian polygonperimeterspherical",
    "polygonsdistancecartesian polygonsdistancespherical polygonsequalscartesian polygonsintersectcartesian",
    "polygonsintersectioncartesian polygonsintersectionspherical polygonsintersectspherical",
    "polygonssymdifferencecartesian polygonssymdifferencespherical polygonsunioncartesian polygonsunionspherical",
    "polygonswithincartesian polygonswithinspherical port portrfc positive_modulo positive_modulo_or_null",
    "positivemoduloornull prettyprintjson proportionsztest querystring querystringandfragment rand rand32 rand64",
    "randbernoulli randbinomial randcanonical randchisquared randconstant randexponential randfisherf randlognormal",
    "randnegativebinomial randnormal randomhadamardtransform randpoisson randstudentt randuniform readwkb",
    "readwkblinestring readwkbmultilinestring readwkbmultipoint readwkbmultipolygon readwkbpoint readwkbpolygon",
    "readwkt readwktlinestring readwktmultilinestring readwktmultipoint readwktmultipolygon readwktpoint",
    "readwktpolygon readwktring regexp_instr regexp_matches regexp_substr regexpinstr regexpposition regexpquotemeta",
    "reinterpret removeaccentsutf8 removediacriticsutf8 reversebyseparator rightpadutf8 ripemd160 roundage",
    "roundduration rownumberinblock runningaccumulate runningdifferencestartingwithfirstvalue scalarproduct",
    "scalarproducttransposed sha224 sha384 sha512 sha512_256 siphash128 siphash128keyed siphash128reference",
    "siphash128referencekeyed siphash64keyed snowflakeidtodatetime snowflakeidtodatetime64 sparsegrams",
    "sparsegramshashes sparsegramshashesutf8 sparsegramsutf8 splitbyalpha sqid sqiddecode sqidencode sqr st_asmvtgeom",
    "st_linefromwkb st_mlinefromwkb st_mpointfromwkb st_mpolyfromwkb st_pointfromwkb st_polyfromwkb str_to_map",
    "stringbytesentropy stringbytesuniq stringjaccardindex stringjaccardindexutf8 stringtoh3 subbitmap",
    "substringindexutf8 subtractinterval subtractmicroseconds subtractmilliseconds subtractnanoseconds",
    "subtracttupleofintervals svg time_bucket timediff timeslots timezone timezoneof timezoneoffset to_days",
    "to_unixtime to_utc_timestamp todatetime32 todaysinmonth todayssinceyearzero tointerval tointervalmicrosecond",
    "tointervalmillisecond tointervalnanosecond tokens tokensforlikepattern tomicrosecond tomillisecond",
    "tomodifiedjulianday tomodifiedjuliandayornull tomonthnumsinceepoch tonanosecond topleveldomainrfc",
    "torelativeminutenum torelativesecondnum tostartoffiveminute tostartofmicrosecond tostartofmillisecond",
    "tostartofnanosecond tostringcuttozero totimewithfixeddate tounixtimestamp64micro tounixtimestamp64milli",
    "tounixtimestamp64nano tounixtimestamp64second toutctimestamp tovalidutf8 toyearnumsinceepoch translateutf8",
    "trybase32decode trybase58decode trybase64decode trybase64urldecode tumble tumbleend tumblestart tupledivide",
    "tupledividebynumber tuplehammingdistance tupleintdiv tupleintdivbynumber tupleintdivorzero",
    "tupleintdivorzerobynumber tupleminus tuplemodulo tuplemodulobynumber tuplemultiply tuplemultiplybynumber",
    "tuplenames tuplenegate tupleplus tuplepositivemodulobynumber tupletonamevaluepairs unbin urlhash urlhierarchy",
    "urlpathhierarchy utc_timestamp utmtogeo uuidnumtostring uuidstringtonum uuidtonum uuidv7todatetime variantelement",
    "varianttype vectordifference vectorsum visiblewidth visitparamextractbool visitparamextractfloat",
    "visitparamextractint visitparamextractraw visitparamextractstring visitparamextractuint visitparamhas wkb wkt",
    "wyhash64 xxh3 xxh3_128 xxhash64spark yandexconsistenthash yyyymmddhhmmsstodatetime yyyymmddhhmmsstodatetime64",
    "yyyymmddtodate yyyymmddtodate32",
)


_OWN = "('system', 'INFORMATION_SCHEMA', 'information_schema')"

_READS = SchemaQueries(
    default_schema="SELECT currentDatabase()",
    tables=f"""
        SELECT database, name, toUInt8(engine LIKE '%View'), comment, total_rows
        FROM system.tables
        WHERE database NOT IN {_OWN} AND NOT is_temporary AND name NOT LIKE '.inner%'
        ORDER BY database, name
    """,
    columns=f"""
        SELECT database, table, name, type, toUInt8(type LIKE 'Nullable(%' OR type LIKE 'LowCardinality(Nullable(%'),
               comment
        FROM system.columns
        WHERE database NOT IN {_OWN} AND default_kind <> 'EPHEMERAL'
        ORDER BY database, table, position
    """,
    primary_keys=f"""
        WITH splitByString(', ', t.primary_key) AS places
        SELECT c.database, c.table, c.name
        FROM system.columns AS c JOIN system.tables AS t ON t.database = c.database AND t.name = c.table
        WHERE c.is_in_primary_key AND c.database NOT IN {_OWN}
        ORDER BY c.database, c.table, if(has(places, c.name), indexOf(places, c.name),
                 arrayFirstIndex(part -> position(part, c.name) > 0, places))
    """,
    head="substringUTF8(toString({column}), 1, {n})",
)

# Settings, one each: over HTTP they go with every query. What a join or an aggregate finds nothing for is NULL, a bare
# UNION drops duplicates, and a name is the column's before it is an alias: as in any other SQL.
_SETTINGS = (
    "SET join_use_nulls = 1",
    "SET aggregate_functions_null_for_empty = 1",
    "SET prefer_column_name_to_alias = 1",
    "SET union_default_mode = 'DISTINCT'",
    "SET readonly = 1",
)

_CODES = map_codes(
    {
        ErrorKind.TABLE_NOT_FOUND: "60 81",
        ErrorKind.COLUMN_NOT_FOUND: "8 10 16 47",
        ErrorKind.AMBIGUOUS_COLUMN: "207 352",
        ErrorKind.FUNCTION_NOT_FOUND: "46 63",
        ErrorKind.SYNTAX_ERROR: "48 62 73 80 115 179 258 403 558",
        ErrorKind.GROUPING: "184 215",
        ErrorKind.TYPE_MISMATCH: "6 27 36 38 41 42 43 44 53 69 70 72 349 386 407",
        ErrorKind.SEVERAL_ROWS: "125",
        ErrorKind.DIVISION_BY_ZERO: "153",
        ErrorKind.NOT_READ_ONLY: "164",
        ErrorKind.PERMISSION: "192 291 452 497 516",
        ErrorKind.TIMEOUT: "159 160 394",
        ErrorKind.RESOURCE: "158 191 202 241 307 396",
    }
)

_AGGREGATES = COMMON_AGGREGATES | words(
    "any any_value anyheavy anylast approx_top_k argmax argmin array_agg avgweighted bit_and bit_or bit_xor corr",
    "covar_pop covar_samp covarpop covarsamp deltasum entropy exponentialmovingaverage exponentialtimedecayedavg",
    "first_value group_concat grouparray grouparraylast grouparraymovingavg grouparraymovingsum grouparraysample",
    "grouparraysorted groupbitand groupbitor groupbitxor groupconcat groupuniqarray histogram kurtpop kurtsamp",
    "last_value max_by median medianexact mediantdigest min_by quantile quantiledeterministic quantileexact",
    "quantileexacthigh quantileexactlow quantileexactweighted quantiletdigest quantiletiming quantiles quantilesexact",
    "quantilestdigest quantilestiming rankcorr simplelinearregression skewpop skewsamp std stddev stddev_pop",
    "stddev_samp stddevpop stddevsamp string_agg sumcount sumkahan sumwithoverflow summap topk topkweighted uniq",
    "uniqcombined uniqcombined64 uniqexact uniqhll12 uniqupto var_pop var_samp varpop varsamp windowfunnel retention",
)

_ALL_AGGREGATES = _AGGREGATES | _MORE_AGGREGATES

# `sumIf`, `avgOrNull`, `uniqArrayIf`: what may follow an aggregate's name.
_COMBINATORS = words(
    "if array arrayif ornull ordefault ornullif ifornull distinct distinctif foreach map state stateif merge mergeif",
    "mergestate simplestate argmin argmax",
)

_FUNCTIONS = COMMON | words(
    # numbers
    "acosh asinh atanh avg2 bitand bitcount bitnot bitor bitshiftleft bitshiftright bittest bitxor cbrt cosh divide",
    "divideornull e erf erfc exp10 exp2 factorial gcd hypot ifnotfinite intdiv intdivornull intdivorzero isfinite",
    "isinfinite isnan lcm lgamma ln log1p log2 max2 midpoint min2 minus mod modulo moduloornull moduloorzero multiply",
    "negate plus positivemodulo pow rounddown roundbankers roundtoexp2 sigmoid sinh tanh tgamma trunc truncate",
    "width_bucket widthbucket",
    # conditions
    "and assumenotnull clamp empty equals greater greaterorequals greatest has if ifnull in isdistinctfrom isnotnull",
    "isnull iszeroornull least less lessorequals multiif not notempty notequals or tonullable transform xor",
    # text
    "appendtrailingcharifabsent ascii base64decode base64encode basename bin char char_length character_length",
    "concatwithseparator conv convertcharset countmatches countsubstrings countsubstringscaseinsensitive cutfragment",
    "cutquerystring cuttofirstsignificantsubdomain cutwww decodeurlcomponent domain domainwithoutwww editdistance",
    "encodeurlcomponent extract extractall extracturlparameter format formatreadabledecimalsize formatreadablequantity",
    "formatreadablesize formatreadabletimedelta from_base64 hastoken hex ilike initcap instr jarosimilarity",
    "jarowinklersimilarity lcase left leftpad leftutf8 length lengthutf8 levenshteindistance like locate lowerutf8",
    "lpad match mid notilike notlike octet_length path printf protocol regexp_extract regexp_replace regexpextract",
    "repeat replaceall replaceone replaceregexpall replaceregexpone reverse reverseutf8 right rightpad rightutf8 rpad",
    "soundex space splitbychar splitbynonalpha splitbyregexp splitbystring splitbywhitespace substr substring_index",
    "substringindex substringutf8 to_base64 tostring topleveldomain translate trimboth trimleft trimright ucase unhex",
    "upperutf8",
    # dates
    "adddate adddays addhours addminutes addmonths addquarters addseconds addweeks addyears age curdate current_date",
    "current_timestamp date date_add date_diff date_format date_sub date_trunc dateadd datediff datename datesub",
    "datetrunc day dayofmonth dayofweek dayofyear formatdatetime from_unixtime fromunixtimestamp",
    "fromunixtimestamp64milli hour last_day makedate makedatetime minute month monthname now now64 quarter second",
    "str_to_date subdate subtractdays subtracthours subtractminutes subtractmonths subtractquarters subtractseconds",
    "subtractweeks subtractyears timestamp timestamp_diff timestampadd timestampdiff timestampsub timeslot",
    "todayofmonth todayofweek todayofyear today tohour toisoweek toisoyear tolastdayofmonth tolastdayofweek tominute",
    "tomonday tomonth toquarter torelativedaynum torelativehournum torelativemonthnum torelativequarternum",
    "torelativeweeknum torelativeyearnum tosecond tostartofday tostartoffifteenminutes tostartoffiveminutes",
    "tostartofhour tostartofinterval tostartofisoyear tostartofminute tostartofmonth tostartofquarter tostartofsecond",
    "tostartoftenminutes tostartofweek tostartofyear totimezone tounixtimestamp toweek toyear toyearweek toyyyymm",
    "toyyyymmdd toyyyymmddhhmmss utctimestamp week year yearweek yesterday",
    # types
    "accuratecast accuratecastordefault accuratecastornull tobool todecimalstring tofixedstring tointervalday",
    "tointervalhour tointervalminute tointervalmonth tointervalquarter tointervalsecond tointervalweek tointervalyear",
    "tolowcardinality totypename",
    # arrays, tuples, maps, JSON
    "array array_to_string arrayall arrayavg arraycompact arrayconcat arraycount arraycumsum arraydifference",
    "arraydistinct arrayelement arrayenumerate arrayenumerateuniq arrayexcept arrayexists arrayfill arrayfilter",
    "arrayfirst arrayfirstindex arrayflatten arrayfold arrayintersect arrayjoin arraylast arraylastindex arraymap",
    "arraymax arraymin arrayproduct arraypushback arraypushfront arrayreverse arrayreversesort arrayslice arraysort",
    "arraysplit arraystringconcat arraysum arrayuniq arrayzip cardinality countequal flatten hasall hasany hassubstr",
    "indexof isvalidjson json_exists json_query json_value jsonarraylength jsonhas jsonlength jsontype map mapcontains",
    "mapcontainskey mapfromarrays mapkeys mapvalues range simplejsonextractbool simplejsonextractfloat",
    "simplejsonextractint simplejsonextractraw simplejsonextractstring simplejsonextractuint simplejsonhas",
    "tojsonstring tuple tupleconcat tupleelement unnest",
    # hashes, addresses, windows
    "cityhash64 crc32 farmhash64 inthash32 inthash64 md5 murmurhash3_32 murmurhash3_64 sha1 sha256 siphash64 xxhash32",
    "xxhash64 geodistance greatcircledistance pointinpolygon ipv4numtostring ipv4stringtonum ipv6numtostring",
    "ipv6stringtonum isipv4string isipv6string denserank grouping laginframe leadinframe nth_value percentrank",
    "nonnegativederivative rownumberinallblocks runningdifference",
)

CLICKHOUSE = Dialect(
    name="clickhouse",
    title="ClickHouse",
    sqlglot="clickhouse",
    quote=("`", "`"),
    case=NameCase.EXACT,
    truncate_month="toStartOfMonth({column})",
    hints=(
        "Year: toYear(col); month: toStartOfMonth(col), or as text formatDateTime(col, '%Y-%m').",
        "Functions and names are case-sensitive: countIf(x > 1), uniqExact(col), toDate('2024-01-31').",
        "Date arithmetic: today() - INTERVAL 2 MONTH; days between: dateDiff('day', earlier, later).",
        "Give a result a name that no column has: sum(amount) AS total ... ORDER BY total DESC.",
        "Write UNION ALL or UNION DISTINCT. Do not write FORMAT or SETTINGS.",
    ),
    instead={
        **dict.fromkeys(words("strftime to_char"), "formatDateTime(col, '%Y-%m')"),
        "to_date": "toDate(text)",
        "getdate": "now()",
        "julianday": "dateDiff('day', earlier, later)",
        "len": "length(col)",
        "nvl": "ifNull(col, value)",
        "iif": "if(condition, a, b)",
        "listagg": "arrayStringConcat(groupArray(col), ', ')",
        **dict.fromkeys(words("strpos charindex"), "position(text, part)"),
        "split_part": "splitByChar(',', text)[1]",
        "percentile_cont": "quantile(0.5)(col)",
        "percentile_disc": "quantileExact(0.5)(col)",
        "count_if": "countIf(condition)",
        "eomonth": "toLastDayOfMonth(col)",
        "generate_series": "numbers(n)",
        "regexp_matches": "match(text, 'pattern')",
    },
    codes=_CODES,
    errors=(
        (r"Unknown table expression identifier '(?P<name>[^']+)'", ErrorKind.TABLE_NOT_FOUND),
        (r"Table (?P<name>\S+) does(?:n't| not) exist|Database \S+ does(?:n't| not) exist", ErrorKind.TABLE_NOT_FOUND),
        (r"Unknown expression(?: or function)? identifier [`'](?P<name>[^`']+)[`']", ErrorKind.COLUMN_NOT_FOUND),
        (r"Identifier '(?P<name>[^']+)' cannot be resolved", ErrorKind.COLUMN_NOT_FOUND),
        (r"Missing columns: '(?P<name>[^']+)'|UNKNOWN_IDENTIFIER", ErrorKind.COLUMN_NOT_FOUND),
        (r"[Aa]mbiguous (?:identifier|column)s? '?(?P<name>[\w.]+)|AMBIGUOUS_", ErrorKind.AMBIGUOUS_COLUMN),
        (r"(?:Function with name|Unknown (?:aggregate )?function) [`']?(?P<name>\w+)", ErrorKind.FUNCTION_NOT_FOUND),
        (r"Column '?`?(?P<name>[^'`]+)'?`? is not under aggregate", ErrorKind.GROUPING),
        (r"NOT_AN_AGGREGATE|ILLEGAL_AGGREGATION|is found (?:inside|in WHERE)", ErrorKind.GROUPING),
        (r"\((?:TIMEOUT_EXCEEDED|TOO_SLOW|QUERY_WAS_CANCELLED)\)|Timeout exceeded", ErrorKind.TIMEOUT),
        (r"in readonly mode|\(READONLY\)", ErrorKind.NOT_READ_ONLY),
        (r"Not enough privileges|\((?:ACCESS_DENIED|AUTHENTICATION_FAILED)\)", ErrorKind.PERMISSION),
        (r"\((?:MEMORY_LIMIT_EXCEEDED|TOO_MANY_\w+|SET_SIZE_LIMIT_EXCEEDED)\)", ErrorKind.RESOURCE),
        (r"arguments? (?:of|for) (?:aggregate )?function (?P<name>\w+)", ErrorKind.TYPE_MISMATCH),
        (r"\((?:ILLEGAL_\w+|TYPE_MISMATCH|BAD_ARGUMENTS|NO_COMMON_TYPE|CANNOT_\w+)\)", ErrorKind.TYPE_MISMATCH),
        (
            r"\((?:NUMBER_OF_ARGUMENTS_\w+|INCORRECT_RESULT_\w+|DECIMAL_OVERFLOW|\w+_OUT_OF_\w+)\)",
            ErrorKind.TYPE_MISMATCH,
        ),
        (r"Syntax error|Expected (?:one of|ALL or DISTINCT)|UNION_ALL_RESULT_STRUCTURES", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset(),
    catalogue=r"(?:system|information_schema)$",
    has_fields=True,
    file_names=r"[/\\:*?]|\.\w+$",
    recursive_word=True,
    aggregates=_ALL_AGGREGATES | {f"{name}{suffix}" for name in _ALL_AGGREGATES for suffix in _COMBINATORS},
    functions=_FUNCTIONS | _FAMILIES | _MORE_FUNCTIONS | {"columns"},
    table_functions=words("numbers generate_series generateseries"),
    units=words("age date_add date_diff date_sub dateadd datediff datesub timestampadd timestampdiff timestampsub"),
    session=SessionSetup(
        read_only=_SETTINGS,
        timeout="SET max_execution_time = {s}",
        cancel="KILL QUERY WHERE query_id = '{id}' ASYNC",
        first_words=words("select with"),
        transactions=False,
    ),
    reads=_READS,
    probes=(
        Probe(
            layer="read-only setting",
            sql="SELECT toUInt8(getSetting('readonly') > 0)",
            advice="The user's profile fixes `readonly` at 0: give it a profile with readonly = 1, or leave it to us.",
        ),
        Probe(
            layer="statement timeout",
            sql="SELECT toUInt8(toFloat64(getSetting('max_execution_time')) > 0)",
            advice="The user's profile fixes `max_execution_time` at 0: give it a number of seconds.",
        ),
    ),
)
