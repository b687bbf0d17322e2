"""Errors of Oracle, SAP HANA and Databricks without a server: codes, messages and hints."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import pytest
from repairs import rejoin
from spelled_shop import NAMES, shop

from executors.dialects.table import DIALECTS, match_error
from executors.errors import ErrorKind
from executors.guard import guard
from executors.sql.names import diagnose

ERRORS = [
    ("oracle", "ORA-00942", 'ORA-00942: table or view "HR"."ORDRS" does not exist\nHelp: https://x', ErrorKind.TABLE_NOT_FOUND, "ORDRS"),
    ("oracle", "ORA-00942", "ORA-00942: table or view does not exist", ErrorKind.TABLE_NOT_FOUND, None),
    ("oracle", "ORA-00904", 'ORA-00904: "PRICE": invalid identifier', ErrorKind.COLUMN_NOT_FOUND, "PRICE"),
    ("oracle", "ORA-00904", 'ORA-00904: "O"."PRICE": invalid identifier', ErrorKind.COLUMN_NOT_FOUND, "PRICE"),
    ("oracle", "ORA-00918", "ORA-00918: column ambiguously defined", ErrorKind.AMBIGUOUS_COLUMN, None),
    ("oracle", "ORA-00918", "ORA-00918: ID: column ambiguously specified - appears in O and C", ErrorKind.AMBIGUOUS_COLUMN, "ID"),
    ("oracle", "ORA-00933", "ORA-00933: SQL command not properly ended", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-03049", "ORA-03049: SQL keyword 'LIMIT' is not syntactically valid following '...'", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-00936", "ORA-00936: missing expression", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-00907", "ORA-00907: missing right parenthesis", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-01756", "ORA-01756: quoted string not properly terminated", ErrorKind.SYNTAX_ERROR, None),
    ("oracle", "ORA-00979", "ORA-00979: not a GROUP BY expression", ErrorKind.GROUPING, None),
    ("oracle", "ORA-00937", "ORA-00937: not a single-group group function", ErrorKind.GROUPING, None),
    ("oracle", "ORA-01722", "ORA-01722: invalid number", ErrorKind.TYPE_MISMATCH, None),
    ("oracle", "ORA-01861", "ORA-01861: literal does not match format string", ErrorKind.TYPE_MISMATCH, None),
    ("oracle", "ORA-00932", "ORA-00932: inconsistent datatypes: expected NUMBER got DATE", ErrorKind.TYPE_MISMATCH, None),
    ("oracle", "ORA-01427", "ORA-01427: single-row subquery returns more than one row", ErrorKind.SEVERAL_ROWS, None),
    ("oracle", "ORA-01031", "ORA-01031: insufficient privileges", ErrorKind.PERMISSION, None),
    ("oracle", "ORA-01456", "ORA-01456: may not perform insert, delete, update operation inside a READ ONLY transaction", ErrorKind.NOT_READ_ONLY, None),
    ("oracle", "ORA-01013", "ORA-01013: user requested cancel of current operation", ErrorKind.TIMEOUT, None),
    ("oracle", "DPY-4024", "DPY-4024: call timeout of 5000 ms exceeded", ErrorKind.TIMEOUT, None),
    ("oracle", "ORA-04036", "ORA-04036: PGA memory used by the instance exceeds PGA_AGGREGATE_LIMIT", ErrorKind.RESOURCE, None),
    ("oracle", "ORA-01652", "ORA-01652: unable to extend temp segment by 128 in tablespace TEMP", ErrorKind.RESOURCE, None),
    ("hana", "259", "(259, 'invalid table name:  Could not find table/view ORDRS in schema SALES: line 1 col 15 (at pos 14)')", ErrorKind.TABLE_NOT_FOUND, "ORDRS"),
    ("hana", "362", "(362, 'invalid schema name: SALE: line 1 col 15 (at pos 14)')", ErrorKind.TABLE_NOT_FOUND, None),
    ("hana", "260", "(260, 'invalid column name: PRICE: line 1 col 8 (at pos 7)')", ErrorKind.COLUMN_NOT_FOUND, "PRICE"),
    ("hana", "260", "(260, 'invalid column name: O.PRICE: line 1 col 8 (at pos 7)')", ErrorKind.COLUMN_NOT_FOUND, "PRICE"),
    ("hana", "268", "(268, 'column ambiguously defined: ID: line 1 col 8 (at pos 7)')", ErrorKind.AMBIGUOUS_COLUMN, "ID"),
    ("hana", "328", "(328, 'invalid name of function or procedure: DATE_TRUNC: line 1 col 8 (at pos 7)')", ErrorKind.FUNCTION_NOT_FOUND, "DATE_TRUNC"),
    ("hana", "257", "(257, 'sql syntax error: incorrect syntax near \"FORM\": line 1 col 11 (at pos 11)')", ErrorKind.SYNTAX_ERROR, None),
    ("hana", "276", "(276, 'missing aggregation or grouping: line 1 col 8')", ErrorKind.GROUPING, None),
    ("hana", "277", "(277, \"not a GROUP BY expression: 'ORDERS.ID' must be in group by clause\")", ErrorKind.GROUPING, None),
    ("hana", "275", "(275, 'aggregate function not allowed: line 1 col 30')", ErrorKind.GROUPING, None),
    ("hana", "266", "(266, 'inconsistent datatype: only numeric type is available for aggregation function')", ErrorKind.TYPE_MISMATCH, None),
    ("hana", "339", "(339, 'invalid number:  [6930] attribute value is not a number')", ErrorKind.TYPE_MISMATCH, None),
    ("hana", "304", "(304, 'division by zero undefined:  at function /()')", ErrorKind.DIVISION_BY_ZERO, None),
    ("hana", "305", "(305, 'single-row query returns more than one row')", ErrorKind.SEVERAL_ROWS, None),
    ("hana", "258", "(258, 'insufficient privilege: Detailed info for this error can be found with guid')", ErrorKind.PERMISSION, None),
    ("hana", "613", "(613, 'execution aborted by timeout')", ErrorKind.TIMEOUT, None),
    ("hana", "139", "(139, 'current operation cancelled by request and transaction rolled back')", ErrorKind.TIMEOUT, None),
    ("hana", "4", "(4, 'cannot allocate enough memory')", ErrorKind.RESOURCE, None),
    ("databricks", "INSUFFICIENT_PERMISSIONS", "[INSUFFICIENT_PERMISSIONS] Insufficient privileges: User does not have SELECT on Table 'x'", ErrorKind.PERMISSION, None),
    ("databricks", "OPERATION_CANCELED", "[OPERATION_CANCELED] Operation has been canceled. SQLSTATE: HY008", ErrorKind.TIMEOUT, None),
    ("databricks", "TABLE_OR_VIEW_NOT_FOUND", "[TABLE_OR_VIEW_NOT_FOUND] The table or view `main`.`sales`.`ordrs` cannot be found.", ErrorKind.TABLE_NOT_FOUND, "ordrs"),
]  # fmt: skip


@pytest.mark.parametrize("dialect, code, message, kind, name", ERRORS)
def test_code_and_message_mean_the_same(
    dialect: str, code: str, message: str, kind: ErrorKind, name: str | None
) -> None:
    assert DIALECTS[dialect].codes[code] is kind
    found, names = match_error(dialect, message)
    assert (found, names.get("name")) == (kind, name)


@pytest.mark.parametrize(
    "dialect, message, sql, hint",
    [
        ("oracle", 'ORA-00904: "O"."NAME": invalid identifier', "SELECT o.name FROM orders o", "NAME is in CUSTOMERS: add JOIN CUSTOMERS ON o.CUSTOMER_ID = CUSTOMERS.ID."),
        ("oracle", 'ORA-00942: table or view "HR"."ORDER_ITEM" does not exist', "SELECT 1 FROM order_item", "Nearest: ORDER_ITEMS"),
        ("hana", "(260, 'invalid column name: O.NAME: line 1 col 8 (at pos 7)')", "SELECT o.name FROM orders AS o", "NAME is in CUSTOMERS: add JOIN CUSTOMERS ON o.CUSTOMER_ID = CUSTOMERS.ID."),
        ("hana", "(328, 'invalid name of function or procedure: DATE_TRUNC: line 1 col 8')", "SELECT 1 FROM orders", "In SAP HANA write TO_VARCHAR(col, 'YYYY-MM')."),
    ],
)  # fmt: skip
def test_an_error_comes_with_what_would_repair_it(dialect: str, message: str, sql: str, hint: str) -> None:
    found = diagnose.sql_failed(message, sql, shop(dialect)).hint
    assert hint.lower() in found.lower().replace('"o"', "o")


@pytest.mark.parametrize("dialect", NAMES)
def test_a_column_of_the_wrong_table_is_repaired(dialect: str) -> None:
    repaired = rejoin("SELECT o.name FROM orders o JOIN customers c ON c.id = o.customer_id", shop(dialect))
    assert repaired is not None
    assert guard.check(repaired.sql, shop(dialect), row_limit=5).sql.startswith("SELECT c.name FROM orders")
