"""Yes and no to questions that compare: the values decide, unless the query compares them."""

from __future__ import annotations

import pytest
from grounding_facts import Row, facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts


def of_years(one: int, other: int) -> Facts:
    return facts(
        "Were more loans made in 2024 than in 2025?",
        "loans_2024 loans_2025",
        ((one, other),),
        "SELECT SUM(CASE WHEN year = 2024 THEN 1 END) AS loans_2024, "
        "SUM(CASE WHEN year = 2025 THEN 1 END) AS loans_2025 FROM loans",
    )


def of_cities(question: str, *rows: Row) -> Facts:
    return facts(question, "city n", rows, "SELECT city, COUNT(*) AS n FROM customers GROUP BY city")


def of_austria(customers: int) -> Facts:
    return facts(
        "Do we have more than 50 customers in Austria?",
        "n",
        ((customers,),),
        "SELECT COUNT(*) AS n FROM customers WHERE country = 'AT'",
    )


ONE_YEAR = facts(
    "Were more loans made in 2024 than in 2025?",
    "n",
    ((637,),),
    "SELECT COUNT(*) AS n FROM loans WHERE made_on >= '2024-01-01' AND made_on < '2025-01-01'",
)
LATE = facts(
    "Were more loans returned late in 2024 than in 2025?",
    "n",
    ((12,),),
    "SELECT COUNT(*) AS n FROM loans WHERE returned_on > due_on AND year = 2024",
)
SOLD = facts(
    "Was more tea sold in 2024 than in 2025?",
    "tea_2024 tea_2025",
    ((5, 3),),
    "SELECT SUM(CASE WHEN year = 2024 THEN kg END) AS tea_2024, "
    "SUM(CASE WHEN year = 2025 THEN kg END) AS tea_2025 FROM tea",
)
BERLIN = "Does Berlin have more customers than Hamburg?"
AGES = facts("Is Ann older than Bob?", "name age", (("Ann", 41), ("Bob", 50)), "SELECT name, age FROM people")
BORN = facts("Is Ann older than Bob?", "name born", (("Ann", 1985), ("Bob", 1976)), "SELECT name, born FROM people")
PRICE = facts(
    "Is the average price of rooms higher than 100?", "price", ((41,),), "SELECT AVG(price) AS price FROM rooms"
)
MARCH = facts(
    "Did revenue in March exceed 10,000?",
    "revenue",
    ((9000,),),
    "SELECT SUM(amount) AS revenue FROM sales WHERE month = 'March'",
)
REVENUE = facts(
    "Was the revenue of 2024 greater than that of 2023?",
    "year revenue",
    ((2023, 100), (2024, 90)),
    "SELECT year, SUM(amount) AS revenue FROM sales GROUP BY year",
)
BIKES = facts("Did we sell at least 50 bikes?", "n", ((50,),), "SELECT COUNT(*) AS n FROM sales WHERE item = 'bike'")
PROFIT = facts(
    "Is product A profitable?", "profit", ((-5,),), "SELECT SUM(profit) AS profit FROM sales WHERE product = 'A'"
)
PROFIT_OF_A = facts(
    "Is product A profitable?",
    "product profit",
    (("A", -5),),
    "SELECT product, SUM(profit) AS profit FROM sales WHERE product = 'A' GROUP BY product",
)
DOUBLED = facts(
    "Did sales double in 2024?",
    "year sales",
    ((2023, 10), (2024, 12)),
    "SELECT year, SUM(amount) AS sales FROM sales GROUP BY year",
)
BEFORE = facts("Was Ann born before Bob?", "name born", (("Ann", 1985), ("Bob", 1976)), "SELECT name, born FROM people")
STOCK = facts("Is there enough stock for 100 orders?", "stock", ((40,),), "SELECT SUM(pieces) AS stock FROM stock")
SAME = facts(
    "Do we have the same number of cats and dogs?",
    "cats dogs",
    ((3, 5),),
    "SELECT SUM(kind = 'cat') AS cats, SUM(kind = 'dog') AS dogs FROM pets",
)
ONE_OF = facts(
    "Is Austria one of the countries with orders?",
    "country",
    (("DE",), ("FR",)),
    "SELECT DISTINCT country FROM orders",
)
ANY = facts(
    "Is there any revenue from Lyon?",
    "revenue",
    ((40,),),
    "SELECT SUM(amount) AS revenue FROM sales WHERE city = 'Lyon'",
)
OVERDUE = facts("Are there overdue loans?", "n", ((3,),), "SELECT COUNT(*) AS n FROM loans WHERE due_on < '2024-06-01'")
TOP = facts(
    "Is Berlin the city with the most customers?",
    "city",
    (("Hamburg",),),
    "SELECT city FROM customers GROUP BY city ORDER BY COUNT(*) DESC LIMIT 1",
)
MANAGER = facts(
    "Is Ann's manager Bob?",
    "manager",
    (("Cy",),),
    "SELECT m.name AS manager FROM staff s JOIN staff m ON m.id = s.boss WHERE s.name = 'Ann'",
)
ABOVE = facts(
    "Are there any cities with more than 9 customers?",
    "city",
    (("Berlin",), ("Hamburg",)),
    "SELECT city FROM customers GROUP BY city HAVING COUNT(*) >= 10",
)
PAID = facts(
    "Does anyone earn more than their manager?",
    "name",
    (("Ann",),),
    "SELECT e.name FROM staff e JOIN staff m ON m.id = e.boss WHERE e.pay > m.pay",
)
COMPARED = facts(
    "Were more loans made in 2024 than in 2025?",
    "answer",
    ((True,),),
    "SELECT SUM(year = 2024) > SUM(year = 2025) AS answer FROM loans",
)


