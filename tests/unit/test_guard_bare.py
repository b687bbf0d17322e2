"""Bare names that are calls, tables or types, and hierarchies without an end."""

from __future__ import annotations

import pytest

from executors.base import Column, Schema, Table
from executors.errors import SqlRefused
from executors.guard.guard import check

NAMES = ("id", "customer_id", "amount", "parent_id", "mood")


def schema(dialect: str, *more: str) -> Schema:
    upper = dialect in ("oracle", "hana")
    names = [name.upper() if upper else name for name in (*NAMES, *more)]
    columns = tuple(Column(name=it, type="mood" if it == "mood" else "INTEGER") for it in names)
    return Schema(
        database="shop", dialect=dialect, tables=(Table(name="ORDERS" if upper else "orders", columns=columns),)
    )


def runs(sql: str, dialect: str, *more: str) -> str:
    return check(sql, schema(dialect, *more), row_limit=10).executable


def refused(sql: str, dialect: str, *more: str) -> bool:
    try:
        runs(sql, dialect, *more)
    except SqlRefused:
        return True
    return False


# Sources whose columns are not known, so that no name can be held against them.
OPEN = {
    "postgresql": "generate_series(1, 3) AS g",
    "sqlserver": "OPENJSON('[1]') AS g",
    "oracle": "JSON_TABLE('[1]', '$[*]' COLUMNS (n NUMBER PATH '$')) g",
    "hana": "SERIES_GENERATE_INTEGER(1, 0, 3) AS g",
    "databricks": "explode(array(1)) AS g",
    "duckdb": "range(3) AS g",
    "mysql": "JSON_TABLE('[1]', '$[*]' COLUMNS (n INT PATH '$')) AS g",
}


@pytest.mark.parametrize("dialect, word", [
    *(("postgresql", it) for it in ("user", "current_role", "system_user", "current_user", "session_user")),
    *(("sqlserver", it) for it in ("user", "system_user", "session_user", "CURRENT_USER")),
    *(("oracle", it) for it in ("USER", "uid", "my_function")),
    *(("hana", it) for it in ("CURRENT_USER", "session_user")),
    *(("databricks", it) for it in ("user", "current_user")),
    *(("duckdb", it) for it in ("user", '"user"', "current_role", "session_user", "current_schema")),
    *(("mysql", it) for it in ("current_user", "current_role")),
])  # fmt: skip
def test_a_bare_word_tells_no_login(dialect: str, word: str) -> None:
    assert refused(f"SELECT {word} FROM {OPEN[dialect]}", dialect)
    assert refused(f"SELECT id FROM orders WHERE id IN (SELECT 1 FROM {OPEN[dialect]} WHERE {word} = 'a')", dialect)


@pytest.mark.parametrize("dialect", ["postgresql", "sqlserver", "databricks", "duckdb", "mysql"])
def test_a_column_of_that_name_is_a_column(dialect: str) -> None:
    assert "user" in runs("SELECT user FROM orders", dialect, "user")
    quote = "`" if dialect in ("databricks", "mysql") else '"'
    assert "user" in runs(f"SELECT {quote}user{quote} FROM orders", dialect, "user")


@pytest.mark.parametrize("sql", [
    "SELECT n FROM JSON_TABLE('[1]', '$[*]' COLUMNS (n NUMBER PATH '$')) g",
    "SELECT n + 1 AS m FROM JSON_TABLE('[1]', '$[*]' COLUMNS (n NUMBER PATH '$')) g ORDER BY m",
    "SELECT SYSDATE, SYSTIMESTAMP, ROWNUM FROM dual",
    "SELECT total FROM (SELECT SUM(amount) AS total FROM orders) x",
])  # fmt: skip
def test_oracles_own_words_and_names_that_the_query_gives_run(sql: str) -> None:
    assert runs(sql, "oracle")


@pytest.mark.parametrize("condition, ok", [
    ("LEVEL <= 10", True),
    ("LEVEL < 10 AND 1 = 1", True),
    ("LEVEL <= 10 OR 1 = 1", False),
    ("NOT LEVEL > 10", False),
    ("NOT LEVEL <= 10", False),
    ("PRIOR 1 = 1", False),
    ("PRIOR 1 = 1 AND LEVEL <= 10", True),
    ("LEVEL <= 10001", False),
    ("LEVEL <= (SELECT 99999 FROM dual)", False),
    ("CASE WHEN LEVEL <= 5 THEN 1 ELSE 1 END = 1", False),
])  # fmt: skip
def test_rows_are_counted_to_a_written_number(condition: str, ok: bool) -> None:
    assert refused(f"SELECT LEVEL FROM dual CONNECT BY {condition}", "oracle") is not ok


@pytest.mark.parametrize("condition, ok", [
    ("PRIOR id = parent_id", True),
    ("parent_id = PRIOR id AND LEVEL <= 3", True),
    ("NOCYCLE PRIOR id = parent_id", True),
    ("LEVEL <= 9999", False),
    ("PRIOR id IS NOT NULL", False),
    ("PRIOR id <> parent_id", False),
    ("PRIOR id = parent_id OR 1 = 1", False),
    ("NOT PRIOR id = parent_id", False),
    ("PRIOR id = PRIOR parent_id", False),
    ("PRIOR id = 1", False),
])  # fmt: skip
def test_a_hierarchy_follows_a_key(condition: str, ok: bool) -> None:
    assert refused(f"SELECT id FROM orders START WITH parent_id IS NULL CONNECT BY {condition}", "oracle") is not ok


