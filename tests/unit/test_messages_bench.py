"""How the messages of `bench.messages` are read, sent and reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import messages_domains, messages_sets
from bench.messages import Message, Taken, messages_of, report, take_all


def test_a_line_is_a_message_and_the_query_beside_it() -> None:
    plain, with_query = messages_of({"small talk": "en shop|hello", "answerable": "de shop|Wie viele?|SELECT 2 | 1"})

    assert plain == Message("small talk", "en", "shop", "hello")
    assert with_query == Message("answerable", "de", "shop", "Wie viele?", "SELECT 2 | 1")


def test_every_message_of_the_sets_is_about_a_database_of_theirs(tmp_path: Path) -> None:
    for module in (messages_sets, messages_domains):
        folder = tmp_path / module.__name__
        folder.mkdir()
        found = messages_of(module.SETS)

        assert {it.database for it in found} == set(module.write_registry(folder))
        assert len({it.text for it in found}) == len(found)


@pytest.mark.parametrize("kind, taken, status, lacks, is_right", [
    ("small talk", "small_talk", "success", False, True),
    ("small talk", "query", "success", False, False),
    ("what the data lacks", "query", "success", True, True),
    ("ambiguous", "query", "clarification_needed", False, True),
    ("ambiguous", "query", "clarification_needed", True, False),
    ("answerable", "query", "clarification_needed", False, False),
    ("answerable", "query", "success", True, True),
])  # fmt: skip
def test_what_counts_as_taken_rightly(kind: str, taken: str, status: str, lacks: bool, is_right: bool) -> None:
    assert Taken(Message(kind, "en", "shop", "text"), taken, status, lacks, False, "").is_right == is_right


async def test_the_report_has_shares_and_needless_warnings(tmp_path: Path) -> None:
    sent = messages_of(
        {
            "small talk": "en clinic|hello",
            "answerable": "en clinic|How many visits are there?|SELECT COUNT(*) AS n FROM visits",
        }
    )
    found = await take_all(sent, tmp_path, messages_domains.write_registry(tmp_path))

    assert [it.is_right for it in found] == [True, True]
    assert "| 1 answerable, with a needless warning | 0 (0%) |" in report(found)
    assert found[1].reply.endswith("3.")
