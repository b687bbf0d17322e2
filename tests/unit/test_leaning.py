"""Whether a message depends on the conversation, from its words, in several languages."""

from __future__ import annotations

import pytest

from agent.understanding.followups.leaning import (
    Leaning,
    Lost,
    asks_by_itself,
    content_words,
    find_leaning,
    find_lost_reference,
)

LEANING = [
    ("and in 2024?", "begins like the end of a sentence"),
    ("And for Germany?", "the same with a preposition"),
    ("only the top three", "names nothing"),
    ("Only the ones from Germany", "narrows what was shown"),
    ("why is March so low?", "`so` compares with what was shown"),
    ("Why was it so high in May?", "a pronoun and `so`"),
    ("what about Germany?", "asks the same of something else"),
    ("How about customers in France?", "the same"),
    ("OK, and what about the year 2023?", "with words before it"),
    ("same for products", "the same of something else"),
    ("Do the same for customers", "the same in words"),
    ("Show me the same by quarter", "the same by something else"),
    ("sort them by name", "a pronoun without a noun"),
    ("Sort by name", "changes what was shown"),
    ("group by country instead", "changes what was shown"),
    ("exclude cancelled ones", "`ones` of what was shown"),
    ("break it down by month", "a pronoun without a noun"),
    ("in 2024?", "a preposition and a number"),
    ("2024?", "a number alone"),
    ("Germany?", "a name alone"),
    ("by month", "a preposition and a span of time"),
    ("the top three", "a rank without a noun"),
    ("Which one is the largest?", "`one` of what was shown"),
    ("Which is the highest?", "of what?"),
    ("Which customers?", "asks nothing with it"),
    ("How many of them are from Germany?", "of whom?"),
    ("How many of those were cancelled?", "of which?"),
    ("What are their names?", "whose?"),
    ("How much does it cost?", "what?"),
    ("What is the difference?", "between what?"),
    ("And the average?", "of what?"),
    ("as a percentage", "of what?"),
    ("Show me more", "of what?"),
    ("Who are they?", "a pronoun"),
    ("List them", "a pronoun"),
    ("Is that more than last year?", "a demonstrative"),
    ("What did that customer buy?", "which customer?"),
    ("How many orders were there in that month?", "which month?"),
    ("Which of these products were returned?", "which products?"),
    ("How many of our customers live there?", "where?"),
    ("No, in euros", "corrects what was understood"),
    ("I meant the year before", "corrects what was understood"),
    ("without cancelled orders", "a preposition"),
    ("compared to 2023?", "a comparison with one side"),
    ("Why?", "why what?"),
    ("sorted by name", "what?"),
    ("show as percentages", "what?"),
    ("Give me the second one", "of which?"),
    ("Where do they live?", "who?"),
    ("Zeig mir die anderen", "German: what others?"),
    ("Ordinali per nome", "Italian: what?"),
    ("How many are there in Germany?", "how many what?"),
    ("How many were cancelled?", "how many what?"),
    ("And how many have ordered more than once?", "how many what?"),
    ("Wie viele sind aus Italien?", "German: how many what?"),
    ("¿Cuántos son de Italia?", "Spanish: how many what?"),
    ("Which month was it?", "a span of time names nothing"),
    ("und im Jahr 2024?", "German: begins like the end of a sentence"),
    ("Und in Deutschland?", "German: the same"),
    ("nur die ersten drei", "German: names nothing"),
    ("Warum ist der März so niedrig?", "German: `so` compares"),
    ("Was ist mit Deutschland?", "German: the same of something else"),
    ("Wie viele davon sind aus Italien?", "German: of which?"),
    ("Sortiere sie nach Namen", "German: a pronoun"),
    ("Dasselbe für Produkte", "German: the same"),
    ("et en 2024 ?", "French: begins like the end of a sentence"),
    ("Et pour l'Allemagne ?", "French: the same"),
    ("seulement les trois premiers", "French: names nothing"),
    ("Pourquoi mars est-il si bas ?", "French: `si` compares"),
    ("Trie-les par nom", "French: a pronoun"),
    ("¿Y en 2024?", "Spanish: begins like the end of a sentence"),
    ("solo los tres primeros", "Spanish: names nothing"),
    ("¿Por qué marzo es tan bajo?", "Spanish: `tan` compares"),
    ("¿Qué hay de Alemania?", "Spanish: the same of something else"),
    ("e nel 2024?", "Italian: begins like the end of a sentence"),
    ("solo i primi tre", "Italian: names nothing"),
    ("Perché marzo è così basso?", "Italian: `così` compares"),
    ("2024년은?", "Korean: a topic alone"),
    ("그중 상위 3개만 보여줘", "Korean: among those"),
    ("그럼 독일은?", "Korean: then"),
    ("那2024年呢？", "Chinese: and in 2024?"),
    ("では2024年は？", "Japanese: and in 2024?"),
]

