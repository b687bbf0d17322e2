"""`l.email IS NULL` of a table without that column asks for rows without a partner, unless the other table has gaps."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_unread import open_lab

from agent.core.models import Options
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

SCRIPT = """
CREATE TABLE student (id INTEGER PRIMARY KEY, email TEXT);
CREATE TABLE lesson (id INTEGER PRIMARY KEY, student_id INTEGER REFERENCES student);
INSERT INTO student VALUES (1, 'ada@example.org'), (2, 'bo@example.org'), (3, {third});
INSERT INTO lesson VALUES (1, 1), (2, 3);
"""
DRAFT = "SELECT s.id, s.email FROM student AS s LEFT JOIN lesson AS l ON s.id = l.student_id WHERE l.email IS NULL"
NO_EMAIL = "SELECT id, email FROM student WHERE email IS NULL"


@pytest.mark.parametrize(
    ("third", "drafts", "shown"),
    [
        ("'cy@example.org'", [DRAFT, DRAFT], [{"id": 2, "email": "bo@example.org"}]),
        ("NULL", [DRAFT, NO_EMAIL, NO_EMAIL], [{"id": 3, "email": None}]),
    ],
)
async def test_the_data_decide_what_is_null(
    settings: Settings, model: ScriptedModel, tmp_path: Path, third: str, drafts: list[str], shown: list[object]
) -> None:
    for sql in drafts:
        model.replies(sql=sql)
    async with open_lab(settings, model, tmp_path, SCRIPT.format(third=third)) as lab:
        answer = await lab.query("Which students have none?", "lab", options=Options(enable_answer=False))

    assert answer.results == shown
