"""Values that begin a word of the question: inflected ones, and abbreviations."""

from __future__ import annotations

import pytest

from agent.checks.rules import unread_kind
from agent.checks.rules.base import RuleContext
from executors.base import Column, Schema, Table
from executors.sql.tree import tree_to_change

READINGS = "SELECT MAX(val) FROM rdg"


@pytest.mark.parametrize(
    "question, stored, is_doubted",
    [
        ("What is the highest vibration reading?", "vib", True),
        ("What is the highest temperature?", "temp", True),
        ("Wie hoch sind die Rechnungen?", "Rechnung", True),
        ("Who is the lecturer with the highest reading?", "lecture", False),
        ("What is the highest value of each month?", "Mon", False),
        ("How much money is it?", "Mon", False),
        ("What is the highest profit?", "pro", False),
        ("What is the highest value on all days?", "day", False),
        ("What is the highest tempo?", "temp", False),
        ("What is the highest reading of the manager?", "ma", False),
        ("What is the highest reading?", "vib", False),
    ],
)
def test_a_value_that_begins_a_word_may_be_meant(question: str, stored: str, is_doubted: bool) -> None:
    assert (unread_kind.RULE.apply(_context(question, stored)) is not None) is is_doubted


def test_a_private_value_is_not_named() -> None:
    assert unread_kind.RULE.apply(_context("What is the highest vibration?", "vib", private=True)) is None


def _context(question: str, stored: str, *, private: bool = False) -> RuleContext:
    columns = (
        Column(name="typ", type="TEXT", samples=(stored, "x"), private=private),
        Column(name="val", type="REAL"),
    )
    schema = Schema(database="d", dialect="sqlite", tables=(Table(name="rdg", columns=columns),))
    return RuleContext(READINGS, schema, tree_to_change(READINGS, "sqlite"), question)
