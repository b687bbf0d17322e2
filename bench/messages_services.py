# ruff: noqa: E501  a question and its query are read best in one piece
"""Messages in five languages over five databases, for `python -m bench.messages --sets bench.messages_services`.

An independent author wrote them before reading any rule. They were read when ambiguous adjectives and lost references
were added, so they measure nothing unread any more. Each line: the language, the database, the question, the query.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

ANSWERABLE = """
en bank|Which customers are in the red?|SELECT DISTINCT c.name FROM accounts a JOIN clients c ON c.client_id = a.client_id WHERE a.balance < 0
en bank|How much money do we hold in dollars?|SELECT SUM(balance) FROM accounts WHERE currency = 'USD'
en bank|Who is the youngest private customer of the Harbour office?|SELECT name FROM clients WHERE segment = 'private' AND branch = 'Harbour' ORDER BY birth_date DESC LIMIT 1
en bank|How many savings books were set up in 2023?|SELECT COUNT(*) FROM accounts WHERE type = 'savings' AND opened_on LIKE '2023%'
en bank|What was the largest single payment in February?|SELECT MAX(amount) FROM transfers WHERE booked_on LIKE '2024-02%'
en bank|How often was rent paid?|SELECT COUNT(*) FROM transfers WHERE purpose = 'rent'
en port|Which vessels are longer than 200 metres?|SELECT name FROM ships WHERE length_m > 200
en port|How long does a typical stay last in hours?|SELECT AVG((julianday(left_at) - julianday(arrived_at)) * 24) FROM calls
en port|What did each ship owe us in 2024?|SELECT s.name, SUM(c.dues) FROM calls c JOIN ships s ON s.imo = c.imo WHERE c.arrived_at LIKE '2024%' GROUP BY s.name
en port|How many boxes were unloaded at the north quay?|SELECT SUM(c.containers) FROM calls c JOIN berths b ON b.berth = c.berth WHERE b.quay = 'north'
en port|Are there any Panamanian boats built before 1990?|SELECT COUNT(*) FROM ships WHERE flag = 'Panama' AND built < 1990
en port|Where could a vessel drawing 12 metres moor?|SELECT berth FROM berths WHERE depth_m > 12
en repair|Which gadgets break most often?|SELECT d.model, COUNT(*) n FROM jobs j JOIN devices d ON d.device_id = j.device_id GROUP BY d.model ORDER BY n DESC LIMIT 1
en repair|Who is the fastest repairer on average?|SELECT technician, AVG(labour_hours) a FROM jobs GROUP BY technician ORDER BY a LIMIT 1
en repair|How many orders are still unfinished?|SELECT COUNT(*) FROM jobs WHERE finished IS NULL
en repair|What share of the repairs was covered by guarantee?|SELECT AVG(warranty) FROM jobs
en repair|What do spare parts for a Pixo phone cost on average?|SELECT AVG(j.parts_cost) FROM jobs j JOIN devices d ON d.device_id = j.device_id WHERE d.brand = 'Pixo'
en podcast|Which programmes have not released anything in 2024?|SELECT title FROM shows WHERE show_id NOT IN (SELECT show_id FROM episodes WHERE published LIKE '2024%')
en podcast|How many listens did we get from Brazil?|SELECT COUNT(*) FROM plays WHERE country = 'Brazil'
en podcast|Which advertiser spent the most?|SELECT company, SUM(paid) s FROM sponsors GROUP BY company ORDER BY s DESC LIMIT 1
de bank|Wie hoch ist das Guthaben aller Firmenkunden zusammen?|SELECT SUM(a.balance) FROM accounts a JOIN clients c ON c.client_id = a.client_id WHERE c.segment = 'business'
de port|Welche Schiffe liegen gerade im Hafen?|SELECT s.name FROM calls c JOIN ships s ON s.imo = c.imo WHERE c.left_at IS NULL
de repair|Wie viele Stunden hat jeder Techniker gearbeitet?|SELECT technician, SUM(labour_hours) FROM jobs GROUP BY technician
fr podcast|Quelle émission a été la plus écoutée ?|SELECT s.title, COUNT(*) n FROM plays p JOIN episodes e ON e.episode_id = p.episode_id JOIN shows s ON s.show_id = e.show_id GROUP BY s.title ORDER BY n DESC LIMIT 1
fr port|Combien de navires battent pavillon grec ?|SELECT COUNT(*) FROM ships WHERE flag = 'Greece'
fr bank|Quel est le solde moyen par agence ?|SELECT c.branch, AVG(a.balance) FROM accounts a JOIN clients c ON c.client_id = a.client_id GROUP BY c.branch
es cine|¿Qué película recaudó más dinero?|SELECT p.titulo, SUM(f.recaudacion) s FROM funciones f JOIN peliculas p ON p.pelicula_id = f.pelicula_id GROUP BY p.titulo ORDER BY s DESC LIMIT 1
es cine|¿Cuántos asientos tiene la sala más grande?|SELECT MAX(butacas) FROM salas
ko podcast|가장 긴 에피소드는 무엇인가요?|SELECT title FROM episodes ORDER BY seconds DESC LIMIT 1
ko repair|브랜드별 수리 건수를 알려 주세요.|SELECT d.brand, COUNT(*) FROM jobs j JOIN devices d ON d.device_id = j.device_id GROUP BY d.brand
"""

LACKING = """
en bank|How many credit cards did we issue last year?|SELECT COUNT(*) FROM accounts WHERE opened_on LIKE '2024%'
en bank|What interest rate does each savings account have?|SELECT account_no, balance FROM accounts WHERE type = 'savings'
en bank|Which adviser looks after the most clients?|SELECT branch, COUNT(*) n FROM clients GROUP BY branch ORDER BY n DESC LIMIT 1
en bank|How many mortgages are overdue?|SELECT COUNT(*) FROM accounts WHERE balance < 0
en bank|List the profession of every client.|SELECT name, segment FROM clients
en port|Which captain called here most often?|SELECT imo, COUNT(*) n FROM calls GROUP BY imo ORDER BY n DESC LIMIT 1
en port|How many cranes does each quay have?|SELECT quay, COUNT(*) FROM berths GROUP BY quay
en port|What is the average crew size per ship?|SELECT name, AVG(length_m) FROM ships GROUP BY name
en port|Which shipping company owns the most vessels?|SELECT flag, COUNT(*) n FROM ships GROUP BY flag ORDER BY n DESC LIMIT 1
en port|How many customs inspections failed in 2024?|SELECT COUNT(*) FROM calls WHERE arrived_at LIKE '2024%'
en port|How many tugboats were needed per call?|SELECT call_id, containers FROM calls
en repair|Which supplier delivers our screens?|SELECT DISTINCT brand FROM devices
en repair|How satisfied were the customers, by technician?|SELECT technician, AVG(labour_hours) FROM jobs GROUP BY technician
en repair|What salary does each technician get?|SELECT technician, SUM(parts_cost) FROM jobs GROUP BY technician
en repair|How many appointments were missed in May?|SELECT COUNT(*) FROM jobs WHERE received LIKE '2024-05%'
en repair|Show the purchase date of every device.|SELECT device_id, serial_no FROM devices
en podcast|How many comments did each episode receive?|SELECT e.title, COUNT(*) FROM plays p JOIN episodes e ON e.episode_id = p.episode_id GROUP BY e.title
en podcast|What is the age of our listeners?|SELECT AVG(listened_seconds) FROM plays
en podcast|Which guest was invited most often?|SELECT host, COUNT(*) n FROM shows GROUP BY host ORDER BY n DESC LIMIT 1
en podcast|Which microphone was used for each recording?|SELECT title FROM episodes
de bank|Wie viele Geldautomaten hat jede Filiale?|SELECT branch, COUNT(*) FROM clients GROUP BY branch
de port|Welche Lotsen waren im März im Einsatz?|SELECT name FROM ships
de repair|Wie viele Ersatzgeräte sind ausgeliehen?|SELECT COUNT(*) FROM devices
fr podcast|Combien d'abonnés a chaque émission ?|SELECT title, COUNT(*) FROM shows GROUP BY title
fr port|Quelle est la consommation de carburant de chaque navire ?|SELECT name, length_m FROM ships
fr repair|Quels outils sont en panne ?|SELECT fault FROM jobs
es cine|¿Cuántas palomitas vendimos en junio?|SELECT SUM(entradas) FROM funciones WHERE empieza LIKE '2024-06%'
es cine|¿Qué actor sale en más películas?|SELECT director, COUNT(*) n FROM peliculas GROUP BY director ORDER BY n DESC LIMIT 1
ko bank|대출 잔액이 가장 큰 고객은 누구인가요?|SELECT name FROM clients
ko podcast|광고를 건너뛴 청취자는 몇 명인가요?|SELECT COUNT(*) FROM plays
"""

AMBIGUOUS = """
en bank|Who are our best clients?
en bank|Show me the latest ones.
en port|Which are the big ships?
en port|How is it looking lately?
en repair|Which jobs were bad?
en repair|List the important customers.
en podcast|Which shows are performing well?
en podcast|What are the top episodes?
en podcast|Compare them with last year.
de bank|Zeig mir die größten.
de repair|Welche Geräte sind die besten?
fr podcast|Quels sont les meilleurs épisodes ?
fr port|Donne-moi les plus récents.
es cine|¿Cuáles son las mejores películas?
ko bank|우수한 고객은 누구인가요?
"""

SETS = {"answerable": ANSWERABLE, "what the data lacks": LACKING, "ambiguous": AMBIGUOUS}

_SCRIPTS = {
    "bank": """
        CREATE TABLE clients (client_id INTEGER PRIMARY KEY, name TEXT, birth_date TEXT, segment TEXT, branch TEXT);
        CREATE TABLE accounts (account_no TEXT PRIMARY KEY, client_id INTEGER REFERENCES clients, type TEXT, opened_on TEXT,
            balance REAL, currency TEXT);
        CREATE TABLE transfers (transfer_id INTEGER PRIMARY KEY, from_account TEXT REFERENCES accounts, to_account TEXT
            REFERENCES accounts, booked_on TEXT, amount REAL, purpose TEXT);
        INSERT INTO clients VALUES (1, 'Ines Paz', '1991-04-03', 'private', 'Harbour'), (2, 'Norr Ltd', NULL, 'business', 'Centre');
        INSERT INTO accounts VALUES ('A1', 1, 'savings', '2023-05-02', 5200, 'EUR'), ('A2', 2, 'current', '2019-01-15', -310, 'USD');
        INSERT INTO transfers VALUES (1, 'A1', 'A2', '2024-02-01', 850, 'rent'), (2, 'A2', 'A1', '2024-02-20', 1200, 'salary');""",
    "port": """
        CREATE TABLE ships (imo INTEGER PRIMARY KEY, name TEXT, flag TEXT, length_m REAL, built INTEGER);
        CREATE TABLE berths (berth TEXT PRIMARY KEY, quay TEXT, depth_m REAL);
        CREATE TABLE calls (call_id INTEGER PRIMARY KEY, imo INTEGER REFERENCES ships, berth TEXT REFERENCES berths,
            arrived_at TEXT, left_at TEXT, containers INTEGER, dues REAL);
        INSERT INTO ships VALUES (9100001, 'Astra', 'Panama', 294, 2006), (9100002, 'Hellas Sky', 'Greece', 180, 1988);
        INSERT INTO berths VALUES ('B1', 'north', 14.5), ('B2', 'south', 10.0);
        INSERT INTO calls VALUES (1, 9100001, 'B1', '2024-03-01 06:00', '2024-03-02 18:00', 840, 22000), (2, 9100002, 'B2',
            '2024-05-09 12:00', NULL, 120, 6100);""",
    "repair": """
        CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, email TEXT, zip TEXT);
        CREATE TABLE devices (device_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, brand TEXT, model TEXT,
            serial_no TEXT);
        CREATE TABLE jobs (job_id INTEGER PRIMARY KEY, device_id INTEGER REFERENCES devices, technician TEXT, received TEXT,
            finished TEXT, fault TEXT, labour_hours REAL, parts_cost REAL, warranty INTEGER);
        INSERT INTO customers VALUES (1, 'Pia Lund', 'pia@example.org', '8000'), (2, 'Tom Orr', 'tom@example.org', '8100');
        INSERT INTO devices VALUES (1, 1, 'Pixo', 'P7', 'X-11'), (2, 2, 'Lumen', 'Tab 3', 'L-77');
        INSERT INTO jobs VALUES (1, 1, 'Greta', '2024-05-02', '2024-05-06', 'cracked screen', 1.5, 89, 0), (2, 2, 'Ali', '2024-05-10',
            NULL, 'no power', 2.0, 35, 1);""",
    "podcast": """
        CREATE TABLE shows (show_id INTEGER PRIMARY KEY, title TEXT, topic TEXT, host TEXT);
        CREATE TABLE episodes (episode_id INTEGER PRIMARY KEY, show_id INTEGER REFERENCES shows, title TEXT, published TEXT,
            seconds INTEGER);
        CREATE TABLE plays (play_id INTEGER PRIMARY KEY, episode_id INTEGER REFERENCES episodes, country TEXT, platform TEXT,
            played_on TEXT, listened_seconds INTEGER);
        CREATE TABLE sponsors (sponsor_id INTEGER PRIMARY KEY, show_id INTEGER REFERENCES shows, company TEXT, paid REAL);
        INSERT INTO shows VALUES (1, 'Deep Water', 'science', 'Mara Quist'), (2, 'Late Trams', 'cities', 'Ben Ode');
        INSERT INTO episodes VALUES (1, 1, 'Squid', '2024-01-12', 2400), (2, 2, 'Lisbon', '2023-10-02', 3100);
        INSERT INTO plays VALUES (1, 1, 'Brazil', 'web', '2024-01-13', 2200), (2, 2, 'Norway', 'phone', '2024-02-01', 600);
        INSERT INTO sponsors VALUES (1, 1, 'Tidal Tea', 900), (2, 2, 'Bolt Bikes', 1500);""",
    "cine": """
        CREATE TABLE peliculas (pelicula_id INTEGER PRIMARY KEY, titulo TEXT, director TEXT, genero TEXT, duracion INTEGER);
        CREATE TABLE salas (sala_id INTEGER PRIMARY KEY, nombre TEXT, butacas INTEGER, planta INTEGER);
        CREATE TABLE funciones (funcion_id INTEGER PRIMARY KEY, pelicula_id INTEGER REFERENCES peliculas, sala_id INTEGER
            REFERENCES salas, empieza TEXT, entradas INTEGER, recaudacion REAL);
        INSERT INTO peliculas VALUES (1, 'La marea', 'Sol Vidal', 'drama', 104), (2, 'Ruido', 'Teo Lara', 'comedia', 92);
        INSERT INTO salas VALUES (1, 'Azul', 120, 1), (2, 'Roja', 240, 2);
        INSERT INTO funciones VALUES (1, 1, 2, '2024-06-03 20:00', 180, 1440), (2, 2, 1, '2024-06-04 18:00', 70, 490);""",
}


def write_registry(folder: Path) -> dict[str, dict[str, str]]:
    """Write the databases into a folder; gives entries of a registry."""
    for name, script in _SCRIPTS.items():
        with closing(sqlite3.connect(folder / f"{name}.db")) as database:
            database.executescript(script)
    return {name: {"url": f"sqlite:///{folder / f'{name}.db'}"} for name in _SCRIPTS}
