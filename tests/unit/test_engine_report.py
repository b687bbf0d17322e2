"""The table of docs/engines.md: one row for the tests that every engine passed or skipped alike."""

from __future__ import annotations

from engine_report import grouped_table


def test_tests_that_went_the_same_way_share_a_row() -> None:
    rows = [("null is none", ("✓", "✓")), ("keys are known", ("✓", "·")), ("rows come", ("✓", "✓"))]

    assert grouped_table(["SQLite", "DuckDB"], rows) == [
        "| tests | SQLite | DuckDB |",
        "|---|:-:|:-:|",
        "| 1. (2) | ✓ | ✓ |",
        "| 2. (1) | ✓ | · |",
        "",
        "1. null is none; rows come",
        "2. keys are known",
    ]
