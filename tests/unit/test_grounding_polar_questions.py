"""What the rows say to questions that expect yes or no, many of them with a query that answers something else.

`polar_questions.json` was written by another reader, to find a yes or a no that is wrong. Each has the answer that its
rows give to a careful reader.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from grounding_facts import facts

from agent.checks.grounding.claims.claims import segments_of
from agent.checks.grounding.claims.names import NameIndex
from agent.checks.grounding.claims.reading import items_of
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.question.decision import Decision
from agent.checks.grounding.support.support import Numbers

CASES = json.loads(Path(__file__).with_name("polar_questions.json").read_text(encoding="utf-8"))
LEAST_DECIDED = 60


def _decide(case: dict[str, Any]) -> bool | None:
    docs = (tuple(it) for it in case.get("docs", ()))
    known: Facts = facts(case["question"], case["columns"], [tuple(it) for it in case["rows"]], case["sql"], *docs)
    asked = items_of(known.question, known, NameIndex(known))
    return Decision(asked, known, Numbers(known, asked, segments_of(asked), asked)).holds


@pytest.mark.parametrize("case", CASES, ids=lambda it: it["question"])
def test_what_the_rows_say_is_never_turned_round(case: dict[str, Any]) -> None:
    assert _decide(case) in (None, case["answer"])


def test_some_are_decided() -> None:
    assert sum(_decide(case) is not None for case in CASES) >= LEAST_DECIDED
