"""A misspelt value of the question that the query reads as a stored one is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_unread import open_lab

from agent.core.models import Options
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

SCRIPT = """
CREATE TABLE instructor (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL);
INSERT INTO instructor VALUES (1, 'Ada Berg', 'Leipzig'), (2, 'Bo Ek', 'Dresden'), (3, 'Cy Dahl', 'Dresden');
"""
COUNT = "SELECT COUNT(*) AS n FROM instructor WHERE town = '{}'"


@pytest.mark.parametrize(
    ("question", "town", "warnings"),
    [
        ("How many instructors work in Dresdne?", "Dresden", ["“Dresdne” was taken to mean Dresden."]),
        ("Wie viele Instructors gibt es in Leipzg?", "Leipzig", ["„Leipzg“ wurde verstanden als Leipzig."]),
        ("How many instructors work in Dresden?", "Dresden", []),
        ("How many instructors work in Dresdne?", "Leipzig", []),
        ("How many instructors work in Dresden, not in Leipzg?", "Dresden", []),
    ],
)
async def test_what_a_misspelt_value_was_taken_for(
    settings: Settings, model: ScriptedModel, tmp_path: Path, question: str, town: str, warnings: list[str]
) -> None:
    for _ in range(2):
        model.replies(sql=COUNT.format(town))
    async with open_lab(settings, model, tmp_path, SCRIPT) as lab:
        answer = await lab.query(question, "lab", options=Options(enable_answer=False))

    assert [it for it in answer.warnings if "taken to mean" in it or "verstanden" in it] == warnings
