"""Columns that the registry marks private: in the schema with their type and keys, and with none of their values."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.checks.rules.lookup import look_up
from agent.databases.database import Database
from agent.pipeline.service import Service
from executors.base import Column, Schema, Table
from executors.errors import RegistryInvalid
from executors.guard.private import PrivateColumns
from executors.registry.registry import load_registry
from executors.router import Router
from executors.sql.tree import tree_to_change
from testbed.postgres import PostgresServer
from testbed.scripted_model import ScriptedModel

PEOPLE = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT, city TEXT, ssn TEXT);
CREATE TABLE staff (id INTEGER PRIMARY KEY, email TEXT, ssn TEXT);
INSERT INTO customers VALUES (1, 'ada@mail.example', 'Bonn', '078-05'), (2, 'bo@mail.example', 'Bonn', '219-09');
INSERT INTO staff VALUES (1, 'cy@mail.example', '457-55');
"""
PRIVATE = ("customers.email", "*.ssn")

Open = Callable[..., Router]


@pytest.fixture
def open_people(tmp_path: Path) -> Iterator[Open]:
    opened: list[Router] = []

    def open_people(url: str, *private: str) -> Router:
        path = tmp_path / "databases.yaml"
        path.write_text(f"people:\n  url: {url}\n  private: {list(private)}\n", encoding="utf-8")
        opened.append(Router(load_registry(path), sample_values=3, duckdb_memory="100MB", duckdb_threads=1))
        return opened[-1]

    yield open_people
    for router in opened:
        router.close()


def make_sqlite(folder: Path) -> str:
    connection = sqlite3.connect(folder / "people.sqlite")
    connection.executescript(PEOPLE)
    connection.close()
    return "people.sqlite"


def make_duckdb(folder: Path) -> str:
    import duckdb

    with duckdb.connect(folder / "people.duckdb") as connection:
        connection.execute(PEOPLE)
    return "people.duckdb"


def make_csv(folder: Path) -> str:
    (folder / "people").mkdir()
    (folder / "people/customers.csv").write_text(
        "id,email,city,ssn\n1,ada@mail.example,Bonn,078-05\n", encoding="utf-8"
    )
    (folder / "people/staff.csv").write_text("id,email,ssn\n1,cy@mail.example,457-55\n", encoding="utf-8")
    return "people"


def samples(schema: Schema) -> dict[str, tuple[bool, bool]]:
    """By column: whether it is private, and whether stored values are shown."""
    return {f"{t.name}.{c.name}": (c.private, bool(c.samples)) for t in schema.tables for c in t.columns}


@pytest.mark.parametrize("make", [make_sqlite, make_duckdb, make_csv])
def test_a_private_column_is_known_without_its_values(
    make: Callable[[Path], str], open_people: Open, tmp_path: Path
) -> None:
    url = make(tmp_path)
    shown = samples(open_people(url).get("people").schema())
    found = samples(open_people(url, *PRIVATE).get("people").schema())

    assert shown["customers.email"] == (False, True), "else nothing is shown here"
    assert found["customers.email"] == (True, False)
    assert found["customers.ssn"] == found["staff.ssn"] == (True, False)
    assert found["customers.city"] == found["staff.email"] == (False, True)


def test_a_server_keeps_them_as_well(open_people: Open) -> None:
    with PostgresServer() as server:
        with server.admin() as admin:
            admin(PEOPLE)
        found = samples(open_people(server.url(), *PRIVATE).get("people").schema())

    assert found["customers.email"] == found["staff.ssn"] == (True, False)
    assert found["customers.city"] == found["staff.email"] == (False, True)


def test_they_can_still_be_asked_about(open_people: Open, tmp_path: Path) -> None:
    from executors.guard.guard import check

    executor = open_people(make_sqlite(tmp_path), *PRIVATE).get("people")
    query = check("SELECT count(DISTINCT email) FROM customers", executor.schema(), row_limit=10)

    assert executor.run(query, timeout_s=30).rows == ((2,),)