STANDING = [
    ("How many customers are there?", "`there` is no place"),
    ("What was our highest revenue month?", "names its measure"),
    ("Which month had the highest revenue in 2024?", "names its measure and its time"),
    ("Which customers have more than one order?", "`one` is a numeral"),
    ("Which products that were launched in 2024 were never sold?", "`that` is a relative pronoun"),
    ("Which customers spent more than their first order cost?", "`their` has its noun"),
    ("What is the cheapest product and how much does it cost?", "`it` has its noun in the clause before"),
    ("How many orders were placed this month?", "this month is today's"),
    ("What was the revenue this year?", "this year is today's"),
    ("Show me total sales by category, sorted by highest first", "the seed's own"),
    ("Find all orders from California with amount greater than 500", "the seed's own"),
    ("What are the top 5 categories by total sales?", "`top` with its noun"),
    ("How many products are in the dataset?", "the seed's own"),
    ("What's the average of the price column?", "the seed's own"),
    ("Show me recent orders", "the seed's own"),
    ("In 2024, how many orders were cancelled?", "begins with a preposition, and asks"),
    ("For each country, how many customers are there?", "the same"),
    ("Why did revenue fall in March 2024?", "`why` with all it needs"),
    ("Compare revenue in 2023 and 2024", "both sides are there"),
    ("List the names of all products in the category Coffee", "a request"),
    ("number of customers by country", "a request in short"),
    ("total revenue by month", "a request in short"),
    ("top 5 products by revenue", "a request in short"),
    ("Now show me the revenue by month", "`now` ties nothing"),
    ("Which customers live in the same country as Ada?", "`same ... as` compares within"),
    ("Which customers ordered this month but not last month?", "both months are counted from today"),
    ("Who is our best customer?", "names whom it is about"),
    ("How does revenue in 2024 compare to 2023?", "both sides are there"),
    ("Which payment method is used most, and how often?", "`and` within a question"),
    ("Gibt es Bestellungen ohne Zahlung?", "German, with a verb first"),
    ("¿Quién es nuestro mejor cliente?", "Spanish"),
    ("Which order was the largest?", "an order is no command"),
    ("What is the average amount?", "the seed's own sample question"),
    ("Show the sum of amount grouped by category", "the seed's own sample question"),
    ("number of customers in Germany", "a request in short"),
    ("How many customers have ordered only once?", "`only` within a question"),
    ("And how many customers are there?", "tied to the last question, and whole: it says what is counted"),
    ("And which products were returned most often?", "tied, and whole: it says of what"),
    ("Und wie viele Produkte gibt es?", "German: tied, and whole"),
    ("Wie viele Kunden gibt es?", "German"),
    ("Wie hoch war der Umsatz im Jahr 2024?", "German"),
    ("Welche Produkte wurden nie verkauft?", "German"),
    ("Zeige die Kunden, die mehr als zwei Bestellungen haben", "German, with a relative clause"),
    ("Combien de clients y a-t-il en Allemagne ?", "French"),
    ("Quel est le chiffre d'affaires par mois en 2024 ?", "French"),
    ("¿Cuántos clientes hay en Alemania?", "Spanish"),
    ("¿Cuál fue el ingreso total por mes?", "Spanish"),
    ("Quanti clienti ci sono in Germania?", "Italian"),
    ("최근 주문 10건을 보여줘", "Korean, the seed's own"),
    ("2024년 총 매출은 얼마입니까?", "Korean"),
    ("2024年有多少订单？", "Chinese"),
    ("2024年の注文はいくつですか？", "Japanese"),
]

