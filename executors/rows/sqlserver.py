"""SQL Server."""

from executors.errors import ErrorKind
from executors.rows.row import COMMON, COMMON_AGGREGATES, Dialect, Limit, words

SQLSERVER = Dialect(
    name="sqlserver",
    title="SQL Server",
    sqlglot="tsql",
    quote=("[", "]"),
    limit=Limit.TOP,
    months_ago="DATEADD(month, -{n}, GETDATE())",
    truncate_month="DATETRUNC(month, {column})",
    hints=(
        "There is no LIMIT; write SELECT TOP 10 ... ORDER BY ...",
        "Date arithmetic: DATEADD(month, -2, GETDATE()); days between: DATEDIFF(day, a, b).",
        "Year: YEAR(col); month: DATETRUNC(month, col), or as text FORMAT(col, 'yyyy-MM').",
        "There are no booleans: col = 1. Join text with CONCAT(a, b).",
    ),
    instead={
        "date_trunc": "DATETRUNC(month, col)",
        "strftime": "FORMAT(col, 'yyyy-MM')",
        "to_char": "FORMAT(col, 'yyyy-MM')",
        "now": "GETDATE()",
        "length": "LEN(col)",
        "ifnull": "ISNULL(col, value)",
        "group_concat": "STRING_AGG(col, ', ')",
        "extract": "DATEPART(year, col)",
        "strpos": "CHARINDEX(part, text)",
        "instr": "CHARINDEX(part, text)",
        "substr": "SUBSTRING(col, 1, n)",
        "stddev": "STDEV(col)",
        "julianday": "DATEDIFF(day, earlier, later)",
    },
    errors=(
        (r"Invalid object name '(?P<name>[^']+)'", ErrorKind.TABLE_NOT_FOUND),
        (r"Ambiguous column name '(?P<name>[^']+)'", ErrorKind.AMBIGUOUS_COLUMN),
        (r"Invalid column name '(?P<name>[^']+)'", ErrorKind.COLUMN_NOT_FOUND),
        (r"multi-part identifier \"(?P<name>[^\"]+)\" could not be bound", ErrorKind.COLUMN_NOT_FOUND),
        (r"'(?P<name>\w+)' is not a recognized (?:built-in )?function name", ErrorKind.FUNCTION_NOT_FOUND),
        (r"Column '(?P<name>[^']+)' is invalid in the (?:select|HAVING|ORDER)", ErrorKind.GROUPING),
        (r"An aggregate may not appear|Windowed functions can only|GROUP BY clause", ErrorKind.GROUPING),
        (r"Conversion failed|Error converting|Operand type clash|overflow error", ErrorKind.TYPE_MISMATCH),
        (r"is invalid for argument|Divide by zero|incompatible|more than 1 value", ErrorKind.TYPE_MISMATCH),
        (r"HYT00|timeout expired|Operation cancell?ed|HY008", ErrorKind.TIMEOUT),
        (r"permission was denied|permission denied|not able to access the database", ErrorKind.PERMISSION),
        (r"insufficient system memory|insufficient disk space|query processor ran out", ErrorKind.RESOURCE),
        (r"Incorrect syntax|Unclosed quotation|is not valid in this context|is invalid in", ErrorKind.SYNTAX_ERROR),
        (r"No column name was specified|equal number of expressions", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset({"dbo"}),
    catalogue=r"sys|information_schema|INFORMATION_SCHEMA|master$|msdb$|tempdb$|model$",
    recursive_word=False,
    aggregates=COMMON_AGGREGATES
    | words(
        "string_agg approx_count_distinct percentile_cont percentile_disc checksum_agg count_big stdev stdevp var",
        "varp",
    ),
    functions=COMMON
    | words(
        "str char format iif soundex unicode current_timestamp json_array json_object cot grouping grouping_id",
        "greatest least ascii left len reverse right translate datediff datepart datetrunc day month year",
        "json_value atn2 rand square choose isnull isnumeric checksum binary_checksum hashbytes newid charindex",
        "difference datalength nchar patindex quotename string_escape stuff datefromparts date_bucket dateadd",
        "datediff_big datename datetime2fromparts datetimefromparts datetimeoffsetfromparts eomonth getdate",
        "getutcdate isdate smalldatetimefromparts switchoffset sysdatetime sysdatetimeoffset sysutcdatetime",
        "timefromparts todatetimeoffset isjson json_modify json_path_exists json_query",
    ),
    table_functions=words(
        "string_split generate_series",
    ),
)
