"""Stored values that the question names and a draft leaves out: later drafts are told, and count for more."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agent.core.models import Options
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

SCHEMA = """
CREATE TABLE param (param_cd TEXT PRIMARY KEY, param_nm TEXT NOT NULL);
CREATE TABLE result (
    id INTEGER PRIMARY KEY, param_cd TEXT NOT NULL REFERENCES param, taken_on DATE NOT NULL, lab TEXT NOT NULL, val REAL
);
INSERT INTO param VALUES ('NO3', 'Nitrate'), ('PB', 'Lead'), ('FE', 'Iron');
INSERT INTO result VALUES
    (1, 'NO3', '2025-03-04', 'North', 1.5), (2, 'NO3', '2025-03-09', 'South', 2), (3, 'PB', '2025-03-09', 'North', 3),
    (4, 'FE', '2025-04-01', 'North', 4), (5, 'FE', '2024-04-01', 'North', 4);
"""
COUNT = "SELECT COUNT(*) AS n FROM result"
BY_CODE = f"{COUNT} WHERE param_cd = 'NO3'"
BY_NAME = f"{COUNT} JOIN param USING (param_cd) WHERE param_nm = 'Nitrate'"
NITRATE = "How many nitrate results are there?"
NOTE = "\"nitrate\" is param.param_nm = 'Nitrate' (param.param_cd = 'NO3')"


@asynccontextmanager
async def open_lab(
    settings: Settings, model: ScriptedModel, folder: Path, script: str = SCHEMA, entry: str = "url: lab.db"
) -> AsyncIterator[Service]:
    with sqlite3.connect(folder / "lab.db") as connection:
        connection.executescript(script)
    connection.close()
    registry = folder / "own.yaml"
    registry.write_text(f"lab: {{{entry}}}\n", encoding="utf-8")
    service = build_service(settings.model_copy(update={"registry": registry, "second_draft": None}), model=model)
    try:
        yield service
    finally:
        await service.close()


@pytest.fixture
async def lab(settings: Settings, model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Service]:
    async with open_lab(settings, model, tmp_path) as service:
        yield service


def prompts(model: ScriptedModel) -> list[str]:
    return [asked.messages[-1].content for asked in model.asked]


async def ask(lab: Service, model: ScriptedModel, question: str, *drafts: str) -> dict[str, object]:
    """What is shown for a question for which the model writes these drafts."""
    for sql in drafts:
        model.replies(sql=sql)
    answer = await lab.query(question, "lab", options=Options(enable_answer=False))
    assert len(model.asked) == len(drafts), "all drafts are written"
    return {"row": answer.results[0], "sql": answer.sql, "verified": answer.verified, "doubts": answer.doubts}


async def test_later_drafts_are_told_of_a_value_and_its_code(lab: Service, model: ScriptedModel) -> None:
    answer = await ask(lab, model, NITRATE, COUNT, BY_CODE, BY_NAME, BY_CODE)

    first, *others = prompts(model)
    assert NOTE not in first, "a model that is told of all values joins tables for them"
    assert all(NOTE in it for it in others)
    assert answer["row"] == {"n": 2}
    assert answer["verified"]


@pytest.mark.parametrize(
    "first",
    [
        BY_NAME,
        BY_CODE,
        f"{COUNT} JOIN param USING (param_cd) WHERE param_cd = 'NO3'",
        "WITH r AS (SELECT * FROM result) SELECT COUNT(*) AS n FROM r WHERE param_cd = 'NO3'",
        "SELECT SUM(CASE param_cd WHEN 'NO3' THEN 1 ELSE 0 END) AS n FROM result",
        f"{COUNT} WHERE UPPER(param_cd) LIKE 'NO3'",
    ],
)
async def test_nobody_is_told_of_what_the_first_draft_uses(lab: Service, model: ScriptedModel, first: str) -> None:
    await ask(lab, model, NITRATE, first, first)

    assert NOTE not in "".join(prompts(model))


async def test_the_code_of_another_value_is_no_use(lab: Service, model: ScriptedModel) -> None:
    answer = await ask(lab, model, NITRATE, f"{COUNT} WHERE param_cd = 'PB'", BY_CODE, BY_CODE, BY_CODE)

    assert NOTE in prompts(model)[1]
    assert answer["row"] == {"n": 2}


async def test_of_drafts_that_all_differ_the_one_that_leaves_out_least_is_shown(
    lab: Service, model: ScriptedModel
) -> None:
    drafts = (COUNT, f"{COUNT} WHERE lab = 'North'", BY_NAME, f"{COUNT} WHERE lab = 'South'", f"{COUNT} WHERE id > 2")

    answer = await ask(lab, model, NITRATE, *drafts)

    assert answer["row"] == {"n": 2}
    assert not answer["verified"], "no draft confirms it"


async def test_two_drafts_that_agree_outvote_the_one_that_uses_a_value(lab: Service, model: ScriptedModel) -> None:
    """The word may have another meaning than the value."""
    answer = await ask(lab, model, NITRATE, COUNT, BY_NAME, COUNT, COUNT)

    assert answer["row"] == {"n": 5}
    assert not answer["verified"], "the doubt counts against it"


async def test_a_number_is_a_code_and_is_told(settings: Settings, model: ScriptedModel, tmp_path: Path) -> None:
    script = """
    CREATE TABLE "odd.kind" ("the key" INTEGER PRIMARY KEY, label TEXT);
    CREATE TABLE sample (id INTEGER PRIMARY KEY, kind INTEGER REFERENCES "odd.kind" ("the key"));
    INSERT INTO "odd.kind" VALUES (-1, 'Blood'), (2, 'Water');
    INSERT INTO sample VALUES (1, -1), (2, -1), (3, 2);
    """
    count = "SELECT COUNT(*) AS n FROM sample"
    async with open_lab(settings, model, tmp_path, script) as lab:
        answer = await ask(lab, model, "How many are of blood?", count, *[f"{count} WHERE kind = -1"] * 3)

    assert "= 'Blood' (" in prompts(model)[1]
    assert "= -1)" in prompts(model)[1]
    assert answer["row"] == {"n": 2}
    assert answer["verified"]


@pytest.mark.parametrize(
    ("script", "entry"),
    [
        (SCHEMA.replace("param_cd TEXT PRIMARY KEY", "param_cd TEXT"), "url: lab.db"),
        (SCHEMA, "url: lab.db, private: [param.param_cd, result.param_cd]"),
    ],
    ids=["no key", "a private key"],
)
async def test_a_value_without_a_known_code_is_told_without_it(
    settings: Settings, model: ScriptedModel, tmp_path: Path, script: str, entry: str
) -> None:
    async with open_lab(settings, model, tmp_path, script, entry) as lab:
        await ask(lab, model, NITRATE, COUNT, COUNT)

    assert NOTE.partition(" (")[0] in prompts(model)[1]
    assert "NO3" not in prompts(model)[1]


async def test_later_drafts_are_told_of_a_time_that_one_day_stands_for(lab: Service, model: ScriptedModel) -> None:
    month = f"{COUNT} WHERE taken_on >= '2025-03-01' AND taken_on < '2025-04-01'"
    day = f"{COUNT} WHERE taken_on = '2025-03-09'"

    answer = await ask(lab, model, "How many results were taken in March 2025?", day, month, month, month)

    told = "is from '2025-03-01' to '2025-03-31' (before '2025-04-01') in result.taken_on"
    assert [told in it for it in prompts(model)] == [False, True, True, True]
    assert answer["row"] == {"n": 3}


async def test_a_refused_query_that_is_repeated_is_drafted_anew(lab: Service, model: ScriptedModel) -> None:
    """A longer text than the stored one does not use it. What is repeated at the sight of itself confirms nothing."""
    longer = BY_NAME.replace("'Nitrate'", "'Nitrate level'")

    answer = await ask(lab, model, NITRATE, longer, BY_NAME, longer, BY_CODE)

    assert [longer in it for it in prompts(model)] == [False, False, True, False]
    assert all(NOTE in it for it in prompts(model)[1:])
    assert answer["row"] == {"n": 2}
    assert answer["verified"], "two drafts agree, and the data refutes the first one"


async def test_spellings_of_a_value_vote_together(settings: Settings, model: ScriptedModel, tmp_path: Path) -> None:
    script = """
    CREATE TABLE copy (id INTEGER PRIMARY KEY, condition TEXT NOT NULL);
    INSERT INTO copy (condition) VALUES ('good'), ('Good'), ('good'), ('new'), ('new'), ('new'), ('new');
    """
    count = "SELECT COUNT(*) AS n FROM copy WHERE condition = "
    drafts = [f"{count}'{it}'" for it in ("new", "good", "Good", "good")]
    async with open_lab(settings, model, tmp_path, script) as lab:
        answer = await ask(lab, model, "How many copies are in mint shape?", *drafts)

    assert answer["row"] == {"n": 3}
    assert "'good'" in str(answer["sql"])
    assert "'Good'" in str(answer["sql"])
    assert answer["verified"], "three of four drafts mean these rows"


async def test_another_value_of_a_column_replaces_the_one_before(lab: Service, model: ScriptedModel) -> None:
    session = await lab.start_session("lab")
    for code, question in (("NO3", NITRATE), ("PB", "and lead?")):
        for _ in range(2):
            model.replies(sql=f"{COUNT} WHERE param_cd = '{code}'")
        options = Options(enable_answer=False)
        answer = await lab.query(question, "lab", session_id=session.id, options=options)

    assert answer.question == NITRATE.replace("nitrate", "lead")
    assert answer.results == [{"n": 1}]
    assert len(model.asked) == 4, "no model rewrote the question"
