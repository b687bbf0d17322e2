"""SQL Server."""

from executors.dialects.row import (
    COMMON,
    COMMON_AGGREGATES,
    READERS_LOGIN,
    Dialect,
    Lexis,
    Limit,
    Probe,
    SchemaQueries,
    SessionSetup,
    map_codes,
    read_words,
    words,
)
from executors.engines.postgresql.dialect import POSTGRESQL
from executors.errors import ErrorKind

_WORDS = read_words(__file__)

_SESSION = SessionSetup(
    wishes=(
        "SET DEADLOCK_PRIORITY LOW",  # a query yields to the work of others
        "SET ARITHABORT ON",  # as in the server's own tools, for the same plans and the use of indexed views
    ),
    # The server ends a statement that waits for a lock; the driver's timeout ends a running query.
    timeout="SET LOCK_TIMEOUT {ms}",
    first_words=frozenset({"select", "with"}),  # a name alone would call a procedure
    lexis=Lexis.TSQL,
    statement_words=words(
        "alter backup begin break bulk checkpoint close commit continue create dbcc deallocate declare delete deny",
        "disk drop dump exec execute goto grant if insert into kill load merge open opendatasource openquery",
        "openrowset print raiserror readtext reconfigure restore return revert revoke rollback save set setuser",
        "shutdown tran transaction trigger truncate update updatetext use waitfor while writetext",
    )
    | {"next value for"},  # a sequence does not take a drawn number back
)

_PROBES = (
    Probe(
        layer="never committed",
        sql="SELECT CASE WHEN @@OPTIONS & 2 = 2 OR @@TRANCOUNT > 0 THEN 1 ELSE 0 END",
        advice="The driver commits by itself: take `autocommit` out of the address.",
    ),
    Probe(
        layer="lock timeout",
        sql="SELECT CASE WHEN @@LOCK_TIMEOUT > 0 THEN 1 ELSE 0 END",
        advice="A proxy between may reset what a session sets: connect without it.",
    ),
    Probe(
        layer=READERS_LOGIN,
        sql="""
            SELECT CASE WHEN IS_SRVROLEMEMBER('sysadmin') = 1 OR IS_ROLEMEMBER('db_owner') = 1
                     OR IS_ROLEMEMBER('db_datawriter') = 1 OR IS_ROLEMEMBER('db_ddladmin') = 1
                     OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'INSERT') = 1
                     OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'UPDATE') = 1
                     OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'DELETE') = 1
                     OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'ALTER') = 1
                     OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'EXECUTE') = 1
                     OR EXISTS (
                         SELECT 1 FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id
                         CROSS JOIN (VALUES ('INSERT'), ('UPDATE'), ('DELETE'), ('ALTER')) AS p (permission)
                         WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0
                           AND HAS_PERMS_BY_NAME(
                               QUOTENAME(s.name) + '.' + QUOTENAME(o.name), 'OBJECT', p.permission) = 1
                     )
                   THEN 0 ELSE 1 END
        """,
        advice="This login can write: use a reader's, a member of db_datareader and of no other role.",
    ),
)

# Tables and views of users, without the server's own and those of its diagram tool.
_OBJECTS = """
    sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id
"""
_VISIBLE = """
    o.type IN ('U', 'V') AND o.is_ms_shipped = 0 AND o.name <> 'sysdiagrams'
"""

