"""The table of dialects: how each is parsed, what a model must know about it, and what its errors mean.

To add a dialect, add a row: the module `dialect` of a package in `executors.engines`. The table imports these modules
by name, so code that reads a row does not depend on the engines.
"""

from __future__ import annotations

import re
from importlib import import_module
from itertools import starmap

from executors.dialects.row import Dialect
from executors.errors import ErrorKind

# The engines' rows: the package in `executors.engines`, and the row's name in its module `dialect`.
_ROWS = (
    *(("sqlite", "SQLITE"), ("duckdb", "DUCKDB"), ("postgresql", "POSTGRESQL"), ("sqlserver", "SQLSERVER")),
    *(("mysql", "MYSQL"), ("mysql", "MARIADB"), ("clickhouse", "CLICKHOUSE")),
    *(("oracle", "ORACLE"), ("hana", "HANA"), ("databricks", "DATABRICKS")),
)


def _read(engine: str, name: str) -> Dialect:
    row: Dialect = getattr(import_module(f"executors.engines.{engine}.dialect"), name)
    return row


DIALECTS: dict[str, Dialect] = {row.name: row for row in starmap(_read, _ROWS)}

EXTENDED: set[str] = set()  # names of dialects added by `executors.extend`

# A dialect's name in other tools -> its name here.
ALIASES: dict[str, str] = {
    **dict.fromkeys(("sqlite3",), "sqlite"),
    **dict.fromkeys(("postgres", "pg", "postgis", "psql"), "postgresql"),
    **dict.fromkeys(("tsql", "t-sql", "mssql", "azuresql", "azure-sql", "sql server"), "sqlserver"),
    **dict.fromkeys(("spark", "spark2", "sparksql", "databricks-sql"), "databricks"),
    **dict.fromkeys(("ch", "chdb"), "clickhouse"),
    **dict.fromkeys(("saphana", "sap hana", "hdb"), "hana"),
    **dict.fromkeys(("plsql", "oracledb"), "oracle"),
}


def dialect_named(name: str) -> Dialect | None:
    """The dialect of that name or alias, or None. Args: name: in any case."""
    lowered = name.strip().lower()
    return DIALECTS.get(ALIASES.get(lowered, lowered))


# Messages that are alike in all databases.
_ALIKE = (
    (r"(?i)\bdivision by (?:zero|0)\b|\bdivide by zero\b|\bdivisor is equal to zero\b", ErrorKind.DIVISION_BY_ZERO),
    (r"(?i)\breturn(?:s|ed) more than (?:one|1) (?:row|value)|\bmore than one row returned\b", ErrorKind.SEVERAL_ROWS),
)


def match_error(dialect: str, message: str) -> tuple[ErrorKind, dict[str, str]]:
    """The kind of a driver's error, and the names in its message (`name`, `table`), without quotes."""
    for pattern, kind in (*_ALIKE, *DIALECTS[dialect].errors):
        found = re.search(pattern, message)
        if found:
            return kind, {key: value.strip("\"'[]` ") for key, value in found.groupdict().items() if value}
    return ErrorKind.OTHER, {}