@pytest.mark.parametrize(("known", "sentence"), [
    (of_years(637, 263), "Yes, more loans were made in 2024 than in 2025."),
    (of_years(637, 263), "More loans were made in 2024 than in 2025."),
    (of_years(637, 263), "Yes, 637 loans were made in 2024, more than in 2025."),
    (of_years(637, 263), "Yes."),
    (of_years(263, 637), "No, fewer loans were made in 2024 than in 2025."),
    (of_years(263, 637), "No, more loans were made in 2025 than in 2024."),
    (of_cities(BERLIN, ("Berlin", 30), ("Hamburg", 10)), "Yes, Berlin has more customers than Hamburg."),
    (of_cities(BERLIN, ("Hamburg", 30), ("Berlin", 10)), "No, Hamburg has more customers than Berlin."),
    (of_cities(BERLIN, ("Berlin", 10), ("Hamburg", 30)), "No, Berlin has 10 customers and Hamburg 30."),
    (of_cities("Hat Berlin mehr Kunden als Hamburg?", ("Berlin", 10), ("Hamburg", 30)),
     "Nein, Berlin hat weniger Kunden als Hamburg."),
    (of_cities("Hat Berlin mehr Kunden als Hamburg?", ("Berlin", 30), ("Hamburg", 10)),
     "Ja, Berlin hat mehr Kunden als Hamburg."),
    (SOLD, "Yes, more tea was sold in 2024 than in 2025."),
    (of_austria(66), "Yes, we have more than 50 customers in Austria: 66."),
    (of_austria(46), "No, we have 46 customers in Austria."),
    (AGES, "No, Ann is not older than Bob."),
    (PRICE, "No, the average price is not higher than 100."),
    (MARCH, "No, revenue in March was 9,000."),
    (MARCH, "No, revenue in March did not exceed 10,000."),
    (REVENUE, "No, the revenue of 2024 was not greater than that of 2023."),
    (BIKES, "Yes, we sold at least 50 bikes."),
    (ANY, "Yes, there is revenue from Lyon: 40."),
    (OVERDUE, "Yes, there are 3 overdue loans."),
    (OVERDUE, "Yes."),
    (ABOVE, "Yes, Berlin and Hamburg have more than 9 customers."),
    (PAID, "Yes, Ann earns more than their manager."),
    (COMPARED, "Yes, more loans were made in 2024 than in 2025."),
])  # fmt: skip
def test_what_the_rows_decide_is_shown(known: Facts, sentence: str) -> None:
    assert check_text(sentence, known).problems == ()


