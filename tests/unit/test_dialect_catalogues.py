"""The catalogue queries of Oracle, SAP HANA and Databricks, without a server."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

from typing import Any

import duckdb
import pytest
import sqlglot
from spelled_shop import NAMES

from executors.base import Column, ForeignKey
from executors.dialects.table import DIALECTS
from executors.engines.common.servers import catalogue

ORACLE_CATALOGUE = """
CREATE TABLE all_users (username VARCHAR, oracle_maintained VARCHAR);
INSERT INTO all_users VALUES ('SHOP', 'N'), ('HR', 'N'), ('SYS', 'Y');
CREATE TABLE all_tables (owner VARCHAR, table_name VARCHAR, num_rows BIGINT, nested VARCHAR, secondary VARCHAR, dropped VARCHAR);
INSERT INTO all_tables VALUES ('SHOP', 'ORDERS', 7, 'NO', 'N', 'NO'), ('SHOP', 'LINES', NULL, 'NO', 'N', 'NO'),
  ('HR', 'STAFF', 2, 'NO', 'N', 'NO'), ('SYS', 'USER$', 9, 'NO', 'N', 'NO'), ('SHOP', 'MLOG$_ORDERS', 1, 'NO', 'N', 'NO');
CREATE TABLE all_views (owner VARCHAR, view_name VARCHAR);
INSERT INTO all_views VALUES ('SHOP', 'PAID');
CREATE TABLE all_tab_comments (owner VARCHAR, table_name VARCHAR, comments VARCHAR);
INSERT INTO all_tab_comments VALUES ('SHOP', 'ORDERS', 'What was bought'), ('SHOP', 'PAID', NULL);
CREATE TABLE all_tab_columns (owner VARCHAR, table_name VARCHAR, column_name VARCHAR, data_type VARCHAR, char_length INT,
  data_precision INT, data_scale INT, nullable VARCHAR, column_id INT);
INSERT INTO all_tab_columns VALUES ('SHOP', 'ORDERS', 'TOTAL', 'NUMBER', 0, 10, 2, 'Y', 3),
  ('SHOP', 'ORDERS', 'ID', 'NUMBER', 0, NULL, 0, 'N', 1), ('SHOP', 'ORDERS', 'YEAR', 'NUMBER', 0, NULL, 0, 'N', 2),
  ('SHOP', 'LINES', 'ORDER_YEAR', 'NUMBER', 0, NULL, 0, 'N', 1), ('SHOP', 'LINES', 'ORDER_ID', 'NUMBER', 0, NULL, 0, 'N', 2),
  ('SHOP', 'PAID', 'STATUS', 'VARCHAR2', 20, NULL, NULL, 'Y', 1), ('HR', 'STAFF', 'NAME', 'VARCHAR2', 9, NULL, NULL, 'Y', 1);
CREATE TABLE all_col_comments (owner VARCHAR, table_name VARCHAR, column_name VARCHAR, comments VARCHAR);
INSERT INTO all_col_comments VALUES ('SHOP', 'ORDERS', 'TOTAL', 'in euros');
CREATE TABLE all_constraints (owner VARCHAR, constraint_name VARCHAR, constraint_type VARCHAR, r_owner VARCHAR, r_constraint_name VARCHAR);
INSERT INTO all_constraints VALUES ('SHOP', 'PK_O', 'P', NULL, NULL), ('SHOP', 'FK_L', 'R', 'SHOP', 'PK_O');
CREATE TABLE all_cons_columns (owner VARCHAR, constraint_name VARCHAR, table_name VARCHAR, column_name VARCHAR, position INT);
INSERT INTO all_cons_columns VALUES ('SHOP', 'PK_O', 'ORDERS', 'ID', 2), ('SHOP', 'PK_O', 'ORDERS', 'YEAR', 1),
  ('SHOP', 'FK_L', 'LINES', 'ORDER_ID', 2), ('SHOP', 'FK_L', 'LINES', 'ORDER_YEAR', 1);
CREATE TABLE all_tab_col_statistics (owner VARCHAR, table_name VARCHAR, column_name VARCHAR, histogram VARCHAR);
INSERT INTO all_tab_col_statistics VALUES ('HR', 'STAFF', 'NAME', 'FREQUENCY');
CREATE TABLE all_tab_histograms (owner VARCHAR, table_name VARCHAR, column_name VARCHAR, endpoint_number BIGINT, endpoint_actual_value VARCHAR);
INSERT INTO all_tab_histograms VALUES ('HR', 'STAFF', 'NAME', 2, 'Ann'), ('HR', 'STAFF', 'NAME', 9, 'Bob'),
  ('HR', 'STAFF', 'NAME', 10, 'Cem'), ('HR', 'STAFF', 'NAME', 13, 'Dea');
"""

HANA_CATALOGUE = """
CREATE SCHEMA SYS;
CREATE TABLE SYS.TABLES (schema_name VARCHAR, table_name VARCHAR, comments VARCHAR, is_user_defined_type VARCHAR);
INSERT INTO SYS.TABLES VALUES ('SHOP', 'ORDERS', 'What was bought', 'FALSE'), ('SHOP', 'LINES', NULL, 'FALSE'),
  ('HR', 'STAFF', NULL, 'FALSE'), ('SYS', 'X', NULL, 'FALSE'), ('_SYS_STATISTICS', 'Y', NULL, 'FALSE'), ('SHOP', 'T_TYPE', NULL, 'TRUE');
