"""SECURITY.md names existing files and tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
FILES = sorted(set(re.findall(r"`((?:tests|agent|rag|executors)/[\w/.]+)(?:::\w+)?`|\]\(([\w/.]+)\)", PAGE)))


@pytest.mark.parametrize(("file", "test"), TESTS)
def test_a_layer_is_shown_by_a_test_that_there_is(file: str, test: str) -> None:
    assert re.search(rf"^ *(?:async )?def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("file", [first or second for first, second in FILES])
def test_a_file_that_is_named_is_there(file: str) -> None:
    assert (ROOT / file).exists()


def test_every_layer_names_its_test() -> None:
    layers = [
        line for line in PAGE.partition("## The layers")[2].partition("\n## ")[0].splitlines() if line[:2] == "| "
    ]
    assert len(layers) >= 10
    assert [line for line in layers[1:] if "::test_" not in line] == []
