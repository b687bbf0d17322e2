"""Refusals of the guard: what was refused, why, and what to write instead."""

from __future__ import annotations

from executors.dialects.row import Dialect, words
from executors.errors import Because, ErrorKind, SqlRefused
from executors.sql.names import diagnose

# What the functions that harm do. The list decides nothing: whatever is not known to be pure is refused. It is there
# so that a refusal says why, and can be told from one of a function that is merely not known.
_DOES: dict[str, frozenset[str]] = {
    "it reads or writes files": words(
        "pg_read_file pg_read_binary_file pg_ls_dir pg_ls_logdir pg_ls_waldir pg_ls_tmpdir",
        "pg_ls_archive_statusdir pg_stat_file pg_file_write pg_file_rename pg_file_unlink pg_logdir_ls",
        "pg_current_logfile load_file readfile writefile fsdir edit read_csv read_csv_auto read_parquet",
        "parquet_scan parquet_metadata parquet_schema parquet_file_metadata parquet_kv_metadata",
        "parquet_bloom_probe read_json read_json_auto read_json_objects read_json_objects_auto read_ndjson",
        "read_ndjson_auto read_ndjson_objects read_text read_blob read_xlsx read_avro st_read st_read_meta glob",
        "sniff_csv csv_sniffer which_secret file files read_files list_files filesystem file_read bfilename",
        "openxml dbms_lob.loadfromfile utl_file.fopen getclientfile",
    ),
    "it keeps large objects": words(
        "lo_import lo_export lo_create lo_creat lo_open lo_unlink lo_put lo_get lo_from_bytea lo_truncate lowrite",
        "loread",
    ),
    "it opens connections": words(
        "dblink dblink_connect dblink_connect_u dblink_exec dblink_open dblink_fetch dblink_send_query",
        "dblink_get_result openrowset openquery opendatasource url urlcluster s3 s3cluster gcs hdfs hdfscluster",
        "remote remotesecure cluster clusterallreplicas mysql postgresql mongodb redis jdbc odbc sqlite",
        "azureblobstorage azureblobstoragecluster deltalake iceberg iceberglocal icebergs3 hudi http_get",
        "http_post http_head httpuritype utl_http.request utl_inaddr.get_host_address utl_inaddr.get_host_name",
        "dbms_ldap.init remote_query mysql_scan postgres_scan postgres_query mysql_query sqlite_scan iceberg_scan",
        "delta_scan ai_query ai_forecast http_request ydb",
    ),
    "it reads what another statement has opened": words("openxml cursor"),
    "it waits": words(
        "pg_sleep pg_sleep_for pg_sleep_until sleep sleep_ms sleepeachrow benchmark dbms_lock.sleep",
        "dbms_session.sleep dbms_pipe.receive_message waitfor master_pos_wait source_pos_wait",
        "wait_for_executed_gtid_set master_gtid_wait",
    ),
    "it takes locks": words(
        "pg_advisory_lock pg_advisory_lock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared",
        "pg_advisory_unlock pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock",
        "pg_advisory_unlock_all get_lock release_lock release_all_locks is_free_lock is_used_lock",
        "dbms_lock.request sp_getapplock service_get_read_locks service_get_write_locks service_release_locks",
        "pg_try_advisory_xact_lock_shared",
    ),
    "it changes a sequence": frozenset({"next value for", "previous value for"})
    | words("nextval setval next_value_for lastval currval last_insert_id previous_value_for"),
    "it reads or changes settings": words(
        "secret try_secret",
        "set_config current_setting pg_reload_conf pg_settings getsetting getsettingordefault sys_context userenv",
        "session_context context_info getvariable hassetting dbms_session.set_role getmacro connectionproperty",
    ),
    "it runs text as SQL, or names tables by text": words(
        "query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml crosstab connectby",
        "table_changes event_log table_to_xml schema_to_xml ts_stat database_to_xml ts_rewrite query query_table",
        "json_execute_serialized_sql json_serialize_plan eval identifier dbms_xmlgen.getxml dbms_xmlquery.getxml",
        "xmlquery xmltable dbms_sql.execute exec executeimmediate loop viewifpermitted view merge dictionary",
        "joinget dictget dictgetordefault dictgetornull dbms_random.seed dbms_utility.exec_ddl_statement",
    ),
    "it ends or steers other sessions": words(
        "pg_terminate_backend pg_cancel_backend pg_rotate_logfile pg_switch_wal pg_create_restore_point pg_notify",
        "pg_promote pg_wal_replay_pause pg_start_backup pg_stop_backup pg_backup_start pg_backup_stop",
        "pg_log_backend_memory_contexts pg_stat_reset pg_logical_emit_message pg_export_snapshot",
        "pg_replication_origin_create pg_create_logical_replication_slot pg_create_physical_replication_slot",
        "pg_drop_replication_slot txid_current pg_current_xact_id",
    ),
    "it loads or runs code": frozenset({"transform using"})
    | words(
        "load_extension fts3_tokenizer xp_cmdshell xp_dirtree xp_regread xp_fileexist sp_oacreate sp_executesql",
        "sys_exec sys_eval sys_get sys_set lib_mysqludf_sys_info reflect try_reflect java_method executable",
        "executablepool predict dbms_java.runjava dbms_scheduler.create_job dbms_xslprocessor.read2clob xmltype",
        "extractvalue python_udf catboostevaluate evalmlmethod",
    ),
    "it fills the memory": words(
        "randomblob zeroblob array_fill array_with_constant arraywithconstant randomstring randomfixedstring",
        "arrayresize randomprintableascii randomstringutf8 generaterandom generate_random random_bytes",
        "crypt_gen_random gen_random_bytes range_array zeros zeros_mt numbers_mt",
    ),
    "it tells of the server and its users": words(
        "version current_user session_user system_user user current_role current_database current_catalog",
        "current_schema current_schemas database schema connection_id row_count found_rows host_name suser_name",
        "suser_sname suser_id user_name user_id db_name db_id app_name original_login serverproperty",
        "databasepropertyex object_id object_name object_definition schema_name col_name has_perms_by_name",
        "is_member is_srvrolemember inet_server_addr inet_server_port inet_client_addr inet_client_port",
        "pg_backend_pid pg_postmaster_start_time pg_conf_load_time pg_get_viewdef pg_get_functiondef",
        "has_table_privilege hostname fqdn uptime tcpport currentuser currentdatabase currentprofiles",
        "currentroles servertimezone getosversion buildid input_file_name current_metastore",
        "is_account_group_member sqlite_version sqlite_source_id sqlite_compileoption_get",
        "sqlite_compileoption_used changes total_changes last_insert_rowid ora_invoking_user uid getenv",
        "duckdb_functions duckdb_settings duckdb_tables duckdb_columns duckdb_databases duckdb_secrets",
        "duckdb_extensions duckdb_views duckdb_schemas duckdb_types duckdb_memory duckdb_variables duckdb_logs",
        "pragma_table_info pragma_version pragma_show pragma_database_size pragma_storage_info fn_dblog",
        "fn_dump_dblog dm_exec_sql_text fn_my_permissions",
    ),
}
_SYSTEM = words("pg_catalog sys system main mysql information_schema")
_WHY = {name: why for why, names in _DOES.items() for name in names}


