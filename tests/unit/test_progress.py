"""The query while it is written: read from an unfinished reply and sent at a readable pace."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from agent.core.events import Event, SqlProgress, Started
from agent.pipeline.steps import progress
from agent.pipeline.steps.progress import TELL, sql_progress, with_progress
from agent.platform.llm.replies import ON_TEXT, read_partial_sql


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
    assert read_partial_sql(reply) == sql


@pytest.fixture
def told() -> list[Event]:
    return []


def test_what_is_new_is_told_once(told: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    TELL.set(told.append)
    with sql_progress(2, "system", "How many?"):
        on_text = ON_TEXT.get()
        assert on_text is not None
        for reply in (
            "``",
            "```sql\nSELECT c",
            "```sql\nSELECT co",
            "```sql\nSELECT count(*) ",
            "```sql\nSELECT count(*)",
        ):
            on_text(reply)
    assert told == [SqlProgress(attempt=2, sql="SELECT"), SqlProgress(attempt=2, sql="SELECT count(*)")]
    assert all(event.model_dump()["checked"] is False for event in told)
    assert ON_TEXT.get() is None


def test_it_is_not_told_oftener_than_one_can_read(told: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("agent.pipeline.steps.progress.time.monotonic", lambda: now)
    TELL.set(told.append)
    with sql_progress(1, "system", "How many?"):
        on_text = ON_TEXT.get()
        assert on_text is not None
        on_text("```sql\nSELECT c")
        on_text("```sql\nSELECT count(*)")
        now += 2 * progress.PAUSE_S
        on_text("```sql\nSELECT count(*) FROM t")
    assert [event.sql for event in told if isinstance(event, SqlProgress)] == ["SELECT", "SELECT count(*) FROM"]


def test_nothing_is_told_that_may_not_be_shown(told: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    TELL.set(told.append)
    system = "These are the secret rules of this shop and nobody else reads them."
    with sql_progress(1, system, "How many?", frozenset({"email"})):
        on_text = ON_TEXT.get()
        assert on_text is not None
        on_text(f"```sql\nSELECT 1 -- {system}\n")
        on_text(f"```sql\nSELECT 1 -- {system}\nFROM t")
        on_text("```sql\nSELECT name, email FROM clients")
        on_text("```sql\nSELECT name, email FROM clients WHERE id = 1 AND")
    assert told == [SqlProgress(attempt=1, sql="SELECT 1"), SqlProgress(attempt=1, sql="SELECT name,")]


async def test_where_nobody_listens_a_step_tells_nothing_and_no_reply_comes_in_pieces() -> None:
    TELL.set(None)

    async def steps() -> AsyncIterator[Event]:
        with sql_progress(1, "system", "How many?"):
            assert ON_TEXT.get() is None
        yield Started(trace_id="t", answer_id="t-1", question="q", database="shop")

    seen = [event async for event in with_progress(steps(), listens=False)]
    assert [type(event) for event in seen] == [Started]


def test_where_nobody_listens_nothing_is_read() -> None:
    TELL.set(None)
    with sql_progress(1, "system", "How many?"):
        assert ON_TEXT.get() is None