CREATE TABLE SYS.VIEWS (schema_name VARCHAR, view_name VARCHAR, comments VARCHAR, is_valid VARCHAR);
INSERT INTO SYS.VIEWS VALUES ('SHOP', 'PAID', NULL, 'TRUE'), ('SHOP', 'BROKEN', NULL, 'FALSE');
CREATE TABLE SYS.M_TABLES (schema_name VARCHAR, table_name VARCHAR, record_count BIGINT);
INSERT INTO SYS.M_TABLES VALUES ('SHOP', 'ORDERS', 7);
CREATE TABLE SYS.TABLE_COLUMNS (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, position INT, data_type_name VARCHAR,
  length INT, scale INT, is_nullable VARCHAR, comments VARCHAR);
INSERT INTO SYS.TABLE_COLUMNS VALUES ('SHOP', 'ORDERS', 'TOTAL', 3, 'DECIMAL', 10, 2, 'TRUE', 'in euros'),
  ('SHOP', 'ORDERS', 'ID', 1, 'INTEGER', 10, 0, 'FALSE', NULL), ('SHOP', 'ORDERS', 'YEAR', 2, 'INTEGER', 10, 0, 'FALSE', NULL),
  ('SHOP', 'LINES', 'ORDER_YEAR', 1, 'INTEGER', 10, 0, 'FALSE', NULL), ('SHOP', 'LINES', 'ORDER_ID', 2, 'INTEGER', 10, 0, 'FALSE', NULL),
  ('HR', 'STAFF', 'NAME', 1, 'NVARCHAR', 9, NULL, 'TRUE', NULL), ('SYS', 'X', 'Z', 1, 'INTEGER', 10, 0, 'TRUE', NULL);
CREATE TABLE SYS.VIEW_COLUMNS (schema_name VARCHAR, view_name VARCHAR, column_name VARCHAR, position INT, data_type_name VARCHAR,
  length INT, scale INT, is_nullable VARCHAR, comments VARCHAR);
INSERT INTO SYS.VIEW_COLUMNS VALUES ('SHOP', 'PAID', 'STATUS', 1, 'NVARCHAR', 20, NULL, 'TRUE', NULL);
CREATE TABLE SYS.CONSTRAINTS (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, position INT, is_primary_key VARCHAR);
INSERT INTO SYS.CONSTRAINTS VALUES ('SHOP', 'ORDERS', 'ID', 2, 'TRUE'), ('SHOP', 'ORDERS', 'YEAR', 1, 'TRUE'), ('SHOP', 'ORDERS', 'TOTAL', 1, 'FALSE');
CREATE TABLE SYS.REFERENTIAL_CONSTRAINTS (schema_name VARCHAR, table_name VARCHAR, column_name VARCHAR, position INT, constraint_name VARCHAR,
  referenced_schema_name VARCHAR, referenced_table_name VARCHAR, referenced_column_name VARCHAR);
INSERT INTO SYS.REFERENTIAL_CONSTRAINTS VALUES ('SHOP', 'LINES', 'ORDER_ID', 2, 'FK_L', 'SHOP', 'ORDERS', 'ID'),
  ('SHOP', 'LINES', 'ORDER_YEAR', 1, 'FK_L', 'SHOP', 'ORDERS', 'YEAR');
"""

UNITY_CATALOGUE = """
CREATE SCHEMA unity;
CREATE TABLE unity.tables (table_schema VARCHAR, table_name VARCHAR, table_type VARCHAR, comment VARCHAR);
INSERT INTO unity.tables VALUES ('SHOP', 'ORDERS', 'MANAGED', 'What was bought'), ('SHOP', 'LINES', 'EXTERNAL', NULL),
  ('SHOP', 'PAID', 'VIEW', NULL), ('HR', 'STAFF', 'MANAGED', NULL), ('information_schema', 'tables', 'VIEW', NULL);
CREATE TABLE unity.columns (table_schema VARCHAR, table_name VARCHAR, column_name VARCHAR, full_data_type VARCHAR, is_nullable VARCHAR,
  comment VARCHAR, ordinal_position INT);
INSERT INTO unity.columns VALUES ('SHOP', 'ORDERS', 'TOTAL', 'decimal(10,2)', 'YES', 'in euros', 2), ('SHOP', 'ORDERS', 'ID', 'int', 'NO', NULL, 0),
  ('SHOP', 'ORDERS', 'YEAR', 'int', 'NO', NULL, 1), ('SHOP', 'LINES', 'ORDER_YEAR', 'int', 'NO', NULL, 0),
  ('SHOP', 'LINES', 'ORDER_ID', 'int', 'NO', NULL, 1), ('SHOP', 'PAID', 'STATUS', 'string', 'YES', NULL, 0), ('HR', 'STAFF', 'NAME', 'string', 'YES', NULL, 0);