@pytest.mark.parametrize(("known", "sentence"), [
    (of_years(263, 637), "Yes, more loans were made in 2024 than in 2025."),
    (of_years(263, 637), "More loans were made in 2024 than in 2025."),
    (of_years(263, 637), "Yes."),
    (of_years(300, 300), "Yes, more loans were made in 2024 than in 2025."),
    (of_years(637, 263), "No, fewer loans were made in 2024 than in 2025."),
    (of_years(637, 263), "Yes, more loans were made in 2025 than in 2024."),
    (ONE_YEAR, "Yes, more loans were made in 2024 than in 2025."),
    (ONE_YEAR, "Yes, 637 loans were made in 2024, more than in 2025."),
    (ONE_YEAR, "No, fewer loans were made in 2024 than in 2025."),
    (ONE_YEAR, "Yes."),
    (LATE, "Yes, more loans were returned late in 2024 than in 2025."),
    (of_cities(BERLIN, ("Berlin", 10), ("Hamburg", 30)), "Yes, Berlin has more customers than Hamburg."),
    (of_cities(BERLIN, ("Berlin", 10), ("Hamburg", 30)), "Berlin has more customers than Hamburg."),
    (of_cities("Hat Berlin mehr Kunden als Hamburg?", ("Berlin", 10), ("Hamburg", 30)),
     "Ja, Berlin hat mehr Kunden als Hamburg."),
    (of_cities("Berlin a-t-il plus de clients que Hambourg ?", ("Berlin", 10), ("Hambourg", 30)),
     "Oui, Berlin a plus de clients que Hambourg."),
    (of_cities("¿Tiene Berlín más clientes que Hamburgo?", ("Berlín", 10), ("Hamburgo", 30)),
     "Sí, Berlín tiene más clientes que Hamburgo."),
    (of_cities("Ha Berlino più clienti di Amburgo?", ("Berlino", 10), ("Amburgo", 30)),
     "Sì, Berlino ha più clienti di Amburgo."),
    (of_cities(BERLIN, ("Berlin", 30), ("Hamburg", 10)),
     "Yes, Berlin has more customers than Hamburg, and none is new."),
    (of_austria(46), "Yes, we have more than 50 customers in Austria."),
    (of_austria(46), "Yes, we have 46 customers in Austria."),
    (of_austria(66), "No, we have 66 customers in Austria."),
    (AGES, "Yes, Ann is older than Bob."),
    (BORN, "Yes, Ann is older than Bob."),
    (PRICE, "Yes, the average price of rooms is higher than 100."),
    (MARCH, "Yes, revenue in March exceeded 10,000."),
    (REVENUE, "Yes, the revenue of 2024 was greater than that of 2023."),
    (BIKES, "No, we did not sell at least 50 bikes."),
    (PROFIT, "Yes, product A is profitable."),
    (PROFIT_OF_A, "Yes, product A is profitable."),
    (DOUBLED, "Yes."),
    (BEFORE, "Yes, Ann was born before Bob."),
    (STOCK, "Yes, there is enough stock for 100 orders."),
    (SAME, "Yes, we have the same number of cats and dogs."),
    (ONE_OF, "Yes."),
    (TOP, "Yes."),
    (MANAGER, "Yes."),
    (COMPARED, "No, fewer loans were made in 2024 than in 2025."),
])  # fmt: skip
def test_what_the_rows_deny_or_do_not_decide_is_refused(known: Facts, sentence: str) -> None:
    assert check_text(sentence, known).problems
