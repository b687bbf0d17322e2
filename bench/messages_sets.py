# ruff: noqa: E501  a message is read best in one piece
"""Messages as people write them, in six languages, and the databases that they are about.

They measure `bench.messages`; no rule, word list or threshold may be fitted to them. For examples to build on, write
new ones. Each line: the language, the database, the message.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from bench.own_data_sets import write_all

SHOP = Path(__file__).parents[1] / "samples" / "shop.duckdb"
DOCS = Path(__file__).parents[1] / "samples" / "docs"
OWN = ("dollars", "german_money")  # of `bench.own_data_sets`: one table each, of id, town, amount and day
SEED = 41

SMALL_TALK = """
en shop|hey hey, anybody home?
en cinema|cheers mate, that's all I needed
en verein|no worries, take your time
en dollars|what sort of stuff are you good at?
en shop|wow ok, that was quick
en cinema|which company made you?
en german_money|have a nice weekend!
en shop|never mind, I figured it out
de shop|Grüß dich, alles fit?
de verein|Danke dir, hat super geklappt
de cinema|was hast du so drauf?
de german_money|bist du ein Mensch?
de verein|alles klar, passt so
de shop|Na dann, schönes Wochenende!
de dollars|Wer hat dich gebaut?
de cinema|das war ja einfach
fr shop|coucou, tu vas bien ?
fr cinema|parfait, c'est noté, merci beaucoup
fr verein|tu sais faire quoi au juste ?
fr dollars|c'est qui qui t'a créé ?
fr shop|bon week-end à toi
fr german_money|pas de souci, on verra ça plus tard
fr cinema|ah d'accord, je comprends mieux
fr verein|est-ce que je parle à un robot ?
es shop|hola, qué tal todo?
es cinema|mil gracias, me has salvado el día
es verein|¿y tú qué sabes hacer?
es dollars|¿eres una persona de verdad?
es shop|buen fin de semana!
es german_money|vale, entendido
es cinema|¿cómo te llamas?
es verein|qué rápido, increíble
it shop|ciao, tutto a posto?
it cinema|grazie davvero, mi hai risolto un problema
it verein|cosa sai fare di preciso?
it dollars|chi ti ha creato?
it shop|buon fine settimana!
it german_money|ok perfetto, ho capito
it cinema|come ti chiami?
it verein|non importa, lascia stare
ko shop|안녕하세요, 반갑습니다
ko cinema|정말 고마워요, 큰 도움이 됐어요
ko verein|뭐 할 수 있어요?
ko dollars|너는 누가 만들었어?
ko shop|주말 잘 보내세요
ko german_money|네 알겠습니다
ko cinema|이름이 뭐예요?
ko verein|와 진짜 빠르네요
"""
ABOUT_DATA = """
en shop|what's in here anyway?
en cinema|list the columns of screenings please
en verein|how do mitglieder and beitraege hang together?
en dollars|how many rows does this thing have
en cinema|what does announced_on mean?
de shop|Was für Tabellen hast du?
de verein|Welche Spalten hat kurse?
de cinema|Wie sind films und screenings verknüpft?
de german_money|Wie aktuell sind die Daten hier?
de verein|Was bedeutet austritt?
fr shop|quelles tables as-tu ?
fr cinema|quelles colonnes contient tickets ?
fr verein|comment kurse et anmeldungen sont-elles liées ?
fr dollars|jusqu'à quelle date vont les données ?
fr shop|que veut dire channel ?
es shop|¿qué tablas hay?
es cinema|¿qué columnas tiene films?
es verein|¿cómo se relacionan kurse y anmeldungen?
es dollars|¿hasta qué fecha llegan los datos?
es shop|¿qué significa status?
it shop|che tabelle ci sono?
it cinema|quali colonne ha halls?
it verein|come sono collegate mitglieder e beitraege?
it dollars|fino a quando arrivano i dati?
it shop|cosa significa refund?
ko shop|어떤 테이블이 있어요?
ko cinema|films 테이블의 컬럼을 알려줘
ko verein|kurse와 anmeldungen은 어떻게 연결되어 있나요?
ko dollars|데이터는 언제까지 있나요?
ko shop|status는 무슨 뜻인가요?
"""
LACKING = """
en shop|how many pallets are in the warehouse right now?
en cinema|how much popcorn did we sell in May?
en cinema|which projectors need repair?
en verein|how many injuries did we have in 2024?
en verein|what is the average weight of the members?
en shop|which delivery drivers were late the most?
en dollars|how many employees work in each town?
en cinema|what did the cleaning of the halls cost?
de shop|Wie viele Paletten stehen im Lager?
de cinema|Wie viel Popcorn haben wir verkauft?
de cinema|Welche Projektoren sind kaputt?
de verein|Wie viele Verletzungen gab es?
de verein|Wie hoch ist das Durchschnittsgewicht der Mitglieder?
de shop|Welche Fahrer waren am häufigsten zu spät?
de german_money|Wie viele Angestellte arbeiten je Ort?
de verein|Was kostet die Heizung im Winter?
fr shop|combien de palettes y a-t-il dans l'entrepôt ?
fr cinema|combien de pop-corn avons-nous vendu ?
fr cinema|quels projecteurs sont en panne ?
fr verein|combien de blessures y a-t-il eu ?
fr verein|quel est le poids moyen des membres ?
fr shop|quels chauffeurs sont le plus souvent en retard ?
fr dollars|combien de salariés par ville ?
fr verein|combien coûte le chauffage ?
es shop|¿cuántos palés hay en el almacén?
es cinema|¿cuántas palomitas vendimos?
es cinema|¿qué proyectores están averiados?
es verein|¿cuántas lesiones hubo en 2024?
es verein|¿cuál es el peso medio de los socios?
es shop|¿qué conductores llegan más tarde?
es dollars|¿cuántos empleados hay por ciudad?
es verein|¿cuánto cuesta la calefacción?
it shop|quanti bancali ci sono in magazzino?
it cinema|quanti popcorn abbiamo venduto?
it cinema|quali proiettori sono rotti?
it verein|quanti infortuni ci sono stati?
it verein|qual è il peso medio dei soci?
it shop|quali autisti arrivano più spesso in ritardo?
it dollars|quanti dipendenti ci sono per città?
it verein|quanto costa il riscaldamento?
ko shop|창고에 팔레트가 몇 개 있나요?
ko cinema|팝콘은 얼마나 팔렸나요?
ko cinema|고장 난 영사기는 무엇인가요?
ko verein|부상은 몇 건 있었나요?
ko verein|회원들의 평균 몸무게는 얼마인가요?
ko shop|가장 자주 늦은 기사는 누구인가요?
ko dollars|도시별 직원은 몇 명인가요?
ko verein|난방비는 얼마인가요?
"""
AMBIGUOUS = """
en shop|who are our best customers?
en shop|how are orders doing lately?
en cinema|how many tickets did Weber buy?
en cinema|show me the recent screenings
en cinema|how many screenings were there in March 2025?
en verein|how many beitraege are from April 2025?
de shop|Wer sind unsere besten Kunden?
de shop|Wie viele Bestellungen gab es in letzter Zeit?
de cinema|Wie viele Tickets hat Weber gekauft?
de verein|Welche Mitglieder sind neulich eingetreten?
de verein|Wie viele Anmeldungen gab es im April 2025?
de verein|Summe der Beiträge im Mai 2025
fr shop|qui sont nos meilleurs clients ?
fr shop|combien de commandes récemment ?
fr cinema|combien de billets Martin a-t-il achetés ?
fr cinema|quelles séances ces derniers temps ?
fr cinema|combien de screenings en mars 2025 ?
fr verein|combien d'anmeldungen en avril 2025 ?
es shop|¿quiénes son nuestros mejores clientes?
es shop|¿cuántos pedidos recientes hay?
es cinema|¿cuántas entradas compró Rossi?
es cinema|¿cuántas entradas se vendieron últimamente?
es cinema|¿cuántos screenings hubo en marzo de 2025?
es verein|¿cuántas anmeldungen hay de abril de 2025?
it shop|chi sono i nostri migliori clienti?
it shop|quanti ordini recenti ci sono?
it cinema|quanti biglietti ha comprato Rossi?
it cinema|quanti biglietti sono stati venduti ultimamente?
it cinema|quanti screenings nel marzo 2025?
it verein|quante anmeldungen ad aprile 2025?
ko shop|최고의 고객은 누구인가요?
ko shop|최근 주문은 몇 건인가요?
ko cinema|Weber는 티켓을 몇 장 샀나요?
ko cinema|요즘 티켓이 얼마나 팔렸나요?
ko cinema|2025년 3월 screenings는 몇 건인가요?
ko verein|2025년 4월 anmeldungen은 몇 건인가요?
"""
ANSWERABLE = """
en shop|how much did Spain bring in last year?
en shop|which payment method is used most?
en shop|average basket size per channel
en shop|how many people signed up in 2024?
en shop|what gets sent back because it was damaged?
en cinema|which movie sold the most tickets?
en cinema|how many seats does the Blue Hall have
en cinema|average ticket price per genre
en cinema|longest film by Ana Lima?
en cinema|how many moviegoers live in Lyon?
en verein|how many members left in 2024?
en verein|which course is the most expensive?
en verein|how many people does each trainer have?
en verein|total fees per month in 2025
en dollars|which town paid the most in total?
en german_money|total gross amount for Köln
de shop|Wie viel Umsatz kam 2024 aus Frankreich?
de shop|Welche Zahlungsart ist am beliebtesten?
de shop|Wie viele Retouren gab es im Jahr 2024?
de shop|teuerstes Produkt je Kategorie
de shop|Wie viele Kunden haben nie bestellt?
de cinema|Welcher Film lief am häufigsten?
de cinema|Wie viele Plätze hat der größte Saal?
de cinema|Einnahmen je Genre
de cinema|durchschnittlicher Kartenpreis
de verein|Wie viele Leute sind 2023 eingetreten?
de verein|Welcher Trainer gibt die meisten Kurse?
de verein|Wer hat seinen Beitrag noch nicht bezahlt?
de verein|Teilnehmer je Kurs
de verein|Wie viele Mitglieder wohnen in Bonn?
de german_money|Summe Brutto Betrag je Ort
de dollars|Welche Stadt hat am meisten bezahlt?
fr shop|chiffre d'affaires par pays en 2024
fr shop|combien de clients habitent à Lyon ?
fr shop|quel produit est le plus retourné ?
fr shop|montant moyen d'une commande
fr shop|combien de commandes ont été annulées en 2024 ?
fr cinema|quel film a rapporté le plus ?
fr cinema|combien de places compte chaque salle ?
fr cinema|prix moyen d'un billet par genre
fr cinema|combien de spectateurs viennent de Nantes ?
fr verein|combien de membres par ville ?
fr verein|quel cours coûte le plus cher ?
fr verein|qui n'a pas payé sa cotisation ?
fr verein|combien d'inscriptions par cours ?
fr verein|combien de membres sont partis en 2024 ?
fr dollars|total payé par ville
fr german_money|quelle ville a le montant le plus élevé ?
es shop|ventas por país en 2024
es shop|¿cuántos clientes viven en Sevilla?
es shop|¿qué producto se devuelve más?
es shop|importe medio por pedido
es shop|¿cuántos pedidos se cancelaron en 2024?
es cinema|¿qué película vendió más entradas?
es cinema|¿cuántos asientos tiene cada sala?
es cinema|precio medio de la entrada por género
es cinema|¿cuántos espectadores son de Lyon?
es verein|¿cuántos socios hay por ciudad?
es verein|¿qué curso es el más caro?
es verein|¿quién no ha pagado la cuota?
es verein|¿cuántas inscripciones tiene cada curso?
es verein|¿cuántos socios se dieron de baja en 2024?
es dollars|total pagado por ciudad
es german_money|¿qué ciudad tiene el importe más alto?
it shop|fatturato per paese nel 2024
it shop|quanti clienti abitano a Bologna?
it shop|quale prodotto viene reso di più?
it shop|importo medio di un ordine
it shop|quanti ordini sono stati annullati nel 2024?
it cinema|quale film ha venduto più biglietti?
it cinema|quanti posti ha ogni sala?
it cinema|prezzo medio del biglietto per genere
it cinema|quanti spettatori vengono da Lione?
it verein|quanti soci per città?
it verein|quale corso è il più caro?
it verein|chi non ha pagato la quota?
it verein|quante iscrizioni per corso?
it verein|quanti soci se ne sono andati nel 2024?
it dollars|totale pagato per città
it german_money|quale città ha l'importo più alto?
ko shop|2024년 국가별 매출은 얼마인가요?
ko shop|뮌헨에 사는 고객은 몇 명인가요?
ko shop|가장 많이 반품된 제품은 무엇인가요?
ko shop|주문당 평균 금액은 얼마인가요?
ko shop|2024년에 취소된 주문은 몇 건인가요?
ko cinema|티켓이 가장 많이 팔린 영화는 무엇인가요?
ko cinema|상영관별 좌석 수를 보여줘
ko cinema|장르별 평균 티켓 가격은?
ko cinema|리옹에 사는 관객은 몇 명인가요?
ko verein|도시별 회원 수는?
ko verein|가장 비싼 강좌는 무엇인가요?
ko verein|회비를 아직 안 낸 사람은 누구인가요?
ko verein|강좌별 신청 수는 몇 건인가요?
ko verein|2024년에 탈퇴한 회원은 몇 명인가요?
ko dollars|도시별 결제 합계
ko german_money|금액이 가장 높은 도시는 어디인가요?
"""
SETS: Mapping[str, str] = {
    "small talk": SMALL_TALK,
    "about the data": ABOUT_DATA,
    "what the data lacks": LACKING,
    "ambiguous": AMBIGUOUS,
    "answerable": ANSWERABLE,
}

_CINEMA = """
CREATE TABLE halls (hall_id INTEGER PRIMARY KEY, name TEXT, seats INTEGER);
CREATE TABLE films (film_id INTEGER PRIMARY KEY, title TEXT, director TEXT, genre TEXT, minutes INTEGER, released_on DATE);
CREATE TABLE visitors (visitor_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, city TEXT, joined_on DATE);
CREATE TABLE screenings (screening_id INTEGER PRIMARY KEY, film_id INTEGER REFERENCES films, hall_id INTEGER REFERENCES halls,
  announced_on DATE, shown_on DATE);
