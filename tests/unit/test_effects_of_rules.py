"""If several rules change one query, those without whose change the rows are the same doubt nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_unread import open_lab

from agent.core.models import Options
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

SCRIPT = """
CREATE TABLE hive (id INTEGER PRIMARY KEY, race TEXT NOT NULL);
CREATE TABLE harvest (no INTEGER PRIMARY KEY, hive INTEGER REFERENCES hive);
INSERT INTO hive VALUES (1, 'Carnica'), (2, 'Carnica'), (3, 'Buckfast');
INSERT INTO harvest VALUES (1, 1), (2, {second});
"""
DRAFT = "SELECT id FROM hive WHERE race = 'carnica' AND NOT id IN (SELECT hive FROM harvest)"


@pytest.mark.parametrize(("second", "rules"), [("3", ["stored_values"]), ("NULL", ["stored_values", "not_in_nulls"])])
async def test_a_change_without_effect_is_no_doubt(
    settings: Settings, model: ScriptedModel, tmp_path: Path, second: str, rules: list[str]
) -> None:
    for _ in range(2):
        model.replies(sql=DRAFT)
    async with open_lab(settings, model, tmp_path, SCRIPT.format(second=second)) as lab:
        answer = await lab.query("Which carnica hives?", "lab", options=Options(enable_answer=False, candidates=True))

    assert answer.results == [{"id": 2}]
    (draft,) = [it for it in answer.candidates or () if it.source == "draft"]
    assert [it.rule for it in draft.doubts] == rules
