"""Yes and no, and comparisons that a question asks for: shown if the rows decide them."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts

# Evidence, the sentences that it supports, and those that it does not.
CASES: list[tuple[Facts, list[str], list[str]]] = [
    (
        facts(
            "Is Austria the country with the most customers?",
            "country customers",
            (("Austria", 516),),
            "SELECT country, COUNT(*) AS customers FROM customers WHERE country = 'Austria' GROUP BY country "
            "ORDER BY customers DESC LIMIT 1",
        ),
        ["Austria has 516 customers."],
        ["Yes.", "Yes, Austria has 516 customers.", "Austria is the country with the most customers."],
    ),
    (
        facts(
            "Are there more cats than dogs?",
            "kind n",
            (("cat", 12), ("dog", 20), ("hamster", 3)),
            "SELECT kind, COUNT(*) AS n FROM pets GROUP BY kind",
        ),
        ["No, there are more dogs than cats."],
        ["Yes, there are more cats than dogs.", "Yes, there are 12 cats and 20 dogs."],
    ),
    (
        facts(
            "Are there more cats than dogs?",
            "kind n",
            (("cat", 12), ("dog", 20)),
            "SELECT kind, COUNT(*) AS n FROM pets WHERE kind IN ('cat','dog') GROUP BY kind",
        ),
        ["No."],
        ["Yes, there are more cats than dogs.", "Yes, there are 12 cats and 20 dogs."],
    ),
    (
        facts(
            "Did we sell more in March than in April?",
            "month revenue",
            (("2024-03", 900), ("2024-04", 1200)),
            "SELECT strftime('%Y-%m', day) AS month, SUM(amount) AS revenue FROM sales WHERE day >= '2024-03-01' "
            "AND day < '2024-05-01' GROUP BY 1",
        ),
        ["No."],
        ["Yes, we sold more in March than in April.", "Yes, revenue was 900 in March 2024 and 1,200 in April 2024."],
    ),
    (
        facts(
            "Did revenue increase from 2023 to 2024?",
            "year revenue",
            ((2023, 100), (2024, 90)),
            "SELECT year, SUM(amount) AS revenue FROM sales GROUP BY year ORDER BY year",
        ),
        ["No, revenue decreased from 100 in 2023 to 90 in 2024."],
        ["Yes, revenue increased from 2023 to 2024.", "Yes, revenue was 100 in 2023 and 90 in 2024."],
    ),
    (
        facts(
            "Do we have more than 50 customers in Austria?",
            "n",
            ((50,),),
            "SELECT COUNT(*) AS n FROM customers WHERE country = 'AT'",
        ),
        ["No."],
        ["Yes, we have more than 50 customers in Austria.", "Yes, we have 50 customers in Austria."],
    ),
    (
        facts("Are there exactly 12 warehouses?", "n", ((14,),), "SELECT COUNT(*) AS n FROM warehouses"),
        ["No, there are 14 warehouses."],
        ["Yes, there are exactly 12 warehouses.", "Yes, there are 14 warehouses."],
    ),
    (
        facts(
            "Are there any overdue invoices?",
            "id amount",
            ((7, 20.5),),
            "SELECT id, amount FROM invoices WHERE due < '2024-06-01' AND paid = 0",
        ),
        ["Yes."],
        ["No.", "No, there is an overdue invoice."],
    ),
    (
        facts(
            "Did Ann buy a bike?",
            "product quantity",
            (("helmet", 1), ("lamp", 2)),
            "SELECT product, quantity FROM purchases WHERE customer = 'Ann'",
        ),
        [],
        ["Yes, Ann bought a bike.", "Yes."],
    ),
    (
        facts("Is product A available?", "available", (("no",),), "SELECT available FROM products WHERE name = 'A'"),
        [],
        ["Yes.", "Yes, product A is available."],
    ),
    (
        facts(
            "Did Ann pass the exam?",
            "name score passed",
            (("Ann", 45, False),),
            "SELECT name, score, passed FROM exams WHERE name = 'Ann'",
        ),
        ["No, Ann has a score of 45."],
        ["Yes, Ann passed the exam.", "Yes."],
    ),
    (
        facts(
            "Is Berlin the city with the most customers?",
            "city n",
            (("Hamburg", 30),),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city ORDER BY n DESC LIMIT 1",
        ),
        [],
        ["Yes, Hamburg is the city with the most customers.", "Yes, Berlin is the city with the most customers."],
    ),
    (
        facts(
            "Is Berlin the city with the most customers?",
            "city n",
            (("Berlin", 30),),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city ORDER BY n DESC LIMIT 1",
        ),
        ["Yes."],
        ["No, Berlin is the city with the most customers."],
    ),
    (
        facts("Is there no order from Lyon?", "n", ((3,),), "SELECT COUNT(*) AS n FROM orders WHERE city = 'Lyon'"),
        [],
        ["Yes, there is no order from Lyon.", "Yes."],
    ),
    (
        facts(
            "Which city has more customers, Berlin or Hamburg?",
            "city n",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city",
        ),
        ["Hamburg has more customers than Berlin."],
        ["Berlin has more customers than Hamburg."],
    ),
    (
        facts(
            "Tell me whether Berlin has more customers than Hamburg.",
            "city n",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city",
        ),
        [],
        ["Berlin has more customers than Hamburg.", "Yes, Berlin has more customers than Hamburg."],
    ),
    (
        facts(
            "Avons-nous plus de 50 clients à Paris ?",
            "n",
            ((46,),),
            "SELECT COUNT(*) AS n FROM clients WHERE ville = 'Paris'",
        ),
        ["Non, nous avons 46 clients à Paris."],
        ["Oui, nous avons plus de 50 clients à Paris.", "Oui, nous avons 46 clients à Paris."],
    ),
    (
        facts(
            "Abbiamo venduto più biciclette nel 2024 che nel 2023?",
            "anno biciclette",
            ((2023, 100), (2024, 90)),
            "SELECT anno, SUM(pezzi) AS biciclette FROM vendite GROUP BY anno",
        ),
        ["No, abbiamo venduto meno biciclette nel 2024 che nel 2023."],
        [
            "Sì, abbiamo venduto più biciclette nel 2024 che nel 2023.",
            "Sì, abbiamo venduto 100 biciclette nel 2023 e 90 nel 2024.",
        ],
    ),
    (
        facts(
            "Compared to Hamburg, does Berlin have more customers?",
            "city n",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city",
        ),
        [],
        ["Berlin has more customers.", "Yes, Berlin has more customers."],
    ),
    (
        facts(
            "Does Berlin have more customers compared to Hamburg?",
            "city n",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city",
        ),
        [],
        ["Berlin has more customers.", "Yes, Berlin has more customers compared to Hamburg."],
    ),
    (
        facts(
            "Does Berlin or Hamburg have more customers?",
            "city n",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city",
        ),
        ["Hamburg has more customers."],
        ["Berlin has more customers.", "Berlin has more customers than Hamburg."],
    ),
    (
        facts(
            "Who has more customers, Berlin or Hamburg?",
            "city n",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city",
        ),
        ["Hamburg has more customers."],
        ["Berlin has more customers.", "Berlin has more customers than Hamburg."],
    ),
    (
        facts(
            "Have we made more than 10 loans since 2024?",
            "n",
            ((3,),),
            "SELECT COUNT(*) AS n FROM loans WHERE year >= 2024",
        ),
        ["No, we have made 3 loans since 2024."],
        ["Yes, we have made more than 10 loans since 2024.", "Yes, we have made 3 loans since 2024."],
    ),
    (
        facts(
            "Were there more than 10 loans after 2023?",
            "n",
            ((3,),),
            "SELECT COUNT(*) AS n FROM loans WHERE strftime('%Y', made_on) > '2023'",
        ),
        ["No, there were 3 loans after 2023."],
        ["Yes, there were more than 10 loans after 2023.", "Yes."],
    ),
    (
        facts(
            "Is Alfa more efficient than Beta?",
            "name consumption",
            (("Alfa", 9), ("Beta", 5)),
            "SELECT name, consumption FROM t",
        ),
        [],
        ["Yes, Alfa is more efficient than Beta.", "Yes."],
    ),
    (
        facts(
            "Is Alfa more punctual than Beta?",
            "name delay_minutes",
            (("Alfa", 9), ("Beta", 5)),
            "SELECT name, delay_minutes FROM t",
        ),
        [],
        ["Yes, Alfa is more punctual than Beta.", "Yes."],
    ),
    (
        facts(
            "Are there customers other than Miller in Rome?",
            "n",
            ((4,),),
            "SELECT COUNT(*) AS n FROM customers WHERE city = 'Rome' AND name <> 'Miller'",
        ),
        [],
        ["Yes.", "Yes, there are 4 customers other than Miller in Rome."],
    ),
    (
        facts(
            "Does Peter work as a driver?",
            "n",
            ((1,),),
            "SELECT COUNT(*) AS n FROM staff WHERE name = 'Peter' AND job = 'driver'",
        ),
        ["Yes, Peter works as a driver."],
        ["No, Peter does not work as a driver."],
    ),
    (
        facts(
            "Verkaufte Berlin mehr als Hamburg?",
            "stadt umsatz",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT stadt, SUM(betrag) AS umsatz FROM verkauf GROUP BY stadt",
        ),
        [],
        ["Ja, Berlin verkaufte 10 und Hamburg 30.", "Ja, Berlin verkaufte mehr als Hamburg."],
    ),
    (
        facts(
            "Machte der Laden in Berlin mehr Umsatz als der in Hamburg?",
            "stadt umsatz",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT stadt, SUM(betrag) AS umsatz FROM verkauf GROUP BY stadt",
        ),
        ["Nein, der Laden in Berlin machte weniger Umsatz als der in Hamburg."],
        ["Berlin machte mehr Umsatz als Hamburg."],
    ),
    (
        facts(
            "Lyon a-t-il plus de clients que Nice ?",
            "ville clients",
            (("Lyon", 10), ("Nice", 30)),
            "SELECT ville, COUNT(*) AS clients FROM clients GROUP BY ville",
        ),
        ["Non, Lyon a moins de clients que Nice."],
        ["Lyon a plus de clients que Nice.", "Oui, Lyon a plus de clients que Nice."],
    ),
    (
        facts(
            "Berlin a-t-il plus de clients que Hambourg ?",
            "city n",
            (("Berlin", 10), ("Hambourg", 30)),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city",
        ),
        ["Non, Berlin a moins de clients que Hambourg."],
        ["Berlin a plus de clients que Hambourg."],
    ),
    (
        facts(
            "¿Vendió Lugo más que Vigo?",
            "ciudad ventas",
            (("Lugo", 10), ("Vigo", 30)),
            "SELECT ciudad, SUM(importe) AS ventas FROM ventas GROUP BY ciudad",
        ),
        ["No, Vigo vendió más que Lugo."],
        ["Lugo vendió más que Vigo.", "Sí, Lugo vendió más que Vigo."],
    ),
    (
        facts(
            "Anna ha venduto più di Luca?",
            "nome vendite",
            (("Anna", 10), ("Luca", 30)),
            "SELECT nome, SUM(importo) AS vendite FROM vendite GROUP BY nome",
        ),
        ["No, Luca ha venduto più di Anna."],
        ["Anna ha venduto più di Luca.", "Sì, Anna ha venduto più di Luca."],
    ),
    (
        facts(
            "Does Berlin have as many customers as Hamburg?",
            "city n",
            (("Berlin", 10), ("Hamburg", 30)),
            "SELECT city, COUNT(*) AS n FROM customers GROUP BY city",
        ),
        ["No, Berlin has fewer customers than Hamburg."],
        ["Berlin has as many customers as Hamburg."],
    ),
    (
        facts("Do we have exactly 10 suppliers?", "n", ((14,),), "SELECT COUNT(*) AS n FROM suppliers"),
        ["No, we have 14 suppliers."],
        ["We have exactly 10 suppliers.", "Yes, we have 10 suppliers."],
    ),
    (
        facts(
            "Do more experienced drivers have fewer accidents than beginners?",
            "level accidents",
            (("experienced", 5), ("beginners", 20)),
            "SELECT level, COUNT(*) AS accidents FROM accidents GROUP BY level",
        ),
        [],
        ["No, experienced drivers have 5 accidents and beginners 20."],
    ),
    (
        facts("Do we have more than 10 but fewer than 20 nurses?", "n", ((25,),), "SELECT COUNT(*) AS n FROM nurses"),
        ["No, we have 25 nurses."],
        ["Yes, we have 25 nurses.", "Yes."],
    ),
    (
        facts("Are there between 10 and 20 nurses?", "n", ((25,),), "SELECT COUNT(*) AS n FROM nurses"),
        [],
        ["Yes, there are between 10 and 20 nurses.", "Yes, there are 25 nurses."],
    ),
    (
        facts("Is the parcel heavier than 20 kg?", "length_cm", ((45,),), "SELECT length_cm FROM parcels"),
        [],
        ["Yes, the parcel is heavier than 20 kg.", "Yes."],
    ),
    (
        facts(
            "Is invoice 7 more than 30 days overdue?", "amount", ((500,),), "SELECT amount FROM invoices WHERE id = 7"
        ),
        [],
        ["Yes, invoice 7 is more than 30 days overdue.", "Yes."],
    ),
    (
        facts(
            "Is any room free?", "room status", (("A", "occupied"), ("B", "occupied")), "SELECT room, status FROM rooms"
        ),
        [],
        ["Yes, a room is free.", "Yes."],
    ),
    (
        facts(
            "Is chocolate among the top 3 products?",
            "product",
            (("tea",), ("milk",), ("rice",)),
            "SELECT product FROM sales GROUP BY product ORDER BY SUM(amount) DESC LIMIT 3",
        ),
        [],
        ["Yes, chocolate is among the top 3 products.", "Yes, tea, milk and rice."],
    ),
    (
        facts(
            "Were more loans made in 2024 than in 2025?",
            "loans_2024 loans_2025",
            ((263, 637),),
            "SELECT SUM(CASE WHEN year = 2024 THEN 1 END) AS loans_2024, SUM(CASE WHEN year = 2025 THEN 1 END) AS "
            "loans_2025 FROM loans WHERE year >= 2024",
        ),
        ["No, fewer loans were made in 2024 than in 2025."],
        ["Yes, more loans were made in 2024 than in 2025.", "Yes, 263 loans were made in 2024 and 637 in 2025."],
    ),
    (
        facts(
            "Was revenue in 2024 higher than in 2025?",
            "revenue_2024 revenue_2025",
            ((263, 637),),
            "SELECT SUM(CASE WHEN year <= 2024 THEN amount END) AS revenue_2024, SUM(CASE WHEN year > 2024 THEN "
            "amount END) AS revenue_2025 FROM sales",
        ),
        ["No, revenue in 2024 was lower than in 2025."],
        ["Yes, revenue in 2024 was higher than in 2025.", "Yes."],
    ),
    (
        facts("Do we have nearly 50 customers?", "n", ((12,),), "SELECT COUNT(*) AS n FROM customers"),
        [],
        ["Yes, we have nearly 50 customers.", "Yes, we have 12 customers."],
    ),
    (
        facts("Is the stock close to 500?", "stock", ((20,),), "SELECT SUM(pieces) AS stock FROM stock"),
        [],
        ["Yes, the stock is close to 500.", "Yes, the stock is 20."],
    ),
    (
        facts(
            "Est-ce que Anne est plus âgée que Luc ?",
            "nom naissance",
            (("Anne", 1985), ("Luc", 1976)),
            "SELECT nom, naissance FROM personnes",
        ),
        [],
        ["Oui, Anne est plus âgée que Luc.", "Oui."],
    ),
    (
        facts(
            "Est-ce que Anne est plus vieille que Luc ?",
            "nom naissance",
            (("Anne", 1985), ("Luc", 1976)),
            "SELECT nom, naissance FROM personnes",
        ),
        [],
        ["Oui, Anne est plus vieille que Luc.", "Oui."],
    ),
]


SHOWN = [(known, sentence) for known, shown, _ in CASES for sentence in shown]
REFUSED = [(known, sentence) for known, _, refused in CASES for sentence in refused]


@pytest.mark.parametrize(("known", "sentence"), SHOWN)
def test_what_the_rows_decide_is_shown(known: Facts, sentence: str) -> None:
    assert check_text(sentence, known).problems == ()


@pytest.mark.parametrize(("known", "sentence"), REFUSED)
def test_what_the_rows_do_not_decide_is_refused(known: Facts, sentence: str) -> None:
    assert check_text(sentence, known).problems
