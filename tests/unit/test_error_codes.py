"""Each driver's own error classes, and the code that a dialect's row knows them by."""

# ruff: noqa: E501  one case a line
from __future__ import annotations

import datetime as dt
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, NamedTuple

import clickhouse_connect.driver.exceptions as clickhouse
import hdbcli.dbapi
import numpy as np
import oracledb
import psycopg2.errors
import pymysql.err
import pyodbc
import pytest
import sqlalchemy as sa
from databricks.sql import exc as databricks
from oracledb.errors import ERR_CALL_TIMEOUT_EXCEEDED, _Error, _raise_err
from sqlalchemy.exc import DBAPIError

from executors.dialects.table import DIALECTS
from executors.engines.common.servers.failures import error_code
from executors.engines.databricks.executor import DatabricksExecutor, parse_nested
from executors.engines.hana.executor import HanaExecutor
from executors.engines.oracle.executor import OracleExecutor, months
from executors.errors import ErrorKind


class _Undefined(psycopg2.errors.UndefinedTable):  # type: ignore[misc]
    pgcode = "42P01"  # which the server sends


def _spark(message: str, kind: Any = databricks.ServerOperationError) -> BaseException:
    error: BaseException = kind(message)
    return error


def _oracle(message: str, code: int) -> oracledb.DatabaseError:
    return oracledb.DatabaseError(_Error(message, code=code))


ODBC = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"

CASES: list[tuple[BaseException, str, str]] = [
    (_Undefined('relation "x" does not exist'), "42P01", "SQLSTATE"),
    (psycopg2.OperationalError("server closed the connection"), "", "the driver's own: none"),
    (pyodbc.ProgrammingError("42S02", f"[42S02] {ODBC}Invalid object name 'x'. (208) (SQLExecDirectW)"), "208", "the server's number"),
    (pyodbc.ProgrammingError("42S22", f"[42S22] {ODBC}Invalid column name 'a (7)'. (207) (SQLExecDirectW); [42S22] {ODBC}Also. (8180) (SQLExecDirectW)"), "207", "the first of two"),
    (pyodbc.ProgrammingError("42000", "[42000] [FreeTDS][SQL Server]Incorrect syntax near 'LIMIT'. (102) (SQLExecDirectW)"), "102", "another driver"),
    (pyodbc.OperationalError("HYT00", f"[HYT00] {ODBC}Query timeout expired (0) (SQLExecDirectW)"), "HYT00", "the driver's own: SQLSTATE"),
    (pymysql.err.ProgrammingError(1146, "Table 'shop.x' doesn't exist"), "1146", "the number"),
    (pymysql.err.InterfaceError("(0, '')"), "", "no number"),
    (_oracle('ORA-00942: table or view "HR"."X" does not exist', 942), "ORA-00942", "the server's"),
    (_oracle("ORA-03113: end-of-file on communication channel", 3113), "DPY-4011", "the driver's word for it"),
    (oracledb.DatabaseError("ORA-00904: \"X\": invalid identifier"), "ORA-00904", "out of the text"),
    (hdbcli.dbapi.ProgrammingError(259, "invalid table name"), "259", "the number"),
    (hdbcli.dbapi.Error(-10709, "Connection failed"), "-10709", "the driver's own"),
    (clickhouse.DatabaseError("HTTP driver received HTTP status 404", code=60, name="UNKNOWN_TABLE"), "60", "an attribute"),
    (clickhouse.DatabaseError("Received ClickHouse exception, code: 60, Code: 60. DB::Exception: Unknown table"), "60", "out of the text"),
    (clickhouse.OperationalError("Error executing HTTP request"), "", "none"),
    (_spark("[TABLE_OR_VIEW_NOT_FOUND] The table or view `x` cannot be found. SQLSTATE: 42P01"), "TABLE_OR_VIEW_NOT_FOUND", "the class"),
    (_spark("[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column with name `a` cannot be resolved."), "UNRESOLVED_COLUMN", "without the subclass"),
    (_spark("\n[PARSE_SYNTAX_ERROR] Syntax error at or near 'FORM'."), "PARSE_SYNTAX_ERROR", "after a line's end"),
    (_spark("Error during request to server", databricks.RequestError), "", "none"),
    (ValueError("42"), "", "of no driver"),
]  # fmt: skip


@pytest.mark.parametrize("error, code, why", CASES)
def test_the_driver_tells_its_code(error: BaseException, code: str, why: str) -> None:
    assert error_code(error) == code, why
    assert error_code(DBAPIError("SELECT 1", None, error)) == code, why


