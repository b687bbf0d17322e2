"""Docs that apply to every question are looked up, not scanned."""

from __future__ import annotations

from agent.databases.knowledge.context import GENERAL_RULES_TOKENS, _find_verified, _leave_out_said, general_rules
from rag.docs.documents import Document, docs_digest, make_document


def query(question: str, sql: str) -> Document:
    return make_document("query", question, sql=sql)


def test_a_question_that_the_docs_answer_is_found_by_its_words() -> None:
    docs = query("How many orders?", "SELECT 1"), query("how many  ORDERS?", "SELECT 2"), query("Revenue?", "SELECT 3")
    found = _find_verified("How many orders", docs)
    assert found is not None
    assert found.sql == "SELECT 1"  # of several the first
    assert _find_verified("How many returns?", docs) is None


def test_rules_about_everything_are_shown_while_they_are_few() -> None:
    rules = tuple(
        make_document("rule", text) for text in ("Amounts are in dollars.", "Churn: a customer who has left.")
    )
    assert general_rules(rules) == ("Amounts are in dollars.",)
    many = tuple(make_document("rule", f"Rule {at} holds for orders.") for at in range(GENERAL_RULES_TOKENS))
    assert general_rules(many) == ()


def test_the_digest_is_that_of_the_docs_without_past_queries() -> None:
    rule, other = make_document("rule", "Amounts are in dollars."), make_document("rule", "Days end in UTC.")
    assert docs_digest((rule, query("How many?", "SELECT 1"))) == docs_digest((rule,))
    assert docs_digest((rule,)) != docs_digest((rule, other))


def test_a_note_that_the_system_message_says_in_its_place_is_not_repeated() -> None:
    system = """
-- One row for each order. Guests have none.
CREATE TABLE orders (
  "ordered at" TEXT, -- When the order was placed, in UTC; e.g. '2024-01-01'
  price INT, -- Price of one unit, without…
  fee INT -- Fee in cents.
);
- Days end in UTC.
"""
    said = (
        "orders: one row for each order",
        "orders.ordered at: when the order\nwas placed.",
        "orders.fee: fee in cents",
    )
    unsaid = (
        "orders.price: Price of one unit, without tax",  # it was cut
        "orders.amount: Fee in cents.",  # it is said of another column
        "orders.fee: Fee in cent",  # a piece of a word
        "payments.fee: Fee in cents.",  # the table is not shown
        "Churn: a customer who has left.",
    )
    assert _leave_out_said((*said, *unsaid), system, ("orders",)) == unsaid
