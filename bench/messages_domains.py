# ruff: noqa: E501  a question and its query are read best in one piece
"""Questions in English over six databases of different domains, each with a possible query.

`python -m bench.messages --sets bench.messages_domains` measures with them how much of what the data lacks is named, and
how many answerable questions get a needless warning. No rule, word list or threshold may be fitted to them. Each line:
the language, the database, the question, the query.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

ANSWERABLE = """
en clinic|How many visits did Dr. Sato handle in 2024?|SELECT COUNT(*) FROM visits v JOIN doctors d ON d.doctor_id = v.doctor_id WHERE d.name = 'Sato' AND v.visited_on LIKE '2024%'
en clinic|Which patients have never shown up?|SELECT name FROM patients WHERE patient_id NOT IN (SELECT patient_id FROM visits)
en clinic|How long do visits usually last, by department?|SELECT d.department, AVG(v.minutes) FROM visits v JOIN doctors d ON d.doctor_id = v.doctor_id GROUP BY d.department
en clinic|How much did each patient pay altogether?|SELECT p.name, SUM(v.fee) FROM visits v JOIN patients p ON p.patient_id = v.patient_id GROUP BY p.name
en clinic|What share of the visits were cancelled?|SELECT AVG(status = 'cancelled') FROM visits
en clinic|How old is our oldest patient in years?|SELECT MAX(2025 - birth_year) FROM patients
en clinic|Who treated the most people in cardiology?|SELECT d.name, COUNT(DISTINCT v.patient_id) n FROM visits v JOIN doctors d ON d.doctor_id = v.doctor_id WHERE d.department = 'cardiology' GROUP BY d.name ORDER BY n DESC LIMIT 1
en clinic|How many full hours were spent on visits?|SELECT SUM(minutes) / 60 FROM visits
en clinic|Which department earned the least?|SELECT d.department, SUM(v.fee) s FROM visits v JOIN doctors d ON d.doctor_id = v.doctor_id GROUP BY d.department ORDER BY s LIMIT 1
en clinic|How many physicians work in radiology?|SELECT COUNT(*) FROM doctors WHERE department = 'radiology'
en library|Which books are still out?|SELECT b.title FROM loans l JOIN books b ON b.book_id = l.book_id WHERE l.returned_on IS NULL
en library|How many books did each member borrow?|SELECT m.name, COUNT(*) FROM loans l JOIN members m ON m.member_id = l.member_id GROUP BY m.name
en library|What is the thickest novel?|SELECT title FROM books WHERE genre = 'novel' ORDER BY pages DESC LIMIT 1
en library|How many dozens of loans were there in May 2024?|SELECT COUNT(*) / 12 FROM loans WHERE loaned_on LIKE '2024-05%'
en library|Who wrote more than two books?|SELECT author FROM books GROUP BY author HAVING COUNT(*) > 2
en library|How many readers joined before 2020?|SELECT COUNT(*) FROM members WHERE joined_on < '2020-01-01'
en library|Which titles have been lent out most often?|SELECT b.title, COUNT(*) n FROM loans l JOIN books b ON b.book_id = l.book_id GROUP BY b.title ORDER BY n DESC LIMIT 5
en library|What fines are outstanding, per member?|SELECT m.name, SUM(l.fine) FROM loans l JOIN members m ON m.member_id = l.member_id WHERE l.fine > 0 GROUP BY m.name
en library|How many days does a typical loan take to come back?|SELECT AVG(julianday(returned_on) - julianday(loaned_on)) FROM loans
en library|How many writers do we stock?|SELECT COUNT(DISTINCT author) FROM books
en airline|Which flights left more than an hour late?|SELECT flight_no FROM flights WHERE delay_minutes > 60
en airline|How many travellers flew from Oslo?|SELECT SUM(f.passengers) FROM flights f JOIN airports a ON a.code = f.origin WHERE a.city = 'Oslo'
en airline|What is the busiest route?|SELECT origin, destination, SUM(passengers) n FROM flights GROUP BY origin, destination ORDER BY n DESC LIMIT 1
en airline|How full were our planes on average, in percent?|SELECT AVG(100.0 * f.passengers / p.seats) FROM flights f JOIN planes p ON p.plane_id = f.plane_id
en airline|How many punctual departures did each airport have?|SELECT origin, COUNT(*) FROM flights WHERE delay_minutes = 0 GROUP BY origin
en airline|Which aircraft has the most seats?|SELECT model FROM planes ORDER BY seats DESC LIMIT 1
en airline|How many kilometres did each plane cover?|SELECT plane_id, SUM(distance_km) FROM flights GROUP BY plane_id
en airline|What proportion of flights was on time?|SELECT AVG(delay_minutes = 0) FROM flights
en airline|List the three shortest hops.|SELECT flight_no, distance_km FROM flights ORDER BY distance_km LIMIT 3
en airline|How many countries do we serve?|SELECT COUNT(DISTINCT country) FROM airports
en farm|How many tonnes of wheat were brought in last year?|SELECT SUM(kilos) / 1000 FROM harvests h JOIN crops c ON c.crop_id = h.crop_id WHERE c.crop = 'wheat' AND h.harvested_on LIKE '2024%'
en farm|Which field yields the most per hectare?|SELECT f.field, SUM(h.kilos) / f.hectares y FROM harvests h JOIN fields f ON f.field_id = h.field_id GROUP BY f.field ORDER BY y DESC LIMIT 1
en farm|What did the potatoes bring in euros?|SELECT SUM(h.kilos * c.price_per_kilo) FROM harvests h JOIN crops c ON c.crop_id = h.crop_id WHERE c.crop = 'potatoes'
en farm|How many plots lie idle?|SELECT COUNT(*) FROM fields WHERE field_id NOT IN (SELECT field_id FROM harvests)
en farm|How much land do we have altogether?|SELECT SUM(hectares) FROM fields
en farm|On how many different days did we harvest?|SELECT COUNT(DISTINCT harvested_on) FROM harvests
en farm|Which crops are sold for less than one euro a kilo?|SELECT crop FROM crops WHERE price_per_kilo < 1
en farm|What was the heaviest single harvest?|SELECT MAX(kilos) FROM harvests
en farm|How many harvests weighed over two tonnes?|SELECT COUNT(*) FROM harvests WHERE kilos > 2000
en farm|Are there any fields bigger than ten hectares?|SELECT COUNT(*) FROM fields WHERE hectares > 10
en school|How many pupils passed the maths exam?|SELECT COUNT(*) FROM grades g JOIN students s ON s.student_id = g.student_id WHERE g.subject = 'maths' AND g.points >= 50
en school|Which class scored best in physics?|SELECT s.class, AVG(g.points) a FROM grades g JOIN students s ON s.student_id = g.student_id WHERE g.subject = 'physics' GROUP BY s.class ORDER BY a DESC LIMIT 1
en school|How many kids are in class 7b?|SELECT COUNT(*) FROM students WHERE class = '7b'
en school|Who failed twice or more?|SELECT s.name FROM grades g JOIN students s ON s.student_id = g.student_id WHERE g.points < 50 GROUP BY s.name HAVING COUNT(*) >= 2
en school|What is the gap between the highest and the lowest mark in chemistry?|SELECT MAX(points) - MIN(points) FROM grades WHERE subject = 'chemistry'
en school|How many subjects does each student take?|SELECT s.name, COUNT(DISTINCT g.subject) FROM grades g JOIN students s ON s.student_id = g.student_id GROUP BY s.name
en school|Which students are absent from the grade book?|SELECT name FROM students WHERE student_id NOT IN (SELECT student_id FROM grades)
en school|How many birthdays fall in March?|SELECT COUNT(*) FROM students WHERE born_on LIKE '%-03-%'
en school|Do girls or boys score higher?|SELECT s.gender, AVG(g.points) FROM grades g JOIN students s ON s.student_id = g.student_id GROUP BY s.gender
en school|What percentage of students came from Leeds?|SELECT 100.0 * AVG(town = 'Leeds') FROM students
en hotel|How many nights did guests from Spain stay?|SELECT SUM(s.nights) FROM stays s JOIN guests g ON g.guest_id = s.guest_id WHERE g.country = 'Spain'
en hotel|Which rooms stood empty in June 2024?|SELECT room_no FROM rooms WHERE room_no NOT IN (SELECT room_no FROM stays WHERE arrived_on LIKE '2024-06%')
en hotel|What is the average nightly rate of a suite?|SELECT AVG(price_per_night) FROM rooms WHERE category = 'suite'
en hotel|How much money did the suites make?|SELECT SUM(s.nights * r.price_per_night) FROM stays s JOIN rooms r ON r.room_no = s.room_no WHERE r.category = 'suite'
en hotel|Who stayed longest in one go?|SELECT g.name, s.nights FROM stays s JOIN guests g ON g.guest_id = s.guest_id ORDER BY s.nights DESC LIMIT 1
en hotel|How many visitors came back at least once?|SELECT COUNT(*) FROM (SELECT guest_id FROM stays GROUP BY guest_id HAVING COUNT(*) > 1)
en hotel|What do couples usually book?|SELECT r.category, COUNT(*) n FROM stays s JOIN rooms r ON r.room_no = s.room_no WHERE s.persons = 2 GROUP BY r.category ORDER BY n DESC LIMIT 1
en hotel|How many bookings were made per nationality?|SELECT g.country, COUNT(*) FROM stays s JOIN guests g ON g.guest_id = s.guest_id GROUP BY g.country
en hotel|Which floor is the most popular?|SELECT r.floor, COUNT(*) n FROM stays s JOIN rooms r ON r.room_no = s.room_no GROUP BY r.floor ORDER BY n DESC LIMIT 1
en hotel|How many complete weeks did Ms Ito spend with us?|SELECT SUM(s.nights) / 7 FROM stays s JOIN guests g ON g.guest_id = s.guest_id WHERE g.name = 'Ito'
"""

LACKING = """
en clinic|How many vaccines were given in March 2024?|SELECT COUNT(*) FROM visits WHERE visited_on LIKE '2024-03%'
en clinic|What is the average blood pressure per department?|SELECT d.department, AVG(v.minutes) FROM visits v JOIN doctors d ON d.doctor_id = v.doctor_id GROUP BY d.department
en clinic|Which insurance covers the most patients?|SELECT COUNT(*) FROM patients
en clinic|How many nurses work here?|SELECT COUNT(*) FROM doctors
en clinic|List the allergies of each patient.|SELECT name FROM patients
en library|Which publisher has the most books?|SELECT author, COUNT(*) n FROM books GROUP BY author ORDER BY n DESC LIMIT 1
en library|How many computers can be used in the reading room?|SELECT COUNT(*) FROM books
en library|What is the average rating of each book?|SELECT title, pages FROM books
en library|How many librarians do we employ?|SELECT COUNT(*) FROM members
en library|Show the shelf of every novel.|SELECT title FROM books WHERE genre = 'novel'
en airline|How many suitcases got lost in 2024?|SELECT COUNT(*) FROM flights WHERE departed_on LIKE '2024%'
en airline|What is the average ticket price by route?|SELECT origin, destination, AVG(passengers) FROM flights GROUP BY origin, destination
en airline|Which pilot flew most often?|SELECT plane_id, COUNT(*) n FROM flights GROUP BY plane_id ORDER BY n DESC LIMIT 1
en airline|How much fuel does each plane burn?|SELECT plane_id, SUM(distance_km) FROM flights GROUP BY plane_id
en airline|How many meals were served on flights from Oslo?|SELECT SUM(passengers) FROM flights WHERE origin = 'OSL'
en farm|How many cows do we have?|SELECT COUNT(*) FROM fields
en farm|What was the average rainfall per month?|SELECT substr(harvested_on, 1, 7), AVG(kilos) FROM harvests GROUP BY 1
en farm|Which tractor was used the most?|SELECT field_id, COUNT(*) n FROM harvests GROUP BY field_id ORDER BY n DESC LIMIT 1
en farm|How much fertilizer went on each field?|SELECT field_id, SUM(kilos) FROM harvests GROUP BY field_id
en farm|List the workers and their wages.|SELECT crop, price_per_kilo FROM crops
en school|Which teacher gives the best marks?|SELECT subject, AVG(points) a FROM grades GROUP BY subject ORDER BY a DESC LIMIT 1
en school|How many buses take children home?|SELECT COUNT(*) FROM students
en school|What is the parents' phone number of each student?|SELECT name FROM students
en school|How many lunches were eaten in the canteen?|SELECT COUNT(*) FROM grades
en school|What is the average height of the boys?|SELECT AVG(points) FROM grades
en hotel|How many breakfasts did we serve in June 2024?|SELECT COUNT(*) FROM stays WHERE arrived_on LIKE '2024-06%'
en hotel|Which receptionist checked in the most guests?|SELECT room_no, COUNT(*) n FROM stays GROUP BY room_no ORDER BY n DESC LIMIT 1
en hotel|What is the average review score per room?|SELECT room_no, AVG(nights) FROM stays GROUP BY room_no
en hotel|How many parking spaces are free?|SELECT COUNT(*) FROM rooms
en hotel|How much was spent in the minibar?|SELECT SUM(nights) FROM stays
"""

SETS = {"answerable": ANSWERABLE, "what the data lacks": LACKING}

_SCRIPTS = {
    "clinic": """
        CREATE TABLE doctors (doctor_id INTEGER PRIMARY KEY, name TEXT, department TEXT);
        CREATE TABLE patients (patient_id INTEGER PRIMARY KEY, name TEXT, birth_year INTEGER);
        CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patients, doctor_id INTEGER
            REFERENCES doctors, visited_on TEXT, minutes INTEGER, fee REAL, status TEXT);
        INSERT INTO doctors VALUES (1, 'Sato', 'cardiology'), (2, 'Weiss', 'radiology'), (3, 'Okafor', 'cardiology');
        INSERT INTO patients VALUES (1, 'Ann Lee', 1950), (2, 'Bo Ek', 1980), (3, 'Cy Ray', 2001);
        INSERT INTO visits VALUES (1, 1, 1, '2024-03-04', 30, 80.0, 'done'), (2, 2, 2, '2024-05-01', 45, 120.0, 'done'),
            (3, 1, 3, '2023-07-09', 20, 60.0, 'cancelled');""",
    "library": """
        CREATE TABLE books (book_id INTEGER PRIMARY KEY, title TEXT, author TEXT, genre TEXT, pages INTEGER);
        CREATE TABLE members (member_id INTEGER PRIMARY KEY, name TEXT, joined_on TEXT);
        CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books, member_id INTEGER
            REFERENCES members, loaned_on TEXT, returned_on TEXT, fine REAL);
        INSERT INTO books VALUES (1, 'The Tide', 'R. Moss', 'novel', 410), (2, 'On Bees', 'L. Hart', 'science', 220),
            (3, 'Salt', 'R. Moss', 'novel', 300);
        INSERT INTO members VALUES (1, 'Jo Hill', '2018-02-01'), (2, 'Kim Tan', '2022-09-15');
        INSERT INTO loans VALUES (1, 1, 1, '2024-05-02', '2024-05-20', 0), (2, 2, 2, '2024-05-11', NULL, 2.5);""",
    "airline": """
        CREATE TABLE airports (code TEXT PRIMARY KEY, city TEXT, country TEXT);
        CREATE TABLE planes (plane_id INTEGER PRIMARY KEY, model TEXT, seats INTEGER);
        CREATE TABLE flights (flight_id INTEGER PRIMARY KEY, flight_no TEXT, origin TEXT REFERENCES airports, destination TEXT
            REFERENCES airports, plane_id INTEGER REFERENCES planes, departed_on TEXT, passengers INTEGER,
            delay_minutes INTEGER, distance_km INTEGER);
        INSERT INTO airports VALUES ('OSL', 'Oslo', 'Norway'), ('BGO', 'Bergen', 'Norway'), ('CPH', 'Copenhagen', 'Denmark');
        INSERT INTO planes VALUES (1, 'A320', 180), (2, 'B737', 160), (3, 'ATR 72', 70);
        INSERT INTO flights VALUES (1, 'PL10', 'OSL', 'BGO', 3, '2024-02-03', 61, 0, 325), (2, 'PL11', 'OSL', 'CPH', 1,
            '2024-02-04', 150, 75, 517), (3, 'PL12', 'CPH', 'OSL', 2, '2023-11-04', 122, 10, 517);""",
    "farm": """
        CREATE TABLE fields (field_id INTEGER PRIMARY KEY, field TEXT, hectares REAL);
        CREATE TABLE crops (crop_id INTEGER PRIMARY KEY, crop TEXT, price_per_kilo REAL);
        CREATE TABLE harvests (harvest_id INTEGER PRIMARY KEY, field_id INTEGER REFERENCES fields, crop_id INTEGER
            REFERENCES crops, harvested_on TEXT, kilos REAL);
        INSERT INTO fields VALUES (1, 'North', 12.5), (2, 'Mill', 4.0), (3, 'Brook', 7.2);
        INSERT INTO crops VALUES (1, 'wheat', 0.25), (2, 'potatoes', 0.6), (3, 'asparagus', 4.5);
        INSERT INTO harvests VALUES (1, 1, 1, '2024-08-01', 52000), (2, 2, 2, '2024-09-12', 21000), (3, 2, 3, '2023-05-02',
            800);""",
    "school": """
        CREATE TABLE students (student_id INTEGER PRIMARY KEY, name TEXT, gender TEXT, born_on TEXT, class TEXT, town TEXT);
        CREATE TABLE grades (grade_id INTEGER PRIMARY KEY, student_id INTEGER REFERENCES students, subject TEXT, points INTEGER,
            graded_on TEXT);
        INSERT INTO students VALUES (1, 'Ida Fox', 'girl', '2011-03-04', '7b', 'Leeds'), (2, 'Max Orr', 'boy', '2012-06-01',
            '7a', 'York'), (3, 'Lea Kay', 'girl', '2011-12-24', '7b', 'York');
        INSERT INTO grades VALUES (1, 1, 'maths', 71, '2024-05-01'), (2, 1, 'physics', 48, '2024-05-03'), (3, 2, 'chemistry',
            90, '2024-05-04');""",
    "hotel": """
        CREATE TABLE guests (guest_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
        CREATE TABLE rooms (room_no INTEGER PRIMARY KEY, floor INTEGER, category TEXT, price_per_night REAL);
        CREATE TABLE stays (stay_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guests, room_no INTEGER REFERENCES rooms,
            arrived_on TEXT, nights INTEGER, persons INTEGER);
        INSERT INTO guests VALUES (1, 'Ito', 'Japan'), (2, 'Vega', 'Spain'), (3, 'Lund', 'Sweden');
        INSERT INTO rooms VALUES (101, 1, 'single', 80), (201, 2, 'double', 120), (301, 3, 'suite', 260);
        INSERT INTO stays VALUES (1, 1, 301, '2024-06-03', 8, 1), (2, 2, 201, '2024-06-10', 3, 2), (3, 1, 301, '2024-10-01', 2,
            1);""",
}


def write_registry(folder: Path) -> dict[str, dict[str, str]]:
    """Write the databases into a folder; gives entries of a registry."""
    for name, script in _SCRIPTS.items():
        with closing(sqlite3.connect(folder / f"{name}.db")) as database:
            database.executescript(script)
    return {name: {"url": f"sqlite:///{folder / f'{name}.db'}"} for name in _SCRIPTS}
