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
