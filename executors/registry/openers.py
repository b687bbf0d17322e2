"""How the databases of each server are opened, with one row per dialect."""

from __future__ import annotations

from typing import NamedTuple


class Opener(NamedTuple):
    """How the servers of one dialect are opened.

    module, executor: Module and name of the executor class. The module is imported when a database is first opened.
    driver: Module of the driver, which must be installed.
    sqlalchemy: SQLAlchemy's name of dialect and driver.
    schemes: URL schemes of the dialect. Its own name is one of them.
    requirements: The file that installs the driver.
    """

    module: str
    executor: str
    driver: str
    sqlalchemy: str
    schemes: tuple[str, ...]
    requirements: str = "requirements.txt"


def _ours(engine: str, executor: str, driver: str, sqlalchemy: str, schemes: str, requirements: str = "") -> Opener:
    """The opener of an engine of this package. Args: requirements: suffix, as in `requirements-mysql.txt`."""
    module, file = f"executors.engines.{engine}.executor", f"requirements{requirements}.txt"
    return Opener(module, executor, driver, sqlalchemy, tuple(schemes.split()), file)


OPENERS: dict[str, Opener] = {
    "postgresql": _ours(
        "postgresql", "PostgresExecutor", "psycopg2", "postgresql+psycopg2", "postgresql postgres postgresql+psycopg2"
    ),
    "sqlserver": _ours("sqlserver", "SqlServerExecutor", "pyodbc", "mssql+pyodbc", "sqlserver mssql mssql+pyodbc"),
    "mysql": _ours("mysql", "MysqlExecutor", "pymysql", "mysql+pymysql", "mysql mysql+pymysql", "-mysql"),
    "mariadb": _ours("mysql", "MysqlExecutor", "pymysql", "mariadb+pymysql", "mariadb mariadb+pymysql", "-mysql"),
    "oracle": _ours("oracle", "OracleExecutor", "oracledb", "oracle+oracledb", "oracle oracle+oracledb", "-oracle"),
    "clickhouse": _ours(
        "clickhouse",
        "ClickhouseExecutor",
        "clickhouse_connect",
        "clickhousedb+connect",
        "clickhouse clickhousedb clickhouse+http clickhouse+https",
        "-clickhouse",
    ),
    "hana": _ours("hana", "HanaExecutor", "sqlalchemy_hana.dialect", "hana+hdbcli", "hana hana+hdbcli", "-hana"),
    "databricks": _ours(
        "databricks", "DatabricksExecutor", "databricks.sqlalchemy", "databricks", "databricks", "-databricks"
    ),
}


def dialect_of(scheme: str) -> str | None:
    """The dialect of a URL scheme, or None."""
    return next((name for name, opener in OPENERS.items() if scheme in opener.schemes), None)