_READS = SchemaQueries(
    default_schema="SELECT SCHEMA_NAME()",
    # Ten times the major version, like compatibility levels. Azure's services have the functions of the newest version.
    version="""
        SELECT CASE WHEN CAST(SERVERPROPERTY('EngineEdition') AS int) IN (5, 6, 8, 11, 12) THEN 999
                    ELSE 10 * CAST(SERVERPROPERTY('ProductMajorVersion') AS int) END,
               CAST(compatibility_level AS int)
        FROM sys.databases WHERE name = DB_NAME()
    """,
    tables=f"""
        SELECT s.name, o.name, CASE WHEN o.type = 'V' THEN 1 ELSE 0 END, CAST(p.value AS nvarchar(4000)), r.row_count
        FROM {_OBJECTS}
        LEFT JOIN sys.extended_properties p
            ON p.class = 1 AND p.major_id = o.object_id AND p.minor_id = 0 AND p.name = 'MS_Description'
        LEFT JOIN (
            SELECT object_id, SUM(rows) AS row_count FROM sys.partitions WHERE index_id IN (0, 1) GROUP BY object_id
        ) r ON r.object_id = o.object_id
        WHERE {_VISIBLE}
        ORDER BY s.name, o.name
    """,
    columns=f"""
        SELECT s.name, o.name, c.name,
               CASE
                   WHEN b.name IN ('varchar', 'nvarchar', 'varbinary') AND c.max_length = -1
                       THEN CONCAT(b.name, '(max)')
                   WHEN b.name IN ('nvarchar', 'nchar') THEN CONCAT(b.name, '(', c.max_length / 2, ')')
                   WHEN b.name IN ('varchar', 'char', 'varbinary', 'binary') THEN CONCAT(b.name, '(', c.max_length, ')')
                   WHEN b.name IN ('decimal', 'numeric') THEN CONCAT(b.name, '(', c.precision, ',', c.scale, ')')
                   WHEN b.name IN ('time', 'datetime2', 'datetimeoffset') THEN CONCAT(b.name, '(', c.scale, ')')
                   ELSE COALESCE(b.name, t.name)
               END,
               CASE WHEN c.is_nullable = 1 THEN 1 ELSE 0 END, CAST(p.value AS nvarchar(4000))
        FROM {_OBJECTS}
        JOIN sys.columns c ON c.object_id = o.object_id
        JOIN sys.types t ON t.user_type_id = c.user_type_id
        LEFT JOIN sys.types b ON b.user_type_id = c.system_type_id
        LEFT JOIN sys.extended_properties p
            ON p.class = 1 AND p.major_id = c.object_id AND p.minor_id = c.column_id AND p.name = 'MS_Description'
        WHERE {_VISIBLE} AND c.is_hidden = 0
        ORDER BY s.name, o.name, c.column_id
    """,
    # The standard views. Every Transact-SQL server has them, and they show the tables that the user may read.
    plain_tables="""
        SELECT TABLE_SCHEMA, TABLE_NAME, CASE WHEN TABLE_TYPE = 'VIEW' THEN 1 ELSE 0 END, NULL, NULL
        FROM INFORMATION_SCHEMA.TABLES
        WHERE TABLE_NAME <> 'sysdiagrams' AND TABLE_SCHEMA <> 'sys'
        ORDER BY TABLE_SCHEMA, TABLE_NAME
    """,
    plain_columns="""
        SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME,
               CASE
                   WHEN CHARACTER_MAXIMUM_LENGTH = -1 AND DATA_TYPE <> 'xml' THEN CONCAT(DATA_TYPE, '(max)')
                   WHEN DATA_TYPE IN ('varchar', 'nvarchar', 'char', 'nchar', 'varbinary', 'binary')
                       THEN CONCAT(DATA_TYPE, '(', CHARACTER_MAXIMUM_LENGTH, ')')
                   WHEN DATA_TYPE IN ('decimal', 'numeric')
                       THEN CONCAT(DATA_TYPE, '(', NUMERIC_PRECISION, ',', NUMERIC_SCALE, ')')
                   WHEN DATA_TYPE IN ('time', 'datetime2', 'datetimeoffset')
                       THEN CONCAT(DATA_TYPE, '(', DATETIME_PRECISION, ')')
                   ELSE DATA_TYPE
               END,
               CASE WHEN IS_NULLABLE = 'YES' THEN 1 ELSE 0 END, NULL
        FROM INFORMATION_SCHEMA.COLUMNS
        ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION
    """,
    primary_keys=f"""
        SELECT s.name, o.name, c.name
        FROM {_OBJECTS}
        JOIN sys.key_constraints k ON k.parent_object_id = o.object_id AND k.type = 'PK'
        JOIN sys.index_columns x ON x.object_id = k.parent_object_id AND x.index_id = k.unique_index_id
        JOIN sys.columns c ON c.object_id = x.object_id AND c.column_id = x.column_id
        WHERE {_VISIBLE} AND x.key_ordinal > 0
        ORDER BY s.name, o.name, x.key_ordinal
    """,
    foreign_keys=f"""
        SELECT s.name, o.name, f.name, c.name, rs.name, ro.name, rc.name
        FROM {_OBJECTS}
        JOIN sys.foreign_keys f ON f.parent_object_id = o.object_id
        JOIN sys.foreign_key_columns k ON k.constraint_object_id = f.object_id
        JOIN sys.columns c ON c.object_id = k.parent_object_id AND c.column_id = k.parent_column_id
        JOIN sys.objects ro ON ro.object_id = k.referenced_object_id
        JOIN sys.schemas rs ON rs.schema_id = ro.schema_id
        JOIN sys.columns rc ON rc.object_id = k.referenced_object_id AND rc.column_id = k.referenced_column_id
        WHERE {_VISIBLE}
        ORDER BY s.name, o.name, f.name, k.constraint_column_id
    """,
    # The newest statistic of each text column that has one. Its steps are values of the column, with their numbers of
    # rows. One row per value, or one with NULL if no value is frequent, because STRING_AGG needs SQL Server 2017.
    samples=f"""
        SELECT s.name, o.name, c.name,
               CASE WHEN h.value IS NOT NULL THEN CONCAT('["', STRING_ESCAPE(h.value, 'json'), '"]') END
        FROM {_OBJECTS}
        JOIN sys.columns c ON c.object_id = o.object_id
        JOIN (
            SELECT y.object_id, y.column_id, MAX(y.stats_id) AS stats_id
            FROM sys.stats_columns y JOIN sys.stats z ON z.object_id = y.object_id AND z.stats_id = y.stats_id
            WHERE y.stats_column_id = 1 AND z.has_filter = 0
            GROUP BY y.object_id, y.column_id
        ) x ON x.object_id = c.object_id AND x.column_id = c.column_id
        OUTER APPLY (
            SELECT TOP ({{n}}) CAST(g.range_high_key AS nvarchar(200)) AS value, g.equal_rows, g.step_number
            FROM sys.dm_db_stats_histogram(x.object_id, x.stats_id) g
            WHERE g.range_high_key IS NOT NULL AND g.equal_rows > 1
            ORDER BY g.equal_rows DESC, g.step_number
        ) h
        WHERE {_VISIBLE} AND c.system_type_id IN (167, 175, 231, 239) AND c.max_length BETWEEN 1 AND 1000
        ORDER BY s.name, o.name, c.column_id, h.equal_rows DESC, h.step_number
    """,
    samples_by_column=True,
    first_rows="SELECT TOP ({n}) {columns} FROM {table}",
)

