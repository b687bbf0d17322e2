"""The one table of dialects: how each is parsed, what a model must know of it, and what its errors mean.

Adding a dialect is adding a row: a module in `executors.rows`.
"""

from __future__ import annotations

import re

from executors.errors import ErrorKind
from executors.rows.clickhouse import CLICKHOUSE
from executors.rows.databricks import DATABRICKS
from executors.rows.duckdb import DUCKDB
from executors.rows.hana import HANA
from executors.rows.mysql import MARIADB, MYSQL
from executors.rows.oracle import ORACLE
from executors.rows.postgresql import POSTGRESQL
from executors.rows.row import Case, Dialect, Limit
from executors.rows.sqlite import SQLITE
from executors.rows.sqlserver import SQLSERVER

__all__ = ["DIALECTS", "Case", "Dialect", "Limit", "classify", "match_error"]

DIALECTS: dict[str, Dialect] = {
    row.name: row
    for row in (
        *(SQLITE, DUCKDB, POSTGRESQL, SQLSERVER, MYSQL, MARIADB, CLICKHOUSE),
        *(ORACLE, HANA, DATABRICKS),
    )
}


def classify(dialect: str, message: str) -> ErrorKind:
    """The kind of a driver's error. Args: dialect: a key of `DIALECTS`; message: as the driver gave it."""
    return match_error(dialect, message)[0]


def match_error(dialect: str, message: str) -> tuple[ErrorKind, dict[str, str]]:
    """The kind of a driver's error, and the names the message holds (`name`, `table`), without their quotes."""
    for pattern, kind in DIALECTS[dialect].errors:
        found = re.search(pattern, message)
        if found:
            return kind, {key: value.strip("\"'[]` ") for key, value in found.groupdict().items() if value}
    return ErrorKind.OTHER, {}
