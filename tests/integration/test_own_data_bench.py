"""The messy data sets of the benchmark are read with nothing lost, and each has five questions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Unpack

import pytest

from agent.core.answers import Answer
from agent.core.usage import Usage
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import ChatRequest, Message, Reply
from bench import own_data
from bench.own_data import measure
from bench.own_data_answers import Outcome, ask_all, is_right, load_by_defaults
from bench.own_data_sets import write_all
from testbed.scripted_model import ScriptedModel


def test_every_data_set_is_read_whole(tmp_path: Path) -> None:
    found = measure(tmp_path)
    assert len(found) == 12
    assert [(name, here) for name, here, _, whole in found if not whole] == []


def test_each_has_five_questions_and_is_the_same_each_time(tmp_path: Path) -> None:
    made = write_all(tmp_path / "a")
    assert [len(it.questions) for it in made] == [5] * 12
    assert write_all(tmp_path / "b") == made


# -- the model's share -------------------------------------------------------------------------------------

DOLLARS = "dollars"  # read_csv_auto leaves its money as text


class Summing(ScriptedModel):
    """Counts the rows, or adds up the column that the question names: right, where the reading lets it be."""

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        counts = "How many rows are there?" in messages[-1].content
        measure = "count(*)" if counts else 'sum("Total Paid")'
        return Reply(text=json.dumps({"sql": f"SELECT {measure} AS n FROM dollars"}), usage=Usage(model_calls=1))


async def test_a_model_is_asked_over_both_readings(tmp_path: Path, settings: Settings) -> None:
    sets = [it for it in write_all(tmp_path) if it.name == DOLLARS]
    alone = settings.model_copy(
        update={"enable_retrieval": False, "enable_evaluation": False, "second_draft": False, "max_attempts": 1}
    )
    found = await ask_all(tmp_path, sets, settings=alone, limit=2, model=Summing())

    assert [(it.question, it.here) for it in found] == [
        ("How many rows are there?", True),
        ("What is the total Total Paid of the town München?", False),
    ]
    assert found[0].there
    found = await ask_all(tmp_path / "b", write_all(tmp_path / "b")[2:3], settings=alone, limit=5, model=Summing())
    assert [(it.here, it.there) for it in found[:2]] == [(True, True), (True, False)], "its total is a text's"


async def test_a_run_that_was_stopped_goes_on_where_it_stopped(tmp_path: Path, settings: Settings) -> None:
    earlier = Outcome(DOLLARS, "How many rows are there?", here=False, there=True)
    noted: list[Outcome] = []
    sets = [it for it in write_all(tmp_path) if it.name == DOLLARS]
    alone = settings.model_copy(update={"enable_retrieval": False, "enable_evaluation": False, "max_attempts": 1})
    model = Summing()
    found = await ask_all(
        tmp_path, sets, settings=alone, limit=2, model=model, on_outcome=noted.append, before=[earlier]
    )

    assert found[0] == earlier, "as it was noted"
    assert noted == found[1:], "the other one was asked"


def test_the_log_of_a_run_is_read_by_the_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seen: list[Sequence[Outcome]] = []

    async def ask(
        folder: Path, sets: object, *, on_outcome: Callable[[Outcome], None], before: Sequence[Outcome], **_: object
    ) -> list[Outcome]:
        seen.append(before)
        found = [*before, Outcome("dollars", f"question {len(before)}?", here=True, there=False)]
        on_outcome(found[-1])
        return found

    monkeypatch.setattr(own_data, "ask_all", ask)
    monkeypatch.setattr(own_data, "measure", lambda _: [])
    monkeypatch.setattr(sys, "argv", ["own_data", "--questions", "2", "--log", str(tmp_path / "log.jsonl")])
    own_data.main()
    own_data.main()

    assert [[it.question for it in before] for before in seen] == [[], ["question 0?"]]
    assert "| as the data is read here | 2 (100%) |" in capsys.readouterr().out


def test_what_the_defaults_cannot_read_is_no_database(tmp_path: Path) -> None:
    sets = {it.name: it for it in write_all(tmp_path)}
    assert load_by_defaults(tmp_path, sets["german_money"]) is None
    assert load_by_defaults(tmp_path, sets[DOLLARS]) is not None


@pytest.mark.parametrize("results, expected, right", [
    ([{"n": 240}], 240, True),
    ([{"n": "240.004"}], 240, True),  # a decimal comes as its digits
    ([{"town": "Köln", "total": 3.5}], "Köln", True),
    ([{"n": 241}], 240, False),
    ([{"n": True}], 1, False),
    ([{"n": "many"}], 240, False),
    ([{"n": 240}, {"n": 240}], 240, False),
    ([], 240, False),
])  # fmt: skip
def test_an_answer_is_right_by_its_one_row(results: list[dict[str, Any]], expected: float | str, right: bool) -> None:
    assert is_right(Answer(status="success", answer="", trace_id="", results=results), expected) is right


def test_without_a_model_only_the_readings_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(own_data, "measure", lambda _: [("dollars", "240 rows", "240 rows", True)])
    monkeypatch.setattr(sys, "argv", ["own_data", "--no-model"])
    own_data.main()

    printed = capsys.readouterr().out
    assert "1 of 1 are read with nothing lost" in printed
    assert "answered right" not in printed
