"""Numbers are written alike in the sentence, in the terminal and on the page, by the language of the question."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from agent.checks.grounding.numbers.display import (
    MARKS,
    NAMING,
    NAMING_CAMEL,
    ColumnFormat,
    column_format,
    format_cell,
    format_duration,
    format_number,
)

PAGE = Path(__file__).parents[2] / "web/src/state/format.ts"


@pytest.mark.parametrize("value, language, expected", [
    (1087206.3, "en", "1,087,206.3"),
    (1087206.3, "de", "1.087.206,3"),
    (1087206.3, "fr", "1\u202f087\u202f206,3"),
    (1533, "es", "1.533"),
    (1533, "it", "1.533"),
    (1533, "ko", "1,533"),
    (1533, "xx", "1,533"),
    (-0.1, "de", "-0,1"),
    (0.1 + 0.2, "en", "0.3"),  # no noise of binary fractions
    (1 / 3, "en", "0.333333"),
    (Fraction(1, 3), "fr", "0,333333"),
    (1e-9, "en", "1e-9"),
    (2.5e30, "de", "2,5e+30"),
    (0, "en", "0"),
    (0.0, "en", "0"),
    (9007199254740991, "en", "9,007,199,254,740,991"),
])  # fmt: skip
def test_a_number_is_written_in_the_marks_of_its_language(value: float, language: str, expected: str) -> None:
    assert format_number(value, language) == expected


@pytest.mark.parametrize("name, values, expected", [
    ("revenue", [1087206.3, 12.25, 3], ["1,087,206.30", "12.25", "3.00"]),
    ("n", [1533, 7], ["1,533", "7"]),
    ("average", [12.123456789, 3.5], ["12.123457", "3.5"]),
    ("total", [8320415.000000002, 6906585.010000001], ["8,320,415.00", "6,906,585.01"]),  # sums of binary fractions
    ("year", [2024, 2025], ["2024", "2025"]),
    ("customer_id", [14360], ["14360"]),
    ("share", [None, 0.5], ["", "0.5"]),
    ("name", ["1,5", "x"], ["1,5", "x"]),
    ("ok", [True], ["True"]),
    ("nothing", [], []),
])  # fmt: skip
def test_the_numbers_of_a_column_are_written_alike(name: str, values: list[object], expected: list[str]) -> None:
    style = column_format(name, values)

    assert [format_cell(value, "en", style) for value in values] == expected


DURATIONS = [
    ("PT1H25M3.668356S", "1 h 25 min 4 s"),
    ("PT59M59.7S", "1 h"),
    ("P1DT2H", "1 d 2 h"),
    ("PT36H", "1 d 12 h"),
    ("PT3.668S", "3.668 s"),
    ("PT1.005S", "1.005 s"),
    ("PT0.0034S", "0.0034 s"),
    ("-PT5M", "-5 min"),
    ("-PT0S", "0 s"),
    ("PT0S", "0 s"),
    ("P1Y2M", None),
    ("P5D", None),
    ("P", None),
    ("PT", None),
    ("Paid", None),
]


@pytest.mark.parametrize("text, expected", DURATIONS)
def test_a_duration_is_written_with_its_units(text: str, expected: str | None) -> None:
    assert format_duration(text) == expected
    assert format_cell(text) == (expected or text)


def test_a_duration_has_the_marks_of_its_language() -> None:
    assert format_duration("PT3.668S", "de") == "3,668 s"


def test_the_page_has_the_same_rules_for_names() -> None:
    page = PAGE.read_text(encoding="utf-8")
    pattern, camel = re.search(r"const NAMING = /(.+)/i;", page), re.search(r"const NAMING_CAMEL = /(.+)/;", page)

    assert pattern is not None
    assert camel is not None
    assert pattern[1] == NAMING.pattern
    assert camel[1] == NAMING_CAMEL.pattern


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
@pytest.mark.parametrize("language", MARKS)
def test_a_browser_writes_numbers_with_the_same_marks(language: str) -> None:
    values = [0, 7, 1533, -1533, 14360.5, 1087206.3, 0.333333, 1e6]
    script = (
        "const [language, values] = JSON.parse(process.argv[1]);"
        "const format = new Intl.NumberFormat(language, { maximumFractionDigits: 6, useGrouping: 'always' });"
        "console.log(JSON.stringify(values.map((value) => format.format(value))));"
    )
    call = ["node", "-e", script, json.dumps([language, values])]
    found = subprocess.run(call, check=True, capture_output=True, text=True)

    assert [format_number(value, language, ColumnFormat()) for value in values] == json.loads(found.stdout)
