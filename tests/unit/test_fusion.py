"""Which documents matter to a question, from their similarity and their words."""

from __future__ import annotations

import pytest

from rag.docs.documents import Kind, Retrieved, make_document
from rag.linking.fusion import fuse, term_of


def hit(text: str, score: float, kind: Kind = "rule", sql: str = "") -> Retrieved:
    return Retrieved(document=make_document(kind, text, sql=sql), score=score)


def texts(hits: tuple[Retrieved, ...]) -> list[str]:
    return [found.document.text for found in hits]


@pytest.mark.parametrize(
    "text, term",
    [
        ("Active customer: one with an order this year", "Active customer"),
        ("AOV = revenue / orders", "AOV"),
        ("Net revenue — revenue less refunds", "Net revenue"),
        ("Notebook: a product of the category Paper", "Notebook"),  # begins with `Note`, and is a term
        ("Amounts exclude tax", ""),  # explains no term
        ("`status`: see the list", ""),  # code, not a word of the business
        ("Note: amounts exclude tax", ""),
        ("NOTE: amounts exclude tax", ""),
        ("**Note**: amounts exclude tax", ""),
        ("Please note: amounts exclude tax", ""),
        ("Important — cancelled orders do not count", ""),
        ("Warning: dates are in UTC", ""),
        ("Caution: dates are in UTC", ""),
        ("Example: order 7 has two payments", ""),
        ("For example: order 7 has two payments", ""),
        ("NB: guests have no account", ""),
        ("N.B.: guests have no account", ""),
        ("TODO: say what a bundle is", ""),
        ("Tip: join over the order", ""),
    ],
)
def test_the_term_that_an_entry_explains(text: str, term: str) -> None:
    assert term_of(text) == term


@pytest.mark.parametrize(
    "question, text, score, matters, why",
    [
        ("How many active customers?", "Active customer: ordered this year", 0.4, True, "the question uses the term"),
        ("How many orders?", "Active customer: ordered this year", 0.45, False, "it does not"),
        (
            "How many orders this year?",
            "Active customer: ordered this year",
            0.55,
            False,
            "only its definition is near",
        ),
        ("How many customers are active?", "Active customer: ordered this year", 0.4, True, "in another order"),
        ("Wie viele aktive Kunden haben wir?", "Aktiver Kunde: …", 0.4, True, "another form of both words"),
        ("How many customers churned in May?", "Churn: no order for a year", 0.4, True, "a verb of it"),
        ("활성 고객은 몇 명입니까?", "활성 고객: …", 0.4, True, "with a particle"),
        ("How many activists ordered?", "Active customer: ordered this year", 0.4, False, "other words"),
        ("Revenue of fiscal year 2024?", "The fiscal year starts in April: it is …", 0.5, True, "a sentence is a rule"),
        ("What was the AOV in May?", "AOV of a month: revenue / orders", 0.4, True, "a short form is enough"),
        ("How many orders?", "Note: cancelled ones are kept", 0.45, True, "a remark is no entry of a glossary"),
        ("How many orders?", "Cancelled ones are kept", 0.45, True, "nor is a plain rule"),
        ("How many orders?", "Teas are sold by weight", 0.1, False, "a rule about something else"),
    ],
)
def test_which_rules_matter(question: str, text: str, score: float, matters: bool, why: str) -> None:
    assert texts(fuse(question, [hit(text, score)], 5)) == ([text] if matters else []), why


@pytest.mark.parametrize("score, matters", [(0.41, True), (0.39, False)])
def test_a_past_query_must_be_like_the_question(score: float, matters: bool) -> None:
    past = hit("How many orders were there in May?", score, "query", "SELECT count(*) FROM orders")

    assert bool(fuse("How many orders were there in June?", [past], 5)) is matters


def test_words_tell_apart_what_the_embedding_does_not() -> None:
    hits = [hit(f"Revenue of {year} includes the old shop", 0.6, "query", "SELECT 1") for year in (2022, 2023, 2024)]

    assert texts(fuse("What was the revenue of 2023?", hits, 3))[0] == "Revenue of 2023 includes the old shop"


def test_what_is_far_behind_the_best_is_left_out() -> None:
    hits = [hit("Teas are sold by weight", 0.5), hit("Prices of refunds and payments are without tax", 0.95)]

    assert texts(fuse("Which payments were refunds?", hits, 5)) == ["Prices of refunds and payments are without tax"]


def test_no_more_than_are_wanted_and_their_similarity_is_kept() -> None:
    hits = [hit(f"Orders of channel {letter} count", 0.6 + number / 100) for number, letter in enumerate("ABCD")]

    found = fuse("How many orders per channel?", hits, 2)

    assert [one.score for one in found] == [0.63, 0.62]


def test_nothing_is_found_among_nothing() -> None:
    assert fuse("How many orders?", [], 5) == ()


def test_a_number_in_a_term_must_be_in_the_question() -> None:
    hits = [hit(f"Fiscal year {year}: from July to June", 0.6) for year in (2024, 2025)]

    assert texts(fuse("What was sold in fiscal year 2025?", hits, 5)) == ["Fiscal year 2025: from July to June"]