def harm_of(name: str) -> str:
    """What a function is known to do that no query may; empty where nothing is known of it. Args: name: any case."""
    lowered = name.lower()
    schema, _, last = lowered.rpartition(".")
    return _WHY.get(lowered) or (_WHY.get(last, "") if schema in _SYSTEM else "")


def not_read_only(what: str) -> SqlRefused:
    message = f"Only reading is allowed; {what} would change the database and was refused."
    return SqlRefused(ErrorKind.NOT_READ_ONLY, message, "Write one SELECT that reads the answer.")


def sets_variable(name: str) -> SqlRefused:
    message = f"Only reading is allowed; a query may not set the variable {name}."
    return SqlRefused(ErrorKind.NOT_READ_ONLY, message, "Select the value under a name: SELECT value AS name.")


def build_function_refusal(name: str, dialect: Dialect, *, where: str = "here") -> SqlRefused:
    """A call that is not known to be pure: what it does, where that is known. Args: name: as it was written."""
    harm = harm_of(name)
    message = f"The function {name} is not available {where}{': ' if harm else ''}{harm}."
    because = Because.DANGEROUS if harm else Because.FUNCTION
    return SqlRefused(ErrorKind.FUNCTION_NOT_FOUND, message, diagnose.function_hint(name, dialect), because=because)


def build_paste_refusal(sign: str) -> SqlRefused:
    """Text that some client puts in the place of a name before the query is sent; it may be anything."""
    message = f"{sign} stands for text that is pasted in, and nothing can be said of that."
    hint = "Write the text itself, or a parameter with a value, as :name."
    return SqlRefused(ErrorKind.PERMISSION, message, hint, because=Because.PASTED)


def too_big(why: str) -> SqlRefused:
    return SqlRefused(ErrorKind.RESOURCE, f"The query is too big. {why}", "Write a shorter query.")


def form(dialect: Dialect) -> str:
    """What to write instead, whatever was wrong."""
    return f"Write one {dialect.title} SELECT statement. {' '.join(dialect.hints[:2])}"
