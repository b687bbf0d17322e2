"""The query as it is written: read from half a reply, and told no oftener than one can read."""

from __future__ import annotations

import pytest

from agent.core.events import Event, SqlProgress
from agent.llm.replies import HEARD, written_so_far
from agent.pipeline.drafts import progress
from agent.pipeline.drafts.progress import TELL, sql_progress


@pytest.mark.parametrize(
    "reply, sql",
    [
        ("", ""),
        ("Here is the que", ""),
        ("```sq", ""),
        ("```sql\nSELECT co", "SELECT co"),
        ("```sql\nSELECT 1\n``", "SELECT 1"),
        ("```sql\nSELECT 1\n```\nIt counts.", "SELECT 1"),
        ("```\nSELECT `a` FROM t", "SELECT"),
        ('{"plan": {"tables": []}, "sql": "SELECT \\"na', 'SELECT "na'),
        ('{"sql": "SELECT 1\\nFROM t", "explanation": "Cou', "SELECT 1\nFROM t"),
        ('{"sql": "SELECT \\u00e', "SELECT "),
        ('{"sql": "SELECT 1\\', "SELECT 1"),
        ('{"sql": null, "clarification": "Which', ""),
    ],
)
def test_the_query_as_far_as_it_is_written(reply: str, sql: str) -> None:
    assert written_so_far(reply) == sql


@pytest.fixture
def told() -> list[Event]:
    return []


def test_what_is_new_is_told_once(told: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    TELL.set(told.append)
    with sql_progress(2, "system", "How many?"):
        heard = HEARD.get()
        assert heard is not None
        for reply in ("``", "```sql\nSEL", "```sql\nSEL", "```sql\nSELECT 1"):
            heard(reply)
    assert told == [SqlProgress(attempt=2, sql="SEL"), SqlProgress(attempt=2, sql="SELECT 1")]
    assert HEARD.get() is None


def test_it_is_not_told_oftener_than_one_can_read(told: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("agent.pipeline.drafts.progress.time.monotonic", lambda: now)
    TELL.set(told.append)
    with sql_progress(1, "system", "How many?"):
        heard = HEARD.get()
        assert heard is not None
        heard("```sql\nS")
        heard("```sql\nSE")
        now += 2 * progress.PAUSE_S
        heard("```sql\nSEL")
    assert [event.sql for event in told if isinstance(event, SqlProgress)] == ["S", "SEL"]


def test_a_query_that_repeats_what_the_model_was_told_is_not_told(
    told: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    monkeypatch.setattr("agent.prompting.leaks.problem", lambda text, system, said: "leak" if system in text else "")
    TELL.set(told.append)
    with sql_progress(1, "the secret rules", "How many?"):
        heard = HEARD.get()
        assert heard is not None
        heard("```sql\nSELECT 1 -- the secret rules")
    assert told == []


def test_where_nobody_listens_nothing_is_read() -> None:
    TELL.set(None)
    with sql_progress(1, "system", "How many?"):
        assert HEARD.get() is None
