# ruff: noqa: E501  a question and its query are read best in one piece
"""Messages in six languages over eight databases, which nobody reads while a rule changes.

`python -m bench.messages --sets bench.messages_unread` measures with them. An independent author wrote them before
reading any rule. No rule, word list or threshold may be fitted to them; `--show` stays unused. Each line: the language,
the database, the message, and the query if it wants one.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

ANSWERABLE = """
en museum|Which of our artists are still alive?|SELECT full_name FROM artists WHERE died_year IS NULL
en museum|How many pieces did we buy rather than get given?|SELECT COUNT(*) FROM artworks WHERE acq_method = 'purchase'
en museum|What is out at other institutions right now and hasn't come back?|SELECT a.title, l.borrower_inst FROM loans l JOIN artworks a ON a.accession_no = l.accession_no WHERE l.returned_dt IS NULL
en museum|For how much is everything by Verreau covered in total?|SELECT SUM(w.insured_val) FROM artworks w JOIN artists a ON a.artist_id = w.artist_id WHERE a.full_name = 'Paul Verreau'
en museum|What's hanging on the third floor?|SELECT w.title FROM artworks w JOIN galleries g ON g.gal_id = w.gal_id WHERE g.floor_no = 3
de museum|Welcher Saal hat die größte Fläche?|SELECT gal_name FROM galleries ORDER BY sqm DESC LIMIT 1
fr museum|Pour quelle exposition l'entrée est-elle la plus chère ?|SELECT exh_title FROM exhibitions ORDER BY ticket_price DESC LIMIT 1
ko museum|1900년 이전에 태어난 화가는 몇 명인가요?|SELECT COUNT(*) FROM artists WHERE born_year < 1900
en airline|Which plane holds the most people?|SELECT tail_no, ac_type FROM aircraft ORDER BY seat_cap DESC LIMIT 1
en airline|How many departures got scrapped on 3 May 2024?|SELECT COUNT(*) FROM flights WHERE flt_status = 'cancelled' AND sched_dep LIKE '2024-05-03%'
en airline|By how many minutes did WX101 leave late on the 3rd of May 2024?|SELECT ROUND((julianday(actual_dep) - julianday(sched_dep)) * 1440) FROM flights WHERE flt_no = 'WX101' AND sched_dep LIKE '2024-05-03%'
en airline|What do people pay on average to sit in business class?|SELECT AVG(fare_eur) FROM bookings WHERE cabin = 'business'
en airline|Which travellers have a ticket for a flight out of Bergen?|SELECT DISTINCT p.pax_name FROM bookings b JOIN passengers p ON p.pax_id = b.pax_id JOIN flights f ON f.flt_id = b.flt_id JOIN airports a ON a.iata = f.dep_iata WHERE a.city = 'Bergen'
es airline|¿Cuántos vuelos parten de Noruega?|SELECT COUNT(*) FROM flights f JOIN airports a ON a.iata = f.dep_iata WHERE a.ctry = 'NO'
it airline|Quale aereo vola per noi da più tempo?|SELECT tail_no FROM aircraft ORDER BY in_service_dt LIMIT 1
en campus|Which lecturers aren't teaching anything in fall 2024?|SELECT first_nm, last_nm FROM instructors WHERE instr_id NOT IN (SELECT instr_id FROM sections WHERE term = '2024F')
en campus|How many kids quit Mechanics before the end?|SELECT COUNT(*) FROM enrollments e JOIN sections s ON s.sect_id = e.sect_id JOIN courses c ON c.crs_cd = s.crs_cd WHERE c.crs_title = 'Mechanics' AND e.dropped_dt IS NOT NULL
en campus|What's the mean mark for every class in the catalogue?|SELECT c.crs_title, AVG(e.grade_pts) FROM courses c LEFT JOIN sections s ON s.crs_cd = c.crs_cd LEFT JOIN enrollments e ON e.sect_id = s.sect_id GROUP BY c.crs_cd, c.crs_title
en campus|What do we offer at master's level?|SELECT crs_cd, crs_title FROM courses WHERE lvl = 'MSc'
en campus|How many free places remain in section 2?|SELECT s.max_seats - COUNT(e.stud_no) FROM sections s LEFT JOIN enrollments e ON e.sect_id = s.sect_id AND e.dropped_dt IS NULL WHERE s.sect_id = 2 GROUP BY s.sect_id
de campus|Wie viele Leute haben 2023 bei uns zu studieren begonnen?|SELECT COUNT(*) FROM students WHERE enr_year = 2023
fr campus|Dans quel bâtiment est installé le département d'histoire ?|SELECT bldg FROM dept WHERE dept_name = 'History'
en hr|How many of our current staff are part-time?|SELECT COUNT(*) FROM employees WHERE fte_pct < 100 AND term_dt IS NULL
en hr|Who left the company in 2024?|SELECT first_name, last_name FROM employees WHERE term_dt LIKE '2024%'
en hr|Whose boss is Maria Keller?|SELECT e.first_name, e.last_name FROM employees e JOIN employees m ON m.emp_id = e.mgr_id WHERE m.first_name = 'Maria' AND m.last_name = 'Keller'
en hr|How many days off sick started in January 2024, all in all?|SELECT SUM(days) FROM absences WHERE abs_type = 'sick' AND start_dt LIKE '2024-01%'
en hr|What yearly pay does Jon Abbott have at the moment, without bonus?|SELECT s.annual_base FROM salaries s JOIN employees e ON e.emp_id = s.emp_id WHERE e.first_name = 'Jon' AND e.last_name = 'Abbott' ORDER BY s.eff_dt DESC LIMIT 1
de hr|Wer von den Aktiven ist am längsten im Unternehmen?|SELECT first_name, last_name FROM employees WHERE term_dt IS NULL ORDER BY hire_dt LIMIT 1
es hr|¿Cuánta gente trabaja ahora mismo en cada oficina?|SELECT site, COUNT(*) FROM employees WHERE term_dt IS NULL GROUP BY site
it hr|Chi è stato assunto dopo il 2015?|SELECT first_name, last_name FROM employees WHERE hire_dt >= '2016-01-01'
en solar|Which site generated the most electricity in June 2024?|SELECT p.plant_nm, SUM(d.kwh_gen) s FROM daily_prod d JOIN plant p ON p.plant_id = d.plant_id WHERE d.prod_date LIKE '2024-06%' GROUP BY p.plant_id, p.plant_nm ORDER BY s DESC LIMIT 1
en solar|How many critical faults haven't been resolved yet?|SELECT COUNT(*) FROM alarm_log WHERE sev = 'critical' AND cleared_ts IS NULL
en solar|Which outside firm has cost us the most in maintenance jobs?|SELECT contractor, SUM(cost_usd) s FROM work_order GROUP BY contractor ORDER BY s DESC LIMIT 1
en solar|Which farms went live after 2018?|SELECT plant_nm FROM plant WHERE commissioned >= '2019-01-01'
en solar|How many Helion units are installed at Mesa Blanca?|SELECT COUNT(*) FROM inverter i JOIN plant p ON p.plant_id = i.plant_id WHERE i.mfr = 'Helion' AND p.plant_nm = 'Mesa Blanca'
en solar|On which day did Mesa Blanca get the strongest sunshine?|SELECT d.prod_date FROM daily_prod d JOIN plant p ON p.plant_id = d.plant_id WHERE p.plant_nm = 'Mesa Blanca' ORDER BY d.irr_kwh_m2 DESC LIMIT 1
de solar|Wie hoch war die Verfügbarkeit im Schnitt, je Kraftwerk?|SELECT p.plant_nm, AVG(d.avail_pct) FROM daily_prod d JOIN plant p ON p.plant_id = d.plant_id GROUP BY p.plant_id, p.plant_nm
fr solar|Quelle puissance crête avons-nous au total dans le Sud ?|SELECT SUM(dc_kwp) FROM plant WHERE region = 'South'
en resto|How many people are we expecting at Osteria Lupo on 14 June 2024?|SELECT SUM(b.party_size) FROM tbl_booking b JOIN tbl_table t ON t.table_id = b.table_id JOIN tbl_restaurant r ON r.rest_id = t.rest_id WHERE r.rest_name = 'Osteria Lupo' AND b.bk_for LIKE '2024-06-14%' AND b.bk_status = 'confirmed'
en resto|Who simply never turned up?|SELECT DISTINCT g.guest_name FROM tbl_booking b JOIN tbl_guest g ON g.guest_id = b.guest_id WHERE b.bk_status = 'no_show'
en resto|Where can I seat a group of eight on the terrace?|SELECT r.rest_name, t.table_id FROM tbl_table t JOIN tbl_restaurant r ON r.rest_id = t.rest_id WHERE t.zone = 'terrace' AND t.seats >= 8
en resto|Which diners told us about an allergy?|SELECT guest_name FROM tbl_guest WHERE allergy_note IS NOT NULL
en resto|Do more reservations come in by phone or through the website?|SELECT bk_channel, COUNT(*) n FROM tbl_booking WHERE bk_channel IN ('phone', 'web') GROUP BY bk_channel ORDER BY n DESC
de resto|Welches Lokal hat insgesamt die meisten Plätze?|SELECT r.rest_name, SUM(t.seats) s FROM tbl_table t JOIN tbl_restaurant r ON r.rest_id = t.rest_id GROUP BY r.rest_id, r.rest_name ORDER BY s DESC LIMIT 1
fr resto|Combien de couverts compte un groupe en moyenne quand on réserve ?|SELECT AVG(party_size) FROM tbl_booking
en fletes|Which lorries can carry more than 20 tonnes?|SELECT matricula FROM camiones WHERE cap_kg > 20000
en fletes|How much did diesel cost us in March 2024?|SELECT SUM(eur) FROM gastos WHERE tipo = 'gasoil' AND fecha LIKE '2024-03%'
en fletes|Whose driving licence runs out before 2026?|SELECT nombre, apellidos FROM choferes WHERE carnet_vence < '2026-01-01'
en fletes|How many loads are still on the road?|SELECT COUNT(*) FROM envios WHERE estado = 'en ruta'
es fletes|¿Cuántos kilos llevaba el porte más pesado que salió de Valencia?|SELECT MAX(peso_kg) FROM envios WHERE origen = 'Valencia'
es fletes|¿Qué conductores tienen su base en Zaragoza?|SELECT nombre, apellidos FROM choferes WHERE base = 'Zaragoza'
es fletes|¿A qué empresa le hemos facturado más en total?|SELECT c.razon_social, SUM(e.importe_eur) s FROM envios e JOIN clientes c ON c.cif = e.cif GROUP BY c.cif, c.razon_social ORDER BY s DESC LIMIT 1
de fletes|Wie viele Lieferungen gingen nach Sevilla?|SELECT COUNT(*) FROM envios WHERE destino = 'Sevilla'
en music|How many paying subscribers do we have in Germany?|SELECT COUNT(*) FROM usr WHERE country_cd = 'DE' AND plan_type = 'premium'
en music|What fraction of plays gets skipped?|SELECT AVG(skipped_flg) FROM stream_evt
en music|How many minutes does "Glass Harbor" last?|SELECT dur_ms / 60000.0 FROM track WHERE trk_title = 'Glass Harbor'
en music|Which bands have put out records with Northlight?|SELECT DISTINCT a.art_name FROM album b JOIN artist a ON a.art_id = b.art_id WHERE b.label_nm = 'Northlight'
en music|Which song did people start most often?|SELECT t.trk_title, COUNT(*) n FROM stream_evt e JOIN track t ON t.trk_id = e.trk_id GROUP BY t.trk_id, t.trk_title ORDER BY n DESC LIMIT 1
fr music|Combien de chansons contiennent des paroles explicites ?|SELECT COUNT(*) FROM track WHERE explicit_flg = 1
ko music|나라별로 가입자가 몇 명씩 있나요?|SELECT country_cd, COUNT(*) FROM usr GROUP BY country_cd
"""

LACKING = """
en museum|How many visitors came through the doors in March 2024?|SELECT COUNT(*) FROM exhibitions WHERE start_dt LIKE '2024-03%'
en museum|Who curated Voices of Lagos?|SELECT a.full_name FROM exh_items i JOIN exhibitions e ON e.exh_id = i.exh_id JOIN artworks w ON w.accession_no = i.accession_no JOIN artists a ON a.artist_id = w.artist_id WHERE e.exh_title = 'Voices of Lagos'
en museum|Which works are waiting to be restored?|SELECT title FROM artworks WHERE gal_id IS NULL
en museum|Show me the height and width of every piece.|SELECT w.title, g.sqm FROM artworks w LEFT JOIN galleries g ON g.gal_id = w.gal_id
en museum|Which donor has given us the most?|SELECT a.full_name, COUNT(*) n FROM artworks w JOIN artists a ON a.artist_id = w.artist_id WHERE w.acq_method = 'gift' GROUP BY a.full_name ORDER BY n DESC LIMIT 1
de museum|Welche Aufsichten haben heute im Ostflügel Dienst?|SELECT gal_name FROM galleries WHERE gal_name = 'East Wing'
fr museum|Combien avons-nous payé « Red Market » à l'achat ?|SELECT insured_val FROM artworks WHERE title = 'Red Market'
en airline|Which captain flew the most sectors in May?|SELECT tail_no, COUNT(*) n FROM flights WHERE sched_dep LIKE '2024-05%' GROUP BY tail_no ORDER BY n DESC LIMIT 1
en airline|How many bags were checked in on WX101?|SELECT COUNT(*) FROM bookings b JOIN flights f ON f.flt_id = b.flt_id WHERE f.flt_no = 'WX101'
en airline|What time did WX102 actually touch down?|SELECT actual_dep FROM flights WHERE flt_no = 'WX102'
en airline|Who ordered a vegetarian meal for the Aberdeen flight?|SELECT p.pax_name FROM bookings b JOIN passengers p ON p.pax_id = b.pax_id JOIN flights f ON f.flt_id = b.flt_id WHERE f.arr_iata = 'ABZ'
en airline|Break fare income down by travel agency.|SELECT cabin, SUM(fare_eur) FROM bookings GROUP BY cabin
en airline|Is the ATR thirstier on fuel than the Dash?|SELECT ac_type, seat_cap FROM aircraft
es airline|¿Qué aviones tienen una revisión técnica pendiente?|SELECT tail_no FROM aircraft
ko airline|객실 승무원이 가장 많이 탄 항공편은 무엇인가요?|SELECT f.flt_no, COUNT(*) n FROM flights f JOIN bookings b ON b.flt_id = f.flt_id GROUP BY f.flt_no ORDER BY n DESC LIMIT 1
en campus|Which students live in the dorms?|SELECT first_nm, last_nm FROM students
en campus|How much tuition does each student still owe?|SELECT s.stud_no, SUM(c.credits) FROM students s JOIN enrollments e ON e.stud_no = s.stud_no JOIN sections t ON t.sect_id = e.sect_id JOIN courses c ON c.crs_cd = t.crs_cd GROUP BY s.stud_no
en campus|What do I have to pass before I can take Quantum Optics?|SELECT crs_title FROM courses WHERE dept_cd = 'PHY' AND lvl = 'BSc'
en campus|How many applicants did we turn down in 2024?|SELECT COUNT(*) FROM enrollments WHERE dropped_dt LIKE '2024%'
en campus|Do women get better grades than men?|SELECT AVG(grade_pts) FROM enrollments
en campus|Which lecturer gets the best feedback from students?|SELECT i.last_nm, AVG(e.grade_pts) a FROM enrollments e JOIN sections s ON s.sect_id = e.sect_id JOIN instructors i ON i.instr_id = s.instr_id GROUP BY i.instr_id, i.last_nm ORDER BY a DESC LIMIT 1
de campus|Welche Studierenden bekommen ein Stipendium?|SELECT first_nm, last_nm FROM students
fr campus|Quels manuels faut-il acheter pour le cours de mécanique ?|SELECT crs_title FROM courses WHERE crs_title = 'Mechanics'
en hr|How many people applied for the recruiter opening?|SELECT COUNT(*) FROM employees WHERE job_title = 'Recruiter'
en hr|Who in Leeds speaks French?|SELECT first_name, last_name FROM employees WHERE site = 'Leeds'
en hr|What's the average age per department?|SELECT d.dept_name, AVG(julianday('now') - julianday(e.hire_dt)) / 365.25 FROM employees e JOIN departments d ON d.dept_id = e.dept_id GROUP BY d.dept_name
en hr|Why did Priya Nair quit?|SELECT term_dt FROM employees WHERE first_name = 'Priya' AND last_name = 'Nair'
en hr|Is pay for men and women equal in Finance?|SELECT AVG(s.annual_base) FROM salaries s JOIN employees e ON e.emp_id = s.emp_id JOIN departments d ON d.dept_id = e.dept_id WHERE d.dept_name = 'Finance'
en hr|Who hasn't done the fire safety training yet?|SELECT first_name, last_name FROM employees WHERE term_dt IS NULL
de hr|Wie viele Überstunden hat jeder Mitarbeiter angesammelt?|SELECT e.last_name, SUM(a.days) FROM employees e JOIN absences a ON a.emp_id = e.emp_id GROUP BY e.emp_id, e.last_name
es hr|¿Qué empleados tienen coche de empresa?|SELECT first_name, last_name FROM employees WHERE term_dt IS NULL
en solar|How much did we earn from selling power in June 2024?|SELECT SUM(kwh_gen) FROM daily_prod WHERE prod_date LIKE '2024-06%'
en solar|How hot did the modules get on 2 June?|SELECT plant_id, irr_kwh_m2 FROM daily_prod WHERE prod_date = '2024-06-02'
en solar|Rank the plants by battery storage.|SELECT plant_nm, dc_kwp FROM plant ORDER BY dc_kwp DESC
en solar|Which technician closed the most tickets?|SELECT contractor, COUNT(*) n FROM work_order WHERE closed IS NOT NULL GROUP BY contractor ORDER BY n DESC LIMIT 1
en solar|How much of our output in June was curtailed by the grid operator?|SELECT SUM(kwh_gen) FROM daily_prod WHERE prod_date LIKE '2024-06%' AND avail_pct < 100
de solar|Wie viel Pacht zahlen wir für jedes Grundstück?|SELECT p.plant_nm, SUM(w.cost_usd) FROM plant p JOIN work_order w ON w.plant_id = p.plant_id GROUP BY p.plant_nm
fr solar|Quels investisseurs détiennent des parts dans Mesa Blanca ?|SELECT DISTINCT w.contractor FROM work_order w JOIN plant p ON p.plant_id = w.plant_id WHERE p.plant_nm = 'Mesa Blanca'
it solar|Che velocità aveva il vento a Mesa Blanca il 2 giugno?|SELECT d.irr_kwh_m2 FROM daily_prod d JOIN plant p ON p.plant_id = d.plant_id WHERE p.plant_nm = 'Mesa Blanca' AND d.prod_date = '2024-06-02'
en resto|Which dish gets ordered the most?|SELECT cuisine, COUNT(*) n FROM tbl_restaurant GROUP BY cuisine ORDER BY n DESC LIMIT 1
en resto|What's the average bill per head at Osteria Lupo?|SELECT AVG(b.party_size) FROM tbl_booking b JOIN tbl_table t ON t.table_id = b.table_id JOIN tbl_restaurant r ON r.rest_id = t.rest_id WHERE r.rest_name = 'Osteria Lupo'
en resto|Which waiter looks after the VIPs?|SELECT guest_name FROM tbl_guest WHERE vip_flg = 1
en resto|Which of our places are closed on Mondays?|SELECT rest_name FROM tbl_restaurant WHERE rest_id NOT IN (SELECT t.rest_id FROM tbl_table t JOIN tbl_booking b ON b.table_id = t.table_id WHERE strftime('%w', b.bk_for) = '1')
en resto|How many stars do guests give each restaurant online?|SELECT rest_name, price_band FROM tbl_restaurant
es resto|¿Cuánto dejaron de propina los clientes en junio?|SELECT COUNT(*) FROM tbl_booking WHERE bk_for LIKE '2024-06%'
fr resto|Quels clients fêtent leur anniversaire en juin ?|SELECT g.guest_name FROM tbl_guest g JOIN tbl_booking b ON b.guest_id = g.guest_id WHERE b.bk_for LIKE '2024-06%'
it resto|Quanti cuochi lavorano in ogni ristorante?|SELECT r.rest_name, COUNT(*) FROM tbl_restaurant r JOIN tbl_table t ON t.rest_id = r.rest_id GROUP BY r.rest_name
en fletes|How many litres per 100 km does each truck burn?|SELECT matricula, SUM(eur) FROM gastos WHERE tipo = 'gasoil' GROUP BY matricula
en fletes|What goods were inside shipment 7001?|SELECT peso_kg, estado FROM envios WHERE envio_id = 7001
en fletes|Which drivers got a speeding ticket this year?|SELECT nombre, apellidos FROM choferes
en fletes|Are we more expensive than our competitors on Valencia to Sevilla?|SELECT AVG(importe_eur) FROM envios WHERE origen = 'Valencia' AND destino = 'Sevilla'
de fletes|Welche Auflieger stehen gerade leer?|SELECT matricula FROM camiones WHERE matricula NOT IN (SELECT matricula FROM envios WHERE estado = 'en ruta')
es fletes|¿Cuántas horas al volante lleva cada chofer esta semana?|SELECT c.nombre, COUNT(*) FROM envios e JOIN choferes c ON c.chofer_id = e.chofer_id GROUP BY c.chofer_id, c.nombre
es fletes|Dame el teléfono del contacto de cada cliente.|SELECT razon_social, cif FROM clientes
en music|How many playlists does the average listener keep?|SELECT AVG(n) FROM (SELECT COUNT(*) n FROM stream_evt GROUP BY usr_id)
en music|How much do we owe each act in royalties?|SELECT a.art_name, COUNT(*) FROM stream_evt e JOIN track t ON t.trk_id = e.trk_id JOIN album b ON b.alb_id = t.alb_id JOIN artist a ON a.art_id = b.art_id GROUP BY a.art_name
en music|Which accounts cancelled their subscription in April 2024?|SELECT handle FROM usr WHERE signup_dt LIKE '2024-04%'
en music|Who wrote the lyrics of "Glass Harbor"?|SELECT a.art_name FROM track t JOIN album b ON b.alb_id = t.alb_id JOIN artist a ON a.art_id = b.art_id WHERE t.trk_title = 'Glass Harbor'
fr music|Quels artistes sont en tournée cet été ?|SELECT art_name FROM artist
ko music|곡별 '좋아요' 수를 보여 주세요.|SELECT t.trk_title, COUNT(*) FROM stream_evt e JOIN track t ON t.trk_id = e.trk_id GROUP BY t.trk_title
"""

AMBIGUOUS = """
en museum|What are our most significant works?
en museum|Which piece is the newest?
en museum|Which exhibitions went well?
en museum|And what about the other one?
fr museum|Quelles œuvres sont un peu anciennes ?
en airline|Which flights had a serious delay?
en airline|Who are our frequent flyers?
en airline|How many were Norwegian?
en airline|same again but only for those three
de airline|Welche Strecken laufen gut?
en campus|Which classes are hard?
en campus|List everyone in Physics.
en campus|How big is each department?
en campus|now sort it the other way and drop the second column
es campus|¿Quiénes son los buenos alumnos?
en hr|Who's away a lot?
en hr|Which department costs us too much?
en hr|How did they do compared to before?
de hr|Wer sind unsere Leistungsträger?
de hr|Was ist mit den Neuen?
en solar|Which plant performs worst?
en solar|How large are our plants?
en solar|Give me the numbers for June.
en solar|Any long outages lately?
it solar|Quali impianti danno problemi?
en resto|Which are our best tables?
en resto|How many bookings in June?
en resto|Who are our regulars?
en resto|top 5 please
fr resto|Quels restaurants marchent bien ?
en fletes|How many shipments in March?
en fletes|Who's our best driver?
es fletes|¿Qué camiones están viejos?
es fletes|Pásame los últimos.
de fletes|Welche Kunden sind wichtig?
en music|What's hot right now?
en music|Which artists are big in Germany?
en music|Who is the most active?
fr music|Et pour les autres, ça donne quoi ?
ko music|인기 있는 것들을 보여 주세요.
"""

SMALL_TALK = """
en museum|hey, good morning!
en airline|thanks a lot, that was exactly what i needed
en campus|lol ok
en hr|are you a real person or a bot?
en hr|Have a nice weekend, see you monday
en solar|what a gorgeous sunny day, isnt it
en resto|im starving, tell me a joke to distract me
en fletes|hola amigo, how's it going
en music|do u like jazz?
en music|sry wrong window
de airline|Moin, na, alles klar bei dir?
de solar|Super, vielen Dank und schönen Feierabend!
fr museum|coucou, ça va toi ?
es fletes|buenas tardes, ¿cómo te llamas?
it resto|grazie mille, sei un grande!
"""

ABOUT = """
en museum|what kind of info do you have in here?
en museum|What's the difference between an exh item and a loan in this database?
en airline|wich tables are there
en airline|what does freq_tier stand for?
en campus|how far back does this data go?
en hr|Is fte_pct stored as a number or as text?
en hr|when was this last updated, looks a bit old to me
en solar|how many rows does the biggest table have
en fletes|I don't speak spanish, can you explain what the colums in envios mean?
en music|how are usr and stream_evt linked?
de solar|was bedeutet eigentlich avail_pct?
fr resto|c'est quoi la colonne bk_channel, elle peut contenir quelles valeurs ?
fr music|quelles données je peux interroger ici ?
es fletes|que tablas hay y q guarda cada una?
ko campus|이 데이터베이스에는 어떤 테이블이 있어요?
"""

SETS = {
    "answerable": ANSWERABLE,
    "what the data lacks": LACKING,
    "ambiguous": AMBIGUOUS,
    "small talk": SMALL_TALK,
    "about the data": ABOUT,
}

_SCRIPTS = {
    "museum": """
        CREATE TABLE artists (artist_id INTEGER PRIMARY KEY, full_name TEXT, born_year INTEGER, died_year INTEGER,
            nationality TEXT);
        CREATE TABLE galleries (gal_id INTEGER PRIMARY KEY, gal_name TEXT, floor_no INTEGER, sqm REAL);
        CREATE TABLE artworks (accession_no TEXT PRIMARY KEY, artist_id INTEGER REFERENCES artists, title TEXT, yr_created
            INTEGER, medium TEXT, gal_id INTEGER REFERENCES galleries, insured_val REAL, acq_date TEXT, acq_method TEXT);
        CREATE TABLE exhibitions (exh_id INTEGER PRIMARY KEY, exh_title TEXT, start_dt TEXT, end_dt TEXT, ticket_price REAL);
        CREATE TABLE exh_items (exh_id INTEGER REFERENCES exhibitions, accession_no TEXT REFERENCES artworks,
            PRIMARY KEY (exh_id, accession_no));
        CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, accession_no TEXT REFERENCES artworks, borrower_inst TEXT,
            out_dt TEXT, due_dt TEXT, returned_dt TEXT);
        INSERT INTO artists VALUES (1, 'Lena Okoro', 1921, 1987, 'Nigerian'), (2, 'Paul Verreau', 1868, 1940, 'French'),
            (3, 'Ida Holm', 1955, NULL, 'Danish');
        INSERT INTO galleries VALUES (10, 'East Wing', 1, 320), (11, 'Sky Room', 3, 140);
        INSERT INTO artworks VALUES ('1998.14', 1, 'Red Market', 1962, 'oil on canvas', 10, 480000, '1998-03-20', 'purchase'),
            ('2005.2', 2, 'Pont au soir', 1903, 'oil on canvas', 11, 1250000, '2005-06-11', 'gift'),
            ('2005.3', 2, 'Nu assis', 1911, 'charcoal', NULL, 60000, '2005-06-11', 'gift'),
            ('2019.77', 3, 'Untitled (Ice)', 1994, 'bronze', NULL, 90000, '2019-10-01', 'bequest');
        INSERT INTO exhibitions VALUES (1, 'Light and Water', '2024-02-01', '2024-06-30', 14.5), (2, 'Voices of Lagos',
            '2024-09-10', '2025-01-12', 12.0);
        INSERT INTO exh_items VALUES (1, '2005.2'), (1, '2019.77'), (2, '1998.14');
        INSERT INTO loans VALUES (1, '2019.77', 'Kunsthal Aarhus', '2024-07-15', '2025-01-15', NULL), (2, '2005.2',
            'Musée de Lyon', '2022-01-15', '2022-07-15', '2022-07-10');""",
    "airline": """
        CREATE TABLE aircraft (tail_no TEXT PRIMARY KEY, ac_type TEXT, seat_cap INTEGER, in_service_dt TEXT);
        CREATE TABLE airports (iata TEXT PRIMARY KEY, city TEXT, ctry TEXT);
        CREATE TABLE flights (flt_id INTEGER PRIMARY KEY, flt_no TEXT, tail_no TEXT REFERENCES aircraft, dep_iata TEXT
            REFERENCES airports, arr_iata TEXT REFERENCES airports, sched_dep TEXT, actual_dep TEXT, flt_status TEXT);
        CREATE TABLE passengers (pax_id INTEGER PRIMARY KEY, pax_name TEXT, freq_tier TEXT, natl TEXT);
        CREATE TABLE bookings (pnr TEXT PRIMARY KEY, pax_id INTEGER REFERENCES passengers, flt_id INTEGER REFERENCES flights,
            cabin TEXT, fare_eur REAL, booked_at TEXT);
        INSERT INTO aircraft VALUES ('LN-WXA', 'ATR 72-600', 70, '2015-04-01'), ('LN-WXC', 'Dash 8-400', 78, '2011-09-12');
        INSERT INTO airports VALUES ('BGO', 'Bergen', 'NO'), ('TRD', 'Trondheim', 'NO'), ('ABZ', 'Aberdeen', 'GB');
        INSERT INTO flights VALUES (1, 'WX101', 'LN-WXA', 'BGO', 'ABZ', '2024-05-03 07:10', '2024-05-03 07:52', 'departed'),
            (2, 'WX102', 'LN-WXA', 'ABZ', 'BGO', '2024-05-03 10:00', '2024-05-03 10:04', 'departed'),
            (3, 'WX204', 'LN-WXC', 'TRD', 'BGO', '2024-05-03 12:00', NULL, 'cancelled');
        INSERT INTO passengers VALUES (1, 'Kari Moen', 'gold', 'NO'), (2, 'Ewan Reid', 'basic', 'GB'), (3, 'Sofie Lindt',
            'silver', 'DE');
        INSERT INTO bookings VALUES ('QX7PLA', 1, 1, 'business', 310, '2024-04-11 09:30'), ('B2RT9K', 2, 1, 'economy', 119,
            '2024-04-28 21:05'), ('M0ZZ4E', 1, 2, 'business', 290, '2024-04-11 09:31'), ('T5HHC1', 3, 3, 'economy', 84,
            '2024-03-30 14:12');""",
    "campus": """
        CREATE TABLE dept (dept_cd TEXT PRIMARY KEY, dept_name TEXT, bldg TEXT);
        CREATE TABLE instructors (instr_id INTEGER PRIMARY KEY, last_nm TEXT, first_nm TEXT, dept_cd TEXT REFERENCES dept,
            hired_on TEXT);
        CREATE TABLE courses (crs_cd TEXT PRIMARY KEY, crs_title TEXT, dept_cd TEXT REFERENCES dept, credits INTEGER, lvl TEXT);
        CREATE TABLE sections (sect_id INTEGER PRIMARY KEY, crs_cd TEXT REFERENCES courses, instr_id INTEGER REFERENCES
            instructors, term TEXT, max_seats INTEGER, room TEXT);
        CREATE TABLE students (stud_no INTEGER PRIMARY KEY, last_nm TEXT, first_nm TEXT, enr_year INTEGER, major_dept_cd TEXT
            REFERENCES dept);
        CREATE TABLE enrollments (sect_id INTEGER REFERENCES sections, stud_no INTEGER REFERENCES students, grade_pts REAL,
            dropped_dt TEXT, PRIMARY KEY (sect_id, stud_no));
        INSERT INTO dept VALUES ('PHY', 'Physics', 'Curie Hall'), ('HIS', 'History', 'Old Court');
        INSERT INTO instructors VALUES (1, 'Bauer', 'Tina', 'PHY', '2012-09-01'), (2, 'Osei', 'Kwame', 'HIS', '2020-02-15'),
            (3, 'Lindqvist', 'Per', 'PHY', '2018-08-20');
        INSERT INTO courses VALUES ('PHY101', 'Mechanics', 'PHY', 6, 'BSc'), ('HIS230', 'Cities of the Middle Ages', 'HIS', 5,
            'BSc'), ('PHY510', 'Quantum Optics', 'PHY', 8, 'MSc');
        INSERT INTO sections VALUES (1, 'PHY101', 1, '2024F', 120, 'C1.02'), (2, 'HIS230', 2, '2024F', 40, 'OC 7'), (3, 'PHY510',
            3, '2024S', 15, 'C3.11');
        INSERT INTO students VALUES (40017, 'Marsh', 'Ellie', 2023, 'PHY'), (40252, 'Diallo', 'Amadou', 2024, 'HIS'), (39104,
            'Chen', 'Wei', 2021, 'PHY');
        INSERT INTO enrollments VALUES (1, 40017, 3.3, NULL), (1, 40252, NULL, '2024-10-14'), (2, 40252, 3.7, NULL), (3, 39104,
            2.9, NULL);""",
    "hr": """
        CREATE TABLE departments (dept_id INTEGER PRIMARY KEY, dept_name TEXT, cost_center TEXT);
        CREATE TABLE employees (emp_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, job_title TEXT, dept_id INTEGER
            REFERENCES departments, mgr_id INTEGER REFERENCES employees, hire_dt TEXT, term_dt TEXT, fte_pct INTEGER, site TEXT);
        CREATE TABLE salaries (emp_id INTEGER REFERENCES employees, eff_dt TEXT, annual_base REAL, bonus_tgt_pct REAL,
            PRIMARY KEY (emp_id, eff_dt));
        CREATE TABLE absences (abs_id INTEGER PRIMARY KEY, emp_id INTEGER REFERENCES employees, abs_type TEXT, start_dt TEXT,
            end_dt TEXT, days REAL);
        INSERT INTO departments VALUES (1, 'Finance', 'CC-4100'), (2, 'People', 'CC-4200');
        INSERT INTO employees VALUES (1, 'Maria', 'Keller', 'Head of Finance', 1, NULL, '2009-03-01', NULL, 100, 'Zurich'),
            (2, 'Jon', 'Abbott', 'Accountant', 1, 1, '2018-07-16', NULL, 80, 'Leeds'),
            (3, 'Priya', 'Nair', 'Recruiter', 2, 1, '2021-01-11', '2024-03-31', 100, 'Leeds');
        INSERT INTO salaries VALUES (1, '2022-01-01', 142000, 20), (2, '2022-01-01', 41000, 5), (2, '2024-01-01', 43500, 5),
            (3, '2022-01-01', 39000, 8);
        INSERT INTO absences VALUES (1, 2, 'sick', '2024-01-08', '2024-01-10', 3), (2, 3, 'sick', '2024-01-22', '2024-01-22', 1),
            (3, 1, 'vacation', '2024-07-15', '2024-07-26', 10);""",
    "solar": """
        CREATE TABLE plant (plant_id INTEGER PRIMARY KEY, plant_nm TEXT, region TEXT, dc_kwp REAL, commissioned TEXT);
        CREATE TABLE inverter (inv_sn TEXT PRIMARY KEY, plant_id INTEGER REFERENCES plant, mfr TEXT, ac_kw REAL, fw_ver TEXT);
        CREATE TABLE daily_prod (plant_id INTEGER REFERENCES plant, prod_date TEXT, kwh_gen REAL, irr_kwh_m2 REAL, avail_pct REAL,
            PRIMARY KEY (plant_id, prod_date));
        CREATE TABLE alarm_log (alarm_id INTEGER PRIMARY KEY, inv_sn TEXT REFERENCES inverter, raised_ts TEXT, cleared_ts TEXT,
            sev TEXT, descr TEXT);
        CREATE TABLE work_order (wo_id INTEGER PRIMARY KEY, plant_id INTEGER REFERENCES plant, opened TEXT, closed TEXT,
            contractor TEXT, cost_usd REAL);
        INSERT INTO plant VALUES (1, 'Mesa Blanca', 'South', 12400, '2017-05-30'), (2, 'Crow Ridge', 'North', 5200, '2021-10-04');
        INSERT INTO inverter VALUES ('HL-0091', 1, 'Helion', 2500, '4.1.7'), ('HL-0092', 1, 'Helion', 2500, '4.1.2'), ('VX-310', 2,
            'Voltrax', 1250, '2.0');
        INSERT INTO daily_prod VALUES (1, '2024-06-01', 68100, 7.4, 99.2), (1, '2024-06-02', 71250, 7.9, 100), (2, '2024-06-01',
            21900, 5.8, 91.5), (2, '2024-06-02', 24400, 6.1, 98.0);
        INSERT INTO alarm_log VALUES (1, 'HL-0092', '2024-06-01 11:20', '2024-06-01 12:05', 'minor', 'fan speed low'), (2, 'VX-310',
            '2024-06-01 09:02', NULL, 'critical', 'DC isolation fault');
        INSERT INTO work_order VALUES (501, 2, '2024-06-03', NULL, 'Bright Ops', 1800), (502, 1, '2024-02-12', '2024-02-14',
            'Dune Services', 4650);""",
    "resto": """
        CREATE TABLE tbl_restaurant (rest_id INTEGER PRIMARY KEY, rest_name TEXT, cuisine TEXT, city TEXT, price_band INTEGER);
        CREATE TABLE tbl_table (table_id INTEGER PRIMARY KEY, rest_id INTEGER REFERENCES tbl_restaurant, seats INTEGER, zone TEXT);
        CREATE TABLE tbl_guest (guest_id INTEGER PRIMARY KEY, guest_name TEXT, phone TEXT, vip_flg INTEGER, allergy_note TEXT);
        CREATE TABLE tbl_booking (bk_id INTEGER PRIMARY KEY, table_id INTEGER REFERENCES tbl_table, guest_id INTEGER REFERENCES
            tbl_guest, bk_for TEXT, party_size INTEGER, bk_channel TEXT, bk_status TEXT, created_ts TEXT);
        INSERT INTO tbl_restaurant VALUES (1, 'Osteria Lupo', 'Italian', 'Bristol', 2), (2, 'Kaede', 'Japanese', 'Bath', 3);
        INSERT INTO tbl_table VALUES (11, 1, 4, 'main room'), (12, 1, 8, 'terrace'), (21, 2, 2, 'counter'), (22, 2, 6, 'terrace');
        INSERT INTO tbl_guest VALUES (1, 'Hannah Boyd', '0117 555 0101', 1, 'hazelnuts'), (2, 'Luis Ferro', '0117 555 0144', 0, NULL),
            (3, 'Mei Sato', '01225 555 019', 0, NULL);
        INSERT INTO tbl_booking VALUES (9001, 12, 1, '2024-06-14 19:30', 7, 'phone', 'confirmed', '2024-05-28 10:11'),
            (9002, 11, 2, '2024-06-14 20:00', 3, 'web', 'confirmed', '2024-06-10 22:40'),
            (9003, 21, 3, '2024-06-02 18:30', 2, 'web', 'no_show', '2024-05-30 08:15'),
            (9004, 22, 2, '2024-07-01 19:00', 5, 'web', 'cancelled', '2024-06-11 12:00');""",
    "fletes": """
        CREATE TABLE camiones (matricula TEXT PRIMARY KEY, marca TEXT, modelo TEXT, cap_kg INTEGER, anio_alta INTEGER, km_total
            INTEGER);
        CREATE TABLE choferes (chofer_id INTEGER PRIMARY KEY, nombre TEXT, apellidos TEXT, carnet_vence TEXT, base TEXT);
        CREATE TABLE clientes (cif TEXT PRIMARY KEY, razon_social TEXT, provincia TEXT);
        CREATE TABLE envios (envio_id INTEGER PRIMARY KEY, cif TEXT REFERENCES clientes, matricula TEXT REFERENCES camiones,
            chofer_id INTEGER REFERENCES choferes, origen TEXT, destino TEXT, peso_kg INTEGER, f_carga TEXT, f_entrega TEXT,
            importe_eur REAL, estado TEXT);
        CREATE TABLE gastos (gasto_id INTEGER PRIMARY KEY, matricula TEXT REFERENCES camiones, tipo TEXT, fecha TEXT, eur REAL);
        INSERT INTO camiones VALUES ('4471 KLM', 'Iveco', 'S-Way', 24000, 2019, 412000), ('0093 MBT', 'MAN', 'TGL', 8000, 2022,
            505000);
        INSERT INTO choferes VALUES (1, 'Rosa', 'Pardo Gil', '2025-11-30', 'Zaragoza'), (2, 'Iván', 'Cruz Mora', '2028-02-14',
            'Valencia');
        INSERT INTO clientes VALUES ('B50111222', 'Cerámicas Turia SL', 'Valencia'), ('A41333444', 'Olivar del Sur SA', 'Sevilla');
        INSERT INTO envios VALUES (7001, 'B50111222', '4471 KLM', 1, 'Valencia', 'Sevilla', 21500, '2024-03-30', '2024-04-01', 1480,
            'entregado'), (7002, 'A41333444', '0093 MBT', 2, 'Sevilla', 'Zaragoza', 6200, '2024-04-09', NULL, 930, 'en ruta'),
            (7003, 'B50111222', '0093 MBT', 2, 'Valencia', 'Zaragoza', 7400, '2024-03-12', '2024-03-13', 640, 'entregado');
        INSERT INTO gastos VALUES (1, '4471 KLM', 'gasoil', '2024-03-30', 512.4), (2, '0093 MBT', 'gasoil', '2024-03-12', 188.0),
            (3, '4471 KLM', 'peaje', '2024-03-31', 46.9), (4, '0093 MBT', 'taller', '2024-02-20', 730);""",
    "music": """
        CREATE TABLE usr (usr_id INTEGER PRIMARY KEY, handle TEXT, country_cd TEXT, plan_type TEXT, signup_dt TEXT, birth_yr INTEGER);
        CREATE TABLE artist (art_id INTEGER PRIMARY KEY, art_name TEXT, home_country TEXT);
        CREATE TABLE album (alb_id INTEGER PRIMARY KEY, alb_title TEXT, art_id INTEGER REFERENCES artist, rel_dt TEXT, label_nm TEXT);
        CREATE TABLE track (trk_id INTEGER PRIMARY KEY, trk_title TEXT, alb_id INTEGER REFERENCES album, dur_ms INTEGER, genre TEXT,
            explicit_flg INTEGER);
        CREATE TABLE stream_evt (evt_id INTEGER PRIMARY KEY, usr_id INTEGER REFERENCES usr, trk_id INTEGER REFERENCES track, ts TEXT,
            ms_played INTEGER, device TEXT, skipped_flg INTEGER);
        INSERT INTO usr VALUES (1, 'moonkid', 'DE', 'premium', '2022-08-19', 1999), (2, 'tante_erna', 'DE', 'free', '2024-04-02', 1961),
            (3, 'jpl', 'FR', 'premium', '2023-12-25', 1988);
        INSERT INTO artist VALUES (1, 'The Pale Lamps', 'GB'), (2, 'Yuna Sol', 'KR');
        INSERT INTO album VALUES (1, 'Harbors', 1, '2023-03-17', 'Northlight'), (2, 'Noon', 2, '2024-01-26', 'Paper Kite');
        INSERT INTO track VALUES (1, 'Glass Harbor', 1, 243000, 'indie', 0), (2, 'Rust', 1, 198500, 'indie', 1), (3, 'Noon', 2, 176000,
            'k-pop', 0);
        INSERT INTO stream_evt VALUES (1, 1, 1, '2024-04-05 08:01', 243000, 'mobile', 0), (2, 1, 3, '2024-04-05 08:05', 21000, 'mobile',
            1), (3, 3, 1, '2024-04-06 19:44', 230000, 'desktop', 0), (4, 2, 2, '2024-04-07 15:20', 198500, 'speaker', 0);""",
}


def write_registry(folder: Path) -> dict[str, dict[str, str]]:
    """Write the databases into a folder; gives entries of a registry."""
    for name, script in _SCRIPTS.items():
        with closing(sqlite3.connect(folder / f"{name}.db")) as database:
            database.executescript(script)
    return {name: {"url": f"sqlite:///{folder / f'{name}.db'}"} for name in _SCRIPTS}
