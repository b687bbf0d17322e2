"""Groups by a column of a file: files declare no keys, so the stored values say what decides the other columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from shop_questions import Ask, Make

from agent.core.models import Options
from testbed.scripted_model import ScriptedModel

DISTRICTS = "code,district,inhabitants\nD1,Old Town,100\nD2,Quarry,20\n{}"
TREES = "tree_no,code\nT1,D1\nT2,D1\nT3,D2\nT4,D3\n"
PER_HEAD = (
    "SELECT d.district, 1.0 * COUNT(*) / d.inhabitants AS r FROM trees AS t JOIN districts AS d ON t.code = d.code "
    "GROUP BY {} ORDER BY r DESC LIMIT 1"
)
QUESTION = "Which district has the most trees per inhabitant?"


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    path, folder = tmp_path / "databases.yaml", tmp_path / "city"
    folder.mkdir()
    (folder / "trees.csv").write_text(TREES, encoding="utf-8")
    path.write_text("city: city\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("by", ["d.district", "d.code, d.district", "t.code, d.district"])
async def test_a_column_of_one_row_per_value_decides_the_others(
    registry: Path, ask: Ask, model: ScriptedModel, by: str
) -> None:
    (registry.parent / "city" / "districts.csv").write_text(DISTRICTS.format(""), encoding="utf-8")
    model.replies(sql=PER_HEAD.format(by))
    model.replies(correct=True, reason="the trees of each")

    answer = await ask(QUESTION, "city", enable_answer=False)

    failed, repaired = answer.attempt_history
    assert failed.error_type == "GROUPING"
    assert repaired.note == "The last query repaired: grouped by d.inhabitants, too."
    assert answer.results == [{"district": "Quarry", "r": 0.05}]


@pytest.mark.parametrize("more", ["D3,Quarry,5\n", "D3,,5\n"])
async def test_a_column_whose_values_repeat_or_are_missing_decides_nothing(
    registry: Path, make_service: Make, model: ScriptedModel, more: str
) -> None:
    (registry.parent / "city" / "districts.csv").write_text(DISTRICTS.format(more), encoding="utf-8")
    model.replies(sql=PER_HEAD.format("d.district"))

    service = make_service()
    answer = await service.query(QUESTION, "city", options=Options(max_attempts=1))
    await service.close()

    assert answer.status == "error"
    assert [it.error_type for it in answer.attempt_history] == ["GROUPING"]


async def test_drafts_that_vote_are_repaired_by_the_data_too(
    registry: Path, make_service: Make, model: ScriptedModel
) -> None:
    (registry.parent / "city" / "districts.csv").write_text(DISTRICTS.format(""), encoding="utf-8")
    for _ in range(2):
        model.replies(sql=PER_HEAD.format("d.district"))

    service = make_service(second_draft=None)
    answer = await service.query(QUESTION, "city", options=Options(enable_answer=False))
    await service.close()

    assert answer.results == [{"district": "Quarry", "r": 0.05}]
    assert not answer.verified, "what was repaired votes for nobody"