_LONG = "The text, or binary value, is longer than the column takes: write a shorter one."
_TAKEN = "A row with that key is there already: choose another value, or change that row."
_TRIGGER = "A trigger of the table does not allow it; nothing was changed."
_UNREADABLE = "The driver cannot read the type of a column, such as sql_variant: CAST it to nvarchar(4000)."
# Advice by the server's number, if its message does not explain enough.
_ADVICE = {
    "104": "With UNION, INTERSECT or EXCEPT, order by a column of the select list, by its name or its number.",
    "108": "The number in ORDER BY counts the columns of the select list, from 1.",
    "116": "Select one column in the subquery, or ask EXISTS (SELECT ...).",
    "155": "The parts of a date are year, quarter, month, week, weekday, day, hour, minute and second.",
    "240": "CAST that column to the same type in both parts of the recursive query.",
    "243": "The types are int, bigint, decimal(p, s), float, bit, nvarchar(n), date, time, datetime2 and others.",
    "306": "CAST the column to nvarchar(max) before it is compared, sorted or grouped.",
    "468": "Write COLLATE DATABASE_DEFAULT behind the columns on both sides.",
    "530": "A recursive query may take 100 steps: end it sooner, by a condition in its second part.",
    "535": "Use DATEDIFF_BIG, or a larger part of the date.",
    "537": "A length was below 0: look with CASE WHEN CHARINDEX(...) > 0 whether the part is there at all.",
    "1038": "Give every column of a subquery a name: ... AS name.",
    "3623": "LOG takes what is above 0, SQRT what is not below 0: NULLIF or CASE keeps the others out.",
    "4109": "Compute the inner function in a CTE, and the outer one from there.",
    "4112": "Write ... OVER (ORDER BY col).",
    "10753": "Write ... OVER (PARTITION BY col ORDER BY col), or OVER ().",
    "515": "That column must have a value.",
    "547": "A key or a check stands against it: a row that is referred to must be there, and others may refer to this.",
    **dict.fromkeys(("2601", "2627"), _TAKEN),
    **dict.fromkeys(("2628", "8152"), _LONG),
    **dict.fromkeys(("3609", "3616", "50000"), _TRIGGER),
    "1205": "Another transaction was in its way, twice for a query; ask again in a moment, nothing need be changed.",
    **dict.fromkeys(("HY091", "HY106"), _UNREADABLE),
}

