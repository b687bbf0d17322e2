"""Answers that say there is nothing where the rows have something."""

from __future__ import annotations

import pytest

from agent.denials import unsupported_denials
from agent.synthesize import check_text
from executors.base import JsonValue, QueryResult

BY_COUNTRY = "How many customers signed up, by country?"


def _rows(*cells: JsonValue) -> QueryResult:
    return QueryResult(columns=("country", "customers"), rows=tuple((f"C{n}", it) for n, it in enumerate(cells)))


@pytest.mark.parametrize(
    "text, question, denied",
    [
        ("There are no customers from France.", BY_COUNTRY, ("no customers",)),
        ("None signed up in France, and 62 in Austria.", BY_COUNTRY, ("None",)),
        ("Aus Frankreich gibt es keine Kunden.", "Wie viele Kunden gibt es je Land?", ("keine Kunden",)),
        ("Il n'y a aucun client en France.", "Combien de clients par pays ?", ("aucun client",)),
        ("France has 66, no more than Austria.", BY_COUNTRY, ()),
        ("No. 1 is France with 66; no other country has as many.", BY_COUNTRY, ()),
        ("There are no customers from France.", "Which countries have no customers?", ()),
    ],
)
def test_where_every_row_has_something(text: str, question: str, denied: tuple[str, ...]) -> None:
    assert unsupported_denials(text, question, _rows(66, 62)) == denied


@pytest.mark.parametrize("cell", [0, None, 0.0, False, "", "none", "not started"])
def test_a_row_with_nothing_supports_it(cell: JsonValue) -> None:
    assert unsupported_denials("There are no customers from France.", BY_COUNTRY, _rows(66, cell)) == ()


def test_no_rows_support_it() -> None:
    assert unsupported_denials("There are no customers.", BY_COUNTRY, _rows()) == ()


def test_it_is_not_grounded_though_every_number_is() -> None:
    text = "There are no customers from C0. C1 has 62."

    checked = check_text(text, BY_COUNTRY, _rows(66, 62), None, calculate=True)

    assert checked.untraced == ("no customers",)
    assert [check.passed for check in checked.checks if check.name == "grounding"] == [False]
