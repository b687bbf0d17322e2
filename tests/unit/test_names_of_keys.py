"""The keys in a list are written with their names, which are read along the schema's keys."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from test_unread import open_lab

from agent.core.models import Options
from agent.databases.database import Database
from agent.databases.key_names import find_key_names
from agent.platform.config.settings import Settings
from executors.base import QueryResult
from executors.registry.registry import Registry
from executors.router import Router
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

HIVES = """
CREATE TABLE kind (code TEXT PRIMARY KEY, meaning TEXT NOT NULL, since INTEGER);
CREATE TABLE keeper (keeper_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, town TEXT);
CREATE TABLE hive (
    id INTEGER PRIMARY KEY, call_sign TEXT, nickname TEXT, kind TEXT REFERENCES kind,
    keeper_id INTEGER REFERENCES keeper
);
CREATE TABLE weighing (no INTEGER PRIMARY KEY, hive INTEGER REFERENCES hive (id), kg REAL);
CREATE TABLE sample (lot INTEGER, tin INTEGER, smell TEXT, taste TEXT, PRIMARY KEY (lot, tin));
INSERT INTO kind VALUES ('D', 'Dadant', 1920), ('Z', 'Zander', 1933);
INSERT INTO keeper VALUES (1, 'Ada', 'Berg', 'Rome'), (2, 'Bo', NULL, 'Turin'), (3, NULL, NULL, 'Pisa');
INSERT INTO hive VALUES (7, 'X7', 'Old Oak', 'D', 1), (8, 'X8', 'Brook', 'Z', 2), (9, 'X9', NULL, 'Z', 3);
INSERT INTO weighing VALUES (1, 7, 30.5), (2, 8, 41), (3, 9, 20);
INSERT INTO sample VALUES (1, 1, 'mild', 'sweet');
"""


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT id FROM hive", {0: {"7": "Old Oak", "8": "Brook"}}),
        ("SELECT h.id AS the_hive FROM hive AS h", {0: {"7": "Old Oak", "8": "Brook"}}),
        ("SELECT kg, hive FROM weighing", {1: {"7": "Old Oak", "8": "Brook"}}),
        ("SELECT hive, SUM(kg) FROM weighing GROUP BY hive", {0: {"7": "Old Oak", "8": "Brook"}}),
        ("SELECT keeper_id FROM hive", {0: {"1": "Ada Berg", "2": "Bo"}}),
        ("SELECT kind FROM hive", {0: {"D": "Dadant", "Z": "Zander"}}),
        ("SELECT id, kind FROM hive WHERE id = 7", {1: {"D": "Dadant"}}),
        ("SELECT id, call_sign FROM hive", {}),
        ("SELECT h.keeper_id, k.town FROM hive AS h JOIN keeper AS k USING (keeper_id)", {}),
        ("SELECT keeper_id, nickname FROM hive", {0: {"1": "Ada Berg", "2": "Bo"}}),
        ("SELECT * FROM hive", {}),
        ("SELECT COUNT(*) FROM hive", {}),
        ("SELECT id + 1 FROM hive", {}),
        ("SELECT no FROM weighing", {}),
        ("SELECT lot FROM sample", {}),
        ("SELECT id FROM hive WHERE id > 10", {}),
        ("SELECT id FROM hive UNION SELECT hive FROM weighing", {}),
        ("SELECT h.id FROM (SELECT id FROM hive) AS h", {}),
    ],
)
async def test_names_are_read_along_the_keys(tmp_path: Path, sql: str, names: dict[int, dict[str, str]]) -> None:
    path = tmp_path / "hives.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(HIVES)
    router = Router(Registry(), sample_values=3, duckdb_memory="200MB", duckdb_threads=1)
    database = Database(router.open_path(path), limit=50, timeout_s=60)
    result = await database.run(await database.check(sql, 50))

    found = await find_key_names("", sql, await database.schema(), database, result)

    # A text of the same table tells the rows apart already, and `kind` is a text of `hive`, whatever it stands for.
    assert {at: dict(it) for at, it in found.items() if it} == names
    await database.close()


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        ("title TEXT, first_name TEXT, middle_name TEXT, last_name TEXT", "Ada Berg"),
        ("last_name TEXT, first_name TEXT, title TEXT", "Ada Berg"),
        ("first_name TEXT, job_title TEXT, last_name TEXT", "Ada Berg"),
        ("row_name TEXT, city TEXT", "Row"),
        ("ship_name TEXT, city TEXT", None),
        ("status TEXT", None),
        ("password_hash TEXT, logins INTEGER", None),
        ("bezeichnung TEXT, stand TEXT", "Text"),
        ("stadtname TEXT, land TEXT", "City"),
        ("home_name TEXT, away_name TEXT", None),
    ],
)
async def test_only_columns_of_names_are_read(tmp_path: Path, columns: str, shown: str | None) -> None:
    path = tmp_path / "rows.sqlite"
    texts = {"first_name": "Ada", "last_name": "Berg", "row_name": "Row", "bezeichnung": "Text", "stadtname": "City"}
    values = ", ".join(f"'{texts.get(it.split()[0], 'x')}'" for it in columns.split(", "))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"CREATE TABLE rows (id INTEGER PRIMARY KEY, {columns}); INSERT INTO rows VALUES (1, {values})"
        )
    router = Router(Registry(), sample_values=3, duckdb_memory="200MB", duckdb_threads=1)
    database = Database(router.open_path(path), limit=50, timeout_s=60)

    found = await find_key_names(
        "", "SELECT id FROM rows", await database.schema(), database, QueryResult(columns=("id",), rows=((1,),))
    )

    assert found.get(0, {}).get("1") == shown
    await database.close()


async def test_a_database_that_fails_gives_no_names(tmp_path: Path) -> None:
    path = tmp_path / "hives.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(HIVES)
    router = Router(Registry(), sample_values=3, duckdb_memory="200MB", duckdb_threads=1)
    database = Database(router.open_path(path), limit=50, timeout_s=60)
    schema, rows = await database.schema(), QueryResult(columns=("id",), rows=((7,),))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TABLE weighing; DROP TABLE hive")

    assert await find_key_names("", "SELECT id FROM hive", schema, database, rows) == {}
    await database.close()


async def test_a_list_of_keys_has_their_names(settings: Settings, model: ScriptedModel, tmp_path: Path) -> None:
    for _ in range(2):
        model.replies(sql="SELECT id FROM hive WHERE kind = 'Z'")
    async with open_lab(settings, model, tmp_path, HIVES) as lab:
        answer = await lab.query("Which hives are of the kind Zander?", "lab", options=Options(enable_answer=False))

    assert answer.answer.startswith("Id: 8 (Brook); 9."), "no name is known of the last one"
    assert answer.results == [{"id": 8}, {"id": 9}], "the rows are those of the query"


async def test_a_private_name_is_not_read(settings: Settings, model: ScriptedModel, tmp_path: Path) -> None:
    for _ in range(2):
        model.replies(sql="SELECT id FROM hive WHERE kind = 'Z'")
    entry = "url: lab.db, private: [hive.nickname]"
    async with open_lab(settings, model, tmp_path, HIVES, entry) as lab:
        answer = await lab.query("Which hives are of the kind Zander?", "lab", options=Options(enable_answer=False))

    assert answer.answer.startswith("Id: 8; 9.")
