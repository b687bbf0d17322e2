"""Which sentences hold against their rows, and which do not: each line is a claim that a model made."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult
from rag.docs.documents import make_document

EUROS = (make_document("column", "What the customer paid, in euros.", table="orders", column="amount"),)


def facts(
    question: str,
    columns: str,
    *rows: tuple[JsonValue, ...],
    sql: str = "",
    calculate: bool = True,
    euros: bool = False,
) -> Facts:
    result = QueryResult(columns=tuple(columns.split()), rows=rows)
    documents = EUROS if euros else ()
    return Facts(question=question, result=result, sql=sql, documents=documents, calculate=calculate)


OF_2024 = "WHERE ordered_at >= '2024-01-01' AND ordered_at < '2025-01-01'"
REVENUE = facts(
    "What was the revenue in 2024?", "revenue", (1087206.30,),
    sql=f"SELECT SUM(amount) AS revenue FROM orders {OF_2024}", euros=True,
)  # fmt: skip
UNPRICED = facts("What was the revenue?", "revenue", (1087206.30,), sql="SELECT SUM(amount) AS revenue FROM orders")
SHARE = facts("What is the return rate?", "rate", (0.0604,), sql="SELECT AVG(returned) AS rate FROM orders")
PRODUCTS = facts(
    "What is the revenue of each product?", "product revenue", ("Aurora", 420.5), ("Borea", 310.25),
    sql="SELECT product, SUM(amount) AS revenue FROM orders GROUP BY product", euros=True,
)  # fmt: skip
TOP = facts(
    "Which country has the most customers?", "country customers", ("DE", 190),
    sql="SELECT country, COUNT(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC LIMIT 1",
)  # fmt: skip
ORDERED = facts(
    "How many customers have placed an order?", "n", (267,), sql="SELECT COUNT(DISTINCT customer_id) AS n FROM orders"
)
COUNTRIES = facts(
    "How many customers are there in each country?", "country customers",
    ("DE", 190), ("ES", 1533), ("FR", 66), ("AT", 62), ("IT", 40), ("NL", 12),
    sql="SELECT country, COUNT(*) AS customers FROM customers GROUP BY country",
)  # fmt: skip
RIDES = facts("How many rides were there?", "january february", (120_000, 120_000), sql="SELECT 1")
UNITS = facts(
    "How many units did each brand sell?", "brand units", ("Kona", 14_360), ("Luma", 40), ("Mira", 9),
    sql="SELECT brand, SUM(quantity) AS units FROM sales GROUP BY brand",
)  # fmt: skip


@pytest.mark.parametrize(
    "rows, sentence, why",
    [
        (REVENUE, "Revenue in 2024 was [[999999 | currency]].", "an operand that no row has"),
        (UNPRICED, "Revenue was $1,087,206.30.", "a currency that nothing says"),
        (REVENUE, "Revenue in 2024 was $1,087,206.30.", "another currency than the docs'"),
        (SHARE, "The return rate is [[0.0586 | percent]].", "another share"),
        (SHARE, "The return rate is 0.06 %.", "a percent sign that changes the value"),
        (REVENUE, "Revenue in 2024 was 35 euros.", "a record behind the sum"),
        (PRODUCTS, "Aurora made 310.25 and Borea 420.50 euros.", "swapped"),
        (TOP, "Spain has the most customers.", "a name that is in no row"),
        (ORDERED, "All customers have placed an order.", "a quantifier"),
        (ORDERED, "Revenue has doubled.", "a change that no row tells"),
        (REVENUE, "Revenue in 2024 was two million euros.", "a number in words"),
        (RIDES, "There were 1 rides.", "the number of rows"),
        (COUNTRIES, "There were 6 customers.", "the number of rows, where a column counts"),
        (COUNTRIES, "It is 1533.", "the answer to another question"),
        (COUNTRIES, "It is 1903.", "a sum that nobody says is one"),
        (COUNTRIES, "There are no customers from France. There are no customers from Austria.", "a denial"),
        (ORDERED, "267 customers.5", "a number that is glued on"),
        (ORDERED, "267 customers have placed an order for the first time.", "more than the rows say"),
        (ORDERED, "There are 267 customers.", "the condition is left out"),
        (REVENUE, "Revenue in 2023 was 1,087,206.30 euros.", "another year"),
        (REVENUE, "Revenue in 2024 was 1,087,207 euros.", "rounded by more than half a digit"),
        (REVENUE, "Revenue in 2024 was -€1,087,206.30.", "another sign"),
        (REVENUE, "Revenue since 2024 was 1,087,206.30 euros.", "since is not in"),
        (TOP, "Germany has the fewest customers.", "the other end of the scale"),
        (TOP, "Germany has the most orders.", "something else is counted"),
        (COUNTRIES, "Germany has the most customers.", "another row has more"),
        (COUNTRIES, "France has more customers than Germany.", "the comparison is turned round"),
        (COUNTRIES, "In total there are 1,904 customers.", "a wrong sum"),
        (COUNTRIES, "Germany has 11 % of the customers.", "a wrong share: it is 9.98 %"),
        (UNITS, "Together Kona and Luma sold 14,369 units.", "the sum of others"),
        (UNITS, "Kona sold only units, because it is the best brand.", "a reason"),
    ],
)  # fmt: skip
def test_is_refused(rows: Facts, sentence: str, why: str) -> None:
    assert check_text(sentence, rows).problems, why


@pytest.mark.parametrize(
    "rows, sentence, why",
    [
        (REVENUE, "Revenue in 2024 was [[1087206.30 | currency]].", "the docs' currency"),
        (REVENUE, "Revenue in 2024 was €1,087,206.30.", "as it is"),
        (REVENUE, "In 2024, revenue came to about 1.09 million euros.", "rounded, and it says so"),
        (REVENUE, "It was 1,087,206.30 euros.", "an answer that repeats nothing of its question"),
        (SHARE, "The return rate is 6.04 %.", "a fraction in percent"),
        (SHARE, "The return rate is [[0.0604 | percent]].", "computed"),
        (PRODUCTS, "Aurora made 420.50 euros and Borea 310.25 euros.", "each its own"),
        (PRODUCTS, "Aurora and Borea made 420.50 and 310.25 euros, respectively.", "two lists"),
        (TOP, "Germany has the most customers, with 190.", "the country of a code"),
        (ORDERED, "267 customers have placed an order.", "as asked"),
        (COUNTRIES, "There are 6 countries with customers.", "the rows are counted"),
        (COUNTRIES, "In total there are 1,903 customers.", "the sum of the column"),
        (COUNTRIES, "Spain has 1,533 customers, Germany 190 and France 66.", "some of the rows"),
        (COUNTRIES, "Spain has the most customers.", "and no row has more"),
        (COUNTRIES, "Germany has 124 more customers than France.", "the difference of two rows"),
        (COUNTRIES, "Spain has 80.6 % of the customers.", "the share of a row"),
        (COUNTRIES, "On average there are 317.17 customers per country.", "the mean"),
        (UNITS, "In total there are 14,409 units.", "a sum"),
        (UNITS, "Kona sold fourteen thousand three hundred and sixty units.", "a number in words"),
    ],
)
def test_is_shown(rows: Facts, sentence: str, why: str) -> None:
    assert check_text(sentence, rows).problems == (), why


def test_arithmetic_is_not_believed_where_nothing_is_computed() -> None:
    units = facts("How many units were sold?", "units", (14_360,), sql="SELECT SUM(q) AS units FROM t", calculate=False)
    assert check_text("14360 + 1 = 5 units were sold.", units).problems
    assert check_text("[[14360 + 1]] units were sold.", units).problems
    assert check_text("14,360 units were sold.", units).problems == ()


NAMED = facts(
    "Who drives which vehicle?", "driver vehicle", ("Ada", "Truck 7"), ("Bo", "Truck 12"),
    sql="SELECT driver, vehicle FROM drives",
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence, holds",
    [
        ("Ada drives Truck 7 and Bo Truck 12.", True),
        ("Ada and Bo drive Truck 7 and Truck 12.", True),
        ("Ada drives Truck 12 and Bo Truck 7.", False),
        ("Ada and Bo drive Truck 12 and Truck 7.", False),
        ("Ada drives Truck 8.", False),
        ("Ada does not drive Truck 7.", False),
    ],
)
def test_names_stand_together_as_in_a_row(sentence: str, holds: bool) -> None:
    assert (not check_text(sentence, NAMED).problems) is holds


NOTHING = facts("Which customers are from Spain?", "name", sql="SELECT name FROM customers WHERE country = 'ES'")


@pytest.mark.parametrize(
    "sentence, holds",
    [
        ("No customers are from Spain.", True),
        ("There are no such customers.", True),
        ("None.", True),
        ("No customers were found.", False),
        ("12 customers are from Spain.", False),
        ("Ada is from Spain.", False),
        ("The customers are from Spain.", False),
    ],
)
def test_where_there_are_no_rows_nothing_is_there(sentence: str, holds: bool) -> None:
    assert (not check_text(sentence, NOTHING).problems) is holds


DENIED = facts(
    "Which vehicles have no driver?", "vehicle", ("Truck 7",), ("Van 3",),
    sql="SELECT vehicle FROM vehicles WHERE driver_id IS NULL",
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence, holds",
    [
        ("Truck 7 and Van 3 have no driver.", True),
        ("Truck 7 and Van 3.", True),
        ("Truck 7 and Van 3 have a driver.", False),
    ],
)
def test_a_question_that_denies_is_answered_by_a_denial(sentence: str, holds: bool) -> None:
    assert (not check_text(sentence, DENIED).problems) is holds


@pytest.mark.parametrize(
    "cell, sentence, holds",
    [
        (0, "There are no returns from France.", True),
        (4, "There are no returns from France.", False),
        (None, "There is no value for the returns from France.", True),
        (4, "The returns from France are unknown.", False),
    ],
)
def test_a_denial_needs_a_row_that_has_nothing(cell: JsonValue, sentence: str, holds: bool) -> None:
    rows = facts("How many returns are there by country?", "country returns", ("FR", cell), ("DE", 9),
                 sql="SELECT country, SUM(x) AS returns FROM t GROUP BY country")  # fmt: skip
    assert (not check_text(sentence, rows).problems) is holds


@pytest.mark.parametrize(
    "question, cell, sentence, holds",
    [
        ("Is Truck 7 in the workshop?", True, "Yes, Truck 7 is in the workshop.", True),
        ("Is Truck 7 in the workshop?", False, "Yes, Truck 7 is in the workshop.", False),
        ("Is Truck 7 in the workshop?", False, "No, Truck 7 is not in the workshop.", True),
        ("Is Truck 7 in the workshop?", True, "No, Truck 7 is not in the workshop.", False),
    ],
)
def test_yes_and_no_are_claims(question: str, cell: JsonValue, sentence: str, holds: bool) -> None:
    rows = facts(question, "vehicle workshop", ("Truck 7", cell), sql="SELECT vehicle, workshop FROM vehicles")
    assert (not check_text(sentence, rows).problems) is holds


SERIES = facts(
    "What was the revenue per month in 2024?", "month revenue", ("2024-01", 100.5), ("2024-02", 161.0),
    sql=f"SELECT strftime('%Y-%m', ordered_at) AS month, SUM(amount) AS revenue FROM orders {OF_2024} GROUP BY 1",
    euros=True,
)  # fmt: skip


@pytest.mark.parametrize(
    "sentence, holds",
    [
        ("Revenue was €100.50 in January 2024 and €161.00 in February 2024.", True),
        ("Revenue was €161.00 in January 2024 and €100.50 in February 2024.", False),
        ("Revenue rose from January to February 2024 by €60.50.", True),
        ("Revenue fell from January to February 2024 by €60.50.", False),
        ("From January to February 2024, revenue rose by 60.2 %.", True),
        ("From January to February 2024, revenue rose by 37.6 %.", False),
        ("Revenue in March 2024 was €161.00.", False),
    ],
)
def test_months_and_changes(sentence: str, holds: bool) -> None:
    assert (not check_text(sentence, SERIES).problems) is holds


@pytest.mark.parametrize(
    "question, columns, row, sentence, holds",
    [
        ("Wie hoch war der Umsatz?", "umsatz", (1087206.3,), "Der Umsatz betrug 1.087.206,30.", True),
        ("Wie hoch war der Umsatz?", "umsatz", (1087.0,), "Der Umsatz betrug 1.087.", True),
        ("What was the revenue?", "revenue", (1087.0,), "Revenue was 1.087.", False),
        ("What was the revenue?", "revenue", (1.087,), "Revenue was 1.087.", True),
        ("Quel est le chiffre d'affaires ?", "total", (1087206.3,), "Le chiffre d'affaires est de 1 087 206,30.", True),
        ("¿Cuántos clientes hay?", "n", (267,), "Hay doscientos sesenta y siete clientes.", True),
        ("¿Cuántos clientes hay?", "n", (267,), "Hay dos mil clientes.", False),
        ("Wie viele Kunden gibt es?", "n", (267,), "Es gibt zweihundertsiebenundsechzig Kunden.", True),
        ("Wie viele Kunden gibt es?", "n", (267,), "Es gibt keine Kunden.", False),
        ("Quanti clienti ci sono?", "n", (267,), "Ci sono duecentosessantasette clienti.", True),
        ("Quanti clienti ci sono?", "n", (267,), "I clienti sono raddoppiati a 267.", False),
    ],
)
def test_numbers_are_read_in_the_language_of_the_question(
    question: str, columns: str, row: tuple[JsonValue, ...], sentence: str, holds: bool
) -> None:
    assert (not check_text(sentence, facts(question, columns, row)).problems) is holds


@pytest.mark.parametrize("question, language", [
    ("revenue per customer", "en"),
    ("I want revenue per customer", "en"),
    ("ricavi per cliente nel 2024", "it"),
    ("Umsatz pro Kunde", "de"),
    ("Umsatz je Kunde im Jahr 2024", "de"),
])  # fmt: skip
def test_a_word_of_two_languages_does_not_make_a_question_foreign(question: str, language: str) -> None:
    assert facts(question, "n", (3,)).language == language


def test_in_a_language_that_is_not_known_numbers_and_names_are_checked_and_it_is_said() -> None:
    rows = facts("Ile jest klientów w każdym kraju?", "kraj klienci", ("Polska", 190), ("Czechy", 66))
    held = check_text("Polska ma 190 klientów, a Czechy 66.", rows)
    assert held.problems == ()
    assert "language is not known" in held.checks[-1].detail
    assert check_text("Polska ma 66 klientów, a Czechy 190.", rows).problems
    assert check_text("고객은 190명입니다.", facts("고객은 몇 명인가요?", "n", (190,))).problems == ()
    assert check_text("고객은 191명입니다.", facts("고객은 몇 명인가요?", "n", (190,))).problems


@pytest.mark.parametrize(
    "text",
    ["| country | n |\n| DE | 190 |", "```\n190\n```", "<b>190</b>", "# 190", "190 " * 10_000, '{"n": 190}'],
)
def test_markup_tables_and_ten_thousand_words_are_no_answer(text: str) -> None:
    assert check_text(text, TOP).problems


def test_of_rows_that_were_cut_nothing_is_said_of_all() -> None:
    cut = QueryResult(columns=("name", "total"), rows=(("Ada", 3), ("Bo", 2)), truncated=True)
    rows = Facts(question="What is the total of each customer?", result=cut, sql="SELECT name, total FROM customers")
    assert check_text("In total there are 5.", rows).problems
    assert check_text("There are 2 customers.", rows).problems
    assert check_text("Ada has a total of 3.", rows).problems == ()


def test_a_reason_is_told_once() -> None:
    rows = facts("What are the numbers of Ada and Ben?", "name n", ("Ada", 3), ("Ben", 5))
    (found,) = check_text("Ada has 71 and Ben 72.", rows).problems
    assert found.startswith("“71”, “72”: ")