async def test_a_near_miss_does_not_show_what_is_stored(open_people: Open, tmp_path: Path) -> None:
    url, sql = make_sqlite(tmp_path), "SELECT id FROM customers WHERE {} = {}"
    database = Database(open_people(url, *PRIVATE).get("people"), limit=1, timeout_s=30)
    details = []
    for column, value in (("city", "'bonn'"), ("email", "'ada@mail.exampl'")):
        tree = tree_to_change(sql.format(column, value), "sqlite")
        assert tree is not None
        details.append((await look_up(tree, await database.schema(), database)).check.detail)
    await database.close()

    assert "nearest stored: 'Bonn'" in details[0]
    assert "ada@mail.example" not in details[1]


async def test_the_rows_behind_an_answer_have_no_private_column_that_was_not_asked_for(
    make_service: Callable[..., Service], registry: Path, model: ScriptedModel
) -> None:
    registry.write_text("shop: {url: shop.sqlite, private: [customers.name]}", encoding="utf-8")
    service = make_service(enable_retrieval=False)
    answers = []
    for question, sql in (
        ("How many customers are there?", "SELECT count(*) AS n FROM customers"),
        ("How many names do customers have?", "SELECT count(DISTINCT name) AS n FROM customers"),
    ):
        model.replies(sql=sql)
        model.replies(correct=True, reason="counted")
        model.replies(text="There are 3.")
        answers.append(await service.query(question, "shop"))
    await service.close()

    assert answers[0].raw_results[0] == {"customer_id": 1, "country": "DE"}
    assert answers[1].raw_results[0] == {"customer_id": 1, "name": "Ada", "country": "DE"}


def test_the_schema_is_marked_once_and_again_after_a_change(open_people: Open, tmp_path: Path) -> None:
    executor = open_people(make_sqlite(tmp_path), *PRIVATE).get("people")
    first = executor.schema()
    assert executor.schema() is first

    connection = sqlite3.connect(tmp_path / "people.sqlite")
    connection.executescript("CREATE TABLE guests (ssn TEXT); INSERT INTO guests VALUES ('111-11');")
    connection.close()

    assert samples(executor.schema())["guests.ssn"] == (True, False)


def test_a_name_that_protects_nothing_is_told(open_people: Open, tmp_path: Path) -> None:
    executor = open_people(make_sqlite(tmp_path), "customers.emial", "*.passport").get("people")
    executor.schema()

    assert executor.warnings == ("databases.yaml marks customers.emial private, and there is no such column.",)


@pytest.mark.parametrize("pattern, table, column, covered", [
    ("customers.email", "customers", "email", True),
    ("Customers.EMAIL", "customers", "email", True),
    ("customers.email", "sales.customers", "email", True),
    ("sales.customers.email", "sales.customers", "email", True),
    ("hr.customers.email", "sales.customers", "email", False),
    ("customers.email", "customers", "email_domain", False),
    ("customers.email", "old_customers", "email", False),
    ("*.ssn", "sales.customers", "ssn", True),
    ("customers.*", "customers", "anything", True),
    ("*.*mail*", "customers", "e_mail_2", True),
    ("customers.a+b", "customers", "aab", False),
    ("customers.total [eur]", "customers", "total [EUR]", True),
])  # fmt: skip
def test_which_columns_a_pattern_covers(pattern: str, table: str, column: str, covered: bool) -> None:
    namespace = table.rpartition(".")[0]
    found = Table(name=table, namespace=namespace, columns=(Column(name=column, type="TEXT"),))

    assert PrivateColumns((pattern,)).covers(found, column) is covered


@pytest.mark.parametrize("private, said", [
    ("[email]", "private: 'email' is not a column; write table.column"),
    ("[.email]", "private: '.email' is not a column"),
    ("5", "`private` wants a list of texts"),
])  # fmt: skip
def test_what_is_no_column_is_refused(tmp_path: Path, private: str, said: str) -> None:
    path = tmp_path / "databases.yaml"
    path.write_text(f"people: {{url: x.db, private: {private}}}", encoding="utf-8")

    with pytest.raises(RegistryInvalid) as raised:
        load_registry(path)
    assert said in str(raised.value)
