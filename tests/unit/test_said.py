"""What the question says, looked for in the query."""

from __future__ import annotations

import pytest

from agent.checks.said import said_checks
from executors.sql.tree import tree_to_change
from rag.values import LinkedValue

OSLO = LinkedValue("offices", "city", "Oslo", "Oslo", "exact", 1.0)
YORK = LinkedValue("offices", "city", "York", "York", "exact", 1.0)
NEW_YORK = LinkedValue("offices", "city", "New York", "New York", "exact", 1.0)
CLERK = LinkedValue("staff", "job", "Clerk", "clerk", "case", 0.95)


@pytest.mark.parametrize(
    "question, sql, linked, found, why",
    [
        ("Who earns more than 2,500?", "SELECT n FROM s WHERE pay > 2500", (), True, "as written"),
        ("Who earns more than 2,500?", "SELECT n FROM s WHERE pay > 250", (), None, "another number"),
        ("Who got at least 15 % more?", "SELECT n FROM s WHERE raise >= 0.15", (), True, "a share"),
        ("Who came on May 3, 2024?", "SELECT n FROM s WHERE d = '2024-05-03'", (), True, "a date, in its own way"),
        ("Who came in 2024?", "SELECT n FROM s", (), None, "a year that is nowhere"),
        ("Who works in Oslo?", "SELECT n FROM s WHERE city LIKE '%oslo%'", (OSLO,), True, "in part"),
        ("Who works in Oslo?", "SELECT n FROM s", (OSLO,), None, "a name that is nowhere"),
        ("Who works in New York?", "SELECT n FROM s WHERE c = 'New York'", (YORK, NEW_YORK), True, "a name in a name"),
        ("Is a clerk paid?", "SELECT pay FROM s", (CLERK,), True, "a plain word may be none"),
    ],
)
def test_numbers_and_names(
    question: str, sql: str, linked: tuple[LinkedValue, ...], found: bool | None, why: str
) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    values, _ = said_checks(question, tree, linked)
    assert values.passed is found, why


@pytest.mark.parametrize(
    "question, sql, found",
    [
        ("What is the average pay?", "SELECT AVG(pay) FROM s", True),
        ("What is the average pay?", "SELECT pay FROM s", None),
        ("What is the average pay?", "SELECT average_pay FROM s", True),
        ("How many clerks are there?", "SELECT n FROM s", None),
        ("How many clerks are there?", "SELECT SUM(n) FROM s", True),
        ("What is the pay of each job?", "SELECT job, SUM(pay) FROM s", None),
        ("Who has the highest pay?", "SELECT n FROM s WHERE pay = (SELECT MAX(pay) FROM s)", True),
        ("Who has the highest pay?", "SELECT n FROM s LIMIT 1", None),
        ("What share, in percent, are clerks?", "SELECT COUNT(*) FROM s", None),
        ("Who works here?", "SELECT n FROM s", True),
    ],
)
def test_measures(question: str, sql: str, found: bool | None) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    _, measures = said_checks(question, tree, ())
    assert measures.passed is found
