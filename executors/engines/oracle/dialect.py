"""Oracle."""

from executors.dialects.row import (
    ASK_AGAIN,
    COMMON,
    COMMON_AGGREGATES,
    Dialect,
    Limit,
    NameCase,
    SchemaQueries,
    SessionSetup,
    map_codes,
    read_words,
    words,
)
from executors.errors import ErrorKind

_WORDS = read_words(__file__)

# Oracle's own objects and the logs of materialised views are left out.
_OWN = "SELECT username FROM all_users WHERE oracle_maintained = 'N'"
_PLACE = "ROW_NUMBER() OVER (PARTITION BY owner, table_name, column_name ORDER BY frequency DESC, value)"

_READS = SchemaQueries(
    default_schema="SELECT SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') FROM dual",
    tables=f"""
        SELECT o.owner, o.name, o.is_view, c.comments, o.num_rows
        FROM (
            SELECT owner, table_name AS name, 0 AS is_view, num_rows FROM all_tables
            WHERE nested = 'NO' AND secondary = 'N' AND dropped = 'NO' AND table_name NOT LIKE 'MLOG$%'
            UNION ALL
            SELECT owner, view_name, 1, NULL FROM all_views
        ) o
        LEFT JOIN all_tab_comments c ON c.owner = o.owner AND c.table_name = o.name
        WHERE o.owner IN ({_OWN})
        ORDER BY o.owner, o.name
    """,
    columns=f"""
        SELECT t.owner, t.table_name, t.column_name,
               CASE WHEN t.char_length > 0 THEN t.data_type || '(' || t.char_length || ')'
                    WHEN t.data_type = 'NUMBER' AND t.data_precision IS NOT NULL
                    THEN 'NUMBER(' || t.data_precision || ',' || t.data_scale || ')'
                    ELSE t.data_type END,
               CASE WHEN t.nullable = 'N' THEN 0 ELSE 1 END, c.comments
        FROM all_tab_columns t
        LEFT JOIN all_col_comments c
          ON c.owner = t.owner AND c.table_name = t.table_name AND c.column_name = t.column_name
        WHERE t.owner IN ({_OWN})
        ORDER BY t.owner, t.table_name, t.column_id
    """,
    primary_keys=f"""
        SELECT k.owner, k.table_name, k.column_name
        FROM all_constraints c
        JOIN all_cons_columns k ON k.owner = c.owner AND k.constraint_name = c.constraint_name
        WHERE c.constraint_type = 'P' AND c.owner IN ({_OWN})
        ORDER BY k.owner, k.table_name, k.position
    """,
    foreign_keys=f"""
        SELECT k.owner, k.table_name, c.constraint_name, k.column_name, r.owner, r.table_name, r.column_name
        FROM all_constraints c
        JOIN all_cons_columns k ON k.owner = c.owner AND k.constraint_name = c.constraint_name
        JOIN all_cons_columns r
          ON r.owner = c.r_owner AND r.constraint_name = c.r_constraint_name AND r.position = k.position
        WHERE c.constraint_type = 'R' AND c.owner IN ({_OWN})
        ORDER BY k.owner, k.table_name, c.constraint_name, k.position
    """,
    # A histogram of frequencies has an entry per value, with the rows up to it.
    samples=f"""
        SELECT owner, table_name, column_name, JSON_ARRAYAGG(value ORDER BY place)
        FROM (
            SELECT owner, table_name, column_name, value, {_PLACE} AS place
            FROM (
                SELECT h.owner, h.table_name, h.column_name, h.endpoint_actual_value AS value,
                       h.endpoint_number - LAG(h.endpoint_number, 1, 0) OVER (
                           PARTITION BY h.owner, h.table_name, h.column_name ORDER BY h.endpoint_number) AS frequency
                FROM all_tab_histograms h
                JOIN all_tab_col_statistics s
                  ON s.owner = h.owner AND s.table_name = h.table_name AND s.column_name = h.column_name
                WHERE s.histogram IN ('FREQUENCY', 'TOP-FREQUENCY') AND h.owner IN ({_OWN})
            )
            WHERE value IS NOT NULL
        )
        WHERE place <= {{n}}
        GROUP BY owner, table_name, column_name
    """,
    first_rows="SELECT {columns} FROM {table} FETCH FIRST {n} ROWS ONLY",
    head="SUBSTR({column}, 1, {n})",
)

