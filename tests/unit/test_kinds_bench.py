"""The hundred messages that need no query, and the questions that need one."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from bench.kinds import ABOUT, TALK, answerable, summary


def test_nine_of_ten_are_told_as_such() -> None:
    found = {"small_talk": summary("small_talk", TALK), "about_data": summary("about_data", ABOUT)}
    shares = [line.split(": ")[1].splitlines()[0].split(" of ") for line in found.values()]
    right, every = (sum(int(pair[at]) for pair in shares) for at in (0, 1))

    assert every == 100
    assert right >= 90, found


def test_a_question_that_is_taken_for_something_else_is_named(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE orders (order_id INTEGER, status TEXT)")
    connection.close()
    asked = [{"question": "How many orders are there?", "database": "shop.sqlite"},
             {"question": "hello", "database": "shop.sqlite"}]  # fmt: skip
    (tmp_path / "questions.json").write_text(json.dumps(asked), encoding="utf-8")

    assert "1 of 2 answerable questions taken for no query\n  hello" in answerable(tmp_path)
