# ruff: noqa: E501  a question and its query are read best in one piece
"""Messages in five languages over five databases, whose rules were made while they were read.

`python -m bench.messages --sets bench.messages_trades` measures with them. An independent author wrote them before
reading any rule. `bench.messages_unread` holds messages that nobody read since. Each line: the
language, the database, the question, the query.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

ANSWERABLE = """
en brewery|What's our strongest brew?|SELECT name FROM beers ORDER BY abv DESC LIMIT 1
en brewery|How many barrels went out to pubs in Leith last December?|SELECT SUM(d.kegs) FROM deliveries d JOIN pubs p ON p.pub_id = d.pub_id WHERE p.district = 'Leith' AND d.delivered_on LIKE '2024-12%'
en brewery|Which taverns haven't ordered anything since summer 2024?|SELECT name FROM pubs WHERE pub_id NOT IN (SELECT pub_id FROM deliveries WHERE delivered_on > '2024-06-01')
en brewery|How many hectolitres of stout did we make?|SELECT SUM(b.litres) / 100 FROM batches b JOIN beers e ON e.beer_id = b.beer_id WHERE e.style = 'stout'
en brewery|Rank our beers by bitterness.|SELECT name, ibu FROM beers ORDER BY ibu DESC
en brewery|Who are our three biggest buyers by turnover?|SELECT p.name, SUM(d.price) s FROM deliveries d JOIN pubs p ON p.pub_id = d.pub_id GROUP BY p.name ORDER BY s DESC LIMIT 3
en taxi|How much did passengers tip on average when paying by card?|SELECT AVG(tip) FROM rides WHERE payment_method = 'card'
en taxi|Who has been driving for us the longest?|SELECT full_name FROM drivers ORDER BY hired_on LIMIT 1
en taxi|What is the mean duration of a trip in minutes?|SELECT AVG((julianday(ended_at) - julianday(started_at)) * 1440) FROM rides
en taxi|How many vehicles can carry more than four people?|SELECT COUNT(*) FROM cars WHERE seats > 4
en taxi|What did Omar Haddad take in during March?|SELECT SUM(r.fare) FROM rides r JOIN drivers d ON d.driver_id = r.driver_id WHERE d.full_name = 'Omar Haddad' AND r.started_at LIKE '2024-03%'
en taxi|Which brand of cab clocked up the greatest mileage?|SELECT c.make, SUM(r.km) s FROM rides r JOIN cars c ON c.plate = r.plate GROUP BY c.make ORDER BY s DESC LIMIT 1
en museum|How many paintings are worth over a million?|SELECT COUNT(*) FROM works WHERE insured_value > 1000000
en museum|Which painters died before turning forty?|SELECT name FROM artists WHERE died - born < 40
en museum|How many people came through the door on 4 May 2024?|SELECT SUM(visitors) FROM tickets WHERE sold_on = '2024-05-04'
en museum|What portion of admissions were concessions?|SELECT AVG(kind = 'concession') FROM tickets
en museum|Which room holds the oldest piece?|SELECT hall FROM works ORDER BY year_made LIMIT 1
en vet|What do people spend per dog on average?|SELECT SUM(t.cost) / COUNT(DISTINCT a.animal_id) FROM treatments t JOIN animals a ON a.animal_id = t.animal_id WHERE a.species = 'dog'
en vet|Which pets are overweight, say above 40 kilos?|SELECT name FROM animals WHERE weight_kg > 40
en vet|How many kittens under a year old do we look after?|SELECT COUNT(*) FROM animals WHERE species = 'cat' AND dob > '2024-01-01'
de vet|Welche Tierhalter wohnen in Bonn?|SELECT last_name FROM owners WHERE city = 'Bonn'
de verein|Wie viele Frauen sind nach 2019 beigetreten?|SELECT COUNT(*) FROM mitglieder WHERE geschlecht = 'w' AND eintritt > '2019-12-31'
de verein|Wer hat für 2024 noch nicht gezahlt?|SELECT m.nachname FROM beitraege b JOIN mitglieder m ON m.mitglied_id = b.mitglied_id WHERE b.jahr = 2024 AND b.bezahlt_am IS NULL
fr taxi|Quel chauffeur a fait le plus de courses ?|SELECT d.full_name, COUNT(*) n FROM rides r JOIN drivers d ON d.driver_id = r.driver_id GROUP BY d.full_name ORDER BY n DESC LIMIT 1
fr museum|Combien d'œuvres possédons-nous par technique ?|SELECT technique, COUNT(*) FROM works GROUP BY technique
fr brewery|Quelle est la bière la plus amère ?|SELECT name FROM beers ORDER BY ibu DESC LIMIT 1
es vet|¿Cuántos gatos atendió la doctora Ruiz?|SELECT COUNT(DISTINCT a.animal_id) FROM treatments t JOIN animals a ON a.animal_id = t.animal_id WHERE t.vet_name = 'Ruiz' AND a.species = 'cat'
es taxi|¿Cuánto ingresamos por viajes en efectivo?|SELECT SUM(fare) FROM rides WHERE payment_method = 'cash'
ko museum|작품이 가장 많은 화가는 누구인가요?|SELECT a.name, COUNT(*) n FROM works w JOIN artists a ON a.artist_id = w.artist_id GROUP BY a.name ORDER BY n DESC LIMIT 1
ko taxi|운전기사별 총 주행 거리를 알려 주세요.|SELECT driver_id, SUM(km) FROM rides GROUP BY driver_id
"""

LACKING = """
en brewery|How many bottles did we sell last year?|SELECT SUM(kegs) FROM deliveries WHERE delivered_on LIKE '2024%'
en brewery|Which hop variety goes into each beer?|SELECT name, style FROM beers
en brewery|What is the average customer rating of the stout?|SELECT AVG(ibu) FROM beers WHERE style = 'stout'
en brewery|How much malt did the last batch need?|SELECT litres FROM batches ORDER BY brewed_on DESC LIMIT 1
en brewery|List the opening hours of every pub.|SELECT name, street FROM pubs
en brewery|Which brewmaster made the most batches?|SELECT tank, COUNT(*) n FROM batches GROUP BY tank ORDER BY n DESC LIMIT 1
en taxi|Which rides got a complaint?|SELECT ride_id FROM rides
en taxi|How much did we pay for petrol per car?|SELECT plate, SUM(fare) FROM rides GROUP BY plate
en taxi|What is the average waiting time of customers?|SELECT AVG((julianday(ended_at) - julianday(started_at)) * 1440) FROM rides
en taxi|How many accidents did each driver have?|SELECT driver_id, COUNT(*) FROM rides GROUP BY driver_id
en taxi|What colour are our cars?|SELECT plate, make FROM cars
en taxi|Which dispatcher handled the most rides?|SELECT driver_id, COUNT(*) n FROM rides GROUP BY driver_id ORDER BY n DESC LIMIT 1
en museum|How many guides speak Italian?|SELECT COUNT(*) FROM artists WHERE nationality = 'Italian'
en museum|Which works are on loan to other museums?|SELECT title FROM works
en museum|What is the size of the largest canvas?|SELECT MAX(insured_value) FROM works
en museum|How much did the gift shop make in May?|SELECT SUM(price) FROM tickets WHERE sold_on LIKE '2024-05%'
en museum|Who donated the most paintings?|SELECT artist_id, COUNT(*) n FROM works GROUP BY artist_id ORDER BY n DESC LIMIT 1
en vet|Which animals need a vaccination this month?|SELECT name FROM animals
en vet|What medication was prescribed for Rex?|SELECT diagnosis FROM treatments
en vet|How many owners have pet insurance?|SELECT COUNT(*) FROM owners
de verein|Wie viele Trainer hat jede Sparte?|SELECT sparte_id, COUNT(*) FROM teilnahmen GROUP BY sparte_id
de verein|Welche Mannschaft hat die meisten Tore geschossen?|SELECT sparte_id, COUNT(*) n FROM teilnahmen GROUP BY sparte_id ORDER BY n DESC LIMIT 1
de vet|Wie viele Operationssäle gibt es?|SELECT COUNT(*) FROM treatments
fr brewery|Combien de bouteilles ont été cassées pendant le transport ?|SELECT SUM(kegs) FROM deliveries
fr museum|Quel gardien travaille le dimanche ?|SELECT name FROM artists
fr taxi|Quelle est l'adresse de chaque client ?|SELECT ride_id FROM rides
es museum|¿Cuántas audioguías se alquilaron en mayo?|SELECT COUNT(*) FROM tickets WHERE sold_on LIKE '2024-05%'
es vet|¿Qué alergias tiene cada perro?|SELECT name, breed FROM animals WHERE species = 'dog'
ko brewery|직원별 급여를 보여 주세요.|SELECT name FROM pubs
ko taxi|교통 위반 벌금은 총 얼마인가요?|SELECT SUM(fare) FROM rides
"""

AMBIGUOUS = """
en brewery|Which is our best beer?
en brewery|Show me the recent batches.
en brewery|How are we doing in Leith compared to before?
en taxi|Who are the top drivers?
en taxi|List the big rides.
en museum|What are the most important works?
en museum|Is it going well?
en vet|Show me the expensive ones.
en vet|Which animals are unusual?
de verein|Wer sind die besten Mitglieder?
de vet|Zeig mir die letzten.
fr taxi|Quelles sont les meilleures voitures ?
fr brewery|Montre-moi les plus grands.
es museum|¿Cuáles son las obras más populares?
ko vet|최근 것만 보여 주세요.
"""

SETS = {"answerable": ANSWERABLE, "what the data lacks": LACKING, "ambiguous": AMBIGUOUS}

_SCRIPTS = {
    "brewery": """
        CREATE TABLE beers (beer_id INTEGER PRIMARY KEY, name TEXT, style TEXT, abv REAL, ibu INTEGER);
        CREATE TABLE batches (batch_id INTEGER PRIMARY KEY, beer_id INTEGER REFERENCES beers, brewed_on TEXT, litres INTEGER,
            tank TEXT);
        CREATE TABLE pubs (pub_id INTEGER PRIMARY KEY, name TEXT, street TEXT, district TEXT);
        CREATE TABLE deliveries (delivery_id INTEGER PRIMARY KEY, batch_id INTEGER REFERENCES batches, pub_id INTEGER
            REFERENCES pubs, delivered_on TEXT, kegs INTEGER, price REAL);
        INSERT INTO beers VALUES (1, 'Night Ferry', 'stout', 6.2, 38), (2, 'Gorse', 'pale ale', 4.4, 45), (3, 'Harr', 'wheat', 4.9, 14);
        INSERT INTO batches VALUES (1, 1, '2024-02-01', 1800, 'T1'), (2, 2, '2024-03-11', 2400, 'T2'), (3, 3, '2024-11-20', 1200, 'T1');
        INSERT INTO pubs VALUES (1, 'The Anchor', 'Shore 4', 'Leith'), (2, 'Crown', 'High Street 9', 'Old Town');
        INSERT INTO deliveries VALUES (1, 1, 1, '2024-03-01', 12, 1450), (2, 2, 2, '2024-04-03', 20, 2210), (3, 3, 1, '2024-12-12', 8, 900);""",
    "taxi": """
        CREATE TABLE drivers (driver_id INTEGER PRIMARY KEY, full_name TEXT, hired_on TEXT, licence_class TEXT);
        CREATE TABLE cars (plate TEXT PRIMARY KEY, make TEXT, seats INTEGER, first_registered TEXT);
        CREATE TABLE rides (ride_id INTEGER PRIMARY KEY, driver_id INTEGER REFERENCES drivers, plate TEXT REFERENCES cars,
            started_at TEXT, ended_at TEXT, km REAL, fare REAL, tip REAL, payment_method TEXT);
        INSERT INTO drivers VALUES (1, 'Omar Haddad', '2016-04-01', 'B'), (2, 'Jill Marsh', '2021-09-15', 'D1');
        INSERT INTO cars VALUES ('AB12', 'Skoda', 4, '2018-01-09'), ('CD34', 'Ford', 7, '2020-06-30');
        INSERT INTO rides VALUES (1, 1, 'AB12', '2024-03-02 08:10', '2024-03-02 08:31', 9.5, 24.0, 2.0, 'card'),
            (2, 2, 'CD34', '2024-03-02 22:05', '2024-03-02 22:40', 21.0, 48.5, 0, 'cash'),
            (3, 1, 'AB12', '2024-04-10 12:00', '2024-04-10 12:12', 4.1, 13.0, 1.5, 'card');""",
    "museum": """
        CREATE TABLE artists (artist_id INTEGER PRIMARY KEY, name TEXT, born INTEGER, died INTEGER, nationality TEXT);
        CREATE TABLE works (work_id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artists, year_made INTEGER,
            technique TEXT, hall TEXT, insured_value REAL);
        CREATE TABLE tickets (ticket_id INTEGER PRIMARY KEY, sold_on TEXT, kind TEXT, price REAL, visitors INTEGER);
        INSERT INTO artists VALUES (1, 'Elsa Brandt', 1841, 1878, 'German'), (2, 'Paolo Neri', 1902, 1971, 'Italian');
        INSERT INTO works VALUES (1, 'Harbour at Dawn', 1, 1866, 'oil', 'A', 1200000), (2, 'Three Lemons', 2, 1935, 'gouache', 'B', 80000),
            (3, 'Self-portrait', 1, 1870, 'oil', 'A', 450000);
        INSERT INTO tickets VALUES (1, '2024-05-04', 'full', 14, 2), (2, '2024-05-04', 'concession', 9, 1), (3, '2024-06-01', 'group', 90, 12);""",
    "vet": """
        CREATE TABLE owners (owner_id INTEGER PRIMARY KEY, last_name TEXT, phone TEXT, city TEXT);
        CREATE TABLE animals (animal_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners, name TEXT, species TEXT,
            breed TEXT, weight_kg REAL, dob TEXT);
        CREATE TABLE treatments (treatment_id INTEGER PRIMARY KEY, animal_id INTEGER REFERENCES animals, vet_name TEXT,
            treated_at TEXT, diagnosis TEXT, cost REAL);
        INSERT INTO owners VALUES (1, 'Keller', '0228 551', 'Bonn'), (2, 'Moreau', '0221 774', 'Cologne');
        INSERT INTO animals VALUES (1, 1, 'Rex', 'dog', 'boxer', 41.5, '2017-05-06'), (2, 2, 'Mimi', 'cat', 'siamese', 4.1, '2024-04-02'),
            (3, 1, 'Hugo', 'rabbit', 'lop', 2.3, '2022-01-15');
        INSERT INTO treatments VALUES (1, 1, 'Ruiz', '2024-02-03 09:30', 'arthritis', 140), (2, 2, 'Ruiz', '2024-06-08 11:00', 'fleas', 45),
            (3, 3, 'Adler', '2024-07-19 16:15', 'overgrown teeth', 60);""",
    "verein": """
        CREATE TABLE mitglieder (mitglied_id INTEGER PRIMARY KEY, vorname TEXT, nachname TEXT, geschlecht TEXT, ort TEXT, eintritt TEXT);
        CREATE TABLE sparten (sparte_id INTEGER PRIMARY KEY, bezeichnung TEXT);
        CREATE TABLE teilnahmen (mitglied_id INTEGER REFERENCES mitglieder, sparte_id INTEGER REFERENCES sparten, seit TEXT);
        CREATE TABLE beitraege (beitrag_id INTEGER PRIMARY KEY, mitglied_id INTEGER REFERENCES mitglieder, jahr INTEGER,
            betrag REAL, bezahlt_am TEXT);
        INSERT INTO mitglieder VALUES (1, 'Uta', 'Brehm', 'w', 'Kiel', '2020-02-01'), (2, 'Jan', 'Voss', 'm', 'Plön', '2011-08-15');
        INSERT INTO sparten VALUES (1, 'Turnen'), (2, 'Handball');
        INSERT INTO teilnahmen VALUES (1, 1, '2020-03-01'), (2, 2, '2011-09-01');
        INSERT INTO beitraege VALUES (1, 1, 2024, 120, '2024-01-20'), (2, 2, 2024, 120, NULL);""",
}


def write_registry(folder: Path) -> dict[str, dict[str, str]]:
    """Write the databases into a folder; gives entries of a registry."""
    for name, script in _SCRIPTS.items():
        with closing(sqlite3.connect(folder / f"{name}.db")) as database:
            database.executescript(script)
    return {name: {"url": f"sqlite:///{folder / f'{name}.db'}"} for name in _SCRIPTS}
