"""Lists whose values belong to another column, whose numbers are no values, or whose order is another one."""

from __future__ import annotations

import pytest
from grounding_facts import facts

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts

STORE = facts(
    "What are the revenue and profit of each store?",
    "store revenue profit",
    [("Bonn", 500, 50), ("Ulm", 300, 60)],
    "SELECT store, revenue, profit FROM f",
)
FIL = facts(
    "Wie hoch sind Umsatz und Gewinn je Filiale?",
    "filiale umsatz gewinn",
    [("Bonn", 500, 50), ("Ulm", 300, 60)],
    "SELECT filiale, umsatz, gewinn FROM f",
)
PROD = facts(
    "Which products did customer 5 buy, and how many?",
    "product_id quantity",
    [(101, 2), (102, 5), (103, 1)],
    "SELECT product_id, quantity FROM p WHERE customer_id = 5",
)
DRV = facts(
    "What are the ids and ages of the drivers?",
    "driver_id age",
    [(1, 30), (2, 45), (3, 28)],
    "SELECT driver_id, age FROM d",
)
PED = facts(
    "¿Qué pedidos están atrasados y cuál es su importe?",
    "pedido_id importe",
    [(14, 90), (3, 100), (27, 80)],
    "SELECT pedido_id, importe FROM p",
)
CUST = facts(
    "Which customers live in Oslo?", "customer_id", [(7,), (9,)], "SELECT customer_id FROM c WHERE city = 'Oslo'"
)
SAL = facts(
    "Which employees work in Sales and what are their salaries?",
    "salary",
    [(3000,), (2500,), (4000,)],
    "SELECT salary FROM e WHERE dept='Sales'",
)
LATE = facts("Which orders were late?", "order_id", [(14,), (3,), (27,), (8,)], "SELECT order_id FROM o WHERE late = 1")
ST = facts(
    "How many orders did each store get?",
    "store orders",
    [("Oslo", 12), ("Rome", 40), ("Bonn", 7)],
    "SELECT store, COUNT(*) AS orders FROM o GROUP BY store",
)
FL = facts(
    "Which flights are over 2000 miles?", "flno", [(99,), (387,), (12,)], "SELECT flno FROM f WHERE distance > 2000"
)
AGE = facts("Which employees are older than 60?", "age", [(61,), (65,), (70,)], "SELECT age FROM e WHERE age > 60")
OPN = facts(
    "What are the orders, with customers and amounts?",
    "order_id customer amount",
    [(14, "Ada", 90), (3, "Bo", 100), (27, "Cy", 80), (8, "Di", 170), (9, "Eli", 60)],
    "SELECT order_id, customer, amount FROM o",
)
ORDR = facts(
    "List the names and salaries by department.",
    "name dept salary",
    [("Ada", "A", 300), ("Bo", "A", 200), ("Cy", "B", 900), ("Di", "B", 100)],
    "SELECT name, dept, salary FROM e ORDER BY dept, salary DESC",
)
MON = facts(
    "How many tickets per month?",
    "month tickets",
    [(1, 9), (2, 3), (3, 6)],
    "SELECT month, tickets FROM t ORDER BY month",
)
LIM = facts(
    "Which 3 stores had the most orders, and what were their returns?",
    "store returns",
    [("A", 3), ("B", 20), ("C", 10)],
    "SELECT store, SUM(r) AS returns FROM o GROUP BY store ORDER BY COUNT(*) DESC LIMIT 3",
)
USA = facts(
    "How many cyclists from the USA are there for each team?",
    "team cyclists",
    [("Trek", 10)],
    "SELECT team, COUNT(*) AS cyclists FROM c WHERE country='USA' GROUP BY team HAVING COUNT(*) > 5",
)
INV = facts(
    "How many invoices does each customer with more than 100 EUR have?",
    "customer invoices",
    [("Ada", 7), ("Bo", 9), ("Cy", 6)],
    "SELECT customer, COUNT(*) AS invoices FROM i WHERE amount > 100 GROUP BY customer",
)
FLR = facts(
    "How many rooms does each floor have?",
    "floor rooms",
    [("G", 8), ("U", 8), ("T", 8)],
    "SELECT floor, COUNT(*) AS rooms FROM r GROUP BY floor",
)
PLR = facts("Which players are in the team?", "name", [("Ada",), ("Bo",), ("Cy",)], "SELECT name FROM p")
FALSE = [
    (STORE, "The profits are 500 for Bonn and 300 for Ulm."),
    (STORE, "Profit by store: Bonn 500, Ulm 300."),
    (STORE, "Profits: Bonn (500) and Ulm (300)."),
    (STORE, "The profits of the stores are 500 and 300."),
    (FIL, "Der Gewinn ist 500 in Bonn und 300 in Ulm."),
    (PROD, "Customer 5 bought products with ids 2, 5 and 1."),
    (PROD, "Customer 5 bought products 2 (101), 5 (102) and 1 (103)."),
    (PROD, "Customer 5 bought a quantity of 101, 102 and 103."),
    (PROD, "Customer 5 bought 101 of product 2, 102 of product 5 and 103 of product 1."),
    (DRV, "The driver ids are 30, 45 and 28."),
    (DRV, "The ages are 1, 2 and 3."),
    (DRV, "The drivers are 30 (1), 45 (2) and 28 (3)."),
    (DRV, "The ids are 1 and 2, and 3 is the age."),
    (PED, "Los pedidos atrasados son 90, 100 y 80."),
    (CUST, "There are 7 and 9 customers in Oslo."),
    (CUST, "7 and 9 customers live in Oslo."),
    (SAL, "3000, 2500 and 4000 employees work in Sales."),
    (LATE, "The numbers of late orders are 14, 3, 27 and 8."),
    (LATE, "The orders were 14, 3, 27 and 8 late."),
    (LATE, "The late orders were late by 14, 3, 27 and 8."),
    (ST, "The stores are 12, 40 and 7."),
    (ST, "Each store got 12, 40 and 7 orders."),
    (FL, "The flights over 2,000 are 99, 387 and 12 miles."),
    (FL, "The flights are over 2,000 miles from 99, 387 and 12."),
    (AGE, "The employees are older than 60 by 61, 65 and 70."),
    (AGE, "The employees are aged more than 61, 65 and 70."),
    (SAL, "In Sales, there are employees with salaries under 3000, 2500 and 4000."),
    (SAL, "The salaries in Sales are 3000, 2500 and 4000 per employee."),
    (LATE, "The late orders were 14, 3, 27 or 8."),
    (OPN, "Ada's first two orders are 14 and 3."),
    (OPN, "Bo placed 5 orders; the first two are 14 (90) and 3 (100)."),
    (OPN, "There are 5 customers named Ada; the first two are Ada and Bo."),
    (OPN, "The first two customers to order were Ada (90) and Bo (100)."),
    (LATE, "The first 4 late orders are 3, 8, 14 and 27."),
    (ORDR, "From lowest to highest salary, they are Ada (300), Bo (200), Cy (900) and Di (100)."),
    (MON, "From lowest to highest, the tickets were 9, 3 and 6."),
    (LIM, "A, B and C have the most returns: 3, 20 and 10."),
    (USA, "There are 10 cyclists from the USA, all from Trek."),
    (INV, "Three customers have more than 100 invoices."),
    (FLR, "Each of the 8 rooms is on G, U and T."),
    (PLR, "3 players have a total of Ada, Bo and Cy."),
]
BID = facts(
    "What did each bidder bid for the vase?",
    "bidder bid",
    [("Ada", 500), ("Bo", 700), ("Cy", 650)],
    "SELECT bidder, bid FROM b",
)
POP = facts(
    "What is the population of each city?",
    "city population",
    [("Oslo", 700), ("Rome", 2800)],
    "SELECT city, population FROM c",
)
TIE = facts(
    "Which teams have the most wins?",
    "team wins",
    [("Reds", 12), ("Blues", 12)],
    "SELECT team, wins FROM t WHERE wins = (SELECT MAX(wins) FROM t)",
)
YO = facts(
    "List the players from youngest to oldest.",
    "name age",
    [("Ada", 20), ("Bo", 30), ("Cy", 40)],
    "SELECT name, age FROM p ORDER BY age",
)
DES = facts(
    "List the stores in descending order of sales.",
    "store sales",
    [("Oslo", 500), ("Rome", 50), ("Bonn", 5)],
    "SELECT store, sales FROM s ORDER BY sales DESC",
)
CAT = facts("How many product categories are there?", "n", [(6,)], "SELECT COUNT(*) AS n FROM categories")
ORC = facts(
    "How many customers are from Oslo and Rome?",
    "n",
    [(12,)],
    "SELECT COUNT(*) AS n FROM c WHERE city IN ('Oslo','Rome')",
)
HP = facts(
    "Who is the highest paid employee?",
    "name salary",
    [("Ada", 9000)],
    "SELECT name, salary FROM e ORDER BY salary DESC LIMIT 1",
)
SINCE = facts(
    "How many orders were placed since 2022?",
    "n",
    [(12,)],
    "SELECT COUNT(*) AS n FROM o WHERE placed_on >= '2022-01-01'",
)
ENR = facts(
    "Which students are not enrolled in any course?",
    "name",
    [("Ada",), ("Bo",)],
    "SELECT name FROM s WHERE id NOT IN (SELECT sid FROM e)",
)
MAT = facts(
    "How many orders above 100 euros did each customer place?",
    "customer matching_count",
    [("Ada", 28), ("Bo", 12)],
    "SELECT customer, COUNT(CASE WHEN amount > 100 THEN 1 END) AS matching_count FROM o GROUP BY customer",
)
TRUE = [
    (BID, "Bo had the highest bid for the vase, 700."),
    (POP, "The number of inhabitants is 700 in Oslo and 2800 in Rome."),
    (TIE, "The teams with the most wins are Reds and Blues, with 12 each."),
    (YO, "From youngest to oldest, the players are Ada (20), Bo (30) and Cy (40)."),
    (DES, "The stores in descending order of sales are Oslo (500), Rome (50), and Bonn (5). Oslo has the most sales."),
    (DES, "The stores in descending order of sales are Oslo (500), Rome (50), and Bonn (5); Bonn is behind Oslo."),
    (CAT, "There are 6 categories of products."),
    (ORC, "There are 12 customers from Oslo or Rome."),
    (HP, "Ada has the highest salary, 9000."),
    (SINCE, "12 orders were placed in 2022 or later."),
    (ENR, "Ada and Bo are enrolled in no course."),
    (MAT, "Ada placed 28 orders above 100 euros and Bo placed 12."),
    (OPN, "There are 5 orders; the first three are 14 (90), 3 (100) and 27 (80)."),
]


@pytest.mark.parametrize(("of", "text"), TRUE, ids=[text for _, text in TRUE])
def test_a_true_sentence_is_supported(of: Facts, text: str) -> None:
    assert check_text(text, of).problems == ()


@pytest.mark.parametrize(("of", "text"), FALSE, ids=[text for _, text in FALSE])
def test_a_false_sentence_is_refused(of: Facts, text: str) -> None:
    assert check_text(text, of).problems
