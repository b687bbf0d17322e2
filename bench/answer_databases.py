"""Eight databases for `bench.answer`: the sample shop and seven generated ones, with five questions each.

The rows come from a seed, so that two checkouts are asked about the same data.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from agent.evaluation.harness import GoldQuestion, load_questions
from agent.platform.config.settings import ROOT

EACH = 5  # questions of a database
SEED = 23
_SHOP = ROOT / "samples"


class QuestionSet(NamedTuple):
    """One database with its questions. Args: name: in the registry; docs: paths, none for no docs."""

    name: str
    path: Path
    docs: tuple[Path, ...]
    questions: tuple[GoldQuestion, ...]


class _Recipe(NamedTuple):
    """A database that is made here.

    tables: by name, the rows of each and its columns: `name id`, `name > table` for a key, `name date`, `name text`,
        `name 5-60` for whole numbers, `name 0.5-9.5` for others, `name one|of|these`.
    questions: each with its query.
    """

    tables: Mapping[str, tuple[int, str]]
    questions: Sequence[tuple[str, str]]


def make_databases(folder: Path) -> list[QuestionSet]:
    """Write the databases, and list them with the shop first. Raises FileNotFoundError: there is no shop yet."""
    shop = _SHOP / "shop.duckdb"
    if not shop.exists():
        raise FileNotFoundError(f"There is no {shop}: make it by `make data`.")
    questions = load_questions(_SHOP / "questions.json")[:EACH]
    found = [QuestionSet("shop", shop, tuple(sorted((_SHOP / "docs").iterdir())), tuple(questions))]
    for name, one in DATABASES.items():
        path = folder / f"{name}.sqlite"
        _write(one, path)
        asked = (GoldQuestion(database=path.name, path=path, question=it, gold=(sql,)) for it, sql in one.questions)
        found.append(QuestionSet(name, path, (), tuple(asked)))
    return found


def read(folder: Path, count: int) -> list[QuestionSet]:
    """The first so many databases of a folder of questions that have enough of them.

    Raises:
        EvaluationInvalid: there is no file of questions, or it is not one.
        ValueError: no database has enough of them.
    """
    by_path: dict[Path, list[GoldQuestion]] = {}
    for question in load_questions(folder):
        by_path.setdefault(question.path, []).append(question)
    enough = [(path, asked) for path, asked in by_path.items() if len(asked) >= EACH]
    if not enough:
        raise ValueError(f"No database in {folder} has {EACH} questions or more.")
    return [QuestionSet(path.stem, path, (), tuple(asked[:EACH])) for path, asked in enough[:count]]


def _write(one: _Recipe, path: Path) -> None:
    chance = random.Random(f"{SEED} {path.stem}")
    rows = {table: count for table, (count, _) in one.tables.items()}
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, (count, columns) in one.tables.items():
            parts = [column.strip().partition(" ") for column in columns.split(",")]
            connection.execute(f"CREATE TABLE {table} ({', '.join(_ddl(name, kind) for name, _, kind in parts)})")
            values = [[_value(kind, n, rows, chance) for _, _, kind in parts] for n in range(1, count + 1)]
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(parts))})", values)


def _ddl(name: str, kind: str) -> str:
    if kind == "id":
        return f"{name} INTEGER PRIMARY KEY"
    if kind.startswith(">"):
        return f"{name} INTEGER NOT NULL REFERENCES {kind[1:].strip()}"
    if kind == "date":
        return f"{name} DATE"
    if "|" in kind or kind == "text":
        return f"{name} TEXT"
    return f"{name} {'REAL' if '.' in kind else 'INTEGER'}"


def _value(kind: str, row: int, rows: Mapping[str, int], chance: random.Random) -> str | int | float:
    if kind == "id":
        return row
    if kind.startswith(">"):
        return chance.randint(1, rows[kind[1:].strip()])
    if kind == "date":
        return f"{chance.randint(2021, 2024)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    if kind == "text":
        return f"{chance.choice(_FIRST)} {chance.choice(_SECOND)} {row}"
    if "|" in kind:
        return chance.choice(kind.split("|"))
    least, _, most = kind.partition("-")
    if "." in kind:
        return round(chance.uniform(float(least), float(most)), 2)
    return chance.randint(int(least), int(most))


_FIRST = ("Amber", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Haven", "Iris", "Juniper")
_SECOND = ("Bridge", "Field", "Gate", "Hill", "Lake", "Mill", "Point", "Ridge", "Stone", "Wood")

DATABASES: dict[str, _Recipe] = {
    "library": _Recipe(
        {
            "authors": (40, "author_id id, name text, country France|Japan|Kenya|Chile|Norway, born 1920-1995"),
            "books": (
                200,
                "book_id id, title text, author_id > authors, genre Crime|Poetry|History|Travel|Science, pages 80-900, "
                "published 1950-2024",
            ),
            "members": (120, "member_id id, name text, city Oslo|Lima|Nairobi|Lyon, joined_on date"),
            "loans": (
                600,
                "loan_id id, book_id > books, member_id > members, lent_on date, days 1-60, fine 0.0-12.5",
            ),
        },
        (
            ("How many books are there in the genre Poetry?", "SELECT COUNT(*) FROM books WHERE genre = 'Poetry'"),
            ("What is the average number of pages of a book?", "SELECT AVG(pages) FROM books"),
            ("How many members live in each city?", "SELECT city, COUNT(*) FROM members GROUP BY city"),
            ("What is the total of all fines?", "SELECT SUM(fine) FROM loans"),
            (
                "How many books did authors from Japan write?",
                "SELECT COUNT(*) FROM books AS b JOIN authors AS a ON a.author_id = b.author_id "
                "WHERE a.country = 'Japan'",
            ),
        ),
    ),
    "clinic": _Recipe(
        {
            "doctors": (20, "doctor_id id, name text, speciality Cardiology|Surgery|Paediatrics|Neurology"),
            "patients": (150, "patient_id id, name text, born_on date, insurance public|private"),
            "visits": (
                500,
                "visit_id id, patient_id > patients, doctor_id > doctors, visited_on date, minutes 5-90, "
                "fee 20.0-300.0",
            ),
            "prescriptions": (
                400,
                "prescription_id id, visit_id > visits, medicine Aspirin|Ibuprofen|Insulin|Codeine, dose_mg 5-500",
            ),
        },
        (
            ("How many visits were there in 2023?", "SELECT COUNT(*) FROM visits WHERE visited_on LIKE '2023-%'"),
            (
                "How many patients have private insurance?",
                "SELECT COUNT(*) FROM patients WHERE insurance = 'private'",
            ),
            ("What is the highest fee of a visit?", "SELECT MAX(fee) FROM visits"),
            ("How many doctors are there of each speciality?", "SELECT speciality, COUNT(*) FROM doctors GROUP BY 1"),
            (
                "What is the total fee of the visits of doctors in Surgery?",
                "SELECT SUM(v.fee) FROM visits AS v JOIN doctors AS d ON d.doctor_id = v.doctor_id "
                "WHERE d.speciality = 'Surgery'",
            ),
        ),
    ),
    "airline": _Recipe(
        {
            "airports": (30, "airport_id id, name text, country Spain|Canada|India|Brazil, runways 1-6"),
            "aircraft": (25, "aircraft_id id, model A320|B737|E190|A350, seats 90-400, built 1998-2023"),
            "flights": (
                400,
                "flight_id id, origin_id > airports, destination_id > airports, aircraft_id > aircraft, flown_on date, "
                "delay_minutes 0-180",
            ),
            "tickets": (900, "ticket_id id, flight_id > flights, class economy|business|first, price 40.0-2000.0"),
        },
        (
            ("How many airports are in Canada?", "SELECT COUNT(*) FROM airports WHERE country = 'Canada'"),
            ("What is the average delay of a flight in minutes?", "SELECT AVG(delay_minutes) FROM flights"),
            (
                "What is the total price of all business tickets?",
                "SELECT SUM(price) FROM tickets WHERE class = 'business'",
            ),
            ("How many aircraft are there of each model?", "SELECT model, COUNT(*) FROM aircraft GROUP BY model"),
            (
                "How many flights were flown with the model A350?",
                "SELECT COUNT(*) FROM flights AS f JOIN aircraft AS a ON a.aircraft_id = f.aircraft_id "
                "WHERE a.model = 'A350'",
            ),
        ),
    ),
    "school": _Recipe(
        {
            "teachers": (25, "teacher_id id, name text, subject Maths|Physics|Music|Latin, hired_on date"),
            "courses": (60, "course_id id, title text, teacher_id > teachers, level 1-4, credits 2-10"),
            "students": (200, "student_id id, name text, year 1-6, town Bergen|Cork|Graz|Turku"),
            "enrolments": (700, "enrolment_id id, student_id > students, course_id > courses, grade 1-6"),
        },
        (
            ("How many students come from Cork?", "SELECT COUNT(*) FROM students WHERE town = 'Cork'"),
            ("What is the average grade of all enrolments?", "SELECT AVG(grade) FROM enrolments"),
            ("How many students are there in each year?", "SELECT year, COUNT(*) FROM students GROUP BY year"),
            ("What is the largest number of credits of a course?", "SELECT MAX(credits) FROM courses"),
            (
                "How many courses do teachers of Music give?",
                "SELECT COUNT(*) FROM courses AS c JOIN teachers AS t ON t.teacher_id = c.teacher_id "
                "WHERE t.subject = 'Music'",
            ),
        ),
    ),
    "fleet": _Recipe(
        {
            "depots": (12, "depot_id id, name text, region north|south|east|west, bays 4-40"),
            "drivers": (60, "driver_id id, name text, depot_id > depots, licence B|C|D, hired_on date"),
            "vehicles": (
                80,
                "vehicle_id id, depot_id > depots, kind van|truck|bus, bought_on date, mileage_km 0-400000",
            ),
            "trips": (
                800,
                "trip_id id, vehicle_id > vehicles, driver_id > drivers, started_on date, distance_km 2.0-900.0, "
                "fuel_litres 1.0-300.0",
            ),
        },
        (
            ("How many vehicles are trucks?", "SELECT COUNT(*) FROM vehicles WHERE kind = 'truck'"),
            ("What is the total distance of all trips in kilometres?", "SELECT SUM(distance_km) FROM trips"),
            ("How many drivers are there of each licence?", "SELECT licence, COUNT(*) FROM drivers GROUP BY licence"),
            ("What is the average mileage of the buses?", "SELECT AVG(mileage_km) FROM vehicles WHERE kind = 'bus'"),
            (
                "How many vehicles do the depots in the region north have?",
                "SELECT COUNT(*) FROM vehicles AS v JOIN depots AS d ON d.depot_id = v.depot_id "
                "WHERE d.region = 'north'",
            ),
        ),
    ),
    "festival": _Recipe(
        {
            "stages": (8, "stage_id id, name text, capacity 200-9000, covered yes|no"),
            "bands": (70, "band_id id, name text, style rock|jazz|folk|techno, members 1-12"),
            "concerts": (
                160,
                "concert_id id, stage_id > stages, band_id > bands, played_on date, minutes 20-150, visitors 50-9000",
            ),
            "sponsors": (30, "sponsor_id id, name text, stage_id > stages, amount 500.0-50000.0"),
        },
        (
            ("How many bands play jazz?", "SELECT COUNT(*) FROM bands WHERE style = 'jazz'"),
            ("What is the average number of visitors of a concert?", "SELECT AVG(visitors) FROM concerts"),
            ("What is the total amount of all sponsors?", "SELECT SUM(amount) FROM sponsors"),
            ("How many bands are there of each style?", "SELECT style, COUNT(*) FROM bands GROUP BY style"),
            (
                "How many concerts did bands of the style folk play?",
                "SELECT COUNT(*) FROM concerts AS c JOIN bands AS b ON b.band_id = c.band_id WHERE b.style = 'folk'",
            ),
        ),
    ),
    "farm": _Recipe(
        {
            "fields": (40, "field_id id, name text, soil clay|sand|loam|peat, hectares 0.5-30.5"),
            "crops": (15, "crop_id id, name text, family cereal|root|legume|fruit, days_to_harvest 40-200"),
            "harvests": (
                300,
                "harvest_id id, field_id > fields, crop_id > crops, harvested_on date, tonnes 0.1-60.0",
            ),
            "sales": (350, "sale_id id, harvest_id > harvests, sold_on date, tonnes 0.1-20.0, price 50.0-400.0"),
        },
        (
            ("How many fields have clay soil?", "SELECT COUNT(*) FROM fields WHERE soil = 'clay'"),
            ("What is the total number of hectares of all fields?", "SELECT SUM(hectares) FROM fields"),
            ("How many crops are there of each family?", "SELECT family, COUNT(*) FROM crops GROUP BY family"),
            ("What is the highest price of a sale?", "SELECT MAX(price) FROM sales"),
            (
                "How many tonnes of legume crops were harvested?",
                "SELECT SUM(h.tonnes) FROM harvests AS h JOIN crops AS c ON c.crop_id = h.crop_id "
                "WHERE c.family = 'legume'",
            ),
        ),
    ),
}
