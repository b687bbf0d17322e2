"""What installs each driver, and what is said where it is missing."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from executors.dialects import DIALECTS
from executors.errors import DatabaseUnavailable
from executors.mysql import MysqlExecutor
from executors.registry import load_registry
from executors.router import OPENERS, Router
from executors.server.address import SERVER_DIALECTS, Address
from executors.server.driver import REQUIREMENTS
from executors.server.options import ServerOptions

ROOT = Path(__file__).resolve().parents[2]
OPTIONAL = sorted({file for file in REQUIREMENTS.values() if file != "requirements.txt"})


def pins(file: str) -> dict[str, str]:
    """Name -> version, of a requirements file or of the constraints."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = [re.fullmatch(r"([\w.-]+)(?:\[\w+\])?==(\S+)", line) for line in lines]
    return {re.sub(r"[_.]", "-", one[1].lower()): one[2] for one in found if one}


def test_every_server_has_a_file_that_installs_its_driver() -> None:
    assert set(REQUIREMENTS) == set(OPENERS) == set(SERVER_DIALECTS)


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
    assert package in pins(REQUIREMENTS[dialect])


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

    title, file = DIALECTS[dialect].title, REQUIREMENTS[dialect]
    said = f"warehouse cannot be opened: the driver for {title} is missing; install it: pip install -r {file}."
    assert str(raised.value) == said


def test_an_executor_that_was_made_without_its_driver_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymysql", None)
    executor = MysqlExecutor("shop", Address.parse("mariadb://u:p@host.example/shop"), options=ServerOptions())

    with pytest.raises(DatabaseUnavailable, match=r"pip install -r requirements-mysql\.txt\.$"):
        executor.schema()
