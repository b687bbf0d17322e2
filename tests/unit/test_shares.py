"""What a share is of."""

from __future__ import annotations

import pytest

from agent.checks.shares import share_of_whole
from executors.sql.tree import tree_to_change

SHARE = "SELECT SUM(CASE WHEN {} THEN 1 ELSE 0 END) * 100.0 / COUNT(*) FROM staff AS s{}"
BOTH = "s.sex = 'Female' AND s.state = 'married'"


@pytest.mark.parametrize(
    "question",
    [
        "What percentage of the female staff is married?",
        "How many percent of females are married?",
        "What is the proportion of all female clerks who married?",
    ],
)
def test_the_whole_is_what_it_is_of(question: str) -> None:
    tree = tree_to_change(SHARE.format(BOTH, ""), "sqlite")
    assert tree is not None
    assert share_of_whole(tree, question) == ["the share is of those with s.sex = 'Female'"]
    right = tree_to_change(SHARE.format("s.state = 'married'", " WHERE s.sex = 'Female'"), "sqlite")
    assert tree == right


@pytest.mark.parametrize(
    "question, sql",
    [
        ("What percentage of the staff is female and married?", SHARE.format(BOTH, "")),
        ("What percentage of female married staff is there?", SHARE.format(BOTH, "")),
        ("How many women are married?", SHARE.format(BOTH, "")),
        ("What percentage of females is married?", SHARE.format("s.sex = 'Female'", "")),
        (
            "What percentage of females is married?",
            f"SELECT COUNT(*) * 100.0 / COUNT(CASE WHEN {BOTH} THEN 1 END) FROM staff AS s",
        ),
        ("What percentage of females is married?", "SELECT COUNT(*) FROM staff AS s WHERE s.sex = 'Female'"),
    ],
)
def test_is_left_where_it_is_not_named_apart(question: str, sql: str) -> None:
    tree, same = tree_to_change(sql, "sqlite"), tree_to_change(sql, "sqlite")
    assert tree is not None
    assert share_of_whole(tree, question) == []
    assert tree == same
