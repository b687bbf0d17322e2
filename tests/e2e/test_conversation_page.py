"""docs/conversation.md equals its command's output, has the script's turns, and its numbers are the shop's."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from bench.conversation import page, replay

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "conversation.md").read_text(encoding="utf-8")
SCRIPT = (ROOT / "samples" / "conversation.txt").read_text(encoding="utf-8").splitlines()
SHOP = ROOT / "samples" / "shop.duckdb"
TURN = re.compile(r"^\*\*\d+\. (.*)\*\*$", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
TURNS = list(zip(TURN.findall(PAGE), TURN.split(PAGE)[2::2], strict=True))
VERIFIED = [turn for turn in TURNS if "\n(verified; " in turn[1] and not turn[0].startswith("No, ")]


def test_the_turns_are_those_of_the_script() -> None:
    assert [message for message, _ in TURNS] == SCRIPT


@pytest.mark.usefixtures("patient")
async def test_the_page_is_what_its_command_writes_today(tmp_path: Path) -> None:
    assert page(await replay(tmp_path)) == PAGE


@pytest.mark.parametrize("message, text", VERIFIED, ids=[message for message, _ in VERIFIED])
def test_the_query_of_a_verified_turn_gives_the_numbers_of_its_sentence(message: str, text: str) -> None:
    found = re.search(r"```sql\n(.*?)\n```", text, re.DOTALL)
    assert found is not None
    understood = "".join(re.findall(r"^\*understood as:.*\*$", text, re.MULTILINE))
    with duckdb.connect(SHOP, read_only=True) as shop:
        rows = shop.execute(found[1]).fetchall()
    cells = [len(rows), *(value for row in rows for value in row)]
    for number in NUMBER.findall(text[: found.start()].replace(understood, "")):
        asked_for = number in NUMBER.findall(message + understood)
        assert asked_for or any(_holds(cell, number.replace(",", "")) for cell in cells), f"{number}: {rows}"


def _holds(cell: object, number: str) -> bool:
    """Whether a cell is the number, rounded as it is written, or a text with it."""
    if isinstance(cell, str | datetime):
        return number in NUMBER.findall(str(cell))
    return cell is not None and round(float(str(cell)), len(number.partition(".")[2])) == float(number)
