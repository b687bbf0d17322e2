"""Two evaluations are compared question by question, with a test of significance."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.cli import main as cli
from agent.evaluation.comparison import bootstrap, compare, mcnemar
from agent.evaluation.harness import EvaluationInvalid
from agent.evaluation.report import ResultLine


def lines(*right: bool, scored: bool = True) -> list[ResultLine]:
    return [
        ResultLine(question=f"Question {n}?", database="shop", gold=("SELECT 1",), correct=correct, scored=scored)
        for n, correct in enumerate(right)
    ]


def test_what_is_gained_and_lost_is_named() -> None:
    found = compare(lines(True, False, False, True), lines(False, True, True, True))

    assert (found.n, found.before, found.after) == (4, 2, 3)
    assert [line.question for line in found.gained] == ["Question 1?", "Question 2?"]
    assert [line.question for line in found.lost] == ["Question 0?"]
    assert found.difference == 0.25


def test_questions_of_one_run_alone_are_counted_and_left_out() -> None:
    found = compare(lines(True, True, True), lines(True))

    assert (found.n, found.alone) == (1, 2)


def test_runs_without_a_common_question_cannot_be_compared() -> None:
    with pytest.raises(EvaluationInvalid, match="no question in common"):
        compare(lines(True), lines(True, scored=False))


@pytest.mark.parametrize(
    ("gained", "lost", "p", "why"),
    [
        (0, 0, 1.0, "nothing differs"),
        (5, 5, 1.0, "as many lost as gained"),
        (5, 0, 0.0625, "2 / 2^5"),
        (0, 5, 0.0625, "the same the other way"),
        (8, 1, 0.0390625, "2 * (1 + 9) / 2^9"),
    ],
)
def test_mcnemars_exact_test(gained: int, lost: int, p: float, why: str) -> None:
    assert mcnemar(gained, lost) == pytest.approx(p), why


def test_the_bootstrap_tells_a_gain_from_noise() -> None:
    gain = bootstrap([1] * 20 + [0] * 80)
    noise = bootstrap([1] * 10 + [-1] * 10 + [0] * 80)

    assert 0.1 < gain[0] < 0.2 < gain[1] < 0.3
    assert noise[0] < 0 < noise[1]
    assert bootstrap([1, 0, -1]) == bootstrap([1, 0, -1])  # the same figures each time


def test_the_command_prints_the_difference(tmp_path: Path) -> None:
    for name, right in (("before", (False, False)), ("after", (True, False))):
        text = "".join(line.model_dump_json() + "\n" for line in lines(*right))
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")

    ended = CliRunner().invoke(cli.app, ["eval-compare", str(tmp_path / "before.jsonl"), str(tmp_path / "after.jsonl")])

    assert ended.exit_code == 0
    assert "+ Question 0?" in ended.stdout
    assert "+50.0 points" in ended.stdout


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ended = CliRunner().invoke(cli.app, ["eval-compare", str(tmp_path / "none.jsonl"), str(tmp_path / "none.jsonl")])

    assert ended.exit_code == 1
    assert "none.jsonl" in ended.output.replace("\n", "")
