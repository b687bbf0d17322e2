"""What a question asks for is read in a time that does not explode with its length."""

from __future__ import annotations

import pytest

from agent.understanding.clarification.words import wanted
from agent.understanding.clarification.words.wanted import find_wanted_phrases
from rag.words import Token, tokens


@pytest.mark.parametrize("piece", ["a big, ", "list the name, year, ", "the most and their ", "word "])
def test_a_text_of_nothing_but_things_is_not_read_for_each_of_them(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def count(text: str) -> list[Token]:
        read.append(len(text))
        return tokens(text)

    monkeypatch.setattr(wanted, "tokens", count)
    find_wanted_phrases(piece * (4_000 // len(piece)))
    assert sum(read) < 200_000


def test_a_list_is_read_to_its_end() -> None:
    assert find_wanted_phrases("List the grape, price, colour and region of the wines") == [
        "grape",
        "price",
        "colour",
        "region",
        "wines",
    ]


@pytest.mark.parametrize(
    ("question", "wanted_phrases"),
    [
        ("users without a ticket in the first year of signing up", ["ticket"]),
        ("List the users, based on joining the users and sales", ["users"]),
        ("Return the city, starting from the top", ["city"]),
        ("Return the city by doing a left join", ["city"]),
        ("users whose name starts with J", []),
        ("whose rating is high", ["rating"]),
        ("The duration as an integer sorted by length", []),
        ("a non-human hero", []),
        ("How many e-books were lent?", ["e books"]),
        ("departments which contain two people", []),
        ("Tell me which supplier delivers", ["supplier"]),
        ("For which supplier is it?", ["supplier"]),
        ("Which breed with the most dogs?", ["breed", "dogs"]),
        ("How many bed in the ward", ["bed"]),
        ("The flats, and their heating in winter", ["heating"]),
    ],
)
def test_an_action_is_no_thing(question: str, wanted_phrases: list[str]) -> None:
    assert find_wanted_phrases(question) == wanted_phrases
