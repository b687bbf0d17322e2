"""The extra that installs each driver, and the message if it is missing."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from executors.dialects.table import DIALECTS
from executors.engines.databricks.executor import DatabricksExecutor
from executors.engines.hana.executor import HanaExecutor
from executors.engines.mysql.executor import MysqlExecutor
from executors.engines.oracle.executor import OracleExecutor
from executors.errors import DatabaseUnavailable
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from executors.registry.openers import OPENERS
from executors.registry.registry import load_registry
from executors.router import Router

ROOT = Path(__file__).resolve().parents[2]
OPTIONAL = sorted({file for file in (opener.requirements for opener in OPENERS.values()) if file != "requirements.txt"})


def pins(file: str) -> dict[str, str]:
    """Name -> version, of a requirements file or of the constraints."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r"([\w.-]+)(?:\[\w+\])?==(\S+)", line) for line in lines]
    return {re.sub(r"[_.]", "-", one[1].lower()): one[2] for one in found if one}


@pytest.mark.parametrize("dialect, package", [
    ("postgresql", "psycopg2-binary"),
    ("sqlserver", "pyodbc"),
    ("mysql", "pymysql"),
    ("mariadb", "pymysql"),
    ("oracle", "oracledb"),
    ("clickhouse", "clickhouse-connect"),
    ("hana", "sqlalchemy-hana"),
    ("hana", "hdbcli"),
    ("databricks", "databricks-sqlalchemy"),
    ("databricks", "databricks-sql-connector"),
])  # fmt: skip
def test_that_file_names_the_driver(dialect: str, package: str) -> None:
    assert package in pins(OPENERS[dialect].requirements)


@pytest.mark.parametrize("file", OPTIONAL)
def test_a_driver_goes_with_everything_else(file: str) -> None:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()

    assert lines[0].startswith("# ")
    assert {"-c constraints.txt", "-r requirements.txt"} <= set(lines)
    assert pins(file)
    assert pins(file).items() <= pins("constraints.txt").items()


@pytest.mark.parametrize("dialect", OPENERS)
def test_a_missing_driver_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str) -> None:
    names = tmp_path / "databases.yaml"
    names.write_text("warehouse: ${URL}", encoding="utf-8")
    registry = load_registry(names, {"URL": f"{dialect}://u:secret@host.example/sales"})
    monkeypatch.setitem(sys.modules, OPENERS[dialect].driver, None)  # as where it is not installed

    with pytest.raises(DatabaseUnavailable) as raised:
        Router(registry, sample_values=0, duckdb_memory="1GB", duckdb_threads=1).get("warehouse")

    title, file = DIALECTS[dialect].title, OPENERS[dialect].requirements
    said = f"warehouse cannot be opened: the driver for {title} is missing; install it: pip install -r {file}."
    assert str(raised.value) == said


@pytest.mark.parametrize("url, why", [
    ("mysql://u:s3cret@127.0.0.1:1/shop?s3cret=1", "an argument that connect does not take"),
    ("mysql://u:s3cret@127.0.0.1:1/shop?connect_timeout=s3cret", "no number"),
    ("oracle://u:s3cret@127.0.0.1:1/shop?s3cret=1", "another driver's word"),
    ("oracle://u:s3cret@127.0.0.1:1/shop?service_name=s3cret", "what SQLAlchemy itself refuses"),
    ("postgresql://u:s3cret@127.0.0.1:1/shop?s3cret=1", "libpq says so itself"),
    ("postgresql://u:s3cret@127.0.0.1:1/shop?sslmode=s3cret", "a value that is none"),
])  # fmt: skip
def test_an_option_that_the_driver_does_not_know_is_told(tmp_path: Path, url: str, why: str) -> None:
    names = tmp_path / "databases.yaml"
    names.write_text(f"warehouse: {url}", encoding="utf-8")
    router = Router(load_registry(names), sample_values=0, duckdb_memory="1GB", duckdb_threads=1)

    with pytest.raises(DatabaseUnavailable, match="the options in its address") as raised:
        router.get("warehouse").schema()

    assert "s3cret" not in str(raised.value), why


@pytest.mark.parametrize("url, encrypted", [
    ("hana://u:p@db.example:443", True),
    ("hana://u:p@db.example:443?encrypt=false", False),
    ("hana://u:p@localhost:39015", False),
])  # fmt: skip
def test_a_hana_on_another_machine_is_spoken_to_over_tls(url: str, encrypted: bool) -> None:
    options = HanaExecutor("erp", Address.parse(url), options=ServerOptions()).connect_options()

    assert options.get("encrypt", False) is encrypted


@pytest.mark.parametrize("query, dsn", [
    ("?protocol=tcps&service_name=sales", "(DESCRIPTION=(ADDRESS=(PROTOCOL=tcps)(HOST=db.example)(PORT=2484))"
                                          "(CONNECT_DATA=(SERVICE_NAME=sales))"),
    ("sales?protocol=tcps", "(DESCRIPTION=(ADDRESS=(PROTOCOL=tcps)(HOST=db.example)(PORT=2484))"
                            "(CONNECT_DATA=(SID=sales))"),
    ("?service_name=sales", None),
])  # fmt: skip
def test_an_oracle_is_spoken_to_over_tls_where_its_address_says_so(query: str, dsn: str | None) -> None:
    address = Address.parse(f"oracle://u:p@db.example:2484/{query}")
    found = OracleExecutor("erp", address, options=ServerOptions()).connect_options().get("dsn")

    assert (found or "").startswith(dsn or "")
    assert (found is None) is (dsn is None)


def test_databricks_waits_no_quarter_of_an_hour_and_reports_to_nobody() -> None:
    address = Address.parse("databricks://token:s3cret@host.example?http_path=/sql&catalog=c&schema=s")
    options = DatabricksExecutor("lake", address, options=ServerOptions()).connect_options()

    assert options["enable_telemetry"] is False
    assert options["_socket_timeout"] == options["_retry_stop_after_attempts_duration"] <= 60


def test_an_executor_that_was_made_without_its_driver_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymysql", None)
    executor = MysqlExecutor("shop", Address.parse("mariadb://u:p@host.example/shop"), options=ServerOptions())

    with pytest.raises(DatabaseUnavailable, match=r"pip install -r requirements-mysql\.txt\.$"):
        executor.schema()