def test_a_call_that_took_too_long_is_the_drivers_own_error() -> None:
    with pytest.raises(oracledb.DatabaseError) as caught:
        _raise_err(ERR_CALL_TIMEOUT_EXCEEDED, timeout=5)
    assert DIALECTS["oracle"].codes[error_code(caught.value)] is ErrorKind.TIMEOUT


@pytest.mark.parametrize(
    "url, name, driver",
    [
        ("oracle+oracledb://u:p@h/?service_name=x", "oracle", "oracledb"),
        ("hana+hdbcli://u:p@h:443", "hana", "hdbcli"),
        ("databricks://token:t@h?http_path=/sql/1.0/x&catalog=main&schema=default", "databricks", "databricks"),
        ("mysql+pymysql://u:p@h/x", "mysql", "pymysql"),
        ("mariadb+pymysql://u:p@h/x", "mariadb", "pymysql"),
        ("postgresql+psycopg2://u:p@h/x", "postgresql", "psycopg2"),
        ("mssql+pyodbc://u:p@h/x?driver=d", "mssql", "pyodbc"),
    ],
)
def test_sqlalchemy_knows_the_dialect_by_its_name(url: str, name: str, driver: str) -> None:
    dialect = sa.create_engine(url).dialect  # opens nothing
    assert (dialect.name, dialect.driver) == (name, driver)


# ------------------------------------------------------------------------------------------------ what is sent


class _Cursor:
    def __init__(self, log: list[str]) -> None:
        self.log, self.description = log, [("ID", None)]

    def execute(self, sql: str) -> None:
        self.log.append(sql)

    def setquerytimeout(self, seconds: int) -> None:
        self.log.append(f"timeout {seconds}")

    def cancel(self) -> None:
        self.log.append("cancel of the cursor")

    def close(self) -> None:
        pass


class _Lease:
    """A connection of the pool, that notes what it is told."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.info: dict[str, Any] = {}
        self.dbapi_connection = SimpleNamespace(cancel=lambda: self.log.append("cancel"), call_timeout=0)

    def cursor(self) -> _Cursor:
        return _Cursor(self.log)

    def commit(self) -> None:
        self.log.append("commit")


def _sent(kind: type[Any], dialect: str) -> _Lease:
    """What one query of 2.5 seconds at most, and then its cancel, send."""
    executor, lease = object.__new__(kind), _Lease()
    executor.row = DIALECTS[dialect]
    executor._begin(lease, 2.5)
    executor._execute(lease, "SELECT 1")
    executor.interrupt(lease)
    return lease


def test_oracle_reads_in_a_read_only_transaction_and_is_timed_by_its_driver() -> None:
    lease = _sent(OracleExecutor, "oracle")
    assert lease.log == ["SET TRANSACTION READ ONLY", "SELECT 1", "cancel"]
    assert lease.dbapi_connection.call_timeout == 2500


def test_hana_reads_in_a_read_only_transaction_and_is_timed_by_its_driver() -> None:
    assert _sent(HanaExecutor, "hana").log == ["SET TRANSACTION READ ONLY", "timeout 3", "SELECT 1", "cancel"]


def test_databricks_is_timed_by_the_warehouse_and_cancelled_by_the_cursor() -> None:
    lease = _sent(DatabricksExecutor, "databricks")
    assert lease.log == ["SET STATEMENT_TIMEOUT = 3", "commit", "SELECT 1", "cancel of the cursor"]


# ------------------------------------------------------------------------------------------------ values


class _IntervalYM(NamedTuple):
    years: int
    months: int


@pytest.mark.parametrize(
    "value, text", [((1, 2), "P1Y2M"), ((0, 3), "P3M"), ((2, 0), "P2Y"), ((0, 0), "P0M"), ((-1, -2), "P-1Y-2M")]
)
def test_oracles_years_and_months_are_a_duration(value: tuple[int, int], text: str) -> None:
    assert months(_IntervalYM(*value)) == text
    assert months(None) is None


NESTED = [
    (np.array([1, 2]), [1, 2], "an array"),
    (np.array(["a", None], dtype=object), ["a", None], "with a NULL"),
    ([("a", 1), ("b", 2)], {"a": 1, "b": 2}, "a map"),
    ({"a": np.array([Decimal("0.1")], dtype=object), "d": dt.date(2024, 1, 31)}, {"a": [0.1], "d": "2024-01-31"}, "a struct"),
    ('[1, {"a": 9007199254740993}]', [1, {"a": "9007199254740993"}], "as text, with a number beyond JavaScript's"),
    ("not JSON", "not JSON", "text"),
    ([], [], "an empty array"),
    (None, None, "nothing"),
]  # fmt: skip


@pytest.mark.parametrize("value, json, why", NESTED)
def test_databricks_nested_values_become_json(value: Any, json: Any, why: str) -> None:
    assert parse_nested(value) == json, why
