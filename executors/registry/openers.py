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


OPENERS: dict[str, Opener] = {
    "postgresql": Opener(
        "executors.engines.postgresql.executor",
        "PostgresExecutor",
        "psycopg2",
        "postgresql+psycopg2",
        ("postgresql", "postgres", "postgresql+psycopg2"),
    ),
    "sqlserver": Opener(
        "executors.engines.sqlserver.executor",
        "SqlServerExecutor",
        "pyodbc",
        "mssql+pyodbc",
        ("sqlserver", "mssql", "mssql+pyodbc"),
    ),
    "mysql": Opener(
        "executors.engines.mysql.executor",
        "MysqlExecutor",
        "pymysql",
        "mysql+pymysql",
        ("mysql", "mysql+pymysql"),
        "requirements-mysql.txt",
    ),
    "mariadb": Opener(
        "executors.engines.mysql.executor",
        "MysqlExecutor",
        "pymysql",
        "mariadb+pymysql",
        ("mariadb", "mariadb+pymysql"),
        "requirements-mysql.txt",
    ),
    "oracle": Opener(
        "executors.engines.oracle.executor",
        "OracleExecutor",
        "oracledb",
        "oracle+oracledb",
        ("oracle", "oracle+oracledb"),
        "requirements-oracle.txt",
    ),
    "clickhouse": Opener(
        "executors.engines.clickhouse.executor",
        "ClickhouseExecutor",
        "clickhouse_connect",
        "clickhousedb+connect",
        ("clickhouse", "clickhousedb", "clickhouse+http", "clickhouse+https"),
        "requirements-clickhouse.txt",
    ),
    "hana": Opener(
        "executors.engines.hana.executor",
        "HanaExecutor",
        "sqlalchemy_hana.dialect",
        "hana+hdbcli",
        ("hana", "hana+hdbcli"),
        "requirements-hana.txt",
    ),
    "databricks": Opener(
        "executors.engines.databricks.executor",
        "DatabricksExecutor",
        "databricks.sqlalchemy",
        "databricks",
        ("databricks",),
        "requirements-databricks.txt",
    ),
}


def dialect_of(scheme: str) -> str | None:
    """The dialect that the word before `://` means; None: none does."""
    return next((name for name, opener in OPENERS.items() if scheme in opener.schemes), None)