SQLSERVER = Dialect(
    ignores_case=True,
    name="sqlserver",
    title="SQL Server",
    sqlglot="tsql",
    reserved=_WORDS["reserved"],
    quote=("[", "]"),
    limit=Limit.TOP,
    truncate_month="DATETRUNC(month, {column})",
    hints=(
        "There is no LIMIT; write SELECT TOP 10 ... ORDER BY ...",
        "Date arithmetic: DATEADD(month, -2, GETDATE()); days between: DATEDIFF(day, a, b).",
        "Year: YEAR(col); month: DATETRUNC(month, col), or as text FORMAT(col, 'yyyy-MM').",
        "There are no booleans: col = 1. Join text with CONCAT(a, b).",
    ),
    instead={
        "date_trunc": "DATETRUNC(month, col)",
        **dict.fromkeys(words("strftime to_char"), "FORMAT(col, 'yyyy-MM')"),
        "now": "GETDATE()",
        "length": "LEN(col)",
        "ifnull": "ISNULL(col, value)",
        "group_concat": "STRING_AGG(col, ', ')",
        "extract": "DATEPART(year, col)",
        **dict.fromkeys(words("strpos instr"), "CHARINDEX(part, text)"),
        "substr": "SUBSTRING(col, 1, n)",
        "stddev": "STDEV(col)",
        "julianday": "DATEDIFF(day, earlier, later)",
    },
    # 1205: chosen as the victim of a deadlock; HY091, HY106: a type that the driver cannot read.
    codes=map_codes(
        {
            ErrorKind.TABLE_NOT_FOUND: "208 1087",
            ErrorKind.COLUMN_NOT_FOUND: "207 1911 4104",
            ErrorKind.AMBIGUOUS_COLUMN: "209",
            ErrorKind.FUNCTION_NOT_FOUND: "195 4121",
            ErrorKind.SYNTAX_ERROR: (
                "102 104 105 107 108 113 116 137 155 156 174 189 205 263 319 1033 1038 4145 8155 8156"
            ),
            ErrorKind.GROUPING: "130 144 145 147 164 4108 4109 4112 8120 8121 8126 8127 10753",
            ErrorKind.TYPE_MISMATCH: (
                "206 220 240 241 242 243 245 248 306 402 421 468 517 529 535 537 3623 8114 8115 8116 8117 8169 HY091 "
                "HY106"
            ),
            ErrorKind.SEVERAL_ROWS: "512",
            ErrorKind.DIVISION_BY_ZERO: "8134",
            ErrorKind.CONSTRAINT: "515 547 2601 2627 2628 3609 3616 8152 50000",
            ErrorKind.PERMISSION: "229 230 297 300 371 916",
            ErrorKind.NOT_READ_ONLY: "3906",
            ErrorKind.TIMEOUT: "1222 HY008 HYT00 HYT01",
            ErrorKind.RESOURCE: (
                "530 701 1101 1105 1204 1205 8623 8631 8632 8645 8651 8657 9002 10928 10929 40501 40544 40549 40550 "
                "40551 40552 40553"
            ),
        }
    ),
    deadlocks=frozenset({"1205"}),
    lock_waits=frozenset({"1222"}),
    advice=_ADVICE,
    errors=(
        (r"(?i)Invalid object name '(?P<name>[^']+)'", ErrorKind.TABLE_NOT_FOUND),
        (r"(?i)Ambiguous column name '(?P<name>[^']+)'", ErrorKind.AMBIGUOUS_COLUMN),
        (r"(?i)Invalid column name '(?P<name>[^']+)'", ErrorKind.COLUMN_NOT_FOUND),
        (r"multi-part identifier \"(?P<name>[^\"]+)\" could not be bound", ErrorKind.COLUMN_NOT_FOUND),
        (r"'(?P<name>\w+)' is not a recognized (?:built-in )?function name", ErrorKind.FUNCTION_NOT_FOUND),
        (r"Column '(?P<name>[^']+)' is invalid in the (?:select|HAVING|ORDER)", ErrorKind.GROUPING),
        (r"An aggregate may not appear|Windowed functions can only|GROUP BY clause", ErrorKind.GROUPING),
        (r"ODBC SQL type -?\d+ is not yet supported", ErrorKind.TYPE_MISMATCH),
        (r"Conversion failed|Error converting|Operand type clash|overflow error", ErrorKind.TYPE_MISMATCH),
        (r"is invalid for argument|Divide by zero|incompatible|more than 1 value", ErrorKind.TYPE_MISMATCH),
        (r"HYT00|timeout expired|Operation cancell?ed|HY008", ErrorKind.TIMEOUT),
        (r"permission was denied|permission denied|not able to access the database", ErrorKind.PERMISSION),
        (r"insufficient system memory|insufficient disk space|query processor ran out", ErrorKind.RESOURCE),
        (r"Incorrect syntax|Unclosed quotation|is not valid in this context|is invalid in", ErrorKind.SYNTAX_ERROR),
        (r"No column name was specified|equal number of expressions", ErrorKind.SYNTAX_ERROR),
        # Babelfish supports Transact-SQL, but many of its errors have PostgreSQL's text, and most have the same number.
        (r"is not (?:currently |yet )?supported", ErrorKind.SYNTAX_ERROR),
        (r"violates \S+ constraint", ErrorKind.CONSTRAINT),
        *POSTGRESQL.errors,
    ),
    schemas=frozenset({"dbo"}),
    session=_SESSION,
    reads=_READS,
    catalogue=r"sys|information_schema|INFORMATION_SCHEMA|master$|msdb$|tempdb$|model$",
    recursive_word=False,
    integer_division=True,
    aggregates=COMMON_AGGREGATES | _WORDS["aggregates"],
    functions=COMMON | _WORDS["functions"],
    oldest=130,
    # The version, and the compatibility level if that counts too.
    needs={
        **dict.fromkeys(words("string_agg concat_ws translate trim"), (140,)),
        "approx_count_distinct": (150,),
        **dict.fromkeys(words("datetrunc date_bucket greatest least bit_count get_bit set_bit left_shift"), (160,)),
        **dict.fromkeys(words("right_shift json_array json_object json_path_exists"), (160,)),
        **dict.fromkeys(words("approx_percentile_cont approx_percentile_disc"), (160,)),
        "string_split": (130, 130),
        "generate_series": (160, 160),
    },
    without={
        "datetrunc": "DATEFROMPARTS(YEAR({column}), MONTH({column}), 1)",
        "string_agg": "STUFF((SELECT ', ' + {column} FROM t FOR XML PATH('')), 1, 2, '')",
        "concat_ws": "CONCAT(a, ', ', b)",
        "trim": "LTRIM(RTRIM({column}))",
        "greatest": "CASE WHEN a >= b THEN a ELSE b END",
        "least": "CASE WHEN a <= b THEN a ELSE b END",
        "generate_series": "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 10)",
        "approx_count_distinct": "COUNT(DISTINCT {column})",
        "date_bucket": "DATEADD(week, DATEDIFF(week, 0, {column}), 0)",
    },
    table_functions=words(
        "string_split generate_series regexp_matches regexp_split_to_table",
    ),
    units=words("date_bucket dateadd datediff datediff_big datename datepart datetrunc"),
    formatters=frozenset(),  # FORMAT formats dates
    variables=words("datefirst langid language max_precision textsize rowcount error fetch_status trancount nestlevel"),
    probes=_PROBES,
)
