"""The bench of retrieval on large schemas: the schemas that it makes, and that it runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import retrieval_scale, synthetic


def test_a_synthetic_schema_has_as_many_columns_as_wanted_and_is_the_same_every_time() -> None:
    made = synthetic.catalogue(500)
    assert sum(len(table.columns) for table in made.db_schema.tables) == 500
    assert made == synthetic.catalogue(500)
    assert made != synthetic.catalogue(500, seed=8)


def test_its_names_are_unique_its_keys_hold_and_a_part_of_it_has_docs() -> None:
    made = synthetic.catalogue(2000)
    schema = made.db_schema
    names = [table.name for table in schema.tables]
    assert len(set(names)) == len(names)
    for table in schema.tables:
        assert len({column.name for column in table.columns}) == len(table.columns)
        for key in table.foreign_keys:
            other = schema.table(key.table)
            assert other is not None
            assert other.primary_key == key.referenced
    assert 0.2 < len(made.documents) / 2000 < 0.4
    assert {stored.table for stored in made.stored} <= set(names)


def test_it_measures_and_says_what(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieval_scale.main(["--columns", "60", "120", "--questions", "4", "--no-model"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^ +60 +\d+ +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d +\d+\.\d$", said, re.MULTILINE)
    assert re.search(r"median at 120 over that at 60 columns: \d+\.\d \(target: ≤ 3\)", said)
    assert re.search(r"indexing 120 columns: [\d,]+ columns/s, \d+% of the time embedding", said)


def test_an_index_that_was_kept_is_used_again(tmp_path: Path) -> None:
    asked = ["--columns", "60", "--questions", "4", "--no-model", "--keep", str(tmp_path)]
    assert retrieval_scale.main(asked) == 0
    made = {path.name for path in tmp_path.glob("*/r-*")}
    assert retrieval_scale.main(asked) == 0
    assert {path.name for path in tmp_path.glob("*/r-*")} == made != set()