CREATE TABLE unity.table_constraints (constraint_schema VARCHAR, constraint_name VARCHAR, table_schema VARCHAR, table_name VARCHAR, constraint_type VARCHAR);
INSERT INTO unity.table_constraints VALUES ('SHOP', 'PK_O', 'SHOP', 'ORDERS', 'PRIMARY KEY'), ('SHOP', 'FK_L', 'SHOP', 'LINES', 'FOREIGN KEY');
CREATE TABLE unity.referential_constraints (constraint_catalog VARCHAR, constraint_schema VARCHAR, constraint_name VARCHAR,
  unique_constraint_catalog VARCHAR, unique_constraint_schema VARCHAR, unique_constraint_name VARCHAR);
INSERT INTO unity.referential_constraints VALUES ('main', 'SHOP', 'FK_L', 'main', 'SHOP', 'PK_O');
CREATE TABLE unity.key_column_usage (constraint_catalog VARCHAR, constraint_schema VARCHAR, constraint_name VARCHAR, table_schema VARCHAR,
  table_name VARCHAR, column_name VARCHAR, ordinal_position INT, position_in_unique_constraint INT);
INSERT INTO unity.key_column_usage VALUES ('main', 'SHOP', 'PK_O', 'SHOP', 'ORDERS', 'YEAR', 1, NULL), ('main', 'SHOP', 'PK_O', 'SHOP', 'ORDERS', 'ID', 2, NULL),
  ('main', 'SHOP', 'FK_L', 'SHOP', 'LINES', 'ORDER_ID', 2, 2), ('main', 'SHOP', 'FK_L', 'SHOP', 'LINES', 'ORDER_YEAR', 1, 1);
"""


@pytest.mark.parametrize(
    "dialect, made, total, status",
    [
        ("oracle", ORACLE_CATALOGUE, "NUMBER(10,2)", "VARCHAR2(20)"),
        ("hana", HANA_CATALOGUE, "DECIMAL(10,2)", "NVARCHAR(20)"),
        ("databricks", UNITY_CATALOGUE, "decimal(10,2)", "string"),
    ],
)
def test_the_catalogue_queries_read_a_catalogue(dialect: str, made: str, total: str, status: str) -> None:
    """The server's views are made of tables in DuckDB, and the queries are translated to its words."""
    server, row = duckdb.connect(), DIALECTS[dialect]
    assert row.reads is not None
    server.execute(made)

    def fetch(sql: str) -> list[Any]:
        if sql == row.reads.default_schema:  # type: ignore[union-attr]
            return [("SHOP",)]
        if "JSON_ARRAYAGG" in sql:  # the one call that has no translation
            sql = sql.replace("JSON_ARRAYAGG(value ORDER BY place)", "list(value ORDER BY place)")
        translated = sqlglot.transpile(sql, read=row.sqlglot, write="duckdb")[0]
        return server.execute(translated.replace("information_schema.", "unity.")).fetchall()

    found = catalogue.read(fetch, "shop", row, samples=2 if dialect == "oracle" else 0)
    assert {t.name: (t.namespace, t.is_view) for t in found.tables} == {
        "ORDERS": ("", False), "LINES": ("", False), "PAID": ("", True), "HR.STAFF": ("HR", False),
    }  # fmt: skip
    orders, lines, paid = found.table("orders"), found.table("lines"), found.table("paid")
    assert orders is not None
    assert lines is not None
    assert paid is not None
    assert [column.name for column in orders.columns] == ["ID", "YEAR", "TOTAL"]
    assert orders.columns[2] == Column(name="TOTAL", type=total, nullable=True, comment="in euros")
    assert not orders.columns[0].nullable
    assert paid.columns[0].type == status
    assert orders.comment == "What was bought"
    assert orders.row_count == (None if dialect == "databricks" else 7)
    assert orders.primary_key == ("YEAR", "ID")
    key = ForeignKey(columns=("ORDER_YEAR", "ORDER_ID"), table="ORDERS", referenced=("YEAR", "ID"))
    assert lines.foreign_keys == (key,)
    if dialect == "oracle":
        staff = found.table("HR.STAFF")
        assert staff is not None
        assert staff.columns[0].samples == ("Bob", "Dea")  # seven and three of thirteen rows


@pytest.mark.parametrize("dialect", NAMES)
def test_the_catalogue_queries_are_the_dialects_own(dialect: str) -> None:
    """Each is one SELECT that the dialect's parser reads whole, with as many columns as it is to give."""
    reads = DIALECTS[dialect].reads
    assert reads is not None
    wanted = {"default_schema": 1, "tables": 5, "columns": 6, "primary_keys": 3, "foreign_keys": 7, "samples": 4}
    for name, count in wanted.items():
        sql = getattr(reads, name).replace("{n}", "3")
        if sql:
            (tree,) = sqlglot.parse(sql, read=dialect)
            assert isinstance(tree, sqlglot.exp.Select)
            assert len(tree.expressions) == count, name
    rows = reads.first_rows.format(columns=reads.head.format(column="A", n=9), table="T", n=5)
    assert sqlglot.transpile(rows, read=dialect, write=dialect) == [rows]
