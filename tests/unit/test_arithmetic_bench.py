"""The falsifier of the bench: it finds the stated result and writes a wrong one."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from bench.arithmetic import KINDS, Sentence, false_as_written, falsify, is_repaired, locate, main

SENTENCE = Sentence(text="It cost 3 * $12.50 = $37.50 in all.", expression="3*12.50", value="37.50")


def test_every_kind_of_falsehood_is_wrong_and_stands_where_the_result_stood() -> None:
    made = list(falsify(SENTENCE, random.Random(1)))

    assert [falsified.kind for falsified in made] == list(KINDS)
    for falsified in made:
        wrong = falsified.text[falsified.start : len(falsified.text) - len(falsified.after)]
        assert Fraction(wrong) != Fraction(SENTENCE.value)
        assert falsified.text.startswith("It cost 3 * $12.50 = $")
        assert falsified.text.endswith(" in all.")


def test_the_same_seed_falsifies_alike() -> None:
    assert list(falsify(SENTENCE, random.Random(7))) == list(falsify(SENTENCE, random.Random(7)))


@pytest.mark.parametrize("falsified", list(falsify(SENTENCE, random.Random(1))), ids=lambda falsified: falsified.kind)
def test_each_is_repaired(falsified: object) -> None:
    assert is_repaired(falsified)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text, value, found",
    [
        ("There are 20 of them because 4 * 5 = 20", "20", "20"),  # the one after the sign, not after "are"
        ("20% = 0.2, so 0.2 * 650 = 130 came", "130", "130"),
        ("x = 26", "26", None),  # nothing is calculated
        ("He has 8 apples", "8", None),
    ],
)
def test_locates_the_result(text: str, value: str, found: str | None) -> None:
    span = locate(Sentence(text=text, expression="", value=value))

    assert (text[slice(*span)] if span else None) == found
    assert span is None or "=" in text[: span[0]]


@pytest.mark.parametrize("text, false", [("so 6*2.5 = $18.00", True), ("so 2+3*4 = 14", False), ("5 - 1/2 = 4", False)])
def test_knows_a_plain_falsehood(text: str, false: bool) -> None:
    assert false_as_written(text) is false


def test_the_report_fails_where_a_correct_sentence_is_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sentences.jsonl"
    wrong = Sentence(text="3 apples * 2 = 7 apples", expression="3*2", value="7")
    file.write_text(f"{SENTENCE.model_dump_json()}\n", encoding="utf-8")
    assert main([str(file)]) == 0

    file.write_text(f"{SENTENCE.model_dump_json()}\n{wrong.model_dump_json()}\n", encoding="utf-8")
    assert main([str(file), "--show", "1"]) == 1
    assert "changed: 3 apples * 2 = 7 apples" in capsys.readouterr().out
