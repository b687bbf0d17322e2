"""Two tables of SQL Server, and errors as its drivers raise them."""

from __future__ import annotations

import pyodbc

from executors.base import Column, Schema, Table
from executors.dialects.table import DIALECTS

ROW = DIALECTS["sqlserver"]
EIGHTEEN = "ODBC Driver 18 for SQL Server"
SCHEMA = Schema(
    database="shop",
    dialect="sqlserver",
    tables=(
        Table(name="people", columns=(Column(name="id", type="int"), Column(name="name", type="nvarchar(10)"))),
        Table(name="visits", columns=(Column(name="id", type="int"),)),
    ),
)


def server_error(number: int, message: str, kind: type[pyodbc.Error] = pyodbc.Error, state: str = "HY000") -> Exception:
    error: Exception = kind(
        state, f"[{state}] [Microsoft][{EIGHTEEN}][SQL Server]{message} ({number}) (SQLExecDirectW)"
    )
    return error