# Common functions that Oracle does not have. A schema may have functions with these names.
_ELSEWHERE = words("ceiling concat_ws degrees log10 pi radians substring")

ORACLE = Dialect(
    name="oracle",
    title="Oracle",
    sqlglot="oracle",
    reserved=_WORDS["reserved"],
    named_by_text=True,
    case=NameCase.UPPER,
    limit=Limit.FETCH,
    truncate_month="TRUNC({column}, 'MM')",
    hints=(
        "There is no LIMIT; write ORDER BY ... FETCH FIRST 10 ROWS ONLY.",
        "Date arithmetic: ADD_MONTHS(SYSDATE, -2); days between: later - earlier. A date is DATE '2024-01-31'.",
        "Year: EXTRACT(YEAR FROM col); month: TRUNC(col, 'MM'), or as text TO_CHAR(col, 'YYYY-MM').",
        "A table's alias has no AS: FROM orders o. Values without a table come FROM dual: SELECT SYSDATE FROM dual.",
        "The empty text '' is NULL: write col IS NULL, never col = ''. There are no booleans: col = 1.",
    ),
    instead={
        "date_trunc": "TRUNC(col, 'MM')",
        **dict.fromkeys(words("dateadd date_add"), "ADD_MONTHS(col, 1), or col + 7 for days"),
        **dict.fromkeys(words("datediff julianday"), "later - earlier"),
        **dict.fromkeys(words("strftime date_format format"), "TO_CHAR(col, 'YYYY-MM')"),
        "year": "EXTRACT(YEAR FROM col)",
        "month": "EXTRACT(MONTH FROM col)",
        "day": "EXTRACT(DAY FROM col)",
        **dict.fromkeys(words("now getdate"), "SYSDATE"),
        **dict.fromkeys(words("ifnull isnull"), "NVL(col, value)"),
        **dict.fromkeys(words("iif if"), "CASE WHEN condition THEN a ELSE b END"),
        "len": "LENGTH(col)",
        **dict.fromkeys(words("substring left"), "SUBSTR(col, 1, n)"),
        "ceiling": "CEIL(col)",
        "log10": "LOG(10, col)",
        "concat_ws": "a || ', ' || b",
        **dict.fromkeys(words("group_concat string_agg"), "LISTAGG(col, ', ') WITHIN GROUP (ORDER BY col)"),
        **dict.fromkeys(words("strpos charindex position"), "INSTR(text, part)"),
        "right": "SUBSTR(col, -n)",
        "total": "SUM(col)",
    },
    deadlocks=frozenset({"ORA-00060", "ORA-08177"}),
    lock_waits=frozenset({"ORA-00054", "ORA-30006"}),
    advice=dict.fromkeys(("ORA-00060", "ORA-08177"), ASK_AGAIN),
    codes=map_codes(
        {
            ErrorKind.CONSTRAINT: "ORA-00001 ORA-01400 ORA-01407 ORA-02290 ORA-02291 ORA-02292 ORA-12899",
            ErrorKind.TIMEOUT: "DPY-4024 ORA-00040 ORA-00054 ORA-01013 ORA-30006",
            ErrorKind.RESOURCE: (
                "ORA-00060 ORA-01489 ORA-01555 ORA-01652 ORA-02393 ORA-04030 ORA-04031 ORA-04036 ORA-08177 ORA-32044"
            ),
            ErrorKind.TABLE_NOT_FOUND: "ORA-00903 ORA-00942 ORA-04043",
            ErrorKind.COLUMN_NOT_FOUND: "ORA-00904",
            ErrorKind.AMBIGUOUS_COLUMN: "ORA-00918 ORA-00960",
            ErrorKind.SYNTAX_ERROR: (
                "ORA-00900 ORA-00905 ORA-00906 ORA-00907 ORA-00911 ORA-00917 ORA-00920 ORA-00921 ORA-00923 ORA-00924 "
                "ORA-00933 ORA-00936 ORA-01756 ORA-01789 ORA-02000 ORA-03048 ORA-03049"
            ),
            ErrorKind.TYPE_MISMATCH: (
                "ORA-00909 ORA-00932 ORA-00939 ORA-01426 ORA-01722 ORA-01790 ORA-01821 ORA-01830 ORA-01839 ORA-01840 "
                "ORA-01841 ORA-01843 ORA-01847 ORA-01858 ORA-01861 ORA-01873 ORA-12704 ORA-30081"
            ),
            ErrorKind.GROUPING: "ORA-00934 ORA-00935 ORA-00937 ORA-00978 ORA-00979 ORA-01785 ORA-01791 ORA-30483",
            ErrorKind.SEVERAL_ROWS: "ORA-01427",
            ErrorKind.DIVISION_BY_ZERO: "ORA-01476",
            ErrorKind.PERMISSION: "ORA-01031 ORA-41900",
            ErrorKind.NOT_READ_ONLY: "ORA-01456 ORA-16000",
        }
    ),
    errors=(
        (r"ORA-00942: table or view (?:\"[^\"]+\"\.)?\"(?P<name>[^\"]+)\" does not", ErrorKind.TABLE_NOT_FOUND),
        (r"ORA-00942|ORA-00903", ErrorKind.TABLE_NOT_FOUND),
        (
            r"ORA-00904: (?:\"[^\"]+\"\.)??(?:\"(?P<table>[^\"]+)\"\.)?\"(?P<name>[^\"]+)\": inv",
            ErrorKind.COLUMN_NOT_FOUND,
        ),
        (r"ORA-00904", ErrorKind.COLUMN_NOT_FOUND),
        (r"ORA-00918: (?P<name>[\w$#\".]+): column ambiguously", ErrorKind.AMBIGUOUS_COLUMN),
        (r"ORA-00918", ErrorKind.AMBIGUOUS_COLUMN),
        (r"ORA-009(?:79|37|34|35|78)|ORA-01785|ORA-01791", ErrorKind.GROUPING),
        (r"ORA-(?:00932|01722|01790|01861|0183\d|0184\d|0185\d|01821|12704)", ErrorKind.TYPE_MISMATCH),
        (r"ORA-01013|DPY-4024", ErrorKind.TIMEOUT),
        (r"ORA-01456|ORA-16000", ErrorKind.NOT_READ_ONLY),
        (r"ORA-01031|ORA-41900|insufficient privileges", ErrorKind.PERMISSION),
        (r"ORA-0403[016]|ORA-01652|ORA-01555|ORA-01489", ErrorKind.RESOURCE),
        (r"ORA-009\d\d|ORA-01756|ORA-01789|ORA-0304[89]|ORA-02000", ErrorKind.SYNTAX_ERROR),
    ),
    schemas=frozenset(),
    catalogue=r"sys$|system$|g?v_?\$|(?:all|dba|cdb|user)_(?:tab|col|view|con|user|obj|ind|source|syn|seq|role|sys)\w*$",
    row_ids=words(
        "rowid rownum level connect_by_isleaf connect_by_iscycle ora_rowscn versions_starttime versions_endtime"
    ),
    one_row_table="dual",
    recursive_word=False,
    aggregates=COMMON_AGGREGATES | _WORDS["aggregates"],
    functions=(COMMON - _ELSEWHERE) | _WORDS["functions"],
    table_functions=words("json_table"),
    # DDL commits any transaction, so no statement may begin with it.
    session=SessionSetup(begin=("SET TRANSACTION READ ONLY",), first_words=words("select with")),
    reads=_READS,
)
