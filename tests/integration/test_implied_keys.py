"""Undeclared foreign keys are inferred from names and values together, on real engines."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.databases.database import Database
from agent.databases.knowledge import implied_keys
from agent.databases.knowledge.implied_keys import ImpliedKeys
from executors.base import CheckedSql, QueryResult, Schema
from executors.errors import ErrorKind, SqlFailed
from executors.registry.registry import Registry
from executors.router import Router

pytestmark = pytest.mark.usefixtures("patient")

BROKER = """
CREATE TABLE xx_client (xxClientId TEXT PRIMARY KEY, xxClientName TEXT);
CREATE TABLE xx_paper (xxPaperId TEXT PRIMARY KEY, xxPaperName TEXT);
CREATE TABLE xx_trade (id INTEGER PRIMARY KEY, xxTrClientId TEXT, xxTrPaperId TEXT, note_id TEXT, amount REAL);
INSERT INTO xx_client VALUES ('C1', 'Ada'), ('C2', 'Bo');
INSERT INTO xx_paper VALUES ('P1', 'Gilt');
INSERT INTO xx_trade VALUES (1, 'C1', 'P1', 'N', 5), (2, 'C2', 'P1', NULL, 7), (3, NULL, 'P1', 'N', 1);
"""
VISITS = """
CREATE TABLE doctors (id INTEGER, name TEXT);
CREATE TABLE rooms (id INTEGER, name TEXT);
CREATE TABLE visits (doctor_id INTEGER, room_id INTEGER, patient_id INTEGER);
CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT, doctor_id INTEGER REFERENCES doctors (id));
INSERT INTO doctors VALUES (1, 'Ames'), (2, 'Bell');
INSERT INTO rooms VALUES (1, 'East'), (1, 'West');
INSERT INTO patients VALUES (1, 'Cole', 1);
INSERT INTO visits VALUES (1, 1, 1), (2, 1, 9);
"""


def made(path: Path, script: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


@pytest.fixture
async def keys() -> AsyncIterator[ImpliedKeys]:
    implied = ImpliedKeys()
    yield implied
    await implied.close()


def opened(path: Path) -> Database:
    router = Router(Registry(), sample_values=3, duckdb_memory="200MB", duckdb_threads=1)
    return Database(router.open_path(path), limit=2, timeout_s=60)


def told(schema: Schema) -> dict[str, set[str]]:
    return {
        table.name: {f"{key.columns[0]} -> {key.table}.{key.referenced[0]}" for key in table.foreign_keys}
        for table in schema.tables
        if table.foreign_keys
    }


async def test_a_column_named_after_a_key_refers_to_it_where_its_values_say_so(
    tmp_path: Path, keys: ImpliedKeys
) -> None:
    database = opened(made(tmp_path / "broker.sqlite", BROKER))

    found = await keys.of(database, await database.schema())

    assert told(found) == {"xx_trade": {"xxTrClientId -> xx_client.xxClientId", "xxTrPaperId -> xx_paper.xxPaperId"}}
    await database.close()


async def test_values_decide_and_declared_keys_stay(tmp_path: Path, keys: ImpliedKeys) -> None:
    database = opened(made(tmp_path / "visits.sqlite", VISITS))

    found = await keys.of(database, await database.schema())

    # No room: its id comes twice. No patient: the values know one that does not exist.
    assert told(found) == {"patients": {"doctor_id -> doctors.id"}, "visits": {"doctor_id -> doctors.id"}}
    await database.close()


async def test_a_number_after_the_tables_name_is_a_key_where_no_value_comes_twice(
    tmp_path: Path, keys: ImpliedKeys
) -> None:
    script = """
    CREATE TABLE Rooms ("Room No" INTEGER, Floor INTEGER);
    CREATE TABLE Shelves ("Shelf No" INTEGER, Floor INTEGER);
    CREATE TABLE Bookings ("Room No" INTEGER, "Shelf No" INTEGER, Nights INTEGER);
    INSERT INTO Rooms VALUES (101, 1), (102, 1);
    INSERT INTO Shelves VALUES (1, 1), (1, 2);
    INSERT INTO Bookings VALUES (101, 1, 3), (101, 1, 2);
    """
    database = opened(made(tmp_path / "hotel.sqlite", script))

    found = await keys.of(database, await database.schema())

    assert told(found) == {"Bookings": {"Room No -> Rooms.Room No"}}
    await database.close()


LAGER = """
CREATE TABLE räume (raum_nr INTEGER, "größe" REAL);
CREATE TABLE geräte ("gerät_nr" INTEGER, raum_nr INTEGER, jahr INTEGER);
CREATE TABLE prüfungen ("prüfung_nr" INTEGER, "gerät_nr" INTEGER, jahr INTEGER);
CREATE TABLE garantien ("gerät_nr" INTEGER, ende TEXT);
CREATE TABLE teile (teil TEXT, "gerät_nr" INTEGER);
CREATE TABLE jahre (jahr INTEGER, budget REAL);
CREATE TABLE stufen (stufe TEXT, jahr INTEGER);
CREATE TABLE kabel (strang_nr INTEGER, "länge" REAL);
CREATE TABLE wege (strang_nr INTEGER, ziel TEXT);
CREATE TABLE messungen (wert REAL, strang_nr INTEGER);
INSERT INTO räume VALUES (1, 20.5), (2, 8);
INSERT INTO geräte VALUES (11, 2, 2020), (12, 2, 2021), (13, 1, 2020);
INSERT INTO prüfungen VALUES (1, 11, 2022), (2, 11, 2023), (3, 13, 2023);
INSERT INTO garantien VALUES (11, '2026-01-01'), (12, '2027-01-01'), (13, '2028-01-01');
INSERT INTO teile VALUES ('Riemen', 11), ('Riemen', 99);
INSERT INTO jahre VALUES (2020, 5), (2020, 6), (2021, 7), (2022, 8), (2023, 9);
INSERT INTO stufen VALUES ('A', 2020), ('B', 2021);
INSERT INTO kabel VALUES (7, 1.5), (8, 2);
INSERT INTO wege VALUES (7, 'Dach'), (8, 'Keller');
INSERT INTO messungen VALUES (0.1, 7), (0.2, 8), (0.3, 8);
"""


async def test_the_first_column_of_one_table_is_a_key_for_those_of_its_name(tmp_path: Path, keys: ImpliedKeys) -> None:
    database = opened(made(tmp_path / "lager.sqlite", LAGER))

    found = await keys.of(database, await database.schema())

    # A year comes twice, a part's device does not exist, and the strands of `messungen` are those of two tables.
    devices = {"gerät_nr -> geräte.gerät_nr"}
    assert told(found) == {"geräte": {"raum_nr -> räume.raum_nr"}, "garantien": devices, "prüfungen": devices}
    await database.close()


TURBINES = """
CREATE TABLE Anlagen (Anlagen_Nr TEXT, Park TEXT, Zustand TEXT);
CREATE TABLE technicians (tech_id INTEGER, home TEXT);
CREATE TABLE visits (turbine_no TEXT, t_id INTEGER, lead_technician INTEGER, state TEXT, code TEXT);
CREATE TABLE codes (code TEXT, meaning TEXT);
CREATE TABLE names (name TEXT, since TEXT);
CREATE TABLE spare (part TEXT, stock INTEGER);
"""


async def test_values_decide_where_names_differ(tmp_path: Path, keys: ImpliedKeys) -> None:
    rows = [f"INSERT INTO codes VALUES ('C{n}', '')" for n in range(1, 5)]
    for n in range(1, 10):
        rows.append(f"INSERT INTO Anlagen VALUES ('WEA-{n}', 'West', 'runs')")
        rows.append(f"INSERT INTO technicians VALUES ({n}, 'West')")
        rows.append(f"INSERT INTO names VALUES ('S{n}', '')")
        rows.append(f"INSERT INTO spare VALUES ('S{n}', 0)")
    for n in (2, 2, 3, 4, 5, 6, 7):
        rows.append(f"INSERT INTO visits VALUES ('WEA-{n}', {n}, {n - 1}, 'S{n}', 'C{n}')")
    database = opened(made(tmp_path / "turbines.sqlite", TURBINES + ";".join(rows)))

    found = await keys.of(database, await database.schema())

    # `state` occurs in two tables, three codes in none, and names and parts are keys themselves.
    assert told(found) == {
        "visits": {
            "turbine_no -> Anlagen.Anlagen_Nr",
            "t_id -> technicians.tech_id",
            "lead_technician -> technicians.tech_id",
        }
    }
    await database.close()


async def test_a_part_of_a_declared_key_is_no_key(tmp_path: Path, keys: ImpliedKeys) -> None:
    script = """
    CREATE TABLE prices (product_id INTEGER, valid_from TEXT, amount REAL, PRIMARY KEY (product_id, valid_from));
    CREATE TABLE orders (no INTEGER PRIMARY KEY, price INTEGER);
    """
    rows = [f"INSERT INTO prices VALUES ({n}, '{year}', 5)" for n in range(1, 7) for year in (2023, 2024)]
    rows += [f"INSERT INTO orders VALUES ({100 + n}, {n})" for n in range(1, 7)]
    database = opened(made(tmp_path / "orders.sqlite", script + ";".join(rows)))

    assert told(await keys.of(database, await database.schema())) == {}
    await database.close()


async def test_few_values_may_coincide(tmp_path: Path, keys: ImpliedKeys) -> None:
    script = """
    CREATE TABLE grades (grade TEXT, points INTEGER);
    CREATE TABLE exams (mark TEXT, g_id INTEGER);
    INSERT INTO grades VALUES ('A', 4), ('B', 3), ('C', 2), ('D', 1), ('F', 0);
    INSERT INTO exams VALUES ('A', 1), ('B', 2), ('C', 3), ('D', 4), ('A', 5);
    """
    database = opened(made(tmp_path / "exams.sqlite", script))

    assert told(await keys.of(database, await database.schema())) == {}
    await database.close()


TEAMS = [f"INSERT INTO clubs VALUES ('c{n}'); INSERT INTO players VALUES (1, 'c{n}')" for n in range(9)]


async def test_a_key_counts_once_even_if_name_and_values_show_it(tmp_path: Path, keys: ImpliedKeys) -> None:
    script = "CREATE TABLE clubs (club_id TEXT); CREATE TABLE players (rank INTEGER, home_club TEXT);"
    database = opened(made(tmp_path / "clubs.sqlite", script + ";".join(TEAMS)))

    assert told(await keys.of(database, await database.schema())) == {"players": {"home_club -> clubs.club_id"}}
    await database.close()


async def test_values_decide_nothing_if_one_key_could_not_be_compared(
    tmp_path: Path, keys: ImpliedKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "CREATE TABLE clubs (name TEXT); CREATE TABLE towns (town TEXT);"
    script += "CREATE TABLE players (rank INTEGER, team TEXT);"
    database = opened(made(tmp_path / "clubs.sqlite", script + ";".join(TEAMS)))
    holds = implied_keys._holds

    async def fails_for_towns(database: Database, schema: Schema, pair: implied_keys.Pair) -> bool:
        if pair.owner.name == "towns":
            raise SqlFailed(ErrorKind.TIMEOUT, "It took too long.")
        return await holds(database, schema, pair)

    monkeypatch.setattr(implied_keys, "_holds", fails_for_towns)
    assert told(await keys.of(database, await database.schema())) == {}
    await database.close()


async def test_a_database_is_looked_at_once(tmp_path: Path, keys: ImpliedKeys) -> None:
    database = opened(made(tmp_path / "broker.sqlite", BROKER))
    schema = await database.schema()

    first, second = await asyncio.gather(keys.of(database, schema), keys.of(database, schema))

    assert first is second
    await database.close()


async def test_a_query_that_fails_costs_its_own_key_alone(
    tmp_path: Path, keys: ImpliedKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = opened(made(tmp_path / "broker.sqlite", BROKER))
    run = database.run

    async def failing(query: CheckedSql, *, timeout_s: float | None = None) -> QueryResult:
        if "xxTrPaperId" in query.executable:
            raise SqlFailed(ErrorKind.TIMEOUT, "too slow")
        return await run(query, timeout_s=timeout_s)

    monkeypatch.setattr(database, "run", failing)

    assert told(await keys.of(database, await database.schema())) == {
        "xx_trade": {"xxTrClientId -> xx_client.xxClientId"}
    }
    await database.close()
