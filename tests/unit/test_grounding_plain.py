"""Words that say nothing of the data pass in five languages; a condition that is left out is added at the end."""

from __future__ import annotations

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.languages.plain_words import plain_words
from agent.checks.grounding.languages.vocabulary import LANGUAGES, Class, vocabulary
from executors.base import QueryResult
from rag.docs.documents import make_document

TICKETS = QueryResult(columns=("shop", "tickets"), rows=(("Aachen", 412), ("Bonn", 365)))
SQL = "SELECT shop, SUM(sold) AS tickets FROM sales WHERE event = 'Alpine Games 2022' GROUP BY shop"


def facts(question: str, sql: str = "SELECT shop, tickets FROM sales") -> Facts:
    return Facts(question=question, result=TICKETS, sql=sql)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "How many tickets did each shop sell?",
            "Sure! Apart from that, Bonn sold 365 tickets, according to the data.",
        ),
        ("How many tickets did each shop sell?", "In other words, it appears that 412 tickets were sold in Aachen."),
        ("Wie viele Tickets hat jeder Shop?", "Selbstverständlich: Bonn verfügt über 365 Tickets."),
        ("Combien de tickets a chaque boutique ?", "Avec plaisir ! En revanche, Bonn comporte 365 tickets."),
        ("¿Cuántos tickets tiene cada tienda?", "Por supuesto: en concreto, Bonn posee por su parte 365 tickets."),
        ("Quanti ticket ha ogni negozio?", "Volentieri: nello specifico, Bonn dispone dal canto suo di 365 ticket."),
    ],
)
def test_words_that_say_nothing_of_the_data_are_no_claims(question: str, sentence: str) -> None:
    assert check_text(sentence, facts(question)).problems == ()


@pytest.mark.parametrize("word", ["because", "already", "unfortunately", "unless", "refunded", "discounted"])
def test_words_that_say_something_are_claims(word: str) -> None:
    found = check_text(f"Bonn {word} sold 365 tickets.", facts("How many tickets did each shop sell?"))
    assert [it.split("”")[0] for it in found.problems] == [f"“{word}"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_plain_word_is_a_claim_of_another_kind(language: str) -> None:
    plain = set(plain_words(language))
    listed = vocabulary(language)
    assert {
        it for it in plain if (found := listed.at(it.split("_"), 0)) is None or found.cls is not Class.FILLER
    } == set()


def test_a_table_names_what_its_rows_are_but_not_what_a_mean_is_of() -> None:
    asked = facts("How many tickets did each shop have?", SQL.replace("sales", "museum_visits").split(" WHERE")[0])
    assert check_text("Bonn had 365 tickets for the museum.", asked).problems == ()
    assert check_text("Bonn had 365 tickets per museum.", asked).problems


def test_a_condition_is_added_behind_a_number() -> None:
    asked = facts("How many tickets did each shop sell for the Alpine Games 2022?", SQL)
    found = check_text("Aachen sold the most tickets (412), Bonn 365.", asked)
    assert (found.problems, found.text) == ((), "Aachen sold the most tickets (412), Bonn 365 (Alpine Games 2022).")
    assert [found.text[it.start : it.end] for it in found.numbers if it.source == "result"] == ["412", "365"]


def test_thousands_are_no_single_things() -> None:
    asked = Facts(
        question="How many visitors were there per year?",
        result=QueryResult(columns=("year", "visitors_k"), rows=((2022, 198), (2023, 251))),
        sql="SELECT year, visitors_k FROM museum_years",
        documents=(make_document("column", "visitors in thousands", table="museum_years", column="visitors_k"),),
    )
    assert check_text("In 2023 there were 251,000 visitors.", asked).problems == ()
    assert check_text("In 2023 there were 251 visitors.", asked).problems


def test_a_range_needs_its_verb_only_where_another_one_says_the_opposite() -> None:
    depots = QueryResult(columns=("depot", "parcels"), rows=(("North", 5240), ("South", 3180)))
    sql = (
        "SELECT depot, COUNT(*) AS parcels FROM p WHERE shipped_on BETWEEN '2024-05-01' AND '2024-05-31' GROUP BY depot"
    )
    asked = Facts(question="How many parcels did each depot ship in May 2024?", result=depots, sql=sql)
    assert check_text("There were 5,240 parcels at North in May 2024.", asked).problems == ()
    assert check_text("North received 5,240 parcels in May 2024.", asked).problems


def test_a_quarter_and_another_form_of_a_value_are_added() -> None:
    cost = QueryResult(columns=("cost",), rows=((18400,),))
    sql = "SELECT SUM(cost) AS cost FROM repairs WHERE part = 'lift' AND day >= '2024-04-01' AND day < '2024-07-01'"
    asked = Facts(question="What was the cost of the lifts in the second quarter of 2024?", result=cost, sql=sql)
    assert check_text("The cost was 18,400.", asked).text == "The cost was 18,400 (second quarter of 2024, lifts)."
    assert check_text("For all repairs the cost was 18,400.", asked).problems
    other = Facts(question=asked.question, result=cost, sql=sql.replace("2024-04-01", "2024-05-01"))
    assert check_text("The cost was 18,400.", other).problems
