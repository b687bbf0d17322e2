"""Docs that apply to every question are looked up, not scanned."""

from __future__ import annotations

from agent.databases.knowledge.context import GENERAL_RULES_TOKENS, _find_verified, _notes, general_rules
from rag.docs.documents import Document, Retrieved, docs_digest, make_document
from rag.retriever import Retrieval


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


def test_a_doc_that_the_system_message_shows_is_not_repeated() -> None:
    shown = make_document("column", "when the order\nwas placed.", table="orders", column="ordered_at")
    cut = make_document("column", "Price of one unit, without tax", table="orders", column="price")
    term, rule = make_document("rule", "Churn: a customer who has left."), make_document("rule", "Days end in UTC.")
    found = Retrieval(
        columns=tuple(Retrieved(document=it, score=0.5) for it in (shown, cut)),
        rules=(Retrieved(document=rule, score=0.5),),
    )
    system = "ordered_at TEXT, -- When the order was placed, in UTC\nprice INT -- Price of one…\n- Days end in UTC."
    assert _notes(found, (term,), system) == (
        "orders.price: Price of one unit, without tax",
        "Churn: a customer who has left.",
    )
