"""Words that an engine accepts as names only in quotes, beyond `row.RESERVED`.

Every name in a query that runs is quoted, so no query depends on these lists: they decide where people and models see
quotes. Sources: the vendors' lists of reserved words, as in SQLAlchemy's dialects; for DuckDB `duckdb_keywords()`, for
SQLite the words that its parser refuses.
"""

from executors.dialects.row import words

SQLSERVER = words(
    "add authorization backup begin break browse bulk cascade checkpoint close clustered coalesce collate commit",
    "compute contains containstable continue convert current current_user cursor database dbcc deallocate declare",
    "deny disk distributed double dump errlvl escape exec execute exit external file fillfactor freetext",
    "freetexttable function goto holdlock identity identity_insert identitycol if kill lineno load merge national",
    "nocheck nonclustered nullif of off offsets open opendatasource openquery openrowset openxml option percent",
    "pivot plan precision print proc procedure public raiserror read readtext reconfigure replication restore",
    "restrict return revert revoke rollback rowcount rowguidcol rule save schema securityaudit",
    "semantickeyphrasetable semanticsimilaritydetailstable semanticsimilaritytable session_user setuser shutdown",
    "statistics system_user tablesample textsize top tran truncate try_convert tsequal unpivot updatetext use",
    "varying waitfor while within writetext",
)

POSTGRESQL = words(
    "analyse analyze array asymmetric authorization binary collate collation concurrently current_catalog",
    "current_role current_schema current_user deferrable do freeze ilike initially isnull lateral localtime",
    "localtimestamp new notnull of off old only overlaps placing returning session_user similar symmetric",
    "tablesample variadic verbose",
)

MYSQL = words(
    "accessible add admin analyze array asensitive before bigint binary blob call cascade change char character",
    "collate condition continue convert cube cume_dist current_user cursor database databases day_hour",
    "day_microsecond day_minute day_second dec decimal declare delayed dense_rank describe deterministic",
    "distinctrow div double dual each elseif empty enclosed escaped exit explain first_value float float4 float8",
    "force fulltext function general generated get get_master_public_key grouping groups high_priority",
    "hour_microsecond hour_minute hour_second if ignore ignore_server_ids infile inout insensitive int int1 int2",
    "int3 int4 int8 integer interval io_after_gtids io_before_gtids iterate json_table keys kill lag last_value",
    "lateral lead leave linear lines load localtime localtimestamp lock long longblob longtext loop low_priority",
    "manual master_bind master_heartbeat_period master_ssl_verify_server_cert match maxvalue mediumblob mediumint",
    "mediumtext member middleint minute_microsecond minute_second mod modifies no_write_to_binlog nth_value ntile",
    "numeric of optimize optimizer_costs option optionally out outfile parallel parse_gcol_expr partition",
    "percent_rank persist persist_only precision procedure purge qualify range rank read read_write reads real",
    "recursive regexp release rename repeat replace require resignal restrict return revoke rlike role row",
    "row_number schema schemas second_microsecond sensitive separator show signal slow smallint spatial specific",
    "sql sql_after_gtids sql_before_gtids sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate",
    "sqlwarning ssl starting stored straight_join system tablesample terminated tinyblob tinyint tinytext undo",
    "unlock unsigned usage use utc_date utc_time utc_timestamp varbinary varchar varcharacter varying virtual while",
    "write xor year_month zerofill",
)

MARIADB = words(
    "accessible add analyze asensitive before bigint binary blob body call cascade change char character collate",
    "condition continue convert current_role current_user cursor database databases day_hour day_microsecond",
    "day_minute day_second dec decimal declare delayed describe deterministic distinctrow div do_domain_ids double",
    "dual each elseif elsif enclosed escaped exit explain float float4 float8 force fulltext general goto",
    "high_priority history hour_microsecond hour_minute hour_second if ignore ignore_domain_ids ignore_server_ids",
    "infile inout insensitive int int1 int2 int3 int4 int8 integer interval iterate keys kill leave linear lines",
    "load localtime localtimestamp lock long longblob longtext loop low_priority master_heartbeat_period",
    "master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext middleint minute_microsecond",
    "minute_second mod modifies no_write_to_binlog numeric optimize option optionally others out outfile package",
    "page_checksum parse_vcol_expr partition period position precision procedure purge raise range read read_write",
    "reads real recursive ref_system_id regexp release rename repeat replace require resignal restrict return",
    "returning revoke rlike row_number rowtype schema schemas second_microsecond sensitive separator show signal",
    "slow smallint spatial specific sql sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate",
    "sqlwarning ssl starting stats_auto_recalc stats_persistent stats_sample_pages straight_join system system_time",
    "terminated tinyblob tinyint tinytext undo unlock unsigned usage use utc_date utc_time utc_timestamp varbinary",
    "varchar varcharacter varying versioning while without write xor year_month zerofill",
)

ORACLE = words(
    "access add audit char cluster comment compress connect current date decimal exclusive file float identified",
    "immediate increment initial integer level lock long maxextents minus mlslabel mode modify noaudit nocompress",
    "nowait number of offline online option pctfree prior public raw rename resource revoke row rowid rownum",
    "session share size smallint start successful synonym sysdate uid validate varchar varchar2 whenever",
)

HANA = words(
    "before begin char condition connect cube current_connection current_schema current_transaction_isolation_level",
    "current_user current_utcdate current_utctime current_utctimestamp currval cursor declare elseif exception exec",
    "if inout loop minus nchar nextval out prior return returns reverse rollup rowid session_user sql start sysuuid",
    "tablesample top unknown utctimestamp while",
)

SQLITE = words(
    "add autoincrement collate commit deferrable escape isnull nothing notnull raise returning",
)

DUCKDB = words(
    "analyse analyze anti array asof asymmetric at authorization binary collate collation columns concurrently",
    "deferrable describe do freeze generated glob ilike initially isnull lambda lateral map notnull only overlaps",
    "pivot pivot_longer pivot_wider placing positional qualify returning semi show similar struct summarize",
    "symmetric tablesample try_cast tuple unpack unpivot variadic verbose",
)
