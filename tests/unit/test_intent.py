"""Orders to change the data are refused before any model is asked; questions that only sound so are not."""

from __future__ import annotations

import pytest

from agent.errors import WritesNotAllowed
from agent.intent import refuse_writes


@pytest.mark.parametrize(
    "question",
    ["drop all tables", "Please delete all orders of 2023", "DROP TABLE orders;", "Insert into customers a new one"],
)
def test_refuses(question: str) -> None:
    with pytest.raises(WritesNotAllowed, match="only reads"):
        refuse_writes(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many tables were sold?",
        "Drop in revenue since May, by month?",
        "Which orders were deleted from the list of open ones?",
        "Update me on all orders of today",
    ],
)
def test_leaves_alone(question: str) -> None:
    refuse_writes(question)
