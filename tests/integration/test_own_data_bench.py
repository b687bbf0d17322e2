"""The messy data sets of the benchmark are read with nothing lost, and each has five questions."""

from __future__ import annotations

from pathlib import Path

from bench.own_data import measure
from bench.own_data_sets import write_all


def test_every_data_set_is_read_whole(tmp_path: Path) -> None:
    found = measure(tmp_path)
    assert len(found) == 12
    assert [(name, here) for name, here, _, whole in found if not whole] == []


def test_each_has_five_questions_and_is_the_same_each_time(tmp_path: Path) -> None:
    made = write_all(tmp_path / "a")
    assert [len(it.questions) for it in made] == [5] * 12
    assert write_all(tmp_path / "b") == made
