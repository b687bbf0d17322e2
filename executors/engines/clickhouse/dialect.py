"""ClickHouse."""

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
from executors.engines.clickhouse.functions import MORE_AGGREGATES, MORE_FUNCTIONS
from executors.errors import ErrorKind

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

_ALL_AGGREGATES = _AGGREGATES | MORE_AGGREGATES

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
    "isnull iszeroornull least less lessorequals multiif not notempty notequals nullif or tonullable transform",
    "xor",
    # text
    "appendtrailingcharifabsent ascii base64decode base64encode basename bin char char_length character_length",
    "concatwithseparator conv convertcharset countmatches countsubstrings countsubstringscaseinsensitive cutfragment",
    "cutquerystring cuttofirstsignificantsubdomain cutwww decodeurlcomponent domain domainwithoutwww editdistance",
    "encodeurlcomponent endswith extract extractall extracturlparameter format formatreadabledecimalsize",
    "formatreadablequantity formatreadablesize formatreadabletimedelta from_base64 hassubsequence hastoken hex",
    "ilike initcap instr jarosimilarity jarowinklersimilarity lcase left leftpad leftutf8 length lengthutf8",
    "levenshteindistance like locate lowerutf8 lpad match mid multisearchany ngramdistance notilike notlike",
    "octet_length path position positioncaseinsensitive positionutf8 printf protocol regexp_extract regexp_replace",
    "regexpextract repeat replaceall replaceone replaceregexpall replaceregexpone reverse reverseutf8 right",
    "rightpad rightutf8 rpad soundex space splitbychar splitbynonalpha splitbyregexp splitbystring",
    "splitbywhitespace startswith substr substring_index substringindex substringutf8 to_base64 tostring",
    "topleveldomain translate trimboth trimleft trimright ucase unhex upperutf8",
    # dates
    "adddate adddays addhours addminutes addmonths addquarters addseconds addweeks addyears age curdate current_date",
    "current_timestamp date date_add date_diff date_format date_sub date_trunc dateadd datediff datename datesub",
    "datetrunc day dayofmonth dayofweek dayofyear formatdatetime from_unixtime fromunixtimestamp",
    "fromunixtimestamp64milli hour last_day makedate makedatetime minute month monthname now now64 parsedatetime",
    "parsedatetimebesteffort parsedatetimebesteffortornull parsedatetimebesteffortorzero parsedatetimeornull quarter",
    "second str_to_date subdate subtractdays subtracthours subtractminutes subtractmonths subtractquarters",
    "subtractseconds subtractweeks subtractyears timestamp timestamp_diff timestampadd timestampdiff timestampsub",
    "timeslot todayofmonth todayofweek todayofyear today tohour toisoweek toisoyear tolastdayofmonth tolastdayofweek",
    "tominute tomonday tomonth toquarter torelativedaynum torelativehournum torelativemonthnum torelativequarternum",
    "torelativeweeknum torelativeyearnum tosecond tostartofday tostartoffifteenminutes tostartoffiveminutes",
    "tostartofhour tostartofinterval tostartofisoyear tostartofminute tostartofmonth tostartofquarter",
    "tostartofsecond tostartoftenminutes tostartofweek tostartofyear totimezone tounixtimestamp toweek toyear",
    "toyearweek toyyyymm toyyyymmdd toyyyymmddhhmmss utctimestamp week year yearweek yesterday",
    # types
    "accuratecast accuratecastordefault accuratecastornull tobool todate todate32 todateornull todateorzero todatetime",
    "todatetime64 todatetime64ornull todatetimeornull todatetimeorzero todecimal128 todecimal32 todecimal64",
    "todecimal32ornull todecimal64ornull todecimal128ornull todecimalstring tofixedstring tofloat32 tofloat32ornull",
    "tofloat32orzero tofloat64 tofloat64ornull tofloat64orzero toint128 toint16 toint256 toint32 toint32ornull",
    "toint32orzero toint64 toint64ornull toint64orzero toint8 tointervalday tointervalhour tointervalminute",
    "tointervalmonth tointervalquarter tointervalsecond tointervalweek tointervalyear tolowcardinality totypename",
    "touint128 touint16 touint256 touint32 touint32ornull touint32orzero touint64 touint64ornull touint64orzero",
    "touint8 touuid touuidornull",
    # arrays, tuples, maps, JSON
    "array array_to_string arrayall arrayavg arraycompact arrayconcat arraycount arraycumsum arraydifference",
    "arraydistinct arrayelement arrayenumerate arrayenumerateuniq arrayexcept arrayexists arrayfill arrayfilter",
    "arrayfirst arrayfirstindex arrayflatten arrayfold arrayintersect arrayjoin arraylast arraylastindex arraymap",
    "arraymax arraymin arrayproduct arraypushback arraypushfront arrayreverse arrayreversesort arrayslice arraysort",
    "arraysplit arraystringconcat arraysum arrayuniq arrayzip cardinality countequal flatten hasall hasany hassubstr",
    "indexof isvalidjson json_exists json_query json_value jsonarraylength jsonextract jsonextractarrayraw",
    "jsonextractbool jsonextractfloat jsonextractint jsonextractkeys jsonextractkeysandvalues jsonextractraw",
    "jsonextractstring jsonextractuint jsonhas jsonlength jsontype map mapcontains mapcontainskey mapfromarrays",
    "mapkeys mapvalues range simplejsonextractbool simplejsonextractfloat simplejsonextractint simplejsonextractraw",
    "simplejsonextractstring simplejsonextractuint simplejsonhas tojsonstring tuple tupleconcat tupleelement unnest",
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
    functions=_FUNCTIONS | MORE_FUNCTIONS | {"columns"},
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
