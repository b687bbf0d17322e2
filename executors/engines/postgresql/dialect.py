"""PostgreSQL."""

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
    read_words,
    words,
)
from executors.errors import ErrorKind

_WORDS = read_words(__file__)


# Tables of which the user may read a column, without the server's own, and without partitions of a table that is
# included itself. `whole`: whether every column may be read.
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
        "SET standard_conforming_strings = on",  # quotes mean the same as in the guard
        "SET row_security = on",
        "SET cursor_tuple_fraction = 1",  # optimize for all rows, not for the first ones
        "SET idle_in_transaction_session_timeout = '60s'",  # a hanging process keeps no snapshot and no lock
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
    # Enums, ranges, and domains over these or over built-in types, unless a CHECK calls a user-defined function. Row
    # types, and types with the name of any table, are not included, because their fields are columns.
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
    # A column without frequent values has bounds of a histogram, which are values, too. A partitioned table has only
    # statistics of all its rows. A table with inheriting tables has both kinds; those of all rows come last.
    samples="""
        SELECT s.schemaname, s.tablename, s.attname,
               array_to_json((coalesce(s.most_common_vals::text, s.histogram_bounds::text)::text[])[1:{n}])::text
        FROM pg_catalog.pg_stats s
        WHERE s.schemaname NOT IN ('pg_catalog', 'information_schema')
        ORDER BY s.inherited
    """,
    head="substr({column}::text, 1, {n})",
)


_FUNCTIONS = COMMON | _WORDS["functions"]

POSTGRESQL = Dialect(
    name="postgresql",
    title="PostgreSQL",
    sqlglot="postgres",
    reserved=_WORDS["reserved"],
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
    aggregates=COMMON_AGGREGATES | _WORDS["aggregates"],
    functions=_FUNCTIONS,
    table_functions=_FUNCTIONS | {"json_table"},  # any function can be called in FROM, where it returns rows
    probes=_PROBES,
)