UNSURE = [
    ("And what did we earn in 2024?", "tied to the last question, and perhaps whole"),
    ("Which were cancelled?", "of an earlier list, or of all"),
    ("Show only the customers from Germany", "narrows, and names what"),
    ("Which customer was it?", "a pronoun behind a noun"),
    ("customers from Germany", "a list of its own, or a part"),
    ("Revenue in 2024", "a request of its own, or another measure"),
    ("Exclude guests", "changes what was shown, or is about guests"),
    ("Ile było zamówień w Niemczech?", "a language whose words are not known"),
]


LOST = [
    ("Sort them by price", Lost.CONTINUES, "changes what was shown"),
    ("sort by price", Lost.CONTINUES, "the same, without a pronoun"),
    ("now split that by branch", Lost.CONTINUES, "behind an adverb"),
    ("And the season before?", Lost.CONTINUES, "goes on"),
    ("the same for France", Lost.CONTINUES, "the same as what?"),
    ("Und jetzt das Ganze nach Monaten", Lost.CONTINUES, "German"),
    ("What do they cost?", Lost.NAMES_NOTHING, "unless `cost` is a name"),
    ("top 10 please", Lost.NAMES_NOTHING, "of what?"),
    ("Zeig mir die größten", Lost.NAMES_NOTHING, "German"),
    ("nur deutsche Kunden", None, "says of what"),
    ("Only the number of orders", None, "counts"),
    ("group by country and count customers", None, "says what, too"),
    ("E-Mail-Adressen aller Kunden", None, "its letter is no Italian word"),
    ("List the customers and their orders", None, "`their` stands for what came before it"),
    ("Which one of our customers spent the most?", None, "says of whom"),
    ("For each county, find the delegates from that county", None, "named before"),
    ("It would be nice to see the reservations per room", None, "`it` stands for nothing"),
    ("Il me faut la liste des chambres", None, "the same in French"),
    ("Haben Sie Kunden in Österreich?", None, "addresses somebody"),
    ("Who has not paid their fee?", None, "of whom it asks"),
    ("How many customers are there?", None, "whole"),
    ("그중 상위 3개만", None, "a script without known words"),
]


@pytest.mark.parametrize("text, lost, why", LOST)
def test_how_a_first_message_leans_on_nothing(text: str, lost: Lost | None, why: str) -> None:
    assert find_lost_reference(text) is lost, why


@pytest.mark.parametrize("text, why", LEANING)
def test_leans(text: str, why: str) -> None:
    assert find_leaning(text) is Leaning.LEANS, why


@pytest.mark.parametrize("text, why", STANDING)
def test_stands(text: str, why: str) -> None:
    assert find_leaning(text) is Leaning.STANDS, why


@pytest.mark.parametrize("text, why", UNSURE)
def test_is_unsure(text: str, why: str) -> None:
    assert find_leaning(text) is Leaning.UNSURE, why


@pytest.mark.parametrize(
    "text, whole",
    [
        ("How many customers are there?", True),
        ("the last 30 days", False),
        ("By the day on which they were ordered", False),
        ("I mean completed orders", False),
        ("최근 주문 10건을 보여줘", True),
        ("지난 30일", False),
    ],
)
def test_a_whole_question_is_told_from_a_reply(text: str, whole: bool) -> None:
    assert asks_by_itself(text) is whole


def test_content_words_are_those_that_name_something() -> None:
    assert content_words("What about the customers in Germany in 2024?") == ["customers", "germany"]
