"""How the databases of each server are opened: one row a dialect."""

from __future__ import annotations

from typing import NamedTuple


class Opener(NamedTuple):
    """How a server of one dialect is reached.

    module, executor: the class that opens its databases; imported when one is first opened.
    driver: the module of its driver, which must be there.
    sqlalchemy: SQLAlchemy's name of dialect and driver.
    schemes: the words before `://` that mean it; its own name is one of them.
    requirements: the file that installs the driver.
    """

    module: str
    executor: str
    driver: str
    sqlalchemy: str
    schemes: tuple[str, ...]
    requirements: str = "requirements.txt"


def _ours(engine: str, executor: str, driver: str, sqlalchemy: str, schemes: str, requirements: str = "") -> Opener:
    """An engine of this package. Args: requirements: how the name of its file differs from `requirements.txt`."""
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
    """The dialect that the word before `://` means; None: none does."""
    return next((name for name, opener in OPENERS.items() if scheme in opener.schemes), None)
