"""If no two drafts agree, the one that the least speaks against is shown, unverified."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from test_unread import open_lab

from agent.core.answers import Answer
from agent.core.models import Options
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

SCRIPT = """
CREATE TABLE arena (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE game (id INTEGER PRIMARY KEY, arena_id INTEGER NOT NULL REFERENCES arena, guests INTEGER NOT NULL);
INSERT INTO arena VALUES (1, 'North'), (2, 'South'), (3, 'East');
INSERT INTO game VALUES (1, 1, 10), (2, 1, 20), (3, 2, 40), (4, 3, 50), (5, 3, 90);
"""
QUESTION = "average guests per arena"
ONE = "SELECT AVG(guests) AS guests FROM game"
EACH = "SELECT name, AVG(guests) AS guests FROM game JOIN arena ON arena.id = arena_id GROUP BY name"
# No rule doubts these three, except that each has one average.
OTHERS = tuple(f"{ONE} WHERE guests > {number}" for number in (10, 20, 40))
NONE = f"{EACH.replace('GROUP', 'WHERE guests > 99 GROUP')}"


@pytest.fixture
async def rink(settings: Settings, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Service]:
    async with open_lab(settings, model, tmp_path, SCRIPT) as service:
        yield service


async def ask(rink: Service, model: ScriptedModel, *drafts: str) -> Answer:
    for sql in drafts:
        model.replies(sql=sql)
    answer = await rink.query(QUESTION, "lab", options=Options(enable_answer=False, candidates=True))
    assert len(model.asked) == len(drafts)
    return answer


async def test_a_draft_without_doubts_replaces_a_doubted_one(rink: Service, model: ScriptedModel) -> None:
    answer = await ask(rink, model, ONE, OTHERS[0], NONE, EACH, OTHERS[1])

    assert answer.results == [
        {"name": "East", "guests": 70.0},
        {"name": "North", "guests": 15.0},
        {"name": "South", "guests": 40.0},
    ]
    assert not answer.verified
    assert [it.verdict.reason for it in answer.attempt_history if it.verdict is not None] == [
        "Less speaks against another draft. The question asks “per arena”, and nothing groups the rows by it."
    ]
    doubts = {it.sql: [doubt.rule for doubt in it.doubts] for it in answer.candidates or ()}
    assert doubts[EACH] == []
    assert doubts[ONE] == ["asked_of_each"]
    assert doubts[OTHERS[0]] == ["asked_of_each"], "the others are reviewed, too"


@pytest.mark.parametrize(
    ("drafts", "shown"),
    [
        ((ONE, *OTHERS, NONE), 42.0),  # nothing less speaks against another one, but for one without rows
        ((ONE, "SELECT * FROM game", *OTHERS), 42.0),  # no rule doubts a query without an average
        ((ONE, OTHERS[0], EACH, f"{ONE} LIMIT 9", OTHERS[1]), 42.0),  # two drafts agree, whatever is doubted
    ],
)
async def test_the_first_draft_stays(
    rink: Service, model: ScriptedModel, drafts: tuple[str, ...], shown: float
) -> None:
    answer = await ask(rink, model, *drafts)

    assert answer.results == [{"guests": shown}]
    assert not answer.verified
