"""A server's address is one line of the registry; only a part of it may be shown."""

from __future__ import annotations

import pytest

from executors.errors import RegistryInvalid
from executors.registry.address import Address, is_odbc
from executors.registry.openers import OPENERS

AZURE_SQL = (
    "Driver={ODBC Driver 18 for SQL Server};Server=tcp:x.database.windows.net,1433;Database=shop;Uid=reader;"
    "Pwd={p;w}}=;};Encrypt=yes;TrustServerCertificate=no"
)


@pytest.mark.parametrize("text, dialect, host, port, database", [
    ("postgresql://u:p@host.example:5433/sales", "postgresql", "host.example", 5433, "sales"),
    ("postgres://host.example", "postgresql", "host.example", None, None),
    ("PostgreSQL+psycopg2://u@host.example/sales", "postgresql", "host.example", None, "sales"),
    ("postgresql:///sales?host=/run/postgresql", "postgresql", None, None, "sales"),
    ("postgresql://u:p@[::1]:5432/sales", "postgresql", "::1", 5432, "sales"),
    ("mssql://host.example/sales", "sqlserver", "host.example", None, "sales"),
    ("sqlserver://host.example:1433/sales", "sqlserver", "host.example", 1433, "sales"),
    ("mssql+pyodbc://u:p@host.example/sales?driver=X", "sqlserver", "host.example", None, "sales"),
    ("mssql+pyodbc:///?odbc_connect=Driver%3D%7BX%7D%3BServer%3Dhost.example%2C1444", "sqlserver", "host.example",
     1444, None),
    (AZURE_SQL, "sqlserver", "x.database.windows.net", 1433, "shop"),
    ("Server=host\\instance;Trusted_Connection=yes", "sqlserver", "host\\instance", None, None),
    ("mysql://u:p@host.example/sales", "mysql", "host.example", None, "sales"),
    ("mysql+pymysql://host.example/sales", "mysql", "host.example", None, "sales"),
    ("mariadb://host.example:3307/sales", "mariadb", "host.example", 3307, "sales"),
    ("oracle://u:p@host.example:1521/?service_name=XEPDB1", "oracle", "host.example", 1521, None),
    ("oracle+oracledb://host.example/XE", "oracle", "host.example", None, "XE"),
    ("clickhouse://host.example:8123/default", "clickhouse", "host.example", 8123, "default"),
    ("clickhousedb://host.example", "clickhouse", "host.example", None, None),
    ("clickhouse+http://host.example:8123/d", "clickhouse", "host.example", 8123, "d"),
    ("hana://u:p@host.example:39015", "hana", "host.example", 39015, None),
    ("hana+hdbcli://host.example:39015", "hana", "host.example", 39015, None),
    ("databricks://token:t@adb.example?http_path=/sql/1.0&catalog=main", "databricks", "adb.example", None, None),
])  # fmt: skip
def test_an_address_is_read(text: str, dialect: str, host: str | None, port: int | None, database: str | None) -> None:
    address = Address.parse(text)

    assert (address.dialect, address.host, address.port, address.database) == (dialect, host, port, database)


def test_user_and_password_are_decoded() -> None:
    address = Address.parse("postgresql://a%40b:p%40ss%2F%3A%25%C3%BC@host.example/sales")

    assert address.user == "a@b"
    assert address.password is not None
    assert address.password.get_secret_value() == "p@ss/:%ü"


def test_an_odbc_string_is_taken_apart() -> None:
    address = Address.parse(AZURE_SQL)

    assert address.user == "reader"
    assert address.password is not None
    assert address.password.get_secret_value() == "p;w}=;", "in braces a semicolon belongs to the value"
    assert address.query == {
        "driver": "ODBC Driver 18 for SQL Server",
        "encrypt": "yes",
        "trustservercertificate": "no",
    }


@pytest.mark.parametrize("text, query", [
    ("postgresql://host.example/d?sslmode=verify-full&auth=entra", {"sslmode": "verify-full", "auth": "entra"}),
    ("postgresql://host.example/d?options=a&options=b", {"options": "a,b"}),
    ("mssql://host.example/d?Driver=X&Encrypt=yes", {"driver": "X", "encrypt": "yes"}),
    ("clickhouse+https://host.example:8443/d", {"secure": "true"}),
    ("oracle://host.example/?service_name=X", {"service_name": "X"}),
])  # fmt: skip
def test_what_an_address_says_beyond_that_is_kept(text: str, query: dict[str, str]) -> None:
    assert Address.parse(text).query == query


@pytest.mark.parametrize("text", [
    "postgresql://reader:hunter2@host.example:5433/sales?sslpassword=hunter2",
    "postgresql://reader:hunter2@[::1]/sales",
    "Driver={X};Server=host.example;Uid=reader;Pwd=hunter2",
    "databricks://token:hunter2@adb.example?http_path=/sql",
])  # fmt: skip
def test_only_the_server_is_shown(text: str) -> None:
    address = Address.parse(text)

    for told in (repr(address), str(address)):
        assert "hunter2" not in told
        assert "reader" not in told


@pytest.mark.parametrize("text, said", [
    ("ftp://hunter2@host.example/x", "begins with none of postgresql://"),
    ("hunter2", "begins with none of"),
    ("postgresql://u:hunter2@host.example:notaport/x", "cannot be read"),
    ("postgresql://u:hunter2:7777x@:host.example", "cannot be read"),
    ("postgresql://u:hunter2@hunter2@host.example/x", "write it as %40"),
    ("Driver={X};Server=host.example;hunter2", "ODBC connection string cannot be read"),
    ("Server=host.example,hunter2;Uid=u", "is not a number"),
])  # fmt: skip
def test_what_cannot_be_read_is_said_without_repeating_it(text: str, said: str) -> None:
    with pytest.raises(RegistryInvalid) as raised:
        Address.parse(text)

    assert said in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None, "nor in a traceback"


def test_a_dialect_that_is_named_wins_over_the_scheme() -> None:
    assert Address.parse("mysql://host.example/sales", "mariadb").dialect == "mariadb"


def test_an_address_becomes_sqlalchemys() -> None:
    url = Address.parse("mysql://u:p%40ss@host.example:3306/sales?charset=utf8mb4").url("mysql+pymysql")

    assert (
        url.render_as_string(hide_password=False) == "mysql+pymysql://u:p%40ss@host.example:3306/sales?charset=utf8mb4"
    )


def test_every_server_dialect_is_also_a_scheme() -> None:
    assert [name for name, opener in OPENERS.items() if name not in opener.schemes] == []


@pytest.mark.parametrize("text, expected", [
    (AZURE_SQL, True),
    ("  server = host", True),
    ("DSN=warehouse;UID=u", True),
    ("drivers.csv", False),
    ("data/server=1/x.parquet", False),
    ("postgresql://host/x?driver=1", False),
])  # fmt: skip
def test_an_odbc_string_is_no_path(text: str, expected: bool) -> None:
    assert is_odbc(text) is expected
