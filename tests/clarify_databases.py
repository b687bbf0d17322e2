"""Small databases without docs, for questions that are clear against them and questions that are not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

TRADE = """
CREATE TABLE clients (client_id INTEGER PRIMARY KEY, full_name TEXT, town TEXT, joined_on DATE);
CREATE TABLE offices (office_id INTEGER PRIMARY KEY, town TEXT, opened_on DATE);
CREATE TABLE goods (good_id INTEGER PRIMARY KEY, title TEXT, list_price DECIMAL(9,2));
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients (client_id),
    office_id INTEGER REFERENCES offices (office_id), order_date DATE, required_date DATE, shipped_date DATE,
    total_amount DECIMAL(9,2));
CREATE TABLE order_lines (
    order_id INTEGER REFERENCES orders (order_id), line_number INTEGER, good_id INTEGER REFERENCES goods (good_id),
    quantity INTEGER, PRIMARY KEY (order_id, line_number));
INSERT INTO clients VALUES (1, 'Ann Smith', 'Lyon', '2022-01-02'), (2, 'Bob Smith', 'Paris', '2022-02-03'),
    (3, 'Carl Smith', 'Nice', '2023-05-06'), (4, 'Dora Kern', 'Lyon', '2023-07-08');
INSERT INTO offices VALUES (1, 'Paris', '2020-01-01'), (2, 'Lille', '2021-01-01');
INSERT INTO goods VALUES (1, 'Oak Desk', 300), (2, 'Oak Shelf', 90), (3, 'Lamp', 25);
INSERT INTO orders VALUES (1, 1, 1, '2024-03-01', '2024-03-20', '2024-04-02', 300),
    (2, 2, 1, '2024-05-02', '2024-05-30', '2024-05-05', 90), (3, 4, 2, '2024-12-31', '2025-01-20', '2025-01-05', 25);
INSERT INTO order_lines VALUES (1, 1, 1, 1), (2, 1, 2, 1), (3, 1, 3, 1);
"""

SCHOOL = """
CREATE TABLE students (student_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, birth_date DATE, gpa REAL);
CREATE TABLE courses (course_id INTEGER PRIMARY KEY, title TEXT, credits INTEGER, created_at TIMESTAMP,
    updated_at TIMESTAMP);
CREATE TABLE enrollments (student_id INTEGER REFERENCES students (student_id),
    course_id INTEGER REFERENCES courses (course_id), enrolled_on DATE, grade REAL,
    PRIMARY KEY (student_id, course_id));
INSERT INTO students VALUES (1, 'Mia', 'Weber', '2004-01-01', 3.1), (2, 'Jo', 'Weber', '2003-02-02', 3.5),
    (3, 'Lee', 'Park', '2004-03-03', 2.9);
INSERT INTO courses VALUES (1, 'Algebra', 5, '2023-01-01', '2024-01-01'), (2, 'Biology', 4, '2023-02-01', '2024-02-01');
INSERT INTO enrollments VALUES (1, 1, '2024-09-01', 1.3), (2, 1, '2024-09-02', 2.0), (3, 2, '2024-10-01', 1.7);
"""

LOGISTICS = """
CREATE TABLE depots (depot_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE shipments (
    shipment_id INTEGER PRIMARY KEY, depot_id INTEGER REFERENCES depots (depot_id), picked_up_on DATE, arrived_on DATE,
    weight_kg REAL, state TEXT);
CREATE TABLE incidents (incident_id INTEGER PRIMARY KEY, shipment_id INTEGER REFERENCES shipments (shipment_id),
    reported_on DATE, settled_on DATE, kind TEXT);
INSERT INTO depots VALUES (1, 'North'), (2, 'South');
INSERT INTO shipments VALUES (1, 1, '2024-02-28', '2024-03-02', 12.5, 'done'),
    (2, 1, '2024-03-30', '2024-04-01', 7, 'done'), (3, 2, '2024-05-01', '2024-05-03', 3, 'open');
INSERT INTO incidents VALUES (1, 1, '2024-03-05', '2024-03-06', 'damage'), (2, 2, '2024-04-05', '2024-04-06', 'delay');
"""


CLINIC = """
CREATE TABLE doc (doc_id INTEGER PRIMARY KEY, nm TEXT, spec TEXT);
CREATE TABLE pat (pat_id INTEGER PRIMARY KEY, nm TEXT, dob DATE);
CREATE TABLE appointment (appointment_id INTEGER PRIMARY KEY, doc_id INTEGER, pat_id INTEGER, starts_at TIMESTAMP);
INSERT INTO doc VALUES (1, 'Dr. Groß', 'cardio'), (2, 'Dr. Klein', 'ortho');
INSERT INTO pat VALUES (1, 'Ann', '1980-01-01');
INSERT INTO appointment VALUES (1, 1, 1, '2024-03-01 09:00:00');
"""

FIRMA = """
CREATE TABLE mitarbeiter (mitarbeiter_id INTEGER PRIMARY KEY, vorname TEXT, gehalt REAL, abteilung_id INTEGER);
CREATE TABLE abteilung (abteilung_id INTEGER PRIMARY KEY, bezeichnung TEXT);
CREATE TABLE bestellungen (bestellung_id INTEGER PRIMARY KEY, bestelldatum DATE, summe REAL);
INSERT INTO abteilung VALUES (1, 'Einkauf');
INSERT INTO mitarbeiter VALUES (1, 'Jörg', 3000, 1);
INSERT INTO bestellungen VALUES (1, '2024-05-01', 10);
"""


SCRIPTS = {"trade": TRADE, "school": SCHOOL, "logistics": LOGISTICS, "clinic": CLINIC, "firma": FIRMA}


def make_databases(folder: Path, extra: str = "") -> Path:
    """All of them as SQLite files, and a registry of them. Args: extra: further keys of the entry of `trade`."""
    for name, script in SCRIPTS.items():
        connection = sqlite3.connect(folder / f"{name}.sqlite")
        connection.executescript(script)
        connection.close()
    registry = folder / "clarify.yaml"
    registry.write_text(
        "".join(f"{name}: {{url: {name}.sqlite{extra if name == 'trade' else ''}}}\n" for name in SCRIPTS),
        encoding="utf-8",
    )
    return registry
