"""Reads the server's error code from each driver's error."""

from __future__ import annotations

import re
from collections.abc import Callable

# pyodbc gives the server's number in the text alone, before the name of the ODBC call; 0 is the driver's own.
_ODBC_NUMBER = re.compile(r"\((\d+)\)(?= \(SQL\w+\))")
_STATE = re.compile(r"[0-9A-Z]{5}")
_CLICKHOUSE_CODE = re.compile(r"\bCode: (\d+)\b|error code (\d+)")
_SPARK_CLASS = re.compile(r"\[([A-Z][A-Z0-9_]*)(?:\.[A-Z0-9_]+)*\]")
_ORACLE_CODE = re.compile(r"\b(?:ORA|DPY|DPI)-\d{4,5}\b")


def error_code(error: BaseException) -> str:
    """The code by which a dialect's row knows the error; empty where the driver gives none.

    SQLSTATE for psycopg2; for pyodbc the server's number, or SQLSTATE where the driver itself complains; the number for
    pymysql, hdbcli and clickhouse_connect; `ORA-00942`, or `DPY-4024` where the driver itself complains, for oracledb;
    the error class without its subclass for Databricks and Spark: `UNRESOLVED_COLUMN`.

    Args:
        error: of a driver, or SQLAlchemy's wrapping of one. Which driver it is of, its class says.
    """
    error = getattr(error, "orig", None) or error
    for kind in type(error).__mro__:
        read = _DRIVERS.get(kind.__module__.partition(".")[0])
        if read is not None:
            return read(error)
    return ""


def _psycopg2(error: BaseException) -> str:
    return str(getattr(error, "pgcode", None) or "")


def _pyodbc(error: BaseException) -> str:
    numbers = [number for number in _ODBC_NUMBER.findall(str(error)) if number != "0"]
    # The state comes first where the driver speaks, and last where pyodbc itself does.
    states = [part for part in error.args if isinstance(part, str) and _STATE.fullmatch(part)]
    return next(iter((*numbers, *states)), "")


def _number(error: BaseException) -> str:
    return str(error.args[0]) if error.args and isinstance(error.args[0], int) else ""


def _oracledb(error: BaseException) -> str:
    code = getattr(error.args[0], "full_code", "") if error.args else ""
    found = _ORACLE_CODE.search(str(error))
    return str(code or (found.group() if found else ""))


def _hdbcli(error: BaseException) -> str:
    code = getattr(error, "errorcode", None)
    return "" if code is None else str(code)


def _clickhouse(error: BaseException) -> str:
    code = getattr(error, "code", None)
    if code is None:
        found = _CLICKHOUSE_CODE.search(str(error))
        code = found and (found.group(1) or found.group(2))
    return str(code or "")


def _spark(error: BaseException) -> str:
    condition = getattr(error, "getCondition", None)
    if condition is not None and (name := condition()):
        return str(name).partition(".")[0]
    found = _SPARK_CLASS.search(str(error))
    return found.group(1) if found else ""


_DRIVERS: dict[str, Callable[[BaseException], str]] = {
    "psycopg2": _psycopg2,
    "pyodbc": _pyodbc,
    "pymysql": _number,
    "oracledb": _oracledb,
    "hdbcli": _hdbcli,
    "clickhouse_connect": _clickhouse,
    "clickhouse_driver": _clickhouse,
    "databricks": _spark,
    "pyspark": _spark,
}