CREATE TABLE tickets (ticket_id INTEGER PRIMARY KEY, screening_id INTEGER REFERENCES screenings,
  visitor_id INTEGER REFERENCES visitors, price REAL, bought_on DATE);
"""
_VEREIN = """
CREATE TABLE mitglieder (mitglied_id INTEGER PRIMARY KEY, vorname TEXT, nachname TEXT, ort TEXT, eintritt DATE, austritt DATE);
CREATE TABLE kurse (kurs_id INTEGER PRIMARY KEY, titel TEXT, trainer TEXT, saal TEXT, monatspreis REAL);
CREATE TABLE anmeldungen (anmeldung_id INTEGER PRIMARY KEY, mitglied_id INTEGER REFERENCES mitglieder,
  kurs_id INTEGER REFERENCES kurse, angemeldet_am DATE, begonnen_am DATE);
CREATE TABLE beitraege (beitrag_id INTEGER PRIMARY KEY, mitglied_id INTEGER REFERENCES mitglieder, betrag REAL,
  faellig_am DATE, bezahlt_am DATE);
"""
_FAMILY = ("Weber", "Martin", "Rossi", "Kim", "Lopez", "Novak")
_GIVEN = ("Anna", "Louis", "Chiara", "Minho", "Pablo", "Eva", "Jonas")


def write_registry(folder: Path) -> dict[str, dict[str, object]]:
    """Make the databases in a folder; the same for the same seed. Returns the entries of a registry."""
    own = folder / "own"
    write_all(own)
    dice = random.Random(SEED)
    entries: dict[str, dict[str, object]] = {"shop": {"url": str(SHOP), "docs": [str(DOCS)]}}
    entries |= {name: {"url": str(own / name)} for name in OWN}
    for name, make in (("cinema", _cinema), ("verein", _verein)):
        path = folder / f"{name}.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            make(connection, dice)
            connection.commit()
        entries[name] = {"url": str(path)}
    return entries


def _day(dice: random.Random, *years: int) -> str:
    return f"{dice.choice(years)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"


def _fill(connection: sqlite3.Connection, table: str, rows: list[tuple[object, ...]]) -> None:
    """Insert rows, with their number as the key."""
    holes = ", ".join("?" * (len(rows[0]) + 1))
    connection.executemany(f"INSERT INTO {table} VALUES ({holes})", [(at, *row) for at, row in enumerate(rows, 1)])


def _cinema(connection: sqlite3.Connection, dice: random.Random) -> None:
    connection.executescript(_CINEMA)
    _fill(connection, "halls", [("Blue Hall", 220), ("Red Hall", 140), ("Studio", 60)])
    films = ("Star Harbour", "Winter Road", "The Last Orchard", "Paper Boats", "Night Tram", "Salt")
    directors, genres = ("Ana Lima", "Piet Vos", "Jun Seo"), ("drama", "comedy", "thriller")
    _fill(connection, "films", [
        (title, dice.choice(directors), dice.choice(genres), dice.randint(80, 170), _day(dice, 2023, 2024))
        for title in films
    ])  # fmt: skip
    cities = ("Lyon", "Nantes", "Lille")
    people = [(given, family, dice.choice(cities), _day(dice, 2022, 2023)) for family in _FAMILY for given in _GIVEN]
    _fill(connection, "visitors", list(people))
    shows = [
        (dice.randint(1, len(films)), dice.randint(1, 3), _day(dice, 2024, 2025), _day(dice, 2025)) for _ in range(300)
    ]
    _fill(connection, "screenings", list(shows))
    _fill(connection, "tickets", [
        (dice.randint(1, 300), dice.randint(1, len(people)), round(dice.uniform(6, 16), 2), _day(dice, 2025))
        for _ in range(2000)
    ])  # fmt: skip


def _verein(connection: sqlite3.Connection, dice: random.Random) -> None:
    connection.executescript(_VEREIN)
    towns = ("Bonn", "Köln", "Siegburg")
    people = [
        (given, family, dice.choice(towns), _day(dice, 2022, 2023), _day(dice, 2024) if dice.random() < 0.2 else None)
        for family in _FAMILY
        for given in _GIVEN
    ]
    _fill(connection, "mitglieder", list(people))
    titles = ("Yoga", "Judo", "Rückenschule", "Tanz", "Boxen")
    _fill(connection, "kurse", [
        (title, dice.choice(("Ines Krüger", "Tom Beck")), dice.choice(("A", "B")), dice.randint(15, 45))
        for title in titles
    ])  # fmt: skip
    _fill(connection, "anmeldungen", [
        (dice.randint(1, len(people)), dice.randint(1, len(titles)), _day(dice, 2024, 2025), _day(dice, 2025))
        for _ in range(200)
    ])  # fmt: skip
    _fill(connection, "beitraege", [
        (dice.randint(1, len(people)), dice.choice((20, 30, 45)), _day(dice, 2024, 2025),
         _day(dice, 2025) if dice.random() < 0.9 else None)
        for _ in range(500)
    ])  # fmt: skip