@pytest.mark.parametrize("sql", [
    "SELECT number FROM numbers(9) WHERE number IN secretdb.tokens",
    "SELECT number FROM numbers(9) WHERE number IN tokens",
    "SELECT number FROM numbers(9) WHERE number IN (secretdb.tokens)",
    "SELECT number FROM numbers(9) WHERE number IN (tokens)",
    "SELECT number FROM numbers(9) WHERE number NOT IN `secretdb`.`tokens`",
    "SELECT number FROM numbers(9) WHERE number GLOBAL IN secretdb.tokens",
    "SELECT number FROM numbers(9) WHERE (number, 1) IN secretdb.tokens",
    "SELECT notIn(number, secretdb.tokens) FROM numbers(9)",
    "SELECT in(number, secretdb.tokens) FROM numbers(9)",
    "SELECT globalNotIn(number, tokens) FROM numbers(9)",
    "SELECT countIf(number IN secretdb.tokens) FROM numbers(9)",
    "SELECT id FROM orders PREWHERE id IN secretdb.tokens",
])  # fmt: skip
def test_in_reads_no_table_that_is_not_there(sql: str) -> None:
    assert refused(sql, "clickhouse")


def test_in_with_a_table_of_the_schema_is_a_query_of_it() -> None:
    assert '"id" IN (SELECT * FROM "orders")' in runs("SELECT id FROM orders WHERE id IN orders", "clickhouse")
    assert runs("SELECT id FROM orders AS o WHERE id IN (o.parent_id)", "clickhouse")
    assert runs("SELECT id FROM orders WHERE id IN (1, 2) AND amount IN (customer_id, id)", "clickhouse")


@pytest.mark.parametrize("sql, ok", [
    ("SELECT (json_populate_record(NULL::secrets, '{}')).*", False),
    ("SELECT * FROM json_populate_record(NULL::secrets, '{}')", False),
    ("SELECT * FROM jsonb_populate_recordset(CAST(NULL AS public.secrets), '[]')", False),
    ("SELECT to_json(NULL::secrets)", False),
    ("SELECT ROW(1)::secrets", False),
    ("SELECT NULL::secrets[]", False),
    ("SELECT * FROM json_to_record('{}') AS x(a secrets)", False),
    ("SELECT json_query('{}', '$' RETURNING secrets)", False),
    ("SELECT CAST(NULL AS public.path)", False),
    ("SELECT to_regtype('secrets')", False),
    ("SELECT pg_input_is_valid('x', 'regrole')", False),
    ("SELECT pg_input_error_info('(1)', 'secrets')", False),
    ("SELECT pg_input_is_valid('x', 'sec' || 'rets'), id FROM orders", False),
    ("SELECT pg_input_is_valid('x', 'numeric(9, 2)[]'), pg_input_is_valid('x', 'timestamp with time zone')", True),
    ("SELECT json_value('10', '$' RETURNING regrole)", False),
    ("SELECT j.a FROM json_table('[16384]', '$[*]' COLUMNS (a regclass PATH '$')) j", False),
    ("SELECT j.a FROM json_table('[1]', '$[*]' COLUMNS (NESTED PATH '$' COLUMNS (a secrets[] PATH '$'))) j", False),
    ("SELECT json_value('10', '$' RETURNING mood), json_query('[1]', '$' RETURNING int[])", True),
    ("SELECT * FROM json_populate_record(NULL::orders, '{}')", True),
    ("SELECT id FROM orders WHERE mood = 'good'::mood", True),
    ("SELECT 'a & b'::tsquery, 'a'::tsvector, '((0,0),(1,1))'::box, B'1'::varbit, $$x$$::\"char\"", True),
    ("SELECT '08:00:2b:01:02:03'::macaddr, json_value('1', '$' RETURNING pg_lsn)", True),
    ("SELECT 'a'::citext, id::numeric(9, 2), now()::timestamptz, '{1}'::int[] FROM orders", True),
])  # fmt: skip
def test_a_table_that_is_not_there_is_no_type_either(sql: str, ok: bool) -> None:
    assert refused(sql, "postgresql") is not ok


@pytest.mark.parametrize("sql, ok", [
    ("SELECT 'high'::priority, '{low}'::priority[], CAST(3 AS few)", True),
    ("SELECT 'x'::secrets", False),
])  # fmt: skip
def test_a_type_of_the_database_may_be_cast_to_though_no_column_has_it(sql: str, ok: bool) -> None:
    assert refused(sql, "postgresql")
    typed = schema("postgresql").model_copy(update={"types": ("priority", "few")})
    if ok:
        assert check(sql, typed, row_limit=10).executable
    else:
        with pytest.raises(SqlRefused, match="no type"):
            check(sql, typed, row_limit=10)
