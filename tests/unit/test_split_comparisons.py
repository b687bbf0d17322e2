"""Comparisons of two things, which a profile without plans splits into a question for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_unread import open_lab

from agent.core.answers import Answer
from agent.core.models import Options
from agent.pipeline.decomposition.comparison import split_comparison
from agent.platform.config.settings import Settings
from rag.linking.values import LinkedValue
from testbed.scripted_model import ScriptedModel

SCRIPT = """
CREATE TABLE sale (id INTEGER PRIMARY KEY, seller TEXT NOT NULL, cars INTEGER NOT NULL);
INSERT INTO sale VALUES (1, 'Ann', 3), (2, 'Bo', 4), (3, 'Ann', 2);
"""
STORED = tuple(
    LinkedValue(table, "name", name, name, "exact", 1.0)
    for table, names in (
        ("teams", ("Night Owls", "Red Comets")),
        ("sellers", ("Ann", "Bo")),
        ("towns", ("Rome", "Turin")),
        ("languages", ("french", "german")),
        ("kinds", ("cars", "vans")),
    )
    for name in names
)
MORE = "Did Ann sell more cars than Bo?"


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (MORE, "How many cars did Ann sell?", "How many cars did Bo sell?"),
        ("did the Night Owls win more home games than the Red Comets in 2024/25",
         "How many home games did the Night Owls win in 2024/25?",
         "How many home games did the Red Comets win in 2024/25?"),
        ("Does Ann earn more than Bo?", "How much does Ann earn?", "How much does Bo earn?"),
        ("Did Rome sell less wine than Turin last year?", "How much wine did Rome sell last year?",
         "How much wine did Turin sell last year?"),
        ("Did we sell more bikes in 2024 than in 2023?", "How many bikes did we sell in 2024?",
         "How many bikes did we sell in 2023?"),
        ("Did we sell more in 2024 than 2023?", "How much did we sell in 2024?", "How much did we sell in 2023?"),
        ("Did we invoice more in the first quarter of 2026 than in the first quarter of 2025?",
         "How much did we invoice in the first quarter of 2026?",
         "How much did we invoice in the first quarter of 2025?"),
        ("Was revenue higher in 2024 than in 2023?", "What was revenue in 2024?", "What was revenue in 2023?"),
        ("is the average price lower in Rome than in Turin?", "What is the average price in Rome?",
         "What is the average price in Turin?"),
        ("number of french tours vs german tours in 2024", "number of french tours in 2024",
         "number of german tours in 2024"),
        ("Revenue in 2024 vs. 2023", "Revenue in 2024", "Revenue in 2023"),
        ("total hammer price 2023 vs 2024", "total hammer price 2023", "total hammer price 2024"),
        ("orders of the first half of 2024 versus the first half of 2023", "orders of the first half of 2024",
         "orders of the first half of 2023"),
        ("Was the average price lower in Rome than in Turin in 2024?", "What was the average price in Rome in 2024?",
         "What was the average price in Turin in 2024?"),
        ("Does Ann earn more money than Bo?", "How much money does Ann earn?", "How much money does Bo earn?"),
    ],
)  # fmt: skip
def test_a_comparison_has_a_question_for_each_side(question: str, first: str, second: str) -> None:
    found = split_comparison(question, STORED)

    assert found is not None
    assert (found.first, found.second) == (first, second)


@pytest.mark.parametrize(
    "question",
    [
        "Did Ann sell more than 50 cars?",
        "Did Ann sell more than five cars?",
        "Did Ann sell more than the average?",
        "Did we sell more than last year?",
        "Did Ann sell more cars than she bought?",
        "Did anyone sell more than Bo?",
        "Did Ann sell more than anyone?",
        "Which of them sold more than Bo?",
        "How many more cars did Ann sell than Bo?",
        "Are there more cars than bikes?",
        "Is Ann older than Bo?",
        "Is revenue higher than in 2023?",
        "Was it higher in 2024 than in 2023?",
        "Was revenue higher in 2024 than yesterday?",
        "Did we sell more in 2024 than in March 2023?",
        "Did we sell more in Rome than in Turin in 2024?",
        "Did Ann sell more cars in Rome than Bo in Turin?",
        "Did Ann sell more cars than her budget?",
        "Did Ann sell more cars than vans?",
        "Did cars sell more than Ann?",
        "Did Ann sell more cars than Ann?",
        "Who won the match of Rome vs Turin?",
        "Goals in the match of Rome vs Turin",
        "Ratio of revenue in 2024 vs 2023",
        "Is there any car whose price was higher in 2024 than in 2023?",
        "Who sold more, Ann or Bo?",
        "Hat Ann mehr Autos verkauft als Bo?",
        "Compare Ann and Bo",
        "How many cars did Ann sell?",
    ],
)
def test_other_questions_are_asked_as_they_are(question: str) -> None:
    assert split_comparison(question, STORED) is None


def test_a_long_question_takes_no_longer() -> None:
    for text in ("did " + "a " * 2_000 + "sell more x than y", "was " + "more " * 1_300 + "in a than b", "x in " * 900):
        assert split_comparison(text, STORED) is None


async def ask(
    model: ScriptedModel, settings: Settings, folder: Path, *queries: str, question: str = MORE, **options: object
) -> Answer:
    for sql in queries:
        model.replies(sql=sql)
    asked = Options.model_validate({"enable_answer": False, **options})
    async with open_lab(settings, model, folder, SCRIPT) as lab:
        return await lab.query(question, "lab", options=asked)


async def test_each_side_has_its_own_drafts_and_the_difference_is_computed(
    settings: Settings, model: ScriptedModel, tmp_path: Path
) -> None:
    ann, bo = (f"SELECT SUM(cars) AS cars FROM sale WHERE seller = '{name}'" for name in ("Ann", "Bo"))

    answer = await ask(model, settings, tmp_path, ann, ann, bo, bo)

    assert [part.question for part in answer.parts] == ["How many cars did Ann sell?", "How many cars did Bo sell?"]
    assert [part.results for part in answer.parts] == [[{"cars": 5}], [{"cars": 4}]]
    lines = answer.answer.splitlines()
    assert (lines[0], lines[-1]) == ("Yes.", "5 - 4 = 1 [1][2]")
    assert answer.verified


@pytest.mark.parametrize(
    ("question", "asks_more"),
    [
        (MORE, True),
        ("Did Ann sell fewer cars than Bo?", False),
        ("Was revenue higher in 2024 than in 2023?", True),
        ("Was revenue lower in 2024 than in 2023?", False),
        ("Revenue in 2024 vs 2023", None),
    ],
)
def test_a_yes_needs_the_greater_or_the_smaller_number(question: str, asks_more: bool | None) -> None:
    found = split_comparison(question, STORED)

    assert found is not None
    assert found.asks_more is asks_more


@pytest.mark.parametrize(
    ("first", "asks_more", "said"), [(5, True, "Yes."), (5, False, "No."), (4, True, "No."), (3, False, "Yes.")]
)
async def test_the_numbers_of_the_parts_decide_a_yes_or_a_no(
    settings: Settings, model: ScriptedModel, tmp_path: Path, first: int, asks_more: bool, said: str
) -> None:
    ann, bo = f"SELECT {first} AS cars FROM sale LIMIT 1", "SELECT 4 AS cars FROM sale LIMIT 1"
    question = MORE if asks_more else MORE.replace("more", "fewer")

    answer = await ask(model, settings, tmp_path, ann, ann, bo, bo, question=question)

    assert answer.answer.startswith(said)


async def test_a_part_without_one_number_decides_nothing(
    settings: Settings, model: ScriptedModel, tmp_path: Path
) -> None:
    ann, bo = "SELECT cars FROM sale WHERE seller = 'Ann'", "SELECT SUM(cars) AS cars FROM sale WHERE seller = 'Bo'"

    answer = await ask(model, settings, tmp_path, ann, ann, bo, bo)

    assert not answer.answer.startswith(("Yes", "No."))
    assert not answer.answer.endswith("[1][2]")


@pytest.mark.parametrize("option", [{"plan": False}, {"effort": "quick"}])
async def test_whoever_wants_one_query_gets_one(
    settings: Settings, model: ScriptedModel, tmp_path: Path, option: dict[str, Any]
) -> None:
    both = "SELECT seller, SUM(cars) AS cars FROM sale GROUP BY seller"

    answer = await ask(model, settings, tmp_path, both, *([both] if "plan" in option else []), **option)

    assert answer.parts == []
    assert len(answer.results) == 2
