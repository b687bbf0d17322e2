"""Composed answers: units, years, full names, and the limits of the question."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text, compose_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult

OF_2023 = "WHERE admitted_on >= '2023-01-01' AND admitted_on < '2024-01-01'"


@pytest.mark.parametrize(
    "question, columns, rows, sql, text",
    [
        pytest.param(
            "How long does an average stay last?", "average_stay", (("PT25H30M3.67S",),),
            "SELECT AVG(left_at - admitted_at) AS average_stay FROM admissions",
            "Average stay: 1 d 1 h 30 min 4 s.", id="a duration",
        ),
        pytest.param(
            "How many admissions did each ward have in 2023?", "ward admissions", (("North", 48), ("South", 12)),
            f"SELECT ward, COUNT(*) AS admissions FROM admissions {OF_2023} GROUP BY ward",
            "Admissions by ward (2023): North: 48; South: 12.", id="a year that no column shows",
        ),
        pytest.param(
            "Which patients were admitted?", "name", tuple((f"Patient {it}",) for it in range(1, 13)),
            "SELECT name FROM patients",
            "Name: Patient 1; Patient 2; Patient 3; …", id="some of many rows without an order",
        ),
        pytest.param(
            "Which patients were admitted?", "name", tuple((f"Patient {it}",) for it in range(11, 23)),
            "SELECT name FROM patients ORDER BY age",
            "Name: first Patient 11; last Patient 22.", id="the ends of many rows in an order",
        ),
        pytest.param(
            "Which patients were admitted?", "name", tuple((f"Patient {it}",) for it in range(11, 23)),
            "SELECT name FROM patients ORDER BY name",
            "Name: Patient 11; Patient 12; Patient 13; …", id="some of many names in the order of the alphabet",
        ),
        pytest.param(
            "How many admissions were there between April and June 2023?", "admissions", ((48,),),
            "SELECT COUNT(*) AS admissions FROM admissions WHERE admitted_on BETWEEN '2023-04-01' AND '2023-06-30'",
            "Admissions: 48.", id="the last month of several is no limit",
        ),
        pytest.param(
            "How many admissions were there in April 2023?", "admissions", ((0,),),
            "SELECT COUNT(*) AS admissions FROM admissions WHERE admitted_on = '2023-04-01'",
            "Admissions (2023-04-01): 0.", id="a day of the month that the question says",
        ),
        pytest.param(
            "How many admissions were there in April 2023?", "admissions", ((5,),),
            "SELECT COUNT(*) AS admissions FROM admissions WHERE DATE_TRUNC('month', admitted_on) = '2023-04-01'",
            "Admissions (April 2023): 5.", id="a month that begins with that day",
        ),
        pytest.param(
            "How many admissions were there on 1 April 2023?", "admissions", ((5,),),
            "SELECT COUNT(*) AS admissions FROM admissions WHERE admitted_on = '2023-04-01'",
            "Admissions (1 April 2023): 5.", id="the day that the question says",
        ),
        pytest.param(
            "How many admissions were not in 2023?", "admissions", ((48,),),
            "SELECT COUNT(*) AS admissions FROM admissions WHERE NOT (admitted_on >= '2023-01-01')",
            "Admissions: 48.", id="a denied year is no limit",
        ),
        pytest.param(
            "Which wards have more beds than Berlin?", "ward", (("North",),),
            "SELECT ward FROM wards WHERE beds > (SELECT beds FROM wards WHERE ward = 'Berlin')",
            "Ward: North.", id="a condition of another query is no limit",
        ),
        pytest.param(
            "Which homes were built before 1980?", "address", (("3 Quai Nord",),),
            "SELECT address FROM homes WHERE built < 1980",
            "Address (before 1980): 3 Quai Nord.", id="the side of a year",
        ),
        pytest.param(
            "Wie viele Stationen hat Berlin?", "anzahl", ((4,),),
            "SELECT COUNT(*) AS anzahl FROM wards WHERE city = 'Berlin'",
            "Anzahl (Berlin): 4.", id="a value, in the question's words",
        ),
        pytest.param(
            "Wie hoch ist der Betrag je Kategorie?", "Kategorie Betrag", (("Miete", 40), ("Strom", 2)),
            "SELECT Kategorie, SUM(Betrag) AS Betrag FROM buchungen GROUP BY Kategorie",
            "Betrag nach Kategorie: Miete: 40; Strom: 2.", id="German nouns keep their capital",
        ),
        pytest.param(
            "Wie hoch ist der mittlere Wassergehalt je Sorte?", "Sorte Mittlerer_Wassergehalt",
            (("Raps", 17.4), ("Heide", 18)),
            "SELECT Sorte, AVG(Wassergehalt) AS Mittlerer_Wassergehalt FROM ernte GROUP BY Sorte",
            "Mittlerer Wassergehalt nach Sorte: Raps: 17,4; Heide: 18,0.", id="German nouns of several words",
        ),
        pytest.param(
            "How many visitors had Central in each month of 2024?", "month visitors",
            (("2024-01", 30), ("2024-02", 33)),
            "SELECT month, SUM(visitors) AS visitors FROM visits WHERE branch = 'Central' AND month LIKE '2024-%' "
            "GROUP BY month", "Visitors by month (Central): January 2024: 30; February 2024: 33.",
            id="a year that the rows show",
        ),
        pytest.param(
            "Tell me about the home.", "address area_m2 built price_eur", (("12 Elm Street", 84.5, 1998, 412000),),
            "SELECT address, area_m2, built, price_eur FROM homes LIMIT 1",
            "Address: 12 Elm Street; area: 84.5 m²; built: 1998; price: €412,000.00.", id="units, years, money",
        ),
        pytest.param(
            "What share of the tests was positive?", "positive_percentage", ((19.535519,),),
            "SELECT SUM(positive) * 100.0 / COUNT(*) AS positive_percentage FROM tests",
            "Positive percentage: 19.54%.", id="a share of few decimals",
        ),
        pytest.param(
            "How long do the visits take on average?", "average_days", ((7.412136536030341,),),
            "SELECT AVG(days) AS average_days FROM visits", "Average: 7.41 days.", id="a unit in the plural",
        ),
        pytest.param(
            "What did each plant produce?", "plant output_mwh", (("A", 1240500.0), ("B", 99000.0)),
            "SELECT plant, SUM(output_mwh) AS output_mwh FROM plants GROUP BY plant",
            "Output by plant: A: 1,240,500 MWh; B: 99,000 MWh.", id="a unit of the column's name",
        ),
        pytest.param(
            "Who scored most?", "first_name last_name goals", (("Juha", "Lind", 29), ("Nils", None, 27)),
            "SELECT first_name, last_name, COUNT(*) AS goals FROM goals GROUP BY first_name, last_name",
            "Goals by name: Juha Lind: 29; Nils, no value: 27.", id="two columns of one name",
        ),
        pytest.param(
            "Who leads which department?", "department first_name last_name",
            (("Art", "Ada", "Lind"), ("Wine", "Bo", "Ek")),
            "SELECT department, first_name, last_name FROM heads",
            "Department, name: Art, Ada Lind; Wine, Bo Ek.", id="without a number",
        ),
        pytest.param(
            "Wer hat die meisten Einsätze?", "vorname nachname ort einsaetze",
            (("Uwe", "Lehmann", "Ulm", 35), ("Petra", "Böhm", "Ulm", 35)),
            "SELECT vorname, nachname, ort, COUNT(*) AS einsaetze FROM e GROUP BY vorname, nachname, ort",
            "Einsaetze nach Name, ort: Uwe Lehmann, Ulm: 35; Petra Böhm, Ulm: 35.", id="a German name, and its town",
        ),
        pytest.param(
            "Which lessons were cancelled?", "id student plate starts kind st fee",
            ((1, 7, "L 1", "2024-01-02", "N", "D", 5.5),) * 4,
            "SELECT id, student, plate, starts, kind, st, fee FROM lessons",
            "The rows show id, student, plate, starts, kind, st, fee.", id="many columns",
        ),
        pytest.param(
            "Ist Ulm älter?", "a.opened>b.opened", ((0,),), "SELECT a.opened > b.opened FROM towns AS a, towns AS b",
            "Ergebnis: 0.", id="a comparison without a name",
        ),
        pytest.param(
            "What share?", "1.0*SUM(v)*100/COUNT(*)", ((57.142857142857,),), "SELECT 1.0*SUM(v)*100/COUNT(*) FROM m",
            "Number: 57.14%.", id="a product without a name",
        ),
        pytest.param(
            "What is the average price in each city?", "city avg_price_eur", (("Lyon", 500000.5), ("Turin", 200000.0)),
            "SELECT city, AVG(price_eur) AS avg_price_eur FROM homes GROUP BY city",
            "Average price by city: Lyon: €500,000.50; Turin: €200,000.00.", id="a short form",
        ),
    ],
)  # fmt: skip
def test_what_is_composed(
    question: str, columns: str, rows: tuple[tuple[JsonValue, ...], ...], sql: str, text: str
) -> None:
    found = compose_text(Facts(question, QueryResult(columns=tuple(columns.split()), rows=rows), sql))
    assert found.text == text
    for number in found.numbers:
        assert found.text[number.start : number.end] == number.text


@pytest.mark.parametrize(
    ("name", "computed", "shown"),
    [
        ("revenue", "SUM(weight_kg * freight) / 12", "7.5"),
        ("density", "AVG(weight_kg / area_m2)", "7.5"),
        ("in_all", "SUM(weight_kg) * 0.01", "7.5"),
        ("total_weight_kg", "SUM(girth_cm * 0.01)", "7.5"),
        ("total_weight_kg", "SUM(weight)", "7.5"),
        ("avg_minutes", "AVG(duration)", "7.5"),
        ("total_weight_tons", "SUM(weight_kg) / 1000", "7.5 tons"),
        ("avg_hours", "AVG(duration_min) / 60.0", "7.5 hours"),
        ("avg_days", "AVG(julianday(left_on) - julianday(came_on))", "7.5 days"),
        ("in_all", "SUM(weight_kg) * 1.0", "7.5 kg"),
        ("in_all", "SUM(weight_kg)", "7.5 kg"),
        ("mean", "AVG(weight_kg)", "7.5 kg"),
        ("heaviest", "MAX(weight_kg)", "7.5 kg"),
        ("lost", "MAX(weight_kg) - MIN(weight_kg)", "7.5 kg"),
        ("weight_kg", "weight_kg", "7.5 kg"),
        ("revenue", "SUM(quantity * price_eur)", "€7.50"),
    ],
)
def test_a_number_has_the_unit_of_its_column_only_if_it_still_measures_the_same(
    name: str, computed: str, shown: str
) -> None:
    result = QueryResult(columns=(name,), rows=((7.5,),))
    found = compose_text(Facts("What is it?", result, f"SELECT {computed} AS {name} FROM parcels"))
    assert found.text.partition(": ")[2] == f"{shown}."


COUNTED = "SELECT country, COUNT(*) AS {name} FROM customers GROUP BY country ORDER BY 2 DESC LIMIT 1"


@pytest.mark.parametrize(
    ("question", "name", "text"),
    [
        ("Quelle est la ville du client Anna ?", "ville", "Nom: Anna; ville: pas de valeur."),
        ("Welche E-Mail hat der Kunde Anna?", "e_mail", "Name: Anna; e mail: kein Wert."),
    ],
)
def test_a_column_without_values_is_no_month(question: str, name: str, text: str) -> None:
    result = QueryResult(columns=("nom" if name == "ville" else "name", name), rows=(("Anna", None),))
    assert compose_text(Facts(question, result, f"SELECT {result.columns[0]}, {name} FROM clients")).text == text


@pytest.mark.parametrize(
    ("condition", "row", "name"),
    [
        ("WHERE age > 60", ("DE", 12), "customers"),
        ("WHERE NOT EXISTS (SELECT 1 FROM orders)", ("DE", 500), "customers"),
        ("WHERE kind = 'premium'", ("Gold", 12), "customers"),
        ("", ("", 6), "customers"),
        ("", ("A", 5), "ownership_count"),
    ],
)
def test_the_noun_of_the_question_hides_no_condition(condition: str, row: tuple[JsonValue, ...], name: str) -> None:
    sql = f"SELECT country, COUNT(*) AS {name} FROM customers {condition} GROUP BY country"
    question = "How many owners has A?" if name == "ownership_count" else "Which country has the most customers?"
    found = compose_text(Facts(question, QueryResult(columns=("country", name), rows=(row,)), sql))
    assert found.text.startswith("Country")


@pytest.mark.parametrize(
    ("question", "name", "row", "text", "why"),
    [
        ("Which country has the most customers?", "customers", ("DE", 1533), "DE: 1,533 customers.", "after `most`"),
        ("How many customers has the top country?", "customer_count", ("DE", 1533), "DE: 1,533 customers.", "its word"),
        ("Wie viele Kunden hat das größte Land?", "anzahl_kunden", ("DE", 1533), "DE: 1.533 Kunden.", "in German"),
        ("Which country has the most customers?", "customers", ("LI", 1), "Country: LI; customers: 1.", "a single one"),
        ("Which country has the most customers?", "customers", ("LI", None), "Country: LI; customers: no value.", ""),
        ("Which country is the biggest?", "customers", ("DE", 9), "Country: DE; customers: 9.", "not in the question"),
        ("How many people live there?", "customers", ("DE", 9), "Country: DE; customers: 9.", "another word"),
        ("Which country has the most customers?", "n", ("DE", 9), "Country: DE; number: 9.", "a count without a name"),
    ],
)  # fmt: skip
def test_one_name_and_its_count(question: str, name: str, row: tuple[JsonValue, ...], text: str, why: str) -> None:
    found = compose_text(
        Facts(question, QueryResult(columns=("country", name), rows=(row,)), COUNTED.format(name=name))
    )
    assert found.text == text, why
    assert [found.text[it.start : it.end] for it in found.numbers] == [it.text for it in found.numbers]
    assert len(found.numbers) == (type(row[1]) is int)


@pytest.mark.parametrize(
    ("question", "sql", "value", "text"),
    [
        ("How many were lost?", "SELECT COUNT(*) FROM sea_trips WHERE lost = 1", 27, "Records found in sea trips: 27."),
        ("Wie viele gingen verloren?", "SELECT COUNT(*) FROM Sendung", 0, "Gefundene Datensätze in Sendung: 0."),
        (
            "How many came from Spain?",
            "SELECT COUNT(*) FROM trips JOIN ports ON trips.port = ports.id WHERE ports.country = 'Spain'",
            4,
            "Records found in trips, ports (Spain): 4.",
        ),
        (
            "How many people took part?",
            "SELECT COUNT(DISTINCT person_id) FROM crew",
            5,
            "Different values of person id: 5.",
        ),
        (
            "What share went wrong?",
            "SELECT SUM(CASE WHEN state = 'failed' THEN 1 ELSE 0 END) * 100.0 / COUNT(*) FROM trips",
            11.59,
            "Share of the records in trips: 11.59%.",
        ),
        (
            "What share has a pilot?",
            "SELECT ROUND(COUNT(pilot) * 1.0 / NULLIF(COUNT(*), 0), 2) FROM trips",
            0.8,
            "Share of the records in trips: 0.8.",
        ),
        ("How many lack an email?", "SELECT COUNT(*) - COUNT(email) FROM customers", 3, "Number: 3."),
        ("How many for each?", "SELECT COUNT(*) * 1.0 / COUNT(DISTINCT buyer) FROM orders", 3.5, "Number: 3.5."),
        ("How many others are there?", "SELECT COUNT(DISTINCT city) - 1 FROM stays", 4, "Number: 4."),
        ("How many for each bed?", "SELECT COUNT(*) * 1.0 / 40 FROM stays", 0.8, "Number: 0.8."),
        ("How many for each?", "SELECT COUNT(DISTINCT buyer) * 1.0 / COUNT(*) FROM orders", 0.5, "Number: 0.5."),
        (
            "What do they pay?",
            "SELECT SUM(CASE WHEN paid = 1 THEN fee END) * 1.0 / COUNT(*) FROM orders",
            0.5,
            "Number: 0.5.",
        ),
        ("How many were there?", "WITH a AS (SELECT 1) SELECT COUNT(*) FROM a", 1, "Number: 1."),
        ("How many were there?", "SELECT COUNT(*) FROM (SELECT DISTINCT port FROM trips) AS t", 9, "Number: 9."),
    ],
)
def test_a_count_without_a_name_says_what_is_counted(question: str, sql: str, value: float, text: str) -> None:
    result = QueryResult(columns=("count_star()" if "CASE" not in sql else "(sum(CASE",), rows=((value,),))
    assert compose_text(Facts(question, result, sql)).text == text


@pytest.mark.parametrize(
    ("question", "written", "problem"),
    [
        ("Which customer has the most orders?", "The customer with the most orders has 34 orders.", "“Which”: "),
        ("Which customer has the most orders?", "Customer 502 has the most orders, 34 orders.", ""),
        ("Welcher Kunde hat die meisten Sendungen?", "Der Kunde mit den meisten Sendungen hat 34.", "“Welcher”: "),
        ("Quel client a le plus de commandes ?", "Le client a 34 commandes.", "“Quel”: "),
        ("How many orders has the best customer?", "The customer with the most orders has 34 orders.", ""),
    ],
)
def test_a_question_for_a_name_is_not_answered_by_a_number(question: str, written: str, problem: str) -> None:
    sql = "SELECT customer_id, COUNT(*) AS orders FROM orders GROUP BY customer_id ORDER BY 2 DESC LIMIT 1"
    result = QueryResult(columns=("customer_id", "orders"), rows=((502, 34),))
    problems = " ".join(check_text(written, Facts(question, result, sql)).problems)
    assert problems.startswith(problem)
    assert bool(problem) == ("names none" in problems)


@pytest.mark.parametrize("name", ["Milk and Honey", "Children", "Anna & Ben"])
def test_the_only_name_may_be_a_plural(name: str) -> None:
    result = QueryResult(columns=("band",), rows=((name,),))
    facts = Facts("Which bands have no concerts?", result, "SELECT band FROM bands WHERE concerts = 0")
    assert not check_text(f"The bands with no concerts are {name}.", facts).problems


@pytest.mark.parametrize(
    "unit, text", [("kW", "rated power: 3,200 kW"), ("MWel", "rated power (MWel): 3,200")], ids=["known", "unknown"]
)
def test_a_unit_in_brackets_is_written_once(unit: str, text: str) -> None:
    result = QueryResult(columns=("Turbine ID", f"Rated Power ({unit})"), rows=(("T04", 3200),))
    sql = f'SELECT "Turbine ID", "Rated Power ({unit})" FROM turbines ORDER BY 2 DESC LIMIT 1'
    assert text in compose_text(Facts("Which turbine is the strongest?", result, sql)).text


def test_a_unit_is_said_once() -> None:
    result = QueryResult(columns=("average_length_days",), rows=((20.83,),))
    facts = Facts("Average length of a cruise in days", result, "SELECT AVG(days) AS average_length_days FROM cruise")
    found = check_text("The average length of a cruise in days is 20.83 days.", facts)
    assert (found.text, found.problems) == ("The average length of a cruise in days is 20.83.", ())


@pytest.mark.parametrize(
    "text",
    [
        "There were 5 in s: 12 s.",
        "The price in euros is 12.50 euros and 3 euros.",
        "Sales in Bo in 2023 were 3 Bo.",
        "Sales in Bo were 3 Bo.",
        "The length in days is 3 days and 4 days.",
    ],
)
def test_words_that_are_no_unit_of_the_only_number_stay(text: str) -> None:
    result = QueryResult(columns=("sales",), rows=((3,),))
    assert check_text(text, Facts("What are the sales?", result, "SELECT sales FROM totals")).text == text


def test_a_fault_of_the_whole_sentence_has_no_quotes() -> None:
    facts = Facts("How many?", QueryResult(columns=("n",), rows=((3,),)), "SELECT COUNT(*) AS n FROM trips")
    (problem,) = check_text("It is here.", facts).problems
    assert problem.startswith("it says nothing ")


def test_no_amount_is_told_as_a_count() -> None:
    sql = "SELECT country, SUM(customers) AS customers FROM offices GROUP BY country"
    result = QueryResult(columns=("country", "customers"), rows=(("DE", 1533),))
    assert compose_text(Facts("Which country has the most customers?", result, sql)).text == (
        "Country: DE; customers: 1,533."
    )


def test_counts_of_a_list_have_the_noun_of_the_question() -> None:
    sql = "SELECT country, COUNT(*) AS customer_count FROM customers GROUP BY country"
    result = QueryResult(columns=("country", "customer_count"), rows=(("DE", 15), ("FR", 1)))
    found = compose_text(Facts("How many customers are there for each country?", result, sql))
    assert found.text == "Customers by country: DE: 15; FR: 1."


@pytest.mark.parametrize(
    ("order", "text"),
    [
        ("", "Sold by year: 2022: 3; 2023: 5; 2024: 4."),
        ("ORDER BY sold DESC", "Sold by year: 2023: 5; 2024: 4; 2022: 3."),
    ],
)
def test_times_are_told_in_their_order_where_the_query_has_none(order: str, text: str) -> None:
    result = QueryResult(columns=("year", "sold"), rows=(("2023", 5), ("2024", 4), ("2022", 3)))
    sql = f"SELECT year, SUM(sold) AS sold FROM sales GROUP BY year {order}"
    found = compose_text(Facts("What was sold in each year?", result, sql))
    assert found.text == text
    for number in found.numbers:
        assert number.row is not None
        assert str(result.rows[number.row][number.column == "sold"]) == number.text, "each is of its own row"


MONTHLY = "SELECT date_trunc('month', day) AS {name}, SUM(sold) AS n FROM sales GROUP BY 1"
TEXTS = "SELECT strftime(day, '%Y-%m') AS {name}, SUM(sold) AS n FROM sales GROUP BY 1"
DAYS = "SELECT day AS {name}, SUM(sold) AS n FROM sales GROUP BY 1"


@pytest.mark.parametrize(
    ("question", "sql", "name", "cells", "shown"),
    [
        ("How many were sold each month?", TEXTS, "month", ("2024-03", "2024-12"), ("March 2024", "December 2024")),
        ("How many were sold each month?", MONTHLY, "month", ("2024-03-01", "2024-12-01 00:00:00"),
         ("March 2024", "December 2024")),
        ("Wie viele wurden in jedem Monat verkauft?", TEXTS, "monat", ("2024-03", None), ("März 2024", "kein Wert")),
        ("Combien ont été vendus par mois ?", TEXTS, "mois", ("2024-08",), ("août 2024",)),
        ("¿Cuántos se vendieron en cada mes?", TEXTS, "mes", ("2024-09", "2024-10"),
         ("septiembre de 2024", "octubre de 2024")),
        ("Quanti ne sono stati venduti per ogni mese?", TEXTS, "mese", ("2024-05", "2024-06"),
         ("maggio 2024", "giugno 2024")),
        ("월별 판매량은?", TEXTS, "month", ("2024-03", "2024-12"), ("2024년 3월", "2024년 12월")),
        ("How many were sold each day?", DAYS, "day", ("2024-03-01", "2024-12-01"), ("2024-03-01", "2024-12-01")),
        ("In which month were most sold?", DAYS, "month", ("2024-03-01",), ("March 2024",)),
        ("On which day of the month?", DAYS, "month", ("2024-03-01", "2024-03-02"), ("2024-03-01", "2024-03-02")),
        ("How many were sold of each code?", DAYS, "code", ("2024-03", "2024-13"), ("2024-03", "2024-13")),
    ],
)  # fmt: skip
def test_months_are_written_in_the_language_of_the_question(
    question: str, sql: str, name: str, cells: tuple[str | None, ...], shown: tuple[str, ...]
) -> None:
    rows = tuple((cell, 7) for cell in cells)
    result = QueryResult(columns=(name, "n"), rows=rows)
    found = compose_text(Facts(question, result, sql.format(name=name), dialect="duckdb"))

    assert all(it in found.text for it in shown)
    if name == "month" and "2024년" in shown[0]:
        assert found.text.startswith("월별 "), "the months are called so in the language of the question"
    for number in found.numbers:
        assert found.text[number.start : number.end] == number.text


@pytest.mark.parametrize(
    ("select", "text"),
    [
        ("SUM(amount) AS revenue", "Revenue: 61,885.60."),
        ("MAX(amount) AS revenue", "Revenue: 61,885.60."),
        ("AVG(amount) AS revenue", "Revenue: 61,885.6."),
        ("SUM(weight) AS revenue", "Revenue: 61,885.6."),
    ],
)
def test_what_is_stored_with_two_decimals_is_written_with_two(select: str, text: str) -> None:
    found = Facts(
        question="How much was it?",
        result=QueryResult(columns=("revenue",), rows=((61885.6,),)),
        sql=f"SELECT {select} FROM orders",
        hundredths=frozenset({"amount"}),
    )
    assert compose_text(found).text == text


@pytest.mark.parametrize(
    ("select", "cell", "text"),
    [
        ("AVG(weight) AS heft", 128 / 3, "Heft: 42.67."),
        ("SUM(weight) / COUNT(*) AS heft", -128 / 3, "Heft: -42.67."),
        ("AVG(weight) AS heft", 1 / 3, "Heft: 0.3333."),
        ("AVG(weight) AS heft", 0.00123456, "Heft: 0.001235."),
        ("AVG(weight) AS heft", 42.5, "Heft: 42.5."),
        ("AVG(weight) AS heft", 42.125, "Heft: 42.125."),
        ("SUM(weight) AS heft", 42.1234, "Heft: 42.1234."),
        ("weight AS heft", 52.5200081, "Heft: 52.520008."),
        ("AVG(weight) AS heft", 0.0, "Heft: 0."),
        ("weight AS heft", 52.520008, "Heft: 52.520008."),
        ("MAX(weight) AS heft", 52.520008, "Heft: 52.520008."),
    ],
)
def test_endless_decimals_of_computed_numbers_are_rounded(select: str, cell: float, text: str) -> None:
    result = QueryResult(columns=("heft",), rows=((cell,),))
    facts = Facts(question="How heavy are they?", result=result, sql=f"SELECT {select} FROM parcels")

    assert compose_text(facts).text == text


def test_a_year_keeps_its_digits() -> None:
    known = facts("When was Alfa founded?", "name founded", [("Alfa", 1990)], "SELECT name, founded FROM firms")
    assert check_text("Alfa was founded in 1990.", known).text == "Alfa was founded in 1990."
    seats = facts("How many seats does Alfa have?", "name seats", [("Alfa", 2200)], "SELECT name, seats FROM halls")
    assert check_text("Alfa has 2200 seats.", seats).text == "Alfa has 2,200 seats."


@pytest.mark.parametrize(
    "order, rows, text",
    [
        ("n DESC", [(2030 - it, 90 - it) for it in (3, 1, 7, 0, 2, 9, 4, 8, 6, 5, 11, 10)],
         "Parks by year: 2027: 87; 2029: 89; 2023: 83; …"),
        ("year", [(2012 + it, it) for it in range(12)], "Parks by year: first 2012: 0; last 2023: 11."),
        ("year DESC", [(2023 - it, it) for it in range(12)], "Parks by year: first 2012: 11; last 2023: 0."),
        ("year DESC", [(2023 - it, it) for it in range(2)], "Parks by year: 2023: 0; 2022: 1."),
    ],
)  # fmt: skip
def test_only_rows_in_the_order_of_time_have_a_first_and_a_last(
    order: str, rows: list[tuple[int, int]], text: str
) -> None:
    sql = f"SELECT year, COUNT(*) AS parks FROM x GROUP BY year ORDER BY {order}"
    assert compose_text(facts("How many were built each year?", "year parks", rows, sql)).text == text
